"""Figures and table rows: their sums, their looks, and the sentence that goes with each."""

import json

import pytest

from blocktime.app.charts import charts
from blocktime.app.text import profile
from blocktime.model import causes
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from tests.answered import answered as answer
from tests.app.contrast import contrast
from tests.known_by_law import KNOWN

NAMES = KNOWN


@pytest.fixture(scope="module")
def base() -> RunResult:
    return answer("rahn-full-scan")


@pytest.fixture(scope="module")
def other() -> RunResult:
    return answer("rahn-full-scan", "tablespace.block_size_bytes=16K", "workload.arraysize_rows=15")


@pytest.mark.parametrize("name", NAMES)
def test_parts_and_classes_sum_to_elapsed(name: str) -> None:
    result = answer(name)
    assert sum(part.seconds for part in profile.parts(result)) == pytest.approx(result.time.elapsed_s)
    assert sum(profile.by_class(result).values()) == pytest.approx(result.time.elapsed_s)


@pytest.mark.parametrize(
    ("name", "settings", "word"),
    [("rahn-full-scan", (), "seconds"), ("rahn-full-scan", ("table.rows=1000",), "ms"), ("tpc-b", (), "ms")],
)
def test_bars_are_in_the_unit_of_their_axis(name: str, settings: tuple[str, ...], word: str) -> None:
    result = answer(name, *settings)
    scale = profile.scale_of([result])
    assert (scale.word, scale.per_s) == (word, {"ms": 1000, "seconds": 1}[word])
    figure, _ = charts.waterfall(result, result)
    assert figure["layout"]["xaxis"]["title"]["text"].startswith(f"{word} of ")
    whole = [trace["x"][0] + trace["base"][0] for trace in figure["data"] if trace["y"][0] in ("Elapsed", "Response")]
    assert max(whole) == pytest.approx(scale.per_s * result.time.elapsed_s, rel=1e-6)


@pytest.mark.parametrize(
    ("component", "wait_class"),
    [
        ("read by other session", "User I/O"),
        ("latch: cache buffers chains", "Concurrency"),
        ("buffer busy waits", "Concurrency"),
        ("enq: TX - row lock contention", "Concurrency"),
        ("enq: TX - allocate ITL entry", "Concurrency"),
        ("free buffer waits", "System I/O"),
        ("log buffer space", "System I/O"),
        ("CPU: buffer gets", "CPU"),
        ("db file scattered read", "User I/O"),
        ("direct path read", "User I/O"),
        ("CPU: migrating rows", "CPU"),
        ("CPU: space search", "CPU: search"),
        ("log file sync", "Commit"),
        ("SQL*Net message from client", "Idle"),
        ("SQL*Net more data to client", "Network"),
        (causes.BETWEEN_CALLS, "Other"),
        ("between calls", "Idle"),
        ("CPU: write calls", "CPU"),
        ("waiting for the device", "User I/O"),
        ("waiting for room in the queue (nr_requests)", "User I/O"),
        ("calls under way at once", "User I/O"),
        ("held back by the page cache", "System I/O"),
        ("waiting for a commit of the journal", "Commit"),
        ("fsync", "Commit"),
    ],
)
def test_wait_classes_are_oracles(component: str, wait_class: str) -> None:
    assert profile.wait_class(component) == wait_class


def bars(figure: charts.Figure, row: str) -> list[dict[str, object]]:
    return [trace for trace in figure["data"] if trace.get("y") == [row]]


def length(figure: charts.Figure, row: str) -> float:
    return sum(float(trace["x"][0]) for trace in bars(figure, row))  # type: ignore[index]


def test_waterfall_goes_from_baseline_to_what_if(base: RunResult, other: RunResult) -> None:
    figure, finding = charts.waterfall(base, other)
    rows = figure["layout"]["yaxis"]["categoryarray"][::-1]
    assert rows[0] == "Baseline"
    assert rows[-1] == "What-if"
    assert length(figure, "Baseline") == pytest.approx(base.time.elapsed_s)
    assert length(figure, "What-if") == pytest.approx(other.time.elapsed_s)
    level = base.time.elapsed_s
    for row in rows[1:-1]:
        (bar,) = bars(figure, row)
        ends = [bar["base"][0], bar["base"][0] + bar["x"][0]]  # type: ignore[index]
        assert min(abs(level - end) for end in ends) < 1e-6  # each step starts where the last one ended
        level = ends[0] if abs(ends[1] - level) < 1e-6 else ends[1]
    assert level == pytest.approx(other.time.elapsed_s)
    assert show_seconds(base.time.elapsed_s) in finding
    assert "SQL*Net message from client" in finding


def test_the_sum_of_small_components_does_not_look_like_a_wait_class(base: RunResult) -> None:
    figure, _ = charts.waterfall(base, base, most=3)
    (row,) = [row for row in figure["layout"]["yaxis"]["tickvals"] if row.endswith(" smaller components")]
    (bar,) = bars(figure, row)
    colour = bar["marker"]["color"]  # type: ignore[index]
    assert colour not in {look for look, _ in charts.LOOKS.values()}
    assert all(contrast(colour, background) >= 3 for background in ("#ffffff", "#10161d"))


def test_a_long_name_is_cut_at_the_axis_alone(base: RunResult, other: RunResult) -> None:
    figure, _ = charts.waterfall(base, other, most=20)
    axis = figure["layout"]["yaxis"]
    assert any(len(row) > charts.LONGEST_LINE for row in axis["tickvals"])
    lines = [line.strip() for label in axis["ticktext"] for line in label.split("<br>")]
    assert max(map(len, lines)) <= charts.LONGEST_LINE
    assert {trace["y"][0] for trace in figure["data"]} <= set(axis["tickvals"])


