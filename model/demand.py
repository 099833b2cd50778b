"""What one execution asks of each resource: gets, reads, CPU by cause, round trips.

The calculator and the simulation both start from these numbers, so they cannot drift apart. Every field of the
inputs may be a number or an array; then the demands are arrays too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from model.laws import block, client, device, extents, logical_io, optimizer, scan_reads
from model.laws.numeric import Number, ceiling, larger, smaller, some, where
from model.spec import release_tuple

DIRECT = "direct path read"
SCATTERED = "db file scattered read"
SEQUENTIAL = "db file sequential read"
TO_CLIENT = "SQL*Net message to client"
FROM_CLIENT = "SQL*Net message from client"
MORE_DATA = "SQL*Net more data to client"

INDEX_ENTRY_OVERHEAD_BYTES = 12  # rowid, lengths, flags and row directory of a leaf entry


@dataclass(slots=True)
class RowShape:
    """Mean row piece, how far rows vary, and columns."""

    bytes: Number
    sd_bytes: Number
    columns: Number


@dataclass(slots=True)
class Segment:
    """The table in blocks and extents."""

    blocks: Number
    rows_per_block: Number
    shape: extents.SegmentShape


@dataclass(slots=True)
class ReadPlan:
    """Reads of one execution: the pieces, which event they post, and whether they are asynchronous."""

    event: str
    direct: bool
    asynchronous: bool
    through_page_cache: bool
    single_reads: Number
    pieces: list[scan_reads.Piece]
    positioned_fraction: Number
    """Share of the reads that do not continue the one before on the device."""
    why: str
    mbrc: Number
    window_blocks: Number | None


@dataclass(slots=True)
class Demand:
    """Everything one execution of the workload asks for."""

    row: RowShape
    segment: Segment
    plan: ReadPlan
    gets: Number
    fetches: Number
    trips: Number
    rows_returned: Number
    more_data: Number
    blocks_wanted: Number
    block_size_bytes: Number
    reads: Number
    """Reads of the scan, without the single-block reads of header and map."""
    read_blocks: Number
    """Blocks read by the scan."""
    cpu: dict[str, Number] = field(default_factory=dict)
    waits: dict[str, tuple[Number, Number]] = field(default_factory=dict)
    """Client waits: event -> (times, seconds each)."""

    @property
    def cpu_s(self) -> Number:
        """CPU seconds of all causes."""
        return sum(self.cpu.values())


def row_shape(table: Any) -> RowShape:
    """The row from its columns, or from row_bytes and column_count."""
    columns = table.columns
    if not columns:
        row = 100.0 if table.row_bytes is None else table.row_bytes
        count = 10 if table.column_count is None else table.column_count
        return RowShape(larger(block.MINIMUM_ROW_BYTES, row), table.row_bytes_sd, count)
    total = 0.0
    variance = 0.0
    trailing = 1.0
    for column in reversed(columns):
        trailing *= column.null_fraction
        stored = block.column_bytes(column.bytes)
        total += (1 - column.null_fraction) * stored + column.null_fraction - trailing
        variance += column.null_fraction * (1 - column.null_fraction) * (stored - 1) ** 2
    spread = table.row_bytes_sd if table.row_bytes_sd else variance**0.5
    return RowShape(block.row_bytes(total), spread, len(columns))


def segment_of(system: Any, row: RowShape) -> Segment:
    """The table's blocks below the high-water mark and its extents."""
    table, space = system.table, system.tablespace
    bs = space.block_size_bytes
    assm = space.space_management == "assm"
    itl = block.itl_entries(table.initrans, table.created_by == "ctas")
    usable = block.usable_bytes(bs, itl, assm, table.pctfree_percent)
    fit = block.rows_per_block(usable, row.bytes, row.sd_bytes)
    chained = block.blocks_per_row(bs - block.overhead_bytes(itl, assm), row.bytes)
    rows_per_block = fit / chained
    if table.blocks is None:
        blocks = ceiling(table.rows / rows_per_block)
    else:
        blocks = table.blocks
        rows_per_block = table.rows / blocks
    shape = extents.segment_shape(
        blocks,
        block_size_bytes=bs,
        assm=assm,
        uniform_extent_bytes=space.uniform_extent_bytes if space.extent_management == "uniform" else None,
        release_11_2=release_tuple(system.instance.release) >= (11, 2),
    )
    return Segment(blocks, rows_per_block, shape)


