"""A case must not contradict itself: what is wrong is one sentence with file, table, row, column, got and wanted."""

from __future__ import annotations

from math import isclose, log, prod
from typing import Final

from blocktime.model import catalog
from blocktime.model.errors import BlocktimeError, MeasurementError
from blocktime.model.units import unit_of
from blocktime.validation.case import Case, CaseNote, Check, NumberSpec, PrintedTable, Row
from blocktime.validation.numbers import CLOCK, in_model_units, numbers_of, place_of, row_name, rows_of, value_of
from blocktime.validation.quantity import UNITS, check_path

FAR_OFF: Final = 3
"""A prior that is farther from the catalog than its factor to this power is a slip of the unit."""


def check_case(case: Case) -> None:
    """Raise MeasurementError for the first contradiction in *case* that no doubt covers."""
    file = f"{case.name}.toml"
    _unique([table.name for table in case.table], f"{file}: table")
    for table in case.table:
        _check_shape(table, f"{file}: table {table.name}")
        for spec in table.number:
            _check_number(table, spec, f"{file}: table {table.name}, number {', '.join(spec.columns)}")
    for kind, entries in (("doubt", case.doubt), ("known_gap", case.known_gap), ("spread", case.spread)):
        for entry in entries:
            _check_reference(case, entry, f"{file}: {kind}")
    _check_priors(case, file)
    _check_spreads(case, file)
    _check_uses(case, file)
    for check in case.check:
        _check_agreement(case, check, file)


def _unique(texts: list[str], what: str) -> None:
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise MeasurementError(f"{what} {twice}: there {texts.count(twice)} times; wanted once")


def _check_shape(table: PrintedTable, place: str) -> None:
    wanted = len(table.columns)
    for position, row in enumerate(table.rows, 1):
        if len(row) != wanted:
            raise MeasurementError(f"{place}, row {position}: {len(row)} cells; wanted {wanted}, one for each column")
    columns = list(table.columns)
    if table.given:
        if len(table.given.rows) != len(table.rows):
            raise MeasurementError(f"{place}: {len(table.given.rows)} given rows; wanted {len(table.rows)}")
        for position, row in enumerate(table.given.rows, 1):
            if len(row) != len(table.given.columns):
                raise MeasurementError(
                    f"{place}, given row {position}: {len(row)} cells; wanted {len(table.given.columns)}"
                )
        columns += table.given.columns
    _unique(columns, f"{place}, column")
    for key in (*table.keys, *table.set):
        _known(key, columns, place)
    _unique([row_name(table, row) for row in rows_of(table)], f"{place}, row")


def _known(column: str, columns: list[str], place: str) -> None:
    if column not in columns:
        raise MeasurementError(f"{place}: no column {column!r}; wanted one of {', '.join(columns)}")


def _check_number(table: PrintedTable, spec: NumberSpec, place: str) -> None:
    columns = table.columns + (table.given.columns if table.given else [])
    for column in (*spec.columns, *spec.where, *spec.set):
        _known(column, columns, place)
    key = next((name for name in spec.columns if name in table.keys), None)
    if key is not None:
        raise MeasurementError(f"{place}: {key} names the row; wanted a column that was measured")
    if not any(map(spec.has_row, rows_of(table))):
        raise MeasurementError(f"{place}: no row has {spec.where}; wanted one of the printed rows")
    if spec.unit not in UNITS:
        raise MeasurementError(f"{place}: unit {spec.unit!r}; wanted one of {', '.join(map(repr, UNITS))}")
    clock = _clock_of(table, spec)
    if clock and spec.unit != "s":
        raise MeasurementError(f"{place}: {clock} in unit {spec.unit!r}; wanted 's' for the time of a clock")
    if spec.mark == "descriptive":
        _check_descriptive(spec, place)
    else:
        _check_compared(table, spec, place)


def _clock_of(table: PrintedTable, spec: NumberSpec) -> str | None:
    """The first cell of *spec* that is printed as the time of a clock."""
    cells = (row[column] for row in rows_of(table) if spec.has_row(row) for column in spec.columns)
    return next((cell for cell in cells if isinstance(cell, str) and CLOCK.fullmatch(cell)), None)


