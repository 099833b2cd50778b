"""What a statement writes: DBWR the blocks that it dirties, it itself those of a direct load, and LGWR its redo."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, Final

import simpy

from blocktime.model.causes import (
    CHECKPOINT_INCOMPLETE,
    DIRECT_WRITE,
    FREE_BUFFERS,
    LOG_FILE_SYNC,
    LOG_FULL,
    LOG_SPACE,
    WRITE_TEMP,
)
from blocktime.model.demand import Demand
from blocktime.model.demand.session_turns import STRETCH_BLOCKS
from blocktime.model.demand.transaction_demand import touch_rules
from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.machine.host.session_slots import ReadSlots
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.sim.streams import stream
from blocktime.model.spec import System
from blocktime.model.workloads.statements.session_counts import StatementLedger

Step = Generator[simpy.Event, Any, None]
TIMEOUT_S: Final = 0.01
"""After which a session that waits for a free buffer looks again, which counts as another wait [general knowledge]."""


class RedoBehind:
    """Redo of what sessions change, on its way to the machine's log: as much for each block that they work on."""

    def __init__(
        self, machine: Machine, inputs: tuple[System, Demand, int], place: int, seed: int, *, commits: bool
    ) -> None:
        """*inputs* ends with the users; the log lies from the block *place* on, where nothing else is said.

        Sessions make their *commits* evenly, unless they make them themselves.
        """
        system, demand, users = inputs
        size = int(system.tablespace.block_size_bytes)
        self.env, self._log = machine.env, machine.redo_log(system, place * size, seed)
        self._each = float(demand.redo_bytes / (users * demand.blocks_wanted))
        self._commits_each = float(demand.waits[LOG_FILE_SYNC][0] / demand.blocks_wanted) if commits else 0.0
        self._worked, self._noted = 0.0, 0
        self._due: dict[int, float] = {}
        """Commits that each session has still to make."""
        self._no_room: simpy.Event | None = None
        self._awaits_log = False
        """Whether the redo that came last waits for the next log, and not for room in the buffer."""
        is_apart = system.host.limits_volumes and system.instance.redo_disk != "data"
        files = machine.log_files if is_apart else None
        self.counters = None if files is None else files.counters
        """Of a disk of the log's own, where the host limits what its volumes do together."""

    def log_changes(self, ledger: StatementLedger, worked: float) -> Step:
        """A session has worked on *worked* blocks more: their redo has come, and it commits as often as is due."""
        self._worked += worked
        fresh = int(self._worked * self._each) - self._noted
        self._noted += fresh
        self._no_room, self._awaits_log = self._log.note(fresh), self._log.awaited > 0
        due = self._due.get(id(ledger), 0.0) + worked * self._commits_each
        while due >= 1:
            due -= 1
            yield from self.sync(ledger)
        self._due[id(ledger)] = due

    def sync(self, ledger: StatementLedger) -> Step:
        """A session commits, and waits until all redo so far is on disk."""
        begin_s: float = self.env.now
        yield self._log.commit()
        ledger.wait(LOG_FILE_SYNC, self.env.now - begin_s)

    def await_room(self, ledger: StatementLedger) -> Step:
        """Wait until the redo that came last has found room in the log buffer."""
        begin_s: float = self.env.now
        if self._no_room is not None and not self._no_room.processed:
            yield self._no_room
            event = LOG_FULL[self._log.awaited_last] if self._awaits_log else LOG_SPACE
            ledger.wait(event, self.env.now - begin_s)

    def end(self, ledger: StatementLedger) -> Step:
        """A session has ended: it makes the commit that is left, and waits for all its redo where LGWR lags behind."""
        if self._due.get(id(ledger), 0.0) >= 0.5 or self._log.lags():
            yield from self.sync(ledger)


