"""What fetch calls tell: a client's array size and first call, and the rows of a block from their gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.spec import System, Table

USUAL: Final = (10, 15, 20, 50, 100, 200, 250, 500, 1000, 5000)
"""Array sizes that clients have."""
ASSUMED: Final = 100
MOST: Final = 1_000_000


class Habit(NamedTuple):
    """How a client fetches."""

    array_rows: int
    least_rows: int
    most_rows: int
    """Array sizes that would show the same fetch calls."""
    first_rows: int | None = None
    """Rows of its first fetch call; the array size where a call that is not full is its last, None where it asks again
    after one."""


def habit_of_calls(sizes: Sequence[int]) -> Habit:
    """The habit that the rows of the fetch calls of one execution show.

    A call that is not full is the last one, so an array that was never filled is known by a bound alone.
    """
    *before, last = sizes
    filled = before[1:] or [rows for rows in before if rows >= last]
    if not filled:
        least = last + 1
        array = max(ASSUMED, least)
        return Habit(array, least, MOST, before[0] if before else array)
    array = max(filled)
    if sizes[0] != array:
        return Habit(array, array, array, sizes[0])
    return Habit(array, array, array, array if last else None)


def habit_of_sums(rows: float, fetches: float) -> Habit:
    """The habit that *fetches* calls for *rows* rows leave possible, the last of them finding the end."""
    if round(fetches) < 2 or rows < 1:
        least = max(1, round(rows)) + 1
        return Habit(max(ASSUMED, least), least, MOST, max(ASSUMED, least))
    least = int(-(-rows // (round(fetches) - 1)))
    most = max(least, int(-(-rows // (round(fetches) - 2)) - 1)) if fetches > 2 else MOST
    usual = [size for size in USUAL if least <= size <= most]
    return Habit(usual[0] if usual else least, least, most)


LEAST_CALLS: Final = 5
AROUND: Final = 0.25
"""How far from the mean the rows of a block are looked for."""
MOST_ODD: Final = 0.05
"""Share of fetch calls that may have other gets than blocks of equal rows make: those with a header or a map block."""


class EqualBlocks(NamedTuple):
    """Blocks that hold as many rows each."""

    rows: int
    other_gets: int
    """Gets of the fetch calls beyond those of such blocks."""


CREATED_BY: Final = "ctas"
"""A table without blocks that were formatted ahead of the rows: gets tell all blocks that hold rows."""


def equal_blocks(calls: Sequence[tuple[int, int]]) -> EqualBlocks | None:
    """Rows of each block, from rows and gets of the fetch calls of one scan; None where blocks are not alike.

    A call gets each block that its rows lie in, so its gets tell where blocks end. What some calls get besides is never
    negative.
    """
    rows, gets = sum(call[0] for call in calls), sum(call[1] for call in calls)
    if len(calls) < LEAST_CALLS or gets <= len(calls) or not rows:
        return None
    mean = rows / max(1, gets - len(calls) + 1)
    best: tuple[int, int, int] | None = None
    for fit in range(max(1, int(mean * (1 - AROUND))), int(mean * (1 + AROUND)) + 2):
        done, odd, beyond = 0, 0, 0
        for returned, got in calls:
            if not returned:
                continue
            more = got - ((done + returned - 1) // fit - done // fit + 1)
            odd, beyond, done = odd + (more != 0), beyond + more, done + returned
        if beyond >= 0 and (best is None or odd < best[0]):
            best = odd, fit, beyond
    if best is None or best[0] > max(2, MOST_ODD * len(calls)):
        return None
    return EqualBlocks(best[1], best[2])


def row_bytes_of(rows: int) -> int | None:
    """Length of rows of which a block of the default form holds *rows*; None where no whole length does."""
    for length in range(3, 8192):
        table = Table(row_bytes=length, created_by=CREATED_BY)
        fit = segment_of(System(table=table), row_shape(table)).rows_per_block
        if fit <= rows:
            return length if fit == rows else None
    return None
