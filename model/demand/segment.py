"""The table as rows, blocks and extents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.laws import block, extents
from model.laws.numeric import Number, ceiling, larger, where
from model.spec import release_tuple


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
    spread = where(table.row_bytes_sd > 0, table.row_bytes_sd, variance**0.5)
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
        formatted_ahead=assm and table.created_by == "insert" and table.blocks is None,
    )
    return Segment(shape.data_blocks, rows_per_block, shape)
