"""The heap segment row by row and probe by probe: the plain form of :mod:`model.machine.segment.heap`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from blocktime.model.laws.assm import FREE_75_100, FULL, freeness, needs_entry, verdict
from blocktime.model.laws.growth import chain_of
from blocktime.model.machine.segment.heap_rules import HeapCounts, HeapRules


@dataclass(slots=True, eq=False)
class Row:
    """One row: where its last piece lies and how long that is."""

    home: LiteralBlock
    block: LiteralBlock
    length: int
    moved: bool = False
    deleted: bool = False


@dataclass(slots=True, eq=False)
class LiteralBlock:
    """One block with everything in it."""

    number: int
    l1: int
    free: int
    itl: int
    seen: int = FREE_75_100
    rows: list[Row] = field(default_factory=list)
    """Rows whose home it is."""
    pieces: int = 0
    stubs: int = 0
    moved_in: int = 0
    entries: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)


class LiteralHeap:
    """As :class:`model.machine.segment.heap.Heap`, without any shortcut."""

    def __init__(self, rules: HeapRules, steps: Iterator[list[tuple[int, int]]], sessions: int = 1) -> None:
        self.rules = rules
        self.counts = HeapCounts()
        self.sessions = sessions
        self.blocks: list[LiteralBlock] = []
        self._steps = steps
        self._ahead: list[tuple[int, int]] = []
        self._hint: list[int | None] = [None] * sessions
        self._current: list[LiteralBlock | None] = [None] * sessions
        self._list: list[LiteralBlock] = []
        self._own_lists: list[list[LiteralBlock]] = [[] for _ in range(sessions)]

    # -- blocks

    def _new_block(self, l1: int) -> LiteralBlock:
        rules = self.rules
        free = rules.data - rules.itl_initial * rules.itl_entry
        block = LiteralBlock(len(self.blocks), l1, free, rules.itl_initial)
        self.blocks.append(block)
        return block

    def _extend(self) -> None:
        chunks, self._ahead = self._ahead or next(self._steps), []
        new = [self._new_block(l1) for l1, many in chunks for _ in range(many)]
        if not self.rules.assm:
            self._list += reversed(new)

    def _held(self, session: int, block: LiteralBlock) -> int:
        return min(block.free, sum(held for owner, held in block.held.items() if owner != session))

    def _change_free(self, session: int, block: LiteralBlock, by: int) -> None:
        rules = self.rules
        old = freeness(block.free, rules.reserve, rules.block)
        block.free += by
        new = freeness(block.free, rules.reserve, rules.block)
        if new > old:
            block.seen = new
        elif new < old:
            block.seen = min(new, block.seen)
        listed = any(block in one for one in (self._list, *self._own_lists))
        if not rules.assm and by > 0 and rules.data - block.free < rules.used_low and not listed:
            self._own_lists[session].append(block)

    def _entry(self, session: int, block: LiteralBlock, migrated: bool) -> int | None:
        taken = sum(block.entries.values())
        if not needs_entry(migrated, session in block.entries) or block.itl > taken:
            return 0
        return self.rules.itl_entry if block.itl < self.rules.itl_limit else None

    def _take_entry(self, session: int, block: LiteralBlock) -> int:
        new = 0
        if block.itl == sum(block.entries.values()):
            block.itl += 1
            new = self.rules.itl_entry
        block.entries[session] = block.entries.get(session, 0) + 1
        return new

    # -- search

    def _order(self, session: int, least: int) -> Iterator[LiteralBlock]:
        if not self.rules.assm:
            while self._own_lists[session] or self._list:
                yield (self._own_lists[session] or self._list)[-1]
            return
        groups: dict[int, list[LiteralBlock]] = {}
        for block in self.blocks:
            groups.setdefault(block.l1, []).append(block)
        many = len(groups)
        start = self._hint[session]
        if start is None:
            start = session * many // self.sessions
        order = [(start + step) % many for step in range(many)]
        order = [l1 for l1 in order if any(block.seen >= least for block in groups[l1])]
        if order:
            self._hint[session] = order[0]
        for l1 in order:
            group = groups[l1]
            turn = session * len(group) // self.sessions
            for block in group[turn:] + group[:turn]:
                if block.seen >= least:
                    yield block

    def _probe(self, session: int, block: LiteralBlock, slot: int, migrated: bool) -> str:
        return verdict(
            slot,
            free=block.free,
            pending=self._held(session, block),
            reserve=self.rules.reserve,
            empty=block.pieces == 0,
            entry=self._entry(session, block, migrated),
        )

    def _reject(self, session: int, block: LiteralBlock, why: str) -> None:
        if why == "itl":
            self.counts.rejected_itl += 1
        elif why == "held":
            self.counts.rejected_held += 1
        else:
            self.counts.rejected_space += 1
        if not self.rules.assm:
            for one in (self._own_lists[session], self._list):
                if block in one:
                    one.remove(block)
                    break
        elif why == "space" or (why == "itl" and self.rules.itl_full_demotes):
            block.seen = FULL

    def _find(self, session: int, slot: int, migrated: bool) -> LiteralBlock:
        rules = self.rules
        self.counts.searches += 1
        least = freeness(min(slot + rules.reserve, rules.data), rules.reserve, rules.block)
        while True:
            for block in self._order(session, least):
                why = self._probe(session, block, slot, migrated)
                if why == "accepted":
                    self.counts.accepted += 1
                    return block
                self._reject(session, block, why)
            self._extend()

    def _place(self, session: int, length: int) -> LiteralBlock:
        slot = self.rules.slot(length)
        block = self._find(session, slot, True)
        entry = self._take_entry(session, block)
        block.pieces += 1
        block.moved_in += 1
        self._change_free(session, block, -slot - entry)
        return block

    # -- work

    def insert(self, session: int, many: int, length: int, each: int | None = None) -> None:
        """Insert rows one by one, in statements of *each*."""
        slot = self.rules.slot(length)
        for row in range(many):
            block = self._current[session] if row % (each or many) else None
            if block is not None:
                why = self._probe(session, block, slot, False)
                if why == "accepted":
                    self.counts.accepted += 1
                else:
                    self._reject(session, block, why)
                    block = None
            if block is None:
                block = self._find(session, slot, False)
            entry = 0 if session in block.entries else self._take_entry(session, block)
            self._add_row(session, block, length, entry)
            self._current[session] = block if self.rules.assm else None

    def _add_row(self, session: int, block: LiteralBlock, length: int, entry: int) -> None:
        block.rows.append(Row(block, block, length))
        block.pieces += 1
        self.counts.inserted += 1
        self._change_free(session, block, -self.rules.slot(length) - entry)

    def load_direct(self, many: int, length: int) -> None:
        """Load rows into new blocks, each as full as PCTFREE allows."""
        rules = self.rules
        block = None
        for _ in range(many):
            if block is not None and rules.slot(length) + rules.reserve > block.free:
                if rules.assm:
                    block.seen = FULL
                else:
                    self._list.remove(block)
                block = None
            if block is None:
                if not self._ahead:
                    self._ahead = next(self._steps)
                l1, left = self._ahead[0]
                self._ahead[:1] = [(l1, left - 1)] if left > 1 else []
                block = self._new_block(l1)
                if not rules.assm:
                    self._list.append(block)
            self._add_row(0, block, length, 0)

    def update(self, session: int, block: int, start: int, many: int, growth: int) -> None:
        """Let rows grow one by one."""
        for row in self.blocks[block].rows[start : start + many]:
            if not row.deleted:
                self._grow(session, row, growth)

    def _ensure_entry(self, session: int, block: LiteralBlock) -> None:
        if session not in block.entries:
            entry = self._entry(session, block, False)
            if entry is not None and entry <= block.free:
                self._change_free(session, block, -self._take_entry(session, block))

    def _grow(self, session: int, row: Row, growth: int) -> None:
        rules = self.rules
        block = row.block
        self._ensure_entry(session, block)
        if row.moved:
            self._ensure_entry(session, row.home)
        if not growth:
            self.counts.in_place += 1
            return
        wanted = rules.piece(row.length + growth) - rules.piece(row.length)
        if wanted <= block.free - self._held(session, block):
            row.length += growth
            self.counts.in_place += 1
            self._change_free(session, block, -wanted)
            return
        carried = row.length + growth - (rules.rowid if row.moved else 0)
        bodies, tail = chain_of(carried, rules.largest_piece, rules.header, rules.rowid)
        for _ in range(bodies):
            self._place(session, rules.largest_piece)
            self.counts.chain_pieces += 1
        target = self._place(session, tail)
        self.counts.chained += bodies > 0
        if row.moved:
            self.counts.moved_again += 1
            block.pieces -= 1
            block.moved_in -= 1
            self._release(session, block, rules.slot(row.length))
        else:
            self.counts.migrated += 1
            block.stubs += 1
            freed = rules.piece(row.length) - rules.stub
            if freed:
                self._release(session, block, freed)
        row.block, row.length, row.moved = target, tail, True

    def _release(self, session: int, block: LiteralBlock, freed: int) -> None:
        block.held[session] = block.held.get(session, 0) + freed
        self._change_free(session, block, freed)

    def delete(self, session: int, block: int, start: int, many: int) -> None:
        """Delete rows one by one."""
        rules = self.rules
        home = self.blocks[block]
        for row in home.rows[start : start + many]:
            if row.deleted:
                continue
            self._ensure_entry(session, row.block)
            self._ensure_entry(session, home)
            row.block.pieces -= 1
            self._release(session, row.block, rules.slot(row.length))
            if row.moved:
                row.block.moved_in -= 1
                home.stubs -= 1
                home.pieces -= 1
                self._release(session, home, rules.stub + rules.directory)
            row.deleted = True
            self.counts.deleted += 1

    def reconnect(self) -> None:
        """Forget where each session last found room."""
        self._current = [None] * self.sessions
        self._hint = [None] * self.sessions

    def commit(self, session: int) -> None:
        """End the session's transaction."""
        for block in self.blocks:
            block.entries.pop(session, None)
            block.held.pop(session, None)
        self._list += self._own_lists[session]
        self._own_lists[session] = []
