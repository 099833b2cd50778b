"""Undo and redo of changes to rows.

The documents print neither. The sizes are [general knowledge] from redo dumps, within a factor of two.
"""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, larger, smaller

UNDO_RECORD_BYTES = 100  # header of an undo record, its rowid and column list
REDO_CHANGE_BYTES = 130  # redo record header and the two change vectors' headers, per change


def undo_bytes(changes: Number, old_bytes_each: Number) -> Number:
    """Undo of *changes*: a record each, with the old bytes."""
    return changes * (UNDO_RECORD_BYTES + old_bytes_each)


def redo_bytes(changes: Number, undo: Number, new_bytes_each: Number) -> Number:
    """Redo of *changes*: the vectors' headers, their *undo*, and the new bytes."""
    return changes * (REDO_CHANGE_BYTES + new_bytes_each) + undo


def changes_of_rows(rows: Number, migrated: Number) -> Number:
    """Changes to blocks: one for each row, two more if it migrates (the piece moves in, the stub stays)."""
    return rows + 2 * migrated


def block_changes_of_arrays(rows: Number, arrays: Number, blocks: Number) -> Number:
    """Changes to blocks by arrays of rows: one for each block that an array reaches, at most one per row.

    A row that no block holds changes each of its blocks.
    """
    return larger(blocks, smaller(rows, arrays + blocks))


def redo_of_new_rows_bytes(changes: Number, undo: Number, rows_bytes: Number) -> Number:
    """Redo of rows of *rows_bytes* inserted by multi-row *changes*: vectors, their *undo*, and the rows themselves."""
    return redo_bytes(changes, undo, 0.0) + rows_bytes
