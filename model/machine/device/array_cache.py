"""A write-back cache: a write is done once it is in memory; runs of dirty bytes reach the medium in sorted sweeps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from heapq import heappop, heappush
from math import inf
from typing import Protocol


class CommandDrive(Protocol):
    """What takes commands; they come with a time that never goes back."""

    @property
    def free_s(self) -> float:
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""

    def distance(self, start_byte: int) -> float:
        """How far the device is from a byte, for a choice between copies."""


class Bus:
    """Command overhead, then the interface, which moves one thing at a time."""

    _overhead_s: float
    _bytes_per_s: float
    _free_s: float

    def __init__(self, overhead_s: float, bytes_per_s: float) -> None:
        self._overhead_s = overhead_s
        self._bytes_per_s = bytes_per_s
        self._free_s = 0.0

    def send(self, begin_s: float, size_bytes: int) -> float:
        """When bytes that wait in memory have passed, for a command that begins so."""
        self._free_s = max(begin_s + self._overhead_s, self._free_s) + size_bytes / self._bytes_per_s
        return self._free_s


class WriteBack:
    """The cache before a device; it destages whenever the device is idle, which is worked out when next asked.

    *unit_bytes* is what one command destages at most, cut where units begin; *depth* commands are out at once.
    """

    free_s: float
    """When the last command handed in is done."""
    _device: CommandDrive
    _cache_bytes: int
    _bus: Bus
    _unit_bytes: int
    _depth: int
    _starts: list[int]
    _ends: dict[int, int]
    _since: dict[int, float]
    _flying: list[tuple[float, int]]
    _dirty_bytes: int
    _sweep_byte: int
    _landed_s: float
    _last_s: float

    def __init__(self, device: CommandDrive, cache_bytes: int, bus: Bus, *, unit_bytes: int, depth: int) -> None:
        self._device = device
        self._cache_bytes = cache_bytes
        self._bus = bus
        self._unit_bytes = unit_bytes
        self._depth = depth
        self._starts = []
        self._ends = {}
        self._since = {}
        self._flying = []
        self._dirty_bytes = 0
        self._sweep_byte = 0
        self._landed_s = 0.0
        self._last_s = 0.0
        self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        while (self._starts or self._flying) and self._step(now_s):
            pass
        if write:
            done = now_s
            for first in range(start_byte, start_byte + size_bytes, self._cache_bytes):
                size = min(self._cache_bytes, start_byte + size_bytes - first)
                done = self._bus.send(self._make_room(done, size), size)
                self._keep(first, first + size, done)
        elif self._holds(start_byte, start_byte + size_bytes):
            done = self._bus.send(now_s, size_bytes)
        else:
            self._last_s = max(self._last_s, now_s)
            done = self._device.submit(now_s, False, start_byte, size_bytes)
        self.free_s = done
        return done

    def flush(self, now_s: float) -> float:
        """When all that the cache holds is on the medium."""
        while self._starts or self._flying:
            self._step(inf)
        self.free_s = max(now_s, self._landed_s)
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """How far the device behind is from a byte."""
        return self._device.distance(start_byte)

    def _step(self, until_s: float) -> bool:
        """The next thing that happens before *until_s*: a command to the device, or the end of one."""
        if self._starts and len(self._flying) < self._depth:
            start = self._next_run()
            since = self._since[start]
            begin = max(since, self._landed_s)
            if begin < until_s:
                # NOTE: a lone medium had the run in its queue before the last one ended, so that runs stream
                queued = begin if self._depth > 1 else max(since, self._last_s)
                self._destage(start, queued)
                return True
        if self._flying and self._flying[0][0] <= until_s:
            self._landed_s, size = heappop(self._flying)
            self._dirty_bytes -= size
            return True
        return False

    def _next_run(self) -> int:
        """The first run at or behind the place that the sweep has come to, or the first of all."""
        rank = bisect_left(self._starts, self._sweep_byte)
        return self._starts[rank % len(self._starts)]

    def _destage(self, start: int, submit_s: float) -> None:
        end, since = self._ends[start], self._since[start]
        stop = min(end, (start // self._unit_bytes + 1) * self._unit_bytes)
        self._drop(start)
        if stop < end:
            self._add(stop, end, since)
        done = self._device.submit(submit_s, True, start, stop - start)
        heappush(self._flying, (done, stop - start))
        self._sweep_byte, self._last_s = stop, submit_s

    def _make_room(self, now_s: float, size_bytes: int) -> float:
        """When there is room for so many bytes."""
        when = now_s
        while self._dirty_bytes + size_bytes > self._cache_bytes:
            self._step(inf)
            when = max(now_s, self._landed_s)
        return when

    def _holds(self, start: int, end: int) -> bool:
        rank = bisect_right(self._starts, start) - 1
        return rank >= 0 and self._ends[self._starts[rank]] >= end

    def _keep(self, start: int, end: int, since_s: float) -> None:
        """Join dirty bytes with the runs that they touch; what was dirty already is so but once."""
        rank = max(0, bisect_right(self._starts, start) - 1)
        if self._starts and self._ends[self._starts[rank]] < start:
            rank += 1
        size = end - start
        while rank < len(self._starts) and self._starts[rank] <= end:
            run = self._starts[rank]
            run_end = self._ends[run]
            size -= max(0, min(end, run_end) - max(start, run))
            start, end, since_s = min(start, run), max(end, run_end), min(since_s, self._since[run])
            self._drop(run)
        self._dirty_bytes += size
        self._add(start, end, since_s)

    def _add(self, start: int, end: int, since_s: float) -> None:
        insort(self._starts, start)
        self._ends[start], self._since[start] = end, since_s

    def _drop(self, start: int) -> None:
        del self._starts[bisect_left(self._starts, start)]
        del self._ends[start], self._since[start]


class ReadHits:
    """A controller whose cache answers a stated share of the reads, evenly spread."""

    free_s: float
    """When the last command handed in is done."""
    _device: CommandDrive
    _hit_fraction: float
    _bus: Bus
    _reads: int

    def __init__(self, device: CommandDrive, hit_fraction: float, bus: Bus) -> None:
        self._device = device
        self._hit_fraction = hit_fraction
        self._bus = bus
        self._reads = 0
        self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        before = int(self._reads * self._hit_fraction)
        self._reads += not write
        if int(self._reads * self._hit_fraction) > before:
            self.free_s = self._bus.send(now_s, size_bytes)
        else:
            self.free_s = self._device.submit(now_s, write, start_byte, size_bytes)
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """How far the device behind is from a byte."""
        return self._device.distance(start_byte)
