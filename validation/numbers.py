"""A case cell by cell: each printed number with what predicts it, what it is for, and what is known against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from blocktime.model.errors import MeasurementError
from blocktime.model.units import parse_bytes
from blocktime.validation.case import (
    FITTED_TOLERANCE,
    Bound,
    Case,
    Cell,
    Mark,
    Mechanism,
    NumberSpec,
    PrintedTable,
    Row,
)
from blocktime.validation.quantity import UNITS

CLOCK: Final = re.compile(
    r"(?P<h>\d{2,}):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d+)?)|(?P<minutes>\d+)m(?P<seconds>[0-5]?\d\.\d+)s"
)
"""Hours, minutes, seconds: ``hh:mm:ss.cc``; or as the shell's ``time`` has it: ``0m41.063s``."""

Pick = tuple[str, tuple[str, ...]]
"""A scenario and the settings on it."""


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """One printed number, ready to be compared."""

    case: str
    document: str
    table: str
    row: str
    column: str
    locator: str
    printed: float
    """In the printed unit."""
    unit: str
    mark: Mark
    path: str
    pick: Pick
    against: tuple[Pick, ...]
    tolerance: float | None
    tolerance_absolute: float | None
    """In the printed unit."""
    bound: Bound | None
    fits: tuple[str, ...]
    known_gap: str
    note: str
    mechanism: Mechanism | None = None
    spread: float | None = None
    """Relative standard deviation of one run, where the source tells it."""
    spread_from: str = ""

    @property
    def id(self) -> str:
        """case:table:row:column."""
        return ":".join((self.case, self.table, self.row, self.column))

    @property
    def where(self) -> str:
        """Table and row, for a reader."""
        return f"{self.table}, {self.row}" if self.row else self.table


def rows_of(table: PrintedTable) -> list[Row]:
    """Rows of *table* as column -> cell, with the given columns."""
    given = table.given
    beside: Sequence[Sequence[Cell]] = given.rows if given else [[] for _ in table.rows]
    columns = table.columns + (given.columns if given else [])
    return [dict(zip(columns, [*row, *more], strict=True)) for row, more in zip(table.rows, beside, strict=True)]


def row_name(table: PrintedTable, row: Row) -> str:
    """The keys of a row as one word for ids and tables."""
    return ",".join(str(row[key]) for key in table.keys)


DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+")


def place_of(table: PrintedTable, row: Row, column: str, file: str) -> str:
    """File, table, row and column of a cell, as a message calls them."""
    return f"{file}: table {table.name}, row {row_name(table, row)}, column {column}"


def value_of(cell: Cell, place: str) -> float:
    """A printed cell as a number: text is a size such as ``1MB``, a clock such as ``00:10:59.95``, or ``24,82``."""
    if isinstance(cell, str):
        clock = CLOCK.fullmatch(cell)
        if clock and clock["minutes"]:
            return 60 * int(clock["minutes"]) + float(clock["seconds"])
        if clock:
            return 3600 * int(clock["h"]) + 60 * int(clock["m"]) + float(clock["s"])
        if DECIMAL_COMMA.fullmatch(cell):
            return float(cell.replace(",", "."))
        try:
            return parse_bytes(cell)
        except ValueError as error:
            raise MeasurementError(f"{place}: {error}") from None
    return float(cell)


def spec_for(table: PrintedTable, row: Row, column: str, file: str) -> NumberSpec:
    """The one entry about a cell: that with the most in its *where*; raises MeasurementError for none or several."""
    specs = [spec for spec in table.number if column in spec.columns and spec.has_row(row)]
    place = place_of(table, row, column, file)
    if not specs:
        raise MeasurementError(f"{place}: no [[table.number]] marks it; wanted fits, tests or descriptive")
    most = max(len(spec.where) for spec in specs)
    best = [spec for spec in specs if len(spec.where) == most]
    if len(best) > 1:
        marks = " and ".join(spec.mark for spec in best)
        raise MeasurementError(f"{place}: marked {len(best)} times, as {marks}; wanted one mark")
    return best[0]


def _pick(table: PrintedTable, spec: NumberSpec, row: Row) -> Pick:
    settings = [*table.settings, *spec.settings]
    for column, fields in {**table.set, **spec.set}.items():
        settings.append(f"{fields}={row[column]}")
    return _filled(spec.scenario or table.scenario, row), tuple(settings)


def _filled(path: str, row: Row) -> str:
    for key, cell in row.items():
        path = path.replace("{" + key + "}", str(cell))
    return path


def _note(case: Case, table: PrintedTable, row: Row, column: str, spec: NumberSpec) -> str:
    doubts = [f"doubt: {doubt.says}" for doubt in case.doubt if doubt.covers(table, row, column)]
    rule = "" if table.printed else "not printed; it follows from the text"
    return "; ".join(part for part in (spec.reason, spec.note, rule, *doubts) if part)


def numbers_of(case: Case) -> Iterator[MeasuredNumber]:
    """Every number of *case* in the order of the file."""
    file = f"{case.name}.toml"
    for table in case.table:
        for row in rows_of(table):
            for column in table.columns:
                if column in table.keys:
                    continue
                spec = spec_for(table, row, column, file)
                spread = next((spread for spread in case.spread if spread.covers(table, row, column)), None)
                gaps = (gap.reason for gap in case.known_gap if gap.covers(table, row, column))
                fitted = spec.mark == "fits" and spec.tolerance is None and spec.tolerance_absolute is None
                yield MeasuredNumber(
                    case=case.name,
                    document=case.source.document,
                    table=table.name,
                    row=row_name(table, row),
                    column=column,
                    locator=table.locator,
                    printed=value_of(row[column], place_of(table, row, column, file)),
                    unit=spec.unit,
                    mark=spec.mark,
                    path=_filled(spec.path, row),
                    pick=_pick(table, spec, row),
                    against=tuple((other.scenario, tuple(other.settings)) for other in spec.against),
                    tolerance=FITTED_TOLERANCE if fitted else spec.tolerance,
                    tolerance_absolute=spec.tolerance_absolute,
                    bound=spec.bound,
                    fits=tuple(spec.fits),
                    known_gap="; ".join(gaps),
                    note=_note(case, table, row, column, spec),
                    mechanism=spec.mechanism or table.mechanism,
                    spread=spread.relative if spread else None,
                    spread_from=spread.says if spread else "",
                )


def in_model_units(case: Case, table: PrintedTable, row: Row, column: str) -> float:
    """The value of a cell in seconds, bytes or plain shares; a key or a given column counts as it stands."""
    file = f"{case.name}.toml"
    value = value_of(row[column], place_of(table, row, column, file))
    if column in table.keys or column not in table.columns:
        return value
    return value * UNITS[spec_for(table, row, column, file).unit]
