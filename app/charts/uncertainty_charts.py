"""How sure answers are, as figures: intervals, and the causes of their variance; no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, Final

from app.charts.drawing import GREY, Figure, axis, figure, layout, marker
from app.text.uncertainty_text import LEAST_SHOWN, MOST_SHOWN, cause_text, interval_sentence
from model.results import Contribution, RunResult
from model.units import show_seconds

INTERVAL: Final = "#2f74d0"
ROW: Final = 34
MARGIN: Final = (8, 56, 4, 40)


def intervals(results: Mapping[str, RunResult], *, ink: str = "") -> tuple[Figure, str]:
    """The elapsed time of each result, by its name, with its interval as an error bar; and that in words."""
    sure = {
        name: (result.time.elapsed_s, result.uncertainty.elapsed)
        for name, result in results.items()
        if result.uncertainty
    }
    in_seconds = max(range_.high_s for _, range_ in sure.values()) >= 1
    scale = 1 if in_seconds else 1000
    sentences = {
        name: f"{name}: {show_seconds(result.time.elapsed_s)}. {interval_sentence(result)}"
        for name, result in results.items()
    }
    trace: dict[str, Any] = {
        "type": "scatter", "mode": "markers", "y": list(sure), "x": [scale * at for at, _ in sure.values()],
        "showlegend": False, "marker": {"size": 9, "color": INTERVAL},
        "error_x": {
            "type": "data", "symmetric": False, "color": INTERVAL, "thickness": 2, "width": 7,
            "array": [scale * (range_.high_s - at) for at, range_ in sure.values()],
            "arrayminus": [scale * (at - range_.low_s) for at, range_ in sure.values()],
        },
        "hovertext": [sentences[name] for name in sure], "hoverinfo": "text",
    }  # fmt: skip
    up = axis("", range=[len(sure) - 0.5, -0.5])
    laid = layout(
        _height(sure), axis("seconds" if in_seconds else "milliseconds"), up, MARGIN, showlegend=False
    )
    return figure([trace], laid, ink), " ".join(sentences.values())


def shares(contributions: Sequence[Contribution], *, ink: str = "") -> tuple[Figure, str]:
    """Shares of the variance by cause, largest on top; and the largest in words."""
    shown = [
        contribution
        for contribution in contributions[:MOST_SHOWN]
        if abs(contribution.variance_fraction) >= LEAST_SHOWN
    ]
    names = [
        contribution.name if contribution.constant else f"model error: {contribution.mechanism}"
        for contribution in shown
    ]
    percents = [100 * contribution.variance_fraction for contribution in shown]
    trace: dict[str, Any] = {
        "type": "bar", "orientation": "h", "x": percents, "y": names, "showlegend": False, "width": 0.6,
        "text": [f"{percent:.1f} %" for percent in percents], "textposition": "outside", "cliponaxis": False,
        "marker": marker(GREY, "/"),
        "hovertext": [cause_text(contribution) for contribution in shown],
        "hoverinfo": "text",
    }  # fmt: skip
    across = axis("percent of this uncertainty (variance)")
    laid = layout(_height(names), across, axis("", autorange="reversed"), MARGIN, showlegend=False)
    text = (
        f"{names[0]} causes {percents[0]:.0f} % of this uncertainty."
        if names
        else "Nothing here is uncertain."
    )
    return figure([trace], laid, ink), text


def _height(rows: Sized) -> int:
    return 56 + ROW * max(len(rows), 2)
