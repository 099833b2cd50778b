"""Processors, data disk and log as a network of queues that transactions go through, user by user or at a rate.

Who comes meets what those before have caused: queues at processors and disk, undo to read, latches that are taken,
a disk busy with DBWR's writes, a log writer under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, inf

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.bursts import found_behind, left_fraction
from blocktime.model.laws.changed_blocks import undo_gets
from blocktime.model.laws.commit import longest_sync_s
from blocktime.model.laws.processors import Contention, speed_of
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.parts import LOADS, Parts
from blocktime.model.workloads.transactions.writers import (
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


@dataclass
class AtDevice:
    """One device of the data at one load, as a transaction meets it."""

    more_s: float
    """What a request costs more, coming from the log, or less than nothing where many are sorted."""
    near_s: float
    """Of a transaction, what reads of its scans cost less, as nobody's come between."""
    serial_s: float
    """Of the capacity to serve one by one, for one read."""
    slots_s: float
    """Wait of a read for slots."""
    queued_s: float
    """Wait of a read for those before it that are served one by one."""
    wait_s: float
    """Wait of a read for both, and for the log."""
    batch_wait_s: float
    """That of the slowest of the reads that are handed over at once."""
    disk_s: float
    """Time of all reads of a transaction there."""
    load: float
    """Of reads, a share of all its time."""
    writes: Writes
    read_s: float = 0.0
    """Each single-block read."""
    scan_read_s: float = 0.0
    parallel_s: float = 0.0
    """Each wait for reads that are handed over at once."""
    each_s: float = 0.0
    """Each single-block read at the device, alone or in a batch, on average."""
    in_slots: float = 0.0
    """Reads that it works on beside each other, and those that wait for that."""
    at_disk: float = 0.0
    """Reads there, those in slots where it has no more than these."""
    unseen: float = 0.0
    """Of them those behind a burst of writes that nobody who comes finds: they all wait, so nobody comes."""


@dataclass
class LoadPoint:
    """The network at one load."""

    per_s: float
    response_s: float
    caused: CausedByOthers
    devices: list[AtDevice]
    log: Log
    run_queue_s: float
    read_s: float
    """Each single-block read."""
    scan_read_s: float
    parallel_s: float
    """Each wait for reads that are handed over at once."""
    at_processors: float
    """Transactions there, waiting or running."""
    free_s: float = 0.0
    """Wait for buffers that DBWR has not written yet."""
    space_s: float = 0.0
    """Wait for room in the log buffer."""

    @property
    def written(self) -> float:
        """Blocks that DBWR writes of a transaction, on all devices."""
        written = 0.0
        at: AtDevice
        for at in self.devices:
            written += at.writes.written
        return written


@dataclass
class StateAtDevice:
    """What a transaction finds at a device as it comes."""

    slots: float
    """Services in slots of the disk that it waits for."""
    serial: float
    """Services of what the disk does one by one that it waits for, each a share of its capacity."""
    at_disk: float
    """Reads there."""
    undisturbed: float
    """Chance that nobody's read comes between two of a scan."""


@dataclass
class StateOnArrival:
    """What a transaction finds as it comes."""

    running: float
    """Transactions on the processors, itself included."""
    at_processors: float
    """Services that it waits for."""
    per_s: float
    """Throughput of the others."""
    others: float
    """Transactions under way."""
    devices: list[StateAtDevice]


def alone(parts: Parts) -> StateOnArrival:
    """Nobody else."""
    met: StateOnArrival = StateOnArrival(1.0, 0.0, 0.0, 0.0, [])
    for _ in parts.devices:
        met.devices.append(StateAtDevice(0.0, 0.0, 0.0, 1.0))
    return met


