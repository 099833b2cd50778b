"""Links, files and what happens to them in chromium: the back button, two tabs, a server that was started anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from blocktime.app.command.serve import _free_port
from blocktime.app.controls import user_files
from blocktime.app.session import uploads
from blocktime.model.units import show_seconds
from blocktime.scenarios import run
from tests.app.servers import served
from tests.app.windows import at_rest, opened
from tests.command_line import CommandLine
from tests.patience import LIMIT_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Download, Locator, Page

pytestmark = pytest.mark.browser

SCAN = "?scenario=rahn-full-scan"
FETCHES = f"{SCAN}&workload.arraysize_rows=15"
EVIL = "<img src=x onerror=hit=1>![x](https://example.org/x.png) www.attacker.example x@y.example"
LINKS = "a[href^='http'][href*='attacker'], a[href^='mailto:']"
OWN = f"""title = '{EVIL}'
[table]
rows = 100_000
[workload]
kind = "transactions"
transactions = 200
[[workload.mix]]
name = "<img src=x onerror=hit=1>"
gets = 30
[[workload.mix]]
name = "![x](https://example.org/y.png)"
weight = 2
"""


def reads(page: Page, *settings: str, name: str = "rahn-full-scan") -> None:
    """The screen shows the answer of that scenario with those settings."""
    from playwright.sync_api import expect

    expected = show_seconds(run(user_files.load(name, settings)).time.elapsed_s)
    of_elapsed = page.get_by_test_id("stMetric").filter(has_text=re.compile("^(Elapsed|Response)"))
    expect(of_elapsed.get_by_test_id("stMetricValue").first).to_have_text(expected, timeout=LIMIT_MS)


def block_size(page: Page) -> Locator:
    """The control; while the screen is drawn anew elsewhere, the one that goes stands beside it for a moment."""
    return page.locator("[data-stale=false]").get_by_role("slider", name=re.compile("Block size"))


def stands_at(page: Page, size: str) -> None:
    from playwright.sync_api import expect

    expect(block_size(page)).to_have_attribute("aria-valuetext", size, timeout=LIMIT_MS)


def moved(page: Page, key: str, expected: str) -> None:
    """Press *key* on the block size, until the screen shows it."""
    block_size(page).focus()
    block_size(page).press(key)
    reads(page, f"tablespace.block_size_bytes={expected}")
    page.wait_for_url(re.compile(f"block_size_bytes={expected}"))


def test_the_screen_follows_the_back_and_forward_buttons(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{SCAN}") as (page, _):
        reads(page)
        moved(page, "ArrowRight", "16384")
        moved(page, "ArrowRight", "32768")
        page.go_back()
        reads(page, "tablespace.block_size_bytes=16384")
        stands_at(page, "16K")
        page.go_back()
        reads(page)
        stands_at(page, "8K")
        page.go_forward()
        reads(page, "tablespace.block_size_bytes=16384")
        moved(page, "End", "32768")
        page.get_by_role("link", name="About").click()
        page.wait_for_url(re.compile("/about"))
        page.go_back()
        reads(page, "tablespace.block_size_bytes=32768")


def test_two_tabs_have_a_screen_each(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{FETCHES}") as (first, _), opened(browser, f"{server}/{SCAN}") as (second, _):
        reads(first, "workload.arraysize_rows=15")
        reads(second)
        moved(second, "ArrowRight", "16384")
        first.bring_to_front()
        moved_first = first.get_by_role("textbox", name=re.compile("Array size"))
        moved_first.fill("30")
        moved_first.press("Enter")
        reads(first, "workload.arraysize_rows=30")
        assert "block_size" not in first.url
        reads(second, "tablespace.block_size_bytes=16384")
        assert "arraysize" not in second.url


def test_a_link_is_copied_or_shown_and_opens_the_screen_elsewhere(browser: Browser, server: str) -> None:
    with opened(browser, f"{server}/{FETCHES}") as (page, _):
        reads(page, "workload.arraysize_rows=15")
        page.get_by_role("button", name="Copy link").click()
        page.get_by_role("button", name="Link copied").wait_for()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == page.url
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
        page.get_by_role("button", name="Link copied").wait_for(state="detached")
        shown: list[str] = []
        page.once("dialog", lambda dialog: (shown.append(dialog.default_value), dialog.dismiss()))
        with page.expect_event("dialog"):
            page.get_by_role("button", name="Copy link").click()
        assert shown == [page.url]
    with opened(browser, link) as (page, _):
        reads(page, "workload.arraysize_rows=15")


def choose(page: Page, file: Path) -> None:
    """Open a file; the control is a fresh one after each."""
    at_rest(page)
    page.locator("input[type=file]").set_input_files(file)


def downloaded(page: Page, label: str) -> Download:
    """What a button brings, after which its popover is closed.

    A button that is drawn anew while it is clicked knows no file any more, and a browser that is busy drawing cancels
    a download now and then: both are asked again, as a reader would.
    """
    for _ in range(4):
        at_rest(page)
        page.get_by_role("button", name="Download", exact=False).first.click()
        button = page.get_by_role("button", name=label)
        button.wait_for()
        at_rest(page)
        downloads: list[Download] = []

        def begins(download: Download, downloads: list[Download] = downloads) -> None:
            downloads.append(download)

        page.on("download", begins)
        button.click()
        button.wait_for(state="hidden")
        page.get_by_text(re.compile("is being downloaded")).first.wait_for()
        at_rest(page)
        for _ in range(100):
            if downloads:
                break
            page.wait_for_timeout(200)
        page.remove_listener("download", begins)
        if downloads and downloads[0].failure() is None:
            return downloads[0]
    raise AssertionError(f"{label} brought no file")


def test_a_file_of_ones_own_makes_the_round_trip(
    browser: Browser, server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine
) -> None:
    files = {"mine": OWN, "typo": "[tabel]\nrows = 1", "large": "#" * 1_000_010}
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    name, *_ = user_files.opened(OWN.encode(), "mine.toml")
    with opened(browser, f"{server}/{SCAN}") as (page, asked):
        reads(page)
        page.get_by_role("button", name="Open a file").click()
        choose(page, tmp_path / "typo.toml")
        page.get_by_text("typo.toml: no section named 'tabel'; did you mean table?").wait_for()
        choose(page, tmp_path / "large.toml")
        page.get_by_text("large.toml: has 1,000,010 bytes; a scenario has at most 1,000,000").wait_for()
        (tmp_path / "huge.toml").write_bytes(b"#" * (uploads.MOST_TRANSFERRED_MB + 1) * 2**20)
        choose(page, tmp_path / "huge.toml")
        page.get_by_text("File must be 20.0MB or smaller").wait_for()
        page.get_by_text("large.toml: has").wait_for(state="hidden")
        choose(page, tmp_path / "typo.toml")
        page.get_by_text("typo.toml: no section named 'tabel'").wait_for()
        page.get_by_text("huge.toml").wait_for(state="hidden")
        reads(page)
        choose(page, tmp_path / "mine.toml")
        reads(page, name=name)
        page.wait_for_url(re.compile(re.escape(user_files.packed_of(name))))
        page.reload()
        reads(page, name=name)
        for tab in page.get_by_role("tab").all():
            tab.click()
            page.get_by_role("tabpanel").first.wait_for()
        kept = {}
        for label in ("Scenario (TOML)", "Result (JSON)", "Report (HTML)"):
            file = downloaded(page, label)
            kept[label] = tmp_path / "kept" / file.suggested_filename
            file.save_as(kept[label])
        assert [file.name for file in kept.values()] == ["mine.toml", "mine-result.json", "mine-report.html"]
        capsys.readouterr()
        assert json.loads(blocktime.prints("run", str(kept["Scenario (TOML)"]), "--json")) == json.loads(
            kept["Result (JSON)"].read_text()
        )
        report = page.context.new_page()
        report.on("request", lambda request: asked.append(request.url))
        report.goto(kept["Report (HTML)"].as_uri())
        report.locator("figure.chart rect").first.wait_for()
        for one in (page, report):
            assert one.evaluate("window.hit") is None
            assert one.locator(LINKS).count() == 0
        report.close()
    assert [url for url in asked if not url.startswith((server, "file:", "blob:", "data:"))] == []


HEARS: Final = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  window.heard = '';
  new MutationObserver(() => {
    window.heard += ` ${app.dataset.testConnectionState} ${app.dataset.testScriptState}`;
  }).observe(app, {attributes: true});
}"""
"""Notes how the page stands to its server from now on: the connection, and whether a run is under way."""


def test_a_server_that_was_started_anew_shows_the_same_and_takes_the_next_click(browser: Browser) -> None:
    port = _free_port()
    with opened(browser, "about:blank") as (page, _):
        with served(port=port) as address:
            page.goto(f"{address}/?scenario=rahn-full-scan&tablespace.block_size_bytes=16384")
            reads(page, "tablespace.block_size_bytes=16384")
            moved(page, "End", "32768")
            reads(page, "tablespace.block_size_bytes=32768")
            before = page.url
            page.evaluate(HEARS)
        with served(port=port):
            page.wait_for_function("() => /CONNECTED running.* CONNECTED notRunning$/.test(window.heard)")
            reads(page, "tablespace.block_size_bytes=32768")
            assert page.url == before
            moved(page, "ArrowLeft", "16384")
