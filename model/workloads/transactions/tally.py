"""What simulated transactions add up to, and how it stood after every batch of them."""

from __future__ import annotations

from array import array
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Wait(IntEnum):
    """What sessions of transactions wait for, by its number in the sums."""

    READ = 0
    SCAN = 1
    SYNC = 2
    LATCH = 3
    BUSY = 4
    OTHER = 5
    FREE = 6
    PARALLEL = 7


class Sum(IntEnum):
    """Columns of :meth:`Tally.sums`; behind ``WAITS`` the waits by event, and behind those their seconds."""

    NOW = 0
    WRITTEN = 1
    LOG_WRITES = 2
    CPU = 3
    QUEUE = 4
    SPIN = 5
    UNDO = 6
    GETS = 7
    MISSES = 8
    REQUESTS = 9
    WAITS = 10
    WAITED_S = WAITS + len(Wait)


class Tally:
    """Sums over all transactions that have ended."""

    __slots__ = (
        "cpu_s",
        "gets",
        "inspected",
        "kinds",
        "longest_s",
        "misses",
        "requests",
        "responses_s",
        "run_queue_s",
        "scan_reads",
        "spin_s",
        "undo",
        "waited_s",
        "waits",
    )

    def __init__(self) -> None:
        self.responses_s = array("d")
        self.kinds = array("b")
        self.cpu_s = 0.0
        self.run_queue_s = 0.0
        self.spin_s = 0.0
        self.undo = 0.0
        self.gets = 0
        """Gets that were drawn, the hottest blocks left out."""
        self.misses = 0
        """Blocks read."""
        self.requests = 0
        self.scan_reads: dict[int, int] = {}
        """Blocks of a multiblock read -> how many."""
        self.inspected = 0
        self.waits = [0.0] * len(Wait)
        self.waited_s = [0.0] * len(Wait)
        self.longest_s = [0.0] * len(Wait)

    def wait(self, event: Wait, seconds: float, times: float = 1.0) -> None:
        """Note *times* waits that took *seconds* together."""
        self.waits[event] += times
        self.waited_s[event] += seconds
        self.longest_s[event] = max(self.longest_s[event], seconds)

    def waited(self, event: Wait, seconds: list[float]) -> None:
        """Note waits one by one."""
        if seconds:
            self.waits[event] += len(seconds)
            self.waited_s[event] += sum(seconds)
            self.longest_s[event] = max(self.longest_s[event], *seconds)

    def sums(self, now_s: float, written: int, log_writes: int) -> NDArray[np.float64]:
        """All sums as one row, by :class:`Sum`; the difference of two rows is what happened in between."""
        own = (self.cpu_s, self.run_queue_s, self.spin_s, self.undo, self.gets, self.misses, self.requests)
        return np.array([now_s, written, log_writes, *own, *self.waits, *self.waited_s], dtype=float)
