"""Work of many alike pieces, played in part: its begin, a steady stretch, its end; the rest goes on at that rate.

Between two moments of the steady stretch all that is counted grows with the work done. What is left out grows at the
same rate, so sums that hold in the part hold in the whole. The interval is that of the mean rate over batches of the
stretch, and of the chance that is left in what is not played.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from blocktime.model.laws.iostat_columns import DeviceSums
from blocktime.model.machine.device.diskstats import Counters, Interval
from blocktime.model.workloads.steady import CONFIDENCE, LEAST_BATCHES, estimate, warm_up_batches

__all__ = ["CONFIDENCE", "DeviceMoment", "ExtendedCounters", "Stretch", "stretch_of"]

MOST_DRIFT: Final = 0.02
"""Drift from which on nothing is said of what is not played."""
MARKS: Final = 120
"""Moments of a part at which its progress is noted."""
DRIFT: Final = 3.0
"""Standard errors between the rates of both halves of a stretch, from which on its rate is not steady."""
LEAST_DRIFT: Final = 1e-3
"""Share of the rate below which no difference counts as drift."""


NO_WINDOW: Final = -1


class Progress(NamedTuple):
    """How far a part has come at a moment."""

    now_s: float
    work: float
    window: int = 0
    """Which of several windows of the work all are in; NO_WINDOW between two of them."""


class Stretch(NamedTuple):
    """The steady stretch of a part, and the seconds that a unit of its work takes."""

    spans: list[tuple[int, int]]
    """Ranks of the moments from which on, and until which, the rate is steady: one span for each window."""
    work: float
    """Done in the spans."""
    rate_s: float
    half_s: float
    """How far the 95 % interval of the mean rate reaches on its longer side."""
    drift: float
    """By how much the second half is slower than the first, as a share of the rate; 0 where chance explains it."""

    def reach_s(self, left_out: float, pieces: float = inf) -> float:
        """How far the interval of the time of work that is *left_out* reaches, by a stretch of so many *pieces*.

        The mean of the stretch is off by its own chance, and so is what is left out: t·s·√(K²/n + K) of K batches by n.
        A rate that drifts may be off by as much again, and where the stretch begins and ends lies within one piece.
        """
        chance_s = self.half_s * left_out * sqrt(1 + self.work / left_out)
        return chance_s + (abs(self.drift) + 1 / pieces) * self.rate_s * left_out


def stretch_of(progress: Sequence[Progress]) -> Stretch | None:
    """The steady stretch of a part by its *progress*; None where too few moments follow each other.

    The warm-up is left out by MSER [white-1997]. Windows lie at different places of the work, so each has its own mean.
    """
    moments = [rank for rank, each in enumerate(progress) if rank + 1 == len(progress) or _goes_on(progress, rank)]
    pairs = [
        (first, last)
        for first, last in pairwise(moments)
        if progress[first].window == progress[last].window != NO_WINDOW and progress[last].work > progress[first].work
    ]
    if len(pairs) < 2 * LEAST_BATCHES:
        return None
    took_s = np.array([progress[last].now_s - progress[first].now_s for first, last in pairs])
    done = np.array([progress[last].work - progress[first].work for first, last in pairs])
    windows = np.array([progress[first].window for first, _ in pairs])
    rates, kinds = took_s / done, np.unique(windows)
    first = warm_up_batches(rates) if len(kinds) == 1 else 0
    pairs, rates, took_s, done, windows = (pairs[first:], rates[first:], took_s[first:], done[first:], windows[first:])
    mean_s = float(np.sum(took_s) / np.sum(done))
    for window in kinds:
        rates[windows == window] += mean_s - np.mean(rates[windows == window])
    middle = len(rates) // 2
    before, after = estimate(rates[:middle]), estimate(rates[middle:])
    chance_s = DRIFT / 2 * sqrt(before.half**2 + after.half**2)
    difference_s = after.mean - before.mean
    is_drift = len(kinds) == 1 and abs(difference_s) > max(chance_s, LEAST_DRIFT * mean_s)
    spans = [[pair for pair, of in zip(pairs, windows, strict=True) if of == window] for window in kinds]
    return Stretch(
        [(each[0][0], each[-1][1]) for each in spans if each],
        float(np.sum(done)),
        mean_s,
        estimate(rates).half,
        difference_s / mean_s if is_drift else 0.0,
    )


def _goes_on(progress: Sequence[Progress], rank: int) -> bool:
    """Whether work is done between a moment and the next one: reads that are handed over together begin at once."""
    return progress[rank + 1].work > progress[rank].work


class DeviceMoment(NamedTuple):
    """What a device has counted until a moment."""

    now_s: float
    sums: DeviceSums
    sizes: dict[tuple[bool, int], int]
    """Direction and size of its requests -> how many."""


class ExtendedCounters:
    """Counters of a device that went on as between pairs of moments, so many times as long; its lines end there."""

    def __init__(
        self,
        counters: Counters,
        ends: Sequence[tuple[DeviceMoment, DeviceMoment]],
        times: float,
        calls: tuple[int, int] = (1, 1),
    ) -> None:
        """Where all of the played *calls* make the same requests, so do those of the whole."""
        until_s = ends[-1][1].now_s
        self.intervals: list[Interval] = [
            each for each in counters.intervals if each[0] + counters.interval_s <= until_s
        ]
        self.interval_s = counters.interval_s
        self.sizes = {
            kind: count + round(times * sum(end.sizes.get(kind, 0) - begin.sizes.get(kind, 0) for begin, end in ends))
            for kind, count in counters.sizes.items()
        }
        played, every = calls
        if played > 1 and not sum(counters.merges) and all(count % played == 0 for count in counters.sizes.values()):
            self.sizes = {kind: count // played * every for kind, count in counters.sizes.items()}
        self._moved_bytes = [moved // played * every for moved in counters.moved_bytes]
        """Bytes of the requests, where each call moves as many."""
        self._is_alike = played > 1 and all(moved % played == 0 for moved in counters.moved_bytes)
        self._sums: DeviceSums = counters.counted()
        for begin, end in ends:
            self._sums = _later(self._sums, begin.sums, end.sums, times)

    @property
    def requests(self) -> list[int]:
        """Requests that are done, reads first."""
        return [sum(count for (write, _), count in self.sizes.items() if write is side) for side in (False, True)]

    @property
    def merges(self) -> list[int]:
        """Bios that joined a waiting request."""
        return [round(merged) for merged in self._sums.merges]

    @property
    def moved_bytes(self) -> list[int]:
        """Bytes of the requests."""
        if self._is_alike:
            return self._moved_bytes
        return [
            sum(size * count for (write, size), count in self.sizes.items() if write is side) for side in (False, True)
        ]

    def counted(self) -> DeviceSums:
        """The sums over the whole run."""
        reads, writes = self.requests
        read_bytes, written_bytes = self.moved_bytes
        return self._sums._replace(requests=(reads, writes), moved_bytes=(read_bytes, written_bytes))


def _later(played: Any, begin: Any, end: Any, times: float) -> Any:
    """Sums, or pairs of them, that went on as from *begin* to *end*, so many *times* as long."""
    if not isinstance(played, tuple):
        return played + times * (end - begin)
    grown = [_later(*each, times) for each in zip(played, begin, end, strict=True)]
    return DeviceSums(*grown) if isinstance(played, DeviceSums) else tuple(grown)
