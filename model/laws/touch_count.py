"""Hits of the touch-count algorithm in closed form, in the manner of Che's approximation for LRU.

A block enters the cold region at its read and stays there for a time C, the same for all. With probability p it has
enough touches meanwhile and moves to the hot region for a time H. It then passes the cold region again and returns to
the hot region with probability q, until it has too few touches. With random references, λ per second to the block, it
is in the cold region for the share C(1 - q + p)/D of the time, in the hot one for Hp/D, where D = C(1 - q + p) + Hp +
(1 - q)/λ; C and H are such that both regions are full [che-2002] [shallahamer-touch-count]. Touches that count are
``_db_aging_touch_time`` apart. If blocks pass the cold region faster, no further block becomes hot, and the hot region
keeps its blocks.

Against the algorithm with Oracle's defaults and 10,000 blocks the hit fraction is off by 0.003 at most, by 0.03 if
blocks pass the cold region in little more than the touch time, and then by 0.07 with 1,000 blocks. Other rules are off
by 0.07 at most, or by 0.14 if all of the room may be hot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, expm1, lgamma, log
from typing import NamedTuple

from blocktime.model.laws.cache_misses import TouchRules

Groups = list[tuple[float, float]]
"""Popularity of a block and number of blocks, of each group."""
MOST_STEPS = 200
CLOSE = 1e-7
LEAST = 1e-6
NEVER = 1e-7
"""Probability below which a block does not become hot."""
NONE_BESIDE = 1e-12
"""Probability relative to the largest one, below which a block does not become hot."""
JUMP = 1e-4
"""Unused share of the room if no time in the cold region fills both regions."""
GROWTH_STEPS = 200


def hit_fraction(
    room: float, popularity: Sequence[float], blocks: Sequence[float], rules: TouchRules, touch_references: float = 0.0
) -> float:
    """Share of the references that find their block, with *room* buffers in all.

    *popularity* is that of one block of each group, *blocks* the size of the group; *touch_references* are the
    references within ``_db_aging_touch_time``, which count once.
    """
    total = sum(wanted * members for wanted, members in zip(popularity, blocks, strict=True))
    parts = resident_fractions(room, popularity, blocks, rules, touch_references)
    hits = sum(wanted * members * sum(share) for wanted, members, share in zip(popularity, blocks, parts, strict=True))
    return min(1.0, hits / total)


def resident_fractions(
    room: float, popularity: Sequence[float], blocks: Sequence[float], rules: TouchRules, touch_references: float = 0.0
) -> list[tuple[float, float]]:
    """Shares of each group's blocks that are in the cold and in the hot region, as :func:`hit_fraction` has them."""
    return [(each.cold, each.hot) for each in residence(room, popularity, blocks, rules, touch_references)]


class Residence(NamedTuple):
    """How the blocks of a group are in memory in the long run."""

    cold: float = 0.0
    """Share of the blocks in the cold region."""
    hot: float = 0.0
    """In the hot one."""
    read: float = 1.0
    """Of those in the cold region, the share that came from disk; the others were hot."""
    stay: float = 0.0
    """References while a block passes the cold region; 0 where all find room."""
    heated: float = 0.0
    """Share of the blocks just read that become hot."""


def residence(
    room: float, popularity: Sequence[float], blocks: Sequence[float], rules: TouchRules, touch_references: float = 0.0
) -> list[Residence]:
    """How the blocks of each group are in memory, by the law of :func:`hit_fraction`."""
    return list(_residence(room, tuple(popularity), tuple(blocks), rules, touch_references))


