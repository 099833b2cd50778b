"""The segment's figures and sentences: what they count, what they say, how they read without colour."""

import json
from pathlib import Path

import pytest

from blocktime.app.answer import segment_view
from blocktime.app.charts import drawing, segment_charts
from blocktime.app.charts.segment_charts import ITL_FULL, PctfreeLine
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import Scenario, load
from tests.answered import answered
from tests.app.contrast import contrast

UPDATE = "rahn-pctfree-16k-10"
BACKGROUNDS = ("#ffffff", "#10161d")


def answer(*settings: str, name: str = UPDATE) -> RunResult:
    return answered(name, *settings)


@pytest.fixture(scope="module")
def grown() -> RunResult:
    return answer()


def said(result: RunResult) -> str:
    return " | ".join(segment_charts.findings(result))


def test_the_finding_names_the_growth_the_share_the_pctfree_and_the_bug(grown: RunResult) -> None:
    assert "Rows grow by 5.99 bytes: 158,626 of 200,000 updated rows migrate (79 %)" in said(grown)
    assert "With PCTFREE 35 or higher, no row migrates" in said(grown)
    assert "of the time probes blocks whose ITL list is full (bug 6918210)" in said(grown)
    assert "the stack shows kdtgrs, …, kdb_count_pdml_itl" in said(grown)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("table.pctfree_percent=35",), "no row migrates; PCTFREE 35 leaves room for all of them"),
        (("table.pctfree_percent=40",), "PCTFREE 40 leaves room for all of them; 35 is enough"),
        (("workload.rows_fraction=0.1",), "no row migrates; PCTFREE 10 leaves room for all of them; 6 is enough"),
        (("workload.kind=delete",), "No row grows, so no row migrates"),
        (("tablespace.block_size_bytes=2K",), "The search for space takes almost no time"),
    ],
)
def test_the_finding_follows_the_setting(settings: tuple[str, ...], words: str) -> None:
    assert words in said(answer(*settings))


def test_rows_that_outgrow_their_block_are_said_to_need_no_pctfree() -> None:
    settings = ("workload.kind=update", "workload.growth_bytes=20000", "table.rows=500")
    assert "No PCTFREE prevents migration with that growth" in said(answer(*settings, name="rahn-full-scan"))


def test_where_another_session_holds_the_space_no_bug_is_named() -> None:
    words = said(answer(name="assm-uncommitted-delete"))
    assert "whose free space another session has not committed" in words
    assert "bug" not in words


def test_a_query_has_no_finding() -> None:
    assert segment_charts.findings(answer(name="rahn-full-scan")) == []


def test_the_bytes_of_each_bar_are_a_block(grown: RunResult) -> None:
    figure, finding = segment_charts.blocks(grown.segment)
    rows = figure["layout"]["yaxis"]["categoryarray"]
    assert rows[::-1][:2] == ["block 0 before", "block 0 after"]
    assert any(row.startswith("new block") for row in rows)
    for place in range(len(rows)):
        held = sum(trace["x"][place] for trace in figure["data"])
        assert held == pytest.approx(grown.segment.block_size_bytes)
    reserve = figure["layout"]["shapes"][0]
    assert reserve["x0"] == pytest.approx(0.9 * grown.segment.block_size_bytes)
    assert "migrated pieces" in finding
    json.dumps(figure, allow_nan=False)


def test_every_mark_of_the_map_is_a_block_and_the_legend_counts_them(grown: RunResult) -> None:
    segment = grown.segment
    assert segment.map_after
    figure, finding = segment_charts.freeness_map(
        segment.map_after, segment.blocks_after, segment.freeness_after or {}, segment.itl_full_blocks or 0
    )
    marks = sum(len([x for x in trace["x"] if x is not None]) for trace in figure["data"])
    assert marks == len(segment.map_after)
    names = [trace["name"] for trace in figure["data"]]
    assert f"{ITL_FULL}: 621" in names
    assert "25-50% free: 621" in names  # the bitmap offers those very blocks
    assert "814 blocks, one mark for every 2 blocks" in finding
    last = next(trace for trace in figure["data"] if trace["name"].startswith(ITL_FULL))["text"][-1]
    assert 600 < int(last.removeprefix("block ").partition(":")[0]) < 814


def test_the_map_of_an_empty_segment_is_still_drawn() -> None:
    figure, _ = segment_charts.freeness_map("", 0, {}, 0)
    json.dumps(figure, allow_nan=False)


