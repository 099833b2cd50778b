"""Streams in closed form: one program alone, programs that wait for each other, calls that arrive, a page cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.books import device_measures, device_stats
from model.demand.calls import DEVICE, HELD, SECTOR_BYTES, THINKING, UNBUFFERED, files_of
from model.demand.conditions import extrapolated_constants
from model.demand.stream_work import CallDemand, Changed, call_demand
from model.laws import block_layer, disk_means, page_cache, queueing
from model.laws.numeric import Number, floor_div, larger, nearest, over, smaller, where
from model.money_books import Spent, money_measures
from model.results import EventTime, PhysicalIO, RunResult, StreamStats
from model.spec import Stream, System
from model.state.drive import capacity_of
from model.stream_books import AT_ONCE, Answer, stream_result

FULL = 1.0
MOST_BY_MEANS = 200  # calls under way; the recursion takes their square
LEAST_S = 1e-15  # a device that is never asked, for laws that divide by its time


@dataclass(slots=True)
class StreamTime:
    """One stream: how long all its calls take, and one of them."""

    demand: CallDemand
    calls: Number
    """Of all users."""
    elapsed_s: Number
    response_s: Number
    wait_s: Number
    """Of one call, for the device or for the page cache."""
    load: Number
    """Share of the device's capacity that arriving calls ask for; 0 where calls wait for earlier ones."""
    method: str


def compose(system: Any, work: Any) -> list[StreamTime]:
    """Every stream by itself, then slowed together where their device cannot do all of it."""
    found = [_alone(system, calls) for calls in (work, *work.beside)]
    if len(found) > 1:
        held = sum(one.calls * one.demand.held_s for one in found)
        for one in found:
            one.elapsed_s = larger(one.elapsed_s, held)
            one.method = "least time that the device allows all streams together"
    return found


def _alone(system: Any, calls: Any) -> StreamTime:
    demand = _credited(system, calls)
    if calls.rate_per_s is not None:
        return _open(system, calls, demand)
    if demand.hidden:
        return _hidden(system, calls, demand)
    return _closed(system, calls, demand)


def _credited(system: Any, calls: Any) -> CallDemand:
    """Demand of a call, where a volume's burst lasts for some of the calls and its own rate for the rest."""
    demand, disk = call_demand(system, calls), system.disk
    if disk.iops_limit is None or disk.burst_iops is None:
        return demand
    bursting = call_demand(Changed(system, disk=Changed(disk, iops_limit=disk.burst_iops)), calls)
    each = demand.requests * disk_means.counted_requests(demand.device_bytes / larger(demand.requests, 1e-9))
    asked = calls.users * calls.count * each
    share = smaller(1.0, disk_means.burst_requests(disk) / larger(asked, 1e-9))
    demand.held_s = share * bursting.held_s + (1 - share) * demand.held_s
    return demand


def _closed(system: Any, calls: Any, demand: CallDemand) -> StreamTime:
    """Programs that wait for their calls: exact for one; several meet at the processors and at the device.

    That is a closed network by its mean values [reiser-lavenberg-1980]; a program has one thread, however many of its
    calls are under way. Many programs meet at the device alone [jain-1991] and take their turns at
    the processors as a bound.
    """
    path = calls.path or system.host.io_path
    many = calls.users * (calls.in_flight if path in UNBUFFERED else 1)  # io_submit to a page cache waits
    total = calls.users * calls.count
    alone_s = larger(demand.cpu_s + calls.think_s + demand.device_s, demand.held_s)
    if many == 1:
        return StreamTime(
            demand, total, calls.count * alone_s, demand.cpu_s + demand.device_s, demand.device_s, 0.0,
            "one call after the other",
        )  # fmt: skip
    servers = _servers(system)
    each_s = larger(smaller(demand.device_s, demand.held_s * servers), LEAST_S)
    threads = smaller(calls.users, system.host.cpus)
    if many > MOST_BY_MEANS:
        closed = queueing.machine_repair(many, larger(0.0, alone_s - each_s), each_s, servers)
        cycle_s = larger(many / closed.throughput_per_s, many * demand.cpu_s / threads)
        method = "machine repair: programs that wait for each other at the device"
    else:
        rest_s = larger(0.0, alone_s - each_s - demand.cpu_s)
        demands = [each_s, larger(demand.cpu_s, LEAST_S)]
        network = queueing.mean_values(many, demands, rest_s, [servers, int(threads)])
        cycle_s = many / network.throughput_per_s
        method = "mean values: programs that wait for each other at processors and device"
    cycle_s = larger(cycle_s, many * demand.held_s)
    response = cycle_s - demand.cpu_s - calls.think_s
    return StreamTime(
        demand, total, total * cycle_s / many, demand.cpu_s + response, response, 0.0, method
    )  # fmt: skip


