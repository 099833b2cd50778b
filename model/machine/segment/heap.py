"""A heap segment: load rows, then update, insert, delete and commit as sessions do. No clock.

It works rows by batches, with the counts of a segment that is worked row by row and probe by probe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.laws.assm import FULL
from model.laws.growth import chain_of
from model.machine.segment.heap_rows import DELETED, HOME, HeapRows

Rows = NDArray[np.int64]
FEW = 8
"""Rows that are sooner worked on one by one than apart."""


@dataclass(frozen=True, slots=True)
class Apart:
    """What becomes of one block's alike rows when nothing else happens in the block."""

    moved: list[int]
    """Which of them, in the order of their growth, must leave."""
    free: int
    """Free space afterwards."""


class Heap(HeapRows):
    """A segment whose full blocks are worked through apart from all others.

    NOTE: no search looks at a block the bitmap calls full, and none sees how its rows come and go as long as it stays
    so. Its rows then leave in one batch, and in whatever order blocks take turns.
    """

    def _grow(self, session: int, home: int, row: int, count: int, growth: int) -> None:
        apart = self._apart(session, home, row, count, growth) if count > FEW else None
        if apart is None:
            super()._grow(session, home, row, count, growth)
            return
        rows = np.arange(row, row + count)
        self._settle(session, home, apart, rows, growth)
        self._send(session, rows[apart.moved], growth)

    def update_scattered(self, session: int, homes: Rows, numbers: Rows, growth: int) -> None:
        """Let rows grow one by one in any order: row *numbers*[i] of block *homes*[i], none of them twice."""
        if not len(homes):
            return
        rows = homes * self._fit + numbers
        if not growth:
            kept = self.places[rows] != DELETED
            places = self.places[rows[kept]]
            for block in np.unique(np.concatenate([homes[kept], places[places != HOME]])).tolist():
                self._own_entry(session, block)
            self.counts.in_place += int(kept.sum())
            return
        leaves = np.zeros(len(homes), dtype=bool)
        alone = np.ones(len(homes), dtype=bool)
        by_block = np.argsort(homes, kind="stable")
        length = self.lengths[rows[by_block[0]]]
        for visits in np.split(by_block, np.flatnonzero(np.diff(homes[by_block])) + 1):
            home = int(homes[visits[0]])
            if home in self._inserted or self.moved_in[home] or self._mixed(home, int(length)):
                continue
            apart = self._apart(session, home, int(rows[visits[0]]), len(visits), growth)
            if apart is not None:
                alone[visits] = False
                leaves[visits[apart.moved]] = True
                self._settle(session, home, apart, rows[visits], growth)
        begin = 0
        for stop in [*np.flatnonzero(alone).tolist(), len(homes)]:
            self._send(session, rows[begin:stop][leaves[begin:stop]], growth)
            if stop < len(homes):
                self.update(session, int(homes[stop]), int(numbers[stop]), 1, growth)
            begin = stop + 1

    def _mixed(self, home: int, length: int) -> bool:
        """Whether a block's rows differ from one another, or from *length*."""
        ((first, count),) = self.ranges(home)
        here, lie = self.lengths[first : first + count], self.places[first : first + count]
        return bool((here != length).any() or (lie != HOME).any())

    def _settle(self, session: int, home: int, apart: Apart, rows: Rows, growth: int) -> None:
        """Put the outcome for *rows* of a block into its books; those that leave have still to be placed."""
        leaving = len(apart.moved)
        freed = self.rules.piece(int(self.lengths[rows[0]])) - self.rules.stub
        stays = np.ones(len(rows), dtype=bool)
        stays[apart.moved] = False
        self.lengths[rows[stays]] += growth
        self.counts.in_place += len(rows) - leaving
        self.counts.migrated += leaving
        self.stubs[home] += leaving
        if leaving * freed:
            self._hold(session, home, leaving * freed)
        self._set_free(session, home, apart.free)

    def _send(self, session: int, rows: Rows, growth: int) -> None:
        """Find places for rows that have left their blocks."""
        done = 0
        while done < len(rows):
            tail = int(self.lengths[rows[done]]) + growth + self.rules.rowid
            target, placed = self._place(session, tail, len(rows) - done)
            self.places[rows[done : done + placed]] = target
            self.lengths[rows[done : done + placed]] = tail
            done += placed

    def _apart(self, session: int, home: int, row: int, count: int, growth: int) -> Apart | None:
        """How that many rows like *row* fare in their home block, where that is nobody else's business."""
        rules = self.rules
        if int(self.places[row]) != HOME or not growth:
            return None
        if self.space.seen(home) != FULL if rules.assm else self.lists.has(home):
            return None
        self._own_entry(session, home)
        length = int(self.lengths[row])
        wanted = rules.piece(length + growth) - rules.piece(length)
        bodies, _ = chain_of(length + growth, rules.largest_piece, rules.header, rules.rowid)
        if (
            not wanted
            or bodies
            or session not in self._entries.get(home, ())
            or self._held.get(home, {}).keys() - {session}
        ):
            return None
        freed = rules.piece(length) - rules.stub
        free, highest, at = self.free[home], 0, 0
        moved: list[int] = []
        while at < count:
            fit = min(count - at, free // wanted)
            free -= fit * wanted
            at += fit
            if at < count and not freed:
                moved += range(at, count)
                break
            if at < count:
                moved.append(at)
                free += freed
                highest = max(highest, free)
                at += 1
        seen = highest > rules.reserve if rules.assm else rules.data - highest < rules.used_low
        return None if seen else Apart(moved, free)
