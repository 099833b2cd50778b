"""Oracle's buffer cache since 8i, as it lives on from call to call: one call for all references of a transaction.

Buffers stand in a list with a hot and a cold region, and each has a count of touches. A block read comes in at the
midpoint, between the regions, or at the cold end if a large scan reads it. A touch moves nothing; it counts, once
within some seconds. Who needs a buffer searches from the cold end: a buffer touched often enough moves to the hot end
and begins to count again, and the one that it pushes over the midpoint is cooled; of the others a dirty one goes to the
write list, and the first clean one is taken [shallahamer-touch-count]. Times are handed in.

Memory goes by the size of the cache, not by the blocks there are: a block is found through a table of open addressing,
at most half full, and when one leaves, the entries behind it move up, so that the table does not age.

NOTE: a search here goes on until it finds a buffer or none is left; Oracle's gives up after 40 % of the list.
"""

from __future__ import annotations

import math
from array import array
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocktime.model.errors import SpecError, quote
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.loops import buffers, fastest
from blocktime.model.loops.arrays import row
from blocktime.model.loops.buffers import BLOCK, COUNT, FIELDS, HOT, HOTTER, REGION

Blocks = NDArray[np.int64]

MOST = 2**31 // FIELDS - 1
"""Buffers; places among their fields have 32 bits."""
BUFFER_BYTES = 145
"""At most, of one that holds a block: resident memory of runs with 0.5, 1 and 2 million buffers."""
PLACE_BYTES = 16
"""Of them, those in the table of blocks, which blocks are spread over however few they are."""


class Buffers:
    """Buffers under the touch-count algorithm; times are handed in."""

    def __init__(self, size_blocks: int, rules: TouchRules | None = None) -> None:
        self.size_blocks = _positive("size_blocks", size_blocks)
        if self.size_blocks > MOST:
            raise SpecError(f"size_blocks: {size_blocks} are too many buffers; {MOST} are the most")
        self.rules = rules or TouchRules()
        self._missed_at: Blocks = np.empty(0, dtype=np.int64)
        self._empty()

    def _empty(self) -> None:
        size, rules = self.size_blocks, self.rules
        self._buffers = np.zeros((size + 1) * FIELDS, np.int64)
        self._state = np.zeros(size + 1, np.uint8)
        self.to_write = row(to_write := np.zeros(size, np.int64))
        """Blocks that the last call put on the write list."""
        self.touched = fastest(buffers.TouchCounts)(
            row(np.zeros(2 << size.bit_length(), np.int32)),
            row(self._buffers),
            row(np.zeros(size + 1)),
            row(self._state),
            row(to_write),
            row(array("q", rules.counts(size))),
        )

    def __len__(self) -> int:
        return self.touched.inside

    def __contains__(self, block: int) -> bool:
        return self.touched.slot_of(index(block)) > 0

    @property
    def dirty(self) -> int:
        """Dirty buffers, those of the write list among them."""
        return self.touched.dirties

    def resident(self) -> Blocks:
        """Blocks in memory, in no order."""
        used = slice(FIELDS + BLOCK, FIELDS * (len(self) + 1), FIELDS)
        return self._buffers[used].copy()

    def regions(self) -> tuple[list[int], list[int]]:
        """Blocks of the cold and of the hot region, each the coldest first."""
        cold: list[int] = []
        hot: list[int] = []
        buffers, state = self._buffers, self._state
        slot = buffers[HOTTER]
        while slot:
            region = hot if state[slot] & REGION == HOT else cold
            region.append(int(buffers[slot * FIELDS + BLOCK]))
            slot = buffers[slot * FIELDS + HOTTER]
        return cold, hot

    def touches(self, block: int) -> int:
        """Touches of a block in memory, as counted; KeyError for another."""
        slot = self.touched.slot_of(index(block))
        if not slot:
            raise KeyError(block)
        return int(self._buffers[slot * FIELDS + COUNT])

    def work(self, blocks: ArrayLike, changes: ArrayLike, cold_end: ArrayLike | None, now_s: float) -> int:
        """Use blocks one after the other, all at *now_s*; one not in memory is read, if a buffer is found for it.

        Where *changes* says so the block is dirty afterwards, until it is written; where *cold_end* does, a block that
        is read comes in at the cold end. Without a buffer the work ends before that reference: ask again from there.
        Returns how many were worked.
        """
        given = _flat("blocks", blocks, np.int64)
        count = given.size
        changing = _flat("changes", changes, np.bool_, count)
        aside = changing[:0] if cold_end is None else _flat("cold_end", cold_end, np.bool_, count)
        if 2 * count > len(self._missed_at):
            self._missed_at = np.zeros(4 * count, np.int64)
        done: int = self.touched.worked(
            row(given),
            row(changing.view(np.uint8)),
            row(aside.view(np.uint8)),
            float(now_s),
            float(self.rules.touch_time_s),
            row(self._missed_at),
        )
        return done

    def fill(
        self,
        blocks: ArrayLike,
        now_s: float | ArrayLike = -math.inf,
        count: int | ArrayLike | None = None,
        hot: int = 0,
    ) -> None:
        """Put different blocks into an empty cache, the first at the cold end, the last *hot* of them hot.

        They were touched last at *now_s*, and their count is that of a block just read, unless another is given; both
        may be one for each. SpecError if they do not fit.
        """
        given = _flat("blocks", blocks, np.int64)
        touches = self.rules.first_count if count is None else count
        each = np.full(given.size, touches) if np.ndim(touches) == 0 else touches
        counts = _flat("count", each, np.int64, given.size)
        if len(self) or given.size > self.size_blocks:
            raise SpecError(
                f"{given.size} blocks for {self.size_blocks} buffers, {len(self)} of them in use: a cache that is"
                " filled must be empty and have room for them"
            )
        if not 0 <= hot <= min(given.size, self.touched.hot_size):
            raise SpecError(f"hot: {hot} of {given.size} blocks; the hot region has {self.touched.hot_size} buffers")
        moments = np.full(given.size, now_s) if np.ndim(now_s) == 0 else now_s
        touched_s = _flat("now_s", moments, np.float64, given.size)
        done = self.touched.filled(row(given), row(touched_s), row(counts), hot)
        if done < given.size:
            self._empty()
            raise SpecError(f"blocks: {int(given[done])} is given twice")


def _positive(name: str, given: Any) -> int:
    """The given count as an int; SpecError if it is no whole number or below 1."""
    try:
        count = index(given)
    except TypeError:
        count = 0
    if count < 1:
        raise SpecError(f"{name}: {quote(given)} is no whole number of at least 1")
    return count


def _flat(name: str, given: ArrayLike, kind: Any, count: int | None = None) -> NDArray[Any]:
    """The given as a flat array of that kind, itself if it is one; SpecError if it has not *count* entries."""
    array = np.ascontiguousarray(given, dtype=kind)
    if array.ndim != 1:
        raise SpecError(f"{name} has {array.ndim} dimensions; 1 is needed")
    if count is not None and array.size != count:
        raise SpecError(f"{name} has {array.size} entries for {count} references; give one to each")
    return array
