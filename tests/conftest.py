"""What many tests share: a server with the page, a browser to look at it, and how hard hypothesis tries."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.command_line import CommandLine
from tests.patience import LIMIT_MS
from tests.whole import ANSWERS, SEED, WHOLE, keep_samples
from tests.workers import pytest_xdist_make_scheduler, turn_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Started in the background of a shell, all of us would be deaf to Ctrl-C, which some tests are about.
signal.signal(signal.SIGINT, signal.default_int_handler)

# An extension module that counts its leaks as Python ends says so after everything else, the result included.
atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))

# The same examples each time, on however busy a machine; a whole run looks for others. A failure is shrunk and not
# explained, which takes minutes where an example is a simulation.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", derandomize=True, phases=set(Phase) - {Phase.explain}, **PATIENT)
settings.register_profile("random", derandomize=False, print_blob=True, **PATIENT)
settings.load_profile("random" if WHOLE else "fixed")

__all__ = ["pytest_xdist_make_scheduler"]


def pytest_report_header() -> str:
    """Say what is tested."""
    return "every case" if WHOLE else f"samples by BLOCKTIME_SEED={SEED}; python3 dev.py test --whole tests every case"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without a search for cycles among what stays to the end, which takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what samples do not hold; the longest comes first where workers share the rest."""
    keep_samples(config, items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: turn_of(item.nodeid))


@pytest.fixture(scope="session", autouse=True)
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Points that a test keeps without saying where are neither the user's nor another worker's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLOCKTIME_STORE", str(tmp_path_factory.mktemp("store")))
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder of answers that workers share, which ends with the run."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = tempfile.mkdtemp(prefix="blocktime-answered-")
        os.environ[ANSWERS] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture
def blocktime(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command, and what it prints."""
    return CommandLine(capsys)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser on this machine."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    if os.environ.get("BLOCKTIME_REQUIRE_BROWSER"):
        pytest.fail("there is no chromium on PATH, and BLOCKTIME_REQUIRE_BROWSER is set")
    pytest.skip("there is no chromium on PATH")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for the whole session; a test opens a context of its own in it."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=LIMIT_MS)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags, timeout=LIMIT_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of a server of our own with the page."""
    from tests.app.servers import served

    with served() as address:
        yield address