@lru_cache(maxsize=256)  # many questions ask it of one cache
def _residence(
    room: float, popularity: tuple[float, ...], blocks: tuple[float, ...], rules: TouchRules, touch_references: float
) -> list[Residence]:
    total = sum(wanted * members for wanted, members in zip(popularity, blocks, strict=True))
    groups = [(each / total, members) for each, members in zip(popularity, blocks, strict=True) if each * members > 0]
    if room >= sum(members for _, members in groups):
        return [Residence(1.0 if wanted > 0 else 0.0) for wanted in popularity]
    if room <= 0:
        return [Residence()] * len(popularity)
    wanted = HotCriteria(
        max(0, rules.hot_count - rules.first_count), rules.hot_count - rules.cool_count, touch_references
    )
    hot = min(room * rules.percent_hot / 100, room - min(1.0, room / 2))
    cold_time = _cold_time(groups, room, hot, wanted)
    if abs(_too_many(groups, cold_time, room, hot, wanted)) > JUMP * room:
        frozen = iter(_frozen(groups, room, hot, wanted))
        return [
            next(frozen) if each * members > 0 else Residence()
            for each, members in zip(popularity, blocks, strict=True)
        ]
    hot_time, _ = _hot_time(groups, cold_time, hot, wanted)
    return [_resides(each / total, cold_time, hot_time, wanted) if each > 0 else Residence() for each in popularity]


class HotCriteria(NamedTuple):
    """What makes a block hot."""

    first: int
    """Touches on its way through the cold region, of a block just read."""
    again: int
    """Of one that comes from the hot region."""
    late: float
    """Time after one that counts in which others do not."""


def _resides(rate: float, cold_time: float, hot_time: float, wanted: HotCriteria) -> Residence:
    """Shares of the time that a block is in the cold and in the hot region."""
    first, again = _chances(rate, cold_time, wanted)
    passes = 1 - again + first
    cold, hot = cold_time * passes, hot_time * first
    span = cold + hot + (1 - again) / rate
    return Residence(cold / span, hot / span, (1 - again) / passes if passes > 0 else 0.0, cold_time, first)


def _chances(rate: float, cold_time: float, wanted: HotCriteria) -> tuple[float, float]:
    """Chances that a block becomes hot on its way through the cold region: one just read, and one that was hot.

    Touches that count are apart by the time in which none does and an exponential one. Whoever comes from the hot
    region has been touched at any time before: with the chance λτ/(1 + λτ) none counts yet.
    """
    late = wanted.late
    first = at_least(wanted.first, rate * (cold_time - wanted.first * late))
    touches = wanted.again
    now = rate * (cold_time - (touches - 1) * late)
    if rate * late < LEAST:
        return first, at_least(touches, now - rate * late / 2)
    later = _summed(touches, now) - _summed(touches, now - rate * late)
    return first, min(1.0, (at_least(touches, now) + later) / (1 + rate * late))


def at_least(touches: int, mean: float) -> float:
    """Probability of at least this number of touches by Poisson's law."""
    if touches <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    if touches == 1:
        return -expm1(-mean)
    if mean < touches:
        term = total = exp(touches * log(mean) - mean - lgamma(touches + 1))
        while term > CLOSE * total:
            touches += 1
            term *= mean / touches
            total += term
        return total
    term = total = exp((touches - 1) * log(mean) - mean - lgamma(touches))
    for fewer in range(touches - 1, 0, -1):
        term *= fewer / mean
        total += term
    return max(0.0, 1 - total)


def _summed(touches: int, mean: float) -> float:
    """Integral of :func:`at_least` over the mean, from 0."""
    return mean * at_least(touches, mean) - touches * at_least(touches + 1, mean) if mean > 0 else 0.0


