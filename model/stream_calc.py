"""Streams in closed form: what they ask of each other, and the books of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from model.books import device_measures, device_stats
from model.causes import AT_ONCE, DEVICE, HELD, THINKING
from model.demand.calls import SECTOR_BYTES, files_of
from model.demand.conditions import extrapolated_constants
from model.demand.stream_work import call_demand
from model.laws import disk_means, queueing
from model.laws.iostat import DeviceSums, quantities
from model.laws.numeric import Number, known_where, larger, nearest, over, smaller, where
from model.money_books import Spent, money_measures
from model.results import EventTime, PhysicalIO, RunResult, StreamStats
from model.spec import Stream, System
from model.state.drive import capacity_of
from model.stream_books import Answer, stream_result
from model.stream_network import FULL, StreamTime, credited
from model.stream_together import compose


def measures(system: Any, work: Any) -> dict[str, Number]:
    """What :func:`calculate_stream` says, by the names of MEASURES, where seconds and rates may be arrays."""
    files_of(system, work, capacity_of(system.disk))
    found = compose(system, work)
    mine = found[0]
    own = _program(work, mine)
    moved = _moved(work, found)
    calls_per_s = over(mine.calls, mine.elapsed_s)
    row = {
        "elapsed_s": mine.elapsed_s,
        "cpu_s": own.cpu_s,
        "wait_s": own.thought_s + own.waited_s,
        "read_wait_s": 0.0,
        "unaccounted_s": mine.elapsed_s - own.cpu_s - own.thought_s - own.waited_s,
        "read_requests": moved.reads,
        "read_blocks": moved.read_sectors,
        "read_bytes": moved.read_bytes,
        "write_requests": moved.writes,
        "write_bytes": moved.write_bytes,
        "calls_per_s": calls_per_s,
        "bytes_per_s": calls_per_s * work.block_size_bytes,
        "response_s": mine.response_s,
        "extrapolated_constants": extrapolated_constants(system, work),
    }
    return (
        row
        | device_measures(*_device(system, work, found))
        | money_measures(system, work, Spent(mine.elapsed_s, own.cpu_s, None, 0.0, 0.0))
    )


def is_exact(system: Any, work: Any) -> bool:
    """Whether :func:`calculate_stream` is exact on average: one program alone that waits for each of its calls."""
    lone = not work.beside and work.users == 1 and work.in_flight == 1 and work.rate_per_s is None
    return lone and call_demand(system, work).exact


def calculate_stream(system: System, work: Stream, *, name: str) -> RunResult:
    """Answer a stream, and those beside it, in closed form; times of the first stream's mean program."""
    files_of(system, work, capacity_of(system.disk))
    found = compose(system, work)
    mine = found[0]
    own = _program(work, mine)
    waits: dict[str, EventTime] = {}
    unaccounted: dict[str, float] = {}
    held = HELD if mine.demand.hidden and work.writes else DEVICE
    for cause, seconds in ((THINKING, own.thought_s), (held, own.waited_s)):
        if seconds > 0:
            waits[cause] = EventTime(waits=work.count, max_s=seconds / work.count, total_s=seconds)
    left = mine.elapsed_s - own.cpu_s - sum(event.total_s for event in waits.values())
    if _overlaps(work) or abs(left) > 0:
        unaccounted[AT_ONCE if _overlaps(work) else "rounding"] = left
    streams = [
        StreamStats(
            kind=calls.kind,
            path=calls.path or system.host.io_path,
            calls=one.calls,
            bytes=one.calls * calls.block_size_bytes,
            elapsed_s=one.elapsed_s,
            calls_per_s=over(one.calls, one.elapsed_s),
            bytes_per_s=over(one.calls * calls.block_size_bytes, one.elapsed_s),
            response_s=one.response_s,
            in_flight_most=calls.in_flight,
        )
        for calls, one in zip((work, *work.beside), found, strict=True)
    ]
    return stream_result(
        system,
        work,
        Answer(
            engine="calculate",
            method=mine.method,
            elapsed_s=mine.elapsed_s,
            cpu_s=own.cpu_s,
            wait=waits,
            unaccounted=unaccounted,
            streams=streams,
            physical=_physical(work, found),
            device=device_stats(*_device(system, work, found)),
            warnings=overload_warnings(system, work),
        ),
        name=name,
    )


LEAST_REQUESTS = 1e-6


@dataclass(frozen=True, slots=True)
class ProgramTime:
    """Seconds of the first stream's mean program; numbers or arrays."""

    cpu_s: Number
    thought_s: Number
    waited_s: Number


def _program(work: Any, mine: StreamTime) -> ProgramTime:
    """What it works, pauses and waits; calls that run side by side have no waits that could be added."""
    cpu_s = work.count * mine.demand.cpu_s
    if _overlaps(work):
        return ProgramTime(cpu_s, 0.0, 0.0)
    thought_s = work.count * work.think_s
    return ProgramTime(cpu_s, thought_s, larger(0.0, mine.elapsed_s - cpu_s - thought_s))


