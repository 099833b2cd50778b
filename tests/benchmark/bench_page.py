"""What a move of a control costs on the what-if page, how soon it is painted, and many readers at once.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_page [reruns|painted|ready|readers] [SECONDS]``.
Judges nothing. Every figure is held against a page that does nothing, measured in the same run and in turns.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import pytest

from tests.app.servers import served
from tests.benchmark.figures import ROOT, Figure, print_all

MOVES = 50
READERS = 20
READ_FOR_S = 120.0
STARTS = 3
STARTS_WITHIN_S = 60
SCENARIOS = ("rahn-full-scan", "rahn-pctfree-16k-10")
READY = "[data-testid=stMetricValue]"


def load_average() -> Figure:
    """How busy the machine is."""
    return Figure("load average of the last minute", os.getloadavg()[0], "")


def streamlit(script: Path | str) -> Callable[[int], list[str]]:
    """What Python is told to serve a page with Streamlit alone, as ours is."""

    def command(port: int) -> list[str]:
        options = [
            "--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true",
            "--server.fileWatcherType=none", "--browser.gatherUsageStats=false",
        ]  # fmt: skip
        return ["-m", "streamlit", "run", str(script), *options]

    return command


def ours(port: int) -> list[str]:
    """What Python is told to serve our page, as a reader starts it."""
    return ["-m", "blocktime", "app", "--no-browser", "--port", str(port)]


def browser_path() -> str:
    """Path of chromium on this machine."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("there is no chromium on PATH")
    return found


def reruns() -> list[Figure]:
    """CPU of a rerun by Streamlit's test client."""
    from tests.app.page_moves import reruns as measured

    found = [load_average()]
    for name in SCENARIOS:
        taken = measured(MOVES // 2, scenario=name)
        empty, fresh, cached = (median(each) for each in (taken.empty, taken.fresh, taken.cached))
        what = f"{name}, {taken.controls} controls"
        found += [
            Figure(f"{what}: an empty page with as many sliders, CPU", 1e3 * empty, "ms"),
            Figure(f"{what}: a fresh answer, CPU", 1e3 * fresh, "ms"),
            Figure(f"{what}: a fresh answer over the empty page", fresh / empty, "x", 4),
            Figure(f"{what}: a known answer over the empty page", cached / empty, "x", 2.5),
        ]
    return found


def painted() -> list[Figure]:
    """From the key press to the paint in a real browser."""
    from playwright.sync_api import sync_playwright

    from tests.app.page_moves import FLAGS, MOVED_LABEL, REFERENCE, Watched, in_turns, there_and_back

    found = [load_average()]
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder, "reference.py")
        script.write_text(REFERENCE)
        with served(streamlit(script)) as theirs, served(ours) as our_page:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
            pages = {
                "reference": Watched(browser, theirs, "Slider 0"),
                "what if": Watched(browser, our_page, MOVED_LABEL, "Consistent gets"),
            }
            in_turns(pages, ["ArrowRight"] * 3)
            taken = in_turns(pages, list(there_and_back(MOVES)))
            browser.close()
    for what in ("number", "chart", "both"):
        of = {name: sorted(move[what] for move in moves) for name, moves in taken.items()}
        for said, read in (("median", median), ("p95", lambda values: quantiles(values, n=20)[-1])):
            figures = {name: read(values) for name, values in of.items()}
            found += [Figure(f"{name}: {what} painted, {said} of {MOVES}", ms, "ms") for name, ms in figures.items()]
            found.append(
                Figure(
                    f"{what} painted, {said}: over the reference", figures["what if"] / figures["reference"], "x", 2.5
                )
            )
    return found


def ready() -> list[Figure]:
    """From the start of the process to the first number painted."""
    from playwright.sync_api import sync_playwright

    from tests.app.page_moves import FLAGS, REFERENCE

    taken: dict[str, list[float]] = {"what if": [], "reference": []}
    found = [load_average()]
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder, "reference.py")
        script.write_text(REFERENCE)
        commands = {"what if": ours, "reference": streamlit(script)}
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        for _ in range(STARTS):
            for name, command in commands.items():
                page = browser.new_page()
                began = time.monotonic()
                with served(command) as address:
                    page.goto(address)
                    page.locator(READY).first.wait_for(timeout=1000 * STARTS_WITHIN_S)
                    taken[name].append(time.monotonic() - began)
                    page.close()
        browser.close()
    own_s, reference_s = (median(taken[name]) for name in ("what if", "reference"))
    return [
        *found,
        Figure("cold server: the first number painted", own_s, "s", 5),
        Figure("cold server: the same of four sliders and a chart", reference_s, "s"),
        Figure("cold server: their ratio", own_s / reference_s, "x"),
    ]


def readers(for_s: float = READ_FOR_S) -> list[Figure]:
    """Many browser sessions at once, each with settings of its own."""
    from tests.app.page_sessions import sessions

    before = load_average()
    with served(streamlit(ROOT / "app" / "streamlit_app.py")) as address:
        seen = sessions(browser_path(), address, READERS, for_s)
    print(*seen.wrong, sep="\n", file=sys.stderr)
    opened, middle, end = (size / 2**20 for size in seen.memory_bytes)
    what = f"{READERS} sessions for {for_s:g} s"
    return [
        before,
        Figure(f"{what}: compared with the law", seen.moves, ""),
        Figure(f"{what}: wrong numbers and errors", len(seen.wrong), "", 0),
        Figure(f"{what}: memory when all have opened", opened, "MB"),
        Figure(f"{what}: memory halfway", middle, "MB"),
        Figure(f"{what}: memory at the end", end, "MB"),
        Figure(f"{what}: its growth in the second half", 100 * (end / middle - 1), "%", 10),
    ]


REPORTS = {report.__name__: report for report in (reruns, painted, ready, readers)}

if __name__ == "__main__":
    seconds = [float(word) for word in sys.argv[1:] if word.replace(".", "").isdigit()]
    print_all(REPORTS | {"readers": partial(readers, *seconds)})
