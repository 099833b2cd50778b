"""A heap segment that several sessions change in simulated time: its blocks, its locks, who waits for whom.

A session makes the changes of a stretch of its work at the begin of the stretch, with what others have done until then,
and then takes the time of it. Where it meets a lock in the stretch, it takes the time until there and waits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, TypeGuard

import simpy

from blocktime.model.causes import (
    BUFFER_BUSY,
    DELETING,
    INSERTING,
    ITL_ENTRY,
    LOG_FILE_SYNC,
    MIGRATING,
    ROW_LOCK,
    SEARCHING,
    UPDATING,
)
from blocktime.model.demand import Demand, demand_of
from blocktime.model.demand.commits import waits_once
from blocktime.model.demand.dml import move_s, probe_s
from blocktime.model.demand.heap_run import LoadedHeap
from blocktime.model.demand.row_changes import change_played, is_mended, lengths_of
from blocktime.model.demand.row_turns import NEW, Commits, Turn, count_of_turns, make, turns_of
from blocktime.model.demand.session_turns import stretch_s
from blocktime.model.errors import OutsideLaw
from blocktime.model.machine.segment.heap_rules import HeapCounts
from blocktime.model.machine.segment.row_locks import RowLocks, Waiting
from blocktime.model.sim.clock import Clock
from blocktime.model.spec import Dml, Statement, System
from blocktime.model.workloads.statements.session_counts import StatementLedger
from blocktime.model.workloads.statements.written_behind import RedoBehind

Step = Generator[simpy.Event, Any, None]
Pin = tuple[float, float, int]
"""Its begin, its end, and whose it is."""

LOCKED_BYTES = 130
"""Of rows that a session has locked together."""
LOCK_BYTES = 6
"""Of each row that may be locked."""
PINNED_BYTES = 400
"""Of a block that sessions have in use."""
FEW_PINNED = 1000
CHANGE_NS = 12_000
"""Work of a change, and of looking whether anybody is in its way."""
CHANGING = (UPDATING, INSERTING, DELETING)
"""Causes of CPU that each changed row has a part of."""
OF_CHANGES = (*CHANGING, MIGRATING, SEARCHING)
"""Causes of CPU whose time passes as rows are changed."""


class SharedSegment:
    """One segment in time, for the sessions of all *works* that change it; each of them takes its sessions in turn."""

    def __init__(self, env: Clock, system: System, works: list[Dml]) -> None:
        self.env = env
        sessions = sum(work.users for work in works)
        lengths = lengths_of(system, works[0])
        env.watch.hold(LOCK_BYTES * (system.table.rows + sum(work.added_rows for work in works)))
        self.loaded = LoadedHeap(system.tablespace, system.table, is_mended(system), lengths, works)
        self.heap = self.loaded.heap
        self.locks = RowLocks(sessions + 1)
        self.waiting = Waiting()
        self.frozen = sessions
        """Number of the transaction that deletes rows and never commits."""
        self.waiting.never_ends(self.frozen)
        for home, rows in zip(*map(list, self.loaded.deleted), strict=True):
            self.lock(self.frozen, (home, 0, rows))
        self.committed = [env.event() for _ in range(sessions + 1)]
        """The end of each session's open transaction."""
        self.pins: dict[int, list[Pin]] = {}
        """When sessions have the buffer of a block to change it."""
        self._most_pinned = 0
        self._joined = 0

    def join(self, work: Dml) -> list[int]:
        """Numbers of the sessions of *work*."""
        first, self._joined = self._joined, self._joined + work.users
        return list(range(first, self._joined))

    def pinned(self, block: int) -> list[Pin]:
        """When sessions have the buffer of *block*, as far as that is not over for all blocks."""
        if block not in self.pins and len(self.pins) == self._most_pinned:
            now_s = self.env.now
            self.pins = {other: pins for other, pins in self.pins.items() if any(pin[1] > now_s for pin in pins)}
            most = max(FEW_PINNED, 2 * len(self.pins))
            self.env.watch.hold(PINNED_BYTES * (most - self._most_pinned))
            self._most_pinned = most
        return self.pins.setdefault(block, [])

    def lock(self, session: int, turn: Turn) -> None:
        """Lock the rows of *turn* until the session commits."""
        for first, count in self.heap.ranges_of(*turn):
            self.env.watch.hold(LOCKED_BYTES)
            self.locks.lock(session, first, count)

    def commit(self, session: int) -> None:
        """End the transaction of *session*: who waits for it goes on."""
        self.heap.commit(session)
        self.env.watch.hold(-LOCKED_BYTES * self.locks.commit(session))
        self.committed[session].succeed()
        self.committed[session] = self.env.event()

    def obstacle(self, session: int, turn: Turn) -> tuple[int, str, tuple[int, ...]]:
        """Rows of *turn* that the session may change now; where none, what it waits for, and whose commit ends it."""
        home, start, rows = turn
        if home == NEW:  # a search passes what is locked
            return rows, "", ()
        free = 0
        for first, count in self.heap.ranges_of(home, start, rows):
            unlocked, holder = self.locks.free_rows(session, first, count)
            free += unlocked
            if unlocked < count:
                if not free:
                    return 0, ROW_LOCK, (holder,)
                break
        for block in self.heap.blocks_of(home, start, free):
            if holders := self.heap.holders(session, block):
                return 0, ITL_ENTRY, holders
        return free, "", ()


