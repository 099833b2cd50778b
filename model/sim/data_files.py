"""Data files and redo log on their devices: requests in order of arrival, or through the kernel's scheduler."""

from __future__ import annotations

from typing import Any

from blocktime.model.laws import block_layer
from blocktime.model.loops.calendar import Waiter
from blocktime.model.loops.rows import Reals, longer, reals
from blocktime.model.machine.device import drive
from blocktime.model.machine.device.drive import BoundedDrive
from blocktime.model.machine.device.elevator import IN_ORDER
from blocktime.model.machine.device.iostat import Counters
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.device import BlockDevice, Pieces, Submitter
from blocktime.model.sim.device import Server as Drive
from blocktime.model.sim.fast import UNBUFFERED_CALLS, fields, reads_all
from blocktime.model.sim.references import DEVICE_BYTES
from blocktime.model.spec import System

ENDED, QUEUED, WRITE, SIZE = 0, 1, 2, 3
FIELDS = 4
"""Fields of a request in progress."""


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
    """Files on one device, which counts their requests."""

    counters: Counters

    def finish(self, end_s: float) -> Counters:
        """Counters up to the end, as iostat has them; requests may still be under way then."""
        raise NotImplementedError


class InOrder(Files):
    """A device that serves requests as they come: their end is known at once. Nothing merges at random places."""

    largest_bytes: int
    _drive: Drive
    _bounded: BoundedDrive | None
    """The drive, where no host limits it, which the compiled loops call sooner."""
    _depth: int
    _under_way: Reals
    """Of each request: its end, its submission, whether it writes, and its size; the next one to end first."""
    _next: int
    _behind: int
    """Where the fields of the next one are, and those behind the last."""

    def __init__(self, env: Clock, drive: Drive, counters: Counters, largest_bytes: int, depth: int) -> None:
        """*depth* requests are at the drive at once; those behind wait until one of them has ended."""
        self.env, self._drive, self.counters, self.largest_bytes = env, drive, counters, largest_bytes
        self._bounded = drive if isinstance(drive, BoundedDrive) else None
        self._depth = depth
        self._under_way = reals(256 * FIELDS, 0.0)
        self._next = self._behind = 0

    def request(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        """Hand a request over; at its end *then* goes on."""
        now = self.env.now
        self.env.after(self._done(now, write, start_byte, size_bytes) - now, then)

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        """Hand several over; at the end of the last *then* goes on."""
        now = self.env.now
        last = now
        for start_byte in start_bytes:
            last = max(last, self._done(now, write, start_byte, size_bytes))
        self.env.after(last - now, then)

    def _done(self, now: float, write: bool, start_byte: int, size_bytes: int) -> float:
        last = now
        while size_bytes > 0:
            size = min(size_bytes, self.largest_bytes)
            room_at = self._behind - self._depth * FIELDS
            begin_s = now if room_at < self._next else max(now, self._under_way[room_at + ENDED])
            done: float = 0.0
            if self._bounded is not None:
                done = self._bounded.submit(begin_s, write, start_byte, size)
            else:
                done = self._drive.submit(begin_s, write, start_byte, size)
            self._count_ended(now)
            self.counters.submitted(now, write, size, merged=False)
            self._goes_on(done, now, write, size)
            last = max(last, done)
            start_byte += size
            size_bytes -= size
        return last

    def _goes_on(self, done_s: float, queued_s: float, write: bool, size_bytes: int) -> None:
        """Keep a request until it is counted, after those that end before it or at the same time."""
        if self._behind == len(self._under_way):
            self._make_room()
        at = self._behind
        self._behind += FIELDS
        while at > self._next and self._under_way[at - FIELDS + ENDED] > done_s:
            at -= FIELDS
            for k in range(FIELDS):
                self._under_way[at + FIELDS + k] = self._under_way[at + k]
        self._under_way[at + ENDED] = done_s
        self._under_way[at + QUEUED] = queued_s
        self._under_way[at + WRITE] = write
        self._under_way[at + SIZE] = size_bytes

    def _make_room(self) -> None:
        if 2 * self._next < self._behind:
            self._under_way = longer(self._under_way)
        for k in range(self._next, self._behind):
            self._under_way[k - self._next] = self._under_way[k]
        self._behind -= self._next
        self._next = 0

    def _count_ended(self, now_s: float) -> None:
        """Count the requests that have ended."""
        while self._next < self._behind and self._under_way[self._next + ENDED] <= now_s:
            at = self._next
            write, size = self._under_way[at + WRITE] > 0, int(self._under_way[at + SIZE])
            self.counters.completed(self._under_way[at + ENDED], write, size, self._under_way[at + QUEUED])
            self._next += FIELDS

    def finish(self, end_s: float) -> Counters:
        """Counters up to the end, as iostat has them; requests may still be under way then."""
        self._count_ended(end_s)
        if self.counters.last_s:
            self.counters.round(end_s)
        return self.counters


class Scheduled(Files):
    """A device behind the kernel's queue, whose scheduler may choose among the requests that wait."""

    device: BlockDevice
    owner: int
    _submitter: Submitter
    _largest: int

    def __init__(
        self,
        env: Clock,
        device: BlockDevice,
        largest_bytes: int,
        owner: int = 0,
        counters: Counters | None = None,
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
            self._hand_over(write, start_byte, size_bytes, then)
            self.device.unplug()

    def _in_pieces(self, write: bool, start_byte: int, size_bytes: int, then: Waiter) -> None:
        pieces = range(0, size_bytes, self._largest)
        ended = Pieces(len(pieces), lambda: self.env.soon(then)).one_ended
        for begin in pieces:
            size = min(self._largest, size_bytes - begin)
            self._hand_over(write, start_byte + begin, size, ended)
        self.device.unplug()

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int, then: Waiter) -> None:
        """Hand several over; at the end of the last *then* goes on."""
        if len(start_bytes) > 1:
            then = LastOfSeveral(self.env, len(start_bytes), then)
        for start_byte in start_bytes:
            self.request(write, start_byte, size_bytes, then)

    def _hand_over(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> None:
        """Queue a request now, or when there is room."""
        if not self._handed_over(write, start_byte, size_bytes, ended):
            self.env.process(self._when_there_is_room(write, start_byte, size_bytes, ended))

    def _handed_over(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> bool:
        request = self.device.bio(write, start_byte, size_bytes, self._submitter)
        if request is not None:
            request.carry(ended)
        return request is not None

    def _when_there_is_room(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> Any:
        while not self._handed_over(write, start_byte, size_bytes, ended):
            yield self.device.room(write)
        self.device.unplug()

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


READS = (
    UNBUFFERED_CALLS
    | drive.READS
    | fields(
        "host",
        "scheduler", "nr_requests", "iops_limit", "bandwidth_limit_bytes_per_s", "burst_iops",
        "burst_bandwidth_bytes_per_s", "burst_s",
    )
)  # fmt: skip
"""Of :class:`InOrder`."""


def is_in_order(system: System, largest_bytes: int, block_bytes: int) -> bool:
    """Whether requests are served in order of arrival: nothing sorts or delays them while the device has room."""
    host, disk = system.host, system.disk
    placeless = not disk.rotation_s and not disk.average_seek_s
    none_kept_out = host.nr_requests >= disk.parallel_requests
    return (
        (placeless or host.scheduler in IN_ORDER)
        and none_kept_out
        and largest_bytes >= block_bytes
        and reads_all(READS, system)
    )


def largest_request_bytes(host: Any) -> int:
    """Largest request of the device."""
    return int(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))
