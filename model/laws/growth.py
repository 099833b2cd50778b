"""Rows that grow: rows that stay in their block, rows that migrate, and the form of a migrated piece.

Sources: [adams-migration] for stub and head rowid, [oracle-concepts] for PCTFREE.
"""

from __future__ import annotations

from blocktime.model.laws.block import ROW_DIRECTORY_ENTRY_BYTES, ROW_HEADER_BYTES
from blocktime.model.laws.numeric import Number, ceil_div, floor_div, larger, smaller, where

ROWID_BYTES = 6
STUB_BYTES = ROW_HEADER_BYTES + ROWID_BYTES


def piece_bytes(row_piece_bytes: Number) -> Number:
    """Bytes of a row piece without its directory entry: at least a stub, so that it can become one."""
    return larger(STUB_BYTES, row_piece_bytes)


def slot_bytes(row_piece_bytes: int, stub_bytes: int, directory_bytes: int) -> int:
    """Bytes that a row piece takes with its entry in the row directory; no piece is shorter than a stub."""
    return max(stub_bytes, row_piece_bytes) + directory_bytes


def padded_growth(row_piece_bytes: Number, growth: Number) -> Number:
    """Additional bytes of a row after it grows by *growth*: less than that if it was shorter than a stub."""
    return piece_bytes(row_piece_bytes + growth) - piece_bytes(row_piece_bytes)


def moved_bytes(row_piece_bytes: Number) -> Number:
    """Bytes of a migrated row piece: it carries the rowid of its head."""
    return piece_bytes(row_piece_bytes + ROWID_BYTES)


def rows_that_migrate(rows: Number, free: Number, growth: Number, freed: Number) -> Number:
    """Rows of a block that migrate when each of *rows* grows by *growth*, one after another.

    The *free* bytes of the block, and the *freed* bytes of each migrated row, let others grow in place: m·freed + free
    >= (rows - m)·growth. Exact except for the order inside the block (one row).
    """
    short = rows * growth - free
    return where(growth > 0, smaller(rows, larger(0, ceil_div(short, larger(1e-9, growth + freed)))), 0)


def chain_of(row_piece: int, largest_piece: int, header: int, rowid: int) -> tuple[int, int]:
    """Whole-block pieces and the tail piece's length of a row that no block holds; (0, length) if one block does.

    Every piece carries a header, the rowid of its head and that of the next piece.
    """
    if row_piece + rowid <= largest_piece:
        return 0, row_piece + rowid
    payload = largest_piece - header - 2 * rowid
    rest = row_piece - header
    bodies = (rest - 1) // payload
    return bodies, header + rowid + rest - bodies * payload


def pctfree_for(
    growth: Number, row_piece_bytes: Number, data_bytes: Number, block_size_bytes: Number, share: Number = 1.0
) -> Number:
    """Smallest whole PCTFREE at which the *share* of a full block's rows that grow does so in place; 100 if none is.

    With r rows of slot s = row + 2 in a block: r = floor((data - reserve)/s) and ceil(r·share)·growth <= data - r·s.
    """
    slot = piece_bytes(row_piece_bytes) + ROW_DIRECTORY_ENTRY_BYTES
    part = where(share < 1, 1, 0)  # a block may have one growing row more than the share of its rows
    fit = larger(1, floor_div(data_bytes - part * growth, slot + share * growth))
    # NOTE: loading keeps at most *fit* rows when less than fit + 1 slots stay below the reserve
    need = 100 * (data_bytes - (fit + 1) * slot) / block_size_bytes
    percent = larger(0, floor_div(need, 1) + 1)
    alone = slot + growth > data_bytes
    return where(alone, 100, percent)
