"""A device without positions whose service times vary by chance."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.laws.disk_means import overhead_s, rate_bytes_per_s
from blocktime.model.machine.device.servers import Servers
from blocktime.model.spec import Disk


class DrawnServers:
    """A device without positions whose service times vary: equal servers, a factor drawn for each request."""

    free_s: float
    """When the last command handed in is done."""
    _servers: Servers
    _factors: Iterator[float]
    _overhead_s: float
    _write_overhead_s: float
    _rate_bytes_per_s: float
    _write_rate_bytes_per_s: float

    def __init__(self, disk: Disk, factors: Iterator[float]) -> None:
        self._servers = Servers(int(disk.parallel_requests))
        self._overhead_s, self._write_overhead_s = (
            float(overhead_s(disk, False)),
            float(overhead_s(disk, True)),
        )
        self._rate_bytes_per_s = float(rate_bytes_per_s(disk, False))
        self._write_rate_bytes_per_s = float(rate_bytes_per_s(disk, True))
        self._factors = factors
        self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When the request handed over at *now_s* is done; its place does not matter."""
        moved_s = size_bytes / (self._write_rate_bytes_per_s if write else self._rate_bytes_per_s)
        mean_s = (self._write_overhead_s if write else self._overhead_s) + moved_s
        factor: float = next(self._factors)
        self._servers.begins_s(now_s, factor * mean_s)
        self.free_s = self._servers.end_s
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """Every place is as near as any other."""
        return 0.0
