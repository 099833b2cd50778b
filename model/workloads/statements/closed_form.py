"""The instant answer of a statement: the laws composed in closed form, for one scenario or for arrays of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from blocktime.model import causes
from blocktime.model.books import device_stats, row
from blocktime.model.causes import FREE_BUFFERS, LOG_SPACE, PARALLEL, SEQUENTIAL
from blocktime.model.demand import (
    Demand,
    DeviceDemand,
    demand_of,
    device_demand,
    parallel_of,
    reaps_are_waits,
)
from blocktime.model.demand.index_upkeep import waits_at_leaves
from blocktime.model.demand.storage import slots_of
from blocktime.model.demand.turns import SessionAlone, among_others, ends_at
from blocktime.model.laws import device, read_slots
from blocktime.model.laws.iostat import DeviceSums
from blocktime.model.laws.numeric import Number, known_where, larger, over, smaller, some, where
from blocktime.model.laws.processors import thread_speed
from blocktime.model.results import EXACT_SUM, DeviceStats, EventTime, RunResult, part
from blocktime.model.spec import Statement, System
from blocktime.model.workloads.statements import books


@dataclass(slots=True)
class ScanTime:
    """Elapsed time of one session, and what of it is waiting for reads, or for a processor."""

    elapsed_s: Number
    last_s: Number
    """From the begin of the first session to the end of the last."""
    read_wait_s: Number
    single_wait_s: Number
    device_queue_s: Number
    """Waits behind the reads of other sessions, which are part of the waits for reads."""
    run_queue_s: Number
    submit_cpu_s: Number
    submit_blocked_s: Number
    reap_cpu_s: Number
    hidden: Any
    """Whether no session queues and no asynchronous read is waited for but the first: then the closed form is exact."""
    busy_s: Number
    """Time the device has work, over all sessions."""
    log_space_s: Number = 0.0
    free_buffers_s: Number = 0.0
    """Waits for what is written behind the sessions."""


def compose(system: System, work: Statement, demand: Demand) -> tuple[ScanTime, DeviceDemand, Demand]:
    """Elapsed time from demands, and these with the CPU time that processors take which others keep busy too.

    A session finds the processors that it leaves the others at the share of their time that is CPU time.
    """
    if not some(work.sessions > 1):
        return *_composed(system, work, demand), demand
    about, _ = _composed(system, work, demand)
    share = smaller(1, over(demand.cpu_s, about.elapsed_s))
    slower = demand.at_speed(thread_speed(1 + (work.sessions - 1) * share, system.host.cores))
    return *_composed(system, work, slower), slower


def _composed(system: System, work: Statement, demand: Demand) -> tuple[ScanTime, DeviceDemand]:
    """What one session does itself, and reads waited for or hidden behind it.

    With one session this is exact where either the session or the device is the slower throughout; several take turns.
    """
    plan, host, users, parallel = demand.plan, system.host, work.sessions, parallel_of(system.disk)
    truly_async = plan.asynchronous and not plan.through_page_cache
    inside_submit = plan.asynchronous and plan.through_page_cache
    reaped = demand.reads * host.reap_call_s if plan.asynchronous else 0.0
    posted = truly_async and reaps_are_waits(system)
    reap_cpu = 0.0 if posted else reaped
    own = demand.cpu_s + reaped + demand.waits_s - demand.sent_twice_s + demand.trips * system.between_calls_s
    copied, blocked = 0.0 * own, 0.0 * own
    asked = device_demand(system, demand, own, users)
    hidden = (
        truly_async
        & where(users > 1, False, True)
        & where(system.disk.report_interval_s > 0, False, True)
        & where(own < CLEARLY_SLOWER * asked.service_s, False, True)
    )
    if plan.through_page_cache:
        asked, copy_s = _copied(system, demand, asked)
    lone_held_s = asked.held_s
    if some(users > 1):
        asked = among_others(system, work, demand, asked)
    single = plan.single_reads * asked.single_s
    if truly_async:
        at_device = read_slots.device_s(
            own, larger(lone_held_s, asked.held_s), asked.service_s, parallel, *_slots(system)
        )
        last = own * asked.last_blocks / larger(1, demand.read_blocks)
        piped = device.pipelined_s(asked.first_s, at_device, own, last)
        read_wait = where(demand.reads > 0, piped - own, 0)
        alone_busy = larger(at_device, smaller(asked.service_s, piped))
    else:
        read_wait, alone_busy = asked.service_s, asked.at_device_s
        if inside_submit:
            copied, blocked, read_wait = copy_s, asked.service_s, 0.0 * own
            own = own + copied + blocked
        elif plan.through_page_cache:
            read_wait = read_wait + copy_s
        # NOTE: a volume lets the reads through no faster than its limits, whatever else the session does meanwhile
        read_wait = larger(read_wait, lone_held_s + plan.single_reads * asked.single_held_s - own - single)
    alone = own + single + read_wait
    cpu = demand.cpu_s + copied + reap_cpu
    crowded = users > 1
    elapsed, last_end, for_device = alone, alone, 0.0 * alone
    if some(crowded):
        at_device, at_processors = ends_at(system, work, demand, asked, SessionAlone(alone, own, cpu))
        for_disk = (at_device.last_s >= at_processors.last_s) & (demand.reads + plan.single_reads > 0)
        elapsed = where(crowded, where(for_disk, at_device.mean_s, at_processors.mean_s), alone)
        last_end = where(crowded, larger(at_device.last_s, at_processors.last_s), alone)
        for_device = where(crowded & for_disk, elapsed - alone, 0.0)
    extra = elapsed - alone
    log_s, free_s = _stalls_s(demand, elapsed, users * asked.keeps_s(demand))
    for_header = where(demand.reads > 0, 0.0, for_device)  # the only reads there are
    for_reads = for_device - for_header
    behind_reads = (plan.single_reads > 0) & (
        free_s > 0
    )  # DBWR goes on meanwhile, if it has something to write then
    return (
        ScanTime(
            elapsed_s=elapsed + log_s + free_s,
            last_s=last_end + log_s + free_s,
            read_wait_s=read_wait + (0.0 if inside_submit else for_reads) + (reaped if posted else 0.0),
            single_wait_s=single + for_header,
            device_queue_s=for_device,
            run_queue_s=extra - for_device,
            submit_cpu_s=copied,
            submit_blocked_s=blocked + (for_reads if inside_submit else 0.0),
            reap_cpu_s=reap_cpu,
            hidden=where(crowded, False, True)
            & where(plan.uneven, False, True)
            & (hidden | (not truly_async))
            & where(behind_reads, False, True)
            & (
                (asked.exact & plan.through_page_cache & (_missed_fraction(system) <= 0))
                | where(demand.reads + plan.single_reads > 0, False, True)
            )
            & where(log_s + free_s > 0, False, True),
            busy_s=larger(
                _busy_s(users, parallel, last_end, alone_busy + plan.single_reads * asked.single_s),
                where(crowded, smaller(last_end, users * asked.held_s), 0.0),
            ),
            log_space_s=log_s,
            free_buffers_s=free_s,
        ),
        asked,
    )


def _stalls_s(demand: Demand, own_s: Number, reading_s: Number) -> tuple[Number, Number]:
    """Waits for the log and for free buffers, where what is written behind the sessions may hold them up."""
    return demand.writing.stalls_s(own_s, reading_s) if demand.writing else (0.0, 0.0)


def _slots(system: System) -> tuple[int, int]:
    """Asynchronous direct reads that a session may have in flight at first, and at most."""
    return system.instance.direct_read_slots, system.instance.direct_read_slots_limit


def _missed_fraction(system: System) -> Number:
    """Share of the reads through the page cache that it does not answer."""
    return 1 - system.host.page_cache_hit_fraction


def _copied(system: System, demand: Demand, raw: DeviceDemand) -> tuple[DeviceDemand, Number]:
    """What a session asks of the device whose reads the page cache answers as often as it may, and their copies."""
    single_s = demand.block_size_bytes / system.host.copy_bytes_per_s
    missed, most_blocks = _missed_fraction(system), 0
    for piece in demand.plan.pieces:
        most_blocks = larger(most_blocks, where(piece.count > 0, piece.blocks, 0))
    return replace(
        raw,
        first_s=missed * raw.first_s + most_blocks * single_s,
        requests=missed * raw.requests,
        bytes=missed * raw.bytes,
        latency_s=missed * raw.latency_s,
        transfer_s=missed * raw.transfer_s,
        held_s=missed * raw.held_s,
        far_held_s=missed * raw.far_held_s,
        at_device_s=missed * raw.at_device_s,
        continued_s=missed * raw.continued_s,
        single_s=single_s + missed * raw.single_s,
        single_held_s=missed * raw.single_held_s,
        exact=True,
    ), demand.read_blocks * single_s


def _busy_s(users: Number, parallel: Number, elapsed_s: Number, each_s: Number) -> Number:
    """Time the device has work: sessions overlap by chance on a device that serves several requests."""
    share = smaller(1, over(each_s, elapsed_s))
    overlapped = elapsed_s * (1 - (1 - share) ** users)
    return where((parallel > 1) & (users > 1), overlapped, smaller(elapsed_s, users * each_s))


ALWAYS_BUSY = 0.95  # of the time; a device with less to do waits for its sessions now and then
CLEARLY_SLOWER = 1.5  # a session so much slower than the device hides it whatever the sizes of its reads


def asked_of(system: System, work: Statement) -> Demand:
    """Demands of each session, with its waits for leaves of indexes that other sessions change."""
    demand = demand_of(system, work)
    if not demand.leaf_changes or not some(work.users > 1):
        return demand
    scan_time, *_ = compose(system, work, demand)
    waits = waits_at_leaves(system, work.users, demand, scan_time.elapsed_s)
    return replace(demand, waits=demand.waits | {causes.BUFFER_BUSY: waits})


Composed = tuple[ScanTime, DeviceDemand, Demand]
LAST: Final[list[tuple[System, Statement, Composed]]] = []
"""The statement composed last: who asks whether an answer is exact asks for the answer next."""


def _times_of(system: System, work: Statement) -> Composed:
    for of_system, of_work, composed in LAST:
        if of_system is system and of_work is work:
            return composed
    composed = compose(system, work, asked_of(system, work))
    LAST[:] = [(system, work, composed)]
    return composed


def is_exact(system: System, work: Statement) -> bool:
    """Whether nobody queues and nothing is read from a device: one session, whose reads the page cache answers."""
    demand = demand_of(system, work)
    reads = demand.reads + demand.plan.single_reads > 0
    if reads and not (demand.plan.through_page_cache and _missed_fraction(system) <= 0):
        return False
    return bool(_times_of(system, work)[0].hidden)


def calculate(system: System, work: Statement, *, name: str) -> tuple[RunResult, bool]:
    """Answer a statement in closed form, times of its mean session; and whether nobody queues."""
    scan_time, asked, demand = _times_of(system, work)
    timing = _timing(system, work, demand, scan_time, asked)
    timing.request_blocks = books.histogram(demand)
    if demand.reads and demand.plan.asynchronous and not demand.plan.through_page_cache:
        own_s = scan_time.elapsed_s - scan_time.read_wait_s
        as_long_as_it_took = read_slots.stages(own_s, scan_time.elapsed_s, 0.0, 1, *_slots(system))
        timing.direct_read_slots = read_slots.slots_by_time(as_long_as_it_took)
    processors_s = work.sessions * sum(timing.cpu.values()) / system.host.cores.threads
    timing.warnings = books.session_warnings(
        work, demand, (scan_time.elapsed_s, scan_time.last_s, processors_s)
    )
    return books.close_books(name, system, work, demand, timing), bool(scan_time.hidden)


def _timing(
    system: System, work: Statement, demand: Demand, scan_time: ScanTime, asked: DeviceDemand
) -> books.StatementTimes:
    """The times by their causes; numbers or arrays."""
    waits, unaccounted = books.client_times(system, demand)
    cpu = dict(demand.cpu)
    if some(scan_time.submit_cpu_s):
        cpu[causes.COPIED] = scan_time.submit_cpu_s
    cpu["read calls"] = cpu["read calls"] + scan_time.reap_cpu_s
    if demand.plan.through_page_cache:
        blocks = demand.plan.single_reads + (0 if demand.plan.asynchronous else demand.read_blocks)
        copied_s = blocks * demand.block_size_bytes / system.host.copy_bytes_per_s
        books.count_copies(cpu, unaccounted, copied_s)
    crowded = work.sessions > 1
    for cause, seconds in (
        (causes.SUBMIT_BLOCKED, scan_time.submit_blocked_s),
        (causes.RUN_QUEUE, where(crowded, scan_time.run_queue_s, 0.0)),
    ):
        if some(seconds):
            unaccounted[cause] = seconds
    timing = books.StatementTimes(
        elapsed_s=scan_time.elapsed_s,
        cpu=cpu,
        wait=waits
        | _read_waits(system, demand, scan_time, asked)
        | _write_waits(demand, scan_time, work.sessions),
        unaccounted=unaccounted,
        read_requests=demand.reads + demand.plan.single_reads,
        read_blocks=demand.read_blocks + demand.plan.single_reads,
        device=_device(system, asked, demand, scan_time, work.sessions),
        last_session_s=known_where(crowded, scan_time.last_s),
        how=EXACT_SUM,
    )
    return books.of_query(work, demand, timing, where(work.users > 1, scan_time.elapsed_s, scan_time.last_s))


def _read_waits(
    system: System, demand: Demand, scan_time: ScanTime, asked: DeviceDemand
) -> dict[str, EventTime]:
    """Waits for reads; io_submit blocks without an event."""
    plan, reads = demand.plan, demand.reads
    waits, read_s = {}, where(reads > 0, scan_time.read_wait_s, 0.0)
    if some(reads) and not (plan.asynchronous and plan.through_page_cache):
        blocked = read_s > asked.first_s * 1.5
        each = not plan.asynchronous or reaps_are_waits(system)
        count = where(reads > 0, reads if each else where(blocked, reads, 1), 0)
        together_s = read_s * asked.batched_fraction
        read_s, count = read_s - together_s, count - plan.batched_reads
        longest = smaller(read_s, larger(asked.first_s, over(read_s, count)))
        waits[plan.event] = part(EventTime, waits=count, max_s=longest, total_s=read_s)
        if some(plan.batched_reads):
            each_s = over(together_s, plan.batches)
            waits[PARALLEL] = part(EventTime, waits=plan.batches, max_s=each_s, total_s=together_s)
    if some(plan.single_reads):
        single = part(
            EventTime, waits=plan.single_reads, max_s=asked.single_s, total_s=scan_time.single_wait_s
        )
        waits[SEQUENTIAL] = single.plus(waits.get(SEQUENTIAL))
    return waits


def _write_waits(demand: Demand, scan_time: ScanTime, users: Number) -> dict[str, EventTime]:
    """One wait for each block that is held up, all alike."""
    writing = demand.writing
    if writing is None:
        return {}
    first = writing.blocks - writing.written_blocks
    return {
        event: part(EventTime, waits=blocks / users, max_s=over(total, blocks / users), total_s=total)
        for event, blocks, total in (
            (LOG_SPACE, first, scan_time.log_space_s),
            (FREE_BUFFERS, writing.written_blocks, scan_time.free_buffers_s),
        )
        if some(total)
    }


def _device(
    system: System, asked: DeviceDemand, demand: Demand, scan_time: ScanTime, users: Number
) -> DeviceStats | None:
    """The device that is read from; numbers or arrays.

    The requests of one read are there together. Of k each waits for half of the others' transfers; a device of one slot
    shares the time for positions among them too, one of many serves their latencies side by side.
    """
    plan = demand.plan
    requests, size = users * asked.requests, users * asked.bytes
    singles = plan.single_reads * asked.single_s
    each = where(
        plan.through_page_cache, 1, larger(1, over(asked.requests - plan.single_reads, demand.reads))
    )
    for_position = asked.latency_s + scan_time.device_queue_s
    if plan.asynchronous and not plan.through_page_cache:
        # at a device that is always busy a session that waits has all of its slots, and one less while it works
        slots = slots_of(system, demand, users)
        there_s = (slots - 1) * scan_time.elapsed_s + scan_time.read_wait_s - asked.transfer_s
        always = scan_time.busy_s > ALWAYS_BUSY * scan_time.last_s
        for_position = where(always, larger(asked.latency_s, there_s), asked.latency_s)
    among = (each + 1) / 2
    held = users * (
        where(parallel_of(system.disk) > 1, each, among) * for_position + among * asked.transfer_s + singles
    )
    sums = DeviceSums((requests, 0.0), (0.0, 0.0), (size, 0.0), (held, 0.0), scan_time.busy_s)
    return device_stats(sums, scan_time.last_s, (asked.requests > 0) & (asked.bytes > 0))


def measures(system: System, work: Statement) -> tuple[Number, dict[str, Number]]:
    """Whether nobody queues, and what :func:`calculate` says, where fields may be arrays."""
    scan_time, asked, demand = _times_of(system, work)
    timing = _timing(system, work, demand, scan_time, asked)
    return scan_time.hidden, row(system, work, books.figures_of(system, work, demand, timing))
