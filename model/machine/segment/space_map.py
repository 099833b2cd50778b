"""Where a session looks for free space: the ASSM bitmap, and the free lists of manual space management. No clock.

The search order, and that a block with a full ITL list stays on offer, is that of [geist-assm]; the places where
several sessions start are spread evenly, where Oracle hashes a process id.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from model.laws.assm import FREE_75_100, FULL

Counts = NDArray[np.int64]
ITL, HELD = 1, 1 << 32
"""Why a block is stuck: its ITL list is full, or what others hold. One number counts how many are of either kind."""


class SpaceMap:
    """Freeness of every block below the high-water mark, grouped by the L1 bitmap block that holds it.

    A *stuck* block is on offer by its class but is known to reject: it is counted, not looked at again.
    """

    def __init__(self, sessions: int) -> None:
        self.sessions = sessions
        self.version = 0
        self._blocks = 0
        self._seen = np.zeros(1024, dtype=np.int8)
        self._stuck = np.zeros(1024, dtype=np.int64)
        self._l1_of = np.zeros(1024, dtype=np.int64)
        self._first: list[int] = []  # first block of each L1
        self._length: list[int] = []
        self._open = np.zeros((5, 64), dtype=np.int64)  # class, L1 -> blocks on offer that may accept
        self._rejecting = np.zeros((5, 64), dtype=np.int64)
        self._hint: list[int | None] = [None] * sessions

    def grow(self, blocks: int, l1: int) -> None:
        """Put *blocks* empty blocks behind the last on offer, under L1 block number *l1*: the last, or a new one."""
        end = self._blocks + blocks
        while end > len(self._seen):
            self._seen = np.concatenate([self._seen, np.zeros_like(self._seen)])
            self._stuck = np.concatenate([self._stuck, np.zeros_like(self._stuck)])
            self._l1_of = np.concatenate([self._l1_of, np.zeros_like(self._l1_of)])
        if l1 == len(self._first):
            self._first.append(self._blocks)
            self._length.append(0)
            if l1 >= self._open.shape[1]:
                self._open = np.concatenate([self._open, np.zeros_like(self._open)], axis=1)
                self._rejecting = np.concatenate([self._rejecting, np.zeros_like(self._rejecting)], axis=1)
        self._length[l1] += blocks
        self._l1_of[self._blocks : end] = l1
        self._seen[self._blocks : end] = FREE_75_100
        self._open[FREE_75_100, l1] += blocks
        self._blocks = end
        self.version += 1

    def seen(self, block: int) -> int:
        """The class the bitmap has for *block*."""
        return int(self._seen[block])

    def classes(self) -> Sequence[int]:
        """The class of every block, in order."""
        class_of: list[int] = self._seen[: self._blocks].tolist()
        return class_of

    def set_class(self, block: int, wanted: int) -> None:
        """Note that *block* is in class *wanted*."""
        before = int(self._seen[block])
        if before == wanted:
            return
        stuck, l1 = int(self._stuck[block]), self._l1_of[block]
        counts = self._rejecting if stuck else self._open
        if before != FULL:
            counts[before, l1] -= stuck or 1
        if wanted != FULL:
            counts[wanted, l1] += stuck or 1
        self._seen[block] = wanted
        self.version += 1

    def fill(self, blocks: int) -> None:
        """Note that the first *blocks* blocks, all of them empty until now, are full."""
        l1_blocks = len(self._first)
        self._open[FREE_75_100, :l1_blocks] -= np.bincount(self._l1_of[:blocks], minlength=l1_blocks)
        self._seen[:blocks] = FULL
        self.version += 1

    def forget(self) -> None:
        """Let every session's next search start where a new session's does."""
        self._hint = [None] * self.sessions

    def aim(self, session: int, block: int) -> None:
        """Let the session's next search start at the L1 block that holds *block*."""
        self._hint[session] = int(self._l1_of[block])

    def stick(self, block: int, why: int) -> None:
        """Note why *block* rejects while it is on offer, ITL or HELD, or 0 when it may accept again."""
        before = int(self._stuck[block])
        if before == why:
            return
        seen = int(self._seen[block])
        if seen != FULL:
            l1 = self._l1_of[block]
            self._rejecting[seen, l1] += why - before
            self._open[seen, l1] += (why == 0) - (before == 0)
        self._stuck[block] = why
        self.version += 1

    def settle(self, session: int, least: int) -> None:
        """Move the session's hint on to the first L1 block with anything on offer, as the start of a search does."""
        first = self._hint[session]
        if first is None or not (_sum(self._open[least:, first]) or _sum(self._rejecting[least:, first])):
            _, _, visited = self._on_offer(session, least)
            if len(visited):
                self._hint[session] = int(visited[0])

    def _on_offer(self, session: int, least: int) -> tuple[Counts, Counts, Counts]:
        """For blocks of class *least* or better, those each L1 has that may accept and those that reject, and the L1
        blocks that have any, in the order of the session's search."""
        l1_blocks = len(self._first)
        offered: Counts = self._open[least:, :l1_blocks].sum(axis=0)
        rejecting: Counts = self._rejecting[least:, :l1_blocks].sum(axis=0)
        start = self._hint[session]
        if start is None:
            start = session * l1_blocks // self.sessions
        anything = np.flatnonzero(offered + rejecting)
        turn = int(np.searchsorted(anything, start))
        return offered, rejecting, np.concatenate([anything[turn:], anything[:turn]])

    def search(self, session: int, least: int, literal: bool = False) -> Iterator[tuple[int, int]]:
        """Blocks of class *least* or better in the session's order, each with the stuck ones passed before it.

        With *literal*, stuck blocks are offered too, and none is counted. Ends with (-1, all stuck blocks passed).
        Most searches end in the L1 block of the session's hint: the others are looked at when it has nothing left.
        """
        self.settle(session, least)
        hint = self._hint[session]
        passed = 0
        if hint is not None and (literal or _sum(self._open[least:, hint])):
            passed = _sum(self._rejecting[least:, hint])
            yield from self._within(session, hint, least, literal, 0)
            offered, rejecting, visited = self._on_offer(session, least)
            visited = visited[visited != hint]
        else:
            offered, rejecting, visited = self._on_offer(session, least)
        counted = passed + np.concatenate([[0], np.cumsum(rejecting[visited])])
        for rank in range(len(visited)) if literal else np.flatnonzero(offered[visited]).tolist():
            yield from self._within(session, int(visited[rank]), least, literal, int(counted[rank]))
        yield -1, 0 if literal else int(counted[-1])

    def _within(
        self, session: int, l1: int, least: int, literal: bool, passed: int
    ) -> Iterator[tuple[int, int]]:
        """The same of one L1 block, from where the session starts in it; *passed* are stuck ones before it."""
        begin, length = self._first[l1], self._length[l1]
        on_offer: list[int] = (self._seen[begin : begin + length] >= least).nonzero()[0].tolist()
        turn = bisect_left(on_offer, session * length // self.sessions)
        for offset in on_offer[turn:] + on_offer[:turn]:
            block = begin + offset
            if literal:
                yield block, 0
            elif stuck := int(self._stuck[block]):
                passed += stuck
            else:
                yield block, passed


def _sum(few: Counts) -> int:
    """The sum of a few counts, for which numpy would take longer to begin."""
    counts: list[int] = few.tolist()
    return sum(counts)


class FreeLists:
    """Manual space management: one list of blocks with space, last in first out, and one for each open transaction."""

    def __init__(self, sessions: int) -> None:
        self._master: list[int] = []
        self._own: list[list[int]] = [[] for _ in range(sessions)]
        self._listed: set[int] = set()

    def add_new(self, blocks: Sequence[int]) -> None:
        """Link new blocks so that the first of them is used first."""
        self._master += reversed(blocks)
        self._listed.update(blocks)

    def link(self, session: int, block: int) -> None:
        """Link a block that *session* has emptied below PCTUSED; others see it after the commit."""
        if block not in self._listed:
            self._own[session].append(block)
            self._listed.add(block)

    def has(self, block: int) -> bool:
        """Whether *block* is on a list."""
        return block in self._listed

    def unlink_below(self, block: int) -> None:
        """Take every block before *block* off the master list."""
        self._master = [listed for listed in self._master if listed >= block]
        self._listed = set(self._master)

    def unlink(self, session: int, block: int) -> None:
        """Take *block* off its list."""
        own = self._own[session]
        stack = own if block in own else self._master
        if stack[-1] == block:
            stack.pop()
        else:
            stack.remove(block)
        self._listed.discard(block)

    def commit(self, session: int) -> None:
        """Hand the transaction's own list on to everybody."""
        self._master += self._own[session]
        self._own[session] = []

    def search(self, session: int) -> Iterator[tuple[int, int]]:
        """Heads of the lists, as long as each is taken off before the next; ends with (-1, 0)."""
        while self._own[session] or self._master:
            yield (self._own[session] or self._master)[-1], 0
        yield -1, 0
