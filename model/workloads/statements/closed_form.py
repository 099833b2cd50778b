"""The sum of a statement: exact where it meets nobody, else what it takes at least; for one scenario or for arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from blocktime.model import causes
from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.closing import row
from blocktime.model.demand import Demand, ReadTimes, demand_of, parallel_of, read_times, reaps_are_waits
from blocktime.model.demand.index_upkeep import waits_at_leaves
from blocktime.model.laws import device_time, read_slots
from blocktime.model.laws.numeric import Number, known_where, larger, over, smaller, some, where
from blocktime.model.laws.processors import thread_speed
from blocktime.model.results import EXACT_SUM, EventTime, RunResult, part
from blocktime.model.spec import Statement, System
from blocktime.model.workloads.statements import books


@dataclass(slots=True)
class ScanTime:
    """Elapsed time of one session, and what of it is waiting for reads, or for a processor."""

    elapsed_s: Number
    read_wait_s: Number
    single_wait_s: Number
    run_queue_s: Number
    submit_cpu_s: Number
    submit_blocked_s: Number
    reap_cpu_s: Number
    exact: Any
    """Whether nobody else is there and nothing is read from a device: then this is what would be played."""


def compose(system: System, work: Statement, demand: Demand) -> tuple[ScanTime, ReadTimes, Demand]:
    """Elapsed time from demands, and these with the CPU time that processors take which others keep busy too.

    A session finds the processors that it leaves the others at the share of their time that is CPU time.
    """
    if not some(work.sessions > 1):
        return *_composed(system, work, demand), demand
    about, _ = _composed(system, work, demand)
    share = smaller(1, over(demand.cpu_s, about.elapsed_s))
    slower = demand.at_speed(thread_speed(1 + (work.sessions - 1) * share, system.host.cores))
    return *_composed(system, work, slower), slower


def _composed(system: System, work: Statement, demand: Demand) -> tuple[ScanTime, ReadTimes]:
    """What one session does itself, and its reads; of several no less than all of them need of what they share.

    Exact where one session reads nothing from a device; else its reads take their time alone, and nobody queues.
    """
    plan, host, users, parallel = demand.plan, system.host, work.sessions, parallel_of(system.disk)
    truly_async = plan.asynchronous and not plan.through_page_cache
    inside_submit = plan.asynchronous and plan.through_page_cache
    reaped = demand.reads * host.reap_call_s if plan.asynchronous else 0.0
    posted = truly_async and reaps_are_waits(system)
    reap_cpu = 0.0 if posted else reaped
    work_s = demand.cpu_s + reaped + demand.waits_s - demand.sent_twice_s + demand.trips * system.between_calls_s
    copied, blocked = 0.0 * work_s, 0.0 * work_s
    times, copy_s = read_times(system, demand, work_s, users), 0.0 * work_s
    if plan.through_page_cache:
        times, copy_s = _copied(system, demand, times)
    single = plan.single_reads * times.single_s
    if truly_async:
        at_device = read_slots.device_s(work_s, times.busy_s, times.scan_s, parallel, *_slots(system))
        last = work_s * times.last_blocks / larger(1, demand.read_blocks)
        piped = device_time.pipelined_s(times.first_s, at_device, work_s, last)
        read_wait = where(demand.reads > 0, piped - work_s, 0)
    elif inside_submit:
        copied, blocked, read_wait = copy_s, times.scan_s, 0.0 * work_s
        work_s = work_s + copied + blocked
    else:
        read_wait = times.scan_s + copy_s
    alone = work_s + single + read_wait
    cpu = demand.cpu_s + copied + reap_cpu
    at_processors, at_device = users * cpu / host.cores.threads, users * times.busy_s
    shared = where(users > 1, larger(at_processors, at_device), 0.0)
    more = larger(0.0, shared - alone)
    for_device = where((at_device > at_processors) & (demand.reads + plan.single_reads > 0), more, 0.0)
    for_header = where(demand.reads > 0, 0.0, for_device)  # the only reads there are
    for_reads = for_device - for_header
    reads_none = where(demand.reads + plan.single_reads > 0, False, True)
    return (
        ScanTime(
            elapsed_s=alone + more,
            read_wait_s=read_wait + (0.0 if inside_submit else for_reads) + (reaped if posted else 0.0),
            single_wait_s=single + for_header,
            run_queue_s=more - for_device,
            submit_cpu_s=copied,
            submit_blocked_s=blocked + (for_reads if inside_submit else 0.0),
            reap_cpu_s=reap_cpu,
            exact=where(users > 1, False, True)
            & where(plan.uneven, False, True)
            & where(_meets_writers(system, demand), False, True)
            & (reads_none | (plan.through_page_cache & (_missed_fraction(system) <= 0))),
        ),
        times,
    )


def _meets_writers(system: System, demand: Demand) -> Any:
    """Whether what DBWR or LGWR writes meanwhile may hold a session up."""
    return False if demand.writing is None else demand.writing.meets_sessions(system)


def _slots(system: System) -> tuple[int, int]:
    """Asynchronous direct reads that a session may have in flight at first, and at most."""
    return system.instance.direct_read_slots, system.instance.direct_read_slots_limit


def _missed_fraction(system: System) -> Number:
    """Share of the reads through the page cache that it does not answer."""
    return 1 - system.host.page_cache_hit_fraction


def _copied(system: System, demand: Demand, raw: ReadTimes) -> tuple[ReadTimes, Number]:
    """The reads of a session that the page cache answers as often as it may, and their copies."""
    single_s = demand.block_size_bytes / system.host.copy_bytes_per_s
    missed, most_blocks = _missed_fraction(system), 0
    for piece in demand.plan.pieces:
        most_blocks = larger(most_blocks, where(piece.count > 0, piece.blocks, 0))
    return replace(
        raw,
        scan_s=missed * raw.scan_s,
        busy_s=missed * raw.busy_s,
        first_s=missed * raw.first_s + most_blocks * single_s,
        single_s=single_s + missed * raw.single_s,
    ), demand.read_blocks * single_s


def session_demand(system: System, work: Statement) -> Demand:
    """Demands of each session, with its waits for leaves of indexes that other sessions change."""
    demand = demand_of(system, work)
    if not demand.leaf_changes or not some(work.users > 1):
        return demand
    scan_time, *_ = compose(system, work, demand)
    waits = waits_at_leaves(system, work.users, demand, scan_time.elapsed_s)
    return replace(demand, waits=demand.waits | {causes.BUFFER_BUSY: waits})


Composed = tuple[ScanTime, ReadTimes, Demand]
LAST: Final[list[tuple[System, Statement, Composed]]] = []
"""The statement composed last: who asks whether an answer is exact asks for the answer next."""


def _times_of(system: System, work: Statement) -> Composed:
    for of_system, of_work, composed in LAST:
        if of_system is system and of_work is work:
            return composed
    composed = compose(system, work, session_demand(system, work))
    LAST[:] = [(system, work, composed)]
    return composed


def is_exact(system: System, work: Statement) -> bool:
    """Whether nobody queues and nothing is read from a device: one session, whose reads the page cache answers."""
    demand = demand_of(system, work)
    reads = demand.reads + demand.plan.single_reads > 0
    if reads and not (demand.plan.through_page_cache and _missed_fraction(system) <= 0):
        return False
    return bool(_times_of(system, work)[0].exact)


def calculate(system: System, work: Statement, *, name: str) -> tuple[RunResult, bool]:
    """Sum up a statement, times of its mean session; and whether this is exact: else it takes no less."""
    scan_time, times, demand = _times_of(system, work)
    timing = _timing(system, work, demand, scan_time, times)
    timing.request_blocks = books.histogram(demand)
    if demand.reads and demand.plan.asynchronous and not demand.plan.through_page_cache:
        work_s = scan_time.elapsed_s - scan_time.read_wait_s
        as_long_as_it_took = read_slots.stages(work_s, scan_time.elapsed_s, 0.0, 1, *_slots(system))
        timing.direct_read_slots = read_slots.slots_by_time(as_long_as_it_took)
    processors_s = work.sessions * sum(timing.cpu.values()) / system.host.cores.threads
    elapsed_s = scan_time.elapsed_s
    timing.warnings = books.session_warnings(work, demand, (elapsed_s, elapsed_s, processors_s))
    return books.close_books(name, system, work, demand, timing), bool(scan_time.exact)


def _timing(
    system: System, work: Statement, demand: Demand, scan_time: ScanTime, times: ReadTimes
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
        wait=waits | _read_waits(system, demand, scan_time, times),
        unaccounted=unaccounted,
        read_requests=demand.reads + demand.plan.single_reads,
        read_blocks=demand.read_blocks + demand.plan.single_reads,
        device=None,
        last_session_s=known_where(crowded, scan_time.elapsed_s),
        how=EXACT_SUM,
    )
    return books.of_query(work, demand, timing, scan_time.elapsed_s)


def _read_waits(system: System, demand: Demand, scan_time: ScanTime, times: ReadTimes) -> dict[str, EventTime]:
    """Waits for reads; io_submit blocks without an event."""
    plan, reads = demand.plan, demand.reads
    waits, read_s = {}, where(reads > 0, scan_time.read_wait_s, 0.0)
    if some(reads) and not (plan.asynchronous and plan.through_page_cache):
        blocked = read_s > times.first_s * 1.5
        each = not plan.asynchronous or reaps_are_waits(system)
        count = where(reads > 0, reads if each else where(blocked, reads, 1), 0)
        together_s = read_s * times.batched_fraction
        read_s, count = read_s - together_s, count - plan.batched_reads
        longest = smaller(read_s, larger(times.first_s, over(read_s, count)))
        waits[plan.event] = part(EventTime, waits=count, max_s=longest, total_s=read_s)
        if some(plan.batched_reads):
            each_s = over(together_s, plan.batches)
            waits[PARALLEL] = part(EventTime, waits=plan.batches, max_s=each_s, total_s=together_s)
    if some(plan.single_reads):
        single = part(EventTime, waits=plan.single_reads, max_s=times.single_s, total_s=scan_time.single_wait_s)
        waits[SEQUENTIAL] = single.plus(waits.get(SEQUENTIAL))
    return waits


def measures(system: System, work: Statement) -> tuple[Number, dict[str, Number]]:
    """Whether this is exact, and what :func:`calculate` says, where fields may be arrays."""
    scan_time, times, demand = _times_of(system, work)
    timing = _timing(system, work, demand, scan_time, times)
    return scan_time.exact, row(system, work, books.figures_of(system, work, demand, timing))
