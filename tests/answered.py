"""Answers of scenarios of the library, each worked out once however many tests look at it."""

from __future__ import annotations

from functools import cache

from blocktime.model.results import RunResult
from blocktime.model.spec import Stream
from blocktime.scenarios import load, run


@cache
def answered(name: str, *settings: str, engine: str = "calculate") -> RunResult:
    """The answer of an engine, by default the closed form's; nobody may change it."""
    return run(load(name, settings), engine)


def as_shown(name: str, *settings: str) -> RunResult:
    """The closed form's, but of streams what is shown without a choice."""
    of_a_stream = isinstance(load(name, settings).workload, Stream)
    return answered(name, *settings, engine="auto" if of_a_stream else "calculate")
