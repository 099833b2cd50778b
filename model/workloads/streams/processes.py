"""Streams of reads and writes through time: programs, page cache, queue and device."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
import simpy

from blocktime.model.closing import close
from blocktime.model.demand.calls import File, files_of, places
from blocktime.model.demand.host_limits import refuse_spent_credits
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.loops.arrays import row as row_of
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import RunResult
from blocktime.model.sim.caller import Caller, ProgramDraws, Record, caller_of, record_of
from blocktime.model.sim.shared_machine import Machine, Place, counters_of, machine_of
from blocktime.model.sim.streams import DRAWN_AT_ONCE, stream, varied_at_once
from blocktime.model.spec import Stream, System
from blocktime.model.workloads.extension import MOST_DRIFT, Stretch
from blocktime.model.workloads.streams.books import StreamRun, figures_of
from blocktime.model.workloads.streams.cost import (
    MOST_PART_STEPS,
    calls_of_part,
    is_long,
    limit_of,
    steps_of,
    steps_of_calls,
)
from blocktime.model.workloads.streams.in_part import StreamPart, cache_that_fills, files_in_part, why_whole
from blocktime.model.workloads.streams.run_time import ended_by_count, in_time, overload_sentence

PROGRAM_NS = 100_000
"""Work of beginning a program of a stream, on a processor of the 2020s."""
PROGRAM_BYTES = 8000
MOST_SIMULATED_S = 30 * 86400.0
FEW = 100
BACKLOG = 0.1
"""A queue that grows to so large a share of the calls is one that would go on growing."""


def simulate(system: System, work: Stream, *, seed: int, name: str) -> RunResult:
    """Answer a stream, and those beside it, by simulation.

    Raises :class:`OutsideLaw` beyond five million requests or thirty days of simulated time.
    """
    files, expected = files_of(system, work, capacity_of(system.disk)), in_time(system, work)
    if is_long(system, expected, files):
        reason = why_whole(system, work)
        if not reason and work.count > (calls := calls_of_part(system, work)):
            return _played_in_part(system, work, files, calls, seed, name)
        _refuse_what_takes_too_long(system, expected, files, reason)
    counters = counters_of(system)
    draws = [_draws(file, rank, seed) for rank, file in enumerate(files)]
    records, events = _by_events(machine_of(system, seed, counters), files, draws)
    _refuse_what_ends_late(max(counters.last_s, *(record.end_s for record in records)))
    played = StreamRun(files, records, counters, METHOD, seed, events, _overloads(files, records))
    figures = figures_of(work, played)
    figures.warnings += ended_by_count(work, figures.streams)
    return close(name, system, expected, figures)


def _played_in_part(system: System, work: Stream, files: list[File], calls: int, seed: int, name: str) -> RunResult:
    """The answer to a long stream, the first *calls* of whose programs are played, or more where it needs them.

    Raises :class:`OutsideLaw` where the rate of the first ones does not hold to the end.
    """
    most = MOST_PART_STEPS // (work.users * steps_of_calls(system, work, 1))
    while True:
        counters, played = counters_of(system), files_in_part(files, calls)
        machine = machine_of(system, seed, counters)
        part = StreamPart(machine, work, calls)
        draws = [_draws(file, rank, seed) for rank, file in enumerate(played)]
        part.records, events = _by_events(machine, played, draws, part)
        stretch = part.stretch()
        if stretch is not None:
            left_out = max(1.0, part.all_calls(stretch) - calls)
            reach = stretch.reach_s(left_out) / (stretch.rate_s * left_out)
            if reach <= work.precision_percent / 100:
                break
        if 2 * calls > min(most, work.count):
            break
        calls *= 2
    overloads = _overloads(played, part.records)
    if stretch is None or abs(stretch.drift) > MOST_DRIFT or overloads:
        raise OutsideLaw(_unsteady(work, calls, stretch, overloads))
    if cache := cache_that_fills(system, work, part.begin_calls(stretch), part.all_calls(stretch) * work.users):
        raise OutsideLaw(f"{work.count:,} calls are too many to simulate, and {cache}: ask for fewer calls")
    whole = part.extend(stretch)
    run = StreamRun(files, whole.records, whole.counters, METHOD, seed, events, [], whole.responses)
    figures = figures_of(work, run)
    figures.time = figures.time.model_copy(update={"interval": whole.interval})
    figures.played_fraction = whole.played_fraction
    figures.warnings += ended_by_count(work, figures.streams)
    result = close(name, system, work, figures)
    refuse_spent_credits(system, result, part.begin_s(stretch))
    return result


def _unsteady(work: Stream, calls: int, stretch: Stretch | None, overloads: list[str]) -> str:
    """Why nothing follows for the whole from the first *calls*."""
    rate = "no steady rate" if stretch is None else f"a rate that changes by {100 * stretch.drift:+.1f} %"
    if overloads:
        rate = f"a queue without end: {overloads[0]}"
    return (
        f"{work.count:,} calls of each program are too many to simulate, and the first {calls:,} have {rate}, which "
        "allows no extension: ask for fewer calls"
    )


def _overloads(files: list[File], records: list[Record]) -> list[str]:
    """What to say of streams whose calls came faster than the device could serve them."""
    texts = []
    for calls in {id(file.calls): file.calls for file in files}.values():
        stream_records = [record for file, record in zip(files, records, strict=True) if file.calls is calls]
        answered = sum(len(record.responses_s) for record in stream_records)
        if calls.rate_per_s is None or answered < FEW:
            continue
        served_per_s = answered / max(record.end_s for record in stream_records)
        waiting = sum(record.in_flight_most for record in stream_records)
        load = calls.users * calls.rate_per_s / served_per_s
        if waiting > BACKLOG * answered and load > 1 + BACKLOG / 4:
            texts.append(overload_sentence(load, f", up to {waiting:,} calls"))
    return texts


def _by_events(
    machine: Machine, files: list[File], draws: list[ProgramDraws], part: StreamPart | None = None
) -> tuple[list[Record], int]:
    """What the programs' calls took, and how many events it needed; a program that has not ended says so."""
    env, counters = machine.env, machine.counters
    env.watch.hold(PROGRAM_BYTES * len(files))
    callers = [caller_of(machine, file, rank, draws[rank]) for rank, file in enumerate(files)]
    if part is not None:
        part.callers = callers
        for caller in callers:
            caller.place_taken = part.place_taken
    ended = env.all_of(start(machine, callers))
    assert ended.callbacks is not None
    ended.callbacks.append(lambda _: counters.programs_ended(env.now))
    env.run(until=MOST_SIMULATED_S)
    counters.finish(counters.last_s)
    records = [record_of(caller) for caller in callers]
    if not ended.processed or counters.in_flight:  # the page cache may still be written back
        records[0].end_s = MOST_SIMULATED_S
    return records, machine.disk.events + sum(len(record.responses_s) for record in records)


