"""One sentence for whatever is wrong with an input: the key, what was got, what is allowed, the nearest name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from blocktime.model.errors import cut, quote
from blocktime.model.spec import WORKLOADS, FullScan, System
from blocktime.model.spec.programs import beside_of
from blocktime.model.units import parse_bytes, show_bytes, show_number, unit_of
from blocktime.scenarios.synonyms import meant_by

_KINDS = (
    ("finite_number", "it must be a finite number"),
    ("int", "it must be a whole number"),
    ("float", "it must be a number"),
    ("bool", "it must be true or false"),
    ("string_pattern", "it must be the dotted path of a field, such as table.rows"),
    ("string", "it must be text"),
    ("model", "it is a section with fields"),
    ("dict", "it is a section with fields"),
    ("tuple", "it is a list"),
)

NEXT_TO_NOTHING = 1e-9
"""A lower limit beneath this says that nothing at all is not allowed."""
MOST_NAMED = 3
"""Further faults that are named with their place."""
_LIMITS = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "at least {}"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "at most {}"),
}
_LENGTHS = {
    "too_short": ("min_length", "at least"),
    "too_long": ("max_length", "at most"),
    "string_too_short": ("min_length", "at least"),
    "string_too_long": ("max_length", "at most"),
}


def one_sentence(error: ValidationError, section: str = "", root: type[BaseModel] = System) -> tuple[str, str]:
    """The place of the first fault of *error*, below *section*, and a sentence that tells it and counts the others.

    *root* is what was read.
    """
    faults = [_Fault(fault, section, root) for fault in error.errors(include_url=False)]
    faults_by_place: dict[str, _Fault] = {}
    for fault in faults:  # a field of several forms reports one fault for each; the most telling one is kept
        if fault.place not in faults_by_place or fault.kind in _LIMITS:
            faults_by_place[fault.place] = fault
    first, *others = (fault for fault in faults_by_place.values() if not _follows(fault, faults_by_place))
    return first.place, _say(first) + more_faults([other.place for other in others])


def _follows(fault: _Fault, places: Iterable[str]) -> bool:
    """Whether a list is too short only because its entries are at fault, which are told themselves."""
    return fault.kind == "too_short" and any(place.startswith(f"{fault.place}.") for place in places)


def more_faults(places: Sequence[str]) -> str:
    """How many faults there are beside the one that is told, and where the first of them are; empty for none."""
    if not places:
        return ""
    named = ", ".join(dict.fromkeys(cut(place) for place in places[:MOST_NAMED]))
    rest = ", …" if len(places) > MOST_NAMED else ""
    return f" (and {len(places)} more fault{'s' if len(places) > 1 else ''}: {named}{rest})"


class _Fault:
    """One of pydantic's faults, with the place as a user writes it."""

    def __init__(self, fault: Any, section: str, root: type[BaseModel]) -> None:
        self.kind: str = fault["type"]
        self.got: str = quote(fault["input"])
        self.input = fault["input"]
        self.context: dict[str, Any] = fault.get("ctx", {})
        self.message: str = fault["msg"]
        location = (section, *fault["loc"]) if section else fault["loc"]
        self.parts, self.model = _walk(location, self.kind, root)
        self.place = ".".join(cut(str(part)) for part in self.parts)


def _walk(location: tuple[Any, ...], kind: str, root: type[BaseModel]) -> tuple[list[Any], Any]:
    """The location without the names pydantic gives the forms of a field, and the section it ends in."""
    parts: list[Any] = []
    model: Any = root
    for rank, part in enumerate(location):
        last = rank == len(location) - 1
        field = model.model_fields.get(part) if model is not None and isinstance(part, str) else None
        if not parts and part == "workload":
            parts.append(part)
            model = WORKLOADS.get(location[1] if len(location) > 1 else "", FullScan)
        elif rank == 1 and parts == ["workload"] and part in WORKLOADS:
            continue  # the kind; transactions have a field of that name
        elif part in WORKLOADS and location[rank - 2] == "beside":
            model = beside_of(part)
        elif field is not None:
            parts.append(part)
            nested = _section_of(field.annotation)
            model = nested
        elif (
            (isinstance(part, int) and not (last and kind == "extra_forbidden"))
            or not parts
            or (last and kind in ("extra_forbidden", "invalid_key"))
        ):
            parts.append(part)
    return parts, model


