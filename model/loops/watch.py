"""The watch over an answer: it counts the work and the bytes that a simulation takes, the same on every machine."""

from __future__ import annotations

from typing import Any

NEVER = 1 << 62


class Watch:
    """Counts work and bytes, and asks *looks* whether the answer may go on, each time a share of the work is done."""

    work: int
    """Work so far, in nanoseconds of a processor of the 2020s."""
    looks_at: int
    """The work at which it looks next."""
    allocated_bytes: int
    """Bytes that the answer holds now."""
    peak: int
    """The most that it has held."""
    bytes_limit: int
    """Bytes beyond which it looks."""
    now_s: float
    """How far simulated time has come."""
    _looks: Any

    def __init__(self, looks: Any = None, looks_at: int = NEVER, bytes_limit: int = NEVER) -> None:
        self.work = self.allocated_bytes = self.peak = 0
        self.looks_at, self.bytes_limit = looks_at, bytes_limit
        self.now_s = 0.0
        self._looks = looks

    def spend(self, work: int) -> None:
        """Count work. Raises what *looks* raises where it is too much."""
        self.work += work
        if self.work >= self.looks_at:
            self._looks(self)

    def at(self, now_s: float, work: int) -> None:
        """Count work at a moment of simulated time."""
        self.work += work
        if self.work >= self.looks_at:
            self.now_s = now_s
            self._looks(self)

    def hold(self, size_bytes: int) -> None:
        """Count bytes that are held from now on; below 0 those that are given back."""
        self.allocated_bytes += size_bytes
        self.peak = max(self.peak, self.allocated_bytes)
        if self.allocated_bytes > self.bytes_limit:
            self._looks(self)
