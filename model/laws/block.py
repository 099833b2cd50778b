"""Bytes and rows of a heap block.

Sources: [oracle-concepts] for the parts of a block, [rahn-mbrc] and [rahn-pctfree] for the packing they print.
"""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.laws.numeric import (
    Number,
    ceiling,
    floor_div,
    is_array,
    larger,
    largest,
    normal_cdf,
    of_distinct,
    smaller,
    some,
    where,
)

WIDE = 1.5
"""Rows that are smeared so wide over the end of a block that their number is the renewal mean."""
COMMON_HEADER_BYTES = 20
TRANSACTION_HEADER_BYTES = 24
ITL_ENTRY_BYTES = 24
ASSM_EXTRA_BYTES = 8
DATA_HEADER_BYTES = 14
TABLE_DIRECTORY_BYTES = 4
TAIL_BYTES = 4
ROW_DIRECTORY_ENTRY_BYTES = 2

ROW_HEADER_BYTES = 3
PIECE_COLUMNS = 255  # a longer row is chained within its block [oracle-concepts]
LONG_COLUMN_BYTES = 250
MINIMUM_ROW_BYTES = 9

LEAF_HEADER_BYTES = 192
ENTRY_BYTES = 11  # of an entry besides its key and that key's length bytes; 10 in a unique index

PREFIX_HEADER_BYTES = 4
PREFIX_BYTES = 6  # of a compressed prefix besides its columns: flags and its entry of the directory

MAXIMUM_ITL_ENTRIES = 255


def itl_entries(initrans: Number, created_as_select: Number) -> Number:
    """ITL entries of a new table block: INITRANS, at least 2, and at least 3 after CREATE TABLE AS SELECT."""
    return larger(initrans, where(created_as_select, 3, 2))


def overhead_bytes(itl: Number, assm: Number) -> Number:
    """Bytes of a block that no row can use, for *itl* ITL entries: 74 + 24·ITL under ASSM, 66 + 24·ITL otherwise."""
    fixed = COMMON_HEADER_BYTES + TRANSACTION_HEADER_BYTES + DATA_HEADER_BYTES + TABLE_DIRECTORY_BYTES + TAIL_BYTES
    return fixed + where(assm, ASSM_EXTRA_BYTES, 0) + ITL_ENTRY_BYTES * itl


