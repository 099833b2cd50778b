"""What a sweep found: its charts, its table, one of its points, and files to take away."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlencode

import streamlit as st

from blocktime.app.answer import page_elements
from blocktime.app.base.markdown import plain
from blocktime.app.charts import sweep_charts
from blocktime.app.charts.drawing import Figure
from blocktime.app.controls.page_question import opened
from blocktime.app.controls.sweep_form import label_of
from blocktime.app.reports import sweep_report
from blocktime.app.reports.sweep_table import SweepTable, table_bytes, zipped_csv
from blocktime.app.session import address, download_buttons, what_if_state
from blocktime.app.sweep.sweep_columns import ShownColumn, table_column
from blocktime.app.text.sweep_text import Summary, levels_of, show_value
from blocktime.model.measures import MEASURES

MEASURE: Final = "sweep.measure"
ACROSS, UP, DRAWN = "sweep.across", "sweep.up", "sweep.drawn"
OTHERS: Final = "sweep.other."
CHOSEN: Final = "sweep.chosen"
MOST_ROWS: Final = 5_000
ROW_PX: Final = 35
MOST_HEIGHT_PX: Final = 360
MOST_ERRORS: Final = 8
MEAN: Final = "mean over all"
CHANGE: Final = "against the base"


def results(stored: SweepTable, name: str) -> None:
    """Everything about the table *stored*; *name* tells it from others."""
    # Another session's table may be importing pandas just now, and plotly stumbles over one that is half there.
    import_module("pandas")
    if not stored.measures:
        _errors(stored)
        return
    if st.session_state.get(MEASURE) not in stored.measures:
        wanted = [*stored.about["sweep"].get("measures", ()), *stored.measures]
        st.session_state[MEASURE] = next(measure for measure in wanted if measure in stored.measures)
    with st.container(key="sweep_choices"):
        measure = _choices(stored)
    summary = replace(stored.summary(measure), named=label_of)
    left, *right = st.columns([1.7, 1] if len(stored.keys) > 1 else 1, gap="medium")
    with left:
        _main(summary, name)
    for column in right:
        with column:
            st.markdown("**Effect of each field** (mean over all others)")
            page_elements.chart("sweep_moves", *sweep_charts.moves(summary))
    _errors(stored)
    _point(stored, summary, name)
    _tabs(stored, summary, name)


def _choices(stored: SweepTable) -> str:
    """Which measure, over which fields, and at which values of the others."""
    count = len(stored.keys)
    first, *columns = st.columns(4 if count > 1 else [1, 3])
    chosen = st.session_state[MEASURE]
    measure: str = first.selectbox(
        "Measure", stored.measures, key=MEASURE, format_func=sweep_charts.measure_name, persist_state="session",
        help=plain(f"{chosen}: {MEASURES[chosen].says}"),
    )  # fmt: skip
    if count < 2:
        return measure
    for key, usual in zip((ACROSS, UP), sweep_charts.pairs(stored.summary(measure))[0], strict=True):
        chosen = st.session_state.get(key)
        # each drawing says it, see sweep_page._held
        st.session_state[key] = chosen if chosen in stored.keys else usual
    if st.session_state[ACROSS] == st.session_state[UP]:
        st.session_state[UP] = next(key for key in stored.keys if key != st.session_state[ACROSS])
    columns[0].selectbox("Across", stored.keys, key=ACROSS, format_func=label_of, persist_state="session")
    columns[1].selectbox("Rows or lines", stored.keys, key=UP, format_func=label_of, persist_state="session")
    st.session_state[DRAWN] = st.session_state.get(DRAWN, "Heat map")
    others = [key for key in stored.keys if key not in _pair()]
    columns[2].segmented_control("Drawn as", ("Heat map", "Lines"), key=DRAWN, required=True, persist_state="session")
    for start in range(0, len(others), 4):
        for column, key in zip(st.columns(4), others[start : start + 4], strict=False):
            levels = levels_of(list(stored.summary(measure).axes[key]))
            options: list[Any] = [MEAN, *levels] if len(levels) <= sweep_charts.MOST_LEVELS else [MEAN]
            if st.session_state.get(OTHERS + key) not in options:
                st.session_state[OTHERS + key] = MEAN
            column.selectbox(plain(label_of(key)), options, key=OTHERS + key, format_func=partial(_level, key))
    return measure


def _level(key: str, value: Any) -> str:
    return MEAN if value is MEAN else show_value(key, value)


def _pair() -> tuple[str, str]:
    return st.session_state[ACROSS], st.session_state[UP]


def _main(summary: Summary, name: str) -> None:
    """The chart of the measure over one field or two; says what the others do."""
    if len(summary.keys) == 1:
        figure, finding = sweep_charts.lines(summary, summary.keys[0])
        texts = []
    else:
        across, up = _pair()
        others = {key: st.session_state[OTHERS + key] for key in summary.keys if key not in (across, up)}
        fixed = {key: value for key, value in others.items() if value is not MEAN}
        averaged = ", ".join(label_of(key) for key in others if key not in fixed)
        as_lines = st.session_state[DRAWN] == "Lines"
        thin = not as_lines and sweep_charts.is_sampled(summary, across, up)
        draw = sweep_charts.lines if as_lines else sweep_charts.over_two
        figure, finding = draw(summary, across, up, fixed)
        texts = [f"{label_of(key)} is {show_value(key, value)}" for key, value in fixed.items()]
        if averaged:
            texts.append(f"{averaged} differ from point to point" if thin else f"means over {averaged}")
    words = sweep_charts.measure_name(summary.measure)
    unit = sweep_charts.unit_of_cells(figure)
    title = (f" ({unit})" if unit else "") + (f" — {'; '.join(texts)}" if texts else "")
    st.markdown(f"**{plain(words[0].upper() + words[1:])}**{plain(title)}")
    st.plotly_chart(
        page_elements.in_ink(figure), key=f"sweep_main_{name}", alt=finding, theme="streamlit",
        config={"displayModeBar": False}, selection_mode="points",
        on_select=lambda: _chosen_in_chart(f"sweep_main_{name}", figure),
    )  # fmt: skip
    st.caption(plain(f"{finding}. Click a mark, or choose a row of the table, to see that point."))


def _chosen_in_chart(key: str, figure: Figure) -> None:
    """A mark was clicked: note its row."""
    if address.is_gone(key):
        return
    points = st.session_state[key]["selection"]["points"]
    rows = figure["data"][points[0]["curve_number"]].get("customdata") if points else None
    st.session_state[CHOSEN] = rows[points[0]["point_index"]] if rows else None


def _chosen_in_table(key: str) -> None:
    if address.is_gone(key):
        return
    rows = st.session_state[key]["selection"]["rows"]
    st.session_state[CHOSEN] = rows[0] if rows else None


def _point(stored: SweepTable, summary: Summary, name: str) -> None:
    """The point that was chosen: what it is, and the way to its scenario."""
    row = st.session_state.get(CHOSEN)
    if row is None or row >= len(stored):
        return
    with st.container(key="sweep_point", border=True):
        if row < 0:
            st.caption("Several points lie there: fix the other fields above, or choose a row of the table.")
            return
        fields = stored.at(row).items()
        at = ", ".join(f"{plain(label_of(key))} **{plain(show_value(key, value))}**" for key, value in fields)
        error = stored.values["error"][row]
        value = f":red[{plain(error)}]" if error else f"**{summary.show(summary.values[row])}**"
        where, action, link = st.columns([3, 1.2, 1], vertical_alignment="center")
        where.markdown(f"{at}: {plain(sweep_charts.measure_name(summary.measure))} {value}")
        place = stored.changes(row)
        if place is None:
            action.caption("Its scenario is not of the library, so no link leads to it.")
            return
        base, changes = place
        action.button("Open in What if", icon=":material/open_in_full:", width="stretch", key=f"open_{name}",
                      on_click=what_if_state.open_there, args=(opened(base, changes),))  # fmt: skip
        link.link_button(
            "In a new tab", f"./?{urlencode({'scenario': base, **changes})}", width="stretch", icon=":material/link:"
        )


def _errors(stored: SweepTable) -> None:
    errors = stored.errors
    if not errors:
        return
    count = sum(errors.values())
    st.warning(
        f"{count:,} of {len(stored):,} points have no answer:\n"
        + "\n".join(f"- {plain(text)} ({times:,})" for text, times in list(errors.items())[:MOST_ERRORS])
        + (f"\n- and {len(errors) - MOST_ERRORS} other reasons" if len(errors) > MOST_ERRORS else ""),
        icon=":material/error:",
    )


def _tabs(stored: SweepTable, summary: Summary, name: str) -> None:
    page_elements.tabs("sweep_tabs", {
        "Table": lambda: _table(stored, summary, name),
        "How this was computed": lambda: _made_by(stored),
        "Export": lambda: _files(stored, summary, name),
    })  # fmt: skip


def columns_of(stored: SweepTable, summary: Summary) -> list[ShownColumn]:
    """The table as the page shows it: fields as a DBA writes them, the measure, its change, errors."""
    before = summary.reference.get(summary.measure)
    words = sweep_charts.measure_name(summary.measure)
    values = summary.values[:MOST_ROWS].tolist()
    columns = [
        *(table_column(key, _heading(key, stored.keys), summary.axes[key][:MOST_ROWS]) for key in stored.keys),
        table_column(summary.measure, words, values),
        ShownColumn(CHANGE, [_change(value, before) for value in values], "%+.1f %%"),
    ]
    if stored.errors:
        columns.append(ShownColumn("no answer because", list(stored.values["error"])[:MOST_ROWS]))
    return columns


def _heading(key: str, keys: Sequence[str]) -> str:
    """The DBA's word for a field, or its key where another has the same word."""
    word = label_of(key)
    return key if [label_of(key) for key in keys].count(word) > 1 else word


