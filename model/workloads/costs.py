"""What a simulation costs: seconds of a processor and memory, and the steps that they go into.

The cost of a family's simulation stands in its folder.
"""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from blocktime.model.demand.row_changes import FIRST_STEPS, ROW_STEP_S, are_rows_many, meets_others, rows_cost
from blocktime.model.spec import Dml, System, Workload


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


ROWS_MEET: Final = "sessions that change rows of one table meet at its rows"


def cost_of_rows(system: System, work: Workload) -> AnswerCost:
    """Of playing the rows that a statement changes through their blocks, or the first of those that are too many."""
    dml = cast("Dml", work)
    if are_rows_many(system, dml):
        return AnswerCost(2 * ROW_STEP_S * FIRST_STEPS, 0.0, FIRST_STEPS, "steps of rows")
    return AnswerCost(*rows_cost(system, dml), "steps of rows", ROWS_MEET if meets_others(dml) else "")