def closed(parts: Parts, users: int, most_per_s: float = inf, most_at: int = AT_DISK) -> Iterator[LoadPoint]:
    """The network with 1, 2, … *users* users, by mean value analysis [reiser-lavenberg-1980].

    Who comes to m servers waits for S/m times those that wait already, and once more if all are busy, but for what is
    left of a service that does not vary by chance: (1 + c²)/2 of it [kleinrock-1975]. That all are busy counts as in
    M/M/m at the same load, and never with fewer users than servers: exact for one server of exponential services, and
    throughput stays below m/S, as the chance that all are busy is at least 1 - m(1 - ρ). What the others cause follows
    from the throughput of the same population, and where there are many from that of one user less. No resource does
    more than all its time allows, and the system no more than *most_per_s*, where it is long saturated and who is held
    back waits at *most_at*. Raises :class:`OutsideLaw` where neither a transaction nor a pause takes time.
    """
    point: LoadPoint = unhindered(parts, 0.0)
    if parts.think_s + point.response_s <= 0:
        raise OutsideLaw(
            "a transaction takes no time and workload.think_s is 0, so there is no end of them: give "
            "workload.think_s, client.round_trip_s or host.call_s more than 0"
        )
    for present in range(1, users + 1):
        point = _with(parts, present, users, point, most_per_s, most_at)
        yield point


def _with(
    parts: Parts, present: int, users: int, before: LoadPoint, most_per_s: float, most_at: int
) -> LoadPoint:
    """The network with so many of the users, if it was so *before* the last one came."""
    met: StateOnArrival = alone(parts) if present == 1 else _met(parts, before, present)
    per_s, ends_per_s = before.per_s, most_per_s
    demands: Demands = Demands(0.0, 0.0, 0.0, 0)
    for _ in range(PASSES if present == users or present <= EXACT_USERS else 1):
        dues = dues_at(parts, max(per_s, LEAST))
        point: LoadPoint = _point(parts, per_s, dues, met)
        demands = demands_at(parts, dues, met, point)
        # NOTE: few users whose scans nobody disturbs do more than many
        ends_per_s = min(
            inf if _near_s(point) > LEAST else most_per_s,
            1 / max(demands.data_s, demands.dbwr_s, demands.redo_s, LEAST),
        )
        per_s = min(ends_per_s, present / (parts.think_s + point.response_s))
    point = _point(parts, per_s, dues_at(parts, per_s), met)
    per_s = min(ends_per_s, present / (parts.think_s + point.response_s))
    _scale(point, per_s)
    if per_s == ends_per_s:
        at = most_at
        if per_s < most_per_s:
            at = AT_DBWR if demands.dbwr_s > max(demands.data_s, demands.redo_s) else AT_DISK
            if demands.redo_s > max(demands.data_s, demands.dbwr_s):
                at = AT_LOG
        _hold_back(parts, point, present / per_s - parts.think_s, at, demands.device)
    return point


def _near_s(point: LoadPoint) -> float:
    """Of a transaction, what reads of its scans cost less on all devices."""
    near_s = 0.0
    at: AtDevice
    for at in point.devices:
        near_s += at.near_s
    return near_s


def demands_at(parts: Parts, dues: list[DueWrites], met: StateOnArrival, point: LoadPoint) -> Demands:
    """What a transaction takes of the capacity of the disks, the most of those of the data, with what is due."""
    most: Demands = Demands(0.0, 0.0, 0.0, 0)
    device: Parts
    there: StateAtDevice
    at: AtDevice
    due: DueWrites
    for k in range(len(parts.devices)):
        device, there, at, due = parts.devices[k], met.devices[k], point.devices[k], dues[k]
        wait_s = _queue_s(device, there)
        takes: Demands = disk_demands(device, due.per_s, due, at.more_s, wait_s, there.at_disk)
        data_s = takes.data_s - at.near_s / device.disk.servers
        if data_s > most.data_s:
            most.data_s, most.device = data_s, k
        most.dbwr_s = max(most.dbwr_s, takes.dbwr_s)
        most.redo_s = max(most.redo_s, takes.redo_s)
    return most


def dues_at(parts: Parts, per_s: float) -> list[DueWrites]:
    """What is due on each device at a throughput."""
    dues: list[DueWrites] = []
    device: Parts
    for device in parts.devices:
        dues.append(due_at(device, per_s))
    return dues


def _met(parts: Parts, point: LoadPoint, present: int) -> StateOnArrival:
    """What the last of so many users meets: the network with one user less."""
    caused, per_s = point.caused, point.per_s
    others = present - 1.0
    met: StateOnArrival = StateOnArrival(
        point.at_processors + 1,
        _waiting(
            per_s * caused.cpu_s / parts.threads,
            parts.threads_busy,
            parts.threads,
            point.at_processors,
            parts.cpu_scv,
            others,
        ),
        per_s,
        per_s * point.response_s,
        [],
    )
    for k in range(len(parts.devices)):
        met.devices.append(_met_there(parts, parts.devices[k], point, point.devices[k], others))
    return met


