"""The device as figures: sizes of requests, queue, await and %util over time, one request on its way; no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS
from blocktime.app.charts.drawing import GREY, LINES, SNUG, Figure, axis, figure
from blocktime.app.text.iostat_text import by_size, said_of_requests, span_of, value_of
from blocktime.model.results import DeviceLine, DeviceStats, Stage
from blocktime.model.units import show_seconds

MOST_POINTS: Final = 60
"""Lines of iostat up to which each is marked with a symbol."""

# Chart over time -> sets of iostat's columns, of which it shows the first that is printed, and their unit where
# their names do not say it.
OVER_TIME: Final[dict[str, tuple[tuple[tuple[str, ...], ...], str]]] = {
    "queue": ((("avgqu-sz",), ("aqu-sz",)), " (requests)"),
    "await": ((("await", "svctm"), ("r_await", "w_await")), " (ms)"),
    "util": ((("%util",),), ""),
    "rate": ((("rkB/s", "wkB/s"), ("rsec/s", "wsec/s")), ""),
}
SYMBOLS: Final = ("circle", "diamond-open")


def sizes(stats: DeviceStats) -> tuple[Figure, str]:
    """How many requests of which size the device got, and how many of the bytes those are."""
    bands = by_size(stats.request_bytes, most=24)
    requests, size_bytes = sum(band[1] for band in bands), sum(band[2] for band in bands)
    counts = [(100 * count / requests, f"{count:,.0f} requests") for _, count, _ in bands]
    sizes = [(100 * size / size_bytes if size_bytes else 0.0, f"{size / 2**20:,.1f} MB") for *_, size in bands]
    traces = [
        drawing.columns(
            name, [band for band, *_ in bands], [share for share, _ in shares], look,
            hovertext=[text for _, text in shares], hovertemplate="%{x}: %{hovertext}, %{y:.1f} %<extra></extra>",
        )
        for name, shares, look in (("% of requests", counts, LOOKS["User I/O"]), ("% of bytes", sizes, (GREY, "")))
    ]  # fmt: skip
    across, up = axis("size of a request", type="category"), axis("%", rangemode="tozero")
    layout = drawing.layout(260, across, up, margin=SNUG, barmode="group")
    return figure(traces, layout), said_of_requests(stats)


def over_time(lines: Sequence[DeviceLine], which: str, columns: Sequence[str]) -> tuple[Figure, str]:
    """What iostat prints in those of its *columns* that the chart *which* has, each in the middle of its interval."""
    sets, unit = OVER_TIME[which]
    wanted = next(names for names in sets if names[0] in columns)
    printed = [name for name in wanted if name in columns]
    plotted = [name for name in printed if any(value_of(name, line) for line in lines)] or printed[:1]
    middles = [line.begin_s + line.interval_s / 2 for line in lines]
    mode = "lines+markers" if len(lines) <= MOST_POINTS else "lines"
    traces = [
        drawing.line(
            name, middles, [value_of(name, line) for line in lines], look, "%{y:,.2f} at %{x} s", mode=mode,
            marker={"symbol": symbol, "size": 7},
        )
        for name, look, symbol in zip(plotted, LINES, SYMBOLS, strict=False)
    ]  # fmt: skip
    full = {"range": [0, 105]} if which == "util" else {}
    up = axis(" and ".join(plotted) + unit, rangemode="tozero", **full)
    across = axis("seconds since the start")
    layout = drawing.layout(240, across, up, margin=SNUG, showlegend=len(plotted) > 1)
    return figure(traces, layout), "; ".join(_course(name, lines) for name in plotted)


def _course(name: str, lines: Sequence[DeviceLine]) -> str:
    """The least and the most of a column, and when that was."""
    values = [value_of(name, line) for line in lines]
    if not values:
        return f"{name}: no interval was watched"
    most = max(range(len(values)), key=values.__getitem__)
    decimals = 2 if values[most] < 1000 else 0
    low, high = (f"{value:,.{decimals}f}" for value in (min(values), values[most]))
    if low == high:
        return f"{name} {high} all the time"
    return f"{name} {low} to {high}, the most in seconds {span_of(lines[most])}"


def timeline(stages: Sequence[Stage]) -> tuple[Figure, str]:
    """One request from the call to its end: each stage a bar where it begins and ends."""
    if not stages:
        empty = drawing.layout(120, axis("ms since the call"), axis(""), margin=SNUG)
        return figure([], empty), "No request was followed"
    begin = min(stage.begin_s for stage in stages)
    rows = [f"{place}. {stage.name}" for place, stage in enumerate(stages, 1)]
    traces: list[dict[str, Any]] = []
    for row, stage in zip(rows, stages, strict=True):
        at, takes = stage.begin_s - begin, stage.end_s - stage.begin_s
        hover = f"{row}<br>{show_seconds(takes)} from {show_seconds(at)} on<extra></extra>"
        traces.append(drawing.bars(
            "", [row], [1000 * takes], LOOKS["User I/O"], base=[1000 * at], width=0.6, showlegend=False,
            text=[show_seconds(takes)], textposition="outside", cliponaxis=False, hovertemplate=hover,
        ))  # fmt: skip
    whole = max(stage.end_s for stage in stages) - begin
    across = axis("ms since the call", range=[0, 1130 * whole or 1], zeroline=True)
    layout = drawing.layout(
        90 + 30 * len(rows), across, drawing.rows(rows), margin=SNUG, barmode="overlay", showlegend=False
    )
    parts = [stage for stage in stages if stage.end_s - stage.begin_s < whole]
    longest = max(parts, key=lambda stage: stage.end_s - stage.begin_s, default=None)
    text = f"One request takes {show_seconds(whole)}"
    if longest is not None:
        text += f"; the longest part of it is {longest.name}, {show_seconds(longest.end_s - longest.begin_s)}"
    return figure(traces, layout), text