def scan_plan(system: Any, segment: Segment) -> ReadPlan:
    """How a full scan reads the segment."""
    instance, host, table = system.instance, system.host, system.table
    bs = system.tablespace.block_size_bytes
    release = release_tuple(instance.release)
    parameter = instance.db_file_multiblock_read_count
    automatic = isinstance(parameter, str)
    mbrc = (
        scan_reads.automatic_mbrc(instance.max_io_bytes, bs, instance.buffer_cache_bytes, instance.sessions)
        if automatic
        else scan_reads.explicit_mbrc(parameter, instance.max_io_bytes, bs, instance.db_block_size_bytes)
    )
    window = instance.max_io_bytes // bs
    bug = not automatic and _one(parameter == 0)
    threshold = scan_reads.direct_path_threshold_bytes(instance.buffer_cache_bytes, release)
    table_bytes = segment.blocks * bs
    if bug or instance.serial_direct_read == "never":
        direct = False
    elif instance.serial_direct_read == "always":
        direct = True
    else:
        direct = _one(
            scan_reads.reads_directly(table_bytes, threshold, table.cached_fraction, table.dirty_fraction)
        )
    pieces: list[scan_reads.Piece] = []
    for run in segment.shape.runs:
        if direct:
            cut = scan_reads.aligned_pieces(run.first, run.blocks, window, mbrc)
        else:
            cut = scan_reads.buffered_pieces(run.blocks, mbrc, table.cached_fraction)
        pieces += [scan_reads.Piece(piece.blocks, piece.count * run.count) for piece in cut]
    return ReadPlan(
        event=DIRECT if direct else SEQUENTIAL if bug else SCATTERED,
        direct=direct,
        asynchronous=direct and instance.disk_asynch_io,
        through_page_cache=host.io_path in ("buffered", "sync"),
        single_reads=where(table.cached_fraction < 1, 1 + segment.shape.map_blocks, 0),
        pieces=pieces,
        positioned_fraction=0,
        why=_why(system, direct, bug, table_bytes, threshold),
        mbrc=mbrc,
        window_blocks=window if direct else None,
    )


class MixedRegimes(Exception):
    """An array of scenarios falls on both sides of a choice that is made once; *mask* says which side each is on."""

    def __init__(self, mask: Any) -> None:
        super().__init__("the scenarios of an array take different paths")
        self.mask = mask


def _one(choice: Any) -> bool:
    """A choice that all scenarios of an array must share; raises :class:`MixedRegimes` otherwise."""
    if getattr(choice, "ndim", 0):
        if (choice != choice[0]).any():
            raise MixedRegimes(choice)
        return bool(choice[0])
    return bool(choice)


def _why(system: Any, direct: bool, bug: bool, table_bytes: Number, threshold: Number) -> str:
    instance, table = system.instance, system.table
    if (
        getattr(table_bytes, "ndim", 0)
        or getattr(threshold, "ndim", 0)
        or getattr(table.cached_fraction, "ndim", 0)
    ):
        return ""  # one sentence cannot tell it for an array of scenarios
    if bug:
        return "buffered, one block a read: db_file_multiblock_read_count = 0 is bug 5768025"
    if instance.serial_direct_read != "auto":
        return (
            f"{'direct path' if direct else 'buffered'}: _serial_direct_read is {instance.serial_direct_read}"
        )
    if threshold == float("inf"):
        return f"buffered: a serial scan never reads directly in release {instance.release}"
    size = f"the table's {table_bytes / 2**20:,.0f} MB"
    limit = f"{threshold / 2**20:,.0f} MB"
    if direct:
        return f"direct path: {size} are above the threshold of {limit}"
    if table_bytes <= threshold:
        return f"buffered: {size} are not above the threshold of {limit}"
    if table.cached_fraction >= 0.5:
        return f"buffered: {table.cached_fraction:.0%} of the table are cached already"
    return f"buffered: {table.dirty_fraction:.0%} of the table are dirty in the cache"


def reaps_are_waits(system: Any) -> bool:
    """Whether each reap of a direct read posts a wait: before 11.2 it did; since then only one that blocks does.

    [rahn-mbrc] shows some thousand waits of 35 µs in 11.1 where no read can have been outstanding, and
    [shallahamer-direct] none at all in a later release.
    """
    return release_tuple(system.instance.release) < (11, 2)


def cpu_of_rows(system: Any, row: RowShape, select: str) -> tuple[Number, Number]:
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
    fetch = host.fetch_row_s + host.fetch_column_s * row.columns if select == "rows" else 0.0
    return walk, fetch