def _change(value: float, before: float | None) -> float | None:
    """Per cent more than the base scenario has."""
    return 100 * (value / before - 1) if before and not math.isnan(value) else None


def _table(stored: SweepTable, summary: Summary, name: str) -> None:
    columns = columns_of(stored, summary)
    rows = min(len(stored), MOST_ROWS)
    key = f"sweep_rows_{name}"
    st.dataframe(
        {column.heading: column.values for column in columns}, hide_index=True, key=key,
        height=min(MOST_HEIGHT_PX, ROW_PX * (rows + 1) + 2),
        selection_mode="single-row",
        on_select=lambda: _chosen_in_table(key), alt=f"{rows:,} points with their {summary.measure}",
        column_config={
            column.heading: st.column_config.NumberColumn(format=column.format) for column in columns if column.format
        },
    )  # fmt: skip
    if rows < len(stored):
        st.caption(f"The first {rows:,} of {len(stored):,} points; the files have them all.")


def _made_by(stored: SweepTable) -> None:
    about = stored.about
    seeds = ", ".join(map(str, about.get("seeds", ())))
    st.caption(plain(f"blocktime {about.get('model', '')}, seeds {seeds}"))
    st.caption("The same sweep as a file for `blocktime sweep FILE`")
    st.code(stored.document(), language="toml")


def _files(stored: SweepTable, summary: Summary, name: str) -> None:
    offers: Sequence[tuple[str, str, str, Callable[[], str | bytes]]] = (
        ("Parquet", "parquet", "application/vnd.apache.parquet", lambda: table_bytes(stored, ".parquet")),
        ("CSV", "csv", "text/csv", lambda: table_bytes(stored, ".csv")),
        ("CSV with its description", "zip", "application/zip", lambda: zipped_csv(stored)),
        ("HTML report", "html", "text/html", lambda: sweep_report.page_of(stored, [replace(summary, named=str)])),
    )
    download_buttons.buttons([
        download_buttons.Download(f"{label}_{name}", label, f"{stored.stem}.{ending}", kind, "", content)
        for label, ending, kind, content in offers
    ])  # fmt: skip
