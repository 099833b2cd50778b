"""Sizes of bitmap indexes against two published ones, and their limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import bitmap_index

USABLE_8K = 8192 - 192 - 819


def test_bits_of_a_block() -> None:
    """(8192 - 74 - 24·2)/11: rows of 11 bytes that fit a block of 8K under ASSM, 733; one more without."""
    assert bitmap_index.bits_per_block(8192, 1) == (8192 - 122) // 11 == 733
    assert bitmap_index.bits_per_block(8192, 0) == 734


def test_a_million_rows_of_a_thousand_keys_in_turn() -> None:
    """About 380 rows a block, so some 240 empty bytes between two rows of a key: 1 control byte and 2 of the gap each.

    3,000 bytes a key: two entries fill a leaf of 7,181 bytes, 500 leaves as printed [foote-bitmap].
    """
    bits = round(1_000_000 / 380) * 733
    bitmap = bitmap_index.scattered_bitmap_bytes(1000, bits)
    assert bitmap == pytest.approx(3000, rel=0.02)
    assert bitmap_index.leaves(1000, 3, bitmap, USABLE_8K) == 500


def test_ten_thousand_keys_whose_rows_lie_together() -> None:
    """100 adjacent bits are 12.5 bytes and a control byte; with 19 + 3 of the entry 36 bytes; printed are 52 leaves."""
    bitmap = bitmap_index.adjacent_bitmap_bytes(100, 380)
    assert bitmap == 13.5
    assert bitmap_index.leaves(10_000, 3, bitmap, USABLE_8K) == pytest.approx(52, abs=2)


@given(rows=st.floats(1, 1e7), bits=st.floats(1e3, 1e9))
def test_a_bitmap_is_never_larger_than_its_literals(rows: float, bits: float) -> None:
    found = bitmap_index.scattered_bitmap_bytes(min(rows, bits), bits)
    assert 0 < found <= bits / 8 * (1 + 1 / 15) + 1e-6


@given(rows=st.integers(2, 10_000))
def test_rows_that_lie_together_take_less(rows: int) -> None:
    together = bitmap_index.adjacent_bitmap_bytes(rows, 100)
    assert together <= bitmap_index.scattered_bitmap_bytes(rows, rows * 10_000)


def test_a_long_bitmap_goes_on_in_more_entries() -> None:
    """10 keys of 100,000 bytes each in halves of leaves: 29 pieces of some 3,470 bytes, two a leaf."""
    assert bitmap_index.leaves(10, 4, 100_000, USABLE_8K) == 145
