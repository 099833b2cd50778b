"""An answer in the instruments' own forms: TKPROF, iostat, the segment, the optimizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import streamlit as st
from click import unstyle

from blocktime.app.answer import (
    cheapest_view,
    device_view,
    page_elements,
    programs_view,
    segment_view,
    transaction_view,
)
from blocktime.app.answer.page_elements import chart, columns_of
from blocktime.app.base.lines import parted
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.memo import by_object
from blocktime.app.charts import charts
from blocktime.app.session.what_if_state import TAB
from blocktime.app.text import answer_rows
from blocktime.app.text.document import Form, lines
from blocktime.app.text.iostat_text import MOST_ON_A_PAGE
from blocktime.app.text.segment_text import HALF_PAGE
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario

WIDTHS: Final = {
    "Constant": 200, "Value": 70, "Interval": 130, "Outside": 190, "Fitted range": 190, "How": 125, "Source": 130,
    "Note": 600,
}  # fmt: skip
"""Pixels of the columns of the constants: whole words, and the note last, where the table scrolls to."""


@dataclass(frozen=True)
class AnswerPair:
    """The answers on the page, and the scenario of the what-if."""

    before: RunResult
    after: RunResult
    other: Scenario


@dataclass(frozen=True)
class Text:
    """Sections of an answer that a tab shows as text, baseline and what-if side by side where both fit."""

    form: Form
    names: tuple[str, ...]
    side_by_side: bool = True

    @by_object(128)
    def lines(self, result: RunResult) -> str:
        """The sections, parted by empty lines."""
        return "\n".join(map(unstyle, parted(lines(result, self.form, self.names)))) or "nothing"


@dataclass(frozen=True)
class Tab:
    """What a tab shows: a drawing, then a text; and whether it says something of an answer."""

    applies: Callable[[RunResult], object] = lambda _: True
    drawing: Callable[[AnswerPair], None] | None = None
    text: Text | None = None

    def draw(self, pair: AnswerPair) -> None:
        """Draw both."""
        if self.drawing is not None:
            self.drawing(pair)
        if self.text is not None:
            _texts(pair, self.text)


def tabs(before: RunResult, after: RunResult, other: Scenario) -> None:
    """The answer in the instruments' own forms; only the open tab is drawn."""
    pair = AnswerPair(before, after, other)
    applying = {name: tab for name, tab in TABS.items() if tab.applies(before) or tab.applies(after)}
    # Tabs of other names are another widget, which would begin at its first one.
    if st.session_state.get(TAB) in applying:
        st.session_state[TAB] = st.session_state[TAB]
    page_elements.tabs(TAB, {name: partial(tab.draw, pair) for name, tab in applying.items()})


def _texts(pair: AnswerPair, text: Text) -> None:
    """A text of both answers; of one where they are the same."""
    if pair.before == pair.after:
        st.code(text.lines(pair.after), language=None)
        return
    both = [("Baseline", pair.before), ("What-if", pair.after)]
    places = st.columns(2) if text.side_by_side else [st.container(), st.container()]
    for place, (label, result) in zip(places, both if text.side_by_side else both[::-1], strict=True):
        with place:
            st.caption(label)
            st.code(text.lines(result), language=None)


def _segment(pair: AnswerPair) -> None:
    if pair.after.segment and pair.after.segment.blocks:
        segment_view.draw(pair.after, pair.after.segment, pair.other)


def _breakdown(pair: AnswerPair) -> None:
    table = answer_rows.breakdown(pair.before, pair.after)
    st.table(columns_of(table), hide_index=True, alt=f"{len(table) - 1} components in baseline and what-if")


def _assumptions(pair: AnswerPair) -> None:
    other, after = pair.other, pair.after
    st.caption(f"{plain(sentence(after.access))} Sources: {', '.join(after.sources)}.")
    if after.extrapolated:
        st.markdown("\n".join(["**Extrapolated**", "", *(f"- {plain(str(use))}" for use in after.extrapolated)]))
    table = answer_rows.assumptions(other.system, after)
    st.dataframe(
        table, hide_index=True, key="assumptions", alt=f"{len(table)} constants with value, origin and range",
        column_config={name: st.column_config.Column(width=wide) for name, wide in WIDTHS.items()},
    )  # fmt: skip


TABS: Final[dict[str, Tab]] = {
    "Programs": Tab(
        lambda result: result.programs,
        lambda pair: programs_view.draw(pair.after, pair.other),
        Text(Form(120), ("programs",), side_by_side=False),
    ),
    "Stream": Tab(lambda result: result.streams, text=Text(Form(60), ("streams",))),
    "Transactions": Tab(
        lambda result: result.transactions, text=Text(Form(62, bar=""), ("transactions", "load", "kinds", "profile"))
    ),
    "Load": Tab(
        lambda result: result.transactions, lambda pair: transaction_view.load(pair.before, pair.after, pair.other)
    ),
    "Cache": Tab(lambda result: result.transactions, lambda pair: transaction_view.cache(pair.after, pair.other)),
    "TKPROF": Tab(lambda result: result.calls, text=Text(Form(120), ("tkprof", "plan"), side_by_side=False)),
    "Breakdown": Tab(drawing=_breakdown),
    "Requests": Tab(
        lambda result: not result.streams and not result.transactions,
        lambda pair: chart("reads", *charts.reads_by_size(pair.before, pair.after)),
        Text(Form(60), ("io",)),
    ),
    "Device": Tab(
        drawing=lambda pair: device_view.draw(pair.after),
        text=Text(Form(120, most_lines=MOST_ON_A_PAGE), ("device",), side_by_side=False),
    ),
    "Segment": Tab(lambda result: result.segment, _segment, Text(Form(HALF_PAGE), ("segment",))),
    "Optimizer": Tab(lambda result: result.optimizer, text=Text(Form(60), ("optimizer",))),
    "Money": Tab(
        lambda result: result.money,
        lambda pair: cheapest_view.draw(pair.before, pair.after, pair.other),
        Text(Form(60), ("money",)),
    ),
    "Assumptions": Tab(drawing=_assumptions),
}
"""Name -> tab; some instruments print 80 columns, too wide for two texts side by side."""
