"""One call at the device: how long it takes alone, and what it takes of the capacity among others."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, gcd, inf
from typing import Any

from blocktime.model.demand.calls import first_bytes
from blocktime.model.demand.device_calls import (
    IDLING,
    at_place,
    changed,
    comes_in_time,
    copies_of,
    gaps_s,
    goes_on_near,
    largest_bytes,
    run_requests,
    span_of,
    takes_turns,
    under_way,
    waits_in_vain_s,
)
from blocktime.model.demand.reading import one_for_all
from blocktime.model.laws import block_layer, device, disk_means, disk_rounds, disk_sets, limits, queueing
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_queue import Positionings
from blocktime.model.laws.numeric import (
    Number,
    ceil_div,
    ceiling,
    floor_div,
    larger,
    largest,
    smaller,
    some,
    where,
)
from blocktime.model.machine.device.elevator import (
    FIFO_BATCH,
    IDLE_S,
    IN_BATCHES,
    READ_EXPIRE_S,
    SYNC_SLICE_S,
    WRITE_EXPIRE_S,
)
from blocktime.model.spec import System

MOST_PLACES = 64
"""Programs whose places are followed one by one; the wait of more is that of places at random."""
ROUNDS = 16
LEAST_MET = 1e-3
LEAST_SHARE = 1e-9
LEAST_APART = 0.01
"""Turns between sorted requests, which then lie on one track."""
HALVINGS = 10
"""Of what may be in a drive's queue, until the service that it makes and the queue that this leaves agree."""


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
    queued: Number = 0.0
    """Calls that wait before it at least, so that they are sorted well enough."""
    waiting_share: Number = 1.0
    """Of the calls, those that a controller's cache does not answer."""
    last_s: Number = 0.0
    """Time of the last of its requests, where they are handed down together."""


def visit_of(
    system: System,
    calls: Any,
    size_bytes: Number,
    gap_s: Number,
    *,
    sorted_runs: Number = 1,
    pieces: Number | None = None,
) -> Visit:
    """A call of *size_bytes*, *gap_s* after the last one of the same program ended.

    *sorted_runs* requests go down together, in order of their places; *pieces* are its requests, where these are not
    the fewest.
    """
    disk = system.disk
    if pieces is None:
        pieces = block_layer.pieces_of_call(size_bytes, largest_bytes(system, calls))
    if disk.service_cv:
        sent_s = size_bytes / pieces / disk_means.rate_bytes_per_s(disk, calls.writes)
        mean = disk_means.overhead_s(disk, calls.writes) + sent_s
        count = int(disk.parallel_requests)
        each = Visit(mean, disk.service_cv**2, mean / count, servers=count)
        return paced(disk, _in_pieces(each, each.held_s, pieces), size_bytes, pieces)
    disk = at_place(disk, calls)
    hits = 0.0 if calls.writes else disk.read_hit_fraction
    if calls.writes and disk.write_cache_bytes:
        answered_s, held_s = disk_means.answered_s(disk, size_bytes, True), size_bytes / disk.bus_bytes_per_s
        if (
            calls.users > 1 and under_way(system, calls) == 1 and takes_turns(system, calls, gap_s)
        ):  # the device waits for the program, too
            held_s = answered_s + gap_s
        visit = Visit(answered_s, 0.0, held_s)
    elif disk.rotation_s:
        missed = _at_medium(system, calls, _missed_bytes(calls, size_bytes, pieces, hits), gap_s, sorted_runs)
        if calls.writes and disk.write_bandwidth_bytes_per_s is not None:
            _queue_pieces(disk, missed, size_bytes, pieces)
        visit = _with_hits(disk, missed, size_bytes, pieces, hits)
        _in_places(disk, visit, size_bytes / pieces, pieces, hits, missed.alone_s / pieces)
    else:
        size = size_bytes / pieces
        missed = _at_medium(system, calls, size, gap_s, sorted_runs)
        first_s, first = missed.alone_s, _with_hits(disk, missed, size, 1, hits)
        following = disk_means.sequential_service_s(disk, size, 0.0, calls.writes)
        held_s = _held_of_flash(system, calls, following, size, disk.parallel_requests)
        # NOTE: the interface moves what the cache answers while the medium works on the rest
        answered_s = disk_means.overhead_s(disk, False) + pieces * hits * size / disk.bus_bytes_per_s
        visit = _in_pieces(first, larger((1 - hits) * held_s, hits * size / disk.bus_bytes_per_s), pieces)
        if some(hits):
            misses = pieces * (1 - hits)
            together_s = first_s + larger(0.0, misses - 1) * held_s
            some_miss = smaller(1.0, misses)
            visit.alone_s = some_miss * larger(together_s, answered_s) + (1 - some_miss) * answered_s
            _in_places(disk, visit, size, pieces, hits, first_s)
        if some(disk.report_interval_s):
            others = calls.users * under_way(system, calls)
            interval_s = larger(LEAST_SHARE, disk.report_interval_s)
            together_s = device.gathered_s(
                visit.alone_s, larger(LEAST_SHARE, visit.held_s), interval_s, others
            )
            gathers = (disk.report_interval_s > 0) & (others > 1)
            visit.alone_s = where(gathers, together_s, visit.alone_s)
    return paced(disk, visit, size_bytes, pieces)


