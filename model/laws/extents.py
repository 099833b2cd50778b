"""Position of the blocks of a segment: extents, bitmap blocks, the segment header and its extent map.

Extent sizes under system allocation and the positions of bitmap blocks are general knowledge of Oracle [oracle-lmt];
the first block of a datafile's extents and the capacity of the header come from published block dumps [assm-dumps].
"""

from __future__ import annotations

from math import gcd, lcm
from typing import NamedTuple

from blocktime.model.laws.numeric import Number, ceil_div, distinct, floor_div, larger, smaller, some, where
from blocktime.model.units import KIB, MIB

# Extent size and how many of them, under EXTENT MANAGEMENT LOCAL AUTOALLOCATE.
SYSTEM_EXTENTS = ((64 * KIB, 16), (MIB, 63), (8 * MIB, 120), (64 * MIB, 2**31))

LARGE_BLOCK_BYTES = 16 * KIB
FIRST_COVERED = 16
HIGH_WATER_STEP_BYTES = MIB

FILE_HEADER_BYTES = 64 * KIB
FILE_HEADER_BYTES_11_2 = MIB

EXTENT_MAP_ENTRY_BYTES = 16
HEADER_MAP_SHARE = 0.6
MAP_BLOCK_OVERHEAD_BYTES = 112


COVERED_BY_SIZE = ((MIB - 1, 16), (64 * MIB, 64), (1024 * MIB, 256), (2**60, 1024))
"""Data blocks that an L1 block covers in extents that are added while the segment is no larger [oracle-support-assm].

Support's note has 32 MB for the first limit; under system allocation extents of 1 MB reach to 64 MB. Layouts in
[rahn-pctfree] and [shallahamer-direct] have 64 blocks in them throughout, so an extent of 1 MB keeps its 64 in a larger
segment. No published layout shows a large uniform extent in a small segment: a doubt.
"""


def blocks_per_l1(extent_bytes: Number) -> Number:
    """Data blocks that one L1 bitmap block covers, by the size of its extent: 16, 64, 256, 1024."""
    return where(extent_bytes < MIB, 16, where(extent_bytes < 8 * MIB, 64, where(extent_bytes < 64 * MIB, 256, 1024)))


def first_extent_block(block_size_bytes: Number, release_11_2: Number) -> Number:
    """Block number of the first extent of a datafile: 64 KB of bitmap after the file's block 0, or 1 MB from 11.2."""
    return where(release_11_2, FILE_HEADER_BYTES_11_2 / block_size_bytes, FILE_HEADER_BYTES / block_size_bytes + 1)


def extent_map_blocks(extents: Number, block_size_bytes: Number) -> Number:
    """Extent-map blocks beside the segment header, read one by one before a scan.

    The header keeps 16 bytes an extent in 60 % of the block (307 extents at 8K, as dumps show); each further map
    block keeps a block's worth.
    """
    in_header = HEADER_MAP_SHARE * block_size_bytes // EXTENT_MAP_ENTRY_BYTES
    in_map = (block_size_bytes - MAP_BLOCK_OVERHEAD_BYTES) // EXTENT_MAP_ENTRY_BYTES
    return ceil_div(larger(0, extents - in_header), in_map)


def l1_shape(extent_blocks: Number, covered: Number) -> tuple[Number, Number]:
    """L1 blocks at the front of every g-th extent, and g: several L1 in a large extent, one for g small ones."""
    return ceil_div(extent_blocks, covered), larger(1, floor_div(covered, extent_blocks))


def data_blocks_of(extents: Number, extent_blocks: Number, covered: Number) -> Number:
    """Data blocks of *extents* extents of one size, without their L1 bitmap blocks."""
    l1, group = l1_shape(extent_blocks, covered)
    return extents * extent_blocks - ceil_div(extents, group) * l1


def extents_for(data_blocks: Number, extent_blocks: Number, covered: Number) -> Number:
    """Extents of one size that hold *data_blocks* blocks and their L1 bitmap blocks."""
    l1, group = l1_shape(extent_blocks, covered)
    in_group = group * extent_blocks - l1
    groups = floor_div(data_blocks, in_group)
    left = data_blocks - groups * in_group
    return groups * group + where(left > 0, ceil_div(left + l1, extent_blocks), 0)


class Extents(NamedTuple):
    """Up to *most* extents of one size in a row, and the data blocks one L1 bitmap block covers in them."""

    extent_bytes: Number
    most: Number
    covered: Number


def allocation(block_size_bytes: Number, assm: bool, uniform_extent_bytes: Number | None) -> list[Extents]:
    """The extents of a segment, in order: under system allocation, or UNIFORM of the given size.

    Under ASSM with system allocation no extent is below 1 MB from 16K blocks on, and an L1 block of the first megabyte
    covers 16 blocks in any extent. All segment sizes of [rahn-pctfree] then agree exactly.
    """
    if not assm:
        no_map = 2**40
        if uniform_extent_bytes is not None:
            return [Extents(uniform_extent_bytes, 2**31, no_map)]
        return [Extents(size, count, no_map) for size, count in SYSTEM_EXTENTS]
    if uniform_extent_bytes is not None:
        return _uniform(uniform_extent_bytes)
    no_small = where(block_size_bytes >= LARGE_BLOCK_BYTES, 1, 0)
    (small, count), *rest = SYSTEM_EXTENTS
    return [
        Extents(small, count * (1 - no_small), FIRST_COVERED),
        Extents(MIB, no_small, FIRST_COVERED),
        *(Extents(size, most, blocks_per_l1(size)) for size, most in rest),
    ]


