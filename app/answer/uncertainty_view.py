"""How sure the answer on the page is: behind a switch, intervals with what makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from app.answer.answer import ink
from app.answer.drawn import chart
from app.base.markdown import plain
from app.charts import uncertainty_charts
from app.session import engines
from app.text.uncertainty_text import difference_sentence, interval_sentence, largest_sentence, what_it_holds
from model.books import blocktime_version
from model.errors import BlocktimeError
from model.results import Contribution, RunResult
from scenarios import Scenario
from scenarios.prices import without_prices
from scenarios.uncertainty import Difference, propagate

SWITCH: Final = "uncertainty"
BASELINE, WHAT_IF = "Baseline", "What-if"


def draw(base: Scenario, other: Scenario, pair: engines.Pair) -> None:
    """The switch and, where it is on, the intervals of both answers and of their difference.

    The closed form answers the draws of the constants: without one there is no switch.
    """
    if pair.law is None:
        return
    if not st.toggle(
        "Uncertainty",
        key=SWITCH,
        help="Interval of the time: uncertain constants, and the model's own error",
    ):
        return
    answers = difference_of(base, other, pair)
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
    base: Scenario, other: Scenario, pair: engines.Pair
) -> tuple[RunResult, RunResult, Difference] | None:
    """Both results with their uncertainty and that of their difference; a warning and None where there is none."""
    scenarios, results = (without_prices(base), without_prices(other)), (pair.before, pair.after)
    documents = tuple(model.model_dump_json() for model in (*scenarios, *results))
    try:
        with st.spinner("Drawing constants …"):
            return _propagated(documents, blocktime_version(), scenarios, results)
    except BlocktimeError as error:
        st.warning(plain(f"There is no interval for this setting: {error}"), icon=":material/warning:")
        return None


def _show(text: str, shares: Sequence[Contribution], results: dict[str, RunResult]) -> None:
    """A sentence, the intervals, their causes, and what they leave out."""
    st.markdown(plain(f"{text} {largest_sentence(shares)}"))
    times, makers = st.columns(2, gap="medium")
    with times:
        chart("intervals", *uncertainty_charts.intervals(results, ink=ink()))
    if shares:
        with makers:
            chart("shares", *uncertainty_charts.shares(shares, ink=ink()))
    st.caption(plain(" ".join(what_it_holds(list(results.values())))))


@st.cache_data(max_entries=50, show_spinner=False)
def _propagated(
    documents: tuple[str, ...],
    version: str,
    _scenarios: tuple[Scenario, ...],
    _results: tuple[RunResult, ...],
) -> tuple[RunResult, RunResult, Difference]:
    """The two results with their uncertainty and that of their difference, worked out once."""
    del documents, version  # the key
    return propagated(_scenarios, _results)


def propagated(
    scenarios: tuple[Scenario, ...], results: tuple[RunResult, ...]
) -> tuple[RunResult, RunResult, Difference]:
    """The two results with their uncertainty and that of their difference, as the terminal has them."""
    sure = propagate(scenarios, results)
    before, after = sure.results
    return before, after, sure.difference(1)