def _check_descriptive(spec: NumberSpec, place: str) -> None:
    if not spec.reason:
        raise MeasurementError(f"{place}: descriptive without a reason; wanted why nothing predicts it")
    if spec.path or spec.fits or spec.tolerance is not None or spec.tolerance_absolute is not None:
        raise MeasurementError(f"{place}: descriptive, but with a path, fits or a tolerance; wanted none of them")


def _check_compared(table: PrintedTable, spec: NumberSpec, place: str) -> None:
    if spec.mark == "tests":
        if spec.fits:
            raise MeasurementError(f"{place}: tests and fits {spec.fits[0]}; wanted one or the other")
        if spec.tolerance is None and spec.tolerance_absolute is None:
            raise MeasurementError(f"{place}: tests without a tolerance; wanted it declared before comparing")
    elif not spec.fits:
        raise MeasurementError(f"{place}: fits nothing; wanted the constants that are fitted to it")
    else:
        _check_positive(table, spec, place)
    if spec.tolerance is not None and spec.tolerance_absolute is not None:
        raise MeasurementError(f"{place}: tolerance and tolerance_absolute; wanted one of them")
    if not (spec.scenario or table.scenario):
        raise MeasurementError(f"{place}: no scenario; wanted the one that predicts it")
    for row in rows_of(table):
        path = spec.path
        for key, cell in row.items():
            path = path.replace("{" + key + "}", str(cell))
        try:
            check_path(path)
        except ValueError as error:
            raise MeasurementError(f"{place}: {error}; wanted a path into the result or a derived quantity") from None
        _check_unit(spec.unit, path, place)
    for constant in spec.fits:
        _check_constant(constant, place)


def _check_unit(unit: str, path: str, place: str) -> None:
    """A time is printed in a unit of time, a size or a rate in bytes, and neither unit stands for anything else."""
    kinds = {"s": ("s", "ms", "us"), "bytes": ("bytes", "MB", "kB", "sectors")}
    kinds["bytes/s"] = ("MB/s", "kB/s", "sectors/s")
    if path.endswith("]"):
        return  # the unit of an entry is not in its name
    name = path.rpartition(".")[2]
    needed = unit_of(f"_{name}") or ("bytes" if "bytes" in name.removesuffix("bytes_ratio") else "")
    if needed in kinds and unit not in kinds[needed]:
        raise MeasurementError(f"{place}: unit {unit!r} for {path}; wanted one of {', '.join(kinds[needed])}")
    if needed not in kinds and any(unit in units for units in kinds.values()):
        raise MeasurementError(f"{place}: unit {unit!r} for {path}, which is a count or a share; wanted none or %")


def _check_positive(table: PrintedTable, spec: NumberSpec, place: str) -> None:
    """A number that fits is weighed by its relative error, and is a time, a size or a count."""
    for row in rows_of(table):
        for column in spec.columns:
            if spec.has_row(row) and value_of(row[column], place) <= 0:
                raise MeasurementError(f"{place}: fits, and got {row[column]}; wanted a number above 0")


def _check_constant(constant: str, place: str) -> None:
    """``kind/name: field`` in the catalog, or ``scenario/name: field`` for a size that the document does not print."""
    entry, _, field = constant.partition(": ")
    kind, _, name = entry.partition("/")
    if kind == "scenario" and name and field:
        return
    try:
        fields = catalog.entry(kind, name).constants
    except BlocktimeError as error:
        raise MeasurementError(f"{place}: fits {constant!r}: {error}") from None
    if field not in fields:
        raise MeasurementError(f"{place}: fits {constant!r}; wanted one of {', '.join(sorted(fields))} of {entry}")


def _check_priors(case: Case, file: str) -> None:
    """A source speaks once of a constant, and of one that numbers of *case* are fitted with."""
    _unique([prior.constant for prior in case.prior], f"{file}: prior")
    fitted = sorted({constant for table in case.table for spec in table.number for constant in spec.fits})
    for prior in case.prior:
        _check_constant(prior.constant, f"{file}: prior")
        if prior.constant not in fitted:
            wanted = ", ".join(fitted) or "a case that fits constants"
            raise MeasurementError(f"{file}: prior: no number here fits {prior.constant!r}; wanted one of {wanted}")
        known = _catalog_value(prior.constant)
        if known and abs(log(prior.value / known)) > FAR_OFF * log(prior.factor):
            raise MeasurementError(
                f"{file}: prior of {prior.constant}: got {prior.value:g} within a factor of {prior.factor:g}, and the "
                f"catalog has {known:g}; wanted a value whose factor to the {FAR_OFF}rd power reaches the catalog's"
            )


