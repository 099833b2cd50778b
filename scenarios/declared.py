"""What the specification declares of a field, found by its dotted path."""

from __future__ import annotations

from functools import lru_cache
from math import inf, nextafter
from typing import Any, Final

from pydantic import TypeAdapter

from model.spec import System, Workload


@lru_cache(maxsize=1)
def _schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    return System.model_json_schema(), TypeAdapter[Any](Workload).json_schema()


def declared_field(path: str, kind: str) -> dict[str, Any] | None:
    """The JSON Schema of the field *path*; None where a workload of *kind* has no such field."""
    system, workload = _schemas()
    *sections, name = path.split(".")
    if sections == ["workload"]:
        target = workload["$defs"][workload["discriminator"]["mapping"][kind].rsplit("/", 1)[-1]]
    elif sections[:2] == ["workload", "mix"] and len(sections) == 3:
        target = workload["$defs"]["Transaction"] if kind == "transactions" else {"properties": {}}
    else:
        target = system
        for section in sections:
            field = target["properties"].get(section, {})
            target = system["$defs"][field.get("$ref", "#/x/?").rsplit("/", 1)[-1]] if "$ref" in field else {}
            if not target:
                return None
    found: dict[str, Any] | None = target["properties"].get(name)
    return found and _without_null(found)


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
    said = {_LIMITS.get(key, key): value for key, value in forms[0].items()}
    return {**declared, **said, "optional": True}


_LIMITS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
