"""Transactions as figures: throughput and response over load, hits over the cache, resources; no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from app.charts.charts import LOOKS, Figure, marker, write_in
from app.charts.segment_charts import CLEAR, GREY, LINES
from app.text.transaction_text import saturation, tps
from model.results import TransactionStats
from model.units import MIB, show_bytes, show_data, show_seconds
from model.workloads.transactions.curves import Load, Size

HEIGHT: Final = 290
UNHINDERED: Final = "if nobody waited"
UNHINDERED_SAYS: Final = (
    "Dashed: the estimate if no transaction waited for another. It is the users divided by the think time plus the "
    "response of a single user, up to the maximum TPS. A simulation may lie above it, for two reasons. Chance moves "
    "it, and with many users DBWR and the log writer write less often for each transaction."
)


def throughput(points: Sequence[Load], now: TransactionStats, *, ink: str = "") -> tuple[Figure, str]:
    """Throughput over load, what it were if nobody waited, the knee, and where the answer lies."""
    across, loads = _across(points, now)
    traces = [_line("TPS, instant estimate", loads, [point.per_s for point in points], 0, "%{y:,.4~g} TPS")]
    if now.saturation_users is not None:  # of arrivals there is the limit alone
        unhindered = [point.most_per_s for point in points]
        traces.append(_line(UNHINDERED, loads, unhindered, 1, "%{y:,.4~g} TPS"))
    traces.append(_now(f"now: {tps(now.per_s)} TPS", _load(points, now), now.per_s, ink))
    figure = _figure(traces, _layout(across, "transactions a second (TPS)"), now, ink)
    last = points[-1]
    return figure, (
        f"Throughput over {across}: now {tps(now.per_s)} TPS, at {last.users:,.3g} "
        f"{tps(last.per_s)} TPS. {saturation(now)}"
    )


def response(
    points: Sequence[Load], now: TransactionStats, twice: float | None, *, ink: str = ""
) -> tuple[Figure, str]:
    """Mean response over load, the knee, the load at which it is *twice* the least, and where the answer lies."""
    across, loads = _across(points, now)
    traces = [
        _line(
            "mean response, instant estimate",
            loads,
            [1000 * point.response_s for point in points],
            0,
            "%{y:,.4~g} ms",
        ),
        _now(f"now: {show_seconds(now.response_s)}", _load(points, now), 1000 * now.response_s, ink),
    ]
    if twice is not None:
        traces.insert(1, _doubled(twice, 2000 * points[0].response_s, now.saturation_users is not None))
    figure = _figure(traces, _layout(across, "mean response (ms)"), now, ink)
    first, last = points[0], points[-1]
    return figure, (
        f"Response over {across}: now {show_seconds(now.response_s)}, "
        f"{show_seconds(first.response_s)} at the least load, {show_seconds(last.response_s)} at {last.users:,.3g}. "
        f"{doubles(points, now, twice)}"
    )


def doubles(points: Sequence[Load], now: TransactionStats, doubling_users: float | None) -> str:
    """At what load, *doubling_users*, the response is twice that of a single user or of the least load."""
    closed = now.saturation_users is not None
    least = "a single user" if closed else f"{tps(points[0].per_s)} arrivals a second"
    twice = f"{show_seconds(2 * points[0].response_s)}, twice that of {least},"
    if doubling_users is None:
        last = f"{points[-1].users:,.0f} users" if closed else f"{tps(points[-1].per_s)} arrivals a second"
        return f"By instant estimate, the response stays below {twice} up to {last}"
    at = f"{doubling_users:,.0f} users" if closed else f"{tps(doubling_users)} arrivals a second"
    return f"By instant estimate, the response reaches {twice} at {at}"


def _across(points: Sequence[Load], now: TransactionStats) -> tuple[str, list[float]]:
    """Of users that come back their number; of arrivals their rate."""
    if now.saturation_users is not None:
        return "users", [point.users for point in points]
    return "arrivals a second", [point.per_s for point in points]


def _load(points: Sequence[Load], now: TransactionStats) -> float:
    """Where the answer lies on the axis: users by Little's law, those who think among them."""
    if now.saturation_users is None:
        return now.per_s
    thinks_s = max(0.0, points[0].users / points[0].per_s - points[0].response_s)
    return float(round(now.per_s * (now.response_s + thinks_s)))