def _section_of(annotation: Any) -> Any:
    arguments = getattr(annotation, "__args__", ())
    return next((a for a in (annotation, *arguments) if isinstance(a, type) and issubclass(a, BaseModel)), None)


def _say(fault: _Fault) -> str:
    key, got, kind = fault.place, fault.got, fault.kind
    if kind == "extra_forbidden":
        return _unknown_key(fault)
    if kind in _LIMITS:
        field, text = _LIMITS[kind]
        limit = fault.context[field]
        allowed = "more than 0" if 0 < limit < NEXT_TO_NOTHING else text.format(_limit(fault.parts[-1], limit))
        return f"{key}: got {_sizes(fault.parts[-1], got)}; allowed is {allowed}"
    if kind == "literal_error":
        number = " or a whole number" if "'auto'" in fault.context["expected"] and key.endswith("_count") else ""
        got, choices = (_sizes(fault.parts[-1], text) for text in (got, fault.context["expected"]))
        return f"{key}: got {got}; allowed are {choices}{number}"
    if kind.startswith("union_tag"):
        tag = f"got {fault.context['tag']!r}" if "tag" in fault.context else "it is missing"
        meant = meant_by(str(fault.context.get("tag", "")))
        hint = f"{meant.hint()}; " if meant else ""
        return f"{key}.kind: {tag}; {hint}allowed are {', '.join(map(repr, WORKLOADS))}"
    if kind in _LENGTHS:
        return f"{key}: {_length(fault)}"
    if kind == "value_error":
        text = str(fault.context.get("error", fault.message))
        return f"{key}: {text}" if key else text
    for family, text in _KINDS:
        if kind.startswith(family):
            return _no_entry(fault) if family == "tuple" else f"{key}: got {got}; {text}"
    return f"{key}: got {got}; {fault.message[0].lower()}{fault.message[1:]}"


def _no_entry(fault: _Fault) -> str:
    """What is no list: a value, or fields of entries that no list has."""
    key = fault.place
    if not isinstance(fault.input, Mapping) or not fault.input:
        return f"{key}: got {fault.got}; it is a list"
    first = cut(str(next(iter(fault.input))))
    return f"{key}.{first}: {key} has no entries here; give the list as a whole, such as {key} = [{{…}}]"


def _length(fault: _Fault) -> str:
    """How many there are of a list, or what a text is, and how long it may be."""
    limit, text = _LENGTHS[fault.kind]
    count = fault.context[limit]
    if count == 0 and fault.parts[-1] == "beside":
        return "a program in workload.beside cannot have a list of its own; put all programs into workload.beside"
    if fault.kind.startswith("string"):
        return f"got {fault.got}; allowed is text of {text} {count} character{'s' if count > 1 else ''}"
    return f"got {fault.context['actual_length']} of them; allowed are {text} {count}"


def _unknown_key(fault: _Fault) -> str:
    name = str(fault.parts[-1])
    kinds = [kind for kind, model in WORKLOADS.items() if name in model.model_fields]
    if fault.parts[0] == "workload" and kinds:
        return f"{fault.place}: this kind of workload has no such field; it belongs to {' and '.join(kinds)}"
    if meant := meant_by(name):
        return f"{fault.place}: there is no such field; {meant.hint()}"
    known = sorted(fault.model.model_fields) if fault.model is not None else []
    near = get_close_matches(cut(name), known, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(near) + "?" if near else "known are " + ", ".join(known)
    return f"{fault.place}: there is no such field; {hint}"


def _limit(field: object, value: float) -> str:
    seconds = " s" if unit_of(str(field)) == "s" else ""
    return _size(field, value) or show_number(value) + seconds


def _size(field: object, value: float) -> str:
    """*value* as a size like 16K, where *field* is one of bytes and that is exact; else nothing."""
    size = show_bytes(value) if unit_of(str(field)) in ("bytes", "bytes/s") else ""
    return size if size and parse_bytes(size) == value else ""


def _sizes(field: object, text: str) -> str:
    """*text* with its whole numbers as sizes, where *field* is one of bytes."""
    number = r"(?<![.\d])(\d+)(?:\.0)?(?![.\d])"
    return re.sub(number, lambda match: _size(field, float(match[1])) or match[1], text)
