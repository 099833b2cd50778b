"""What simulated transactions add up to, and how it stood after every batch of them."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from model.kernels.shop import EVENTS


class Tally:
    """Sums over all transactions that have ended; waits by number of the event."""

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
        self.waits = [0.0] * EVENTS
        self.waited_s = [0.0] * EVENTS
        self.longest_s = [0.0] * EVENTS

    def wait(self, event: int, seconds: float, times: float = 1.0) -> None:
        """Note *times* waits that took *seconds* together."""
        self.waits[event] += times
        self.waited_s[event] += seconds
        self.longest_s[event] = max(self.longest_s[event], seconds)

    def waited(self, event: int, seconds: list[float]) -> None:
        """Note waits one by one."""
        if seconds:
            self.waits[event] += len(seconds)
            self.waited_s[event] += sum(seconds)
            self.longest_s[event] = max(self.longest_s[event], *seconds)

    def sums(self, *more: float) -> NDArray[np.float64]:
        """All sums, and *more*, as one row, whose differences are what happened in between."""
        own = (self.cpu_s, self.run_queue_s, self.spin_s, self.undo, self.gets, self.misses, self.requests)
        return np.array([*more, *own, *self.waits, *self.waited_s], dtype=float)
