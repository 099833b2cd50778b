"""Curves through one answer: throughput and response over users or arrivals, and hits over the size of the cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from blocktime.model.demand import transactions as asked
from blocktime.model.laws import hit_ratio, queueing, touch_count
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.closed_form import solve
from blocktime.model.workloads.transactions.knee import Knee, knee_of
from blocktime.model.workloads.transactions.writers import FULL

POINTS = 60
LOADS = 40
"""Points over users, each of which is a network of its own."""
NEAR = 1e-3
"""How closely the arrivals are found at which the response has doubled, as a share of them."""


class Load(NamedTuple):
    """One point of the curve over load."""

    users: float
    """Of a closed loop; for arrivals the transactions under way on average."""
    per_s: float
    response_s: float
    most_per_s: float
    """Upper bound of the throughput, users over time or the bottleneck [lazowska-1984]."""


class Size(NamedTuple):
    """One point of the curve over the size of the cache."""

    size_bytes: float
    hit_fraction: float
    """By the closed form of the touch-count algorithm."""
    lru_fraction: float
    """By Che's approximation for LRU."""


def load_curve(system: System, work: Transactions) -> list[Load]:
    """Throughput and response from one user to some three times the knee or the asked load, in closed form.

    Each point is the answer to a scenario with that many users, or that many arrivals a second.
    """
    knee = knee_of(system, work)
    if work.rate_per_s is not None:
        rates = [FULL * knee.per_s * (step + 1) / POINTS for step in range(POINTS - 1)]
        return [_load_at(system, work, rate, knee) for rate in rates]
    bends = knee.users or 1.0
    last = int(min(20_000, max(10, 3 * bends, 1.5 * work.users)))
    kept = {max(1, round(1 + (last - 1) * (step / (LOADS - 1)) ** 1.5)) for step in range(LOADS)}
    kept |= {int(work.users), last} | {max(1, min(last, int(bends) + more)) for more in (0, 1)}
    return [_load_at(system, work, users, knee) for users in sorted(kept)]


def doubling_load(system: System, work: Transactions, points: Iterable[Load]) -> float | None:
    """Least users, or arrivals a second, at which the response is twice that of the first point.

    Users are whole and exact; arrivals are within 0.1 %. *points* are those of :func:`load_curve`; None where the
    response of none of them is that long.
    """
    knee = knee_of(system, work)
    first, *rest = points
    limit_s, before = 2 * first.response_s, first
    for after in rest:
        if after.response_s >= limit_s:
            break
        before = after
    else:
        return None
    arrive = work.rate_per_s is not None
    low, high = (load.per_s if arrive else load.users for load in (before, after))
    grain = NEAR * high if arrive else 1.0
    while high - low > grain:
        middle = (low + high) / 2 if arrive else (low + high) // 2
        if _load_at(system, work, middle, knee).response_s < limit_s:
            low = middle
        else:
            high = middle
    return high


def _load_at(system: System, work: Transactions, load: float, knee: Knee) -> Load:
    """The point of so many users, or of so many arrivals a second."""
    if work.rate_per_s is not None:
        point = solve(system, work.model_copy(update={"rate_per_s": load}), knee).point
        return Load(point.per_s * point.response_s, point.per_s, point.response_s, knee.per_s)
    point = solve(system, work.model_copy(update={"users": int(load)}), knee).point
    bound = queueing.asymptotic_bounds(load, knee.alone_s, 1 / knee.per_s, work.think_s)
    return Load(load, point.per_s, point.response_s, float(bound.most_throughput_per_s))


def cache_curve(system: System, work: Transactions) -> list[Size]:
    """Hits of all gets over the size of the default pool, from a hundredth of the data to all of them.

    The other pools stay as they are; the hottest blocks, and those got to change them, are found whatever the size.
    """
    every = sum(group_blocks for group_blocks in asked.data_of(system, work).blocks if group_blocks)
    return cache_sizes(
        system, work, [max(2.0, every * 0.01 ** (1 - step / (POINTS - 1))) for step in range(POINTS)]
    )


def cache_sizes(system: System, work: Transactions, rooms: Iterable[float]) -> list[Size]:
    """Hits of all gets with so many buffers of the default pool each."""
    data, rules = asked.data_of(system, work), asked.touch_rules(system)
    kinds = asked.kinds_of(system, work)
    gets = sum(kind.share * (kind.gets + kind.changed_blocks) for kind in kinds)
    drawn = sum(kind.share * kind.drawn_gets for kind in kinds) / gets if gets else 0.0
    groups = [
        (float(share / blocks), float(blocks))
        for share, blocks in zip(data.shares, data.blocks, strict=True)
        if blocks
    ]
    popularity, blocks = [wanted for wanted, _ in groups], [members for _, members in groups]
    sizes = []
    for room in rooms:
        touched = touch_count.hit_fraction(room, popularity, blocks, rules)
        lru = float(hit_ratio.lru_hit_fraction(room, popularity, blocks))
        sizes.append(Size(room * data.block_size_bytes, 1 - drawn * (1 - touched), 1 - drawn * (1 - lru)))
    return sizes
