"""What the indexes of a table have to take from the rows that a statement inserts, updates or deletes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from blocktime.model.causes import INDEXES
from blocktime.model.demand.work import Demand
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, cache_misses, leaf_changes
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.buffer_gets import distinct_blocks
from blocktime.model.laws.change import REDO_CHANGE_BYTES, UNDO_RECORD_BYTES
from blocktime.model.laws.numeric import (
    Number,
    ceiling,
    floor_div,
    larger,
    largest,
    nearest,
    over,
    smaller,
    some,
    where,
)
from blocktime.model.results import IndexChanges, part
from blocktime.model.spec import Index, MaintainedIndex, System


class Keys(NamedTuple):
    """Keys that come or go, and how."""

    rows: Number
    arrays: Number
    """Calls, or the whole statement, that sort the keys they bring; a key each where rows are changed one by one."""
    comes: bool
    in_table_order: bool = False
    """Whether rows come in the order of the table's blocks."""


class LeafChanges(NamedTuple):
    """Changes to leaves of one index by all sessions: of how many keys, and at how many leaves."""

    changes: Number
    keys: Number
    leaves: Number


def keep_indexes(
    demand: Demand,
    system: System,
    users: Number,
    keys: Sequence[Keys],
    *,
    rows_before: Number | None = None,
    update: bool = False,
) -> None:
    """Add to *demand*, that of one of *users* sessions, what the table's indexes take from the keys of them all."""
    if not system.table.indexes:
        return
    rows = system.table.rows if rows_before is None else rows_before
    demand.upkeep, demand.leaf_changes = upkeep_of(system, rows, keys, update=update)
    demand.current_gets = (
        demand.current_gets + sum(index_changes.current_gets for index_changes in demand.upkeep) / users
    )
    demand.leaf_reads = sum(index_changes.reads for index_changes in demand.upkeep) / users
    demand.plan.single_reads = demand.plan.single_reads + demand.leaf_reads
    demand.cpu[INDEXES] = _upkeep_s(system, demand.upkeep) / users
    host = system.host
    each_s = {"read calls": stated_call_s(host.read_call_s), "reading blocks into buffers": host.buffer_block_s}
    for cause, seconds in each_s.items():
        demand.cpu[cause] = demand.cpu.get(cause, 0.0) + demand.leaf_reads * seconds


def upkeep_of(
    system: System, rows_before: Number, keys: Sequence[Keys], *, update: bool
) -> tuple[list[IndexChanges], list[LeafChanges]]:
    """What each index takes from *keys*, and where; an *update* changes only those whose key it sets."""
    taking = [index for index in system.table.indexes if index.updated or not update]
    size = system.tablespace.block_size_bytes
    leaves = [leaves_of(index, entries_of(index, rows_before), size) for index in taking]
    index_changeses: list[IndexChanges] = []
    where_changed: list[LeafChanges] = []
    for index in taking:
        coming = [batch._replace(rows=entries_of(index, batch.rows)) for batch in keys]
        index_changes, changed = _of_index(
            system, index, entries_of(index, rows_before), coming, larger(1, sum(leaves))
        )
        index_changeses.append(index_changes)
        where_changed += changed
    return index_changeses, where_changed


def entries_of(index: Index | MaintainedIndex, rows: Number) -> Number:
    """Entries of *rows* rows: all but those whose key is NULL."""
    return nearest(rows * (1 - index.null_fraction)) if some(index.null_fraction) else rows


