"""Oracle's buffer cache since 8i, as it lives on from call to call: one call for all references of a transaction.

Buffers stand in a list with a hot and a cold region, and each has a count of touches. A block read comes in at the
midpoint, between the regions, or at the cold end if a large scan reads it. A touch moves nothing; it counts, once
within some seconds. Who needs a buffer searches from the cold end: a buffer touched often enough moves to the hot end
and begins to count again, and the one that it pushes over the midpoint is cooled; of the others a dirty one goes to the
write list, and the first clean one is taken [shallahamer-touch-count]. Times are handed in.

Memory goes by the size of the cache, not by the blocks there are: a block is found through a table of open addressing,
at most half full, and when one leaves, the entries behind it move up, so that the table does not age. The loops take
flat arrays, or lists, from which the plain loops take a number several times faster.

NOTE: a search here goes on until it finds a buffer or none is left; Oracle's gives up after 40 % of the list.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from model.errors import SpecError
from model.kernels import Answer, Arguments, Kernel
from model.kernels.given import positive
from model.kernels.linked import Linked
from model.laws.buffer_cache import TouchRules

Blocks = NDArray[np.int64]
Row = Any
"""A flat array, or a list where the loops run plain."""

BLOCK, COUNT, HOTTER, COLDER = 0, 1, 2, 3
FIELDS = 4
"""Of a buffer, side by side. Buffer 0 is nobody: in the ring of links, between the hot and the cold end."""
COLD, HOT, WRITING = 0, 1, 2
REGION, DIRTY = 3, 4
"""Bits of a buffer's state: one of the three above, and whether it is dirty."""
INSIDE, HOTS, MIDPOINT, DIRTIES = 0, 1, 2, 3
SHIFT, SIZE, HOT_SIZE, HOT_COUNT, STAY_COUNT, COOL_COUNT, FIRST_COUNT = 4, 5, 6, 7, 8, 9, 10
"""Numbers of the cache as a whole: those that change, and those that do not. Midpoint: the coldest hot buffer."""
SPREAD, SPREAD_BITS = 5700357409661599241, 63
"""Odd, 2^63 over the golden ratio: the upper bits of its multiples lie evenly; those above them are not looked at."""

MOST = 2**31 // FIELDS - 1
"""Buffers; places among their fields have 32 bits."""
LEAST_REFERENCES = 2_000_000
"""Plain loops take 1.5 s over so many; as long as numba and loops take to start that have been compiled before."""
LISTED_PER_REFERENCE = 8
"""Buffers that lists are made for in the time of a plain reference."""
NOTHING: Blocks = np.empty(0, dtype=np.int64)


class Work(NamedTuple):
    """What became of references."""

    misses: Blocks
    """Which of them had to read their block, counted from 0."""
    done: int
    """References worked; fewer than given when no buffer was clean (``free buffer waits``)."""
    to_write: Blocks
    """Dirty blocks that went to the write list, in that order."""
    newly_dirty: Blocks
    """Blocks that were clean and became dirty, in that order."""
    inspected: int
    """Buffers looked at for a clean one (``free buffer inspected``)."""


class Rows(NamedTuple):
    """All that a cache remembers, and room for what it answers."""

    own: Row
    table: Row
    """Buffers by the hash of their block, 0 where there is none."""
    buffers: Row
    touched_s: Row
    state: Row
    to_write: Row
    found: Row
    """Misses of the references; behind the room for them, the blocks newly dirty."""


KINDS = Rows(np.int64, np.int32, np.int64, np.float64, np.uint8, np.int64, np.int64)


