"""In what turns the sessions of a workload change the rows of a segment, and when each commits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from blocktime.model.machine.segment.heap import Heap
from blocktime.model.spec import Dml

ORDER_SEED = 20_080_614
NEW = -1
"""Instead of a block, for rows that are inserted: a search finds theirs."""

MOST_AT_ONCE = 4096
"""Turns that are made together."""
TURN_NS = 1500
"""Work of a turn, beside what it does in the segment."""
ORDERED_BYTES = 16
"""Of a row, or a block of rows, in an order; and while rows are put into any order."""
ORDERING_BYTES = 40

Turn = tuple[int, int, int]
"""A block, the first row in it, and how many."""
Order = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Blocks, and how many rows of each, one block after another; or blocks and one row of each, in any order."""


def share_of_blocks(rows: NDArray[np.int64], fraction: float) -> Order:
    """Blocks and the first rows of each, so many that all together are the wanted share; *rows* each block has."""
    due = (np.cumsum(rows) * fraction + 1e-9).astype(np.int64)
    chosen = np.diff(due, prepend=0).astype(np.int64)
    homes = np.flatnonzero(chosen)
    return homes, chosen[homes]


def turns_of(work: Dml, order: Order, session: int, alone: bool = False) -> Iterator[Turn]:
    """What one session changes in a pass: its part of the blocks or of the rows in any *order*, or its arrays.

    Where nobody comes between, *alone*, its arrays make one turn.
    """
    if work.inserts:
        rows, each = work.added_rows, work.rows_a_call
        left = rows * (session + 1) // work.users - rows * session // work.users
        turn = max(1, left) if alone else each
        while left:
            yield NEW, 0, min(turn, left)
            left -= min(turn, left)
        return
    count = len(order[0])
    session_part = slice(count * session // work.users, count * (session + 1) // work.users)
    if work.at_random:
        session_part = slice(session, None, work.users)
    homes, numbers = order[0][session_part], order[1][session_part]
    for first in range(0, len(homes), MOST_AT_ONCE):
        some = slice(first, first + MOST_AT_ONCE)
        for home, number in zip(homes[some].tolist(), numbers[some].tolist(), strict=True):
            yield (home, number, 1) if work.at_random else (home, 0, number)


def count_of_turns(work: Dml, order: Order, session: int) -> int:
    """How many turns :func:`turns_of` has in a pass of a session that is not alone."""
    users = work.users
    if work.inserts:
        rows = work.added_rows * (session + 1) // users - work.added_rows * session // users
        return -(-rows // work.rows_a_call)
    count = len(order[0])
    if work.at_random:
        return len(range(session, count, users))
    return count * (session + 1) // users - count * session // users


def in_any_order(blocks: Order) -> Order:
    """The rows in an order that has nothing to do with their blocks: block of each, and its number there."""
    homes, rows = blocks
    starts = np.arange(rows.sum()) - (rows.cumsum() - rows).repeat(rows)
    order = np.random.default_rng(ORDER_SEED).permutation(len(starts))
    return homes.repeat(rows)[order], starts[order]


def make(heap: Heap, session: int, work: Dml, turn: Turn, lengths: tuple[int, int, int | None]) -> None:
    """Let a session make the changes of a turn."""
    home, start, rows = turn
    heap.watch.spend(TURN_NS)
    if home == NEW:
        heap.insert(session, rows, lengths[0], work.rows_a_call)
    elif work.deletes:
        heap.delete(session, home, start, rows)
    else:
        heap.update(session, home, start, rows, lengths[1])


class Commits:
    """When a session commits, *every* so many rows; 0 is one transaction."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.commits = 0
        self._since = 0

    def parts(self, turn: Turn) -> Iterator[Turn]:
        """Cut a turn where the session commits."""
        home, start, rows = turn
        while rows:
            part = min(rows, self.every - self._since) if self.every else rows
            yield home, start, part
            start += part
            rows -= part

    def done(self, turn: Turn) -> bool:
        """Note that the rows of *turn* have been changed; whether the session commits now."""
        self._since += turn[2]
        if not self.every or self._since < self.every:
            return False
        self.commits += 1
        self._since = 0
        return True