def _in_places(
    disk: Any, visit: Visit, size: Number, pieces: Number, hit_fraction: Number, missed_s: Number
) -> None:
    """A piece that a controller's cache answers holds a place of the device's queue, as one that takes *missed_s*."""
    if not some(hit_fraction):
        return
    each_s = hit_fraction * disk_means.answered_s(disk, size, False) + (1 - hit_fraction) * missed_s
    in_places_s = pieces * each_s / max(disk.queue_depth, disk.parallel_requests)
    visit.alone_s, visit.held_s = larger(visit.alone_s, in_places_s), larger(visit.held_s, in_places_s)


def _missed_bytes(calls: Any, size_bytes: Number, pieces: Number, hit_fraction: Number) -> Number:
    """What the heads pass over of a call with a piece that no cache answers: not the pieces before and behind."""
    if calls.pattern != "random" or not some(hit_fraction):
        return size_bytes
    missed = larger(1.0, pieces * (1 - hit_fraction))
    within = larger(0.0, 1 - 2 / pieces) * (pieces - missed)
    return size_bytes * (missed + within) / pieces


def _held_of_flash(system: System, calls: Any, alone_s: Number, size: Number, slots: float) -> Number:
    """Time that a request takes of the capacity of flash, or of a set of flash drives."""
    disk, run = system.disk, run_requests(system, calls, size)
    if disk.raid_level != "none" and calls.writes:
        return disk_sets.taken_of_flash_s(disk, size, calls.writes, run)
    held_s = disk_means.occupied_s(disk, alone_s, size, calls.writes, slots, run_requests=run)
    return held_s / disk.raid_disks


def _in_pieces(first: Visit, held_s: Number, pieces: Number) -> Visit:
    """A call whose *pieces* are handed down together: each but the first takes *held_s* of the capacity."""
    return Visit(
        first.alone_s + (pieces - 1) * held_s,
        first.scv / pieces,
        first.held_s + (pieces - 1) * held_s,
        servers=max(1, int(first.servers / largest(pieces))),
        alike=first.alike,
        in_order=first.in_order,
        last_s=first.alone_s,
    )


def _queue_pieces(disk: Any, visit: Visit, size_bytes: Number, pieces: Number) -> None:
    """The pieces of a write behind its first are queued, and go at the rate of queued writes where that is less."""
    longer_s = slower_pieces_s(disk, size_bytes, pieces)
    visit.alone_s = visit.alone_s + longer_s
    if not visit.in_order:  # else it counts so already
        visit.held_s = smaller(visit.alone_s, visit.held_s + longer_s)


def slower_pieces_s(disk: Any, size_bytes: Number, pieces: Number) -> Number:
    """How much longer the pieces of a write behind its first take at the rate of queued writes."""
    slower = larger(0.0, 1 / disk_means.rate_bytes_per_s(disk, True) - 1 / disk.bandwidth_bytes_per_s)
    return size_bytes * (1 - 1 / pieces) * slower / disk_means.data_members(disk)


def paced(disk: Any, visit: Visit, size_bytes: Number, pieces: Number) -> Visit:
    """The visit at a volume, which lets a piece through after the last one's share of a second [aws-ebs]."""
    spacing_s = 1 / limits.limited_per_s(disk, inf, size_bytes / pieces)
    visit.alone_s = larger(visit.alone_s, (pieces - 1) * spacing_s + visit.last_s)
    if some(pieces * spacing_s > visit.held_s):
        visit.servers = 1
    visit.scv = where(pieces * spacing_s > visit.held_s, 0.0, visit.scv)
    visit.held_s = larger(visit.held_s, pieces * spacing_s)
    return visit


