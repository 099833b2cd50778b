"""Loads: rows of an array as the manual counts them, and waits that no law of flow may break."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import load

TIMES = st.floats(1e-6, 1.0)
BLOCKS = st.integers(1, 10**6)


def test_an_array_holds_the_rows_of_the_manuals_example() -> None:
    assert load.array_rows(5_600, load.largest_row_bytes(56, 2, 20)) == 100


def test_a_row_longer_than_the_buffer_goes_alone() -> None:
    assert load.array_rows(30_720, load.largest_row_bytes(None, 10, 40_000)) == 1


def test_columns_count_as_numbers_where_nothing_is_said() -> None:
    assert load.largest_row_bytes(None, 10, 100) == 240


@given(TIMES, BLOCKS, BLOCKS, TIMES, TIMES)
def test_a_load_takes_what_the_slower_of_session_and_disk_takes(
    each: float, blocks: int, room: int, write: float, redo: float
) -> None:
    own = each * blocks
    log, free = load.stalls_s(own, blocks, room, write, redo)
    beyond = max(0, blocks - room)
    disk = blocks * redo + beyond * write
    assert log >= 0 <= free
    assert own + log + free >= max(own, disk) * (1 - 1e-9)
    assert own + log + free <= (own + disk) * (1 + 1e-9)


@given(TIMES, BLOCKS, BLOCKS, TIMES, st.floats(0.0, 1.0))
def test_the_device_reads_and_writes_in_turn(
    each: float, blocks: int, room: int, write: float, share: float
) -> None:
    own, beyond = each * blocks, max(0, blocks - room)
    _, free = load.stalls_s(own, blocks, room, write, 0.0, share * own)
    assert own + free >= (beyond * write + share * own * beyond / blocks) * (1 - 1e-9)
    assert free <= beyond * write * (1 + 1e-9)


@given(TIMES, BLOCKS, TIMES)
def test_what_fits_the_cache_waits_for_no_write(each: float, blocks: int, write: float) -> None:
    assert load.stalls_s(each * blocks, blocks, blocks, write, 0.0) == (0.0, 0.0)


@given(TIMES, BLOCKS, st.floats(1.0, 100.0))
def test_far_beyond_the_cache_a_load_goes_at_the_disks_pace(each: float, room: int, slower: float) -> None:
    blocks = 1000 * room
    _, free = load.stalls_s(each * blocks, blocks, room, slower * each, 0.0)
    assert each * blocks + free == pytest.approx(slower * each * blocks, rel=1e-3)
