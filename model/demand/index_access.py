"""Access through an index: unique, range and full scans block by block, fast full scans in multiblock reads."""

from __future__ import annotations

from blocktime.model.causes import FETCHES, SEQUENTIAL
from blocktime.model.demand.calls import goes_on
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.index_statistics import Statistics, blocks_with_rows, distinct_keys, index_statistics
from blocktime.model.demand.index_upkeep import entries_of
from blocktime.model.demand.reading import ReadPlan, one_for_all
from blocktime.model.demand.segment import Segment, row_shape, segment_of
from blocktime.model.demand.work import (
    RANGE_SCAN,
    Demand,
    FetchPlan,
    PlanOperation,
    add_client,
    aligned_stops,
    cpu_of_rows,
    cpu_of_scan,
    full_scan,
    planned,
    with_count,
)
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, buffer_gets, round_trips, scan_reads
from blocktime.model.laws.numeric import Number, ceiling, is_array, larger, largest, nearest, smaller, some, where
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import IndexStatistics, part
from blocktime.model.spec import IndexRangeScan, System, release_tuple

OPERATIONS = {
    "range": "INDEX RANGE SCAN",
    "unique": "INDEX UNIQUE SCAN",
    "full": "INDEX FULL SCAN",
    "fast_full": "INDEX FAST FULL SCAN",
    "skip": "INDEX SKIP SCAN",
}
"""Access -> the row source as a plan prints it."""
BITMAP_OPERATIONS = {
    ("range", "equality"): "BITMAP INDEX SINGLE VALUE",
    ("range", "range"): "BITMAP INDEX RANGE SCAN",
    ("full", "range"): "BITMAP INDEX FULL SCAN",
    ("full", "equality"): "BITMAP INDEX FULL SCAN",
}
"""Access and predicate -> the same of a bitmap index."""


def index_demand(system: System, work: IndexRangeScan) -> Demand:
    """Demands of one access through an index."""
    return (_fast_full_scan if one_for_all(work.access == "fast_full") else index_scan)(system, work)


def _fast_full_scan(system: System, work: IndexRangeScan) -> Demand:
    """Demands of a fast full scan: the index's segment is scanned as a table of its entries would be."""
    index, table = system.index, system.table
    statistics = dba_indexes(system, index_statistics(system, segment_of(system, row_shape(table))))
    entries = changed(
        table,
        rows=entries_of(index, table.rows),
        blocks=statistics.blocks,
        columns=(),
        row_bytes=block.ROW_HEADER_BYTES + index.key_bytes + index.key_columns,
        row_bytes_sd=0.0,
        column_count=index.key_columns,
        cached_fraction=index.cached_fraction,
        migrated_fraction=0.0,
    )
    fetching = FetchPlan(
        work.select,
        work.arraysize_rows,
        first_rows=system.client.first_fetch_rows,
        filter_fraction=in_range(system, work, 1.0),
    )
    demand = full_scan(changed(system, table=entries), fetching)
    demand.plan.why = demand.plan.why.replace("the table", "the index")
    demand.sources[-1].operation = OPERATIONS["fast_full"]
    demand.index = statistics
    return demand


def index_scan(system: System, work: IndexRangeScan) -> Demand:
    """Demands of one access block by block: single-block reads; table gets by the clustering factor.

    A unique scan visits one leaf and at most one row; its call finds that no more follow. A full scan visits all leaves
    in order, a skip scan a range below each value of the leading columns. An index-only scan visits no block of the
    table.
    """
    row = row_shape(system.table)
    segment = segment_of(system, row)
    index, table = system.index, system.table
    statistics = index_statistics(system, segment)
    leaf, visited = statistics.leaf_blocks, 1 - work.index_only
    unique = work.access == "unique"
    _check_unique(system, work)
    entries = entries_of(index, table.rows)
    rows = where(unique, 1, smaller(entries, ceiling(in_range(system, work, entries))))
    probes, leaf_gets = probes_of(system, work), where(unique, 1, leaves_visited(system, work, leaf))
    returned = rows if work.select == "rows" else 1
    fetching = _fetch_plan(system, work, row.columns)
    fetches, stops = where(unique, 1, fetching.calls(returned)), fetching.stops(returned)
    same_block = stops - aligned_stops(system, segment, row, fetching, stops)
    table_gets, distinct, anywhere = (
        visited * amount for amount in _table_visits(system, work, segment, rows, stops, same_block)
    )
    levels = buffer_gets.branch_gets(statistics.blevel, leaf, statistics.fan_out, probes)
    index_reads = (levels + leaf_gets) * (1 - index.cached_fraction)
    table_reads = distinct * (1 - table.cached_fraction)
    reads = nearest(index_reads + table_reads)
    index_gets = buffer_gets.index_gets(levels, leaf_gets, where(work.select == "rows", fetches, 1))
    in_order = visited * smaller(1, 2 * index_reads / larger(1e-9, index_reads + table_reads))
    searches = where(probes > 1, probes * (1 - index.cached_fraction), 0)
    plan = ReadPlan(
        event=SEQUENTIAL,
        why=_why_of_index(work),
        pieces=[scan_reads.Piece(1, reads)],
        through_page_cache=system.database_path not in UNBUFFERED,
        positioned_fraction=_positioned_fraction(reads, anywhere, in_order, searches),
        at_once=_reads_at_once(system, work, rows, table_reads * anywhere),
    )
    plan.batched_reads = where(plan.at_once > 1, reads - nearest(index_reads), 0)
    demand = planned(
        system,
        segment,
        plan,
        index_gets + table_gets,
        levels + leaf_gets + distinct,
        fetches=fetches,
        trips=round_trips.round_trips(fetches, system.client.call_trips),
        rows_returned=returned,
        access_path=RANGE_SCAN,
        index=dba_indexes(system, statistics),
    )
    if not any(map(is_array, (work.access, work.index_only, work.rowid_order, index.bitmap))):
        read = nearest(index_reads)
        demand.sources = _operations(system, work, rows, (index_gets, read), (table_gets, reads - read))
    fetches_s = {FETCHES: rows * cpu_of_rows(system, row, fetching)[1]}
    walking_s = rows * (system.host.row_step_s + visited * system.host.line_miss_s)
    demand.cpu = cpu_of_scan(system, demand, walking_s, fetches_s)
    add_client(demand, system, fetching)
    return demand


