"""A window of a real browser on one of the pages, and every address that it asks for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tests.patience import LIMIT_MS, LIMIT_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request

SCREEN: Final = {"width": 1280, "height": 720}
STILL: Final = "reduce"
"""As a reader who wants no motion: without a graphics card, what moves while a page loads is a quarter of its time."""


@contextmanager
def opened(
    browser: Browser, address: str, *, dark: bool = False, view: Mapping[str, int] = SCREEN
) -> Iterator[tuple[Page, list[str]]]:
    """A page with a session of its own; nothing but its own server may be among the addresses.

    It is in a tab that an earlier test has left, whose process has compiled the scripts of the page: that halves
    the time of the browser. A tab in which a test failed is not used again.
    """
    context, left = _tabs(browser)
    page = left.pop() if left else context.new_page()
    size: Any = dict(view)
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion=STILL)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    page.goto(address)
    try:
        yield page, asked
    except BaseException:
        page.close()
        raise
    page.remove_listener("request", note)
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    left.append(page)


@cache
def _tabs(browser: Browser) -> tuple[BrowserContext, list[Page]]:
    """One context for all pages, and its tabs that nobody uses."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(LIMIT_MS)
    return context, []


def on_screen(place: Locator, height: float, part: float = 1.0) -> None:
    """Wait until a *part* of it stands within the first screen: what is drawn above it may still move it."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        box = place.bounding_box()
        if box and box["y"] >= 0 and box["y"] + part * box["height"] <= height:
            return
        assert time.monotonic() < deadline, box
        place.page.wait_for_timeout(50)


def open_tab(page: Page, name: str) -> None:
    """Click a tab once nothing is being drawn: a click meanwhile may meet the tabs of the drawing before."""
    at_rest(page)
    page.get_by_role("tab", name=name).click()


HEARD: Final = """async () => {
  for (let time = 0; time < 3; time++) {
    await new Promise(next => setTimeout(next, 50));
    await fetch('/_stcore/health');
  }
}"""
"""The server has answered three times: it has heard of all that was done before, however busy the machine is."""


def at_rest(page: Page) -> None:
    """Wait until all that was asked for is drawn: what is typed meanwhile may be drawn over."""
    page.locator("[data-testid=stApp]").wait_for()
    page.evaluate(HEARD)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def holds(place: Locator, so: str) -> None:
    """Wait until *so*, a function of an element in JavaScript, is true of it."""
    deadline = time.monotonic() + LIMIT_S
    while not place.evaluate(so):
        assert time.monotonic() < deadline, so
        place.page.wait_for_timeout(50)
