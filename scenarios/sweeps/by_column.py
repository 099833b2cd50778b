"""The points of a sweep checked by column: each value of an axis once, and together what a check reads together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from types import FunctionType, NoneType
from typing import Annotated, Any, Final

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray
from pydantic import BaseModel, TypeAdapter, ValidationError

from blocktime.model.errors import SpecError
from blocktime.model.spec import System, Workload
from blocktime.model.spec.fields import LEAVE_NUMBERS
from blocktime.scenarios.sweeps.columns import Column, Columns, column_of, listed, points_of, taken
from blocktime.scenarios.sweeps.points import (
    DIGEST_BYTES,
    MOST_EXACT,
    Points,
    Template,
    mark_of,
    mixed,
    seeds_of,
)

Halves = NDArray[np.uint64]
"""Numbers of 128 bits, as two of 64: the upper half, then the lower."""

PLAIN: Final = frozenset((int, float, str, bool, NoneType))
KEPT: Final = 65_536
"""Combinations that are known to be right; a design meets most of them again."""


@dataclass(slots=True)
class _Check:
    """The keys of an axis that the checks of one model read, and combinations of their values that passed."""

    keys: tuple[str, ...]
    passed: set[tuple[Any, ...]] = field(default_factory=set)


def alike(points: Points, columns: Columns, count: int) -> list[Sequence[int]]:
    """The places of points that differ in plain keys alone."""
    keys = points.structural_keys
    if not keys:
        return [range(count)]
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(zip(*(listed(columns[key]) for key in keys), strict=True)):
        groups.setdefault(repr(row), []).append(place)
    return list(groups.values())


class ByColumn:
    """Checks points of *points* as :meth:`Points.point` does, by column."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._checks: dict[str, list[_Check] | None] = {}

    def digests(self, columns: Columns) -> bytes | None:
        """The digests of all points, one behind the other; None where they have to be checked one by one.

        So it is where any of them is refused: each then says why.
        """
        points = self._points
        columns = {key: column_of(column) for key, column in columns.items()}
        for key in points.plain_keys:
            if not isinstance(column := columns[key], np.ndarray) and not PLAIN.issuperset(map(type, column)):
                return None
        count = len(next(iter(columns.values()), ()))
        digests = np.empty((count, 2), np.uint64)
        for places in alike(points, columns, count):
            part = columns
            if len(places) < count:
                part = {key: taken(column, places) for key, column in columns.items()}
            totals = self._of_group(part, len(places))
            if totals is None:
                return None
            digests[places] = totals
        return digests.astype(">u8").tobytes()

    def _of_group(self, columns: Columns, count: int) -> Halves | None:
        points = self._points
        (first,) = points_of({key: column[:1] for key, column in columns.items()})
        try:
            template = points.template(first)
            checks = self._checks_of(template, first)
            columns = {key: _understood(template, key, columns[key]) for key in points.plain_keys}
            if checks is None or not all(self._passes(check, checks, template, columns) for check in checks):
                return None
            total = template.digest - sum(template.marks[key] for key in points.plain_keys)
            digests = np.empty((count, 2), np.uint64)
            digests[:] = _halves(total)
            for key in points.plain_keys:
                digests = _sum(digests, _marks(key, columns[key]))
        except (SpecError, ValidationError):
            return None
        return digests

    def _checks_of(self, template: Template, values: Mapping[str, Any]) -> list[_Check] | None:
        """The checks that a value of an axis has a part in; None where it cannot be told."""
        name = self._points.group(values)
        if name not in self._checks:
            checks: list[_Check] | None = None
            system, work = template.scenario.system, template.scenario.workload
            if template.marks.keys() == set(self._points.plain_keys):
                reads = [_reads(*model, {}) for model in _models(system, work, self._points.plain_keys)]
                if None not in reads:
                    axes = (self._read_axes(keys or ()) for keys in reads)
                    checks = [_Check(keys) for keys in dict.fromkeys(axes) if keys]
            self._checks[name] = checks
        return self._checks[name]

    def _read_axes(self, keys: Collection[str]) -> tuple[str, ...]:
        return tuple(key for key in self._points.plain_keys if key in keys)

    def _passes(self, check: _Check, checks: Sequence[_Check], template: Template, columns: Columns) -> bool:
        """Whether all combinations of the values that a check reads are right, and it reads no other axis there."""
        models = list(_models(template.scenario.system, template.scenario.workload, self._points.plain_keys))
        for combination in (
            set(zip(*(listed(columns[key]) for key in check.keys), strict=True)) - check.passed
        ):
            values = dict(zip(check.keys, combination, strict=True))
            for model in models:
                reads = _reads(*model, values)
                if reads is None:
                    return False
                keys = set(self._read_axes(reads))
                if keys and not any(keys <= set(each.keys) for each in checks):
                    return False
            if len(check.passed) < KEPT:
                check.passed.add(combination)
        return True