def _overlaps(work: Any) -> bool:
    return work.rate_per_s is not None or work.in_flight > 1


def overload_warnings(system: System, work: Stream) -> list[str]:
    """What to say where calls arrive faster than the device can serve them; nothing otherwise."""
    every = (work, *work.beside)
    load = sum(
        calls.users * calls.rate_per_s * float(credited(system, calls).held_s)
        for calls in every
        if calls.rate_per_s is not None
    )
    if load < FULL:
        return []
    return [overload_sentence(load)]


def overload_sentence(load: float, queue: str = "") -> str:
    """What to say of calls that arrive at *load* times what the device can do; *queue* is how far it grew."""
    return (
        f"the calls arrive at {100 * load:.0f} % of what the device can do: the queue grows as long as they "
        f"arrive{queue}, and times depend on how many there are"
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """What all streams asked of the device; numbers or arrays."""

    reads: Number
    read_bytes: Number
    read_sizes: list[tuple[Number, Number]]
    """Sectors of a read, and how many reads of one stream have them."""
    writes: Number
    write_bytes: Number

    @property
    def read_sectors(self) -> Number:
        """Sectors of all reads."""
        return sum(sectors * many for sectors, many in self.read_sizes)


def _moved(work: Any, found: list[StreamTime]) -> Moved:
    reads: Number = 0.0
    writes: Number = 0.0
    read_bytes: Number = 0.0
    write_bytes: Number = 0.0
    sizes = []
    for calls, one in zip((work, *work.beside), found, strict=True):
        requests, moved = one.calls * one.demand.requests, one.calls * one.demand.device_bytes
        if calls.writes:
            writes, write_bytes = writes + requests, write_bytes + moved
        else:
            reads, read_bytes = reads + requests, read_bytes + moved
            sizes.append((nearest(over(moved, requests) / SECTOR_BYTES), requests))
    return Moved(reads, read_bytes, sizes, writes, write_bytes)


def _physical(work: Stream, found: list[StreamTime]) -> PhysicalIO:
    moved = _moved(work, found)
    sizes: dict[int, float] = {}
    for sectors, many in moved.read_sizes:
        if many:
            sizes[sectors] = sizes.get(sectors, 0.0) + many
    return PhysicalIO(
        read_requests=moved.reads,
        read_blocks=moved.read_sectors,
        read_bytes=moved.read_bytes,
        write_requests=moved.writes,
        write_bytes=moved.write_bytes,
        request_blocks=sizes,
    )


def _device(system: Any, work: Any, found: list[StreamTime]) -> tuple[Number, dict[str, Number]]:
    """Whether anything goes to the device while programs run, and iostat's quantities of it; numbers or arrays.

    Queue and await follow from Little's law where each request is waited for; of others nothing is known.
    """
    every = list(zip((work, *work.beside), found, strict=True))
    span: Number = 0.0
    for one in found:
        span = larger(span, one.elapsed_s)
    held = sum(one.calls * _requests_wait_s(one) for one in found)
    busy = span * _any_under_way(system, every, span)
    held = where(held < busy, busy, held)

    def total(what: str) -> tuple[Number, Number]:
        read, written = (
            sum(
                (
                    one.calls * one.at_device * getattr(one.demand, what)
                    for calls, one in every
                    if calls.writes == writes
                ),
                0.0,
            )
            for writes in (False, True)
        )
        return read, written

    sums = DeviceSums(total("requests"), total("merged"), total("device_bytes"), held, busy)
    merged_reads, merged_writes = sums.merges
    return sum(sums.requests) > 0, {
        **quantities(sums, span),
        "merged_reads": merged_reads,
        "merged_writes": merged_writes,
    }


def _any_under_way(system: Any, every: list[tuple[Any, StreamTime]], span_s: Number) -> Number:
    """Share of the time with a request under way; arrivals overlap where the device serves several at once."""
    busy: Number = 0.0
    idle: Number = 1.0
    for calls, one in every:
        demand = one.demand
        each_s = larger(0.0 if demand.hidden else demand.device_s, demand.held_s)
        in_system = over(one.calls * one.at_device * each_s, span_s)
        if calls.rate_per_s is not None and disk_means.servers_of(system.disk) > 1:
            idle = idle * (1 - queueing.any_busy_fraction(in_system, inf))
        else:
            busy = busy + in_system
    return 1 - (1 - smaller(1.0, busy)) * idle


def _requests_wait_s(one: StreamTime) -> Number:
    """Time that the requests of a call are at the device, summed; NaN where a call does not wait for each of them."""
    demand = one.demand
    in_turn = abs(demand.requests * demand.together - demand.visits) < LEAST_REQUESTS
    known = in_turn & (not demand.hidden) & (not demand.ahead)
    return known_where(known, one.wait_s if demand.visits > 1 else demand.requests * one.wait_s)
