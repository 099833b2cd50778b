"""Charts of nothing: each says so in words, and both a page and a report can draw it."""

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest

from blocktime.app.charts import (
    charts,
    compare_charts,
    device_charts,
    drawing,
    measured_charts,
    segment_charts,
    svg,
    sweep_charts,
    uncertainty_charts,
    validation_charts,
)
from blocktime.app.text.sweep_text import Summary
from blocktime.model.results import RunResult, TimeBreakdown

NONE = Summary(("a", "b"), "elapsed_s", {"a": [1, 2], "b": ["x", "y"]}, np.full(2, np.nan), {}, {})
EMPTY = Summary(("a", "b"), "elapsed_s", {"a": [], "b": []}, np.array([]), {}, {})
INSTANT = RunResult(
    scenario="nothing", how="exact sum", seed=1, version="0", sources=[], extrapolated=[], warnings=[],
    time=TimeBreakdown(elapsed_s=0, cpu_s=0, cpu={}, wait={}, unaccounted_s=0, unaccounted={}),
    physical_io={"read_requests": 0, "read_blocks": 0, "read_bytes": 0}, access="nothing is read", calls={}, device={},
)  # fmt: skip
DRAW: dict[str, Callable[[], tuple[drawing.Figure, str]]] = {
    "waterfall": lambda: charts.waterfall(INSTANT, INSTANT),
    "reads": lambda: charts.reads_by_size(INSTANT, INSTANT),
    "bars": lambda: compare_charts.bars([INSTANT], ["A"], ["nothing"]),
    "intervals": lambda: uncertainty_charts.intervals({"nothing": INSTANT}),
    "shares": lambda: uncertainty_charts.shares([]),
    "profile": lambda: measured_charts.profile([]),
    "queue": lambda: device_charts.over_time([], "queue", ["avgqu-sz"]),
    "timeline": lambda: device_charts.timeline([]),
    "map": lambda: segment_charts.freeness_map("", 0, {}, 0),
    "PCTFREE": lambda: segment_charts.over_pctfree([], [], (8192, 10, 1.0), "blocks after"),
    "residuals": lambda: validation_charts.residuals([], lambda _: ""),
    **{
        f"{draw.__name__} of {name}": lambda draw=draw, summary=summary: draw(summary, "a")  # type: ignore[misc]
        for name, summary in (("no value", NONE), ("no point", EMPTY))
        for draw in (sweep_charts.lines,)
    },
    **{
        f"{draw.__name__} of {name}": lambda draw=draw, summary=summary: draw(summary, "a", "b")  # type: ignore[misc]
        for name, summary in (("no value", NONE), ("no point", EMPTY))
        for draw in (sweep_charts.heat, sweep_charts.scattered, sweep_charts.over_two)
    },
    **{
        f"{draw.__name__} of {name}": lambda draw=draw, summary=summary: draw(summary)  # type: ignore[misc]
        for name, summary in (("no value", NONE), ("no point", EMPTY))
        for draw in (sweep_charts.moves,)
    },
}


@pytest.mark.parametrize("name", DRAW)
def test_a_chart_without_data_is_drawn_and_says_so(name: str) -> None:
    figure, says = DRAW[name]()
    assert says
    go.Figure(figure)
    if "xaxis" in figure["layout"]:
        assert svg.drawn(drawing.inked(figure, "#123456"), says)
