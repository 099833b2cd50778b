"""One call at the device: how long it takes alone, and what it takes of the capacity among others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.demand.calls import UNBUFFERED, first_bytes
from model.laws import block_layer, disk_means, disk_rounds, disk_sets
from model.laws.disk_geometry import geometry_of
from model.laws.numeric import Number, ceil_div, ceiling, larger, largest, smaller

MOST_PLACES = 64
"""Programs whose places are followed one by one; the wait of more is that of places at random."""
ROUNDS = 4
WRITE = "write_stream"
SORTING = ("deadline", "mq-deadline")
BATCH = 16
EXPIRE_S = (0.5, 5.0)


@dataclass(slots=True)
class Visit:
    """One call at the device, in the pattern of its stream."""

    alone_s: Number
    scv: Number
    held_s: Number
    """Time that it takes of the capacity of the whole device."""
    servers: int = 1
    alike: Number = 1
    in_order: bool = False
    """Whether it begins where the last one of the device ended."""


class Changed:
    """A part of the inputs as it is, but for some fields."""

    def __init__(self, base: Any, **fields: Any) -> None:
        self._base = base
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


def visit_of(
    system: Any,
    calls: Any,
    size_bytes: Number,
    gap_s: Number,
    *,
    sorted_runs: Number = 1,
    streams: bool = False,
) -> Visit:
    """A call of *size_bytes*, *gap_s* after the last one of the same program ended.

    *sorted_runs* requests go down together, in order of their places; *streams* leaves write caches out.
    """
    disk = system.disk
    if disk.service_cv:
        mean = disk.overhead_s + size_bytes / disk.bandwidth_bytes_per_s
        count = int(disk.parallel_requests)
        return Visit(mean, disk.service_cv**2, mean / count, servers=count)
    disk = at_place(disk, calls)
    if is_write(calls) and disk.write_cache_bytes and not streams:
        answered_s = disk_sets.answered_s(disk, size_bytes)
        visit = Visit(answered_s, 0.0, size_bytes / disk.bus_bytes_per_s)
    elif not among_bytes(calls) and calls.pattern != "random" and calls.users <= copies_of(disk, calls):
        visit = _in_order(system, calls, size_bytes, gap_s)
    else:
        visit = _among_others(system, calls, size_bytes, sorted_runs)
    visit.held_s = 1 / disk_means.limited_per_s(disk, 1 / visit.held_s, size_bytes)
    return visit


def _in_order(system: Any, calls: Any, size: Number, gap_s: Number) -> Visit:
    """A program that goes on where it ended, on its device or on its own copy of a mirror."""
    disk, write = at_place(system.disk, calls), is_write(calls)
    servers = 1 if disk.rotation_s else disk_means.servers_of(disk)
    stride = calls.stride_bytes if calls.pattern == "strided" else size
    alone = disk_sets.in_order_s(disk, size, stride, gap_s, write)
    if not disk.rotation_s:
        held = disk_means.occupied_s(disk, alone, size, write) / disk.raid_disks
    elif calls.pattern == "strided":
        held = alone
    else:
        held = size / disk_means.data_members(disk) / disk_means.rate_bytes_per_s(disk, write) / calls.users
        queued = under_way(system, calls)
        if queued > 1:  # a queue streams, until the program falls behind
            each_s = held * calls.users
            behind = larger(0.0, 1 - each_s / larger(gap_s, each_s)) / queued
            alone = smaller(alone, each_s + larger(0.0, alone - each_s) * behind)
            held = alone / calls.users
    return Visit(alone, 0.0, held, servers, in_order=True)


def _among_others(system: Any, calls: Any, size: Number, runs: Number) -> Visit:
    """A call whose place lies anywhere, or after that of another program."""
    disk, write = at_place(system.disk, calls), is_write(calls)
    if not disk.rotation_s:
        alone, scv = disk_sets.random_moments(disk, size, span_of(system, calls), write)
        held = disk_means.occupied_s(disk, alone, size, write) / disk.raid_disks
        return Visit(alone, scv, held, disk_means.servers_of(disk))
    single = disk.raid_level == "none"
    if calls.pattern != "random" and single and not among_bytes(calls) and calls.users <= MOST_PLACES:
        each = _in_turns_s(disk, calls, size)
        return Visit(each, 0.0, each)
    # NOTE: the pieces of a read go to different copies
    at_once = smaller(copies_of(disk, calls), block_layer.pieces_of_call(size, largest_bytes(system)))
    span = span_of(system, calls)
    alone, scv = disk_sets.random_moments(disk, size / at_once, span, write)
    alike = larger(1, disk_sets.equal_stations(disk, size, write) / at_once)
    if single:
        return Visit(alone, scv, smaller(alone, _sorted_s(system, calls, alone, runs)))
    if not write and calls.pattern == "random":
        others = calls.users * under_way(system, calls) if calls.rate_per_s is None else 1
        caught = disk_sets.caught_fraction(disk, span, larger(0.0, alike / others - 1) * alone)
        alone = alone - caught * (alone - disk_sets.in_order_s(disk, size, size, 0.0, write))
    return Visit(alone, scv, alone / alike, alike=alike)


def largest_bytes(system: Any) -> Number:
    """The largest request of the host's block layer."""
    return block_layer.largest_request_bytes(system.host.max_request_bytes, system.host.max_segments)


