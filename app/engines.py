"""Which engine answers on the page: the law at once, the simulation after it where somebody queues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from model.books import blocktime_version
from model.calc import nobody_queues
from model.errors import BlocktimeError
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
PLAYED: Final = "engines.played"
WANTED: Final = "engines.wanted"


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
    """The simulation is to be played now."""
    refused: str = ""
    """Why there is no simulation."""


@st.cache_data(max_entries=500, show_spinner=False)
def _computed(document: str, engine: str, version: str, _scenario: Scenario) -> str:
    del version  # part of the key: another version has other answers
    return run(_scenario, engine=engine).model_dump_json()


def answer(scenario: Scenario, engine: str = "calculate") -> RunResult:
    """The answer of one engine, computed once for all prices."""
    bare = without_prices(scenario)
    found = _computed(bare.model_dump_json(), engine, blocktime_version(), bare)
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
    """Baseline and what-if: by the law, or both by the engine that fits once the simulation was played."""
    before, after = answer(base), answer(other)
    queued = [(scenario, law) for scenario, law in ((base, before), (other, after)) if queues(scenario)]
    if not queued:
        return Pair(before, after, after)
    played: dict[int, str] = st.session_state.setdefault(PLAYED, {})
    refused = next((text for scenario, _ in queued if (text := played.get(_key(scenario)))), "")
    if refused:
        return Pair(before, after, after, queues(other), bound=True, refused=refused)
    if all(_key(scenario) in played for scenario, _ in queued):
        return Pair(best(base), best(other), after, queues(other))
    wanted = _key(base, other) in st.session_state.get(WANTED, ())
    affordable = all(steps(scenario, law) <= MOST_STEPS for scenario, law in queued)
    return Pair(before, after, after, queues(other), bound=True, pending=wanted or affordable)


def want(base: Scenario, other: Scenario) -> None:
    """The reader asks for a simulation that takes its time."""
    st.session_state[WANTED] = {*st.session_state.get(WANTED, ()), _key(base, other)}


def play(*scenarios: Scenario) -> None:
    """Simulate those of *scenarios* where somebody queues; what refuses is remembered with its sentence."""
    for scenario in scenarios:
        if not queues(scenario):
            continue
        refused = ""
        try:
            answer(scenario, "simulate")
        except BlocktimeError as error:
            refused = str(error)
        except ImportError:
            refused = "this installation has no simulation engine"
        st.session_state[PLAYED][_key(scenario)] = refused


def _key(*scenarios: Scenario) -> int:
    return hash(tuple(without_prices(scenario).model_dump_json() for scenario in scenarios))
