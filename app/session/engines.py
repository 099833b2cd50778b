"""Which engine answers on the page: the law at once, the simulation after it where somebody queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any, Final

from blocktime.app.base.remembered import by_object
from blocktime.app.session.playing import Ask, SimulatedAnswer
from blocktime.app.session.wishes import Wishes, ask, played
from blocktime.app.text.accuracy_text import is_estimate
from blocktime.model.engine import is_simulated
from blocktime.model.errors import OutsideLaw
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.scenarios import Scenario, run
from blocktime.scenarios.prices import with_prices

MOST_STEPS: Final = 200_000
"""Reads of all sessions that are simulated without being asked for, about a second of work."""
STRETCH_BLOCKS: Final = 128
"""Blocks that need no read are worked on in such stretches; one costs as much as three reads."""
FEWEST_TRANSACTIONS: Final = 4_000
"""Of a run that nobody says the length of."""
WITHIN_A_KIND: Final = 0.3
"""Variance of the response within a kind, over the square of its mean."""
STEPS_OF_A_TRANSACTION: Final = 16
STEPS_OF_ITS_READ: Final = 4
INTERVAL_OF: Final = 5
"""Simulations that the interval of a mean is made of, where the first one has none."""
MOST_STEPS_OF_INTERVALS: Final = 100_000
"""Of one of those simulations: they are not waited for, but work all the same."""
WISHES: Final = Wishes("engines")
"""What the first page wants simulated."""


@dataclass(frozen=True)
class Pair:
    """Baseline and what-if, answered alike, and what is to be said of it."""

    before: RunResult
    after: RunResult
    law: RunResult | None
    """The law's answer to the what-if; None where no closed form knows its programs together."""
    queues: bool = False
    """Somebody queues in the what-if."""
    bound: bool = False
    """The law answers although somebody queues in one of the two."""
    pending: bool = False
    """A simulation is under way that will replace the answer, or give it its interval."""
    refused: str = ""
    """Why there is no simulation."""
    verified: RunResult | None = None
    """The simulation of a what-if that the law is exact for, where somebody wanted it."""


@dataclass(frozen=True)
class ComparedAnswers:
    """Answers in the order of their scenarios, all alike."""

    results: tuple[RunResult, ...]
    """Empty while only the simulation can answer one of them, and has not."""
    bound: bool = False
    """The law answers although somebody queues."""
    pending: bool = False
    """A simulation is under way that will replace the answers, or give them their intervals."""
    refused: str = ""
    """Why there is no simulation."""


@lru_cache(maxsize=500)
def _by_law(asked: Ask) -> RunResult | None:
    try:
        return run(asked.scenario, engine="calculate")
    except OutsideLaw:
        if not asked.scenario.workload.beside:
            raise
        return None  # the simulation knows programs beside each other, or says why it does not, either


@by_object(256)
def law(scenario: Scenario) -> RunResult | None:
    """The closed form's answer, computed once for all prices; None where it does not know programs together.

    Raises a :class:`BlocktimeError` where it has none to a program that stands alone.
    """
    result = _by_law(ask(scenario))
    return result and with_prices(scenario, result)


@by_object(256)
def queues(scenario: Scenario) -> bool:
    """Whether the law is only a bound for *scenario*, or leaves out iostat's lines or percentiles."""
    asked = ask(scenario).scenario  # the one that the law has just answered
    return is_simulated(asked.system, asked.workload)


def steps(scenario: Scenario, law: RunResult | None) -> float:
    """How much there is to simulate, in reads or calls; without end where no law tells."""
    if law is None:
        return inf
    work: Any = scenario.workload
    if work.asks_the_kernel:
        return float(sum(stream.count * stream.users for stream in work.programs))
    if work.mixed:
        each = STEPS_OF_A_TRANSACTION + STEPS_OF_ITS_READ * law.physical_io.read_requests
        return float(each * (work.transactions or transactions_until_precise(work, law)))
    stretches = law.cache.hits / STRETCH_BLOCKS if law.cache else 0.0
    return float(work.users * (law.physical_io.read_requests + 3 * stretches))


def simulates_at_once(scenario: Scenario, law: RunResult | None) -> bool:
    """Whether *scenario* is simulated without being asked for.

    Its estimate may be far off, it is soon done, or there is no other answer.
    """
    return law is None or is_estimate(law) or steps(scenario, law) <= MOST_STEPS


