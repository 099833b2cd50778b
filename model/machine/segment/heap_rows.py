"""The rows of a heap segment: loaded, inserted, grown, migrated and deleted, alike ones in one batch."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.assm import FULL, needs_entry
from blocktime.model.laws.growth import chain_of
from blocktime.model.loops.arrays import GivenWholes, Halves, halves, more_halves
from blocktime.model.loops.watch import Watch
from blocktime.model.machine.segment.heap_blocks import STEP_NS, HeapBlocks
from blocktime.model.machine.segment.heap_rules import HeapRules
from blocktime.model.machine.segment.space_map import NOWHERE

HOME, DELETED = -1, -2
ROW_BYTES = 8
"""Of each row that there is room for."""
INSERTED_BYTES = 300
"""Of rows that came to a block together."""
ROWS_NS = 10
"""Work of one of many alike rows."""


class HeapRows(HeapBlocks):
    """Rows over the blocks: where each lies and how long it is."""

    rows: int
    """Rows ever inserted."""
    _lengths: Halves
    _places: Halves
    """For each row the block its last piece lies in, HOME or DELETED."""
    _fit: int
    _loaded: int
    _inserted: dict[int, list[tuple[int, int]]]
    _current: list[int]

    def __init__(
        self, rules: HeapRules, steps: Iterator[list[tuple[int, int]]], sessions: int = 1, watch: Watch | None = None
    ) -> None:
        HeapBlocks.__init__(self, rules, steps, sessions, watch)
        self.rows = self._fit = self._loaded = 0
        self._lengths, self._places = halves(0, 0), halves(0, HOME)
        self._inserted, self._current = {}, [NOWHERE] * sessions

    def lengths(self) -> Halves:
        """Bytes of the last piece of each row."""
        return self._lengths[: self.rows]

    def places(self) -> Halves:
        """For each row the block its last piece lies in, HOME or DELETED."""
        return self._places[: self.rows]

    def ranges(self, block: int) -> list[tuple[int, int]]:
        """The rows of *block* in order: first row and how many, again and again."""
        loaded = min(self._fit, self._loaded - block * self._fit)
        first = [(block * self._fit, loaded)] if loaded > 0 else []
        return first + self._inserted[block] if block in self._inserted else first

    def loaded_rows(self) -> list[int]:
        """Rows that the load has put into each block."""
        fit, rows = self._fit, self._loaded
        full, rest = divmod(rows, fit)
        used = [fit] * full + [rest] * (rest > 0)
        return used + [0] * (self.blocks - len(used))

    def load(
        self, rows: int, length: int, direct: bool, most_per_block: int | None = None, added_rows: int = 0
    ) -> None:
        """Fill an empty segment, as one session's inserts and their commit do; or *direct*, as CREATE TABLE AS SELECT.

        Inserts leave the high-water mark at the end of an extent, a direct load exactly behind the rows. So many
        *added_rows* need no more memory later.
        """
        rules = self.rules
        slot = self._slot(length)
        empty = self._empty
        fit: int = rules.rows_per_block(length) if most_per_block is None else most_per_block
        self._fit, self._loaded = fit, rows
        self.watch.spend(ROWS_NS * rows)
        self.watch.hold(ROW_BYTES * (rows + added_rows))
        full, rest = divmod(rows, fit)
        used = full + (rest > 0)
        while self.blocks < used:
            if direct:
                self._format_up_to(used)
            else:
                self._extend()
        for block in range(full):
            self._free[block] = empty - fit * slot
            self._pieces[block] = fit
        self._lengths, self._places = halves(rows + added_rows, length), halves(rows + added_rows, HOME)
        self.rows = rows
        self._counts.inserted += rows
        last = used - 1
        if self._assm:
            self.space.fill(last)
        else:
            self.lists.unlink_below(last)
        self._free[last] = empty
        self._pieces[last] = rest or fit
        self._set_free(0, last, empty - (rest or fit) * slot)
        if not direct:
            self._counts.searches += used if self._assm else rows
            self._counts.accepted += rows
            self._counts.rejected_space += last
            if self._assm:
                self.space.aim(0, last)
                self._current[0] = last

    def reconnect(self) -> None:
        """Sessions without a transaction log off and on: they no longer know where they last found room."""
        self._current = [NOWHERE] * self.sessions
        self.space.forget()
        self._known.clear()

    def _format_up_to(self, used: int) -> None:
        """Move the high-water mark within an extent, or into the next one, but not beyond *used* blocks."""
        if not self._ahead:
            self._ahead = next(self._steps)
        l1, blocks = self._ahead[0]
        now = min(blocks, used - self.blocks)
        self._new_blocks([(l1, now)])
        self._ahead[:1] = [(l1, blocks - now)] if blocks > now else []

    def insert(self, session: int, rows: int, length: int, each: int | None = None, every: int | None = None) -> None:
        """Insert *rows* of *length* one after another, in statements of *each* rows, all in one where not said.

        A statement searches for a block and keeps it until it rejects a row; the next statement searches anew, and
        one begins anew after *every* so many rows.
        """
        if length > self._largest:
            raise OutsideLaw("a row does not fit an empty block")
        slot = self._slot(length)
        statement = (each or rows) if self._assm else 1  # every insert looks at the head of the list
        every = every or max(1, rows)
        done = 0
        while done < rows:
            self.watch.spend(STEP_NS)
            begun = done % every % statement
            block, passed, settled = self._current[session] if begun else NOWHERE, -1, False
            if block == NOWHERE:
                block, passed, settled = self._find_again(session, slot, False)
            else:
                why = self._probe(session, block, slot, False)
                if why != "accepted":
                    self._reject(session, block, why)
                    self._current[session] = NOWHERE
                    continue
                self._counts.accepted += 1
            self._current[session] = block
            entry = max(0, self._entry_bytes(session, block, False))
            fit = max(1, (self._room(session, block) - self._reserve - entry) // slot)
            if passed < 0:  # the searches of further statements are not known to end here
                fit = min(fit, statement - begun, every - done % every)
            placed = min(rows - done, fit)
            self._counts.accepted += placed - 1
            searches = _statements(done + placed, every, statement) - _statements(done + 1, every, statement)
            if searches:
                settled = self._search_alike(session, slot, searches, passed, settled)
            self._put_rows(session, block, placed, length, direct=False)
            self._remember(session, slot, False, block, passed, settled)
            done += placed

    def insert_alone(self, session: int, rows: int, length: int, each: int, every: int) -> None:
        """As :meth:`insert`, with a commit after *every* so many rows, while no other session changes anything.

        Who only inserts gives back an ITL entry that it takes again, and no space: its commits, but for the first and
        the last, change nothing that a search finds.
        """
        committed = rows - rows % every
        first = min(every, committed)
        for part in (first, committed - first):
            if part:
                self.insert(session, part, length, each, every)
                self.commit(session)
        if rows > committed:
            self.insert(session, rows - committed, length, each)

    def _put_rows(self, session: int, block: int, rows: int, length: int, direct: bool) -> None:
        self.watch.spend(STEP_NS + ROWS_NS * rows)
        self.watch.hold(INSERTED_BYTES)
        slot = self._slot(length)
        entry = 0
        if not direct and needs_entry(False, self._has_entry(session, block)):
            entry = self._take_entries(session, block, 1)
        first = self.rows
        room = len(self._lengths)
        if first + rows > room:
            self.watch.hold(-ROW_BYTES * room)
            room = max(1024, room + room // 8, first + rows)
            self.watch.hold(ROW_BYTES * room)
            self._lengths = more_halves(self._lengths, room, 0)
            self._places = more_halves(self._places, room, HOME)
        for row in range(first, first + rows):
            self._lengths[row] = length
        self.rows += rows
        self._inserted.setdefault(block, []).append((first, rows))
        self._pieces[block] += rows
        self._counts.inserted += rows
        self._set_free(session, block, self._free[block] - rows * slot - entry)

    def append(self, rows: int, length: int) -> None:
        """Insert rows above the high-water mark by direct path; the mark ends exactly behind them."""
        rules = self.rules
        fit = rules.rows_per_block(length)
        left = rows
        while left:
            block = self.blocks
            self._format_up_to(block + 1)
            placed = min(left, fit)
            self._put_rows(0, block, placed, length, direct=True)
            left -= placed
            if left and self._assm:
                self.space.set_class(block, FULL)
            elif left:
                self.lists.unlink(0, block)

    def update(self, session: int, block: int, start: int, rows: int, growth: int) -> None:
        """Let *rows* of *block*, from its row number *start* on, grow by *growth* each, in order."""
        first: int
        count: int
        for first, count in self.ranges_of(block, start, rows):
            row, end = first, first + count
            while row < end:
                behind = self._alike(row, end)
                self._grow(session, block, row, behind - row, growth)
                row = behind

    def rows_of(self, block: int) -> int:
        """Rows whose home is *block*, deleted ones included."""
        return sum(rows for _, rows in self.ranges(block))

    def current(self, session: int) -> int | None:
        """The block in which the session's last insert ended."""
        block: int = self._current[session]
        return None if block == NOWHERE else block

    def blocks_of(self, block: int, start: int, rows: int) -> list[int]:
        """The blocks that a change of rows of *block* reaches: itself, and those that rows have gone to."""
        if not self._stubs[block]:
            return [block]
        gone: set[int] = set()
        for first, count in self.ranges_of(block, start, rows):
            for row in range(first, first + count):
                gone.add(self._places[row])
        return [block, *sorted(gone - {HOME, DELETED, block})]

    def ranges_of(self, block: int, start: int, rows: int) -> list[tuple[int, int]]:
        """The rows from number *start* of *block* on: first row and how many, again and again."""
        ranges = []
        first: int
        count: int
        for first, count in self.ranges(block):
            if start < count and rows > 0:
                used = min(count - start, rows)
                ranges.append((first + start, used))
                rows -= used
                start = 0
            else:
                start = max(0, start - count)
        return ranges

    def _alike(self, row: int, end: int) -> int:
        """The end of the rows from *row* on that have one length and lie in one place, *end* at most."""
        length, place = self._lengths[row], self._places[row]
        row += 1
        while row < end and self._lengths[row] == length and self._places[row] == place:
            row += 1
        return row

    def _grow(self, session: int, home: int, row: int, rows: int, growth: int) -> None:
        """Let rows that are alike grow: in place while there is room, else to another block."""
        place, length = self._places[row], self._lengths[row]
        self.watch.spend(STEP_NS + ROWS_NS * rows)
        if place == DELETED:
            return
        block = home if place == HOME else place
        if not growth:
            self._ensure_entry(session, block)
            self._ensure_entry(session, home)
            self._counts.in_place += rows
            return
        wanted = self._piece(length + growth) - self._piece(length)
        end = row + rows
        while row < end:
            self._ensure_entry(session, block)
            if place != HOME:
                self._ensure_entry(session, home)
            room = self._room(session, block)
            fit = end - row if wanted == 0 else min(end - row, room // wanted)
            if fit:
                for here in range(row, row + fit):
                    self._lengths[here] = length + growth
                self._counts.in_place += fit
                if wanted:
                    self._set_free(session, block, self._free[block] - fit * wanted)
                row += fit
            if row == end:
                return
            row = self._move(session, block, row, end, growth)

    def _move(self, session: int, block: int, row: int, end: int, growth: int) -> int:
        """Let a row leave *block*, or all the alike rows up to *end* where leaving frees nothing; the row after."""
        length, first_time = self._lengths[row], self._places[row] == HOME
        freed = self._piece(length) - self._stub if first_time else self._slot(length)
        carried = length + growth - (0 if first_time else self._rowid)
        bodies, tail = chain_of(carried, self._largest, self._header, self._rowid)
        last = end if freed == 0 else row + 1
        while row < last:
            for _ in range(bodies):
                self._place(session, self._largest, 1)
                self._counts.chain_pieces += 1
            target, placed = self._place(session, tail, 1 if bodies else last - row)
            for here in range(row, row + placed):
                self._places[here] = target
                self._lengths[here] = tail
            row += placed
            self._counts.chained += placed * (bodies > 0)
            if first_time:
                self._counts.migrated += placed
                self._stubs[block] += placed
            else:
                self._counts.moved_again += placed
                self._pieces[block] -= placed
                self._moved_in[block] -= placed
            if freed:
                self._release(session, block, freed)
        return row

    def delete_first(self, session: int, homes: GivenWholes, rows: GivenWholes) -> None:
        """Delete the first loaded rows, *rows*[i], of each block *homes*[i], one block after another."""
        for at in range(len(homes)):
            self._delete(session, homes[at], homes[at] * self._fit, homes[at] * self._fit + rows[at])

    def delete(self, session: int, block: int, start: int, rows: int) -> None:
        """Delete *rows* of *block*; their space is on offer at once, but free for others only after the commit."""
        first: int
        count: int
        for first, count in self.ranges_of(block, start, rows):
            self._delete(session, block, first, first + count)

    def _delete(self, session: int, block: int, row: int, end: int) -> None:
        """Delete the rows of *block* from *row* up to *end*, alike ones together."""
        while row < end:
            behind, place = self._alike(row, end), self._places[row]
            lies = block if place == HOME else place
            while place != DELETED and row < behind:
                entered = self._ensure_entry(session, lies)
                if lies != block and not self._ensure_entry(session, block):
                    entered = False
                # what one row frees may make room for the entry; and which block is linked first, free lists remember
                part = behind - row if entered and (self._assm or place == HOME) else 1
                self._remove(session, block, lies, row, part)
                row += part
            row = behind

    def _remove(self, session: int, home: int, lies: int, row: int, rows: int) -> None:
        """Delete alike rows of *home* that lie in block *lies*."""
        self.watch.spend(STEP_NS + ROWS_NS * rows)
        self._release(session, lies, rows * self._slot(self._lengths[row]))
        self._pieces[lies] -= rows
        if self._places[row] != HOME:
            self._moved_in[lies] -= rows
            self._stubs[home] -= rows
            self._pieces[home] -= rows
            self._release(session, home, rows * (self._stub + self._directory))
        for here in range(row, row + rows):
            self._places[here] = DELETED
        self._counts.deleted += rows


def _statements(rows: int, every: int, each: int) -> int:
    """Statements of *each* rows that *rows* take, where one begins anew after *every* so many."""
    transactions, rest = divmod(rows, every)
    return transactions * -(-every // each) - (-rest // each)