def _positioned_fraction(reads: Number, anywhere: Number, in_order: Number, searches: Number) -> Number:
    """Share of the reads behind the first that move the heads: *anywhere*, between segments, or by *searches*."""
    further = larger(0, reads - 1)
    jumps = nearest(further * (anywhere + (1 - anywhere) * in_order))
    return larger(jumps, smaller(further, nearest(searches))) / larger(1, further)


def _check_unique(system: System, work: IndexRangeScan) -> None:
    """Raise OutsideLaw for a unique scan of an index that is not unique."""
    if some(where(work.access == "unique", 1 - system.index.unique, 0)):
        raise OutsideLaw(
            "workload.access is unique, but index.unique is false; a unique scan needs a unique index: set "
            "index.unique to true, or workload.access to range"
        )


def _fetch_plan(system: System, work: IndexRangeScan, columns: Number) -> FetchPlan:
    """How the rows are fetched: with all their *columns*, or those of the index alone."""
    index = system.index
    return FetchPlan(
        work.select,
        work.arraysize_rows,
        where(work.index_only, index.key_columns, columns),
        first_rows=system.client.first_fetch_rows,
        entry_bytes=(index.key_bytes + index.key_columns) * work.index_only,
    )


def _operations(
    system: System, work: IndexRangeScan, rows: Number, index: tuple[Number, Number], table: tuple[Number, Number]
) -> list[PlanOperation]:
    """The operations of the plan, the last first; gets and reads of *index* and of *table*."""
    name = BITMAP_OPERATIONS[work.access, work.predicate] if system.index.bitmap else OPERATIONS[work.access]
    through, over = (PlanOperation(name, rows, *index), PlanOperation("TABLE ACCESS BY INDEX ROWID", rows, *table))
    if release_tuple(system.instance.release) >= buffer_gets.BATCHED_SINCE and work.access != "unique":
        over.operation += " BATCHED"
    operations = [over, through]
    if in_rowid_order(system, work):
        operations.insert(1, PlanOperation("BITMAP CONVERSION TO ROWIDS", rows))
    return with_count([through] if work.index_only else operations, work.select)


def _reads_at_once(system: System, work: IndexRangeScan, rows: Number, blocks: Number) -> Number:
    """Table blocks of one batch: as stated, or as the release reads *blocks* of *rows* rows, which lie apart."""
    if not one_for_all(goes_on(system)):
        return 1
    if not isinstance(work.parallel_reads, str):
        return work.parallel_reads
    batch_rows = where(work.select == "rows", work.arraysize_rows, buffer_gets.MOST_AT_ONCE)
    release = release_tuple(system.instance.release)
    return buffer_gets.batched_blocks(rows, blocks, batch_rows, release)


