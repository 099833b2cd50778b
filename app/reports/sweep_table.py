"""The table of a sweep in memory, from a run or from a file: what charts, page and report are drawn from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.app.base.memo import by_object
from blocktime.app.controls import user_files
from blocktime.app.reports.sweep_described import check_description
from blocktime.app.reports.sweep_size import check_size
from blocktime.app.text.sweep_text import Summary, extrapolated_at_ends
from blocktime.model.errors import SpecError, UnknownName, cut
from blocktime.model.measures import MEASURES
from blocktime.model.provenance import Extrapolation
from blocktime.scenarios.load import library
from blocktime.scenarios.spec import SECTIONS
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep import whole_table
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.table import TableColumn, Values, open_table, read_table
from blocktime.scenarios.why_words import listed

LARGEST_FILE_BYTES: Final = 100_000_000
LARGEST: Final = 1e30
"""A number of a table; its reciprocal is the smallest."""
LONGEST_STEM: Final = 80
KINDS: Final = {"point": "whole", "method": "text", "error": "text", **dict.fromkeys(MEASURES, "real")}
_NOT_IN_A_FILE_NAME: Final = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True)
class SweepTable:
    """Every point of a sweep with its numbers, and what made them."""

    columns: tuple[TableColumn, ...]
    values: Mapping[str, Values]
    about: Mapping[str, Any]
    plan: Plan | None = None
    """What was asked; None for a table from a file, which another version may have answered."""

    def __len__(self) -> int:
        return len(self.values["point"])

    @property
    def name(self) -> str:
        """The base scenario's name."""
        return str(self.about["scenario"]["name"])

    @property
    def stem(self) -> str:
        """What its files are called, without an ending."""
        name = _NOT_IN_A_FILE_NAME.sub("-", self.name).lstrip(".")
        return f"{name[:LONGEST_STEM]}-sweep"

    @property
    def keys(self) -> tuple[str, ...]:
        """What varies."""
        return tuple(axis["key"] for axis in self.about["sweep"]["axis"])

    @property
    def measures(self) -> list[str]:
        """The measures that any point has."""
        return [column.name for column in self.columns if column.name in MEASURES]

    @property
    def errors(self) -> dict[str, int]:
        """Each sentence why a point has no answer, with the number of points that have it; the most frequent first."""
        counted: dict[str, int] = {}
        for error in filter(None, self.values["error"]):
            counted[error] = counted.get(error, 0) + 1
        return dict(sorted(counted.items(), key=lambda item: -item[1]))

    def document(self) -> str:
        """The sweep as a file for ``blocktime sweep FILE``."""
        import tomlkit

        scenario = {name: value for name, value in self.about["scenario"].items() if name != "name"}
        return tomlkit.dumps({**scenario, "sweep": self.about["sweep"]})

    def summary(self, measure: str) -> Summary:
        """The columns that a chart of *measure* needs."""
        if self.measures and measure not in self.measures:
            raise UnknownName("measure", measure, self.measures)
        values = self.values.get(measure, np.full(len(self), np.nan))
        axes = {key: list(self.values[key]) for key in self.keys}
        axes = {
            key: [level.item() if isinstance(level, np.generic) else level for level in axis]
            for key, axis in axes.items()
        }
        reference = dict(self.about.get("reference", {}))
        summarised = Summary(self.keys, measure, axes, np.asarray(values, float), reference, self.errors)
        if self.plan is not None and measure in self.values:
            summarised.extrapolated = _at_ends(self.plan, self.values[measure])
        return summarised

    @property
    def title(self) -> str:
        """Fields that vary, and the title of the scenario in which they do."""
        title = self.about["scenario"].get("title") or self.name
        return f"Sweep of {listed(self.keys)}: {title}"

    def at(self, place: int) -> dict[str, Any]:
        """What varies, as the point in row *place* has it."""
        cells = {key: self.values[key][place] for key in self.keys}
        return {key: cell.item() if isinstance(cell, np.generic) else cell for key, cell in cells.items()}

    def changes(self, place: int) -> tuple[str, dict[str, str]] | None:
        """The point in row *place* as a library scenario and changes to it, as an address has them; or None."""
        scenario = self.about["scenario"]
        base = scenario.get("base")
        if base not in library():
            return None
        differences = {section: scenario[section] for section in SECTIONS if section in scenario}
        try:
            return base, {**dict(user_files.flat(differences)), **dict(user_files.flat(self.at(place)))}
        except ValueError:  # a table that was edited may hold what no text expresses
            return None