def _catalog_value(constant: str) -> float | None:
    """What the catalog has for *constant*; None for an input of a scenario, and for 0, which has no ratio."""
    entry, _, field = constant.partition(": ")
    kind, _, name = entry.partition("/")
    return None if kind == "scenario" else catalog.entry(kind, name).constants[field].value or None


def _check_spreads(case: Case, file: str) -> None:
    """A number has one spread at most."""
    for table in case.table:
        for row in rows_of(table):
            for column in table.columns:
                count = sum(spread.covers(table, row, column) for spread in case.spread)
                if count > 1:
                    place = place_of(table, row, column, file)
                    raise MeasurementError(f"{place}: {count} spreads; wanted one")


def _check_reference(case: Case, entry: CaseNote, place: str) -> None:
    table = _table(case, entry.table, place)
    for column in (*entry.columns, *entry.where):
        _known(column, table.columns, f"{place}, table {entry.table}")
    if not any(map(entry.has_row, rows_of(table))):
        raise MeasurementError(
            f"{place}, table {entry.table}: no row has {entry.where}; wanted one of the printed rows"
        )


def _table(case: Case, name: str, place: str) -> PrintedTable:
    named = next((table for table in case.table if table.name == name), None)
    if named is None:
        raise MeasurementError(
            f"{place}: no table {name!r}; wanted one of {', '.join(table.name for table in case.table)}"
        )
    return named


def _check_uses(case: Case, file: str) -> None:
    """Every number has one mark, and a gap stands for something that is compared."""
    for number in numbers_of(case):
        if number.known_gap and number.mark != "tests":
            place = f"{file}: table {number.table}, row {number.row}, column {number.column}"
            raise MeasurementError(f"{place}: a known gap, marked {number.mark}; wanted a number that tests")


def _check_agreement(case: Case, check: Check, file: str) -> None:
    """Compare the two sides of *check* in every row that all its tables have."""
    if not check.right and check.value is None:
        raise MeasurementError(
            f"{file}: check of {' x '.join(check.left)}: nothing to compare with; wanted right or value"
        )
    terms = [_term(case, text, file) for text in check.left + check.right]
    for row in rows_of(terms[0][0]):
        cells = [(table, column, other) for table, column in terms if (other := _same(table, row, terms[0][0]))]
        if len(cells) < len(terms):
            continue
        values = [in_model_units(case, table, other, column) for table, column, other in cells]
        left = prod(values[: len(check.left)])
        right = prod(values[len(check.left) :]) if check.right else float(check.value or 0)
        agree = isclose(left, right, rel_tol=check.tolerance, abs_tol=check.rounding)
        if (
            agree
            or (check.relation == "at_most" and left <= right)
            or any(doubt.covers(table, other, column) for doubt in case.doubt for table, column, other in cells)
        ):
            continue
        table, column, printed = cells[0]
        wanted = " x ".join(check.right) if check.right else "the value of the check"
        raise MeasurementError(
            f"{place_of(table, printed, column, file)}: {' x '.join(check.left)} is {left:g}; wanted "
            f"{check.relation.replace('_', ' ')} {wanted} = {right:g}; correct the transcription or add a [[doubt]]"
        )


def _term(case: Case, text: str, file: str) -> tuple[PrintedTable, str]:
    name, _, column = text.partition(".")
    table = _table(case, name, f"{file}: check")
    _known(column, table.columns + (table.given.columns if table.given else []), f"{file}: check, table {name}")
    return table, column


def _same(table: PrintedTable, row: Row, home: PrintedTable) -> Row | None:
    """The row of *table* with the keys that it shares with *row* of *home*."""
    shared = [key for key in table.keys if key in home.keys]
    return next((other for other in rows_of(table) if all(other[key] == row[key] for key in shared)), None)
