"""Streams in closed form: what they ask of each other, and the books of the answer."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from blocktime.model.books import Figures, close, device_stats, devices, row
from blocktime.model.causes import AT_ONCE, DEVICE, HELD, THINKING
from blocktime.model.demand import OneByOne
from blocktime.model.demand.calls import SECTOR_BYTES, files_of
from blocktime.model.demand.network import FULL, StreamTime, credited
from blocktime.model.demand.stream_demand import CallDemand
from blocktime.model.demand.stream_work import call_demand
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import disk_means, queueing
from blocktime.model.laws.iostat import DeviceSums, at_least_busy
from blocktime.model.laws.numeric import Number, is_array, known_where, larger, nearest, over, smaller, some
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import (
    EXACT_SUM,
    DeviceStats,
    EventTime,
    PhysicalIO,
    RunResult,
    StreamStats,
    part,
)
from blocktime.model.spec import Stream, System
from blocktime.model.units import show_seconds
from blocktime.model.workloads.streams.books import Times, stream_figures
from blocktime.model.workloads.streams.together import compose


def is_exact(system: System, work: Stream) -> bool:
    """Whether :func:`calculate` is exact on average."""
    return _waits_for_each_call(system, work)


def _waits_for_each_call(system: System, work: Stream) -> bool:
    """Whether it is one program alone that waits for each of its calls."""
    lone = not work.beside and work.users == 1 and work.in_flight == 1 and work.rate_per_s is None
    return lone and call_demand(system, work).exact


def calculate(system: System, work: Stream, *, name: str) -> tuple[RunResult, bool]:
    """Answer a stream, and those beside it, in closed form, times of the first stream's mean program.

    And whether nobody queues.
    """
    made = in_time(system, work)
    figures = figures_of(system, made)
    figures.warnings = overload_warnings(system, made) + ended_by_count(work, figures.streams)
    return close(name, system, made, figures), _waits_for_each_call(system, work)


def measures(system: System, work: Stream) -> tuple[Number, dict[str, Number]]:
    """Whether nobody queues, and what :func:`calculate` says, where seconds and rates may be arrays.

    Raises OneByOne where a run time ends the calls.
    """
    if any(calls.runtime_s is not None for calls in (work, *work.beside)):
        raise OneByOne
    return _waits_for_each_call(system, work), row(system, work, figures_of(system, work))


def figures_of(system: System, work: Stream) -> Figures:
    """The figures of :func:`calculate`, where seconds and rates may be arrays."""
    files_of(system, work, capacity_of(system.disk))
    if any(calls.batch > 1 and calls.pattern != "sequential" for calls in (work, *work.beside)):
        raise OutsideLaw("a batch of calls at separate places has no sum: batch is 1 there")
    if any(_among_others(work, calls) for calls in (work, *work.beside)) and some(system.disk.rotation_s > 0):
        raise OutsideLaw(
            "backward calls beside others on a rotating disk, where neighbours merge at their front, have no sum: one "
            "program with one call in flight has one"
        )
    stream_times = compose(system, work)
    mine = stream_times[0]
    cpu_s, thought_s, waited_s = _program(work, mine)
    held = HELD if mine.demand.hidden and work.writes else DEVICE
    waits = {
        cause: part(EventTime, waits=work.count, max_s=seconds / work.count, total_s=seconds)
        for cause, seconds in ((THINKING, thought_s), (held, waited_s))
        if some(seconds > 0)
    }
    unaccounted = {AT_ONCE: mine.elapsed_s - cpu_s} if _overlaps(work) else {}
    streams = [
        part(
            StreamStats,
            kind=calls.kind,
            path=calls.opened_as(system),
            calls=stream_time.calls,
            bytes=stream_time.calls * calls.block_size_bytes,
            elapsed_s=stream_time.elapsed_s,
            calls_per_s=over(stream_time.calls, stream_time.elapsed_s),
            bytes_per_s=over(stream_time.calls * calls.block_size_bytes, stream_time.elapsed_s),
            response_s=stream_time.response_s,
            in_flight_most=calls.in_flight,
        )
        for calls, stream_time in zip((work, *work.beside), stream_times, strict=True)
    ]
    return stream_figures(
        work,
        streams,
        Times(mine.elapsed_s, cpu_s, waits, unaccounted),
        how=EXACT_SUM,
        played_by=mine.method,
        physical_io=_physical(work, stream_times),
        device=devices(disk=_device(system, work, stream_times)),
    )


def _among_others(work: Stream, calls: Stream) -> bool:
    """Whether calls go backwards while others are under way."""
    others = calls.users > 1 or calls.in_flight > 1 or bool(work.beside)
    return calls.pattern == "backward" and others


LEAST_REQUESTS = 0.05
"""How far the requests of a call may be from its waits: a block of addresses of ext3 cuts a few calls."""


def _program(work: Stream, mine: StreamTime) -> tuple[Number, Number, Number]:
    """Seconds that its mean program works, pauses and waits; calls side by side have no waits that could be added."""
    if work.submission == "polled":  # the processor is busy while calls are under way
        thought_s = work.count * work.think_s * (not _overlaps(work))
        return larger(0.0, mine.elapsed_s - thought_s), thought_s, 0.0
    cpu_s = work.count * mine.demand.cpu_s
    if _overlaps(work):
        return cpu_s, 0.0, 0.0
    thought_s = work.count * work.think_s
    return cpu_s, thought_s, larger(0.0, mine.elapsed_s - cpu_s - thought_s)


def _overlaps(work: Stream) -> bool:
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


def _reads_and_writes(
    work: Stream, stream_times: list[StreamTime]
) -> tuple[list[StreamTime], list[StreamTime]]:
    """The streams that read, and those that write."""
    split: tuple[list[StreamTime], list[StreamTime]] = ([], [])
    for calls, stream_time in zip((work, *work.beside), stream_times, strict=True):
        split[calls.writes].append(stream_time)
    return split


def _total(streams: list[StreamTime], amount: Callable[[StreamTime], Number]) -> Number:
    """An amount of a call, summed over all calls."""
    return sum((stream.calls * amount(stream) for stream in streams), 0.0)


def _physical(work: Stream, stream_times: list[StreamTime]) -> PhysicalIO:
    """What all streams ask of the device; numbers or arrays."""
    reads, writes = _reads_and_writes(work, stream_times)
    sectors: Number = 0.0
    sizes: dict[int, float] = {}
    for read in reads:
        requests = nearest(read.calls * read.demand.requests)
        size = nearest(over(read.calls * read.demand.device_bytes, requests) / SECTOR_BYTES)
        sectors = sectors + size * requests
        if not is_array(sectors) and requests:
            sizes[size] = sizes.get(size, 0.0) + requests
    return part(
        PhysicalIO,
        read_requests=nearest(_total(reads, lambda stream_time: stream_time.demand.requests)),
        read_blocks=sectors,
        read_bytes=_total(reads, lambda stream_time: stream_time.demand.device_bytes),
        write_requests=nearest(_total(writes, lambda stream_time: stream_time.demand.requests)),
        write_bytes=_total(writes, lambda stream_time: stream_time.demand.device_bytes),
        request_blocks=sizes,
    )


def _device(system: System, work: Stream, stream_times: list[StreamTime]) -> DeviceStats | None:
    """The device while programs run; numbers or arrays.

    Queue and await follow from Little's law where each request is waited for; of others nothing is known.
    """
    every = list(zip((work, *work.beside), stream_times, strict=True))
    span: Number = 0.0
    for stream_time in stream_times:
        span = larger(span, stream_time.elapsed_s)
    busy = span * _any_under_way(system, every, span)
    split = _reads_and_writes(work, stream_times)

    def total(amount: Callable[[CallDemand], Number]) -> tuple[Number, Number]:
        reads, writes = (
            _total(streams, lambda stream_time: stream_time.at_device * amount(stream_time.demand))
            for streams in split
        )
        return reads, writes

    reads_s, writes_s = (_total(streams, _requests_wait_s) for streams in split)
    flushes = _total(split[True], lambda stream_time: stream_time.at_device * stream_time.demand.flushes)
    sums = DeviceSums(
        total(lambda demand: demand.requests),
        total(lambda demand: demand.merged),
        total(lambda demand: demand.device_bytes),
        (reads_s, writes_s),
        busy,
        (flushes, known_where(flushes == 0, 0.0)),
    )
    return device_stats(at_least_busy(sums), span)


def _any_under_way(system: System, every: list[tuple[Any, StreamTime]], span_s: Number) -> Number:
    """Share of the time with a request under way; arrivals overlap where the device serves several at once."""
    busy: Number = 0.0
    idle: Number = 1.0
    for calls, stream_time in every:
        demand = stream_time.demand
        each_s = larger(0.0 if demand.hidden else demand.device_s, demand.held_s)
        in_system = over(stream_time.calls * stream_time.at_device * each_s, span_s)
        if calls.rate_per_s is not None and disk_means.servers_of(system.disk) > 1:
            idle = idle * (1 - queueing.any_busy_fraction(in_system, inf))
        else:
            busy = busy + in_system
    return 1 - (1 - smaller(1.0, busy)) * idle


def _requests_wait_s(stream_time: StreamTime) -> Number:
    """Time that the requests of a call are at the device, summed; NaN where a call does not wait for each of them."""
    demand = stream_time.demand
    in_turn = abs(demand.requests * demand.together - demand.visits) < LEAST_REQUESTS
    known = in_turn & (not demand.hidden) & (not demand.ahead)
    wait_s = larger(0.0, stream_time.wait_s - stream_time.elsewhere_s)
    return known_where(known, wait_s if demand.visits > 1 else demand.requests * wait_s)


ROUNDS = 12
"""Rounds at most in which streams that share a device find their numbers of calls."""


def in_time(system: System, work: Stream) -> Any:
    """The streams with as many calls as they begin within ``runtime_s``, at most ``count``; unchanged without one.

    A program begins calls until its run time has passed, and completes those under way, as fio does [fio-docs]: the
    number is the least that takes so long, by the law of the streams' elapsed time. Of calls that arrive it is their
    rate times the run time. Numbers alone: no field may be an array.
    """
    every = [work, *work.beside]
    if all(calls.runtime_s is None for calls in every):
        return work
    counts = [_arriving(calls) for calls in every]
    searched = [rank for rank, calls in enumerate(every) if calls.runtime_s and calls.rate_per_s is None]
    for _ in range(ROUNDS if len(every) > 1 else 1):
        before = list(counts)
        for rank in searched:
            counts[rank] = _least_count(system, every, counts, rank)
        if counts == before:
            break
    return _with(every, counts)


def _arriving(calls: Any) -> int:
    """Calls of a stream that arrive within its run time; of one that waits for its calls, all that it may make."""
    if calls.runtime_s is None or calls.rate_per_s is None:
        return int(calls.count)
    return max(1, min(int(calls.count), int(calls.rate_per_s * calls.runtime_s + 0.5)))


def _least_count(system: System, every: list[Any], counts: list[int], rank: int) -> int:
    """The least number of calls with which a stream lasts for its run time, beside the others with theirs."""
    low, high = 1, int(every[rank].count)
    while low < high:
        middle = (low + high) // 2
        tried = [middle if place == rank else number for place, number in enumerate(counts)]
        if float(compose(system, _with(every, tried))[rank].elapsed_s) < every[rank].runtime_s:
            low = middle + 1
        else:
            high = middle
    return low


def _with(every: list[Any], counts: list[int]) -> Any:
    """The first stream with the others beside it, all with these numbers of calls."""
    made = [calls.model_copy(update={"count": count}) for calls, count in zip(every, counts, strict=True)]
    return made[0].model_copy(update={"beside": tuple(made[1:])})


def ended_by_count(work: Stream, streams: list[StreamStats] | None) -> list[str]:
    """What to say of *streams* that made all their calls before their run time had passed."""
    return [
        f"the {calls.kind} makes all calls of workload.count in {show_seconds(made.elapsed_s)}, before "
        f"workload.runtime_s {calls.runtime_s:g} has passed: set a larger count to fill the run time"
        for calls, made in zip((work, *work.beside), streams or (), strict=True)
        if calls.runtime_s is not None
        and made.calls >= calls.users * calls.count
        and made.elapsed_s < calls.runtime_s
    ]
