"""Figures of a comparison hold the results' own numbers, and say what they show."""

import json

import pytest

from blocktime.app.charts import compare_charts
from blocktime.app.charts.charts import LOOKS
from blocktime.app.text.profile import by_class
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run

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
