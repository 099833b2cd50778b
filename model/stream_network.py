"""Streams in closed form: one program alone, programs that wait for each other, calls that arrive, a page cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.demand.calls import UNBUFFERED
from model.demand.device_visit import Changed, span_of
from model.demand.stream_work import CallDemand, call_demand
from model.laws import block_layer, disk_means, page_cache, queueing
from model.laws.numeric import Number, floor_div, larger, smaller, where

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
    at_device: Number = 1.0
    """Share of what it asks of the device that comes while its programs run."""


def alone(system: Any, calls: Any) -> StreamTime:
    """One stream with the device to itself."""
    demand = credited(system, calls)
    if demand.hidden:
        return _hidden(system, calls, demand)
    if calls.rate_per_s is not None:
        return _open(calls, demand)
    return _closed(system, calls, demand)


def credited(system: Any, calls: Any) -> CallDemand:
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
    the processors as a bound. A write cache holds them to its own pace once it is full.
    """
    path = calls.path or system.host.io_path
    unbuffered = path in UNBUFFERED
    many = calls.users * (calls.in_flight if unbuffered else 1)  # io_submit to a page cache waits
    total = calls.users * calls.count
    own_s = demand.cpu_s + calls.think_s
    if many == 1 and not demand.ahead:
        elapsed = calls.count * larger(demand.cpu_s + demand.device_s + calls.think_s, demand.held_s)
        method = "one call after the other"
    else:
        together = demand.together
        waiting = (
            max(1, round(many / float(_mean(together)))) if unbuffered else calls.users * max(1, demand.ahead)
        )
        cycle_s, method = _cycle_s(system, calls, demand, waiting)
        elapsed = total * cycle_s / (waiting * together)
        if demand.ahead:
            own_s = larger(own_s, calls.users * demand.cpu_s / system.host.cpus)
            elapsed = larger(elapsed, calls.count * own_s)
    elapsed = elapsed + demand.start_s
    drained = demand.drained_s * demand.drained_share * larger(0.0, total - demand.absorbed_calls)
    elapsed = larger(elapsed, drained)
    waited = larger(0.0, elapsed * many / total - own_s)
    return StreamTime(demand, total, elapsed, demand.cpu_s + waited, waited, 0.0, method)


def _cycle_s(system: Any, calls: Any, demand: CallDemand, waiting: int) -> tuple[Number, str]:
    """Time from one call of a program to its next but those that go together, and by what law."""
    together = demand.together
    spread = demand.alike if demand.servers == 1 else 1
    each_s = larger(together * smaller(demand.device_s, demand.held_s * demand.servers * spread), LEAST_S)
    rest_s = larger(0.0, together * demand.device_s - each_s) + together * calls.think_s
    cpu_s = together * demand.cpu_s
    if demand.ahead:  # a reader never queues behind itself
        rest_s, cpu_s = rest_s + cpu_s, 0.0
    threads = int(smaller(calls.users, system.host.cpus))
    if waiting > MOST_BY_MEANS:
        servers = max(demand.servers, int(spread))
        closed = queueing.machine_repair(waiting, rest_s + cpu_s, each_s, servers)
        cycle_s = larger(waiting / closed.throughput_per_s, waiting * cpu_s / threads)
        method = "machine repair: programs that wait for each other at the device"
    else:
        demands = [each_s, larger(cpu_s, LEAST_S)]
        network = queueing.mean_values(
            waiting, demands, rest_s, [demand.servers, threads], [spread, 1], [demand.scv, 1]
        )
        cycle_s = waiting / network.throughput_per_s
        method = "mean values: programs that wait for each other at processors and device"
    cycle_s = larger(cycle_s, waiting * together * demand.held_s)
    return cycle_s, method


