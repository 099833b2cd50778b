"""Single-block reads that a session issues several at once, with one wait for all: ``db file parallel read``.

Nested loops with prefetching and batched table access use them [oracle-parallel-read].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp, floor, inf, lgamma, log, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 1e-12
LIKELY_SD = 6.0
"""Standard deviations from the mean number of reads that contain a transaction."""
LEAST_AT_ONCE = 2
NEVER = 1e-9
LEAST_TERM: Final = 1e-15
"""Of a sum, below which a further term changes nothing."""
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

    shape = 1 / variation**2
    times = np.linspace(0.0, 1 + 12 * variation * (1 + log(requests)), 4001)
    return float(np.trapezoid(1 - gamma_below(shape, shape * times) ** requests, times))


def gamma_below(shape: float, values: NDArray[Any]) -> NDArray[Any]:
    """Share of a gamma distribution of scale 1 below each of *values*, which rise from 0 or more.

    A power series up to the mean, the continued fraction of the rest beyond it [abramowitz-1964, 6.5.29 and 6.5.31].
    """
    import numpy as np

    low, high = values[values <= shape + 1], values[values > shape + 1]
    term = below = np.full(len(low), 1 / shape)
    place = shape
    while (term > LEAST_TERM * below).any():
        place += 1
        term = term * low / place
        below = below + term
    divisor = high + 1 - shape
    ratio = above = 1 / divisor
    before, step, last = np.full(len(high), inf), 0, False
    while not last:
        step += 1
        share, divisor = step * (shape - step), divisor + 2
        ratio = 1 / (divisor + share * ratio)
        before = divisor + share / before
        above = above * before * ratio
        last = bool((np.abs(before * ratio - 1) <= LEAST_TERM).all())
    with np.errstate(divide="ignore"):
        density = np.exp(shape * np.log(values) - values - lgamma(shape))
    shares: NDArray[Any] = density * np.append(below, -above) + (values > shape + 1)
    return shares


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
