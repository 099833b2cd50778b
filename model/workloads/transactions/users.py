"""Users and their transactions: gets in the buffer cache, reads, changes, a commit, and a pause for thought.

A session is a state that the calendar calls after each wait; a SimPy process for it would take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import simpy

from blocktime.model.laws.changed_blocks import undo_gets
from blocktime.model.loops.arrays import Reals, Wholes, reals, wholes
from blocktime.model.loops.calendar import Waiter
from blocktime.model.loops.places import Places
from blocktime.model.machine.device.servers import Processors
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.data_files import BlockRequests
from blocktime.model.sim.pool import BufferPool
from blocktime.model.sim.references import CHUNK, BlockLayout, Chunk, HottestBlocks, References
from blocktime.model.sim.writers import LogWriter
from blocktime.model.workloads.transactions.tally import (
    BUSY,
    EVENTS,
    FREE,
    LATCH,
    OTHER,
    PARALLEL,
    READ,
    SCAN,
    SPACE,
    SYNC,
    Tally,
)

THINKING, GETTING, SCANNING, APART, AWAITING, COMPUTING, READING, NOTING, COMMITTING = (0, 1, 2, 3, 4, 5, 6, 7, 8)
"""Waits of a session: for its user, buffers, time outside the model, other sessions' reads, CPU, its read, the log."""
GET_NS = 30
"""Work of a get, on a processor of the 2020s."""
SESSION_BYTES = 3000
MISSED_BYTES = 15
"""Of a block that a transaction under way has to read."""
ENDED_BYTES = 60
"""Of a transaction that has ended."""
CONTENDED = 6
"""Numbers of what a session finds contended, for each number of those that run."""


@dataclass
class TransactionSteps:
    """What each transaction of a kind does, but for what depends on misses and on others."""

    drawn_gets: float
    hottest_gets: float
    hottest_changes: float
    redo_bytes: int
    commits: bool
    in_parallel: bool
    """Whether some of its reads are handed over together."""
    apart_s: float
    """Time neither on a processor nor waiting for what the model makes it wait for."""
    cpu_s: float


@dataclass
class StepCosts:
    """CPU seconds of single steps, and what makes a get meet a change."""

    read_s: float
    """Of a read call."""
    fill_s: float
    """Of a block that was read, with its copy out of the page cache."""
    in_page_cache: float
    """Share of the reads that the page cache answers."""
    undo_s: float
    mbrc: int
    changes: float
    """Of a mean transaction, outside the hottest blocks."""
    collision: float
    hottest_changes: float
    hottest_collision: float
    entries: float
    """Of a block's ITL list at most."""


@dataclass
class SimulationState:
    """What all users share, and what each of them does."""

    env: Clock
    processors: Processors
    files: BlockRequests
    threads: int
    layout: BlockLayout
    pools: list[BufferPool]
    hot_blocks: int
    """Blocks below this number are hot; they have a pool of their own if there are two."""
    log: LogWriter
    kinds: list[TransactionSteps]
    references: References
    hottest: HottestBlocks
    chunk: Chunk
    """Of the references, from which transactions come next."""
    contended: Reals
    """By running sessions: of a latch the time spinning, the time asleep and how often; the same of a hottest block."""
    costs: StepCosts
    tally: Tally
    thinks_s: Iterator[float]
    """Pauses of the users, in the order in which they begin."""
    ended: Callable[[], None]
    """Called after as many transactions as :attr:`stop_at` says."""
    reading: Places
    """Blocks that are being read, with the number of the session that was last to begin with each."""
    sessions: list[TransactionSession]
    stop_at: int = 0
    done: int = 0
    """Transactions that have ended."""
    drawn: int = 0
    """Transactions of the chunk that have begun."""
    under_way: int = 0
    running: int = 0
    """Sessions on a processor, or waiting for one."""


@dataclass
class Arrivals(Waiter):
    """Transactions that come whether or not earlier ones are done."""

    state: SimulationState
    gaps_s: Iterator[float]
    idle: list[TransactionSession]
    """Sessions whose transactions have ended."""

    def happens(self) -> None:
        """The next one comes."""
        self.state.env.after(next(self.gaps_s), self)
        if not self.idle:
            self.state.env.watch.hold(SESSION_BYTES)
            self.idle.append(TransactionSession(self.state, self.idle))
        session: TransactionSession = self.idle.pop()
        session.happens()


