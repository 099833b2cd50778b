"""What the specification declares of a field, found by its dotted path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from math import inf, nextafter
from typing import Any, Final, cast

from pydantic import BaseModel, create_model

from blocktime.model.provenance import help_of
from blocktime.model.spec import WORKLOADS, Beside, System, Transaction
from blocktime.model.spec.fields import Declaration
from blocktime.model.spec.programs import work_of


def _owner_of(path: str, kind: str) -> type[BaseModel] | None:
    """The class whose fields the last part of *path* names; None where a workload of *kind* has no such section."""
    sections = path.split(".")[:-1]
    owner: Any = System
    if sections[:1] == ["workload"]:
        owner, sections = work_of(kind), sections[1:]
        if sections[:1] == ["mix"] and len(sections) == 2:
            return Transaction if owner is not None and "mix" in owner.model_fields else None
        if sections:
            return None
    for section in sections:
        field = owner.model_fields.get(section)
        owner = field and field.annotation
        if not (isinstance(owner, type) and issubclass(owner, BaseModel)):
            return None
    return cast("type[BaseModel] | None", owner)


def declared_field(path: str, kind: str) -> dict[str, Any] | None:
    """The JSON Schema of the field *path*; None where a workload of *kind* has no such field."""
    *sections, name = path.split(".")
    if sections[:2] == ["workload", "beside"] and len(sections) > 2:
        return _declared_beside([*sections[3:], name])
    owner = _owner_of(path, kind)
    if owner is None or name not in owner.model_fields:
        return None
    return _without_null(_declared_in(owner, name))


@lru_cache(maxsize=4096)
def declaration(path: str, kind: str) -> Declaration:
    """Label, group, words and units that the field *path* declares; an empty one where *kind* has no such field."""
    owner, name = _owner_of(path, kind), path.rpartition(".")[2]
    declared = getattr(owner, name, None) if name == "use" else None
    if owner is not None and name in owner.model_fields:
        declared = owner.model_fields[name].json_schema_extra
    return declared if isinstance(declared, Declaration) else Declaration()


@cache
def declarations(kind: str) -> dict[str, Declaration]:
    """Every field of a scenario with a workload of *kind* by its dotted path, lists and ``use`` included."""
    work = work_of(kind)
    paths = [*_paths_in(System, ""), *(_paths_in(work, "workload.") if work else ())]
    if work and "mix" in work.model_fields:
        paths += _paths_in(Transaction, "workload.mix.0.")
    return {path: declaration(path, kind) for path in paths}


def _paths_in(owner: type[BaseModel], where: str) -> Iterator[str]:
    if hasattr(owner, "use"):
        yield f"{where}use"
    for name, field in owner.model_fields.items():
        below = field.annotation
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from _paths_in(below, f"{where}{name}.")
        else:
            yield f"{where}{name}"


@lru_cache(maxsize=1024)
def _declared_in(owner: type[BaseModel], name: str) -> dict[str, Any]:
    """The JSON Schema of one field of a section, worked out without those of the others."""
    field = owner.model_fields[name]
    alone: type[BaseModel] = create_model("Alone", **{name: (field.annotation, field)})  # type: ignore[call-overload]
    declared: dict[str, Any] = alone.model_json_schema()["properties"][name]
    return {**declared, "description": help_of(owner, name)}


def _declared_beside(parts: list[str]) -> dict[str, Any] | None:
    """The JSON Schema of a field of a program beside the first, whichever kind has it: as a workload, or besides."""
    path = ".".join(parts)
    if parts[0] == "table":
        return declared_field(path, "full_scan")
    if path in Beside.model_fields:
        return _declared_in(Beside, path)
    return next(filter(None, (declared_field(f"workload.{path}", kind) for kind in WORKLOADS)), None)


def takes_whole_numbers(path: str, kind: str) -> bool:
    """Whether the field *path* takes whole numbers and no others."""
    declared = declared_field(path, kind) or {}
    forms = declared.get("anyOf", [declared])
    numbers = [form for form in forms if form.get("type") in ("integer", "number")]
    return bool(numbers) and all(form["type"] == "integer" for form in numbers)


def limits_of(path: str, kind: str) -> tuple[float, float]:
    """Smallest and largest value that the field *path* may have."""
    declared = declared_field(path, kind) or {}
    low, high = declared.get("minimum", -inf), declared.get("maximum", inf)
    if "exclusiveMinimum" in declared:
        low = nextafter(declared["exclusiveMinimum"], inf)
    if "exclusiveMaximum" in declared:
        high = nextafter(declared["exclusiveMaximum"], -inf)
    return low, high


def _without_null(declared: dict[str, Any]) -> dict[str, Any]:
    """The declaration of an optional field as that of the value it may have."""
    forms = [form for form in declared.get("anyOf", ()) if form.get("type") != "null"]
    if len(forms) != 1:
        return declared
    limits = {_LIMITS.get(key, key): value for key, value in forms[0].items()}
    return {**declared, **limits, "optional": True}


_LIMITS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def declared_fields(kind: str) -> list[str]:
    """The dotted paths of every field with a single value, for a workload of *kind*, in the specification's order."""
    return [
        path
        for path in declarations(kind)
        if path != "workload.kind" and has_one_value(declared_field(path, kind) or LIST)
    ]


LIST: Final = {"type": "array"}


def has_one_value(declared: dict[str, Any]) -> bool:
    """Whether a declared field takes a single value, no list or table of them."""
    return declared.get("type") not in ("array", "object")
