"""Where blocks of each class of popularity lie in a segment: spread over all of it."""

from __future__ import annotations

from itertools import accumulate
from math import gcd

import numpy as np
from numpy.typing import NDArray

from blocktime.model.demand.popular_blocks import Popular
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.sim.references import SPREAD
from blocktime.model.sim.streams import stream


class PlacedClasses:
    """The classes of a segment's blocks, the most popular first; blocks of one class are no neighbours."""

    def __init__(self, popular: Popular, at_first: Popular | None, seed: int) -> None:
        self.popular, self._at_first, self._seed = popular, at_first, seed
        self._below = np.cumsum(np.array(popular.shares))[:-1]

    def drawn(self, first: int, end: int, draws: np.random.Generator) -> int:
        """A block of those from *first* to before *end*, by popularity."""
        whose = int(np.searchsorted(self._below, draws.random(), side="right"))
        edges = self._edges(end - first)
        begin, size_blocks = edges[whose], max(1, edges[whose + 1] - edges[whose])
        return first + _placed(begin + int(draws.random() * size_blocks), end - first)

    def cached(self, first: int, end: int, rules: TouchRules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Blocks that the cache holds at first, as after a long time, and their touches."""
        if self._at_first is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        edges, draws = self._edges(end - first), stream(self._seed, "popular blocks")
        blocks, counts = [], []
        for rank, (cold, hot) in enumerate(self._at_first.regions):
            size_blocks = edges[rank + 1] - edges[rank]
            chosen = draws.permutation(size_blocks)[: round((cold + hot) * size_blocks)]
            blocks.append(edges[rank] + chosen)
            touched = draws.random(len(chosen)) * (cold + hot) < hot
            counts.append(np.where(touched, rules.hot_count, rules.first_count))
        every = np.array([first + _placed(int(rank), end - first) for rank in np.concatenate(blocks)], np.int64)
        return every, np.concatenate(counts)

    def _edges(self, blocks: int) -> list[int]:
        """Ranks at which the classes begin and end."""
        ends = [min(blocks, round(end)) for end in accumulate(self.popular.blocks)]
        return [0, *ends]


def _placed(rank: int, blocks: int) -> int:
    """The place of the block with a rank: ranks next to each other lie far apart."""
    step = SPREAD % blocks or 1
    while gcd(step, blocks) != 1:
        step += 1
    return rank * step % blocks
