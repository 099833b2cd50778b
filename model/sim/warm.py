"""A buffer cache as it stands after a long time of the same transactions, so that a run need not begin cold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.demand.transactions import Data, Pool
from model.kernels.buffers import Buffers
from model.laws import touch_count
from model.laws.buffer_cache import TouchRules
from model.transaction_network import DirtyGroup


def warm(
    buffers: Buffers,
    pool: Pool,
    data: Data,
    rules: TouchRules,
    draws: np.random.Generator,
    pace: tuple[float, float],
) -> None:
    """Fill a pool with as many blocks of each group as it holds in the long run, at random among them, in any order.

    They were touched so long ago that a touch counts, those of the hot region often enough to be there. *pace* is the
    gets a second, and that age in seconds.
    """
    gets_per_s, age_s = pace
    groups = [group for group in pool.groups if data.blocks[group] and data.shares[group]]
    popularity = [data.shares[group] / data.blocks[group] for group in groups]
    blocks = [float(data.blocks[group]) for group in groups]
    late = float(sum(data.shares[group] for group in groups)) * gets_per_s * rules.touch_time_s
    held = touch_count.resident_fractions(pool.room_blocks, popularity, blocks, rules, late)
    first = (0, int(data.blocks[0]))
    chosen, counts = [none := np.empty(0, dtype=np.int64)], [none]
    for group, (cold, hot) in zip(groups, held, strict=True):
        many = int(data.blocks[group])
        inside = round((cold + hot) * many)
        chosen.append(first[group] + some_of(many, inside, draws))
        # NOTE: the first searches move those of the hot region there at once
        touched = draws.random(inside) * (cold + hot) < hot
        counts.append(np.where(touched, rules.hot_count, rules.first_count))
    order = draws.permutation(sum(map(len, chosen)))[: buffers.size_blocks]
    buffers.fill(np.concatenate(chosen)[order], now_s=-age_s, count=np.concatenate(counts)[order])


def some_of(blocks: int, count: int, draws: np.random.Generator) -> NDArray[np.int64]:
    """*count* different blocks of the first *blocks*."""
    if 2 * count > blocks:
        return draws.permutation(blocks)[:count].astype(np.int64)
    found = np.unique(draws.integers(0, blocks, count))
    while found.size < count:
        found = np.unique(np.concatenate((found, draws.integers(0, blocks, count - found.size))))
    return found


class Dirty(NamedTuple):
    """Blocks that are dirty at the begin, the longest dirty first."""

    blocks: NDArray[np.int64]
    since_s: NDArray[np.float64]


def dirty(
    buffers: Buffers, hot_blocks: int, groups: list[DirtyGroup], draws: np.random.Generator, age_s: float
) -> Dirty:
    """Let blocks be dirty as they are in the long run: some leave the cache before they are due, by chance."""
    held = buffers.resident()
    cold = (held >= hot_blocks).astype(np.int64)
    chosen = draws.random(held.size) < np.array([group.dirty_fraction for group in groups])[cold]
    held, cold = held[chosen], cold[chosen]
    leave_per_s = np.array([group.leave_per_s for group in groups])[cold]
    since_s = -_ages_s(leave_per_s, age_s, draws.random(held.size))
    order = np.argsort(since_s)
    # NOTE: as long ago as they were filled, so that it is no touch that counts
    buffers.work(held, np.ones(held.size, dtype=bool), None, -age_s)
    return Dirty(held[order], since_s[order])


def _ages_s(
    leave_per_s: NDArray[np.float64], most_s: float, place: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ages below the most, the less frequent the more have left before: by the inverse of their distribution."""
    gone = -np.expm1(-leave_per_s * most_s)
    slow = leave_per_s * most_s < 1e-9
    return np.where(slow, place * most_s, -np.log1p(-place * gone) / np.where(slow, 1.0, leave_per_s))
