"""Data files and redo log on their devices, behind the kernel's queue."""

from __future__ import annotations

from blocktime.model.laws import block_layer
from blocktime.model.loops.calendar import Waiter
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.device import BlockDevice, Pieces, Submitter
from blocktime.model.sim.references import DEVICE_BYTES
from blocktime.model.spec import Host


class BlockRequests:
    """A receiver of requests for blocks."""

    env: Clock

    def request(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        """Hand a request over; at its end *then* goes on."""
        raise NotImplementedError

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        """Hand several over; at the end of the last *then* goes on."""
        raise NotImplementedError


class LastOfSeveral(Waiter):
    """Calls *then* soon after the last of several requests has ended."""

    _env: Clock
    _left: int
    _then: Waiter

    def __init__(self, env: Clock, count: int, then: Waiter) -> None:
        self._env, self._left, self._then = env, count, then

    def happens(self) -> None:
        """One of them has ended."""
        self._left -= 1
        if not self._left:
            self._env.soon(self._then)


class Files(BlockRequests):
    """Files on one device behind the kernel's queue, which counts their requests."""

    counters: Counters
    device: BlockDevice
    owner: int
    _submitter: Submitter
    _largest: int

    def __init__(
        self, env: Clock, device: BlockDevice, largest_bytes: int, owner: int = 0, counters: Counters | None = None
    ) -> None:
        self.env = env
        self.device = device
        self.owner = owner
        self._submitter = device.submitter(owner)
        self.counters = device.counters if counters is None else counters
        device.unplugged_at_once = counters is None
        self._largest = largest_bytes

    def request(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        """Hand a request over; at its end *then* goes on."""
        if size_bytes > self._largest:
            self._in_pieces(write, start_byte, size_bytes, then)
        else:
            self.device.hand_over(write, start_byte, size_bytes, self._submitter, then)
            self.device.unplug()

    def _in_pieces(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        pieces = range(0, size_bytes, self._largest)
        ended = Pieces(len(pieces), lambda: self.env.soon(then))
        for begin in pieces:
            size = min(self._largest, size_bytes - begin)
            self.device.hand_over(write, start_byte + begin, size, self._submitter, ended)
        self.device.unplug()

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        """Hand several over; at the end of the last *then* goes on."""
        if len(start_bytes) > 1:
            then = LastOfSeveral(self.env, len(start_bytes), then)
        for start_byte in start_bytes:
            self.request(write, start_byte, size_bytes, then)

    def finish(self, end_s: float) -> Counters:
        """Counters up to the end, as iostat has them; requests may still be under way then."""
        self.counters.round(end_s)
        return self.counters


class OnDevices(BlockRequests):
    """Files on several devices, each with requests of its own; places say which, as :class:`Layout` has them."""

    devices: list[Files]

    def __init__(self, env: Clock, devices: list[Files]) -> None:
        self.env, self.devices = env, devices

    def request(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        """Hand a request over; at its end *then* goes on."""
        files: Files = self.devices[start_byte // DEVICE_BYTES]
        files.request(write, start_byte % DEVICE_BYTES, size_bytes, then)

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        """Hand several over; at the end of the last *then* goes on."""
        of_device: dict[int, list[int]] = {}
        for start_byte in start_bytes:
            device, place = divmod(start_byte, DEVICE_BYTES)
            of_device.setdefault(device, []).append(place)
        if len(of_device) > 1:
            then = LastOfSeveral(self.env, len(of_device), then)
        for device, places in of_device.items():
            files: Files = self.devices[device]
            files.requests(write, places, size_bytes, then)


def largest_request_bytes(host: Host) -> int:
    """Largest request of the device."""
    return int(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))
