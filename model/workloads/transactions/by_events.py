"""A run of transactions by events: users, devices and writers, each of which goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from blocktime.model.demand.calls import goes_on
from blocktime.model.demand.transaction_demand import KindDemand, block_cpu_s, in_page_cache
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.block import itl_limit
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.processors import Contention
from blocktime.model.loops import fastest
from blocktime.model.loops.arrays import Reals, row
from blocktime.model.loops.places import Places
from blocktime.model.sim.pool import BufferPool
from blocktime.model.sim.writers import DatabaseWriter
from blocktime.model.spec import System, Transactions
from blocktime.model.units import show_seconds
from blocktime.model.workloads.steady import LEAST_BATCHES
from blocktime.model.workloads.transactions.at_begin import Begin
from blocktime.model.workloads.transactions.expected_run import ExpectedRun
from blocktime.model.workloads.transactions.means import RunSoFar
from blocktime.model.workloads.transactions.tally import Tally
from blocktime.model.workloads.transactions.users import (
    Arrivals,
    SimulationState,
    StepCosts,
    TransactionSession,
    TransactionSteps,
)

MOST_QUEUED = 20_000
"""Transactions that arrived and wait, as many as there are users at most: more come of no queue that has an end."""
METHOD = "simulation of users, buffer cache, processors, disks, log writer and database writer"


class ByEvents:
    """One run, which can go on."""

    def __init__(self, system: System, work: Transactions, expected: ExpectedRun, begin: Begin, batch: int) -> None:
        self.work, self.expected, self.begin, self.batch = work, expected, begin, batch
        self.env = begin.env
        self.tally = fastest(Tally)()
        self._target = self.env.event()
        self._wanted = 0
        self.state = self._state_of(system)
        self._marks: list[list[float]] = []
        self._mark()
        self._ask()
        for pool in self.state.pools:
            pool.writer.look()
        if begin.gaps_s is not None:
            gaps_s = self._while_they_end(begin.gaps_s)
            self.env.after(next(gaps_s), fastest(Arrivals)(self.state, gaps_s, []))
        for begins_s in begin.begins_s.tolist():
            self.env.after(begins_s, fastest(TransactionSession)(self.state, None))

    def _state_of(self, system: System) -> SimulationState:
        begin, parts, host = self.begin, self.expected.parts, system.host
        data, limits = parts.data, (parts.disk.writes_at_once, system.instance.checkpoint_s)
        pools = []
        for buffers, dirty in begin.pools:
            writer = fastest(DatabaseWriter)(self.env, begin.files, buffers, begin.layout, limits)
            for block, since_s in zip(dirty.blocks.tolist(), dirty.since_s.tolist(), strict=True):
                writer.dirtied(block, since_s)
            writer.outside = int(sum(data.blocks))
            writer.one_by_one = not goes_on(system)
            pools.append(fastest(BufferPool)(self.env, buffers, writer))
        if parts.checkpoint_redo_bytes < inf:
            warm = self.work.begins == "warm"
            before_per_s = self.expected.per_s * parts.redo_bytes if warm else 0.0
            for pool in pools:
                pool.writer.follow(begin.log, parts.checkpoint_redo_bytes, before_per_s)
            if (logs := begin.log.logs) is not None:
                logs.begin(before_per_s)
                logs.writers += [pool.writer for pool in pools]
        return fastest(SimulationState)(
            env=self.env,
            processors=begin.processors,
            files=begin.files,
            threads=parts.threads,
            layout=begin.layout,
            pools=pools,
            hot_blocks=int(data.blocks[0]),
            log=begin.log,
            kinds=[kind_of(kind) for kind in parts.kinds],
            references=begin.references,
            hottest=begin.references.hottest,
            chunk=begin.references.chunk(),
            contended=contended_of(parts.latch, parts.pin),
            costs=fastest(StepCosts)(
                read_s=stated_call_s(host.read_call_s),
                fill_s=sum(block_cpu_s(system).values()),
                in_page_cache=in_page_cache(system),
                undo_s=host.logical_io_s,
                mbrc=parts.mbrc,
                changes=parts.changes,
                collision=data.collision,
                hottest_changes=parts.hottest_changes,
                hottest_collision=1 / self.work.hottest_blocks,
                entries=float(itl_limit(data.block_size_bytes)),
            ),
            tally=self.tally,
            thinks_s=begin.thinks_s,
            ended=self._ended,
            reading=fastest(Places)(),
            sessions=[],
        )

    def _while_they_end(self, gaps_s: Iterator[float]) -> Iterator[float]:
        """*gaps_s*, until so many transactions queue that their number has no end; raises :class:`OutsideLaw` then."""
        for gap_s in gaps_s:
            if self.queued > MOST_QUEUED:
                raise OutsideLaw(
                    f"workload.rate_per_s {self.work.rate_per_s:g} is more than the system does: {self.done:,} "
                    f"transactions have ended within {show_seconds(self.env.now)} and {self.state.under_way:,} are "
                    "under way; the queue grows without end: lower the rate"
                )
            yield gap_s

    def _ended(self) -> None:
        if self.done % self.batch == 0:
            self._mark()
        if self.done == self._wanted:
            self._target.succeed()
        self._ask()

    def _ask(self) -> None:
        """Be called at the next mark, or as many as are wanted, if that is sooner."""
        mark = (self.done // self.batch + 1) * self.batch
        self.state.stop_at = min(mark, self._wanted) if self._wanted > self.done else mark

    def _mark(self) -> None:
        self._marks.append(self.tally.sums(self.env.now, self.written_blocks, self.state.log.writes))

    def until(self, wanted: int) -> None:
        """Play until so many transactions have ended."""
        self._wanted = wanted
        self._target = self.env.event()
        self._ask()
        self.env.run(until=self._target)

    @property
    def done(self) -> int:
        """Transactions that have ended."""
        return self.state.done

    @property
    def queued(self) -> float:
        """Transactions under way, less those that arrivals have away from the machine on average: 0 of users."""
        if self.work.rate_per_s is None:
            return 0.0
        return float(max(0.0, self.state.under_way - self.work.rate_per_s * self.expected.parts.apart_s))

    @property
    def dirty_blocks(self) -> int:
        """Blocks in memory that are changed and not written, now."""
        return sum(pool.buffers.dirty for pool in self.state.pools)

    @property
    def written_blocks(self) -> int:
        """Blocks that DBWR has written so far."""
        return sum(pool.writer.written for pool in self.state.pools)

    @property
    def may_end(self) -> bool:
        """Whether the run is long enough to tell how precise it is, and its length is no question."""
        return self.work.transactions is None and self.done >= 2 * LEAST_BATCHES * self.batch

    def played(self) -> RunSoFar:
        """What was played so far."""
        begin = self.begin
        return RunSoFar(
            expected=self.expected,
            method=METHOD,
            seed=begin.seed,
            tally=self.tally,
            batch=self.batch,
            marks=np.array(self._marks),
            devices=begin.devices,
            redo=None if begin.redo in begin.devices.values() else begin.redo,
            end_s=self.env.now,
        )


def contended_of(latch: Sequence[Contention], pin: Sequence[Contention]) -> Reals:
    """What sessions find, in a row for the loops."""
    return row(np.array([latch, pin], float).transpose(1, 0, 2).ravel())


def kind_of(kind: KindDemand) -> TransactionSteps:
    """What each transaction of a kind does."""
    return fastest(TransactionSteps)(
        drawn_gets=float(kind.drawn_gets),
        hottest_gets=float(kind.hottest_gets),
        hottest_changes=float(kind.hottest_changes),
        redo_bytes=int(kind.redo_bytes),
        commits=kind.commits,
        in_parallel=bool(kind.parallel_fraction),
        apart_s=float(kind.apart_s),
        cpu_s=float(kind.cpu_s),
    )
