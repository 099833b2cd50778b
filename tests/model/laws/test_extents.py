"""The closed form of a segment's extents and reads equals the literal one, extent by extent and read by read."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import calculate
from blocktime.model.laws import scan_reads
from blocktime.model.laws.extents import SegmentShape, allocation, extent_map_blocks, l1_shape, segment_shape
from blocktime.model.machine.segment.extent_map import STORED_EXTENTS, lay_out, reads_of, uncached_reads_of
from blocktime.model.units import KIB, MIB
from blocktime.scenarios import from_mapping

BLOCK_SIZES = [2048, 4096, 8192, 16384, 32768]


@st.composite
def segments(draw: st.DrawFn) -> dict[str, object]:
    size = draw(st.sampled_from(BLOCK_SIZES))
    uniform = draw(st.none() | st.sampled_from([MIB, 8 * MIB, 64 * MIB]) | st.integers(5, 300).map(lambda n: n * size))
    return {
        "data_blocks": draw(st.integers(1, 400) | st.integers(1, 300_000)),
        "block_size_bytes": size,
        "assm": draw(st.booleans()),
        "uniform_extent_bytes": uniform,
        "release_11_2": draw(st.booleans()),
    }


def sizes_by_law(shape: SegmentShape, mbrc: int, window: int | None) -> Counter[int]:
    found: Counter[int] = Counter()
    for run in shape.runs:
        pieces = (
            scan_reads.pieces_of_run(run.blocks, mbrc, 1)
            if window is None
            else scan_reads.aligned_pieces(run.first, run.blocks, window, mbrc)
        )
        for piece in pieces:
            if piece.blocks and piece.count * run.count:
                found[int(piece.blocks)] += int(piece.count * run.count)
    return found


@settings(max_examples=300)
@given(segments(), st.data())
def test_the_law_reads_as_the_literal_scan(segment: dict[str, object], data: st.DataObject) -> None:
    extents = lay_out(**segment)  # type: ignore[arg-type]
    shape = segment_shape(**segment)  # type: ignore[arg-type]
    assert shape.extents == len(extents)
    assert sum(extent.data for extent in extents) == segment["data_blocks"]
    window = MIB // int(segment["block_size_bytes"])  # type: ignore[call-overload]
    mbrc = data.draw(st.integers(1, window))
    for bound in (window, None):
        literal = Counter(size for _, size in reads_of(extents, mbrc=mbrc, window_blocks=bound))
        assert sizes_by_law(shape, mbrc, bound) == literal


def test_a_segment_is_laid_out_as_the_begin_of_a_larger_one() -> None:
    where = {"block_size_bytes": 2048, "assm": True, "uniform_extent_bytes": 160 * KIB, "release_11_2": True}
    many = STORED_EXTENTS + 300
    every = lay_out(79 * many, **where)  # type: ignore[arg-type]
    assert len(every) > STORED_EXTENTS
    held = list(accumulate(extent.data for extent in every))
    for rank in (0, 1, 7, STORED_EXTENTS - 2, STORED_EXTENTS - 1, STORED_EXTENTS, STORED_EXTENTS + 1, len(every) - 1):
        cut = every[rank]._replace(data=every[rank].data - 1)
        assert lay_out(held[rank], **where) == every[: rank + 1]  # type: ignore[arg-type]
        assert lay_out(held[rank] - 1, **where) == [*every[:rank], cut]  # type: ignore[arg-type]
    assert all(one.first + one.blocks == other.first for one, other in pairwise(every))


@given(segments(), st.integers(1, 64))
def test_no_read_crosses_its_bounds(segment: dict[str, object], mbrc: int) -> None:
    window = MIB // int(segment["block_size_bytes"])  # type: ignore[call-overload]
    end = 0
    for first, size in reads_of(lay_out(**segment), mbrc=mbrc, window_blocks=window):  # type: ignore[arg-type]
        assert 0 < size <= mbrc
        assert first // window == (first + size - 1) // window
        assert first >= end
        end = first + size


@given(blocks=st.integers(1, 200), mbrc=st.integers(1, 64), cached=st.floats(0, 1))
def test_cached_blocks_end_reads_as_often_as_drawn(blocks: int, mbrc: int, cached: float) -> None:
    """The mean over all patterns of cached blocks, walked literally with a probability for each state."""
    reads, open_reads = 0.0, {0: 1.0}  # length of the read in progress -> probability
    for _ in range(blocks):
        following: dict[int, float] = {0: cached}
        for length, chance in open_reads.items():
            starts = length in (0, mbrc)
            if starts:
                reads += chance * (1 - cached)
            grown = 1 if starts else length + 1
            following[grown] = following.get(grown, 0.0) + chance * (1 - cached)
        open_reads = following
    law = scan_reads.buffered_reads_of_run(blocks, mbrc, cached)
    assert law == pytest.approx(reads, rel=1e-6, abs=1e-9)


@given(blocks=st.integers(10**6, 10**9), mbrc=st.integers(1, 128))
def test_reads_of_few_cached_blocks_go_on_from_those_of_none(blocks: int, mbrc: int) -> None:
    """No step lies where the law leaves its series for the count of whole reads."""
    cached = (0.0, 0.99e-12 / mbrc, 1.01e-12 / mbrc)
    none, fewer, few = (scan_reads.buffered_reads_of_run(blocks, mbrc, share) for share in cached)
    assert none == -(-blocks // mbrc)
    assert [fewer, few] == pytest.approx([none, none], rel=1e-3)


def test_uncached_reads_skip_what_is_cached() -> None:
    extents = lay_out(20, block_size_bytes=8192, assm=True, uniform_extent_bytes=MIB, release_11_2=True)
    pattern = [False] * 5 + [True] + [False] * 14
    reads = list(uncached_reads_of(extents, mbrc=8, cached_of=lambda _: pattern))
    assert [size for _, size in reads] == [5, 8, 6]
    assert reads[0][0] == 128 + 4  # two L1, the L2 and the segment header come first


def test_the_segment_header_keeps_three_hundred_and_seven_extents_at_8k() -> None:
    assert extent_map_blocks(307, 8192) == 0
    assert extent_map_blocks(308, 8192) == 1


def test_large_blocks_under_assm_have_no_small_extents() -> None:
    shape = segment_shape(10, block_size_bytes=16384, assm=True, uniform_extent_bytes=None, release_11_2=True)
    assert shape.size_bytes == MIB
    shape = segment_shape(4, block_size_bytes=8192, assm=True, uniform_extent_bytes=None, release_11_2=True)
    assert shape.size_bytes == 64 * KIB


@given(st.lists(st.integers(1, 200_000), min_size=2, max_size=5), st.sampled_from(BLOCK_SIZES))
def test_arrays_say_what_numbers_say(blocks: list[int], size: int) -> None:
    wanted = np.array(blocks, dtype=float)
    many = segment_shape(wanted, block_size_bytes=size, assm=True, uniform_extent_bytes=None, release_11_2=True)
    window = MIB // size
    for index, count in enumerate(blocks):
        one = segment_shape(count, block_size_bytes=size, assm=True, uniform_extent_bytes=None, release_11_2=True)
        assert many.extents[index] == one.extents
        assert many.size_bytes[index] == one.size_bytes
        reads = sum(
            np.broadcast_to(piece.count * run.count, wanted.shape)[index]
            for run in many.runs
            for piece in scan_reads.aligned_pieces(run.first, run.blocks, window, window)
        )
        assert reads == sum(sizes_by_law(one, window, window).values())


def l1_blocks(segment_bytes: float, uniform_extent_bytes: int | None = None) -> int:
    """L1 bitmap blocks of a segment at 8K whose extents make up so many bytes."""
    found, left = 0, segment_bytes
    for size, most, covered in allocation(8 * KIB, True, uniform_extent_bytes):
        extents = min(most, max(0, -(-left // size)))
        l1, group = l1_shape(size // (8 * KIB), covered)
        found += -(-extents // group) * l1
        left -= extents * size
    return int(found)


def test_l1_blocks_by_hand() -> None:
    """At 8K under system allocation, 16, 64, 256 and 1,024 blocks to an L1 block.

    0.5 MB: 64 blocks / 16 = 4. 10 MB: 128 / 16 in the first megabyte, 9 extents of 128 / 64: 8 + 18 = 26. 100 MB: 8 and
    63 x 2 up to 64 MB, 5 extents of 1,024 / 256: 134 + 20 = 154. 2,000 MB: 134, 120 x 4 up to 1,024 MB, 16 extents of
    8,192 / 1,024: 134 + 480 + 128 = 742.
    """
    assert [l1_blocks(size * MIB) for size in (0.5, 10, 100, 2000)] == [4, 26, 154, 742]


def test_l1_blocks_of_uniform_extents_go_by_the_size_of_the_segment() -> None:
    """Extents of 64 MB: 8,192 / 64 in the first, 8,192 / 256 up to 1 GB, 8,192 / 1,024 then; of 1 MB always two."""
    assert l1_blocks(64 * MIB, 64 * MIB) == 128
    assert l1_blocks(1024 * MIB, 64 * MIB) == 128 + 15 * 32
    assert l1_blocks(2048 * MIB, 64 * MIB) == 128 + 15 * 32 + 16 * 8
    assert l1_blocks(2048 * MIB, MIB) == 2 * 2048


@pytest.mark.parametrize(("mib", "bitmaps"), [(10, 26 + 1), (104, 154 + 1), (2048, 742 + 1)])
def test_blocks_of_dba_tables_hold_the_bitmap_blocks_and_a_scan_does_not_get_them(mib: int, bitmaps: int) -> None:
    """A segment of 8K blocks that is full to its last extent: all blocks but L1, one L2 and the header hold rows."""
    data = mib * 128 - bitmaps - 1
    shape = segment_shape(data, block_size_bytes=8192, assm=True, uniform_extent_bytes=None, release_11_2=True)
    assert (shape.size_bytes, shape.bitmap_blocks) == (mib * MIB, bitmaps)
    table = {"rows": data, "row_bytes": 6000, "created_by": "ctas"}
    scenario = from_mapping(
        {"disk": {"use": "nvme"}, "table": table, "workload": {"kind": "full_scan", "select": "count"}}
    )
    result = calculate(scenario.system, scenario.workload)
    assert result.segment.dba_tables_blocks - result.segment.blocks_before == bitmaps
    assert result.segment.blocks_before == data
    assert result.logical_io.consistent_gets <= data + 1
