"""Several answers as figures: the time of each by wait class, no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS, in_lines
from blocktime.app.charts.drawing import GREY, Figure, axis
from blocktime.app.text.profile import UNCHANGED_S, by_class, scale_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_alike, show_seconds

ROW: Final = 46
DIAMOND: Final = "   "
"""Room for the mark before a text."""


def bars(results: Sequence[RunResult], letters: Sequence[str], titles: Sequence[str]) -> tuple[Figure, str]:
    """One bar an answer, its time stacked by wait class in one order; what was counted twice stands left of zero.

    A line marks the first one's time, a diamond where the last session ends. Also returns the finding.
    """
    scale = scale_of(results)
    rows = [f"{letter}  {in_lines(title)}" for letter, title in zip(letters, titles, strict=True)]
    classes = [by_class(result) for result in results]
    traces: list[dict[str, Any]] = []
    for kind, look in LOOKS.items():
        if not any(abs(sums[kind]) > UNCHANGED_S for sums in classes):
            continue
        seconds = [sums[kind] for sums in classes]
        traces.append(drawing.bars(
            kind, rows, [scale.per_s * second for second in seconds], look, width=0.62, showlegend=False,
            hovertext=[f"{row}<br>{kind}: {show_seconds(second)} of {show_seconds(result.time.elapsed_s)}"
                       for row, second, result in zip(rows, seconds, results, strict=True)], hoverinfo="text",
        ))  # fmt: skip
    ends = [scale.per_s * sum(max(0.0, seconds) for seconds in sums.values()) for sums in classes]
    traces += _ends(results, rows, ends, scale.per_s)
    base = scale.per_s * results[0].time.elapsed_s
    layout = drawing.layout(
        66 + ROW * max(len(rows), 2), axis(f"{scale.word} of {scale.of}", rangemode="tozero", zeroline=True),
        drawing.rows(rows), (8, 84, 4, 40), barmode="relative", showlegend=False,
        shapes=[drawing.upright(base, color=GREY, width=1.5, dash="dot")],
    )  # fmt: skip
    return drawing.figure(traces, layout), finding(results, letters, titles)


def _ends(
    results: Sequence[RunResult], rows: Sequence[str], ends: Sequence[float], per_s: float
) -> list[dict[str, Any]]:
    """The times behind the bars, which are as long as *ends* say, and a diamond where the last session ends."""
    last = [result.time.last_session_s for result in results]
    at = [max(end, per_s * (last_s or 0.0)) for end, last_s in zip(ends, last, strict=True)]
    texts = [
        f"{DIAMOND if last_s is not None else ''} <b>{show_seconds(result.time.elapsed_s)}</b>"
        for result, last_s in zip(results, last, strict=True)
    ]
    traces = [drawing.texts_behind(rows, at, texts)]
    done = {row: last_s for row, last_s in zip(rows, last, strict=True) if last_s is not None}
    if done:
        hovers = [f"{row}<br>last session ends after: {show_seconds(last_s)}" for row, last_s in done.items()]
        ends_s = [per_s * last_s for last_s in done.values()]
        rings = _rings("last session done", ends_s, list(done), ("diamond-open", 12, 2))
        traces.append(rings | {"hovertext": hovers, "showlegend": False})
    return traces


def _rings(name: str, x: Sequence[float], y: Sequence[Any], look: tuple[str, int, float]) -> dict[str, Any]:
    """Open marks in grey; *look* is symbol, size and how wide their lines are."""
    symbol, size, wide = look
    drawn = drawing.dots(name, x, y, GREY, symbol, size, hoverinfo="text")
    drawn["marker"]["line"] = {"width": wide}
    return drawn


def finding(results: Sequence[RunResult], letters: Sequence[str], titles: Sequence[str]) -> str:
    """The times in their order, shortest first, in one sentence."""
    ranked = sorted(range(len(results)), key=lambda place: results[place].time.elapsed_s)
    times = show_alike(*(result.time.elapsed_s for result in results))
    texts = [f"{letters[i]} ({titles[i]}) {times[i]}" for i in ranked]
    whole = "One transaction" if all(result.transactions for result in results) else "Elapsed"
    return f"{whole}, the shortest first: {', '.join(texts)}"
