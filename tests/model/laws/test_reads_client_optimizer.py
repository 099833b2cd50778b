from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws import device_time, optimizer, round_trips, scan_reads
from blocktime.model.units import KIB, MIB


@pytest.mark.parametrize(("size", "blocks"), [(2048, 512), (4096, 256), (8192, 128), (16384, 64), (32768, 32)])
def test_automatic_mbrc_is_a_megabyte(size: int, blocks: int) -> None:
    assert scan_reads.automatic_mbrc(MIB, size, 2_000_000_000, 170) == blocks


def test_automatic_mbrc_shares_a_small_cache_out_and_need_not_be_a_power_of_two() -> None:
    assert scan_reads.automatic_mbrc(MIB, 8192, 100 * MIB, 170) == 75
    assert scan_reads.automatic_mbrc(MIB, 8192, MIB, 10_000) == 1


def test_explicit_mbrc_counts_default_blocks_and_stands_for_bytes() -> None:
    assert scan_reads.explicit_mbrc(16, MIB, 8192, 8192) == 16
    assert scan_reads.explicit_mbrc(16, MIB, 2048, 8192) == 64
    assert scan_reads.explicit_mbrc(16, MIB, 16384, 8192) == 8
    assert scan_reads.explicit_mbrc(128, MIB, 16384, 8192) == 64
    assert scan_reads.explicit_mbrc(1, MIB, 32768, 8192) == 1
    assert scan_reads.explicit_mbrc(0, MIB, 8192, 8192) == 1


def test_direct_reads_by_release() -> None:
    cache = 1000 * MIB
    assert scan_reads.direct_path_threshold_bytes(cache, (10, 2)) == float("inf")
    assert scan_reads.direct_path_threshold_bytes(cache, (11, 1)) == pytest.approx(100 * MIB)
    assert scan_reads.direct_path_threshold_bytes(cache, (19, 3)) == pytest.approx(20 * MIB)
    assert scan_reads.reads_directly(200, 100, 0, 0)
    assert not scan_reads.reads_directly(100, 100, 0, 0)
    assert not scan_reads.reads_directly(200, 100, 0.5, 0)
    assert not scan_reads.reads_directly(200, 100, 0.3, 0.25)


@given(rows=st.integers(1, 10**7), array=st.integers(1, 10_000))
def test_arrays_hold_all_rows(rows: int, array: int) -> None:
    full, last = round_trips.full_arrays(rows, array), round_trips.last_array_rows(rows, array)
    assert full * array + last == rows
    assert 0 <= last < array or full == 0


def test_more_data_is_what_does_not_fit_one_sdu() -> None:
    assert round_trips.more_data_messages(8192, 8192) == 0
    assert round_trips.more_data_messages(8193, 8192) == 1
    assert round_trips.more_data_messages(100_000, 8192) == 12


def test_scan_cost_keeps_the_bytes_and_the_default_block_in_both_times() -> None:
    """Worked out by hand for 1,000 blocks of 2K: m = 32, MREADTIM = 10 + 32 x 2 ms = 74 ms, SREADTIM = 12 ms."""
    mbrc = optimizer.costing_mbrc(8, 2048, 8192)
    assert mbrc == 32
    mread = optimizer.noworkload_read_s(mbrc, 8192, 0.010, 4_096_000)
    sread = optimizer.noworkload_read_s(1, 8192, 0.010, 4_096_000)
    assert mread == pytest.approx(0.074)
    assert sread == pytest.approx(0.012)
    assert optimizer.scan_io_cost(1000, mbrc, mread, sread) == pytest.approx(1000 / 32 * 74 / 12)


def test_old_costing_divides_by_the_adjusted_mbrc() -> None:
    """10,000 blocks cost 2,396 to 245 [lewis-cbo], by adjusted counts of 4.17, 6.59, 10.40, 16.39, 25.84 and 40.82."""
    counts = (4, 8, 16, 32, 64, 128)
    assert [optimizer.old_scan_cost(10_000, count) for count in counts] == [2396, 1518, 962, 610, 387, 245]
    assert [optimizer.adjusted_mbrc(count) for count in counts] == pytest.approx(
        [4.17, 6.59, 10.40, 16.39, 25.84, 40.82], rel=0.003
    )


def test_a_scan_costs_one_more_from_9_2_on() -> None:
    releases = ((8, 1, 7), (9, 0, 1), (9, 2), (10, 2), (19, 3))
    assert [optimizer.scan_plus_one(release) for release in releases] == [0, 0, 1, 1, 1]


def test_the_cost_of_a_range_scan_by_hand() -> None:
    assert optimizer.range_scan_io_cost(2, 9.1, 499.2) == 2 + 10 + 500


def test_pipeline_shows_the_longer_of_two_and_the_ends_of_the_other() -> None:
    assert device_time.pipelined_s(0.01, 1.0, 5.0, 0.05) == pytest.approx(5.01)
    assert device_time.pipelined_s(0.01, 5.0, 1.0, 0.05) == pytest.approx(5.05)


def test_a_gap_of_bitmap_blocks_does_not_position() -> None:
    assert device_time.continues(MIB + 16 * KIB, MIB)
    assert not device_time.continues(3 * MIB, MIB)
    assert not device_time.continues(0, MIB)


def test_four_of_five_rows_of_a_bitmap_lie_together() -> None:
    assert optimizer.bitmap_table_blocks(100, 10) == 0.8 * 10 + 0.2 * 100
