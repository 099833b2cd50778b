"""Many readers at once: each in a browser session of its own moves its slider, and must see its own numbers."""

from __future__ import annotations

import asyncio
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

import psutil  # type: ignore[import-untyped]

from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.app.page_moves import FLAGS, MOVED, MOVED_LABEL
from tests.app.windows import STILL
from tests.patience import LIMIT_MS

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator, Page

SCENARIO: Final = "rahn-full-scan"
OWN: Final = "workload.arraysize_rows"
"""Each session has another value of it, and so other numbers at every place of the slider."""


@dataclass
class Seen:
    """What came of it."""

    moves: int = 0
    wrong: list[str] = field(default_factory=list)
    """Numbers that were not those of the session's own settings, and errors shown or thrown."""
    memory_bytes: list[int] = field(default_factory=list)
    """Of the server, its simulators left out: when all have opened, halfway, and at the end."""


def expected(array: int, pctfree: int) -> dict[str, str]:
    """What a session must read with these settings."""
    result = run(load(SCENARIO, [f"{OWN}={array}", f"{MOVED}={pctfree}"]))
    assert result.logical_io is not None
    return {
        "Elapsed": show_seconds(result.time.elapsed_s),
        "Consistent gets": f"{result.logical_io.consistent_gets:,.0f}",
    }


def server_memory_bytes(address: str) -> int:
    """Resident memory of the server whose command names the port of *address*."""
    port = f"--server.port={urlsplit(address).port}"
    servers = (one for one in psutil.process_iter(["cmdline"]) if port in (one.info["cmdline"] or ()))
    return int(next(servers).memory_info().rss)


def sessions(chromium: str, address: str, many: int, for_s: float) -> Seen:
    """Let so many sessions move their sliders for so long, all at once; the thread that asks may have a loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(_sessions(chromium, address, many, for_s))).result()


async def _sessions(chromium: str, address: str, many: int, for_s: float) -> Seen:
    from playwright.async_api import async_playwright

    seen = Seen()
    arrays = [10 + 7 * number for number in range(many)]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS, timeout=LIMIT_MS)
        pages = [await _opened(browser, address, array, seen) for array in arrays]
        seen.memory_bytes.append(server_memory_bytes(address))
        for _ in range(2):
            until_s = asyncio.get_running_loop().time() + for_s / 2
            await asyncio.gather(
                *(_moves(page, array, until_s, seen) for page, array in zip(pages, arrays, strict=True))
            )
            seen.memory_bytes.append(server_memory_bytes(address))
        await browser.close()
    return seen


async def _opened(browser: Browser, address: str, array: int, seen: Seen) -> Page:
    context = await browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion=STILL)
    context.set_default_timeout(LIMIT_MS)
    page = await context.new_page()
    page.on("pageerror", lambda error: seen.wrong.append(f"array {array}: {error}"))
    await page.goto(f"{address}/?scenario={SCENARIO}&{OWN}={array}")
    await page.get_by_role("slider", name=MOVED_LABEL).first.wait_for()
    return page


async def _moves(page: Page, array: int, until_s: float, seen: Seen) -> None:
    """Press arrows as a reader would, and after each burst compare what the page comes to with the law."""
    chance = random.Random(array)
    slider = page.get_by_role("slider", name=MOVED_LABEL).first
    while True:
        key = chance.choice(("ArrowRight", "ArrowRight", "ArrowLeft"))
        for _ in range(chance.randint(1, 4)):
            await slider.press(key)
        seen.moves += 1
        await _compare(page, array, seen)
        if asyncio.get_running_loop().time() >= until_s:
            return


def number(page: Page, label: str) -> Locator:
    """The value of a tile, or the what-if's cell in the line of the table."""
    tile = page.get_by_test_id("stMetric").filter(has_text=re.compile(rf"^{label}"))
    line = page.locator(".st-key-numbers tr").filter(has_text=re.compile(rf"^\s*{label}"))
    return tile.get_by_test_id("stMetricValue").or_(line.locator("td:nth-child(3)"))


async def _compare(page: Page, array: int, seen: Seen) -> None:
    from playwright.async_api import Error

    slider = page.get_by_role("slider", name=MOVED_LABEL).first
    pctfree = int((await slider.get_attribute("aria-valuetext") or "").rstrip("%"))
    wanted = expected(array, pctfree)
    for label, text in wanted.items():
        shown = number(page, label)
        try:
            await shown.get_by_text(text, exact=True).wait_for(timeout=LIMIT_MS)
        except Error:
            seen.wrong.append(f"array {array}, PCTFREE {pctfree}: {label} {await shown.all_inner_texts()}, not {text}")
    errors = await page.locator("[data-testid=stException], [data-testid=stAlert]").all_inner_texts()
    seen.wrong += [f"array {array}, PCTFREE {pctfree}: {error}" for error in errors]
    held = parse_qs(urlsplit(page.url).query).get(OWN)
    if held != [str(array)]:
        seen.wrong.append(f"array {array}: the address holds {held}")
