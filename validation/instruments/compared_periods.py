"""Reads AWR's reports that compare two periods (awrddrpt): each of their tables is split into those of two reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from blocktime.validation.instruments.tables import ReportTable, normal

COMPARES: Final = re.compile(
    r"WORKLOAD REPOSITORY (?:COMPARE PERIOD|DIFFERENCE)|AWR (?:Diff|Compare Periods?) Report", re.IGNORECASE
)
TITLE: Final = "AWR compare periods report"
SIDES: Final = ("1st", "2nd")
SPANS: Final = re.compile(r"Elapsed time:\s*([0-9,.]+)\s*sec\s+DB time:\s*([0-9,.]+)\s*sec", re.IGNORECASE)
UNDERLINES: Final = re.compile(r"\s*~+(?:\s+~+)+\s*|\s*%Diff:.*")
"""Lines below the table of snapshots: what changed between them."""
HEADED: Final = re.compile(r"^~+(?=\s+1st)")
NEW_NAMES: Final = {
    "persec": "Per Second", "pertxn": "Per Transaction", "dbtime": "% DB time",
    **dict.fromkeys(("times", "timesec"), "Total Wait Time (s)"),
}  # fmt: skip
"""Columns that a report of one period calls otherwise."""
CPU_TIME: Final = "CPU time"


def ruled_line(line: str) -> str:
    """A line of text without underlines that are no rule of a table."""
    return "" if UNDERLINES.fullmatch(line) else HEADED.sub(lambda match: " " * len(match[0]), line)


def spans_of(text: str) -> list[tuple[str, str]]:
    """Elapsed and DB time of both periods in seconds, as *text* prints them; empty where it does not."""
    return SPANS.findall(text)[:2]


def halves_of(table: ReportTable) -> tuple[list[ReportTable], list[ReportTable]] | None:
    """The tables that reports of either period would have in place of *table*; None where it splits into none."""
    names = [normal(column) for column in table.columns]
    if names.count("event") == 2:
        wide = len(names) // 2
        return _timed(table, range(wide)), _timed(table, range(names.index("event", 1), 2 * wide))
    sides = [[place for place, name in enumerate(names) if name.startswith(side)] for side in SIDES]
    if names and names[0] == "snapshotset" and len(table.rows) == 2:
        first, second = ([replace(table, rows=[table.rows[at]], lines=[table.lines[at]])] for at in range(2))
        return first, second
    if not all(sides):
        return None
    first, second = ([_cut(table, [0, *places])] for places in sides)
    return first, second


def _cut(table: ReportTable, places: Sequence[int]) -> ReportTable:
    """Some columns of *table*, called as in a report of one period."""
    columns = []
    for place in places:
        name = re.sub("^(?:1st|2nd) *", "", table.columns[place], flags=re.IGNORECASE)
        columns.append(NEW_NAMES.get(normal(name), name))
    rows = [tuple(row[place] if place < len(row) else "" for place in places) for row in table.rows]
    title = "Load Profile" if "Per Second" in columns else table.title
    columns[0] = columns[0] or title * (title == "Load Profile")
    return replace(table, title=title, columns=tuple(columns), rows=rows)


def _timed(table: ReportTable, places: Sequence[int]) -> list[ReportTable]:
    """The wait events of one period, and its CPU as a line of the time model."""
    half = _cut(table, places)
    half.title = "Foreground Wait Events"
    named = [(row[0].lstrip("- "), *row[1:]) for row in half.rows]
    seconds = next((place for place, name in enumerate(half.columns) if name == "Total Wait Time (s)"), 0)
    cells = [
        (("DB CPU", row[seconds]), line) for row, line in zip(named, half.lines, strict=True) if row[0] == CPU_TIME
    ]
    events = [(row, line) for row, line in zip(named, half.lines, strict=True) if row[0] and row[0] != CPU_TIME]
    half.rows, half.lines = [row for row, _ in events], [line for _, line in events]
    model = ReportTable("Time Model", ("Statistic Name", "Time (s)"), table.line)
    model.rows, model.lines = [row for row, _ in cells], [line for _, line in cells]
    return [half, model]
