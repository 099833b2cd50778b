"""One sentence for whatever is wrong with an input: the key, what was got, what is allowed, the nearest name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from model.spec import FullScan, IndexRangeScan, System

LONGEST_SHOWN = 60
WORKLOADS = (FullScan, IndexRangeScan)

_KINDS = (
    ("finite_number", "it must be a finite number"),
    ("int", "it must be a whole number"),
    ("float", "it must be a number"),
    ("bool", "it must be true or false"),
    ("string", "it must be text of a sensible length"),
    ("model", "it is a section with fields"),
    ("dict", "it is a section with fields"),
    ("tuple", "it is a list"),
)

_LIMITS = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "at least {}"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "at most {}"),
}


def one_sentence(error: ValidationError) -> str:
    """The first fault of *error* as a sentence, and how many more there are."""
    faults = _without_union_noise(error.errors(include_url=False))
    first = _say(faults[0])
    places = {_place(fault["loc"]) for fault in faults}
    more = len(places) - 1
    return first + (f" (and {more} more fault{'s' if more > 1 else ''})" if more else "")


def _without_union_noise(faults: list[Any]) -> list[Any]:
    """A field of several forms reports a fault for each form; the most telling one is kept."""
    kept: dict[tuple[Any, ...], Any] = {}
    for fault in faults:
        place = _place(fault["loc"])
        if place not in kept or fault["type"] in _LIMITS:
            kept[place] = fault
    return list(kept.values())


def _place(location: tuple[Any, ...]) -> tuple[Any, ...]:
    """Location without the names pydantic adds for the members of a union."""
    return tuple(
        part
        for part in location
        if isinstance(part, int)
        or not (
            part.startswith(("literal[", "function-", "constrained-"))
            or part in ("int", "float", "str", "full_scan", "index_range_scan")
        )
    )


def _say(fault: Any) -> str:
    place = _place(fault["loc"])
    key = ".".join(str(part) for part in place)
    got = _shown(fault["input"])
    kind = fault["type"]
    context = fault.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(place)
    if kind in _LIMITS:
        field, text = _LIMITS[kind]
        return f"{key}: got {got}; allowed is {text.format(_number(context[field]))}"
    if kind == "literal_error":
        return f"{key}: got {got}; allowed are {context['expected']}"
    if kind == "union_tag_invalid":
        return f"workload.kind: got {context['tag']!r}; allowed are {context['expected_tags']}"
    if kind == "value_error":
        text = str(context.get("error", fault["msg"]))
        return f"{key}: {text}" if key else text
    for family, text in _KINDS:
        if kind.startswith(family):
            return f"{key}: got {got}; {text}"
    return f"{key}: got {got}; {fault['msg'][0].lower()}{fault['msg'][1:]}"


def _unknown_key(place: tuple[Any, ...]) -> str:
    key = ".".join(str(part) for part in place)
    if len(place) == 1:  # a workload's fields are checked without their section
        key = f"workload.{key}"
        kinds = [m.model_fields["kind"].default for m in WORKLOADS if place[0] in m.model_fields]
        if kinds:
            return f"{key}: this kind of workload has no such field; it belongs to {' and '.join(kinds)}"
    known = fields_at(place[:-1])
    near = get_close_matches(str(place[-1]), known, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(near) + "?" if near else "known are " + ", ".join(known)
    return f"{key}: there is no such field; {hint}"


def fields_at(place: tuple[Any, ...]) -> list[str]:
    """Names of the fields of the section at *place*."""
    names = [part for part in place if isinstance(part, str)]
    if not names or names[0] not in System.model_fields:
        return sorted({*FullScan.model_fields, *IndexRangeScan.model_fields})
    model: Any = System
    for part in names:
        annotation = model.model_fields[part].annotation
        arguments = getattr(annotation, "__args__", ())
        model = next(
            (a for a in (annotation, *arguments) if isinstance(a, type) and issubclass(a, BaseModel)), None
        )
        if model is None:
            return []
    return sorted(model.model_fields)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
