"""Transactions as figures: throughput and response over load, hits over the cache, resources; no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS
from blocktime.app.charts.drawing import GREY, LINES, OF_TEXT, Figure, axis, mark
from blocktime.app.text.transaction_text import saturation, tps
from blocktime.model.results import TransactionStats
from blocktime.model.units import MIB, show_bytes, show_data, show_number, show_seconds
from blocktime.model.workloads.transactions.curves import LoadPoint, Size, doubling_load

HEIGHT: Final = 290
SNUG: Final = (8, 12, 46, 42)
PLAIN: Final = {"exponentformat": "none", "tickformat": ",~g"}
"""Numbers of an axis without powers of ten."""
BOUND: Final = "upper bound"
LEAST: Final = "lower bound"
PLAYED: Final = "simulated"
BOUND_SAYS: Final = (
    "Dashed: no run is expected to do better. Throughput is at most the users divided by the think time plus the "
    "response without waiting, and at most what the bottleneck does. Points: simulations to 5 %. The bounds take the "
    "hit ratio of a law, and the points count it."
)


def throughput(bounds: Sequence[LoadPoint], played: Sequence[LoadPoint], now: TransactionStats) -> tuple[Figure, str]:
    """Throughput over load: its upper bound, the simulated points, the saturation, and where the answer lies."""
    traces = [
        drawing.line(BOUND, _loads(bounds), [point.per_s for point in bounds], LINES[1], "%{y:,.4~r} TPS"),
        *_played(played, [point.per_s for point in played], "TPS"),
        mark(f"now: {tps(now.per_s)} TPS", _load(bounds, now), now.per_s),
    ]
    last = bounds[-1]
    return _figure(traces, "transactions a second (TPS)", now), (
        f"Throughput over {_across(now)}: now {tps(now.per_s)} TPS, at most {tps(last.per_s)} TPS at "
        f"{show_number(last.load, 3)}. {saturation(now)}"
    )


def response(bounds: Sequence[LoadPoint], played: Sequence[LoadPoint], now: TransactionStats) -> tuple[Figure, str]:
    """Mean response over load: its lower bound, the simulated points, the saturation, and where the answer lies."""
    traces = [
        drawing.line(LEAST, _loads(bounds), [1000 * point.response_s for point in bounds], LINES[1], "%{y:,.4~r} ms"),
        *_played(played, [1000 * point.response_s for point in played], "ms"),
        mark(f"now: {show_seconds(now.response_s)}", _load(bounds, now), 1000 * now.response_s),
    ]
    first, last = bounds[0], bounds[-1]
    return _figure(traces, "mean response (ms)", now), (
        f"Response over {_across(now)}: now {show_seconds(now.response_s)}, at least "
        f"{show_seconds(first.response_s)}, and {show_seconds(last.response_s)} at {show_number(last.load, 3)}. "
        f"{doubles(bounds, played, now)}"
    )


def doubles(bounds: Sequence[LoadPoint], played: Sequence[LoadPoint], now: TransactionStats) -> str:
    """At what load the response is twice that of the least load: as simulated, or at the latest by the bounds."""
    points, double = played, doubling_load(played)
    if double is None:
        points, double = bounds, doubling_load(bounds)
    closed = now.saturation_users is not None
    least = "a single user" if closed else f"{tps(points[0].load)} arrivals a second"
    twice = f"The response reaches {show_seconds(2 * points[0].response_s)}, twice that of {least},"
    if double is None:
        return f"{twice} at no load drawn here" if closed else f"{twice} below the maximum TPS"
    load = f"{double:,.0f} users" if closed else f"{tps(double)} arrivals a second"
    return f"{twice} at about {load}" if points is played else f"{twice} at {load} or fewer"


def _across(now: TransactionStats) -> str:
    return "arrivals a second" if now.saturation_users is None else "users"


def _loads(points: Sequence[LoadPoint]) -> list[float]:
    return [point.load for point in points]


def _played(points: Sequence[LoadPoint], values: list[float], unit: str) -> list[dict[str, Any]]:
    """The line through the simulated points, as far as there are any."""
    return [drawing.line(PLAYED, _loads(points), values, LINES[0], f"%{{y:,.4~r}} {unit}")] if points else []


def _load(bounds: Sequence[LoadPoint], now: TransactionStats) -> float:
    """Where the answer lies on the axis: users by Little's law, those who think among them."""
    if now.saturation_users is None:
        return now.per_s
    thinks_s = max(0.0, bounds[0].load / bounds[0].per_s - bounds[0].response_s)
    return float(round(now.per_s * (now.response_s + thinks_s)))