def leaves_of(index: Index | MaintainedIndex, rows: Number, size: Number, name: str = "table.indexes") -> Number:
    """Leaf blocks of an index of *rows* rows in blocks of *size* bytes: as given, or by how its entries came.

    Raises OutsideLaw, which calls the index *name*, for a key that no index takes.
    """
    longest = block.longest_key_bytes(size)
    if some(index.key_bytes + index.key_columns > longest):
        raise OutsideLaw(
            f"{name}.key_bytes {largest(index.key_bytes):,.0f} and a length byte for each column of the key are more "
            f"than an index takes in blocks of {largest(size):,.0f} bytes; allowed are {largest(longest):,.0f} "
            "(ORA-01450)"
        )
    if index.leaf_blocks is not None:
        if "key_bytes" in index.model_fields_set:
            _check_leaves(index, rows, _per_leaf(index, rows, size, name), name)
        return index.leaf_blocks
    built = _per_leaf(index, rows, size, name, index.pctfree_percent)
    split = where(index.grown_by == "random", leaf_changes.HALF_SPLIT_FILL, 1.0)
    full = larger(1, split * _per_leaf(index, rows, size, name))
    return ceiling(rows / where(index.grown_by == "build", built, full))


def _check_leaves(index: Index | MaintainedIndex, rows: Number, per_leaf: Number, name: str) -> None:
    """Raise OutsideLaw for fewer leaves than the entries fill without PCTFREE."""
    least = floor_div(rows, per_leaf)
    if some(index.leaf_blocks < least):
        raise OutsideLaw(
            f"{name}.leaf_blocks is {largest(where(index.leaf_blocks < least, index.leaf_blocks, 0)):,.0f}; allowed is "
            f"at least {largest(least):,.0f}, as a leaf holds at most {largest(per_leaf):,.0f} of the "
            f"{largest(rows):,.0f} entries (table.rows, {name}.key_bytes)"
        )


def _per_leaf(index: Any, rows: Number, size: Number, name: str, pctfree_percent: Number = 0) -> Number:
    """Entries of a leaf of an index with entries of *rows* rows; of a full one without PCTFREE."""
    if not some(index.compress_columns):
        return block.entries_per_leaf(size, pctfree_percent, index.key_bytes, index.key_columns, index.unique)
    shared = index.compress_columns / index.key_columns
    if index.prefix_distinct_keys is not None:
        prefixes = index.prefix_distinct_keys
    elif some(shared < 1) or getattr(index, "distinct_keys", None) is None:
        raise OutsideLaw(
            f"{name}.compress_columns is {largest(index.compress_columns):.0f}, but nothing says how many values these "
            f"columns have: set {name}.prefix_distinct_keys"
        )
    else:
        prefixes = index.distinct_keys
    prefix = index.key_bytes * shared if index.prefix_bytes is None else index.prefix_bytes
    prefix = prefix + index.compress_columns
    entry = index.key_bytes + index.key_columns - prefix + block.ENTRY_BYTES - index.unique
    return block.compressed_entries_per_leaf(size, pctfree_percent, entry, prefix, rows / prefixes)