class WrittenBehind:
    """Room for dirty blocks in the cache; what has none is written one stretch behind the sessions, as is redo.

    Blocks of the table lie in the order in which they are dirtied, those apart anywhere in its segment, and those of
    undo behind it.
    """

    def __init__(
        self, machine: Machine, inputs: tuple[System, Demand, int], places: tuple[tuple[int, int], ...], seed: int
    ) -> None:
        """*inputs* ends with the users; *places* are those of the blocks in order and of the segment.

        Each is its first block on the disk and how many there are.
        """
        system, demand, users = inputs
        behind, size = demand.writing, int(system.tablespace.block_size_bytes)
        assert behind is not None
        self.env = machine.env
        self.dirtied = float(behind.blocks / (users * demand.blocks_wanted))
        """Blocks that are dirtied for each that a session works on."""
        self._blocks, self._room, self._apart, self._undo = (
            float(number) for number in (behind.blocks, behind.room_blocks, behind.apart_fraction, behind.undo_fraction)
        )
        self._most = float(behind.most_blocks)
        self._waits_as = CHECKPOINT_INCOMPLETE if behind.by_log else FREE_BUFFERS
        (self._first, self._span), self._segment = places
        self._end = capacity_of(system.disk) // size
        self._filled = 0.0
        self._handed_over, self._goes_on = 0, (0, 0)
        """Blocks that DBWR has been asked to write, and from which of them on they lie where."""
        self._on_way: deque[int] = deque()
        self._turns: deque[simpy.Event] = deque()
        """Turns of the sessions that wait, the longest waiting first: who filled first goes on first."""
        self._draws = stream(seed, "dirty blocks")
        self._writer = machine.database_writer(system, Buffers(1, touch_rules(system)), 0, inf)
        self._writer.outside = 0

    @property
    def written(self) -> int:
        """Blocks that DBWR has written."""
        return int(self._writer.written)

    def go_to(self, block: int) -> None:
        """What is written next lies from a block of the segment on: a part goes on at another place of the work."""
        self._goes_on = self._handed_over, block

    def fill(self, ledger: StatementLedger, worked: float) -> Step:
        """A session has worked on *worked* blocks: it waits until what was dirtied before them has found its room.

        Their own writes go on beside its next stretch.
        """
        blocks = worked * self.dirtied
        if blocks <= 0:
            return
        # NOTE: short stretches wait for what lies a long one behind, as LGWR's writes come in bursts
        behind = self._filled - self._most - max(0.0, min(STRETCH_BLOCKS, self._room) - blocks)
        before = int(behind)
        begin_s: float = self.env.now
        if self._writer.written < before:
            turn = self.env.event()
            self._turns.append(turn)
            if self._turns[0] is not turn:
                yield turn
            while self._writer.written < before:
                yield self._writer.cleaned()
            self._turns.popleft()
            if self._turns:
                self._turns[0].succeed()
        if self.env.now > begin_s:
            waited_s = self.env.now - begin_s
            ledger.wait(self._waits_as, waited_s, times=ceil(waited_s / TIMEOUT_S))
        self._filled += blocks
        if fresh := max(0, int(self._filled - self._room) - self._handed_over):
            self._hand_over(fresh)

    def end(self, ledger: StatementLedger) -> Step:
        """A session has ended; what it dirtied stays behind."""
        yield from ()

    def _hand_over(self, count: int) -> None:
        """Let DBWR write the next blocks, dirty for the longest: no buffer is free, so it begins now."""
        blocks, writer, now_s = self._next(count), self._writer, self.env.now
        for block in blocks:
            writer.dirtied(block, now_s)
        self._handed_over += count
        writer.request_writes(blocks)
        writer.cleaned()

    def _next(self, count: int) -> list[int]:
        """The places of so many blocks more, none of which is on its way already."""
        first, span, end, each = self._first, self._span, self._end, self._span / self._blocks
        ranks, (since, place) = range(self._handed_over, self._handed_over + count), self._goes_on
        first += place
        if not self._apart and not self._undo:
            return [(first + int((rank - since) * each)) % end for rank in ranks]
        while len(self._on_way) > self._handed_over - self._writer.written:
            self._on_way.popleft()
        pending, blocks = set(self._on_way), []
        for rank, share in zip(ranks, self._draws.random(count).tolist(), strict=True):
            undo = int(rank * self._undo)
            if int((rank + 1) * self._undo) > undo:
                block = self._first + span + undo
            elif int((rank + 1) * self._apart) > int(rank * self._apart):
                block = self._segment[0] + int(share * self._segment[1])
            else:
                block = first + int((rank - since) * each)
            block %= end
            while block in pending:
                block = (block + 1) % end
            pending.add(block)
            blocks.append(block)
        self._on_way.extend(blocks)
        return blocks


