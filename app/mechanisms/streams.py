"""The workload of a scenario that is a stream of calls."""

from __future__ import annotations

from typing import cast

from model.spec import Stream
from scenarios import Scenario


def stream_of(scenario: Scenario) -> Stream:
    """Its calls."""
    return cast(Stream, scenario.workload)
