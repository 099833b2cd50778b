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
from model.demand.transactions import DBWR, REDO
from model.errors import OutsideLaw
from model.laws import bursts, changed_blocks, commit, processors, queueing
from model.workloads.transactions.disk import LEAST
from model.workloads.transactions.parts import Parts
from model.workloads.transactions.writers import (
    FULL,
    NONE,
    Log,
    Writes,
    disk_demands_s,
    log_at,
    log_of,
    reads_at_most,
    turning_log,
    waited,
    writes_of,
    written_of,
)

CPUS = "processors"
LOADS = 256
"""Loads at which the chance that all servers are busy is known, closer to each other the nearer to 1."""
EXACT_USERS = 12
"""Users up to whom, where few are asked for, each network is solved by several passes."""
PASSES = 3
EVERY_USERS = 40
"""Users up to whom no number of them is left out."""
STRIDE = 8
"""Users beyond these for each of whom strides grow by one."""
OPEN_PASSES = 12


@dataclass(slots=True)
class Caused:
    """What others cause one transaction, at a throughput."""

    cpu: dict[str, float]
    cpu_s: float
    undo: float
    """Extra gets."""
    latch: processors.Contention
    pin: processors.Contention
    more_s: float
    """What a request of the data disk costs more, coming from the log, or less than nothing where many are sorted."""
    disk_s: float
    """Time of all reads of a transaction, nobody queueing."""


@dataclass(slots=True)
class Point:
    """The network at one load."""

    per_s: float
    response_s: float
    caused: Caused
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


class Met(NamedTuple):
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


