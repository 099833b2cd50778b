from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import block

BLOCK_SIZES = [2048, 4096, 8192, 16384, 32768]


def test_headers_take_what_the_parts_add_up_to() -> None:
    assert block.overhead_bytes(2, True) == 74 + 48
    assert block.overhead_bytes(3, True) == 74 + 72
    assert block.overhead_bytes(1, False) == 66 + 24


def test_itl_limits_by_block_size() -> None:
    assert [block.itl_limit(size) for size in BLOCK_SIZES] == [41, 83, 169, 255, 255]


def test_short_rows_take_eleven_bytes_so_that_they_can_become_stubs() -> None:
    assert block.slot_bytes(5) == 11
    usable = block.usable_bytes(8192, 2, True, 0)
    assert block.rows_per_block(usable, 5) == 733  # (8192 - 122) / 11


@pytest.mark.parametrize(("data", "stored"), [(0, 1), (250, 251), (251, 254), (4000, 4003)])
def test_long_columns_have_a_longer_length(data: int, stored: int) -> None:
    assert block.column_bytes(data) == stored


def test_varying_rows_pack_as_drawn_rows_do() -> None:
    rng = np.random.default_rng(5)
    for mean, sd, usable in ((111, 12, 1711.8), (111, 12, 14614.0), (60, 1, 7263.0), (400, 150, 7263.0)):
        lengths = np.maximum(9, rng.normal(mean, sd, 400_000)) + 2
        ends = np.cumsum(lengths)
        blocks, row = 0, 0
        while row < len(ends):
            base = ends[row - 1] if row else 0.0
            row = int(np.searchsorted(ends, base + usable, side="right"))
            blocks += 1
        assert block.rows_per_block(usable, mean, sd) == pytest.approx(len(ends) / blocks, rel=0.006)


@given(
    size=st.sampled_from(BLOCK_SIZES),
    row=st.floats(3, 1500),
    sd=st.floats(0, 300),
    pctfree=st.floats(0, 80),
    itl=st.integers(1, 20),
)
def test_rows_fit_the_space_there_is(size: int, row: float, sd: float, pctfree: float, itl: int) -> None:
    usable = block.usable_bytes(size, itl, True, pctfree)
    fit = block.rows_per_block(usable, row, sd)
    assert fit >= 1
    assert fit == 1 or fit <= usable / block.slot_bytes(row)
    less = block.rows_per_block(block.usable_bytes(size, itl, True, pctfree + 10), row, sd)
    assert less <= fit + 1e-6


@given(row=st.floats(3, 1500), sd=st.sampled_from([0.0, 3.0, 60.0]), pctfree=st.integers(0, 80))
def test_arrays_say_what_numbers_say(row: float, sd: float, pctfree: int) -> None:
    sizes = np.array(BLOCK_SIZES, dtype=float)
    usable = block.usable_bytes(sizes, 2, True, pctfree)
    many = block.rows_per_block(usable, np.full(5, row), np.full(5, sd))
    for index, size in enumerate(BLOCK_SIZES):
        one = block.rows_per_block(block.usable_bytes(size, 2, True, pctfree), row, sd)
        assert many[index] == pytest.approx(one, rel=1e-9)


def test_a_row_longer_than_a_block_is_chained() -> None:
    assert block.blocks_per_row(8000, 7000) == 1
    assert block.blocks_per_row(8000, 20_000) == 3


def test_pctfree_is_a_percentage_of_the_block() -> None:
    assert block.reserve_bytes(8192, 10) == pytest.approx(819.2)
    spared = block.usable_bytes(8192, 2, True, 10) - block.usable_bytes(8192, 2, True, 30)
    assert spared == pytest.approx(0.2 * 8192, abs=1)