def itl_limit(block_size_bytes: Number) -> Number:
    """Most ITL entries a block may hold: 255, or half the block, whichever is less (41, 83, 169, 255, 255)."""
    return smaller(MAXIMUM_ITL_ENTRIES, (block_size_bytes / 2 - 40) // ITL_ENTRY_BYTES)


def column_bytes(data_bytes: Number) -> Number:
    """Bytes a column takes in a row piece: its data and 1 length byte, or 3 above 250 bytes; a NULL inside takes 1."""
    return data_bytes + where(data_bytes > LONG_COLUMN_BYTES, 3, 1)


def row_bytes(columns_bytes: Number) -> Number:
    """Bytes of a row piece with *columns_bytes* bytes of columns: 3 header bytes more, at least 9."""
    return larger(MINIMUM_ROW_BYTES, ROW_HEADER_BYTES + columns_bytes)


def slot_bytes(row_piece_bytes: Number) -> Number:
    """Bytes a row takes from a block: the piece and its row directory entry, at least 11."""
    return larger(MINIMUM_ROW_BYTES, row_piece_bytes) + ROW_DIRECTORY_ENTRY_BYTES


def usable_bytes(block_size_bytes: Number, itl: Number, assm: Number, pctfree_percent: Number) -> Number:
    """Bytes of a block that an insert may fill: the block minus headers and PCTFREE percent of the whole block.

    Oracle's manual lets rows *and* overhead fill 100 - PCTFREE percent of the block [oracle-concepts].
    """
    return larger(0, block_size_bytes - overhead_bytes(itl, assm) - reserve_bytes(block_size_bytes, pctfree_percent))


def entries_per_leaf(
    block_size_bytes: Number, pctfree_percent: Number, key_bytes: Number, key_columns: Number, unique: Number
) -> Number:
    """Entries of an index that fit a leaf block: ⌊(block - 192 - PCTFREE·block)/(key + columns + 10 or 11)⌋.

    At least 1. An entry takes 2 bytes of the row directory, 2 of flags and lock, the 6 of the rowid, and a length byte
    for each column of the key; in a non-unique index the rowid is a column, too. Headers with two ITL entries take 192
    bytes. A published dump of an 8K leaf shows both [foote-index]: 500 entries of a 4-byte key at PCTFREE 0.
    """
    usable = block_size_bytes - LEAF_HEADER_BYTES - reserve_bytes(block_size_bytes, pctfree_percent)
    return larger(1, floor_div(usable, key_bytes + key_columns + ENTRY_BYTES - unique))


def compressed_entries_per_leaf(
    block_size_bytes: Number,
    pctfree_percent: Number,
    entry_bytes: Number,
    prefix_bytes: Number,
    entries_per_prefix: Number,
) -> Number:
    """Entries of a compressed index that fit a leaf: ⌊(usable - 4 - p·(1 - 1/r))/(e + p/r)⌋ for r entries a prefix.

    An entry takes *entry_bytes*, its row directory included, without the columns of its prefix. The leaf holds a prefix
    once: *prefix_bytes* with length bytes, 2 of flags and 4 of the prefix directory. Consecutive entries reach into one
    prefix more than they fill. A published dump shows a leaf with 651 entries of one key [foote-compress].
    """
    usable = block_size_bytes - LEAF_HEADER_BYTES - reserve_bytes(block_size_bytes, pctfree_percent)
    each, shared = prefix_bytes + PREFIX_BYTES, larger(1, entries_per_prefix)
    room = usable - PREFIX_HEADER_BYTES - each * (1 - 1 / shared)
    return larger(1, floor_div(room, entry_bytes + each / shared))


def fan_out(leaf_blocks: Number, rows: Number) -> Number:
    """Blocks below a branch block, assumed equal to the entries of a leaf, at least 2."""
    return larger(2, floor_div(rows, larger(1, leaf_blocks)))


def branch_blocks(leaf_blocks: Number, rows: Number) -> Number:
    """Branch blocks over the leaves: ⌈n/f⌉ of each level."""
    return sum(branches_by_level(leaf_blocks, fan_out(leaf_blocks, rows)), 0 * leaf_blocks)


def branch_levels(leaf_blocks: Number, entries_per_branch: Number) -> Number:
    """Levels of branches over the leaves (BLEVEL)."""
    levels = branches_by_level(leaf_blocks, entries_per_branch)
    return sum((where(blocks > 0, 1, 0) for blocks in levels), 0 * leaf_blocks)


def branches_by_level(leaf_blocks: Number, entries_per_branch: Number) -> Iterator[Number]:
    """Branch blocks of each level from the leaves up to the root; 0 above it."""
    level = leaf_blocks
    while some(level > 1):
        level = where(level > 1, ceiling(level / larger(2, entries_per_branch)), 0)
        yield level


def longest_key_bytes(block_size_bytes: Number) -> Number:
    """Longest key with its length bytes that an index accepts (ORA-01450): 205/256 of the block minus 162; 6,398 at 8K.

    Published values are 1,478, 3,118, 6,398, 12,958 and 26,078 from 2K to 32K [oracle-key-length].
    """
    return floor_div(block_size_bytes * 205, 256) - 162


def reserve_bytes(block_size_bytes: Number, pctfree_percent: Number) -> Number:
    """Bytes of a block that PCTFREE reserves for the growth of rows: this percentage of the whole block."""
    return block_size_bytes * pctfree_percent / 100


def rows_per_block(usable: Number, mean_row_bytes: Number, row_bytes_sd: Number = 0.0) -> Number:
    """Mean rows that fit *usable* bytes, with rows one after another.

    Rows of one length: floor(usable / slot). Rows of varying length: the mean number of partial sums of slots that stay
    within the block, Σₙ P(Sₙ ≤ usable), with Sₙ normal by the central limit theorem (variance n·sd²). The first row of
    a block is the row that did not fit the block before: longer than the mean by sd²/slot. For a large variation this
    is the renewal mean usable/slot - 1/2 - cv²/2. At least 1: a longer row is chained over blocks, which
    :func:`blocks_per_row` counts.
    """
    if not (is_array(mean_row_bytes) or is_array(row_bytes_sd)):  # few block sizes and PCTFREEs, many scenarios
        return of_distinct(lambda some: _mean_rows(some, mean_row_bytes, row_bytes_sd), usable)
    return _mean_rows(usable, mean_row_bytes, row_bytes_sd)


def _mean_rows(usable: Number, mean_row_bytes: Number, row_bytes_sd: Number) -> Number:
    slot = slot_bytes(mean_row_bytes)
    fit = usable / slot
    varying = row_bytes_sd > 0
    if not getattr(varying, "ndim", 0) and not varying:
        return larger(1, fit // 1)
    smear = row_bytes_sd / slot * larger(fit, 1) ** 0.5
    wide = smear > WIDE
    longer = row_bytes_sd**2 / slot
    renewal = fit - 0.5 - longer / slot / 2
    width = smaller(10, floor_div(6.5 * smear, 1) + 2)  # farther off the probability is 0 or 1
    base = larger(0, floor_div(fit, 1) - width)
    total = base
    for step in range(1, 2 * int(largest(width)) + 2):
        n = base + step
        # NOTE: of an array each has its own width, so that its sum does not depend on what stands beside it
        is_in_sum = where(wide, False, True) & (step <= 2 * width + 1)
        total = total + normal_cdf((usable - longer - n * slot) / (row_bytes_sd * n**0.5 + 1e-9), is_in_sum)
    return larger(1, where(wide, renewal, where(varying, total, fit // 1)))


def blocks_per_row(whole_block_bytes: Number, mean_row_bytes: Number) -> Number:
    """Blocks of one row: 1 unless the row is longer than an empty block holds (a chained row)."""
    return larger(1, ceiling(slot_bytes(mean_row_bytes) / whole_block_bytes))
