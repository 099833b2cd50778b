"""What an answer costs before it begins: seconds of a processor, memory, and what they go into; and what is allowed."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from blocktime.model.budget import UNLIMITED, Budget, allowed, show_about, show_duration
from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.engine import is_expected_played
from blocktime.model.errors import BlocktimeError, OverBudget
from blocktime.model.spec import System, Transactions, Workload
from blocktime.model.units import show_bytes
from blocktime.model.workloads.costs import AN_ANSWER, cost_of_rows
from blocktime.model.workloads.families import family_for

LEAST_S: Final = 0.05
CODE_BYTES: Final = 100e6
"""Of Python and what it loads."""


class Forecast(NamedTuple):
    """What an answer is expected to take."""

    seconds: float
    """Of one processor."""
    bytes: float
    steps: float
    """Of what takes longest: *what* says what they are."""
    what: str
    sums: bool
    """The answer is an exact sum."""
    whole_because: str = ""
    """Why work that is too long is not played in part."""

    def __str__(self) -> str:
        return f"about {show_duration(self.seconds)} for {show_about(self.steps)} {self.what}"


def check(budget: Budget, expected: Forecast) -> None:
    """Raise :class:`OverBudget` where *expected* is more than *budget* allows."""
    less = "take fewer rows" if expected.sums else "ask for less, or raise the limit"
    less = f"{expected.whole_because and ', and ' + expected.whole_because}: {less}"
    if budget.seconds is not None and expected.seconds > budget.seconds:
        limit = show_duration(budget.seconds)
        raise OverBudget(f"an answer takes {expected}; the limit is {limit}{less}", "time")
    if budget.bytes is not None and expected.bytes > budget.bytes:
        needed = f"about {show_bytes(expected.bytes)} of memory for {show_about(expected.steps)} {expected.what}"
        limit = show_bytes(budget.bytes)
        raise OverBudget(f"an answer takes {needed}; the limit is {limit}{less}", "memory")


def forecast(system: System, work: Workload, repeated: int = 1) -> Forecast:
    """What *repeated* answers take: within a factor of three where that is more than a second.

    Raises :class:`OutsideLaw` and :class:`SpecError` as the answer would.
    """
    played = cost_of_rows(system, work) if work.plays_rows else AN_ANSWER
    summed = Forecast(
        LEAST_S + played.seconds, CODE_BYTES + played.bytes, played.steps, played.what, True, played.whole_because
    )
    if not is_expected_played(system, work):
        return summed
    once = family_for(work).cost(system, work)
    is_rows = summed.seconds > once.seconds * repeated
    return Forecast(
        LEAST_S + summed.seconds + repeated * once.seconds,
        summed.bytes + once.bytes,
        played.steps if is_rows else repeated * once.steps,
        played.what if is_rows else once.what,
        False,
        played.whole_because if is_rows else once.whole_because,
    )


def expected_within(budget: Budget, system: System, work: Workload, repeated: int = 1) -> Forecast | None:
    """What the answers take; None where only the answer can say what is wrong with the question.

    Raises :class:`OverBudget` for more than *budget* allows.
    """
    try:
        with allowed(budget):
            expected = forecast(system, work, repeated)
            fits = budget.seconds is None or expected.seconds <= budget.seconds
            least = expected if fits else forecast(system, _shortest(work), repeated)
    except BlocktimeError:
        return None
    check(budget, least)
    return expected


def expected_of(budget: Budget, system: System, work: Workload, repeated: int = 1) -> Forecast | None:
    """What the answers take where *budget* decides what is played in part; None as above."""
    with allowed(budget):
        return expected_within(UNLIMITED, system, work, repeated)


def _shortest(work: Workload) -> Workload:
    """*work* with the fewest transactions that have an answer: a run of users ends where its budget does."""
    if not work.mixed:
        return work
    return work.model_copy(update={"transactions": run_transactions(cast("Transactions", work))})