def test_waterfall_without_a_difference_builds_the_elapsed_time_up(base: RunResult) -> None:
    figure, finding = charts.waterfall(base, base)
    rows = figure["layout"]["yaxis"]["categoryarray"][::-1]
    assert rows[0] == "SQL*Net message from client"
    assert rows[-1] == "Elapsed"
    assert length(figure, "Elapsed") == pytest.approx(base.time.elapsed_s)
    assert finding == charts.finding(base)


@pytest.mark.parametrize("name", NAMES)
def test_axis_starts_at_zero_and_every_bar_is_finite(name: str) -> None:
    figure, _ = charts.waterfall(answer("rahn-full-scan"), answer(name))
    assert figure["layout"]["xaxis"]["range"][0] == 0
    json.dumps(figure, allow_nan=False)
    assert all(trace["x"][0] >= 0 for trace in figure["data"] if trace.get("y"))


def test_it_reads_without_colour() -> None:
    # a search for space and waits of concurrency never meet in one answer
    patterns = [pattern for name, (_, pattern) in charts.LOOKS.items() if name != "CPU: search"]
    colours = [colour for colour, _ in charts.LOOKS.values()]
    assert len(set(patterns)) == len(patterns)
    assert len(set(colours)) == len(colours)


@pytest.mark.parametrize("background", ["#ffffff", "#10161d"])
def test_every_colour_stands_out_in_both_themes(background: str) -> None:
    for colour, _ in charts.LOOKS.values():
        assert contrast(colour, background) >= 3, colour
    ink = charts.INK["light" if background == "#ffffff" else "dark"]
    assert contrast(ink, background) >= 7


def test_reads_by_size_counts_all_reads(base: RunResult, other: RunResult) -> None:
    figure, finding = charts.reads_by_size(base, other)
    for trace, result in zip(figure["data"], (base, other), strict=True):
        assert sum(trace["y"]) == pytest.approx(result.physical_io.read_requests, abs=1)
    assert "1M" in figure["data"][0]["x"]
    assert f"{base.physical_io.read_requests:,.0f}" in finding


def test_reads_by_size_of_a_cached_table_is_empty_and_still_drawn() -> None:
    cached = answer("savvinov-lio-pc")
    figure, _ = charts.reads_by_size(cached, cached)
    json.dumps(figure, allow_nan=False)


def test_largest_read_is_one_megabyte_at_every_block_size() -> None:
    for block, blocks in ((2048, 512), (4096, 256), (8192, 128), (16384, 64)):  # as document 000 prints it
        result = answer("rahn-full-scan", f"tablespace.block_size_bytes={block}")
        assert max(result.physical_io.request_blocks) == blocks


def test_the_key_shows_what_occurs(base: RunResult) -> None:
    html = charts.key_html([base])
    assert "Idle (the client)" in html
    assert "System I/O" not in html
    assert "CPU of the search for space" not in html


def test_the_key_tells_the_search_for_space_and_commits_apart() -> None:
    html = charts.key_html([answer("rahn-pctfree-16k-10-commits")])
    assert "CPU of the search for space" in html
    assert "Commit" in html


def bar_of(figure: charts.Figure, row: str) -> dict[str, object]:
    return next(trace for trace in figure["data"] if trace["y"] == [row])


def test_steps_too_small_for_an_axis_from_zero_are_seen_and_the_axis_says_so(base: RunResult) -> None:
    little = answer("rahn-full-scan", "tablespace.block_size_bytes=16K")
    figure, _ = charts.waterfall(base, little)
    low, high = figure["layout"]["xaxis"]["range"]
    assert 0 < low < little.time.elapsed_s < base.time.elapsed_s < high
    assert "does not begin at 0" in figure["layout"]["xaxis"]["title"]["text"]
    (length,) = bar_of(figure, "CPU: buffer gets")["x"]  # type: ignore[misc]
    assert length > 0.2 * (high - low)
    whole = bar_of(figure, "Baseline")
    assert whole is not None
    assert whole["marker"]["color"] == charts.WHOLE
    assert whole["x"][0] < 0.02 * (high - low), "a mark, as a length from nowhere says nothing"
    assert whole["x"][0] + whole["base"][0] == pytest.approx(base.time.elapsed_s)


def test_an_axis_begins_at_zero_where_steps_can_be_seen(base: RunResult, other: RunResult) -> None:
    for figure, _ in (charts.waterfall(base, other), charts.waterfall(base, base)):
        assert figure["layout"]["xaxis"]["range"][0] == 0
        assert "begin" not in figure["layout"]["xaxis"]["title"]["text"]


def test_a_waterfall_is_as_high_whatever_it_shows(base: RunResult, other: RunResult) -> None:
    heights = {charts.waterfall(*pair)[0]["layout"]["height"] for pair in ((base, other), (base, base), (other, base))}
    assert len(heights) == 1


def test_a_label_is_cut_only_where_two_lines_have_no_room_for_it() -> None:
    assert charts.in_lines("CPU: row access") == "CPU: row access"
    long = "Full scan of 50 million rows on NVMe, counted"
    assert charts.in_lines(long).replace("<br>", " ") == long
    assert charts.in_lines(long).count("<br>") == 1
    assert charts.in_lines(f"{long}, Oracle 19c, in blocks of 8K").endswith(" …")