class _Reader:
    """A section of the inputs, with other values by dotted key, that notes which of its fields a check reads."""

    def __init__(self, model: BaseModel, where: str, reads: set[str], values: Mapping[str, Any]) -> None:
        self._model, self._where, self._reads, self._values = model, where, reads, values

    def __getattr__(self, name: str) -> Any:
        kind = type(self._model)
        if name not in kind.__pydantic_fields__:
            declared = getattr(kind, name, None)
            if name == "model_fields_set":
                return self._model.model_fields_set
            if not isinstance(declared, property | FunctionType):
                raise AttributeError(name)
            return declared.__get__(self)
        value = getattr(self._model, name)
        if isinstance(value, BaseModel):
            return _Reader(value, f"{self._where}{name}.", self._reads, self._values)
        self._reads.add(f"{self._where}{name}")
        return self._values.get(f"{self._where}{name}", value)


def _models(system: System, work: Workload, keys: Sequence[str]) -> Iterator[tuple[BaseModel, str]]:
    """The sections that have the *keys* inside them, each with what stands before its fields."""
    sections: dict[str, BaseModel] = {}
    for key in keys:
        of_work = key.startswith("workload.")
        section: BaseModel = work if of_work else system
        where = "workload." if of_work else ""
        sections[where] = section
        for name in key.removeprefix("workload.").split(".")[:-1]:
            section, where = getattr(section, name), f"{where}{name}."
            sections[where] = section
    return ((section, where) for where, section in sections.items())


def _reads(model: BaseModel, where: str, values: Mapping[str, Any]) -> set[str] | None:
    """The fields, by dotted key, that the checks of *model* read as a whole; None where that cannot be told.

    So it is where they refuse the other *values* that it is given.
    """
    checks = type(model).__pydantic_decorators__
    reads: set[str] = set()
    for check in checks.model_validators.values():
        if check.info.mode != "after":
            return None
        try:
            check.func(_Reader(model, where, reads, values))
        except Exception:  # a check that refuses, or asks for more than fields
            return None
    return reads


@cache
def _adapter(model: Any, name: str) -> TypeAdapter[Any] | None:
    """What checks a list of values of one field; None where a function of the model checks them too."""
    validators = model.__pydantic_decorators__.field_validators.values()
    if any(name in check.info.fields or "*" in check.info.fields for check in validators):
        return None
    declared = model.model_fields[name]
    checked = Annotated[declared.annotation, *declared.metadata] if declared.metadata else declared.annotation
    infinite = model.model_config.get("allow_inf_nan", True)
    return TypeAdapter(list[checked], config={"allow_inf_nan": infinite})  # type: ignore[valid-type]


@cache
def _is_interval(model: Any, name: str, kind: type) -> bool:
    """Whether a field takes all finite numbers of a *kind* that lie between two that it takes, as they are."""
    declared = model.model_fields[name]
    return (
        kind in (int, float)
        and declared.annotation is kind
        and all(
            isinstance(limit, Ge | Le | Gt | Lt) or getattr(limit, "func", None) in LEAVE_NUMBERS
            for limit in declared.metadata
        )
    )


def _understood(template: Template, key: str, column: Column) -> Column:
    """The values of a field as a scenario has them; raises ValidationError, or SpecError where it has to be asked."""
    section: Any = template.scenario.workload if key.startswith("workload.") else template.scenario.system
    *path, name = key.removeprefix("workload.").split(".")
    for part in path:
        section = getattr(section, part)
    model: Any = type(section)
    adapter = _adapter(model, name)
    if adapter is None:
        raise SpecError(f"{key} is checked one by one")
    if isinstance(column, np.ndarray):
        ends: list[Any] = [column.min().item(), column.max().item()]
        kind: Any = type(ends[0])
        if _is_interval(model, name, kind) and all(map(isfinite, ends)):
            adapter.validate_python(ends)
            return column
        each, places = np.unique(column, return_inverse=True)
        return taken(column_of(adapter.validate_python(each.tolist())), places)
    distinct = list(dict.fromkeys(zip(map(type, column), column, strict=True)))
    values = adapter.validate_python([value for _, value in distinct])
    understood = dict(zip(distinct, values, strict=True))
    return [understood[each] for each in zip(map(type, column), column, strict=True)]


def _marks(key: str, column: Column) -> Halves:
    """:func:`mark_of` of each value."""
    column = column_of(column)
    if isinstance(column, np.ndarray) and column.min() >= -MOST_EXACT and column.max() <= MOST_EXACT:
        bits = column.astype(np.float64).view(np.uint64)
        return np.stack([mixed(bits ^ np.uint64(seed)) for seed in seeds_of(key)], axis=1)
    values = listed(column)
    known = {(type(value), value): _halves(mark_of(key, value)) for value in values}
    return np.array([known[type(value), value] for value in values], np.uint64)


def _halves(total: int) -> NDArray[np.uint64]:
    return np.frombuffer((total % 2 ** (8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES, "big"), ">u8").astype(
        np.uint64
    )


def _sum(first: Halves, second: Halves) -> Halves:
    """Sums of numbers of 128 bits, without what goes beyond them."""
    lower = first[:, 1] + second[:, 1]
    upper = first[:, 0] + second[:, 0] + (lower < first[:, 1])
    return np.stack([upper, lower], axis=1)


def keys_of(digests: bytes, asked: int) -> NDArray[np.void]:
    """What the answers to points with *digests* are kept under, with the mark of what is asked of them."""
    totals = np.frombuffer(digests, ">u8").astype(np.uint64).reshape(-1, 2)
    return _sum(totals, _halves(asked)[None, :]).astype(">u8").view(f"V{DIGEST_BYTES}").reshape(-1)
