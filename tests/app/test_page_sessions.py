"""Several readers at once, each in a browser session of its own, see the numbers of their own settings."""

import pytest

from tests.app.page_sessions import sessions

pytestmark = pytest.mark.browser

READERS, FOR_S = 2, 2.0
MOST_GROWTH = 1.5
"""Of the server's memory; the benchmark asks for a tenth in a minute of twenty readers."""


def test_readers_who_move_sliders_at_once_see_their_own_numbers(chromium: str, server: str) -> None:
    seen = sessions(chromium, server, READERS, FOR_S)
    assert seen.wrong == []
    assert seen.moves >= READERS
    assert seen.memory_bytes[-1] <= MOST_GROWTH * seen.memory_bytes[0]
