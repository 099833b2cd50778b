"""Processors, data disk and log as a network of queues that transactions go through, user by user or at a rate.

Who comes meets what those before have caused: queues at processors and disk, undo to read, latches that are taken,
a disk busy with DBWR's writes, a log writer under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, inf

from model.errors import OutsideLaw
from model.laws.bursts import found_behind, left_fraction
from model.laws.changed_blocks import undo_gets
from model.laws.commit import longest_sync_s
from model.laws.processors import Contention, speed_of
from model.workloads.transactions.disk import LEAST
from model.workloads.transactions.parts import LOADS, Parts
from model.workloads.transactions.writers import (
    FULL,
    Demands,
    DueWrites,
    Log,
    LogUse,
    Writes,
    disk_demands,
    due_at,
    log_at,
    log_of,
    log_that_turns,
    no_writes,
    reads_at_most,
    waited,
    writes_of,
)

CPUS = "processors"
AT_DISK, AT_PROCESSORS, AT_DBWR, AT_LOG = 0, 1, 2, 3
"""Where who is held back waits."""
EXACT_USERS = 12
"""Users up to whom each network is solved by several passes."""
PASSES = 3
OPEN_PASSES = 12


@dataclass
class CausedByOthers:
    """What others cause one transaction, at a throughput."""

    running: float
    """Transactions on the processors."""
    speed: float
    """Of each of these, 1 for one alone."""
    cpu_s: float
    undo: float
    """Extra gets."""
    spin_s: float
    """Of a get of the hottest blocks, for the latch."""
    asleep_s: float
    """Of a transaction, waiting for latches and buffers of the hottest blocks."""
    more_s: float
    """What a request of the data disk costs more, coming from the log, or less than nothing where many are sorted."""
    near_s: float
    """Of a transaction, what reads of its scans cost less, as nobody's come between."""
    disk_s: float
    """Time of all reads of a transaction, nobody queueing."""


@dataclass
class Point:
    """The network at one load."""

    per_s: float
    response_s: float
    caused: CausedByOthers
    writes: Writes
    log: Log
    run_queue_s: float
    read_s: float
    """Each single-block read."""
    scan_read_s: float
    parallel_s: float
    """Each wait for reads that are handed over at once."""
    each_s: float
    """Each single-block read at the device, alone or in a batch, on average."""
    at_processors: float
    """Transactions there, waiting or running."""
    in_slots: float
    """Reads that the disk works on beside each other, and those that wait for that."""
    at_disk: float
    """Reads there, those in slots where it has no more than these."""
    unseen: float
    """Of them those behind a burst of writes that nobody who comes finds: they all wait, so nobody comes."""
    free_s: float = 0.0
    """Wait for buffers that DBWR has not written yet."""
    space_s: float = 0.0
    """Wait for room in the log buffer."""


@dataclass
class StateOnArrival:
    """What a transaction finds as it comes."""

    running: float
    """Transactions on the processors, itself included."""
    at_processors: float
    """Services that it waits for."""
    slots: float
    """Services in slots of the disk that it waits for."""
    serial: float
    """Services of what the disk does one by one that it waits for, each a share of its capacity."""
    per_s: float
    """Throughput of the others."""
    others: float
    """Transactions under way."""
    at_disk: float
    """Reads there."""
    undisturbed: float
    """Chance that nobody's read comes between two of a scan."""