def _met_there(parts: Parts, device: Parts, point: LoadPoint, at: AtDevice, others: float) -> StateAtDevice:
    """What so many others have at a device."""
    disk, per_s = device.disk, point.per_s
    at_disk = min(at.at_disk, reads_at_most(device, per_s))
    groups = disk.members / disk.copies
    requests = others * device.at_once
    return StateAtDevice(
        _waiting(
            per_s * device.requests * disk.slot_s / disk.servers,
            device.slots_busy,
            disk.in_slot_group,
            at.in_slots * disk.in_slot_group / disk.servers,
            disk.slot_scv,
            requests,
        ),
        disk.members
        * _waiting(
            per_s * _serial_s(device, at.more_s, at.near_s),
            device.copies_busy,
            disk.copies,
            max(0.0, at_disk - at.unseen) / groups,
            disk.serial_scv,
            requests,
        ),
        at_disk,
        _undisturbed(parts, device, point, at, per_s, others),
    )


def _undisturbed(
    parts: Parts, device: Parts, point: LoadPoint, at: AtDevice, per_s: float, others: float
) -> float:
    """Chance that none of so many others reads from the same disk between the begins of two reads of a scan."""
    if not device.scans_go_on or not device.disk.scan_near_s:
        return 0.0
    apart_s = at.scan_read_s + point.caused.cpu_s / (parts.disk_waits + 1)
    come = per_s * device.requests * apart_s / device.disk.members
    if others == inf:
        return exp(-come)
    chance: float = (1 - min(1.0, come / others)) ** others
    return chance


def _serial_s(device: Parts, more_s: float, near_s: float) -> float:
    """What the reads of a transaction take of a device's capacity to serve one by one."""
    all_s = device.requests * more_s - near_s
    return max(0.0, device.serial_s + (all_s / device.disk.members if device.serial_s else 0.0))


def _hold_back(parts: Parts, point: LoadPoint, response_s: float, at: int, busiest: int) -> None:
    """Let a response be as long as throughput at its most makes it: for a processor, a disk, DBWR, or the log."""
    longer_s = max(0.0, response_s - point.response_s)
    device: Parts = parts.devices[busiest]
    requests, waits = device.requests, max(device.disk_waits, LEAST)
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
    held: AtDevice = point.devices[busiest]
    room = max(0.0, reads_at_most(device, point.per_s) - held.at_disk) / each_waits
    queued_s = min(longer_s, room / point.per_s)
    point.free_s = longer_s - queued_s
    held.read_s += queued_s / waits
    held.scan_read_s += queued_s / waits
    held.parallel_s += queued_s / waits
    held.each_s += queued_s / waits
    held.at_disk += point.per_s * queued_s * each_waits
    _over_devices(parts, point)


def _over_devices(parts: Parts, point: LoadPoint) -> None:
    """Let a point have what a transaction's reads take on average, and reads at once until the last of them is done."""
    point.read_s = point.scan_read_s = point.parallel_s = 0.0
    device: Parts
    at: AtDevice
    for k in range(len(parts.devices)):
        device, at = parts.devices[k], point.devices[k]
        point.read_s += device.share * at.read_s
        point.scan_read_s += device.share * at.scan_read_s
        point.parallel_s = max(point.parallel_s, at.parallel_s)


def at_rate(parts: Parts, rate_per_s: float) -> LoadPoint:
    """The network at a rate of arrivals below saturation; what transactions cause each other by several passes."""
    point: LoadPoint = unhindered(parts, rate_per_s)
    dues = dues_at(parts, rate_per_s)
    for _ in range(OPEN_PASSES):
        caused = point.caused
        met: StateOnArrival = StateOnArrival(
            point.at_processors + 1,
            waited(rate_per_s, caused.cpu_s, parts.threads) * (1 + parts.cpu_scv) / 2,
            rate_per_s,
            rate_per_s * point.response_s,
            [],
        )
        for k in range(len(parts.devices)):
            met.devices.append(_arrives_there(parts, parts.devices[k], point, point.devices[k], rate_per_s))
        point = _point(parts, rate_per_s, dues, met)
    return point