def _with_hits(disk: Any, missed: Visit, size_bytes: Number, pieces: Number, hit_fraction: Number) -> Visit:
    """The visit where a controller's cache answers some of the pieces, evenly spread; a call waits for the others."""
    if not some(hit_fraction):
        return missed
    answered_s = disk_means.answered_s(disk, size_bytes, False)
    hit = larger(0.0, 1 - pieces * (1 - hit_fraction))
    mean = hit * answered_s + (1 - hit) * missed.alone_s
    square = hit * answered_s**2 + (1 - hit) * missed.alone_s**2 * (1 + missed.scv)
    # NOTE: the interface moves what the cache answers while the medium works on the rest
    own_s, bus_s = (1 - hit_fraction) * missed.held_s, hit_fraction * size_bytes / disk.bus_bytes_per_s
    held_s = larger(own_s, bus_s)
    return Visit(
        mean,
        larger(0.0, square / mean**2 - 1),
        held_s,
        missed.servers,
        smaller(missed.alike, larger(1.0, missed.alike * own_s / larger(LEAST_SHARE, held_s))),
        missed.in_order,
        missed.queued,
        waiting_share=1 - hit,
    )


def _at_medium(system: System, calls: Any, size: Number, gap_s: Number, runs: Number) -> Visit:
    """A call that no cache answers: in order, after a call of another program, or one or the other by chance."""
    disk = system.disk
    if calls.pattern == "random":
        return _among_others(system, calls, size, runs)
    copies = (
        copies_of(disk, calls) if under_way(system, calls) == 1 else 1
    )  # a queue goes to the copy that is free first
    if calls.users <= copies or takes_turns(system, calls, gap_s):
        return _in_order(system, calls, size, gap_s)
    other = _among_others(system, calls, size, runs)
    if calls.rate_per_s is None:
        return _kept_waiting(system, calls, size, gap_s, other) if goes_on_near(system, calls) else other
    same = _in_order(system, changed(calls, users=1, rate_per_s=calls.users * calls.rate_per_s), size, gap_s)
    share = 1 / calls.users if calls.arrivals == "poisson" else 0.0
    mean_s = share * same.held_s + (1 - share) * other.held_s
    sorts, reorders = system.host.scheduler in (*IN_BATCHES, *IDLING), disk.reorder_age_s is not None
    if (sorts or reorders) and disk.rotation_s:
        # NOTE: those that wait are sorted by their places, so that more wait until the device keeps up: a drive that
        # reorders does so in its own queue [worthington-1994], a scheduler behind that
        apart_s = 1 / (calls.users * calls.rate_per_s)
        depth = max(disk.queue_depth, disk.parallel_requests)
        most = larger(share, 1 - calls.users / (system.host.nr_requests if sorts else depth))
        enough = (other.held_s - apart_s) / larger(LEAST_SHARE, other.held_s - same.held_s)
        sorted_share = where(same.held_s < apart_s, larger(share, smaller(most, enough)), most)
        waiting = calls.users / (1 - sorted_share)
        behind = mean_s > apart_s
        own = waiting <= depth if reorders else False
        # NOTE: by Little's law as many are in a queue that is sorted, with those at the heads
        queued = where(own, larger(0.0, waiting - other.alone_s / apart_s), depth + waiting)
        other.queued = where(behind, queued, 0.0)
        share = where(behind, sorted_share, share)
    other.alone_s = share * same.alone_s + (1 - share) * other.alone_s
    other.held_s = share * same.held_s + (1 - share) * other.held_s
    return other


def _kept_waiting(system: System, calls: Any, size: Number, gap_s: Number, other: Visit) -> Visit:
    """A call after that of another program, where the scheduler waits for the next call of each, mostly in vain."""
    comes = comes_in_time(calls, gap_s)
    waited_s = waits_in_vain_s(calls, gap_s)
    own = larger(LEAST_SHARE, comes)
    soon_s = larger(0.0, waited_s - (1 - comes) * IDLE_S) / own
    near = _in_order(system, changed(calls, users=1, think_cv=0.0), size, soon_s)
    other.alone_s = comes * near.alone_s + (1 - comes) * other.alone_s
    other.held_s = comes * near.alone_s + (1 - comes) * other.held_s + waited_s
    return other


