"""Where a constant comes from, and in what range it was fitted."""

import ast
import inspect
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from blocktime.model.units import show_number, show_quantity

ROUNDING: Final = 1e-5
"""Relative; the bounds of a fitted range are written with six digits."""

How = Literal["read", "derived", "general knowledge", "assumed", "fitted", "set by the scenario"]


class Frozen(BaseModel):
    """Base of every input and result: immutable, no unknown keys, no infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe a field by the text below it; pydantic itself would read the source with every import."""
        schema = handler(core)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        if all("description" in declared for declared in fields.values()):
            return schema
        for owner in cls.__mro__:
            for name, text in _below_fields(owner).items():
                fields.get(name, {}).setdefault("description", text)
        return schema


@lru_cache(maxsize=256)
def _below_fields(owner: type) -> dict[str, str]:
    """The text below each field that a model declares itself, where there is one."""
    classes = _classes_of(owner.__module__) if issubclass(owner, BaseModel) and owner is not BaseModel else {}
    text_below: dict[str, str] = {}
    for node, below in pairwise([*classes.get(owner.__name__, ()), ast.Pass()]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(below, ast.Expr):
            text = getattr(below.value, "value", None)
            if isinstance(text, str):
                text_below[node.target.id] = " ".join(text.split())
    return text_below


def help_of(owner: type[BaseModel], field: str) -> str:
    """The text below a field of a model, without its last full stop; empty where there is none."""
    texts = (_below_fields(base).get(field, "") for base in owner.__mro__)
    return next(filter(None, texts), "").removesuffix(".")


@lru_cache(maxsize=64)
def _classes_of(module: str) -> dict[str, list[ast.stmt]]:
    """The statements of each class of a module, read once for all of them."""
    body = ast.parse(inspect.getsource(sys.modules[module])).body
    return {node.name: node.body for node in body if isinstance(node, ast.ClassDef)}


class Constant(Frozen):
    """A number that a law needs, with its origin: *how* it was found, from which *source*, fitted in which *range*."""

    value: float
    name: str = ""
    """What the catalog calls it, such as ``host/savvinov-pc: line_miss_s``; empty for one that a scenario sets."""
    how: How
    source: str = Field(min_length=3)
    note: str = ""
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence: found by calibrating for a fitted one, declared with its reason for
    another; absent where the value is taken as known."""
    fitted_to: list[str] = []
    same_as: str = ""
    """Another catalog constant that this one repeats, such as ``host/savvinov-pc: line_miss_s``."""
    range: dict[str, tuple[float, float]] = {}
    """Quantity -> smallest and largest value it had where the constant was fitted."""


def _times_beyond(extrapolation: Mapping[str, float]) -> float | None:
    used, low, high = extrapolation["used"], extrapolation["low"], extrapolation["high"]
    part, whole = (used, high) if used > high else (low, used)
    return part / whole if whole > 0 else None


class Extrapolation(Frozen):
    """A constant used outside the range that it was fitted in."""

    constant: str
    quantity: str
    used: float
    low: float
    high: float
    times: float | None = Field(default_factory=_times_beyond)
    """How far beyond the nearest bound, as a factor above 1; absent where one of the two is 0 and no factor says it."""

    def __str__(self) -> str:
        fitted, used = (show_quantity(self.quantity, *values) for values in ((self.low, self.high), (self.used,)))
        beyond = "" if self.times is None else f": {show_times(self.times)} times beyond"
        return f"{self.constant} was fitted for {fitted}, used at {used}{beyond}"


def show_times(times: float) -> str:
    """A factor above 1 in two digits, or in as many as tell it from 1: 2, 6.7, 250, 1.004."""
    if times >= 10:
        return f"{times:,.0f}"
    return show_number(times, 2) if times >= 1.1 else f"{1 + float(f'{times - 1:.1g}'):.10g}"


def worst_first(extrapolations: Iterable[Extrapolation]) -> list[Extrapolation]:
    """Those farthest beyond their range first, those without a factor last."""
    return sorted(extrapolations, key=lambda extrapolation: -(extrapolation.times or 0.0))


def identity_of(constant: Constant) -> str:
    """What it is one with: the constant that it repeats, or else itself."""
    return constant.same_as or constant.name


def is_outside(used: Any, low: float, high: float) -> Any:
    """Whether *used*, a number or an array, is outside a fitted range, whose bounds have six digits."""
    return (used < low * (1 - ROUNDING)) | (used > high * (1 + ROUNDING))


def outside_range(constants: dict[str, Constant], used_at: dict[str, float]) -> list[Extrapolation]:
    """Constants among *constants* whose fitted range does not hold the values in *used_at*."""
    beyond_range = []
    for name, constant in constants.items():
        for quantity, (low, high) in constant.range.items():
            used = used_at.get(quantity)
            if used is not None and is_outside(used, low, high):
                beyond_range.append(Extrapolation(constant=name, quantity=quantity, used=used, low=low, high=high))
    return beyond_range
