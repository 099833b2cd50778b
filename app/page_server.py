"""The page's server: Streamlit behind a guard that knows its own names and sends what keeps others out."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.websockets import WebSocketDisconnected
from streamlit import config, file_util
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from blocktime.app import mechanisms
from blocktime.app.base.half_requests import end_half_requests
from blocktime.app.session import navigation, scripts
from blocktime.scenarios.child_process import end_with_parent

if TYPE_CHECKING:
    from starlette.datastructures import MutableHeaders
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
FOLDERS: Final = ("_stcore", "component", "media", "static")
"""What Streamlit serves below the root; a page is one name."""
KNOWN: Final = frozenset({"", *navigation.PAGES, *(path for _, path in mechanisms.PAGES.values())})
"""The addresses of the pages, the first one's own among them."""


def policy(index: str) -> str:
    """The content security policy of the page *index*, as tight as Streamlit allows.

    Streamlit makes styles inline and compiles WebAssembly; our own scripts are named by their hashes.
    """
    inline = [*re.findall(r"<script>(.*?)</script>", index, re.DOTALL), *scripts.ALL]
    hashes = (b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline)
    named = " ".join(f"'sha256-{text}'" for text in hashes)
    allowed = {
        "default-src": "'none'",
        "script-src": f"'self' 'wasm-unsafe-eval' {named}".rstrip(),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "media-src": "'self'",
        "manifest-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{directive} {sources}" for directive, sources in allowed.items())


class Guard:
    """Answers requests to this machine's own names alone, and only what its own pages send."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        """*hosts* are names besides those of the loopback interface."""
        self._app = app
        self._hosts = LOOPBACK | set(hosts)
        index = Path(file_util.get_static_dir(), "index.html").read_text(encoding="utf-8")
        self._headers = {
            "Content-Security-Policy": policy(index),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed; refuse the rest in one sentence."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                _headers(message).update(self._headers)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            with suppress(WebSocketDisconnected):  # a browser that leaves while it is answered is no fault
                await self._app(scope, receive, with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": bytes(refusal.body).decode()})
        else:
            await refusal(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        if len(hosts) != 1 or _name(hosts[0]) not in self._hosts:
            return PlainTextResponse("This server has another name.", 421)
        if any(urlsplit(origin).netloc != hosts[0] for origin in origins):
            return PlainTextResponse("This request comes from another page.", 403)
        first, *deeper = scope["path"].strip("/").split("/")
        if first == navigation.WHAT_IF and not deeper:  # the first page has no name for Streamlit
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"/?{query}" if query else "/")
        is_page = not deeper and (first in KNOWN or "." in first)  # or a file of Streamlit's
        if not is_page and first not in FOLDERS and "_stcore" not in deeper:
            return HTMLResponse(no_such_page(scope["path"]), 404)
        return None


def no_such_page(path: str) -> str:
    """A page that says so, with links to those that there are."""
    links = ", ".join(f'<a href="/{name}">{name}</a>' for name in sorted(KNOWN - {""}))
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>No such page · Blocktime</title>'
        '<body style="font-family: sans-serif; margin: 3rem">'
        f"<h1>There is no page {escape(path)}</h1><p>The pages are {links}.</p>"
        '<p><a href="/">Open the first page</a></p>'
    )


def _name(host: str) -> str:
    """The name in a Host header, without its port; empty where it is no name."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _headers(message: Message) -> MutableHeaders:
    from starlette.datastructures import MutableHeaders

    return MutableHeaders(scope=message)


end_with_parent()
end_half_requests(AutoHTTPProtocol)
app = st.App(
    Path(__file__).resolve().with_name("streamlit_app.py"),
    middleware=[Middleware(Guard, hosts=[config.get_option("server.address") or "127.0.0.1"])],
)
