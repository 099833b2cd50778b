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
from blocktime.validation import Comparison, words
from blocktime.validation.verdict_tally import NO_MECHANISM, groups, median_error

BAND: Final = 0.10
"""Relative error that is shaded."""
# What a point is -> symbol and colour; colours read on white and on near-black.
LOOKS: Final[dict[str, tuple[str, str]]] = {
    "out of sample": ("circle", "#2f7fd0"),
    "in sample": ("diamond-open", "#c98a00"),
    "known gap": ("x", "#a05fd0"),
    "fails": ("star", "#d9453a"),
}
FINEST: Final = 0.001
"""Relative error below which the axis of errors is linear; beyond it, logarithmic."""
TICKS: Final = (0.001, 0.01, 0.1, 1.0)
GREY: Final = "#8d99a6"
SHADE: Final = "rgba(128,140,155,.22)"
HOVER_WIDTH: Final = 70
LANE: Final = 0.22
MARGIN: Final = (8, 12, 36, 62)
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


def residuals(numbers: Iterable[Comparison], by: Callable[[Comparison], str]) -> tuple[Figure, str]:
    """Every error in percent, in a strip for each group of *by*, the worst first: in sample above, out of it below."""
    strips = groups((point.comparison for point in points_of(numbers)), by)
    where = {name: points_of(dict.fromkeys(those)) for name, those in strips}
    names = sorted(where, key=lambda name: -(median_error(p.error for p in where[name] if not p.in_sample) or 0.0))
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
    layout = drawing.layout(100 + 62 * len(names), across, up, MARGIN, showlegend=True, hovermode="closest") | {
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


def _marks(name: str, x: list[float], y: list[float], colour: str, symbol: str, texts: list[str]) -> dict[str, Any]:
    drawn = drawing.dots(name, x, y, colour, symbol, 8, text=texts, hovertemplate="%{text}<extra></extra>")
    drawn["marker"]["opacity"] = 0.8
    return drawn


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
        name: median_error(point.error for point in points if not point.in_sample) for name, points in where.items()
    }
    known = {name: median for name, median in medians.items() if median is not None and name != NO_MECHANISM}
    if not known:
        return "Top: numbers that calibrate constants. Bottom: numbers predicted without a fit"
    worst = max(known, key=lambda name: known[name])
    return f"Out of sample, the largest median error is that of {worst}, {words.size_text(known[worst])}"
