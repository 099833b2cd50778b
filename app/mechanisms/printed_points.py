"""Printed numbers as points of a chart: fits, tests and known gaps by symbol, never by colour alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import Any, Final

from blocktime.app.charts import drawing
from blocktime.validation import load_case, numbers_of
from blocktime.validation.case import Row
from blocktime.validation.numbers import in_model_units, row_name, rows_of

FITS, TESTS, GAP, PRINTED = "measured, fits", "measured, tests", "measured, known gap", "measured"
SYMBOLS: Final = {TESTS: "circle", FITS: "diamond-open", GAP: "x", PRINTED: "square-open"}
HOVER_WIDTH: Final = 64


@dataclass(frozen=True)
class Printed:
    """One printed number in seconds, bytes or as a count, and the row that it stands in."""

    value: float
    row: Row
    mark: str
    """An entry of SYMBOLS."""
    says: str
    """Where it stands, as printed, and what is known against it."""


@lru_cache(maxsize=64)
def printed(case_name: str, table_name: str, column: str) -> tuple[Printed, ...]:
    """The numbers of a column, row by row."""
    case = load_case(case_name)
    table = next(table for table in case.table if table.name == table_name)
    columns = {
        measured_number.row: measured_number
        for measured_number in numbers_of(case)
        if (measured_number.table, measured_number.column) == (table_name, column)
    }
    points = []
    for row in rows_of(table):
        number = columns[row_name(table, row)]
        mark = GAP if number.known_gap else {"fits": FITS, "tests": TESTS}.get(number.mark, PRINTED)
        note = number.known_gap or number.note
        lines = [
            f"{case.source.author}: {number.where}",
            f"{column} {row[column]} {number.unit}".strip(),
            *wrap(note, HOVER_WIDTH),
        ]
        value = in_model_units(case, table, row, column)
        points.append(Printed(value, row, mark, "<br>".join(escape(line) for line in lines)))
    return tuple(points)


def traces(
    points: Sequence[Printed],
    across: Callable[[Printed], float],
    colour: Callable[[Printed], str] | str,
    *,
    scale: float = 1.0,
    name: str = "",
    **more: Any,
) -> list[dict[str, Any]]:
    """*points* at *across*, *scale* times their value up: a trace for each mark, with *more* of its own."""
    drawn = []
    for mark, symbol in SYMBOLS.items():
        those = [point for point in points if point.mark == mark]
        if not those:
            continue
        marks = drawing.dots(
            f"{name}{mark}", map(across, those), [scale * printed.value for printed in those],
            [colour if isinstance(colour, str) else colour(printed) for printed in those], symbol, 10, cliponaxis=False,
            text=[printed.says for printed in those], hovertemplate="%{text}<extra></extra>", **more,
        )  # fmt: skip
        marks["marker"]["line"] = {"width": 2}
        drawn.append(marks)
    return drawn