def _add_client(demand: Demand, system: Any, select: str, arraysize: Number) -> None:
    """CPU of calls and the three client events."""
    net, rows = system.client, demand.rows_returned
    per_row = demand.row.bytes - block.ROW_HEADER_BYTES if select == "rows" else 8
    full = client.full_arrays(rows, arraysize)
    last = client.last_array_rows(rows, arraysize)
    demand.more_data = full * client.more_data_messages(arraysize * per_row, net.sdu_bytes) + (
        client.more_data_messages(last * per_row, net.sdu_bytes)
    )
    demand.cpu["calls"] = demand.trips * system.host.call_s
    array_bytes = larger(1, smaller(rows, arraysize) * per_row)
    client_s = rows * net.row_s
    client_s = client_s - client.overlapped_s(demand.cpu_s, client_s, array_bytes, net.sdu_bytes)
    client_s = client_s + demand.trips * net.round_trip_s
    demand.waits = {
        TO_CLIENT: (demand.trips, net.message_send_s),
        FROM_CLIENT: (demand.trips, client_s / demand.trips),
        MORE_DATA: (demand.more_data, net.more_data_send_s),
    }


def _equal_rows(table: Any, row: RowShape, segment: Segment) -> bool:
    """Whether every block holds the same whole number of rows."""
    fit = segment.rows_per_block
    return table.blocks is None and not some(row.sd_bytes) and not some(fit != ceiling(fit))


def full_scan(system: Any, work: Any) -> Demand:
    """Demands of one full scan."""
    row = row_shape(system.table)
    segment = segment_of(system, row)
    plan = scan_plan(system, segment)
    host = system.host
    rows = system.table.rows
    returned = rows if work.select == "rows" else 1
    fetches = logical_io.fetch_calls(returned, work.arraysize_rows)
    stops = larger(0, ceiling(returned / work.arraysize_rows) - 1)
    aligned = logical_io.aligned_stops_fraction(
        segment.rows_per_block, work.arraysize_rows, equal_rows=_equal_rows(system.table, row, segment)
    )
    demand = Demand(
        row=row,
        segment=segment,
        plan=plan,
        gets=logical_io.consistent_gets_of_scan(segment.blocks, stops, aligned),
        fetches=fetches,
        trips=client.round_trips(fetches),
        rows_returned=returned,
        more_data=0,
        blocks_wanted=segment.blocks,
        block_size_bytes=system.tablespace.block_size_bytes,
        reads=sum(piece.count for piece in plan.pieces),
        read_blocks=sum(piece.blocks * piece.count for piece in plan.pieces),
    )
    walk, fetch = cpu_of_rows(system, row, work.select)
    buffered = 0 if plan.direct else 1
    demand.cpu = {
        "buffer gets": demand.gets * host.logical_io_s,
        "walking rows": rows * walk,
        "fetching rows": rows * fetch,
        "read calls": (demand.reads + plan.single_reads) * host.read_call_s,
        "filling the buffer cache": buffered * demand.read_blocks * host.buffer_block_s,
    }
    _add_client(demand, system, work.select, work.arraysize_rows)
    return demand


def index_range_scan(system: Any, work: Any) -> Demand:
    """Demands of one index range scan: single-block reads and gets by the clustering factor."""
    row = row_shape(system.table)
    segment = segment_of(system, row)
    host, index, table = system.host, system.index, system.table
    leaf, factor = index_statistics(system, segment)
    rows = smaller(table.rows, ceiling(table.rows * work.selectivity_fraction))
    leaf_gets = larger(1, ceiling(leaf * work.selectivity_fraction))
    table_gets = logical_io.table_gets_of_range_scan(rows, factor, table.rows)
    clustered = factor <= (segment.blocks + table.rows) / 2
    distinct = smaller(
        table_gets,
        where(clustered, table_gets, logical_io.distinct_blocks(segment.blocks, table_gets)),
    )
    distinct = smaller(distinct, segment.blocks)
    returned = rows if work.select == "rows" else 1
    fetches = logical_io.fetch_calls(returned, work.arraysize_rows)
    levels = index.blevel
    index_reads = (levels + leaf_gets) * (1 - index.cached_fraction)
    table_reads = distinct * (1 - table.cached_fraction)
    plan = ReadPlan(
        event=SEQUENTIAL,
        direct=False,
        asynchronous=False,
        through_page_cache=host.io_path in ("buffered", "sync"),
        single_reads=0,
        pieces=[scan_reads.Piece(1, index_reads + table_reads)],
        positioned_fraction=where(clustered, 0, 1),
        why="single-block reads through the index",
        mbrc=1,
        window_blocks=None,
    )
    demand = Demand(
        row=row,
        segment=segment,
        plan=plan,
        gets=logical_io.consistent_gets_of_range_scan(
            levels, leaf_gets, table_gets, where(work.select == "rows", fetches, 1), REGETS_PER_FETCH
        ),
        fetches=fetches,
        trips=client.round_trips(fetches),
        rows_returned=returned,
        more_data=0,
        blocks_wanted=levels + leaf_gets + distinct,
        block_size_bytes=system.tablespace.block_size_bytes,
        reads=sum(piece.count for piece in plan.pieces),
        read_blocks=sum(piece.blocks * piece.count for piece in plan.pieces),
    )
    _, fetch = cpu_of_rows(system, row, work.select)
    demand.cpu = {
        "buffer gets": demand.gets * host.logical_io_s,
        "walking rows": rows * (host.row_step_s + host.line_miss_s),
        "fetching rows": rows * fetch,
        "read calls": demand.reads * host.read_call_s,
        "filling the buffer cache": demand.read_blocks * host.buffer_block_s,
    }
    _add_client(demand, system, work.select, work.arraysize_rows)
    return demand


