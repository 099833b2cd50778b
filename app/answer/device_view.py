"""The tab Device of an answer whose device was watched: requests by size, queue and await over time, one request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from blocktime.app.answer.page_elements import beside, chart
from blocktime.app.base.markdown import plain
from blocktime.app.charts import device_charts
from blocktime.app.text import answer_rows
from blocktime.app.text.iostat_text import COLUMNS, columns_of
from blocktime.model.results import DeviceStats, RunResult

PAIRS: Final = (("queue", "await"), ("util", "rate"))
TABLE_HEIGHT: Final = 320
MOST_ROWS: Final = 8
"""Lines that are shown without scrolling."""
TWO_DECIMALS: Final = {name: st.column_config.NumberColumn(format="%.2f") for name in COLUMNS}


def draw(after: RunResult) -> None:
    """What is known of the device beyond its line for the whole run; nothing where that is all."""
    for name, stats in after.device.items():
        with st.container(key=f"device_{name}"):
            _device(name, stats, columns_of(after))
    if after.timeline:
        st.caption("**One request through the stack**")
        chart("device_timeline", *device_charts.timeline(after.timeline))


def _device(name: str, stats: DeviceStats, columns: Sequence[str]) -> None:
    if stats.request_bytes:
        st.caption(f"**Requests of {plain(name)} by size**")
        chart(f"device_sizes_{name}", *device_charts.sizes(stats))
    if not stats.lines:
        return
    for pair in PAIRS:
        beside(*((f"device_{which}_{name}", *device_charts.over_time(stats.lines, which, columns)) for which in pair))
    table = answer_rows.iostat(stats.lines, columns)
    st.caption(f"**iostat -x of {plain(name)}, interval by interval**")
    st.dataframe(
        table, hide_index=True, key=f"device_lines_{name}", column_config=TWO_DECIMALS,
        height=TABLE_HEIGHT if len(table) > MOST_ROWS else "auto", alt=f"{len(table)} lines of iostat for {name}",
    )  # fmt: skip
