"""Durations, sizes and data as a reader sees them: in the unit that suits them, and read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.errors import quote
from blocktime.model.units import (
    parse_bytes,
    parse_seconds,
    show_alike,
    show_bytes,
    show_change,
    show_data,
    show_number,
    show_quantity,
    show_range,
    show_seconds,
)

PARTS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
DURATIONS = st.floats(1e-9, 1e9)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (14.8e-9, "14.8 ns"),
        (8.8888e-6, "8.89 µs"),
        (5.4606e-5, "54.6 µs"),
        (0.5e-6, "0.5 µs"),
        (0.0125, "12.5 ms"),
        (3.84, "3.84 s"),
        (299.99, "299.99 s"),
        (299.999, "5 min"),
        (305.4, "5 min 5 s"),
        (2127.91, "35 min 28 s"),
        (7199.6, "2 h"),
        (9000, "2 h 30 min"),
        (172_799, "2 d"),
        (1_000_000, "11 d 14 h"),
        (-2127.91, "-35 min 28 s"),
    ],
)
def test_a_duration_is_in_the_units_a_reader_picks(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text


def read_back(text: str) -> tuple[float, float]:
    """The seconds that a text says, and what its last digit is worth."""
    parts = [(number.replace(",", ""), PARTS[unit]) for number, unit in re.findall(r"([\d.,]+) (\S+)", text)]
    number, unit_s = parts[-1]
    whole = "." not in number and len(number.strip("0")) < len(number)  # its last zeros may be rounded
    grain = unit_s * 10.0 ** -len(number.partition(".")[2])
    finest = {"h": 3600.0, "min": 60.0, "d": 3600.0}.get(text.rsplit(" ", 1)[1], 10 * grain if whole else grain)
    return sum(float(one) * each for one, each in parts), finest


@given(DURATIONS)
def test_a_duration_reads_back_within_its_last_digit(seconds: float) -> None:
    value, grain = read_back(show_seconds(seconds))
    assert abs(value - seconds) <= max(grain, 0.005 * seconds) / 2 * (1 + 1e-9)
    assert "e" not in show_seconds(seconds)


@given(DURATIONS, DURATIONS)
def test_a_longer_duration_is_never_written_as_a_shorter_one(one: float, other: float) -> None:
    short, long = sorted((one, other))
    assert read_back(show_seconds(short))[0] <= read_back(show_seconds(long))[0] * (1 + 1e-12)


@given(st.integers(1, 2**60))
def test_a_size_reads_back_within_its_three_digits(size: int) -> None:
    assert parse_bytes(show_bytes(size)) == pytest.approx(size, rel=0.0051)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (1, 1.5, "+50.0 %"),
        (1, 0.848, "-15.2 %"),
        (1, 1.0004, "+0.04 %"),
        (1, 9.99, "+899 %"),
        (1, 10, "×10"),
        (-1, -12.345, "×12.3"),
        (100, 0.5, "-99.50 %"),
        (1e6, 1, "-99.99 %"),
        (1, 0, "-100 %"),
        (0, 1, ""),
        (1e6, 1e6 + 1, "0 %"),
        (1e6, 1e6 - 49, "0 %"),
    ],
)
def test_a_change_is_a_percentage_or_a_multiple(before: float, after: float, text: str) -> None:
    assert show_change(before, after) == text


def test_durations_beside_each_other_have_one_form() -> None:
    assert show_alike(832.0, 202.99, -0.02) == ["13 min 52 s", "3 min 23 s", "-20 ms"]
    assert show_alike(202.99, 299.0) == ["202.99 s", "299.00 s"]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (3918.0277060576, 6, "3,918.03"),
        (3918.0277060576, 3, "3,918"),
        (49_162_147.4, 6, "49,162,147"),
        (1.5e22, 6, "15,000,000,000,000,000,000,000"),
        (0.000123456, 3, "0.000123"),
        (-5.50, 6, "-5.5"),
    ],
)
def test_a_number_has_its_digits_and_no_power_of_ten(value: float, digits: int, text: str) -> None:
    assert show_number(value, digits) == text


def test_a_range_whose_ends_are_written_alike_is_one_value() -> None:
    assert show_range(3.841, 3.844) == "3.84 s"
    assert show_range(3.84, 3.91) == "3.84 s to 3.91 s"


@pytest.mark.parametrize(
    ("value", "text"), [(12288.0, "12288"), (0.5, "0.5"), (float("inf"), "inf"), ("8K", "'8K'"), (True, "True")]
)
def test_what_was_got_has_no_point_that_nobody_wrote(value: object, text: str) -> None:
    assert quote(value) == text


@pytest.mark.parametrize("text", ["50 µs", "5e-05", "0.05ms"])
def test_a_duration_is_the_same_in_whatever_unit_it_is_written(text: str) -> None:
    assert parse_seconds(text) == 5e-05


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5 min 14 s", 314.0), ("3 h 2 min", 10_920.0), ("1 d 4 h", 100_800.0), ("13,600 s", 13_600.0)],
)
def test_a_duration_in_two_units_or_grouped_digits_is_read(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["1,3 s", "14 s 5 min", "1,300,00 s"])
def test_what_only_resembles_one_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_seconds(text)


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [(0, "0 bytes"), (512, "512 bytes"), (8192, "8 KB"), (885 << 20, "885 MB"), (1.5 * 2**30, "1.5 GB"),
     (1023 << 20, "0.999 GB"), (3 << 40, "3 TB")],
)  # fmt: skip
def test_data_are_told_with_their_unit(size_bytes: float, shown: str) -> None:
    assert show_data(size_bytes) == shown


@pytest.mark.parametrize(
    ("name", "values", "shown"),
    [
        ("block_size_bytes", (16384,), "blocks of 16K"),
        ("block_size_bytes", (2048, 8192), "blocks of 2K to 8K"),
        ("block_size_bytes", (8192, 8192), "blocks of 8K"),
        ("row_bytes", (9, 110.5), "rows of 9 to 110.5 bytes"),
        ("read_bytes", (1_048_576, 1_048_600), "reads of 1,048,576 to 1,048,600 bytes"),
        ("columns", (1,), "1 column"),
        ("columns", (1, 24), "1 to 24 columns"),
        ("itl_entries", (169,), "169 ITL entries"),
        ("arraysize_rows", (15,), "array size 15"),
        ("some_other", (2.5,), "some other 2.5"),
    ],
)
def test_what_constants_are_fitted_over_is_said_in_words(name: str, values: tuple[float, ...], shown: str) -> None:
    assert show_quantity(name, *values) == shown
