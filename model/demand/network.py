"""Streams in closed form: one program alone, programs that wait for each other, calls that arrive, a page cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import e
from typing import Any

from blocktime.model.demand.calls import first_bytes
from blocktime.model.demand.device_calls import at_speed, changed, goes_on_near, span_of
from blocktime.model.demand.device_visit import visit_of
from blocktime.model.demand.stream_cached import commit_s, writes_for_all
from blocktime.model.demand.stream_demand import CallDemand
from blocktime.model.demand.stream_work import call_demand
from blocktime.model.laws import block_layer, disk_means, page_cache, queueing
from blocktime.model.laws.numeric import (
    Number,
    ceil_div,
    floor_div,
    larger,
    largest,
    over,
    smaller,
    some,
    where,
)
from blocktime.model.laws.processors import thread_speed
from blocktime.model.machine.device.elevator import IDLE_S, SYNC_SLICE_S
from blocktime.model.spec import System
from blocktime.model.units import show_number

FULL = 1.0
NEARLY = 1e-9
FIRST_WINDOWS = 3
"""Windows until they have grown to their size [linux-readahead]."""
MOST_BY_MEANS = 200  # calls under way; the recursion takes their square
LEAST_SHARE = 1e-9
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
    at_device: Number = 1.0
    """Share of what it asks of the device that comes while its programs run."""
    elsewhere_s: Number = 0.0
    """Of the wait of a call: until the processors take it."""


def among_programs(system: System, every: Sequence[Any]) -> list[System]:
    """The system as the calls of each stream find it: a processor is as fast as others that are busy leave it.

    They are busy for the share of the time that calls take of them; a program does not meet itself.
    """
    cores = system.host.cores
    if not some(thread_speed(cores.threads, cores) < 1):
        return [system] * len(every)
    systems = [system] * len(every)
    for _ in range(2):  # slower calls keep processors busy for longer
        busy = [
            _busy_threads(system, calls, alone(system, calls))
            for system, calls in zip(systems, every, strict=True)
        ]
        own = [
            mine / calls.users if calls.rate_per_s is None else 0.0
            for mine, calls in zip(busy, every, strict=True)
        ]
        speeds = [thread_speed(1 + larger(0.0, sum(busy) - mine), cores) for mine in own]
        systems = [
            changed(system, host=at_speed(system.host, calls, speed)) if some(speed < 1) else system
            for speed, calls in zip(speeds, every, strict=True)
        ]
        if all(known is system for known in systems):
            break
    return systems


def _busy_threads(system: System, calls: Any, time: StreamTime) -> Number:
    """Mean number of processors that a stream keeps busy; of calls that all users make at once, as one begins."""
    if calls.submission == "polled":
        return calls.users
    busy = over(time.calls * time.demand.cpu_s, time.elapsed_s)
    if calls.rate_per_s is not None and calls.arrivals == "regular":
        return larger(busy, (smaller(calls.users, system.host.cores.threads) - 1) / 2)
    return busy


def alone(system: System, calls: Any) -> StreamTime:
    """One stream with the device to itself."""
    demand = credited(system, calls)
    if demand.hidden:
        return _hidden(system, calls, demand)
    if calls.rate_per_s is not None:
        return _open(system, calls, demand)
    return _closed(system, calls, demand)


def credited(system: System, calls: Any) -> CallDemand:
    """Demand of a call, where some meet a device as it is at first and the others as it is once that is spent."""
    demand, disk = call_demand(system, calls), system.disk
    idle_s: Number = demand.cpu_s + calls.think_s
    if calls.rate_per_s is not None:
        idle_s = larger(0.0, 1 / (calls.users * calls.rate_per_s) - demand.device_s)
    elif demand.hidden or calls.users * calls.in_flight > 1:
        idle_s = larger(0.0, (idle_s + demand.device_s) / (calls.users * calls.in_flight) - demand.device_s)
    requests = calls.users * calls.count * demand.requests
    each = larger(demand.requests, NEARLY)
    spent = disk_means.at_first(disk, requests, demand.device_bytes / each, calls.writes, idle_s / each)
    if spent is None:
        return demand
    share, before, after = spent
    first = call_demand(changed(system, disk=changed(disk, **before)), calls) if before else demand
    if not some(share < 1):
        return first
    rest = call_demand(changed(system, disk=changed(disk, **after)), calls) if after else demand
    rest.held_s = share * first.held_s + (1 - share) * rest.held_s
    rest.device_s = share * first.device_s + (1 - share) * rest.device_s
    return rest


def _closed(system: System, calls: Any, demand: CallDemand) -> StreamTime:
    """Programs that wait for their calls: exact for one; several meet at the processors and at the device.

    That is a closed network by its mean values [reiser-lavenberg-1980]; a program has one thread, however many of its
    calls are under way. Many programs meet at the device alone [jain-1991] and take their turns at
    the processors as a bound. A write cache holds them to its own pace once it is full.
    """
    unbuffered = calls.passes_page_cache(system)
    in_flight = calls.users * (calls.in_flight if unbuffered else 1)  # io_submit to a page cache waits
    total = calls.users * calls.count
    own_s = demand.cpu_s + calls.think_s
    if in_flight == 1 and not demand.ahead:
        cycle_s = larger(own_s + demand.device_s - smaller(own_s, demand.overlap_s), demand.held_s)
        elapsed, elsewhere_s, method = calls.count * cycle_s, 0.0, "one call at a time"
    else:
        elapsed, elsewhere_s, method = _several(system, calls, demand, unbuffered)
    elapsed = elapsed + demand.start_s
    drained = demand.drained_s * demand.drained_share * larger(0.0, total - demand.absorbed_calls)
    longer_s = larger(0.0, drained - elapsed)
    elapsed = elapsed + longer_s
    if calls.in_flight > 1 and unbuffered:
        # NOTE: Little's law: a call lasts until its program has asked for it, and submits the next one then
        # NOTE: who hands down a batch waits for room for all of it, while one call of it ends after the other
        ending_s = larger(0.0, calls.batch - demand.together) / 2 * demand.held_s
        waited = larger(0.0, elapsed * in_flight / total - ending_s - demand.cpu_s)
        # NOTE: the first calls of all find no full queue
        waited = waited - larger(0.0, waited - demand.device_s) * smaller(1.0, (in_flight - 1) / total) / 2
    else:
        waited = larger(0.0, elapsed * in_flight / total - own_s)
    return StreamTime(
        demand, total, elapsed, demand.cpu_s + waited, waited, 0.0, method, elsewhere_s=elsewhere_s
    )


def _several(system: System, calls: Any, demand: CallDemand, unbuffered: bool) -> tuple[Number, Number, str]:
    """Time of all calls of programs of which several are under way, that of a call elsewhere, and by what law."""
    own_s = demand.cpu_s + calls.think_s
    in_flight = calls.users * (calls.in_flight if unbuffered else 1)
    together = larger(demand.together, calls.batch) if unbuffered and calls.in_flight > 1 else demand.together
    waiting = (
        max(1, round(in_flight / float(_mean(together))))
        if unbuffered
        else calls.users * max(1, demand.ahead)
    )
    cycle_s, at_device_s, method = _cycle_s(system, calls, demand, waiting, together)
    # NOTE: who syncs first writes what all have written, so that none works while the device does
    at_cpus_s = calls.users * demand.cpu_s / system.host.cores.threads
    works_s, in_turn_s = together * larger(own_s, at_cpus_s), (calls.users - 1) * demand.held_s
    alone = max(demand.servers, float(_mean(demand.alike))) == 1 and not system.disk.write_cache_bytes
    if alone and demand.visits > 1 and calls.users > 1 and some(calls.think_s) and not calls.think_cv:
        # NOTE: who commits together ends together, and comes back together after the same pause
        in_step_s = together * (demand.device_s + in_turn_s)
        cycle_s = larger(cycle_s, together * own_s + in_step_s)
        at_device_s = larger(at_device_s, in_step_s)
    held_s = waiting * together * demand.held_s
    queued_s = larger(0.0, cycle_s / together - at_device_s / together - own_s)
    elsewhere_s = where(cycle_s > held_s * (1 + NEARLY), queued_s, 0.0)
    if writes_for_all(system, calls) and calls.users > 1:
        cycle_s = larger(cycle_s, works_s + together * (demand.device_s + in_turn_s))
    cycle_s = larger(cycle_s - smaller(own_s, demand.overlap_s), held_s)
    elapsed = calls.users * calls.count * cycle_s / (waiting * together)
    if calls.fsync_every and calls.users > 1:  # all work at first, and all wait for the device at last
        least_s = elapsed * larger(works_s, held_s) / cycle_s
        elapsed = larger(elapsed, least_s + smaller(works_s, held_s))
    if demand.ahead:
        elapsed = larger(elapsed, calls.count * larger(own_s, at_cpus_s))
    return elapsed, elsewhere_s, method


def _cycle_s(
    system: System, calls: Any, demand: CallDemand, waiting: int, together: Number
) -> tuple[Number, Number, str]:
    """Time from one call of a program to its next but those that go together, that at the device, and by what law.

    The calls of a batch that do not merge are handed down at once, and pass the device one after the other.
    """
    device_s = demand.together * demand.device_s + (together - demand.together) * demand.held_s
    if some(together > demand.together):
        demand = replace(
            demand,
            servers=max(1, int(demand.servers / largest(together))),
            alike=larger(1, demand.alike / together),
        )
    spread = demand.alike if demand.servers == 1 else 1
    each_s = larger(smaller(device_s, together * demand.held_s * demand.servers * spread), LEAST_S)
    beside_s = larger(0.0, device_s - each_s)
    rest_s = beside_s + together * calls.think_s
    cpu_s = together * demand.cpu_s
    if demand.ahead:  # a reader never queues behind itself
        rest_s, cpu_s = rest_s + cpu_s, 0.0
    threads = int(smaller(calls.users, system.host.cores.threads))
    if waiting > MOST_BY_MEANS:
        servers = max(demand.servers, int(spread))
        closed = queueing.machine_repair(waiting, rest_s + cpu_s, each_s, servers)
        cycle_s = larger(waiting / closed.throughput_per_s, waiting * cpu_s / threads)
        at_device_s = closed.response_s
        method = "machine repairman model: programs queue for the device"
    else:
        demands = [each_s, larger(cpu_s, LEAST_S)]
        network = queueing.mean_values(
            waiting, demands, rest_s, [demand.servers, threads], [spread, 1], [demand.scv, 0]
        )
        # NOTE: services that vary little are let through too quickly where the processors are full
        cycle_s = larger(waiting / network.throughput_per_s, waiting * cpu_s / threads)
        at_device_s = network.in_station[0] / network.throughput_per_s
        method = "mean value analysis: programs queue for processors and device"
    longer_s = larger(0.0, waiting * together * demand.held_s - cycle_s)
    return cycle_s + longer_s, beside_s + at_device_s + longer_s, method


def _open(system: System, calls: Any, demand: CallDemand) -> StreamTime:
    """Calls that arrive at a rate: M/G/1, or M/M/m stretched by the variation of the service [kleinrock-1975].

    No finite run waits longer than one at full load; beyond capacity what falls behind comes on top, half of the last
    call's on average. The run ends with the user whose calls came last.
    """
    rate = calls.users * calls.rate_per_s
    total = calls.users * calls.count
    held_s = demand.held_s
    load = rate * held_s
    share = larger(demand.waiting_share, LEAST_SHARE)
    scv = (
        larger(0.0, (1 + demand.scv) * share - 1) if some(share < 1) and demand.together == 1 else demand.scv
    )
    wait, method = _met_s(demand, where(load < FULL, rate * share, 0.0), share, scv)
    if calls.arrivals == "regular":
        wait = where(scv > 0, wait * scv / (1 + scv), 0.0)
        method = (
            "arrivals at equal intervals: the wait of all users' calls at once, and of varying service times"
        )
    if calls.pattern == "sequential":
        method += "; without merges of waiting calls"
    drained_s = demand.drained_s * demand.drained_share
    drained = drained_s * larger(0.0, total - demand.absorbed_calls)
    demand.held_s = held_s = _apart_s(system, calls, demand)
    pace_s = larger(held_s, drained / total)
    load = rate * pace_s
    arrivals_scv = 1.0 if calls.arrivals == "poisson" else 0.0
    behind = total * larger(0.0, pace_s - 1 / rate)
    late_s = total * (
        late_fraction(system, demand, behind / larger(pace_s, 1e-300)) * pace_s - 1 / (2 * rate)
    )
    late_s = where(behind > 0, late_s, 0.0)
    walked = queueing.heavy_traffic_wait_s(held_s, arrivals_scv + scv, total)
    # NOTE: a queue that grows soon leaves the walk about its mean behind
    walked = larger(0.0, (walked**2 + late_s**2) ** 0.5 - late_s)
    # NOTE: a queue that has grown is waited for once, by the first of a call's requests
    met_s = share * smaller(wait, larger(walked, calls.users * held_s / share))
    once = smaller(1.0, share)
    wait = where(load < FULL, met_s, once * walked)
    wait = where(demand.gathered > 1, smaller(wait, demand.gathered / rate), wait)
    if calls.pattern == "sequential" and not demand.ahead:
        wait = _merging_s(system, calls, demand, wait, load)
    if calls.arrivals == "regular":
        wait = wait + share * _met_in_step_s(system, calls, demand, share)
    wait = larger(wait, smaller(demand.queued, total / 2) / rate)
    wait = (
        wait
        + demand.device_s
        - smaller(demand.overlap_s, larger(0.0, 1 / calls.rate_per_s - demand.device_s))
    )
    if _comes_along(system, calls, demand):
        # NOTE: calls that come while the heads wait for a place pass with it
        along_s = queueing.first_of_busy_response_s(rate, demand.device_s, held_s)
        wait = where((load < FULL) & (demand.together <= 1 + NEARLY), smaller(wait, along_s), wait)
    if demand.ahead:
        wait = ahead_wait_s(demand, wait, calls.rate_per_s)
        # NOTE: nothing is read ahead at first; while windows grow to their size each takes twice as long as the one
        # before, which may be gone through by then
        window_s = demand.together * demand.device_s
        keeps_s = larger(0.0, 2 - 1 / larger(NEARLY, calls.rate_per_s * demand.device_s)) * window_s
        first_s = demand.start_s * ((calls.users + 1) / 2 if calls.arrivals == "regular" else 1) + keeps_s
        met = calls.rate_per_s * first_s
        wait = wait + first_s * (1 + met / 2) / calls.count
    wait = wait + _late_s(system, calls, late_s, pace_s, once) + _idled_s(system, calls, demand)
    arrived_s, queued_s = _arrived(system, calls, demand)
    elapsed = larger(arrived_s, total * pace_s) + demand.device_s + demand.cpu_s
    return StreamTime(demand, total, elapsed, demand.cpu_s + queued_s + wait, wait, load, method)


def _merging_s(system: System, calls: Any, demand: CallDemand, wait: Number, load: Number) -> Number:
    """The wait of calls in order, which merge with those that wait before them."""
    begun_s = calls.users * demand.together * demand.held_s / 2
    wait = where(load <= FULL + NEARLY, smaller(wait, begun_s), wait)
    if demand.visits == 1 and some(demand.waiting_share == 1):
        # NOTE: calls that merge wait for the rest of the request before theirs, and for all of their own
        own_s = (demand.together - 1) * demand.device_s
        # NOTE: they merge behind a drive whose own queue is full
        depth = 1 if demand.servers > 1 else system.disk.queue_depth
        own_s = own_s + smaller(
            (depth - 1) * demand.together * demand.held_s, calls.count / 2 / calls.rate_per_s
        )
        wait = where(
            demand.together > 1 + NEARLY, larger(wait, begun_s * (1 - 1 / demand.together)) + own_s, wait
        )
    return wait


def _comes_along(system: System, calls: Any, demand: CallDemand) -> bool:
    """Whether a platter that has reached the place of a call is at that of the next one, as there is one program."""
    disk = system.disk
    lone = calls.users == 1 and calls.arrivals == "poisson" and calls.pattern != "random" and not demand.ahead
    medium = disk.rotation_s and disk.raid_level == "none" and not (calls.writes and disk.write_cache_bytes)
    return bool(lone and medium and demand.visits == 1 and not demand.gathered > 1)


def _late_s(system: System, calls: Any, late_s: Number, pace_s: Number, share: Number) -> Number:
    """Mean wait of calls that fall behind by *late_s*, of which *share* goes to the medium.

    What a controller's cache answers passes the drive's queue, not that before it.
    """
    if not calls.passes_page_cache(system):
        return share * late_s
    depth = max(system.disk.queue_depth, system.disk.parallel_requests)
    return share * late_s + (1 - share) * larger(0.0, late_s - depth * pace_s)


def _met_s(demand: CallDemand, per_s: Number, share: Number, scv: Number) -> tuple[Number, str]:
    """Mean wait of those of the calls that go to the device, *per_s* a second, and by what law."""
    held_s = demand.held_s
    if demand.servers == 1:
        each_s = where(
            demand.alike > 1, smaller(held_s * demand.alike, larger(demand.device_s, held_s)), held_s
        )
        wait = queueing.mg1_wait_s(per_s / demand.alike, each_s / share, scv)
        method = f"M/G/1 with a squared coefficient of variation of {show_number(float(_mean(scv)), 3)}"
    else:
        each_s = smaller(demand.device_s, held_s * demand.servers) / share
        wait = (1 + scv) / 2 * queueing.mmc_wait_s(per_s, each_s, demand.servers)
        method = f"M/M/{demand.servers}, corrected for the variation of the service time"
    several = (demand.servers > 1) | (demand.alike > 1)
    # NOTE: the channel and the controller, where they take longer than a slot's share, are one server for all
    channel_s = where(several & (held_s * max(1, demand.servers) > demand.device_s), held_s / share, 0.0)
    wait = larger(wait, queueing.mg1_wait_s(per_s, channel_s, 0.0))
    return wait, method


def _met_in_step_s(system: System, calls: Any, demand: CallDemand, share: Number) -> Number:
    """Mean wait of a call for those of other users that come at the same moment.

    They pass the channel one after the other, and those of a slot, or of one queue of several, wait for each other. A
    call of several visits to one server comes back behind the first visits of all.
    """
    others = calls.users - 1
    if not others:
        return 0.0
    held_s, device_s = demand.held_s / share, demand.device_s / share
    pass_channel = demand.servers == 1 or some(held_s * demand.servers > device_s)
    single = pass_channel and not some(demand.alike > 1)
    part = 1 - 1 / (2 * demand.visits) if single else 0.5
    rounds, rest = divmod(calls.users, demand.servers)
    before = (demand.servers * rounds * (rounds - 1) / 2 + rest * rounds) / calls.users
    # NOTE: the processors have let them through one after the other
    apart_s = larger(0.0, held_s - demand.cpu_s / system.host.cores.threads)
    met = larger(others * part * apart_s, before * device_s if demand.servers > 1 else 0.0)
    if not some(demand.alike > 1):
        return met
    same = others / 2 / demand.alike
    if calls.pattern != "random" and system.disk.raid_level == "none":
        slots = int(_mean(demand.alike))
        starts = first_bytes(calls, int(system.disk.capacity_bytes))
        places = Counter(int(start // calls.block_size_bytes) % slots for start in starts)
        same = sum(files * (files - 1) / 2 for files in places.values()) / calls.users
    return larger(met, same * (1 - system.disk.read_hit_fraction) * device_s)


def _apart_s(system: System, calls: Any, demand: CallDemand) -> Number:
    """Time that a call takes of the capacity where calls that arrive too fast let each other's requests come between.

    Each that waits for room queues one request in its turn, or as many as a task may queue at a time.
    """
    disk, total = system.disk, calls.users * calls.count
    batch = max(1, block_layer.batch_requests(block_layer.release_of(system.host.kernel)))
    load = calls.users * calls.rate_per_s * demand.held_s
    behind = total * larger(0.0, 1 - 1 / larger(LEAST_SHARE, load)) / 2
    cached = calls.writes and disk.write_cache_bytes
    if not disk.rotation_s or cached or not some((demand.pieces > batch) & (behind > 0)):
        return demand.held_s
    turns = ceil_div(demand.pieces, batch)
    size = calls.block_size_bytes / turns
    each_s = visit_of(system, changed(calls, block_size_bytes=size), size, 0.0).held_s
    full = larger(0.0, 1 - system.host.nr_requests / larger(1.0, behind * demand.pieces))
    return demand.held_s + full * larger(0.0, turns * each_s * demand.waiting_share - demand.held_s)


def late_fraction(system: System, demand: CallDemand, waiting: Number) -> Number:
    """When a call that falls behind is done, on average: as a share of the time that all of them take.

    One half where they go one after the other. Of calls of p requests a full queue lets in one request each in turn, so
    that those beyond it end in the last of p rounds, on average at 1 - 1/(2p) of the time.
    """
    queued = smaller(1.0, system.host.nr_requests / larger(1.0, waiting * demand.pieces))
    beyond = 1 - queued
    return queued**2 / 2 + beyond * (queued + beyond * (1 - 1 / (2 * demand.pieces)))


def _idled_s(system: System, calls: Any, demand: CallDemand) -> Number:
    """Mean wait for a scheduler that keeps the device for another program, which may go on near where it was.

    A turn lasts until a gap is longer than the scheduler waits, or the slice is over [linux-cfq].
    """
    if calls.users == 1 or not goes_on_near(system, calls):
        return 0.0
    stays = (
        1 - e ** (-IDLE_S * calls.rate_per_s)
        if calls.arrivals == "poisson"
        else calls.rate_per_s * IDLE_S >= 1
    )
    turn_s = smaller(
        SYNC_SLICE_S, (demand.held_s + stays / calls.rate_per_s) / larger(LEAST_SHARE, 1 - stays)
    )
    taken = smaller(1.0, calls.users * (calls.rate_per_s * demand.held_s + stays))
    return taken * (calls.users - 1) ** 2 * turn_s / (2 * calls.users) * demand.waiting_share


def _arrived(system: System, calls: Any, demand: CallDemand) -> tuple[Number, Number]:
    """When the processors have begun the last call of all users, and a call's mean wait for one."""
    threads = system.host.cores.threads
    rounds, rest = divmod(calls.users, threads)  # those of all users come at once
    before = (threads * rounds * (rounds - 1) / 2 + rest * rounds) / calls.users
    queued_s = before * demand.cpu_s if calls.arrivals == "regular" else 0.0
    total = calls.users * calls.count
    last_s = last_arrival_s(calls)
    behind_s = larger(0.0, total * demand.cpu_s / threads - calls.count / calls.rate_per_s)
    return last_s + behind_s, queued_s + behind_s / 2


