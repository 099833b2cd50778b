"""A device without positions whose service times vary by chance, behind its controller."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.laws.disk_means import overhead_s, rate_bytes_per_s
from blocktime.model.loops.arrays import Reals, reals
from blocktime.model.machine.device.servers import Servers
from blocktime.model.spec import Disk


class DrawnServers:
    """A device without positions whose service times vary: equal servers, a factor drawn for each request.

    Requests that collide wait for the one server that holds their place: of D servers N requests keep N·D/(N + D - 1)
    busy, where service times are exponential [lazowska-1984].
    """

    free_s: float
    """When the last command handed in is done."""
    _servers: Servers
    _factors: Iterator[float]
    _overhead_s: float
    _write_overhead_s: float
    _rate_bytes_per_s: float
    _write_rate_bytes_per_s: float
    _collide: bool
    _free_at: Reals
    _slots: int
    _command_s: float
    """That a read keeps the controller."""
    _write_command_s: float
    _controller_free_s: float

    def __init__(self, disk: Disk, factors: Iterator[float]) -> None:
        self._servers = Servers(int(disk.parallel_requests))
        self._overhead_s, self._write_overhead_s = (float(overhead_s(disk, False)), float(overhead_s(disk, True)))
        self._rate_bytes_per_s = float(rate_bytes_per_s(disk, False))
        self._write_rate_bytes_per_s = float(rate_bytes_per_s(disk, True))
        self._factors = factors
        self._collide, self._slots = bool(disk.reads_collide), int(disk.parallel_requests)
        self._free_at = reals(self._slots, 0.0)
        self._command_s = 1 / disk.controller_reads_per_s if disk.controller_reads_per_s else 0.0
        self._write_command_s = 1 / disk.controller_writes_per_s if disk.controller_writes_per_s else 0.0
        self._controller_free_s = self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When the request handed over at *now_s* is done; its place matters only where requests collide."""
        moved_s = size_bytes / (self._write_rate_bytes_per_s if write else self._rate_bytes_per_s)
        mean_s = (self._write_overhead_s if write else self._overhead_s) + moved_s
        factor: float = next(self._factors)
        begin_s: float = max(now_s, self._controller_free_s)
        self._controller_free_s = begin_s + (self._write_command_s if write else self._command_s)
        if not self._collide:
            self._servers.begins_s(begin_s, factor * mean_s)
            self.free_s = self._servers.end_s
            return self.free_s
        slot = start_byte // size_bytes % self._slots
        self.free_s = max(begin_s, float(self._free_at[slot])) + factor * mean_s
        self._free_at[slot] = self.free_s
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """Every place is as near as any other."""
        return 0.0