def _uniform(extent_bytes: Number) -> list[Extents]:
    """Extents of one size: an L1 block covers what the segment's size says as they are added, or theirs if less."""
    stages, before = [], 0 * extent_bytes
    for size_bytes, covered in COVERED_BY_SIZE:
        until = larger(before, floor_div(size_bytes, extent_bytes))
        stages.append(Extents(extent_bytes, until - before, smaller(covered, blocks_per_l1(extent_bytes))))
        before = until
    return stages


class Run(NamedTuple):
    """*count* runs of *blocks* adjacent data blocks; the first begins at block *first* of the datafile."""

    first: Number
    blocks: Number
    count: Number


class SegmentShape(NamedTuple):
    """A segment's extents, the bytes they take, and the runs of data blocks between their bitmap blocks."""

    data_blocks: Number
    """Blocks below the high-water mark, without bitmap, header and map blocks."""
    extents: Number
    size_bytes: Number
    map_blocks: Number
    runs: list[Run]
    bitmap_blocks: Number = 0
    """L1 blocks of the extents, and the L2 block."""


def segment_shape(
    data_blocks: Number,
    *,
    block_size_bytes: Number,
    assm: bool,
    uniform_extent_bytes: Number | None,
    release_11_2: bool,
    formatted_ahead: Number = 0,
) -> SegmentShape:
    """Layout of *data_blocks* blocks below the high-water mark in consecutive extents of a new datafile.

    Under ASSM the first extent begins with its L1 blocks, one L2 block and the segment header, every further extent
    with its L1 blocks; under manual space management only the header comes first. With *formatted_ahead*, inserts have
    moved the high-water mark to the end of its extent, or to the next megabyte of a larger one.
    """
    lead = 2 if assm else 1
    start = first_extent_block(block_size_bytes, release_11_2)
    left = data_blocks + lead
    runs: list[Run] = []
    extents: Number = 0
    data_total, size_bytes, bitmaps = data_blocks, extents, 0 * data_blocks
    for extent_bytes, most, covered in allocation(block_size_bytes, assm, uniform_extent_bytes):
        if not some(left > 0):
            break
        blocks = floor_div(extent_bytes, block_size_bytes)
        l1, group = l1_shape(blocks, covered) if assm else (0, 1)
        used = smaller(most, extents_for(left, blocks, covered) if assm else ceil_div(left, blocks))
        before_last = larger(0, used - 1)
        first_lead = where(extents == 0, lead, 0)
        period = _period(extent_bytes, group)
        for residue in range(period):
            has_l1 = where(residue % group == 0, l1, 0)
            count = floor_div(before_last - residue + period - 1, period)
            first = start + residue * blocks + has_l1
            if residue == 0:
                once = smaller(count, where(first_lead > 0, 1, 0))
                if some(once):
                    runs.append(Run(first + first_lead, blocks - has_l1 - first_lead, once))
                    count = count - once
            if some(count):
                runs.append(Run(first, blocks - has_l1, count))
        data_before = data_blocks_of(before_last, blocks, covered) if assm else before_last * blocks
        last_l1 = where(before_last == floor_div(before_last, group) * group, l1, 0)
        last_lead = where(before_last == 0, first_lead, 0)
        wanted = last_data = smaller(left - data_before, blocks - last_l1)
        ahead = where(used > 0, formatted_ahead, 0)
        if some(ahead):
            step = smaller(blocks, larger(1, floor_div(HIGH_WATER_STEP_BYTES, block_size_bytes)))
            moved = smaller(blocks, ceil_div(last_l1 + last_data, step) * step) - last_l1
            last_data = where((ahead > 0) & (data_before + last_data == left), moved, last_data)
            data_total = data_total + where(used > 0, last_data - wanted, 0)
        last = start + before_last * blocks + last_l1 + last_lead
        if some(used):
            runs.append(Run(last, last_data - last_lead, where(used > 0, 1, 0)))
        left = where(used > 0, left - data_before - wanted, left)
        start = start + used * blocks
        extents, bitmaps = extents + used, bitmaps + ceil_div(used, group) * l1
        size_bytes = size_bytes + used * extent_bytes
    bitmaps, maps = bitmaps + (1 if assm else 0), extent_map_blocks(extents, block_size_bytes)
    return SegmentShape(data_total, extents, size_bytes, maps, runs, bitmaps)


def _period(extent_bytes: Number, group: Number) -> int:
    """After how many equal extents their place in an aligned window of 1 MB and in a shared L1 block repeats."""
    windows = [MIB // gcd(MIB, int(size)) for size in distinct(extent_bytes)]
    return lcm(*windows, *(int(count) for count in distinct(group)))
