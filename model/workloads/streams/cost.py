"""What simulating streams costs."""

from __future__ import annotations

from typing import Final

from model.demand.calls import files_of
from model.machine.device.drive import capacity_of
from model.spec import Stream, System
from model.workloads.costs import AnswerCost
from model.workloads.streams.closed_form import in_time
from model.workloads.streams.processes import steps_of

CALL_S: Final = 4.5e-6
"""Of a stream's request in a loop without events."""
EVENT_CALL_S: Final = 28e-6
CALL_BYTES: Final = 220


def cost(system: System, work: Stream) -> AnswerCost:
    """Of the requests of streams."""
    expected = in_time(system, work)
    steps, without_events = steps_of(system, expected, files_of(system, work, capacity_of(system.disk)))
    calls = sum(stream.users * stream.count for stream in (expected, *expected.beside))
    each_s = CALL_S if without_events else EVENT_CALL_S
    return AnswerCost(each_s * steps, CALL_BYTES * calls, steps, "requests and pages")