def hits(points: Sequence[Size], size_bytes: float, share: float) -> tuple[Figure, str]:
    """Hits of all gets over the size of the default pool, by touch count and by LRU; where the answer lies."""
    sizes = [point.size_bytes / MIB for point in points]
    hover = "%{y:.2f} % at %{x:,.4~r} MB"
    traces = [
        drawing.line("touch count", sizes, [100 * point.hit_fraction for point in points], LINES[0], hover),
        drawing.line("LRU", sizes, [100 * point.lru_fraction for point in points], LINES[1], hover),
        mark(f"now: {100 * share:.2f} % with {show_bytes(size_bytes)}", size_bytes / MIB, 100 * share),
    ]
    ticks = [step * 10.0**power for power in range(-2, 8) for step in (1, 2, 5)]
    visible = [tick for tick in ticks if 0.9 * sizes[0] <= tick <= 1.1 * sizes[-1]]
    layout = drawing.layout(
        HEIGHT,
        axis("buffer cache (MB)", type="log", tickvals=visible, ticktext=[f"{tick:,g}" for tick in visible]),
        axis("hits of all gets (%)", **PLAIN),
        margin=SNUG,
    )
    whole = points[-1]
    return drawing.figure(traces, layout), (
        f"Hits over the size of the buffer cache: now {100 * share:.2f} % with {show_bytes(size_bytes)}; "
        f"{100 * points[0].hit_fraction:.1f} % with {show_data(points[0].size_bytes)}, "
        f"{100 * whole.hit_fraction:.1f} % with {show_data(whole.size_bytes)}, which holds all data"
    )


def resources(before: TransactionStats, after: TransactionStats) -> tuple[Figure, str]:
    """How busy each resource is, baseline beside what-if."""
    names = list(dict.fromkeys([*after.utilisation, *before.utilisation]))
    looks = {"Baseline": (GREY, ""), "What-if": LOOKS["User I/O"]}
    traces: list[dict[str, Any]] = []
    for (label, look), stats in zip(looks.items(), (before, after), strict=True):
        shares = [100 * stats.utilisation.get(name, 0.0) for name in names]
        traces.append(drawing.bars(
            label, names, shares, look, text=[f"{share:.1f} %" for share in shares], textposition="outside",
            cliponaxis=False, hovertemplate=f"{label}: %{{y}} %{{text}} busy<extra></extra>",
        ))  # fmt: skip
    across = axis("% busy", range=[0, 112], tickvals=[0, 20, 40, 60, 80, 100])
    layout = drawing.layout(110 + 44 * len(names), across, drawing.rows(names), margin=SNUG, barmode="group")
    text = ", ".join(f"{name} {100 * share:.1f} %" for name, share in after.utilisation.items())
    return drawing.figure(traces, layout), f"Busy: {text}. {saturation(after)}"


def _figure(traces: list[dict[str, Any]], up: str, now: TransactionStats) -> Figure:
    """A figure over load, with the saturation as a line of its own."""
    closed = now.saturation_users is not None
    knee = now.saturation_per_s if now.saturation_users is None else now.saturation_users
    words = f"saturation: {knee:,.0f} users" if closed else f"saturation: {tps(knee)} TPS"
    note = {
        "x": knee, "y": 0.02, "yref": "paper", "showarrow": False, "xanchor": "right", "yanchor": "bottom",
        "text": f" {words} ",
    }  # fmt: skip
    layout = drawing.layout(
        HEIGHT, axis(_across(now), **PLAIN), axis(up, rangemode="tozero", **PLAIN), margin=SNUG, annotations=[note],
        shapes=[drawing.upright(knee, color=OF_TEXT, width=1.5, dash="dash")],
    )  # fmt: skip
    return drawing.figure(traces, layout)
