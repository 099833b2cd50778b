"""Demands of statements that change rows: the scan that finds them, the changes, the search for space, the commits."""

from __future__ import annotations

from typing import Any

from blocktime.model.causes import (
    DELETING,
    FROM_CLIENT,
    INSERTING,
    MIGRATING,
    SEARCHING,
    SEQUENTIAL,
    TO_CLIENT,
    UPDATING,
)
from blocktime.model.demand.commits import add_commits, direct_writing_of, note_undo_and_redo, writing_of
from blocktime.model.demand.index_statistics import index_statistics
from blocktime.model.demand.index_upkeep import Keys, keep_indexes
from blocktime.model.demand.popular_blocks import popular_of, popularity_field
from blocktime.model.demand.reading import ReadPlan, one_for_all, scan_plan
from blocktime.model.demand.row_changes import Change, change_of
from blocktime.model.demand.segment import Segment
from blocktime.model.demand.work import NO_SCAN, Demand, FetchPlan, client_rows_s, cpu_of_rows, cpu_of_scan, planned
from blocktime.model.laws import block, cache_misses, scan_reads
from blocktime.model.laws.buffer_gets import distinct_blocks
from blocktime.model.laws.change import MOVE_CHANGES, block_changes_of_arrays, changes_s, redo_of_images_bytes
from blocktime.model.laws.numeric import Number, ceiling, is_array, larger, nearest, smaller, where
from blocktime.model.spec import Delete, Dml, Host, Insert, System, Update


def probe_s(system: System) -> Number:
    """CPU of a probe that is rejected for a full ITL list: one get, and every entry of the list counted."""
    host = system.host
    return host.logical_io_s + block.itl_limit(system.tablespace.block_size_bytes) * host.itl_entry_s


def update_demand(system: System, work: Update, change: Change | None = None) -> Demand:
    """Demands of one session: its share of the statement's rows, each session with a transaction of its own."""
    change, host, users = change or change_of(system, work), system.host, work.users
    demand, logged_bytes = (_scan(system, work, change), 2 * block.ROW_HEADER_BYTES + change.growth_bytes / work.passes)
    demand.cpu |= {
        UPDATING: row_changes_s(host, change.rows / users, logged_bytes),
        MIGRATING: change.moves / users * move_s(host),
    }
    demand.current_gets = (change.rows + change.placed + change.search_gets) / users
    in_order = not work.at_random
    rows = change.rows
    keep_indexes(demand, system, users, [Keys(rows, rows, False, in_order), Keys(rows, rows, True)], update=True)
    _leave_rows_to_dbwr(demand, system, work, change)
    return _with_statements(demand, system, work, change)


def delete_demand(system: System, work: Delete, change: Change | None = None) -> Demand:
    """Demands of one session: its share of the rows that are deleted."""
    change = change or change_of(system, work)
    demand = _scan(system, work, change)
    rows = change.rows / work.users
    demand.cpu[DELETING] = row_changes_s(system.host, rows, 2 * demand.row.bytes)
    demand.current_gets = rows
    keep_indexes(demand, system, work.users, [Keys(change.rows, change.rows, False, not work.at_random)])
    _leave_rows_to_dbwr(demand, system, work, change)
    return _with_statements(demand, system, work, change)


def insert_demand(system: System, work: Insert, change: Change | None = None) -> Demand:
    """Demands of one session: its share of the rows that are inserted, one by one, in arrays or by direct path."""
    change, users = change or change_of(system, work), work.users
    filled = ceiling(change.rows / change.segment.rows_per_block)
    demand = planned(
        system,
        change.segment,
        no_reads(by_direct_path=work.by_direct_path),
        0,
        larger(1, filled / users),
        change=change,
    )
    demand.access_path = NO_SCAN
    demand.cpu = {"buffer gets": 0.0, "row access": 0.0, "read calls": 0.0}
    rows, arrays = change.rows / users, _arrays_of(work, change.rows)
    touched = filled if work.by_direct_path else block_changes_of_arrays(change.rows, arrays, filled)
    demand.cpu[INSERTING] = inserting_s(system.host, rows, demand.row.columns, touched / users)
    demand.block_changes = touched
    demand.current_gets = (touched + change.search_gets) / users
    keep_indexes(demand, system, users, [Keys(change.rows, arrays, True)])
    _leave_to_dbwr(demand, where(work.by_direct_path, 0, filled), 0)
    executions: Number = 1
    if work.by_direct_path:
        demand.redo_bytes = _image_redo_bytes(system, work, filled)
    else:
        if not one_for_all(work.caller == "plsql"):
            demand.sent = FetchPlan("rows", work.rows_a_call)
        executions = ceiling(rows / work.rows_a_call)
    return _with_calls(demand, system, work, change, executions)


