"""The table of a sweep on the page: units, digits, and what is missing."""

import math

import pytest

from app.sweep.sweep_columns import ShownColumn, shown_column


@pytest.mark.parametrize(
    ("name", "values", "heading", "written"),
    [
        ("elapsed_s", [0.0016, 0.0123], "Time (ms)", ["1.60", "12.30"]),
        ("elapsed_s", [2.5e-6, 9e-6], "Time (µs)", ["2.50", "9.00"]),
        ("elapsed_s", [12.5, 125.317], "Time (s)", ["12.50", "125.32"]),
        ("elapsed_s", [0.02, 3600.0], "Time (s)", ["0.0200", "3600.0000"]),
        ("elapsed_s", [10.0011, 10.0012], "Time (s)", ["10.001100", "10.001200"]),
        ("cache_fraction", [0.00123, 0.5], "Time (%)", ["0.123", "50.000"]),
        ("cost_total", [0.000123], "Time", ["0.000123"]),
    ],
)
def test_numbers_stand_in_the_unit_that_suits_them(
    name: str, values: list[float], heading: str, written: list[str]
) -> None:
    column = shown_column(name, "Time", values)
    assert column.heading == heading
    assert [column.format % value for value in column.values] == written


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("workload.users", [1, 20], ShownColumn("F", [1, 20])),
        ("elapsed_s", [0.0, 0.0], ShownColumn("F (s)", [0.0, 0.0])),
        ("elapsed_s", [math.nan, 3.0, None], ShownColumn("F (s)", [None, 3.0, None])),
        ("elapsed_s", [math.nan], ShownColumn("F", [None])),
        ("tablespace.block_size_bytes", [8192, 16384], ShownColumn("F", ["8K", "16K"])),
        ("disk.use", ["nvme", "1.50"], ShownColumn("F", ["nvme", "1.50"])),
        ("table.assm", [True, False], ShownColumn("F", [True, False])),
    ],
)
def test_whole_numbers_words_sizes_and_gaps_stay_what_they_are(
    name: str, values: list[object], wanted: ShownColumn
) -> None:
    assert shown_column(name, "F", values) == wanted
