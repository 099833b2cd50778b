"""Figures and tables in the form that Streamlit hands on as they are: what it would make of others takes long.

The tests check every figure with plotly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import plotly.io
import streamlit as st
from plotly.basedatatypes import BaseFigure

from app.charts.drawing import Figure

if TYPE_CHECKING:
    import pyarrow as pa


class Ready(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that is handed on as it is; it can do nothing else."""

    def __init__(self, figure: Figure) -> None:
        self._ready = figure

    def to_dict(self) -> Figure:
        """The figure, with the template that Streamlit's theme fills in."""
        return self._ready | {"layout": self._ready["layout"] | {"template": _template()}}


@lru_cache(maxsize=1)
def _template() -> dict[str, Any]:
    """Streamlit's template, which its front end looks for."""
    template: dict[str, Any] = plotly.io.templates[plotly.io.templates.default].to_plotly_json()
    return template


def chart(key: str, figure: Figure, says: str) -> None:
    """Draw a figure; *says* is what it shows, in words."""
    st.plotly_chart(Ready(figure), key=key, alt=says, theme="streamlit", config={"displayModeBar": False})


def columns_of(lines: Sequence[dict[str, str]]) -> pa.Table:
    """Lines of a table, all with the same columns, as Streamlit sends them to the browser."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(lines))
