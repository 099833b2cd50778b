"""Requests that never become whole: their connections are closed, which uvicorn does not do by itself."""

from __future__ import annotations

import asyncio
from typing import Any, Final

HEAD_WITHIN_S: Final = 20.0
"""For the head of a request: uvicorn itself ends a connection where nothing more comes after an answer."""
BODY_WITHIN_S: Final = 600.0
"""For the rest of it: a file that a reader uploads through a slow line."""
LOOKS: Final = 4
"""How often one looks within the shorter limit."""


def end_half_requests(protocol: Any) -> None:
    """Make each connection of the class *protocol* of uvicorn end where a request does not become whole in time."""
    made = protocol.connection_made

    def connection_made(self: Any, transport: asyncio.Transport) -> None:
        made(self, transport)
        _look(self, transport, None, 0.0)

    protocol.connection_made = connection_made


def _look(connection: Any, transport: asyncio.Transport, before: object, since_s: float) -> None:
    """Close the connection where it has lacked the same part of the same request for too long, or look again soon."""
    if transport.is_closing() or transport.get_protocol() != connection:  # it is a websocket now
        return
    loop, cycle = asyncio.get_running_loop(), connection.cycle
    is_between = cycle is None or cycle.response_complete
    lacks = (cycle, is_between) if is_between or cycle.more_body else None
    if lacks is None or lacks != before:
        since_s = loop.time()
    elif loop.time() - since_s >= (HEAD_WITHIN_S if is_between else BODY_WITHIN_S):
        transport.close()
        return
    loop.call_later(min(HEAD_WITHIN_S, BODY_WITHIN_S) / LOOKS, _look, connection, transport, lacks, since_s)
