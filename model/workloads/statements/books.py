"""The books of statements: from demands and times to the figures of an answer, or of an array; and a plan's rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

from blocktime.model.causes import (
    BETWEEN_CALLS,
    COPIED,
    COPIED_TWICE,
    COPIES,
    DIRECT,
    OUTSIDE_CALLS,
    PARALLEL,
    PX_REPLY,
    PX_SEND,
    PX_START,
    RUN_QUEUE,
    SCATTERED,
    SENT_TWICE,
    SEQUENTIAL,
    SUBMIT_BLOCKED,
    TEMP,
    UNDO,
)
from blocktime.model.closing import Figures, close, devices, time_of
from blocktime.model.demand import Demand, optimizer_of
from blocktime.model.demand.work import COUNTING, SERVER_START_S
from blocktime.model.laws import block
from blocktime.model.laws.change import CLEANOUT_REDO_BYTES
from blocktime.model.laws.numeric import Number, known_or, known_where, larger, nearest, over, some, where
from blocktime.model.laws.work_area import Spill
from blocktime.model.results import (
    CacheUse,
    Call,
    DeviceStats,
    EventTime,
    Interval,
    LogicalIO,
    PhysicalIO,
    RowSource,
    RunResult,
    WorkArea,
    part,
)
from blocktime.model.spec import Statement, System
from blocktime.model.units import show_seconds
from blocktime.model.workloads.statements.row_books import row_changes, segment_space, space_search

IN_CALL_UNNAMED = (SUBMIT_BLOCKED, RUN_QUEUE, SENT_TWICE, COPIED_TWICE)
"""What no event names, or two count, within calls: their elapsed time is that of a clock."""


@dataclass(slots=True)
class StatementTimes:
    """What was found out about time: per session the waits, causes and reads, and the device over the run."""

    elapsed_s: Number
    cpu: dict[str, Number]
    wait: dict[str, EventTime]
    unaccounted: dict[str, Number]
    read_requests: Number
    read_blocks: Number
    device: DeviceStats | None
    how: str
    redo: DeviceStats | None = None
    """The log's own disk, where it counts against the limits of a virtual machine."""
    temp: DeviceStats | None = None
    """A disk of the temporary tablespace's own."""
    request_blocks: dict[int, float] = field(default_factory=dict)
    """Reads by size in blocks; not known of arrays."""
    direct_read_slots: dict[float, float] = field(default_factory=dict)
    """Seconds since the scan began -> slots from then on; not known of arrays."""
    seed: int = 0
    warnings: list[str] = field(default_factory=list)
    interval: Interval | None = None
    played_fraction: float | None = None
    events: int | None = None
    last_session_s: Number | None = None


def of_query(work: Statement, demand: Demand, timing: StatementTimes, query_s: Number) -> StatementTimes:
    """*timing* of the mean parallel server until its query is done; as it is without such servers.

    The coordinator starts servers, and waits for their reply until the last one ends after *query_s*: longer than the
    mean one works. Or the query ends when the coordinator has passed on what they found, for which the servers wait.
    """
    if not some(demand.servers > 1):
        return timing
    behind_s = larger(0.0, demand.coordinator_s - query_s)
    start_s = demand.started_servers * SERVER_START_S
    reply_s = larger(0.0, query_s - timing.elapsed_s)
    for event, seconds, waits in (
        (PX_REPLY, reply_s, 1),
        (PX_SEND, behind_s, 1),
        (PX_START, start_s, demand.started_servers),
    ):
        if some(seconds):
            timing.wait[event] = part(EventTime, waits=waits, max_s=over(seconds, waits), total_s=seconds)
    timing.elapsed_s = larger(query_s, timing.elapsed_s) + behind_s + start_s
    last_s = larger(timing.elapsed_s, known_or(timing.last_session_s, 0.0))
    timing.last_session_s = known_where(work.users > 1, last_s)
    return timing