def start(machine: Machine, callers: list[Caller], begin_s: float = 0.0) -> list[simpy.Event]:
    """Let programs run from *begin_s* on, and the write-back of what they write into the page cache; their ends."""
    if any(caller.write and caller.path not in UNBUFFERED for caller in callers):
        machine.write_back()
    for caller in callers:
        machine.env.process(caller.run(begin_s))
    return [caller.ended for caller in callers]


class StreamProgram:
    """The programs of one stream on a machine, whose files begin where its place says."""

    def __init__(self, machine: Machine, system: System, work: Stream, seed: int, place: Place) -> None:
        self.machine, self.system, self.work, self.seed = machine, system, work, seed
        self.files = files_of(system, work, capacity_of(system.disk), place.first_byte)
        _refuse_what_takes_too_long(system, in_time(system, work), self.files)
        anywhere = work.pattern == "random" and work.span_bytes is None
        self.end_byte = place.first_byte if anywhere else max(file.first_byte + file.span_bytes for file in self.files)
        self._begin(place)

    def again(self, place: Place) -> StreamProgram:
        """The same stream beginning anew."""
        program = copy(self)
        program._begin(place)
        return program

    def _begin(self, place: Place) -> None:
        machine = self.machine
        machine.env.watch.at(machine.env.now, PROGRAM_NS * len(self.files))
        machine.env.watch.hold(PROGRAM_BYTES * len(self.files))
        self.counters = machine.counted_apart(place.owner)
        draws = [_draws(file, rank, self.seed) for rank, file in enumerate(self.files)]
        self.callers = [
            caller_of(machine, file, place.owner + rank, draws[rank]) for rank, file in enumerate(self.files)
        ]
        self.ended: simpy.Event = machine.env.all_of(start(machine, self.callers, place.begin_s))

    def warm_blocks(self) -> None:
        """None: its calls ask no buffer cache."""

    def result(self, name: str) -> RunResult:
        """The books of the stream, with what the device did for it."""
        records = [record_of(caller) for caller in self.callers]
        self.counters.finish(max(record.end_s for record in records))
        overloads = _overloads(self.files, records)
        played = StreamRun(self.files, records, self.counters, METHOD, self.seed, None, overloads)
        return close(name, self.system, self.work, figures_of(self.work, played))


