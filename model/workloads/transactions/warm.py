"""A buffer cache as it stands after a long time of the same transactions, so that a run need not begin cold."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from blocktime.model.demand.transaction_demand import Data, Pool
from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.laws import touch_count
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.sim.streams import stream
from blocktime.model.workloads.transactions.parts import DirtyGroup

HOT_FROM = 1.0
LEAST = 1e-200
"""Gets a second."""


def warm(buffers: Buffers, pool: Pool, data: Data, rules: TouchRules, chance: Chance) -> None:
    """Fill a pool with as many blocks of each group as it holds in the long run, at random among them.

    A block of the cold region came there at any moment of its passage; its place goes by its age, and its count by the
    touches since. One of the hot region was touched at any time before. See :mod:`model.laws.touch_count`.
    """
    groups = [group for group in pool.groups if data.blocks[group] and data.shares[group]]
    popularity = [data.shares[group] / data.blocks[group] for group in groups]
    blocks = [float(data.blocks[group]) for group in groups]
    per_s = max(LEAST, float(sum(data.shares[group] for group in groups)) * chance.gets_per_s)
    residence = touch_count.residence(pool.room_blocks, popularity, blocks, rules, per_s * rules.touch_time_s)
    first = [0, *accumulate(int(size) for size in data.blocks)]
    parts = [_Standing.none()]
    for group, popular, resides in zip(groups, popularity, residence, strict=True):
        size, share = int(data.blocks[group]), resides.cold + resides.hot
        inside = first[group] + some_of(size, round(share * size), stream(chance.seed, f"warm {group}"))
        got_per_s = max(LEAST, popular * chance.gets_per_s)
        parts.append(_standing(inside, resides, got_per_s, rules, chance, resides.stay / per_s))
    standing = _Standing(*map(np.concatenate, zip(*parts, strict=True)))
    # NOTE: the oldest are at the cold end of their region; what does not fit by a rounding is the oldest of all
    rank = in_order(standing.place)[-buffers.size_blocks :]
    hot = min(int((standing.place >= HOT_FROM).sum()), rules.hot_blocks(buffers.size_blocks), rank.size)
    buffers.fill(standing.blocks[rank], standing.touched_s[rank], standing.counts[rank], hot)


class _Standing(NamedTuple):
    """Blocks as they stand in a pool."""

    blocks: NDArray[np.int64]
    place: NDArray[np.float64]
    """From the cold end: below HOT_FROM in the cold region, from there on in the hot one."""
    counts: NDArray[np.int64]
    touched_s: NDArray[np.float64]

    @classmethod
    def none(cls) -> _Standing:
        return cls(*(np.empty(0, kind) for kind in (np.int64, float, np.int64, float)))


def _standing(
    blocks: NDArray[np.int64],
    resides: touch_count.Residence,
    per_s: float,
    rules: TouchRules,
    chance: Chance,
    stay_s: float,
) -> _Standing:
    """How *blocks* stand that are got *per_s* times a second each and pass the cold region in *stay_s*."""
    drawn = partial(of_block, blocks, chance.seed)
    is_hot = drawn("hot") * (resides.cold + resides.hot) < resides.hot
    was_hot = drawn("read") >= resides.read
    place, wait_s = drawn("order"), rules.touch_time_s
    age_s = (1 - place) * stay_s
    # what was hot before was touched at any time, and a touch may not count yet
    late = per_s * wait_s
    rests_s = np.maximum(0.0, 1 - drawn("rests") * (1 + late) / max(late, LEAST)) * wait_s
    left_s = np.where(was_hot, age_s - rests_s, age_s - wait_s)
    count = np.where(was_hot, rules.cool_count, rules.first_count)
    touched_s = np.where(was_hot, np.minimum(-chance.age_s, -age_s), -age_s)
    touched_s = np.where(was_hot & (rests_s > 0), rests_s - wait_s - age_s, touched_s)
    for touch in range(max(1, rules.hot_count - min(rules.cool_count, rules.first_count))):
        left_s = left_s + np.log1p(-drawn(f"touch {touch}")) / per_s
        is_touched = left_s >= 0
        count = count + is_touched
        touched_s = np.where(is_touched, -left_s, touched_s)
        left_s = left_s - wait_s
    touched_s = np.where(is_hot, np.where(rests_s > 0, rests_s - wait_s, -chance.age_s), touched_s)
    return _Standing(blocks, place + is_hot * HOT_FROM, np.where(is_hot, rules.stay_count, count), touched_s)


class Chance(NamedTuple):
    """What decides how the cache stands at the begin."""

    seed: int
    gets_per_s: float
    age_s: float
    """Age at which DBWR writes a changed block; as long ago all blocks were touched last."""


def some_of(blocks: int, count: int, draws: np.random.Generator) -> NDArray[np.int64]:
    """*count* different blocks of the first *blocks*; of two counts the smaller is a part of the larger."""
    if 4 * count > blocks:
        return draws.permutation(blocks)[:count].astype(np.int64)
    drawn = draws.integers(0, blocks, 2 * count + 64)
    bits = drawn.size.bit_length()
    # sorted by block, and by the place among those drawn that stands behind it
    ranked: NDArray[np.int64] = np.sort(drawn << bits | np.arange(drawn.size))
    is_first: NDArray[np.bool_] = np.diff(ranked >> bits, prepend=-1) != 0
    return drawn[np.sort(ranked[is_first] & (1 << bits) - 1)[:count]]


def of_block(blocks: NDArray[np.int64], seed: int, what: str) -> NDArray[np.float64]:
    """A number from [0, 1) for each block that depends on nothing else, so that like runs begin alike (splitmix64)."""
    salt = np.uint64((seed * 0x9E3779B97F4A7C15 + crc32(what.encode())) & 0xFFFFFFFFFFFFFFFF)
    mixed = blocks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + salt
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)) / 2.0**53


def in_order(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of values in their order, like ones as they stand.

    NOTE: Values as whole numbers with their places behind them are sorted in a third of the time; nearly equal values
    are seldom.
    """
    bits = values.size.bit_length()
    lowest, span = (values.min(), np.ptp(values)) if values.size else (0.0, 0.0)
    keys = ((values - lowest) * (2.0 ** (62 - bits) / max(span, 1e-200))).astype(np.int64) << bits
    keys |= np.arange(values.size)
    keys.sort()
    nearly_equal = keys[1:] >> bits == keys[:-1] >> bits
    return np.argsort(values, kind="stable") if nearly_equal.any() else keys & ((1 << bits) - 1)


