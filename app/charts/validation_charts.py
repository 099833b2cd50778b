"""Predicted against measured as figures: pure functions, no Streamlit, no plotly import.

In sample and out of sample differ by symbol and lane, not by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.drawing import Figure, axis
from blocktime.scenarios.why_words import plural
from blocktime.validation import Comparison, words
from blocktime.validation.compare import allowed_error
from blocktime.validation.tally import NO_MECHANISM, groups, in_base_units, kind_of, median_error

BAND: Final = 0.10
"""Relative error that is shaded."""
# What a point is -> symbol and colour; colours read on white and on near-black.
LOOKS: Final[dict[str, tuple[str, str]]] = {
    "out of sample": ("circle", "#2f7fd0"),
    "in sample": ("diamond-open", "#c98a00"),
    "known gap": ("x", "#a05fd0"),
    "fails": ("star", "#d9453a"),
}
PANELS: Final = (
    ("time", "times (s)"),
    ("count", "counts: gets, reads, blocks, merges, waits"),
    ("other", "bytes, rates, shares, costs"),
)
FINEST: Final = 0.001
"""Relative error below which the axis of errors is linear; beyond it, logarithmic."""
TICKS: Final = (0.001, 0.01, 0.1, 1.0)
GREY: Final = "#8d99a6"
SHADE: Final = "rgba(128,140,155,.22)"
HOVER_WIDTH: Final = 70
LANE: Final = 0.22
MARGIN: Final = (8, 12, 36, 62)
GAP: Final = 0.07
"""Between panels, of the width of the figure."""
GOLDEN: Final = 0.6180339887


@dataclass(frozen=True, slots=True)
class PredictedPoint:
    """One prediction of one number, in the printed unit; a number that fits has a second one with its row left out."""

    comparison: Comparison
    predicted: float
    error: float
    in_sample: bool

    @property
    def look(self) -> str:
        """The entry of LOOKS."""
        if self.comparison.failed:
            return "fails"
        if self.comparison.verdict == "known_gap":
            return "known gap"
        return "in sample" if self.in_sample else "out of sample"


def points_of(numbers: Iterable[Comparison]) -> list[PredictedPoint]:
    """Every prediction whose relative error is known."""
    points = []
    for number in numbers:
        predicted, error = number.predicted, number.relative_error
        if predicted is not None and error is not None:
            points.append(PredictedPoint(number, predicted, error, number.in_sample))
        without, error = number.left_out.without_its_row, number.out_of_sample_error
        if number.in_sample and without is not None and error is not None:
            points.append(PredictedPoint(number, without, error, in_sample=False))
    return points


def predicted_against_measured(numbers: Sequence[Comparison]) -> tuple[Figure, str]:
    """Predicted over measured on logarithmic axes, a panel for times, counts and the rest, with the 1:1 line."""
    points = points_of(numbers)
    drawn = [point for point in points if point.comparison.number.printed > 0 and point.predicted > 0]
    kinds = [
        (kind, title) for kind, title in PANELS if any(kind_of(p.comparison.number) == kind for p in drawn)
    ]
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = drawing.layout(430, axis(""), axis(""), MARGIN, hovermode="closest")
    for place, (kind, title) in enumerate(kinds, 1):
        there = [point for point in drawn if kind_of(point.comparison.number) == kind]
        nth = str(place) if place > 1 else ""
        axes = {"xaxis": f"x{nth}", "yaxis": f"y{nth}"}
        layout |= _panel_axes(place, len(kinds), nth, title)
        data += _guides(there, axes, first=place == 1)
        data += [
            trace for look in LOOKS if (trace := _scatter([p for p in there if p.look == look], look, axes))
        ]
    _one_legend(data)
    text = "; ".join(_within(points, in_sample) for in_sample in (False, True))
    return drawing.figure(data, layout), f"{text[:1].upper()}{text[1:]}. {counted(numbers, len(drawn))}"


def _panel_axes(place: int, panels: int, nth: str, title: str) -> dict[str, Any]:
    """The axes of one of several panels that stand side by side."""
    axis = {"type": "log", "gridcolor": SHADE, "exponentformat": "power", "dtick": 2}
    left = (place - 1) / panels + (GAP / 2 if place > 1 else 0)
    right = place / panels - (GAP / 2 if place < panels else 0)
    up = {"text": "predicted" if place == 1 else "", "standoff": 4}
    across = {"domain": [left, right], "anchor": f"y{nth}", "title": {"text": f"measured<br>{title}"}}
    return {
        f"xaxis{nth}": axis | across,
        f"yaxis{nth}": axis | {"anchor": f"x{nth}", "title": up, "automargin": place == 1},
    }


def counted(numbers: Sequence[Comparison], drawn: int) -> str:
    """How the numbers that are compared add up to the predictions, and these to the points that are *drawn*."""
    compared = [number for number in numbers if number.compared]
    points = points_of(compared)
    without = sum(number.predicted is None or number.relative_error is None for number in compared)
    again = len(points) - (len(compared) - without)
    steps = [f"{plural(len(compared), 'number')} compared"]
    if without:
        steps.append(f"less {without:,} without a relative error, printed as 0 or not predicted")
    if again:
        steps.append(f"plus {again:,} that fit, predicted again with their row left out")
    gaps = sum(point.look == "known gap" for point in points)
    text = f"{', '.join(steps)}: {plural(len(points), 'prediction')}"
    if gaps:
        text += f", {plural(gaps, 'known gap')} among them"
    if drawn < len(points):
        text += f"; {drawn:,} are drawn, as logarithmic axes cannot show a prediction of 0"
    return text


def residuals(numbers: Iterable[Comparison], by: Callable[[Comparison], str]) -> tuple[Figure, str]:
    """Every relative error in a strip for each group of *by*: in sample above, out of sample below."""
    strips = list(groups((point.comparison for point in points_of(numbers)), by))
    names = [name for name, _ in strips]
    where = {name: points_of(dict.fromkeys(those)) for name, those in strips}
    data = []
    for look, (symbol, colour) in LOOKS.items():
        xs: list[float] = []
        ys: list[float] = []
        texts: list[str] = []
        for row, name in enumerate(names):
            lanes = [0, 0]
            for point in where[name]:
                lanes[point.in_sample] += 1
                if point.look != look:
                    continue
                jitter = (lanes[point.in_sample] * GOLDEN) % 1 - 0.5
                xs.append(on_axis(point.error))
                ys.append(row + (-LANE if point.in_sample else LANE) + 0.3 * jitter)
                texts.append(hover(point))
        if xs:
            data.append(_marks(f"{look} ({len(xs)})", xs, ys, colour, symbol, texts))
    ends = (-1, 1)
    across = axis(
        "predicted less measured, over measured", gridcolor=SHADE, zeroline=True, zerolinecolor=GREY, zerolinewidth=2,
        tickvals=[on_axis(sign * tick) for tick in TICKS for sign in ends] + [0.0],
        ticktext=[f"{100 * sign * tick:+g} %" for tick in TICKS for sign in ends] + ["0"],
    )  # fmt: skip
    up = axis("", tickvals=list(range(len(names))), range=[len(names) - 0.4, -0.6], showgrid=False,
              ticktext=[f"{escape(name)}<br>{_medians(where[name])}" for name in names])  # fmt: skip
    layout = drawing.layout(
        100 + 62 * len(names), across, up, MARGIN, showlegend=True, hovermode="closest"
    ) | {
        "shapes": [
            drawing.band(on_axis(-BAND), on_axis(BAND), fillcolor=SHADE),
            *(drawing.level(row + 0.5, color=SHADE, width=1) for row in range(len(names) - 1)),
        ]
    }
    return drawing.figure(data, layout), _worst(where)


def on_axis(error: float) -> float:
    """Place of a relative error on an axis that is linear around 0 and logarithmic beyond a thousandth."""
    return math.copysign(math.log10(1 + abs(error) / FINEST), error)


def hover(point: PredictedPoint) -> str:
    """Where the number stands, what was printed and predicted, what was declared, and what is known against it."""
    comparison = point.comparison
    predicted = f"{words.number_text(point.predicted)} ({words.share_text(point.error)})"
    lines = [
        f"{comparison.number.case}: {comparison.number.where}",
        words.quantity_text(comparison),
        f"measured {words.measured_text(comparison)}, predicted {predicted}",
    ]
    spread = f", spread {words.spread_text(comparison)}" if comparison.number.spread is not None else ""
    lines.append(f"tolerance {words.tolerance_text(comparison)}{spread}")
    if point.in_sample:
        lines.append(f"in sample: fits {', '.join(comparison.number.fits)}")
        lines += [comparison.left_out.why] if comparison.fit_alone else []
    else:
        lines.append("out of sample" + (": its row left out of the fit" if comparison.in_sample else ""))
    lines += [comparison.note] if comparison.note else []
    return "<br>".join(escape(part, quote=False) for line in lines for part in wrap(line, HOVER_WIDTH))


def _guides(points: Sequence[PredictedPoint], axes: dict[str, str], *, first: bool) -> list[dict[str, Any]]:
    """The shaded band and the 1:1 line of a panel."""
    values = [
        in_base_units(point.comparison.number, value)
        for point in points
        for value in (point.comparison.number.printed, point.predicted)
    ]
    low, high = min(values) / 1.5, max(values) * 1.5
    common = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": first, **axes}
    return [
        common
        | {
            "name": f"within {100 * BAND:g} %", "x": [low, high, high, low],
            "y": [low * (1 - BAND), high * (1 - BAND), high * (1 + BAND), low * (1 + BAND)],
            "fill": "toself", "fillcolor": SHADE, "line": {"width": 0},
        },
        common
        | {"name": "1:1", "x": [low, high], "y": [low, high], "line": {"color": GREY, "width": 1.5, "dash": "dash"}},
    ]  # fmt: skip


def _scatter(points: Sequence[PredictedPoint], look: str, axes: dict[str, str]) -> dict[str, Any] | None:
    """The points of one look in one panel, each with its tolerance as a bar along the measured axis."""
    if not points:
        return None
    symbol, colour = LOOKS[look]
    numbers = [point.comparison.number for point in points]
    measured = [in_base_units(number, number.printed) for number in numbers]
    allowed = [in_base_units(number, allowed_error(number)) for number in numbers]
    predicted = [in_base_units(point.comparison.number, point.predicted) for point in points]
    tolerance = {
        "type": "data", "symmetric": False, "array": allowed, "thickness": 1, "width": 0, "color": colour,
        "arrayminus": [min(by, 0.9 * value) for by, value in zip(allowed, measured, strict=True)],
    }  # fmt: skip
    drawn = _marks(look, measured, predicted, colour, symbol, list(map(hover, points)))
    return drawn | {"legendgroup": look, "error_x": tolerance, **axes}


def _marks(
    name: str, x: list[float], y: list[float], colour: str, symbol: str, texts: list[str]
) -> dict[str, Any]:
    """Points of one look, each with its text."""
    drawn = drawing.dots(name, x, y, colour, symbol, 8, text=texts, hovertemplate="%{text}<extra></extra>")
    drawn["marker"]["opacity"] = 0.8
    return drawn


def _within(points: Iterable[PredictedPoint], in_sample: bool) -> str:
    """How many predictions, in sample or out of sample, are within the band."""
    errors = [abs(point.error) for point in points if point.in_sample == in_sample]
    return (
        f"{'in sample' if in_sample else 'out of sample'}, {sum(error <= BAND for error in errors):,} of "
        f"{len(errors):,} predictions are within {100 * BAND:g} % of what was printed"
    )


def _one_legend(data: Sequence[dict[str, Any]]) -> None:
    """One entry of the legend for each look, with the points of all panels counted."""
    for look in LOOKS:
        those = [trace for trace in data if trace.get("legendgroup") == look]
        for place, trace in enumerate(those):
            trace["name"] = f"{look} ({sum(len(trace_of_look['x']) for trace_of_look in those)})"
            trace["showlegend"] = place == 0


def _medians(points: Sequence[PredictedPoint]) -> str:
    """Median errors of a strip, in sample and out of sample."""
    texts = [
        f"{word} {words.size_text(median_error(errors))}"
        for word, wanted in (("in", True), ("out", False))
        if (errors := [point.error for point in points if point.in_sample == wanted])
    ]
    return f"<sub>median {', '.join(texts)}</sub>"


def _worst(where: dict[str, list[PredictedPoint]]) -> str:
    """Where the predictions out of sample are farthest off, by their median."""
    medians = {
        name: median_error(point.error for point in points if not point.in_sample)
        for name, points in where.items()
    }
    known = {name: median for name, median in medians.items() if median is not None and name != NO_MECHANISM}
    if not known:
        return "Top: numbers that calibrate constants. Bottom: numbers predicted without a fit"
    worst = max(known, key=lambda name: known[name])
    return f"Out of sample, the largest median error is that of {worst}, {words.size_text(known[worst])}"
