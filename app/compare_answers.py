"""What several scenarios answer, all alike: by the law at once, by the simulation once it is played beside the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from app import engines
from app.playing import Ask, Job, Played
from model.results import RunResult
from scenarios import Scenario
from scenarios.prices import without_prices

WANTED: Final = "compare.wanted"
GIVEN_UP: Final = "compare.given_up"
JOB: Final = "compare.job"


@dataclass(frozen=True)
class Answered:
    """Answers in the order of their scenarios."""

    results: tuple[RunResult, ...]
    bound: bool = False
    """The law answers although somebody queues."""
    pending: bool = False
    """A simulation is under way that will replace the answers."""
    refused: str = ""
    """Why there is no simulation."""


def answered(scenarios: Sequence[Scenario]) -> Answered:
    """Answers by the law; or each by the engine that fits, as soon as all that is to be simulated has been.

    Starts what there is to play in the background where it is quick or wanted, and cancels what was asked before.
    Raises a :class:`BlocktimeError` where the law has no answer.
    """
    laws = tuple(engines.answer(one) for one in scenarios)
    queued = [(one, law) for one, law in zip(scenarios, laws, strict=True) if engines.queues(one)]
    asks = [_ask(one) for one, _ in queued]
    known: list[Played | None] = [engines.players().known(*ask.key) for ask in asks]
    refused = next((one.refused for one in known if one is not None and one.refused), "")
    if refused:
        _play(())
        return Answered(laws, bound=True, refused=refused)
    if all(known):
        _play(())
        return Answered(tuple(engines.best(one) for one in scenarios))
    is_quick = all(engines.steps(one, law) <= engines.MOST_STEPS for one, law in queued)
    about = _about(scenarios)
    is_wanted = st.session_state.get(WANTED) == about
    if st.session_state.get(GIVEN_UP) == about or not (is_quick or is_wanted):
        _play(())
        return Answered(laws, bound=True)
    _play([ask for ask, one in zip(asks, known, strict=True) if one is None])
    return Answered(laws, bound=True, pending=True)


def want(scenarios: Sequence[Scenario]) -> None:
    """The reader asks for simulations that take their time."""
    st.session_state[WANTED] = _about(scenarios)
    st.session_state.pop(GIVEN_UP, None)


def give_up(scenarios: Sequence[Scenario]) -> None:
    """The reader wants no simulation of these."""
    st.session_state[GIVEN_UP] = _about(scenarios)
    st.session_state.pop(WANTED, None)
    _play(())


def job() -> Job | None:
    """What is simulated for this session's comparison."""
    found: Job | None = st.session_state.get(JOB)
    return found


def priced_alike(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """*scenarios*, those without prices with the first price book among them, so that their costs can be compared."""
    known = next((one for one in scenarios if one.system.prices.currency is not None), None)
    if known is None:
        return list(scenarios)
    return [one if one.system.prices.currency is not None else _priced_as(one, known) for one in scenarios]


def _priced_as(scenario: Scenario, known: Scenario) -> Scenario:
    book = {path: one for path, one in known.system.constants.items() if path.startswith("prices.")}
    update = {"prices": known.system.prices, "constants": scenario.system.constants | book}
    return scenario.model_copy(update={"system": scenario.system.model_copy(update=update)})


def _ask(scenario: Scenario) -> Ask:
    bare = without_prices(scenario)
    return Ask(bare.model_dump_json(), bare, scenario.replications)


def _play(asks: Sequence[Ask]) -> None:
    """Have *asks* simulated for this comparison, and nothing else."""
    before = job()
    if before is not None and not before.ended and not before.unwanted:
        if asks and {ask.key for ask in asks} <= {ask.key for ask in before.asks}:
            return
        before.cancel()
    st.session_state[JOB] = engines.players().start(Job(asks)) if asks else None


def _about(scenarios: Sequence[Scenario]) -> int:
    return hash(tuple(_ask(one).document for one in scenarios))
