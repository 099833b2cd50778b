"""Streams of references replayed against a cache, block by block; see :mod:`model.kernels.cache`."""

from __future__ import annotations

from blocktime.model.loops.rows import (
    Bytes,
    Counts,
    GivenBytes,
    GivenCounts,
    GivenReals,
    GivenWholes,
    Halves,
    Reals,
    Wholes,
)

SPREAD, SPREAD_BITS = 5700357409661599241, 63
"""Odd, 2^63 over the golden ratio: the upper bits of its multiples lie evenly; those above them are not looked at."""
FOLD = 12
"""Each bit is joined by the one so much higher: file offsets are multiples of powers of two."""
ABSENT, COLD, HOT = 0, 1, 2


def by_first_use(  # noqa: PLR0913, PLR0917  (one loop; its rows one by one)
    number: GivenWholes,
    bits: int,
    table: Halves,
    known: Wholes,
    ids: Counts,
    aside: Counts,
    begin: int,
    kinds: int,
) -> tuple[int, int]:
    """Blocks by their order of first use, from an empty table of open addressing, until it may be half full.

    *known* holds the blocks by their numbers, *kinds* of them at the begin; 0, which is known, has no entry. How many
    references were done, and how many kinds there are by then.

    NOTE: First come those that stand where they are looked for first: a processor waits for many of them at once.
    """
    last, shift = len(table) - 1, SPREAD_BITS - bits
    for kind in range(1, kinds):
        at = _first_place(known[kind], shift, last)
        while table[at]:
            at = (at + 1) & last
        table[at] = kind
    while begin < len(number) and 2 * (kinds + len(aside)) <= last:
        end, others = min(begin + len(aside), len(number)), 0
        for k in range(begin, end):
            ids[k] = table[_first_place(number[k], shift, last)]
        for k in range(begin, end):
            aside[others] = k
            others += int(known[ids[k]] != number[k])
        for other in range(others):
            block = number[aside[other]]
            at = _first_place(block, shift, last)
            while table[at] and known[table[at]] != block:
                at = (at + 1) & last
            new: int = table[at]
            if known[new] != block:
                table[at] = new = kinds
                known[new] = block
                kinds += 1
            ids[aside[other]] = new
        begin = end
    return begin, kinds


def _first_place(block: int, shift: int, last: int) -> int:
    """Where a table holds a block, if no other stands there."""
    return (block ^ block >> FOLD) * SPREAD >> shift & last


def least_recent(ids: GivenCounts, size: int, last: Halves, again: Bytes, used: Halves, hit: Bytes) -> None:
    """Hits of LRU. The stream itself is the list: inside is every block last used at *oldest* or later.

    Places in the stream count from 1; *again* tells of each whether a later one has its block. Several references are
    taken as one, and the blocks that they push out are counted behind them; fewer where one of these blocks was wanted.
    """
    oldest, room, begin, together = 1, size, 0, 1
    while begin < len(ids):
        together = min(together, len(ids) - begin)
        first, nearest, misses = oldest, len(again), 0
        for k in range(together):
            place: int = last[ids[begin + k]]
            last[ids[begin + k]] = begin + k + 1
            used[k] = place
            again[place] = 1
            missed = int(place < first)
            hit[begin + k] = 1 - missed
            misses += missed
            nearest = min(nearest, place + missed * len(again))
        pushed = left = max(misses - room, 0)
        while left:
            left -= 1 - again[oldest]
            oldest += 1
        if nearest >= oldest:
            room -= misses - pushed
            begin += together
            together = min(2 * together, len(used))
            continue
        for k in range(together - 1, -1, -1):
            again[used[k]] = 0
            last[ids[begin + k]] = used[k]
        oldest = first
        together >>= 1


def second_chance(ids: GivenCounts, ring: Counts, state: Bytes, hit: Bytes) -> None:
    """Hits of CLOCK: blocks in a ring, and for each whether it is absent, unused since the hand passed, or used."""
    size, hand, inside = len(ring), 0, 0
    for k in range(len(ids)):
        block = ids[k]
        if state[block]:
            hit[k] = 1
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


def touch_counted(  # noqa: PLR0913, PLR0917  (one loop; its rules and rows one by one)
    size: int,
    hot_size: int,
    touch_time_s: float,
    hot_count: int,
    stay_count: int,
    cool_count: int,
    first_count: int,
    ids: GivenCounts,
    times_s: GivenReals,
    cold_end: GivenBytes,
    region: Bytes,
    count: Halves,
    touched_s: Reals,
    hotter: Halves,
    colder: Halves,
    hit: Bytes,
) -> None:
    """Hits under touch counts. What is remembered of each block stands in rows, the last block being nobody.

    One ring of links holds both regions and, between the hot and the cold end, nobody.
    """
    nobody = len(region) - 1
    inside, hot, midpoint = 0, 0, nobody  # midpoint: the coldest of the hot region
    for k in range(len(ids)):
        block = ids[k]
        if region[block] != ABSENT:
            hit[k] = 1
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
