"""The pictures of README and docs, made from the page as it is: python3 dev.py screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.screenshots]

DOCS = Path(__file__).resolve().parents[2] / "docs"
VIEW = {"width": 1280, "height": 720}
WAIT_MS = 90_000
CHANGED = "tablespace.block_size_bytes=16384&workload.arraysize_rows=15"
TAB = {"programs": "Programs"}
"""File -> tab that is opened for it."""
# File -> address, and text that is there when the page is done.
PICTURES = {
    "programs": ("/?scenario=batch-beside-users", "simulated"),
    "what-if": (f"/?scenario=rahn-full-scan&{CHANGED}", "Elapsed"),
    "row-migration": ("/mechanism-row-migration", "Open the scenario"),
    "assm-search": ("/mechanism-assm-search", "Open the scenario"),
    "evidence": ("/evidence", "printed"),
    "sweep": ("/sweep?sweep=block-size-mbrc", "all answers are stored"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, browser: Browser, server: str) -> None:
    address, there = PICTURES[name]
    context = browser.new_context(viewport=VIEW, color_scheme="light")  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    try:
        page = context.new_page()
        page.goto(server + address)
        page.get_by_text(there).first.wait_for()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
        if name in TAB:
            tab = page.get_by_role("tab", name=TAB[name])
            tab.click()
            tab.evaluate("tab => tab.scrollIntoView()")
        page.wait_for_timeout(1500)  # charts paint after the script has ended
        page.screenshot(path=DOCS / f"{name}.png")
    finally:
        context.close()
