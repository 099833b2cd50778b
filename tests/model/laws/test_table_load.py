"""Loads: rows of an array as the manual counts them."""

from blocktime.model.laws import table_load


def test_an_array_holds_the_rows_of_the_manuals_example() -> None:
    assert table_load.array_rows(5_600, table_load.largest_row_bytes(56, 2, 20)) == 100


def test_a_row_longer_than_the_buffer_goes_alone() -> None:
    assert table_load.array_rows(30_720, table_load.largest_row_bytes(None, 10, 40_000)) == 1


def test_columns_count_as_numbers_where_nothing_is_said() -> None:
    assert table_load.largest_row_bytes(None, 10, 100) == 240