def _in_order(system: System, calls: Any, size: Number, gap_s: Number) -> Visit:
    """A program that goes on where it ended, on its device or on its own copy of a mirror."""
    disk, write = at_place(system.disk, calls), calls.writes
    servers = 1 if disk.rotation_s else _slots(system, calls, size)
    stride = calls.stride_bytes if calls.pattern == "strided" else size
    # NOTE: what a cache answers leaves holes of whole calls; a read behind a longer one comes later, too
    apart = _calls_apart(0.0 if write else disk.read_hit_fraction)
    passed = size
    if disk.raid_level != "none" and not write and calls.pattern == "strided":
        # NOTE: the pieces of a read far away go to different copies, each of which passes over all of the call
        pieces = block_layer.pieces_of_call(size, largest_bytes(system, calls))
        passed = size * (1 - (smaller(copies_of(disk, calls), pieces) - 1) / pieces)
    alone = far_s = 0.0 * size
    for step, share in apart:
        later_s = step * (gap_s + disk.overhead_s) - disk.overhead_s
        gaps = gaps_s(disk, calls, later_s)
        took_s = sum(disk_sets.in_order_s(disk, passed, step * stride, pause_s, write) for pause_s in gaps)
        alone = alone + share * took_s / len(gaps)
        far_s = far_s + share * disk_sets.in_order_s(disk, size, step * stride, 0.0, write)
    mean = sum(step * share for step, share in apart)
    stride, gap_s = mean * stride, mean * (gap_s + disk.overhead_s) - disk.overhead_s
    if not disk.rotation_s:
        held = _held_of_flash(system, calls, alone, size, servers / disk.raid_disks)
    elif _is_waited_for(system, calls, gap_s):
        alone, held = _waited_for(system, calls, size, (alone, far_s, gap_s))
    elif disk.raid_level != "none" and not write and not some(disk_sets.is_near(disk, size, stride)):
        alike = _stations(system, calls, size)
        return Visit(alone, 0.0, _held_of_set(system, calls, alone, alike, size), alike=alike)
    elif write and one_for_all(disk_sets.reads_first(disk, size)):  # it waits for its own read
        return Visit(alone, 0.0, alone)
    else:
        alone, held = _streamed(system, disk, calls, size, (alone, far_s, gap_s))
    return Visit(alone, 0.0, held, servers, in_order=True)


def _is_waited_for(system: System, calls: Any, gap_s: Number) -> bool:
    """Whether the device waits for the next call of one of several programs."""
    one_at_a_time = system.disk.raid_level == "none" or under_way(system, calls) == 1
    return takes_turns(system, calls, gap_s) and calls.users > 1 and one_at_a_time


def _waited_for(
    system: System, calls: Any, size: Number, lone: tuple[Number, Number, Number]
) -> tuple[Number, Number]:
    """Time and capacity that a call takes where the device waits for the program, too; *lone* as for a stream."""
    disk, (alone, _, gap_s) = at_place(system.disk, calls), lone
    moved_s = disk_sets.random_moments(disk, size, span_of(system, calls), calls.writes)[0]
    idle_s = gap_s if under_way(system, calls) == 1 else 0.0
    if under_way(system, calls) > calls.batch:
        alone, _ = _streamed(system, disk, changed(calls, users=1), size, lone)
    return alone, (alone + idle_s) * (1 + moved_s / SYNC_SLICE_S)