def _image_redo_bytes(system: System, work: Insert, blocks: Number) -> Number:
    """Redo of *blocks* that a direct load formats: their images where it is logged [oracle-concepts]."""
    instance = system.instance
    logged = instance.force_logging | (instance.archivelog & (not work.nologging))
    return where(logged, redo_of_images_bytes(blocks, system.tablespace.block_size_bytes), 0)


def _leave_to_dbwr(demand: Demand, blocks: Number, apart: Number) -> None:
    """Note in *demand* the dirty *blocks* of the table, *apart* of them anywhere, and those of its indexes."""
    leaves = sum(index_changes.written_blocks for index_changes in demand.upkeep)
    demand.dirty_blocks, demand.apart_blocks = blocks + leaves, apart + leaves


def inserting_s(host: Host, rows: Number, columns: Number, block_changes: Number) -> Number:
    """CPU of putting rows with their columns into blocks, and of the changes to the blocks."""
    return rows * (host.insert_row_s + host.insert_column_s * columns) + block_changes * host.change_block_s


def row_changes_s(host: Host, rows: Number, logged_bytes_each: Number) -> Number:
    """CPU of changing *rows* one by one, of which undo and redo hold so many bytes each."""
    return changes_s(rows, rows * logged_bytes_each, host.change_block_s, host.copy_bytes_per_s)


def move_s(host: Host) -> Number:
    """CPU of a row that migrates, beyond that of its update: its other changes, and the search for a block."""
    return MOVE_CHANGES * host.change_block_s + host.migrate_row_s


def search_s(system: System, change: Change) -> Number:
    """CPU of all rejected probes: a get each, and the ITL list counted where it is what rejects."""
    get = system.host.logical_io_s
    return change.rejected_itl * probe_s(system) + (change.rejected_space + change.rejected_held) * get


def _leave_rows_to_dbwr(demand: Demand, system: System, work: Dml, change: Change) -> None:
    """What DBWR has to write behind rows that are updated or deleted: their blocks, and those that rows moved to.

    Rows that come in table order are spread evenly: each is in a block of its own until all blocks have one. Blocks
    that rows come to in any order are written again where they had to leave the cache in between.
    """
    segment, rows = change.segment, change.rows / work.passes
    moved_to = larger(0, change.segment_after.blocks - segment.blocks)
    if work.at_random:
        again = larger(0, _table_misses(system, work, change) - segment.blocks)
        blocks = (
            nearest(popular_of(system, work).written_blocks(change.rows))
            if popularity_field(work)
            else nearest(distinct_blocks(segment.blocks, rows)) + again
        )
    else:
        blocks = blocks_of_spread_rows(system, segment, rows)
    _leave_to_dbwr(demand, blocks + moved_to, where(work.at_random, blocks, 0))


def blocks_of_spread_rows(system: System, segment: Segment, rows: Number) -> Number:
    """Blocks that *rows* rows of the table lie in, which are spread evenly over its blocks."""
    with_rows = ceiling(system.table.rows / segment.rows_per_block)
    return smaller(smaller(segment.blocks, with_rows), ceiling(rows * segment.blocks_per_row))


def _arrays_of(work: Insert, rows: Number) -> Number:
    """Calls that bring *rows* rows; a load by direct path is one of each session."""
    if work.by_direct_path:
        return work.users
    return rows if work.method == "row" else ceiling(rows / work.arraysize_rows)


