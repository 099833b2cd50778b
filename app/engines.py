"""Which engine answers on the page: the law at once, the simulation after it where somebody queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from app.accuracy_text import is_estimate
from app.playing import Ask, Played
from app.remembered import by_object
from app.wishes import Wishes, ask, played
from model.engine import is_simulated
from model.results import RunResult
from model.spec import Transactions
from scenarios import Scenario, run
from scenarios.prices import with_prices

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
    law: RunResult
    """The law's answer to the what-if."""
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


@lru_cache(maxsize=500)
def _by_law(asked: Ask) -> RunResult:
    return run(asked.scenario, engine="calculate")


@by_object(256)
def law(scenario: Scenario) -> RunResult:
    """The closed form's answer, computed once for all prices.

    Raises a :class:`BlocktimeError` where it has none.
    """
    return with_prices(scenario, _by_law(ask(scenario)))


@by_object(256)
def queues(scenario: Scenario) -> bool:
    """Whether the law is only a bound for *scenario*, or leaves out iostat's lines or percentiles."""
    return is_simulated(scenario.system, scenario.workload)


def steps(scenario: Scenario, law: RunResult) -> float:
    """How much there is to simulate, in reads or calls."""
    work: Any = scenario.workload
    if work.asks_the_kernel:
        return float(sum(stream.count * stream.users for stream in work.programs))
    if work.mixed:
        each = STEPS_OF_A_TRANSACTION + STEPS_OF_ITS_READ * law.physical_io.read_requests
        return float(each * (work.transactions or transactions_until_precise(work, law)))
    stretches = law.cache.hits / STRETCH_BLOCKS if law.cache else 0.0
    return float(work.users * (law.physical_io.read_requests + 3 * stretches))


def simulates_at_once(scenario: Scenario, law: RunResult) -> bool:
    """Whether *scenario* is simulated without being asked for: its estimate may be far off, or it is soon done."""
    return is_estimate(law) or steps(scenario, law) <= MOST_STEPS


def transactions_until_precise(work: Transactions, law: RunResult) -> float:
    """About how many it takes until the mean response is as precise as wanted, by how much kinds differ."""
    stats = law.transactions
    if stats is None or not stats.per_s or not stats.response_s:
        return FEWEST_TRANSACTIONS
    square = sum(kind.per_s * kind.response_s**2 for kind in stats.kinds) / stats.per_s
    variance = WITHIN_A_KIND + max(0.0, square / stats.response_s**2 - 1)
    return max(FEWEST_TRANSACTIONS, variance * (1.96 / (work.precision_percent / 100)) ** 2)


def pair(base: Scenario, other: Scenario) -> Pair:
    """Baseline and what-if: by the law, or both by the engine that fits as soon as the simulation has been played.

    Starts what there is to play in the background, and cancels what the session asked for before.
    """
    before, after = law(base), law(other)
    queued = [(scenario, by_law) for scenario, by_law in ((base, before), (other, after)) if queues(scenario)]
    if not queued:
        wanted = WISHES.are_wanted(base, other)
        pending = WISHES.play([ask(other)] if wanted else [])
        found = played(other) if wanted else None
        refused = found.refused if found else ""
        verified = _priced(other, found) if found and not refused else None
        return Pair(before, after, after, pending=pending, refused=refused, verified=verified)
    known = [played(scenario) for scenario, _ in queued]
    refused = next((one.refused for one in known if one and one.refused), "")
    if refused:
        WISHES.play([])
        return Pair(before, after, after, queues(other), bound=True, refused=refused)
    at_once = all(simulates_at_once(scenario, by_law) for scenario, by_law in queued)
    if not (WISHES.are_wanted(base, other) or at_once) or WISHES.are_given_up(base, other):
        WISHES.play([])
        if not all(known):
            return Pair(before, after, after, queues(other), bound=True)
    pending = WISHES.play([*(ask(scenario) for scenario, _ in queued), *_for_intervals(queued)])
    if not all(known):
        return Pair(before, after, after, queues(other), bound=True, pending=pending)
    return Pair(best_known(base, before), best_known(other, after), after, queues(other), pending=pending)


def _for_intervals(queued: Sequence[tuple[Scenario, RunResult]]) -> Iterator[Ask]:
    """More simulations of those whose first one has no interval, and which are quick."""
    for scenario, by_law in queued:
        has_one = scenario.workload.chance_fraction > 0 or scenario.replications > 1
        if not has_one and steps(scenario, by_law) <= MOST_STEPS_OF_INTERVALS:
            yield replace(ask(scenario), replications=INTERVAL_OF)


def best_known(scenario: Scenario, by_law: RunResult) -> RunResult:
    """The simulation's answer with the interval of several, as far as they are known; the law's where it is exact."""
    found = played(scenario) if queues(scenario) else None
    if found is None or found.refused:
        return by_law
    result = _priced(scenario, found)
    several = played(scenario, INTERVAL_OF)
    if result.time.interval is not None or several is None or several.refused:
        return result
    interval = _priced(scenario, several).time.interval
    if interval is None or interval.low_s == interval.high_s:  # there is no chance in it
        return result
    return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})


@by_object(64)
def _priced(scenario: Scenario, found: Played) -> RunResult:
    return with_prices(scenario, RunResult.model_validate_json(found.document))