def ahead_wait_s(demand: CallDemand, wait_s: Number, rate_per_s: Number) -> Number:
    """Wait of a call of a reader at a rate, a window of whom is on its way while it reads the one before."""
    together = demand.together
    return larger(0.0, wait_s + (together - 1) * demand.device_s - together / rate_per_s) / together


def last_arrival_s(calls: Any) -> Number:
    """When the last call of all users comes: sums of times between arrivals are nearly normal [blom-1958]."""
    mean_s = calls.count / calls.rate_per_s
    if calls.arrivals != "poisson":
        return mean_s
    return mean_s * (1 + queueing.largest_of(int(calls.users)) / calls.count**0.5)


def _hidden(system: System, calls: Any, demand: CallDemand) -> StreamTime:
    """Writes that go to the device behind the program, which is held back only at the dirty limit and by commits."""
    total = calls.users * calls.count
    queued_s: Number = 0.0
    if calls.rate_per_s is not None:
        own_s, queued_s = _arrived(system, calls, demand)
    else:
        each_s = larger(demand.cpu_s + calls.think_s, calls.users * demand.cpu_s / system.host.cores.threads)
        own_s, queued_s = calls.count * each_s, each_s - demand.cpu_s - calls.think_s
    at_limit_s, committing_s, commits, share = _behind(system, calls, demand, own_s)
    each_commit_s = committing_s / larger(1, commits)
    method = "fluid model of write-back: writers wait at the dirty limit and for commits of ext3"
    if calls.rate_per_s is None:
        # NOTE: a commit that begins while the program pauses is over in part when it comes back
        each_s, cycle_s = each_commit_s, own_s / calls.count
        seen_s = where(each_s < cycle_s, each_s**2 / 2 / larger(LEAST_S, cycle_s), each_s - cycle_s / 2)
        held_s = larger(at_limit_s, commits * seen_s)
        wait = held_s / calls.count
        elapsed = own_s + held_s
    else:  # those that come while a commit lasts wait for the rest of it
        kept_s = each_commit_s**2 / 2 * calls.rate_per_s
        if calls.arrivals == "regular":
            # NOTE: a commit begins behind a call, so that some find it under way, or none
            met = floor_div(each_commit_s, 1 / calls.rate_per_s)
            kept_s = met * each_commit_s - met * (met + 1) / 2 / calls.rate_per_s
        wait = larger(at_limit_s / 2, commits * kept_s / calls.count)
        elapsed = own_s + at_limit_s
    return StreamTime(demand, total, elapsed, demand.cpu_s + queued_s + wait, wait, 0.0, method, share)


