"""Processors, data disk and log as a network of queues that transactions go through, user by user or at a rate.

Who comes meets what those before have caused: queues at processors and disk, undo to read, latches that are taken,
a disk busy with DBWR's writes, a log writer under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from model.demand import transactions as asked
from model.laws import changed_blocks, commit, disk_means, processors, queueing
from model.transaction_parts import Parts

LOADS = 256
"""Loads at which the chance that all servers are busy is known, closer to each other the nearer to 1."""
EXACT_USERS = 12
"""Users up to whom what the others cause is found anew for each, by several passes; beyond, for each twelfth more."""
PASSES = 3
STRIDE = 40
"""Users for each of whom strides grow by one."""
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
    behind: Behind
    """Writes on the data disk, beside the reads."""
    more_s: float
    """What a request of the data disk costs more, coming from the log."""
    disk_s: float
    """Time of all reads of a transaction, nobody queueing."""
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
    behind: float
    """Writes there."""
    free_s: float = 0.0
    """Wait for buffers that DBWR has not written yet."""


class Met(NamedTuple):
    """What a transaction finds as it comes."""

    running: float
    """Transactions on the processors, itself included."""
    at_processors: float
    """Services that it waits for."""
    at_disk: float
    """Reads there."""
    share: float
    """Of the requests at the disk that it waits for: 1 where one is served at a time."""
    others: float
    """Transactions under way."""


ALONE = Met(1.0, 0.0, 0.0, 1.0, 0.0)


class Behind(NamedTuple):
    """Writes that go to the data disk beside the reads."""

    writes_per_s: float
    write_s: float
    """Service of one."""
    alone_fraction: float
    """Of DBWR's other writes that one of them does not meet: 1 where it has one under way at a time."""
    logs_per_s: float
    log_s: float

    def queues(self, read_work_s: float, share: float) -> tuple[float, float]:
        """Writes and log writes at the disk, where the reads there are *read_work_s* of work; by Little's law.

        A write waits for reads and a log write for both, but neither DBWR nor the log writer for more of their own
        than they have under way; two linear equations.
        """
        own = self.writes_per_s * share * (1 - self.alone_fraction) * self.write_s
        cross = self.writes_per_s * share * self.log_s * self.logs_per_s * share * self.write_s
        waited_s = share * read_work_s
        wanted = self.writes_per_s * (self.write_s + waited_s)
        wanted += self.writes_per_s * share * self.log_s * self.logs_per_s * (self.log_s + waited_s)
        writes = wanted / max(1 - own - cross, 1 - FULL)
        return writes, self.logs_per_s * (self.log_s + waited_s + share * writes * self.write_s)

    @property
    def load(self) -> float:
        """Work a second."""
        return self.writes_per_s * self.write_s + self.logs_per_s * self.log_s


