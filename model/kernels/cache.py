"""Streams of references to blocks replayed against a cache: LRU, CLOCK, touch counts.

A stream that is replayed more than once is numbered once, by :func:`numbered`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocktime.model.errors import SpecError, shown
from blocktime.model.kernels.arguments import positive
from blocktime.model.laws.buffer_cache import TouchRules
from blocktime.model.loops import cache, fastest
from blocktime.model.loops.rows import row

Ids = NDArray[np.uint32]
Flags = NDArray[np.bool_]
Blocks = NDArray[np.int64]

MOST = 2**31 - 1
"""References of a stream; places in it are 32 bits wide, which keeps twice as many of them near the processor."""
LEAST_BITS = 12
"""Of a place in the first table of blocks."""
TOGETHER, FEW = 256, 32
"""References that are looked up at once, and those whose blocks may leave an LRU cache at once."""
by_first_use, touch_counted = fastest(cache.by_first_use), fastest(cache.touch_counted)
least_recent, second_chance = fastest(cache.least_recent), fastest(cache.second_chance)


class Stream(NamedTuple):
    """References by small numbers for the blocks."""

    ids: Ids
    kinds: int
    """Every number is below this."""


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
    for part in (number[:1_000], number):  # NOTE: the first tell mostly that all are in no one range
        low, high = int(part.min()), int(part.max())
        if high - low >= 2 * number.size:
            return looked_up(number)[0]
    ids = np.empty(number.size, np.uint32)
    return Stream(np.subtract(number, low, out=ids, casting="unsafe"), high - low + 1)


def looked_up(number: Blocks) -> tuple[Stream, Blocks]:
    """Any numbers by their order of first use, from a table that grows with them; and the blocks in that order."""
    ids, known = np.empty(number.size, np.uint32), np.empty(number.size, np.int64)
    known[:1] = number[:1]
    known_row, ids_row, aside = map(row, (known, ids, np.empty(TOGETHER, np.uint32)))
    bits, done, kinds = max(LEAST_BITS, number.size.bit_length() - 4), 0, min(number.size, 1)
    while True:
        table = row(np.zeros(1 << bits, np.int32))
        done, kinds = by_first_use(row(number), bits, table, known_row, ids_row, aside, done, kinds)
        if done == number.size:
            return Stream(ids, kinds), known[:kinds]
        bits += 2


def replay_lru(blocks: ArrayLike | Stream, size_blocks: int) -> Replay:
    """Replay against LRU: the block not used for longest goes first."""
    stream, size = numbered(blocks), positive("size_blocks", size_blocks)
    last, used = np.zeros(stream.kinds, np.int32), np.empty(FEW, np.int32)
    again, hit = np.zeros(stream.ids.size + 1, np.uint8), np.empty(stream.ids.size, np.uint8)
    least_recent(row(stream.ids), size, *map(row, (last, again, used, hit)))
    return _replay(hit)


def replay_clock(blocks: ArrayLike | Stream, size_blocks: int) -> Replay:
    """Replay against CLOCK: the oldest block not used since the hand last passed it goes first [corbato-1968].

    A block comes in unused, and a miss leaves the hand behind the block that it brought in, which is what the simulator
    [libcachesim] does under the same name with its one bit.
    """
    stream, size = numbered(blocks), positive("size_blocks", size_blocks)
    ring, hit = np.zeros(min(size, max(stream.kinds, 1)), np.uint32), np.zeros(stream.ids.size, np.uint8)
    second_chance(*map(row, (stream.ids, ring, np.zeros(stream.kinds, np.uint8), hit)))
    return _replay(hit)


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
    every = stream.kinds + 1
    hit = np.zeros(count, np.uint8)
    rows = (
        stream.ids,
        times,
        aside.view(np.uint8),
        np.zeros(every, np.uint8),
        np.zeros(every, np.int32),
        np.zeros(every),
        np.full(every, stream.kinds, np.int32),
        np.full(every, stream.kinds, np.int32),
        hit,
    )
    touch_counted(
        size,
        rules.hot_blocks(size),
        touch_time_s,
        rules.hot_count,
        rules.stay_count,
        rules.cool_count,
        rules.first_count,
        *map(row, rows),
    )
    return _replay(hit)


def _replay(flags: NDArray[np.uint8]) -> Replay:
    hit = flags.view(np.bool_)
    hits = int(np.count_nonzero(hit))
    return Replay(hit, hits, hit.size - hits)


def _each(name: str, given: ArrayLike, kind: Any, count: int) -> NDArray[np.generic]:
    """One entry for each reference, as an array of that kind."""
    try:
        entries = np.asarray(given, dtype=kind, order="C")
    except (TypeError, ValueError) as error:
        raise SpecError(f"{name}: {shown(given)} is no array of {kind.__name__}") from error
    if entries.shape != (count,):
        raise SpecError(
            f"{name} has the shape {entries.shape} for {count} references; give one entry to each"
        )
    return entries
