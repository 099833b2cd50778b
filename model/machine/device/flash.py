"""A device without positions of its own: flash, or one that is told as latency and rate."""

from __future__ import annotations

from typing import Any

from model.laws.device import transfer_s
from model.machine.device.servers import DeviceQueue


class Flash:
    """Latency in one of the parallel slots, transfer over the shared channel: a scan's device, request by request."""

    __slots__ = ("_disk", "_overhead_s", "_queue", "_rate_bytes_per_s", "free_s")

    def __init__(self, disk: Any) -> None:
        self._disk = disk
        self._queue = DeviceQueue(int(disk.parallel_requests))
        read, write = disk.overhead_s, disk.write_overhead_s
        self._overhead_s = (read, read if write is None else write)
        rate, write_rate = disk.bandwidth_bytes_per_s, disk.write_bandwidth_bytes_per_s
        self._rate_bytes_per_s = (rate, rate if write_rate is None else write_rate)
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        latency = self._overhead_s[write]
        if self._queue.positions(start_byte):
            latency = latency + self._disk.average_seek_s
        self.free_s = self._queue.submit(
            now_s,
            latency,
            transfer_s(size_bytes, self._rate_bytes_per_s[write]),
            end_byte=start_byte + size_bytes,
            size_bytes=size_bytes,
            requests=1,
        )
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """Whether a request there would have to position."""
        return float(self._queue.positions(start_byte))