def _open(system: Any, calls: Any, demand: CallDemand) -> StreamTime:
    """Calls that arrive at a rate: M/G/1, or M/M/m stretched by the variation of the service [kleinrock-1975].

    No finite run waits longer than one at full load; beyond capacity what falls behind comes on top, half of the last
    call's on average.
    """
    rate = calls.users * calls.rate_per_s
    total = calls.users * calls.count
    servers = _servers(system)
    each_s = smaller(demand.device_s, demand.held_s * servers)
    load = rate * demand.held_s
    below = where(load < FULL, rate, 0.0)
    if servers == 1:
        wait = queueing.mg1_wait_s(below, each_s, demand.scv)
        method = f"M/G/1 with a squared coefficient of variation of {float(_mean(demand.scv)):.3g}"
    else:
        wait = (1 + demand.scv) / 2 * queueing.mmc_wait_s(below, each_s, servers)
        method = f"M/M/{servers}, stretched by the variation of the service"
    if calls.arrivals == "regular":
        wait = where(demand.scv > 0, wait * demand.scv / (1 + demand.scv), 0.0)
        method = "arrivals in step: the wait that the service's variation leaves"
    if calls.pattern == "sequential":
        method += "; calls that merge while they wait are left out"
    arrivals_scv = 1.0 if calls.arrivals == "poisson" else 0.0
    behind = total * larger(0.0, demand.held_s - 1 / rate)
    walked = queueing.heavy_traffic_wait_s(demand.held_s, arrivals_scv + demand.scv, total)
    wait = where(load < FULL, smaller(wait, walked), behind / 2 + walked)
    elapsed = where(load < FULL, total / rate, total * demand.held_s) + demand.device_s + demand.cpu_s
    return StreamTime(
        demand, total, elapsed, demand.cpu_s + wait + demand.device_s, wait + demand.device_s, load, method
    )


def _hidden(system: Any, calls: Any, demand: CallDemand) -> StreamTime:
    """Reads that run ahead, writes that go to the device behind: the slower of program and device sets the pace."""
    total = calls.users * calls.count
    own_s = calls.count * (demand.cpu_s + calls.think_s)
    device_s = total * demand.held_s
    if calls.kind == "read_stream":
        elapsed = larger(own_s, device_s)
        method = "the slower of reader and device, which reads ahead of it"
    else:
        elapsed = own_s + _held_back_s(system, calls, demand, own_s)
        method = "write-back as a flow: writers are held at the dirty limit, and by commits of ext3"
    wait = (elapsed - own_s) / calls.count
    return StreamTime(demand, total, elapsed, demand.cpu_s + wait, wait, 0.0, method)


def _held_back_s(system: Any, calls: Any, demand: CallDemand, own_s: Number) -> Number:
    """Time that writers stand still: at the dirty limit, or while an ordered commit writes their data."""
    host = system.host
    release = block_layer.release_of(host.kernel)
    background, limit = page_cache.dirty_limits_bytes(
        host.memory_bytes, host.dirty_background_ratio_percent, host.dirty_ratio_percent
    )
    held_at = page_cache.held_back_bytes(background, limit, release)
    size = calls.users * calls.count * demand.device_bytes
    drained_per_s = demand.device_bytes / demand.held_s
    dirtied_per_s = size / larger(own_s, 1e-12)
    starts_s = background / dirtied_per_s
    at_limit_s = larger(0.0, starts_s + (size - held_at) / drained_per_s - own_s)
    at_limit_s = where(size > held_at, at_limit_s, 0.0)
    if host.filesystem != "ext3" or host.journal_data != "ordered":
        return at_limit_s
    first_s = larger(0.0, host.journal_commit_s - host.journal_age_s)
    commits = where(own_s > first_s, 1 + floor_div(own_s - first_s, host.journal_commit_s), 0)
    committed = (first_s + (commits - 1) * host.journal_commit_s) * dirtied_per_s
    return larger(at_limit_s, where(commits > 0, committed / drained_per_s, 0.0))


def _servers(system: Any) -> int:
    disk = system.disk
    return int(disk.parallel_requests) if disk.service_cv else disk_means.servers_of(disk)


def _mean(value: Number) -> Number:
    return value.mean() if getattr(value, "ndim", 0) else value


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
        | device_measures(*_device(work, found))
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
    held = HELD if mine.demand.hidden and work.kind == "write_stream" else DEVICE
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
            device=device_stats(*_device(work, found)),
            warnings=overload_warnings(system, work),
        ),
        name=name,
    )


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
        calls.users * calls.rate_per_s * float(_credited(system, calls).held_s)
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
        if calls.kind == "write_stream":
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


def _device(work: Any, found: list[StreamTime]) -> tuple[Number, dict[str, Number]]:
    """Whether anything goes to the device, and iostat's quantities of it; numbers or arrays."""
    every = list(zip((work, *work.beside), found, strict=True))
    requests = sum(one.calls * one.demand.requests for one in found)
    span = sum(one.calls * one.demand.held_s for one in found)
    for one in found:
        span = larger(span, one.elapsed_s)
    moved = sum(one.calls * one.demand.device_bytes for one in found)
    # NOTE: the requests of a call wait together; what works ahead or behind is in flight as long as it is served
    held = sum(
        one.calls * one.demand.requests * (one.demand.device_s if one.demand.hidden else one.wait_s)
        for one in found
    )
    busy = sum(
        one.calls
        * (one.demand.held_s if one.demand.hidden else larger(one.demand.device_s, one.demand.held_s))
        for one in found
    )
    busy = smaller(span, busy)
    held = larger(held, busy)

    def total(kind: str, what: str) -> Number:
        return sum((one.calls * getattr(one.demand, what) for calls, one in every if calls.kind == kind), 0.0)

    return requests > 0, {
        "reads_per_s": over(total("read_stream", "requests"), span),
        "writes_per_s": over(total("write_stream", "requests"), span),
        "merged_reads_per_s": over(total("read_stream", "merged"), span),
        "merged_writes_per_s": over(total("write_stream", "merged"), span),
        "read_bytes_per_s": over(total("read_stream", "device_bytes"), span),
        "written_bytes_per_s": over(total("write_stream", "device_bytes"), span),
        "average_request_bytes": over(moved, requests),
        "average_queue": over(held, span),
        "await_s": over(held, requests),
        "service_s": over(busy, requests),
        "utilisation_fraction": over(busy, span),
        "merged_reads": total("read_stream", "merged"),
        "merged_writes": total("write_stream", "merged"),
    }
