"""Free space in a heap segment: freeness classes, the blocks that admit a row piece, and the cost of a search.

Sources: [geist-assm] and [lewis-assm-bug] for bug 6918210, [oracle-concepts] for PCTFREE and free lists. Lengths may
have any common unit; the laws only add and compare.
"""

from __future__ import annotations

from typing import Literal

from blocktime.model.laws.numeric import Number, ceil_div, floor_div, larger, smaller, where

# Freeness classes of an L1 bitmap block, in rising order; what is above the high-water mark has none.
FULL, FREE_0_25, FREE_25_50, FREE_50_75, FREE_75_100 = 0, 1, 2, 3, 4
CLASSES = 5
CLASS_NAMES = ("full", "0-25% free", "25-50% free", "50-75% free", "75-100% free")

Verdict = Literal["accepted", "itl", "space", "held"]

# Functions of the stack that [rahn-pctfree] prints while the search runs, outermost first.
SEARCH_FUNCTIONS = (
    "kdtgrs", "kdtgsp", "ktspgsp_cbk", "ktspgsp_cbk1", "ktspscan_bmb", "ktspfsrch", "ktspfpblk", "kdt_bseg_srch_cbk",
    "kdb_diff_pdml_itl", "kdb_count_pdml_itl",
)  # fmt: skip


def freeness(free: Number, reserve: Number, block: Number) -> Number:
    """Freeness class of a block: full when no more than the PCTFREE reserve is free, else by quarters of the block."""
    return where(free <= reserve, FULL, smaller(FREE_75_100, 1 + floor_div(4 * free, block)))


def class_bounds(reserve: int, block: int) -> list[int]:
    """Least free space of each class above full, in order; a block's class is the number of bounds that it reaches.

    The same as :func:`freeness`, prepared for one kind of block.
    """
    return [max(reserve + 1, -(-quarter * block // 4)) for quarter in range(FREE_75_100)]


def needs_entry(migrated: bool, has_entry: bool) -> bool:
    """Whether a row piece takes one more ITL entry: a migrated piece always, another if its transaction has none."""
    return migrated or not has_entry


def pieces_admitted(
    slot: Number,
    *,
    room: Number,
    reserve: Number,
    empty: Number,
    free_entries: Number,
    most_new_entries: Number,
    itl_entry: Number,
) -> tuple[Number, Number]:
    """Migrated pieces of one length that a block admits in one transaction: by space, and by its ITL.

    Each takes *slot* and an ITL entry: the block's free entries first, then new ones of *itl_entry* each, of which the
    block can still create *most_new_entries*. The PCTFREE *reserve* stays free, but an empty block always admits one.
    """
    usable = room - reserve
    cheap = floor_div(larger(0, usable), slot)
    dear = free_entries + floor_div(larger(0, usable - free_entries * slot), slot + itl_entry)
    by_space = where(cheap <= free_entries, cheap, dear)
    first = slot + where(free_entries > 0, 0, itl_entry)
    by_space = where((by_space < 1) & (empty > 0) & (first <= room), 1, by_space)
    return by_space, free_entries + most_new_entries


def verdict(wanted: int, *, free: int, pending: int, reserve: int, empty: bool, entry: int | None) -> Verdict:
    """Answer of a probed block to a row piece of *wanted* bytes and *entry* for its ITL entry, None without one.

    The probe counts the ITL list first. *pending* bytes become free only when another session commits; until then a
    block that this session has emptied keeps its PCTFREE reserve.
    """
    if entry is None:
        return "itl"
    taken: int = wanted + entry
    if taken + (0 if empty and not pending else reserve) <= free - min(pending, free):
        return "accepted"
    return "held" if taken + (0 if empty else reserve) <= free else "space"


def targets_filled(pieces: Number, per_block: Number) -> Number:
    """Blocks of *pieces* migrated pieces with *per_block* in each."""
    return ceil_div(pieces, larger(1, per_block))


def itl_rejections(pieces: Number, per_block: Number) -> Number:
    """Probes rejected for a full ITL list while *pieces* fill new blocks one after another, none of them marked full.

    A piece for the n-th block probes the n blocks before it: per_block·(0 + 1 + … ) ≈ pieces²/(2·per_block).
    """
    filled = floor_div(pieces, per_block)
    return per_block * filled * (filled - 1) / 2 + (pieces - filled * per_block) * filled


def space_rejections(pieces: Number, per_block: Number) -> Number:
    """Probes rejected for lack of space: one for each filled block, which is then marked full."""
    return larger(0, ceil_div(pieces, larger(1, per_block)) - 1)
