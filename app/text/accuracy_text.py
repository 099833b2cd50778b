"""How far an instant estimate may be off, in the answer's own units: one wording for terminal, report and page."""

from __future__ import annotations

from typing import Final

from blocktime.model import accuracy as accuracies
from blocktime.model.results import RunResult

ESTIMATE: Final = "instant estimate"
"""What a reader calls the answer of the closed form."""
SIMULATED: Final = "simulated"
LEAST_SAID: Final = 1e-3
"""Finest relative distance between the engines that is said: nothing printed is finer."""


def is_estimate(result: RunResult) -> bool:
    """Whether an answer may be off by so much that it counts as an estimate."""
    return accuracies.is_estimate(result.accuracy)


def simulated_range(result: RunResult, who: str = "") -> str:
    """What a simulation of *who* would give, in the answer's own units; empty for an answer that is simulated."""
    accuracy = result.accuracy
    if accuracy is None:
        return ""
    if accuracy.within_fraction < LEAST_SAID:
        return f"same as {SIMULATED}"
    of = f" of {who}" if who else ""
    return f"a simulation{of} would give {accuracy.usual_span(result.time)}"


def other_warnings(result: RunResult) -> list[str]:
    """What an answer warns of where its accuracy is shown beside it; an estimate's first warning is about that."""
    return result.warnings[is_estimate(result) :]


def accuracy_words(result: RunResult) -> str:
    """The same in one line, with how often, and what such scenarios have in common; empty for a simulated answer."""
    accuracy = result.accuracy
    if accuracy is None:
        return ""
    often = "" if accuracy.factor == 1 else " in 95 % of such cases"
    return f"{simulated_range(result)}{often}: {accuracy.regime}"


def accuracy_line(result: RunResult) -> str:
    """The same, and of an estimate why: a line that stands before the numbers."""
    why = f". {result.accuracy.why}" if result.accuracy is not None and is_estimate(result) else ""
    return f"{accuracy_words(result)}{why}"
