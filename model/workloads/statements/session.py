"""A foreground session: it asks for blocks, waits for reads, works, and waits for its client."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

import simpy

from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.demand import Demand
from blocktime.model.demand.session_turns import BlockPace
from blocktime.model.laws.device_time import copy_time_s
from blocktime.model.laws.turns import stretches_of
from blocktime.model.machine.device.servers import Processors
from blocktime.model.machine.host.session_slots import ReadSlots
from blocktime.model.sim.open_file import OpenFile
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.spec import System
from blocktime.model.workloads.statements.cached_segment import CachedSegment
from blocktime.model.workloads.statements.consistent_reads import ConsistentReads
from blocktime.model.workloads.statements.read_positions import Leaves, Read
from blocktime.model.workloads.statements.session_counts import StatementLedger
from blocktime.model.workloads.statements.shared_segment import SessionChanges
from blocktime.model.workloads.statements.written_behind import DirectWrites, RedoBehind, WrittenBehind

Step = Generator[simpy.Event, Any, None]


class Session:
    """One session that runs one execution of the workload."""

    env: simpy.Environment
    machine: Machine
    system: System
    demand: Demand
    file: OpenFile
    processors: Processors
    behind: WrittenBehind | DirectWrites | None
    cached: CachedSegment | None
    redo: RedoBehind | None
    ledger: StatementLedger
    leaves: Leaves
    changes: SessionChanges | None
    """What it changes of a segment that others change beside it."""
    consistent: ConsistentReads | None
    """Its consistent reads, where transactions beside it change its table."""
    pace: BlockPace
    stretch_blocks: float
    _progress: float
    _posts_every_reap: bool
    _all_in_page_cache: bool

    def __init__(
        self,
        machine: Machine,
        inputs: tuple[System, Demand, BlockPace, float, bool],
        file: OpenFile,
        buffers: tuple[WrittenBehind | DirectWrites | None, CachedSegment | None, RedoBehind | None],
        leaves: Leaves,
        ledger: StatementLedger,
    ) -> None:
        """*inputs* ends with the blocks of a stretch, and whether each reap of a direct read is a wait."""
        self.env = machine.env
        self.machine = machine
        self.system, self.demand, self.pace, self.stretch_blocks, self._posts_every_reap = inputs
        self.file = file
        self.processors = machine.processors
        self.behind, self.cached, self.redo = buffers
        self.ledger = ledger
        self.leaves = leaves
        self.changes = self.consistent = None
        self._progress = 0.0
        through_page_cache = self.demand.plan.through_page_cache
        self._all_in_page_cache = through_page_cache and self.system.host.page_cache_hit_fraction == 1

    def execute(self, single_reads: list[int], reads: Iterator[Read], start_s: float) -> Step:
        """Parse, read the blocks of header and map, then scan; *reads* are the scan's reads in order."""
        yield from self._sleep(start_s)
        self.ledger.begin_s = self.env.now
        if self.consistent is not None:
            self.consistent.begin()
        plan = self.demand.plan
        for block in single_reads:
            yield from self._read_and_wait((block, 1), SEQUENTIAL)
        if plan.asynchronous and not plan.through_page_cache:
            yield from self._scan_asynchronously(reads)
        else:
            yield from self._scan_one_by_one(reads)
        if self.changes is not None:
            yield from self.spend(*(yield from self.changes.until(1.0)))
            yield from self.changes.end()
        if self.behind is not None:
            yield from self.behind.end(self.ledger)
        if self.redo is not None:
            yield from self.redo.end(self.ledger)
        self.ledger.end_s = self.env.now

    def join(self, changes: SessionChanges, pace: BlockPace) -> None:
        """Make the changes of rows among those of other sessions, and all else at its own *pace*."""
        self.changes, self.pace = changes, pace

    def spend(self, cpu_s: float, sleep_s: float) -> Step:
        """Let the time of changes pass: a processor for their CPU, then the sleep."""
        if cpu_s or sleep_s:
            yield from self._sleep(self._compute(cpu_s) + sleep_s)

    def _scan_one_by_one(self, reads: Iterator[Read]) -> Step:
        plan, done = self.demand.plan, 0.0
        hits_per_read = self._blocks_per_read()
        together, read = plan.handed_over(round(float(self.demand.reads))), next(reads, None)
        if not self.demand.reads:  # they are stretches of a part of the work
            while read is not None:
                done += read[1]
                yield from self._work(read[1])
                read = next(reads, None)
        while read is not None:
            group = [read, *islice(reads, next(together) - 1)]
            if plan.asynchronous:
                reap_s, copy_s = self.system.host.reap_call_s, self._copy_s(read)
                begin_s = self.env.now
                yield from self._read_pages(read)
                self.ledger.submit_blocked_s += self.env.now - begin_s
                yield from self._sleep(self._compute(copy_s + reap_s))
                self.ledger.submit_cpu_s += copy_s
                self.ledger.reap_cpu_s += reap_s
            elif self.cached is not None:
                for each_read in group:
                    yield from self.cached.get(self.ledger, each_read, plan.event, self._read_and_wait)
            elif len(group) > 1:
                yield from self._read_together(group)
            else:
                yield from self._read_and_wait(read, plan.event)
            step = min(sum(blocks for _, blocks in group) * hits_per_read, self.demand.blocks_wanted - done)
            read = next(reads, None)
            if read is None:  # what the mean session wants beyond its reads makes no turn of its own
                step = self.demand.blocks_wanted - done
            done += step
            if step > self.stretch_blocks:
                yield from self._work_in_stretches(step)
            else:
                yield from self._work(step)
        if not done:
            yield from self._work_in_stretches(self.demand.blocks_wanted)

    def _scan_asynchronously(self, reads: Iterator[Read]) -> Step:
        instance, plan = self.system.instance, self.demand.plan
        reap_s = self.system.host.reap_call_s
        slots = ReadSlots(instance.direct_read_slots, instance.direct_read_slots_limit, self.env.now)
        self.ledger.slots = slots.history
        in_flight: deque[tuple[simpy.Event, int]] = deque()
        done = 0.0
        blocks_per_block = self._blocks_per_read()
        while True:
            while len(in_flight) < slots.count:
                read = next(reads, None)
                if read is None:
                    break
                in_flight.append((self._submit(read), read[1]))
            if not in_flight:
                break
            ready, size = in_flight.popleft()
            begin_s = self.env.now
            if not ready.processed:
                yield ready
            waited = self.env.now - begin_s
            slots.reaped(self.env.now, waited)
            if self._posts_every_reap:
                self.ledger.wait(plan.event, max(waited, 0.0) + reap_s)
            else:
                self.ledger.reap_cpu_s += reap_s
                if waited > 0:
                    self.ledger.wait(plan.event, waited)
            step = min(size * blocks_per_block, self.demand.blocks_wanted - done)
            done += step
            yield from self._work(step, **{"other_s" if self._posts_every_reap else "cpu_s": reap_s})
        yield from self._work_in_stretches(self.demand.blocks_wanted - done)

    def _blocks_per_read(self) -> float:
        """Blocks of the segment worked on for each block read: cached ones come along, and some are read again."""
        return float(self.demand.blocks_wanted) / max(1.0, float(self.demand.read_blocks))

    def _submit(self, read: Read) -> simpy.Event:
        """Hand an unbuffered read to the queue of the disk; an event at its end."""
        place, size = self._place_of(read)
        self.ledger.reads[read[1]] += 1
        return self.machine.disk.request(False, place, size, self.file.owner)

    def _read_pages(self, read: Read) -> Step:
        """Wait until the pages of a read are in the page cache."""
        place, size = self._place_of(read)
        self.ledger.reads[read[1]] += 1
        if not self._all_in_page_cache:
            yield from self.file.read_pages(place, size)

    def _read_and_wait(self, read: Read, event: str) -> Step:
        begin_s = self.env.now
        if self.demand.plan.through_page_cache:
            yield from self._read_pages(read)
            before = self.ledger.run_queue_s, self.ledger.slowed_s
            took_s = self._compute(self._copy_s(read))
            yield from self._sleep(took_s)
            queued_s = self.ledger.run_queue_s - before[0]
            begin_s += queued_s
            self.ledger.copied_s += took_s - queued_s
            self.ledger.slowed_s = before[1]
        else:
            yield self._submit(read)
        self.ledger.wait(event, self.env.now - begin_s)

    def _read_together(self, group: list[Read]) -> Step:
        begin_s = self.env.now
        yield self.env.all_of([self._submit(read) for read in group])
        self.ledger.wait(PARALLEL, self.env.now - begin_s)

    def _place_of(self, read: Read) -> tuple[int, int]:
        """First byte on the disk, and bytes."""
        size = self.demand.block_size_bytes
        return self.file.first_byte + int(read[0] * size), int(read[1] * size)

    def _copy_s(self, read: Read) -> float:
        return float(copy_time_s(self._place_of(read)[1], self.system.host.copy_bytes_per_s))

    def _work(self, blocks: float, *, cpu_s: float = 0.0, other_s: float = 0.0) -> Step:
        """Process *blocks* blocks: leaves of indexes, a processor for the CPU, then the client's turn."""
        self.ledger.worked_blocks += float(blocks)
        for leaf in self.leaves.wanted(blocks):
            yield from self._read_and_wait((leaf, 1), SEQUENTIAL)
        if self.changes is not None:
            self._progress += float(blocks / self.demand.blocks_wanted)
            changed_s, slept_s = yield from self.changes.until(self._progress)
            cpu_s, other_s = cpu_s + changed_s, other_s + slept_s
        if self.consistent is not None:
            records: float = self.consistent.records(blocks)
            self.ledger.undo_gets += records
            cpu_s += records * self.system.host.logical_io_s
        busy = self._compute(blocks * self.pace.cpu_s + cpu_s)
        yield from self._sleep(busy + blocks * self.pace.other_s + other_s)
        if self.redo is not None:
            yield from self.redo.await_room(self.ledger)
        if self.behind is not None:
            yield from self.behind.fill(self.ledger, blocks)
        elif self.cached is not None:
            if not self.demand.plan.pieces:
                yield from self.cached.fill(self.ledger, blocks)
            yield from self.cached.fill_undo(self.ledger, blocks)
        if self.redo is not None:
            yield from self.redo.log_changes(self.ledger, blocks)

    def _compute(self, cpu_s: float) -> float:
        """Time until a processor has done *cpu_s* seconds of work, its run queue included."""
        now = self.env.now
        slowed_s = self.processors.slowed_s
        begin, end = self.processors.serve(now, cpu_s)
        self.ledger.run_queue_s += begin - now
        self.ledger.slowed_s += self.processors.slowed_s - slowed_s
        return end - now

    def _work_in_stretches(self, blocks: float) -> Step:
        """Blocks that needed no read, in stretches short enough for sessions to take turns on the processors."""
        if blocks <= 1e-9 * self.demand.blocks_wanted:
            return
        stretches = stretches_of(blocks, self.stretch_blocks)
        for _ in range(stretches):
            yield from self._work(blocks / stretches)

    def _sleep(self, duration_s: float) -> Step:
        self.ledger.events += 1
        yield self.env.timeout(duration_s if duration_s > 0 else 0.0)
