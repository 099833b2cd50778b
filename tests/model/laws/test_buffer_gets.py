from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model import calculate, simulate
from blocktime.model.laws import buffer_gets
from blocktime.scenarios import load

COSTS = {"line_miss_s": 15e-9, "line_stream_s": 12e-9, "row_step_s": 10e-9, "column_step_ratio": 0.08}


def gets_of_a_walk(rows: int, per_block: int, array: int, first: int) -> tuple[int, int, int]:
    """Fetch row by row: blocks got when each call pins its own, calls, and calls that end before the last row."""
    gets, pinned, calls, stop = 0, -1, 1, first
    for row in range(rows):
        if row == stop:
            pinned, calls, stop = -1, calls + 1, stop + array
        if row // per_block != pinned:
            gets, pinned = gets + 1, row // per_block
    return gets, calls, calls - 1


@given(
    blocks=st.integers(1, 300),
    per_block=st.integers(1, 50),
    array=st.integers(1, 500),
    first=st.none() | st.integers(1, 60),
)
def test_scan_gets_are_those_of_a_literal_walk(blocks: int, per_block: int, array: int, first: int | None) -> None:
    rows = blocks * per_block
    gets, _, walked = gets_of_a_walk(rows, per_block, array, first or array)
    stops = buffer_gets.fetch_stops(rows, array, first)
    assert stops == walked
    aligned = buffer_gets.aligned_stops(stops, per_block, array, first, equal_rows=True)
    assert buffer_gets.consistent_gets_of_scan(blocks, stops, aligned) == gets


def test_aligned_stops_of_arrays_are_those_of_each_value() -> None:
    arrays = np.array([1, 7, 15, 100, 120])
    together = buffer_gets.aligned_stops(1000, 60, arrays, 1, equal_rows=True)
    assert list(together) == [buffer_gets.aligned_stops(1000, 60, int(array), 1, equal_rows=True) for array in arrays]


@pytest.mark.parametrize(("rows", "calls"), [(0, 1), (1, 2), (15, 2), (16, 3), (17, 3), (31, 4), (106, 9), (107, 9)])
def test_a_client_that_fetches_one_row_first_sends_a_call_more(rows: int, calls: int) -> None:
    assert buffer_gets.fetch_calls(rows, 15, 1) == calls  # 1, then 15 a call; a full last call is followed by one more


def test_a_fetch_more_finds_the_end() -> None:
    assert buffer_gets.fetch_calls(7_197_670, 100) == 71_978


@given(st.floats(11, 200), st.integers(1, 50))
def test_row_walk_grows_with_pitch_and_columns(slot: float, columns: int) -> None:
    one = buffer_gets.row_walk_s(slot, columns, **COSTS)
    assert one <= buffer_gets.row_walk_s(slot + 64, columns, **{**COSTS, "line_miss_s": 50e-9}) + 1e-15
    assert one < buffer_gets.row_walk_s(slot, columns + 1, **COSTS)
    assert one >= COSTS["row_step_s"]


def test_rows_far_apart_miss_a_line_each_and_packed_rows_stream() -> None:
    far = buffer_gets.row_walk_s(256, 0, **COSTS)
    assert far == pytest.approx(COSTS["row_step_s"] + COSTS["line_miss_s"])
    dense = buffer_gets.row_walk_s(32, 0, **COSTS)
    assert dense == pytest.approx(COSTS["row_step_s"] + 0.5 * COSTS["line_stream_s"])
    between = buffer_gets.row_walk_s(96, 0, **COSTS)
    assert between == pytest.approx(COSTS["row_step_s"] + 0.5 * COSTS["line_stream_s"] + 0.5 * COSTS["line_miss_s"])


def test_gets_of_a_range_scan_by_hand() -> None:
    assert buffer_gets.table_gets_of_range_scan(1000, 50, 10_000) == 5
    assert buffer_gets.table_gets_of_range_scan(1000, 10_000, 10_000) == 1000
    assert buffer_gets.index_gets(2, 3, 5) == 2 + 3 + 4
    assert buffer_gets.index_gets(2, 3, 0) == 2 + 3


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_distinct_blocks_are_no_more_than_either(blocks: int, gets: int) -> None:
    distinct = buffer_gets.distinct_blocks(blocks, gets)
    assert 0 < distinct <= min(blocks, gets) * (1 + 1e-6)


def test_searches_in_key_order_get_a_branch_once() -> None:
    """1,000 leaves below 100 branches, 10, and the root: 50 searches get 50 of the 100, all 10, and the root."""
    assert buffer_gets.branch_gets(3, 1000, 10, 50) == 61
    assert buffer_gets.branch_gets(3, 1000, 10, 1) == 3


@pytest.mark.parametrize("name", ["rahn-full-scan", "index-range-scan"])
def test_a_block_got_again_by_every_call_is_a_switch(name: str) -> None:
    """Without the saving each further call of a full scan gets a block again, and no scan gets fewer."""
    gets = []
    for saves in ("true", "false"):
        scenario = load(name, [f"instance.block_end_saves_get={saves}", "host.cpus=4"])
        answers = [engine(scenario.system, scenario.workload) for engine in (calculate, simulate)]
        assert answers[0].logical_io == answers[1].logical_io
        gets.append(answers[0].logical_io.consistent_gets)
    assert gets[0] <= gets[1]
    if name == "rahn-full-scan":
        stops = answers[0].calls["fetch"].count - 2  # the last call finds no row, that before it ends with the last
        assert gets[1] == answers[0].segment.blocks_before + stops