def close_books(name: str, system: System, work: Statement, demand: Demand, timing: StatementTimes) -> RunResult:
    """One checked result from what was asked and how long it took."""
    figures = figures_of(system, work, demand, timing)
    time = figures.time
    waited_in_call = sum(waited.total_s for event, waited in timing.wait.items() if event not in OUTSIDE_CALLS)
    unnamed = sum(timing.unaccounted.get(cause, 0.0) for cause in IN_CALL_UNNAMED)
    in_calls = time.cpu_s, waited_in_call + unnamed
    figures.calls = _calls(work, demand, in_calls, figures.physical_io.read_blocks)
    figures.row_sources = row_sources(demand, figures)
    figures.changes = row_changes(work, demand)
    figures.space_search = space_search(system, demand, timing.cpu, timing.elapsed_s)
    return close(name, system, work, figures)


def figures_of(system: System, work: Statement, demand: Demand, timing: StatementTimes) -> Figures:
    """What there is of one answer and of an array of them."""
    servers = demand.servers
    blocks, gets = _of_all(servers, timing.read_blocks), servers * demand.gets
    walk_cpu = timing.cpu["row access"]
    get_cpu = timing.cpu["buffer gets"] + timing.cpu.get(UNDO, 0.0) + walk_cpu
    wanted = gets + demand.current_gets
    misses = blocks - demand.temp_read_blocks
    hits = larger(0.0, wanted - misses)
    return Figures(
        how=timing.how,
        seed=timing.seed,
        law_sources=work.law_sources,
        warnings=timing.warnings,
        demand=demand,
        time=time_of(
            timing.elapsed_s,
            timing.cpu,
            timing.wait,
            timing.unaccounted,
            client_rows_s=known_where(demand.client_rows_s > 0, demand.client_rows_s),
            interval=timing.interval,
            last_session_s=timing.last_session_s,
            servers=known_where(servers > 1, servers),
        ),
        logical_io=part(
            LogicalIO,
            consistent_gets=gets,
            current_gets=demand.current_gets,
            cpu_per_get_s=over(servers * get_cpu, gets),
            row_walk_fraction=over(walk_cpu, get_cpu),
            undo_gets=known_where(demand.undo_gets > 0, servers * demand.undo_gets),
            cleanouts=known_where(demand.cleanouts > 0, servers * demand.cleanouts),
            cleanout_redo_bytes=known_where(
                (demand.cleanouts > 0) & (not demand.plan.direct), CLEANOUT_REDO_BYTES * demand.cleanouts
            ),
        ),
        physical_io=_physical_io(work, demand, timing, blocks),
        cache=None
        if demand.plan.direct
        else part(CacheUse, hits=hits, misses=misses, hit_fraction=over(hits, hits + misses)),
        segment=segment_space(system, demand),
        device=devices(disk=timing.device, redo=timing.redo, temp=timing.temp),
        optimizer=None if demand.stages else optimizer_of(system, work, demand),
        index=demand.index,
        access=demand.plan.why,
        events=timing.events,
        played_fraction=timing.played_fraction,
    )


def _physical_io(work: Statement, demand: Demand, timing: StatementTimes, blocks: Number) -> PhysicalIO:
    """Reads of so many *blocks* by all servers, and writes: of what sessions write to temp each has its own."""
    servers, size = demand.servers, demand.block_size_bytes
    written_blocks = writes = demand.writing.written_blocks / work.users if demand.writing else 0.0
    if demand.writing and demand.writing.to_temp:
        written_blocks, writes = demand.writing.blocks, demand.writing.calls
    return part(
        PhysicalIO,
        read_requests=_of_all(servers, timing.read_requests),
        read_blocks=blocks,
        direct_blocks=_direct_blocks(demand, blocks),
        read_bytes=blocks * size,
        write_requests=writes,
        write_bytes=written_blocks * size,
        request_blocks={
            size: _of_all(servers, count) for size, count in sorted(timing.request_blocks.items(), reverse=True)
        },
        direct_read_slots=timing.direct_read_slots,
    )


def _direct_blocks(demand: Demand, blocks: Number) -> Number | None:
    """Of the *blocks* read those past the buffer cache: of direct scans, and of temp; None without any."""
    if not demand.stages:
        return blocks - _of_all(demand.servers, demand.plan.single_reads) if demand.plan.direct else None
    direct = sum(stage.read_blocks for stage in demand.stages if stage.plan.direct)
    return known_where(direct > 0, direct)


