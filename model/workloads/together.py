"""Programs of any kind beside each other on one machine: one disk, one set of processors, one buffer cache.

Where the first program ends by itself, the run lasts until all that end have ended, and transactions beside it go on
meanwhile. Where the first are transactions, the question is how they fare while the others go on: the run lasts until
they are as precise as asked, and what ends beside them begins anew. Each program is simulated alone on the same machine
too.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import simpy
from numpy.typing import NDArray

from blocktime.model.budget import watch_here
from blocktime.model.causes import DEVICE, DIRECT_WRITE, FREE_BUFFERS, LOG_FILE_SYNC, RUN_QUEUE, TEMP, UNDO
from blocktime.model.closing import ROUNDING, changed, device_of, devices
from blocktime.model.demand.popular_blocks import by_popularity
from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.errors import BooksDoNotBalance, OutsideLaw, OverBudget
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.measures import READ_EVENTS
from blocktime.model.results import EventTime, ProgramFigures, ProgramStats, ResponseLine, RunResult
from blocktime.model.sim.device import PROGRAM
from blocktime.model.sim.shared_machine import Machine, Place, machine_of
from blocktime.model.sim.streams import stream
from blocktime.model.spec import System, Table, Workload
from blocktime.model.units import MIB, show_bytes, show_number, show_seconds
from blocktime.model.workloads.shared_cache import cache_shares_of

MOST_SIMULATED_S = 30 * 86400.0
LONGER = 1.02
"""Times as long as alone, from which on it is worth a reason."""
MOST_RUNS = 100
"""Executions of a program that are kept, or up to twice as many."""
WORTH_NAMING = 0.1
"""Of what a program takes longer, the least share that is named."""


class Program(Protocol):
    """A program on a machine that others share."""

    @property
    def ended(self) -> simpy.Event | None:
        """When it has ended by itself; None for one that never does."""

    @property
    def end_byte(self) -> int:
        """Where its data on the disk end."""

    def warm_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Blocks of its own that the buffer cache holds at first, and their touches; None where it knows none."""

    def result(self, name: str) -> RunResult | None:
        """What it did, once the run is over; None where that says too little."""


class EndingProgram(Program, Protocol):
    """One that ends by itself."""

    def again(self, place: Place) -> EndingProgram:
        """The same beginning anew."""


class EndlessProgram(Program, Protocol):
    """One that never ends by itself."""

    first: int
    """Transactions of the first run."""
    most: int

    def until(self, transactions: int) -> None:
        """Let time pass until so many have ended."""

    def is_precise(self) -> bool:
        """Whether they are as precise as asked."""

    def lines(self) -> list[ResponseLine]:
        """Their response over time."""

    def end_by(self, limit: str) -> bool:
        """End here, where a limit of time ended the run; whether it is long enough to tell how precise it is."""


class FamilyProcesses(Protocol):
    """Where programs of a family come from."""

    @property
    def begin(self) -> Callable[[Any, System, Any, int, Any], Any]:
        """Begins it on a machine: by machine, system, workload, seed and place."""

    @property
    def simulate(self) -> Callable[..., RunResult]:
        """Answers it alone: by system and workload, *seed* and *name*."""


class Family(Protocol):
    """What is to be known of a program's kind."""

    @property
    def processes(self) -> FamilyProcesses:
        """Who simulates it."""

    @property
    def endless(self) -> bool:
        """Whether it never ends by itself."""


