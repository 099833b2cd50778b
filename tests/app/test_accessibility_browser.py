"""Nothing of our own pages is a serious fault for a reader who cannot see well, by axe, wide and narrow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.app.windows import at_rest, opened
from tests.patience import LIMIT_MS, LIMIT_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WIDE, NARROW = ({"width": width, "height": 900} for width in (1400, 390))
PAGES: Final = (
    "", "?scenario=oltp-nvme&workload.users=400&tablespace.block_size_bytes=16384", "compare", "sweep", "my-system",
    "evidence", "about", "mechanism-disk-latency",
)  # fmt: skip
OF_STREAMLIT: Final = ("stSidebarNav", "stHeader", "stToolbar")
"""Menus that are not ours; the rest is what we ask Streamlit for."""
FAULTS: Final = """() => axe
.run({exclude: OF_STREAMLIT.map(id => [`[data-testid=${id}]`])}, {resultTypes: ["violations"]})
.then(found => found.violations.filter(fault => ["serious", "critical"].includes(fault.impact))
.flatMap(fault => fault.nodes.map(node => `${fault.id}: ${node.html.slice(0, 150)}`)))""".replace(
    "OF_STREAMLIT", str([*OF_STREAMLIT])
)


def faults(page: Page) -> list[str]:
    """What axe calls serious or critical."""
    found: list[str] = page.evaluate(FAULTS)
    return found


@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_no_serious_fault(browser: Browser, server: str, address: str) -> None:
    view: Any = WIDE
    with opened(browser, f"{server}/{address}", view=view) as (page, _):
        page.get_by_test_id("stMainBlockContainer").wait_for()
        at_rest(page)
        page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')", timeout=LIMIT_MS)
        page.evaluate(AXE_SCRIPT)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                deadline_s = time.monotonic() + LIMIT_S / 10
                while found := faults(page):  # what scrolls at this width can be reached once it was looked at
                    assert time.monotonic() < deadline_s, (size, scheme, found)
                    page.wait_for_timeout(500)


def test_axe_finds_what_nobody_can_read(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/about") as (page, _):
        page.get_by_test_id("stMainBlockContainer").wait_for()
        at_rest(page)
        page.evaluate("document.querySelector('[data-testid=stMain] p').style.color = 'rgb(240, 240, 240)'")
        page.evaluate(AXE_SCRIPT)
        assert any(fault.startswith("color-contrast") for fault in faults(page))
