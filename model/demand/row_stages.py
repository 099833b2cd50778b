"""A query whose plan has joins, sorts and groups above its scans: stages that a session does one after another.

A row source that passes its first row on before it has its last works within the stage of those below it: nested loops
visit the inner table while the outer rows come. A sort, a GROUP BY and a hash join have to have all rows of an input
first, and end a stage. Each stage is a demand of its own, with its reads, its writes to temp and its CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2
from typing import Any, Final

from blocktime.model.causes import FETCHES, HASHING, KO_CHECKPOINT, READ_TEMP, SEQUENTIAL, SORTING
from blocktime.model.demand.calls import goes_on
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.index_access import dba_indexes
from blocktime.model.demand.index_statistics import distinct_keys, index_statistics
from blocktime.model.demand.reading import OneByOne, ReadPlan, one_for_all
from blocktime.model.demand.segment import RowShape, row_shape, segment_of
from blocktime.model.demand.work import (
    COUNTING,
    RANGE_SCAN,
    Demand,
    FetchPlan,
    PlanOperation,
    add_client,
    cpu_of_rows,
    cpu_of_scan,
    full_scan,
    full_scan_demand,
    planned,
)
from blocktime.model.demand.writing import WriteBehind
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, buffer_gets, round_trips, scan_reads
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.cache_misses import random_misses
from blocktime.model.laws.numeric import Number, is_array, nearest
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.laws.work_area import (
    LEAST_BLOCKS_BY_HAND,
    LEAST_BUFFERS,
    LEAST_IO_BYTES,
    ROW_OVERHEAD_BYTES,
    AreaMemory,
    Spill,
    hash_spill,
    sort_spill,
    work_area_bytes,
)
from blocktime.model.spec import FullScan, System, release_tuple
from blocktime.model.units import show_bytes

HASH_COMPARISONS: Final = 4
"""Comparisons of a value that hashing a key and finding its bucket take as long as: general knowledge."""
HASH_GROUP_BY: Final = (10, 2)
"""First release that groups by hashing [oracle-concepts]."""
COLUMNS: Final = "buffer gets", "row access", "read calls"


@dataclass(slots=True)
class RowStream:
    """Rows that a row source passes on."""

    rows: Number
    shape: RowShape
    """The columns that are passed on."""
    stages: list[Demand]
    """The last of them passes the rows on."""
    sources: list[PlanOperation]
    """Its row source, and those below it."""
    stops_at: tuple[PlanOperation, ...] = ()
    """Row sources that get their block again after each fetch call that stops among its rows."""


def scan_demand(system: System, work: FullScan) -> Demand:
    """Demands of a full scan, alone or below a join and a sort."""
    if not one_for_all((work.join != "none") | (work.sort != "none")):
        return full_scan_demand(system, work)
    sections = (work, system.table, system.tablespace, system.index, system.instance, system.host, system.client)
    if any(is_array(value) for section in (*sections, system.disk) for value in vars(section).values()):
        raise OneByOne
    stream = outer = _scanned(system, work)
    index = None
    if work.join != "none":
        if work.select == "count":
            outer.shape = _key_of(system)
        inner = _inner_system(system, work)
        if work.join == "hash":
            stream = _hash_join(system, work, outer, _scanned(inner, None))
        else:
            stream, index = _nested_loops(inner, work, outer)
    if work.sort != "none":
        stream = _sorted(system, work, stream)
    _pass_to_client(system, work, stream)
    whole = _sum_of(stream, next(stage for stage in stream.stages if stage.table is None))
    whole.index = index
    whole.sources = stream.sources
    if work.select == "count":
        whole.sources = _above(PlanOperation(COUNTING, 1), stream.sources)
    return whole


def _scanned(system: System, work: FullScan | None) -> RowStream:
    """Rows of a table that a full scan reads; the inner one where it is no *work* of its own."""
    fraction, other_gets, users = (1.0, 0, 1) if work is None else (work.filter_fraction, work.other_gets, work.users)
    demand = full_scan(system, FetchPlan("count", 1, filter_fraction=fraction), other_gets, users)
    scan, demand.sent = demand.sources[-1], None
    demand.fetches = demand.trips = demand.rows_returned = demand.more_data = 0
    demand.client_rows_s = demand.sent_twice_s = 0.0
    demand.waits = {event: waited for event, waited in demand.waits.items() if event == KO_CHECKPOINT}
    demand.cpu["calls"] = 0.0
    demand.table = system.table if work is None else None
    scan.row_cpu_s, scan.depth = demand.cpu["row access"] + demand.cpu.get("filtering rows", 0.0), 0
    shape, columns = demand.row, None if work is None else work.columns
    if columns is not None and columns < shape.columns:
        shape = _of_columns(shape.columns_bytes * columns / shape.columns, columns)
    return RowStream(scan.rows, shape, [demand], [scan], (scan,))


def _of_columns(columns_bytes: Number, columns: Number) -> RowShape:
    return RowShape(block.row_bytes(columns_bytes), 0.0, columns, columns_bytes)


def _key_of(system: System) -> RowShape:
    """The columns that a join compares, all that count(*) needs of its rows."""
    return _of_columns(system.index.key_bytes + system.index.key_columns, system.index.key_columns)


def _inner_system(system: System, work: FullScan) -> Any:
    """The system with the inner table of a join as its table."""
    table = changed(
        system.table,
        rows=work.inner_rows,
        row_bytes=work.inner_row_bytes,
        row_bytes_sd=0.0,
        column_count=work.inner_column_count,
        columns=(),
        blocks=None,
        cached_fraction=work.inner_cached_fraction,
        dirty_fraction=0.0,
        committed_dirty_fraction=0.0,
        migrated_fraction=0.0,
    )
    return changed(system, table=table)


def _matches(inner: Any) -> float:
    """Rows of the inner table that match one of the outer table, each of which has some."""
    return 1.0 if inner.index.unique else float(inner.table.rows / distinct_keys(inner))


def _joined(outer: RowShape, inner: RowShape) -> RowShape:
    return _of_columns(outer.columns_bytes + inner.columns_bytes, outer.columns + inner.columns)


def _above(operation: PlanOperation, *below: list[PlanOperation]) -> list[PlanOperation]:
    """*operation* with the row sources of its inputs below it."""
    operation.depth = 0
    for source in (source for sources in below for source in sources):
        assert source.depth is not None
        source.depth += 1
    return [operation, *(source for sources in below for source in sources)]


def _nested_loops(inner: Any, work: FullScan, outer: RowStream) -> tuple[RowStream, Any]:
    """Rows of the outer table, each with those of the inner one that the index finds; and the index.

    Gets by :func:`model.laws.buffer_gets.probe_gets`. Blocks of index and table are read when they are first visited,
    and again when the cache has given them away; since 11.1 reads of the table are batched. The index has all that
    count(*) needs.
    """
    if inner.index.bitmap:
        raise OutsideLaw(
            "workload.join is nested_loops, and index.bitmap is true: nested loops look rows up in a b-tree index; set "
            "index.bitmap to false, or workload.join to hash"
        )
    shape = row_shape(inner.table)
    segment, release = segment_of(inner, shape), release_tuple(inner.instance.release)
    statistics, index = index_statistics(inner, segment), inner.index
    leaves, matches, probes = statistics.leaf_blocks, _matches(inner), outer.rows
    rows = nearest(probes * matches)
    leaves_each = max(1.0, leaves * matches / inner.table.rows)
    index_gets = buffer_gets.probe_gets(probes, statistics.blevel, leaves_each, release)
    changes = statistics.block_changes * matches / inner.table.rows
    by_rowids = work.select == "rows"
    table_gets = by_rowids * nearest(probes * (1.0 if index.unique else min(matches, max(1.0, changes))))
    share = min(1.0, inner.instance.buffer_cache_bytes / inner.tablespace.block_size_bytes / (leaves + segment.blocks))
    index_reads = nearest(random_misses(probes * leaves_each, leaves, share * leaves, index.cached_fraction))
    table_reads = nearest(
        random_misses(table_gets, segment.blocks, share * segment.blocks, inner.table.cached_fraction)
    )
    batch_rows = work.arraysize_rows if work.sort == "none" else buffer_gets.MOST_AT_ONCE
    batched = release >= buffer_gets.PINNED_SINCE and one_for_all(goes_on(inner))
    at_once = buffer_gets.batched_blocks(rows, table_reads, batch_rows, buffer_gets.BATCHED_SINCE) if batched else 1
    plan = ReadPlan(
        event=SEQUENTIAL,
        why="",
        pieces=[scan_reads.Piece(1, index_reads + table_reads)],
        through_page_cache=inner.database_path not in UNBUFFERED,
        at_once=at_once,
        batched_reads=table_reads if at_once > 1 else 0,
    )
    wanted = max(1.0, plan.reads, segment.blocks)
    stage = planned(inner, segment, plan, index_gets + table_gets, wanted, access_path=RANGE_SCAN, table=inner.table)
    walking_s = rows * (inner.host.row_step_s + by_rowids * inner.host.line_miss_s)
    stage.cpu = cpu_of_scan(inner, stage, walking_s) | {"calls": 0.0}
    scan = "INDEX UNIQUE SCAN" if index.unique else "INDEX RANGE SCAN"
    through = PlanOperation(scan, rows, index_gets, index_reads, probes, 0, 0.0 if by_rowids else walking_s)
    by_rowid = PlanOperation("TABLE ACCESS BY INDEX ROWID", rows, table_gets, table_reads, rows, 0, walking_s)
    loops = PlanOperation("NESTED LOOPS", rows)
    if not by_rowids:
        sources = _above(loops, outer.sources, [through])
    elif release >= buffer_gets.PINNED_SINCE:
        sources = _above(loops, _above(replace(loops), outer.sources, [through]), [by_rowid])
    else:
        by_rowid.starts = probes
        sources = _above(loops, outer.sources, _above(by_rowid, [through]))
    stream = RowStream(rows, _joined(outer.shape, shape), [*outer.stages, stage], sources, (*outer.stops_at, through))
    return stream, dba_indexes(inner, statistics)


def _area_of(system: System, work: FullScan) -> AreaMemory:
    """Each of its work areas; raises :class:`OutsideLaw` where its memory is none."""
    instance, block_bytes = system.instance, int(system.tablespace.block_size_bytes)
    areas = work.users * ((work.join == "hash") + (work.sort != "none"))
    if instance.work_area_bytes is not None:
        area = AreaMemory(float(instance.work_area_bytes), block_bytes, LEAST_BLOCKS_BY_HAND * block_bytes)
        field, least = "instance.work_area_bytes", LEAST_BUFFERS * block_bytes
        more = least
    else:
        area = AreaMemory(work_area_bytes(instance.pga_bytes, release_tuple(instance.release), areas), block_bytes)
        field, least = "instance.pga_bytes", LEAST_BUFFERS * LEAST_IO_BYTES
        more = least * areas
    if area.memory_bytes < least:
        raise OutsideLaw(
            f"{field} leaves {show_bytes(area.memory_bytes)} for each work area of workload.users {work.users:,}, and "
            f"a sort or a hash join needs {LEAST_BUFFERS} buffers, {show_bytes(least)}: give {show_bytes(more)} or "
            "more, or fewer users"
        )
    return area


def _row_bytes(shape: RowShape) -> float:
    """Bytes of a row in a work area and in temp."""
    return float(shape.columns_bytes + ROW_OVERHEAD_BYTES)


def _to_temp(system: System, stage: Demand, written_bytes: float, spill: Spill) -> None:
    """Let *stage* write bytes more to temp."""
    if not written_bytes:
        return
    size, before = system.tablespace.block_size_bytes, 0.0 if stage.writing is None else stage.writing.blocks
    stage.writing = _writing(before + written_bytes / size, int(spill.io_bytes) // size)
    stage.cpu["read calls"] += written_bytes / spill.io_bytes * stated_call_s(system.host.write_call_s)


def _writing(blocks: Number, call_blocks: int) -> WriteBehind:
    return WriteBehind(blocks, 0, 0, False, 0, 0, 0, direct=True, call_blocks=call_blocks, to_temp=True)


def _from_temp(system: System, stream: RowStream, read_bytes: float, spill: Spill, cpu: dict[str, Number]) -> Demand:
    """A stage that reads bytes of temp, run by run in turns, and works on their rows; of none it only works."""
    host, size = system.host, system.tablespace.block_size_bytes
    blocks, each = nearest(read_bytes / size), int(spill.io_bytes) // size
    whole, rest = divmod(blocks, each)
    plan = ReadPlan(
        event=READ_TEMP,
        why="",
        pieces=[
            piece for piece in (scan_reads.Piece(each, whole), scan_reads.Piece(rest, 1)) if piece.blocks * piece.count
        ],
        direct=True,
        asynchronous=blocks > 0 and system.database_asynch_io,
        through_page_cache=system.database_path not in UNBUFFERED,
        mbrc=each,
        runs=min(spill.width, spill.runs),
    )
    base = stream.stages[-1]
    stage = planned(system, replace(base.segment, blocks=max(1, blocks)), plan, 0, max(1, blocks))
    calls = {"read calls": plan.reads * stated_call_s(host.read_call_s)}
    stage.cpu = dict.fromkeys(COLUMNS, 0.0) | {"calls": 0.0} | calls | cpu
    stage.temp_read_blocks, stage.table = plan.read_blocks, system.table
    return stage


def _sorted(system: System, work: FullScan, stream: RowStream) -> RowStream:
    """Rows in order, or one of each group; what has no room in the work area goes to temp and comes back.

    A sort compares each row log2(rows) times, in whatever passes. A row is copied into the work area, and out to temp
    and back in again each time that it is written.
    """
    host, last, each = system.host, stream.stages[-1], _row_bytes(stream.shape)
    area, size = _area_of(system, work), system.tablespace.block_size_bytes
    rows, volume = stream.rows, float(stream.rows) * each
    if work.sort == "group_by":
        returned = min(work.groups, rows)
        of_groups = hash_spill(returned * each, 0.0, area)
        share = of_groups.written_bytes / max(1.0, returned * each)
        spill = of_groups._replace(written_bytes=share * volume, read_bytes=share * volume)
        operation = "HASH GROUP BY" if release_tuple(system.instance.release) >= HASH_GROUP_BY else "SORT GROUP BY"
        cause, works_s, again_s = HASHING, rows * HASH_COMPARISONS * host.filter_row_s, 0.0
        first = spill.written_bytes
    else:
        returned, operation, cause = rows, "SORT ORDER BY", SORTING
        spill = sort_spill(volume, area)
        compared = rows * host.filter_row_s
        works_s = compared * log2(max(2.0, rows / spill.runs))
        again_s, first = compared * log2(spill.runs), volume if spill.passes else 0.0
    last.cpu[cause] = last.cpu.get(cause, 0.0) + works_s + (volume + first) / host.copy_bytes_per_s
    _to_temp(system, last, first, spill)
    between = spill.written_bytes - first
    merged_once = log2(min(spill.width, spill.runs)) / log2(spill.runs) if spill.runs > 1 else 1.0
    if between:
        copied_s = 2 * between / host.copy_bytes_per_s
        stage = _from_temp(system, stream, between, spill, {cause: (1 - merged_once) * again_s + copied_s})
        _to_temp(system, stage, between, spill)
        stream.stages.append(stage)
    cpu = {cause: merged_once * again_s + first / host.copy_bytes_per_s}
    stream.stages.append(_from_temp(system, stream, spill.read_bytes - between, spill, cpu))
    top = PlanOperation(operation, returned, read_blocks=nearest(spill.read_bytes / size), spill=spill)
    top.row_cpu_s = works_s + again_s + (volume + 2 * spill.written_bytes) / host.copy_bytes_per_s
    return RowStream(returned, stream.shape, stream.stages, _above(top, stream.sources))


def _hash_join(system: System, work: FullScan, outer: RowStream, inner: RowStream) -> RowStream:
    """Rows of both tables with the same key: a hash table of the smaller side, which the other one's rows look up."""
    host, size = system.host, system.tablespace.block_size_bytes
    if work.select == "count":
        inner.shape = _key_of(system)
    build, probe = sorted((outer, inner), key=lambda side: float(side.rows) * _row_bytes(side.shape))
    volumes = [float(side.rows) * _row_bytes(side.shape) for side in (build, probe)]
    spill = hash_spill(volumes[0], volumes[1], _area_of(system, work))
    share = spill.written_bytes / sum(volumes)
    top = PlanOperation("HASH JOIN", 0, read_blocks=nearest(spill.read_bytes / size), row_cpu_s=0.0, spill=spill)
    for side, volume in zip((build, probe), volumes, strict=True):
        stage, copied = side.stages[-1], share * volume + (volume if side is build else 0.0)
        stage.cpu[HASHING] = side.rows * HASH_COMPARISONS * host.filter_row_s + copied / host.copy_bytes_per_s
        top.row_cpu_s += stage.cpu[HASHING]
        _to_temp(system, stage, share * volume, spill)
    matches = _matches(_inner_system(system, work))
    top.rows = rows = nearest(outer.rows * matches)
    stream = RowStream(rows, _joined(outer.shape, inner.shape), [*build.stages, *probe.stages], [], probe.stops_at)
    if spill.passes:
        stream.stops_at = ()
        again_s = share * (build.rows + spill.passes * probe.rows) * HASH_COMPARISONS * host.filter_row_s
        again_s += spill.read_bytes / host.copy_bytes_per_s
        top.row_cpu_s += again_s
        stream.stages.append(_from_temp(system, stream, spill.read_bytes, spill, {HASHING: again_s}))
    stream.sources = _above(top, build.sources, probe.sources)
    return stream


