"""A sweep as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from blocktime.app.charts import sweep_charts
from blocktime.app.charts.drawing import Figure
from blocktime.app.reports.html import page
from blocktime.app.reports.sweep_table import SweepTable, table_of
from blocktime.app.text.sweep_text import Summary, change, show_value
from blocktime.model.measures import MEASURES
from blocktime.scenarios.sweeps.rows import Rows

MOST_ROWS: Final = 300
MOST_ERRORS: Final = 20
MOST_PLOTS: Final = 3
"""Heat maps of pairs of fields, those that move the measure most."""


def sweep_page(rows: Rows, summaries: Sequence[Summary]) -> str:
    """The sweep that was run, by one measure or several."""
    return page_of(table_of(rows), summaries)


def page_of(stored: SweepTable, summaries: Sequence[Summary]) -> str:
    """A table of a sweep as a page: what was asked, measures over its fields, what moves them, and the points."""
    about = stored.about
    seeds = ", ".join(map(str, about.get("seeds", ())))
    errors = stored.errors
    more = f"The first {MOST_ROWS:,} of {len(stored):,} points." if len(stored) > MOST_ROWS else ""
    return page(
        "sweep", title=f"{stored.name} – a sweep", heading=stored.title,
        made=f"{len(stored):,} points, seeds {seeds}, blocktime {about.get('model', '')}", request=[*_request(stored)],
        measures=[
            {"title": f"{summary.measure}: {MEASURES[summary.measure].says}", "charts": [*_charts(summary)]}
            for summary in summaries
        ],
        failed=f"{sum(errors.values()):,}", total=f"{len(stored):,}", points=_points(stored, summaries), more=more,
        errors=[f"{text} ({times:,})" for text, times in list(errors.items())[:MOST_ERRORS]],
        provenance=(
            ("The scenario and what varies", {name: about[name] for name in ("scenario", "sweep")}),
            ("Every input, explicit", about.get("resolved", {})),
            ("The constants with their sources", about.get("constants", {})),
        ),
    )  # fmt: skip


def _request(stored: SweepTable) -> Iterator[str]:
    """The base scenario, what varies, and which points are left out."""
    sweep = stored.about["sweep"]
    if base := stored.about["scenario"].get("base"):
        yield f"base scenario: {base}"
    yield from (f"{axis['key']}: {_values_of(axis)}" for axis in sweep["axis"])
    yield from (f"only points where {condition}" for condition in sweep.get("where", ()))
    design = sweep.get("design", "crossed")
    if design != "crossed":
        yield f"{sweep['samples']:,} samples by {design.replace('_', ' ')}"


def _values_of(axis: dict[str, Any]) -> str:
    key = axis["key"]
    if axis.get("values") is not None:
        text = ", ".join(show_value(key, value) for value in axis["values"])
    else:
        text = f"{show_value(key, axis['low'])} to {show_value(key, axis['high'])}"
        text += f" in {axis['points']} steps" if axis.get("points") else ""
        text += ", by equal ratios" if axis.get("scale") == "log" else ""
    return text + (f" (together with the others of {axis['zip']!r})" if axis.get("zip") else "")


def _charts(summary: Summary) -> Iterator[tuple[Figure, str]]:
    """A measure over its field, or what moves it and the pairs of fields that move it most; none without a value."""
    if not np.isfinite(summary.values).any():
        return
    if len(summary.keys) == 1:
        charts = [sweep_charts.lines(summary, summary.keys[0])]
    else:
        pairs = sweep_charts.pairs(summary)[:MOST_PLOTS]
        charts = [sweep_charts.moves(summary), *(sweep_charts.over_two(summary, *pair) for pair in pairs)]
    for figure, finding in charts:
        unit = sweep_charts.unit_of_cells(figure)
        yield figure, f"{finding}{f'; in the cells {unit}' if unit else ''}."


def _points(stored: SweepTable, summaries: Sequence[Summary]) -> list[list[str]]:
    """The first points under their heads: what varies, each measure, and why a point has no answer."""
    failed = bool(stored.errors)
    heads = [*stored.keys]
    for summary in summaries:
        heads += [summary.measure, "against the base"]
    lines = [[*heads, *(["no answer because"] if failed else [])]]
    for row in range(min(len(stored), MOST_ROWS)):
        cells = [show_value(key, value) for key, value in stored.at(row).items()]
        for summary in summaries:
            value = float(summary.values[row])
            cells += [summary.show(value), change(summary.reference.get(summary.measure), value)]
        lines.append([*cells, *([stored.values["error"][row] or ""] if failed else [])])
    return lines