@dataclass(slots=True)
class DirectSession:
    """Blocks that a session has formatted in its PGA, and its writes under way, the oldest first."""

    slots: ReadSlots
    formatted: float = 0.0
    under_way: deque[simpy.Event] = field(default_factory=deque)


class DirectWrites:
    """Blocks that sessions format in their PGA and write themselves above the high-water mark, by direct path.

    A session goes on while it has slots for writes, and waits for its oldest one where it has none; before its commit
    it waits for all [oracle-reference].
    """

    def __init__(self, machine: Machine, inputs: tuple[System, Demand, int], place: tuple[int, int], seed: int) -> None:
        """*inputs* end with the users; *place* is the first block above the mark on the disk and their number."""
        system, demand, users = inputs
        writing, self._size = demand.writing, int(system.tablespace.block_size_bytes)
        assert writing is not None
        self.env, self._machine, self._instance = machine.env, machine, system.instance
        self._each = float(writing.blocks / (users * demand.blocks_wanted))
        """Blocks that are formatted for each that a session works on."""
        self._call_blocks = int(writing.call_blocks)
        self._waits_as = WRITE_TEMP if writing.to_temp else DIRECT_WRITE
        self._first, self._end = place[0], capacity_of(system.disk) // self._size
        self._placed, self.written = 0, 0
        self._sessions: dict[int, DirectSession] = {}

    def go_to(self, block: int) -> None:
        """What is written next lies from a block of the segment on: a part goes on at another place of the work."""
        self._placed = block

    def fill(self, ledger: StatementLedger, worked: float) -> Step:
        """A session has worked on *worked* blocks: it writes what fills a write, as soon as it has a slot for it."""
        blocks, session = worked * self._each, self._session(ledger)
        session.formatted += blocks
        while session.formatted >= self._call_blocks:
            yield from self._write(ledger, session, self._call_blocks)

    def end(self, ledger: StatementLedger) -> Step:
        """A session has ended: it writes the rest, and waits for all its writes."""
        session = self._session(ledger)
        if (rest := round(session.formatted)) > 0:
            yield from self._write(ledger, session, rest)
        while session.under_way:
            yield from self._await_oldest(ledger, session)

    def _session(self, ledger: StatementLedger) -> DirectSession:
        session = self._sessions.get(id(ledger))
        if session is None:
            slots = self._instance.direct_read_slots, self._instance.direct_read_slots_limit
            session = self._sessions[id(ledger)] = DirectSession(ReadSlots(*slots, self.env.now))
        return session

    def _write(self, ledger: StatementLedger, session: DirectSession, blocks: int) -> Step:
        """Hand a write to the disk, behind the oldest one where all slots are taken."""
        session.formatted -= blocks
        if len(session.under_way) >= session.slots.count:
            yield from self._await_oldest(ledger, session)
        start_byte = (self._first + self._placed) % (self._end - blocks + 1) * self._size
        self._placed += blocks
        self.written += blocks
        session.under_way.append(self._machine.disk.request(True, start_byte, blocks * self._size, 0))

    def _await_oldest(self, ledger: StatementLedger, session: DirectSession) -> Step:
        begin_s: float = self.env.now
        oldest = session.under_way.popleft()
        if not oldest.processed:
            yield oldest
            ledger.wait(self._waits_as, self.env.now - begin_s)
        session.slots.reaped(self.env.now, self.env.now - begin_s)