class SessionChanges:
    """What one session changes of a segment that others change, too: by *spend* it takes its CPU time, then sleeps."""

    def __init__(
        self,
        shared: SharedSegment,
        session: int,
        inputs: tuple[System, Dml, Demand, int],
        ledger: StatementLedger,
        spend: Callable[[float, float], Step],
        redo: RedoBehind | None,
    ) -> None:
        system, work, demand, rank = inputs
        self._redo = redo
        self.shared, self.session, self.work = shared, session, work
        self.counts = HeapCounts()
        """What this session has done in the segment."""
        self.pace = Commits(work.commit_every_rows)
        self._ledger, self._spend = ledger, spend
        self._lengths = lengths_of(system, work)
        order = shared.loaded.order(work, at_random=work.at_random)
        self._turns: Iterator[Turn] = chain.from_iterable(turns_of(work, order, rank) for _ in range(work.passes))
        self._count = work.passes * count_of_turns(work, order, rank)
        self._made = 0
        self._mark = shared.heap.counts
        assert demand.change is not None
        rows = max(1.0, float(demand.change.rows))
        self._row_s = sum(float(demand.cpu.get(cause, 0.0)) for cause in CHANGING) * work.users / rows
        host = system.host
        self._get_s, self._probe_s, self._move_s = (host.logical_io_s, float(probe_s(system)), float(move_s(host)))
        self._sync_s, self._in_block = float(demand.waits[LOG_FILE_SYNC][1]), bool(waits_once(system, work))
        self._stretch_s = float(stretch_s(system, demand.cpu_s, work.users))
        self._most_rows = max(1, int(self._stretch_s / (self._row_s + self._move_s)))
        self._most_new_rows = max(1, int(self._stretch_s / max(1e-9, self._row_s)))
        """Rows of a stretch, where each may migrate, and where none does."""
        self._cpu_s = self._sleep_s = 0.0
        """Of changes whose time has still to pass."""

    def until(self, fraction: float) -> Generator[simpy.Event, Any, tuple[float, float]]:
        """Make the changes up to a share of all; returns seconds of CPU, and of sleep, that have still to pass."""
        due = self._count if fraction >= 1 else int(fraction * self._count + 1e-9)
        self._mark = self.shared.heap.counts
        while self._made < due:
            self._made += 1
            for part in self.pace.parts(next(self._turns)):
                yield from self._change(part)
        return self._stretch()

    def end(self) -> Step:
        """The statement is done, and its transaction with it; a block waits for its commits."""
        self.shared.commit(self.session)
        if self._in_block and self.pace.commits:
            yield from self._sync()
        yield from self._pass()

    def _sync(self) -> Step:
        """Wait for the log, where it is played; else by the law."""
        if self._redo is None:
            self._ledger.wait(LOG_FILE_SYNC, self._sync_s)
            self._sleep_s += self._sync_s
        else:
            yield from self._pass()
            yield from self._redo.sync(self._ledger)
            self._mark = self.shared.heap.counts

    def _change(self, part: Turn) -> Step:
        """Change the rows of a turn, as soon as nobody is in the way, and commit where it is time."""
        shared, session = self.shared, self.session
        home, start, rows = part
        while rows:
            turn = home, start, min(rows, self._most_new_rows if home == NEW else self._most_rows)
            shared.env.watch.at(shared.env.now, CHANGE_NS)
            free, event, holders = shared.obstacle(session, turn)
            if free:
                self._make((home, start, free))
                if self._cpu_s > self._stretch_s:
                    yield from self._pass()
                start += free
                rows -= free
            else:
                yield from self._wait(event, holders)
        if self.pace.done(part):
            if shared.waiting.waited_for(session):
                yield from self._pass()
            shared.commit(session)
            if not self._in_block:
                yield from self._sync()

    def _make(self, turn: Turn) -> None:
        """Make changes that nobody is in the way of, but for one who has the buffer at the moment."""
        shared, heap = self.shared, self.shared.heap
        home = turn[0]
        before_s = self._cost_s(heap.counts)
        make(heap, self.session, self.work, turn, self._lengths)
        took_s = self._cost_s(heap.counts) - before_s
        block = heap.current(self.session) if home == NEW else home
        if home != NEW:
            shared.lock(self.session, turn)
        if block is not None:
            self._pin(block, took_s)
        self._cpu_s += took_s

    def _pin(self, block: int, took_s: float) -> None:
        """Have the buffer of *block* for *took_s*; of two sessions that want it at once one waits for the other.

        NOTE: who comes to the block first in the order of stretches may be second in time: the other bears its wait.
        """
        now_s = self.shared.env.now
        begin_s = now_s + self._cpu_s + self._sleep_s
        pins = [pin for pin in self.shared.pinned(block) if pin[1] > now_s]
        wait_s = 0.0
        for from_s, to_s, whose in pins:
            if whose != self.session and from_s < begin_s + took_s and begin_s < to_s:
                free_s = to_s if from_s <= begin_s else begin_s + took_s
                wait_s = max(wait_s, free_s - max(begin_s, from_s))
        if wait_s:
            self._sleep_s += wait_s
            self._ledger.wait(BUFFER_BUSY, wait_s)
        pins.append((begin_s + wait_s, begin_s + wait_s + took_s, self.session))
        self.shared.pins[block] = pins

    def _wait(self, event: str, holders: tuple[int, ...]) -> Step:
        """Wait until one of *holders* commits. Raises :class:`OutsideLaw` for a deadlock."""
        shared, env = self.shared, self.shared.env
        commits = [shared.committed[holder] for holder in holders]
        yield from self._pass()
        if any(commit.triggered for commit in commits):
            return
        if deadlock := shared.waiting.begin(self.session, holders):
            raise OutsideLaw(_deadlock(event, deadlock, shared))
        begin_s = env.now
        self._ledger.events += 1
        yield env.any_of(commits)
        shared.waiting.end(self.session)
        self._ledger.wait(event, env.now - begin_s)
        self._mark = shared.heap.counts

    def _pass(self) -> Step:
        """Let the time of the changes so far pass."""
        yield from self._spend(*self._stretch())
        self._mark = self.shared.heap.counts

    def _stretch(self) -> tuple[float, float]:
        """Seconds of CPU, and of sleep, of the changes since time passed last, which are noted as the session's own."""
        heap = self.shared.heap
        self.counts = heap.rules.plus(self.counts, heap.rules.since(heap.counts, self._mark))
        cpu_s, sleep_s, self._cpu_s, self._sleep_s = self._cpu_s, self._sleep_s, 0.0, 0.0
        return cpu_s, sleep_s

    def _cost_s(self, counts: HeapCounts) -> float:
        """CPU of all that *counts* count."""
        return (
            self._row_s * rows_changed(counts)
            + self._move_s * (counts.migrated + counts.moved_again + counts.chain_pieces)
            + self._probe_s * counts.rejected_itl
            + self._get_s * (counts.rejected_space + counts.rejected_held)
        )


