"""The table of several answers: its numbers are the results', differences are antisymmetric, fields that differ."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.app.text import compare_table
from blocktime.app.text.compare_table import difference
from blocktime.app.text.quantities import QUANTITIES
from blocktime.model.measures import MEASURES
from blocktime.model.results import RunResult
from blocktime.model.units import MIB
from blocktime.scenarios import load, run
from blocktime.scenarios.pricing import priced_alike
from blocktime.scenarios.why import changes
from tests.answered import answered as law

NUMBERS = st.floats(0, 1e15, allow_nan=False)
OPPOSITE = {"less": "more", "more": "less", "same": "same"}
ASKED = (
    ("rahn-full-scan",), ("rahn-full-scan", "tablespace.block_size_bytes=16K", "disk.use=nvme"),
    ("savvinov-lio-priced",), ("tpc-c",), ("rahn-pctfree-16k-10",), ("magni-dd-fs-10000",),
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> list[RunResult]:
    return [law(*asked) for asked in ASKED]


@given(NUMBERS, NUMBERS)
def test_a_difference_is_antisymmetric(one: float, other: float) -> None:
    there, back = difference(one, other), difference(other, one)
    assert there is not None
    assert back is not None
    assert there.change == -back.change
    assert there.word == OPPOSITE[back.word]
    assert (there.word == "same") == (there.said() == "same")


@given(NUMBERS)
def test_nothing_differs_from_itself(one: float) -> None:
    same = difference(one, one)
    assert same is not None
    assert (same.change, same.word) == (0, "same")
    assert difference(None, one) is None
    assert difference(one, None) is None


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (100.0, 97.9, "2.1 less (-2.1 %)"), (100.0, 100.05, "0.05 more (+0.05 %)"), (100.0, 100.001, "same"),
        (2.0, 24.0, "22 more (×12)"), (0.0, 3.0, "3 more"), (50.0, 0.0, "50 less (-100 %)"),
    ],
)  # fmt: skip
def test_a_difference_has_amount_word_and_percent(before: float, after: float, said: str) -> None:
    found = difference(before, after)
    assert found is not None
    assert found.said() == said


def test_a_share_differs_by_points() -> None:
    found = difference(9.5, 66.75)
    assert found is not None
    assert found.said(is_share=True) == "57.25 points more"


def test_what_moved_between_two_answers_is_antisymmetric(results: list[RunResult]) -> None:
    for one, other in permutations(results[:3], 2):
        there = {change.name: change.change_s for change in changes(one, other)}
        back = {change.name: change.change_s for change in changes(other, one)}
        assert there == {name: -seconds for name, seconds in back.items()}


def test_every_number_is_the_result_s(results: list[RunResult]) -> None:
    lines = {line.title: line for line in compare_table.lines(results)}
    for result in results:
        for title, name, scale in (
            ("Elapsed (s)", "elapsed_s", 1), ("CPU (s)", "cpu_s", 1),
            ("Segment size (MB)", "segment_after_bytes", 1 / MIB),
            ("Migrated rows", "migrated_rows", 1), ("Optimizer cost", "optimizer_cost", 1),
            ("TPS", "transactions_per_s", 1),
        ):  # fmt: skip
            value = MEASURES[name].of(result)
            assert lines[title].of(result) == (None if value is None else pytest.approx(scale * value))
        for name, device in result.device.items():
            assert lines[f"{name} %util"].of(result) == pytest.approx(100 * device.utilisation_fraction)
            moved = (device.read_bytes_per_s + device.written_bytes_per_s) / MIB
            assert lines[f"{name} throughput (MB/s)"].of(result) == pytest.approx(moved)


def test_cpu_waits_and_the_rest_sum_to_the_elapsed_time(results: list[RunResult]) -> None:
    lines = compare_table.lines(results)
    events = {event for result in results for event in result.time.wait}
    for result in results:
        parts = [line.of(result) or 0.0 for line in lines if line.label in ("CPU", "Unaccounted", *events)]
        assert sum(parts) == pytest.approx(result.time.elapsed_s, abs=1e-5)


def test_what_is_nothing_everywhere_has_no_line(results: list[RunResult]) -> None:
    titles = [line.title for line in compare_table.lines(results[:2])]
    assert "Migrated rows" not in titles
    assert "TPS" not in titles
    assert len(titles) == len(set(titles))
    everything = [line.title for line in compare_table.lines(results)]
    assert len(everything) == len(set(everything))


def test_transactions_alone_are_told_in_milliseconds() -> None:
    found = [law("tpc-c"), law("tpc-b")]
    lines = {line.title: line for line in compare_table.lines(found)}
    assert lines["Response (ms)"].of(found[0]) == pytest.approx(1000 * found[0].time.elapsed_s)
    assert "Mean response (ms)" not in lines


def test_money_is_compared_within_a_currency() -> None:
    found = [run(one) for one in priced_alike([load("savvinov-lio-priced"), load("savvinov-lio-pc")])]
    lines = {line.title: line for line in compare_table.lines(found)}
    costs = [lines["Cost of one run (USD)"].of(one) for one in found]
    assert costs == [one.money.total for one in found if one.money]
    euros = run(load("savvinov-lio-priced", ["prices.currency=EUR"]))
    both = compare_table.lines([found[0], euros])
    assert [line.title for line in both if line.label.startswith("Cost of one")] == [
        "Cost of one run (USD)",
        "Cost of one run (EUR)",
    ]
    assert [line.of(euros) for line in both if line.title == "Cost of one run (USD)"] == [None]


def test_a_row_for_each_scenario_has_each_number_and_its_difference(results: list[RunResult]) -> None:
    three = results[:3]
    lines = compare_table.lines(three)
    rows = compare_table.by_scenario(three, "ABC", ["one", "two", "three"], lines)
    assert [row[""] for row in rows] == ["A", "B", "C"]
    for row, result in zip(rows, three, strict=True):
        for line in lines:
            before, value = line.of(three[0]), line.of(result)
            assert row[line.title] == value
            change = row[compare_table.change_of(line, "A")]
            assert change == (None if before is None or value is None else value - before)
            percent = row[compare_table.percent_of(line, "A")]
            assert (percent is None) == (change is None or not before)
    assert len(rows[0]) == 2 + 3 * len(lines)


def test_only_what_differs_is_named() -> None:
    base = load("rahn-full-scan")
    assert compare_table.settings([base, base]) == {}
    found = compare_table.settings([base, load("rahn-full-scan", ["tablespace.block_size_bytes=16K", "host.cpus=2"])])
    assert found == {"tablespace.block_size_bytes": ["8K", "16K"], "host.cpus": [f"{base.system.host.cpus}", "2"]}


def test_a_catalog_entry_stands_for_its_constants() -> None:
    found = compare_table.settings([load("rahn-full-scan"), load("rahn-full-scan", ["disk.use=nvme"])])
    assert list(found) == ["disk.use"]
    assert "NVMe" in found["disk.use"][1]
    changed = ["disk.use=nvme", "disk.queue_depth=4"]
    own = compare_table.settings([load("rahn-full-scan"), load("rahn-full-scan", changed)])
    assert "disk.use" not in own or own["disk.queue_depth"][1] == "4"


def test_another_kind_of_workload_has_other_fields() -> None:
    found = compare_table.settings([load("rahn-full-scan"), load("index-range-scan")])
    assert found["workload.kind"] == ["full_scan", "index_range_scan"]
    assert found["workload.selectivity_fraction"] == ["–", "0.01"]


@given(st.floats(-1e12, 1e12, allow_nan=False))
def test_a_number_is_written_without_powers_of_ten_and_read_back(value: float) -> None:
    said = compare_table.number(value)
    assert "e" not in said.lower()
    off = abs(float(said.replace(",", "")) - value)
    assert off <= max(5.1e-4 * abs(value), 0) or math.isclose(off, 0, abs_tol=0.5 if abs(value) >= 1_000 else 0)


def test_times_are_written_in_units_of_their_own_size() -> None:
    elapsed = QUANTITIES["elapsed_s"]
    assert elapsed.cell(2127.91) == "35 min 28 s"
    assert elapsed.cell(5.4606e-5) == "54.6 µs"
    assert QUANTITIES["response_s"].cell(8.8888e-6) == "8.89 ns"
    assert QUANTITIES["read_requests"].cell(50_000_000) == "50,000,000"


def test_what_is_written_alike_is_the_same() -> None:
    found = difference(49_162_147.0, 49_162_146.6)
    assert found is not None
    assert found.word == "same"


def test_a_difference_of_what_is_not_a_whole_number_has_three_digits() -> None:
    each, gets = QUANTITIES["commits_per_log_write"], QUANTITIES["consistent_gets"]
    assert (each.cell(1.036291), each.change(-0.00034732)) == ("1.036", "-0.000347")
    assert (gets.cell(127_288.0), gets.change(-56_876.0)) == ("127,288", "-56,876")
