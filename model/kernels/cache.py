"""Streams of references to blocks replayed against a cache: LRU, CLOCK, touch counts.

A stream that is replayed more than once is numbered once, by :func:`numbered`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from model.errors import SpecError, shown
from model.kernels import Kernel
from model.kernels.given import positive
from model.kernels.linked import Linked
from model.laws.buffer_cache import TouchRules

Ids = NDArray[np.uint32]
Flags = NDArray[np.bool_]
Blocks = NDArray[np.int64]
Row = Any
"""A flat array, or a list where a loop runs plain."""

MOST = 2**31 - 1
"""References of a stream; places in it are 32 bits wide, which keeps twice as many of them near the processor."""
HASH_BITS = 31
LOW_BITS = (1 << HASH_BITS) - 1
SPREAD_LOW, SPREAD_HIGH, SPREAD_TOP = 1327217885, 1640531527, 2027808485
"""Odd factors below 2^31, the first 2^31 over the golden ratio: the upper bits of its multiples lie evenly."""
ABSENT, COLD, HOT = 0, 1, 2


class Stream(NamedTuple):
    """References by small numbers for the blocks."""

    ids: Ids
    kinds: int
    """Every number is below this."""


class Touched(NamedTuple):
    """What touch counts remember of each block, the last being nobody, between hot and cold end; and what was found."""

    region: Row
    count: Row
    touched_s: Row
    hotter: Row
    colder: Row
    hit: Row
    """For each reference."""


class Replay(NamedTuple):
    """What a cache found."""

    hit: Flags
    """For each reference."""
    hits: int
    misses: int


def numbered(blocks: ArrayLike | Stream) -> Stream:
    """References to blocks of any numbers, for several replays; SpecError for what are no block numbers.

    NOTE: ``numpy.unique`` sorts, which takes ten times as long as to look each block up.
    """
    if isinstance(blocks, Stream):
        return blocks
    given = np.asarray(blocks)
    if given.ndim != 1:
        raise SpecError(f"blocks has {given.ndim} dimensions; 1 is needed")
    if given.size > MOST:
        raise SpecError(f"blocks has {given.size} references; {MOST} are the most")
    if not given.size:
        return Stream(np.empty(0, dtype=np.uint32), 0)
    if not np.can_cast(given.dtype, np.int64) or given.dtype == np.bool_:
        raise SpecError(f"blocks: {shown(blocks)} is no array of whole numbers of 64 bits")
    number = np.ascontiguousarray(given, dtype=np.int64)
    low, high = int(number.min()), int(number.max())
    if high - low < 2 * number.size:
        return Stream((number - low).astype(np.uint32), high - low + 1)
    return Stream(*by_first_use.for_requests(number.size)(number))


def replay_lru(blocks: ArrayLike | Stream, size_blocks: int) -> Replay:
    """Replay against LRU: the block not used for longest goes first."""
    stream, size = numbered(blocks), positive("size_blocks", size_blocks)
    loop = least_recent.for_requests(stream.ids.size)
    row = _rows_of(loop is least_recent.py_func)
    return _replay(loop(row(stream.ids), size, row(np.full(stream.kinds, -1, np.int32)), row(_no(stream))))


def replay_clock(blocks: ArrayLike | Stream, size_blocks: int) -> Replay:
    """Replay against CLOCK: the oldest block not used since the hand last passed it goes first [corbato-1968].

    A block comes in unused, and a miss leaves the hand behind the block that it brought in, which is what the simulator
    [libcachesim] does under the same name with its one bit.
    """
    stream, size = numbered(blocks), positive("size_blocks", size_blocks)
    loop = second_chance.for_requests(stream.ids.size)
    row = _rows_of(loop is second_chance.py_func)
    ring = np.zeros(min(size, max(stream.kinds, 1)), np.uint32)
    return _replay(loop(row(stream.ids), row(ring), row(np.zeros(stream.kinds, np.uint8)), row(_no(stream))))


def replay_touch_count(
    blocks: ArrayLike | Stream,
    size_blocks: int,
    times_s: ArrayLike | None = None,
    cold_end: ArrayLike | None = None,
    rules: TouchRules | None = None,
) -> Replay:
    """Replay against touch counts, as in :class:`model.kernels.buffers.Buffers`, no block changed.

    Without times every touch counts; without flags no block is read to the cold end.
    """
    stream, size, rules = numbered(blocks), positive("size_blocks", size_blocks), rules or TouchRules()
    count = stream.ids.size
    touch_time_s = rules.touch_time_s if times_s is not None else 0.0
    times = np.zeros(count) if times_s is None else _each("times_s", times_s, np.float64, count)
    if not np.isfinite(times).all():
        raise SpecError(
            f"times_s has a time of {times[~np.isfinite(times)][0]:g} s; every time must be finite"
        )
    aside = (
        np.zeros(count, dtype=np.bool_) if cold_end is None else _each("cold_end", cold_end, np.bool_, count)
    )
    counts = (rules.hot_count, rules.stay_count, rules.cool_count, rules.first_count)
    limits = (size, rules.hot_blocks(size), touch_time_s)
    loop = touch_counted.for_requests(count)
    row = _rows_of(loop is touch_counted.py_func)
    every = stream.kinds + 1
    state = (
        np.zeros(every, np.uint8),
        np.zeros(every, np.int32),
        np.zeros(every, np.float64),
        np.full(every, stream.kinds, np.int32),
        np.full(every, stream.kinds, np.int32),
        _no(stream),
    )
    rows = Touched(*(row(one) for one in state))
    return _replay(loop(row(stream.ids), row(times), row(aside), limits, counts, rows))


@Linked
def by_first_use(number: Blocks) -> tuple[Ids, int]:
    """Blocks by their order of first use, from a table of open addressing that is at most half full."""
    bits, kinds = 12, 0
    table = np.full(1 << bits, -1, dtype=np.int32)
    known = np.empty(number.size, dtype=np.int64)
    ids = np.empty(number.size, dtype=np.uint32)
    for k in range(number.size):
        block = number[k]
        at = spread(block) >> (HASH_BITS - bits)
        while table[at] >= 0 and known[table[at]] != block:
            at = (at + 1) & (table.size - 1)
        if table[at] >= 0:
            ids[k] = table[at]
        else:
            table[at] = kinds
            known[kinds] = block
            ids[k] = kinds
            kinds += 1
            if 2 * kinds > table.size:
                bits += 1
                table = np.full(1 << bits, -1, dtype=np.int32)
                for one in range(kinds):
                    at = spread(known[one]) >> (HASH_BITS - bits)
                    while table[at] >= 0:
                        at = (at + 1) & (table.size - 1)
                    table[at] = one
    return ids, kinds


def spread(block: int) -> int:
    """Hash of a block number. Its parts are multiplied one by one: a product of 64 bits would overflow."""
    low, high = block & LOW_BITS, (block >> HASH_BITS) & LOW_BITS
    return (low * SPREAD_LOW + high * SPREAD_HIGH + (block >> 2 * HASH_BITS) * SPREAD_TOP) & LOW_BITS


@Kernel
def least_recent(ids: Row, size: int, last: Row, hit: Row) -> Row:
    """Hits of LRU. The stream itself is the list: inside is every block last used at *oldest* or later."""
    oldest, inside = 0, 0
    for k in range(len(ids)):
        block = ids[k]
        if last[block] >= oldest:
            hit[k] = True
        elif inside < size:
            inside += 1
        else:
            while last[ids[oldest]] != oldest:
                oldest += 1
            oldest += 1
        last[block] = k
    return hit


@Kernel
def second_chance(ids: Row, ring: Row, state: Row, hit: Row) -> Row:
    """Hits of CLOCK: blocks in a ring, and for each whether it is absent, unused since the hand passed, or used."""
    size = len(ring)
    hand, inside = 0, 0
    for k in range(len(ids)):
        block = ids[k]
        if state[block]:
            hit[k] = True
            state[block] = 2
            continue
        if inside < size:
            ring[inside] = block
            inside += 1
        else:
            while state[ring[hand]] == 2:
                state[ring[hand]] = 1
                hand = hand + 1 if hand + 1 < size else 0
            state[ring[hand]] = 0
            ring[hand] = block
            hand = hand + 1 if hand + 1 < size else 0
        state[block] = 1
    return hit


@Kernel
def touch_counted(  # noqa: PLR0915  (one loop, the regions in one list)
    ids: Row,
    times_s: Row,
    cold_end: Row,
    limits: tuple[int, int, float],
    counts: tuple[int, int, int, int],
    rows: Touched,
) -> Row:
    """Hits under touch counts. One ring of links holds both regions and, between the hot and the cold end, nobody."""
    size, hot_size, touch_time_s = limits
    hot_count, stay_count, cool_count, first_count = counts
    region, count, touched_s, hotter, colder, hit = rows
    nobody = len(region) - 1
    inside, hot, midpoint = 0, 0, nobody  # midpoint: the coldest of the hot region
    for k in range(len(ids)):
        block = ids[k]
        if region[block] != ABSENT:
            hit[k] = True
            if times_s[k] - touched_s[block] >= touch_time_s:
                count[block] += 1
                touched_s[block] = times_s[k]
            continue
        if inside < size:
            inside += 1
        else:
            while True:
                coldest = hotter[nobody]
                above = hotter[coldest]
                hotter[nobody] = above
                colder[above] = nobody
                if region[coldest] == HOT:
                    hot -= 1
                    midpoint = above
                if count[coldest] < hot_count:
                    region[coldest] = ABSENT
                    break
                count[coldest] = stay_count
                region[coldest] = HOT
                hot += 1
                below = colder[nobody]
                hotter[coldest] = nobody
                colder[coldest] = below
                colder[nobody] = coldest
                hotter[below] = coldest
                if midpoint == nobody:
                    midpoint = coldest
                if hot > hot_size:
                    hot -= 1
                    region[midpoint] = COLD
                    count[midpoint] = cool_count
                    midpoint = hotter[midpoint]
        above = hotter[nobody] if cold_end[k] else midpoint
        below = colder[above]
        hotter[block] = above
        colder[block] = below
        colder[above] = block
        hotter[below] = block
        region[block] = COLD
        count[block] = 0 if cold_end[k] else first_count
        touched_s[block] = times_s[k]
    return hit


def _no(stream: Stream) -> Flags:
    """Room for whether each reference found its block."""
    return np.zeros(stream.ids.size, np.bool_)


def _rows_of(plain: bool) -> Callable[[NDArray[Any]], Row]:
    """What makes an array fit for a loop: from lists a plain one takes a number several times faster."""
    return (lambda array: array.tolist()) if plain else np.asarray


def _replay(found: Row) -> Replay:
    hit = np.asarray(found, dtype=np.bool_)
    hits = int(np.count_nonzero(hit))
    return Replay(hit, hits, hit.size - hits)


def _each(name: str, given: ArrayLike, kind: Any, count: int) -> NDArray[Any]:
    """One entry for each reference, as an array of that kind."""
    try:
        found = np.asarray(given, dtype=kind, order="C")
    except (TypeError, ValueError) as error:
        raise SpecError(f"{name}: {shown(given)} is no array of {kind.__name__}") from error
    if found.shape != (count,):
        raise SpecError(f"{name} has the shape {found.shape} for {count} references; give one entry to each")
    return found
