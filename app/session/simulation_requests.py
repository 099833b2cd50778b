"""What a session wants simulated on one of its pages, and what it has given up."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from blocktime.app.base.memo import by_object
from blocktime.app.session.simulations import Ask, Players, SimulatedAnswer, SimulationJob
from blocktime.scenarios import Scenario
from blocktime.scenarios.pricing import without_prices


@st.cache_resource(show_spinner=False)
def players() -> Players:
    """Those who simulate for all sessions of this server."""
    return Players()


@by_object(256)
def ask(scenario: Scenario) -> Ask:
    """What to simulate for *scenario*: the same whatever it costs."""
    bare = without_prices(scenario)
    return Ask(bare.model_dump_json(), bare, scenario.replications)


def played(question: Ask) -> SimulatedAnswer | None:
    """What the simulation of *question* came to, as far as it is known."""
    return players().known(*question.key)


class Wishes:
    """The simulations that a session waits for at one place, kept in its state."""

    def __init__(self, place: str, *, urgent: bool = True) -> None:
        self._urgent = urgent
        self._wanted, self._given_up = f"{place}.wanted", f"{place}.given_up"
        self.under_way = f"{place}.job"
        """Where the session's state holds them."""

    def want(self, *scenarios: Scenario) -> None:
        """The reader asks for a simulation that takes its time."""
        st.session_state[self._wanted] = _key(scenarios)
        st.session_state.pop(self._given_up, None)

    def give_up(self, *scenarios: Scenario) -> None:
        """The reader wants no simulation of these."""
        st.session_state[self._given_up] = _key(scenarios)
        st.session_state.pop(self._wanted, None)
        self.play(())

    def are_wanted(self, *scenarios: Scenario) -> bool:
        """Whether the reader asked for just these."""
        return bool(st.session_state.get(self._wanted) == _key(scenarios))

    def are_given_up(self, *scenarios: Scenario) -> bool:
        """Whether the reader wants none of these."""
        return bool(st.session_state.get(self._given_up) == _key(scenarios))

    def job(self) -> SimulationJob | None:
        """What is simulated; None where nothing is, or nobody waits for it."""
        job: SimulationJob | None = st.session_state.get(self.under_way)
        return job

    def play(self, asks: Sequence[Ask]) -> bool:
        """Have *asks* simulated here and nothing else; whether any of them is not known yet."""
        unknown = [ask for ask in asks if players().known(*ask.key) is None]
        before = self.job()
        if before is not None and not before.is_ended and not before.is_unwanted:
            if unknown and {ask.key for ask in unknown} <= {ask.key for ask in before.asks}:
                return True
            before.cancel()
        st.session_state[self.under_way] = (
            players().start(SimulationJob(unknown, urgent=self._urgent)) if unknown else None
        )
        return bool(unknown)

    def look(self) -> None:
        """Somebody looks at what is simulated: the whole page is drawn again once that is through."""
        job = self.job()
        if job is not None:
            job.look()
            if job.is_ended:
                self.play(())
                st.rerun()


def _key(scenarios: Sequence[Scenario]) -> int:
    return hash(tuple(ask(scenario).document for scenario in scenarios))