def _hot_time(groups: Groups, cold_time: float, hot: float, wanted: HotCriteria) -> tuple[float, float]:
    """Time in the hot region at which it is full, and its blocks: no more than those that can become hot.

    By Newton's steps, which never pass it as its content is concave.
    """
    parts = []
    for rate, members in groups:
        first, again = _chances(rate, cold_time, wanted)
        parts.append((members, first, cold_time * (1 - again + first) + (1 - again) / rate))
    most = max(first for _, first, _ in parts)
    if hot <= 0 or most < NEVER:
        return 0.0, 0.0
    parts = [(members, first / most, rest) for members, first, rest in parts if first > NONE_BESIDE * most]
    hot = min(hot, (1 - LEAST) * sum(members for members, _, _ in parts))
    time = hot / sum(members * first / rest for members, first, rest in parts)
    for _ in range(MOST_STEPS):
        inside = slope = 0.0
        for members, first, rest in parts:
            span = rest + first * time
            inside += members * first * time / span
            slope += members * (first / span) * (rest / span)
        step = (hot - inside) / slope
        time += step
        if step <= CLOSE * time:
            break
    return time / most, hot


def _too_many(groups: Groups, cold_time: float, room: float, hot: float, wanted: HotCriteria) -> float:
    """Blocks in the cold region beyond its room, the hot one being as full as it gets; negative for fewer."""
    hot_time, inside = _hot_time(groups, cold_time, hot, wanted)
    cold_blocks = sum(members * _resides(rate, cold_time, hot_time, wanted).cold for rate, members in groups)
    return cold_blocks - (room - inside)


def _cold_time(groups: Groups, room: float, hot: float, wanted: HotCriteria) -> float:
    """Time in the cold region at which it is full, between one reference for each block and as long as it takes.

    By chords that halve the end which stays (Illinois), over the logarithm of the time.
    """
    low, high = log(room - hot), log(2 * room)
    while (below := _too_many(groups, exp(low), room, hot, wanted)) > 0:
        low -= 1.0
    while (above := _too_many(groups, exp(high), room, hot, wanted)) < 0:
        low, below, high = high, above, high + 2.0
    for _ in range(MOST_STEPS):
        middle = high - above * (high - low) / (above - below) if above != below else low
        excess = _too_many(groups, exp(middle), room, hot, wanted)
        if abs(excess) <= CLOSE * room or high - low < CLOSE:
            return exp(middle)
        if excess > 0:
            high, above, below = middle, excess, below / 2
        else:
            low, below, above = middle, excess, above / 2
    return exp((low + high) / 2)


def _frozen(groups: Groups, room: float, hot: float, wanted: HotCriteria) -> list[Residence]:
    """Shares in the cold and the hot region where that stops to grow before it is full, and stays as it is then.

    While it grows, blocks pass the cold region faster and faster, in the end before a touch of theirs can count.
    """
    late = wanted.first * wanted.late
    others = [members for _, members in groups]
    inside = 0.0
    cold_time = _passing_time(groups, others, room)
    for _ in range(MOST_STEPS * 2):
        rates = [_chances(rate, cold_time, wanted)[0] / (cold_time + 1 / rate) for rate, _ in groups]
        flow = sum(members * rate for members, rate in zip(others, rates, strict=True))
        if flow < NEVER or inside >= hot:
            break
        time = room / GROWTH_STEPS / flow
        while time * flow > LEAST:
            left = [members * exp(-rate * time) for members, rate in zip(others, rates, strict=True)]
            grown = sum(members for _, members in groups) - sum(left)
            next_time = _passing_time(groups, left, room - grown) if grown < room else 0.0
            if next_time > late:
                break
            time /= 2
        else:
            break
        others, inside, cold_time = left, grown, next_time
    return [
        Residence(members / every * cold_time / (cold_time + 1 / rate), 1 - members / every, 1.0, cold_time)
        for members, (rate, every) in zip(others, groups, strict=True)
    ]


def _passing_time(groups: Groups, others: list[float], cold: float) -> float:
    """Time in a cold region that nobody leaves for the hot one, by Newton's steps from below, as in Che's."""
    time = cold
    for _ in range(MOST_STEPS):
        inside = slope = 0.0
        for members, (rate, _) in zip(others, groups, strict=True):
            span = 1 + rate * time
            inside += members * rate * time / span
            slope += members * (rate / span) / span
        step = (cold - inside) / slope
        time += step
        if step <= CLOSE * time:
            break
    return time
