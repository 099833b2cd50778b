"""Single-block reads that a session issues several at once, with one wait for all: ``db file parallel read``.

Nested loops with prefetching and batched table access use them [oracle-parallel-read].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp, floor, lgamma, log, sqrt
from typing import NamedTuple

LEAST = 1e-12
LIKELY_SD = 6.0
"""Standard deviations from the mean number of reads that contain a transaction."""
LEAST_AT_ONCE = 2
NEVER = 1e-9
MANY = 2_000
"""Mean reads from which on chance changes the number of batches by less than a thousandth."""


class Batches(NamedTuple):
    """How the reads of one transaction are handed over."""

    full: int
    """Batches of the whole size."""
    last: int
    """Reads of one batch more: as many as are left, at most the whole size."""
    chance: float
    """Chance of that one."""


def batches_of(reads: int, fraction: float, at_once: int) -> Batches:
    """Batches of *at_once* for *fraction* of a number of reads: exact in the mean for each number.

    The fraction gives full batches; its remainder r is a further batch of l > 1 reads with probability r/l.
    """
    full = floor(fraction * reads / at_once + LEAST)
    last = min(at_once, reads - full * at_once)
    if last < LEAST_AT_ONCE:
        return Batches(full, 0, 0.0)
    return Batches(full, last, min(1.0, max(0.0, fraction * reads - full * at_once) / last))


def whole_sizes(at_once: float) -> tuple[tuple[int, float], ...]:
    """Whole sizes of the batches, and their shares of the reads, so that the reads per wait are *at_once*."""
    low = floor(at_once)
    if at_once == low:
        return ((low, 1.0),)
    above = (1 / low - 1 / at_once) * low * (low + 1)
    return ((low, 1 - above), (low + 1, above))


@lru_cache(maxsize=64)
def mean_batches(gets: float, absent_fraction: float, fraction: float, at_once: float) -> dict[int, float]:
    """Size -> batches of a mean transaction with a number of gets, each of which reads with a probability."""
    batches: dict[int, float] = {}
    for size, share in whole_sizes(at_once):
        for reads, chance in _numbers(gets, absent_fraction):
            full, last, more = batches_of(reads, fraction, size)
            for each, count in ((size, float(full)), (last, more)):
                if count:
                    batches[each] = batches.get(each, 0.0) + share * chance * count
    return batches


def _numbers(gets: float, absent_fraction: float) -> Iterator[tuple[int, float]]:
    """Reads of a transaction, with their chances: binomial, of a number of gets that is whole and right in the mean."""
    for whole, share in ((floor(gets), 1 - gets % 1), (floor(gets) + 1, gets % 1)):
        if not share:
            continue
        mean = whole * absent_fraction
        if mean > MANY:
            yield round(mean), share
            continue
        if absent_fraction >= 1 or not mean:
            yield round(mean), share
            continue
        spread = LIKELY_SD * sqrt(mean * (1 - absent_fraction)) + LIKELY_SD
        for reads in range(max(0, int(mean - spread)), min(whole, int(mean + spread)) + 1):
            chance = lgamma(whole + 1) - lgamma(reads + 1) - lgamma(whole - reads + 1)
            chance += reads * log(absent_fraction) + (whole - reads) * log(1 - absent_fraction)
            yield reads, share * exp(chance)


@lru_cache(maxsize=256)
def slowest_service(requests: int, variation: float) -> float:
    """Time until the last of n services ends that start together, over the mean service.

    Services are gamma-distributed with the deviation *variation*: ∫ 1 - F(t)^n dt.
    """
    if variation <= 0 or requests <= 1:
        return 1.0
    import numpy as np
    from scipy.special import gammainc

    shape = 1 / variation**2
    times = np.linspace(0.0, 1 + 12 * variation * (1 + log(requests)), 4001)
    return float(np.trapezoid(1 - gammainc(shape, shape * times) ** requests, times))


@lru_cache(maxsize=1024)
def at_one_device(reads: int, share: float) -> dict[int, float]:
    """Number of reads on a device, 1 or more -> probability (binomial)."""
    if share >= 1:
        return {reads: 1.0}
    if share <= 0:
        return {}
    chances = {}
    for there in range(1, reads + 1):
        ways = lgamma(reads + 1) - lgamma(there + 1) - lgamma(reads - there + 1)
        chance = exp(ways + there * log(share) + (reads - there) * log(1 - share))
        if chance > NEVER:
            chances[there] = chance
    return chances
