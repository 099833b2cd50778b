"""Whether chance has a part in an answer: which random numbers its run draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STREAMS: ContextVar[set[str] | None] = ContextVar("_STREAMS", default=None)


@contextmanager
def noted() -> Iterator[set[str]]:
    """The names of the random streams that runs within this context draw from; none where chance decides nothing."""
    streams: set[str] = set()
    token = _STREAMS.set(streams)
    try:
        yield streams
    finally:
        _STREAMS.reset(token)


def note(stream: str) -> None:
    """Note that a run draws from a random stream."""
    streams = _STREAMS.get()
    if streams is not None:
        streams.add(stream)
