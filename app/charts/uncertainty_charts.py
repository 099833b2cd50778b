"""How sure answers are, as figures: intervals, and the causes of their variance; no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.app.charts.drawing import BLUE, GREY, Figure, axis
from blocktime.app.text.uncertainty_text import LEAST_SHARE, MOST_CAUSES, cause_text, interval_sentence
from blocktime.model.results import Contribution, RunResult
from blocktime.model.units import show_seconds

ROW: Final = 34
MARGIN: Final = (8, 56, 4, 40)


def intervals(results: Mapping[str, RunResult]) -> tuple[Figure, str]:
    """The elapsed time of each result, by its name, with its interval as an error bar; and that in words."""
    sure = {
        name: (result.time.elapsed_s, result.uncertainty.elapsed)
        for name, result in results.items()
        if result.uncertainty
    }
    in_seconds = max((range_.high_s for _, range_ in sure.values()), default=0.0) >= 1
    scale = 1 if in_seconds else 1000
    sentences = {
        name: f"{name}: {show_seconds(result.time.elapsed_s)}. {interval_sentence(result)}"
        for name, result in results.items()
    }
    trace = drawing.dots(
        "", [scale * at for at, _ in sure.values()], sure, BLUE, "circle", showlegend=False,
        hovertext=[sentences[name] for name in sure], hoverinfo="text",
        error_x={
            "type": "data", "symmetric": False, "color": BLUE, "thickness": 2, "width": 7,
            "array": [scale * (range_.high_s - at) for at, range_ in sure.values()],
            "arrayminus": [scale * (at - range_.low_s) for at, range_ in sure.values()],
        },
    )  # fmt: skip
    across, up = axis("seconds" if in_seconds else "milliseconds"), axis("", range=[len(sure) - 0.5, -0.5])
    return _figure(trace, across, up), " ".join(sentences.values())


def shares(contributions: Sequence[Contribution]) -> tuple[Figure, str]:
    """Shares of the variance by cause, largest on top; and the largest in words."""
    causes = [cause for cause in contributions[:MOST_CAUSES] if abs(cause.variance_fraction) >= LEAST_SHARE]
    names = [cause.name if cause.constant else f"model error: {cause.mechanism}" for cause in causes]
    percents = [100 * cause.variance_fraction for cause in causes]
    trace = drawing.bars(
        "", names, percents, (GREY, "/"), width=0.6, text=[f"{percent:.1f} %" for percent in percents],
        textposition="outside", cliponaxis=False, showlegend=False, hovertext=list(map(cause_text, causes)),
        hoverinfo="text",
    )  # fmt: skip
    largest = f"{names[0]} causes {percents[0]:.0f} % of this uncertainty." if names else ""
    across, up = axis("percent of this uncertainty (variance)"), axis("", autorange="reversed")
    return _figure(trace, across, up), largest or "Nothing here is uncertain."


def _figure(trace: dict[str, Any], across: dict[str, Any], up: dict[str, Any]) -> Figure:
    height = 56 + ROW * max(len(trace["y"]), 2)
    return drawing.figure([trace], drawing.layout(height, across, up, MARGIN, showlegend=False))
