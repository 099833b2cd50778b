"""A device without positions of its own: flash, or one that is told as latency and rate."""

from __future__ import annotations

from typing import Any

from model.laws.device import reported_s, transfer_s
from model.laws.disk_means import command_s
from model.machine.device.servers import DeviceQueue


class Flash:
    """Latency in one of the parallel slots, transfer over the shared channel: a scan's device, request by request.

    A command holds the controller before it goes to a slot. Reads that collide wait for the slot of their place, which
    is dealt out in requests of their size; the drive puts writes where a slot is free. What is handed in while
    others are under way is reported at the next end of an interval, where the drive gathers completions. Writes fill
    an SLC cache, which a drive without commands empties again; what it has no room for goes to the cells at their own
    rate.
    """

    __slots__ = (
        "_cells_bytes_per_s", "_collide", "_command_s", "_controller_free_s", "_disk", "_in_slc_bytes",
        "_overhead_s", "_queue", "_rate_bytes_per_s", "_report_interval_s", "_slc_bytes", "_slots", "_until_s",
        "free_s",
    )  # fmt: skip

    def __init__(self, disk: Any) -> None:
        self._disk = disk
        self._slots = int(disk.parallel_requests)
        self._collide = bool(disk.reads_collide)
        self._command_s = (float(command_s(disk, False)), float(command_s(disk, True)))
        self._controller_free_s = 0.0
        self._report_interval_s = float(disk.report_interval_s)
        read, write = disk.overhead_s, disk.write_overhead_s
        self._overhead_s = (read, read if write is None else write)
        self._queue = DeviceQueue(self._slots, uneven=len(set(self._overhead_s)) > 1)
        rate, write_rate = disk.bandwidth_bytes_per_s, disk.write_bandwidth_bytes_per_s
        self._rate_bytes_per_s = (rate, rate if write_rate is None else write_rate)
        self._slc_bytes = float(disk.slc_cache_bytes)
        self._cells_bytes_per_s = float(disk.slc_full_bytes_per_s or self._rate_bytes_per_s[1])
        self._in_slc_bytes = self._until_s = 0.0
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        latency = self._overhead_s[write]
        if self._queue.positions(start_byte):
            latency = latency + self._disk.average_seek_s
        begin_s = max(now_s, self._controller_free_s)
        self._controller_free_s = begin_s + self._command_s[write]
        slot = None
        if self._collide:
            slot = self._queue.first_free() if write else start_byte // size_bytes % self._slots
        self.free_s = self._queue.submit(
            begin_s,
            latency,
            self._written_s(begin_s, size_bytes)
            if write
            else transfer_s(size_bytes, self._rate_bytes_per_s[0]),
            end_byte=start_byte + size_bytes,
            size_bytes=size_bytes,
            slot=slot,
        )
        if self._report_interval_s and self._until_s > now_s:
            self.free_s = float(reported_s(self.free_s, self._report_interval_s))
        self._until_s = max(self._until_s, self.free_s)
        return self.free_s

    def _written_s(self, now_s: float, size_bytes: int) -> float:
        """Transfer of a write: what the SLC cache has room for at the full rate, the rest at that of the cells."""
        rate: float = self._rate_bytes_per_s[1]
        if not self._slc_bytes:
            return size_bytes / rate
        emptied_bytes = self._cells_bytes_per_s * max(0.0, now_s - self._until_s)
        held_bytes = max(0.0, self._in_slc_bytes - emptied_bytes)
        taken_bytes = min(float(size_bytes), self._slc_bytes - held_bytes)
        self._in_slc_bytes = held_bytes + taken_bytes
        return taken_bytes / rate + (size_bytes - taken_bytes) / self._cells_bytes_per_s

    def distance(self, start_byte: int) -> float:
        """Whether a request there would have to position."""
        return float(self._queue.positions(start_byte))
