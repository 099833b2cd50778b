"""The pages about mechanisms in chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from blocktime.app import mechanisms
from blocktime.app.mechanisms.lesson import lesson_of
from blocktime.scenarios import load, run
from tests.app.windows import SCREEN, at_rest, on_screen, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from blocktime.app.mechanisms.lesson import Lesson

pytestmark = pytest.mark.browser

TABLET = {"width": 820, "height": 1180}
WIDER = """['[data-testid=stMain]', '.katex-display', '[data-testid=stPlotlyChart]']
.flatMap(name => [...document.querySelectorAll(name)]).filter(e => e.scrollWidth > e.clientWidth + 1).length"""


def drawn(page: Page, charts: int) -> None:
    """Wait until that many charts have traces."""
    page.locator(".js-plotly-plot .plot-container").first.wait_for()
    at_rest(page)
    show = page.get_by_role("button", name="Show the answer")
    if charts > 1 and show.count():
        show.click()
    for place in range(charts):
        page.locator(".js-plotly-plot .plot-container").nth(place).wait_for()
    page.locator(".js-plotly-plot .trace, .js-plotly-plot .barlayer .point").first.wait_for(state="attached")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", mechanisms.PAGES)
def test_a_page_draws_its_charts_without_a_complaint_on_screen_and_tablet(
    browser: Browser, server: str, name: str
) -> None:
    lesson = lesson_of(name)
    with opened(browser, f"{server}/{lesson.path}") as (page, asked):
        page.get_by_role("heading", name=lesson.title, exact=True).wait_for()
        _whole(page, lesson, SCREEN)
        page.set_viewport_size(TABLET)  # type: ignore[arg-type]
        _whole(page, lesson, TABLET)
        own = urlsplit(server).netloc
        assert [url for url in asked if urlsplit(url).netloc not in ("", own)] == []


def test_a_page_is_dark_where_the_reader_likes_it_so(browser: Browser, server: str) -> None:
    lesson = lesson_of(next(iter(mechanisms.PAGES)))
    with opened(browser, f"{server}/{lesson.path}", dark=True) as (page, _):
        _whole(page, lesson, SCREEN)
        fill = page.locator(".js-plotly-plot .xtick text").first.evaluate("e => getComputedStyle(e).fill")
        assert min(int(level) for level in re.findall(r"\d+", fill)[:3]) > 192


def _whole(page: Page, lesson: Lesson, view: dict[str, int]) -> None:
    """All charts are there, nothing is too wide, nothing complains, and the picture is on the first screen."""
    drawn(page, 1 + len(lesson.answer(lesson.start).curves))
    assert page.locator(".katex").count() >= 1
    assert page.locator(".katex-error").count() == 0
    assert page.get_by_test_id("stAlert").count() == 0
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_text("SyntaxError").count() == 0
    page.wait_for_function(f"() => {WIDER} === 0")  # charts follow the width of the window
    on_screen(page.get_by_test_id("stPlotlyChart").first, view["height"], part=0.6)


def test_moving_a_control_by_keyboard_changes_chart_words_and_address(browser: Browser, server: str) -> None:
    lesson = lesson_of("disk_latency")
    with opened(browser, f"{server}/{lesson.path}") as (page, _):
        drawn(page, 2)
        slider = page.get_by_role("slider", name=re.compile("Call size"))
        slider.focus()
        slider.press("ArrowRight")
        answer = lesson.answer({**lesson.start, "workload.block_size_bytes": 16384})
        page.get_by_text(answer.curves[0].says).wait_for()
        page.wait_for_url(re.compile("block_size_bytes=16384"))
        link = page.url
    with opened(browser, link) as (page, _):
        page.get_by_text(answer.curves[0].says).wait_for()


def test_the_scenario_opens_in_what_if_and_in_a_new_tab(browser: Browser, server: str) -> None:
    path = mechanisms.PAGES["migration"][1]
    wanted = run(load("rahn-pctfree-8k-10", ["table.pctfree_percent=20"]))
    assert wanted.segment is not None
    moved = f"{wanted.segment.migrated_rows:,.0f}"
    with opened(browser, f"{server}/{path}?table.pctfree_percent=20") as (page, _):
        drawn(page, 2)
        link = page.get_by_role("link", name=re.compile("In a new tab")).get_attribute("href")
        assert link is not None
        page.get_by_role("button", name=re.compile("Open the scenario")).click()
        page.locator(".st-key-numbers td").get_by_text(moved).first.wait_for()
        page.wait_for_url(re.compile("pctfree_percent=20"))
    assert parse_qs(urlsplit(link).query)["table.pctfree_percent"] == ["20"]
    with opened(browser, f"{server}/{link.removeprefix('./')}") as (page, _):
        page.locator(".st-key-numbers td").get_by_text(moved).first.wait_for()
