"""Curves through one answer: bounds of throughput and response over load, and hits over the size of the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from blocktime.model.demand import transaction_demand
from blocktime.model.laws import hit_ratio, touch_count
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.stations import at_pace, bounds_at, least_parts

POINTS = 60
LOADS = 40
PLAYED = 10
"""Loads that are worth a run of their own."""
MOST_USERS = 20_000
NEARLY = 0.98
"""Share of the ceiling up to which arrivals are drawn."""


class LoadPoint(NamedTuple):
    """One point over load: a bound or a run."""

    load: float
    """Users, or arrivals a second."""
    per_s: float
    response_s: float


class Size(NamedTuple):
    """One point of the curve over the size of the cache."""

    size_bytes: float
    hit_fraction: float
    """By the closed form of the touch-count algorithm."""
    lru_fraction: float
    """By Che's approximation for LRU."""


def load_bounds(system: System, work: Transactions) -> list[LoadPoint]:
    """Most throughput and least response from one user to twice the saturation or 1.5 times the question's load."""
    parts = least_parts(at_pace(system, work).system, work)
    bounds = bounds_at(parts, float(work.users))
    if work.rate_per_s is not None:
        loads = [NEARLY * bounds.ceiling_per_s * (step + 1) / LOADS for step in range(LOADS)]
    else:
        last = int(min(MOST_USERS, max(10, 2 * (bounds.saturation_users or 1), 1.5 * work.users)))
        users = {max(1, round(1 + (last - 1) * (step / (LOADS - 1)) ** 1.5)) for step in range(LOADS)}
        loads = [float(count) for count in sorted(users | {int(work.users)})]
    points = []
    for load in loads:
        here = bounds_at(parts, load)
        points.append(LoadPoint(load, here.most_per_s(load), here.least_response_s(load)))
    return points


def loads_to_play(points: Sequence[LoadPoint]) -> list[float]:
    """Loads of *points* that are worth a run of their own, from the first to the last, about evenly apart."""
    step = max(1.0, (len(points) - 1) / (PLAYED - 1))
    return [points[min(len(points) - 1, round(number * step))].load for number in range(min(PLAYED, len(points)))]


def doubling_load(points: Sequence[LoadPoint]) -> float | None:
    """Load at which the response is twice that of the first point, on lines between points; None where none is."""
    if not points:
        return None
    limit_s = 2 * points[0].response_s
    for before, after in pairwise(points):
        if after.response_s >= limit_s:
            share = (limit_s - before.response_s) / (after.response_s - before.response_s)
            return before.load + share * (after.load - before.load)
    return None


def cache_curve(system: System, work: Transactions) -> list[Size]:
    """Hits of all gets over the size of the default pool, from a hundredth of the data to all of them.

    The other pools stay as they are; the hottest blocks, and those got to change them, are found whatever the size.
    """
    every = sum(group_blocks for group_blocks in transaction_demand.data_of(system, work).blocks if group_blocks)
    return cache_sizes(system, work, [max(2.0, every * 0.01 ** (1 - step / (POINTS - 1))) for step in range(POINTS)])


def cache_sizes(system: System, work: Transactions, rooms: Iterable[float]) -> list[Size]:
    """Hits of all gets with so many buffers of the default pool each."""
    data, rules = transaction_demand.data_of(system, work), transaction_demand.touch_rules(system)
    kinds = transaction_demand.kinds_of(system, work)
    gets = sum(kind.share * (kind.gets + kind.changed_blocks) for kind in kinds)
    drawn = sum(kind.share * kind.drawn_gets for kind in kinds) / gets if gets else 0.0
    groups = [
        (float(share / blocks), float(blocks)) for share, blocks in zip(data.shares, data.blocks, strict=True) if blocks
    ]
    popularity, blocks = [wanted for wanted, _ in groups], [members for _, members in groups]
    sizes = []
    for room in rooms:
        touched = touch_count.hit_fraction(room, popularity, blocks, rules)
        lru = float(hit_ratio.lru_hit_fraction(room, popularity, blocks))
        sizes.append(Size(room * data.block_size_bytes, 1 - drawn * (1 - touched), 1 - drawn * (1 - lru)))
    return sizes
