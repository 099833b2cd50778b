"""Answers of scenarios of the library, each worked out once however many tests look at it."""

from functools import cache

from blocktime.model.results import RunResult
from blocktime.scenarios import load, run


@cache
def answered(name: str, *settings: str) -> RunResult:
    """The answer to a scenario; nobody may change it."""
    return run(load(name, settings))
