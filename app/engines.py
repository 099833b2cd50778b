"""Which engine answers on the page: the law at once, the simulation after it where somebody queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from app.playing import Ask, Job, Played, Players
from model.books import blocktime_version
from model.calc import nobody_queues
from model.results import RunResult
from model.spec import Stream, Transactions
from scenarios import Scenario, run
from scenarios.prices import with_prices, without_prices

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
WANTED: Final = "engines.wanted"
GIVEN_UP: Final = "engines.given_up"
JOB: Final = "engines.job"


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


@st.cache_resource(show_spinner=False)
def players() -> Players:
    """Those who simulate for all sessions of this server."""
    return Players()


@st.cache_data(max_entries=500, show_spinner=False)
def _computed(document: str, engine: str, version: str, _scenario: Scenario) -> str:
    del version  # part of the key: another version has other answers
    return run(_scenario, engine=engine).model_dump_json()


def answer(scenario: Scenario, engine: str = "calculate") -> RunResult:
    """The answer of one engine, computed once for all prices."""
    bare = without_prices(scenario)
    document = bare.model_dump_json()
    played = players().known(document, scenario.replications) if engine == "simulate" else None
    found = (
        played.document
        if played and played.document
        else _computed(document, engine, blocktime_version(), bare)
    )
    return with_prices(scenario, RunResult.model_validate_json(found))


def queues(scenario: Scenario) -> bool:
    """Whether the law is only a bound for *scenario*, or leaves out iostat's lines or percentiles."""
    work = scenario.workload
    return isinstance(work, Stream | Transactions) or not nobody_queues(scenario.system, work)


def best(scenario: Scenario) -> RunResult:
    """The answer of the engine that fits, as ``run`` chooses it."""
    return answer(scenario, "simulate" if queues(scenario) else "calculate")


def steps(scenario: Scenario, law: RunResult) -> float:
    """How much there is to simulate, in reads or calls."""
    work = scenario.workload
    if isinstance(work, Stream):
        return sum(stream.count * stream.users for stream in (work, *work.beside))
    if isinstance(work, Transactions):
        each = STEPS_OF_A_TRANSACTION + STEPS_OF_ITS_READ * law.physical_io.read_requests
        return each * (work.transactions or transactions_until_precise(work, law))
    stretches = law.cache.hits / STRETCH_BLOCKS if law.cache else 0.0
    return work.users * (law.physical_io.read_requests + 3 * stretches)


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
    before, after = answer(base), answer(other)
    queued = [(scenario, law) for scenario, law in ((base, before), (other, after)) if queues(scenario)]
    if not queued:
        wanted = _wanted(base, other)
        pending = _play([_ask(other)]) if wanted else _play([])
        played = _played(other) if wanted else None
        refused = played.refused if played else ""
        verified = _priced(other, played) if played and not refused else None
        return Pair(before, after, after, pending=pending, refused=refused, verified=verified)
    found = [_played(scenario) for scenario, _ in queued]
    refused = next((one.refused for one in found if one and one.refused), "")
    if refused:
        _play([])
        return Pair(before, after, after, queues(other), bound=True, refused=refused)
    affordable = all(steps(scenario, law) <= MOST_STEPS for scenario, law in queued)
    if not (_wanted(base, other) or affordable) or st.session_state.get(GIVEN_UP) == _key(base, other):
        _play([])
        if not all(found):
            return Pair(before, after, after, queues(other), bound=True)
    pending = _play([*(_ask(scenario) for scenario, _ in queued), *_for_intervals(queued)])
    if not all(found):
        return Pair(before, after, after, queues(other), bound=True, pending=pending)
    return Pair(_best_known(base, before), _best_known(other, after), after, queues(other), pending=pending)


def _for_intervals(queued: Sequence[tuple[Scenario, RunResult]]) -> Iterator[Ask]:
    """More simulations of those whose first one has no interval, and which are quick."""
    for scenario, law in queued:
        has_one = isinstance(scenario.workload, Transactions) or scenario.replications > 1
        if not has_one and steps(scenario, law) <= MOST_STEPS_OF_INTERVALS:
            yield _ask(scenario, INTERVAL_OF)


def _best_known(scenario: Scenario, law: RunResult) -> RunResult:
    """The simulation's answer with the interval of several, as far as they are known; the law's where it is exact."""
    played = _played(scenario) if queues(scenario) else None
    if played is None:
        return law
    result = _priced(scenario, played)
    several = players().known(_document(scenario), INTERVAL_OF)
    if result.time.interval is not None or several is None or several.refused:
        return result
    interval = _priced(scenario, several).time.interval
    if interval is None or interval.low_s == interval.high_s:  # there is no chance in it
        return result
    return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})


def want(base: Scenario, other: Scenario) -> None:
    """The reader asks for a simulation that takes its time."""
    st.session_state[WANTED] = _key(base, other)
    st.session_state.pop(GIVEN_UP, None)


def give_up(base: Scenario, other: Scenario) -> None:
    """The reader wants no simulation of these two."""
    st.session_state[GIVEN_UP] = _key(base, other)
    st.session_state.pop(WANTED, None)
    _play([])


def job() -> Job | None:
    """What is simulated for this session; None where nothing is, or nobody waits for it."""
    found: Job | None = st.session_state.get(JOB)
    return found


def _play(asks: Sequence[Ask]) -> bool:
    """Have *asks* simulated for this session and nothing else; whether any of them is not known yet."""
    asks = [ask for ask in asks if players().known(*ask.key) is None]
    before = job()
    if before is not None and not before.ended and not before.cancelled:
        if {ask.key for ask in asks} <= {ask.key for ask in before.asks} and asks:
            return True
        before.cancel()
    st.session_state[JOB] = players().start(Job(asks)) if asks else None
    return bool(asks)


def _wanted(base: Scenario, other: Scenario) -> bool:
    return st.session_state.get(WANTED) == _key(base, other)


def _document(scenario: Scenario) -> str:
    return without_prices(scenario).model_dump_json()


def _ask(scenario: Scenario, replications: int | None = None) -> Ask:
    return Ask(_document(scenario), without_prices(scenario), replications or scenario.replications)


def _played(scenario: Scenario) -> Played | None:
    return players().known(_document(scenario), scenario.replications)


def _priced(scenario: Scenario, played: Played) -> RunResult:
    return with_prices(scenario, RunResult.model_validate_json(played.document))


def _key(*scenarios: Scenario) -> int:
    return hash(tuple(_document(scenario) for scenario in scenarios))