def transactions_until_precise(work: Transactions, law: RunResult) -> float:
    """About how many it takes until the mean response is as precise as wanted, by how much kinds differ."""
    stats = law.transactions
    if stats is None or not stats.per_s or not stats.response_s:
        return FEWEST_TRANSACTIONS
    square = sum(kind.per_s * kind.response_s**2 for kind in stats.kinds) / stats.per_s
    variance = WITHIN_A_KIND + max(0.0, square / stats.response_s**2 - 1)
    return max(FEWEST_TRANSACTIONS, variance * (1.96 / (work.precision_percent / 100)) ** 2)


def answered(wishes: Wishes, scenarios: Sequence[Scenario], intervals: bool = False) -> ComparedAnswers:
    """Answers by the law; or each by the engine that fits, as soon as all that is to be simulated has been.

    Starts what there is to play in the background where it is quick or wanted, with *intervals* of what is quick, and
    cancels what was asked before. Raises a :class:`BlocktimeError` where the law has no answer.
    """
    laws = tuple(law(scenario) for scenario in scenarios)
    queued = [
        (scenario, by_law) for scenario, by_law in zip(scenarios, laws, strict=True) if queues(scenario)
    ]
    known = [played(scenario) for scenario, _ in queued]
    refused = next((played.refused for played in known if played and played.refused), "")
    at_once = all(simulates_at_once(scenario, by_law) for scenario, by_law in queued)
    plays = wishes.are_wanted(*scenarios) or (at_once and not wishes.are_given_up(*scenarios))
    asks = [ask(scenario) for scenario, _ in queued]
    asks += _for_intervals(queued) if intervals else ()
    pending = wishes.play(asks if plays and not refused else ())
    if refused or not all(known):
        by_law = tuple(answer for answer in laws if answer is not None)
        return ComparedAnswers(by_law if len(by_law) == len(laws) else (), True, pending, refused)
    return ComparedAnswers(tuple(map(best_known, scenarios, laws)), pending=pending)


def pair(base: Scenario, other: Scenario) -> Pair | ComparedAnswers:
    """Baseline and what-if: by the law, or both by the engine that fits as soon as the simulation has been played.

    Answers without results where no closed form covers the question and its simulation is not through.
    """
    after = law(other)
    if not (queues(base) or queues(other)):
        return _both_by_law(base, other)
    answers = answered(WISHES, (base, other), intervals=True)
    if not answers.results:
        return answers
    before, best = answers.results
    return Pair(before, best, after, queues(other), answers.bound, answers.pending, answers.refused)


def _both_by_law(base: Scenario, other: Scenario) -> Pair:
    """Both answers of the law, which is exact; with a simulation of the what-if where somebody wants to see it."""
    before, after = law(base), law(other)
    assert before is not None
    assert after is not None
    wanted = WISHES.are_wanted(base, other)
    pending = WISHES.play([ask(other)] if wanted else [])
    answered = played(other) if wanted else None
    refused = answered.refused if answered else ""
    verified = _priced(other, answered) if answered and not refused else None
    return Pair(before, after, after, pending=pending, refused=refused, verified=verified)


def _for_intervals(queued: Sequence[tuple[Scenario, RunResult | None]]) -> Iterator[Ask]:
    """More simulations of those whose first one has no interval, and which are quick."""
    for scenario, by_law in queued:
        has_one = scenario.workload.chance_fraction > 0 or scenario.replications > 1
        if not has_one and steps(scenario, by_law) <= MOST_STEPS_OF_INTERVALS:
            yield replace(ask(scenario), replications=INTERVAL_OF)


def best_known(scenario: Scenario, by_law: RunResult | None) -> RunResult:
    """The simulation's answer with the interval of several, as far as they are known; the law's where it is exact.

    One of the two is known.
    """
    answered = played(scenario) if queues(scenario) else None
    if answered is None or answered.refused:
        assert by_law is not None
        return by_law
    result = _priced(scenario, answered)
    several = played(scenario, INTERVAL_OF)
    if result.time.interval is not None or several is None or several.refused:
        return result
    interval = _priced(scenario, several).time.interval
    if interval is None or interval.low_s == interval.high_s:  # there is no chance in it
        return result
    return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})


@by_object(64)
def _priced(scenario: Scenario, answered: SimulatedAnswer) -> RunResult:
    return with_prices(scenario, RunResult.model_validate_json(answered.document))
