"""Other replacement policies on references drawn like a run's: LRU and CLOCK beside touch counts, and their laws.

A large cache is replayed on a sample of its blocks, one of n, with one of n buffers: hits of blocks that are referenced
by chance depend on the ratio alone. Touches that count once follow the rate at which the sample is referenced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocktime.model.demand import transactions as asked
from blocktime.model.demand.transactions import Data
from blocktime.model.kernels import cache
from blocktime.model.laws import hit_ratio, touch_count
from blocktime.model.laws.buffer_cache import TouchRules
from blocktime.model.sim.references import References

LEAST = 1e-9
REFERENCES = 30_000
"""Half of them fill the cache."""
BUFFERS = 1_000
"""Of the sample, in all pools; the hit fraction of larger caches differs by less than chance does."""
TOUCH, LRU, CLOCK = "touch count", "LRU", "CLOCK"
LRU_LAW, TOUCH_LAW = "LRU by Che's approximation", "touch count in closed form"


def compare(parts: Any, per_s: float, gets: float, seed: int) -> dict[str, float]:
    """Policy -> hits of all gets, at *per_s* transactions a second of *gets* gets each.

    Empty where the cache holds everything, and where transactions scan: scans enter it by rules of their own.
    """
    data: Data = parts.data
    rate = per_s * parts.gets
    scans = any(kind.scan_blocks for kind in parts.kinds)
    if min(gets, rate) < LEAST or scans or _holds_everything(data):
        return {}
    rules = asked.touch_rules(parts.system)
    hit_fractions = _replayed(parts.kinds, data, rules, rate, seed) | _laws(data, rules, rate)
    return {name: max(0.0, 1 - parts.gets * (1 - share) / gets) for name, share in hit_fractions.items()}


def _holds_everything(data: Data) -> bool:
    return all(pool.room_blocks >= sum(data.blocks[group] for group in pool.groups) for pool in data.pools)


def _replayed(kinds: Any, data: Data, rules: TouchRules, rate: float, seed: int) -> dict[str, float]:
    """Hits of the drawn gets, replayed on a sample; the first half of the references fills the cache."""
    one_of = max(1.0, sum(pool.room_blocks for pool in data.pools) / BUFFERS)
    sample = data._replace(
        blocks=tuple(
            max(1, round(blocks_of_class / one_of)) if blocks_of_class else 0
            for blocks_of_class in data.blocks
        ),
    )
    blocks = References(kinds, sample, seed).blocks(REFERENCES)
    times_s: NDArray[np.float64] = np.arange(REFERENCES, dtype=np.float64) * (one_of / rate)
    replays: dict[str, Callable[[Any, int, NDArray[np.float64]], cache.Replay]] = {
        TOUCH: lambda stream, room, at_s: cache.replay_touch_count(stream, room, at_s, rules=rules),
        LRU: lambda stream, room, _: cache.replay_lru(stream, room),
        CLOCK: lambda stream, room, _: cache.replay_clock(stream, room),
    }
    hits = dict.fromkeys(replays, 0)
    of_group = np.searchsorted(np.cumsum(np.array(sample.blocks))[:-1], blocks, side="right")
    for pool in data.pools:
        mine = np.isin(of_group, pool.groups)
        if not mine.any():
            continue
        stream = cache.numbered(blocks[mine])
        later = np.flatnonzero(mine) >= REFERENCES // 2
        room = max(1, round(pool.room_blocks / one_of))
        for name, replay in replays.items():
            hits[name] += int(np.count_nonzero(replay(stream, room, times_s[mine]).hit[later]))
    return {name: count / (REFERENCES - REFERENCES // 2) for name, count in hits.items()}


def _laws(data: Data, rules: TouchRules, rate: float) -> dict[str, float]:
    """Hits of the drawn gets by the laws, over all pools."""
    hits = {LRU_LAW: 0.0, TOUCH_LAW: 0.0}
    for pool in data.pools:
        groups = [group for group in pool.groups if data.blocks[group] and data.shares[group]]
        share = float(sum(data.shares[group] for group in groups))
        if not share:
            continue
        popularity = [float(data.shares[group] / data.blocks[group]) for group in groups]
        blocks = [float(data.blocks[group]) for group in groups]
        room = float(pool.room_blocks)
        hits[LRU_LAW] += share * float(hit_ratio.lru_hit_fraction(room, popularity, blocks))
        once = share * rate * rules.touch_time_s
        hits[TOUCH_LAW] += share * touch_count.hit_fraction(room, popularity, blocks, rules, once)
    return hits
