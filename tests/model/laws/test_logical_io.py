from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.laws import logical_io

COSTS = {"line_miss_s": 15e-9, "line_stream_s": 12e-9, "row_step_s": 10e-9, "column_step_ratio": 0.08}


@given(blocks=st.integers(1, 2000), per_block=st.integers(1, 50), array=st.integers(1, 500))
def test_scan_gets_are_those_of_a_literal_walk(blocks: int, per_block: int, array: int) -> None:
    """Fetch row by row and count a get for each block entered in each call; pins do not outlive a call."""
    rows = blocks * per_block
    gets, pinned = 0, -1
    for row in range(rows):
        if row % array == 0:
            pinned = -1
        if row // per_block != pinned:
            gets += 1
            pinned = row // per_block
    stops = -(-rows // array) - 1
    aligned = logical_io.aligned_stops_fraction(per_block, array, equal_rows=True)
    law = logical_io.consistent_gets_of_scan(blocks, stops, aligned)
    assert law == gets
    period = per_block // gcd(per_block, array)
    if stops % period == 0:
        assert law == pytest.approx(gets, abs=1e-6)


def test_a_fetch_more_finds_the_end() -> None:
    assert logical_io.fetch_calls(7_197_670, 100) == 71_978


@given(st.floats(11, 200), st.integers(1, 50))
def test_row_walk_grows_with_pitch_and_columns(slot: float, columns: int) -> None:
    one = logical_io.row_walk_s(slot, columns, **COSTS)
    assert one <= logical_io.row_walk_s(slot + 64, columns, **{**COSTS, "line_miss_s": 50e-9}) + 1e-15
    assert one < logical_io.row_walk_s(slot, columns + 1, **COSTS)
    assert one >= COSTS["row_step_s"]


def test_rows_far_apart_miss_a_line_each_and_packed_rows_stream() -> None:
    far = logical_io.row_walk_s(256, 0, **COSTS)
    assert far == pytest.approx(COSTS["row_step_s"] + COSTS["line_miss_s"])
    dense = logical_io.row_walk_s(32, 0, **COSTS)
    assert dense == pytest.approx(COSTS["row_step_s"] + 0.5 * COSTS["line_stream_s"])
    between = logical_io.row_walk_s(96, 0, **COSTS)
    assert between == pytest.approx(
        COSTS["row_step_s"] + 0.5 * COSTS["line_stream_s"] + 0.5 * COSTS["line_miss_s"]
    )


def test_range_scan_gets() -> None:
    assert logical_io.table_gets_of_range_scan(1000, 50, 10_000) == 5
    assert logical_io.table_gets_of_range_scan(1000, 10_000, 10_000) == 1000
    assert logical_io.consistent_gets_of_range_scan(2, 3, 10, 5, 2) == 2 + 3 + 10 + 4 * 2


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_distinct_blocks_are_no_more_than_either(blocks: int, gets: int) -> None:
    distinct = logical_io.distinct_blocks(blocks, gets)
    assert 0 < distinct <= min(blocks, gets) * (1 + 1e-6)
