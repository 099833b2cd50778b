"""A request that never becomes whole ends with its connection, and nothing else does."""

import socket
import threading
from collections.abc import Iterator
from typing import Any, Final

import pytest
import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from blocktime.app.base import half_requests
from blocktime.app.base.half_requests import end_half_requests
from tests.patience import LIMIT_S

SOON_S: Final = 0.2
HEAD: Final = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE: Final = (
    HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


async def answers(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Reads the whole request, or one message of a websocket, and answers."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        assert (await receive())["type"] == "websocket.receive"
        await send({"type": "websocket.send", "text": "whole"})
        return
    message = await receive()
    while message.get("more_body"):
        message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"whole"})


@pytest.fixture
def head_within_s() -> float:
    """How long the server waits for the head of a request."""
    return SOON_S


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch, head_within_s: float) -> Iterator[socket.socket]:
    """A connection to a server whose limits are short."""

    class Served(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
        pass

    end_half_requests(Served)
    monkeypatch.setattr(half_requests, "HEAD_WITHIN_S", head_within_s)
    monkeypatch.setattr(half_requests, "BODY_WITHIN_S", 0.4)
    settings: dict[str, Any] = {
        "http": Served,
        "lifespan": "off",
        "log_level": "critical",
        "timeout_keep_alive": LIMIT_S,
    }
    server = uvicorn.Server(uvicorn.Config(answers, **settings))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        with socket.create_connection(listening.getsockname(), timeout=LIMIT_S) as line:
            yield line
        server.should_exit = True
        thread.join()


def read(line: socket.socket) -> bytes:
    """All that comes until the server closes."""
    heard = b""
    while chunk := line.recv(65536):
        heard += chunk
    return heard


@pytest.mark.parametrize(
    "sent", [b"", HEAD, HEAD + b"Content-Length: 9\r\n\r\n", HEAD + b"Content-Length: 9\r\n\r\nhalf"]
)
def test_half_a_request_ends(line: socket.socket, sent: bytes) -> None:
    line.sendall(sent)
    assert b"200 OK" not in read(line)


@pytest.mark.parametrize(
    ("sent", "endless"), [(HEAD, "BODY_WITHIN_S"), (HEAD + b"Content-Length: 9\r\n\r\nhalf", "HEAD_WITHIN_S")]
)
def test_each_part_has_its_own_limit(
    line: socket.socket, sent: bytes, endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(half_requests, endless, 1e9)
    line.sendall(sent)
    assert b"200 OK" not in read(line)


def hear(line: socket.socket, sent: bytes, answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send what is answered so, however long that takes on a busy machine; from then on the limit is short."""
    line.sendall(sent)
    heard = b""
    while answer not in heard:
        heard += line.recv(65536)
    monkeypatch.setattr(half_requests, "HEAD_WITHIN_S", SOON_S)


@pytest.mark.parametrize("head_within_s", [1e9])
def test_half_a_request_after_a_whole_one_ends(line: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    hear(line, HEAD + b"\r\n" + HEAD, b"whole", monkeypatch)
    assert read(line) == b""


def test_a_head_that_comes_letter_by_letter_ends(line: socket.socket) -> None:
    """However often a letter comes: what counts is when the request is whole."""

    def letters() -> None:
        while True:
            line.sendall(b"G")
            threading.Event().wait(0.01)

    with pytest.raises(OSError, match=r"reset|Broken pipe"):
        letters()


@pytest.mark.parametrize("head_within_s", [1e9])
def test_a_websocket_goes_on(line: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    hear(line, UPGRADE, b"101 ", monkeypatch)
    threading.Event().wait(3 * half_requests.BODY_WITHIN_S)
    line.sendall(b"\x81\x84\0\0\0\0half")
    assert b"whole" in read(line)
