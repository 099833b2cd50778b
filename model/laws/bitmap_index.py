"""Bytes and leaves of bitmap indexes: for each key, two rowids and a byte-aligned compressed bitmap [antoshenkov-bbc].

Two published indexes are within some percent: a million rows of 1,000 alternating keys, which take 500 leaves of 8K
with two keys each (3 bytes a row), and of 10,000 keys with 100 adjacent rows each, which take 52 [foote-bitmap].
"""

from __future__ import annotations

from blocktime.model.laws import block
from blocktime.model.laws.numeric import Number, ceiling, floor_div, larger, smaller, where

ENTRY_BYTES = 19
"""Of an entry without its key: 2 of the row directory, 2 of flags and lock, two rowids and three length bytes."""
LONG_BITMAP_BYTES = 127
"""From this length on, the length of a bitmap takes one more byte."""
SHORT_GAP_BYTES = 3
LITERAL_BYTES = 15
"""Bytes of a literal that one control byte covers."""
SHORTEST_SLOT_BYTES = 11


def bits_per_block(block_size_bytes: Number, assm: Number) -> Number:
    """Bits of a bitmap for each table block: the rows of 11 bytes that would fit, for any content."""
    usable = block.usable_bytes(block_size_bytes, 2, assm, 0)
    return floor_div(usable, SHORTEST_SLOT_BYTES)


def scattered_bitmap_bytes(rows: Number, bits: Number) -> Number:
    """Bytes of the bitmap of a key whose *rows* are at random among *bits*.

    A byte with one row is one control byte, plus the number of empty bytes before it if these are more than 3: 1 byte
    up to 127, 2 up to 16,383, and so on by 7 bits. A byte with more rows adds a literal; all literals are the maximum.
    """
    chance = smaller(1, rows / larger(1, bits))
    bytes_all = bits / 8
    filled = bytes_all * (1 - (1 - chance) ** 8)
    single = bytes_all * 8 * chance * (1 - chance) ** 7
    gap = larger(0, bytes_all / larger(1e-9, filled) - 1)
    atom = 1 + where(gap > SHORT_GAP_BYTES, 1, 0) + sum(where(gap >= 128**power, 1, 0) for power in (1, 2, 3))
    return smaller(filled * atom + larger(0, filled - single), bytes_all * (1 + 1 / LITERAL_BYTES))


def adjacent_bitmap_bytes(rows: Number, rows_per_block: Number) -> Number:
    """Bytes of the bitmap of a key whose *rows* fill one block after another: literals, and a gap in each block."""
    literals = larger(1, rows / 8)
    return literals + ceiling(literals / LITERAL_BYTES) + 2 * (ceiling(rows / larger(1, rows_per_block)) - 1)


def leaves(keys: Number, key_bytes: Number, bitmap_bytes: Number, usable_bytes: Number) -> Number:
    """Leaves of *keys* entries; a bitmap longer than half of a leaf continues in another entry of its key."""
    fixed = ENTRY_BYTES + key_bytes + where(bitmap_bytes > LONG_BITMAP_BYTES, 1, 0)
    pieces = ceiling(bitmap_bytes / larger(1, floor_div(usable_bytes, 2) - fixed))
    entry = fixed + ceiling(bitmap_bytes / pieces)
    return larger(1, ceiling(keys * pieces / larger(1, floor_div(usable_bytes, entry))))
