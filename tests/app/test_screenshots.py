"""The pictures of README and docs, made from the page as it is: python3 dev.py screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.pictures import DOCS, PICTURES, digest_of, hold_digest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = [pytest.mark.browser, pytest.mark.screenshots]

WIDTH = 1280
WAIT_MS = 90_000


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, browser: Browser, server: str, tmp_path: Path) -> None:
    picture = PICTURES[name]
    context = browser.new_context(viewport={"width": WIDTH, "height": picture.height}, color_scheme="light")
    context.set_default_timeout(WAIT_MS)
    try:
        page = context.new_page()
        page.goto(server + picture.address)
        if picture.press:
            page.get_by_role("button", name=picture.press).click()
            page.mouse.move(WIDTH - 1, picture.height - 1)  # away from the button, which explains itself
        page.get_by_text(picture.ready).first.wait_for()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
        page.wait_for_timeout(1500)  # charts paint after the script has ended
        page.screenshot(path=DOCS / f"{name}.png")
        hold_digest(DOCS / f"{name}.png", digest_of(picture, tmp_path))
    finally:
        context.close()
