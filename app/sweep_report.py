"""A sweep as one self-contained page: plots inlined, no network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, Final

import numpy as np
from click import unstyle

from app import sweep_charts
from app.charts import Figure
from app.report_html import PAGE, WIDTH, details, plot
from app.sweep_charts import shown
from app.sweep_found import Found, found_of
from app.sweep_text import Summary, effect_lines
from model.measures import MEASURES
from scenarios.sweeps.rows import Rows

MOST_ROWS: Final = 300
MOST_ERRORS: Final = 20
MOST_PLOTS: Final = 3
"""Heat maps of pairs of fields, those that move the measure most."""


def sweep_page(rows: Rows, summary: Summary) -> str:
    """The sweep that was run."""
    return page_of(found_of(rows), summary)


def page_of(found: Found, summary: Summary) -> str:
    """A table of a sweep as a page: what was asked, the measure over its fields, what moves it, and the points."""
    scenario, about = found.about["scenario"], found.about
    title = scenario.get("title") or found.name
    seeds = ", ".join(map(str, about.get("seeds", ())))
    made = f"{len(found):,} points, engine {about.get('engine', '')}, seeds {seeds}, blocktime {about.get('model', '')}"
    body = [
        f'<h1>{escape(title)}</h1>\n<p class="made">{escape(made)}</p>',
        f"<p>{escape(summary.measure)}: {escape(MEASURES[summary.measure].says)}.</p>",
        "<h2>What was asked</h2>",
        _asked(found),
        *_plots(summary),
        *_errors(summary),
        "<h2>The points</h2>",
        _table(found, summary),
        *_provenance(found),
    ]
    return PAGE.format(title=escape(f"{found.name} – a sweep – Blocktime"), body="\n".join(body))


def _asked(found: Found) -> str:
    sweep = found.about["sweep"]
    lines = [f"<li>{escape(axis['key'])}: {escape(_said(axis))}</li>" for axis in sweep["axis"]]
    lines += [f"<li>only points where {escape(condition)}</li>" for condition in sweep.get("where", ())]
    design = sweep.get("design", "crossed")
    if design != "crossed":
        lines.append(f"<li>{sweep['samples']:,} samples by {escape(design.replace('_', ' '))}</li>")
    return f"<ul>{''.join(lines)}</ul>"


def _said(axis: dict[str, Any]) -> str:
    key = axis["key"]
    if axis.get("values"):
        said = ", ".join(shown(key, value) for value in axis["values"])
    else:
        said = f"{shown(key, axis['low'])} to {shown(key, axis['high'])}"
        said += f" in {axis['points']} steps" if axis.get("points") else ""
        said += ", by equal ratios" if axis.get("scale") == "log" else ""
    return said + (f" (together with the others of {axis['zip']!r})" if axis.get("zip") else "")


def _plots(summary: Summary) -> Iterator[str]:
    """The measure over its field or over pairs of fields, and what moves it."""
    if not np.isfinite(summary.values).any():
        return
    drawn: list[tuple[str, Figure, str]] = []
    if len(summary.keys) == 1:
        drawn.append((summary.measure, *sweep_charts.lines(summary, summary.keys[0])))
    else:
        drawn.append(("What moves it", *sweep_charts.moves(summary)))
        for across, up in sweep_charts.pairs(summary)[:MOST_PLOTS]:
            drawn.append(
                (
                    f"{summary.measure} over {across} and {up}",
                    *sweep_charts.over_two(summary, across, up),
                )
            )
    for place, (title, figure, finding) in enumerate(drawn):
        yield f"<h2>{escape(title)}</h2><p>{escape(finding)}.</p>"
        yield plot(figure, f"sweep_{place}", with_plotly=place == 0)
    if len(summary.keys) > 1:
        yield f"<pre>{escape(chr(10).join(unstyle(line) for line in effect_lines(summary, WIDTH)))}</pre>"


def _errors(summary: Summary) -> Iterator[str]:
    if not summary.errors:
        return
    most = sorted(summary.errors.items(), key=lambda item: -item[1])[:MOST_ERRORS]
    items = "".join(f"<li>{escape(said)} ({times:,})</li>" for said, times in most)
    yield f"<h2>{sum(summary.errors.values()):,} points without an answer</h2><ul>{items}</ul>"


def _table(found: Found, summary: Summary) -> str:
    before = summary.reference.get(summary.measure)
    heads = [
        *summary.keys,
        summary.measure,
        "against the base",
        *(["no answer because"] if summary.errors else []),
    ]
    lines = ["<table><tr>" + "".join(f"<th>{escape(name)}</th>" for name in heads) + "</tr>"]
    for row in range(min(len(found), MOST_ROWS)):
        value = float(summary.values[row])
        cells = [shown(key, summary.axes[key][row]) for key in summary.keys]
        cells += [
            shown(summary.measure, value),
            f"{100 * (value / before - 1):+.1f} %" if before and np.isfinite(value) else "",
        ]
        cells += [found.values["error"][row] or ""] if summary.errors else []
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    lines.append("</table>")
    if len(found) > MOST_ROWS:
        lines.append(f'<p class="made">The first {MOST_ROWS:,} of {len(found):,} points.</p>')
    return "\n".join(lines)


def _provenance(found: Found) -> Iterator[str]:
    yield "<h2>What made it</h2>"
    for title, part in (
        ("The scenario and what varies", {name: found.about[name] for name in ("scenario", "sweep")}),
        ("Every input, explicit", found.about.get("resolved", {})),
        ("The constants with their sources", found.about.get("constants", {})),
    ):
        yield details(title, part)
