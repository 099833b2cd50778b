"""Undo and redo of changes to rows.

The documents print neither; the sizes are [general knowledge] of redo dumps, good to a factor of two.
"""

from __future__ import annotations

from model.laws.numeric import Number, larger, smaller

UNDO_RECORD_BYTES = 100  # header of an undo record, its rowid and column list
REDO_CHANGE_BYTES = 130  # redo record header and the two change vectors' headers, per change


def undo_bytes(changes: Number, old_bytes_each: Number) -> Number:
    """Undo that *changes* write: a record each, with the bytes that were there."""
    return changes * (UNDO_RECORD_BYTES + old_bytes_each)


def redo_bytes(changes: Number, undo: Number, new_bytes_each: Number) -> Number:
    """Redo that *changes* write: the vectors' headers, their *undo*, and the bytes that are new."""
    return changes * (REDO_CHANGE_BYTES + new_bytes_each) + undo


def changes_of_rows(rows: Number, migrated: Number) -> Number:
    """Changes to blocks: one for each row, two more where it migrates (the piece goes in, the stub stays)."""
    return rows + 2 * migrated


def block_changes_of_arrays(rows: Number, arrays: Number, blocks: Number) -> Number:
    """Changes to blocks by arrays of rows: one for each block that an array reaches into, one a row at most.

    A row that no block holds changes each of its blocks.
    """
    return larger(blocks, smaller(rows, arrays + blocks))


def redo_of_new_rows_bytes(changes: Number, undo: Number, rows_bytes: Number) -> Number:
    """Redo of rows of *rows_bytes* inserted by multi-row *changes*: vectors, their *undo*, and the rows themselves."""
    return redo_bytes(changes, undo, 0.0) + rows_bytes
