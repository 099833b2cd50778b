"""A window of a real browser on one of the pages, and every address that it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tests.patience import LIMIT_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SCREEN: Final = {"width": 1280, "height": 720}
STILL: Final = "reduce"
"""As a reader who wants no motion: without a graphics card, what moves while a page loads is a quarter of its time."""


@contextmanager
def opened(
    browser: Browser, address: str, *, dark: bool = False, view: Mapping[str, int] = SCREEN
) -> Iterator[tuple[Page, list[str]]]:
    """A page of its own, with a session of its own; nothing but its own server may be among the addresses."""
    size: Any = dict(view)
    page = _context(browser, dark).new_page()
    page.set_viewport_size(size)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(address)
        yield page, asked
    finally:
        page.close()


@cache
def _context(browser: Browser, dark: bool) -> BrowserContext:
    """One for all pages, so that the scripts of the page are fetched and compiled once."""
    context = browser.new_context(color_scheme="dark" if dark else "light", reduced_motion=STILL)
    context.set_default_timeout(LIMIT_MS)
    return context
