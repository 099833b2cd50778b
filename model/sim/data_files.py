"""Data files and redo log on their devices: requests in order of arrival, or through the kernel's scheduler."""

from __future__ import annotations

from typing import Any, Protocol

import simpy

from model.laws import block_layer
from model.loops.rows import Reals, longer, reals
from model.machine.device import drive
from model.machine.device.elevator import IN_ORDER
from model.machine.device.iostat import Counters
from model.sim.device import BlockDevice, Pieces, Submitter
from model.sim.device import Server as Drive
from model.sim.fast import UNBUFFERED_CALLS, fields, reads_all
from model.sim.references import DEVICE_BYTES
from model.spec import System

ENDED, QUEUED, WRITE, SIZE = 0, 1, 2, 3
FIELDS = 4
"""Of a request under way."""


class BlockRequests(Protocol):
    """What takes requests for blocks."""

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int) -> simpy.Event:
        """An event at the end of the last of several requests that are handed over now."""


class Files(BlockRequests, Protocol):
    """Files on one device, which counts their requests."""

    def finish(self, end_s: float) -> Counters:
        """Counters of all requests that are done."""


class InOrder:
    """A device that serves requests as they come: their end is known at once. Nothing merges at random places."""

    counters: Counters
    largest_bytes: int
    _env: simpy.Environment
    _drive: Drive
    _depth: int
    _under_way: Reals
    """When each request will be done, was handed over, whether it writes, and its size; the next to end first."""
    _next: int
    _behind: int
    """Where the fields of the next one are, and those behind the last."""

    def __init__(
        self, env: simpy.Environment, drive: Drive, counters: Counters, largest_bytes: int, depth: int
    ) -> None:
        """*depth* requests are at the drive at once; those behind wait until one of them has ended."""
        self._env, self._drive, self.counters, self.largest_bytes = env, drive, counters, largest_bytes
        self._depth = depth
        self._under_way = reals(256 * FIELDS, 0.0)
        self._next = self._behind = 0

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""
        now = self._env.now
        return self._env.timeout(self._done(now, write, start_byte, size_bytes) - now)

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int) -> simpy.Event:
        """An event at the end of the last of several requests that are handed over now."""
        now = self._env.now
        last = now
        for start_byte in start_bytes:
            last = max(last, self._done(now, write, start_byte, size_bytes))
        return self._env.timeout(last - now)

    def _done(self, now: float, write: bool, start_byte: int, size_bytes: int) -> float:
        last = now
        while size_bytes > 0:
            size = min(size_bytes, self.largest_bytes)
            room_at = self._behind - self._depth * FIELDS
            begin_s = now if room_at < self._next else max(now, self._under_way[room_at + ENDED])
            done: float = self._drive.submit(begin_s, write, start_byte, size)
            self._count_ended(now)
            self.counters.submitted(now, write, size, merged=False)
            self._goes_on(done, now, write, size)
            last = max(last, done)
            start_byte += size
            size_bytes -= size
        return last

    def _goes_on(self, done_s: float, queued_s: float, write: bool, size_bytes: int) -> None:
        """Keep a request until it is counted, behind those that end before it or with it."""
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


class Scheduled:
    """A device behind the kernel's queue, whose scheduler may choose among the requests that wait."""

    env: simpy.Environment
    device: BlockDevice
    owner: int
    counters: Counters
    _submitter: Submitter
    _largest: int

    def __init__(
        self,
        env: simpy.Environment,
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

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""
        if size_bytes > self._largest:
            return self._in_pieces(write, start_byte, size_bytes)
        done = self.env.event()
        self._hand_over(write, start_byte, size_bytes, done.succeed)
        self.device.unplug()
        return done

    def _in_pieces(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        pieces = range(0, size_bytes, self._largest)
        done = self.env.event()
        ended = Pieces(len(pieces), done.succeed).one_ended
        for begin in pieces:
            size = min(self._largest, size_bytes - begin)
            self._hand_over(write, start_byte + begin, size, ended)
        self.device.unplug()
        return done

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int) -> simpy.Event:
        """An event at the end of the last of several requests that are handed over now."""
        if len(start_bytes) == 1:
            return self.request(write, start_bytes[0], size_bytes)
        return self.env.all_of([self.request(write, start_byte, size_bytes) for start_byte in start_bytes])

    def _hand_over(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> None:
        """Queue a request, now or when there is room."""
        if not self._handed_over(write, start_byte, size_bytes, ended):
            self.env.process(self._when_there_is_room(write, start_byte, size_bytes, ended))

    def _handed_over(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> bool:
        request = self.device.bio(write, start_byte, size_bytes, self._submitter)
        if request is not None:
            request.waiting.append(ended)
        return request is not None

    def _when_there_is_room(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> Any:
        while not self._handed_over(write, start_byte, size_bytes, ended):
            yield self.device.room(write)
        self.device.unplug()

    def finish(self, end_s: float) -> Counters:
        """Counters up to the end, as iostat has them; requests may still be under way then."""
        self.counters.round(end_s)
        return self.counters


class OnDevices:
    """Files on several devices, each with requests of its own; places say which, as :class:`Layout` has them."""

    def __init__(self, env: simpy.Environment, devices: list[Files]) -> None:
        self._env, self.devices = env, devices

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""
        device, place = divmod(start_byte, DEVICE_BYTES)
        return self.devices[device].request(write, place, size_bytes)

    def requests(self, write: bool, start_bytes: list[int], size_bytes: int) -> simpy.Event:
        """An event at the end of the last of several requests that are handed over now."""
        of_device: dict[int, list[int]] = {}
        for start_byte in start_bytes:
            device, place = divmod(start_byte, DEVICE_BYTES)
            of_device.setdefault(device, []).append(place)
        events = [
            self.devices[device].requests(write, places, size_bytes) for device, places in of_device.items()
        ]
        return events[0] if len(events) == 1 else self._env.all_of(events)


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
    """Whether requests are served as they come: nothing sorts them, or keeps them from a device that has room."""
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
