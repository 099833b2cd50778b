"""What a measured case file says: the numbers of a document exactly as printed, their marks, doubts and known gaps."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from blocktime.model.provenance import Frozen

Cell = int | float | str
Row = dict[str, Cell]
"""Column -> cell."""
Mark = Literal["fits", "tests", "descriptive"]
Bound = Literal["at_least", "at_most"]
Mechanism = Literal[
    "disk latency",
    "request merging",
    "buffer cache",
    "logical I/O",
    "row migration",
    "ASSM search",
    "multiblock reads",
    "client",
    "optimizer",
    "transactions",
    "imports",
]

FITTED_TOLERANCE = 0.03
"""Relative tolerance of a number that a constant was fitted to, where the case declares none."""


class Strict(Frozen):
    """Base of the parts of a case: unknown keys and numbers in disguise are errors."""

    model_config = ConfigDict(strict=True)


class PrintedSource(Strict):
    """Where the numbers stand."""

    key: str = Field(min_length=3, description="Key of the source in the list of sources")
    author: str
    title: str
    document: str = Field(description="Number of the document, such as document 000")
    locator: str = Field(description="Where in the document the numbers stand")
    system: str = Field(description="What was measured, and what is not stated of it")
    year: int | None = Field(
        None, ge=1990, le=2100, description="Year of the measurement; where none stands, of its newest software"
    )
    samples: int = Field(ge=1, description="Runs behind a printed number")


class Other(Strict):
    """A further scenario that a quantity needs, such as the runs that this one is compared with."""

    scenario: str
    settings: list[str] = []


class Cells(Strict):
    """Cells of a printed table: those of some columns, in the rows that have what *where* asks for."""

    column: str | list[str]
    where: dict[str, Cell | list[Cell]] = {}

    @property
    def columns(self) -> list[str]:
        """The columns."""
        return [self.column] if isinstance(self.column, str) else self.column

    def has_row(self, row: Row) -> bool:
        """Whether *row* is one of the rows."""
        return all(row[key] in (value if isinstance(value, list) else [value]) for key, value in self.where.items())


class NumberSpec(Cells):
    """One printed column, or with *where* one of its rows: unit, what predicts it, and what it may be used for."""

    unit: str = Field(default="", description="Unit as printed: s, ms, us, bytes, MB, MB/s, %; empty for a count")
    path: str = Field(default="", description="Dotted path into the result, or the name of a derived quantity")
    mark: Mark
    mechanism: Mechanism | None = Field(default=None, description="Instead of the table's")
    tolerance: float | None = Field(default=None, ge=0, description="Relative; 0 is exact")
    tolerance_absolute: float | None = Field(default=None, ge=0, description="In the printed unit")
    bound: Bound | None = Field(default=None, description="For a number printed as a bound")
    fits: list[str] = Field(default=[], description="Constants fitted to it, as host/rahn-2008: fetch_column_s")
    reason: str = Field(default="", description="Why nothing predicts it, for a descriptive number")
    scenario: str = Field(default="", description="Instead of the table's; {column} stands for a cell of the row")
    settings: list[str] = Field(default=[], description="Further settings, KEY=VALUE")
    set: dict[str, str] = Field(default={}, description="Further columns that set fields of the scenario")
    against: list[Other] = []
    note: str = ""


class DerivedColumns(Strict):
    """Columns beside the printed ones that the scenario needs, worked out from them; no measurement."""

    columns: list[str]
    rows: list[list[Cell]]
    how: str = Field(min_length=3, description="How the columns follow from the printed ones")


class PrintedTable(Strict):
    """One printed table, or the numbers of one passage."""

    name: str = Field(min_length=1)
    locator: str
    mechanism: Mechanism | None = Field(default=None, description="What its numbers are about")
    scenario: str = ""
    settings: list[str] = []
    keys: list[str] = Field(default=[], description="Columns that name a row")
    set: dict[str, str] = Field(default={}, description="Column -> field of the scenario that it sets")
    columns: list[str] = Field(min_length=1)
    rows: list[list[Cell]] = Field(min_length=1)
    given: DerivedColumns | None = None
    printed: bool = Field(default=True, description="False where a sentence gives the rule but not the number")
    number: list[NumberSpec] = []


class CaseNote(Cells):
    """Something that is said of numbers of one table."""

    table: str

    def covers(self, table: PrintedTable, row: Row, column: str) -> bool:
        """Whether it is said of the number in that row and column."""
        return self.table == table.name and column in self.columns and self.has_row(row)


class Doubt(CaseNote):
    """A suspicion against printed numbers, which are never corrected."""

    says: str = Field(min_length=3)


class Spread(CaseNote):
    """How far repetitions of a measurement lie apart: what no model can be asked to be nearer than."""

    relative: float = Field(gt=0, lt=1, description="Standard deviation of one run over its mean")
    says: str = Field(min_length=3, description="What it was worked out from")


class Prior(Strict):
    """What a source says of a constant before any number is fitted."""

    constant: str = Field(description="As in fits: host/rahn-2008: fetch_column_s")
    value: float = Field(gt=0)
    factor: float = Field(gt=1, description="95 % sure to be within value / factor and value x factor")
    source: str = Field(min_length=3)
    says: str = Field(min_length=3)


class KnownGap(CaseNote):
    """Numbers that the model is known to miss, and why."""

    reason: str = Field(min_length=3)


class Check(Strict):
    """Columns that must agree, row by row: the product of *left* with the product of *right*, or with *value*.

    Printed numbers are rounded: *tolerance* is what that may do to the whole, *rounding* what it does to *left* alone.
    """

    left: list[str] = Field(min_length=1, description="table.column, multiplied together")
    right: list[str] = []
    value: float | None = None
    relation: Literal["equal", "at_most"] = "equal"
    tolerance: float = Field(default=1e-9, ge=0, lt=1, description="Relative")
    rounding: float = Field(default=1e-12, ge=0, description="In seconds, bytes or plain shares")


class Case(Strict):
    """One measured document."""

    source: PrintedSource
    table: list[PrintedTable] = Field(min_length=1)
    doubt: list[Doubt] = []
    known_gap: list[KnownGap] = []
    spread: list[Spread] = []
    prior: list[Prior] = []
    check: list[Check] = []
    name: str = Field(default="", description="Name of the file without its ending; not written in it")
