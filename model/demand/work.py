"""What one execution asks for: gets, reads, CPU by cause, and the client's turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from blocktime.model.causes import CLEANOUT, FETCHES, FROM_CLIENT, KO_CHECKPOINT, MORE_DATA, TO_CLIENT
from blocktime.model.demand.reading import ReadPlan, one_for_all, scan_plan
from blocktime.model.demand.row_changes import Change
from blocktime.model.demand.segment import RowShape, Segment, row_shape, segment_of
from blocktime.model.demand.writing import WriteBehind
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, buffer_gets, disk_means, round_trips, scan_reads
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.numeric import Number, ceiling, larger, largest, nearest, smaller, some, where
from blocktime.model.laws.volume_limits import limited_per_s
from blocktime.model.laws.work_area import Spill
from blocktime.model.results import IndexChanges, IndexStatistics
from blocktime.model.spec import FullScan, System, Table, release_tuple

COUNTING = "SORT AGGREGATE"


@dataclass(slots=True)
class PlanOperation:
    """One operation; gets and reads are its own, without those of the operation below it."""

    operation: str
    rows: Number
    """Rows that it returns, of all its starts."""
    gets: Number = 0
    read_blocks: Number = 0
    starts: Number = 1
    depth: int | None = None
    """Levels below the topmost of a plan with branches; without them each is below the one before."""
    row_cpu_s: Number | None = None
    """CPU of its rows, of a plan with branches."""
    spill: Spill | None = None
    """Of a work area."""


def with_count(sources: Sequence[PlanOperation], select: str) -> list[PlanOperation]:
    """*sources*, topmost first, under the operation that counts their rows where *select* says so."""
    return [PlanOperation(COUNTING, 1), *sources] if select == "count" else list(sources)


def in_parallel(sources: Sequence[PlanOperation], degree: Number, granules: Number) -> list[PlanOperation]:
    """*sources* of a full scan by *degree* servers, each counting its own rows; divided among the servers.

    The scan starts anew for each of the *granules*.
    """
    *counting, scan = sources
    passed = [replace(row_source, rows=degree, starts=degree) for row_source in counting]
    sent = passed[0].rows if passed else scan.rows
    plan = [
        *counting,
        PlanOperation("PX COORDINATOR", sent),
        PlanOperation("PX SEND QC (RANDOM)", sent, starts=degree),
        *passed,
        PlanOperation("PX BLOCK ITERATOR", scan.rows, starts=degree),
        replace(scan, starts=nearest(granules)),
    ]
    return [
        PlanOperation(
            row_source.operation,
            row_source.rows / degree,
            row_source.gets / degree,
            row_source.read_blocks / degree,
            row_source.starts / degree,
        )
        for row_source in plan
    ]


FULL_SCAN, RANGE_SCAN, NO_SCAN = "full scan", "index range scan", "no scan"
"""What is walked to find the rows of a statement."""


@dataclass(slots=True)
class Demand:
    """Everything one execution of the workload asks for."""

    row: RowShape
    segment: Segment
    plan: ReadPlan
    gets: Number
    blocks_wanted: Number
    block_size_bytes: Number
    reads: Number
    """Reads of the scan, without the single-block reads of header and map."""
    read_blocks: Number
    """Blocks read by the scan."""
    fetches: Number = 0
    trips: Number = 1
    """Round trips between client and server."""
    rows_returned: Number = 0
    more_data: Number = 0
    executions: Number = 1
    current_gets: Number = 0
    block_changes: Number = 0
    """Changes to blocks by inserts."""
    access_path: str = FULL_SCAN
    """What the optimizer costs."""
    sources: list[PlanOperation] = field(default_factory=list)
    """Row sources of a query's plan, topmost first."""
    stages: list[Demand] = field(default_factory=list)
    """What a session does one after another, where a row source passes its first row on when it has its last: of these
    it is the sum."""
    table: Table | None = None
    """Of a stage the table that it reads, where that is the inner one of a join."""
    temp_read_blocks: Number = 0
    index: IndexStatistics | None = None
    """Of the index that is walked."""
    sent: FetchPlan | None = None
    """Rows that go between client and server together; None for a count, and where no row goes there."""
    change: Change | None = None
    """What it does to rows and blocks, where it changes any."""
    upkeep: list[IndexChanges] = field(default_factory=list)
    """What each index of the table takes from the rows that all sessions change."""
    leaf_changes: list[Any] = field(default_factory=list)
    """Where the sessions change leaves, by index."""
    leaf_reads: Number = 0
    """Of the single-block reads those of leaves."""
    cleanouts: Number = 0
    """Blocks that a session finds committed and not cleaned out; through the cache it leaves them dirty."""
    undo_gets: Number = 0
    """Of the gets those of undo, for blocks that others change."""
    dirty_blocks: Number = 0
    """Blocks of table and indexes that all sessions leave to DBWR."""
    apart_blocks: Number = 0
    """Of them those that lie anywhere."""
    undo_bytes: Number = 0
    """Of all sessions, as are the next two."""
    undo_blocks: Number = 0
    redo_bytes: Number = 0
    writing: WriteBehind | None = None
    """What is written behind it, where that is timed."""
    servers: Number = 1
    """Parallel servers that share the scan; the demand is that of the mean one."""
    started_servers: Number = 0
    """Parallel servers that one query starts, as the instance has none left."""
    coordinator_s: Number = 0.0
    """Time that the coordinator of parallel servers takes to pass their rows on to the client."""
    client_rows_s: Number = 0.0
    """Time the client works on rows and columns, the part that overlaps the server's work included."""
    sent_twice_s: Number = 0.0
    """CPU of sends, which a trace counts both as CPU and as wait; never more than the CPU there is."""
    cpu: dict[str, Number] = field(default_factory=dict)
    waits: dict[str, tuple[Number, Number]] = field(default_factory=dict)
    """Client waits: event -> (times, seconds each)."""

    @property
    def cpu_s(self) -> Number:
        """CPU seconds of all causes."""
        return sum(self.cpu.values())

    @property
    def waits_s(self) -> Number:
        """Seconds of all waits for the client."""
        return sum(times * each for times, each in self.waits.values())

    def at_speed(self, speed: Number) -> Demand:
        """The same on processors that run at *speed*, 1 for one that is alone on the machine."""
        return replace(self, cpu={cause: seconds / speed for cause, seconds in self.cpu.items()})

    @property
    def shared(self) -> bool:
        """Whether the sessions share one scan of the segment: they change its rows, or are parallel servers."""
        return self.change is not None or some(self.servers > 1)


