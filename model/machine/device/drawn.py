"""A device without positions whose service times vary by chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from model.laws.disk_means import overhead_s, rate_bytes_per_s
from model.loops import fastest
from model.machine.device.servers import Servers


class DrawnServers:
    """A device without positions whose service times vary: equal servers, a factor drawn for each request."""

    __slots__ = ("_factors", "_overhead_s", "_rate_bytes_per_s", "_servers", "free_s")

    def __init__(self, disk: Any, factors: Iterator[float]) -> None:
        self._servers = fastest(Servers)(int(disk.parallel_requests))
        self._overhead_s = tuple(float(overhead_s(disk, write)) for write in (False, True))
        self._rate_bytes_per_s = tuple(float(rate_bytes_per_s(disk, write)) for write in (False, True))
        self._factors = factors
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When the request handed over at *now_s* is done; its place does not matter."""
        mean_s = self._overhead_s[write] + size_bytes / self._rate_bytes_per_s[write]
        self.free_s = self._servers.serve(now_s, next(self._factors) * mean_s)[1]
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """Every place is as near as any other."""
        return 0.0
