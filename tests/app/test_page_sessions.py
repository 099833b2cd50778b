"""Several readers at once, each in a browser session of its own, see the numbers of their own settings."""

from __future__ import annotations

import os

import psutil
import pytest

from tests.app.page_sessions import sessions

pytestmark = pytest.mark.browser

READERS, FOR_S = 3, 10.0
MOST_GROWTH = 1.5
"""Of the server's memory; the benchmark asks for a tenth in a minute of twenty readers."""


def _server_of(address: str) -> int:
    """The process that listens at *address*: a child of ours."""
    port = int(address.rpartition(":")[2])
    children = psutil.Process(os.getpid()).children(recursive=True)
    return next(
        one.pid
        for one in children
        if any(at.laddr and at.laddr.port == port and at.status == psutil.CONN_LISTEN for at in one.net_connections())
    )


def test_readers_who_move_sliders_at_once_see_their_own_numbers(chromium: str, server: str) -> None:
    seen = sessions(chromium, server, _server_of(server), READERS, FOR_S)
    assert seen.wrong == []
    assert seen.moves >= READERS
    assert seen.memory_bytes[-1] <= MOST_GROWTH * seen.memory_bytes[0]