def table_of(rows: Rows) -> SweepTable:
    """The rows of a sweep that was run."""
    return SweepTable(rows.columns, whole_table(rows), rows.about(), rows.plan)


@by_object(64)
def _at_ends(plan: Plan, values: Values) -> tuple[Sequence[Extrapolation], ...]:
    """The points with the least and the most, as a summary asks for them with each drawing."""
    return extrapolated_at_ends(plan, np.asarray(values, float))


def table_in(files: Mapping[str, bytes]) -> SweepTable:
    """The table that was written as *files*, a Parquet file, or a CSV file with the one that describes it.

    Raises :class:`SpecError` with one sentence.
    """
    tables = [name for name in files if Path(name).suffix.lower() in (".parquet", ".csv")]
    if len(tables) != 1:
        raise SpecError(
            f"the file: got {cut(', '.join(files)) or 'none'}; a table of a sweep is one .parquet file, or a .csv file "
            "with its .csv.json"
        )
    name = Path(tables[0]).name
    beside = f"{name}.json"
    if name.lower().endswith(".csv") and beside not in files:
        raise SpecError(f"{cut(name)}: {cut(beside)}, which is written beside it, is missing; give both files")
    text, ending = cut(name), Path(name).suffix.lower()
    # A name is somebody else's: it may be too long for a file, or lead out of the folder.
    written = {f"table{ending}": files[tables[0]]} | (
        {f"table{ending}.json": files[beside]} if ending == ".csv" else {}
    )
    try:
        with TemporaryDirectory(prefix="blocktime-") as folder:
            path = Path(folder, f"table{ending}")
            for name_of_file, content in written.items():
                Path(folder, name_of_file).write_bytes(content)
            check_size(path, text)
            try:
                values, columns, about = read_table(path)
            except SpecError as error:
                raise SpecError(str(error).replace(f"{path}", text).replace(path.name, text)) from None
    except OSError as error:
        raise SpecError(f"{text}: could not be read ({error.strerror or 'no room'})") from None
    check_description(about, columns, text)
    stored = SweepTable(tuple(columns), values, about)
    _check(stored, text)
    return stored


def _check(stored: SweepTable, name: str) -> None:
    """Complain about a table whose columns do not fit its description."""
    kinds = {column.name: column.kind for column in stored.columns}
    for key in (*stored.keys, "point", "error"):
        if key not in kinds:
            raise SpecError(f"{name}: is damaged, or not a table of a sweep: it has no column {cut(key)}")
    for column, kind in kinds.items():
        if KINDS.get(column, kind) != kind:
            raise SpecError(f"{name}: column {cut(column)}: got {kind}; a sweep's is {KINDS[column]}")
    if not len(stored):
        raise SpecError(f"{name}: has no rows; a table of a sweep has one for each point")
    for key in ("point", *stored.keys):
        if any(value is None or (isinstance(value, float) and isnan(value)) for value in stored.values[key]):
            raise SpecError(f"{name}: column {cut(key)}: has a row without a value; each point has one")
    for column, kind in kinds.items():
        if kind == "real":
            _check_numbers(np.asarray(stored.values[column]), f"{name}: column {cut(column)}")
    _check_numbers(np.array(list(stored.about.get("reference", {}).values()), float), f"{name}: reference")


def _check_numbers(numbers: NDArray[np.float64], where: str) -> None:
    """Complain about numbers that no law gives and no axis can be drawn for; NaN is a missing one."""
    size = np.abs(numbers)
    wrong = numbers[(size > LARGEST) | ((size > 0) & (size < 1 / LARGEST))]
    if len(wrong):
        raise SpecError(f"{where}: got {wrong[0]:g}; allowed are 0 and sizes from {1 / LARGEST:g} to {LARGEST:g}")


def table_bytes(stored: SweepTable, ending: str) -> bytes:
    """The table as the file that the command line writes with that *ending*."""
    with TemporaryDirectory(prefix="blocktime-") as folder:
        path = Path(folder, f"sweep{ending}")
        with open_table(path, stored.columns, stored.about, False) as table:
            table.write(stored.values)
        return path.read_bytes()


def zipped_csv(stored: SweepTable) -> bytes:
    """The CSV file and the one that describes its columns, in one archive."""
    from io import BytesIO
    from zipfile import ZIP_DEFLATED, ZipFile

    packed = BytesIO()
    with TemporaryDirectory(prefix="blocktime-") as folder:
        path = Path(folder, f"{stored.stem}.csv")
        with open_table(path, stored.columns, stored.about, False) as table:
            table.write(stored.values)
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for file in sorted(Path(folder).iterdir()):
                archive.write(file, file.name)
    return packed.getvalue()
