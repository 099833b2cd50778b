"""An answer in the instruments' own forms: TKPROF, iostat, the segment, the optimizer, and how to get it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import streamlit as st
from click import unstyle

from app.answer import answer, device_view, segment_view, transaction_view
from app.answer.answer import ink
from app.answer.drawn import chart
from app.base.markdown import plain, sentence
from app.charts import charts
from app.session.what_if_state import TAB
from app.text import (
    iostat_text,
    money_text,
    plan_text,
    programs_text,
    rows,
    stream_text,
    text,
    transaction_text,
)
from model.results import RunResult
from scenarios import Scenario, to_toml

APPLIES: Final[dict[str, Callable[[RunResult], bool]]] = {
    "Programs": lambda result: bool(result.programs),
    "Stream": lambda result: bool(result.streams),
    "Transactions": lambda result: result.transactions is not None,
    "Load": lambda result: result.transactions is not None,
    "Cache": lambda result: result.transactions is not None,
    "TKPROF": lambda result: bool(result.calls),
    "Breakdown": lambda _: True,
    "Requests": lambda result: not result.streams and result.transactions is None,
    "Device": lambda _: True,
    "Segment": lambda result: result.segment is not None,
    "Optimizer": lambda result: result.optimizer is not None,
    "Money": lambda result: result.money is not None,
    "Assumptions": lambda _: True,
    "Command line": lambda _: True,
}
"""Tab -> whether it says something of an answer."""


WIDTHS: Final = {
    "Constant": 200, "Value": 70, "Interval": 130, "Outside": 190, "Fitted range": 190, "How": 125, "Source": 130,
    "Note": 600,
}  # fmt: skip
"""Pixels of the columns of the constants: whole words, and the note last, where the table scrolls to."""


def tabs(before: RunResult, after: RunResult, other: Scenario, command: str) -> None:
    """The answer in the instruments' own forms; only the open tab is drawn."""
    names = [name for name, applies in APPLIES.items() if applies(before) or applies(after)]
    drawn = dict(zip(names, st.tabs(names, key=TAB, on_change="rerun"), strict=True))
    for name, tab in drawn.items():
        if not tab.open:
            continue
        with tab:
            if name == "Segment" and after.segment and after.segment.blocks:
                segment_view.draw(after, after.segment, other)
            if name == "Device":
                device_view.draw(after)
            if name == "Load":
                transaction_view.load(before, after, other)
            elif name == "Cache":
                transaction_view.cache(after, other)
            elif name in WIDE:
                _one_above_the_other(before, after, WIDE[name])
            elif name in NARROW:
                _side_by_side(before, after, NARROW[name])
            elif name == "Breakdown":
                found = rows.breakdown(before, after)
                st.table(found, hide_index=True, alt=f"{len(found) - 1} components in baseline and what-if")
            elif name == "Requests":
                chart("reads", *charts.reads_by_size(before, after, ink=ink()))
                _side_by_side(before, after, lambda result: text.io_lines(result, width=60))
            elif name == "Assumptions":
                _assumptions(other, after)
            else:
                _replay(other, command)


def _tkprof(result: RunResult) -> Iterable[str]:
    yield from text.tkprof_lines(result)
    if result.row_sources:
        yield ""
        yield from plan_text.plan_lines(result)


Lines = Callable[[RunResult], Iterable[str]]
WIDE: Final[dict[str, Lines]] = {
    "Programs": lambda result: programs_text.programs_lines(result, 120),
    "TKPROF": _tkprof,
    "Device": lambda result: iostat_text.device_lines(result, 120, iostat_text.MOST_ON_A_PAGE),
}
NARROW: Final[dict[str, Lines]] = {
    "Stream": lambda result: stream_text.stream_lines(result, width=60),
    "Transactions": lambda result: transaction_text.page_lines(result, width=64),
    "Segment": text.segment_lines,
    "Optimizer": text.optimizer_lines,
    "Money": lambda result: money_text.money_lines(result, width=60),
}


def _code(lines: Iterable[str]) -> None:
    st.code("\n".join(unstyle(line) for line in lines) or "nothing", language=None)


def _side_by_side(before: RunResult, after: RunResult, lines: Lines) -> None:
    if before == after:
        _code(lines(after))
        return
    for column, label, result in zip(st.columns(2), ("Baseline", "What-if"), (before, after), strict=True):
        with column:
            st.caption(label)
            _code(lines(result))


def _one_above_the_other(before: RunResult, after: RunResult, lines: Lines) -> None:
    """Some instruments print 80 columns, too wide for two."""
    if before == after:
        _code(lines(after))
        return
    for label, result in (("What-if", after), ("Baseline", before)):
        st.caption(label)
        _code(lines(result))


def _assumptions(other: Scenario, after: RunResult) -> None:
    st.caption(f"{plain(sentence(answer.accessed(after)))} Sources: {', '.join(after.sources)}.")
    if after.extrapolated:
        st.markdown(
            "\n".join(["**Extrapolated**", "", *(f"- {plain(str(one))}" for one in after.extrapolated)])
        )
    found = rows.assumptions(other.system, after)
    st.dataframe(
        found, hide_index=True, key="assumptions", alt=f"{len(found)} constants with value, origin and range",
        column_config={name: st.column_config.Column(width=wide) for name, wide in WIDTHS.items()},
    )  # fmt: skip


def file_of(other: Scenario) -> str:
    """What the scenario's file is called when it is downloaded."""
    return f"{other.name}-what-if.toml"


def _replay(other: Scenario, command: str) -> None:
    st.caption("The same answer from the command line, and as a scenario file for `blocktime run FILE`")
    st.code(command, language="bash", wrap_lines=True)
    document = to_toml(other)
    st.code(document, language="toml")
    st.download_button(
        "Download the scenario", document, file_of(other), "application/toml", on_click="ignore",
        icon=":material/download:",
    )  # fmt: skip