def _of_index(
    system: System, index: MaintainedIndex, rows: Number, keys: Sequence[Keys], all_leaves: Number
) -> tuple[IndexChanges, list[LeafChanges]]:
    size = system.tablespace.block_size_bytes
    per_leaf, leaves = _per_leaf(index, rows, size, "table.indexes"), leaves_of(index, rows, size)
    room = smaller(leaves, system.instance.buffer_cache_bytes / size * leaves / all_leaves)
    changes = halves = ends = ordered_reads = visits = entries = 0.0 * rows
    cold, changed = 1 - index.cached_fraction, []
    written = 0.0 * rows
    for batch in keys:
        ordered = index.new_keys == "ascending" if batch.comes else _follows_rows(index, batch)
        if batch.comes and ordered:
            ends = ends + larger(0, ceiling((rows + batch.rows) / per_leaf) - ceiling(rows / per_leaf))
            ordered_reads = ordered_reads + cold  # the last leaf; those behind it are new
            written = written + 1
        elif batch.comes:
            evenly = where(rows > 0, 1 if index.grown_by == "random" else 0, 1)
            halves = halves + nearest(leaf_changes.half_splits(batch.rows, rows, leaves, per_leaf, evenly))
        elif ordered:
            of_rows = smaller(leaves, batch.rows)  # spread evenly over the leaves, as over the table's blocks
            ordered_reads, written = ordered_reads + of_rows * cold, written + of_rows
        mean_leaves = leaves + halves / 2
        apart = leaf_changes.leaves_changed(batch.rows, batch.arrays, mean_leaves, per_leaf, 1 if ordered else 0)
        visits = visits + (0 if ordered else apart)
        changes, entries = changes + ceiling(apart), entries + batch.rows
        at = 1 if batch.comes and ordered else larger(1, mean_leaves)
        changed.append(LeafChanges(ceiling(apart), batch.rows, at))
    in_order = smaller(room, ordered_reads + leaves * index.cached_fraction) / larger(1, leaves)
    cached = smaller(1, larger(index.cached_fraction, in_order))
    at_random = cache_misses.random_misses(visits, larger(1, leaves), larger(1, room), cached)
    reads = smaller(leaves, ordered_reads) + where(visits > 0, at_random, 0)
    above, splits = block.branch_blocks(leaves, rows), halves + ends
    branches = smaller(above, changes) * cold
    visited = distinct_blocks(larger(1, leaves), visits)
    again = larger(0, where(visits > 0, at_random, 0) - visited * (1 - cached))  # had left the cache, written
    written = written + visited + again + splits + smaller(above + 1, splits)
    levels = block.branch_levels(leaves + splits, per_leaf)
    entry = index.key_bytes + index.key_columns + block.ENTRY_BYTES - index.unique
    undo = changes * UNDO_RECORD_BYTES + entries * entry + halves * size / 2
    index_changes = part(
        IndexChanges,
        keys=entries,
        leaf_changes=changes,
        half_splits=halves,
        last_splits=ends,
        blevel=levels,
        leaf_blocks_before=leaves,
        leaf_blocks_after=larger(1, leaves + splits),
        current_gets=changes * (levels + 1) + splits * leaf_changes.SPLIT_GETS,
        reads=where(leaves > 0, nearest(reads + branches), 0),
        written_blocks=where(changes > 0, nearest(written), 0),
        undo_bytes=undo,
        redo_bytes=undo + changes * REDO_CHANGE_BYTES + entries * entry + halves * size / 2,
    )
    return index_changes, changed


def _follows_rows(index: MaintainedIndex, keys: Keys) -> bool:
    """Whether the entries of rows that go lie in the order in which the statement comes to them."""
    return keys.in_table_order and index.clustering == "clustered"


def _upkeep_s(system: System, each: Sequence[IndexChanges]) -> Number:
    """CPU of the changes to leaves, with the descents to them and the splits."""
    host = system.host
    descents = sum(index_changes.leaf_changes * index_changes.blevel for index_changes in each)
    changes = sum(
        index_changes.leaf_changes + (index_changes.half_splits + index_changes.last_splits) * leaf_changes.SPLIT_GETS
        for index_changes in each
    )
    return (
        descents * host.logical_io_s
        + changes * host.change_block_s
        + sum(index_changes.keys for index_changes in each) * host.insert_row_s
    )


def waits_at_leaves(system: System, users: Number, demand: Demand, elapsed_s: Number) -> tuple[Number, Number]:
    """Times that each of *users* sessions of *demand* finds a leaf in change by another one, and its wait each time.

    A session takes *elapsed_s* without these waits. It has a leaf for the CPU time of the change with its keys. The
    leaf that is wanted most spaces the sessions, so that they do not meet at those of other indexes.
    """
    host, met, waited_s = system.host, 0.0 * elapsed_s, 0.0 * elapsed_s
    for leaf_change in demand.leaf_changes:
        changes = larger(1e-9, leaf_change.changes / users)
        change_s = host.change_block_s + leaf_change.keys / larger(1, leaf_change.changes) * host.insert_row_s
        chance, wait_s = leaf_changes.meetings(users, elapsed_s, changes, leaf_change.leaves, change_s)
        met = where(changes * wait_s > waited_s, changes * chance, met)
        waited_s = larger(waited_s, changes * wait_s)
    return met, over(waited_s, met)