def rows_changed(counts: HeapCounts) -> int:
    """Rows that *counts* say were changed, each pass by itself."""
    return counts.in_place + counts.migrated + counts.moved_again + counts.inserted + counts.deleted


def _deadlock(event: str, sessions: list[int], shared: SharedSegment) -> str:
    """What a user is told of sessions that wait for each other."""
    if shared.frozen in sessions:
        return (
            f"workload.uncommitted_delete_fraction: session {sessions[0] + 1} waits for a transaction that never "
            f"commits ({event}): take it off, or let the session change other rows"
        )
    whose = " and ".join(f"{session + 1}" for session in sorted(sessions))
    return (
        f"sessions {whose} wait for each other ({event}), which Oracle ends with ORA-00060: commit more often "
        "(workload.commit_every_rows), keep more room for ITL entries (table.pctfree_percent, table.initrans) or take "
        "fewer users"
    )


def shares(work: Statement) -> TypeGuard[Dml]:
    """Whether sessions of *work* change rows where other sessions of the table see it; direct path loads do not."""
    return work.plays_rows and not work.by_direct_path


def changed_in_time(demand: Demand) -> Demand:
    """What is left of *demand* without the changes of rows, which take their time as they are made."""
    cpu = {cause: seconds for cause, seconds in demand.cpu.items() if cause not in OF_CHANGES}
    return replace(without_commits(demand), cpu=cpu)


def without_commits(demand: Demand) -> Demand:
    """*demand* without the waits for commits, which are played."""
    waits = {event: waits for event, waits in demand.waits.items() if event != LOG_FILE_SYNC}
    return replace(demand, waits=waits)


def demand_played(inputs: tuple[System, Dml, Demand], shared: SharedSegment, changes: list[SessionChanges]) -> Demand:
    """The demands of the mean session once all have made their *changes*."""
    system, work, before = inputs
    counts = HeapCounts()
    for change in changes:
        counts = shared.heap.rules.plus(counts, change.counts)
    rows, commits = rows_changed(counts), sum(change.pace.commits for change in changes)
    after = demand_of(system, work, change_played(system, work, shared.loaded.outcome(counts, rows, commits)))
    # NOTE: time passed as it was asked for but for the changes themselves: where others deleted all rows, none are made
    cpu = {cause: seconds for cause, seconds in before.cpu.items() if cause not in OF_CHANGES}
    cpu |= {cause: seconds for cause, seconds in after.cpu.items() if cause in OF_CHANGES}
    busy = {event: waits for event, waits in before.waits.items() if event == BUFFER_BUSY}
    return replace(after, gets=before.gets, cpu=cpu, waits=after.waits | busy)