def _of_all(servers: Number, count: Number) -> Number:
    """What all parallel servers count, where *count* is that of the mean one."""
    return where(servers > 1, nearest(servers * count), count)


def _calls(work: Statement, demand: Demand, in_calls: tuple[float, float], read_blocks: float) -> dict[str, Call]:
    """TKPROF's three lines: a query works in its fetches, a statement that changes rows in its executions."""
    nothing = Call(count=1, cpu_s=0, elapsed_s=0, disk=0, query=0, current=0, rows=0)
    changed = demand.change
    cpu_s, waited_s = (demand.servers * seconds for seconds in in_calls)
    busy = Call(
        count=demand.executions if changed else demand.fetches,
        cpu_s=cpu_s,
        elapsed_s=max(0.0, cpu_s + waited_s),
        disk=read_blocks,
        query=demand.servers * demand.gets,
        current=demand.current_gets,
        rows=changed.rows / work.users if changed else demand.rows_returned,
    )
    if changed:
        return {"parse": nothing, "execute": busy, "fetch": nothing.model_copy(update={"count": 0})}
    return {"parse": nothing, "execute": nothing, "fetch": busy}


def client_times(system: System, demand: Demand) -> tuple[dict[str, EventTime], dict[str, Number]]:
    """Waits for the client, and what the trace of such a run leaves unaccounted or counts twice."""
    waits = {
        event: part(EventTime, waits=times, max_s=each_s, total_s=times * each_s)
        for event, (times, each_s) in demand.waits.items()
        if some(times)
    }
    return waits, {SENT_TWICE: -demand.sent_twice_s, BETWEEN_CALLS: demand.trips * system.between_calls_s}


def count_copies(cpu: dict[str, Number], unaccounted: dict[str, Number], copied_s: Number) -> None:
    """Count copies from the page cache as CPU too: the kernel makes them within the event that waits for a read."""
    if some(copied_s):
        cpu[COPIES], unaccounted[COPIED_TWICE] = copied_s, -copied_s


def histogram(demand: Demand) -> dict[int, float]:
    """Reads by size in blocks, header and map reads included."""
    sizes: dict[int, float] = {}
    single = float(demand.plan.single_reads)
    if single:
        sizes[1] = single
    for piece in demand.plan.pieces:
        if piece.count > 0 and piece.blocks > 0:
            sizes[int(piece.blocks)] = sizes.get(int(piece.blocks), 0.0) + float(piece.count)
    return sizes


def session_warnings(
    work: Statement, demand: Demand, timed: tuple[float, float, float], *, is_cached: bool = False
) -> list[str]:
    """What to know of several sessions: *timed* are seconds of the mean one, until the last one, and for all CPU."""
    warnings = _pieces_of_row(demand)
    if work.sessions == 1:
        return warnings
    if demand.servers > 1:
        return [
            *warnings,
            f"{demand.servers} parallel servers share the scan: the profile is that of the mean server; reads, gets "
            "and calls are sums of all servers. The model leaves out skew",
        ]
    text = f"{work.users} users: times and counts are those of the mean session"
    if demand.change is None:
        what = "the table" if demand.index is None else "a range of its own"
        blocks = "the blocks" if is_cached else "no block"
        text += f". Each reads {what}, and finds {blocks} in the buffer cache that another session has read"
    mean, last, processors = (show_seconds(seconds) for seconds in timed)
    if timed[0] >= timed[2]:
        return [*warnings, text]
    return [
        *warnings,
        text,
        f"the mean session takes {mean}, less than the {processors} of CPU for all of them: some sessions start and "
        f"end early, the last one ends after {last}",
    ]


def _pieces_of_row(demand: Demand) -> list[str]:
    """That a row of many columns has several pieces in its block, which the model does not tell apart."""
    columns = demand.row.columns
    if columns <= block.PIECE_COLUMNS:
        return []
    pieces = ceil(columns / block.PIECE_COLUMNS)
    return [
        f"a row of {columns:,.0f} columns has {pieces} pieces in its block, of at most {block.PIECE_COLUMNS} columns "
        "each. The model counts one piece: gets and CPU of the further pieces are left out"
    ]


