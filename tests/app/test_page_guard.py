"""Who may talk to the page's server, what it sends to keep others out, and what it says of a page that is not there."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest
from starlette.websockets import WebSocketDisconnected

from blocktime.app import mechanisms
from blocktime.app.base import half_requests
from blocktime.scenarios import child_process
from tests.app.windows import LIMIT_MS, STILL
from tests.patience import LIMIT_S
from tests.whole import SEED, WHOLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

UPGRADE: Final = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol": "streamlit",
}  # fmt: skip
LESSONS: Final = [path for _, path in mechanisms.PAGES.values()]
PAGES: Final = (
    "", "compare", "sweep", "my-system", "evidence", "about",
    *(LESSONS if WHOLE else Random(SEED).sample(LESSONS, 1)),
)  # fmt: skip
REFUSED: Final = """
window.refused = [];
document.addEventListener('securitypolicyviolation', e => refused.push(`${e.violatedDirective} ${e.blockedURI}`));
"""

DRAWN: Final = """() =>
document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && document.querySelector('[data-testid=stMainBlockContainer]')?.innerText.length > 50
"""


def asked(server: str, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of the answer to a request that is written by hand."""
    where = urlsplit(server)
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    lines += [] if "Connection" in headers else ["Connection: close"]
    with socket.create_connection((where.hostname, where.port or 80), timeout=LIMIT_S) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
            if b"\r\n\r\n" in answer and "Upgrade" in headers:
                break
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *said = head.decode("latin-1").split("\r\n")
    pairs = (one.partition(": ") for one in said)
    return (int(status.split()[1]), {name.lower(): value for name, _, value in pairs}, body.decode(errors="replace"))


def port_of(server: str) -> int:
    return urlsplit(server).port or 80


@pytest.mark.parametrize(
    "path", ["/", "/compare", "/_stcore/health", "/_stcore/host-config", "/favicon.png", "/static/none.js"]
)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", ""]
)
def test_other_names_are_refused(server: str, path: str, host: str) -> None:
    status, _, body = asked(server, path, {"Host": host.format(port=port_of(server))})
    assert status in (400, 421)
    assert "streamlit" not in body.lower()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "[::1]:{port}", "localhost:9000"]
)
def test_the_names_of_this_machine_are_served(server: str, host: str) -> None:
    status, headers, body = asked(server, "/", {"Host": host.format(port=port_of(server))})
    assert status == 200
    assert "<title>Streamlit</title>" in body
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/what-if", "/favicon.png", "/_stcore/health", "/a/b", "/media/none"])
def test_every_answer_keeps_others_out(server: str, path: str) -> None:
    _, headers, _ = asked(server, path, {"Host": f"127.0.0.1:{port_of(server)}"})
    said = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert said["default-src"] == said["frame-ancestors"] == said["object-src"] == said["frame-src"] == "'none'"
    assert "'unsafe" not in said["script-src"]
    assert not any(":" in source for source in said["connect-src"].split())
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", 101),
        ("localhost:{port}", "http://localhost:{port}", 101),
        ("evil.example:{port}", "http://evil.example:{port}", 403),
        ("127.0.0.1:{port}", "http://evil.example:{port}", 403),
        ("127.0.0.1:{port}", "http://localhost:1", 403),
        ("127.0.0.1:{port}", "null", 403),
    ],
)
def test_the_websocket_is_open_to_its_own_page_alone(server: str, host: str, origin: str, status: int) -> None:
    port = port_of(server)
    headers = {"Host": host.format(port=port), "Origin": origin.format(port=port), **UPGRADE}
    got, answer, _ = asked(server, "/_stcore/stream", headers)
    assert got == status
    if status == 101:
        assert answer["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/a/b", "/comparison", "/compare/x", "/a/b/c?scenario=tpc-c", "/%3Cscript%3E/x"])
def test_a_page_that_is_not_there_is_said(server: str, path: str) -> None:
    status, _, body = asked(server, path, {"Host": "localhost"})
    assert status == 404
    assert "There is no page /" in body
    assert "<script" not in body


def test_the_first_page_answers_to_its_name(server: str) -> None:
    status, headers, _ = asked(server, "/what-if?scenario=tpc-c", {"Host": "localhost"})
    assert (status, headers["location"]) == (307, "/?scenario=tpc-c")


@pytest.mark.browser
def test_no_page_breaks_the_policy(server: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 1400}, reduced_motion=STILL)
    context.set_default_timeout(LIMIT_MS)
    try:
        page = context.new_page()
        page.add_init_script(REFUSED)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        for path in PAGES:
            page.goto(f"{server}/{path}")
            page.wait_for_function(DRAWN)
            assert page.evaluate("window.refused") == []
        assert [one for one in said if "Content Security Policy" in one] == []
    finally:
        context.close()


@pytest.fixture(scope="module", autouse=True)
def half(server: str) -> Iterator[socket.socket]:
    """A connection that has sent half a request before all other tests of this file."""
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=LIMIT_S) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        yield line


def test_half_a_request_does_not_stay(half: socket.socket) -> None:
    assert half.recv(1) == b""


@pytest.mark.browser
def test_a_browser_that_leaves_while_it_is_answered_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "end_with_parent", lambda: None)
    monkeypatch.setattr(half_requests, "end_half_requests", lambda _: None)

    async def answers(*_: object) -> None:
        raise WebSocketDisconnected("Cannot send once a close message has been sent.")

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    guard = import_module("blocktime.app.page_server").Guard(answers)
    with pytest.raises(StopIteration):  # it has ended
        guard(scope, answers, answers).send(None)


def test_nobody_can_frame_the_page(server: str, browser: Browser) -> None:
    context = browser.new_context()
    context.set_default_timeout(LIMIT_MS)
    try:
        page = context.new_page()
        page.route("http://localhost:9/", lambda route: route.fulfill(
            content_type="text/html", body=f'<iframe src="{server}/about"></iframe>'))  # fmt: skip
        page.goto("http://localhost:9/")
        (frame,) = page.main_frame.child_frames
        assert frame.locator("[data-testid=stApp]").count() == 0
        assert "chrome-error" in frame.url
    finally:
        context.close()