class FetchPlan(NamedTuple):
    """What a query returns to its client, and in which arrays."""

    select: str
    arraysize_rows: Number
    columns: Number | None = None
    """Columns of the select list; all where None."""
    by_column: bool = True
    """Whether server and client touch each column value; a direct export passes rows on as they lie."""
    to_file: bool = False
    """Whether the client writes what it gets to a file."""
    first_rows: Number | None = None
    """Rows of the first fetch call; as the others where None."""
    filter_fraction: Number = 1.0
    """Share of the rows visited that are returned."""
    entry_bytes: Number = 0
    """Bytes of a row that the index alone returns: its key with length bytes; 0 where rows come from the table."""

    def calls(self, rows: Number) -> Number:
        """Fetch calls that return *rows* rows."""
        return buffer_gets.fetch_calls(rows, self.arraysize_rows, self.first_rows)

    def stops(self, rows: Number) -> Number:
        """Of those calls the ones with rows after them."""
        return buffer_gets.fetch_stops(rows, self.arraysize_rows, self.first_rows)

    def columns_of(self, row: RowShape) -> Number:
        """Columns of *row* that are returned."""
        return row.columns if self.columns is None else smaller(self.columns, row.columns)

    def row_bytes(self, row: RowShape) -> Number:
        """Bytes of a returned row of *row*'s shape: its columns, taken as equally long, or a count."""
        if self.select != "rows":
            return COUNT_BYTES
        of_table = (row.bytes - block.ROW_HEADER_BYTES) * self.columns_of(row) / row.columns
        return where(self.entry_bytes > 0, self.entry_bytes, of_table)


