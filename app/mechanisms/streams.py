"""The workload of a scenario that is a stream of calls."""

from __future__ import annotations

from model.spec import Stream
from scenarios import Scenario


def stream_of(scenario: Scenario) -> Stream:
    """Its calls."""
    work = scenario.workload
    assert isinstance(work, Stream)
    return work
