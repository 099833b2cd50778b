"""What simulated transactions add up to, and how it stood after every batch of them."""

from __future__ import annotations

from array import array
from enum import IntEnum

from blocktime.model.loops.arrays import GivenReals, GivenWholes

READ, SCAN, SYNC, LATCH, BUSY, OTHER, FREE, PARALLEL = 0, 1, 2, 3, 4, 5, 6, 7
SPACE, INCOMPLETE, ARCHIVING = 8, 9, 10
"""What sessions of transactions wait for, by its number in the sums; the last three are for room for redo, by what the
log itself waits for."""
EVENTS = 11


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
    WAITED_S = WAITS + EVENTS


class Tally:
    """Sums over all transactions that have ended."""

    responses_s: array[float]
    kinds: array[int]
    cpu_s: float
    run_queue_s: float
    spin_s: float
    undo: float
    gets: int
    """Gets that were drawn, the hottest blocks left out."""
    misses: int
    """Blocks read."""
    requests: int
    waits: list[float]
    waited_s: list[float]
    longest_s: list[float]

    def __init__(self) -> None:
        self.responses_s, self.kinds = array("d"), array("b")
        self.cpu_s = self.run_queue_s = self.spin_s = self.undo = 0.0
        self.gets = self.misses = self.requests = 0
        self.waits, self.waited_s, self.longest_s = [0.0] * EVENTS, [0.0] * EVENTS, [0.0] * EVENTS

    def wait(self, event: int, seconds: float, times: float = 1.0) -> None:
        """Note *times* waits that took *seconds* together."""
        self.waits[event] += times
        self.waited_s[event] += seconds
        self.longest_s[event] = max(self.longest_s[event], seconds)

    def waited(self, times: GivenWholes, took_s: GivenReals, longest_s: GivenReals) -> None:
        """Note what a transaction waited for, by event."""
        for event in range(EVENTS):
            if times[event]:
                self.waits[event] += times[event]
                self.waited_s[event] += took_s[event]
                self.longest_s[event] = max(float(self.longest_s[event]), longest_s[event])

    def took(self, queue_s: float, cpu_s: float, spin_s: float, undo: float) -> None:
        """Note what a transaction took of processors."""
        self.run_queue_s += queue_s
        self.cpu_s += cpu_s
        self.spin_s += spin_s
        self.undo += undo

    def got(self, gets: int, misses: int, requests: int) -> None:
        """Note what a transaction got of the buffer cache, and read."""
        self.gets += gets
        self.misses += misses
        self.requests += requests

    def ended(self, response_s: float, kind: int) -> None:
        """Note a transaction of a kind that has ended."""
        self.responses_s.append(response_s)
        self.kinds.append(kind)

    def sums(self, now_s: float, written: int, log_writes: int) -> list[float]:
        """All sums as one row, by :class:`Sum`; the difference of two rows is what happened in between."""
        totals = [self.cpu_s, self.run_queue_s, self.spin_s, self.undo, self.gets, self.misses, self.requests]
        return [now_s, written, log_writes, *totals, *self.waits, *self.waited_s]
