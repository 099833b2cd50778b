"""The steps of the high-water mark end where the law says that the last one does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.laws.extents import segment_shape
from blocktime.model.machine.segment.extent_map import MANUAL_STEP_BLOCKS, high_water_steps, lay_out
from blocktime.model.units import MIB

BLOCK_SIZES = [2048, 4096, 8192, 16384, 32768]


def below_the_mark(wanted: int, size: int, assm: bool, uniform: int | None) -> int:
    """Data blocks below the mark once it has moved as often as *wanted* blocks need."""
    blocks = 0
    for step in high_water_steps(size, assm, uniform):
        if blocks >= wanted:
            break
        blocks += sum(many for _, many in step)
    return blocks


@st.composite
def uniform_sizes(draw: st.DrawFn, size: int) -> int | None:
    return draw(st.none() | st.sampled_from([MIB, 8 * MIB, 64 * MIB]) | st.integers(5, 600).map(lambda n: n * size))


@settings(max_examples=200)
@given(st.data(), st.sampled_from(BLOCK_SIZES), st.integers(1, 300) | st.integers(1, 60_000))
def test_the_mark_stops_where_the_law_says(data: st.DataObject, size: int, wanted: int) -> None:
    uniform = data.draw(uniform_sizes(size))
    shape = segment_shape(
        wanted, block_size_bytes=size, assm=True, uniform_extent_bytes=uniform, release_11_2=False, formatted_ahead=1
    )
    assert below_the_mark(wanted, size, True, uniform) == shape.data_blocks


@settings(max_examples=60)
@given(st.data(), st.sampled_from(BLOCK_SIZES), st.integers(1, 3000))
def test_the_steps_fill_the_extents_under_assm(data: st.DataObject, size: int, wanted: int) -> None:
    """As many data blocks as the extents hold, each under one L1 block, and those in order."""
    uniform = data.draw(uniform_sizes(size))
    extents = lay_out(wanted, block_size_bytes=size, assm=True, uniform_extent_bytes=uniform, release_11_2=False)
    whole = sum(extent.blocks - extent.lead for extent in extents)
    blocks, last = 0, -1
    for step in high_water_steps(size, True, uniform):
        if blocks >= whole:
            break
        for l1, many in step:
            assert many > 0
            assert l1 > last or l1 == last >= 0
            last = l1
            blocks += many
    assert blocks == whole


@pytest.mark.parametrize("extent_blocks", [209, 241])
def test_l1_blocks_are_numbered_without_gaps(extent_blocks: int) -> None:
    """In extents so long that the L1 blocks at their front are as many as one of them covers."""
    numbers = [
        l1
        for step, _ in zip(high_water_steps(2048, True, extent_blocks * 2048), range(6), strict=False)
        for l1, _ in step
    ]
    assert sorted(set(numbers)) == list(range(len(set(numbers))))


@given(st.sampled_from(BLOCK_SIZES), st.integers(1, 2000), st.none() | st.integers(5, 300))
def test_manual_steps_are_of_five_blocks(size: int, wanted: int, extent_blocks: int | None) -> None:
    uniform = extent_blocks * size if extent_blocks else None
    found = below_the_mark(wanted, size, False, uniform)
    assert wanted <= found < wanted + MANUAL_STEP_BLOCKS
    for step, _ in zip(high_water_steps(size, False, uniform), range(50), strict=False):
        assert [l1 for l1, _ in step] == [0]
        assert 0 < step[0][1] <= MANUAL_STEP_BLOCKS


@pytest.mark.parametrize(
    ("size", "pctfree", "blocks"),
    [(4096, 10, 742), (4096, 35, 994), (8192, 10, 370), (8192, 35, 496), (16384, 10, 184), (16384, 35, 247)],
)
def test_tables_of_document_002_end_where_it_says(size: int, pctfree: int, blocks: int) -> None:
    """200,000 rows of 11 bytes."""
    fit = (size - 74 - 2 * 24 - size * pctfree // 100) // 11
    assert below_the_mark(-(-200_000 // fit), size, True, None) == blocks
