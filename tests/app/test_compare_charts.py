"""Figures of a comparison hold the results' own numbers, and say what they show."""

import json

import pytest

from blocktime.app.charts import compare_charts
from blocktime.app.charts.charts import LOOKS
from blocktime.app.text.profile import by_class
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from blocktime.scenarios.search.crossover import Crossover, LeadChange, TimesAt, crossover
from blocktime.scenarios.sweeps.sweep_spec import axis_of

LETTERS, TITLES = (
    ("A", "B", "C"),
    ("as it is", "16K blocks", "one percent of the rows through an index that is clustered"),
)


@pytest.fixture(scope="module")
def results() -> list[RunResult]:
    asked = (("rahn-full-scan",), ("rahn-full-scan", "tablespace.block_size_bytes=16K"), ("index-range-scan",))
    return [run(load(name, settings)) for name, *settings in asked]


def test_bars_are_the_wait_classes_and_sum_to_the_elapsed_time(results: list[RunResult]) -> None:
    figure, _ = compare_charts.bars(results, LETTERS, TITLES)
    json.dumps(figure)
    bars = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "bar"}
    for kind, trace in bars.items():
        assert trace["x"] == [by_class(result)[kind] for result in results]
        assert (trace["marker"]["color"], trace["marker"]["pattern"]["shape"]) == LOOKS[kind]
    for place, result in enumerate(results):
        assert sum(trace["x"][place] for trace in bars.values()) == pytest.approx(result.time.elapsed_s, abs=1e-5)
    (line,) = figure["layout"]["shapes"]
    assert line["x0"] == line["x1"] == results[0].time.elapsed_s
    written = next(trace["text"] for trace in figure["data"] if trace.get("mode") == "text")
    assert [text.strip() for text in written] == [f"<b>{show_seconds(one.time.elapsed_s)}</b>" for one in results]
    assert "seconds" in figure["layout"]["xaxis"]["title"]["text"]


def test_the_baseline_is_on_top_and_rows_are_different(results: list[RunResult]) -> None:
    figure, _ = compare_charts.bars(results, LETTERS, ("same", "same", "same"))
    rows = figure["layout"]["yaxis"]["categoryarray"]
    assert [row[0] for row in rows] == ["C", "B", "A"]
    assert len(set(rows)) == 3


def test_the_last_session_is_marked_where_it_is_known(results: list[RunResult]) -> None:
    assert not [
        trace for trace in compare_charts.bars(results, LETTERS, TITLES)[0]["data"] if trace.get("mode") == "markers"
    ]
    time = results[1].time.model_copy(update={"last_session_s": 140.0})
    found = [results[0], results[1].model_copy(update={"time": time}), results[2]]
    figure, _ = compare_charts.bars(found, LETTERS, TITLES)
    (marks,) = [trace for trace in figure["data"] if trace.get("mode") == "markers"]
    assert marks["x"] == [140.0]
    assert marks["y"][0].startswith("B")
    texts = next(trace for trace in figure["data"] if trace.get("mode") == "text")
    assert texts["x"][1] == 140.0


def test_transactions_are_drawn_in_milliseconds() -> None:
    found = [run(load(name)) for name in ("tpc-c", "tpc-b")]
    figure, said = compare_charts.bars(found, ("A", "B"), ("C", "B"))
    assert figure["layout"]["xaxis"]["title"]["text"] == "ms of one transaction"
    assert figure["layout"]["shapes"][0]["x0"] == pytest.approx(1000 * found[0].time.elapsed_s)
    assert said.startswith("One transaction, the shortest first: B (B)")


def test_the_finding_names_all_in_their_order(results: list[RunResult]) -> None:
    said = compare_charts.finding(results, LETTERS, TITLES)
    places = [said.index(f"{letter} (") for letter in ("C", "B", "A")]
    assert places == sorted(places)
    assert show_seconds(results[0].time.elapsed_s) in said


