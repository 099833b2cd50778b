"""The documentation's site: its pages are there, its links lead somewhere, and nothing comes from another host."""

import re
import tomllib
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.app.test_accessibility_browser import faults
from tests.app.windows import opened
from tools import site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = "http://site/"
FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "object": "data"}


class Page(HTMLParser):
    """What a page links to, what it fetches, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHED and FETCHED[tag] in given and given.get("rel") not in ("canonical", "alternate"):
            self.fetched.append(given[FETCHED[tag]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site") / "site"
    site.build(place)
    return place


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, Page]:
    """Address -> page; 404.html is shown at every address, so its links are none of a folder's."""
    return {
        urljoin(HERE, str(path.relative_to(folder)).removesuffix("index.html")): Page(path.read_text("utf-8"))
        for path in folder.rglob("*.html")
        if path.name != "404.html"
    }


def listed(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from listed(inner)


def test_every_page_stands_in_the_navigation() -> None:
    described = tomllib.loads(Path(site.__file__).with_suffix(".toml").read_text("utf-8"))
    documents = [str(path.relative_to(site.FOLDER).with_suffix(".md")) for path in site.FOLDER.rglob("*.[mi][dp]*")]
    wanted = {path for path in documents if not path.startswith("notebooks/") or path.endswith(".md")}
    assert set(listed(described["project"]["nav"])) >= wanted


def test_links_and_anchors_lead_somewhere(folder: Path, pages: dict[str, Page]) -> None:
    broken = []
    for address, page in pages.items():
        for link in page.links + page.fetched:
            target = urlsplit(urljoin(address, link))
            place, anchor = f"{target.scheme}://{target.netloc}{target.path}", unquote(target.fragment)
            if not place.startswith(HERE) or link.startswith("data:"):
                continue
            if place in pages:
                found = not anchor or anchor in pages[place].anchors or anchor.startswith("__")
            else:
                found = (folder / unquote(place.removeprefix(HERE))).is_file()
            broken += [] if found else [f"{address}: {link}"]
    assert not broken


def test_nothing_comes_from_another_host(folder: Path, pages: dict[str, Page]) -> None:
    elsewhere = {
        link for page in pages.values() for link in page.fetched if not urljoin(HERE, link).startswith((HERE, "data:"))
    }
    assert not elsewhere
    sheets = [path.read_text("utf-8", "replace") for path in folder.rglob("*.css")]
    assert not [found for sheet in sheets for found in re.findall(r"url\(\s*['\"]?(?:https?:)?//[^)]*", sheet)]


def test_a_mechanism_has_its_law_its_picture_and_its_words(folder: Path) -> None:
    page = (folder / "model" / "request-merging" / "index.html").read_text("utf-8")
    assert page.count('<div class="law" tabindex="0"><math') == 1
    assert page.count('<figure class="chart">') >= 1
    assert "Laws of request merging" in page


def test_the_sample_report_answers_and_questions_have_sentences(folder: Path) -> None:
    assert re.search(r"(Faster|Slower): [0-9]", (folder / "report.html").read_text("utf-8"))
    questions = (folder / "questions" / "index.html").read_text("utf-8")
    assert len(re.findall(r"<strong>(?:Faster|Slower|No difference): ", questions)) == len(site.presets.QUESTIONS)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_serious_fault_of_ours(browser: "Browser", folder: Path, dark: bool) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        for page in ("", "model/disk-latency/", "questions/", "sample-report/"):
            with opened(browser, f"http://127.0.0.1:{server.server_port}/{page}", dark=dark) as (window, _):
                window.evaluate(AXE_SCRIPT)
                assert not faults(window), page
    finally:
        server.shutdown()
        server.server_close()
