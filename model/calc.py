"""The instant answer of a statement: the laws composed in closed form, for one scenario or for arrays of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from model import books, causes
from model.causes import FREE_BUFFERS, LOG_SPACE, SEQUENTIAL
from model.demand import (
    Demand,
    DeviceDemand,
    demand_of,
    device_demand,
    optimizer_of,
    parallel_of,
    reads_as_calls,
    reaps_are_waits,
)
from model.demand.conditions import extrapolated_constants
from model.demand.turns import Alone, among_others, ends_at
from model.laws import device
from model.laws.iostat import DeviceSums, quantities
from model.laws.numeric import Number, known_where, larger, nearest, over, smaller, some, where
from model.money_books import Spent, money_measures
from model.results import EventTime, RunResult
from model.spec import Statement, System
from model.stream_network import alone as alone_stream
from model.write_books import device_of_writes, writes_of_a_session


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


def compose(system: Any, work: Any, demand: Demand) -> tuple[ScanTime, DeviceDemand]:
    """Elapsed time from demands: what one session does itself, and reads waited for or hidden behind it.

    With one session this is exact where either the session or the device is the slower throughout; several take turns.
    """
    plan, host, users, parallel = demand.plan, system.host, work.users, parallel_of(system.disk)
    truly_async = plan.asynchronous and not plan.through_page_cache
    inside_submit = plan.asynchronous and plan.through_page_cache
    reaped = demand.reads * host.reap_call_s if plan.asynchronous else 0.0
    posted = truly_async and reaps_are_waits(system)
    reap_cpu = 0.0 if posted else reaped
    waits = sum(times * each for times, each in demand.waits.values())
    own = demand.cpu_s + reaped + waits - demand.sent_twice_s + demand.trips * host.between_calls_s
    copied, blocked = 0.0 * own, 0.0 * own
    asked = device_demand(system, demand, own)
    if plan.through_page_cache:
        asked, copy_s = _read_through_page_cache(system, demand, own, asked)
    elif some(users > 1):
        asked = among_others(system, work, demand, asked)
    single = plan.single_reads * asked.single_s
    if truly_async:
        at_device = larger(
            asked.held_s, asked.service_s / smaller(parallel, system.instance.direct_read_slots_limit)
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
    alone = own + single + read_wait
    cpu = demand.cpu_s + copied + reap_cpu
    crowded = users > 1
    elapsed, last_end, for_device = alone, alone, 0.0 * alone
    if some(crowded):
        at_device, at_processors = ends_at(system, work, demand, asked, Alone(alone, own, cpu))
        for_disk = (at_device.last_s >= at_processors.last_s) & (demand.reads + plan.single_reads > 0)
        elapsed = where(crowded, where(for_disk, at_device.mean_s, at_processors.mean_s), alone)
        last_end = where(crowded, larger(at_device.last_s, at_processors.last_s), alone)
        for_device = where(crowded & for_disk, elapsed - alone, 0.0)
    extra = elapsed - alone
    log_s, free_s = demand.writing.stalls_s(elapsed) if demand.writing else (0.0, 0.0)
    posted_wait = reaped if posted else 0.0
    for_header = where(demand.reads > 0, 0.0, for_device)  # the only reads there are
    for_reads = for_device - for_header
    return (
        ScanTime(
            elapsed_s=elapsed + log_s + free_s,
            last_s=last_end + log_s + free_s,
            read_wait_s=read_wait + (0.0 if inside_submit else for_reads) + posted_wait,
            single_wait_s=single + for_header,
            device_queue_s=for_device,
            run_queue_s=extra - for_device,
            submit_cpu_s=copied,
            submit_blocked_s=blocked + (for_reads if inside_submit else 0.0),
            reap_cpu_s=reap_cpu,
            hidden=where(crowded, False, True)
            & where(plan.uneven, False, True)
            & (where(own < CLEARLY_SLOWER * asked.service_s, False, True) | (not truly_async))
            & (truly_async or asked.exact or where(demand.reads > 0, False, True)),
            busy_s=_busy_s(users, parallel, last_end, alone_busy + plan.single_reads * asked.single_s),
            log_space_s=log_s,
            free_buffers_s=free_s,
        ),
        asked,
    )


def _read_through_page_cache(
    system: Any, demand: Demand, own_s: Number, raw: DeviceDemand
) -> tuple[DeviceDemand, Number]:
    """What a session asks that reads through the page cache, pages ahead of its own work, and the copies it waits for.

    *raw* is what it would ask without a page cache.
    """
    plan, missed = demand.plan, 1 - system.host.page_cache_hit_fraction
    each_copy_s = reads_as_calls(system, demand, own_s).block_size_bytes / system.host.copy_bytes_per_s
    asked = dict.fromkeys(("requests", "bytes", "waited_s", "held_s", "at_device_s"), 0.0 * own_s)
    for pattern, share in (
        ("sequential", 1 - plan.positioned_fraction),
        ("random", plan.positioned_fraction),
    ):
        if not some((share > 0) & (demand.reads > 0)):
            continue
        calls = reads_as_calls(system, demand, own_s, pattern=pattern)
        found = alone_stream(system, calls)
        worked_s = calls.count * (system.host.read_call_s + each_copy_s + calls.think_s)
        many = share * where(demand.reads > 0, calls.count, 0)
        asked["requests"] += many * found.demand.requests
        asked["bytes"] += many * found.demand.device_bytes
        asked["held_s"] += many * found.demand.held_s
        asked["at_device_s"] += many * larger(found.demand.device_s, found.demand.held_s)
        asked["waited_s"] += many / calls.count * larger(0.0, found.elapsed_s - worked_s)
    singles = plan.single_reads
    return replace(
        raw,
        requests=asked["requests"] + singles * missed,
        bytes=asked["bytes"] + singles * missed * demand.block_size_bytes,
        latency_s=asked["waited_s"],
        transfer_s=0.0 * own_s,
        held_s=asked["held_s"],
        at_device_s=asked["at_device_s"],
        single_s=missed * raw.single_s + demand.block_size_bytes / system.host.copy_bytes_per_s,
        exact=raw.exact and not some(missed),
    ), demand.reads * each_copy_s


def _busy_s(users: Number, parallel: Number, elapsed_s: Number, each_s: Number) -> Number:
    """Time the device has work: sessions overlap by chance on a device that serves several requests."""
    share = smaller(1, over(each_s, elapsed_s))
    overlapped = elapsed_s * (1 - (1 - share) ** users)
    return where((parallel > 1) & (users > 1), overlapped, smaller(elapsed_s, users * each_s))


CLEARLY_SLOWER = 1.5  # a session so much slower than the device hides it whatever the sizes of its reads


def is_exact(system: System, work: Statement) -> bool:
    """Whether nobody queues: one session, reads in order or hidden."""
    found, _ = compose(system, work, demand_of(system, work))
    return bool(found.hidden)


def calculate_statement(system: System, work: Statement, *, name: str) -> tuple[RunResult, bool]:
    """Answer a statement in closed form, times of its mean session; and whether nobody queues."""
    demand = demand_of(system, work)
    found, asked = compose(system, work, demand)
    waits, unaccounted = books.client_times(system, demand)
    cpu = dict(demand.cpu)
    if found.submit_cpu_s:
        cpu[causes.COPIED] = found.submit_cpu_s
    if found.submit_blocked_s:
        unaccounted[causes.SUBMIT_BLOCKED] = found.submit_blocked_s
    if found.reap_cpu_s:
        cpu["read calls"] += found.reap_cpu_s
    _add_read_waits(waits, system, demand, found, asked)
    _add_write_waits(waits, demand, found, work.users)
    if work.users > 1 and found.run_queue_s:
        unaccounted[causes.RUN_QUEUE] = found.run_queue_s
    timing = books.Timing(
        elapsed_s=found.elapsed_s,
        cpu=cpu,
        wait=waits,
        unaccounted=unaccounted,
        request_blocks=books.histogram(demand),
        device=books.device_stats(*_device_figures(asked, demand, found, work.users)),
        last_session_s=found.last_s if work.users > 1 else None,
        engine="calculate",
        warnings=books.session_warnings(
            work, demand, (found.elapsed_s, found.last_s, work.users * sum(cpu.values()) / system.host.cpus)
        ),
    )
    return books.close_books(name, system, work, demand, timing), bool(found.hidden)


def _add_read_waits(
    waits: dict[str, EventTime], system: System, demand: Demand, found: ScanTime, asked: DeviceDemand
) -> None:
    plan, reads = demand.plan, demand.reads
    silent = plan.asynchronous and (plan.through_page_cache or not reads)
    if reads and not silent:
        blocked = found.read_wait_s > asked.first_s * 1.5
        count = reads if not plan.asynchronous or reaps_are_waits(system) or blocked else 1
        longest = min(found.read_wait_s, max(asked.first_s, found.read_wait_s / count))
        waits[plan.event] = EventTime(waits=count, max_s=longest, total_s=found.read_wait_s)
    if plan.single_reads:
        before = waits.get(SEQUENTIAL)
        waits[SEQUENTIAL] = EventTime(
            waits=plan.single_reads + (before.waits if before else 0),
            max_s=max(asked.single_s, before.max_s if before else 0),
            total_s=found.single_wait_s + (before.total_s if before else 0),
        )


def _add_write_waits(waits: dict[str, EventTime], demand: Demand, found: ScanTime, users: int) -> None:
    """One wait for each block that is held up, all alike."""
    writing = demand.writing
    if writing is None:
        return
    first = writing.blocks - writing.written_blocks
    for event, blocks, total in (
        (LOG_SPACE, first, found.log_space_s),
        (FREE_BUFFERS, writing.written_blocks, found.free_buffers_s),
    ):
        if total:
            many = blocks / users
            waits[event] = EventTime(waits=many, max_s=total / many, total_s=total)


def _device_figures(
    asked: DeviceDemand, demand: Demand, found: ScanTime, users: Number
) -> tuple[Number, dict[str, Number]]:
    """Whether anything is read from the device, and iostat's quantities of it; numbers or arrays."""
    requests, size = users * asked.requests, users * asked.bytes
    singles = demand.plan.single_reads * asked.single_s
    held = users * (asked.service_s + singles + found.device_queue_s)
    sums = DeviceSums((requests, 0.0), (0.0, 0.0), (size, 0.0), held, found.busy_s)
    return (asked.requests > 0) & (asked.bytes > 0), quantities(sums, found.last_s)


