"""In what turns the sessions of a workload change the rows of a segment, and when each commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from blocktime.model.machine.segment.heap import Heap
from blocktime.model.spec import Dml

ORDER_SEED = 20_080_614
NEW = -1
"""Instead of a block, for rows that are inserted: a search finds theirs."""

Turn = tuple[int, int, int]
"""A block, the first row in it, and how many."""


def share_of_blocks(rows: Sequence[int], fraction: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Blocks and the first rows of each, so many that all together are the wanted share; *rows* each block has."""
    due = (np.cumsum(rows) * fraction + 1e-9).astype(np.int64)
    chosen = np.diff(due, prepend=0).astype(np.int64)
    homes = np.flatnonzero(chosen)
    return homes, chosen[homes]


def turns_of(
    work: Dml, blocks: Sequence[tuple[int, int]], session: int, alone: bool = False
) -> Iterator[Turn]:
    """What one session changes in a pass, in order: its part of the *blocks*, single rows of all, or its arrays.

    Where nobody comes between, *alone*, its arrays make one turn.
    """
    if work.inserts:
        rows, each = work.added_rows, work.rows_a_call
        left = rows * (session + 1) // work.users - rows * session // work.users
        turn = max(1, left) if alone else each
        while left:
            yield NEW, 0, min(turn, left)
            left -= min(turn, left)
    elif work.at_random:
        homes, rows_in = _in_one_order(tuple(blocks))
        mine = slice(session, None, work.users)
        for home, row in zip(homes[mine].tolist(), rows_in[mine].tolist(), strict=True):
            yield home, row, 1
    else:
        count = len(blocks)
        for home, rows in blocks[count * session // work.users : count * (session + 1) // work.users]:
            yield home, 0, rows


def count_of_turns(work: Dml, blocks: Sequence[tuple[int, int]], session: int) -> int:
    """How many turns :func:`turns_of` has in a pass of a session that is not alone."""
    users = work.users
    if work.inserts:
        rows = work.added_rows * (session + 1) // users - work.added_rows * session // users
        return -(-rows // work.rows_a_call)
    if work.at_random:
        return len(range(session, sum(rows for _, rows in blocks), users))
    return len(blocks) * (session + 1) // users - len(blocks) * session // users


def in_any_order(blocks: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows in an order that has nothing to do with their blocks: block of each, and its number there."""
    given = np.array(blocks, np.int64).reshape(-1, 2)  # of no rows at all, too
    homes = given.repeat(given[:, 1], axis=0)[:, 0]
    starts = np.arange(len(homes)) - (given[:, 1].cumsum() - given[:, 1]).repeat(given[:, 1])
    order = np.random.default_rng(ORDER_SEED).permutation(len(homes))
    return homes[order], starts[order]


_in_one_order = lru_cache(maxsize=1)(in_any_order)
"""The same for all sessions of a statement."""


def make(heap: Heap, session: int, work: Dml, turn: Turn, lengths: tuple[int, int, int | None]) -> None:
    """Let a session make the changes of a turn."""
    home, start, rows = turn
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
