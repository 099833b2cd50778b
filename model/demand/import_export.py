"""Demands of imports and exports of whole tables: arrays between a client with a file and the server."""

from __future__ import annotations

from dataclasses import replace

from blocktime.model.causes import FROM_CLIENT, INSERTING, SEARCHING, TO_CLIENT
from blocktime.model.demand.commits import add_commits, note_undo_and_redo, writing_of
from blocktime.model.demand.dml import inserting_s, no_reads
from blocktime.model.demand.index_upkeep import Keys, keep_indexes
from blocktime.model.demand.row_changes import Change
from blocktime.model.demand.segment import RowShape, row_shape, segment_of
from blocktime.model.demand.work import NO_SCAN, Demand, FetchPlan, client_rows_s, full_scan, planned
from blocktime.model.laws import block, change, extents, table_load
from blocktime.model.laws.numeric import Number, ceiling, larger, smaller, where
from blocktime.model.spec import Export, Import, Load, System


def rows_of_array(work: Load, row: RowShape) -> Number:
    """Rows that fit the buffer of an import or an export, each counted as long as it may be."""
    return table_load.array_rows(
        work.buffer_bytes, table_load.largest_row_bytes(work.largest_row_bytes, row.columns, row.bytes)
    )


def export_demand(system: System, work: Export) -> Demand:
    """Demands of one export: a full scan whose client writes a file."""
    row = row_shape(system.table)
    arraysize = table_load.array_rows(work.buffer_bytes, row.bytes) if work.direct else rows_of_array(work, row)
    return full_scan(system, FetchPlan("rows", arraysize, by_column=not work.direct, to_file=True))


def import_demand(system: System, work: Import) -> Demand:
    """Demands of one import's share of the rows: arrays inserted into new blocks, which DBWR writes meanwhile."""
    host, users = system.host, work.users
    row = row_shape(system.table)
    arraysize = rows_of_array(work, row)
    arrays = ceiling(system.table.rows / users / arraysize) * users
    changed = _rows_loaded(system, row, arrays if work.commit else users)
    filled = changed.rejected_space
    demand = planned(system, changed.segment, no_reads(), 0, larger(1, filled / users), change=changed)
    demand.access_path, demand.sent = NO_SCAN, FetchPlan("rows", arraysize)
    touched = change.block_changes_of_arrays(changed.rows, arrays, filled)
    demand.block_changes = touched
    demand.current_gets = (touched + changed.search_gets) / users
    demand.cpu = {
        "buffer gets": 0.0,
        "row access": 0.0,
        "read calls": 0.0,
        INSERTING: inserting_s(host, changed.rows / users, row.columns, touched / users),
        SEARCHING: filled / users * host.logical_io_s,
    }
    keep_indexes(demand, system, users, [Keys(changed.rows, arrays, True)], rows_before=0)
    leaves = sum(index_changes.written_blocks for index_changes in demand.upkeep)
    demand.dirty_blocks, demand.apart_blocks = filled + leaves, leaves
    note_undo_and_redo(demand, system, work, changed)
    demand.writing = writing_of(system, demand, always=True)
    _add_client(demand, system, changed.rows / users, arrays / users)
    add_commits(demand, system, work, changed)
    return demand


def _rows_loaded(system: System, row: RowShape, commits: Number) -> Change:
    """An empty table that takes all rows; each block is offered until it rejects one."""
    loaded = segment_of(system, row)
    filled = ceiling(system.table.rows / loaded.rows_per_block)
    rows = system.table.rows
    return Change(
        rows=rows,
        chained=where(loaded.blocks_per_row > 1, rows, 0),
        searches=filled,
        placed=rows,
        rejected_space=filled,
        commits=commits,
        columns_after_bytes=row.columns_bytes,
        segment=replace(loaded, blocks=0, shape=extents.SegmentShape(0, 0, 0, 0, [])),
        segment_after=loaded,
    )


def _add_client(demand: Demand, system: System, rows: Number, arrays: Number) -> None:
    """The client's turns: it reads its file and fills an array, and waits while the server inserts it."""
    net = system.client
    demand.trips = demand.executions = arrays
    demand.cpu["calls"] = arrays * system.host.call_s
    demand.client_rows_s = client_rows_s(net, rows, demand.row.columns)
    file_bytes = rows * (demand.row.bytes - block.ROW_HEADER_BYTES)
    client_s = arrays * net.round_trip_s + demand.client_rows_s + file_bytes / net.file_bytes_per_s
    sends_s = arrays * net.message_send_s
    demand.sent_twice_s = smaller(demand.cpu_s, sends_s * net.send_cpu_fraction)
    demand.waits = {TO_CLIENT: (arrays, net.message_send_s), FROM_CLIENT: (arrays, client_s / arrays)}
