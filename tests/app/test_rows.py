"""Table rows: their sums, and what they tell of a constant."""

import pytest

from blocktime.app.base import lines
from blocktime.app.text import answer_rows
from blocktime.model.results import RunResult
from blocktime.model.units import parse_seconds
from blocktime.scenarios import load, run
from tests.answered import answered


def answer(*settings: str) -> RunResult:
    return answered("rahn-full-scan", *settings)


def _seconds(shown: str) -> float:
    return (-1 if shown.startswith("-") else 1) * parse_seconds(shown.replace(",", "").lstrip("-"))


def test_breakdown_ends_with_elapsed() -> None:
    other = answer("tablespace.block_size_bytes=16K", "workload.arraysize_rows=15")
    found = answer_rows.breakdown(answer(), other)
    assert found[-1]["Component"] == "Elapsed"
    total = sum(_seconds(row["What-if"]) for row in found[:-1])
    assert total == pytest.approx(other.time.elapsed_s, rel=1e-3)
    times = [_seconds(row["What-if"]) for row in found[:-1]]
    assert times == sorted(times, reverse=True)


def test_small_times_are_told_in_their_own_unit() -> None:
    found = {row["Component"]: row for row in answer_rows.breakdown(answer(), answer("table.rows=1"))}
    assert found["CPU: buffer gets"]["What-if"].endswith("µs")
    assert found["CPU: buffer gets"]["Difference"].startswith("-")


def test_assumptions_name_value_origin_and_range() -> None:
    found = {row["Constant"]: row for row in answer_rows.assumptions(load("rahn-full-scan").system, answer())}
    assert found["disk.overhead_s"]["Value"].endswith("s")
    assert all(row["How"] and row["Source"] for row in found.values())
    assert found["client.column_s"]["Fitted range"].startswith("24 columns sent")
    assert found["host.reap_call_s"]["Fitted range"] == "reads of 1M"
    assert not any(row["Outside"] for row in found.values())


def test_assumptions_outside_their_range_come_first_and_say_so() -> None:
    result = answer("workload.arraysize_rows=15")
    found = answer_rows.assumptions(load("rahn-full-scan").system, result)
    many = len({one.constant for one in result.extrapolated})
    assert many >= 1
    said = "array size 15, 6.7× beyond"
    assert found[0]["Outside"] == said
    assert [row["Outside"] for row in found[:many]].count(said) >= many - 1
    assert all(row["Outside"].endswith("× beyond") for row in found[:many])
    assert not any(row["Outside"] for row in found[many:])


def test_the_constant_farthest_beyond_its_range_comes_first() -> None:
    asked = ["tablespace.block_size_bytes=32K", "table.row_bytes=9"]
    result = run(load("savvinov-lio-pc", asked))
    found = answer_rows.assumptions(load("savvinov-lio-pc").system, result)
    assert found[0]["Constant"] == "host.logical_io_s"
    assert found[0]["Outside"] == "blocks of 32K, 4× beyond"
    assert found[1]["Outside"].startswith("rows of 9 bytes, 3.2× beyond")


def test_breakdown_says_how_far_outside_its_range_a_component_stands() -> None:
    def beyond(*settings: str) -> dict[str, str]:
        other = run(load("savvinov-lio-pc", settings))
        return {row["Component"]: row.get("Outside fitted ranges", "") for row in answer_rows.breakdown(other, other)}

    assert {name: said for name, said in beyond("tablespace.block_size_bytes=32K").items() if said} == {
        "CPU: buffer gets": "4× beyond"
    }
    assert not any(beyond().values())


def test_written_takes_a_readers_unit() -> None:
    assert lines.with_unit(75 * 1024**2, "bytes/s") == "75M/s"
    assert lines.with_unit(1.48e-6, "s") == "1.48 µs"
    assert lines.with_unit(16, "") == "16"
