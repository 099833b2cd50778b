"""Several answers as figures: the time of each by wait class, and two of them along one field; no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.charts import LOOKS, in_lines
from blocktime.app.charts.drawing import GREY, LINES, Figure, axis
from blocktime.app.text.compare_table import value_said
from blocktime.app.text.profile import UNCHANGED_S, by_class, scale_of
from blocktime.model.results import RunResult
from blocktime.model.units import show_alike, show_seconds, unit_of
from blocktime.scenarios.search.crossover import Crossover, LeadChange, Less, TimesAt
from blocktime.scenarios.why_words import listed

ROW: Final = 46
SHORT_LABEL: Final = 22
DIAMOND: Final = "   "
"""Room for the mark before a text."""
BY_RATIO: Final = 30.0
"""A field whose values span more is drawn by their ratio."""


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


def crossing(
    crossover: Crossover, letters: tuple[str, str], titles: tuple[str, str], label: str, is_of_one: bool = False
) -> tuple[Figure, str]:
    """Both times along a field, with a mark where they are equal; and the sentence that says so."""
    known = [reached for reached in crossover.line if reached.less != "unknown"]
    longest = max(max(reached.first_s, reached.second_s) for reached in known)
    per_s, word = (1.0, "seconds") if longest >= 1 else (1000.0, "milliseconds")
    names = [
        f"{letter}  {shorten(title, SHORT_LABEL, placeholder=' …')}"
        for letter, title in zip(letters, titles, strict=True)
    ]
    traces = _both_along(crossover, letters, names, label, per_s)
    times = [per_s * time_s for reached in known for time_s in (reached.first_s, reached.second_s)]
    far = min(times) > 0 and max(times) / min(times) >= BY_RATIO
    up = axis(f"{word} of one {'transaction' if is_of_one else 'session'}", type="log" if far else "linear",
              **({"dtick": 1} if far else {"rangemode": "tozero"}))  # fmt: skip
    layout = drawing.layout(320, _along(crossover.key, known, label), up, drawing.SNUG, uirevision=crossover.key)
    return drawing.figure(traces, layout), crossing_sentence(crossover, letters, label)


def _both_along(
    crossover: Crossover, letters: tuple[str, str], names: Sequence[str], label: str, per_s: float
) -> list[dict[str, Any]]:
    """A line for each of the two, and marks where they are equal."""
    known = [reached for reached in crossover.line if reached.less != "unknown"]
    seconds = [reached.first_s for reached in known], [reached.second_s for reached in known]
    values = [reached.value for reached in known]
    traces = []
    for name, letter, times, look in zip(names, letters, seconds, LINES, strict=False):
        hovers = [
            f"{label} {value_said(crossover.key, value)}<br>{letter}: {show_seconds(time)}"
            for value, time in zip(values, times, strict=True)
        ]
        traces.append(drawing.line(name, values, [per_s * time for time in times], look, hovers, width=2.5))
    at = [change.at for change in crossover.changes]
    if at:
        hovers = [_change_said(crossover.key, change) for change in crossover.changes]
        x, y = [reached.value for reached in at], [per_s * reached.first_s for reached in at]
        traces.append(_rings("equal", x, y, ("circle-open", 13, 2.5)) | {"hovertext": hovers})
    return traces


def _along(key: str, known: Sequence[TimesAt], label: str) -> dict[str, Any]:
    """The axis of a field; by the ratio of its values where they span much."""
    low, high = known[0].value, known[-1].value
    unit = unit_of(key)
    by_ratio = low > 0 and high / low >= BY_RATIO
    dtick = {"dtick": 1} if by_ratio and high / low >= 100 else {}
    return axis(f"{label} ({unit})" if unit else label, type="log" if by_ratio else "linear", **dtick)


def crossing_sentence(crossover: Crossover, letters: tuple[str, str], label: str) -> str:
    """Where the two take equally long, and which takes less time on either side."""
    answered = [reached.value for reached in crossover.line if reached.less != "unknown"]
    ends = (value_said(crossover.key, answered[place], counted=False) for place in (0, -1))
    within = f"{label} {' to '.join(ends)}"
    if not crossover.changes:
        return f"{within}: {_takes(crossover.less, letters)} over the whole range."
    where = listed([_change_said(crossover.key, change) for change in crossover.changes])
    where = f"{where[0].upper()}{where[1:]}"
    stretches = [crossover.less, *(change.above.less for change in crossover.changes)]
    if len(stretches) == 2:
        below, above = (_takes(stretch, letters) for stretch in stretches)
        return f"{where}: below, {below}; above, {above} ({within})."
    return f"{where}: going up, {', then '.join(_takes(stretch, letters) for stretch in stretches)} ({within})."


def _takes(less: Less, letters: tuple[str, str]) -> str:
    if less == "neither":
        return "both take equally long"
    return f"{letters[0] if less == 'first' else letters[1]} takes less time"


def _change_said(key: str, change: LeadChange) -> str:
    if "neither" in (change.below.less, change.above.less):
        ends = "up to" if change.below.less == "neither" else "from"
        return f"equal {ends} {value_said(key, change.at.value)}"
    if change.is_equal:
        return f"equal at {value_said(key, change.at.value)}"
    if change.is_whole:
        sides = (value_said(key, side.value) for side in (change.below, change.above))
        return f"the order reverses between {' and '.join(sides)}"
    return f"the order reverses at {value_said(key, change.at.value)}, in a step"
