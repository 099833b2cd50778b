"""The table as rows, blocks and extents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocktime.model.errors import OutsideLaw, UnknownName
from blocktime.model.laws import block, extents, growth
from blocktime.model.laws.numeric import Number, ceiling, floor_div, larger, largest, smaller, some, where
from blocktime.model.spec import Dml, System, Table, release_tuple
from blocktime.model.units import show_number


@dataclass(slots=True)
class RowShape:
    """Mean row piece, how far rows vary, and columns."""

    bytes: Number
    sd_bytes: Number
    columns: Number
    columns_bytes: Number
    """The columns with their length bytes, as AVG_ROW_LEN counts them; the piece itself is never below 9 bytes."""

    @property
    def piece_bytes(self) -> Number:
        """Header and columns, without filling up to the shortest row."""
        return block.ROW_HEADER_BYTES + self.columns_bytes


@dataclass(slots=True)
class Segment:
    """The table in blocks and extents."""

    blocks: Number
    rows_per_block: Number
    shape: extents.SegmentShape
    blocks_per_row: Number
    """More than 1 where rows are chained."""
    moved_blocks: Number = 0
    """Blocks that hold migrated pieces alone: no rowid of an index points there."""


def row_shape(table: Table) -> RowShape:
    """The row from its columns, or from row_bytes and column_count."""
    columns = table.columns
    if not columns:
        row = 100.0 if table.row_bytes is None else table.row_bytes
        count = 10 if table.column_count is None else table.column_count
        return RowShape(larger(block.MINIMUM_ROW_BYTES, row), table.row_bytes_sd, count, row - block.ROW_HEADER_BYTES)
    total, variance = columns_of(columns)
    spread = where(table.row_bytes_sd > 0, table.row_bytes_sd, variance**0.5)
    return RowShape(block.row_bytes(total), spread, len(columns), total)


def columns_of(columns: Any) -> tuple[float, float]:
    """Mean bytes of the columns with their length bytes, trailing NULLs left out, and the variance."""
    total = 0.0
    variance = 0.0
    trailing = 1.0
    for column in reversed(columns):
        trailing *= column.null_fraction
        stored = block.column_bytes(column.bytes)
        total += (1 - column.null_fraction) * stored + column.null_fraction - trailing
        variance += column.null_fraction * (1 - column.null_fraction) * (stored - 1) ** 2
    return total, variance


def growth_of(table: Table, work: Dml, row: RowShape) -> tuple[Number, Number]:
    """Bytes an updated row grows by, and the columns' bytes it then has; raises UnknownName for a column it has not."""
    if not work.sets:
        grows = 0.0 if work.growth_bytes is None else work.growth_bytes
        return grows, row.columns_bytes + grows
    if not table.columns:
        raise OutsideLaw("workload.sets: the table's columns are not described; give table.columns, or growth_bytes")
    known = {column.name.upper() for column in table.columns}
    for column in work.sets:
        if column.name.upper() not in known:
            raise UnknownName("column", column.name, [column.name for column in table.columns], "workload.sets")
    wanted = {column.name.upper(): column for column in work.sets}
    after, _ = columns_of([wanted.get(column.name.upper(), column) for column in table.columns])
    return after - row.columns_bytes, after


@dataclass(slots=True)
class FreshBlock:
    """A block of the table before its first row."""

    size: Number
    assm: int
    entries: Number
    data: Number
    """Bytes its headers and first ITL entries leave."""
    reserve: Number
    """Of them kept by PCTFREE."""


def fresh_block(system: System) -> FreshBlock:
    """A block of the table before its first row."""
    space, table = system.tablespace, system.table
    size, assm = space.block_size_bytes, 1 if space.space_management == "assm" else 0
    entries = block.itl_entries(table.initrans, table.created_by == "ctas")
    data = size - block.overhead_bytes(entries, assm)
    return FreshBlock(size, assm, entries, data, block.reserve_bytes(size, table.pctfree_percent))


def segment_of(system: System, row: RowShape, blocks: Number | None = None, ahead: Number = 0) -> Segment:
    """The table's blocks below the high-water mark and its extents; or what *blocks* blocks are of it.

    With *ahead*, the high-water mark has moved on to the end of the extent that they reach into.
    """
    table, space = system.table, system.tablespace
    fresh = fresh_block(system)
    usable = block.usable_bytes(fresh.size, fresh.entries, fresh.assm, table.pctfree_percent)
    fit = block.rows_per_block(usable, row.bytes, row.sd_bytes)
    chained = block.blocks_per_row(fresh.data, row.bytes)
    rows_per_block = fit / chained
    by_insert = fresh.assm and table.created_by == "insert"
    if blocks is not None:
        by_insert = ahead * fresh.assm
    elif table.blocks is None:
        blocks = ceiling(table.rows / rows_per_block)
        moved_some = table.migrated_fraction > 0
        if some(moved_some):
            blocks = where(moved_some, _blocks_with_migrated(table, usable, row), blocks)
            rows_per_block = where(moved_some, table.rows / blocks, rows_per_block)
    else:
        blocks = table.blocks
        by_insert = False
        rows_per_block = table.rows / blocks
    shape = extents.segment_shape(
        blocks,
        block_size_bytes=fresh.size,
        assm=bool(fresh.assm),
        uniform_extent_bytes=space.uniform_extent_bytes if space.extent_management == "uniform" else None,
        release_11_2=release_tuple(system.instance.release) >= (11, 2),
        formatted_ahead=by_insert,
    )
    moved = ceiling(table.rows * table.migrated_fraction / _moved_per_block(usable, row))
    return Segment(shape.data_blocks, rows_per_block, shape, chained, larger(0, smaller(shape.data_blocks - 1, moved)))


def _moved_per_block(usable: Number, row: RowShape) -> Number:
    """Migrated pieces that a block takes, with an ITL entry each."""
    moved = block.slot_bytes(growth.moved_bytes(row.bytes)) + block.ITL_ENTRY_BYTES
    return larger(1, usable // moved)


def check_blocks(system: System) -> None:
    """Raise OutsideLaw for fewer blocks than rows of a stated length take without PCTFREE."""
    table = system.table
    if table.blocks is None or not (table.columns or "row_bytes" in table.model_fields_set):
        return
    row = row_shape(table)
    least = floor_div(table.rows * block.slot_bytes(row.bytes), fresh_block(system).data)
    if some(table.blocks < least):
        raise OutsideLaw(
            f"table.blocks is {largest(where(table.blocks < least, table.blocks, 0)):,.0f}; allowed is at least "
            f"{largest(least):,.0f}, which {largest(table.rows):,.0f} rows of {show_number(largest(row.bytes), 4)} "
            "bytes fill (table.rows, table.row_bytes)"
        )


def _blocks_with_migrated(table: Table, usable: Number, row: RowShape) -> Number:
    """Blocks where the stated share of the rows has left a stub behind and lies, with an ITL entry each, elsewhere."""
    share = table.migrated_fraction
    stub = block.slot_bytes(growth.STUB_BYTES)
    at_home = (1 - share) * block.slot_bytes(row.bytes) + share * stub
    at_home_blocks = ceiling(table.rows / larger(1, usable // at_home))
    return at_home_blocks + ceiling(table.rows * share / _moved_per_block(usable, row))
