"""Figures and tables in the form that Streamlit hands on as they are: what it would make of others takes long.

The tests check every figure with plotly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from blocktime.app.base.insides import Ready
from blocktime.app.base.markdown import plain
from blocktime.app.base.memo import by_object
from blocktime.app.charts import charts
from blocktime.app.charts.drawing import Figure, inked

if TYPE_CHECKING:
    import pyarrow as pa


_inked = by_object(128)(inked)


def in_ink(figure: Figure) -> Figure:
    """A figure with its text in the colour that the theme in use has for it."""
    return _inked(figure, charts.INK["dark" if st.context.theme.type == "dark" else "light"])


def chart(key: str, figure: Figure, says: str) -> None:
    """Draw a figure; *says* is what it shows, in words."""
    ready = Ready(in_ink(figure))
    st.plotly_chart(ready, key=key, alt=says, theme="streamlit", config={"displayModeBar": False})


def captioned(key: str, figure: Figure, says: str) -> None:
    """Draw a figure, and below it in words what it shows."""
    chart(key, figure, says)
    st.caption(plain(says))


def beside(*figures: tuple[str, Figure, str]) -> None:
    """Draw figures side by side, each with its key and its words."""
    for column, figure in zip(st.columns(len(figures), gap="small"), figures, strict=True):
        with column:
            chart(*figure)


def tabs(key: str, drawn: Mapping[str, Callable[[], None]]) -> None:
    """A tab for each name; what the open one shows is drawn, and nothing else."""
    for draw, tab in zip(drawn.values(), st.tabs(list(drawn), key=key, on_change="rerun"), strict=True):
        if tab.open:
            with tab:
                draw()


def table(rows: Sequence[Mapping[str, str]], says: str, place: Any = st, **more: Any) -> None:
    """Draw rows of text as a table; *says* is what it holds."""
    place.table(rows, hide_index=True, border="horizontal", alt=says, **more)


def columns_of(lines: Sequence[dict[str, str]]) -> pa.Table:
    """Lines of a table, all with the same columns, as Streamlit sends them to the browser."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(lines))