COUNT_BYTES = 8  # the one value that count(*) returns


def cpu_of_rows(system: System, row: RowShape, fetching: FetchPlan) -> tuple[Number, Number]:
    """CPU seconds per row walked, and per row returned into the array."""
    host = system.host
    walk = buffer_gets.row_walk_s(
        block.slot_bytes(row.bytes),
        row.columns,
        line_miss_s=host.line_miss_s,
        line_stream_s=host.line_stream_s,
        row_step_s=host.row_step_s,
        column_step_ratio=host.column_step_ratio,
    )
    columns = fetching.columns_of(row) * fetching.by_column
    fetch = host.fetch_row_s + host.fetch_column_s * columns if fetching.select == "rows" else 0.0
    return walk, fetch


def client_rows_s(net: Any, rows: Number, columns: Number) -> Number:
    """Time that a client works on *rows* rows of *columns* columns, without system calls and files."""
    return rows * (net.row_s + net.column_s * columns)


def add_client(demand: Demand, system: System, fetching: FetchPlan) -> None:
    """CPU of calls and the three client events."""
    demand.sent = fetching if fetching.select == "rows" else None
    net, rows, arraysize = system.client, demand.rows_returned, fetching.arraysize_rows
    per_row = fetching.row_bytes(demand.row)
    first = 0 if fetching.first_rows is None else smaller(rows, fetching.first_rows)
    full = round_trips.full_arrays(rows - first, arraysize)
    last = round_trips.last_array_rows(rows - first, arraysize)
    demand.more_data = (
        round_trips.more_data_messages(first * per_row, net.sdu_bytes)
        + full * round_trips.more_data_messages(arraysize * per_row, net.sdu_bytes)
        + round_trips.more_data_messages(last * per_row, net.sdu_bytes)
    )
    demand.cpu["calls"] = demand.trips * system.host.call_s
    sends = demand.trips * net.message_send_s + demand.more_data * net.more_data_send_s
    demand.sent_twice_s = smaller(demand.cpu_s, sends * net.send_cpu_fraction)
    server_s = demand.cpu_s - demand.sent_twice_s
    array_bytes = larger(1, smaller(rows, arraysize) * per_row)
    columns = fetching.columns_of(demand.row) * fetching.by_column
    demand.client_rows_s = client_rows_s(net, rows, columns)
    client_s = demand.client_rows_s + fetching.to_file * rows * per_row / net.file_bytes_per_s
    client_s = client_s - round_trips.overlapped_s(server_s, client_s, array_bytes, net.sdu_bytes)
    client_s = client_s + demand.trips * net.round_trip_s
    for calls, of_call in ((1, first), (full, arraysize), (1, last)):
        way = of_call * per_row, net.round_trip_s, net.line_bytes_per_s, net.window_bytes
        client_s = client_s + calls * round_trips.line_s(*way)
    demand.waits = {
        TO_CLIENT: (demand.trips, net.message_send_s),
        FROM_CLIENT: (demand.trips, client_s / demand.trips),
        MORE_DATA: (demand.more_data, net.more_data_send_s),
    }


def planned(system: System, segment: Segment, plan: ReadPlan, gets: Number, wanted: Number, **more: Any) -> Demand:
    """The demands of an execution that reads *segment* as *plan* says, but for its CPU and its client."""
    return Demand(
        row=row_shape(system.table),
        segment=segment,
        plan=plan,
        gets=gets,
        blocks_wanted=wanted,
        block_size_bytes=system.tablespace.block_size_bytes,
        reads=plan.reads,
        read_blocks=plan.read_blocks,
        **more,
    )


