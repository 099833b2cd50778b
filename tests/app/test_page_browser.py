"""Journeys through the page in chromium, by keyboard, as a reader would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.answered import answered
from tests.app.windows import LIMIT_MS, SCREEN, at_rest, holds, on_screen, open_tab, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

SCAN = "?scenario=rahn-full-scan"
TABLET = {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}
CHANGED = "?scenario=rahn-full-scan&tablespace.block_size_bytes=16384&workload.arraysize_rows=15"


def metric(page: Page, label: str) -> Locator:
    """The value of a number: that of the tile, or the last but one cell of a line of the table, or its last one."""
    tile = page.get_by_test_id("stMetric").filter(has_text=re.compile(rf"^{label}"))
    line = page.locator(".st-key-numbers tr").filter(has_text=re.compile(rf"^\s*{label}"))
    cell = line.locator("td:nth-last-child(2):nth-child(3), td:nth-child(2):last-child")
    # While the page is drawn, the old one may be there too.
    return tile.get_by_test_id("stMetricValue").or_(cell).first


def reads(page: Page, label: str, value: str) -> None:
    from playwright.sync_api import expect

    expect(metric(page, label)).to_have_text(value, timeout=LIMIT_MS)


def marks(page: Page, key: str, drawn: str, least: int) -> None:
    """The chart *key* has *least* marks of a kind."""
    page.locator(f".st-key-{key} {drawn}").nth(least - 1).wait_for(state="attached")


def elapsed(*settings: str) -> str:
    return show_seconds(answered("rahn-full-scan", *settings).time.elapsed_s)


def told_on_the_first_screen(page: Page, view: Mapping[str, int]) -> None:
    """What is extrapolated stands whole above the fold."""
    said = page.locator(".st-key-notes p").filter(has_text=re.compile("Extrapolated: .* outside the measured range"))
    said.wait_for()
    tile = page.get_by_test_id("stMetric").first
    for place in (said, tile.get_by_text(re.compile("extrapolated 6.7×"))):
        on_screen(place, view["height"])
        holds(place, "e => e.scrollWidth <= e.clientWidth + 1")


CUT = """[...document.querySelectorAll('[data-testid=stMetric] p, [data-testid=stMetricValue] div, '
+ '.st-key-numbers td, .st-key-notes p')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""

ENDS = """[...new Set([...document.querySelectorAll('[data-testid=stSelectbox] input')].map(
e => getComputedStyle(e).textOverflow))]"""
"""How names in lists end that are longer than their places."""


def test_the_first_screen_holds_the_answer_on_every_device_and_asks_no_other_host(
    browser: Browser, server: str
) -> None:
    with opened(browser, f"{server}/{CHANGED}") as (page, asked):
        reads(page, "Elapsed", elapsed("tablespace.block_size_bytes=16K", "workload.arraysize_rows=15"))
        chart = page.get_by_test_id("stPlotlyChart").first
        chart.locator(".barlayer .point").nth(7).wait_for()
        for place in (chart, page.get_by_text("Why", exact=True), page.get_by_test_id("stMetric").first):
            on_screen(place, SCREEN["height"])
        assert min(background_of(page)) > 192
        told_on_the_first_screen(page, SCREEN)
        for view in (TABLET, PHONE):
            page.set_viewport_size(view)  # type: ignore[arg-type]
            told_on_the_first_screen(page, view)
            if view is TABLET:
                page.wait_for_function(f"() => {CUT}.length === 0")
        page.set_viewport_size(SCREEN)  # type: ignore[arg-type]
        assert page.evaluate(ENDS) == ["ellipsis"]
        open_tab(page, "Assumptions")
        page.get_by_test_id("stDataFrame").wait_for()
        for name in ("Evidence", "About"):
            page.get_by_role("link", name=name).click()
            page.get_by_test_id("stHeading").or_(page.get_by_role("heading")).first.wait_for()
            page.wait_for_load_state("networkidle")
        own = urlsplit(server).netloc
        assert asked
        assert [url for url in asked if urlsplit(url).netloc not in ("", own)] == []
    with opened(browser, f"{server}/{CHANGED}", dark=True) as (page, _):
        told_on_the_first_screen(page, SCREEN)
        assert max(background_of(page)) < 64


def background_of(page: Page) -> list[int]:
    """Red, green and blue of the page."""
    colour = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    return [int(level) for level in re.findall(r"\d+", colour)[:3]]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "query",
    [
        "scenario=rahn-pctfree-16k-10&table.pctfree_percent=35",
        "scenario=magni-dd-raw-10000&host.io_path=buffered",
        "scenario=tpc-b&workload.users=100",
        "scenario=magni-imp-4k&tablespace.block_size_bytes=16384",
        "scenario=savvinov-lio-priced&tablespace.block_size_bytes=16384",
    ],
)
def test_every_kind_of_work_has_its_answer_on_one_screen(browser: Browser, server: str, query: str) -> None:
    with opened(browser, f"{server}/?{query}") as (page, _):
        page.locator(".st-key-waterfall .barlayer .point").first.wait_for()
        why = page.locator(".st-key-why li")
        page.get_by_role("tab").last.wait_for()  # below the reasons, which are as long as they are
        tile = page.get_by_test_id("stMetric").first
        for place in (tile, page.get_by_test_id("stPlotlyChart").first, why.first):
            on_screen(place, SCREEN["height"])


