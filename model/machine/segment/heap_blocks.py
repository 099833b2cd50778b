"""The blocks of a heap segment: their free space, ITL entries and pieces, and how a session finds one with room."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.assm import FULL, class_bounds, needs_entry, pieces_admitted, verdict
from blocktime.model.laws.growth import slot_bytes
from blocktime.model.loops.arrays import Halves, Wholes, halves, more_halves, more_wholes, wholes
from blocktime.model.loops.watch import Watch
from blocktime.model.machine.segment.heap_rules import HeapCounts, HeapRules
from blocktime.model.machine.segment.space_map import ITL, NOWHERE, UNCOMMITTED, FreeLists, SpaceMap

MOST_BLOCKS = 4_000_000
NOBODY, SEVERAL = -1, -2
NO_ENTRY = -1
FIRST_ROOM = 1024
"""Blocks that there is room for at first."""
BLOCK_BYTES = 57
"""Of each block that there is room for; this and the others are measured, of one processor and its memory."""
LISTED_BYTES = 150
"""Of a block that came on a free list."""
TOUCHED_BYTES = 90
"""Of a block that an open transaction has changed."""
SHARED_BYTES = 160
"""Of a block that several of them have changed, for each."""
WITHOUT_BYTES = 210
"""Of a session that has changed a block without an entry."""
BLOCK_NS = 30
"""Work of a new block, on a processor of the 2020s; so are the others."""
PROBE_NS = 150
STEP_NS = 500
"""Of alike rows that change together, or come to a block."""
SEARCH_NS = 300


class HeapBlocks:
    """Blocks below the high-water mark, and the search for space among them by batches of equal pieces.

    *steps* says what each move of the high-water mark adds, as
    :func:`model.machine.segment.extent_map.high_water_steps` does.
    """

    watch: Watch
    """Of what playing it takes."""
    rules: HeapRules
    sessions: int
    blocks: int
    """Below the high-water mark."""
    space: SpaceMap
    lists: FreeLists
    without_entry: set[tuple[int, int]]
    """Sessions that have changed a block without an ITL entry, as none was free: in time they wait."""
    _counts: HeapCounts
    _free: Wholes
    _itl: Halves
    _pieces: Halves
    _stubs: Halves
    _moved_in: Halves
    _steps: Iterator[list[tuple[int, int]]]
    _ahead: list[tuple[int, int]]
    _bounds: Wholes
    """Least free space of each class above full."""
    _taken: Halves
    """ITL entries that open transactions have in each block."""
    _freed: Wholes
    """Space that open transactions have freed in each block."""
    _at_work: Halves
    """The session whose open transaction has either in the block, NOBODY, or SEVERAL."""
    _entries: dict[int, int]
    """A session's part of *taken* where SEVERAL are at work, by :meth:`_visit`."""
    _session_freed: dict[int, int]
    """That of *freed*."""
    _touched: list[set[int]]
    _known: dict[int, tuple[int, bool, int, int, int, bool]]
    """Session -> what its last search was for, in which state of the map, where it ended, what it passed."""
    _stuck_itl: set[int]
    _stuck_uncommitted: set[int]
    """Blocks that reject all searches from *held_least* bytes up to *held_end* but those of sessions at work there."""
    _stuck_least: int
    _stuck_end: int
    _stuck_at_work: list[list[int]]
    """Session -> blocks of *stuck_held* that it is at work in."""
    _assm: bool
    _reserve: int
    _stub: int
    _directory: int
    _header: int
    _rowid: int
    _empty: int
    _largest: int
    _itl_entry: int
    _itl_limit: int

    def __init__(
        self, rules: HeapRules, steps: Iterator[list[tuple[int, int]]], sessions: int = 1, watch: Watch | None = None
    ) -> None:
        self.watch = Watch() if watch is None else watch
        self.rules, self.sessions, self.blocks, self._counts = rules, sessions, 0, HeapCounts()
        self.watch.hold(BLOCK_BYTES * FIRST_ROOM)
        self._assm, self._reserve = rules.assm, rules.reserve
        self._stub, self._directory = rules.stub, rules.directory
        self._header, self._rowid = rules.header, rules.rowid
        self._empty, self._largest = rules.empty, rules.largest_piece
        self._itl_entry, self._itl_limit = rules.itl_entry, rules.itl_limit
        self.space, self.lists = SpaceMap(sessions), FreeLists(sessions)
        self._free, self._freed, self._taken = (wholes(FIRST_ROOM, 0), wholes(FIRST_ROOM, 0), halves(FIRST_ROOM, 0))
        self._pieces, self._stubs, self._moved_in = (
            halves(FIRST_ROOM, 0),
            halves(FIRST_ROOM, 0),
            halves(FIRST_ROOM, 0),
        )
        self._itl, self._at_work = halves(FIRST_ROOM, rules.itl_initial), halves(FIRST_ROOM, NOBODY)
        self._steps, self._ahead = steps, []
        bounds: list[int] = class_bounds(rules.reserve, rules.block)
        self._bounds = wholes(len(bounds), 0)
        for number, bound in enumerate(bounds):
            self._bounds[number] = bound
        self._entries, self._session_freed, self.without_entry = {}, {}, set()
        self._touched, self._known = [set() for _ in range(sessions)], {}
        self._stuck_itl, self._stuck_uncommitted = set(), set()
        self._stuck_least = self._stuck_end = 0
        self._stuck_at_work = [[] for _ in range(sessions)]

    @property
    def counts(self) -> HeapCounts:
        """What has been done so far."""
        return self.rules.counted(self._counts)

    def free(self) -> Wholes:
        """Free space of each block."""
        return self._free[: self.blocks]

    def entries(self) -> Halves:
        """ITL entries of each block."""
        return self._itl[: self.blocks]

    def contents(self, block: int) -> tuple[int, int, int]:
        """Pieces, stubs and moved rows of *block*."""
        return self._pieces[block], self._stubs[block], self._moved_in[block]

    def _new_blocks(self, chunks: list[tuple[int, int]]) -> None:
        rules, first = self.rules, self.blocks
        l1: int
        blocks: int
        for l1, blocks in chunks:
            self.watch.spend(BLOCK_NS * blocks)
            while self.blocks + blocks > len(self._free):
                self.watch.hold(BLOCK_BYTES * len(self._free))
                self._free, self._freed = more_wholes(self._free), more_wholes(self._freed)
                room = len(self._free)
                self._pieces = more_halves(self._pieces, room, 0)
                self._stubs = more_halves(self._stubs, room, 0)
                self._moved_in = more_halves(self._moved_in, room, 0)
                self._taken = more_halves(self._taken, room, 0)
                self._itl = more_halves(self._itl, room, rules.itl_initial)
                self._at_work = more_halves(self._at_work, room, NOBODY)
            for block in range(self.blocks, self.blocks + blocks):
                self._free[block] = self._empty
            self.blocks += blocks
            if self._assm:
                self.space.grow(blocks, l1)
        if not self._assm:
            self.watch.hold(LISTED_BYTES * (self.blocks - first))
            self.lists.add_new(first, self.blocks)
        if self.blocks > MOST_BLOCKS:
            raise OutsideLaw(f"the segment grows beyond {MOST_BLOCKS:,} blocks, more than this model is meant for")

    def _extend(self) -> None:
        """Move the high-water mark: format what an exact load left of its extent, or the next one."""
        chunks, self._ahead = self._ahead or next(self._steps), []
        self._new_blocks(chunks)

    def _room(self, session: int, block: int) -> int:
        free: int = self._free[block]
        return free - self._uncommitted_bytes(session, block)

    def _uncommitted_bytes(self, session: int, block: int) -> int:
        free: int = self._free[block]
        return min(self._freed_by_others(session, block), free)

    def _freed_by_others(self, session: int, block: int) -> int:
        """Space that open transactions of other sessions have freed in *block*."""
        freed: int = self._freed[block]
        at_work: int = self._at_work[block]
        if at_work == SEVERAL:
            freed -= self._session_freed.get(self._visit(session, block), 0)
        return 0 if at_work == session else freed

    def _visit(self, session: int, block: int) -> int:
        """One number for a session in a block."""
        return block * self.sessions + session

    def _has_entry(self, session: int, block: int) -> bool:
        """Whether the session's transaction has an ITL entry in *block*."""
        at_work: int = self._at_work[block]
        if at_work == SEVERAL:
            return self._visit(session, block) in self._entries
        return at_work == session and self._taken[block] > 0

    def _note_work(self, session: int, block: int, entries: int, freed: int) -> None:
        """The session's transaction has taken so many ITL entries of *block*, and freed so much, until it ends."""
        before: int = self._at_work[block]
        if before != session:
            touched: set[int] = self._touched[session]
            touched.add(block)
            self.watch.hold(TOUCHED_BYTES)
            self._at_work[block] = session if before == NOBODY else SEVERAL
            if before >= 0:
                self._part(before, block, self._taken[block], self._freed[block])
        if self._at_work[block] == SEVERAL:
            self._part(session, block, entries, freed)
        self._taken[block] += entries
        self._freed[block] += freed

    def _part(self, session: int, block: int, entries: int, freed: int) -> None:
        """Note a session's part of what several have in *block*."""
        visit = self._visit(session, block)
        if visit not in self._entries and visit not in self._session_freed:
            self.watch.hold(SHARED_BYTES)
        if entries:
            self._entries[visit] = self._entries.get(visit, 0) + entries
        if freed:
            self._session_freed[visit] = self._session_freed.get(visit, 0) + freed

    def _set_free(self, session: int, block: int, free: int) -> None:
        """Change a block's free space and, where it crosses a class boundary, its class."""
        before: int = self._free[block]
        self._free[block] = free
        if self._assm:
            old, new = self._class_of(before), self._class_of(free)
            if new != old:
                self.space.set_class(block, new if new > old else min(new, self.space.seen(block)))
            if self._stuck_uncommitted:
                self._look_again(block)
        elif free > before and self.rules.data - free < self.rules.used_low:
            self.lists.link(session, block)

    def _class_of(self, free: int) -> int:
        """The freeness class of a block with so much free space."""
        freeness = 0
        while freeness < len(self._bounds) and self._bounds[freeness] <= free:
            freeness += 1
        return freeness

    def _piece(self, length: int) -> int:
        """Bytes that a piece takes beside its directory entry, as :meth:`HeapRules.piece` says."""
        return max(self._stub, length)

    def _slot(self, length: int) -> int:
        """Bytes that a piece takes, as :meth:`HeapRules.slot` says."""
        return slot_bytes(length, self._stub, self._directory)

    def _look_again(self, block: int) -> None:
        """A block that rejected for space held by others has changed: it may say something else now."""
        if block in self._stuck_uncommitted:
            self._stuck_uncommitted.discard(block)
            self.space.stick(block, 0)

    def _take_entries(self, session: int, block: int, wanted: int) -> int:
        """Take ITL entries, free ones first; returns the bytes that new ones need."""
        unused: int = self._itl[block] - self._taken[block]
        new = max(0, wanted - unused)
        self._itl[block] += new
        self._note_work(session, block, wanted, 0)
        self._look_again(block)
        return new * self._itl_entry

    def _entry_bytes(self, session: int, block: int, migrated: bool) -> int:
        """Bytes that one more ITL entry takes in *block*; NO_ENTRY when the list is full."""
        unused: int = self._itl[block] - self._taken[block]
        if unused > 0 or not needs_entry(migrated, self._has_entry(session, block)):
            return 0
        return self._itl_entry if self._itl[block] < self._itl_limit else NO_ENTRY

    def _probe(self, session: int, block: int, slot: int, migrated: bool) -> str:
        entry = self._entry_bytes(session, block, migrated)
        return verdict(
            slot,
            free=self._free[block],
            pending=self._uncommitted_bytes(session, block),
            reserve=self._reserve,
            empty=self._pieces[block] == 0,
            entry=None if entry == NO_ENTRY else entry,
        )

    def _reject(self, session: int, block: int, why: str) -> int:
        """Count a rejected probe and note what follows from it; what the next such search passes in its place."""
        counts = self._counts
        if why == "itl":
            counts.rejected_itl += 1
        elif why == "held":
            counts.rejected_held += 1
        else:
            counts.rejected_space += 1
        if not self._assm:
            self.lists.unlink(session, block)
            return 0
        if why == "space" or (why == "itl" and self.rules.itl_full_demotes):
            self._look_again(block)
            self.space.set_class(block, FULL)
            return 0
        if why == "itl":
            self._stuck_itl.add(block)
            self.space.stick(block, ITL)
            return ITL
        return self._stick_uncommitted(block)

    def _stick_uncommitted(self, block: int) -> int:
        """Note a block whose held space rejects all others alike."""
        entry = self._entry_bytes(NOBODY, block, True)
        if entry == NO_ENTRY:
            return 0
        free: int = self._free[block]
        least = free - min(free, self._freed[block]) - self._reserve - entry + 1
        end = free - entry - (self._reserve if self._pieces[block] else 0) + 1
        if self._stuck_uncommitted:
            least, end = max(least, self._stuck_least), min(end, self._stuck_end)
        self._stuck_least, self._stuck_end = least, end
        self._stuck_uncommitted.add(block)
        at_work: int = self._at_work[block]
        if at_work != SEVERAL:
            self._stuck_at_work[at_work].append(block)
        for session in range(self.sessions if at_work == SEVERAL else 0):
            visit = self._visit(session, block)
            if visit in self._session_freed or visit in self._entries:
                self._stuck_at_work[session].append(block)
        self.space.stick(block, UNCOMMITTED)
        return UNCOMMITTED

    def _find(self, session: int, slot: int, migrated: bool) -> tuple[int, int]:
        """A block that admits a piece of *slot*, and the rejections that the next such search will meet on its way."""
        self._counts.searches += 1
        self.watch.spend(SEARCH_NS)
        least = self._least(slot)
        if self._stuck_at_work[session]:
            for block in self._stuck_at_work[session]:
                self._look_again(block)
            self._stuck_at_work[session] = []
        literal: bool = bool(self._stuck_itl and not migrated) or bool(
            self._stuck_uncommitted and not self._stuck_least <= slot < self._stuck_end
        )
        while True:
            added = 0
            if self._assm:
                self.space.begin_search(session, least, literal)
            while True:
                block = self.space.next_block() if self._assm else self.lists.first(session)
                if block == NOWHERE:
                    self._count_stuck(self.space.passed)
                    break
                self.watch.spend(PROBE_NS)
                why = self._probe(session, block, slot, migrated)
                if why == "accepted":
                    self._counts.accepted += 1
                    self._count_stuck(self.space.passed)
                    return block, -1 if literal else self.space.passed + added
                added += self._reject(session, block, why)
                literal = literal or (why == "held" and block not in self._stuck_uncommitted)
            self._extend()

    def _count_stuck(self, passed: int, searches: int = 1) -> None:
        """Count the rejections of stuck blocks that each of *searches* has passed."""
        if passed:
            self._counts.rejected_itl += searches * (passed % UNCOMMITTED)
            self._counts.rejected_held += searches * (passed // UNCOMMITTED)

    def _place(self, session: int, length: int, pieces: int) -> tuple[int, int]:
        """Put up to *pieces* migrated pieces into the block a search finds; returns the block and how many."""
        self.watch.spend(STEP_NS)
        slot = self._slot(length)
        block, passed, settled = self._find_again(session, slot, True)
        by_space, by_itl = pieces_admitted(
            slot,
            room=self._room(session, block),
            reserve=self._reserve,
            empty=self._pieces[block] == 0 and not self._uncommitted_bytes(session, block),
            free_entries=self._itl[block] - self._taken[block],
            most_new_entries=self._itl_limit - self._itl[block],
            itl_entry=self._itl_entry,
        )
        placed = 1 if passed < 0 else max(1, min(pieces, int(by_space), int(by_itl)))
        self._counts.accepted += placed - 1
        if placed > 1:
            settled = self._search_alike(session, slot, placed - 1, passed, settled)
        taken = placed * slot + self._take_entries(session, block, placed)
        self._pieces[block] += placed
        self._moved_in[block] += placed
        self._set_free(session, block, self._free[block] - taken)
        self._remember(session, slot, True, block, passed, settled)
        return block, placed

    def _remember(self, session: int, slot: int, migrated: bool, block: int, passed: int, settled: bool) -> None:
        """Keep where a search has ended, as long as nothing changes in the map."""
        if passed < 0 or not self._assm:
            self._known.pop(session, None)
        else:
            self._known[session] = (slot, migrated, self.space.version, block, passed, settled)

    def _search_alike(self, session: int, slot: int, searches: int, passed: int, settled: bool = False) -> bool:
        """Count *searches* more that end in the same block; whether the session's hint is where they leave it."""
        self._counts.searches += searches
        self._count_stuck(passed, searches)
        if not settled and self._assm:
            self.space.settle(session, self._least(slot))
            settled = True
        return settled

    def _find_again(self, session: int, slot: int, migrated: bool) -> tuple[int, int, bool]:
        """As :meth:`_find`, without searching where nothing has changed since the session's last search."""
        known = self._known.get(session)
        if known is not None and known[:3] == (slot, migrated, self.space.version):
            _, _, _, block, passed, settled = known
            if not settled:
                self.space.settle(session, self._least(slot))
            if self._probe(session, block, slot, migrated) == "accepted":
                self._counts.searches += 1
                self._counts.accepted += 1
                self._count_stuck(passed)
                return block, passed, True
        return *self._find(session, slot, migrated), False

    def _least(self, slot: int) -> int:
        """The lowest class that a search for *slot* bytes looks at."""
        return self._class_of(min(slot + self._reserve, self.rules.data))

    def _ensure_entry(self, session: int, block: int) -> bool:
        """Whether a transaction that changes a block has an ITL entry there; if not it may wait for :meth:`holders`."""
        if self._has_entry(session, block):
            return True
        entry = self._entry_bytes(session, block, False)
        if entry == NO_ENTRY or entry > self._free[block]:
            if (session, block) not in self.without_entry:
                self.watch.hold(WITHOUT_BYTES)
                self.without_entry.add((session, block))
            return False
        self._set_free(session, block, self._free[block] - self._take_entries(session, block, 1))
        return True

    def holders(self, session: int, block: int) -> tuple[int, ...]:
        """The sessions of which one must commit before *session* gets an ITL entry in *block*; none where it has one.

        Entries are made while there are fewer than the limit and the block has room [oracle-concepts].
        """
        entry = self._entry_bytes(session, block, False)
        if self._has_entry(session, block) or NO_ENTRY < entry <= self._free[block]:
            return ()
        return tuple(other for other in range(self.sessions) if self._has_entry(other, block))

    def _release(self, session: int, block: int, freed: int) -> None:
        self._note_work(session, block, 0, freed)
        self._set_free(session, block, self._free[block] + freed)

    def commit(self, session: int) -> None:
        """End the session's transaction: its ITL entries can be used again, and the space it freed."""
        block: int
        self.watch.spend(STEP_NS + BLOCK_NS * len(self._touched[session]))
        for block in self._touched[session]:
            if self._at_work[block] == session:
                self._taken[block] = self._freed[block] = 0
            else:
                visit = self._visit(session, block)
                if visit in self._entries or visit in self._session_freed:
                    self.watch.hold(-SHARED_BYTES)
                self._taken[block] -= self._entries.pop(visit, 0)
                self._freed[block] -= self._session_freed.pop(visit, 0)
            if not self._taken[block] and not self._freed[block]:
                self._at_work[block] = NOBODY
            for stuck in (self._stuck_itl, self._stuck_uncommitted):
                if block in stuck:
                    stuck.discard(block)
                    self.space.stick(block, 0)
        self.watch.hold(-TOUCHED_BYTES * len(self._touched[session]))
        self._touched[session] = set()
        self._stuck_at_work[session] = []
        self.lists.commit(session)
        self._known.clear()
