"""What simulating streams costs."""

from __future__ import annotations

from typing import Final

from blocktime.model.demand.calls import files_of
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.spec import Stream, System
from blocktime.model.workloads.costs import AnswerCost
from blocktime.model.workloads.streams.processes import CALL_BYTES, CALL_NS, steps_of
from blocktime.model.workloads.streams.run_time import in_time

EVENT_CALL_S: Final = 28e-6


def cost(system: System, work: Stream) -> AnswerCost:
    """Of the requests of streams."""
    expected = in_time(system, work)
    steps, without_events = steps_of(system, expected, files_of(system, work, capacity_of(system.disk)))
    calls = sum(stream.users * stream.count for stream in (expected, *expected.beside))
    each_s = CALL_NS / 1e9 if without_events else EVENT_CALL_S
    return AnswerCost(each_s * steps, CALL_BYTES * calls, steps, "requests and pages")