class Buffers:
    """Buffers under the touch-count algorithm; times are handed in.

    Its loops are compiled once the references expected, or those that came, are worth it.
    """

    def __init__(
        self, size_blocks: int, rules: TouchRules | None = None, expected_references: int = 0
    ) -> None:
        self.size_blocks = positive("size_blocks", size_blocks)
        if self.size_blocks > MOST:
            raise SpecError(f"size_blocks: {size_blocks} are too many buffers; {MOST} are the most")
        self.rules = rules or TouchRules()
        self._expected = max(expected_references, self.size_blocks // LISTED_PER_REFERENCE)
        self._compiled = _worth_compiling(self._expected)
        self._rows = self._empty()

    def _empty(self) -> Rows:
        """All buffers free."""
        size, rules = self.size_blocks, self.rules
        bits = size.bit_length() + 1
        limits = [SPREAD_BITS - bits, size, rules.hot_blocks(size)]
        own = [0, 0, 0, 0, *limits, rules.hot_count, rules.stay_count, rules.cool_count, rules.first_count]
        lengths = (1 << bits, (size + 1) * FIELDS, size + 1, size + 1, size, 0)
        zeros = (self._zeros(length, kind) for length, kind in zip(lengths, KINDS[1:], strict=True))
        return Rows(self._row(np.array(own, dtype=np.int64)), *zeros)

    def _expect(self, references: int) -> None:
        """Have the loops compiled, if those of the references that were not expected make it worth while."""
        more = references - self._expected
        self._expected = max(-more, 0)
        if more > 0 and _worth_compiling(more):
            self._compiled = True
            self._rows = Rows(
                *(np.array(row, dtype=kind) for row, kind in zip(self._rows, KINDS, strict=True))
            )

    def __len__(self) -> int:
        return int(self._rows.own[INSIDE])

    def __contains__(self, block: int) -> bool:
        own, table, buffers = self._rows[:3]
        return bool(table[place_of(index(block), table, buffers, int(own[SHIFT]))])

    @property
    def dirty(self) -> int:
        """Dirty buffers, those of the write list among them."""
        return int(self._rows.own[DIRTIES])

    def resident(self) -> Blocks:
        """Blocks in memory, in no order."""
        used = slice(FIELDS + BLOCK, FIELDS * (len(self) + 1), FIELDS)
        return np.array(self._rows.buffers[used], dtype=np.int64)

    def regions(self) -> tuple[list[int], list[int]]:
        """Blocks of the cold and of the hot region, each the coldest first."""
        cold: list[int] = []
        hot: list[int] = []
        buffers, state = self._rows.buffers, self._rows.state
        one = buffers[HOTTER]
        while one:
            region = hot if state[one] & REGION == HOT else cold
            region.append(int(buffers[one * FIELDS + BLOCK]))
            one = buffers[one * FIELDS + HOTTER]
        return cold, hot

    def touches(self, block: int) -> int:
        """Touches of a block in memory, as counted; KeyError for another."""
        own, table, buffers = self._rows[:3]
        slot = table[place_of(index(block), table, buffers, int(own[SHIFT]))]
        if not slot:
            raise KeyError(block)
        return int(buffers[slot * FIELDS + COUNT])

    def work(self, blocks: ArrayLike, changes: ArrayLike, cold_end: ArrayLike | None, now_s: float) -> Work:
        """Use blocks one after the other, all at *now_s*; one not in memory is read, if a buffer is found for it.

        Where *changes* says so the block is dirty afterwards, until it is written; where *cold_end* does, a block that
        is read comes in at the cold end. Without a buffer the work ends before that reference: ask again from there.
        """
        given = _flat("blocks", blocks, np.int64)
        count = given.size
        changing = _flat("changes", changes, np.bool_, count)
        aside = changing[:0] if cold_end is None else _flat("cold_end", cold_end, np.bool_, count)
        if not self._compiled:
            self._expect(count)
        if 2 * count > len(self._rows.found):
            self._rows = self._rows._replace(found=self._zeros(4 * count, np.int64))
        rows = self._rows
        done, missed, writing, dirtied, inspected = self._loop(worked)(
            self._row(given),
            self._row(changing),
            self._row(aside),
            float(now_s),  # an int would have the loop compiled anew
            float(self.rules.touch_time_s),
            tuple(rows),
        )
        return Work(
            _copied(rows.found, 0, missed),
            done,
            _copied(rows.to_write, 0, writing),
            _copied(rows.found, count, count + dirtied),
            inspected,
        )

    def written(self, blocks: ArrayLike) -> None:
        """Blocks are on disk as they are in memory; from the write list their buffers come to the cold end in turn.

        KeyError for a block that is not in memory, those before it being done.
        """
        given = _flat("blocks", blocks, np.int64)
        done = self._loop(cleaned)(self._row(given), tuple(self._rows))
        if done < given.size:
            raise KeyError(int(given[done]))

    def fill(self, blocks: ArrayLike, now_s: float = -math.inf, count: int | ArrayLike | None = None) -> None:
        """Put different blocks into an empty cache, as if each had been read to the midpoint at *now_s*.

        Their count is that of a block just read, unless another is given, or one for each; SpecError if they do not
        fit.
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
        if not self._compiled:
            self._expect(given.size)
        done = self._loop(filled)(self._row(given), float(now_s), self._row(counts), tuple(self._rows))
        if done < given.size:
            self._rows = self._empty()
            raise SpecError(f"blocks: {int(given[done])} is given twice")

    def _zeros(self, length: int, kind: Any) -> Row:
        return np.zeros(length, dtype=kind) if self._compiled else [0] * length

    def _row(self, array: NDArray[Any]) -> Row:
        return array if self._compiled else array.tolist()

    def _loop(self, loop: Kernel[Arguments, Answer]) -> Callable[Arguments, Answer]:
        return loop.compiled if self._compiled else loop.py_func


def _worth_compiling(references: int) -> bool:
    """Whether so many references more make the loops worth compiling."""
    return worked.for_requests(references, LEAST_REFERENCES) is not worked.py_func


def _flat(name: str, given: ArrayLike, kind: Any, count: int | None = None) -> NDArray[Any]:
    """The given as a flat array of that kind, itself if it is one; SpecError if it has not *count* entries."""
    array = np.ascontiguousarray(given, dtype=kind)
    if array.ndim != 1:
        raise SpecError(f"{name} has {array.ndim} dimensions; 1 is needed")
    if count is not None and array.size != count:
        raise SpecError(f"{name} has {array.size} entries for {count} references; give one to each")
    return array


def _copied(row: Row, begin: int, end: int) -> Blocks:
    """A part of what a loop answered; the next call overwrites it there."""
    return np.array(row[begin:end], dtype=np.int64) if end > begin else NOTHING


@Linked
def worked(
    blocks: Row, changes: Row, cold_end: Row, now_s: float, touch_time_s: float, rows: tuple[Row, ...]
) -> tuple[int, int, int, int, int]:
    """References in their order: how many were worked, and missed; blocks to write, newly dirty; buffers looked at."""
    own, table, buffers, touched_s, state, to_write, found = rows
    shift = own[SHIFT]
    count, last = len(blocks), len(table) - 1
    missed, writing, dirtied, inspected = 0, 0, 0, 0
    for k in range(count):
        block = blocks[k]
        slot = table[(block * SPREAD >> shift) & last]
        if (
            slot and buffers[slot * FIELDS + BLOCK] != block
        ):  # NOTE: most are at home, and a plain loop pays for calls
            slot = table[place_of(block, table, buffers, shift)]
        if slot:
            if now_s - touched_s[slot] >= touch_time_s:
                buffers[slot * FIELDS + COUNT] += 1
                touched_s[slot] = now_s
        else:
            if own[INSIDE] < own[SIZE]:
                own[INSIDE] += 1
                slot = own[INSIDE]
            else:
                slot, writing, looked = search(own, buffers, state, to_write, writing)
                inspected += looked
                if not slot:
                    return k, missed, writing, dirtied, inspected
                forget(buffers[slot * FIELDS + BLOCK], table, buffers, shift)
            table[place_of(block, table, buffers, shift)] = slot
            buffers[slot * FIELDS + BLOCK] = block
            aside = len(cold_end) > 0 and cold_end[k]
            buffers[slot * FIELDS + COUNT] = 0 if aside else own[FIRST_COUNT]
            touched_s[slot] = now_s
            state[slot] = COLD
            link(slot, buffers[HOTTER] if aside else own[MIDPOINT], buffers)
            found[missed] = k
            missed += 1
        if changes[k] and not state[slot] & DIRTY:
            state[slot] |= DIRTY
            own[DIRTIES] += 1
            found[count + dirtied] = block
            dirtied += 1
    return count, missed, writing, dirtied, inspected


@Linked
def cleaned(blocks: Row, rows: tuple[Row, ...]) -> int:
    """Blocks written, in their order, up to one that is not in memory; how many."""
    own, table, buffers, _, state, _, _ = rows
    for k in range(len(blocks)):
        slot = table[place_of(blocks[k], table, buffers, own[SHIFT])]
        if not slot:
            return k
        if state[slot] & DIRTY:
            own[DIRTIES] -= 1
        if state[slot] & REGION == WRITING:
            link(slot, buffers[HOTTER], buffers)
            state[slot] = COLD
        else:
            state[slot] &= REGION
    return len(blocks)


@Linked
def filled(blocks: Row, now_s: float, counts: Row, rows: tuple[Row, ...]) -> int:
    """Blocks put into an empty cache, the first at the cold end, up to one that is there already; how many."""
    own, table, buffers, touched_s, _, _, _ = rows
    for k in range(len(blocks)):
        at = place_of(blocks[k], table, buffers, own[SHIFT])
        if table[at]:
            return k
        slot = k + 1
        table[at] = slot
        buffers[slot * FIELDS + BLOCK] = blocks[k]
        buffers[slot * FIELDS + COUNT] = counts[k]
        touched_s[slot] = now_s
        link(slot, 0, buffers)
        own[INSIDE] = slot
    return len(blocks)


def place_of(block: int, table: Row, buffers: Row, shift: int) -> int:
    """Where in the table a block is, or would come."""
    last = len(table) - 1
    at = (block * SPREAD >> shift) & last
    slot = table[at]
    while slot and buffers[slot * FIELDS + BLOCK] != block:
        at = (at + 1) & last
        slot = table[at]
    return at


def forget(block: int, table: Row, buffers: Row, shift: int) -> None:
    """Take a block out of the table, and let entries behind it move up as far as their own places."""
    last = len(table) - 1
    gap = at = place_of(block, table, buffers, shift)
    while True:
        at = (at + 1) & last
        slot = table[at]
        if not slot:
            break
        home = (buffers[slot * FIELDS + BLOCK] * SPREAD >> shift) & last
        if (at - home) & last >= (at - gap) & last:
            table[gap] = slot
            gap = at
    table[gap] = 0


def link(slot: int, above: int, buffers: Row) -> None:
    """Put a buffer into the ring, on the cold side of another."""
    below = buffers[above * FIELDS + COLDER]
    buffers[slot * FIELDS + HOTTER] = above
    buffers[slot * FIELDS + COLDER] = below
    buffers[above * FIELDS + COLDER] = slot
    buffers[below * FIELDS + HOTTER] = slot


def search(own: Row, buffers: Row, state: Row, to_write: Row, writing: int) -> tuple[int, int, int]:
    """A clean buffer out of the ring, or 0; how many blocks go to be written by now, and how many were looked at."""
    looked = 0
    while buffers[HOTTER]:
        slot = buffers[HOTTER]
        looked += 1
        above = buffers[slot * FIELDS + HOTTER]
        buffers[HOTTER] = above
        buffers[above * FIELDS + COLDER] = 0
        if state[slot] & REGION == HOT:
            own[HOTS] -= 1
            own[MIDPOINT] = above
        if buffers[slot * FIELDS + COUNT] >= own[HOT_COUNT]:
            heat(slot, own, buffers, state)
        elif state[slot] & DIRTY:
            state[slot] = WRITING | DIRTY
            to_write[writing] = buffers[slot * FIELDS + BLOCK]
            writing += 1
        else:
            return slot, writing, looked
    return 0, writing, looked


def heat(slot: int, own: Row, buffers: Row, state: Row) -> None:
    """Put a buffer to the hot end; the coldest of the hot region is cooled if that has no room for it."""
    link(slot, 0, buffers)
    buffers[slot * FIELDS + COUNT] = own[STAY_COUNT]
    state[slot] = (state[slot] & DIRTY) | HOT
    if not own[MIDPOINT]:
        own[MIDPOINT] = slot
    if own[HOTS] < own[HOT_SIZE]:
        own[HOTS] += 1
        return
    cooled = own[MIDPOINT]
    buffers[cooled * FIELDS + COUNT] = own[COOL_COUNT]
    state[cooled] = (state[cooled] & DIRTY) | COLD
    own[MIDPOINT] = buffers[cooled * FIELDS + HOTTER]
