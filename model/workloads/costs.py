"""What a simulation costs: seconds of a processor and memory, and the steps that they go into.

The cost of a family's simulation stands in its folder.
"""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from blocktime.model.demand.change import steps_and_turns
from blocktime.model.spec import Dml, System, Workload

ROW_STEP_NS: Final = 1300
"""Of a row that is played through its block, on a processor of the 2020s; so are the other times."""
ROW_BYTES: Final = 20
ORDERED_ROW_BYTES: Final = 85
"""Of a row that is changed in any order."""


class AnswerCost(NamedTuple):
    """Of one answer, beside what every answer takes."""

    seconds: float
    """Of one processor."""
    bytes: float
    steps: float
    """Of what takes longest: *what* says what they are."""
    what: str
    whole_because: str = ""
    """Why work that is too long is not played in part."""


AN_ANSWER: Final = AnswerCost(0.0, 0.0, 1, "answer")
"""A calculated one of what is not played row by row."""


def rows_cost(system: System, work: Workload) -> AnswerCost:
    """Of playing the rows that a statement changes through their blocks, which is done first."""
    steps, _ = steps_and_turns(system, cast("Dml", work))
    rows = system.table.rows + work.added_rows
    size_bytes = ROW_BYTES * rows + ORDERED_ROW_BYTES * rows * work.at_random
    return AnswerCost(ROW_STEP_NS / 1e9 * steps, size_bytes, steps, "steps of rows")
