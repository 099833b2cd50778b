"""Moves by chance over all pages, links, reloads and reports between: no fault is shown, and no field is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as asked

from blocktime.app.reports.written import written
from blocktime.app.session import navigation
from blocktime.scenarios import library, load, run
from tests.app import windows
from tests.app.scenarios_at_random import changed
from tests.app.windows import at_rest
from tests.known_by_law import KNOWN
from tests.patience import LIMIT_MS
from tests.whole import SEED, quick

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
MOVES: Final = quick(4, 300)
FIELDS: Final = {
    "table.row_bytes": ("140", "90.5"), "disk.iops_limit": ("5000", "13600"), "workload.users": ("4", "16"),
    "disk.throughput_limit_bytes_per_s": ("131072000",), "workload.think_s": ("301", "4000"),
    "instance.buffer_cache_bytes": ("4G", "1234567890"), "host.cpus": ("8",), "table.rows": ("2000000",),
}  # fmt: skip
FAULT: Final = "[data-testid=stException]"


def query(page: Page) -> dict[str, str]:
    """What the address says of the scenario."""
    found = parse_qsl(urlsplit(page.url).query, keep_blank_values=True)
    return {key: value for key, value in found if key in ("scenario", "s") or "." in key}


def whole(of: dict[str, str]) -> dict[str, str]:
    """What an address says, with the scenario that it need not name."""
    return of if "s" in of else {"scenario": "full-scan-nvme", **of}


class Moves:
    """One browser window and the moves that a reader makes in it."""

    def __init__(self, page: Page, server: str, chance: Random, report: Path) -> None:
        self.page, self.server, self.chance, self.report = page, server, chance, report
        self.lost: list[str] = []

    def every(self) -> list[Callable[[], None]]:
        """What can be done anywhere."""
        return [
            self.link,
            self.link,
            self.sweep,
            self.sweep,
            self.reload,
            self.back,
            self.menu,
            self.sample,
            self.press,
        ]

    def link(self) -> None:
        """A link with some fields opens a page of its own."""
        name = self.chance.choice(sorted(set(KNOWN) & set(library())))
        chosen = self.chance.sample(sorted(FIELDS), 3)
        fields = {path: self.chance.choice(FIELDS[path]) for path in chosen}
        self.page.goto(f"{self.server}/?{urlencode({'scenario': name, **fields})}")

    def sweep(self) -> None:
        """The button takes every field along."""
        button = self.page.get_by_role("button", name="Sweep this scenario", exact=True)
        if not button.is_visible():
            self.link()
            at_rest(self.page)
        if self.page.locator("[data-testid=stAlert]").count():
            return  # the link has a field that this scenario does not take
        left = query(self.page)
        button.click()
        self.page.wait_for_url(re.compile(r"/sweep\?.*vary="))
        at_rest(self.page)
        if whole(query(self.page)) != whole(left):
            self.lost.append(f"{left} arrived as {query(self.page)}")

    def reload(self) -> None:
        """The same screen comes again."""
        left = query(self.page)
        self.page.reload()
        at_rest(self.page)
        if query(self.page) != left:
            self.lost.append(f"{left} was reloaded as {query(self.page)}")

    def back(self) -> None:
        """The browser's own button."""
        self.page.go_back()
        if not self.page.url.startswith(self.server):  # before the first page
            self.link()

    def menu(self) -> None:
        """Another page, by its name."""
        title, _ = navigation.PAGES[self.chance.choice(list(navigation.PAGES))]
        self.page.get_by_role("link", name=title, exact=True).first.click()

    def sample(self) -> None:
        """A report of a user who thinks for minutes, and the button that opens it in What if."""
        self.page.goto(f"{self.server}/{navigation.MY_SYSTEM}")
        self.page.locator("input[type=file]").first.set_input_files(self.report)
        self.page.get_by_role("button", name="Open in What if", exact=True).wait_for()
        at_rest(self.page)  # a click while the page is drawn may be lost
        self.page.get_by_role("button", name="Open in What if", exact=True).click()
        self.page.get_by_role("button", name="Sweep this scenario", exact=True).wait_for()

    def press(self) -> None:
        """A button of the page, whichever it is."""
        buttons = self.page.locator("[data-testid=stMain] button:visible, [data-testid=stSidebar] button:visible")
        if handles := buttons.element_handles():
            self.chance.choice(handles).evaluate("button => button.isConnected && button.click()")


def test_moves_by_chance_show_no_fault_and_lose_no_field(browser: object, server: str, tmp_path: Path) -> None:
    report = tmp_path / "awr.txt"
    small = ["instance.buffer_cache_bytes=256M", "workload.data_bytes=3500M"]
    busy = load("oltp-nvme", ["workload.users=20000", "workload.think_s=314", "disk.use=azure-p60", *small])
    report.write_text(written(run(busy), "awr", busy), encoding="utf-8")
    done: list[str] = []
    with windows.opened(browser, f"{server}/") as (page, _):  # type: ignore[arg-type]
        at_rest(page)
        page.set_default_timeout(LIMIT_MS)
        moves = Moves(page, server, Random(SEED), report)
        for _ in range(MOVES):
            move = moves.chance.choice(moves.every())
            done.append(f"{move.__name__} from {page.url}")
            move()
            at_rest(page)
            assert page.locator(FAULT).count() == 0, (page.locator(FAULT).first.inner_text(), done[-4:])
    assert moves.lost == []


@asked(max_examples=quick(1, 20), deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(changed())
def test_what_a_browser_sweeps_is_what_it_showed(
    browser: object, server: str, scenario: tuple[str, dict[str, str]]
) -> None:
    name, changes = scenario
    left = {"scenario": name, **changes}
    with windows.opened(browser, f"{server}/?{urlencode(left)}") as (page, _):  # type: ignore[arg-type]
        at_rest(page)
        shown = whole(query(page))
        assert "s" in shown or shown == left
        page.reload()
        at_rest(page)
        assert whole(query(page)) == shown
        page.get_by_role("button", name="Sweep this scenario", exact=True).click()
        page.wait_for_url(re.compile(r"/sweep\?.*vary="))
        at_rest(page)
        assert whole(query(page)) == shown
        page.reload()
        at_rest(page)
        sweep = page.url
        assert whole(query(page)) == shown
        page.go_back()
        at_rest(page)
        assert urlsplit(page.url).path == "/"
        assert whole(query(page)) == shown
        page.go_forward()
        at_rest(page)
        assert page.url == sweep
        assert page.locator(FAULT).count() == 0
