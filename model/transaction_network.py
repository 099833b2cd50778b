"""Processors, data disk and log as a network of queues that transactions go through, user by user or at a rate.

Who comes meets what those before have caused: queues at processors and disk, undo to read, latches that are taken,
a disk busy with DBWR's writes, a log writer under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from model.demand import transactions as asked
from model.laws import changed_blocks, commit, disk_means, processors, queueing
from model.transaction_parts import Parts

SURI_SCALE, SURI_POWER = 4.464, 0.676
"""Exponent of the load that tells how long a queue for several servers is [suri-2007]."""
EXACT_USERS = 12
"""Users up to whom what the others cause is found anew for each, by several passes; beyond, for each twelfth more."""
PASSES = 3
OPEN_PASSES = 12
FULL = 0.999
LEAST = 1e-12


@dataclass(slots=True)
class Caused:
    """What others cause one transaction, at a throughput."""

    cpu: dict[str, float]
    cpu_s: float
    undo: float
    """Extra gets."""
    latch: processors.Contention
    pin: processors.Contention
    written: float
    """Blocks that DBWR writes for a transaction."""
    behind: float
    """Share of the data disk's capacity that writes take."""
    more_s: float
    """What a request of the data disk costs more, coming from the log."""
    log_write_s: float
    """From the begin of a log write to its end."""
    log_held_s: float
    """Of the disk's capacity."""
    log_writes_per_s: float
    sync_s: float
    fixed_s: float
    """Of the response: commit, sleeping for latches and buffers, the client."""


@dataclass(slots=True)
class Point:
    """The network at one load."""

    per_s: float
    response_s: float
    caused: Caused
    run_queue_s: float
    read_s: float
    """Each single-block read."""
    scan_read_s: float
    at_processors: float
    """Transactions there, waiting or running."""
    at_disk: float


class Met(NamedTuple):
    """What a transaction finds as it comes."""

    running: float
    """Transactions on the processors, itself included."""
    at_processors: float
    """Services that it waits for."""
    at_disk: float
    others: float
    """Transactions under way."""


ALONE = Met(1.0, 0.0, 0.0, 0.0)


def closed(parts: Parts, users: int) -> Iterator[Point]:
    """The network with 1, 2, … *users* users, by mean value analysis [reiser-lavenberg-1980].

    Stations of several servers by [suri-2007]; what the others cause follows from the throughput of the same
    population, and where there are many from that of some users less.
    """
    think_s = parts.work.think_s
    threads = parts.threads
    per_s, met = 0.0, ALONE
    caused = _caused(parts, 0.0, met)
    renewed = 0
    for present in range(1, users + 1):
        passes = 1
        if present <= EXACT_USERS:
            passes = PASSES
        elif present < users and present - renewed <= present // EXACT_USERS:
            passes = 0
        for _ in range(passes):
            caused = _caused(parts, per_s, met)
            per_s = present / (think_s + _response_s(parts, caused, met))
            renewed = present
        per_s = present / (think_s + _response_s(parts, caused, met))
        point = _point(parts, caused, met, per_s)
        yield point
        met = Met(
            running=point.at_processors + 1,
            at_processors=_suri(per_s * caused.cpu_s / threads, threads, point.at_processors),
            at_disk=_suri(per_s * _disk_held_s(parts, caused), parts.servers, point.at_disk),
            others=per_s * point.response_s,
        )


def at_rate(parts: Parts, rate_per_s: float) -> Point:
    """The network at a rate of arrivals below saturation; what transactions cause each other by several passes."""
    point = _point(parts, _caused(parts, rate_per_s, ALONE), ALONE, rate_per_s)
    for _ in range(OPEN_PASSES):
        met = Met(
            running=point.at_processors + 1,
            at_processors=_waited(rate_per_s, point.caused.cpu_s, parts.threads),
            at_disk=_waited(rate_per_s, _disk_held_s(parts, point.caused) * parts.servers, parts.servers),
            others=rate_per_s * point.response_s,
        )
        point = _point(parts, _caused(parts, rate_per_s, met), met, rate_per_s)
    return point


def _waited(rate_per_s: float, service_s: float, servers: int) -> float:
    """Services that an arrival waits for in M/M/m."""
    if service_s <= 0:
        return 0.0
    load = min(FULL, rate_per_s * service_s / servers)
    return float(queueing.mmc_wait_s(load * servers / service_s, service_s, servers)) / service_s


def _suri(load: float, servers: int, inside: float) -> float:
    """Services that an arrival waits for: Q/m·ρ^(4.464(m^0.676 - 1)) [suri-2007]."""
    if servers == 1:
        return inside
    return float(inside / servers * min(1.0, load) ** (SURI_SCALE * (servers**SURI_POWER - 1)))


def _response_s(parts: Parts, caused: Caused, met: Met) -> float:
    return (
        caused.cpu_s * (1 + met.at_processors)
        + _disk_s(parts, caused) * (1 + met.at_disk) / (1 - caused.behind)
        + caused.fixed_s
    )


def _disk_s(parts: Parts, caused: Caused) -> float:
    """Time of all reads of a transaction, nobody queueing."""
    return parts.disk_s + (parts.reads + parts.scan_reads) * caused.more_s


def _disk_held_s(parts: Parts, caused: Caused) -> float:
    """Of the data disk's capacity, for all reads of a transaction."""
    return parts.disk_held_s + (parts.reads + parts.scan_reads) * caused.more_s / parts.servers