def hits(points: Sequence[Size], size_bytes: float, share: float, *, ink: str = "") -> tuple[Figure, str]:
    """Hits of all gets over the size of the default pool, by touch count and by LRU; where the answer lies."""
    sizes = [point.size_bytes / MIB for point in points]
    traces = [
        _line(
            "touch count",
            sizes,
            [100 * point.hit_fraction for point in points],
            0,
            "%{y:.2f} % at %{x:,.4~g} MB",
        ),
        _line("LRU", sizes, [100 * point.lru_fraction for point in points], 1, "%{y:.2f} % at %{x:,.4~g} MB"),
        _now(f"now: {100 * share:.2f} % with {show_bytes(size_bytes)}", size_bytes / MIB, 100 * share, ink),
    ]
    layout = _layout("buffer cache (MB)", "hits of all gets (%)")
    ticks = [step * 10.0**power for power in range(-2, 8) for step in (1, 2, 5)]
    shown = [tick for tick in ticks if 0.9 * sizes[0] <= tick <= 1.1 * sizes[-1]]
    layout["xaxis"] |= {"type": "log", "tickvals": shown, "ticktext": [f"{tick:,g}" for tick in shown]}
    layout["yaxis"] |= {"rangemode": "normal"}
    whole = points[-1]
    return _inked(traces, layout, ink), (
        f"Hits over the size of the buffer cache: now {100 * share:.2f} % with {show_bytes(size_bytes)}; "
        f"{100 * points[0].hit_fraction:.1f} % with {show_data(points[0].size_bytes)}, "
        f"{100 * whole.hit_fraction:.1f} % with {show_data(whole.size_bytes)}, which holds all data"
    )


def resources(before: TransactionStats, after: TransactionStats, *, ink: str = "") -> tuple[Figure, str]:
    """How busy each resource is, baseline beside what-if."""
    names = list(dict.fromkeys([*after.utilisation, *before.utilisation]))
    looks = {"Baseline": (GREY, ""), "What-if": LOOKS["User I/O"]}
    traces: list[dict[str, Any]] = []
    for (label, look), stats in zip(looks.items(), (before, after), strict=True):
        shares = [100 * stats.utilisation.get(name, 0.0) for name in names]
        traces.append({
            "type": "bar", "orientation": "h", "name": label, "y": names, "x": shares, "marker": marker(*look),
            "text": [f"{share:.1f} %" for share in shares], "textposition": "outside", "cliponaxis": False,
            "hovertemplate": f"{label}: %{{y}} %{{text}} busy<extra></extra>",
        })  # fmt: skip
    layout = _layout("% busy", "") | {"barmode": "group", "height": 110 + 44 * len(names)}
    layout["xaxis"] |= {"range": [0, 112], "tickvals": [0, 20, 40, 60, 80, 100]}
    layout["yaxis"] |= {"autorange": "reversed", "ticksuffix": "  "}
    del layout["yaxis"]["rangemode"]
    text = ", ".join(f"{name} {100 * share:.1f} %" for name, share in after.utilisation.items())
    return _inked(traces, layout, ink), f"Busy: {text}. {saturation(after)}"


def _line(name: str, x: list[float], y: list[float], look: int, hover: str) -> dict[str, Any]:
    colour, dash = LINES[look]
    return {
        "type": "scatter", "mode": "lines", "name": name, "x": x, "y": y,
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "hovertemplate": f"{name}: {hover}<extra></extra>",
    }  # fmt: skip


def _doubled(x: float, y: float, closed: bool) -> dict[str, Any]:
    """The mark of the load at which the response has doubled."""
    name = f"2 × one user's: {x:,.0f} users" if closed else f"2 × the least: {tps(x)}/s"
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": [x], "y": [y], "cliponaxis": False,
        "marker": {"color": LINES[2][0], "symbol": "x", "size": 10}, "hovertemplate": f"{name}<extra></extra>",
    }  # fmt: skip


def _now(name: str, x: float, y: float, ink: str) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": [x], "y": [y], "cliponaxis": False,
        "marker": {"color": ink or GREY, "symbol": "diamond", "size": 11}, "hovertemplate": f"{name}<extra></extra>",
    }  # fmt: skip


def _figure(traces: list[dict[str, Any]], layout: Figure, now: TransactionStats, ink: str) -> Figure:
    """The figure with the knee as a line of its own."""
    closed = now.saturation_users is not None
    knee = now.saturation_per_s if now.saturation_users is None else now.saturation_users
    words = f"knee: {knee:,.0f} users" if closed else f"limit: {tps(knee)} TPS"
    place = {"y": 1, "yanchor": "top"} if closed else {"y": 0.02, "yanchor": "bottom"}  # beside the curve
    layout["shapes"] = [{"type": "line", "x0": knee, "x1": knee, "y0": 0, "y1": 1, "yref": "paper",
                         "line": {"color": ink or GREY, "width": 1.5, "dash": "dash"}}]  # fmt: skip
    layout["annotations"] = [
        {"x": knee, **place, "yref": "paper", "showarrow": False, "xanchor": "right", "text": f" {words} "}
    ]
    return _inked(traces, layout, ink)


def _layout(across: str, up: str) -> dict[str, Any]:
    return {
        "height": HEIGHT, "uirevision": "kept", "margin": {"l": 8, "r": 12, "t": 46, "b": 42},
        "xaxis": {"title": {"text": across, "standoff": 6}, "fixedrange": True, "zeroline": False},
        "yaxis": {"title": {"text": up}, "fixedrange": True, "automargin": True, "rangemode": "tozero",
                  "exponentformat": "none", "tickformat": ",~g"},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom"}, "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR,
    }  # fmt: skip


def _inked(traces: list[dict[str, Any]], layout: dict[str, Any], ink: str) -> Figure:
    figure = {"data": traces, "layout": layout}
    write_in(figure, ink)
    return figure
