"""A heap segment: load rows, then update, insert, delete and commit as sessions do. No clock.

It works rows by batches, with the counts of a segment that is worked row by row and probe by probe.
"""

from __future__ import annotations

from dataclasses import dataclass

from blocktime.model.laws.assm import FULL
from blocktime.model.laws.growth import chain_of
from blocktime.model.loops.arrays import Bytes, GivenWholes, Wholes, wholes
from blocktime.model.machine.segment.heap_blocks import STEP_NS
from blocktime.model.machine.segment.heap_rows import DELETED, HOME, HeapRows

STAYS, LEAVES = 1, 2
SCATTERED_BYTES = 75
"""Of each row of many that grow in any order."""
SCATTERED_NS = 100
FEW = 8
"""Rows that are sooner worked on one by one than apart."""


@dataclass
class BlockGrowth:
    """What becomes of one block's alike rows when nothing else happens in the block."""

    moved: Wholes
    """Which of them, in the order of their growth, must leave."""
    leaving: int
    """How many."""
    free: int
    """Free space afterwards."""


class Heap(HeapRows):
    """A segment whose full blocks are worked through apart from all others.

    NOTE: no search looks at a block the bitmap calls full, and none sees how its rows come and go as long as it stays
    so. Its rows then leave in one batch, and in whatever order blocks take turns.
    """

    def _grow(self, session: int, home: int, row: int, rows: int, growth: int) -> None:
        apart: BlockGrowth | None = self._apart(session, home, row, rows, growth) if rows > FEW else None
        if apart is None:
            HeapRows._grow(self, session, home, row, rows, growth)
            return
        which = wholes(rows, 0)
        for number in range(rows):
            which[number] = row + number
        self._settle(session, home, apart, which, growth)
        leaving = wholes(apart.leaving, 0)
        for number in range(apart.leaving):
            leaving[number] = which[apart.moved[number]]
        self._send(session, leaving, apart.leaving, growth)

    def update_scattered(self, session: int, homes: GivenWholes, numbers: GivenWholes, growth: int) -> None:
        """Let rows grow one by one in any order: row *numbers*[i] of block *homes*[i], none of them twice."""
        count = len(homes)
        if not count:
            return
        self.watch.spend(SCATTERED_NS * count)
        self.watch.hold(SCATTERED_BYTES * count)
        rows, sent = wholes(count, 0), wholes(count, 0)
        visits_of: dict[int, list[int]] = {}
        for at in range(count):
            rows[at] = homes[at] * self._fit + numbers[at]
            visits_of.setdefault(homes[at], []).append(at)
        if not growth:
            self._touch(session, homes, rows)
            self.watch.hold(-SCATTERED_BYTES * count)
            return
        fate = bytearray(count)
        first: int = visits_of[min(visits_of)][0]
        length = self._lengths[rows[first]]
        home: int
        for home in sorted(visits_of):
            if home not in self._inserted and not self._moved_in[home] and not self._mixed(home, length):
                self._scatter(session, home, visits_of[home], rows, fate, growth)
        left = 0
        for at in range(count):
            if fate[at] == LEAVES:
                sent[left] = rows[at]
                left += 1
            elif fate[at] != STAYS:
                self._send(session, sent, left, growth)
                left = 0
                self.update(session, homes[at], numbers[at], 1, growth)
        self._send(session, sent, left, growth)
        self.watch.hold(-SCATTERED_BYTES * count)

    def _scatter(self, session: int, home: int, visits: list[int], rows: Wholes, fate: Bytes, growth: int) -> None:
        """Settle one block's rows, of which *visits* tells the turns, and note the fate of each; or leave it open."""
        which = wholes(len(visits), 0)
        for number, at in enumerate(visits):
            which[number] = rows[at]
        apart: BlockGrowth | None = self._apart(session, home, which[0], len(visits), growth)
        if apart is None:
            return
        for at in visits:
            fate[at] = STAYS
        for number in range(apart.leaving):
            fate[visits[apart.moved[number]]] = LEAVES
        self._settle(session, home, apart, which, growth)

    def _touch(self, session: int, homes: GivenWholes, rows: Wholes) -> None:
        """Change rows that keep their length."""
        blocks: set[int] = set()
        in_place = 0
        for at in range(len(rows)):
            place = self._places[rows[at]]
            if place != DELETED:
                in_place += 1
                blocks.add(homes[at])
                if place != HOME:
                    blocks.add(place)
        for block in sorted(blocks):
            self._ensure_entry(session, block)
        self._counts.in_place += in_place

    def _mixed(self, home: int, length: int) -> bool:
        """Whether a block's rows differ from one another, or from *length*."""
        first = home * self._fit
        for row in range(first, min(first + self._fit, self._loaded)):
            if self._lengths[row] != length or self._places[row] != HOME:
                return True
        return False

    def _settle(self, session: int, home: int, apart: BlockGrowth, rows: Wholes, growth: int) -> None:
        """Put the outcome for *rows* of a block into its books; those that leave have still to be placed."""
        moved, leaving, length = apart.moved, apart.leaving, self._lengths[rows[0]]
        freed: int = self._piece(length) - self._stub
        for number in range(len(rows)):
            self._lengths[rows[number]] += growth
        for number in range(leaving):
            self._lengths[rows[moved[number]]] = length
        self._counts.in_place += len(rows) - leaving
        self._counts.migrated += leaving
        self._stubs[home] += leaving
        if leaving * freed:
            self._note_work(session, home, 0, leaving * freed)
        self._set_free(session, home, apart.free)

    def _send(self, session: int, rows: Wholes, count: int, growth: int) -> None:
        """Find places for the first *count* of *rows*, which have left their blocks."""
        done = 0
        target: int
        placed: int
        while done < count:
            tail = self._lengths[rows[done]] + growth + self._rowid
            target, placed = self._place(session, tail, count - done)
            for at in range(done, done + placed):
                self._places[rows[at]] = target
                self._lengths[rows[at]] = tail
            done += placed

    def _apart(self, session: int, home: int, row: int, count: int, growth: int) -> BlockGrowth | None:
        """How that many rows like *row* fare in their home block, where that is nobody else's business."""
        rules = self.rules
        self.watch.spend(STEP_NS)
        if self._places[row] != HOME or not growth:
            return None
        if self.space.seen(home) != FULL if self._assm else self.lists.has(home):
            return None
        self._ensure_entry(session, home)
        length = self._lengths[row]
        wanted: int = self._piece(length + growth) - self._piece(length)
        bodies, _ = chain_of(length + growth, self._largest, self._header, self._rowid)
        if not wanted or bodies or not self._has_entry(session, home) or self._freed_by_others(session, home):
            return None
        freed: int = self._piece(length) - self._stub
        free: int = self._free[home]
        highest, at, leaving = 0, 0, 0
        moved = wholes(count, 0)
        while at < count:
            fit = min(count - at, free // wanted)
            free -= fit * wanted
            at += fit
            if at < count and not freed:
                for number in range(at, count):
                    moved[leaving] = number
                    leaving += 1
                break
            if at < count:
                moved[leaving] = at
                leaving += 1
                free += freed
                highest = max(highest, free)
                at += 1
        seen = highest > self._reserve if self._assm else rules.data - highest < rules.used_low
        return None if seen else BlockGrowth(moved, leaving, free)
