"""The buffer pool advisory of a report as a miss curve: what a cache of each size misses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import ceil, log
from typing import Final

from blocktime.model.units import show_share
from blocktime.validation.identify.report import Report

MOST_POINTS: Final = 64
LEAST_POINTS: Final = 2
WHOLE_PERCENT: Final = 100.0


@dataclass(frozen=True, slots=True)
class Curve:
    """Misses by size of the default pool."""

    cache_bytes: int
    """The pool as it was, at size factor 1.00."""
    points: tuple[tuple[int, float], ...]
    """Sizes, and the share of the gets that would read, in per cent."""
    source: str

    @property
    def largest_bytes(self) -> int:
        """The largest size that the report tells of."""
        return self.points[-1][0]

    def as_fields(self) -> list[dict[str, float]]:
        """The points as ``workload.miss_curve`` has them."""
        return [{"cache_bytes": size, "miss_percent": missed} for size, missed in self.points]


def curve_of(report: Report, missed: float, cache_bytes: float | None) -> Curve | None:
    """The advisory of *report*, whose interval *missed* this share of its gets; None without one.

    The advisory counts since the startup: it is scaled so that the pool as it was misses what the interval did. That is
    the size with factor 1.00, of several that which is nearest to the *cache_bytes* that the report prints.
    """
    rows = [row for row in report.advised() if row.reads.value > 0]
    now = [row for row in rows if row.factor.low <= 1 <= row.factor.high]
    if not now:
        return None
    used = min(now, key=lambda row: abs(log(row.size_bytes / (cache_bytes or rows[-1].size_bytes))))
    least = list(accumulate((row.reads.value for row in rows), min))
    scale = WHOLE_PERCENT * missed / least[rows.index(used)]
    points = [(row.size_bytes, reads * scale) for row, reads in zip(rows, least, strict=True)]
    there = [point for point in points if point[1] < WHOLE_PERCENT]
    if len(there) < LEAST_POINTS:
        return None
    lines = [row.reads.line for row in rows]
    says = [
        f"buffer pool advisory, lines {min(lines):,} to {max(lines):,}: {used.reads.name}, scaled so that size factor "
        f"1.00 misses what the interval did, {show_share(missed, 3)}"
    ]
    if any(row.reads.value > reads for row, reads in zip(rows, least, strict=True)):
        says.append("where they rise with the size, the least so far")
    if len(there) < len(points):
        says.append(f"without the smallest {len(points) - len(there)}, which would miss more than all gets")
    return Curve(used.size_bytes, tuple(there[:: ceil(len(there) / MOST_POINTS)]), "; ".join(says))