class Dirty(NamedTuple):
    """Blocks that are dirty at the begin, the longest dirty first."""

    blocks: NDArray[np.int64]
    since_s: NDArray[np.float64]


def dirty(buffers: Buffers, data: Data, groups: list[DirtyGroup], chance: Chance, age_s: float) -> Dirty:
    """Let blocks be dirty as they are in the long run, if DBWR writes them at an age: some leave the cache before."""
    cached = buffers.resident()
    whose = np.searchsorted(np.cumsum(np.array(data.blocks))[:-1], cached, side="right")
    shares = np.array([group.dirty_fraction for group in groups])[whose]
    chosen = of_block(cached, chance.seed, "dirty") < shares
    cached, whose = cached[chosen], whose[chosen]
    leave_per_s = np.array([group.leave_per_s for group in groups])[whose]
    since_s = -_ages_s(leave_per_s, age_s, of_block(cached, chance.seed, "since"))
    order = in_order(since_s)
    # NOTE: as long ago as they were filled, so that it is no touch that counts
    buffers.work(cached, np.ones(cached.size, dtype=bool), None, -chance.age_s)
    return Dirty(cached[order], since_s[order])


def hottest_dirty(first: int, blocks: int, changes_per_s: float, age_s: float, seed: int) -> Dirty:
    """Of so many *blocks* from number *first* on, those that are dirty in the long run, and since when.

    Each is clean until its next change, 1/c, and dirty for the age, however often it changes meanwhile.
    """
    changes = changes_per_s / max(1, blocks) * age_s
    numbers = first + np.arange(blocks if changes else 0)
    numbers = numbers[of_block(numbers, seed, "dirty") < changes / (1 + changes)]
    return Dirty(numbers, -age_s * of_block(numbers, seed, "since"))


def together(pool: Dirty, hottest: Dirty) -> Dirty:
    """Blocks of a pool and the hottest, the longest dirty first."""
    if not hottest.blocks.size:
        return pool
    blocks, since_s = (np.concatenate(parts) for parts in zip(pool, hottest, strict=True))
    order = in_order(since_s)
    return Dirty(blocks[order], since_s[order])


def _ages_s(leave_per_s: NDArray[np.float64], most_s: float, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ages below the most, the less frequent the more have left before: by the inverse of their distribution."""
    gone = -np.expm1(-leave_per_s * most_s)
    slow = leave_per_s * most_s < 1e-9
    return np.where(slow, place * most_s, -np.log1p(-place * gone) / np.where(slow, 1.0, leave_per_s))