REGETS_PER_FETCH = 2  # the leaf and the table block a call stopped in


def index_statistics(system: Any, segment: Segment) -> tuple[Number, Number]:
    """Leaf blocks and clustering factor: as given, or from the key's bytes and the stated order of the rows."""
    index, table = system.index, system.table
    bs = system.tablespace.block_size_bytes
    usable = block.usable_bytes(bs, 2, True, 10)
    leaf = index.leaf_blocks
    if leaf is None:
        leaf = ceiling(table.rows / larger(1, usable // (index.key_bytes + INDEX_ENTRY_OVERHEAD_BYTES)))
    factor = index.clustering_factor
    if factor is None:
        scattered = larger(1, ceiling(table.rows * (1 - 1 / larger(1, segment.blocks))))
        factor = segment.blocks if index.clustering == "clustered" else scattered
    return leaf, smaller(factor, table.rows)


@dataclass(slots=True)
class DeviceDemand:
    """What the reads of one execution ask of the device and of the page cache."""

    requests: Number
    bytes: Number
    latency_s: Number
    transfer_s: Number
    copy_s: Number
    first_s: Number
    """Uncontended time of the scan's first read."""
    last_blocks: Number
    single_s: Number
    """Uncontended time of one single-block read."""
    single_device_s: Number
    """The device's part of it."""

    @property
    def service_s(self) -> Number:
        """Time of all the scan's reads one after another, nobody queueing."""
        return self.latency_s + self.transfer_s + self.copy_s


@dataclass(slots=True)
class ReadTime:
    """One read: what the device does for it, and the copy out of the page cache."""

    requests: Number
    device_bytes: Number
    latency_s: Number
    transfer_s: Number
    copy_s: Number


def read_time(system: Any, size_bytes: Number, through_page_cache: bool, positionings: Number) -> ReadTime:
    """Requests and uncontended times of one read of *size_bytes*; the page cache answers its share by a copy."""
    host, disk = system.host, system.disk
    hit = host.page_cache_hit_fraction if through_page_cache else 0
    limit = host.read_ahead_bytes if through_page_cache else host.max_request_bytes
    device_bytes = size_bytes * (1 - hit)
    requests = device.device_requests(device_bytes, limit)
    touched = where(device_bytes > 0, 1, 0)
    latency = device.latency_s(
        positionings * touched,
        requests,
        overhead_s=disk.overhead_s,
        positioning_each_s=device.positioning_s(disk.average_seek_s, disk.rotation_s),
        parallel_requests=disk.parallel_requests,
    )
    copied = size_bytes if through_page_cache else 0
    return ReadTime(
        requests,
        device_bytes,
        latency,
        device.transfer_s(device_bytes, disk.bandwidth_bytes_per_s),
        device.copy_time_s(copied, host.copy_bytes_per_s),
    )


def device_demand(system: Any, demand: Demand, users: Number) -> DeviceDemand:
    """Sum the reads' demands.

    With several users a read has to position after another session's; of asynchronous reads, the first of
    each batch in flight.
    """
    bs = demand.block_size_bytes
    plan = demand.plan
    fraction = plan.positioned_fraction
    shared = _one(users > 1)
    if shared:
        truly_async = plan.asynchronous and not plan.through_page_cache
        fraction = 1 / system.instance.direct_read_slots_limit if truly_async else 1
    requests: Number = 0
    rounds: Number = 0
    for piece in plan.pieces:
        one = read_time(system, piece.blocks * bs, plan.through_page_cache, 0)
        requests = requests + piece.count * one.requests
        rounds = rounds + piece.count * one.latency_s
    total = read_time(system, demand.read_blocks * bs, plan.through_page_cache, 0)
    each = device.positioning_s(system.disk.average_seek_s, system.disk.rotation_s) * (total.device_bytes > 0)
    latency = rounds + demand.reads * fraction * each
    first_blocks = _first_present(plan.pieces)
    last_blocks = _first_present(plan.pieces[::-1])
    first = read_time(system, first_blocks * bs, plan.through_page_cache, 1)
    single = read_time(system, bs, plan.through_page_cache, 1)
    if not shared:
        latency = latency + (first_blocks > 0) * (1 - fraction) * each
    return DeviceDemand(
        requests + plan.single_reads * single.requests,
        total.device_bytes + plan.single_reads * single.device_bytes,
        latency,
        total.transfer_s,
        total.copy_s,
        first.latency_s + first.transfer_s + first.copy_s,
        last_blocks,
        single.latency_s + single.transfer_s + single.copy_s,
        single.latency_s + single.transfer_s,
    )


def _first_present(pieces: list[scan_reads.Piece]) -> Number:
    """Blocks of the first read there is; 0 without any."""
    blocks: Number = 0
    for piece in pieces:
        missing = blocks == 0
        if not some(missing):
            break
        blocks = where(missing, (piece.count > 0) * piece.blocks, blocks)
    return blocks


@dataclass(slots=True)
class Opinion:
    """The optimizer's costs."""

    io_cost: Number
    cpu_cost: Number
    cost: Number
    mbrc: Number


PLUS_ONE = 1  # _table_scan_cost_plus_one, on since 9.2


def optimizer_of(system: Any, work: Any, demand: Demand) -> Opinion:
    """What the optimizer thinks the workload's access costs."""
    instance, space = system.instance, system.tablespace
    stats = instance.statistics
    default = instance.db_block_size_bytes
    parameter = instance.db_file_multiblock_read_count
    unset = isinstance(parameter, str)
    default_blocks = (
        optimizer.DEFAULT_COSTING_MBRC
        if unset
        else where(parameter < 1, optimizer.DEFAULT_COSTING_MBRC, parameter)
    )
    if stats.kind == "workload" and stats.mbrc is not None:
        default_blocks = stats.mbrc
    mbrc = optimizer.costing_mbrc(default_blocks, space.block_size_bytes, default)
    if stats.kind == "workload":
        sreadtim, mreadtim = stats.sreadtim_s, stats.mreadtim_s
    else:
        sreadtim = optimizer.noworkload_read_s(1, default, stats.ioseektim_s, stats.iotfrspeed_bytes_per_s)
        mreadtim = optimizer.noworkload_read_s(mbrc, default, stats.ioseektim_s, stats.iotfrspeed_bytes_per_s)
    blocks = demand.segment.blocks
    row_cycles = stats.row_cycles + stats.column_cycles * (demand.row.columns - 1)
    if work.kind == "index_range_scan":
        leaf, factor = index_statistics(system, demand.segment)
        io = optimizer.range_scan_io_cost(system.index.blevel, leaf, factor, work.selectivity_fraction)
        touched = io
        cycles = optimizer.scan_cpu_cycles(
            touched, system.table.rows * work.selectivity_fraction, stats.block_cycles, row_cycles
        )
        mbrc = 1
    else:
        io = optimizer.scan_io_cost(blocks, mbrc, mreadtim, sreadtim) + PLUS_ONE
        cycles = optimizer.scan_cpu_cycles(blocks, system.table.rows, stats.block_cycles, row_cycles)
        if stats.kind == "none":
            io = optimizer.old_scan_cost(blocks, mbrc)
    cpu = 0 * cycles if stats.kind == "none" else optimizer.cpu_cost(cycles, stats.cpuspeed_hz, sreadtim)
    return Opinion(io, cpu, ceiling(io + cpu), mbrc)


def demand_of(system: Any, work: Any) -> Demand:
    """Demands of one execution of *work*."""
    return full_scan(system, work) if work.kind == "full_scan" else index_range_scan(system, work)
