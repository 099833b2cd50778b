"""A volume that is allowed so many requests and bytes a second, and more of them while saved credits last."""

from __future__ import annotations

from typing import Any

from model.laws.disk_means import counted_requests
from model.machine.device.array_cache import Drive


class Volume:
    """Token buckets before a device; an idle volume serves at once, a busy one at its limits [aws-ebs]."""

    __slots__ = (
        "_bytes_per_s", "_credits", "_device", "_most_credits", "_next_s", "_pace_per_s", "_refill_per_s", "_since_s",
        "free_s",
    )  # fmt: skip

    def __init__(self, device: Drive, disk: Any) -> None:
        self._device = device
        self._refill_per_s = disk.iops_limit
        self._pace_per_s = disk.iops_limit if disk.burst_iops is None else disk.burst_iops
        self._bytes_per_s = disk.throughput_limit_bytes_per_s
        self._credits = self._most_credits = disk.burst_credits
        self._since_s = 0.0
        self._next_s = 0.0
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        begin = max(now_s, self._next_s)
        spacing = 0.0
        if self._refill_per_s is not None:
            requests = counted_requests(size_bytes)
            if self._pace_per_s > self._refill_per_s:
                begin = self._spend(begin, requests)
            spacing = requests / self._pace_per_s
        if self._bytes_per_s is not None:
            spacing = max(spacing, size_bytes / self._bytes_per_s)
        self._next_s = begin + spacing
        self.free_s = self._device.submit(begin, write, start_byte, size_bytes)
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """How far the device behind is from a byte."""
        return self._device.distance(start_byte)

    def _spend(self, begin_s: float, requests: float) -> float:
        """When the credits for so many requests are there, which are then spent."""
        saved = self._credits + (begin_s - self._since_s) * self._refill_per_s
        held = min(max(self._most_credits, requests), saved)
        if held < requests:
            begin_s += (requests - held) / self._refill_per_s
            held = requests
        self._credits, self._since_s = held - requests, begin_s
        return begin_s
