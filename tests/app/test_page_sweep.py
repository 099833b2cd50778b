"""Journeys through the page of sweeps in chromium: from a scenario to points, a chart, a table and back."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from blocktime.app.base import FIRST
from blocktime.app.reports.sweep_table import table_in
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.app import windows
from tests.app.windows import LIMIT_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

VIEW = {"width": 1280, "height": 900}
opened = partial(windows.opened, view=VIEW)
CELLS = (
    "sweep?scenario=savvinov-lio-pc&vary=table.column_count%3D1,5,25&vary=table.row_bytes%3D150,600,2000"
    "&where=table.column_count*table.row_bytes%3C50000"
)
LINE = "sweep?scenario=rahn-full-scan&table.pctfree_percent=20&vary=workload.arraysize_rows%3D15,100"
SLOW = (
    "sweep?scenario=tpc-c&workload.transactions=50000&vary=workload.users%3D10:40:31&vary=workload.think_s%3D0.1:5:500"
)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def answered(page: Page) -> Locator:
    """The chart, once there are results; a small sweep is answered by its trial, so nobody need press Run."""
    from playwright.sync_api import Error, expect

    go, chart = button(page, "Run"), page.get_by_test_id("stPlotlyChart").first
    trial = page.get_by_text(re.compile(r"points.*(stored|about)")).first
    expect(trial.or_(chart).first).to_be_visible(timeout=LIMIT_MS)
    if go.is_visible() and go.is_enabled() and not chart.is_visible():
        with suppress(Error):  # it is gone where the trial has answered all meanwhile
            go.click(timeout=LIMIT_MS / 10)
    expect(chart).to_be_visible(timeout=LIMIT_MS)
    return chart


def click_on(page: Page, mark: Locator) -> None:
    """A click as a hand makes it: plotly takes one only on what it has found under the pointer."""
    box = mark.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".hoverlayer .hovertext").first.wait_for()
    page.mouse.down()
    page.mouse.up()


def elapsed(*settings: str) -> str:
    return show_seconds(run(load("rahn-full-scan", settings)).time.elapsed_s)


def test_from_a_scenario_to_a_sweep_of_it_to_one_of_its_points(browser: Browser, server: str) -> None:
    from playwright.sync_api import expect

    with opened(browser, f"{server}/?scenario=rahn-full-scan&table.pctfree_percent=20") as (page, _):
        button(page, "Sweep this scenario").click()
        page.wait_for_url(re.compile("/sweep"))
        page.get_by_text("Base scenario rahn-full-scan").wait_for()
        values = page.get_by_role("textbox", name="Values 1")
        expect(values).to_have_value("2K, 4K, 8K, 16K, 32K", timeout=LIMIT_MS)
        values.fill("8K, 16K")
        values.press("Enter")
        page.get_by_text(re.compile(r"^2 points")).wait_for()
        chart = answered(page)
        marks = chart.locator(".scatterlayer .point")
        expect(marks).to_have_count(2, timeout=LIMIT_MS)  # not those of the five values before
        click_on(page, marks.last)
        page.get_by_text(re.compile("Block size 16K: elapsed")).wait_for()
        button(page, "Open in What if").click()
        page.wait_for_url(re.compile("tablespace.block_size_bytes=16384"))
        value = page.get_by_test_id("stMetric").filter(has_text=re.compile("^Elapsed"))
        wanted = elapsed("table.pctfree_percent=20", "tablespace.block_size_bytes=16K")
        expect(value.get_by_test_id("stMetricValue")).to_have_text(wanted, timeout=LIMIT_MS)
        page.get_by_role("link", name="Sweep", exact=True).click()
        expect(page.get_by_role("textbox", name="Values 1")).to_have_value("8K, 16K", timeout=LIMIT_MS)
        assert parse_qs(urlsplit(page.url).query)["vary"] == ["tablespace.block_size_bytes=8K, 16K"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_link_opens_the_sweep_and_its_charts_are_in_the_first_screen(
    browser: Browser, server: str, dark: bool
) -> None:
    with opened(browser, f"{server}/{CELLS}", dark=dark) as (page, asked):
        answered(page)
        page.get_by_text("8 points (1 more is left out by where); all answers are stored.").wait_for()
        charts = page.get_by_test_id("stPlotlyChart")
        charts.nth(1).locator(".barlayer .point").first.wait_for()
        charts.first.locator(".heatmaplayer image").first.wait_for(state="attached")
        charts.first.locator(".scatterlayer .textpoint").nth(7).wait_for(state="attached")
        for place in (charts.first, charts.nth(1), page.get_by_role("tab", name="Table")):
            windows.on_screen(place, VIEW["height"])
        page.get_by_text("Lines", exact=True).click()
        charts.first.locator(".scatterlayer .js-line").nth(2).wait_for(state="attached")
        own = urlsplit(server).netloc
        assert [url for url in asked if urlsplit(url).netloc not in ("", own)] == []


def test_while_a_sweep_runs_the_pages_stay_usable_and_cancelling_keeps_what_is_answered(
    browser: Browser, server: str
) -> None:
    with opened(browser, f"{server}/{SLOW}") as (page, _):
        page.get_by_text(re.compile(r"15,500 points.*about")).wait_for()
        button(page, "Run").click()
        page.get_by_text(re.compile(r"of 15,500 answers, .* a second, about .* left")).wait_for()
        page.get_by_role("link", name="What if", exact=True).click()
        page.get_by_test_id("stMetric").first.wait_for()
        page.get_by_role("link", name="Sweep", exact=True).click()
        page.get_by_text(re.compile(r"of 15,500 answers")).wait_for()
        button(page, "Cancel").click()
        said = page.get_by_text(re.compile(r"Cancelled: [\d,]+ of 15,500 answers are kept"))
        said.wait_for()
        kept = int(re.findall(r"[\d,]+", said.inner_text())[0].replace(",", ""))
        assert 0 < kept < 15_500
        assert page.get_by_test_id("stPlotlyChart").count() == 0


def test_faults_are_sentences_and_nothing_can_be_run(browser: Browser, server: str) -> None:
    from playwright.sync_api import expect

    bad = "sweep?scenario=nowhere&design=star&vary=workload.arraysize_rows%3D0,15&vary=table.rows%3D1,2"
    with opened(browser, f"{server}/{bad}") as (page, _):
        page.get_by_text("The link names a scenario that does not exist (nowhere)").wait_for()
        page.get_by_text("The link asks for design 'star'").wait_for()
        fault = page.get_by_text(re.compile(r"arraysize_rows: got 0; allowed is at least 1 \(2 points\)"))
        fault.wait_for()
        assert fault.count() == 1
        expect(button(page, "Run")).to_be_disabled()
        values = page.get_by_role("textbox", name="Values 1")
        values.fill("15, 100")
        values.press("Enter")
        page.get_by_text(re.compile("^4 points")).wait_for()
        expect(page.get_by_test_id("stAlert")).to_have_count(0, timeout=LIMIT_MS)


def test_the_table_that_is_taken_away_opens_again(browser: Browser, server: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.parquet"
    with opened(browser, f"{server}/{LINE}") as (page, _):
        answered(page)
        page.get_by_role("tab", name="Export").click()
        with page.expect_download() as download:
            button(page, "Parquet").click()
        download.value.save_as(kept)
    found = table_in({kept.name: kept.read_bytes()})
    times = [
        run(load("rahn-full-scan", ["table.pctfree_percent=20", f"workload.arraysize_rows={rows}"])).time
        for rows in (15, 100)
    ]
    assert found.values["elapsed_s"].tolist() == [time.elapsed_s for time in times]
    with opened(browser, f"{server}/sweep") as (page, _):
        page.get_by_text(f"Base scenario {FIRST}").wait_for()
        page.get_by_role("combobox", name=re.compile("Sweep of")).click()
        page.get_by_role("option", name="A table of an earlier sweep").click()
        page.locator("input[type=file]").set_input_files(os.fspath(kept))
        page.get_by_text("Full scan of 7.2 million rows").first.wait_for()
        page.get_by_test_id("stPlotlyChart").first.locator(".scatterlayer .point").nth(1).wait_for()
