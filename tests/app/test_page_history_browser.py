"""The browser's Back and Forward buttons after a reload: each press comes to the screen that was left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

import pytest

from blocktime.app import mechanisms
from blocktime.app.mechanisms.lesson import lesson_of
from tests.app.windows import at_rest, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
EARLIER: Final = "?scenario=rahn-full-scan"
LEFT: Final = "?scenario=full-scan-nvme&table.row_bytes=140"
FAULT: Final = "[data-testid=stException], [data-testid=stAlert]"


def screen(page: Page) -> tuple[str, dict[str, str]]:
    """Path and query once nothing is drawn any more: the page writes them of what it shows."""
    at_rest(page)
    at = urlsplit(page.url)
    return at.path, dict(parse_qsl(at.query))


def comes_back(page: Page, *screens: tuple[str, dict[str, str]]) -> None:
    """Reload the last of the *screens*, then press Back to the first and Forward to the last again."""
    page.reload()
    assert screen(page) == screens[-1]
    for before in reversed(screens[:-1]):
        page.go_back()
        assert screen(page) == before
    for after in screens[1:]:
        page.go_forward()
        assert screen(page) == after
    assert page.locator(FAULT).count() == 0


def test_back_and_forward_pass_by_the_sweep_at_one_press(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{EARLIER}") as (page, _):
        earlier = screen(page)
        page.goto(f"{server}/{LEFT}")
        first = screen(page)
        page.get_by_role("button", name="Sweep this scenario", exact=True).click()
        page.wait_for_url(re.compile(r"/sweep\?.*vary="))
        sweep = screen(page)
        assert sweep[1]["table.row_bytes"] == "140"
        comes_back(page, earlier, first, sweep)


def test_back_and_forward_pass_by_the_comparison_at_one_press(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{LEFT}") as (page, _):
        first = screen(page)
        page.get_by_role("button", name="Add to comparison", exact=True).click()
        page.get_by_role("button", name=re.compile("^Compare [0-9]")).click()
        page.wait_for_url(re.compile(r"/compare\?base="))
        comes_back(page, first, screen(page))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("title", ["Evidence", "My system"])
def test_back_passes_by_a_page_of_the_menu(browser: Browser, server: str, title: str) -> None:
    with opened(browser, f"{server}/{LEFT}") as (page, _):
        first = screen(page)
        page.get_by_role("link", name=title, exact=True).first.click()
        page.wait_for_url(re.compile(title.lower().replace(" ", "-")))
        comes_back(page, first, screen(page))


def test_back_and_forward_move_the_controls_of_a_lesson(browser: Browser, server: str) -> None:
    lesson = lesson_of(next(iter(mechanisms.PAGES)))
    with opened(browser, f"{server}/{lesson.path}") as (page, _):
        slider = page.get_by_role("slider").first
        slider.wait_for()
        screens, values = [screen(page)], [slider.get_attribute("aria-valuenow")]
        for _ in range(2):
            slider.press("ArrowRight")
            page.wait_for_url(lambda address, before=screens[-1]: dict(parse_qsl(urlsplit(address).query)) != before[1])
            screens.append(screen(page))
            values.append(slider.get_attribute("aria-valuenow"))
        page.go_back()
        assert screen(page) == screens[1]
        assert slider.get_attribute("aria-valuenow") == values[1]
        page.go_forward()
        assert screen(page) == screens[2]
        comes_back(page, *screens)
        assert page.get_by_role("slider").first.get_attribute("aria-valuenow") == values[2]
