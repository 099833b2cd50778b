"""Single-block reads that a session issues several at once, with one wait for all: ``db file parallel read``.

Nested loops with prefetching and batched table access use them [oracle-parallel-read].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil, exp, floor, lgamma, log, sqrt
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


def slowest_wait(queues: float, busy: float) -> float:
    """Mean of the longest of several waits at separate queues, over the mean wait of one.

    A request waits with probability *busy* = ρ, for an exponential time: Σ (1 - (1 - ρ)^k)/(kρ), k = 1 to n; 1 for one
    queue, n if almost no request waits, the harmonic number if all wait [nelson-tantawi-1988].
    """
    if queues <= 1:
        return 1.0
    idle = 1 - min(1.0, max(busy, 1e-6))
    whole = int(queues)
    waits = left = 0.0
    for count in range(1, whole + 2):
        waits += left
        left = (1 - idle**count) / (count * (1 - idle))
    return waits + (queues - whole) * left


@lru_cache(maxsize=256)
def most_at_one(requests: int, places: int) -> float:
    """Mean number of requests at the fullest of *places* places, if each request goes to any of them.

    The probability that none has more than k is that of Poisson numbers with the sum n and at most k each.
    """
    if places == 1 or requests <= 1:
        return float(requests)
    import numpy as np  # noqa: PLC0415

    mean = requests / places
    numbers = np.arange(requests + 1)
    whole = np.exp(numbers * log(mean) - mean - np.array([lgamma(n + 1) for n in numbers]))
    all_of = exp(requests * log(requests) - requests - lgamma(requests + 1))
    expected, most = 0.0, 0
    while most < requests:
        power, left, base = np.zeros(requests + 1), places, np.where(numbers <= most, whole, 0.0)
        power[0] = 1.0
        while left:
            if left % 2:
                power = np.convolve(power, base)[: requests + 1]
            base = np.convolve(base, base)[: requests + 1]
            left //= 2
        beyond = 1 - float(power[requests]) / all_of
        expected += max(0.0, beyond)
        if beyond < NEVER:
            break
        most += 1
    return expected


@lru_cache(maxsize=256)
def slowest_service(requests: int, variation: float, apart: float = 0.0) -> float:
    """Time until the last of several services ends that start *apart*, both over the mean service.

    Services are gamma-distributed with the deviation *variation*: ∫ 1 - ∏ F(t - i·apart) dt, i = 0 to n - 1.
    """
    if variation <= 0 or requests <= 1:
        return 1.0 + max(0, requests - 1) * apart
    import numpy as np  # noqa: PLC0415
    from scipy.special import gammainc  # noqa: PLC0415

    shape = 1 / variation**2
    last = (requests - 1) * apart
    times = np.linspace(0.0, last + 1 + 12 * variation * (1 + log(requests)), 4001)
    if not apart:
        ended = gammainc(shape, shape * times) ** requests
    else:
        begins = apart * np.arange(requests)[:, None]
        ended = np.prod(gammainc(shape, shape * np.maximum(0.0, times - begins)), axis=0)
    return float(np.trapezoid(1 - ended, times))


def side_by_side_s(requests: int, servers: int, service_s: float, variation: float) -> float:
    """Time until the last of several requests ends, each served by the first free server.

    m servers start m requests at once; the others first keep all busy: (n - m)/m services. Constant services need ⌈n/m⌉
    rounds.
    """
    if variation <= 0:
        return ceil(requests / servers) * service_s
    together = min(requests, servers)
    return service_s * ((requests - together) / servers + slowest_service(together, variation))


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


def longest_s(takes_s: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Mean of the longest of several independent times, each with values and their probabilities."""
    ends = sorted({time_s for values in takes_s for time_s, _ in values})
    mean_s = before = 0.0
    for end_s in ends:
        below = 1.0
        for values in takes_s:
            below *= min(1.0, sum(chance for time_s, chance in values if time_s <= end_s))
        mean_s += end_s * (below - before)
        before = below
    return mean_s
