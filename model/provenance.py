"""Where a constant comes from, and in what range it was fitted."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

How = Literal["read", "derived", "general knowledge", "assumed", "fitted", "set by the scenario"]


class Frozen(BaseModel):
    """Base of every input and result: immutable, no unknown keys, no infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


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


class Extrapolation(Frozen):
    """A constant used outside the range that it was fitted in."""

    constant: str
    quantity: str
    used: float
    low: float
    high: float

    def __str__(self) -> str:
        fitted = (
            f"at {self.low:,.10g}" if self.low == self.high else f"for {self.low:,.10g} to {self.high:,.10g}"
        )
        return f"{self.constant} was fitted {fitted} {self.quantity}, used at {self.used:,.10g}"


def identity_of(constant: Constant) -> str:
    """What it is one with: the constant that it repeats, or else itself."""
    return constant.same_as or constant.name


def is_outside(used: Any, low: float, high: float) -> Any:
    """Whether *used*, a number or an array, is outside a fitted range; rounding does not count."""
    return (used < low * (1 - 1e-9)) | (used > high * (1 + 1e-9))


def outside_range(constants: dict[str, Constant], used_at: dict[str, float]) -> list[Extrapolation]:
    """Constants among *constants* whose fitted range does not hold the values in *used_at*."""
    found = []
    for name, constant in constants.items():
        for quantity, (low, high) in constant.range.items():
            used = used_at.get(quantity)
            if used is not None and is_outside(used, low, high):
                found.append(Extrapolation(constant=name, quantity=quantity, used=used, low=low, high=high))
    return found
