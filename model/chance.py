"""Whether chance has a part in an answer: which random numbers its run draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STREAMS: ContextVar[set[str]] = ContextVar("STREAMS")
"""Where the names of streams are noted; not set where nobody asks."""


@contextmanager
def noted() -> Iterator[set[str]]:
    """The names of the random streams that runs within this context draw from; none where chance decides nothing."""
    streams: set[str] = set()
    token = STREAMS.set(streams)
    try:
        yield streams
    finally:
        STREAMS.reset(token)