begin = StreamProgram


METHOD = "simulation of programs, page cache, queue and device"


def _refuse_what_takes_too_long(system: System, expected: Stream, files: list[File], why: str = "") -> None:
    """*why* says why a long stream is not played in part."""
    steps, _ = steps_of(system, expected, files)
    limit, what = limit_of(system, files)
    if steps > limit:
        raise OutsideLaw(
            f"simulating {steps:,} {what} is refused; the limit is {limit:,}{why and ', and ' + why}: ask for fewer "
            "calls"
        )


def _refuse_what_ends_late(end_s: float) -> None:
    if end_s >= MOST_SIMULATED_S:
        raise OutsideLaw(
            f"the calls are not done after {MOST_SIMULATED_S / 86400:.0f} days of simulated time, where a simulation "
            "ends: ask for fewer calls"
        )


def _draws(file: File, rank: int, seed: int) -> ProgramDraws:
    """What chance decides of the calls of a program, in rows: one random stream for each thing."""
    pauses = _pauses(file, rank, seed)
    pauses_s = None if pauses is None else _rows_of_pauses(*pauses, min(DRAWN_AT_ONCE, file.calls.count))
    where = _rows_of_places(file, stream(seed, f"places {rank}") if file.calls.pattern == "random" else None)
    return (
        ProgramDraws(where, pauses_s, None)
        if file.calls.rate_per_s is not None
        else ProgramDraws(where, None, pauses_s)
    )


def _rows_of_places(file: File, draws: np.random.Generator | None) -> Iterator[Any]:
    for first in range(0, file.calls.count, DRAWN_AT_ONCE):
        numbers = np.arange(first, min(first + DRAWN_AT_ONCE, file.calls.count))
        where = places(file, numbers, None if draws is None else draws.random(len(numbers)))
        yield row_of(np.ascontiguousarray(where, np.int64))


def _rows_of_pauses(mean_s: float, cv: float, draws: np.random.Generator, count: int) -> Iterator[Any]:
    """Gaps or think times without end, *count* at a time."""
    while True:
        yield row_of(varied_at_once(mean_s, cv, draws, count))


def _pauses(file: File, rank: int, seed: int) -> tuple[float, float, np.random.Generator] | None:
    """Mean, coefficient of variation and draws of the gaps between calls that arrive, or of think times."""
    calls = file.calls
    if calls.rate_per_s is not None:
        cv = 1.0 if calls.arrivals == "poisson" else 0.0
        return 1 / calls.rate_per_s, cv, stream(seed, f"arrivals {rank}")
    if calls.think_s:
        return calls.think_s, calls.think_cv, stream(seed, f"think {rank}")
    return None