def _pass_to_client(system: System, work: FullScan, stream: RowStream) -> None:
    """Let the last stage pass the rows on; a call that stops among them gets the pinned blocks again in the next."""
    fetching = FetchPlan(work.select, work.arraysize_rows, first_rows=system.client.first_fetch_rows)
    returned = stream.rows if work.select == "rows" else 1
    stage, row = stream.stages[-1], stream.stages[-1].row
    stage.fetches, stage.rows_returned = fetching.calls(returned), returned
    stage.trips = round_trips.round_trips(stage.fetches, system.client.call_trips)
    stops = fetching.stops(returned)
    for source in stream.stops_at:
        source.gets += stops
        stage.gets += stops
        stage.cpu["buffer gets"] += stops * system.host.logical_io_s
    if work.select == "rows":
        stage.cpu[FETCHES] = stream.rows * cpu_of_rows(system, stream.shape, fetching)[1]
    stage.row = stream.shape
    add_client(stage, system, fetching)
    stage.row = row


def _sum_of(stream: RowStream, main: Demand) -> Demand:
    """The demand of all stages of a query, whose segment and scan are those of the *main* one."""
    stages, last = stream.stages, stream.stages[-1]
    cpu: dict[str, Number] = {}
    waits: dict[str, tuple[Number, Number]] = {}
    for stage in stages:
        for cause, seconds in stage.cpu.items():
            cpu[cause] = cpu.get(cause, 0.0) + seconds
        waits |= stage.waits
    written = [stage.writing for stage in stages if stage.writing is not None]
    plan = replace(
        main.plan,
        pieces=[piece for stage in stages for piece in stage.plan.pieces],
        single_reads=sum(stage.plan.single_reads for stage in stages),
    )
    return replace(
        main,
        plan=plan,
        gets=sum(stage.gets for stage in stages),
        blocks_wanted=sum(stage.blocks_wanted for stage in stages),
        reads=plan.reads,
        read_blocks=plan.read_blocks,
        cleanouts=sum(stage.cleanouts for stage in stages),
        fetches=last.fetches,
        trips=last.trips,
        rows_returned=last.rows_returned,
        more_data=last.more_data,
        client_rows_s=last.client_rows_s,
        sent_twice_s=last.sent_twice_s,
        sent=last.sent,
        cpu=cpu,
        waits=waits,
        writing=_writing(sum(each.blocks for each in written), int(written[0].call_blocks)) if written else None,
        temp_read_blocks=sum(stage.temp_read_blocks for stage in stages),
        stages=stages,
    )
