"""The measured profile as bars: CPU and the report's own wait events, each in the colour of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS, in_lines
from blocktime.app.charts.drawing import Figure, axis
from blocktime.app.text.profile import wait_class
from blocktime.model.units import show_seconds, show_share
from blocktime.validation.identify.report import CPU, OVERLAP, UNNAMED, DbTimePart

MOST_BARS: Final = 8
LEAST_SHARE: Final = 0.001


def largest(parts: Sequence[DbTimePart]) -> list[DbTimePart]:
    """The parts worth a line: the longest, and what no line names."""
    *named, rest = parts
    return [*[part for part in named if part.share >= LEAST_SHARE][:MOST_BARS], rest]


def profile(parts: Sequence[DbTimePart]) -> tuple[Figure, str]:
    """Bars of the measured profile, and what they show in words."""
    bars = [
        drawing.bars(
            "", [part.name], [100 * part.share], LOOKS[_class(part.name)], width=0.62, text=[show_share(part.share, 1)],
            textposition="outside", cliponaxis=False, showlegend=False,
            hovertemplate=f"{part.name}<br>{show_seconds(part.seconds)}<br>{_class(part.name)}<extra></extra>",
        )
        for part in parts
    ]  # fmt: skip
    rows = [part.name for part in parts]
    across, margin = axis("% of DB time", zeroline=True), (8, 60, 4, 40)
    layout = drawing.layout(60 + 27 * len(rows), across, drawing.rows(rows, in_lines), margin, bargap=0.3)
    if not parts:
        return drawing.figure([], layout), "No part of DB time is known"
    top = parts[0]
    return drawing.figure(bars, layout), f"The largest part of DB time is {top.name}, {show_share(top.share)}"


def _class(name: str) -> str:
    return "CPU" if name == CPU else "Other" if name in (UNNAMED, OVERLAP) else wait_class(name)
