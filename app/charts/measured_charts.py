"""The measured profile as bars: CPU and the report's own wait events, each in the colour of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.charts.charts import LOOKS, Figure, in_lines, marker
from app.text.profile import wait_class
from model.units import show_seconds
from validation.identify.report import CPU, UNNAMED, Part

MOST_BARS: Final = 8
LEAST_SHARE: Final = 0.001


def largest(parts: Sequence[Part]) -> list[Part]:
    """The parts worth a line: the longest, and what no line names."""
    *named, rest = parts
    return [*[part for part in named if part.share >= LEAST_SHARE][:MOST_BARS], rest]


def profile(parts: Sequence[Part]) -> tuple[Figure, str]:
    """Bars of the measured profile, and what they show in words."""
    bars = [
        {
            "type": "bar", "orientation": "h", "y": [part.name], "x": [100 * part.share], "width": 0.62,
            "text": [f"{part.share:.1%}"], "textposition": "outside", "cliponaxis": False,
            "showlegend": False, "marker": marker(*LOOKS[_class(part.name)]),
            "hovertemplate": "<br>".join([part.name, show_seconds(part.seconds), _class(part.name)])
            + "<extra></extra>",
        }
        for part in parts
    ]  # fmt: skip
    rows = [part.name for part in parts]
    layout = {
        "height": 60 + 27 * len(rows), "uirevision": "kept", "margin": {"l": 8, "r": 60, "t": 4, "b": 40},
        "xaxis": {"title": {"text": "% of DB time", "standoff": 6}, "zeroline": True, "fixedrange": True},
        "yaxis": {"categoryorder": "array", "categoryarray": rows[::-1], "automargin": True,
                  "fixedrange": True, "tickvals": rows, "ticktext": [f"{in_lines(row)}  " for row in rows]},
        "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "bargap": 0.3,
    }  # fmt: skip
    top = parts[0]
    return {"data": bars, "layout": layout}, f"The largest part of DB time is {top.name}, {top.share:.0%}"


def _class(name: str) -> str:
    return "CPU" if name == CPU else "Other" if name == UNNAMED else wait_class(name)
