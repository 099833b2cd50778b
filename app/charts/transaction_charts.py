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
from blocktime.model.workloads.transactions.curves import Load, Size

HEIGHT: Final = 290
SNUG: Final = (8, 12, 46, 42)
PLAIN: Final = {"exponentformat": "none", "tickformat": ",~g"}
"""Numbers of an axis without powers of ten."""
UNHINDERED: Final = "without waiting"
UNHINDERED_SAYS: Final = (
    "Dashed: the estimate if no transaction waited for another. It is the users divided by the think time plus the "
    "response of a single user, up to the maximum TPS. A simulation may lie above it, for two reasons. Chance moves "
    "it, and with many users DBWR and the log writer write less often for each transaction."
)


def throughput(points: Sequence[Load], now: TransactionStats) -> tuple[Figure, str]:
    """Throughput over load, what it would be without waiting, the knee, and where the answer lies."""
    across, loads = _across(points, now)
    per_s = [point.per_s for point in points]
    traces = [drawing.line("TPS, instant estimate", loads, per_s, LINES[0], "%{y:,.4~r} TPS")]
    if now.saturation_users is not None:  # of arrivals there is the limit alone
        unhindered = [point.most_per_s for point in points]
        traces.append(drawing.line(UNHINDERED, loads, unhindered, LINES[1], "%{y:,.4~r} TPS"))
    traces.append(mark(f"now: {tps(now.per_s)} TPS", _load(points, now), now.per_s))
    figure = _figure(traces, across, "transactions a second (TPS)", now)
    last = points[-1]
    return figure, (
        f"Throughput over {across}: now {tps(now.per_s)} TPS, at {show_number(last.users, 3)} "
        f"{tps(last.per_s)} TPS. {saturation(now)}"
    )


def response(points: Sequence[Load], now: TransactionStats, twice: float | None) -> tuple[Figure, str]:
    """Mean response over load, the knee, the load at which it is *twice* the least, and where the answer lies."""
    across, loads = _across(points, now)
    traces = [
        drawing.line("mean response, instant estimate", loads, [1000 * point.response_s for point in points], LINES[0],
                     "%{y:,.4~r} ms"),
        mark(f"now: {show_seconds(now.response_s)}", _load(points, now), 1000 * now.response_s),
    ]  # fmt: skip
    if twice is not None:
        closed = now.saturation_users is not None
        name = f"2 × one user's: {twice:,.0f} users" if closed else f"2 × the least: {tps(twice)}/s"
        at_ms = 2000 * points[0].response_s
        traces.insert(1, mark(name, twice, at_ms, color=LINES[2][0], symbol="x", size=10))
    figure = _figure(traces, across, "mean response (ms)", now)
    first, last = points[0], points[-1]
    return figure, (
        f"Response over {across}: now {show_seconds(now.response_s)}, "
        f"{show_seconds(first.response_s)} at the least load, {show_seconds(last.response_s)} at "
        f"{show_number(last.users, 3)}. {doubles(points, now, twice)}"
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
    shown = [tick for tick in ticks if 0.9 * sizes[0] <= tick <= 1.1 * sizes[-1]]
    layout = drawing.layout(
        HEIGHT,
        axis("buffer cache (MB)", type="log", tickvals=shown, ticktext=[f"{tick:,g}" for tick in shown]),
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


def _figure(traces: list[dict[str, Any]], across: str, up: str, now: TransactionStats) -> Figure:
    """A figure over load, with the knee as a line of its own."""
    closed = now.saturation_users is not None
    knee = now.saturation_per_s if now.saturation_users is None else now.saturation_users
    words = f"saturation: {knee:,.0f} users" if closed else f"saturation: {tps(knee)} TPS"
    place = {"y": 1, "yanchor": "top"} if closed else {"y": 0.02, "yanchor": "bottom"}  # beside the curve
    note = {"x": knee, **place, "yref": "paper", "showarrow": False, "xanchor": "right", "text": f" {words} "}
    layout = drawing.layout(
        HEIGHT, axis(across), axis(up, rangemode="tozero", **PLAIN), margin=SNUG, annotations=[note],
        shapes=[drawing.upright(knee, color=OF_TEXT, width=1.5, dash="dash")],
    )  # fmt: skip
    return drawing.figure(traces, layout)
