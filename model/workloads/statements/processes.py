"""Run one statement through time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import repeat
from math import ceil, inf
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from blocktime.model import causes
from blocktime.model.closing import device_of
from blocktime.model.demand import Demand, demand_of, reaps_are_waits
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import refuse_spent_credits
from blocktime.model.demand.popular_blocks import cached_so
from blocktime.model.demand.session_turns import STRETCH_BLOCKS, first_step_s, pace_of, stretch_blocks
from blocktime.model.demand.transaction_demand import touch_rules
from blocktime.model.errors import OutsideLaw
from blocktime.model.loops import fastest
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import SIMULATION, DeviceStats, EventTime, Interval, RunResult
from blocktime.model.sim.open_file import OpenFile
from blocktime.model.sim.shared_machine import Machine, Place, machine_of
from blocktime.model.sim.streams import stream
from blocktime.model.spec import Statement, System
from blocktime.model.units import show_bytes
from blocktime.model.workloads.extension import CONFIDENCE, MOST_DRIFT, ExtendedCounters, Stretch
from blocktime.model.workloads.statements import books
from blocktime.model.workloads.statements.cached_segment import CachedSegment, FreshBlocks
from blocktime.model.workloads.statements.class_positions import PlacedClasses
from blocktime.model.workloads.statements.closed_form import session_demand
from blocktime.model.workloads.statements.consistent_reads import consistent_reads_of, with_undo
from blocktime.model.workloads.statements.cost import (
    IN_STAGES,
    MOST_BLOCKS_DRAWN,
    MOST_READS,
    MOST_STEPS,
    is_load,
    is_long,
    reads_of_part,
    steps_of,
    stretches_of_load,
    stretches_of_part,
    why_whole,
)
from blocktime.model.workloads.statements.in_part import (
    WINDOWS,
    StatementPart,
    demand_of_part,
    waits_for_reads,
    windows_of,
)
from blocktime.model.workloads.statements.read_positions import (
    Leaves,
    Read,
    extents_of,
    is_by_single_blocks,
    read_sizes,
    reads_by_session,
    single_reads,
)
from blocktime.model.workloads.statements.session import Session, Step
from blocktime.model.workloads.statements.session_counts import StatementLedger, mean_waits
from blocktime.model.workloads.statements.shared_segment import (
    SessionChanges,
    SharedSegment,
    changed_in_time,
    demand_played,
    shares,
    without_commits,
)
from blocktime.model.workloads.statements.written_behind import DirectWrites, RedoBehind, WrittenBehind

Scans = Callable[[int, int], Iterator[Read]]
"""Reads of a session by its rank, from a block of its part on."""
EVENTS_PER_SESSION = 2  # a process begins and ends
SESSION_NS = 100_000
"""Work of beginning a session, on a processor of the 2020s."""
SESSION_BYTES = 3300
LEAST_SLOWER = 0.01
"""Share of its rate by which a scan slows on its way inwards, from which on it is played in several windows."""
MOST_MAPPED = 2**25
"""Blocks of a long segment whose extents are laid out; those behind them are one, as all large extents are alike."""


def simulate(system: System, work: Statement, *, seed: int, name: str) -> RunResult:
    """Answer a statement by simulation: sessions contend for processors and the device; times of the mean session.

    A long one is played in part. Raises :class:`OutsideLaw` beyond two million steps of what cannot be extended.
    """
    program = StatementProgram(machine_of(system, seed), system, work, seed, Place(), in_part=True)
    program.play()
    while program.wants_more():
        program = program.longer(machine_of(system, seed))
        program.play()
    return program.result(name)


class StatementProgram:
    """The sessions of one statement on a machine, whose datafile begins where its place says.

    Through a pool of buffers it gets its blocks by their places on the disk. Raises :class:`OutsideLaw` beyond two
    million steps.
    """

    stage: Demand | None = None
    """Of a program that is a stage of another one, what that stage asks for."""

    def __init__(
        self, machine: Machine, system: System, work: Statement, seed: int, place: Place, *, in_part: bool = False
    ) -> None:
        """A long one is played *in_part*, where it is alone on the machine.

        Its stages lie behind each other on the disk, and what goes to temp behind them, or on temp's own disk.
        """
        first_byte, is_whole = place.first_byte, self.stage is None
        self.machine, self.system, self.work, self.seed = machine, system, work, seed
        share = machine.cache_shares.get(place.owner) if is_whole else None
        self.placed_classes = None if share is None else PlacedClasses(share.on_average, share.at_first, seed)
        if share is not None:
            system = cached_so(system, work, share.on_average.found_fraction)
        self.demand = demand = session_demand(system, work) if self.stage is None else self.stage
        if share is not None:  # each get asks the cache that is played
            gets = float(demand_of(cached_so(self.system, work, 0.0), work).reads)
            demand = replace(demand, reads=gets, read_blocks=gets)
        stages = demand.stages[1:]
        if demand.stages:
            _refuse_many_steps(work, demand.stages)
            demand = demand.stages[0]
            if demand.table is not None:
                system = changed(system, table=demand.table)
        stretch = stretch_blocks(system, demand, work.sessions)
        self.reads: int | None = None
        """Reads of each session that are played, or stretches of a load; None for all."""
        self._pieces = 0.0
        """Those of the whole."""
        self._part: StatementPart | None = None
        reason = ""
        if in_part and not stages and is_long(system, work, demand):
            reason = why_whole(system, work, demand)
            self._pieces = float(demand.reads)
            reads = reads_of_part(work, demand)
            if is_load(demand):
                self._pieces, reads = (count(system, work, demand) for count in (stretches_of_load, stretches_of_part))
            self.reads = None if reason or reads >= self._pieces else reads
        if self.reads is None:
            _refuse_what_takes_too_long(work, demand, stretch, reason)
        blocks = float(demand.segment.blocks)
        is_alike = self.reads is not None and not demand.shared and not _has_zones(system, blocks)
        self._extents = extents = extents_of(system, blocks, MOST_MAPPED if is_alike else inf)
        size = int(demand.block_size_bytes)
        self._first_block, self._span = (first_byte // size, (extents[0].first, extents[-1].first + extents[-1].blocks))
        self._file_bytes = max(1, extents[-1].first + extents[-1].blocks) * size
        self._undo_blocks = ceil(float(demand.undo_blocks * system.instance.db_block_size_bytes / size))
        self.end_byte = first_byte + self._file_bytes
        if self.reads is not None:
            _refuse_what_does_not_fit(system, self.end_byte)
        if demand.change is not None:  # new blocks and undo lie behind the segment
            self.end_byte = (self._end_block() + self._undo_blocks) * size
        self._inputs = system, demand, pace_of(system, demand), float(stretch), reaps_are_waits(system)
        self._single_reads = single_reads(work, demand, extents)
        self._later = self._lay_out(stages, place) if stages else []
        if is_whole:
            self._begin(place)

    def _lay_out(self, stages: list[Demand], place: Place) -> list[tuple[StatementProgram, Place]]:
        """Programs of the *stages* after the first, and their places."""
        machine, whole = self.machine.of_temp(self.system, self.seed), self.demand.writing
        shares_disk = machine is self.machine
        later: list[tuple[StatementProgram, Place]] = []
        for from_temp in (False, True):
            if from_temp:
                self._temp_byte = self.end_byte if shares_disk else 0
            for stage in (stage for stage in stages if (stage.plan.event == causes.READ_TEMP) is from_temp):
                at = place._replace(first_byte=self._temp_byte if from_temp else self.end_byte, begin_s=0.0)
                system = self.system if stage.table is None else changed(self.system, table=stage.table)
                inputs = (machine if from_temp else self.machine), system, self.work, self.seed, at
                later.append((StageProgram(stage, *inputs), at))
                if not from_temp:
                    self.end_byte = later[-1][0].end_byte
        if whole is not None and shares_disk:
            self.end_byte += ceil(float(whole.blocks)) * self.work.users * int(self.demand.block_size_bytes)
        for program, _ in later:
            program._temp_byte = self._temp_byte
        order = {id(stage): rank for rank, stage in enumerate(stages)}
        return sorted(later, key=lambda entry: order[id(entry[0].demand)])

    def again(self, place: Place) -> StatementProgram:
        """The same statement beginning anew."""
        program = copy(self)
        program._begin(place)
        return program

    def wants_more(self) -> bool:
        """Whether a longer part has to be played for an interval as narrow as wanted."""
        if self._part is None or self.reads is None:
            return False
        reach = self._part.reach_fraction()
        most = min(MOST_READS / self.work.sessions, self._pieces)
        return reach > self.work.precision_percent / 100 and 2 * self.reads <= most

    def longer(self, machine: Machine) -> StatementProgram:
        """The same statement on another machine, twice as much of it."""
        program = copy(self)
        assert self.reads is not None
        program.machine, program.reads = machine, 2 * self.reads
        program._begin(Place())
        return program

    def _places(self) -> list[int]:
        """Blocks of each session's part of a scan at which the windows of a part begin; none of single blocks."""
        demand = self.demand
        if is_by_single_blocks(demand):
            return []
        blocks = int(demand.segment.blocks) // self._parts()
        if is_load(demand):
            blocks = 0 if demand.change is None else int(demand.change.segment_after.blocks)
            if not _has_zones(self.system, float(blocks)):
                return []
        if _has_zones(self.system, float(demand.segment.blocks if demand.reads else blocks)):
            return [blocks * (2 * number + 1) // (2 * WINDOWS) for number in range(WINDOWS)]
        return [min(blocks, MOST_MAPPED) // 2]

    def _stretches_of_load(self) -> Callable[[int, int], Iterator[Read]]:
        """Each session's stretches of work, in the place of reads."""
        blocks = float(self.demand.blocks_wanted) / self._pieces
        return lambda _, place: repeat((place, blocks))  # type: ignore[arg-type]

    def _small_blocks(self) -> float:
        """Blocks of each session's part of a scan in extents that are smaller than those behind them."""
        extents = self._extents
        most = max(extent.blocks for extent in extents[:-1] or extents)
        small = sum(extent.data for extent in extents[:-1] if extent.blocks < most)
        return 0.0 if is_by_single_blocks(self.demand) or is_load(self.demand) else small / self._parts()

    def _parts(self) -> int:
        return int(self.demand.servers) if self.demand.change is None else int(self.work.sessions)

    def _begin(self, place: Place, of_whole: Sequence[StatementLedger] = ()) -> None:
        """Begin its sessions; a stage makes them ready, and counts into the ledgers *of_whole*."""
        machine, work, seed = self.machine, self.work, self.seed
        (system, demand, *_), extents = self._inputs, self._extents
        first_byte, begin_s = place.first_byte, place.begin_s
        machine.env.watch.at(machine.env.now, SESSION_NS * work.sessions)
        machine.env.watch.hold(SESSION_BYTES * work.sessions)
        cached = self._cached_segment(place.owner)
        to_temp = demand.writing is not None and demand.writing.to_temp
        self.behind = None if cached and not to_temp else self._written_behind()
        self.redo = self._redo_behind()
        # NOTE: a log that is played takes the commits, which are then no part of the pace
        pace = self._inputs[2] if self.redo is None else pace_of(system, without_commits(demand))
        buffers = (self.behind, cached, self.redo)
        path = system.database_path
        files = [
            fastest(OpenFile)(machine, place.owner + rank, path, first_byte, self._file_bytes)
            for rank in range(work.sessions)
        ]
        draws = partial(stream, seed)
        scan_of = reads_by_session(system, work, demand, extents, draws, self.placed_classes)
        if cached and self.placed_classes is None and is_by_single_blocks(demand):
            scan_of = self._without_repeats(scan_of)
        starts = [begin_s] * work.sessions
        if work.sessions > 1 and not of_whole:
            apart_s = first_step_s(system, demand, work.sessions)
            starts = (begin_s + draws("session start").uniform(0, 1, work.sessions) * apart_s).tolist()
        windows: list[list[list[Read]]] = []
        if self.reads is not None:
            if is_load(demand):
                scan_of = self._stretches_of_load()
            windows = windows_of(scan_of, work.sessions, self.reads, self._places())
            demand = demand_of_part(demand, windows)
        self.sessions = [
            fastest(Session)(
                machine,
                (system, demand, pace, *self._inputs[3:]),
                file,
                buffers,
                Leaves(demand, extents, rank, draws),
                of_whole[rank] if of_whole else fastest(StatementLedger)(),
            )
            for rank, file in enumerate(files)
        ]
        self.segment = self._meet()
        singles = self._single_reads
        if windows:
            ledgers = [session.ledger for session in self.sessions]
            inputs = self._inputs[1], demand, windows
            part = self._part = StatementPart(machine, inputs, ledgers, (self.behind, self.redo), self._small_blocks())
            scan_of = lambda rank, _: part.noted(rank)  # noqa: E731  (as short as the others)
        self._begins = [(singles[rank], scan_of, starts[rank]) for rank in range(work.sessions)]
        if of_whole:
            return
        self._begun = [(copy(program), at) for program, at in self._later]
        for program, at in self._begun:
            program._begin(at, [session.ledger for session in self.sessions])
        self.ended: simpy.Event = machine.env.all_of(
            [machine.env.process(self._go_through(rank)) for rank in range(work.sessions)]
        )

    def _execute(self, rank: int) -> Step:
        singles, scan_of, start_s = self._begins[rank]
        return self.sessions[rank].execute(singles, scan_of(rank, 0), start_s)

    def _go_through(self, rank: int) -> Step:
        """All stages of a session, one after another."""
        ledger = self.sessions[rank].ledger
        yield from self._execute(rank)
        first = ledger.begin_s, ledger.slots
        for program, _ in self._begun:
            yield from program._execute(rank)
            ledger.begin_s, ledger.slots = first[0], first[1] or ledger.slots

    def _cached_segment(self, owner: int) -> CachedSegment | None:
        """The segment in the buffer cache, where sessions share one and read or load through it."""
        machine, work, (system, demand, *_) = self.machine, self.work, self._inputs
        is_shared = machine.shared or (work.sessions > 1 and self.reads is None and not is_load(demand))
        loads = demand.writing is not None and demand.writing.direct and not demand.writing.to_temp
        if not is_shared or demand.plan.direct or loads:
            return None
        undo = self._end_block(), self._undo_blocks / float(work.users * demand.blocks_wanted)
        changed, fresh = _changed_share(work, demand), int(demand.segment.blocks)
        return CachedSegment(machine.buffer_cache(system, owner), self._first_block, changed, fresh, undo)

    def _without_repeats(self, scan_of: Scans) -> Scans:
        """Single blocks that a session comes to once; those who change rows of one segment share what they read."""
        fresh = partial(FreshBlocks, *self._span)
        of_all = None if self.demand.change is None else fresh()
        return lambda rank, place: (of_all or fresh()).of(scan_of(rank, place))

    def _written_behind(self) -> WrittenBehind | DirectWrites | None:
        """What the sessions write or dirty, where that may hold them up."""
        system, demand, *_ = self._inputs
        if demand.writing is None or not demand.writing.written_blocks > 0:
            return None
        if demand.writing.to_temp:
            size, temp = int(demand.block_size_bytes), self.machine.of_temp(self.system, self.seed)
            behind = ceil(float(demand.temp_read_blocks)) * self.work.users
            each = replace(demand, writing=demand.writing.of_all(self.work.users))
            return DirectWrites(temp, (system, each, self.work.users), (self._temp_byte // size + behind, 0), self.seed)
        inputs, segment = (system, demand, self.work.users), self._segment_on_disk()
        before = int(demand.segment.blocks) if self.work.inserts else 0
        fresh = segment[0] + before, max(1, segment[1] - before)
        if demand.writing.direct:
            return DirectWrites(self.machine, inputs, fresh, self.seed)
        return WrittenBehind(self.machine, inputs, (fresh, segment), self.seed)

    def _redo_behind(self) -> RedoBehind | None:
        """Redo of what the sessions change, where it may hold them up, or others that share the log."""
        system, demand, *_ = self._inputs
        if demand.change is None or not demand.redo_bytes:
            return None
        meets = demand.writing is not None and demand.writing.redo_meets_sessions(system)
        if not (meets or self.machine.shared):
            return None
        inputs, place = (system, demand, self.work.users), self._end_block() + self._undo_blocks
        return RedoBehind(self.machine, inputs, place, self.seed, commits=not self._meets_others())

    def _end_block(self) -> int:
        """The first block on the disk behind the segment, with its headers and bitmap blocks."""
        return max(self._first_block + self._span[1], sum(self._segment_on_disk()))

    def _segment_on_disk(self) -> tuple[int, int]:
        """The first block of the segment on the disk, and its blocks, before or after, whichever are more."""
        demand, change = self.demand, self.demand.change
        after = 0.0 if change is None else float(change.segment_after.blocks)
        return self._first_block + self._span[0], max(1, int(max(float(demand.segment.blocks), after)))

    def play(self) -> None:
        """Let time pass until its sessions have ended, and all that they asked for; DBWR goes on for ever."""
        self.machine.env.run(
            None if self.machine.pool is None and self.behind is None and self.redo is None else self.ended
        )

    def warm_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """The blocks that the cache holds at first, numbered as it numbers them, and their touches."""
        if self.placed_classes is None:
            return None
        blocks, counts = self.placed_classes.cached(*self._span, touch_rules(self.system))
        return self._first_block + blocks, counts

    def _meets_others(self) -> bool:
        works = self.machine.changing.get(self.system.table, [self.work])
        return shares(self.work) and sum(work.users for work in works) > 1

    def _meet(self) -> SharedSegment | None:
        """Let the sessions change the segment among others that do; None where no other statement changes it."""
        machine, system, work = self.machine, self.system, self.work
        for session in self.sessions if self.stage is None else ():
            session.consistent = consistent_reads_of(machine, system, work, session.demand)
        if not shares(work) or not self._meets_others():
            return None
        works = machine.changing.get(system.table, [work])
        segment = machine.segments.get(system.table)
        if segment is None:
            segment = SharedSegment(machine.env, system, works)
            if len(works) > 1:
                machine.segments[system.table] = segment
        for rank, (session, number) in enumerate(zip(self.sessions, segment.join(work), strict=True)):
            inputs = system, work, self.demand, rank
            changes = SessionChanges(segment, number, inputs, session.ledger, session.spend, self.redo)
            session.join(changes, pace_of(session.system, changed_in_time(self.demand)))
        return segment

    def result(self, name: str) -> RunResult:
        """The books of the mean session."""
        demand, work = self.demand, self.work
        changes = [session.changes for session in self.sessions if session.changes is not None]
        if self.segment is not None and shares(work):
            demand = demand_played((self.system, work, demand), self.segment, changes)
        gets = _mean([session.ledger for session in self.sessions], "undo_gets")
        demand = with_undo(demand, gets, self.system.host.logical_io_s)
        if self._part is not None:
            return self._result_of_whole(name, self._part)
        timing = _timing(self.system, work, demand, (self.machine, self.sessions, self.machine.counters), self.seed)
        timing.redo = self._disk_apart(None if self.redo is None else self.redo.counters)
        if demand.writing is not None and demand.writing.to_temp:
            temp = self.machine.of_temp(self.system, self.seed)
            timing.temp = self._disk_apart(None if temp is self.machine else temp.counters)
        return books.close_books(name, self.system, work, demand, timing)

    def _disk_apart(self, counters: Counters | ExtendedCounters | None) -> DeviceStats | None:
        """A disk of the log's own, where it counts against the limits of the host, or of temp."""
        if counters is None:
            return None
        ledgers = [session.ledger for session in self.sessions]
        return device_of(counters, max(each.end_s for each in ledgers) - min(each.begin_s for each in ledgers))

    def _result_of_whole(self, name: str, part: StatementPart) -> RunResult:
        """The books of the mean session of the whole, of which a part was played.

        Raises :class:`OutsideLaw` for a part whose rate does not hold to the end.
        """
        system, work, demand = self.system, self.work, self.demand
        stretch, reads = self._stretch(), self._reads_of_whole()
        begin_s = part.begin_s(stretch)
        whole = part.extend(stretch, reads, waits_for_reads(demand, reads, self._reads_alone()))
        timing = _timing(system, work, demand, (self.machine, self.sessions, whole.counters), self.seed)
        ends_s = timing.elapsed_s - whole.half_s, timing.elapsed_s + whole.half_s
        timing.interval = Interval(low_s=max(0.0, ends_s[0]), high_s=ends_s[1], confidence=CONFIDENCE)
        timing.played_fraction = whole.played_fraction
        timing.redo = self._disk_apart(whole.redo_counters)
        result = books.close_books(name, system, work, demand, timing)
        refuse_spent_credits(system, result, begin_s)
        return result

    def _stretch(self) -> Stretch:
        """The steady stretch of the part; raises :class:`OutsideLaw` where there is none."""
        assert self._part is not None
        stretch = self._part.stretch()
        if stretch is None or abs(stretch.drift) > MOST_DRIFT:
            rate = "no steady rate" if stretch is None else f"a rate that changes by {100 * stretch.drift:+.1f} %"
            raise OutsideLaw(
                f"{float(self.demand.reads):,.0f} reads of each session are too many to simulate, and the first "
                f"{self.reads:,} have {rate}, which allows no extension: ask for fewer users or fewer rows"
            )
        return stretch

    def _reads_of_whole(self) -> dict[int, float]:
        """Reads of the mean session by size in blocks, whether or not they are played."""
        work, demand = self.work, self.demand
        reads = read_sizes(work, demand, self._extents)
        if singles := self._reads_alone():
            reads[1] = reads.get(1, 0.0) + singles
        return reads

    def _reads_alone(self) -> float:
        """Reads of the mean session before its scan, and of leaves."""
        work, leaves = self.work, float(self.demand.leaf_reads)
        return (sum(map(len, self._single_reads)) + round(work.sessions * leaves)) / work.sessions


class StageProgram(StatementProgram):
    """The sessions of a statement in one of its stages: they go into it when they have ended the one before."""

    def __init__(self, stage: Demand, *inputs: Any) -> None:
        """*inputs* are those of the statement."""
        self.stage = stage
        super().__init__(*inputs)


begin = StatementProgram


def _refuse_what_does_not_fit(system: System, end_byte: int) -> None:
    """A part does not read the end of its segment, which may lie beyond that of the disk."""
    capacity = capacity_of(system.disk)
    if end_byte > capacity:
        raise OutsideLaw(
            f"disk: the segment would end at byte {end_byte:,}; the disk has {capacity:,} ({show_bytes(capacity)}): "
            "set disk.capacity_bytes, or take fewer rows"
        )


def _has_zones(system: System, blocks: float) -> bool:
    """Whether a scan of so many blocks gets noticeably slower on its way to the inner tracks of a drive."""
    disk = system.disk
    share = blocks * system.tablespace.block_size_bytes / capacity_of(disk)
    return bool(disk.rotation_s) and share * (1 - disk.inner_bandwidth_ratio) > LEAST_SLOWER


def _changed_share(work: Statement, demand: Demand) -> float:
    """Of the blocks that a statement gets, those that it changes."""
    if demand.change is None:
        return 0.0
    fraction = 1.0 if work.at_random else getattr(work, "rows_fraction", 1.0)
    return min(1.0, float(fraction * demand.segment.rows_per_block)) if fraction < 1 else 1.0


def _refuse_many_steps(work: Statement, stages: Sequence[Demand]) -> None:
    """Stages are played whole."""
    steps = sum(steps_of(work, stage, STRETCH_BLOCKS)[0] for stage in stages)
    if steps > MOST_STEPS:
        raise OutsideLaw(
            f"simulating {steps:,.0f} steps is refused; the limit is {MOST_STEPS:,}, and {IN_STAGES}: ask for fewer "
            "users or fewer rows"
        )


def _refuse_what_takes_too_long(work: Statement, demand: Demand, stretch: float, why: str) -> None:
    """A read is a step, and so is a stretch of blocks that need none; *why* it is not played in part."""
    steps, blocks = steps_of(work, demand, stretch)
    for amount, most, what in ((steps, MOST_STEPS, "steps"), (blocks, MOST_BLOCKS_DRAWN, "blocks")):
        if amount > most and not (what == "blocks" and demand.plan.direct):
            raise OutsideLaw(
                f"simulating {amount:,.0f} {what} is refused; the limit is {most:,}{why and ', and ' + why}: ask for "
                "fewer users or fewer rows"
            )


def _timing(
    system: System,
    work: Statement,
    demand: Demand,
    ran: tuple[Machine, list[Session], Counters | ExtendedCounters],
    seed: int,
) -> books.StatementTimes:
    machine, sessions, counters = ran
    ledgers = [session.ledger for session in sessions]
    session_count = len(ledgers)
    mean = partial(_mean, ledgers)
    client_waits, unaccounted = books.client_times(system, demand)
    if sessions[0].changes is not None or sessions[0].redo is not None:  # which wait for their commits themselves
        client_waits.pop(causes.LOG_FILE_SYNC, None)
    waits = _waits(client_waits, mean_waits(ledgers))
    cpu = _cpu(demand, ledgers)
    books.count_copies(cpu, unaccounted, mean("copied_s"))
    for cause, name in ((causes.SUBMIT_BLOCKED, "submit_blocked_s"), (causes.RUN_QUEUE, "run_queue_s")):
        if mean(name):
            unaccounted[cause] = mean(name)
    elapsed = mean("elapsed_s")
    span = max(ledger.end_s for ledger in ledgers) - min(ledger.begin_s for ledger in ledgers)
    processors_s = session_count * sum(cpu.values()) / system.host.cores.threads
    sizes: dict[int, float] = {}
    for ledger in ledgers:
        for size, count in ledger.reads.items():
            sizes[size] = sizes.get(size, 0.0) + count / session_count
    timing = books.StatementTimes(
        elapsed_s=elapsed,
        last_session_s=span if session_count > 1 else None,
        cpu=cpu,
        wait=waits,
        unaccounted=unaccounted,
        read_requests=sum(sizes.values()),
        read_blocks=sum(size * count for size, count in sizes.items()),
        request_blocks=sizes,
        direct_read_slots=dict(ledgers[0].slots),
        device=None if machine.disk.apart or not sum(counters.requests) else device_of(counters, span),
        how=SIMULATION,
        seed=seed,
        warnings=books.session_warnings(
            work, demand, (elapsed, span, processors_s), is_cached=machine.pool is not None
        ),
        events=machine.disk.events + sum(ledger.events + EVENTS_PER_SESSION for ledger in ledgers),
    )
    return books.of_query(work, demand, timing, _query_s(ledgers, int(demand.servers)))


def _waits(of_demand: dict[str, EventTime], met: dict[str, EventTime]) -> dict[str, EventTime]:
    """The waits that the demand knows and those that the sessions met: there are both for busy buffers and redo."""
    return of_demand | {event: waited.plus(of_demand.get(event)) for event, waited in met.items()}


def _cpu(demand: Demand, ledgers: list[StatementLedger]) -> dict[str, float]:
    """CPU of the mean session by cause, as long as it took among others on the processors."""
    cpu = dict(demand.cpu)
    submit = _mean(ledgers, "submit_cpu_s")
    if submit:
        cpu[causes.COPIED] = submit
    cpu["read calls"] += _mean(ledgers, "reap_cpu_s")
    slowed_s, at_work_s = _mean(ledgers, "slowed_s"), sum(cpu.values())
    if slowed_s:
        cpu = {cause: seconds * (1 + slowed_s / at_work_s) for cause, seconds in cpu.items()}
    return cpu


def _mean(ledgers: list[StatementLedger], name: str) -> float:
    return float(sum(getattr(ledger, name) for ledger in ledgers) / len(ledgers))


def _query_s(ledgers: list[StatementLedger], servers: int) -> float:
    """From the begin of a query's first server to the end of its last, on average over the queries."""
    queries = [ledgers[first : first + servers] for first in range(0, len(ledgers), servers)]
    took = (max(ledger.end_s for ledger in query) - min(ledger.begin_s for ledger in query) for query in queries)
    return sum(took) / len(queries)