def _behind(
    system: System, calls: Any, demand: CallDemand, own_s: Number
) -> tuple[Number, Number, Number, Number]:
    """Time that writers stand still at the dirty limit, that of ordered commits, and how many; share written meanwhile.

    Write-back begins above the background limit, and with pages that are old.
    """
    host = system.host
    release = block_layer.release_of(host.kernel)
    background, limit = page_cache.dirty_limits_bytes(
        host.memory_bytes, host.dirty_background_ratio_percent, host.dirty_ratio_percent
    )
    held_at = page_cache.held_back_bytes(background, limit, release)
    size = calls.users * calls.count * demand.device_bytes
    if calls.pattern == "random":
        size = page_cache.dirty_bytes(size, span_of(system, calls))
    drained_per_s = demand.device_bytes / demand.held_s
    dirtied_per_s = size / larger(own_s, 1e-12)
    starts_s = background / dirtied_per_s
    at_limit_s = larger(0.0, starts_s + (size - held_at) / drained_per_s - own_s)
    at_limit_s = where(size > held_at, at_limit_s, 0.0)
    committed: Number = 0.0
    commits: Number = 0
    if host.journal and host.filesystem == "ext3" and host.journal_data == "ordered":
        first_s = larger(0.0, host.journal_commit_s - host.journal_age_s)
        commits = where(own_s > first_s, 1 + floor_div(own_s - first_s, host.journal_commit_s), 0)
        committed = where(commits > 0, (first_s + (commits - 1) * host.journal_commit_s) * dirtied_per_s, 0.0)
    committing_s = committed / drained_per_s + commits * commit_s(system, calls)
    old = larger(0.0, own_s - host.dirty_expire_s) * dirtied_per_s
    flowed = larger(0.0, own_s + larger(at_limit_s, committing_s) - starts_s) * drained_per_s
    share = smaller(1.0, larger(larger(old, committed), flowed) / size)
    return at_limit_s, committing_s, commits, share


def _mean(value: Number) -> Number:
    return value.mean() if getattr(value, "ndim", 0) else value
