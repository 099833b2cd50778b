"""Columns of a design laid over the fields of one system and one workload, and the table of answers to its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from pydantic.fields import FieldInfo

from blocktime.model.demand import MixedRegimes, OneByOne
from blocktime.model.demand.of_many import Overlay, as_python
from blocktime.model.errors import BlocktimeError
from blocktime.model.laws.numeric import Number
from blocktime.model.measures import MEASURES
from blocktime.model.provenance import Frozen
from blocktime.model.spec import System, Workload

Places = npt.NDArray[np.intp]
Row = Callable[[Any, Any], tuple[Number, Mapping[str, Number]]]
"""From a system and a workload to whether nobody queues, and the measures; arrays where fields are arrays."""
"""From one of some scenarios, them with arrays as fields, and their places to their measures."""

ONE_BY_ONE = ("tablespace.block_size_bytes", "tablespace.uniform_extent_bytes", "disk.raid_disks", "disk.burst_credits")
"""Numbers that some law wants one by one; for one block size half of the arithmetic is on plain numbers besides."""
CHOICES_OF_A_DRIVE = (
    "disk.rotation_s", "disk.service_cv", "disk.iops_limit", "disk.burst_iops", "host.iops_limit",
    "host.bandwidth_limit_bytes_per_s", "host.dirty_ratio_percent", "host.dirty_background_ratio_percent",
    "workload.runtime_s",
)  # fmt: skip
"""Real numbers by which the laws of a drive and of the kernel choose; they take all others as arrays."""
NUMBERS_OR_WORDS = ("instance.db_file_multiblock_read_count", "workload.parallel_reads")
CHOICES_OF_STATEMENTS = (
    "instance.db_block_size_bytes", "instance.direct_read_slots", "instance.direct_read_slots_limit", "host.cpus",
    "host.max_request_bytes", "host.max_segments", "host.nr_requests", "host.read_ahead_bytes",
)  # fmt: skip
"""What the laws of a queue and of a drive count with."""


class PointGroup(NamedTuple):
    """Points that share all that is no array: their places in the columns, and one value for each of those fields."""

    places: Places
    plain: dict[str, Any]
    array_fields: tuple[str, ...]


@dataclass(slots=True)
class FieldColumns:
    """Columns of values for fields of a system and a workload, by their dotted paths; raises KeyError for others."""

    system: System
    work: Workload
    columns: dict[str, Any]
    length: int
    _arrays: dict[str, npt.NDArray[np.float64]]

    def __init__(self, system: System, work: Workload, axes: Mapping[str, Any]) -> None:
        for path in axes:
            _field(system, work, path)
        # NOTE: a constant that a column replaces is no longer that of the catalog, which has a fitted range
        constants = {path: constant for path, constant in system.constants.items() if path not in axes}
        self.system = system.model_copy(update={"constants": constants})
        self.work = work
        self.columns = {path: _column(path, values) for path, values in axes.items()}
        self.length = max(len(values) for values in self.columns.values())
        self._arrays = {}

    def answered(self, row: Row, alone: Row) -> dict[str, Any]:
        """The answers by arrays; where one has none, the points that have none either by *alone* are refused."""
        table = _empty(self.length)
        for group in self._groups(self._law_takes_arrays()):
            self._answer(table, group, row, alone)
        return table

    def answered_one_by_one(self, alone: Row) -> dict[str, Any]:
        """The answers of plain scenarios."""
        table = _empty(self.length)
        for place in range(self.length):
            self._answer_alone(table, place, alone)
        return table

    def _law_takes_arrays(self) -> Callable[[str], bool]:
        """Whether the laws take the numbers of a field as an array."""
        drive_has_a_place = "workload.start_byte" in self.columns or any(
            getattr(calls, "start_byte", None) for calls in (self.work, *getattr(self.work, "beside", ()))
        )
        real = {path for path in self.columns if _is_real(_field(self.system, self.work, path).annotation)}
        return lambda path: (
            _takes_arrays(path, self.work, path in real) and not (drive_has_a_place and path.startswith("disk."))
        )

    def _groups(self, takes_arrays: Callable[[str], bool]) -> list[PointGroup]:
        """The points by the values that are not laid as arrays."""
        always: list[str] = []
        keys: dict[str, Any] = {}
        for path, column in self.columns.items():
            if not takes_arrays(path):
                keys[path] = column
            elif isinstance(column, np.ndarray):
                always.append(path)
            else:
                keys[path] = [ARRAY if _is_number(value) else value for value in column]
        groups = []
        for places in _alike(list(keys.values()), self.length):
            plain = {path: column[int(places[0])] for path, column in keys.items()}
            arrays_here = [path for path, value in plain.items() if value is ARRAY]
            fixed = {path: _plain_value(value) for path, value in plain.items() if value is not ARRAY}
            groups.append(PointGroup(places, fixed, (*always, *arrays_here)))
        return groups

    def _answer(self, table: dict[str, Any], group: PointGroup, row: Row, alone: Row) -> None:
        arrays = {path: self._numbers(path)[group.places] for path in group.array_fields}
        try:
            with np.errstate(divide="raise", invalid="raise", over="raise"):
                exact, measures = row(*_views(self.system, self.work, group.plain | arrays))
        except OneByOne:
            for place in group.places:
                self._answer_alone(table, int(place), alone)
            return
        except MixedRegimes as mixed:
            parts = [group.places[mixed.mask], group.places[~mixed.mask]]
        except (BlocktimeError, ArithmeticError, ValueError, TypeError):  # a law that counts in plain numbers
            if len(group.places) == 1:
                self._answer_alone(table, int(group.places[0]), alone)
                return
            parts = np.array_split(group.places, 2)
        else:
            for name, values in {**measures, "exact": exact}.items():
                table[name][group.places] = values
            return
        for places in filter(len, parts):
            if len(places) == len(group.places):  # what mixes is within a scenario, so that no split parts it
                for place in places:
                    self._answer_alone(table, int(place), alone)
            else:
                self._answer(table, group._replace(places=places), row, alone)

    def _answer_alone(self, table: dict[str, Any], place: int, alone: Row) -> None:
        values = {path: _plain_value(column[place]) for path, column in self.columns.items()}
        try:
            exact, measures = alone(*_replaced(self.system, self.work, values))
        except (BlocktimeError, ArithmeticError, ValueError) as error:
            table["refused"][place] = " ".join(str(error).split()) or type(error).__name__
            return
        for name, value in {**measures, "exact": exact}.items():
            table[name][place] = value

    def _numbers(self, path: str) -> npt.NDArray[np.float64]:
        """A column as floats, NaN where it has no number; whole numbers below 2**53 are exact in them."""
        numbers = self._arrays.get(path)
        if numbers is None:
            column = self.columns[path]
            if not isinstance(column, np.ndarray):
                column = np.array([value if _is_number(value) else np.nan for value in column])
            numbers = self._arrays[path] = column.astype(np.float64)
        return numbers


ARRAY = object()
"""In the place of a number that is laid as an element of an array."""


def _empty(length: int) -> dict[str, Any]:
    table: dict[str, Any] = {name: np.full(length, np.nan) for name in MEASURES}
    table["exact"] = np.zeros(length, dtype=bool)
    table["refused"] = np.full(length, "", dtype=object)
    return table


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _alike(columns: list[Any], length: int) -> list[Places]:
    """Places with the same values in all of *columns*, each group in order."""
    codes = np.zeros(length, dtype=np.intp)
    for column in columns:
        if isinstance(column, np.ndarray):
            column_codes = np.unique(column, return_inverse=True)[1]
        else:
            seen: dict[Any, int] = {}
            column_codes = np.array([seen.setdefault(value, len(seen)) for value in column])
        codes = np.unique(codes * (int(column_codes.max()) + 1) + column_codes, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _takes_arrays(path: str, work: Workload, real: bool) -> bool:
    """Whether the laws for a workload take the numbers of a field, *real* or whole, as an array."""
    if path in ONE_BY_ONE:
        return False
    section = path.partition(".")[0]
    if section in ("prices", "client", "table", "index"):
        return True
    if not work.asks_the_kernel and section != "disk":
        return path not in CHOICES_OF_STATEMENTS
    return real and path not in CHOICES_OF_A_DRIVE


def _is_real(annotation: object) -> bool:
    return annotation is float or any(map(_is_real, get_args(annotation)))


def _column(path: str, values: Any) -> Any:
    """An array of numbers as it is, anything else as a list of Python's own values."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return values
    column = [_plain_value(value) for value in values]
    if path in NUMBERS_OR_WORDS and any(isinstance(value, str) and value.isdigit() for value in column):
        raise KeyError(f"{path}: numpy has made words of numbers beside a word; give a list")
    return column