class RepeatedProgram:
    """A program that begins anew when it has ended."""

    def __init__(self, machine: Machine, make: Callable[[Place], EndingProgram], place: Place) -> None:
        self.ended: simpy.Event | None = None
        self._machine, self._place = machine, place
        self._done: list[Program] = []
        self._rank, self._each = 0, 1
        """Executions that have ended, and of how many one is kept."""
        self.busy_s, self.requests = 0.0, 0
        """What the disk did for the executions before the one under way."""
        self.runs: list[tuple[float, float]] = []
        """Begin and end of the first executions."""
        watch = machine.env.watch
        bytes_before = watch.allocated_bytes
        self._running = make(place)
        self._size_bytes = watch.allocated_bytes - bytes_before
        self.end_byte = self._running.end_byte
        self.once = machine.env.event()
        """When the first execution has ended."""
        machine.env.process(self._go_on())

    def _go_on(self) -> Generator[simpy.Event, Any, None]:
        machine, owner = self._machine, self._place.owner
        again, begin_s = self._place._replace(begin_s=0.0), self._place.begin_s
        while True:
            assert self._running.ended is not None
            yield self._running.ended
            self.runs += [(begin_s, machine.env.now)] if len(self.runs) < MOST_RUNS else []
            begin_s = machine.env.now
            if self._rank % self._each:
                machine.env.watch.hold(-self._size_bytes)
            else:
                self._done.append(self._running)
                if len(self._done) == 2 * MOST_RUNS:
                    self._done, self._each = self._done[::2], 2 * self._each
                    machine.env.watch.hold(-MOST_RUNS * self._size_bytes)
            self._rank += 1
            if not self.once.triggered:
                self.once.succeed()
            counted = machine.counted_apart(owner)
            self.busy_s += counted.busy_s
            self.requests += sum(counted.requests)
            del machine.disk.apart[owner // PROGRAM]
            machine.counted_apart(owner)
            self._running = self._running.again(again)

    def warm_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Those of its first execution."""
        return self._running.warm_blocks()

    def result(self, name: str) -> RunResult | None:
        """What the execution did that took nearest to the mean of all complete ones, or of some spread evenly."""
        results = [result for program in self._done if (result := program.result(name))]
        mean_s = sum(result.time.elapsed_s for result in results) / len(results)
        return min(results, key=lambda result: abs(result.time.elapsed_s - mean_s))


def simulate_together(system: System, work: Workload, families: Sequence[Family], *, seed: int, name: str) -> RunResult:
    """Answer work and what stands beside it by one simulation; the result is the first one's, with all in ``programs``.

    *families* are those of its programs, in order.

    Raises :class:`OutsideLaw` for programs whose data do not fit on the disk, and for a run beyond thirty days.
    """
    systems = [system_of(system, program) for program in work.programs]
    seeds = [seed if not rank else _seed_of(seed, rank) for rank in range(len(work.programs))]
    programs = [program.model_copy(update={"beside": ()}) for program in work.programs]
    every = list(zip(systems, programs, seeds, families, strict=True))
    # NOTE: each alone first, so that a budget that ends them together leaves both
    alone = [_play_alone(_at_once(*entry), name) for entry in every]
    machine, played, together, ends_s = _play(every, name)
    first, end_s = together[0], machine.env.now
    at_work = machine.processors.busy_s / (system.host.cores.threads * end_s)
    if not any(family.endless for family in families) and at_work > 1 + ROUNDING:  # else some is handed in ahead
        raise BooksDoNotBalance(f"all programs together keep the processors busy for {at_work!r} of the time")
    if first is None:
        raise OutsideLaw("too few transactions ended to say anything: ask for more users or a higher rate")
    program_statses = _programs(machine, work, played, (together, alone), ends_s)
    return changed(
        first,
        programs=program_statses,
        device=first.device | devices(disk=device_of(machine.counters, end_s)),
        played_by=METHOD,
        notes=[lasts(end_s, families[0].endless)],
    )


def lasts(end_s: float, first_endless: bool) -> str:
    """How long the run is, which the first program decides."""
    if first_endless:
        return f"The run lasts {show_seconds(end_s)}; programs beside the transactions restart when they end."
    return f"The run lasts {show_seconds(end_s)}, until the last program ends."


METHOD = "simulation of all programs on one machine: processors, buffer cache, page cache, queue and drives"

ProgramEntry = tuple[System, Any, int, Family]
"""System, program, seed and family."""


Played = tuple[Machine, list[Program], list[RunResult | None], dict[int, float]]
"""The machine, its programs, what each of them did or None where that says too little, and when each ended by rank."""


def _play(every: Sequence[ProgramEntry], name: str) -> Played:
    """All programs on one machine, and what came of it."""
    machine = machine_of(every[0][0], every[0][2])
    machine.shared = True
    machine.in_phases = not every[0][3].endless
    families = [family for *_, family in every]
    shares = cache_shares_of(
        [(its_system, work) for its_system, work, *_ in every],
        [getattr(work, "begin_s", 0.0) for _, work, *_ in every],
        endless=families[0].endless,
    )
    machine.cache_shares = {rank * PROGRAM: each for rank, each in enumerate(shares) if each is not None}
    place_byte = 0
    programs: dict[int, Program] = {}
    if not families[0].endless:  # else each begins anew, on a segment as it was at first
        for its_system, work, *_ in every:
            if work.plays_rows and not work.by_direct_path:
                machine.changing.setdefault(its_system.table, []).append(work)
    places: dict[Table, int] = {}
    # NOTE: those that never end come first, as the buffer cache that others read through is theirs
    for rank in sorted(range(len(every)), key=lambda rank: not families[rank].endless):
        its_system, work, seed, _ = every[rank]
        first_byte = place_byte
        if work in machine.changing.get(its_system.table, ()) and not work.inserts:
            first_byte = places.setdefault(its_system.table, place_byte)
        place = Place(rank * PROGRAM, first_byte, getattr(work, "begin_s", 0.0))
        machine.counted_apart(place.owner)
        make = partial(families[rank].processes.begin, machine, its_system, work, seed)
        again = families[0].endless and not families[rank].endless
        programs[rank] = RepeatedProgram(machine, make, place) if again else make(place)
        place_byte = max(place_byte, -(-programs[rank].end_byte // MIB) * MIB)
        _refuse_what_does_not_fit(its_system, work, place_byte)
    in_order = [programs[rank] for rank in range(len(every))]
    _warm(machine, every[0][2], in_order)
    ends_s: dict[int, float] = {}

    def note_end(rank: int, _event: simpy.Event) -> None:
        ends_s[rank] = machine.env.now

    for rank, program in enumerate(in_order):
        if program.ended is not None and program.ended.callbacks is not None:
            program.ended.callbacks.append(partial(note_end, rank))
    _run(machine, in_order)
    return machine, in_order, [program.result(name) for program in in_order], ends_s


def _play_alone(entry: ProgramEntry, name: str) -> RunResult:
    """What a program does that has the machine for itself, which is given back when it has ended."""
    system, work, seed, family = entry
    watch = watch_here()
    bytes_before = watch.allocated_bytes
    result = family.processes.simulate(by_popularity(system, work), work, seed=seed, name=name)
    watch.hold(bytes_before - watch.allocated_bytes)
    return result


def _warm(machine: Machine, seed: int, programs: Sequence[Program]) -> None:
    """Put what the cache holds of popular blocks into it, in any order; one of users is theirs already."""
    if machine.pool is None or len(machine.pool.buffers):
        return
    parts = [cached for program in programs if (cached := program.warm_blocks()) is not None]
    if not parts:
        return
    blocks, counts = (np.concatenate([each[side] for each in parts]) for side in (0, 1))
    order = stream(seed, "cached blocks").permutation(len(blocks))[: machine.pool.buffers.size_blocks]
    machine.pool.buffers.fill(blocks[order], count=counts[order])


def _run(machine: Machine, programs: Sequence[Program]) -> None:
    """Let time pass until the run is over."""
    env = machine.env
    limit = env.timeout(MOST_SIMULATED_S)
    ends = [program.ended for program in programs if program.ended is not None]
    if not ends:
        repeated = [program for program in programs if isinstance(program, RepeatedProgram)]
        endless = [cast("EndlessProgram", program) for program in programs if program not in repeated]
        wanted = endless[0].first
        try:
            while True:
                for program in endless:
                    program.until(wanted)
                if endless[0].is_precise() or 2 * wanted > endless[0].most:
                    break
                wanted *= 2
        except OverBudget as refusal:
            have_ended = refusal.of != "memory" and all(program.once.triggered for program in repeated)
            if have_ended and endless[0].end_by(refusal.amount):
                return
            raise
        ends = [program.once for program in repeated]
    ended = env.all_of(ends)
    env.run(until=env.any_of([ended, limit]))
    if not ended.triggered:
        raise OutsideLaw(
            f"the programs have not ended after {MOST_SIMULATED_S / 86400:.0f} days of simulated time, where a "
            "simulation ends: ask for less work"
        )


def system_of(system: System, program: Any) -> System:
    """The system with the table that a program has of its own."""
    table = getattr(program, "table", None)
    return system if table is None else system.model_copy(update={"table": table})


def _at_once(system: System, program: Any, seed: int, family: Family) -> ProgramEntry:
    """The program beginning at once; of what never ends one run, however precise it is."""
    changed: dict[str, Any] = {}
    if hasattr(program, "begin_s"):
        changed["begin_s"] = 0.0
    if family.endless and program.transactions is None:
        changed["transactions"] = run_transactions(program)
    return system, program.model_copy(update=changed), seed, family


def _seed_of(seed: int, rank: int) -> int:
    """The seed of a program's own draws."""
    return int(np.random.SeedSequence(seed, spawn_key=(rank,)).generate_state(1)[0])


def _refuse_what_does_not_fit(system: System, work: Workload, end_byte: int) -> None:
    capacity = capacity_of(system.disk)
    if end_byte > capacity:
        raise OutsideLaw(
            f"{work.kind}: its data would end at byte {end_byte:,} of the disk, behind those of the programs before "
            f"it; the disk has {capacity:,} ({show_bytes(capacity)})"
        )


# What each gets, and why


def _programs(
    machine: Machine,
    work: Workload,
    programs: Sequence[Program],
    results: tuple[Sequence[RunResult | None], Sequence[RunResult | None]],
    ends_s: Mapping[int, float],
) -> list[ProgramStats]:
    """What every program gets of the machine, and what it would get alone; *results* are of both."""
    end_s = machine.env.now
    machine.counters.round(end_s)
    busy_s, requests = [], []
    for rank, program in enumerate(programs):
        counted = machine.counted_apart(rank * PROGRAM)
        counted.round(end_s)
        past = (program.busy_s, program.requests) if isinstance(program, RepeatedProgram) else (0.0, 0)
        busy_s.append(past[0] + counted.busy_s)
        requests.append(past[1] + sum(counted.requests))
    fractions = [seconds / end_s for seconds in busy_s]
    busy = machine.counters.busy_s / end_s
    kinds = [program.kind.replace("_", " ") for program in work.programs]
    names = [
        f"{kind} {kinds[: rank + 1].count(kind)}" if kinds.count(kind) > 1 else kind for rank, kind in enumerate(kinds)
    ]
    stats = []
    cached_per_s = [_cached_per_s(result) for result in results[0]]
    for rank, (program, *both) in enumerate(zip(work.programs, *results, strict=True)):
        here, alone = map(_figures_of, both)
        others = [other for other in range(len(names)) if other != rank]
        at_the_disk = max(((fractions[other], names[other]) for other in others), default=(0.0, ""))
        in_the_cache = max(((cached_per_s[other], names[other]) for other in others), default=(0.0, ""))
        begin_s, played = getattr(program, "begin_s", 0.0), programs[rank]
        of_one = [(begin_s, ends_s[rank])] if rank in ends_s else []
        repeated = played if isinstance(played, RepeatedProgram) else None
        stats.append(
            ProgramStats(
                **{name: getattr(here, name) for name in ProgramFigures.model_fields},
                name=names[rank],
                kind=program.kind,
                users=program.users,
                begin_s=begin_s,
                disk_fraction=fractions[rank],
                requests=requests[rank],
                alone=alone,
                because=_because(here, alone, busy, at_the_disk[1], in_the_cache[1] if in_the_cache[0] else ""),
                runs=repeated.runs if repeated else of_one,
                lines=[] if repeated or played.ended else cast("EndlessProgram", played).lines(),
            )
        )
    return stats


def _cached_per_s(result: RunResult | None) -> float:
    """Blocks a second that a program brings into the buffer cache: reads past it and streams of files bring none."""
    if result is None or result.streams or result.access.startswith("direct"):
        return 0.0
    blocks = result.physical_io.read_blocks
    if result.transactions is not None:
        return blocks * result.transactions.per_s
    if result.changes is not None and result.segment is not None:
        blocks += max(0.0, (result.segment.blocks_after or 0.0) - result.segment.blocks_before)
    return blocks / result.time.elapsed_s if result.time.elapsed_s else 0.0


def _figures_of(result: RunResult | None) -> ProgramFigures:
    """What a program gets by its own answer; nothing where there is none."""
    if result is None:
        return ProgramFigures(cpu_s=0.0, run_queue_s=0.0, waits={}, reads=0.0)
    time = result.time
    run_queue_s = time.unaccounted.get(RUN_QUEUE, 0.0)
    waits = dict(time.wait)
    if (for_processor := waits.pop(RUN_QUEUE, None)) is not None:
        run_queue_s += for_processor.total_s
    rates: dict[str, float | None] = {"elapsed_s": time.elapsed_s}
    if result.transactions is not None:
        rates = {"per_s": result.transactions.per_s, "response_s": result.transactions.response_s}
    elif result.streams:
        stream = result.streams[0]
        rates |= {"per_s": stream.calls_per_s, "response_s": stream.response_s}
    return ProgramFigures(
        **rates,
        cpu_s=time.cpu_s,
        run_queue_s=run_queue_s,
        waits=waits,
        reads=result.physical_io.read_requests,
        hit_fraction=None if result.cache is None else result.cache.hit_fraction,
        undo_s=time.cpu.get(UNDO),
    )


def _because(
    here: ProgramFigures, alone: ProgramFigures, busy: float, at_the_disk: str, in_the_cache: str
) -> list[str]:
    """The causes of what a program takes longer than alone, the largest first, and who makes them.

    The latter are the largest other user of the disk, and the one that brings the most blocks into the buffer cache.
    """
    took, took_alone = (figures.took_s or 0.0 for figures in (here, alone))
    longer_s = took - took_alone
    if not took or took < LONGER * took_alone:
        return []
    causes: list[tuple[float, str]] = []
    for event, waited in here.waits.items():
        before = alone.waits.get(event, EventTime(waits=0, max_s=0, total_s=0))
        more_s = waited.total_s - before.total_s
        causes.append((more_s, _wait_said(event, waited, before, busy, at_the_disk)))
    causes.append(
        (
            here.run_queue_s - alone.run_queue_s,
            f"the run queue takes {show_seconds(here.run_queue_s)}, alone {show_seconds(alone.run_queue_s)}",
        )
    )
    undo_s, before_s = here.undo_s or 0.0, alone.undo_s or 0.0
    causes.append((undo_s - before_s, f"{UNDO} take {show_seconds(undo_s)}, alone {show_seconds(before_s)}"))
    if here.hit_fraction is not None and alone.hit_fraction is not None:
        lost = alone.hit_fraction - here.hit_fraction
        if lost > LEAST_HITS:
            causes.append(
                (
                    longer_s * WORTH_NAMING,
                    f"{100 * here.hit_fraction:.1f} % of its gets find their block in the buffer cache, alone "
                    f"{100 * alone.hit_fraction:.1f} %"
                    + (f": {in_the_cache} ages its blocks out" if in_the_cache else ""),
                )
            )
    if here.response_s and alone.response_s and not here.waits and at_the_disk:  # a stream: its calls have no events
        each = f"a call takes {show_seconds(here.response_s)}, alone {show_seconds(alone.response_s)}"
        return [f"{each}{_busy_said(busy, at_the_disk)}"]
    return [text for more_s, text in sorted(causes, reverse=True) if more_s >= WORTH_NAMING * longer_s]


LEAST_HITS = 0.002


def _wait_said(event: str, here: EventTime, alone: EventTime, busy: float, holder: str) -> str:
    each_s = here.total_s / here.waits if here.waits else 0.0
    before_s = alone.total_s / alone.waits if alone.waits else 0.0
    text = f"{event} takes {show_seconds(each_s)}"
    text += f", alone {show_seconds(before_s)}" if alone.waits else "; none when alone"
    if here.waits > LONGER * alone.waits > 0:
        text += f", and occurs {show_number(here.waits, 4)} times instead of {show_number(alone.waits, 4)}"
    return text + (_busy_said(busy, holder) if event in AT_DISK else "")


def _busy_said(busy: float, holder: str) -> str:
    return f": the disk is busy {100 * busy:.0f} % of the time; its largest other user is {holder}"


AT_DISK = (*READ_EVENTS, LOG_FILE_SYNC, DEVICE, FREE_BUFFERS, DIRECT_WRITE, *TEMP)