def _arrives_there(
    parts: Parts, device: Parts, point: LoadPoint, at: AtDevice, rate_per_s: float
) -> StateAtDevice:
    """What arrivals at a rate find at a device."""
    disk, requests, waits = device.disk, device.requests, device.disk_waits
    copies, groups = disk.copies, disk.members / disk.copies
    read_s = _serial_s(device, at.more_s, at.near_s) * disk.members / max(requests, LEAST)
    in_group = waited(rate_per_s * requests / groups, read_s, copies)
    gap_s = point.caused.cpu_s / (parts.disk_waits + 1)
    elsewhere_s = gap_s + _elsewhere_s(point, at) / max(waits * (1 - device.share), LEAST)
    left = device.share * left_fraction(disk.serial_scv, read_s, gap_s, waits)
    left += (1 - device.share) * left_fraction(disk.serial_scv, read_s, elsewhere_s, waits)
    # NOTE: batches come at once: who comes finds what is left of a whole one [kleinrock-1975]
    left += device.own_bulk / groups
    slots_left = (1 + disk.slot_scv) / 2
    slots_left += device.own_bulk * disk.in_slot_group / disk.servers
    slots_per_s = rate_per_s * requests * disk.in_slot_group / disk.servers
    return StateAtDevice(
        waited(slots_per_s, disk.slot_s, disk.in_slot_group) * slots_left,
        disk.members * in_group * left,
        at.at_disk,
        _undisturbed(parts, device, point, at, rate_per_s, inf),
    )


def _elsewhere_s(point: LoadPoint, here: AtDevice) -> float:
    """Time of a transaction's reads on other devices."""
    all_s = 0.0
    at: AtDevice
    for at in point.devices:
        all_s += at.disk_s
    return all_s - here.disk_s


def _queue_s(device: Parts, there: StateAtDevice) -> float:
    """Wait of a read for the reads before it."""
    return there.slots * device.disk.slot_s + there.serial * device.serial_s / max(device.requests, LEAST)


def unhindered(parts: Parts, rate_per_s: float) -> LoadPoint:
    """What transactions cause and do at a rate, if none met another."""
    return _point(parts, rate_per_s, dues_at(parts, rate_per_s), alone(parts))


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


def _point(parts: Parts, per_s: float, dues: list[DueWrites], met: StateOnArrival) -> LoadPoint:
    """The network at a throughput, at which so much is due on each device, for one who meets this."""
    caused: CausedByOthers = caused_at(parts, met)
    first: Parts = parts.devices[0]
    shared = first.redo_on_data
    at: AtDevice
    device: Parts
    due: DueWrites
    ats: list[AtDevice] = []
    disk_s = batch_s = at_once_s = 0.0
    log_use: LogUse = LogUse(0.0, 0.0, 0.0)
    log_waits_s = log_s = 0.0
    for k in range(len(parts.devices)):
        device, due = parts.devices[k], dues[k]
        at = _queues_at(device, per_s, due, met, met.devices[k])
        if k == 0:
            # NOTE: a log on a disk of its own waits with the data's requests for the limit of their host
            log_waits_s = at.wait_s if shared else at.queued_s if parts.log_limit_s else 0.0
            log_use = log_of(first, per_s, due.wanted, log_waits_s)
            log_s = log_use.held_s
        _reads_at(device, due, met.devices[k], at, log_use)
        batches = device.parallel_waits
        at.disk_s = at.disk_s + (device.disk_waits - batches) * at.wait_s + batches * at.batch_wait_s
        disk_s += at.disk_s
        batch_s += batches * (device.batch_s + device.at_once * at.more_s + at.batch_wait_s)
        at_once_s = max(at_once_s, parts.batch_s + device.at_once * at.more_s + at.batch_wait_s)
        ats.append(at)
    # NOTE: reads that are handed over at once are on all of their devices at the same time
    disk_s -= batch_s - parts.parallel_waits * at_once_s
    run_queue_s = caused.cpu_s * met.at_processors
    cpu_s = caused.cpu_s + run_queue_s
    inside_s, asleep_s = cpu_s + disk_s, parts.apart_s + caused.asleep_s
    spent: TimeSpent = TimeSpent(cpu_s, disk_s, asleep_s)
    delayed_s = _delayed_s(parts, ats, met, per_s, spent, 0.0)
    at = ats[0]
    if shared or not parts.log_turns:
        behind = at.writes if shared or parts.log_limit_s else no_writes(0.0, 0.0)
        log_waits_s = at.wait_s if shared else log_waits_s
        log: Log = log_at(first, per_s, met.per_s, log_s, log_waits_s, behind)
    else:
        by_chance_s = run_queue_s + disk_s + delayed_s + parts.think_s * min(1.0, parts.think_cv)
        fixed_s = caused.cpu_s + asleep_s + parts.think_s * max(0.0, 1 - parts.think_cv)
        log = log_that_turns(first, per_s, met.per_s, fixed_s, inf if parts.open_loop else by_chance_s)
    sync_s = parts.commits * log.sync_s
    # NOTE: reads pile up behind a burst; a closed network knows them as those that are there
    delayed_s = _delayed_s(parts, ats, met, per_s, spent, sync_s)
    point: LoadPoint = LoadPoint(
        per_s,
        inside_s + delayed_s + sync_s + asleep_s,
        caused,
        ats,
        log,
        run_queue_s,
        0.0,
        0.0,
        0.0,
        per_s * cpu_s,
    )
    _over_devices(parts, point)
    return point


