"""Whole tables through a client: rows of an array, and buffers for dirty blocks."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, floor_div, larger, smaller

NUMBER_BUFFER_BYTES = 24
"""Room of a NUMBER in an array: 22 bytes and a 2-byte indicator [oracle-utilities]."""
LARGEST_DIRTY_FRACTION = 0.4
"""Share of the buffers that a search scans before it calls DBWR, ``_db_block_max_scan_pct`` [oracle-wait-interface]."""


def largest_row_bytes(given: Number | None, columns: Number, mean_row_bytes: Number) -> Number:
    """Longest row that an array must hold: as given, else all columns as wide as NUMBERs; at least the mean."""
    return larger(columns * NUMBER_BUFFER_BYTES if given is None else given, mean_row_bytes)


def array_rows(buffer_bytes: Number, row_bytes: Number) -> Number:
    """Rows of an array: buffer_size = rows_in_array × maximum_row_size [oracle-utilities]; at least one."""
    return larger(1, floor_div(buffer_bytes, row_bytes))


def room_blocks(cache_bytes: Number, block_size_bytes: Number) -> Number:
    """Dirty blocks of a cache above which a session that needs a buffer finds none free."""
    return larger(1, floor_div(LARGEST_DIRTY_FRACTION * cache_bytes, block_size_bytes))


def stalls_s(
    own_s: Number, blocks: Number, room: Number, write_s: Number, redo_s: Number, reading_s: Number = 0.0
) -> tuple[Number, Number]:
    """Waits for the log and for free buffers of sessions that fill *blocks* blocks in *own_s* of their own work.

    While the cache has room, only the redo of a block, *redo_s*, can delay them. From then on each new block needs a
    buffer that DBWR has written in *write_s*: per block the slower of the two sets the pace, and the other waits.
    Writes use the device while the sessions' reads do not; the reads use it for *reading_s* of *own_s*.
    """
    each_s = larger(0.0, own_s - reading_s) / blocks
    at_first = smaller(blocks, room)
    log_s = at_first * larger(0.0, redo_s - each_s)
    free_s = (blocks - at_first) * larger(0.0, redo_s + write_s - each_s)
    return log_s, free_s