def among_bytes(calls: Any) -> Number:
    """Bytes of all the files of streams whose calls come between; 0 where none do."""
    return getattr(calls, "among_bytes", 0)


def under_way(system: Any, calls: Any) -> int:
    """Calls of one program that it has under way at a time; io_submit to a page cache waits."""
    return int(calls.in_flight) if (calls.path or system.host.io_path) in UNBUFFERED else 1


def is_write(calls: Any) -> bool:
    """Whether the calls write."""
    return bool(calls.kind == WRITE)


def copies_of(disk: Any, calls: Any) -> int:
    """Programs in order that do not disturb each other: a read goes to the copy whose heads are near."""
    return 2 if disk.raid_level in ("1", "10") and not is_write(calls) else 1


def _in_turns_s(disk: Any, calls: Any, size: Number) -> Number:
    """Mean request of programs in order that take turns on a platter, over rounds from the begin to the end."""
    step = calls.stride_bytes if calls.pattern == "strided" else calls.block_size_bytes
    starts = first_bytes(calls, int(disk.capacity_bytes))
    took: Number = 0.0
    for part in range(ROUNDS):
        ahead = calls.count * part // ROUNDS * step
        places = [start + ahead for start in starts]
        took = took + disk_rounds.round_s(disk, places, size, max(step, size), is_write(calls))
    return took / ROUNDS / calls.users


def _sorted_s(system: Any, calls: Any, alone_s: Number, runs: Number) -> Number:
    """Service of requests that are sorted while they wait: by the scheduler beyond the device's own queue, or by fsync.

    A batch begins where the oldest request lies that has waited too long.
    """
    disk = system.disk
    g = geometry_of(disk)
    queued = calls.users * under_way(system, calls)
    if calls.rate_per_s is not None:
        load = largest(calls.users * calls.rate_per_s * alone_s)  # half of what falls behind
        queued = int(calls.users * calls.count * (1 - 1 / max(1.0, load)) / 2)
    waiting = max(queued - disk.queue_depth if system.host.scheduler in SORTING else 0, runs)
    if waiting <= 1:
        return alone_s
    cylinders = span_of(system, calls) / (g.heads * g.track_bytes)
    shorter = disk_means.seek_at_s(g, larger(1.0, cylinders / 3)) - disk_means.seek_at_s(
        g, larger(1.0, cylinders / waiting)
    )
    late = queued * (alone_s - shorter) > EXPIRE_S[is_write(calls)]
    return alone_s - larger(0.0, shorter) * (1 - late / BATCH)


def start_s(
    system: Any, calls: Any, visit: Visit, size_bytes: Number, gap_s: Number, *, windows: int = 0
) -> Number:
    """What the first requests of a program in order take longer: those of a platter wait for their place to come.

    On a set that reads ahead, each member is reached in its turn and waits for its first place. Elsewhere nothing is
    read ahead at first: the first of *windows* is waited for, and they grow to their size.
    """
    disk, write = system.disk, is_write(calls)
    if calls.pattern == "random" or disk.service_cv or (write and disk.write_cache_bytes):
        return 0.0
    overhead_s = disk_means.overhead_s(disk, write)
    if not disk.rotation_s:
        return disk.average_seek_s + windows * overhead_s
    late_s = gap_s + overhead_s
    if disk.raid_level == "none":
        wait_s = disk_rounds.first_s(disk, calls.start_byte or 0, late_s)
        if calls.users > 1:  # the hops between them are in every round
            return wait_s
        sent_s = size_bytes / disk_means.rate_bytes_per_s(disk, write)
        return larger(0.0, overhead_s + wait_s + sent_s - visit.alone_s)
    in_flight = under_way(system, calls)
    abreast = disk_sets.parts_of_call(disk, in_flight * size_bytes)
    reached = disk_sets.parts_of_call(disk, calls.count * calls.block_size_bytes)
    each_s = larger(visit.alone_s / in_flight, visit.held_s) + gap_s
    passed_s = disk.stripe_unit_bytes * abreast / size_bytes * each_s
    turns = ceiling((passed_s + late_s) / disk.rotation_s)
    return ceil_div(reached, abreast) * larger(0.0, turns * disk.rotation_s - passed_s)


def at_place(disk: Any, calls: Any) -> Any:
    """The disk with the rate of the zone that the first file begins in, for calls that go in order."""
    start = calls.start_byte
    if calls.pattern == "random" or not start or not disk.rotation_s or disk.raid_level != "none":
        return disk
    ratio = disk_means.zone_ratio_at(disk, start)
    return Changed(disk, bandwidth_bytes_per_s=disk.bandwidth_bytes_per_s * ratio, zones=1)


def span_of(system: Any, calls: Any) -> Number:
    """Bytes among which places are as if by chance; of programs in order those of all their files."""
    if among_bytes(calls):
        return among_bytes(calls)
    if calls.pattern == "random":
        capacity = system.disk.capacity_bytes * disk_means.data_members(system.disk)
        return smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    step = calls.stride_bytes if calls.pattern == "strided" else calls.block_size_bytes
    return calls.users * (calls.span_bytes if calls.span_bytes is not None else calls.count * step)
