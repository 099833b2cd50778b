"""Stations that transactions pass: what one takes of each at a throughput, and the bounds that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from blocktime.model.bounds import Bounds, saturated
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import through_host
from blocktime.model.demand.transaction_demand import CPUS, DBWR, REDO, data_disk_name, run_transactions
from blocktime.model.laws import volume_limits
from blocktime.model.laws.block import itl_limit
from blocktime.model.laws.changed_blocks import undo_gets
from blocktime.model.laws.commit import least_overhead_s, log_write_bytes
from blocktime.model.laws.processors import thread_speed
from blocktime.model.loops import fastest
from blocktime.model.machine.device.elevator import IN_ORDER
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.parts import Parts, parts_of
from blocktime.model.workloads.transactions.write_rates import Demands, disk_demands, due_at, more_at, reads_at_most

DiskDemands = Callable[[Parts, float], Demands]
"""What a transaction takes of a disk at a throughput."""
MANY: Final = 1e9
"""Requests at a disk, as many as anybody likes."""


def bounds_of(system: System, work: Transactions) -> Bounds:
    """Bounds of transactions in the long run, at the users of the question, or at any rate [lazowska-1984]."""
    return bounds_at(least_parts(system, work), float(work.users))


def least_parts(system: System, work: Transactions) -> Parts:
    """The mean transaction with as many hits as at the throughput that fewer hits would allow, or at the question's."""
    parts = parts_of(system, work, saturated=True)
    bounds = bounds_at(parts, float(work.users))
    return parts_of(system, work, per_s=bounds.most_per_s(work.rate_per_s or work.users))


def bounds_at(parts: Parts, users: float) -> Bounds:
    """Bounds of so many users; of arrivals those at any rate. No request takes less of a disk, and no fewer come."""
    least_s = least_response_s(parts)
    return _bounds(parts, users, least_s, _least_disk_demands)


def saturation_of(system: System, work: Transactions) -> Bounds:
    """Where the first resource saturates by the laws of sorted requests and of DBWR, in the long run."""
    parts = parts_of(system, work, saturated=True)
    return _bounds(parts, float(work.users), least_response_s(parts), _disk_demands)


def _bounds(parts: Parts, users: float, alone_s: float, of_disk: DiskDemands) -> Bounds:
    """Bounds of so many users, of whom a single one has a response, from the demands at a disk."""
    least_s = max(alone_s, LEAST)

    def demands_at(per_s: float) -> dict[str, float]:
        demands = {CPUS: _cpu_demand_s(parts, per_s * least_s)}
        for device in parts.devices:
            disks = of_disk(device, per_s)
            demands[data_disk_name(device.name)] = disks.data_s
            demands[DBWR] = max(disks.dbwr_s, demands.get(DBWR, 0.0))
            if not parts.redo_on_data:
                demands[REDO] = disks.redo_s
        return demands

    demands, per_s = saturated(demands_at, 1 / least_s)
    if not parts.open_loop:  # all but those who think are under way, by Little's law [little-1961]

        def of_crowd(per_s: float) -> dict[str, float]:
            others = max(per_s * least_s, users - 1 - per_s * parts.think_s)
            return {**demands, CPUS: _cpu_demand_s(parts, others)}

        demands, _ = saturated(of_crowd, per_s)
    return Bounds(demands, alone_s, parts.think_s, parts.open_loop)


def _disk_demands(device: Parts, per_s: float) -> Demands:
    """What a transaction takes of a disk and of DBWR at a throughput, as requests are sorted and writes are due."""
    at_disk, due = fastest(reads_at_most)(device, per_s), fastest(due_at)(device, per_s)
    more_s = fastest(more_at)(device, per_s, due, at_disk)
    return fastest(disk_demands)(device, per_s, due, more_s, at_disk)


def _least_disk_demands(device: Parts, per_s: float) -> Demands:
    """What a transaction takes of a disk and of DBWR at least: its reads, and the changed blocks that leave the cache.

    A request that is sorted or reordered needs no seek; the log writes its bytes.
    """
    disk, leaving = device.disk, fastest(due_at)(device, per_s).leaving
    gain_s = _most_gain_s(device, device.requests / max(device.requests + leaving, LEAST)) / disk.servers
    read_s = device.disk_busy_s - device.requests * gain_s * (1 - disk.read_hit_fraction)
    read_s -= device.scans_go_on * disk.scan_near_s / disk.servers
    write_s = disk.write_busy_s * (1 - min(1.0, gain_s / disk.read_busy_s if disk.read_busy_s else 0.0))
    redo_s = device.redo_bytes / disk.bytes_per_s
    data_s = max(0.0, read_s) + leaving * write_s + (redo_s / disk.servers if device.redo_on_data else 0.0)
    return fastest(Demands)(data_s, leaving / disk.writer_per_s, 0.0 if device.redo_on_data else redo_s)