def _point(parts: Parts, caused: Caused, met: Met, per_s: float) -> Point:
    stretch = (1 + met.at_disk) / (1 - caused.behind)
    return Point(
        per_s=per_s,
        response_s=_response_s(parts, caused, met),
        caused=caused,
        run_queue_s=caused.cpu_s * met.at_processors,
        read_s=(parts.read_s + caused.more_s) * stretch,
        scan_read_s=(parts.scan_read_s + caused.more_s) * stretch,
        at_processors=per_s * caused.cpu_s * (1 + met.at_processors),
        at_disk=per_s * _disk_s(parts, caused) * stretch,
    )


def _caused(parts: Parts, per_s: float, met: Met) -> Caused:
    host = parts.system.host
    running = min(parts.threads, met.running)
    latch, pin = _between(parts.latch, running), _between(parts.pin, running)
    speed = processors.thread_speed(running, host.cpus, host.threads_per_core, host.smt_gain_percent / 100)
    undo = changed_blocks.undo_gets(parts.gets, met.others, parts.changes, parts.data.collision)
    undo += changed_blocks.undo_gets(
        parts.hottest_gets, met.others, parts.hottest_changes, 1 / parts.work.hottest_blocks
    )
    cpu = {cause: seconds / speed for cause, seconds in parts.cpu.items()}
    cpu[asked.UNDO] = undo * host.logical_io_s / speed
    cpu[asked.SPINS] = parts.hottest_gets * latch.spin_s / speed
    written = _written(parts, per_s)
    log_s, log_writes = _log(parts, per_s)
    more_s = 0.0
    if parts.system.instance.redo_disk == "data" and log_writes:
        data_per_s = per_s * (parts.reads + parts.scan_reads + written)
        share = data_per_s / (data_per_s + log_writes)
        log_s += share * parts.to_log_s
        more_s = (1 - share) * parts.from_log_s
    behind = per_s * written * (parts.write_held_s + more_s / parts.servers)
    held_s = log_s
    if parts.system.instance.redo_disk == "data":
        behind = min(FULL, behind + log_writes * log_s)
        log_s = log_s + (parts.read_s + more_s) * (met.at_disk + behind / 2) / (1 - behind)
    sync_s = float(commit.log_file_sync_s(per_s * parts.commits, log_s))
    return Caused(
        cpu=cpu,
        cpu_s=sum(cpu.values()),
        undo=undo,
        latch=latch,
        pin=pin,
        written=written,
        behind=min(FULL, behind),
        more_s=more_s,
        log_write_s=log_s,
        log_held_s=held_s,
        log_writes_per_s=log_writes,
        sync_s=sync_s,
        fixed_s=parts.commits * sync_s
        + parts.hottest_gets * latch.wait_s
        + parts.hottest_changes * pin.wait_s
        + parts.trips_s,
    )


def _between(table: list[processors.Contention], running: float) -> processors.Contention:
    """The contention at a mean number of processes, between whole numbers."""
    low = int(running)
    if low >= len(table) - 1:
        return table[-1]
    if table[-1] is table[0]:
        return table[0]
    share = running - low
    return processors.Contention(
        *(a + share * (b - a) for a, b in zip(table[low], table[low + 1], strict=True))
    )


def _written(parts: Parts, per_s: float) -> float:
    """Blocks that DBWR writes for a transaction, at a throughput."""
    if per_s <= 0:
        return parts.changes + parts.hottest_changes
    hottest = changed_blocks.written_per_s(
        per_s * parts.hottest_changes, parts.work.hottest_blocks, parts.system.instance.checkpoint_s
    )
    return (float(hottest) + sum(group.written_per_s for group in dirty_groups(parts, per_s))) / per_s


class DirtyGroup(NamedTuple):
    """What becomes of the changed blocks of a group."""

    written_per_s: float
    age_s: float
    """From the first change to the write."""
    dirty_fraction: float
    """Of its blocks in memory."""


def dirty_groups(parts: Parts, per_s: float) -> list[DirtyGroup]:
    """The hot blocks and the others, at a throughput."""
    found = []
    for share, blocks, held in zip(parts.data.shares, parts.data.blocks, parts.held, strict=True):
        inside = max(held * blocks, LEAST)
        reads_per_s = per_s * parts.gets * share * (1 - held)
        age_s = float(changed_blocks.dirty_age_s(parts.system.instance.checkpoint_s, inside, reads_per_s))
        written = 0.0
        if blocks and share:
            written = float(changed_blocks.written_per_s(per_s * parts.changes * share, blocks, age_s))
        found.append(DirtyGroup(written, age_s, min(1.0, written * age_s / inside)))
    return found


def _log(parts: Parts, per_s: float) -> tuple[float, float]:
    """Time of a log write without a queue, and log writes a second."""
    alone_bytes = float(commit.log_write_bytes(parts.redo_bytes / max(parts.commits, LEAST)))
    write_s = log_service_s(parts, alone_bytes)
    if per_s * parts.commits <= 0:
        return write_s, 0.0
    for _ in range(2):
        writes = float(commit.log_writes_per_s(per_s * parts.commits, write_s))
        write_s = log_service_s(parts, float(commit.log_write_bytes(per_s * parts.redo_bytes / writes)))
    return write_s, float(commit.log_writes_per_s(per_s * parts.commits, write_s))


def log_service_s(parts: Parts, size_bytes: float) -> float:
    """Mean time of a log write, nobody queueing; a write cache answers it."""
    disk = parts.system.disk
    if disk.write_cache_bytes:
        return float(disk_means.overhead_s(disk, True) + size_bytes / disk.bus_bytes_per_s)
    return parts.log_turn_s + float(size_bytes / disk.bandwidth_bytes_per_s)
