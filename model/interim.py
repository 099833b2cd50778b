"""Answers of a run before its end, for a reader who wants to see them: the same run's, with wider intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from blocktime.model.results import RunResult

PRECISION_PERCENT: Final = 5.0
"""From this half-width of the interval on, in percent of the mean response, an answer is worth showing."""
Listener = Callable[[RunResult], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)


@contextmanager
def sent_to(listener: Listener | None) -> Iterator[None]:
    """Within this context *listener* gets the answers of runs that go on; with None nobody does."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def completed(complete: Callable[[RunResult], RunResult]) -> Iterator[None]:
    """Within this context answers of runs that go on are sent as *complete* makes them, as their last one is."""
    listener = _LISTENER.get()
    with sent_to(listener and (lambda result: listener(complete(result)))):
        yield


def is_wanted() -> bool:
    """Whether somebody gets the answers of runs that go on."""
    return _LISTENER.get() is not None


def send(result: RunResult) -> None:
    """Give the answer of a run that goes on to whoever wants it."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(result)