def test_a_simulation_leaves_the_page_usable_and_the_next_change_cancels_it(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{SCAN}") as (page, _):
        reads(page, "Elapsed", elapsed())
        field = page.get_by_role("textbox", name=re.compile("Users"))
        field.fill("420")
        field.press("Enter")
        page.wait_for_function(
            "() => [...document.querySelectorAll('.st-key-answer')].some(e => getComputedStyle(e).opacity < 1)"
            " && document.body.innerText.includes('numbers are on their way')"
        )
        field = page.get_by_role("textbox", name=re.compile("Users"))
        field.fill("1")
        field.press("Enter")
        page.get_by_text(re.compile("simulating")).wait_for(state="detached")
        page.get_by_text(re.compile("numbers are on their way")).wait_for(state="detached")
        reads(page, "Elapsed", elapsed())
        holds(page.locator(".st-key-answer"), "e => getComputedStyle(e).opacity === '1'")
        page.wait_for_url(lambda address: "workload.users" not in parse_qs(urlsplit(address).query))


def test_nothing_moves_when_the_answer_becomes_that_of_the_former_values(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{CHANGED}") as (page, _):
        page.locator(".st-key-numbers table").nth(1).wait_for()
        at_rest(page)
        waterfall = page.locator(".st-key-waterfall_place")
        before = waterfall.bounding_box()
        field = page.get_by_role("textbox", name=re.compile("Users"))
        field.fill("800")  # which waits for a click
        field.press("Enter")
        page.get_by_text(re.compile("numbers are on their way")).first.wait_for()
        page.get_by_role("button", name=re.compile("^Simulate, about")).wait_for()
        at_rest(page)
        assert waterfall.bounding_box() == pytest.approx(before, abs=1)  # pixels


def test_a_group_that_was_opened_stays_open_while_its_controls_move(browser: Browser, server: str) -> None:
    from playwright.sync_api import expect

    with opened(browser, f"{server}/?scenario=tpc-b") as (page, _):
        page.get_by_text("Replacement and hottest blocks").click()
        field = page.get_by_role("textbox", name=re.compile("Touch count at the midpoint"))
        field.fill("0")
        field.press("Enter")
        page.get_by_text("1 changed", exact=True).first.wait_for()
        expect(field).to_be_visible()
        page.get_by_text("was 1", exact=False).first.wait_for()


def test_the_segment_of_an_update_is_drawn(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/?scenario=rahn-pctfree-16k-10") as (page, _):
        reads(page, "Migrated rows", "158,626")
        open_tab(page, "Segment")
        page.get_by_text(re.compile("With PCTFREE 35 or higher, no row migrates")).last.wait_for()
        for key, drawn, least in (
            ("segment_blocks", ".barlayer .point", 40),
            ("segment_map_before", ".scatterlayer .point", 184),
            ("segment_map_after", ".scatterlayer .point", 400),
            ("segment_by_pctfree", ".scatterlayer .js-line", 5),
            ("elapsed_by_pctfree", ".scatterlayer .js-line", 5),
        ):
            marks(page, key, drawn, least)
            page.locator(f".st-key-{key} .legend .traces").first.wait_for(state="attached")
        slider = page.get_by_role("slider", name=re.compile("PCTFREE"))
        slider.focus()
        slider.press("ArrowRight")
        fewer = run(load("rahn-pctfree-16k-10", ["table.pctfree_percent=11"]))
        assert fewer.segment is not None
        reads(page, "Migrated rows", f"{fewer.segment.migrated_rows:,.0f}")
        now = f"now: {show_seconds(fewer.time.elapsed_s)}"
        page.locator(".st-key-elapsed_by_pctfree").get_by_text(now).first.wait_for()


DRAWN = {
    "magni-dd-fs-10000": ("Device", (
        ("device_sizes_disk", ".barlayer .point", 4), ("device_queue_disk", ".scatterlayer .js-line", 1),
        ("device_await_disk", ".scatterlayer .js-line", 2), ("device_util_disk", ".scatterlayer .js-line", 1),
        ("device_rate_disk", ".scatterlayer .js-line", 1), ("device_timeline", ".barlayer .point", 1),
    )),
    "tpc-b&workload.transactions=300&workload.precision_percent=50": ("Load", (
        ("load_throughput", ".scatterlayer .js-line", 2), ("load_response", ".scatterlayer .js-line", 1),
        ("load_resources", ".barlayer .point", 6),
    )),
}  # fmt: skip
"""Scenario -> a tab, and how many marks its charts have at least."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("query", DRAWN)
def test_the_charts_of_a_tab_are_drawn(browser: Browser, server: str, query: str) -> None:
    tab, charts = DRAWN[query]
    with opened(browser, f"{server}/?scenario={query}") as (page, _):
        page.get_by_test_id("stMetric").first.wait_for()
        open_tab(page, tab)
        for key, drawn, least in charts:
            marks(page, key, drawn, least)