ALONE = Met(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Most(NamedTuple):
    """What throughput ends at."""

    per_s: float
    resource: str


ENDLESS = Most(inf, "")


def closed(parts: Parts, users: int, most: Most = ENDLESS, *, every: bool = True) -> Iterator[Point]:
    """The network with 1, 2, … *users* users, by mean value analysis [reiser-lavenberg-1980].

    Who comes to m servers waits for S/m times those that wait already, and once more if all are busy, but for what is
    left of a service that does not vary by chance: (1 + c²)/2 of it [kleinrock-1975]. That all are busy counts as in
    M/M/m at the same load, and never with fewer users than servers: exact for one server of exponential services, and
    throughput stays below m/S, as the chance that all are busy is at least 1 - m(1 - ρ). What the others cause follows
    from the throughput of the same population, and where there are many from that of some users less. If not *every*
    one is wanted, the larger populations come in strides, and who comes meets what a line through the two before says.
    No resource does more than all its time allows, and the system no more than at *most*, where it is long saturated.
    Raises :class:`OutsideLaw` where neither a transaction nor a pause takes time.
    """
    think_s = parts.work.think_s
    if think_s + unhindered(parts, 0.0).response_s <= 0:
        raise OutsideLaw(
            "a transaction takes no time and workload.think_s is 0, so there is no end of them: give "
            "workload.think_s, client.round_trip_s or host.call_s more than 0"
        )
    met, per_s = ALONE, 0.0
    known: list[tuple[int, Point]] = []
    for present in _populations(users, every):
        if known:
            met = _met(parts, met, known, present)
            per_s = known[-1][1].per_s
        # NOTE: on the way to many users none need be found as closely as if it were asked for
        on_the_way = not every and present < users and users > 2 * EXACT_USERS
        if on_the_way and len(known) > 1:
            per_s = _on_line(known, present, known[-1][1].per_s, known[0][1].per_s)
        for _ in range(PASSES if present == users or (present <= EXACT_USERS and not on_the_way) else 1):
            point = _point(parts, per_s, met)
            demands = disk_demands_s(
                parts, max(per_s, LEAST), point.caused.more_s, _queue_s(parts, met), met.at_disk
            )
            ends = min(most, *(Most(1 / max(demand, LEAST), name) for name, demand in demands.items()))
            per_s = min(ends.per_s, present / (think_s + point.response_s))
        if not on_the_way or len(known) < 2:
            point = _point(parts, per_s, met)
            per_s = min(ends.per_s, present / (think_s + point.response_s))
        point = _scaled(point, per_s)
        if per_s == ends.per_s:
            _hold_back(parts, point, present / per_s - think_s, ends.resource)
        yield point
        known = [*known[-1:], (present, point)]


def _on_line(known: list[tuple[int, Point]], present: int, now: float, then: float) -> float:
    """What a line through its values at the two numbers of users that are *known* says for so many, at least 0."""
    if len(known) < 2:
        return max(0.0, now)
    users = known[-1][0]
    return max(0.0, now + (present - users) / (users - known[0][0]) * (now - then))


def _populations(users: int, every: bool) -> Iterator[int]:
    """Numbers of users that are solved: all, or from some on every so many and the last."""
    present = 1
    while present < users:
        yield present
        present += 1 if every else 1 + max(0, present - EVERY_USERS) // STRIDE
    yield users


def _met(parts: Parts, met: Met, known: list[tuple[int, Point]], present: int) -> Met:
    """What the last of so many users meets: the network with one user less, on a line through those known."""
    point, before = known[-1][1], known[0][1]

    def of_one_less(now: float, then: float) -> float:
        return _on_line(known, present - 1, now, then)

    per_s = of_one_less(point.per_s, before.per_s)
    at_processors = of_one_less(point.at_processors, before.at_processors)
    in_slots = of_one_less(point.in_slots, before.in_slots)
    at_disk = min(of_one_less(point.at_disk, before.at_disk), reads_at_most(parts, per_s))
    found = max(0.0, at_disk - of_one_less(point.unseen, before.unseen))
    others, groups = present - 1, parts.disk.members / parts.disk.copies
    load = per_s * point.caused.cpu_s / parts.threads
    slots_load = per_s * parts.requests * parts.disk.slot_s / parts.disk.servers
    serial_load = per_s * _serial_s(parts, point.caused)
    requests = others * parts.at_once
    return Met(
        running=at_processors + 1,
        at_processors=_waiting(load, parts.threads, at_processors, parts.cpu_scv, others),
        slots=_waiting(
            slots_load,
            parts.disk.in_slot_group,
            in_slots * parts.disk.in_slot_group / parts.disk.servers,
            parts.disk.slot_scv,
            requests,
        ),
        serial=parts.disk.members
        * _waiting(serial_load, parts.disk.copies, found / groups, parts.disk.serial_scv, requests),
        per_s=per_s,
        others=of_one_less(point.per_s * point.response_s, before.per_s * before.response_s),
        at_disk=at_disk,
    )


def _serial_s(parts: Parts, caused: Caused) -> float:
    """What the reads of a transaction take of the disk's capacity to serve one by one."""
    return parts.serial_s + (parts.requests * caused.more_s / parts.disk.members if parts.serial_s else 0.0)


def _hold_back(parts: Parts, point: Point, response_s: float, resource: str) -> None:
    """Let a response be as long as throughput at its most makes it: for a processor, the disk, DBWR, or the log."""
    longer_s = max(0.0, response_s - point.response_s)
    requests, waits = parts.requests, max(parts.disk_waits, LEAST)
    each_waits = requests / waits
    point.response_s += longer_s
    if resource == CPUS:
        point.run_queue_s += longer_s
        point.at_processors += point.per_s * longer_s
        return
    if resource == REDO:
        full_s = commit.longest_sync_s(
            parts.system.instance.log_buffer_bytes, max(LEAST, point.per_s * parts.redo_bytes)
        )
        synced_s = min(longer_s, parts.commits * max(0.0, float(full_s) - point.log.sync_s))
        point.space_s = longer_s - synced_s
        if parts.commits:
            point.log = point.log._replace(sync_s=point.log.sync_s + synced_s / parts.commits)
        return
    if resource == DBWR or requests < LEAST:
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
    point = unhindered(parts, rate_per_s)
    for _ in range(OPEN_PASSES):
        caused = point.caused
        copies, groups = parts.disk.copies, parts.disk.members / parts.disk.copies
        read_s = _serial_s(parts, caused) * parts.disk.members / max(parts.requests, LEAST)
        in_group = waited(rate_per_s * parts.requests / groups, read_s, copies)
        gap_s = caused.cpu_s / (parts.disk_waits + 1)
        left = bursts.left_fraction(parts.disk.serial_scv, read_s, gap_s, parts.disk_waits)
        # NOTE: batches come at once: who comes finds what is left of a whole one [kleinrock-1975]
        left += parts.own_bulk / groups
        slots_left = (1 + parts.disk.slot_scv) / 2
        slots_left += parts.own_bulk * parts.disk.in_slot_group / parts.disk.servers
        met = Met(
            running=point.at_processors + 1,
            at_processors=waited(rate_per_s, caused.cpu_s, parts.threads) * (1 + parts.cpu_scv) / 2,
            slots=waited(
                rate_per_s * parts.requests * parts.disk.in_slot_group / parts.disk.servers,
                parts.disk.slot_s,
                parts.disk.in_slot_group,
            )
            * slots_left,
            serial=parts.disk.members * in_group * left,
            per_s=rate_per_s,
            others=rate_per_s * point.response_s,
            at_disk=point.at_disk,
        )
        point = _point(parts, rate_per_s, met)
    return point


def _queue_s(parts: Parts, met: Met) -> float:
    """Wait of a read for the reads before it."""
    return met.slots * parts.disk.slot_s + met.serial * parts.serial_s / max(parts.requests, LEAST)


def unhindered(parts: Parts, rate_per_s: float) -> Point:
    """What transactions cause and do at a rate, if none met another."""
    return _point(parts, rate_per_s, ALONE)


def _waiting(load: float, servers: int, inside: float, scv: float, users: float) -> float:
    """Services that an arrival at a station waits for, of the *inside* that are there."""
    if inside <= LEAST:
        return 0.0
    busy = min(1.0, load, inside)
    waiting = max(0.0, inside - busy * servers)
    full = (busy if servers == 1 else _all_busy_fraction(load, servers)) if users >= servers else 0.0
    return (waiting + full * (1 + scv) / 2) / servers


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


def _point(parts: Parts, per_s: float, met: Met) -> Point:
    """The network at a throughput for one who meets this."""
    caused = caused_at(parts, per_s, met)
    requests, shared = parts.requests, parts.system.instance.redo_disk == "data"
    serial_s = _serial_s(parts, caused) / max(requests, LEAST)
    slots_s = met.slots * parts.disk.slot_s
    queued_s = met.serial * serial_s
    wait_s = slots_s + queued_s
    slots_load = min(1.0, met.per_s * requests * parts.disk.slot_s / parts.disk.servers)
    serial_load = min(1.0, met.per_s * serial_s * requests)
    batch_wait_s = parts.disk.batch_wait_s(parts.at_once, (slots_s, slots_load), (queued_s, serial_load))
    # NOTE: a log on a disk of its own waits with the data's requests for the limit of their host
    log_waits_s = wait_s if shared else queued_s if parts.log_limit_s else 0.0
    log_s, log_writes, _ = log_of(
        parts, per_s, written_of(parts, per_s), log_waits_s if parts.log_limit_s else wait_s
    )
    log_load = log_writes * (log_s / parts.disk.servers if shared else parts.log_limit_s)
    reads_load = met.per_s * (parts.disk_held_s + requests * caused.more_s / parts.disk.servers)
    writes = writes_of(parts, per_s, (min(FULL, reads_load), met.at_disk), caused.more_s, log_load)
    run_queue_s = caused.cpu_s * met.at_processors
    cpu_s = caused.cpu_s + run_queue_s
    asleep_s = parts.hottest_gets * caused.latch.wait_s + parts.hottest_changes * caused.pin.wait_s
    held_up_s = log_load * (log_s + wait_s if shared else parts.log_limit_s + queued_s)
    batch_wait_s += held_up_s
    wait_s += held_up_s
    waits, batches = parts.disk_waits, parts.parallel_waits
    disk_s = caused.disk_s + (waits - batches) * wait_s + batches * batch_wait_s
    open_loop = parts.work.rate_per_s is not None
    # NOTE: what a controller's cache holds passes the writes
    missed = waits * (1 - parts.system.disk.read_hit_fraction)
    gap_s = cpu_s / (missed + 1) + parts.disk.before_serial_s
    users = inf if open_loop else max(1.0, met.others + per_s * parts.work.think_s)

    def delay_s(away_s: float) -> float:
        away_s = inf if open_loop else away_s
        late_s = gap_s + parts.apart_s + asleep_s
        found = writes.delay_s(users, away_s, gap_s, cpu_s + disk_s, min(1.0, missed), late_s)
        # NOTE: reads pile up behind a burst; a closed network knows them as those that are there
        most_s = float(missed * writes.busy * writes.most_s + writes.own * writes.most_s)
        return min(found, most_s) / (1 - min(FULL, reads_load) if open_loop else 1)

    think_s = parts.work.think_s + parts.apart_s + asleep_s
    delayed_s = delay_s(think_s)
    if shared or not parts.log_turns:
        behind = writes if shared or parts.log_limit_s else NONE
        log = log_at(parts, per_s, met.per_s, (log_s, wait_s if shared else log_waits_s), behind)
    else:
        by_chance_s = run_queue_s + disk_s + delayed_s + parts.work.think_s * min(1.0, parts.work.think_cv)
        fixed_s = (
            caused.cpu_s + parts.apart_s + asleep_s + parts.work.think_s * max(0.0, 1 - parts.work.think_cv)
        )
        log = turning_log(parts, per_s, met.per_s, fixed_s, inf if open_loop else by_chance_s)
    sync_s = parts.commits * log.sync_s
    delayed_s = delay_s(think_s + sync_s)
    each_s = delayed_s / max(waits, LEAST)
    queued = per_s * delayed_s * requests / max(waits, LEAST)
    seen = bursts.found_behind(
        users * parts.at_once, per_s * requests, writes.requests * writes.held_s, writes.load
    )
    own_slots, own_serial = parts.own_waits
    own_s = own_serial * serial_s * parts.disk.members
    own_each_s = (own_s + own_slots * parts.disk.slot_s) / max(parts.reads, LEAST)
    return Point(
        per_s=per_s,
        response_s=cpu_s + disk_s + delayed_s + sync_s + asleep_s + parts.apart_s,
        caused=caused,
        writes=writes,
        log=log,
        run_queue_s=run_queue_s,
        read_s=parts.disk.read_s + caused.more_s + wait_s + each_s,
        scan_read_s=parts.disk.scan_read_s + caused.more_s + wait_s + each_s,
        parallel_s=parts.batch_s + parts.at_once * caused.more_s + batch_wait_s + each_s if batches else 0.0,
        each_s=parts.disk.read_s + caused.more_s + wait_s + each_s + own_each_s,
        at_processors=per_s * cpu_s,
        in_slots=per_s * (requests * (parts.disk.slot_s + slots_s) + own_slots * parts.disk.slot_s),
        at_disk=per_s * (requests * (serial_s * parts.disk.members + wait_s - slots_s + each_s) + own_s),
        # NOTE: the members of a set end a burst one after the other, so that users come while others still wait
        unseen=max(0.0, queued - seen) if parts.disk.members == 1 else 0.0,
    )


def _scaled(point: Point, per_s: float) -> Point:
    """The same at a throughput next to that of the point."""
    times = per_s / point.per_s if point.per_s else 0.0
    point.at_processors *= times
    point.in_slots *= times
    point.at_disk *= times
    point.unseen *= times
    point.per_s = per_s
    return point


def caused_at(parts: Parts, per_s: float, met: Met) -> Caused:
    """What others cause at a throughput."""
    host = parts.system.host
    running = min(parts.threads, met.running)
    latch, pin = _between(parts.latch, running), _between(parts.pin, running)
    speed = processors.thread_speed(running, host.cores)
    undo = changed_blocks.undo_gets(parts.gets, met.others, parts.changes, parts.data.collision)
    undo += changed_blocks.undo_gets(
        parts.hottest_gets, met.others, parts.hottest_changes, 1 / parts.work.hottest_blocks
    )
    cpu = {cause: seconds / speed for cause, seconds in parts.cpu.items()}
    cpu[asked.UNDO] = undo * host.logical_io_s / speed
    cpu[asked.SPINS] = parts.hottest_gets * latch.spin_s / speed
    written = written_of(parts, per_s)
    more_s = 0.0
    if parts.system.instance.redo_disk == "data":
        more_s = log_of(parts, per_s, written, _queue_s(parts, met))[2]
    there = met.at_disk + parts.own_bulk
    more_s -= parts.disk.sorted_s(there, parts.requests / max(parts.requests + written, LEAST))
    return Caused(
        cpu=cpu,
        cpu_s=sum(cpu.values()),
        undo=undo,
        latch=latch,
        pin=pin,
        more_s=more_s,
        disk_s=parts.disk_s + parts.requests * more_s,
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
