"""What the specification declares of a field, found by its dotted path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import inf, nextafter
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter, create_model

from blocktime.model.spec import WORKLOADS, Beside, System, Transaction, Workload
from blocktime.model.spec.programs import work_of


@lru_cache(maxsize=1)
def _schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    return System.model_json_schema(), TypeAdapter[Any](Workload).json_schema()


def declared_field(path: str, kind: str) -> dict[str, Any] | None:
    """The JSON Schema of the field *path*; None where a workload of *kind* has no such field."""
    *sections, name = path.split(".")
    if sections[:2] == ["workload", "beside"] and len(sections) > 2:
        return _declared_beside([*sections[3:], name])
    owner: Any = System
    if sections[:1] == ["workload"]:
        owner = work_of(kind)
        if sections[1:2] == ["mix"] and len(sections) == 3:
            owner = Transaction if owner is not None and "mix" in owner.model_fields else None
        elif sections[1:]:
            return None
        sections = []
    for section in sections:
        field = owner.model_fields.get(section)
        owner = field and field.annotation
        if not (isinstance(owner, type) and issubclass(owner, BaseModel)):
            return None
    if owner is None or name not in owner.model_fields:
        return None
    return _without_null(_declared_in(owner, name))


@lru_cache(maxsize=1024)
def _declared_in(owner: type[BaseModel], name: str) -> dict[str, Any]:
    """The JSON Schema of one field of a section, worked out without those of the others."""
    field = owner.model_fields[name]
    alone: type[BaseModel] = create_model("Alone", **{name: (field.annotation, field)})  # type: ignore[call-overload]
    declared: dict[str, Any] = alone.model_json_schema()["properties"][name]
    return declared


def _declared_beside(parts: list[str]) -> dict[str, Any] | None:
    """The JSON Schema of a field of a program beside the first, whichever kind has it: as a workload, or besides."""
    path = ".".join(parts)
    if parts[0] == "table":
        return declared_field(path, "full_scan")
    if parts == ["begin_s"]:
        return _declared_in(Beside, "begin_s")
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
    system, workload = _schemas()
    work = workload["$defs"][workload["discriminator"]["mapping"][kind].rsplit("/", 1)[-1]]
    texts = [*_paths(system, system["$defs"]), *(f"workload.{name}" for name in work["properties"])]
    if "mix" in work["properties"]:
        texts += [f"workload.mix.0.{name}" for name in workload["$defs"]["Transaction"]["properties"]]
    return [
        path for path in texts if path != "workload.kind" and has_one_value(declared_field(path, kind) or {})
    ]


def _paths(section: dict[str, Any], named: dict[str, Any], where: str = "") -> Iterator[str]:
    for name, field in section["properties"].items():
        below = named.get(field.get("$ref", "").rsplit("/", 1)[-1], {})
        if "properties" in below:
            yield from _paths(below, named, f"{where}{name}.")
        else:
            yield f"{where}{name}"


def has_one_value(declared: dict[str, Any]) -> bool:
    """Whether a declared field takes a single value, no list or table of them."""
    return declared.get("type") not in ("array", "object")