def _open(calls: Any, demand: CallDemand) -> StreamTime:
    """Calls that arrive at a rate: M/G/1, or M/M/m stretched by the variation of the service [kleinrock-1975].

    No finite run waits longer than one at full load; beyond capacity what falls behind comes on top, half of the last
    call's on average. The run ends with the user whose calls came last.
    """
    rate = calls.users * calls.rate_per_s
    total = calls.users * calls.count
    held_s = demand.held_s
    load = rate * held_s
    below = where(load < FULL, rate, 0.0)
    if demand.servers == 1:
        wait = queueing.mg1_wait_s(below / demand.alike, held_s * demand.alike, demand.scv)
        method = f"M/G/1 with a squared coefficient of variation of {float(_mean(demand.scv)):.3g}"
    else:
        each_s = smaller(demand.device_s, held_s * demand.servers)
        wait = (1 + demand.scv) / 2 * queueing.mmc_wait_s(below, each_s, demand.servers)
        method = f"M/M/{demand.servers}, stretched by the variation of the service"
    if calls.arrivals == "regular":
        wait = where(demand.scv > 0, wait * demand.scv / (1 + demand.scv), 0.0)
        method = "arrivals in step: the wait that the service's variation leaves"
    if calls.pattern == "sequential":
        method += "; calls that merge while they wait are left out"
    drained_s = demand.drained_s * demand.drained_share
    drained = drained_s * larger(0.0, total - demand.absorbed_calls)
    pace_s = larger(held_s, drained / total)
    load = rate * pace_s
    arrivals_scv = 1.0 if calls.arrivals == "poisson" else 0.0
    behind = total * larger(0.0, pace_s - 1 / rate)
    walked = queueing.heavy_traffic_wait_s(held_s, arrivals_scv + demand.scv, total)
    wait = where(load < FULL, smaller(wait, walked), behind / 2 + walked) + demand.device_s
    if demand.ahead:
        wait = ahead_wait_s(demand, wait, calls.rate_per_s)
    elapsed = larger(last_arrival_s(calls), total * pace_s) + demand.device_s + demand.cpu_s
    return StreamTime(demand, total, elapsed, demand.cpu_s + wait, wait, load, method)


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


def _hidden(system: Any, calls: Any, demand: CallDemand) -> StreamTime:
    """Writes that go to the device behind the program, which is held back only at the dirty limit and by commits."""
    total = calls.users * calls.count
    if calls.rate_per_s is not None:
        own_s = last_arrival_s(calls)
    else:
        own_s = calls.count * larger(
            demand.cpu_s + calls.think_s, calls.users * demand.cpu_s / system.host.cpus
        )
    held_s, share = _behind(system, calls, demand, own_s)
    elapsed = own_s + held_s
    method = "write-back as a flow: writers are held at the dirty limit, and by commits of ext3"
    wait = larger(0.0, (elapsed - own_s) / calls.count)
    return StreamTime(demand, total, elapsed, demand.cpu_s + wait, wait, 0.0, method, share)


def _behind(system: Any, calls: Any, demand: CallDemand, own_s: Number) -> tuple[Number, Number]:
    """Time that writers stand still, and the share that is written back until they have ended.

    They are held at the dirty limit, and while an ordered commit writes their data. Write-back begins above the
    background limit, and with pages that are old.
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
    held_s = where(size > held_at, at_limit_s, 0.0)
    committed: Number = 0.0
    if host.filesystem == "ext3" and host.journal_data == "ordered":
        first_s = larger(0.0, host.journal_commit_s - host.journal_age_s)
        commits = where(own_s > first_s, 1 + floor_div(own_s - first_s, host.journal_commit_s), 0)
        committed = where(commits > 0, (first_s + (commits - 1) * host.journal_commit_s) * dirtied_per_s, 0.0)
        held_s = larger(held_s, committed / drained_per_s)
    old = larger(0.0, own_s - host.dirty_expire_s) * dirtied_per_s
    flowed = larger(0.0, own_s + held_s - starts_s) * drained_per_s
    return held_s, smaller(1.0, larger(larger(old, committed), flowed) / size)


def _mean(value: Number) -> Number:
    return value.mean() if getattr(value, "ndim", 0) else value
