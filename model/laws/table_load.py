"""Whole tables through a client: rows of an array, and buffers for dirty blocks."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, floor_div, larger

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
