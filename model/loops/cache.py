"""Streams of references replayed against a cache, block by block; see :mod:`model.kernels.cache`."""

from __future__ import annotations

from model.loops.rows import (
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


def by_first_use(
    number: GivenWholes, table: Halves, known: Wholes, ids: Counts, begin: int, kinds: int
) -> tuple[int, int]:
    """Blocks by their order of first use, from a table of open addressing, until a quarter is full.

    *known* holds the blocks by their numbers, *kinds* of them at the begin. How many references were done, and how many
    kinds there are by then.
    """
    last, shift = len(table) - 1, SPREAD_BITS + 1 - _bits(len(table))
    for k in range(begin, len(number)):
        block = number[k]
        at = (block ^ block >> FOLD) * SPREAD >> shift & last
        kind: int = table[at]
        while kind >= 0 and known[kind] != block:
            at = (at + 1) & last
            kind = table[at]
        if kind >= 0:
            ids[k] = kind
            continue
        table[at] = kinds
        known[kinds] = block
        ids[k] = kinds
        kinds += 1
        if 4 * kinds > last:
            return k + 1, kinds
    return len(number), kinds


def entered(known: GivenWholes, kinds: int, table: Halves) -> None:
    """The blocks known so far come into an empty table."""
    last, shift = len(table) - 1, SPREAD_BITS + 1 - _bits(len(table))
    for kind in range(kinds):
        at = (known[kind] ^ known[kind] >> FOLD) * SPREAD >> shift & last
        while table[at] >= 0:
            at = (at + 1) & last
        table[at] = kind


def _bits(length: int) -> int:
    """Bits of a number."""
    bits = 0
    while length:
        length >>= 1
        bits += 1
    return bits


def least_recent(ids: GivenCounts, size: int, last: Halves, again: Bytes, hit: Bytes) -> None:
    """Hits of LRU. The stream itself is the list: inside is every block last used at *oldest* or later.

    *again* tells of each reference whether a later one hits its block.
    """
    oldest, inside = 0, 0
    for k in range(len(ids)):
        block = ids[k]
        used = last[block]
        last[block] = k
        if used >= oldest:
            hit[k] = again[used] = 1
        elif inside < size:
            inside += 1
        else:
            while again[oldest]:
                oldest += 1
            oldest += 1


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