def _queues_at(
    device: Parts, per_s: float, due: DueWrites, met: StateOnArrival, there: StateAtDevice
) -> AtDevice:
    """What a read waits for those before it at a device."""
    disk, requests = device.disk, device.requests
    more_s = more_at(device, per_s, due, there)
    near_s = device.scans_go_on * disk.scan_near_s * there.undisturbed
    serial_s = _serial_s(device, more_s, near_s) / max(requests, LEAST)
    slots_s = there.slots * disk.slot_s
    queued_s = there.serial * serial_s
    slots_load = min(1.0, met.per_s * requests * disk.slot_s / disk.servers)
    serial_load = min(1.0, met.per_s * serial_s * requests)
    return AtDevice(
        more_s,
        near_s,
        serial_s,
        slots_s,
        queued_s,
        slots_s + queued_s,
        disk.batch_wait_s(device.at_once, slots_s, slots_load, queued_s, serial_load),
        device.disk_s + requests * more_s - near_s,
        met.per_s * (device.disk_held_s + (requests * more_s - near_s) / disk.servers),
        no_writes(0.0, 0.0),
    )


def _reads_at(device: Parts, due: DueWrites, there: StateAtDevice, at: AtDevice, log_use: LogUse) -> None:
    """What a read waits for the log, and what DBWR writes beside it, at a device."""
    disk, shared, log_s = device.disk, device.redo_on_data, log_use.held_s
    log_load = log_use.writes_per_s * (log_s / disk.servers if shared else device.log_limit_s)
    at.writes = writes_of(device, due, min(FULL, at.load), there.at_disk, at.more_s, log_load)
    held_up_s = log_load * (log_s + at.wait_s if shared else device.log_limit_s + at.queued_s)
    at.batch_wait_s += held_up_s
    at.wait_s += held_up_s


@dataclass
class TimeSpent:
    """Where the time of a transaction goes, but for its commit and what DBWR's writes cost it."""

    cpu_s: float
    """On processors, and waiting for one."""
    disk_s: float
    asleep_s: float


