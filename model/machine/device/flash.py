"""A device without positions of its own: flash, or one that is told as latency and rate."""

from __future__ import annotations

from math import inf
from typing import Any

from blocktime.model.laws.device_time import reported_s, transfer_s
from blocktime.model.laws.disk_means import busy_s, overhead_s
from blocktime.model.laws.garbage_collection import HOLE_BYTES, RUN_REQUESTS, erased_bytes
from blocktime.model.machine.device.servers import NOBODY, DeviceQueue, Gaps
from blocktime.model.spec import Disk

RUNS = 64
"""Runs in order that a drive tells apart at a time [general knowledge]."""


class Flash:
    """Latency in one of the parallel slots, transfer over the shared channel: a scan's device, request by request.

    A command holds the controller before it goes to a slot. Reads that collide wait for the slot of their place, which
    is dealt out in requests of their size; the drive puts writes where a slot is free. What is handed in while
    others are under way is reported at the next end of an interval, where the drive gathers completions. Writes fill
    an SLC cache, which a drive without commands empties again; what it has no room for goes to the cells at their own
    rate. A write that does not go on where one of the last ones ended makes a drive with spare flash collect
    garbage, once a fresh one has no erased block left.
    """

    free_s: float
    """When the last command handed in is done."""
    _disk: Any
    _average_seek_s: float
    _slots: int
    _collide: bool
    _command_s: float
    _write_command_s: float
    _collects: bool
    _erased_bytes: float
    _runs: dict[int, int]
    """Ends of the last runs in order, the oldest first -> requests of the run."""
    _controller_free_s: float
    _controller: Gaps | None
    """Of a member that reads before it writes: its writes come for the time when they have been read."""
    _now_s: float
    _read_s: float
    """When the last read is done: what is written then was read before, and has been handed in with it."""
    _report_interval_s: float
    _overhead_s: float
    _write_overhead_s: float
    _queue: DeviceQueue
    _rate_bytes_per_s: float
    _write_rate_bytes_per_s: float
    _slc_bytes: float
    _cells_bytes_per_s: float
    _in_slc_bytes: float
    _until_s: float

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._average_seek_s = disk.average_seek_s
        self._slots = int(disk.parallel_requests)
        self._collide = bool(disk.reads_collide)
        self._command_s = float(busy_s(disk, 0, False, inf))
        self._write_command_s = float(busy_s(disk, 0, True, inf))
        self._collects = disk.spare_fraction is not None
        self._erased_bytes = float(erased_bytes(disk))
        self._runs = {}
        self._now_s, self._read_s = 0.0, -1.0
        self._report_interval_s = float(disk.report_interval_s)
        write_rate = disk.write_bandwidth_bytes_per_s
        self._overhead_s = float(overhead_s(disk, False))
        self._write_overhead_s = float(overhead_s(disk, True))
        rewrites = disk.raid_level == "5"
        self._controller = Gaps() if rewrites else None
        self._queue = DeviceQueue(self._slots, rewrites or self._overhead_s != self._write_overhead_s)
        self._rate_bytes_per_s = disk.bandwidth_bytes_per_s
        self._write_rate_bytes_per_s = disk.bandwidth_bytes_per_s if write_rate is None else write_rate
        self._slc_bytes = float(disk.slc_cache_bytes)
        self._cells_bytes_per_s = float(disk.slc_full_bytes_per_s or self._write_rate_bytes_per_s)
        self._controller_free_s = self._in_slc_bytes = self._until_s = self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        latency = self._write_overhead_s if write else self._overhead_s
        if self._queue.positions(start_byte):
            latency = latency + self._average_seek_s
        busy: float = self._write_command_s if write else self._command_s
        if write and self._collects:
            busy = self._collected_s(start_byte, size_bytes)
        if self._controller is None:
            begin_s = max(now_s, self._controller_free_s)
            self._controller_free_s = begin_s + busy
        else:
            if not (write and now_s == self._read_s):
                self._now_s = now_s
            self._queue.since_s = self._now_s
            begin_s = self._controller.end_s(self._now_s, now_s, busy) - busy
        slot = NOBODY
        if self._collide:
            slot = self._queue.first_free() if write else start_byte // size_bytes % self._slots
        moved_s = self._written_s(begin_s, size_bytes) if write else transfer_s(size_bytes, self._rate_bytes_per_s)
        self.free_s = self._queue.submit(begin_s, latency, moved_s, start_byte + size_bytes, size_bytes, slot)
        if not write:
            self._read_s = self.free_s
        if self._report_interval_s and self._until_s > now_s:
            self.free_s = float(reported_s(self.free_s, self._report_interval_s))
        self._until_s = max(self._until_s, self.free_s)
        return self.free_s

    def _collected_s(self, start_byte: int, size_bytes: int) -> float:
        """How long a write keeps the controller, or the cells, where garbage is collected for it."""
        runs = self._runs
        before = next((end for end in reversed(runs) if 0 <= start_byte - end <= HOLE_BYTES), None)
        requests = 1 if before is None else runs.pop(before) + 1
        runs[start_byte + size_bytes] = requests
        if len(runs) > RUNS:
            del runs[next(iter(runs))]
        erased = self._erased_bytes > 0
        self._erased_bytes -= size_bytes
        return float(busy_s(self._disk, size_bytes, True, inf if erased or requests > RUN_REQUESTS else 1))

    def _written_s(self, now_s: float, size_bytes: int) -> float:
        """Transfer of a write: what the SLC cache has room for at the full rate, the rest at that of the cells."""
        rate = self._write_rate_bytes_per_s
        if not self._slc_bytes:
            return size_bytes / rate
        emptied_bytes = self._cells_bytes_per_s * max(0.0, now_s - self._until_s)
        in_slc_bytes = max(0.0, self._in_slc_bytes - emptied_bytes)
        taken_bytes = min(float(size_bytes), self._slc_bytes - in_slc_bytes)
        self._in_slc_bytes = in_slc_bytes + taken_bytes
        return taken_bytes / rate + (size_bytes - taken_bytes) / self._cells_bytes_per_s

    def distance(self, start_byte: int) -> float:
        """Whether a request there would have to position."""
        return float(self._queue.positions(start_byte))
