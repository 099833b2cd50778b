"""Curves through one answer: throughput and response over users or arrivals, and hits over the size of the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

from model.demand import transactions as asked
from model.laws import hit_ratio, queueing, touch_count
from model.transaction_calc import solve
from model.transaction_network import at_rate, closed
from model.transaction_writers import FULL

POINTS = 60


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


def load_curve(system: Any, work: Any) -> list[Load]:
    """Throughput and response from one user to some three times the knee or the asked load, in closed form."""
    parts, _, found_knee = solve(system, work)
    most = found_knee.per_s
    if work.rate_per_s is not None:
        steps = [FULL * most * (step + 1) / POINTS for step in range(POINTS - 1)]
        points = [at_rate(parts, rate) for rate in steps]
        return [Load(one.per_s * one.response_s, one.per_s, one.response_s, most) for one in points]
    knee = found_knee.users or 1.0
    last = int(min(20_000, max(10, 3 * knee, 1.5 * work.users)))
    kept = {max(1, round(1 + (last - 1) * (step / (POINTS - 1)) ** 1.5)) for step in range(POINTS)}
    kept |= {int(work.users), last}
    found = []
    for users, one in enumerate(closed(parts, last, found_knee.most), start=1):
        if users in kept:
            bound = queueing.asymptotic_bounds(users, found_knee.alone_s, 1 / most, work.think_s)
            found.append(Load(users, one.per_s, one.response_s, float(bound.most_throughput_per_s)))
    return found


def cache_curve(system: Any, work: Any) -> list[Size]:
    """Hits of all gets over the size of the default pool, from a hundredth of the data to all of them.

    The other pools stay as they are; the hottest blocks, and those got to change them, are found whatever the size.
    """
    data, rules = asked.data_of(system, work), asked.touch_rules(system)
    kinds = asked.kinds_of(system, work)
    gets = sum(kind.share * (kind.gets + kind.changed_blocks) for kind in kinds)
    drawn = sum(kind.share * kind.drawn_gets for kind in kinds) / gets if gets else 0.0
    groups = [
        (float(share / blocks), float(blocks))
        for share, blocks in zip(data.shares, data.blocks, strict=True)
        if blocks
    ]
    popularity, blocks = [one for one, _ in groups], [many for _, many in groups]
    every = sum(blocks)
    found = []
    for step in range(POINTS):
        room = max(2.0, every * 0.01 ** (1 - step / (POINTS - 1)))
        touched = touch_count.hit_fraction(room, popularity, blocks, rules)
        lru = float(hit_ratio.lru_hit_fraction(room, popularity, blocks))
        found.append(Size(room * data.block_size_bytes, 1 - drawn * (1 - touched), 1 - drawn * (1 - lru)))
    return found
