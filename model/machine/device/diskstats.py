"""What the kernel counts of a device, as in /proc/diskstats, and iostat's lines of the differences."""

from __future__ import annotations

from math import inf

from blocktime.model.laws.iostat_columns import DeviceSums, quantities
from blocktime.model.loops.arrays import Reals, Wholes, reals, wholes

MOST_LINES = 3600
Interval = tuple[float, tuple[float, ...], tuple[float, ...]]
"""Its begin, and the counts before it and after it."""


class Counters:
    """Counters of one device, closed at the end of each interval; by direction, reads first, where both have one."""

    interval_s: float
    first_s: float
    at_submission: bool
    """Whether bytes are counted as a bio is queued."""
    flushes: int
    flushes_s: float
    busy_s: float
    weighted_s: float
    in_flight: int
    last_s: float
    """When the last request was done."""
    intervals: list[Interval]
    """Those that have ended."""
    _requests: Wholes
    _merges: Wholes
    _bytes: Wholes
    _moved_bytes: Wholes
    _ticks_s: Reals
    _sizes: dict[tuple[bool, int], int]
    _alike_bytes: Wholes
    """Size of the last request."""
    _alike: Wholes
    """Requests of that size in a row, which *_sizes* has not yet."""
    _stamp_s: float
    _ran: DeviceSums | None
    _opened: int
    _next_s: float
    _before: tuple[float, ...]

    def __init__(self, interval_s: float, first_s: float, *, at_submission: bool) -> None:
        self.interval_s = interval_s
        self.first_s = self._next_s = first_s
        self.at_submission = at_submission
        self._requests, self._merges = wholes(2, 0), wholes(2, 0)
        self._bytes, self._moved_bytes = wholes(2, 0), wholes(2, 0)
        self._alike_bytes, self._alike = wholes(2, 0), wholes(2, 0)
        self._ticks_s = reals(2, 0.0)
        self.flushes = self.in_flight = self._opened = 0
        self.flushes_s = self.busy_s = self.weighted_s = self.last_s = self._stamp_s = 0.0
        self._sizes, self.intervals = {}, []
        self._ran = None
        self._before = self._now()

    @property
    def requests(self) -> list[int]:
        """Requests that are done."""
        return [self._requests[0], self._requests[1]]

    @property
    def merges(self) -> list[int]:
        """Bios that joined a waiting request."""
        return [self._merges[0], self._merges[1]]

    @property
    def moved_bytes(self) -> list[int]:
        """Bytes of the requests that are done, whatever iostat counts them by."""
        return [self._moved_bytes[0], self._moved_bytes[1]]

    @property
    def sizes(self) -> dict[tuple[bool, int], int]:
        """Direction and size of the requests that are done -> how many."""
        self._count_alike(False)
        self._count_alike(True)
        return self._sizes

    def _count_alike(self, write: bool) -> None:
        if self._alike[write]:
            kind = (write, int(self._alike_bytes[write]))
            self._sizes[kind] = self._sizes.get(kind, 0) + self._alike[write]
            self._alike[write] = 0

    def _now(self) -> tuple[float, ...]:
        times_s = [self._ticks_s[0], self._ticks_s[1], self.busy_s, self.weighted_s]
        counts = [*self.merges, *self.requests, self._bytes[0], self._bytes[1]]
        return (*counts, *times_s, self.flushes, self.flushes_s)

    def counted(self) -> DeviceSums:
        """The sums while programs ran; until the last request where nobody said that they ended."""
        if self._ran is not None:
            return self._ran
        (r, w), (rrqm, wrqm), (rbytes, wbytes) = self.requests, self.merges, self.moved_bytes
        ticks_s, flushed = (self._ticks_s[0], self._ticks_s[1]), (self.flushes, self.flushes_s)
        return DeviceSums((r, w), (rrqm, wrqm), (rbytes, wbytes), ticks_s, self.busy_s, flushed)

    def programs_ended(self, now_s: float) -> None:
        """What comes later is for no program: it is in the lines that it fills, and in no average."""
        self.round(now_s)
        self._ran = self.counted()

    def round(self, now_s: float) -> None:
        """Bring the times up to *now_s*, closing intervals on the way."""
        while now_s >= self._next_s:
            self._advance(self._next_s)
            self._close()
        self._advance(now_s)

    def finish(self, end_s: float) -> None:
        """The last interval ends too, after all is done at *end_s*."""
        self.round(end_s)
        if self._stamp_s > self._next_s - self.interval_s:
            self.round(self._next_s)

    def _advance(self, now_s: float) -> None:
        passed = now_s - self._stamp_s
        if passed > 0:
            if self.in_flight:
                self.busy_s += passed
                self.weighted_s += passed * self.in_flight
            self._stamp_s = now_s

    def _close(self) -> None:
        """An interval ends and the next begins; what was before the first one is not shown."""
        now = self._now()
        late_and_idle = self._ran is not None and now == self._before
        if self._opened and not late_and_idle:
            begin_s = self.first_s + (self._opened - 1) * self.interval_s
            self.intervals.append((begin_s, self._before, now))
        self._before = now
        self._opened += 1
        full = self._opened > MOST_LINES
        self._next_s = inf if full else self.first_s + self._opened * self.interval_s

    def submitted(self, now_s: float, write: bool, size_bytes: int, merged: bool) -> None:
        """A bio was queued: as a request of its own, or merged into one."""
        if now_s >= self._next_s:
            self.round(now_s)
        if merged:
            self._merges[write] += 1
        else:
            self._advance(now_s)
            self.in_flight += 1
        if self.at_submission:
            self._bytes[write] += size_bytes

    def completed(self, now_s: float, write: bool, size_bytes: int, queued_s: float) -> None:
        """A request has left the device."""
        if now_s >= self._next_s:
            self.round(now_s)
        self._advance(now_s)
        self.in_flight -= 1
        self._requests[write] += 1
        self._ticks_s[write] += now_s - queued_s
        if not size_bytes:
            self.flushes += 1
            self.flushes_s += now_s - queued_s
        self._moved_bytes[write] += size_bytes
        if size_bytes != self._alike_bytes[write]:
            self._count_alike(write)
            self._alike_bytes[write] = size_bytes
        self._alike[write] += 1
        self.last_s = now_s
        if not self.at_submission:
            self._bytes[write] += size_bytes


def lines_of(intervals: list[Interval], interval_s: float) -> list[dict[str, float]]:
    """The lines of intervals, each from its merges, requests, bytes, ticks, busy and weighted time, and flushes.

    Their ``aqu-sz`` is of all that were under way, whether or not they ended in it.
    """
    if not intervals:
        return []
    import numpy as np

    begins_s, before, after = zip(*intervals, strict=True)
    rrqm, wrqm, r, w, rbytes, wbytes, reads_s, writes_s, busy_s, weighted_s, flushes, flushes_s = (
        np.array(after, dtype=float) - np.array(before, dtype=float)
    ).T
    ticks_s, flushed = (reads_s, writes_s), (flushes, flushes_s)
    sums = DeviceSums((r, w), (rrqm, wrqm), (rbytes, wbytes), ticks_s, busy_s, flushed)
    columns = quantities(sums, interval_s) | {"average_queue": weighted_s / interval_s}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [
        dict(zip(columns, row, strict=True), begin_s=begin_s, interval_s=interval_s)
        for begin_s, row in zip(begins_s, rows, strict=True)
    ]
