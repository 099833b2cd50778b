"""A volume that is allowed so many requests and bytes a second: paced, in slices, or more while credits last."""

from __future__ import annotations

from typing import Any

from model.laws.limits import counted_requests, slice_begin_s
from model.machine.device.array_cache import Drive


class Volume:
    """Token buckets before a device; an idle volume serves at once, a busy one at its limits [aws-ebs].

    A throttle in slices gives out a slice's allowance as the slice begins; slices follow each other from the first
    request after an idle one, and what one leaves over is lost [linux-blk-throttle].
    """

    __slots__ = (
        "_begun_s", "_bytes_per_s", "_credits", "_device", "_disk", "_most_credits", "_next_s", "_origin_s",
        "_pace_per_s", "_refill_per_s", "_since_s", "_slice_s", "free_s",
    )  # fmt: skip

    def __init__(self, device: Drive, disk: Any) -> None:
        self._device = device
        self._disk = disk
        self._refill_per_s = disk.iops_limit
        self._pace_per_s = disk.iops_limit if disk.burst_iops is None else disk.burst_iops
        self._bytes_per_s = disk.throughput_limit_bytes_per_s
        self._credits = self._most_credits = disk.burst_credits
        self._since_s = 0.0
        self._next_s = 0.0
        self._slice_s: float = disk.limit_slice_s
        self._origin_s = 0.0
        self._begun_s: float = -self._slice_s
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        requests = counted_requests(self._disk, size_bytes)
        requests_s = requests / self._pace_per_s if self._refill_per_s is not None else 0.0
        bytes_s = size_bytes / self._bytes_per_s if self._bytes_per_s is not None else 0.0
        if self._slice_s:
            begin = self._in_slices(now_s, requests_s, bytes_s)
        else:
            begin = max(now_s, self._next_s)
            if self._refill_per_s is not None and self._pace_per_s > self._refill_per_s:
                begin = self._spend(begin, requests)
            self._next_s = begin + max(requests_s, bytes_s)
        self.free_s = self._device.submit(begin, write, start_byte, size_bytes)
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """How far the device behind is from a byte."""
        return self._device.distance(start_byte)

    def _in_slices(self, now_s: float, requests_s: float, bytes_s: float) -> float:
        """When a request goes whose limits give it out in so many seconds; those before it have gone."""
        now_s = max(now_s, self._begun_s)
        if now_s > self._begun_s + self._slice_s:
            self._origin_s = self._next_s = now_s
        here_s = slice_begin_s(now_s, self._origin_s, self._slice_s)
        if now_s >= here_s + self._slice_s:
            here_s += self._slice_s
        due_s = max(self._next_s, here_s) + max(requests_s, bytes_s)
        begin_s = slice_begin_s(due_s, self._origin_s, self._slice_s)
        if begin_s <= here_s:
            begin_s = now_s
        elif bytes_s > requests_s:  # the kernel waits for the bytes themselves, not for the next slice
            begin_s = due_s
        self._next_s, self._begun_s = due_s, max(now_s, begin_s)
        return self._begun_s

    def _spend(self, begin_s: float, requests: float) -> float:
        """When the credits for so many requests are there, which are then spent."""
        saved = self._credits + (begin_s - self._since_s) * self._refill_per_s
        held = min(max(self._most_credits, requests), saved)
        if held < requests:
            begin_s += (requests - held) / self._refill_per_s
            held = requests
        self._credits, self._since_s = held - requests, begin_s
        return begin_s
