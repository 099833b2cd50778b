"""Journeys through the page that compares in chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.app.windows import LIMIT_MS, SCREEN, on_screen, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

VIEWS = {"screen": SCREEN, "tablet": {"width": 820, "height": 1180}}
SCAN = "rahn-full-scan"
LARGE = f"{SCAN}&tablespace.block_size_bytes=16384"
FOUR = {"base": SCAN, "b": LARGE, "c": f"{SCAN}&disk.use=nvme&called=On NVMe", "d": "index-range-scan"}


def compared(page: Page) -> None:
    page.locator(".st-key-compare_bars .barlayer .point").first.wait_for()
    page.get_by_test_id("stTable").first.wait_for()


def test_from_the_first_page_to_a_comparison_and_back(browser: Browser, server: str) -> None:
    from playwright.sync_api import expect

    with opened(browser, f"{server}/?scenario=rahn-full-scan&tablespace.block_size_bytes=16384") as (page, _):
        page.get_by_role("button", name="Add to comparison").click()
        page.get_by_role("button", name="Compare 2").click()
        page.wait_for_url(re.compile("/compare"))
        compared(page)
        base, large = (
            run(load(SCAN, settings)).time.elapsed_s for settings in ([], ["tablespace.block_size_bytes=16K"])
        )
        page.get_by_text(f"No difference: {show_seconds(base)} before, {show_seconds(large)} now").wait_for()
        link = page.url
        assert parse_qs(urlsplit(link).query) == {"base": [SCAN], "b": [LARGE]}
        page.get_by_role("button", name="Edit").nth(1).click()
        name = page.get_by_role("textbox", name="Name of B")
        name.fill("Large blocks")
        name.press("Enter")
        page.wait_for_url(re.compile("called%3DLarge"))
        page.get_by_role("button", name="Open in What if").last.click()
        page.wait_for_url(re.compile(r"/(what-if)?\?.*block_size_bytes=16384"))
        page.get_by_role("link", name="Compare", exact=True).click()
        expect(page.get_by_text("Large blocks").first).to_be_visible(timeout=LIMIT_MS)
    with opened(browser, link) as (page, _):
        compared(page)
        page.get_by_text(f"No difference: {show_seconds(base)} before, {show_seconds(large)} now").wait_for()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_four_scenarios_are_legible(browser: Browser, server: str, dark: bool, view: str) -> None:
    from playwright.sync_api import expect

    with opened(browser, f"{server}/compare?{urlencode(FOUR)}", dark=dark, view=VIEWS[view]) as (page, asked):
        compared(page)
        chart = page.locator(".st-key-compare_bars")
        expect(chart).to_have_count(1, timeout=LIMIT_MS)  # the one before may still fade
        for title in ("Block size 16K", "On NVMe"):
            chart.get_by_text(re.compile(title)).first.wait_for()
        if view == "screen":
            for place in (chart, page.get_by_role("tab", name="B against A"), page.get_by_role("tab", name="Numbers")):
                on_screen(place, VIEWS[view]["height"])
        page.wait_for_function(
            "() => ![...document.querySelectorAll('[data-testid=stTable] td')].some("
            "e => e.scrollWidth > e.clientWidth + 1)"
        )
        own = urlsplit(server).netloc
        assert [url for url in asked if urlsplit(url).netloc not in ("", own)] == []