def cpu_of_scan(
    system: System, demand: Demand, walking_s: Number, fetching: dict[str, Number] | None = None
) -> dict[str, Number]:
    """CPU by cause of gets, rows and reads; a direct read fills no buffer.

    A block of a direct read costs a get as in the cache: so the CPU of direct scans at four block sizes agrees
    [rahn-mbrc], and no source tells how much the search for a buffer is of it.
    """
    host, plan = system.host, demand.plan
    buffered = 0 if plan.direct else 1
    return {
        "buffer gets": demand.gets * host.logical_io_s,
        "row access": walking_s,
        **(fetching or {}),
        "read calls": (demand.reads + plan.single_reads) * stated_call_s(host.read_call_s),
        "reading blocks into buffers": buffered * demand.read_blocks * host.buffer_block_s,
    }


def _equal_rows(table: Table, row: RowShape, segment: Segment) -> Number:
    """Whether every block holds the same whole number of rows."""
    fit = segment.rows_per_block
    return (row.sd_bytes == 0) & (fit == ceiling(fit)) & (table.blocks is None)


def aligned_stops(system: System, segment: Segment, row: RowShape, fetching: FetchPlan, stops: Number) -> Number:
    """Of the *stops* of fetch calls over rows in block order those on a block's last row.

    With a filter the rows that are returned lie anywhere in their blocks. None where the next call gets the block all
    the same.
    """
    aligned = buffer_gets.aligned_stops(
        stops,
        segment.rows_per_block,
        fetching.arraysize_rows,
        fetching.first_rows,
        equal_rows=_equal_rows(system.table, row, segment) & (fetching.filter_fraction == 1),
    )
    return where(system.instance.block_end_saves_get, aligned, 0)


def full_scan(
    system: System, fetching: FetchPlan, other_gets: Number = 0, users: Number = 1, *, parallel: bool = False
) -> Demand:
    """Demands of one full scan that returns what *fetching* says, by a session or by *parallel* servers in all.

    It gets *other_gets* blocks besides those with rows. Who cleans a block out looks its transaction up in the header
    of the undo segment, one get more: through the cache one of the *users* that scan does, by direct reads each.
    """
    row = row_shape(system.table)
    segment = segment_of(system, row)
    plan = scan_plan(system, segment, parallel=parallel)
    rows = system.table.rows
    passed = ceiling(rows * fetching.filter_fraction)
    returned = passed if fetching.select == "rows" else 1
    fetches, stops = fetching.calls(returned), fetching.stops(returned)
    aligned = aligned_stops(system, segment, row, fetching, stops)
    cleanouts = segment.blocks * system.table.committed_dirty_fraction / (1 if plan.direct else users)
    demand = planned(
        system,
        segment,
        plan,
        buffer_gets.consistent_gets_of_scan(segment.blocks, stops, aligned) + other_gets + cleanouts,
        segment.blocks,
        cleanouts=cleanouts,
        fetches=fetches,
        trips=round_trips.round_trips(fetches, system.client.call_trips),
        rows_returned=returned,
    )
    walk, fetch = cpu_of_rows(system, row, fetching)
    demand.cpu = cpu_of_scan(system, demand, rows * walk, {FETCHES: passed * fetch})
    if some(fetching.filter_fraction < 1):
        demand.cpu["filtering rows"] = rows * system.host.filter_row_s * (fetching.filter_fraction < 1)
    if some(cleanouts > 0):
        demand.cpu[CLEANOUT] = cleanouts * system.host.change_block_s
    add_client(demand, system, fetching)
    if plan.direct and some(system.table.dirty_fraction > 0):
        demand.waits[KO_CHECKPOINT] = (system.table.dirty_fraction > 0, _checkpoint_s(system, segment))
    scan = PlanOperation("TABLE ACCESS FULL", passed, demand.gets, demand.read_blocks + plan.single_reads)
    demand.sources = with_count([scan], fetching.select)
    return demand


def _checkpoint_s(system: System, segment: Segment) -> Number:
    """Time in which DBWR writes the dirty blocks of a table, before it is read past the cache [oracle-reference]."""
    disk, size = system.disk, system.tablespace.block_size_bytes
    blocks = segment.blocks * system.table.dirty_fraction
    each_s = 1 / limited_per_s(disk, disk_means.random_requests_per_s(disk, size, segment.blocks * size, True), size)
    return blocks * each_s


