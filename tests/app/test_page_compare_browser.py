"""Journeys through the page that compares in chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest

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
