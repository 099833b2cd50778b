"""What matters: how far each axis alone moves a measure, from its smallest outcome to its largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError
from blocktime.scenarios.load import Source
from blocktime.scenarios.search.question import USUALLY, Asker, check_has, check_measure, measures_in, question_of
from blocktime.scenarios.sweeps.points import Values, value_in
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, whole_table
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.sweep_spec import Axis


@dataclass(frozen=True, slots=True)
class TornadoBar:
    """One axis of a tornado: the smallest and the largest outcome along it, all others as the base has them."""

    key: str
    low: float
    high: float
    at_low: Any
    """The value of the axis that has the smallest outcome."""
    at_high: Any
    base_value: Any = None
    """What the base scenario has; None for what is no single value."""
    is_outside: bool = False
    """Whether that is beyond what the axis varies over."""

    @property
    def span(self) -> float:
        """From the smallest outcome to the largest."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What matters to one measure."""

    name: str
    measure: str
    base: float
    points: int
    """Points that were answered."""
    tornado: tuple[TornadoBar, ...]
    """By span, widest first."""
    are_alone: bool = True
    """Whether each field changes alone; else what hangs together with it moves along."""


def sensitivity(
    name: Source | str | Path,
    vary: Sequence[str | Axis] = (),
    *,
    measure: str = "elapsed_s",
    at: SweepBackend = USUALLY,
    **how: Any,
) -> Sensitivity:
    """The tornado of *measure* over the axes, each changed alone from the base scenario.

    *how* may hold settings, limit, seed and replications, and a listener. Raises :class:`SpecError` with one
    sentence, for points without an answer too.
    """
    check_measure(measure)
    listener: Listener | None = how.pop("listener", None)
    question = question_of(name, vary, **how)
    if question.where:
        raise SpecError(f"{question.source.name}: its where leaves points out; a tornado needs the ends of each axis")
    with Asker(question, at, listener) as asker:
        # What is wrong with a point is told before anything runs.
        plans = [asker.plan(_along(axis), [axis.key]) for axis in question.axes]
        bars, base = _tornado(asker, plans, measure)
    return Sensitivity(question.source.name, measure, base, sum(map(len, plans)), bars)


def _outcomes(rows: Rows, measure: str, points: Sequence[Values]) -> NDArray[np.float64]:
    """The measure of every point; raises :class:`SpecError` where one has none."""
    table = whole_table(rows)
    values: NDArray[np.float64] = table[measure] if measure in table else np.full(len(points), np.nan)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        place = int(missing[0])
        why = table["error"][place] or f"it has no {measure}"
        at = ", ".join(f"{key}={value}" for key, value in points[place].items())
        raise SpecError(
            f"{rows.plan.source.name}: {len(missing):,} of {len(points):,} points have no answer, and a "
            f"tornado needs all; narrow the ranges; the first, at {at}: {why}"
        )
    return values


def _along(axis: Axis) -> list[Values]:
    return [{axis.key: value} for value in (dict.fromkeys(axis.values) if axis.values else axis.ends)]


def _tornado(asker: Asker, plans: Sequence[Plan], measure: str) -> tuple[tuple[TornadoBar, ...], float]:
    """The bars by span, and the base scenario's outcome."""
    bars, base = [], float("nan")
    for plan in plans:
        rows = asker.answer(plan, aloud=False)
        if not rows.reference:
            raise SpecError(f"{plan.source.name}: the base scenario has no answer: {asker.why_no_base()}")
        check_has(measure, measures_in(rows), asker.question)
        if measure not in rows.reference:
            raise SpecError(f"{plan.source.name}: the base scenario has no {measure} to compare with")
        base = rows.reference[measure]
        points = plan.values(0, len(plan))
        outcomes = _outcomes(rows, measure, points)
        (key,) = plan.design.keys
        least, most = int(outcomes.argmin()), int(outcomes.argmax())
        values = [point[key] for point in points]
        now = _base_value(plan, key)
        outside = _is_outside(asker.question.axis(key), now)
        bars.append(
            TornadoBar(key, float(outcomes[least]), float(outcomes[most]), values[least], values[most], now, outside)
        )
    return tuple(sorted(bars, key=lambda bar: -bar.span)), base


def _base_value(plan: Plan, key: str) -> Any:
    """What the base scenario has for *key*; None for a catalog entry, or a field that it has not."""
    try:
        return value_in(plan.base, key)
    except (SpecError, AttributeError):
        return None


def _is_outside(axis: Axis, now: Any) -> bool:
    """Whether the base scenario's value lies beyond what the axis varies over."""
    if now is None:
        return False
    values = axis.values or axis.ends
    if any(isinstance(value, str | bool) for value in (now, *values)):
        return now not in values
    numbers = [float(value) for value in values]
    return not min(numbers) <= now <= max(numbers)