def full_scan_demand(system: System, work: FullScan) -> Demand:
    """Demands of one full scan of a query, or of the mean of the parallel servers that share it."""
    _check_servers(system, work)
    parallel = one_for_all(work.degree > 1)
    demand = full_scan(
        system,
        FetchPlan(
            work.select,
            work.arraysize_rows,
            work.columns,
            first_rows=system.client.first_fetch_rows,
            filter_fraction=work.filter_fraction,
        ),
        work.other_gets,
        work.users,
        parallel=parallel,
    )
    return _of_parallel_server(system, work, demand) if parallel else demand


SERVERS_PER_PROCESSOR = 40
"""PARALLEL_THREADS_PER_CPU (2), times 4 concurrent parallel users, times 5 [oracle-reference]."""


SERVER_START_S = 5e-3
"""Time to start one parallel server, a process that attaches to the SGA: general knowledge, 1.5 to 8 ms."""
IDLE_SERVERS_SINCE = (12, 2)
"""First release that keeps parallel servers: 2·CPU_COUNT·PARALLEL_THREADS_PER_CPU (2) [oracle-reference]."""


def _started_servers(system: System, work: FullScan) -> Number:
    """Parallel servers that each query starts beyond those that the instance keeps."""
    idle = system.instance.parallel_min_servers
    if idle is None:
        keeps = release_tuple(system.instance.release) >= IDLE_SERVERS_SINCE
        idle = 4 * system.host.cpus if keeps else 0
    return larger(0, work.users * work.degree - idle) / work.users


def _check_servers(system: System, work: FullScan) -> None:
    """Raise :class:`OutsideLaw` for more parallel servers than the instance starts."""
    given = system.instance.parallel_max_servers
    most = SERVERS_PER_PROCESSOR * system.host.cpus if given is None else given
    if some((work.degree > 1) & (work.users * work.degree > most)):
        raise OutsideLaw(
            f"workload.degree {largest(work.degree):,.0f} of {largest(work.users):,.0f} users asks for "
            f"{largest(work.users * work.degree):,.0f} parallel servers; allowed are "
            f"instance.parallel_max_servers, {largest(most):,.0f}"
        )


def _of_parallel_server(system: System, work: FullScan, demand: Demand) -> Demand:
    """The mean of the parallel servers of a query, which share blocks and rows evenly.

    The coordinator calls the client while they scan; servers read header and map for the others among them.
    """
    degree = work.degree
    calls_s, single_reads = demand.cpu["calls"], demand.plan.single_reads / degree
    granules = scan_reads.granules_of(demand.segment.blocks, demand.block_size_bytes, degree)
    pieces = [
        scan_reads.Piece(piece.blocks, piece.count / degree)
        for piece in scan_reads.pieces_of_granules(demand.plan.pieces, granules)
    ]
    plan = replace(demand.plan, pieces=pieces, single_reads=single_reads)
    cpu = {cause: seconds / degree for cause, seconds in demand.cpu.items()}
    cpu["read calls"] = (plan.reads + single_reads) * stated_call_s(system.host.read_call_s)
    checkpoint = {event: waited for event, waited in demand.waits.items() if event == KO_CHECKPOINT}
    waits_s = sum(times * each_s for event, (times, each_s) in demand.waits.items() if event != KO_CHECKPOINT)
    return replace(
        demand,
        servers=degree,
        started_servers=_started_servers(system, work),
        plan=plan,
        gets=demand.gets / degree,
        blocks_wanted=demand.blocks_wanted / degree,
        reads=plan.reads,
        read_blocks=plan.read_blocks,
        sources=in_parallel(demand.sources, degree, granules),
        cpu=cpu,
        cleanouts=demand.cleanouts / degree,
        waits=checkpoint,
        sent_twice_s=0.0,
        trips=0.0 * demand.trips,
        coordinator_s=calls_s + waits_s - demand.sent_twice_s + demand.trips * system.between_calls_s,
    )
