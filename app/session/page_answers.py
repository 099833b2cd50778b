"""The page's answers: an exact sum at once, all else from the simulators beside the page as soon as it is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from blocktime.app.base.memo import by_object
from blocktime.app.session.simulation_requests import Wishes, ask, played
from blocktime.app.session.simulations import Ask, SimulatedAnswer
from blocktime.model.budget import USUAL
from blocktime.model.engine import is_played
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, run
from blocktime.scenarios.forecast import Forecast, forecast
from blocktime.scenarios.pricing import with_prices
from blocktime.scenarios.run import MOST_S_OF_INTERVAL

MOST_SUMMED_S: Final = 1.0
"""Forecast of an exact sum that the page itself works out, in seconds of a processor."""
MOST_UNASKED_S: Final = 20.0
"""Forecast of a run that begins without a click, in seconds of a processor."""
PATIENCE_S: Final = 0.3
"""How long a page waits for its answers before it shows that they are under way."""


class KnownAnswer(NamedTuple):
    """The answer to one scenario as far as it is known: a result, a refusal, or neither."""

    result: RunResult | None = None
    refused: str = ""
    """Why there is none."""
    narrows: bool = False
    """Whether its run goes on, to a narrower interval."""

    @property
    def is_missing(self) -> bool:
        """Whether it is still to be played."""
        return self.result is None and not self.refused


@dataclass(frozen=True)
class KnownAnswers:
    """The answers to several scenarios, in their order."""

    all: tuple[KnownAnswer, ...]
    pending: bool = False
    """Whether one of them, or an interval, is being played."""
    news: int = 0
    """Answers, and answers so far, that had come of what is being played."""

    @property
    def results(self) -> tuple[RunResult, ...]:
        """The results; empty while one of them is missing, or where one was refused."""
        results = tuple(answer.result for answer in self.all if answer.result is not None)
        return results if len(results) == len(self.all) else ()

    @property
    def before(self) -> RunResult:
        """The answer to the baseline, once all are there."""
        return self.results[0]

    @property
    def after(self) -> RunResult:
        """The answer to the what-if, once all are there."""
        return self.results[-1]

    @property
    def refused(self) -> str:
        """Why one of them has no answer; empty where all have one."""
        return next((answer.refused for answer in self.all if answer.refused), "")

    @property
    def narrows(self) -> bool:
        """Whether a run goes on whose numbers are shown already."""
        return any(answer.narrows for answer in self.all)


def answered(wishes: Wishes, scenarios: Sequence[Scenario], *, intervals: bool = False) -> KnownAnswers:
    """The answers to *scenarios*; starts what is to be played, and waits a moment for it.

    Runs of at most MOST_UNASKED_S begin by themselves, others when the reader asks. With *intervals* the quick ones
    that have no interval are repeated for one. What was asked for before at the same place is cancelled.
    """
    missing = [scenario for scenario in scenarios if _known(wishes, scenario).is_missing]
    begins = wishes.are_wanted(*scenarios) or not (wishes.are_given_up(*scenarios) or any(map(takes_long, missing)))
    asks = [ask(scenario) for scenario in scenarios if _summed(scenario) is None]
    asks += _for_intervals(scenarios) if intervals else ()
    pending = wishes.play(asks if begins else ())
    job = wishes.job() if pending else None
    if job is None:
        return KnownAnswers(tuple(_known(wishes, scenario) for scenario in scenarios))
    job.wait_for(len(missing), PATIENCE_S)
    ended, news = job.is_ended, job.news
    return KnownAnswers(tuple(_known(wishes, scenario) for scenario in scenarios), not ended, news)


def takes_long(scenario: Scenario) -> bool:
    """Whether a run of *scenario* waits for the reader's click: it takes more than MOST_UNASKED_S and is allowed."""
    expected = _forecast(scenario)
    return expected is not None and MOST_UNASKED_S < expected.seconds <= (USUAL.seconds or expected.seconds)


@by_object(256)
def _forecast(scenario: Scenario) -> Forecast | None:
    """What a run of *scenario* takes; None where only the run can say what is wrong with it."""
    try:
        return forecast(scenario.system, scenario.workload, repeated=scenario.replications)
    except BlocktimeError:
        return None


def expected_s(scenarios: Sequence[Scenario]) -> float:
    """Seconds of a processor that the runs of *scenarios* are expected to take together."""
    return sum(expected.seconds for expected in map(_forecast, scenarios) if expected is not None)


@by_object(256)
def _summed(scenario: Scenario) -> KnownAnswer | None:
    """The exact sum; None where the simulators answer, as *scenario* is played or its sum takes long."""
    expected = _forecast(scenario)
    if expected is None or not expected.sums or expected.seconds > MOST_SUMMED_S:
        return None
    answer = _sum(ask(scenario))
    if answer is None or answer.result is None:
        return answer
    return KnownAnswer(with_prices(scenario, answer.result))


@lru_cache(maxsize=500)
def _sum(question: Ask) -> KnownAnswer | None:
    """The exact sum, worked out once for all prices; None for what is played."""
    system, work = question.scenario.system, question.scenario.workload
    try:
        return None if is_played(system, work) else KnownAnswer(run(question.scenario))
    except BlocktimeError as error:
        return KnownAnswer(refused=str(error))


def _known(wishes: Wishes, scenario: Scenario) -> KnownAnswer:
    """The answer to *scenario* as far as it is known, with the interval of several runs where there is one."""
    summed = _summed(scenario)
    if summed is not None:
        return summed
    final, job = played(ask(scenario)), wishes.job()
    so_far = job.so_far.get(ask(scenario).key) if final is None and job is not None else None
    simulated = final or so_far
    if simulated is None or simulated.refused:
        return KnownAnswer(refused=simulated.refused if simulated else "")
    several = played(_for_interval(scenario))
    if several is not None and not several.refused:  # the same run, with the interval of it and others
        simulated = several
    return KnownAnswer(_priced(scenario, simulated), narrows=so_far is not None)


def _for_intervals(scenarios: Sequence[Scenario]) -> Iterator[Ask]:
    """More simulations of those whose first one has no interval, where there is time for several."""
    for scenario in scenarios:
        has_one = scenario.workload.chance_fraction > 0 or scenario.replications > 1
        expected = None if has_one else _forecast(scenario)
        if expected is not None and not expected.sums and expected.seconds <= MOST_S_OF_INTERVAL / 2:
            yield _for_interval(scenario)


def _for_interval(scenario: Scenario) -> Ask:
    """The same run, and as many others as its precision needs."""
    return replace(ask(scenario), replications=None)


@by_object(64)
def _priced(scenario: Scenario, simulated: SimulatedAnswer) -> RunResult:
    return with_prices(scenario, RunResult.model_validate_json(simulated.document))
