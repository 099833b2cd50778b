"""Answers of scenarios of the library, each worked out once however many tests look at it."""

from functools import cache
from typing import Final

from blocktime.model.results import RunResult
from blocktime.scenarios import load, run

SMALL_OLTP: Final = ("instance.buffer_cache_bytes=512M", "workload.data_bytes=4G")
"""Settings of oltp-nvme with its hit ratio, whose run begins at once: a sixteenth of its blocks."""


@cache
def answered(name: str, *settings: str) -> RunResult:
    """The answer to a scenario; nobody may change it."""
    return run(load(name, settings))
