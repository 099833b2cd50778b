"""A client's habit of fetching: its array size, and the rows of its first fetch call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

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
