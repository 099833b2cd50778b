"""A heap segment that remembers its rows, stubs and migrated pieces; work in it goes by batches.

It does what :mod:`model.state.heap_literal` does row by row and probe by probe, with the same counts. No clock.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from model.errors import OutsideLaw
from model.laws.assm import FULL, needs_entry
from model.laws.growth import chain_of
from model.state.heap_blocks import HeapBlocks
from model.state.heap_rules import HeapRules

HOME, DELETED = -1, -2


class Heap(HeapBlocks):
    """A segment in the making: load rows, then update, insert, delete and commit as sessions do."""

    def __init__(self, rules: HeapRules, steps: Iterator[list[tuple[int, int]]], sessions: int = 1) -> None:
        super().__init__(rules, steps, sessions)
        self.rows = 0
        """Rows ever inserted."""
        self.lengths = np.zeros(0, dtype=np.int64)
        self.places = np.zeros(0, dtype=np.int64)
        """For each row the block its last piece lies in, HOME or DELETED."""
        self._homes: list[list[tuple[int, int]]] = []
        self._current: list[int | None] = [None] * sessions

    def ranges(self, block: int) -> list[tuple[int, int]]:
        """The rows of *block* in order: first row and how many, again and again."""
        return self._homes[block] if block < len(self._homes) else []

    def insert(self, session: int, many: int, length: int, most_per_block: int | None = None) -> None:
        """Insert *many* rows of *length* one after another: into the session's block until it rejects, then another."""
        rules = self.rules
        if length > rules.largest_piece:
            raise OutsideLaw("a row does not fit an empty block")
        slot = rules.slot(length)
        left = many
        while left:
            block = self._current[session]
            if block is None:
                block = self._current[session] = self._find(session, slot, False)[0]
            else:
                why = self._probe(session, block, slot, False)
                if most_per_block is not None and self.pieces[block] >= most_per_block:
                    why = "space"
                if why != "accepted":
                    self._leave(session, block, why, slot)
                    continue
                self.counts.accepted += 1
            entry = self._entry_bytes(session, block, False) or 0
            fit = max(1, (self._room(session, block) - rules.reserve - entry) // slot)
            if most_per_block is not None:
                fit = min(fit, most_per_block - self.pieces[block])
            placed = min(left, fit)
            self.counts.accepted += placed - 1
            self._put_rows(session, block, placed, length, direct=False)
            if not rules.assm:
                self._current[session] = None  # every insert looks at the head of the list
            left -= placed

    def _leave(self, session: int, block: int, why: str, slot: int) -> None:
        """The session's own block rejected a row: note it and go on without one."""
        self._reject(session, block, why, (session, slot, False))
        self._current[session] = None

    def _put_rows(self, session: int, block: int, many: int, length: int, direct: bool) -> None:
        slot = self.rules.slot(length)
        entry = 0
        if not direct and needs_entry(False, session in self._entries[block]):
            entry = self._take_entries(session, block, 1)
        first = self.rows
        if first + many > len(self.lengths):
            bigger = max(1024, 2 * len(self.lengths), first + many)
            self.lengths = np.concatenate(
                [self.lengths, np.zeros(bigger - len(self.lengths), dtype=np.int64)]
            )
            self.places = np.concatenate(
                [self.places, np.full(bigger - len(self.places), HOME, dtype=np.int64)]
            )
        self.lengths[first : first + many] = length
        self.rows += many
        if block >= len(self._homes):
            self._homes += [[] for _ in range(self.blocks - len(self._homes))]
        self._homes[block].append((first, many))
        self.pieces[block] += many
        self.counts.inserted += many
        self._set_free(session, block, self.free[block] - many * slot - entry)

    def load_direct(self, many: int, length: int, most_per_block: int | None = None) -> None:
        """Load rows above the high-water mark, as CREATE TABLE AS SELECT does; the mark ends exactly behind them."""
        rules = self.rules
        slot = rules.slot(length)
        if length > rules.largest_piece:
            raise OutsideLaw("a row does not fit an empty block")
        fit = max(1, (rules.largest_piece + rules.directory - rules.reserve) // slot)
        if most_per_block is not None:
            fit = min(fit, most_per_block)
        left = many
        while left:
            if not self._ahead:
                self._ahead = next(self._steps)
            l1, blocks = self._ahead[0]
            used = min(blocks, -(-left // fit))
            first = len(self.free)
            self._new_blocks([(l1, used)])
            self._ahead[:1] = [(l1, blocks - used)] if blocks > used else []
            for block in range(first, first + used):
                placed = min(left, fit)
                self._put_rows(0, block, placed, length, direct=True)
                left -= placed
                if left and rules.assm:
                    self.space.set_class(block, FULL)
                elif left:
                    self.lists.unlink(0, block)

    def update(self, session: int, block: int, start: int, many: int, growth: int) -> None:
        """Let *many* rows of *block*, from its row number *start* on, grow by *growth* each, in order."""
        for first, count in self._ranges(block, start, many):
            row, end = first, first + count
            while row < end:
                alike = self._alike(row, end)
                self._grow(session, block, row, alike, growth)
                row += alike

    def rows_of(self, block: int) -> int:
        """Rows whose home is *block*, deleted ones included."""
        return sum(many for _, many in self.ranges(block))

    def _ranges(self, block: int, start: int, many: int) -> Iterator[tuple[int, int]]:
        for first, count in self.ranges(block):
            if start < count and many > 0:
                used = min(count - start, many)
                yield first + start, used
                many -= used
                start = 0
            else:
                start = max(0, start - count)

    def _alike(self, row: int, end: int) -> int:
        """How many rows from *row* on have one length and lie in one place."""
        lengths, places = self.lengths[row:end], self.places[row:end]
        differ = np.flatnonzero((lengths != lengths[0]) | (places != places[0]))
        return int(differ[0]) if len(differ) else end - row

    def _grow(self, session: int, home: int, row: int, many: int, growth: int) -> None:
        """Let rows that are alike grow: in place while there is room, else to another block."""
        rules = self.rules
        place, length = int(self.places[row]), int(self.lengths[row])
        if place == DELETED or not growth:
            self.counts.in_place += many * (place != DELETED)
            return
        block = home if place == HOME else place
        wanted = rules.piece(length + growth) - rules.piece(length)
        end = row + many
        while row < end:
            self._own_entry(session, block)
            if place != HOME:
                self._own_entry(session, home)
            room = self._room(session, block)
            fit = end - row if wanted == 0 else min(end - row, room // wanted)
            if fit:
                self.lengths[row : row + fit] = length + growth
                self.counts.in_place += fit
                if wanted:
                    self._set_free(session, block, self.free[block] - fit * wanted)
                row += fit
            if row == end:
                return
            row = self._move(session, block, row, end, growth)

    def _move(self, session: int, block: int, row: int, end: int, growth: int) -> int:
        """Let a row leave *block*, or all the alike rows up to *end* where leaving frees nothing; the row after."""
        rules = self.rules
        length, first_time = int(self.lengths[row]), int(self.places[row]) == HOME
        freed = rules.piece(length) - rules.stub if first_time else rules.slot(length)
        carried = length + growth - (0 if first_time else rules.rowid)
        bodies, tail = chain_of(carried, rules.largest_piece, rules.header, rules.rowid)
        last = end if freed == 0 else row + 1
        while row < last:
            for _ in range(bodies):
                self._place(session, rules.largest_piece, 1)
                self.counts.chain_pieces += 1
            target, placed = self._place(session, tail, 1 if bodies else last - row)
            self.places[row : row + placed] = target
            self.lengths[row : row + placed] = tail
            row += placed
            self.counts.chained += placed * (bodies > 0)
            if first_time:
                self.counts.migrated += placed
                self.stubs[block] += placed
            else:
                self.counts.moved_again += placed
                self.pieces[block] -= placed
                self.moved_in[block] -= placed
            if freed:
                self._release(session, block, freed)
        return row

    def delete(self, session: int, block: int, start: int, many: int) -> None:
        """Delete *many* rows of *block*; their space is on offer at once, but free for others only after the commit."""
        rules = self.rules
        for first, count in self._ranges(block, start, many):
            for row in range(first, first + count):
                place = int(self.places[row])
                if place == DELETED:
                    continue
                lies = block if place == HOME else place
                self._own_entry(session, lies)
                self._own_entry(session, block)
                self._release(session, lies, rules.slot(int(self.lengths[row])))
                self.pieces[lies] -= 1
                if place != HOME:
                    self.moved_in[lies] -= 1
                    self.stubs[block] -= 1
                    self.pieces[block] -= 1
                    self._release(session, block, rules.stub + rules.directory)
                self.places[row] = DELETED
                self.counts.deleted += 1