def _streamed(
    system: System, disk: Any, calls: Any, size: Number, lone: tuple[Number, Number, Number]
) -> tuple[Number, Number]:
    """Time and capacity of a platter that a call takes; *lone* are its time, that without a gap, and its gap."""
    (alone, far_s, gap_s), write = lone, calls.writes
    queued = under_way(system, calls)
    if calls.pattern == "sequential" and system.host.nomerges != "2":
        queued = max(1, queued // calls.batch)  # those of a batch are one request
    passes_over = not write and some(disk.read_hit_fraction)  # what a cache answers lies between
    if calls.pattern != "strided" and not passes_over:
        each_s = size / disk_means.data_members(disk) / disk_means.rate_bytes_per_s(disk, write)
        held = each_s / calls.users
    elif calls.rate_per_s is not None or queued > 1:
        held = each_s = far_s
    else:
        held = alone
    if queued > 1:  # a queue streams, until the program falls behind
        # of the calls that the program hands down one by one, those that come before the queue is empty
        more = floor_div((queued - 2) * each_s, larger(LEAST_SHARE * each_s, gap_s - each_s))
        behind = where(gap_s > each_s, 1 / (queued + more), 0.0)
        mixed = each_s + (alone - each_s) * behind
        alone = mixed if write else smaller(alone, mixed)  # what is read ahead is there sooner
        held = alone / (1 if calls.pattern == "strided" or passes_over else calls.users)
    return alone, held


def _calls_apart(hit_fraction: Number) -> list[tuple[Number, Number]]:
    """How many calls on the next one lies that no cache answers, and with what share: whole calls about their mean."""
    mean = 1 / larger(LEAST_SHARE, 1 - hit_fraction)
    least = floor_div(mean, 1)
    more = mean - least
    return [(least, 1 - more), (least + 1, more)] if some(more > LEAST_SHARE) else [(mean, 1.0)]


def _among_others(system: System, calls: Any, size: Number, runs: Number) -> Visit:
    """A call whose place lies anywhere, or after that of another program."""
    disk, write = at_place(system.disk, calls), calls.writes
    span = span_of(system, calls)
    if not disk.rotation_s:
        return _anywhere_on_flash(system, disk, calls, size, span)
    single = disk.raid_level == "none"
    if single and _come_in_turn(calls):
        each = _after_another_s(system, disk, calls, size)
        return Visit(each, 0.0, each)
    # NOTE: the pieces of a read go to different copies, each of which passes over all of the call
    pieces, copies = block_layer.pieces_of_call(size, largest_bytes(system, calls)), copies_of(disk, calls)
    at_once = smaller(copies, pieces) if copies > 1 else 1
    passed = size * (1 - (at_once - 1) / pieces)
    alike = larger(1, _stations(system, calls, size) / at_once)
    # the copies of a mirror that are idle share the places between them
    nearer = 1 - _idle_share(system, calls, alike) / 2 if not write and at_once == 1 else 1.0
    alone, scv = disk_sets.random_moments(disk, passed, span * nearer, write)
    if disk.reorder_age_s is not None:
        shorter_s = _reordered_s(system, calls, span, (alone, scv), alike)
        if single:
            queued = _sorted_enough(system, calls, span, alone)
            return Visit(alone, scv, alone - shorter_s, queued=queued)
        return Visit(alone, scv, _held_of_set(system, calls, alone - shorter_s, alike, size), alike=alike)
    if single:
        return Visit(alone, scv, smaller(alone, _sorted_s(system, calls, alone, runs)))
    if not write:
        idle_s = _idle_s(system, calls, alone, alike)
        each = calls.users * calls.count / disk.raid_disks
        caught = disk_sets.caught_fraction(disk, span, nearer, larger(0.0, idle_s), each)
        alone = alone - caught * (alone - disk_sets.in_order_s(disk, size, size, 0.0, write))
    held_s = _held_of_set(system, calls, alone, alike, size)
    if not write and at_once == 1 and copies > 1:
        alike = alike * _free_copies(calls, under_way(system, calls), alone, alike)
    return Visit(alone, scv, held_s, alike=alike)


def _come_in_turn(calls: Any) -> bool:
    """Whether calls of several programs, each of which goes on where it ended, come one program after the other."""
    in_turns = calls.rate_per_s is None or calls.arrivals != "poisson"
    return bool(calls.pattern != "random" and in_turns and calls.users <= MOST_PLACES)


def _after_another_s(system: System, disk: Any, calls: Any, size: Number) -> Number:
    """Time of a call on one disk after that of another program whose place is known, too."""
    each_s = _in_turns_s(disk, calls, size)
    beyond = _beyond(system, calls.users * under_way(system, calls)) / calls.users
    if calls.rate_per_s is None and beyond > 1 and system.host.scheduler in IN_BATCHES:
        # NOTE: a sweep serves those of one program, then those of the next
        step = calls.stride_bytes if calls.pattern == "strided" else size
        following_s = disk_sets.in_order_s(disk, size, step, 0.0, calls.writes)
        each_s = smaller(each_s, following_s + (each_s - following_s) / min(beyond, FIFO_BATCH))
    return each_s


def _anywhere_on_flash(system: System, disk: Any, calls: Any, size: Number, span: Number) -> Visit:
    """A call to any place of a drive that does not turn."""
    write = calls.writes
    alone, scv = disk_sets.random_moments(disk, size, span, write)
    held = _held_of_flash(system, calls, alone, size, disk.parallel_requests)
    slots = _slots(system, calls, size)
    if write or not some(disk.reads_collide):
        return Visit(alone, scv, held, slots)
    # NOTE: a die has nothing to do while the queue holds reads of others alone [flash-channels]
    in_slot = alone - size / disk_means.rate_bytes_per_s(disk, write)
    pieces = largest(block_layer.pieces_of_call(size, largest_bytes(system, calls)))
    depth = max(1, int(max(disk.queue_depth, disk.parallel_requests) / pieces))
    full = in_slot / queueing.served_at_a_time(depth, slots)
    if calls.pattern != "random" and calls.rate_per_s is None and not calls.think_cv:
        # NOTE: who has waited for a slot once comes behind the others for good
        return Visit(alone, scv, larger(held, in_slot / slots), slots)
    return Visit(alone, scv, larger(held, full), alike=slots)


def _idle_s(system: System, calls: Any, service_s: Number, stations: Number) -> Number:
    """How long a disk of a set has nothing to do between two reads; below zero where they queue."""
    if calls.rate_per_s is None:
        others = calls.users * under_way(system, calls)
        return (stations / others - 1) * service_s + stations / others * calls.think_s
    return stations / (calls.users * calls.rate_per_s) - service_s


def _free_copies(calls: Any, in_flight: int, service_s: Number, stations: Number) -> Number:
    """How many times as many queues a mirror is worth, as a read goes to the copy that is free first.

    Of n others at a pair, by chance about a mean of q, those beyond the first are waited for: (q - 1 + e⁻q)/2 services
    in place of q/2.
    """
    others = (
        calls.users * in_flight - 1
        if calls.rate_per_s is None
        else calls.users * calls.rate_per_s * service_s
    )
    met = larger(LEAST_MET, 2 * others / stations)
    return met / (met - 1 + e**-met)


def _idle_share(system: System, calls: Any, stations: Number) -> Number:
    """Share of reads that find both copies of a mirror idle, of which the nearer one takes it; 0 without copies."""
    if copies_of(system.disk, calls) == 1 or calls.rate_per_s is not None:
        return 0.0
    return (1 - 2 / larger(2, stations)) ** (calls.users * under_way(system, calls) - 1)


def _slots(system: System, calls: Any, size: Number) -> int:
    """Slots of flash that calls take: of reads that collide those that hold their places, which a stride may miss."""
    disk = system.disk
    slots = disk_means.servers_of(disk)
    if (
        calls.writes
        or calls.pattern != "strided"
        or not some(disk.reads_collide)
        or some(size > calls.stride_bytes)
    ):
        return slots
    apart = gcd(slots, int(calls.stride_bytes // size))
    starts = first_bytes(calls, int(disk.capacity_bytes * disk_means.data_members(disk)))
    return slots // apart * len({int(start // size) % apart for start in starts})


def _stations(system: System, calls: Any, size: Number) -> Number:
    """Equal queues of a set of which a call takes one: those whose members hold the places of its calls."""
    disk, write = system.disk, calls.writes
    alike = disk_sets.equal_stations(disk, size, write)
    if calls.pattern == "random" or disk.raid_level == "none":
        return alike
    first = first_bytes(calls, int(disk.capacity_bytes * disk_means.data_members(disk)))
    starts = [
        start + calls.step_bytes * number
        for start in first
        for number in range(min(calls.count, MOST_PLACES))
    ]
    asked = (
        disk_sets.members_asked(disk, starts) * copies_of(disk, calls) * disk_sets.parts_of_call(disk, size)
    )
    return larger(1, alike * smaller(1.0, asked / disk.raid_disks))


def _held_of_set(system: System, calls: Any, alone_s: Number, alike: Number, size: Number) -> Number:
    """Time that a call takes of the capacity of a set, or of a disk."""
    if not some(alike > 1):
        return alone_s
    pieces = block_layer.pieces_of_call(size, largest_bytes(system, calls))
    return 1 / disk_sets.queued_per_s(system.disk, alone_s, alike, pieces)


def _in_turns_s(disk: Any, calls: Any, size: Number) -> Number:
    """Mean request of programs in order that take turns on a platter, over rounds between the begin and the end."""
    step = calls.step_bytes
    starts = first_bytes(calls, int(disk.capacity_bytes))
    took: Number = 0.0
    for part in range(ROUNDS):
        ahead = int(calls.count * (part + 0.5) / ROUNDS) * step
        places = [start + ahead for start in starts]
        took = took + disk_rounds.round_s(disk, places, size, max(step, size), calls.writes)
    return took / ROUNDS / calls.users


def _sorted_s(system: System, calls: Any, alone_s: Number, runs: Number) -> Number:
    """Service of requests that are sorted while they wait: by the scheduler beyond the device's own queue, or by fsync.

    A batch begins where the oldest request lies that has waited too long. NOTE: of random calls of 4K in a closed queue
    of 40 to 128, among 64 MB to 20 GB of a disk of 15,000 turns, the rate is within 5 % of that of the simulation.
    """
    disk = system.disk
    g = geometry_of(disk)
    queued = calls.users * under_way(system, calls)
    if calls.rate_per_s is not None:
        load = largest(calls.users * calls.rate_per_s * alone_s)  # half of what falls behind
        queued = int(calls.users * calls.count * (1 - 1 / max(1.0, load)) / 2)
    host = system.host
    sorts = host.scheduler in (*IN_BATCHES, *IDLING)
    beyond = _beyond(system, queued)
    own = beyond / calls.users if host.scheduler in IDLING else beyond  # each process has a sweep of its own
    waiting = max(own if sorts else 0, runs)
    if waiting <= 1:
        return alone_s
    # NOTE: those before the sweep lie twice as densely as all: the longer a place has waited for it, the more are there
    tracks = span_of(system, calls) / g.track_bytes / (2 * waiting if beyond > 0 else waiting)
    cylinders = tracks / g.heads
    seek_s = smaller(1.0, cylinders) * disk_means.seek_at_s(g, larger(1.0, cylinders))
    begins = (disk_means.overhead_s(disk, calls.writes) + seek_s) / g.rotation_s
    sent_s = calls.block_size_bytes / disk.bandwidth_bytes_per_s
    shorter = alone_s - sent_s - g.rotation_s * _turned(tracks, begins)
    expire_s = WRITE_EXPIRE_S if calls.writes else READ_EXPIRE_S
    late = (host.scheduler in IN_BATCHES) & (queued * (alone_s - shorter) > expire_s)
    return alone_s - larger(0.0, shorter) * (1 - late / FIFO_BATCH)


def _turned(apart: Number, begins: Number) -> Number:
    """Turns from one of sorted requests to the next, which lie *apart* turns from each other on average, by chance.

    The rest of a turn that is left of the distance, and a turn more where the place goes by before the heads can be
    there, *begins* turns later: with distances as between arrivals by chance, d - 1/(e^(1/d) - 1) and
    (1 - e^(-b/d))/(1 - e^(-1/d)).
    """
    apart = larger(LEAST_APART, apart)
    rest = apart - 1 / (e ** (1 / apart) - 1)
    return rest + floor_div(begins, 1) + (1 - e ** (-(begins % 1) / apart)) / (1 - e ** (-1 / apart))


def _reordered_s(
    system: System, calls: Any, span: Number, service: tuple[Number, Number], stations: Number
) -> Number:
    """How much quicker the drives are that take the shortest positioning of their queues [worthington-1994].

    It chooses among those that one which ends leaves behind, before the host sends more. As many are left as the
    service that they make shorter leaves: the two meet by halving. *service* is the mean in order of arrival, and its
    squared coefficient of variation.
    """
    disk = system.disk
    positionings = Positionings(disk, span / disk_means.data_members(disk))
    low: Number = 1.0
    # NOTE: of a call's requests the next is the nearest
    pieces = block_layer.pieces_of_call(calls.block_size_bytes, largest_bytes(system, calls))
    high = larger(1.0, (disk.queue_depth / pieces + stations - 2) / stations)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        each_s = service[0] - positionings.shorter_s(middle)
        more = _left_behind(system, calls, each_s, service[1], stations) > middle
        low, high = where(more, middle, low), where(more, high, middle)
    return positionings.shorter_s((low + high) / 2)


def _sorted_enough(system: System, calls: Any, span: Number, alone_s: Number) -> Number:
    """Calls that wait at least at a drive that reorders, and falls behind where it has fewer to choose from.

    With n to choose from it serves calls as fast as they arrive, so that one comes during each service: n and a half
    are there on average [little-1961].
    """
    if calls.rate_per_s is None:
        return 0.0
    rate = calls.users * calls.rate_per_s
    positionings = Positionings(system.disk, span)
    low, high = 1.0 + 0.0 * alone_s, 1.0 * system.disk.queue_depth + 0.0 * alone_s
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        behind = rate * (alone_s - positionings.shorter_s(middle)) > 1
        low, high = where(behind, middle, low), where(behind, high, middle)
    return where(rate * alone_s > 1, larger(0.0, high + 0.5 - rate * alone_s), 0.0)


def _left_behind(system: System, calls: Any, each_s: Number, scv: Number, stations: Number) -> Number:
    """Commands that one which ends leaves at its drive, where it leaves any."""
    if calls.rate_per_s is not None:
        load = smaller(calls.users * calls.rate_per_s * each_s / stations, 1 - LEAST_SHARE)
        return 1 + queueing.mg1_wait_s(load / each_s, each_s, scv) / each_s
    others = larger(1, calls.users * under_way(system, calls) - 1)
    if some(calls.think_s):
        met = queueing.machine_repair(others, calls.think_s, each_s, max(1, int(largest(stations))))
        others = met.in_system if some(stations > 1) else met.in_system / met.utilisation_fraction
    return (others + stations - 1) / stations


def _beyond(system: System, queued: int) -> int:
    """Of so many calls that wait, those that the scheduler has: others are at the device, or wait for room."""
    disk, host = system.disk, system.host
    return int(min(queued, host.nr_requests) - max(disk.queue_depth, disk.parallel_requests))


def start_s(system: System, calls: Any, visit: Visit, size_bytes: Number, gap_s: Number) -> Number:
    """What the first requests of a program in order take longer: those of a platter wait for their place to come.

    On a set that reads ahead, each member is reached in its turn and waits for its first place.
    """
    disk, write = system.disk, calls.writes
    if calls.pattern == "random" or disk.service_cv or (write and disk.write_cache_bytes):
        return 0.0
    overhead_s = disk_means.overhead_s(disk, write)
    if not disk.rotation_s:
        return disk.average_seek_s
    late_s = gap_s + overhead_s
    if disk.raid_level == "none":
        wait_s = disk_rounds.first_s(disk, calls.start_byte or 0, late_s)
        if calls.users > 1:  # the hops between them are in every round
            return wait_s
        sent_s = size_bytes / disk_means.rate_bytes_per_s(disk, write)
        return larger(0.0, overhead_s + wait_s + sent_s - visit.alone_s)
    if calls.rate_per_s is not None:  # the members have time to reach theirs
        return disk_rounds.first_s(disk, calls.start_byte or 0, late_s)
    in_flight = under_way(system, calls)
    abreast = disk_sets.parts_of_call(disk, in_flight * size_bytes)
    step = larger(size_bytes, calls.stride_bytes) if calls.pattern == "strided" else size_bytes
    apart = step
    if not write:  # what a cache answers leaves holes
        step = step / larger(LEAST_SHARE, 1 - disk.read_hit_fraction)
    covered = step * larger(1.0, calls.count * smaller(1.0, calls.block_size_bytes / size_bytes))
    reached = disk_sets.parts_of_call(disk, covered)
    each_s = larger(visit.alone_s / in_flight, visit.held_s) + gap_s
    passed_s = larger(1.0, disk.stripe_unit_bytes * abreast / apart) * each_s
    if not write and not some(disk_sets.is_near(disk, size_bytes, step)):  # each of them seeks its place
        return 0.0
    # NOTE: nothing of its first unit has been read ahead, so that it passes over all of it
    unit_s = smaller(disk.stripe_unit_bytes, covered) / disk.bandwidth_bytes_per_s
    each_s = larger(passed_s, where((not write) & (step <= disk.stripe_unit_bytes), unit_s, 0.0))
    turns = ceiling((each_s + overhead_s) / disk.rotation_s)
    wait_s = larger(0.0, turns * disk.rotation_s - passed_s)
    return ceil_div(reached, abreast) * wait_s