def _delayed_s(
    parts: Parts, ats: list[AtDevice], met: StateOnArrival, per_s: float, spent: TimeSpent, sync_s: float
) -> float:
    """What DBWR's writes cost a transaction that waits so long for its commit, and with them what its reads take."""
    users, away_s = inf, inf
    cpu_s, disk_s, asleep_s = spent.cpu_s, spent.disk_s, spent.asleep_s
    inside_s = cpu_s + disk_s
    if not parts.open_loop:
        users, away_s = max(1.0, met.others + per_s * parts.think_s), parts.think_s + asleep_s + sync_s
    all_s = 0.0
    device: Parts
    at: AtDevice
    for k in range(len(ats)):
        device, at = parts.devices[k], ats[k]
        disk, requests, waits, writes = device.disk, device.requests, device.disk_waits, at.writes
        # NOTE: what a controller's cache holds passes the writes
        missed = waits * (1 - disk.read_hit_fraction)
        gap_s = (cpu_s + (disk_s - at.disk_s)) / (missed + 1) + disk.before_serial_s
        left = 1 - min(FULL, at.load) if parts.open_loop else 1.0
        delayed_s = writes.delay_s(users, away_s, gap_s, inside_s, missed, gap_s + asleep_s) / left
        all_s += delayed_s
        each_s = delayed_s / max(waits, LEAST)
        queued = per_s * delayed_s * requests / max(waits, LEAST)
        burst_s = writes.requests * writes.held_s
        seen = found_behind(users * device.at_once, per_s * requests, burst_s, writes.load)
        own_s = device.own_serial * at.serial_s * disk.members
        own_each_s = (own_s + device.own_slots * disk.slot_s) / max(device.reads, LEAST)
        alike_s = at.more_s + at.wait_s + each_s
        at.parallel_s = 0.0
        if device.parallel_waits:
            at.parallel_s = parts.batch_s + device.at_once * at.more_s + at.batch_wait_s + each_s
        at.read_s = disk.read_s + alike_s
        at.scan_read_s = disk.scan_read_s + alike_s - at.near_s / max(device.scan_reads, LEAST)
        at.each_s = disk.read_s + alike_s + own_each_s
        at.in_slots = per_s * (requests * (disk.slot_s + at.slots_s) + device.own_slots * disk.slot_s)
        at.at_disk = per_s * (
            requests * (at.serial_s * disk.members + at.wait_s - at.slots_s + each_s) + own_s
        )
        # NOTE: the members of a set end a burst one after the other, so that users come while others still wait
        at.unseen = max(0.0, queued - seen) if disk.members == 1 else 0.0
    return all_s


def _scale(point: LoadPoint, per_s: float) -> None:
    """Let a point be at a throughput next to its own."""
    times = per_s / point.per_s if point.per_s else 0.0
    point.at_processors *= times
    at: AtDevice
    for at in point.devices:
        at.in_slots *= times
        at.at_disk *= times
        at.unseen *= times
    point.per_s = per_s


def caused_at(parts: Parts, met: StateOnArrival) -> CausedByOthers:
    """What others cause on the processors."""
    running = min(float(parts.threads), met.running)
    speed = speed_of(
        running, parts.cores, parts.threads_per_core, parts.smt_gain_fraction, parts.busy_loss_fraction
    )
    undo = undo_gets(parts.gets, met.others, parts.changes, parts.collision)
    undo += undo_gets(parts.hottest_gets, met.others, parts.hottest_changes, 1 / parts.hottest_blocks)
    spin_s = contended(parts.latch, running, 0)
    cpu_s = parts.cpu_s + undo * parts.logical_io_s + parts.hottest_gets * spin_s
    return CausedByOthers(
        running,
        speed,
        cpu_s / speed,
        undo,
        spin_s,
        parts.hottest_gets * contended(parts.latch, running, 1)
        + parts.hottest_changes * contended(parts.pin, running, 1),
    )


def more_at(device: Parts, per_s: float, due: DueWrites, there: StateAtDevice) -> float:
    """What a request of a device costs more at a throughput, as :class:`AtDevice` has it."""
    more_s = 0.0
    if device.redo_on_data:
        log: LogUse = log_of(device, per_s, due.wanted, _queue_s(device, there))
        more_s = log.later_s
    reads_fraction = device.requests / max(device.requests + due.wanted, LEAST)
    more_s -= device.disk.sorted_s(there.at_disk + device.own_bulk, reads_fraction)
    return more_s * (1 - device.disk.read_hit_fraction)


def contended(table: list[Contention], running: float, column: int) -> float:
    """A number of the contention at a mean number of processes, between whole numbers."""
    low = int(running)
    if low >= len(table) - 1:
        last: float = table[len(table) - 1][column]
        return last
    below: float = table[low][column]
    above: float = table[low + 1][column]
    return below + (running - low) * (above - below)