def _plain_value(value: Any) -> Any:
    return as_python(value.item() if isinstance(value, np.generic) else value)


def _field(system: System, work: Workload, path: str) -> FieldInfo:
    """The declaration of a field; raises KeyError unless *path* names one number, word or flag of the inputs."""
    section, _, name = path.rpartition(".")
    target: Any = work if section == "workload" else system
    for part in () if section == "workload" else section.split("."):
        target = getattr(target, part, None)
    fields = type(target).model_fields if isinstance(target, Frozen) else {}
    if name not in fields or path == "workload.kind":
        raise KeyError(path)
    if isinstance(getattr(target, name), Frozen | tuple | dict):
        raise KeyError(path)
    return fields[name]


def _views(system: System, work: Workload, values: Mapping[str, Any]) -> tuple[Any, Any]:
    """The system and the workload with *values*, which may be arrays, in the place of their fields."""
    sections = _by_section(values)
    work_view = Overlay(work, sections.pop("workload", {}))
    for section in sorted(sections, key=lambda name: -name.count(".")):
        parent, _, child = section.rpartition(".")
        if parent:
            nested = Overlay(getattr(getattr(system, parent), child), sections.pop(section))
            sections.setdefault(parent, {})[child] = nested
    replaced = {section: Overlay(getattr(system, section), fields) for section, fields in sections.items()}
    return Overlay(system, replaced), work_view


def _replaced(system: System, work: Workload, values: Mapping[str, Any]) -> tuple[System, Workload]:
    """A plain system and workload with *values* in the place of their fields."""
    sections = _by_section(values)
    changed = work.model_copy(update=sections.pop("workload", {}))
    for section in sorted(sections, key=lambda name: -name.count(".")):
        parent, _, child = section.rpartition(".")
        if parent:
            nested = getattr(getattr(system, parent), child).model_copy(update=sections.pop(section))
            sections.setdefault(parent, {})[child] = nested
    update = {name: getattr(system, name).model_copy(update=fields) for name, fields in sections.items()}
    return system.model_copy(update=update), changed


def _by_section(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        section, _, name = path.rpartition(".")
        sections.setdefault(section, {})[name] = value
    return sections
