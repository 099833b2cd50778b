"""What DBA_INDEXES says of the index that is walked: leaf blocks, distinct keys, clustering factor."""

from __future__ import annotations

from typing import NamedTuple

from blocktime.model.demand.index_upkeep import entries_of, leaves_of
from blocktime.model.demand.segment import Segment, row_shape
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import bitmap_index, block, buffer_gets
from blocktime.model.laws.numeric import Number, ceiling, floor_div, larger, largest, smaller, some, where
from blocktime.model.spec import Index, System, Table


def distinct_keys(system: System) -> Number:
    """Distinct keys of the index, as given, or as many as rows; raises OutsideLaw for an index without an entry."""
    index, rows = system.index, entries_of(system.index, system.table.rows)
    if some(rows < 1):
        raise OutsideLaw(
            f"index.null_fraction {largest(index.null_fraction):.12g} leaves an entry for none of the "
            f"{largest(where(rows < 1, system.table.rows, 0)):,.0f} rows (table.rows); allowed is a share that "
            "leaves one"
        )
    if index.distinct_keys is None:
        return rows
    if some(index.distinct_keys > rows):
        raise OutsideLaw(
            f"index.distinct_keys is {largest(index.distinct_keys):,.0f}; allowed is at most a key for each of the "
            f"{largest(rows):,.0f} rows (table.rows)"
        )
    if some(where(index.unique, index.distinct_keys < rows, 0)):
        raise OutsideLaw(
            f"index.unique is true, but index.distinct_keys is {largest(index.distinct_keys):,.0f}; a unique index has "
            f"a key for each of the {largest(rows):,.0f} rows (table.rows)"
        )
    return index.distinct_keys


def blocks_with_rows(table: Table, segment: Segment) -> Number:
    """Blocks that a row begins in, where its rowid points: no more than there are rows.

    Blocks formatted ahead of the rows, and those with migrated pieces alone, are none of them.
    """
    filled = ceiling(table.rows / segment.rows_per_block) - segment.moved_blocks
    return smaller(table.rows, larger(1, filled / segment.blocks_per_row))


class Statistics(NamedTuple):
    """An index as DBA_INDEXES shows it, and the changes of block behind its clustering factor."""

    leaf_blocks: Number
    fan_out: Number
    """Blocks below a branch block."""
    blevel: Number
    clustering_factor: Number
    """As it was gathered; the optimizer's."""
    block_changes: Number
    """Times that the next row in index order lies in another block; what a scan meets."""


def index_statistics(system: System, segment: Segment) -> Statistics:
    """Statistics of the index: as given, or from the key's bytes and the stated order of the rows."""
    index, table, keys = system.index, system.table, distinct_keys(system)
    leaves = _leaves(system, segment, keys)
    rows, among = entries_of(index, table.rows), index.interleaved_blocks
    fan_out = block.fan_out(leaves, rows)
    if some(index.bitmap):  # as many keys as a leaf without bitmaps would hold
        size = system.tablespace.block_size_bytes
        of_keys = block.entries_per_leaf(size, 0, index.key_bytes, index.key_columns, 0)
        fan_out = where(index.bitmap, larger(2, of_keys), fan_out)
    blevel = _blevel(index, leaves, fan_out)
    if index.clustering_factor is not None:
        _check_factor(system, segment, keys)
        return Statistics(leaves, fan_out, blevel, index.clustering_factor, index.clustering_factor)
    holding = smaller(rows, ceiling(blocks_with_rows(table, segment)))
    anywhere = larger(holding, ceiling(buffer_gets.random_clustering_factor(holding, rows, keys)))
    by_turns = ceiling(buffer_gets.interleaved_clustering_factor(holding, rows, among))
    interleaved = index.clustering == "interleaved"
    factor = where(interleaved, smaller(by_turns, anywhere), where(index.clustering == "clustered", holding, anywhere))
    gathered = buffer_gets.gathered_clustering_factor(
        factor, holding, rows, keys, where(interleaved, smaller(among, holding), holding), index.table_cached_blocks
    )
    return Statistics(leaves, fan_out, blevel, ceiling(gathered), factor)


def _blevel(index: Index, leaves: Number, fan_out: Number) -> Number:
    """Branch levels, as given, or as the leaves need them."""
    if index.blevel is None:
        return block.branch_levels(leaves, fan_out)
    if some((index.blevel < 1) & (leaves > 1)):
        raise OutsideLaw(
            f"index.blevel is 0, but the index has {largest(where(index.blevel < 1, leaves, 0)):,.0f} leaf blocks; "
            "without a branch there is one: set index.blevel to 1 or more, or leave it out"
        )
    return index.blevel


def _leaves(system: System, segment: Segment, keys: Number) -> Number:
    """Leaf blocks of a b-tree or a bitmap index."""
    index, table, space = system.index, system.table, system.tablespace
    size = space.block_size_bytes
    of_entries = leaves_of(index, entries_of(index, table.rows), size, "index")
    if not some(index.bitmap) or index.leaf_blocks is not None:
        return of_entries
    if some(where(index.bitmap, index.unique, 0)):
        raise OutsideLaw("index.unique is true, and index.bitmap too; a bitmap index is never unique: set one to false")
    if some(where(index.bitmap, index.compress_columns, 0)):
        raise OutsideLaw("index.compress_columns is for b-tree indexes; a bitmap index (index.bitmap) has no prefixes")
    rows, holding = entries_of(index, table.rows) / keys, ceiling(blocks_with_rows(table, segment))
    bits = bitmap_index.bits_per_block(size, where(space.space_management == "assm", 1, 0))
    bitmap = where(
        index.clustering == "scattered",
        bitmap_index.scattered_bitmap_bytes(rows, holding * bits),
        bitmap_index.adjacent_bitmap_bytes(rows, segment.rows_per_block),
    )
    usable = size - block.LEAF_HEADER_BYTES - block.reserve_bytes(size, index.pctfree_percent)
    key_bytes = index.key_bytes + index.key_columns
    return where(index.bitmap, bitmap_index.leaves(keys, key_bytes, bitmap, usable), of_entries)


def _check_factor(system: System, segment: Segment, keys: Number) -> None:
    """Raise OutsideLaw for a clustering factor that the table's rows and blocks do not allow."""
    table, factor = system.table, system.index.clustering_factor or 0
    if some(factor > entries_of(system.index, table.rows)):
        raise OutsideLaw(
            f"index.clustering_factor is {largest(factor):,.0f}; allowed is at most a change of block for each of "
            f"the {largest(entries_of(system.index, table.rows)):,.0f} rows with an entry (table.rows)"
        )
    most = keys * segment.blocks * segment.blocks_per_row
    if some(factor > most):
        raise OutsideLaw(
            f"index.clustering_factor is {largest(factor):,.0f}; allowed is at most {largest(most):,.0f}, a change "
            "to each of the table's blocks for each key, as the rows of one key lie in rowid order "
            "(index.distinct_keys)"
        )
    least = floor_div(table.rows * row_shape(table).bytes, system.tablespace.block_size_bytes)
    if some(factor < least):
        raise OutsideLaw(
            f"index.clustering_factor is {largest(factor):,.0f}; allowed is at least one change of block for each "
            f"of the {largest(least):,.0f} blocks that the rows fill (table.rows, table.row_bytes)"
        )