def test_it_reads_without_colour_and_in_both_themes() -> None:
    symbols = [symbol for _, symbol in segment_charts.CELLS.values()]
    dashes = [dash for _, dash in drawing.LINES]
    looks = [(colour, pattern) for _, _, colour, pattern in segment_charts.USES.values()]
    filled = [pattern for colour, pattern in looks if colour != drawing.CLEAR]
    assert [len(set(kind)) for kind in (symbols, dashes, filled)] == [6, 5, 5]
    shown = {colour for colour, *_ in [*looks, *segment_charts.CELLS.values(), *drawing.LINES]}
    for colour in shown - {drawing.CLEAR}:
        assert all(contrast(colour, background) >= 3 for background in BACKGROUNDS), colour


def test_the_lines_pass_near_the_answer_and_the_present_setting_is_marked(grown: RunResult) -> None:
    curves = segment_view.curves_of(load(UPDATE))
    assert [line.block_size_bytes for line in curves.blocks] == [2048, 4096, 8192, 16384, 32768]
    at = curves.percents.index(10)
    seconds = next(line for line in curves.elapsed_s if line.block_size_bytes == 16384).values
    blocks = next(line for line in curves.blocks if line.block_size_bytes == 16384).values[at]
    assert seconds[at] == pytest.approx(grown.time.elapsed_s, rel=0.02)
    assert blocks == pytest.approx(grown.segment.blocks_after, rel=0.1)
    now = (16384, 10.0, grown.time.elapsed_s)
    figure, finding = segment_charts.over_pctfree(curves.percents, curves.elapsed_s, now, quantity="elapsed seconds")
    *_, mark = figure["data"]
    assert (mark["x"], mark["y"]) == ([10.0], [grown.time.elapsed_s])
    assert figure["layout"]["yaxis"]["type"] == "log"
    least = min(value for value in seconds if value is not None)
    assert curves.percents[seconds.index(least)] == 35
    assert f"the least at 16K is {show_seconds(least)}, at PCTFREE 35" in finding
    json.dumps(figure, allow_nan=False)


def test_the_lines_of_a_statement_beside_programs_are_those_of_it_alone() -> None:
    alone, beside = (load("two-updates-one-table", more) for more in (["workload.beside=[]"], []))
    assert beside.workload.beside
    assert segment_view.curves_of(beside) == segment_view.curves_of(alone)


def test_where_the_line_is_off_the_page_says_so() -> None:
    curves = segment_view.Curves([10, 11], [], [PctfreeLine(8192, [2.0, None])])
    assert segment_view.off_the_line(curves, 8192, 10, 2.05) == ""
    assert "2.00 s instead of the answer's 8.00 s" in segment_view.off_the_line(curves, 8192, 10, 8.0)
    for size, percent in ((4096, 10), (8192, 11), (8192, 12), (8192, 10.5)):
        assert segment_view.off_the_line(curves, size, percent, 8.0) == ""


def test_times_that_hardly_differ_still_have_ticks() -> None:
    lines = [PctfreeLine(8192, [8.0, 9.0])]
    figure, _ = segment_charts.over_pctfree([0, 1], lines, (8192, 0, 8.0), quantity="elapsed seconds")
    assert "dtick" not in figure["layout"]["yaxis"]


def test_sizes_and_pctfrees_that_the_specification_refuses_are_left_out() -> None:
    uniform = segment_view.curves_of(
        scenario("tablespace.extent_management=uniform", "tablespace.uniform_extent_bytes=40K")
    )
    assert [line.block_size_bytes for line in uniform.blocks] == [2048, 4096, 8192]
    used = segment_view.curves_of(scenario("table.pctused_percent=70", "table.pctfree_percent=10"))
    assert used.percents[-1] == 30


def test_a_line_ends_where_no_block_takes_a_row() -> None:
    curves = segment_view.curves_of(scenario("table.row_bytes=1500", "table.column_count=2"))
    small = curves.elapsed_s[0]
    assert small.block_size_bytes == 2048
    assert small.values[0] is not None
    assert small.values[-1] is None
    now = (8192, 10.0, 1.0)
    figure, _ = segment_charts.over_pctfree(curves.percents, curves.elapsed_s, now, quantity="elapsed seconds")
    json.dumps(figure, allow_nan=False)


def scenario(*settings: str) -> Scenario:
    return load(
        "rahn-full-scan",
        ["workload.kind=update", "workload.growth_bytes=6", "table.rows=10000", "tablespace.block_size_bytes=8K",
         *settings],
    )  # fmt: skip


def test_the_modules_stay_apart() -> None:
    source = Path(segment_charts.__file__).read_text("utf-8")
    assert "import streamlit" not in source
    assert "import plotly" not in source
