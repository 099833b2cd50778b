"""What a reader wants first of AWR, TKPROF and a trace: the load, the top events, the longest statements."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from blocktime.app.base.lines import head
from blocktime.app.base.output import one_line
from blocktime.model.units import show_number
from blocktime.validation.instruments.figures import Figure, Reading

MOST_EVENTS: Final = 10
MOST_STATEMENTS: Final = 5
WIDEST_HEADING: Final = 11
WIDEST_NAME: Final = 60
COUNTED: Final = re.compile(" (?:blocks?|gets?|rows?)$")
"""Units that the heading of a column says."""
TOP: Final = "Wait Events: top"
FOREGROUND: Final = ("Wait Events: foreground", "Wait Events")
ALWAYS: Final = ("db file sequential read", "log file sync")
"""Events that every reader of AWR looks up: what a read and what a commit waits for."""
AWR: Final = (
    ("Instance Efficiency", r"buffer +hit\b"),
    ("Host CPU", ""),
    ("Time Model", r"db (?:time|cpu)$"),
    ("Load Profile", ""),
)
"""Sections of AWR and the rows wanted of them, behind the events."""
HEADED: Final = {"Host CPU": "Host CPU (number of CPUs)"}
CALLS: Final = ("count", "cpu", "elapsed", "disk", "query", "current", "rows")
WAITS: Final = ("waits", "total", "max")
TRACED: Final = ("count", "c", "e", "p", "cr", "cu", "r")

Cells = Mapping[str, Figure]
"""Name of a column -> the figure."""
Rows = list[tuple[str, Cells]]
"""Each row's name with its cells."""
BySubject = Mapping[str, Cells]
"""What figures are of -> those figures."""


def show_figure(figure: Figure) -> str:
    """A figure as its report prints it."""
    return one_line((figure.printed or f"{show_number(figure.value, 10)} {figure.unit}")[:WIDEST_NAME])


def tables_of(reading: Reading) -> list[tuple[str, Rows]]:
    """Tables of what a reader wants first, each with its title; none of other formats."""
    tables = {"awr": _awr, "tkprof": _tkprof, "10046": _trace}.get(reading.format)
    return [(title, rows) for title, rows in tables(_by_subject(reading)) if rows] if tables else []


def _by_subject(reading: Reading) -> dict[str, dict[str, Figure]]:
    """Figures by what they are of, then by name; the first where one is printed again."""
    figures_by_subject: dict[str, dict[str, Figure]] = {}
    for figure in reading.figures:
        figures_by_subject.setdefault(figure.of, {}).setdefault(figure.name, figure)
    return figures_by_subject


def _section(figures: BySubject, title: str, wanted: str = "") -> Rows:
    """The rows of a section of AWR whose name has the pattern *wanted* in it."""
    begin = f"{title}: "
    rows = [(of.removeprefix(begin), cells) for of, cells in figures.items() if of.startswith(begin)]
    return [row for row in rows if re.search(wanted, row[0], re.IGNORECASE)]


def _awr(figures: BySubject) -> Iterator[tuple[str, Rows]]:
    yield "elapsed time and DB time", [(of, cells) for of, cells in figures.items() if of == "report"]
    foreground = next(filter(None, (_section(figures, title) for title in FOREGROUND)), [])
    top = _section(figures, TOP)
    yield "top events" if top else "top foreground events", (top or _by_time(foreground))[:MOST_EVENTS]
    if top:
        yield "reads and commits of sessions", [row for row in foreground if row[0] in ALWAYS]
    for title, wanted in AWR:
        yield HEADED.get(title, title), _section(figures, title, wanted)


def _by_time(events: Rows) -> Rows:
    """Events, the longest total time first."""

    def total(cells: Cells) -> float:
        times = (cell.value for name, cell in cells.items() if cell.unit == "s" and "avg" not in name.lower())
        return max(times, default=0.0)

    return sorted(events, key=lambda row: -total(row[1]))


def _tkprof(figures: BySubject) -> Iterator[tuple[str, Rows]]:
    rows: Rows = [
        (of, {name: cells[f"total {name}"] for name in CALLS if f"total {name}" in cells})
        for of, cells in figures.items()
        if of.startswith("statement ") and "total elapsed" in cells
    ]
    yield from _longest(figures, rows, "elapsed")


def _trace(figures_of: BySubject) -> Iterator[tuple[str, Rows]]:
    rows: Rows = []
    for of, cells in figures_of.items():
        parts = {name: [cell for key, cell in cells.items() if key.endswith(f" {name}")] for name in TRACED}
        if parts["e"]:
            rows.append((of, {name: _sum(figures) for name, figures in parts.items() if figures}))
    yield from _longest(figures_of, rows, "e")


def _sum(parts: Sequence[Figure]) -> Figure:
    """The sum over a statement's calls of what is printed as whole numbers of one unit."""
    total = sum(int(part.printed.partition(" ")[0].replace(",", "")) for part in parts)
    unit = parts[0].printed.partition(" ")[2] if parts[0].unit == "s" else ""
    return replace(parts[0], value=sum(part.value for part in parts), printed=f"{total:,} {unit}".strip())


def _longest(figures: BySubject, rows: Rows, by: str) -> Iterator[tuple[str, Rows]]:
    """The statements that took longest, and what these waited for, the longest wait first."""
    longest = sorted(rows, key=lambda row: -row[1][by].value)[:MOST_STATEMENTS]
    yield f"longest {len(longest)} of {len(rows)} by elapsed time of their calls", longest
    statements = {of for of, _ in longest}
    waits: Rows = []
    for of, cells in figures.items():
        statement = next((statement for statement in statements if of.startswith(f"{statement}, ")), None)
        if statement is not None and "waits" in cells:
            event, number = of.removeprefix(f"{statement}, "), statement.partition(" (")[0]
            waits.append((f"{event}, {number}", {name: cells[name] for name in WAITS if name in cells}))
    yield "their longest waits", _by_time(waits)[:MOST_EVENTS]


def table_lines(title: str, rows: Rows) -> Iterator[str]:
    """Rows with their names, columns with the report's own, cells as printed, and the line of each row."""
    names, printed = printed_cells(rows)
    headings = [textwrap.wrap(name, WIDEST_HEADING) or [""] for name in names]
    wide = [
        max(len(word) for word in (*heading, *(row[place] for row in printed))) + 2
        for place, heading in enumerate(headings)
    ]
    labels = [one_line(of)[:WIDEST_NAME] for of, _ in rows]
    first = max(map(len, labels)) + 1
    yield head(title)
    high = max((len(heading) for heading in headings), default=0)
    for level in range(high):
        words = [([""] * (high - len(heading)) + heading)[level] for heading in headings]
        yield (" " * first + _aligned(words, wide)).rstrip()
    for label, row, (_, cells) in zip(labels, printed, rows, strict=True):
        yield f"{label:<{first}}{_aligned(row, wide)}   line {min(cell.line for cell in cells.values()):,}"


def printed_cells(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """The report's own columns, and the cells of each row as printed."""
    names = list(dict.fromkeys(name for _, cells in rows for name in cells))
    printed = [
        [COUNTED.sub("", show_figure(cells[name])) if name in cells else "" for name in names] for _, cells in rows
    ]
    return [one_line(name[:WIDEST_NAME]) for name in names], printed


def _aligned(cells: Sequence[str], wide: Sequence[int]) -> str:
    return "".join(f"{cell:>{size}}" for cell, size in zip(cells, wide, strict=True))
