"""Inputs of a library scenario that no document prints and that were fitted: their place, interval and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from blocktime.model.errors import SpecError, quote
from blocktime.model.provenance import Constant, Frozen
from blocktime.scenarios.nested import value_within


class Inferred(Frozen):
    """One field that the scenario sets to a fitted value."""

    field: str = Field(pattern=r"^[a-z_]+(\.[a-z_]+)+$")
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence."""
    fitted_to: list[str] = []
    """The printed numbers, as case:table:row:column."""


def inferred_in(layer: Mapping[str, Any], place: str) -> dict[str, Constant]:
    """What *layer*, a scenario's file called *place*, says of its fitted inputs, by field.

    Raises SpecError for what has not the form of one.
    """
    listed = layer.get("inferred", [])
    if not isinstance(listed, list):
        raise SpecError(f"{place}: inferred: got {quote(listed)}; it is a list of tables, [[inferred]]")
    notes = {}
    for entry in listed:
        try:
            inferred = Inferred.model_validate(entry)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "inferred"
            raise SpecError(f"{place}: inferred: {where}: {first['msg']}") from None
        notes[inferred.field] = Constant(
            value=0,
            name=f"scenario/{place}: {inferred.field}",
            how="fitted",
            source=str(layer.get("source", place)),
            note="not printed: inferred from the numbers it was fitted to",
            interval=inferred.interval,
            fitted_to=inferred.fitted_to,
        )
    return notes


def without_set(constants: Mapping[str, Constant], sections: Mapping[str, Any]) -> dict[str, Constant]:
    """*constants* without the inferred ones that *sections* set."""
    return {
        path: constant
        for path, constant in constants.items()
        if not (constant.name.startswith("scenario/") and _sets(sections, path))
    }


def without_dropped(
    constants: Mapping[str, Constant], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Constant]:
    """*constants* without the inferred ones whose field went: another kind of workload has no such field."""
    return {
        path: constant
        for path, constant in constants.items()
        if not (constant.name.startswith("scenario/") and _sets(before, path) and not _sets(after, path))
    }


def _sets(sections: Mapping[str, Any], path: str) -> bool:
    return value_within(sections, path, sections) is not sections