def test_a_crossing_draws_what_was_found() -> None:
    first, second = load("rahn-full-scan"), load("rahn-full-scan", ["tablespace.block_size_bytes=16K"])
    found = crossover(first, second, axis_of("workload.arraysize_rows=15:5000"))
    figure, said = compare_charts.crossing(found, ("A", "B"), ("as it is", "16K"), "Array size")
    json.dumps(figure)
    lines = figure["data"]
    assert lines[0]["x"] == lines[1]["x"] == [one.value for one in found.line]
    assert lines[0]["y"] == [one.first_s for one in found.line]
    assert lines[1]["y"] == [one.second_s for one in found.line]
    (change,) = found.changes
    assert lines[2]["x"] == [change.at.value]
    assert said == (
        f"Equal at {change.at.value:,} rows: below, B takes less time; above, A takes less time "
        "(Array size 15 rows to 5,000 rows)."
    )


def reached(value: float, first_s: float, second_s: float) -> TimesAt:
    return TimesAt(value, first_s, second_s)


@pytest.mark.parametrize(
    ("longest_s", "per_s", "unit"), [(0.999, 1000, "milliseconds"), (1.0, 1, "seconds"), (90.0, 1, "seconds")]
)
@pytest.mark.parametrize("is_of_one", [True, False])
def test_times_along_a_field_are_in_the_unit_of_their_axis(
    longest_s: float, per_s: float, unit: str, is_of_one: bool
) -> None:
    line = (reached(1, longest_s, 0.5), reached(2, 0.5, 0.5))
    along = Crossover("workload.users", line, (LeadChange(*line, at=line[1], is_whole=True),))
    figure, _ = compare_charts.crossing(along, ("A", "B"), ("one", "other"), "Users", is_of_one)
    one, other, equal = (trace["y"] for trace in figure["data"])
    assert (one, other, equal) == ([per_s * longest_s, per_s * 0.5], [per_s * 0.5] * 2, [per_s * 0.5])
    whose = "transaction" if is_of_one else "session"
    assert figure["layout"]["yaxis"]["title"]["text"] == f"{unit} of one {whose}"


def test_jumps_neighbours_and_stretches_are_told_apart() -> None:
    low, high = reached(1, 1.0, 2.0), reached(9, 2.0, 1.0)
    ends = (reached(4, 1.0, 1.5), reached(5, 1.5, 1.0))
    jump = Crossover("host.read_call_s", (low, *ends, high), (LeadChange(*ends, at=ends[0], is_whole=False),))
    said = compare_charts.crossing_sentence(jump, ("A", "B"), "Read call")
    assert said.startswith(
        "The order reverses at 4.00 s, in a step: below, A takes less time; above, B takes less time"
    )
    whole = Crossover("workload.users", (low, *ends, high), (LeadChange(*ends, at=ends[0], is_whole=True),))
    said = compare_charts.crossing_sentence(whole, ("A", "B"), "Users")
    assert said.startswith("The order reverses between 4 users and 5 users: below,")
    same = (reached(4, 1.0, 1.0), ends[1])
    stretch = Crossover("workload.users", (*same, high), (LeadChange(*same, at=same[0], is_whole=True),))
    said = compare_charts.crossing_sentence(stretch, ("A", "B"), "Users")
    assert said.startswith("Equal up to 4 users: below, both take equally long; above, B takes less time")
    level = (reached(34, 1.0, 1.5), reached(35, 1.0, 1.0))
    along = Crossover("table.pctfree_percent", level, (LeadChange(*level, at=level[1], is_whole=True),))
    said = compare_charts.crossing_sentence(along, ("A", "B"), "PCTFREE")
    assert said.startswith("Equal from 35 %: below, A takes less time; above, both take equally long")
    never = Crossover("workload.users", (low, ends[0]), ())
    said = compare_charts.crossing_sentence(never, ("A", "B"), "Users")
    assert said == "Users 1 to 4: A takes less time over the whole range."
