"""Users and their transactions: gets in the buffer cache, reads, changes, a commit, and a pause for thought."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import simpy

from model.laws.changed_blocks import undo_gets
from model.laws.processors import Contention
from model.loops.rows import GivenBytes, GivenWholes, wholes
from model.sim.pool import BufferPool
from model.sim.references import BlockLayout, DrawnTransaction, References
from model.sim.stretches import Stretches
from model.sim.writers import LogWriter
from model.workloads.transactions.tally import (
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

Step = Generator[simpy.Event, Any, None]
HandedOver = tuple[int, list[int], int]
"""A read: what it is waited for as, the first of its blocks, or each by itself, and the blocks behind each."""


@dataclass
class TransactionSteps:
    """What each transaction of a kind does, but for what depends on misses and on others."""

    drawn_gets: float
    hottest_gets: float
    hottest_changes: float
    redo_bytes: int
    commits: bool
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


@dataclass
class SimulationState:
    """What all users share, and what each of them does."""

    env: simpy.Environment
    sessions: Stretches
    threads: int
    layout: BlockLayout
    pools: list[BufferPool]
    hot_blocks: int
    """Blocks below this number are hot; they have a pool of their own if there are two."""
    log: LogWriter
    kinds: list[TransactionSteps]
    references: References
    latch: list[Contention]
    pin: list[Contention]
    costs: StepCosts
    tally: Tally
    ended: Callable[[], None]
    """Called after each transaction."""
    under_way: int = 0

    def user(self, begin_s: float, thinks_s: Iterator[float]) -> Step:
        """One user: wait for the begin; work, think, work, think, …"""
        yield self.env.timeout(begin_s)
        while True:
            yield from self.transaction()
            yield self.env.timeout(next(thinks_s))

    def arrivals(self, gaps_s: Iterator[float]) -> Step:
        """Transactions that come whether or not earlier ones are done."""
        while True:
            yield self.env.timeout(next(gaps_s))
            self.env.process(self.transaction())

    def transaction(self) -> Step:  # noqa: PLR0915  (one way, step by step)
        """One transaction from its first call to the end of its commit; what it took is added up as it ends."""
        begin_s: float = self.env.now
        drawn: DrawnTransaction = self.references.next()
        kind: TransactionSteps = self.kinds[drawn.kind]
        undo: float = self._undo(kind)
        self.under_way += 1
        running = min(self.sessions.running + 1, self.threads)
        latch: Contention = self.latch[running]
        pin: Contention = self.pin[running]
        spin_s: float = kind.hottest_gets * latch.spin_s
        latch_s: float = kind.hottest_gets * latch.wait_s
        pin_s: float = kind.hottest_changes * pin.wait_s
        took_s: list[list[float]] = [[] for _ in range(EVENTS)]
        reads: list[int] = []
        got: int = self._got(drawn, 0, reads)
        if got < len(drawn.blocks):
            yield from self._get_late(drawn, got, reads, took_s[FREE])
        if kind.hottest_changes:
            pool: BufferPool = self.pools[0]
            pool.writer.changed(self.references.hottest_changed(drawn.kind), self.env.now)
        scans: list[tuple[int, int]] = []
        if drawn.scan_blocks:
            scans = yield from self._scan(drawn, took_s[FREE])
        others: list[simpy.Event] = self._others(drawn.blocks, reads)
        wanted: list[HandedOver] = self._handed_over(drawn.kind, reads, scans)
        handed_over: list[HandedOver] = self._of_the_disk(wanted)
        requests: int = len(reads) + len(scans)
        missed: int = len(reads)
        for _, length in scans:
            missed += length
        costs: StepCosts = self.costs
        own_s: float = (
            kind.cpu_s + requests * costs.read_s + missed * costs.fill_s + undo * costs.undo_s + spin_s
        )
        if kind.apart_s + (latch_s + pin_s) > 0:
            yield self.env.timeout(kind.apart_s + (latch_s + pin_s))
        now: float
        for other in others:
            if not other.processed:
                now = self.env.now
                yield other
                took_s[OTHER].append(self.env.now - now)
        read_s: list[float] = []
        queue_s, cpu_s = yield from self.sessions.play(handed_over, own_s / (len(handed_over) + 1), read_s)
        space: simpy.Event | None = self.log.note(kind.redo_bytes)
        if space is not None:
            now = self.env.now
            yield space
            took_s[SPACE].append(self.env.now - now)
        if kind.commits:
            now = self.env.now
            yield self.log.commit()
            took_s[SYNC].append(self.env.now - now)
        self.under_way -= 1
        for (event, _, _), each_s in zip(handed_over, read_s, strict=True):
            took_s[event].append(each_s)
        if handed_over is not wanted:
            self._answered_by_page_cache(wanted, handed_over)
        tally: Tally = self.tally
        tally.waited(took_s)
        if latch_s + pin_s:
            tally.wait(LATCH, latch_s, kind.hottest_gets * latch.waits)
            tally.wait(BUSY, pin_s, kind.hottest_changes * pin.waits)
        tally.took(queue_s, cpu_s, spin_s, undo)
        tally.got(len(drawn.blocks), missed, requests)
        tally.responses_s.append(self.env.now - begin_s)
        tally.kinds.append(drawn.kind)
        self.ended()

    def _answered_by_page_cache(self, wanted: list[HandedOver], handed_over: list[HandedOver]) -> None:
        """Those that were wanted and not handed over are waits, of no time."""
        for event, _, _ in wanted:
            self.tally.waits[event] += 1
        for event, _, _ in handed_over:
            self.tally.waits[event] -= 1

    def _undo(self, kind: TransactionSteps) -> float:
        """Extra gets for changes that others have under way."""
        costs, others = self.costs, self.under_way
        if not others:
            return 0.0
        extra_gets: float = undo_gets(kind.drawn_gets, others, costs.changes, costs.collision)
        if costs.hottest_changes:
            extra_gets += undo_gets(kind.hottest_gets, others, costs.hottest_changes, costs.hottest_collision)
        return extra_gets

    def _got(self, drawn: DrawnTransaction, done: int, reads: list[int]) -> int:
        """Get the blocks of a transaction behind the first *done*, while there are buffers; how many are done then."""
        first: int = drawn.first
        blocks: GivenWholes = drawn.blocks
        changes: GivenBytes = drawn.changes
        pool: BufferPool
        if done < first:
            pool = self.pools[0]
            done += pool.got(blocks[done:first], changes[done:first], changes[:0], reads)
        if first <= done < len(blocks):
            pool = self.pools[1]
            done += pool.got(blocks[done:], changes[done:], changes[:0], reads)
        return done

    def _get_late(self, drawn: DrawnTransaction, done: int, reads: list[int], late_s: list[float]) -> Step:
        """Get the rest of them, as DBWR cleans buffers."""
        now: float
        pool: BufferPool
        while done < len(drawn.blocks):
            pool = self.pools[0] if done < drawn.first else self.pools[1]
            now = self.env.now
            yield pool.writer.cleaned()
            late_s.append(self.env.now - now)
            done = self._got(drawn, done, reads)

    def _scan(
        self, drawn: DrawnTransaction, late_s: list[float]
    ) -> Generator[simpy.Event, Any, list[tuple[int, int]]]:
        """Scan blocks in order: the reads of those that are not in memory, which enter at the cold end."""
        first: int = drawn.scan_from
        count: int = drawn.scan_blocks
        blocks, none, all_of_them = wholes(count, 0), bytes(count), bytes([1]) * count
        for k in range(count):
            blocks[k] = first + k
        hot: int = count
        if (
            len(self.pools) > 1
        ):  # a scan may begin among the blocks of the one and end among those of the other
            hot = min(count, max(0, self.hot_blocks - first))
        pool: BufferPool = self.pools[0]
        reads: list[int] = yield from pool.get(blocks[:hot], none[:hot], all_of_them[:hot], late_s)
        if hot < count:
            pool = self.pools[1]
            reads += yield from pool.get(blocks[hot:], none[hot:], all_of_them[hot:], late_s)
        return self.layout.runs(reads, self.costs.mbrc)

    def _others(self, blocks: GivenWholes, reads: list[int]) -> list[simpy.Event]:
        """Reads under way of other sessions that a transaction has to wait for."""
        reading = self.sessions.reading
        awaited: list[simpy.Event] = []
        if reading:
            own = set(reads)
            for k in range(len(blocks)):
                block = blocks[k]
                if block in reading and block not in own:
                    awaited.append(reading[block])
        return awaited

    def _handed_over(self, kind: int, reads: list[int], scans: list[tuple[int, int]]) -> list[HandedOver]:
        """How a transaction hands its reads over."""
        handed_over: list[HandedOver] = []
        sizes: list[int] = self.references.handed_over(kind, len(reads))
        if len(sizes) == len(reads):
            for block in reads:
                handed_over.append((READ, [block], 1))
        else:
            blocks = iter(reads)
            for size in sizes:
                handed_over.append((READ if size == 1 else PARALLEL, list(islice(blocks, size)), 1))
        for first, length in scans:
            handed_over.append((SCAN, [first], length))
        return handed_over

    def _of_the_disk(self, wanted: list[HandedOver]) -> list[HandedOver]:
        """The reads left where the page cache answers some; a multiblock read it answers as a whole."""
        share = self.costs.in_page_cache
        if not share:
            return wanted
        left = [(event, self.references.not_found(blocks, share), length) for event, blocks, length in wanted]
        return [read for read in left if read[1]]