def _most_gain_s(device: Parts, reads_fraction: float) -> float:
    """Seconds by which a request is shorter at most, as a scheduler sorts it or the drive reorders it."""
    disk, scheduler = device.disk, device.system.host.scheduler
    least_s = float(disk.sorted_s(MANY, reads_fraction))
    if disk.arm is None or (scheduler in IN_ORDER and not disk.unreached and not disk.cache_blocks):
        return max(0.0, least_s)
    far_s = float(disk.arm.seek_s(max(1.0, disk.arm.data_cylinders / 3)))
    return max(0.0, far_s, least_s + float(disk.arm.seek_s(1.0)))


def _cpu_demand_s(parts: Parts, others: float) -> float:
    """Seconds of all processors that a transaction takes where they do most, beside so many *others* under way.

    More processes run more work at once, but each spins longer for a latch: the least of all numbers of them.
    """
    undo, hottest, entries = 0.0, 1 / parts.hottest_blocks, itl_limit(parts.data.block_size_bytes)
    for kind in parts.kinds:
        undo += float(kind.share * undo_gets(kind.drawn_gets, others, parts.changes, parts.collision, entries))
        undo += float(kind.share * undo_gets(kind.hottest_gets, others, parts.hottest_changes, hottest, entries))
    work_s: float = parts.cpu_s + undo * parts.logical_io_s
    least_s, threads = inf, parts.threads
    for running in range(1 if parts.latch[threads].spin_s else threads, threads + 1):
        speed = thread_speed(running, parts.system.host.cores)
        spins_s: float = parts.hottest_gets * parts.latch[running].spin_s
        least_s = min(least_s, (work_s + spins_s) / speed / running)
    return float(least_s)


def least_response_s(parts: Parts) -> float:
    """Response of a transaction that waits for nobody: CPU, its reads, its log write, and time outside the database."""
    least_s = parts.cpu_s + parts.apart_s
    for device in parts.devices:
        least_s += device.disk_s - device.scans_go_on * device.disk.scan_near_s
    host = parts.system.host
    overhead_s = float(least_overhead_s(host.log_write_call_s, host.commit_overhead_s))
    return float(least_s + parts.commits * (log_write_s(parts) + overhead_s))


def log_write_s(parts: Parts) -> float:
    """Seconds of a log write of one commit at least; on a turning disk its block is just there."""
    fixed_s = parts.disk.write_overhead_s if parts.log_turns else parts.log_fixed_s
    size_bytes = log_write_bytes(parts.redo_bytes / max(parts.commits, LEAST))
    return max(float(fixed_s + size_bytes / parts.log_bytes_per_s), parts.system.instance.standby_s)


class Pace(NamedTuple):
    """A system at the requests a second that its volume serves on average during a run."""

    system: System
    credits_s: float
    """How long burst credits last at this load; infinite where there are none."""


def at_pace(system: System, work: Transactions) -> Pace:
    """The system behind its host's limits, whose volume spends its burst credits evenly over a run [aws-ebs]."""
    system = through_host(system)
    base_iops, burst_iops = system.disk.iops_limit, system.disk.burst_iops
    if base_iops is None or burst_iops is None or burst_iops <= base_iops:
        return Pace(system, inf)
    bursting = changed(system, disk=changed(system.disk, iops_limit=burst_iops, burst_iops=None))
    parts = parts_of(bursting, work)
    per_s = bounds_of(bursting, work).most_per_s(work.rate_per_s or work.users)
    lasts_s = volume_limits.credits_last_s(system.disk, per_s * _counted(parts, per_s))
    share = min(1.0, lasts_s * per_s / run_transactions(work))
    pace = 1 / (share / burst_iops + (1 - share) / base_iops)
    return Pace(changed(system, disk=changed(system.disk, iops_limit=pace, burst_iops=None)), lasts_s)


def _counted(parts: Parts, per_s: float) -> float:
    """Requests of a transaction that count for the limit of its volume [aws-ebs]."""
    scan_bytes = parts.data.block_size_bytes * parts.scan_read_blocks / max(parts.scan_reads, LEAST)
    scans = parts.scan_reads * float(volume_limits.counted_requests(parts.system.disk, scan_bytes))
    commits = parts.commits if parts.redo_on_data else 0.0
    return float(parts.reads + scans + fastest(due_at)(parts, per_s).wanted + commits)
