"""A sweep as one self-contained page: plots inlined, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

import numpy as np

from blocktime.app.charts import sweep_charts
from blocktime.app.charts.drawing import Figure
from blocktime.app.reports.html import bullets, details, heading, page, plot, table
from blocktime.app.reports.sweep_table import SweepTable, table_of
from blocktime.app.text.sweep_text import Summary, change, shown
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
    made = f"{len(stored):,} points, seeds {seeds}, "
    made += f"blocktime {about.get('model', '')}"
    body = [
        heading(stored.title, made),
        "<h2>What was asked</h2>",
        _asked(stored),
        *_plots(summaries),
        *_errors(stored),
        "<h2>The points</h2>",
        _table(stored, summaries),
        *_provenance(stored),
    ]
    return page(f"{stored.name} – a sweep", body)


def _asked(stored: SweepTable) -> str:
    sweep = stored.about["sweep"]
    base = stored.about["scenario"].get("base")
    lines = [f"base scenario: {base}"] if base else []
    lines += [f"{axis['key']}: {_said(axis)}" for axis in sweep["axis"]]
    lines += [f"only points where {condition}" for condition in sweep.get("where", ())]
    design = sweep.get("design", "crossed")
    if design != "crossed":
        lines.append(f"{sweep['samples']:,} samples by {design.replace('_', ' ')}")
    return bullets(lines)


def _said(axis: dict[str, Any]) -> str:
    key = axis["key"]
    if axis.get("values") is not None:
        text = ", ".join(shown(key, value) for value in axis["values"])
    else:
        text = f"{shown(key, axis['low'])} to {shown(key, axis['high'])}"
        text += f" in {axis['points']} steps" if axis.get("points") else ""
        text += ", by equal ratios" if axis.get("scale") == "log" else ""
    return text + (f" (together with the others of {axis['zip']!r})" if axis.get("zip") else "")


def _plots(summaries: Sequence[Summary]) -> Iterator[str]:
    """Each measure over its field, or what moves it and the pairs of fields that move it most."""
    place = 0
    for summary in summaries:
        measure = summary.measure
        yield f"<h2>{escape(measure)}: {escape(MEASURES[measure].says)}</h2>"
        if not np.isfinite(summary.values).any():
            yield "<p>No point has it.</p>"
            continue
        drawn: list[tuple[Figure, str]] = []
        if len(summary.keys) == 1:
            drawn.append(sweep_charts.lines(summary, summary.keys[0]))
        else:
            drawn.append(sweep_charts.moves(summary))
            drawn += [
                sweep_charts.over_two(summary, *pair) for pair in sweep_charts.pairs(summary)[:MOST_PLOTS]
            ]
        for figure, finding in drawn:
            unit = sweep_charts.unit_of_cells(figure)
            yield f"<p>{escape(finding)}{f'; in the cells {unit}' if unit else ''}.</p>"
            yield plot(figure, f"sweep_{place}", with_plotly=place == 0)
            place += 1


def _errors(stored: SweepTable) -> Iterator[str]:
    errors = stored.errors
    if not errors:
        return
    items = bullets(f"{text} ({times:,})" for text, times in list(errors.items())[:MOST_ERRORS])
    yield f"<h2>{sum(errors.values()):,} of {len(stored):,} points have no answer</h2>{items}"


def _table(stored: SweepTable, summaries: Sequence[Summary]) -> str:
    keys, failed = stored.keys, bool(stored.errors)
    heads = [*keys]
    for summary in summaries:
        heads += [summary.measure, "against the base"]
    lines = [[*heads, *(["no answer because"] if failed else [])]]
    for row in range(min(len(stored), MOST_ROWS)):
        cells = [shown(key, value) for key, value in stored.at(row).items()]
        for summary in summaries:
            value = float(summary.values[row])
            cells += [summary.shown(value), change(summary.reference.get(summary.measure), value)]
        lines.append([*cells, *([stored.values["error"][row] or ""] if failed else [])])
    more = f'<p class="made">The first {MOST_ROWS:,} of {len(stored):,} points.</p>'
    return table(lines, "wide") + more * (len(stored) > MOST_ROWS)


def _provenance(stored: SweepTable) -> Iterator[str]:
    yield "<h2>How this was computed</h2>"
    for title, part in (
        ("The scenario and what varies", {name: stored.about[name] for name in ("scenario", "sweep")}),
        ("Every input, explicit", stored.about.get("resolved", {})),
        ("The constants with their sources", stored.about.get("constants", {})),
    ):
        yield details(title, part)
