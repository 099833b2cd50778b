"""How sure the answer on the page is: behind a switch, intervals with what makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import streamlit as st

from blocktime.app.answer.page_elements import chart
from blocktime.app.base.markdown import plain
from blocktime.app.charts import uncertainty_charts
from blocktime.app.text.uncertainty_text import difference_sentence, interval_sentence, largest_sentence, what_it_holds
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import Contribution, RunResult
from blocktime.model.version import blocktime_version
from blocktime.scenarios import Scenario
from blocktime.scenarios.pricing import without_prices
from blocktime.scenarios.uncertainty import Difference, propagate
from blocktime.scenarios.uncertainty.constant_runs import Progress

SWITCH: Final = "uncertainty"
BASELINE, WHAT_IF = "Baseline", "What-if"


def draw(scenarios: Sequence[Scenario], results: Sequence[RunResult]) -> None:
    """The switch and, where it is on, the intervals of the baseline, the what-if and their difference."""
    helps = "Interval of the time: uncertain constants, and the model's own error"
    if not st.toggle("Uncertainty", key=SWITCH, help=helps):
        return
    answers = difference_of(scenarios, results)
    if answers is None:
        return
    before, after, difference = answers
    if before.time == after.time:
        shares = before.uncertainty.contributions if before.uncertainty else []
        _show(interval_sentence(before), shares, {BASELINE: before})
    else:
        _show(said(difference), difference.contributions, {BASELINE: before, WHAT_IF: after})


def said(difference: Difference) -> str:
    """Within what the difference lies, and whether its sign is sure."""
    return difference_sentence(difference, WHAT_IF, BASELINE.lower())


def difference_of(
    scenarios: Sequence[Scenario], results: Sequence[RunResult]
) -> tuple[RunResult, RunResult, Difference] | None:
    """Both results with their uncertainty and that of their difference; a warning and None where there is none."""
    refusal = "There is no interval for this setting"
    if not (propagated := uncertainty_of(scenarios, results, refusal)):
        return None
    (before, after), (difference,) = propagated
    return before, after, difference


Uncertain = tuple[tuple[RunResult, ...], tuple[Difference, ...]]
"""Results with their uncertainty, and that of the differences from the first."""


def uncertainty_of(scenarios: Sequence[Scenario], results: Sequence[RunResult], refusal: str) -> Uncertain | None:
    """The *results* with their uncertainty; a warning that begins with *refusal*, and None, where there is none."""
    bare = tuple(map(without_prices, scenarios))
    documents = tuple(model.model_dump_json() for model in (*bare, *results))
    place = st.empty()

    def show(done: int, whole: int) -> None:
        place.progress(done / whole, f"Uncertainty: {done} of {whole} simulations")  # a moved control ends it here

    try:
        return _propagated(_Question((blocktime_version(), *documents), bare, tuple(results), show))
    except BlocktimeError as error:
        st.warning(plain(f"{refusal}: {error}"), icon=":material/warning:")
        return None
    finally:
        place.empty()


def _show(text: str, shares: Sequence[Contribution], results: dict[str, RunResult]) -> None:
    """A sentence, the intervals, their causes, and what they leave out."""
    st.markdown(plain(f"{text} {largest_sentence(shares)}"))
    times, makers = st.columns(2, gap="medium")
    with times:
        chart("intervals", *uncertainty_charts.intervals(results))
    if shares:
        with makers:
            chart("shares", *uncertainty_charts.shares(shares))
    st.caption(plain(" ".join(what_it_holds(list(results.values())))))


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, known by its documents, and who hears how far the simulations are."""

    documents: tuple[str, ...]
    scenarios: tuple[Scenario, ...] = field(compare=False)
    results: tuple[RunResult, ...] = field(compare=False)
    progress: Progress = field(compare=False)


@lru_cache(maxsize=80)
def _propagated(question: _Question) -> Uncertain:
    """The results with their uncertainty as the terminal has them, worked out once."""
    sure = propagate(question.scenarios, question.results, progress=question.progress)
    return tuple(sure.results), tuple(sure.difference(place) for place in range(1, len(question.results)))
