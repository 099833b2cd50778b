"""Many scenarios as one, whose fields are arrays; and each of them by itself again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

Made = TypeVar("Made", bound=Any)
Pick = Callable[[int], Any]
"""From the place of a scenario to what it has there."""


class Overlay:
    """A section of the inputs with some fields replaced; what follows from these follows from the new values."""

    _base: Any
    _replaced: Mapping[str, Any]

    def __init__(self, base: Any, replaced: Mapping[str, Any]) -> None:
        if isinstance(base, Overlay):
            base, replaced = base._base, {**base._replaced, **replaced}
        self._base, self._replaced = base, replaced
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        # Neither the base nor a field changes, so that each is asked for once.
        derived = getattr(type(self._base), name, None)
        if isinstance(derived, property | FunctionType):
            value = derived.__get__(self)
        else:
            value = getattr(self._base, name)
        self.__dict__[name] = value
        return value

    def picked(self, lengths: set[int]) -> Pick:
        """The section of one scenario."""
        kind, picks = type(self._base), _picks(self._replaced, lengths)
        given = {**vars(self._base), **self._replaced}
        names = self._base.__pydantic_fields_set__ | self._replaced.keys()

        def section(place: int) -> Any:  # what ``model_copy`` gives, in a tenth of its time
            made = object.__new__(kind)
            set_own = object.__setattr__
            set_own(made, "__dict__", {**given, **{name: pick(place) for name, pick in picks.items()}})
            set_own(made, "__pydantic_fields_set__", names)
            set_own(made, "__pydantic_extra__", None)
            set_own(made, "__pydantic_private__", None)
            return made

        return section


def each_of(values: Any) -> Iterator[Any] | None:
    """The *values* of one scenario after another, plain numbers where they have arrays; None where none has any.

    They may be a section, a dataclass, a list, a tuple or a dictionary of such.
    """
    lengths: set[int] = set()
    pick = _pick(values, lengths)
    if not lengths or pick is None:
        return None
    (length,) = lengths
    return map(pick, range(length))


def those_of(values: Any, mask: Any) -> Any:
    """The scenarios of *values* where the mask holds, with arrays where these have arrays."""
    if getattr(values, "ndim", 0):
        return values[..., mask]
    if isinstance(values, Overlay):
        return Overlay(values._base, those_of(values._replaced, mask))
    if isinstance(values, Mapping):
        return {name: those_of(part, mask) for name, part in values.items()}
    if isinstance(values, list | tuple):
        return getattr(values, "_make", type(values))(those_of(part, mask) for part in values)
    if is_dataclass(values):
        parts = {field.name: those_of(getattr(values, field.name), mask) for field in fields(values)}
        return _copied(values, parts)
    return values


def with_those(values: Made, others: Made, mask: Any) -> Made:
    """A dataclass of numbers and arrays with the fields of *others* where the mask holds."""
    import numpy as np  # noqa: PLC0415  (who asks one scenario waits for no numpy)

    parts = {}
    for field in fields(values):
        before, after = getattr(values, field.name), getattr(others, field.name)
        column = np.broadcast_to(before, mask.shape).astype(np.result_type(before, after))
        column[mask] = after
        parts[field.name] = column
    return _copied(values, parts)


def _pick(value: Any, lengths: set[int]) -> Pick | None:
    """What a scenario has of *value*; None where all have the same. Adds the *lengths* of arrays."""
    if getattr(value, "ndim", 0):
        lengths.add(len(value))
        return [own(number) for number in value.tolist()].__getitem__
    if isinstance(value, Overlay):
        return value.picked(lengths)
    if isinstance(value, Mapping):
        return _pick_parts(value, lengths, dict)
    if isinstance(value, list | tuple):
        made = getattr(value, "_make", type(value))
        return _pick_parts(dict(enumerate(value)), lengths, lambda parts: made(parts.values()))
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return _pick_parts(parts, lengths, partial(_copied, value))
    return None


def _pick_parts(
    parts: Mapping[Any, Any], lengths: set[int], made: Callable[[dict[Any, Any]], Any]
) -> Pick | None:
    picks = _picks(parts, lengths)
    if not picks:
        return None
    return lambda place: made({**parts, **{name: pick(place) for name, pick in picks.items()}})


def _picks(parts: Mapping[Any, Any], lengths: set[int]) -> dict[Any, Pick]:
    return {name: pick for name, part in parts.items() if (pick := _pick(part, lengths)) is not None}


def _copied(value: Made, parts: Mapping[str, Any]) -> Made:
    """Another one of the same dataclass."""
    copy = object.__new__(type(value))
    for name, part in parts.items():
        object.__setattr__(copy, name, part)
    return copy


def own(value: Any) -> Any:
    """A number as Python's own; a float that is whole as an int, which counts have to be."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