def measures(system: Any, work: Any) -> tuple[Number, dict[str, Number]]:
    """Whether nobody queues, and what :func:`calculate_statement` says, where fields may be arrays."""
    demand = demand_of(system, work)
    found, asked = compose(system, work, demand)
    plan, change, gets = demand.plan, demand.change, demand.gets
    singles, size = plan.single_reads, demand.block_size_bytes
    requests, blocks = demand.reads + singles, demand.read_blocks + singles
    cpu_s = demand.cpu_s + found.submit_cpu_s + found.reap_cpu_s
    named = 0 if plan.asynchronous and plan.through_page_cache else 1  # io_submit blocks without an event
    read_wait_s = where(demand.reads > 0, found.read_wait_s * named, 0.0) + found.single_wait_s
    client_s = sum(times * each_s for times, each_s in demand.waits.values())
    run_queue_s = where(work.users > 1, found.run_queue_s, 0.0)
    between_s = demand.trips * system.host.between_calls_s - demand.sent_twice_s
    get_cpu_s = over(demand.cpu["buffer gets"] + demand.cpu["walking rows"], gets)
    hits = larger(0.0, demand.blocks_wanted + singles - blocks)
    writes, written_bytes = writes_of_a_session(work, demand)
    device = (
        device_of_writes(system, demand, found.last_s)
        if demand.writing
        else _device_figures(asked, demand, found, work.users)
    )
    after = change.segment_after if change else demand.segment
    after_bytes = larger(after.shape.size_bytes, after.blocks * size)
    row = {
        "elapsed_s": found.elapsed_s,
        "last_session_s": known_where(work.users > 1, found.last_s),
        "cpu_s": cpu_s,
        "wait_s": client_s + read_wait_s + found.log_space_s + found.free_buffers_s,
        "read_wait_s": read_wait_s,
        "unaccounted_s": between_s + found.submit_blocked_s + run_queue_s,
        "consistent_gets": gets,
        "current_gets": demand.current_gets,
        "cpu_per_get_s": get_cpu_s,
        "hit_fraction": over(hits, hits + blocks),
        "read_requests": requests,
        "read_blocks": blocks,
        "read_bytes": blocks * size,
        "write_requests": writes,
        "write_bytes": written_bytes,
        "segment_blocks": demand.segment.blocks,
        "segment_after_blocks": after.blocks,
        "segment_after_bytes": after_bytes,
        "rows_per_block": demand.segment.rows_per_block,
        "migrated_rows": change.migrated
        if change
        else nearest(system.table.rows * system.table.migrated_fraction),
        "optimizer_cost": optimizer_of(system, work, demand).cost,
        "extrapolated_constants": extrapolated_constants(system, work, demand),
    }
    if change and work.plays_rows:  # an import's result counts no probes
        row["rejected_probes"] = change.rejected
    spent = Spent(found.last_s, cpu_s, after_bytes, gets, get_cpu_s)
    return found.hidden, row | books.device_measures(*device) | money_measures(system, work, spent)
