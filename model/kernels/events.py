"""Heaps for compiled loops: events in the order of their times, and servers by when they get free."""

from __future__ import annotations

from typing import Any

from model.kernels.shop import AT_S, EVENT_COUNT, EVENT_TURN, TURNS, WHATS, Shop, real_part, whole_part

Row = Any
"""A flat array."""
KINDS = 8
"""Of events; the number of one says its kind and whom it is about."""


def turn_of(shop: Shop) -> int:
    """The turn of an event that is noted now; of events at the same time the first turn comes first, as in SimPy."""
    turn: int = shop.whole[EVENT_TURN]
    shop.whole[EVENT_TURN] = turn + 1
    return turn


def push(shop: Shop, at_s: float, what: int) -> None:
    """Note an event."""
    times_s, turns, whats = real_part(shop, AT_S), whole_part(shop, TURNS), whole_part(shop, WHATS)
    place = shop.whole[EVENT_COUNT]
    shop.whole[EVENT_COUNT] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if times_s[above] <= at_s:  # the new one has the last turn
            break
        times_s[place] = times_s[above]
        turns[place] = turns[above]
        whats[place] = whats[above]
        place = above
    times_s[place] = at_s
    turns[place] = turn_of(shop)
    whats[place] = what


def pop(shop: Shop) -> None:
    """Take the first event away."""
    times_s, turns, whats = real_part(shop, AT_S), whole_part(shop, TURNS), whole_part(shop, WHATS)
    last = shop.whole[EVENT_COUNT] - 1
    shop.whole[EVENT_COUNT] = last
    at_s, turn = times_s[last], turns[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        if below + 1 < last and _comes_before(times_s, turns, below + 1, times_s[below], turns[below]):
            below += 1
        if not _comes_before(times_s, turns, below, at_s, turn):
            break
        times_s[place] = times_s[below]
        turns[place] = turns[below]
        whats[place] = whats[below]
        place = below
    times_s[place] = at_s
    turns[place] = turn
    whats[place] = whats[last]


def _comes_before(times_s: Row, turns: Row, place: int, at_s: float, turn: int) -> bool:
    """Whether an event comes before another one."""
    return bool(times_s[place] < at_s or (times_s[place] == at_s and turns[place] < turn))


def replace_least(free_at: Row, value: float) -> None:
    """Put a value in the place of the least of a heap."""
    count, place = len(free_at), 0
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and free_at[below + 1] < free_at[below]:
            below += 1
        if free_at[below] >= value:
            break
        free_at[place] = free_at[below]
        place = below
    free_at[place] = value