def _scan(system: System, work: Dml, change: Change) -> Demand:
    """The full scan that finds the rows, through the buffer cache; or an index, and single blocks in any order."""
    users, blocks = work.users, change.segment.blocks
    host = system.host
    at_random = work.at_random
    plan = (
        ReadPlan(SEQUENTIAL, "single-block reads: an index gives the rows")
        if at_random
        else scan_plan(system, change.segment, change_rows=True)
    )
    repeats = work.passes
    gets = blocks * repeats
    if at_random:
        index_gets, index_reads = _look_ups(system, work, change)
        gets = change.rows + index_gets
        plan.pieces = [scan_reads.Piece(1, nearest(_table_misses(system, work, change) + index_reads) / users)]
    else:
        runs, cached = change.segment.shape.runs, system.table.cached_fraction
        plan.pieces = scan_reads.pieces_of_part(plan.pieces, runs, users, plan.mbrc, cached)
        plan.single_reads = plan.single_reads / users  # one of them reads header and map for all
    demand = planned(system, change.segment, plan, gets / users, larger(1, blocks / users), change=change)
    walk, _ = cpu_of_rows(system, demand.row, FetchPlan("count", 1))
    walking_s = system.table.rows * repeats * walk
    if at_random:
        demand.access_path = NO_SCAN
        walking_s = change.rows * (host.row_step_s + host.line_miss_s)
    demand.cpu = cpu_of_scan(system, demand, walking_s / users)
    return demand


def _table_misses(system: System, work: Dml, change: Change) -> Number:
    """Gets of rows in any order that find their block not in the buffer cache."""
    blocks, cached = change.segment.blocks, system.table.cached_fraction
    if popularity_field(work):
        return change.rows * (1 - cached)
    room = smaller(blocks, system.instance.buffer_cache_bytes // system.tablespace.block_size_bytes)
    return cache_misses.random_misses(change.rows, blocks, room, cached)


def _look_ups(system: System, work: Dml, change: Change) -> tuple[Number, Number]:
    """Gets and reads of the index that gives rows in any order.

    Each statement descends its branches, and visits the leaves of its part of the range, a leaf at least. Rows that
    come by popularity are looked up one by one.
    """
    statistics = index_statistics(system, change.segment)
    statements = change.rows if popularity_field(work) else larger(work.passes * work.users, change.commits)
    leaves = ceiling(statistics.leaf_blocks * work.rows_fraction)
    gets = statements * statistics.blevel + larger(statements, leaves * work.passes)
    return gets, (leaves + statistics.blevel) * (1 - system.index.cached_fraction)


def no_reads(by_direct_path: Any = False) -> ReadPlan:
    """A load that reads nothing: a conventional one, or one *by_direct_path*."""
    direct = "direct path: blocks are formatted in the PGA and go above the high-water mark"
    conventional = "conventional insert: rows go into blocks in the buffer cache"
    return ReadPlan(
        event=SEQUENTIAL, why="" if is_array(by_direct_path) else direct if by_direct_path else conventional
    )


def _with_statements(demand: Demand, system: System, work: Dml, change: Change) -> Demand:
    """*demand* with the calls of statements: one for each pass, or for each commit, which ends it."""
    return _with_calls(demand, system, work, change, larger(work.passes, ceiling(change.commits / work.users)))


def _with_calls(demand: Demand, system: System, work: Dml, change: Change, executions: Number) -> Demand:
    """*demand* with its search for room, its commits, and *executions* with the rows that they bring.

    A client makes a round trip for each, and one for each commit unless its driver commits with the statement. A PL/SQL
    block is one call.
    """
    net, users = system.client, work.users
    demand.cpu[SEARCHING] = search_s(system, change) / users
    sent = change.rows / users if demand.sent else 0
    commits = change.commits / users
    calls = executions + where((work.caller == "plsql") | work.autocommit, 0, commits)
    trips = where(work.caller == "plsql", 1, calls)
    demand.trips, demand.executions = trips, executions
    demand.cpu["calls"] = calls * system.host.call_s
    each = net.round_trip_s + client_rows_s(net, sent, demand.row.columns) / trips
    demand.waits = {TO_CLIENT: (trips, net.message_send_s), FROM_CLIENT: (trips, each)}
    note_undo_and_redo(demand, system, work, change)
    add_commits(demand, system, work, change)
    if work.by_direct_path:
        demand.writing = direct_writing_of(system, demand, change.segment_after.blocks - change.segment.blocks)
    else:
        demand.writing = writing_of(system, demand)
    sends = trips * net.message_send_s
    demand.sent_twice_s = smaller(demand.cpu_s, sends * net.send_cpu_fraction)
    return demand