class TransactionSession(Waiter):
    """A session and its transaction, from its first call to the end of its commit; then it thinks, or is idle."""

    _state: SimulationState
    _session: int
    """Its number."""
    _idle: list[TransactionSession] | None
    """Where sessions go whose users do not come again."""
    _waits: int
    """What it waits for."""
    _begin_s: float
    _kind: TransactionSteps
    _chunk: Chunk
    _number: int
    """Of the transaction in its chunk."""
    _done: int
    """Blocks that it has got; then those that it has scanned."""
    _missed: list[int]
    """Blocks that it has got and has to read."""
    _scanned: list[int]
    """Those that it has scanned and has to read."""
    _awaited: list[TransactionSession]
    """Others for whose reads it waits."""
    _awaited_reads: list[int]
    """The numbers of these reads."""
    _next: int
    """Of those awaited, or of its own reads."""
    _events: list[int]
    """Of each of its reads, what it is waited for as."""
    _counts: list[int]
    """Of each, the blocks that are handed over together; each is the first of so many as *_lengths* says."""
    _lengths: list[int]
    _to_read: list[int]
    """The blocks of all its reads, and where those of the next one begin."""
    _place: int
    _reads: int
    """Reads that have ended, of all its transactions."""
    _others: list[TransactionSession]
    """Those who wait for its read."""
    _misses: int
    """Blocks that it reads."""
    _requests: int
    _stretch_s: float
    """Of work between two reads."""
    _undo: float
    _awaits_log: bool
    """Whether its redo waits for the next log, and not for room in the buffer."""
    _spin_s: float
    _latch_s: float
    _pin_s: float
    _waits_latch: float
    _waits_pin: float
    _queue_s: float
    _cpu_s: float
    _times: Wholes
    """Waits by event."""
    _took_s: Reals
    _longest_s: Reals

    def __init__(self, state: SimulationState, idle: list[TransactionSession] | None) -> None:
        self._state, self._idle = state, idle
        self._waits = THINKING
        self._session = len(state.sessions)
        state.sessions.append(self)
        self._reads, self._others = 0, []
        self._awaited, self._awaited_reads, self._scanned = [], [], []
        self._times, self._took_s, self._longest_s = wholes(EVENTS, 0), reals(EVENTS, 0.0), reals(EVENTS, 0.0)

    def happens(self) -> None:
        """Its wait has ended."""
        waits = self._waits
        if waits == COMPUTING:
            self._state.running -= 1
            self._read()
        elif waits == READING:
            self._has_read()
        elif waits == COMMITTING:
            self._waited(SYNC)
            self._end()
        elif waits == THINKING:
            self._begin()
        elif waits == APART:
            self._await_others()
        elif waits == AWAITING:
            self._waited(OTHER)
            self._await_others()
        elif waits == NOTING:
            log = self._state.log
            self._waited(SPACE + (log.awaited_last if self._awaits_log else 0))
            self._commit()
        elif waits == GETTING:
            self._waited(FREE)
            self._get()
        else:
            self._waited(FREE)
            self._scan()

    def _waited(self, event: int) -> None:
        """Note a wait that has ended."""
        took_s = self._state.env.now - self.since_s
        self._times[event] += 1
        self._took_s[event] += took_s
        self._longest_s[event] = max(self._longest_s[event], took_s)

    def _wait(self, event: simpy.Event, waits: int) -> None:
        self._waits, self.since_s = waits, self._state.env.now
        calls = event.callbacks
        assert calls is not None
        calls.append(self)

    def _begin(self) -> None:
        state = self._state
        if state.drawn == CHUNK:
            state.chunk, state.drawn = state.references.chunk(), 0
        self._chunk, self._number = state.chunk, state.drawn
        state.drawn += 1
        self._begin_s = state.env.now
        kind: TransactionSteps = state.kinds[self._chunk.kinds[self._number]]
        self._kind = kind
        self._undo = self._undo_gets()
        state.under_way += 1
        running = min(state.running + 1, state.threads)
        at, contended = CONTENDED * running, state.contended
        self._spin_s, self._latch_s = kind.hottest_gets * contended[at], kind.hottest_gets * contended[at + 1]
        self._waits_latch = kind.hottest_gets * contended[at + 2]
        self._pin_s = kind.hottest_changes * contended[at + 4]
        self._waits_pin = kind.hottest_changes * contended[at + 5]
        for event in range(EVENTS):
            self._times[event] = 0
            self._took_s[event] = self._longest_s[event] = 0.0
        self._queue_s = self._cpu_s = 0.0
        self._missed, self._done = [], 0
        if self._scanned:
            self._scanned = []
        self._get()

    def _undo_gets(self) -> float:
        """Extra gets for changes that others have under way."""
        state, kind = self._state, self._kind
        costs, others = state.costs, state.under_way
        if not others:
            return 0.0
        extra_gets: float = undo_gets(kind.drawn_gets, others, costs.changes, costs.collision, costs.entries)
        if costs.hottest_changes:
            hottest = costs.hottest_changes, costs.hottest_collision
            extra_gets += undo_gets(kind.hottest_gets, others, hottest[0], hottest[1], costs.entries)
        return extra_gets

    def _get(self) -> None:
        """Get the blocks of a transaction while there are buffers, else wait until DBWR has cleaned some."""
        state, chunk, number = self._state, self._chunk, self._number
        begin, end = chunk.begins[number], chunk.begins[number + 1]
        first = chunk.firsts[number]
        while self._done < end - begin:
            pool: BufferPool = state.pools[0 if self._done < first else 1]
            behind = begin + first if self._done < first else end
            now = begin + self._done
            self._done += pool.got(chunk.blocks[now:behind], chunk.changes[now:behind], chunk.changes[:0], self._missed)
            if begin + self._done < behind:
                self._wait(pool.writer.cleaned(), GETTING)
                return
        if self._kind.hottest_changes:
            pool = state.pools[0]
            pool.writer.changed(state.hottest.changed(chunk.kinds[number]), state.env.now)
        self._done = 0
        self._scan()

    def _scan(self) -> None:
        """Scan blocks in order; those that are not in memory enter at the cold end."""
        state, chunk, number = self._state, self._chunk, self._number
        count = chunk.scan_blocks[number]
        if self._done < count:
            first = chunk.scan_from[number]
            # a scan may begin among the blocks of the one pool and end among those of the other
            hot = count if len(state.pools) == 1 else min(count, max(0, state.hot_blocks - first))
            blocks, none, all_of_them = wholes(count, 0), bytes(count), bytes([1]) * count
            for k in range(count):
                blocks[k] = first + k
            while self._done < count:
                pool: BufferPool = state.pools[0 if self._done < hot else 1]
                now, behind = self._done, hot if self._done < hot else count
                self._done += pool.got(blocks[now:behind], none[now:behind], all_of_them[now:behind], self._scanned)
                if self._done < behind:
                    self._wait(pool.writer.cleaned(), SCANNING)
                    return
        self._hand_over()

    def _hand_over(self) -> None:
        """The transaction knows what to read, and what it will take of a processor."""
        state, kind = self._state, self._kind
        costs, missed = state.costs, self._missed
        self._next = 0
        if self._awaited:
            self._awaited, self._awaited_reads = [], []
        if state.reading.used:
            self._find_others()
        self._misses = self._requests = len(missed)
        if kind.in_parallel or costs.in_page_cache:
            self._hand_over_some()
        else:
            singles = [1] * self._misses
            self._events, self._to_read = [READ] * self._misses, missed
            self._counts, self._lengths = singles, singles
        if self._scanned:
            self._hand_over_scans()
        state.env.watch.hold(MISSED_BYTES * len(self._to_read))
        work_s: float = (
            kind.cpu_s
            + self._requests * costs.read_s
            + self._misses * costs.fill_s
            + self._undo * costs.undo_s
            + self._spin_s
        )
        self._stretch_s, self._place = work_s / (len(self._events) + 1), 0
        apart_s = kind.apart_s + (self._latch_s + self._pin_s)
        if apart_s > 0:
            self._waits = APART
            state.env.after(apart_s, self)
        else:
            self._await_others()

    def _find_others(self) -> None:
        """Reads under way of other sessions that the transaction has to wait for."""
        state, chunk, number = self._state, self._chunk, self._number
        for k in range(chunk.begins[number], chunk.begins[number + 1]):
            block = chunk.blocks[k]
            number_of_other = state.reading.at(block)
            if number_of_other >= 0 and block not in self._missed:
                other: TransactionSession = state.sessions[number_of_other]
                self._awaited.append(other)
                self._awaited_reads.append(other._reads)

    def _hand_over_some(self) -> None:
        self._events, self._counts, self._lengths, self._to_read = [], [], [], []
        sizes: list[int] = self._state.references.handed_over(self._chunk.kinds[self._number], self._misses)
        at = 0
        for k in range(len(sizes)):
            size: int = sizes[k]
            self._add_read(READ if size == 1 else PARALLEL, self._missed[at : at + size], 1)
            at += size

    def _hand_over_scans(self) -> None:
        self._events, self._counts, self._lengths = self._events[:], self._counts[:], self._lengths[:]
        for first, length in self._state.layout.runs(self._scanned, self._state.costs.mbrc):
            self._add_read(SCAN, [first], length)
            self._requests += 1
            self._misses += length

    def _add_read(self, event: int, blocks: list[int], length: int) -> None:
        """A read, of those blocks that the page cache does not answer; a multiblock read it answers as a whole."""
        share = self._state.costs.in_page_cache
        left: list[int] = self._state.references.not_found(blocks, share) if share else blocks
        if left:
            self._events.append(event)
            self._counts.append(len(left))
            self._lengths.append(length)
            self._to_read += left
        else:
            self._times[event] += 1  # of no time

    def _await_others(self) -> None:
        """Wait for the next read of others that has not ended, then begin to work."""
        while self._next < len(self._awaited):
            other: TransactionSession = self._awaited[self._next]
            read: int = self._awaited_reads[self._next]
            self._next += 1
            if other._reads == read:  # it has not ended
                self._waits, self.since_s = AWAITING, self._state.env.now
                other._others.append(self)
                return
        self._next = 0
        self._compute()

    def _compute(self) -> None:
        state = self._state
        now = state.env.now
        begin_s = state.processors.begins_s(now, self._stretch_s)
        end_s = state.processors.end_s
        self._queue_s += begin_s - now
        self._cpu_s += end_s - begin_s
        state.running += 1
        self._waits = COMPUTING
        state.env.after(end_s - now, self)

    def _read(self) -> None:
        if self._next == len(self._events):
            self._note()
            return
        state, begin = self._state, self._place
        count: int = self._counts[self._next]
        length: int = self._lengths[self._next]
        self._place = begin + count
        self._waits, self.since_s = READING, state.env.now
        size = length * state.layout.block_bytes
        if count == 1:
            state.files.request(False, state.layout.byte_of(self._to_read[begin]), size, self)
        else:
            places = [state.layout.byte_of(self._to_read[k]) for k in range(begin, self._place)]
            state.files.requests(False, places, size, self)
        if length == 1:
            for k in range(begin, self._place):
                block: int = self._to_read[k]
                state.reading.put(block, self._session)

    def _has_read(self) -> None:
        """Go on after a read, and let others go on that have waited for it."""
        state = self._state
        event: int = self._events[self._next]
        count: int = self._counts[self._next]
        self._next += 1
        self._waited(event)
        self._reads += 1
        for k in range(self._place - count, self._place):
            block: int = self._to_read[k]
            if state.reading.at(block) == self._session:
                state.reading.drop(block)
        others = self._others
        if not others:
            self._compute()
            return
        self._others = []
        self._compute()
        for waiting in others:
            other: TransactionSession = waiting
            other.happens()

    def _note(self) -> None:
        """All is read and worked on: redo goes to the log, once there is room for it."""
        log = self._state.log
        space: simpy.Event | None = log.note(self._kind.redo_bytes)
        self._awaits_log = log.awaited != 0
        if space is None:
            self._commit()
        else:
            self._wait(space, NOTING)

    def _commit(self) -> None:
        """Wait for LGWR, where the transaction commits."""
        if self._kind.commits:
            self._wait(self._state.log.commit(), COMMITTING)
        else:
            self._end()

    def _end(self) -> None:
        """What the transaction took is added up; the user thinks."""
        state, chunk, number = self._state, self._chunk, self._number
        state.under_way -= 1
        tally = state.tally
        tally.waited(self._times, self._took_s, self._longest_s)
        if self._latch_s + self._pin_s:
            tally.wait(LATCH, self._latch_s, self._waits_latch)
            tally.wait(BUSY, self._pin_s, self._waits_pin)
        tally.took(self._queue_s, self._cpu_s, self._spin_s, self._undo)
        gets = chunk.begins[number + 1] - chunk.begins[number]
        tally.got(gets, self._misses, self._requests)
        state.env.watch.at(state.env.now, GET_NS * (gets + chunk.scan_blocks[number]))
        tally.ended(state.env.now - self._begin_s, chunk.kinds[number])
        state.env.watch.hold(ENDED_BYTES - MISSED_BYTES * len(self._to_read))
        state.done += 1
        if state.done == state.stop_at:
            state.ended()
        self._waits = THINKING
        if self._idle is None:
            state.env.after(next(state.thinks_s), self)
        else:
            self._idle.append(self)
