"""A buffer cache as it stands after a long time of the same transactions, so that a run need not begin cold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from model.demand.transactions import Data, Pool
from model.kernels.buffers import Buffers
from model.laws import touch_count
from model.laws.buffer_cache import TouchRules
from model.sim.writers import DatabaseWriter
from model.transaction_network import DirtyGroup


def warm(
    buffers: Buffers, pool: Pool, data: Data, rules: TouchRules, draws: np.random.Generator, age_s: float
) -> None:
    """Fill a pool with as many blocks of each group as it holds in the long run, at random among them, in any order.

    They were touched last *age_s* seconds ago.
    """
    groups = [group for group in pool.groups if data.blocks[group] and data.shares[group]]
    popularity = [data.shares[group] / data.blocks[group] for group in groups]
    blocks = [float(data.blocks[group]) for group in groups]
    held = touch_count.resident_fractions(pool.room_blocks, popularity, blocks, rules)
    first = (0, int(data.blocks[0]))
    chosen = [
        first[group] + some_of(int(data.blocks[group]), round(sum(share) * data.blocks[group]), draws)
        for group, share in zip(groups, held, strict=True)
    ]
    every = np.concatenate(chosen) if chosen else np.empty(0, dtype=np.int64)
    draws.shuffle(every)
    buffers.fill(every[: buffers.size_blocks], now_s=-age_s)


def some_of(blocks: int, count: int, draws: np.random.Generator) -> NDArray[np.int64]:
    """*count* different blocks of the first *blocks*."""
    if 2 * count > blocks:
        return draws.permutation(blocks)[:count].astype(np.int64)
    found = np.unique(draws.integers(0, blocks, count))
    while found.size < count:
        found = np.unique(np.concatenate((found, draws.integers(0, blocks, count - found.size))))
    return found


def dirty(
    pools: list[tuple[Buffers, DatabaseWriter]],
    hot_blocks: int,
    groups: list[DirtyGroup],
    draws: np.random.Generator,
    age_s: float,
) -> None:
    """Let blocks be dirty as they are in the long run, each since any time before it is due."""
    for buffers, writer in pools:
        held = buffers.resident()
        cold = (held >= hot_blocks).astype(np.int64)
        chosen = draws.random(held.size) < np.array([group.dirty_fraction for group in groups])[cold]
        held, cold = held[chosen], cold[chosen]
        since_s = -draws.random(held.size) * np.array([group.age_s for group in groups])[cold]
        order = np.argsort(since_s)
        # NOTE: as long ago as they were filled, so that it is no touch that counts
        buffers.work(held, np.ones(held.size, dtype=bool), None, -age_s)
        writer.since(dict(zip(held[order].tolist(), since_s[order].tolist(), strict=True)))
