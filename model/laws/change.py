"""Undo and redo of changes to rows.

The documents print neither. The sizes are [general knowledge] from redo dumps, within a factor of two.
"""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, ceiling, larger, smaller

UNDO_RECORD_BYTES = 100  # header of an undo record, its rowid and column list
REDO_CHANGE_BYTES = 130  # redo record header and the two change vectors' headers, per change
COMMIT_REDO_BYTES = 400
"""Of a commit: its record, and the changes of the undo segment's header at begin and end of the transaction."""
CLEANOUT_REDO_BYTES = 72
"""Of a block that a reader cleans out after the commit [dyke-redo]."""
IMAGE_HEADER_BYTES = 100
"""Of the record of a block's image: the headers of record and vector."""
MOVE_CHANGES = 2
"""Changes of a row that migrates beyond that of its update: the row is locked, its piece comes into another block, and
the stub overwrites it [dyke-redo]."""
COPIES = 2
"""Times that a logged byte is copied: into the change's vector, and into the log buffer [general knowledge]."""


def changes_s(changes: Number, logged_bytes: Number, change_s: Number, copy_bytes_per_s: Number) -> Number:
    """CPU of *changes* to blocks of *change_s* each, and of copying the rows' bytes that undo and redo hold.

    What a statement does first in a block costs nothing apart: the same 200,000 updates in 994, 496 and 247 blocks
    took 8.09, 8.99 and 8.81 s [rahn-pctfree].
    """
    return changes * change_s + COPIES * logged_bytes / copy_bytes_per_s


def undo_bytes(changes: Number, old_bytes_each: Number) -> Number:
    """Undo of *changes*: a record each, with the old bytes."""
    return changes * (UNDO_RECORD_BYTES + old_bytes_each)


def undo_of_redo_bytes(changes: Number, redo: Number) -> Number:
    """Undo of a transaction of *changes* that writes so much redo, where rows are as long before as after.

    The inverse of :func:`redo_bytes` and of :func:`undo_bytes` together: half of what no header, record or commit takes
    are old bytes.
    """
    of_headers = changes * (REDO_CHANGE_BYTES + UNDO_RECORD_BYTES) + COMMIT_REDO_BYTES
    return undo_bytes(changes, 0.0) + larger(0.0, redo - of_headers) / 2


UNDO_HEADER_BYTES = 92
"""Of an undo block that records do not fill: its headers and its tail [general knowledge]."""


def undo_blocks(undo: Number, block_size_bytes: Number) -> Number:
    """Undo blocks that so many bytes of records fill, of the instance's own block size."""
    return ceiling(undo / (block_size_bytes - UNDO_HEADER_BYTES))


def redo_bytes(changes: Number, undo: Number, new_bytes_each: Number) -> Number:
    """Redo of *changes*: the vectors' headers, their *undo*, and the new bytes."""
    return changes * (REDO_CHANGE_BYTES + new_bytes_each) + undo


def changes_of_rows(rows: Number, migrated: Number) -> Number:
    """Changes to blocks: one for each row, and those of a row that migrates."""
    return rows + MOVE_CHANGES * migrated


def block_changes_of_arrays(rows: Number, arrays: Number, blocks: Number) -> Number:
    """Changes to blocks by arrays of rows: one for each block that an array reaches, at most one per row.

    A row that no block holds changes each of its blocks.
    """
    return larger(blocks, smaller(rows, arrays + blocks))


def redo_of_new_rows_bytes(changes: Number, undo: Number, rows_bytes: Number) -> Number:
    """Redo of rows of *rows_bytes* inserted by multi-row *changes*: vectors, their *undo*, and the rows themselves."""
    return redo_bytes(changes, undo, 0.0) + rows_bytes


def redo_of_images_bytes(blocks: Number, block_size_bytes: Number) -> Number:
    """Redo of *blocks* that a logged direct load formats: the image of each, with its headers."""
    return blocks * (block_size_bytes + IMAGE_HEADER_BYTES)