READING = ("read calls", "reading blocks into buffers", COPIED)
WALKING = ("row access", "filtering rows")


def row_sources(demand: Demand, figures: Figures) -> list[RowSource] | None:
    """Row sources of the plan with their sums; none of a statement that changes rows."""
    if not demand.sources:
        return None
    time, servers, opinion = figures.time, demand.servers, figures.optimizer
    waits = sum(time.wait[event].total_s for event in (DIRECT, PARALLEL, SCATTERED, SEQUENTIAL) if event in time.wait)
    waits += time.unaccounted.get(SUBMIT_BLOCKED, 0.0)
    computed_s = time.cpu_s + time.unaccounted.get(COPIED_TWICE, 0.0)
    stretch = 1 + over(time.unaccounted.get(RUN_QUEUE, 0.0), computed_s)  # by what waits for a processor
    reading_s = servers * (waits + stretch * sum(time.cpu.get(cause, 0.0) for cause in READING))
    getting_s = servers * stretch * time.cpu["buffer gets"]
    gets, reads = (
        sum(of) for of in zip(*((source.gets, source.read_blocks) for source in demand.sources), strict=True)
    )
    of_tables = reads - sum(source.read_blocks for source in demand.sources if source.spill)
    temp_s = sum(time.wait[event].total_s for event in TEMP if event in time.wait)
    moved_bytes = sum(source.spill.moved_bytes for source in demand.sources if source.spill)
    walking_s = servers * stretch * sum(time.cpu.get(cause, 0.0) for cause in WALKING)
    walked_in = next(source for source in demand.sources if source.gets)
    sources: list[RowSource] = []
    below: list[tuple[int, float, float, float, float]] = []
    """Level, buffers, blocks read and written, and seconds of the row sources that no other one is above yet."""
    for rank in range(len(demand.sources) - 1, -1, -1):
        row_source = demand.sources[rank]
        spill, level = row_source.spill, rank if row_source.depth is None else row_source.depth
        children = [child for child in below if child[0] > level]
        below = [child for child in below if child[0] <= level]
        buffers, blocks, written, seconds = (sum(child[part] for child in children) for part in (1, 2, 3, 4))
        buffers += servers * row_source.gets
        blocks += over(figures.physical_io.read_blocks * row_source.read_blocks, reads)
        if spill is None:
            seconds += getting_s * over(row_source.gets, gets) + reading_s * over(row_source.read_blocks, of_tables)
        else:
            written += nearest(spill.written_bytes / demand.block_size_bytes)
            seconds += temp_s * over(spill.moved_bytes, moved_bytes)
        if row_source.row_cpu_s is not None:
            seconds += stretch * row_source.row_cpu_s
        elif row_source is walked_in and row_source.depth is None:
            seconds += walking_s
        below.append((level, buffers, blocks, written, seconds))
        cost = None
        if opinion is not None and row_source.operation != COUNTING:
            lowest = row_source is demand.sources[-1] and opinion.index_cost is not None
            cost = opinion.index_cost if lowest else opinion.cost
        sources.append(
            RowSource(
                operation=row_source.operation,
                starts=nearest(servers * row_source.starts),
                rows=nearest(servers * row_source.rows),
                buffers=buffers,
                read_blocks=blocks,
                time_s=seconds,
                cost=cost,
                depth=row_source.depth,
                written_blocks=written or None,
                work_area=None if spill is None else _work_area(spill),
            )
        )
    return sources[::-1]


def _work_area(spill: Spill) -> WorkArea:
    """A work area as V$SQL_WORKAREA shows it."""
    return WorkArea(
        optimal_bytes=spill.optimal_bytes,
        one_pass_bytes=spill.one_pass_bytes,
        used_bytes=spill.memory_bytes,
        passes=spill.passes,
        runs=spill.runs,
        merge_width=min(spill.width, spill.runs),
        call_bytes=spill.io_bytes,
        temp_bytes=spill.written_bytes,
    )
