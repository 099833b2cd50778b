"""The reports in HTML: small, without scripts and network, with charts that draw in a real browser."""

from __future__ import annotations

import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blocktime.app.charts import drawing, svg
from blocktime.app.charts.svg_axes import PanelAxis, round_step
from tests.app.windows import opened
from tests.command_line import CommandLine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LARGEST_BYTES = 800_000
SWEEP = ("sweep", "savvinov-lio-pc", "--no-store", "--workers", "1", "--quiet")
ROWS, BYTES = "table.column_count", "table.row_bytes"
REPORTS = {
    "run": ("run", "oltp-nvme", "--quiet"),
    "compare": ("compare", "rahn-full-scan", "rahn-full-scan,tablespace.block_size_bytes=16K", "batch-beside-users",
                "--quiet"),
    "line": (*SWEEP, "--vary", f"{ROWS}=1:40:40"),
    "heat map": (*SWEEP, "--vary", f"{ROWS}=1:40:40", "--vary", f"{BYTES}=150:2000:40"),
    "cells": (*SWEEP, "--vary", f"{ROWS}=1,5,25", "--vary", "host.use=savvinov-pc,savvinov-server"),
}  # fmt: skip
CHARTS = {"run": 14, "compare": 16, "line": 1, "heat map": 2, "cells": 2}


@pytest.fixture
def line(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line."""
    return CommandLine(capsys)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_small_and_runs_nothing(name: str, tmp_path: Path, line: CommandLine) -> None:
    path = tmp_path / "report.html"
    line.prints(*REPORTS[name], "--html", str(path))
    page = path.read_text("utf-8")
    assert path.stat().st_size <= LARGEST_BYTES
    assert "<script" not in page
    assert page.count('<figure class="chart"') == CHARTS[name]


def test_a_report_needs_neither_plotly_nor_streamlit(tmp_path: Path) -> None:
    program = (
        "import sys; from blocktime.app.command.cli import main; "
        f"main(['run', 'savvinov-lio-pc', '--quiet', '--html', {str(tmp_path / 'report.html')!r}]); "
        "sys.exit('plotly' in sys.modules or 'streamlit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_whole_numbers_are_an_axis_of_numbers_in_a_report(tmp_path: Path, line: CommandLine) -> None:
    path = tmp_path / "report.html"
    line.prints(*REPORTS["line"], "--html", str(path))
    assert path.read_text("utf-8").count("<title>table.column_count") == 40
    assert 'vector-effect="non-scaling-stroke"' in path.read_text("utf-8")


@pytest.mark.browser
@pytest.mark.parametrize(("wide", "dark"), [(1400, False), (390, True)])
def test_charts_draw_in_a_browser(wide: int, dark: bool, tmp_path: Path, line: CommandLine, browser: Browser) -> None:
    path = tmp_path / "report.html"
    line.prints(*REPORTS["heat map"], "--html", str(path))
    with opened(browser, path.as_uri(), dark=dark, view={"width": wide, "height": 800}) as (page, asked):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for chart in page.locator("figure.chart").all():
            box, inner = chart.bounding_box(), chart.locator("div > svg").bounding_box()
            assert box is not None
            assert inner is not None
            assert inner["width"] > 0.5 * min(wide, 1056) - 40
            assert box["height"] > inner["height"] > 100
        marks = page.locator("figure.chart rect, figure.chart path")
        assert marks.count() > 40
        ink, paper = page.evaluate(
            "[getComputedStyle(document.querySelector('figure.chart text')).fill,"
            " getComputedStyle(document.body).backgroundColor]"
        )
        assert (paper == "rgb(16, 22, 29)") is dark
        assert ink != paper
    assert [url for url in asked if not url.startswith(("file:", "about:"))] == []


def figure(*traces: dict[str, Any], **more: Any) -> drawing.Figure:
    return drawing.figure(list(traces), drawing.layout(200, drawing.axis("x"), drawing.axis("y"), **more))


@pytest.mark.parametrize(
    "traces",
    [
        (),
        (drawing.line("a", [], [], drawing.LINES[0], ""),),
        (drawing.bars("a", [], [], ("#112233", "")),),
        (drawing.dots("a", [None], [None], "#112233", "circle"),),
        ({"type": "heatmap", "x": [], "y": [], "z": [[None]], "colorscale": []},),
    ],
)
def test_a_chart_without_data_says_so(traces: tuple[dict[str, Any], ...]) -> None:
    drawn = svg.drawn(figure(*traces), "No point was simulated")
    assert svg.NOTHING in drawn
    assert "No point was simulated" in drawn
    assert "<svg" not in drawn


def test_texts_of_a_figure_are_no_markup() -> None:
    evil = "<img src=x onerror=hit=1>"
    bars = drawing.bars(
        evil, [evil], [1.0], ("#112233", ""), hovertext=[evil], hoverinfo="text", text=[evil], textposition="outside"
    )
    drawn = svg.drawn(figure(bars, bars), evil)
    assert "<img" not in drawn
    assert evil in unescape(drawn)


def test_bars_of_one_row_stand_on_one_another_or_side_by_side() -> None:
    first, second = (drawing.bars(name, ["r"], [length], ("#112233", "")) for name, length in (("a", 1.0), ("b", 3.0)))
    stacked = svg.drawn(figure(first, second, barmode="stack"))
    assert stacked.count('y="10%"') == 2
    assert 'x="0%"' in stacked
    beside = svg.drawn(figure(first, second, barmode="group"))
    assert ('y="50%"' in beside, 'y="10%"' in beside) == (True, True)


def test_an_axis_has_round_ticks_and_reverses() -> None:
    linear = PanelAxis(drawing.axis("s"), [0.0, 93.3], from_zero=True)
    assert [text for _, text in linear.ticks()] == ["0", "20", "40", "60", "80"]
    assert linear.place(0) == 0
    decades = PanelAxis(drawing.axis("s", type="log"), [1e-3, 1e4])
    assert [text for _, text in decades.ticks()] == ["0.001", "0.01", "0.1", "1", "10", "100", "1,000", "10,000"]
    names = PanelAxis(drawing.rows(["first", "last"]), ["first", "last"])
    assert names.place("first") > names.place("last")
    assert [round_step(least) for least in (0.0, 0.3, 1.2, 6.0)] == [1.0, 0.5, 2.0, 10.0]
