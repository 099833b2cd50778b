"""What one execution asks for: gets, reads, CPU by cause, and the client's turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from blocktime.model.causes import FETCHES, FROM_CLIENT, MORE_DATA, TO_CLIENT
from blocktime.model.demand.change import Change
from blocktime.model.demand.reading import ReadPlan, one_for_all, scan_plan
from blocktime.model.demand.segment import RowShape, Segment, row_shape, segment_of
from blocktime.model.demand.writing import WriteBehind
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, client, logical_io, scan_reads
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.numeric import Number, ceiling, larger, largest, nearest, smaller, some, where
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
    """Row sources of a query's plan, topmost first, each above the next one."""
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
    dirty_blocks: Number = 0
    """Blocks of table and indexes that all sessions leave to DBWR."""
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
        return logical_io.fetch_calls(rows, self.arraysize_rows, self.first_rows)

    def stops(self, rows: Number) -> Number:
        """Of those calls the ones with rows after them."""
        return logical_io.fetch_stops(rows, self.arraysize_rows, self.first_rows)

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
    walk = logical_io.row_walk_s(
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
    full = client.full_arrays(rows - first, arraysize)
    last = client.last_array_rows(rows - first, arraysize)
    demand.more_data = (
        client.more_data_messages(first * per_row, net.sdu_bytes)
        + full * client.more_data_messages(arraysize * per_row, net.sdu_bytes)
        + client.more_data_messages(last * per_row, net.sdu_bytes)
    )
    demand.cpu["calls"] = demand.trips * system.host.call_s
    sends = demand.trips * net.message_send_s + demand.more_data * net.more_data_send_s
    demand.sent_twice_s = smaller(demand.cpu_s, sends * net.send_cpu_fraction)
    server_s = demand.cpu_s - demand.sent_twice_s
    array_bytes = larger(1, smaller(rows, arraysize) * per_row)
    columns = fetching.columns_of(demand.row) * fetching.by_column
    demand.client_rows_s = client_rows_s(net, rows, columns)
    client_s = demand.client_rows_s + fetching.to_file * rows * per_row / net.file_bytes_per_s
    client_s = client_s - client.overlapped_s(server_s, client_s, array_bytes, net.sdu_bytes)
    client_s = client_s + demand.trips * net.round_trip_s
    demand.waits = {
        TO_CLIENT: (demand.trips, net.message_send_s),
        FROM_CLIENT: (demand.trips, client_s / demand.trips),
        MORE_DATA: (demand.more_data, net.more_data_send_s),
    }


def planned(
    system: System, segment: Segment, plan: ReadPlan, gets: Number, wanted: Number, **more: Any
) -> Demand:
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


def aligned_stops(
    system: System, segment: Segment, row: RowShape, fetching: FetchPlan, stops: Number
) -> Number:
    """Of the *stops* of fetch calls over rows in block order those on a block's last row.

    With a filter the rows that are returned lie anywhere in their blocks. None where the next call gets the block all
    the same.
    """
    aligned = logical_io.aligned_stops(
        stops,
        segment.rows_per_block,
        fetching.arraysize_rows,
        fetching.first_rows,
        equal_rows=_equal_rows(system.table, row, segment) & (fetching.filter_fraction == 1),
    )
    return where(system.instance.block_end_saves_get, aligned, 0)


def full_scan(
    system: System, fetching: FetchPlan, other_gets: Number = 0, *, parallel: bool = False
) -> Demand:
    """Demands of one full scan that returns what *fetching* says, by a session or by *parallel* servers in all.

    It gets *other_gets* blocks besides those with rows.
    """
    row = row_shape(system.table)
    segment = segment_of(system, row)
    plan = scan_plan(system, segment, parallel=parallel)
    rows = system.table.rows
    passed = ceiling(rows * fetching.filter_fraction)
    returned = passed if fetching.select == "rows" else 1
    fetches, stops = fetching.calls(returned), fetching.stops(returned)
    aligned = aligned_stops(system, segment, row, fetching, stops)
    demand = planned(
        system,
        segment,
        plan,
        logical_io.consistent_gets_of_scan(segment.blocks, stops, aligned) + other_gets,
        segment.blocks,
        fetches=fetches,
        trips=client.round_trips(fetches, system.client.call_trips),
        rows_returned=returned,
    )
    walk, fetch = cpu_of_rows(system, row, fetching)
    demand.cpu = cpu_of_scan(system, demand, rows * walk, {FETCHES: passed * fetch})
    if some(fetching.filter_fraction < 1):
        demand.cpu["filtering rows"] = rows * system.host.filter_row_s * (fetching.filter_fraction < 1)
    add_client(demand, system, fetching)
    scan = PlanOperation("TABLE ACCESS FULL", passed, demand.gets, demand.read_blocks + plan.single_reads)
    demand.sources = with_count([scan], fetching.select)
    return demand


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
        parallel=parallel,
    )
    return _of_parallel_server(system, work, demand) if parallel else demand


SERVERS_PER_PROCESSOR = 40
"""PARALLEL_THREADS_PER_CPU (2), times 4 concurrent parallel users, times 5 [oracle-reference]."""


SERVER_START_S = 5e-3
"""Time to start one parallel server, a process that attaches to the SGA: general knowledge, 1.5 to 8 ms."""
SERVERS_KEPT_SINCE = (12, 2)
"""First release that keeps parallel servers: 2·CPU_COUNT·PARALLEL_THREADS_PER_CPU (2) [oracle-reference]."""


def _started_servers(system: System, work: FullScan) -> Number:
    """Parallel servers that each query starts beyond those that the instance keeps."""
    kept = system.instance.parallel_min_servers
    if kept is None:
        keeps = release_tuple(system.instance.release) >= SERVERS_KEPT_SINCE
        kept = 4 * system.host.cpus if keeps else 0
    return larger(0, work.users * work.degree - kept) / work.users


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
        waits={},
        sent_twice_s=0.0,
        trips=0.0 * demand.trips,
        coordinator_s=calls_s + demand.waits_s - demand.sent_twice_s + demand.trips * system.between_calls_s,
    )