def alone() -> StateOnArrival:
    """Nobody else."""
    return StateOnArrival(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def closed(parts: Parts, users: int, most_per_s: float = inf, most_at: int = AT_DISK) -> Iterator[Point]:
    """The network with 1, 2, … *users* users, by mean value analysis [reiser-lavenberg-1980].

    Who comes to m servers waits for S/m times those that wait already, and once more if all are busy, but for what is
    left of a service that does not vary by chance: (1 + c²)/2 of it [kleinrock-1975]. That all are busy counts as in
    M/M/m at the same load, and never with fewer users than servers: exact for one server of exponential services, and
    throughput stays below m/S, as the chance that all are busy is at least 1 - m(1 - ρ). What the others cause follows
    from the throughput of the same population, and where there are many from that of one user less. No resource does
    more than all its time allows, and the system no more than *most_per_s*, where it is long saturated and who is held
    back waits at *most_at*. Raises :class:`OutsideLaw` where neither a transaction nor a pause takes time.
    """
    point: Point = unhindered(parts, 0.0)
    if parts.think_s + point.response_s <= 0:
        raise OutsideLaw(
            "a transaction takes no time and workload.think_s is 0, so there is no end of them: give "
            "workload.think_s, client.round_trip_s or host.call_s more than 0"
        )
    for present in range(1, users + 1):
        point = _with(parts, present, users, point, most_per_s, most_at)
        yield point


def _with(parts: Parts, present: int, users: int, before: Point, most_per_s: float, most_at: int) -> Point:
    """The network with so many of the users, if it was so *before* the last one came."""
    met: StateOnArrival = alone() if present == 1 else _met(parts, before, present)
    per_s, ends_per_s = before.per_s, most_per_s
    demands: Demands = Demands(0.0, 0.0, 0.0)
    for _ in range(PASSES if present == users or present <= EXACT_USERS else 1):
        due: DueWrites = due_at(parts, max(per_s, LEAST))
        point: Point = _point(parts, per_s, due, met)
        caused: CausedByOthers = point.caused
        demands = disk_demands(parts, due.per_s, due, caused.more_s, _queue_s(parts, met), met.at_disk)
        demands.data_s -= caused.near_s / parts.disk.servers
        # NOTE: few users whose scans nobody disturbs do more than many
        ends_per_s = min(
            inf if caused.near_s > LEAST else most_per_s,
            1 / max(demands.data_s, demands.dbwr_s, demands.redo_s, LEAST),
        )
        per_s = min(ends_per_s, present / (parts.think_s + point.response_s))
    point = _point(parts, per_s, due_at(parts, per_s), met)
    per_s = min(ends_per_s, present / (parts.think_s + point.response_s))
    _scale(point, per_s)
    if per_s == ends_per_s:
        at = most_at
        if per_s < most_per_s:
            at = AT_DBWR if demands.dbwr_s > max(demands.data_s, demands.redo_s) else AT_DISK
            if demands.redo_s > max(demands.data_s, demands.dbwr_s):
                at = AT_LOG
        _hold_back(parts, point, present / per_s - parts.think_s, at)
    return point


def _met(parts: Parts, point: Point, present: int) -> StateOnArrival:
    """What the last of so many users meets: the network with one user less."""
    disk, caused, per_s = parts.disk, point.caused, point.per_s
    at_disk = min(point.at_disk, reads_at_most(parts, per_s))
    seen_at_disk = max(0.0, at_disk - point.unseen)
    others, groups = present - 1.0, disk.members / disk.copies
    requests = others * parts.at_once
    return StateOnArrival(
        point.at_processors + 1,
        _waiting(
            per_s * caused.cpu_s / parts.threads,
            parts.threads_busy,
            parts.threads,
            point.at_processors,
            parts.cpu_scv,
            others,
        ),
        _waiting(
            per_s * parts.requests * disk.slot_s / disk.servers,
            parts.slots_busy,
            disk.in_slot_group,
            point.in_slots * disk.in_slot_group / disk.servers,
            disk.slot_scv,
            requests,
        ),
        disk.members
        * _waiting(
            per_s * _serial_s(parts, caused),
            parts.copies_busy,
            disk.copies,
            seen_at_disk / groups,
            disk.serial_scv,
            requests,
        ),
        per_s,
        per_s * point.response_s,
        at_disk,
        _undisturbed(parts, point, per_s, others),
    )


def _undisturbed(parts: Parts, point: Point, per_s: float, others: float) -> float:
    """Chance that none of so many others reads from the same disk between the begins of two reads of a scan."""
    if not parts.scans_go_on or not parts.disk.scan_near_s:
        return 0.0
    apart_s = point.scan_read_s + point.caused.cpu_s / (parts.disk_waits + 1)
    come = per_s * parts.requests * apart_s / parts.disk.members
    if others == inf:
        return exp(-come)
    chance: float = (1 - min(1.0, come / others)) ** others
    return chance


def _serial_s(parts: Parts, caused: CausedByOthers) -> float:
    """What the reads of a transaction take of the disk's capacity to serve one by one."""
    more_s = parts.requests * caused.more_s - caused.near_s
    return max(0.0, parts.serial_s + (more_s / parts.disk.members if parts.serial_s else 0.0))


def _hold_back(parts: Parts, point: Point, response_s: float, at: int) -> None:
    """Let a response be as long as throughput at its most makes it: for a processor, the disk, DBWR, or the log."""
    longer_s = max(0.0, response_s - point.response_s)
    requests, waits = parts.requests, max(parts.disk_waits, LEAST)
    each_waits = requests / waits
    point.response_s += longer_s
    if at == AT_PROCESSORS:
        point.run_queue_s += longer_s
        point.at_processors += point.per_s * longer_s
        return
    if at == AT_LOG:
        full_s = longest_sync_s(parts.log_buffer_bytes, max(LEAST, point.per_s * parts.redo_bytes))
        synced_s = min(longer_s, parts.commits * max(0.0, full_s - point.log.sync_s))
        point.space_s = longer_s - synced_s
        if parts.commits:
            point.log.sync_s += synced_s / parts.commits
        return
    if at == AT_DBWR or requests < LEAST:
        point.free_s = longer_s
        return
    room = max(0.0, reads_at_most(parts, point.per_s) - point.at_disk) / each_waits
    queued_s = min(longer_s, room / point.per_s)
    point.free_s = longer_s - queued_s
    point.read_s += queued_s / waits
    point.scan_read_s += queued_s / waits
    point.parallel_s += queued_s / waits
    point.each_s += queued_s / waits
    point.at_disk += point.per_s * queued_s * each_waits


def at_rate(parts: Parts, rate_per_s: float) -> Point:
    """The network at a rate of arrivals below saturation; what transactions cause each other by several passes."""
    disk, requests = parts.disk, parts.requests
    copies, groups = disk.copies, disk.members / disk.copies
    point: Point = unhindered(parts, rate_per_s)
    due: DueWrites = due_at(parts, rate_per_s)
    for _ in range(OPEN_PASSES):
        caused = point.caused
        read_s = _serial_s(parts, caused) * disk.members / max(requests, LEAST)
        in_group = waited(rate_per_s * requests / groups, read_s, copies)
        gap_s = caused.cpu_s / (parts.disk_waits + 1)
        left = left_fraction(disk.serial_scv, read_s, gap_s, parts.disk_waits)
        # NOTE: batches come at once: who comes finds what is left of a whole one [kleinrock-1975]
        left += parts.own_bulk / groups
        slots_left = (1 + disk.slot_scv) / 2
        slots_left += parts.own_bulk * disk.in_slot_group / disk.servers
        slots_per_s = rate_per_s * requests * disk.in_slot_group / disk.servers
        met: StateOnArrival = StateOnArrival(
            point.at_processors + 1,
            waited(rate_per_s, caused.cpu_s, parts.threads) * (1 + parts.cpu_scv) / 2,
            waited(slots_per_s, disk.slot_s, disk.in_slot_group) * slots_left,
            disk.members * in_group * left,
            rate_per_s,
            rate_per_s * point.response_s,
            point.at_disk,
            _undisturbed(parts, point, rate_per_s, inf),
        )
        point = _point(parts, rate_per_s, due, met)
    return point


def _queue_s(parts: Parts, met: StateOnArrival) -> float:
    """Wait of a read for the reads before it."""
    return met.slots * parts.disk.slot_s + met.serial * parts.serial_s / max(parts.requests, LEAST)


def unhindered(parts: Parts, rate_per_s: float) -> Point:
    """What transactions cause and do at a rate, if none met another."""
    return _point(parts, rate_per_s, due_at(parts, rate_per_s), alone())


def _waiting(
    load: float, all_busy: list[float], servers: int, inside: float, scv: float, users: float
) -> float:
    """Services that an arrival at a station waits for, of the *inside* that are there."""
    if inside <= LEAST:
        return 0.0
    busy = min(1.0, load, inside)
    waiting = max(0.0, inside - busy * servers)
    full = 0.0
    if users >= servers:
        full = busy if servers == 1 else _all_busy_fraction(load, all_busy)
    return (waiting + full * (1 + scv) / 2) / servers


def _all_busy_fraction(load: float, known: list[float]) -> float:
    """Chance that all servers are busy, Erlang's C [kleinrock-1975], by chords; as C is convex, these lie above."""
    if load >= 1:
        return 1.0
    place: float = (1 - (1 - load) ** 0.5) * LOADS
    low = int(place)
    below: float = known[low]
    above: float = known[low + 1]
    return below + (place - low) * (above - below)


def _point(parts: Parts, per_s: float, due: DueWrites, met: StateOnArrival) -> Point:
    """The network at a throughput, at which so much is *due*, for one who meets this."""
    disk, requests, shared = parts.disk, parts.requests, parts.redo_on_data
    caused: CausedByOthers = caused_at(parts, per_s, due, met)
    serial_s = _serial_s(parts, caused) / max(requests, LEAST)
    slots_s = met.slots * disk.slot_s
    queued_s = met.serial * serial_s
    wait_s = slots_s + queued_s
    slots_load = min(1.0, met.per_s * requests * disk.slot_s / disk.servers)
    serial_load = min(1.0, met.per_s * serial_s * requests)
    batch_wait_s = disk.batch_wait_s(parts.at_once, slots_s, slots_load, queued_s, serial_load)
    # NOTE: a log on a disk of its own waits with the data's requests for the limit of their host
    log_waits_s = wait_s if shared else queued_s if parts.log_limit_s else 0.0
    log_use: LogUse = log_of(parts, per_s, due.wanted, log_waits_s if parts.log_limit_s else wait_s)
    log_s = log_use.held_s
    log_load = log_use.writes_per_s * (log_s / disk.servers if shared else parts.log_limit_s)
    reads_load = met.per_s * (parts.disk_held_s + (requests * caused.more_s - caused.near_s) / disk.servers)
    writes: Writes = writes_of(parts, due, min(FULL, reads_load), met.at_disk, caused.more_s, log_load)
    run_queue_s = caused.cpu_s * met.at_processors
    cpu_s = caused.cpu_s + run_queue_s
    held_up_s = log_load * (log_s + wait_s if shared else parts.log_limit_s + queued_s)
    batch_wait_s += held_up_s
    wait_s += held_up_s
    waits, batches = parts.disk_waits, parts.parallel_waits
    disk_s = caused.disk_s + (waits - batches) * wait_s + batches * batch_wait_s
    # NOTE: what a controller's cache holds passes the writes
    missed = waits * (1 - disk.read_hit_fraction)
    gap_s = cpu_s / (missed + 1) + disk.before_serial_s
    inside_s, asleep_s = cpu_s + disk_s, parts.apart_s + caused.asleep_s
    late_s = gap_s + asleep_s
    users, away_s, left = inf, inf, 1 - min(FULL, reads_load)
    if not parts.open_loop:
        users, away_s, left = max(1.0, met.others + per_s * parts.think_s), parts.think_s + asleep_s, 1.0
    delayed_s = writes.delay_s(users, away_s, gap_s, inside_s, missed, late_s) / left
    if shared or not parts.log_turns:
        behind = writes if shared or parts.log_limit_s else no_writes(0.0, 0.0)
        log: Log = log_at(parts, per_s, met.per_s, log_s, wait_s if shared else log_waits_s, behind)
    else:
        by_chance_s = run_queue_s + disk_s + delayed_s + parts.think_s * min(1.0, parts.think_cv)
        fixed_s = caused.cpu_s + asleep_s + parts.think_s * max(0.0, 1 - parts.think_cv)
        log = log_that_turns(parts, per_s, met.per_s, fixed_s, inf if parts.open_loop else by_chance_s)
    sync_s = parts.commits * log.sync_s
    # NOTE: reads pile up behind a burst; a closed network knows them as those that are there
    delayed_s = writes.delay_s(users, away_s + sync_s, gap_s, inside_s, missed, late_s) / left
    each_s = delayed_s / max(waits, LEAST)
    queued = per_s * delayed_s * requests / max(waits, LEAST)
    seen = found_behind(users * parts.at_once, per_s * requests, writes.requests * writes.held_s, writes.load)
    own_s = parts.own_serial * serial_s * disk.members
    own_each_s = (own_s + parts.own_slots * disk.slot_s) / max(parts.reads, LEAST)
    alike_s = caused.more_s + wait_s + each_s
    parallel_s = 0.0
    if batches:
        parallel_s = parts.batch_s + parts.at_once * caused.more_s + batch_wait_s + each_s
    return Point(
        per_s,
        inside_s + delayed_s + sync_s + asleep_s,
        caused,
        writes,
        log,
        run_queue_s,
        disk.read_s + alike_s,
        disk.scan_read_s + alike_s - caused.near_s / max(parts.scan_reads, LEAST),
        parallel_s,
        disk.read_s + alike_s + own_each_s,
        per_s * cpu_s,
        per_s * (requests * (disk.slot_s + slots_s) + parts.own_slots * disk.slot_s),
        per_s * (requests * (serial_s * disk.members + wait_s - slots_s + each_s) + own_s),
        # NOTE: the members of a set end a burst one after the other, so that users come while others still wait
        max(0.0, queued - seen) if disk.members == 1 else 0.0,
    )


def _scale(point: Point, per_s: float) -> None:
    """Let a point be at a throughput next to its own."""
    times = per_s / point.per_s if point.per_s else 0.0
    point.at_processors *= times
    point.in_slots *= times
    point.at_disk *= times
    point.unseen *= times
    point.per_s = per_s


def caused_at(parts: Parts, per_s: float, due: DueWrites, met: StateOnArrival) -> CausedByOthers:
    """What others cause at a throughput, at which so much is *due*."""
    running = min(float(parts.threads), met.running)
    speed = speed_of(
        running, parts.cores, parts.threads_per_core, parts.smt_gain_fraction, parts.busy_loss_fraction
    )
    undo = undo_gets(parts.gets, met.others, parts.changes, parts.collision)
    undo += undo_gets(parts.hottest_gets, met.others, parts.hottest_changes, 1 / parts.hottest_blocks)
    spin_s = contended(parts.latch, running, 0)
    cpu_s = parts.cpu_s + undo * parts.logical_io_s + parts.hottest_gets * spin_s
    more_s = 0.0
    if parts.redo_on_data:
        log: LogUse = log_of(parts, per_s, due.wanted, _queue_s(parts, met))
        more_s = log.later_s
    reads_fraction = parts.requests / max(parts.requests + due.wanted, LEAST)
    more_s -= parts.disk.sorted_s(met.at_disk + parts.own_bulk, reads_fraction)
    more_s *= 1 - parts.disk.read_hit_fraction
    near_s = parts.scans_go_on * parts.disk.scan_near_s * met.undisturbed
    return CausedByOthers(
        running,
        speed,
        cpu_s / speed,
        undo,
        spin_s,
        parts.hottest_gets * contended(parts.latch, running, 1)
        + parts.hottest_changes * contended(parts.pin, running, 1),
        more_s,
        near_s,
        parts.disk_s + parts.requests * more_s - near_s,
    )


def contended(table: list[Contention], running: float, column: int) -> float:
    """A number of the contention at a mean number of processes, between whole numbers."""
    low = int(running)
    if low >= len(table) - 1:
        last: float = table[len(table) - 1][column]
        return last
    below: float = table[low][column]
    above: float = table[low + 1][column]
    return below + (running - low) * (above - below)