def closed(parts: Parts, users: int, *, every: bool = True) -> Iterator[Point]:
    """The network with 1, 2, … *users* users, by mean value analysis [reiser-lavenberg-1980].

    Who comes to m servers waits for S/m times those that wait already, and once more if all are busy. That they are
    counts as in M/M/m at the same load, and never with fewer users than servers: exact for one server, and throughput
    stays below m/S, as the chance that all are busy is at least 1 - m(1 - ρ). What the others cause follows from the
    throughput of the same population, and where there are many from that of some users less. If not *every* one is
    wanted, the larger populations come in strides, and who comes meets what a line through the two before says.
    """
    think_s = parts.work.think_s
    caused, met, per_s = _caused(parts, 0.0, ALONE), ALONE, 0.0
    most, by_writer = most_per_s(parts, caused)
    renewed = 0
    known: list[tuple[int, Point]] = []
    for present in _populations(users, every):
        if known:
            met = _met(parts, met, known, present)
            per_s = known[-1][1].per_s
        # NOTE: on the way to many users the first few need not be found as closely as if they were asked for
        few = present <= EXACT_USERS and (every or users <= 2 * EXACT_USERS)
        passes = PASSES if few else int(present - renewed > present // EXACT_USERS)
        for _ in range(PASSES if present == users else passes):
            caused = _caused(parts, per_s, met)
            most, by_writer = most_per_s(parts, caused)
            per_s = min(most, present / (think_s + _response_s(parts, caused, met)))
            renewed = present
        wait = _waits_at_disk(parts, caused, met)
        per_s = min(most, present / (think_s + _response_s(parts, caused, met, wait[0])))
        point = _point(parts, caused, met, per_s, wait)
        if per_s == most:
            _hold_back(parts, point, present / per_s - think_s, by_writer)
        yield point
        known = [*known[-1:], (present, point)]


def _populations(users: int, every: bool) -> Iterator[int]:
    """Numbers of users that are solved: all, or from some on every so many and the last."""
    present = 1
    while present < users:
        yield present
        present += 1 if every else max(1, present // STRIDE)
    yield users


def _met(parts: Parts, met: Met, known: list[tuple[int, Point]], present: int) -> Met:
    """What the last of so many users meets: the network with one user less, on a line through those known."""
    users, point = known[-1]
    ahead = 0.0
    if present - 1 > users and len(known) > 1:
        ahead = (present - 1 - users) / (users - known[0][0])
    before = known[0][1]

    def of_one_less(now: float, then: float) -> float:
        return max(0.0, now + ahead * (now - then))

    at_processors = of_one_less(point.at_processors, before.at_processors)
    at_disk = of_one_less(point.at_disk, before.at_disk)
    per_s = of_one_less(point.per_s, before.per_s)
    load = per_s * point.caused.cpu_s / parts.threads
    return Met(
        running=at_processors + 1,
        at_processors=_share(load, parts.threads, at_processors, present - 1) * at_processors,
        at_disk=at_disk,
        share=_disk_share(parts, point.caused, (per_s, at_disk, point.behind), present - 1),
        others=of_one_less(point.per_s * point.response_s, before.per_s * before.response_s),
    )


def most_per_s(parts: Parts, caused: Caused) -> tuple[float, bool]:
    """Transactions a second that the disks can do, and DBWR, who writes what they change; whether it is he."""
    behind = caused.behind
    requests = parts.requests
    held_s = max(parts.disk_held_s + requests * caused.more_s / parts.servers, LEAST)
    held_s += caused.written * behind.write_s / parts.servers
    disk = max(LEAST, 1 - behind.logs_per_s * behind.log_s / parts.servers) / held_s
    if parts.system.instance.redo_disk == "own" and parts.redo_bytes:
        disk = min(disk, float(disk_means.sequential_bytes_per_s(parts.system.disk, True)) / parts.redo_bytes)
    under_way = min(parts.servers, parts.system.instance.db_writer_requests)
    writer = under_way / max(caused.written * behind.write_s, LEAST)
    return min(disk, writer), writer < disk


def _hold_back(parts: Parts, point: Point, response_s: float, by_writer: bool) -> None:
    """Let a response be as long as throughput at its most makes it: reads wait for the disk, or all for DBWR."""
    longer_s = max(0.0, response_s - point.response_s)
    requests = parts.requests
    point.response_s += longer_s
    if by_writer or requests < LEAST:
        point.free_s = longer_s
        return
    point.read_s += longer_s / requests
    point.scan_read_s += longer_s / requests
    point.at_disk += point.per_s * longer_s


def at_rate(parts: Parts, rate_per_s: float) -> Point:
    """The network at a rate of arrivals below saturation; what transactions cause each other by several passes."""
    met = ALONE
    point = unhindered(parts, rate_per_s)
    requests = max(parts.requests, LEAST)
    for _ in range(OPEN_PASSES):
        caused = point.caused
        share = _disk_share(parts, caused, (rate_per_s, point.at_disk, point.behind))
        each_s = caused.disk_s / requests
        if _is_set(parts):
            waited = _waited(rate_per_s * requests / parts.servers, each_s, 1)
        else:
            waited = _waited(rate_per_s * requests, each_s, parts.servers)
        met = Met(
            running=point.at_processors + 1,
            at_processors=_waited(rate_per_s, caused.cpu_s, parts.threads),
            at_disk=max(waited / max(share, LEAST), point.at_disk if caused.behind.load else 0.0),
            share=share,
            others=rate_per_s * point.response_s,
        )
        caused = _caused(parts, rate_per_s, met)
        point = _point(parts, caused, met, rate_per_s, _waits_at_disk(parts, caused, met))
    return point


def unhindered(parts: Parts, rate_per_s: float) -> Point:
    """What transactions cause and do at a rate, if none met another."""
    caused = _caused(parts, rate_per_s, ALONE)
    return _point(parts, caused, ALONE, rate_per_s, _waits_at_disk(parts, caused, ALONE))


def _waited(rate_per_s: float, service_s: float, servers: int) -> float:
    """Services that an arrival waits for in M/M/m."""
    if service_s <= 0:
        return 0.0
    load = min(FULL, rate_per_s * service_s / servers)
    return float(queueing.mmc_wait_s(load * servers / service_s, service_s, servers)) / service_s


def _share(load: float, servers: int, inside: float, users: float = inf) -> float:
    """Services that an arrival at a station waits for, for each of the *inside* that are there."""
    if servers == 1:
        return 1.0
    if inside <= LEAST:
        return 0.0
    waiting = max(0.0, inside - min(1.0, load) * servers)
    full = _all_busy_fraction(load, servers) if users >= servers else 0.0
    return (waiting + full) / servers / inside


def _all_busy_fraction(load: float, servers: int) -> float:
    """Chance that all servers are busy, Erlang's C [kleinrock-1975], by chords; as C is convex, these lie above."""
    if load >= 1:
        return 1.0
    place = (1 - (1 - load) ** 0.5) * LOADS
    low = int(place)
    below, above = _erlang(servers)[low : low + 2]
    return float(below + (place - low) * (above - below))


@lru_cache(maxsize=16)
def _erlang(servers: int) -> list[float]:
    """Erlang's C at all loads 1 - (1 - k/n)²."""
    import numpy as np  # noqa: PLC0415

    loads = 1 - (1 - np.arange(LOADS + 1) / LOADS) ** 2
    found: list[float] = queueing.mmc_waiting_fraction(loads * servers, 1.0, servers).tolist()
    return [*found, 1.0]


def _disk_share(parts: Parts, caused: Caused, load: tuple[float, float, float], users: float = inf) -> float:
    """As :func:`_share` has it, of the data disk with its writes; members of a set have queues of their own.

    *load* is the throughput, the reads and the writes there.
    """
    if parts.servers == 1 or _is_set(parts):
        return 1 / parts.servers
    per_s, reads, writes = load
    busy = (per_s * caused.disk_s + caused.behind.load) / parts.servers
    return _share(busy, parts.servers, reads + writes, inf if writes else users)


def _is_set(parts: Parts) -> bool:
    """Whether the data disk is a set of disks."""
    return bool(parts.system.disk.raid_level != "none")


def _waits_at_disk(parts: Parts, caused: Caused, met: Met) -> tuple[float, float]:
    """Time that a read waits for those before it, and the writes that it finds there."""
    read_work_s = met.at_disk * caused.disk_s / max(parts.requests, LEAST)
    behind = caused.behind
    if not behind.load:
        return met.share * read_work_s, 0.0
    writes, logs = behind.queues(read_work_s, met.share)
    return met.share * (read_work_s + writes * behind.write_s + logs * behind.log_s), writes + logs


def _response_s(parts: Parts, caused: Caused, met: Met, wait_s: float | None = None) -> float:
    """Response of who meets these queues; *wait_s* is the wait of a read, if it is known."""
    requests = parts.requests
    if wait_s is None:
        wait_s, _ = _waits_at_disk(parts, caused, met)
    return caused.cpu_s * (1 + met.at_processors) + caused.disk_s + requests * wait_s + caused.fixed_s


def _point(parts: Parts, caused: Caused, met: Met, per_s: float, wait: tuple[float, float]) -> Point:
    wait_s, behind = wait
    requests = parts.requests
    return Point(
        per_s=per_s,
        response_s=_response_s(parts, caused, met, wait_s),
        caused=caused,
        run_queue_s=caused.cpu_s * met.at_processors,
        read_s=parts.read_s + caused.more_s + wait_s,
        scan_read_s=parts.scan_read_s + caused.more_s + wait_s,
        at_processors=per_s * caused.cpu_s * (1 + met.at_processors),
        at_disk=per_s * (caused.disk_s + requests * wait_s),
        behind=behind,
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
    written = written_of(parts, per_s)
    log_s, log_writes, more_s = log_of(parts, per_s, written)
    shared = parts.system.instance.redo_disk == "data"
    depth = parts.system.instance.db_writer_requests
    behind = Behind(
        writes_per_s=per_s * written,
        write_s=parts.write_held_s * parts.servers + more_s,
        alone_fraction=1 / depth,
        logs_per_s=log_writes if shared else 0.0,
        log_s=log_s,
    )
    held_s = log_s
    if shared:
        read_work_s = met.at_disk * parts.disk_s / max(parts.requests, LEAST)
        writes, _ = behind.queues(read_work_s, met.share)
        log_s += met.share * (read_work_s + writes * behind.write_s)
    sync_s = float(commit.log_file_sync_s(per_s * parts.commits, log_s))
    return Caused(
        cpu=cpu,
        cpu_s=sum(cpu.values()),
        undo=undo,
        latch=latch,
        pin=pin,
        written=written,
        behind=behind,
        more_s=more_s,
        disk_s=parts.disk_s + parts.requests * more_s,
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


def written_of(parts: Parts, per_s: float) -> float:
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
    leave_per_s: float
    """How often one of these leaves the cache."""


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
        found.append(DirtyGroup(written, age_s, min(1.0, written * age_s / inside), reads_per_s / inside))
    return found


def log_of(parts: Parts, per_s: float, written: float) -> tuple[float, float, float]:
    """What the log does at a throughput with *written* blocks of a transaction: how long a write holds the disk,
    writes a second, and how much longer a read or write of data takes as the heads come back from the log.
    """
    log_s, log_writes = _log(parts, per_s)
    if parts.system.instance.redo_disk != "data" or not log_writes:
        return log_s, log_writes, 0.0
    data_per_s = per_s * (parts.requests + written)
    share = data_per_s / (data_per_s + log_writes)
    return log_s + share * parts.to_log_s, log_writes, (1 - share) * parts.from_log_s


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
    return parts.log_turn_s + float(size_bytes / disk_means.rate_bytes_per_s(disk, True))
