"""What of a scenario is uncertain: its constants and fitted inputs that have an interval, or stand outside a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from blocktime.model.catalog import constant_named
from blocktime.model.errors import SpecError
from blocktime.model.provenance import Constant, Extrapolation, identity_of
from blocktime.scenarios.declared import limits_of, takes_whole_numbers
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.spec import Scenario

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[Any]

UNKNOWN_DISTANCE: Final = log(10)
"""How far outside a range counts of which one end is 0, where no factor says it: as ten times beyond."""
LEAST_WIDTH: Final = 1e-3
"""Of its value: a narrower interval, as of a count with all its digits, counts as exact."""
WITHOUT_TIME: Final = "prices."
"""Constants of this section move no time."""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """One constant that may have another value, in the fields of one scenario that it fills."""

    constant: Constant
    """As ``host/savvinov-pc: line_miss_s`` or ``scenario/magni-imp-32k: table.rows``; one name moves as one."""
    low: float
    high: float
    """Where it lies with 95 % confidence."""
    fields: tuple[str, ...]
    beyond: dict[str, float] = field(default_factory=dict)
    """Quantity -> logarithm of what it is over the nearest end of the range that the constant was fitted in."""

    @property
    def name(self) -> str:
        """What all that repeats it is one with."""
        return self.constant.name


class Knowledge(NamedTuple):
    """How well the constants of a scenario are known."""

    uncertain: tuple[Uncertain, ...]
    """By name."""
    known: tuple[str, ...]
    """Fields whose constants have no interval, those that the scenario sets among them."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is drawn: each uncertain constant, and how it changes with each quantity outside its range."""
        exponents = [
            exponent_name(uncertain, quantity) for uncertain in self.uncertain for quantity in uncertain.beyond
        ]
        return (*(uncertain.name for uncertain in self.uncertain), *exponents)


def exponent_name(constant: Uncertain, quantity: str) -> str:
    """Name of the draws of how a constant changes with a quantity outside its range."""
    return f"{constant.name} by {quantity}"


def knowledge_of(scenario: Scenario, extrapolated: Sequence[Extrapolation] = ()) -> Knowledge:
    """Which constants of *scenario* have an interval or are *extrapolated*, and which are taken as known.

    A constant that repeats another is one with it, and has its interval where it has none of its own. Raises
    :class:`SpecError` for an interval that does not hold its value.
    """
    beyond = _distances(extrapolated)
    knowledge: dict[str, Uncertain] = {}
    known: list[str] = []
    for path, constant in sorted(scenario.system.constants.items()):
        if path.startswith(WITHOUT_TIME):
            continue
        origin = constant_named(constant.same_as) if constant.same_as else constant
        interval = constant.interval or origin.interval
        if interval is None and path not in beyond:
            known.append(path)
            continue
        low, high = interval or (constant.value, constant.value)
        name = identity_of(constant) or path
        if not 0 <= low <= constant.value <= high:
            raise SpecError(
                f"{name}: interval: got {low:g} to {high:g}; give two numbers from 0 on, with {constant.value:g} "
                "between them"
            )
        if name in knowledge:
            both = knowledge[name].beyond | beyond.get(path, {})
            knowledge[name] = replace(knowledge[name], fields=(*knowledge[name].fields, path), beyond=both)
        elif high - low > LEAST_WIDTH * constant.value or path in beyond:
            named = origin.model_copy(update={"name": name, "interval": interval})
            knowledge[name] = Uncertain(named, low, high, (path,), beyond.get(path, {}))
    return Knowledge(tuple(knowledge[name] for name in sorted(knowledge)), tuple(known))


def _distances(extrapolated: Sequence[Extrapolation]) -> dict[str, dict[str, float]]:
    """Field -> quantity -> logarithm of how far outside its range it is; negative below it."""
    distances: dict[str, dict[str, float]] = {}
    for extrapolation in extrapolated:
        distance = UNKNOWN_DISTANCE if extrapolation.times is None else log(extrapolation.times)
        sign = 1 if extrapolation.used > extrapolation.high else -1
        distances.setdefault(extrapolation.constant, {})[extrapolation.quantity] = sign * distance
    return distances


def drawn_values(
    constant: Uncertain, scores: Reals, path: str, kind: str, exponents: Mapping[str, Reals] | None = None
) -> Reals:
    """Values of the field *path* at standard normal *scores*, within what a workload of *kind* allows.

    Formula: value × (end / value)^(|score| / 1.96) with the end of the interval on that side, so that the value is the
    median and 95 % lie within the interval; value + (end - value) × |score| / 1.96 where the interval begins at 0.
    Outside the range that it was fitted in times (quantity / nearest end)^exponent, for each quantity in *exponents*:
    so the variance of its logarithm grows with the square of the distance from what was measured, as that of a
    prediction by regression does.
    """
    import numpy as np

    value = constant.constant.value
    steps = np.abs(scores) / NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    ends = np.where(scores > 0, constant.high, constant.low)
    drawn = value * (ends / value) ** steps if constant.low > 0 else value + steps * (ends - value)
    for quantity, powers in (exponents or {}).items():
        drawn = drawn * np.exp(constant.beyond[quantity] * powers)
    drawn = np.clip(drawn, *limits_of(path, kind))
    return np.rint(drawn).astype(np.int64) if takes_whole_numbers(path, kind) else drawn