def _table_visits(
    system: System, work: IndexRangeScan, segment: Segment, rows: Number, stops: Number, same_block: Number
) -> tuple[Number, Number, Number]:
    """Gets of *rows* rows in the order of their keys or of the blocks, different blocks, and their share apart.

    Further calls get a block again: of the *stops* of calls within the rows, *same_block* do not end with a block's
    last row.
    """
    table, index, statistics = system.table, system.index, index_statistics(system, segment)
    factor, keys, holding = (statistics.block_changes, distinct_keys(system), blocks_with_rows(table, segment))
    entries, holding = entries_of(index, table.rows), smaller(entries_of(index, table.rows), holding)
    sorted_rowids, by_turns = in_rowid_order(system, work), index.clustering == "interleaved"
    unknown = where(index.clustering == "scattered", 1, 0)
    scattered = buffer_gets.scattered_fraction(factor, holding, entries, unknown, keys)
    scattered = where(by_turns, 0, scattered)
    apart = smaller(rows, probes_of(system, work))  # rows below different leading values lie in different places
    blocks = larger(smaller(apart, holding), _distinct_blocks(rows, holding, entries, scattered))
    in_key_order = larger(apart, buffer_gets.table_gets_of_range_scan(rows, factor, entries))
    gets = where(sorted_rowids, blocks, in_key_order)
    moved = ceiling(rows * table.migrated_fraction)  # a get more each, for the block the row has moved to
    of_moved = _distinct_blocks(moved, segment.moved_blocks, table.rows * table.migrated_fraction, scattered)
    leaves_block = where(
        sorted_rowids,
        blocks / larger(1, rows),
        where(by_turns, factor, buffer_gets.random_clustering_factor(holding, entries, keys)) / entries,
    )
    chance = where(by_turns, 1, where(sorted_rowids, where(scattered > 0, 1, 0), scattered))
    again = nearest((1 - chance) * same_block + chance * stops * (1 - leaves_block))
    return (
        ceiling(segment.blocks_per_row * gets) + moved + again,
        smaller(segment.blocks, ceiling(segment.blocks_per_row * blocks) + ceiling(of_moved)),
        scattered * where(sorted_rowids, 1 - blocks / holding, 1),
    )


def in_rowid_order(system: System, work: IndexRangeScan) -> bool:
    """Whether the table is visited in the order of its blocks, once each; raises OutsideLaw where no bitmap can be."""
    bitmap = one_for_all(system.index.bitmap)
    if bitmap and work.access not in ("range", "full"):
        raise OutsideLaw(
            f"workload.access is {work.access}, but index.bitmap is true; a bitmap index has range and full scans"
        )
    return bitmap or one_for_all(work.rowid_order)


def probes_of(system: System, work: IndexRangeScan) -> Number:
    """Searches of the index from its branches down: one below each value of the leading columns of a skip scan."""
    index, skips = system.index, work.access == "skip"
    if not some(skips):
        return 1
    if some(where(skips, index.key_columns < 2, 0)):
        raise OutsideLaw(
            "workload.access is skip, but the index has one column; a skip scan passes over leading columns: set "
            "index.key_columns to 2 or more"
        )
    if index.prefix_distinct_keys is None:
        raise OutsideLaw(
            "workload.access is skip, but nothing says how many values the leading columns have: set "
            "index.prefix_distinct_keys"
        )
    if some(where(skips, index.prefix_distinct_keys > distinct_keys(system), 0)):
        raise OutsideLaw(
            f"index.prefix_distinct_keys is {largest(index.prefix_distinct_keys):,.0f}; allowed are at most the "
            f"{largest(distinct_keys(system)):,.0f} keys of the index (index.distinct_keys, or table.rows)"
        )
    return where(skips, index.prefix_distinct_keys, 1)


def in_range(system: System, work: IndexRangeScan, whole: Number) -> Number:
    """Of *whole*, the rows, leaves or changes of block of the index, the part that the predicate asks for."""
    equality = work.predicate == "equality"
    if not some(equality):
        return whole * work.selectivity_fraction
    if system.index.distinct_keys is None and not some(system.index.unique):
        raise OutsideLaw(
            "workload.predicate is equality, but nothing says how many keys the rows have: set index.distinct_keys"
        )
    rows_of_key = whole * probes_of(system, work) / distinct_keys(system)
    return where(equality, rows_of_key, whole * work.selectivity_fraction)


def leaves_visited(system: System, work: IndexRangeScan, leaf: Number) -> Number:
    """Leaves of a range or skip scan; all of a full scan."""
    some_leaves = buffer_gets.probed_leaves(leaf, in_range(system, work, leaf), probes_of(system, work))
    return where(work.access == "full", leaf, some_leaves)


def dba_indexes(system: System, statistics: Statistics) -> IndexStatistics:
    """The index as DBA_INDEXES shows it, its branch blocks besides."""
    leaf = statistics.leaf_blocks
    return part(
        IndexStatistics,
        leaf_blocks=leaf,
        blocks=leaf + sum(block.branches_by_level(leaf, statistics.fan_out)),
        height=statistics.blevel + 1,
        clustering_factor=statistics.clustering_factor,
        distinct_keys=system.index.distinct_keys,
    )


def _why_of_index(work: IndexRangeScan) -> str:
    """Why an access through the index reads single blocks, and of what."""
    if is_array(work.access) or is_array(work.index_only):
        return ""  # one sentence cannot tell it for an array of scenarios
    alone = "; the index has all columns, so the table is not visited" if work.index_only else ""
    ways = {
        "unique": "single-block reads: a unique scan visits one leaf",
        "skip": "single-block reads: a skip scan searches the index below each value of its leading columns",
    }
    return ways.get(work.access, "single-block reads through the index") + alone


def _distinct_blocks(rows: Number, blocks: Number, of_rows: Number, scattered: Number) -> Number:
    """Of the *blocks* that hold *of_rows* rows those that *rows* of them lie in: at random for the scattered share."""
    at_random = buffer_gets.distinct_blocks(blocks, rows)
    in_order = ceiling(blocks * rows / larger(1, of_rows))
    return smaller(rows, (1 - scattered) * in_order + scattered * at_random)
