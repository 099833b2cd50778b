"""What matters: how much of a measure's variance each axis makes, alone and with others, and what each moves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError, shown
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.load import Source
from blocktime.scenarios.search.question import (
    USUALLY,
    Asker,
    check_has,
    check_measure,
    distinct,
    measures_in,
    question_of,
    signature,
)
from blocktime.scenarios.sweeps.columns import points_of
from blocktime.scenarios.sweeps.design import pick_of
from blocktime.scenarios.sweeps.plan import Plan, value_in
from blocktime.scenarios.sweeps.points import Values
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.spec import Axis
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, whole_table, write
from blocktime.scenarios.sweeps.table import check_place

USUAL_SAMPLES: Final = 256
FEWEST_SAMPLES, MOST_SAMPLES = 8, 2**16
RESAMPLES: Final = 999
FLAT: Final = 1e-12
"""A measure whose standard deviation is so small against its mean does not vary."""

Reals = NDArray[np.float64]


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
class VarianceShare:
    """A share of the variance and its interval."""

    value: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """Whether it cannot be told apart from none."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True)
class SobolIndex:
    """Sobol indices of one axis."""

    key: str
    first: VarianceShare
    """What it makes alone."""
    total: VarianceShare
    """With all in which it has a part."""
    interaction: VarianceShare
    """Total less first: what it makes with others only."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What matters to one measure."""

    name: str
    measure: str
    base: float
    samples: int
    points: int
    """Different points that the indices come from."""
    mean: float
    """Of the measure over the samples."""
    low: float
    high: float
    tornado: tuple[TornadoBar, ...]
    """By span, widest first."""
    indices: tuple[SobolIndex, ...]
    """By total, largest first; none where the measure does not vary."""


def sensitivity(
    name: Source | str | Path,
    vary: Sequence[str | Axis] = (),
    *,
    measure: str = "elapsed_s",
    samples: int = USUAL_SAMPLES,
    at: SweepBackend = USUALLY,
    **how: Any,
) -> Sensitivity:
    """Sobol indices and tornado of *measure* over the axes.

    *how* may hold settings, limit, engine, seed and replications, a listener, and out with force for the table of all
    samples. Raises :class:`SpecError` with one sentence, for points without an answer too: indices need all.
    """
    check_measure(measure)
    _check_samples(samples)
    listener: Listener | None = how.pop("listener", None)
    out, force = how.pop("out", None), how.pop("force", False)
    if out is not None:
        check_place(Path(out), force)
    question = question_of(name, vary, **how)
    if question.where:
        raise SpecError(f"{question.source.name}: its where leaves points out; indices need the whole space")
    sampled = sampled_points(question.axes, question.whole, samples, question.how.seed)
    with Asker(question, at, listener) as asker:
        points = distinct(sampled)
        plan = asker.plan(points)  # what is wrong with a point is told before anything runs
        alone = [asker.plan(_along(axis), [axis.key]) for axis in question.axes]
        bars, base = _tornado(asker, alone, measure)
        rows = asker.answer(plan)
        check_has(measure, measures_in(rows), question)
        if out is not None:
            write(rows, Path(out), force)
        by_point = _outcomes(rows, measure, points)
    places = {signature(point): place for place, point in enumerate(points)}
    outcomes = by_point[[places[signature(point)] for point in sampled]]
    indices = indices_of(question.keys, outcomes, samples, question.how.seed)
    return Sensitivity(
        question.source.name, measure, base, samples, len(points), float(outcomes[: 2 * samples].mean()),
        float(outcomes.min()), float(outcomes.max()), bars,
        tuple(sorted(indices, key=lambda index: -index.total.value)),
    )  # fmt: skip


def _check_samples(samples: int) -> None:
    below = 1 << (samples.bit_length() - 1) if samples > 0 else 0
    if below != samples or not FEWEST_SAMPLES <= samples <= MOST_SAMPLES:
        raise SpecError(
            f"samples: got {shown(samples)}; allowed is a power of two from {FEWEST_SAMPLES} to {MOST_SAMPLES:,}"
        )


def sampled_points(axes: Sequence[Axis], whole: frozenset[str], samples: int, seed: int) -> list[Values]:
    """The points of the matrices A, B, and A with one column of B for each axis, one matrix after the other."""
    from scipy.stats import qmc  # noqa: PLC0415  (takes a second to import)

    count = len(axes)
    both = qmc.Sobol(2 * count, rng=np.random.default_rng(seed)).random(samples)
    first, second = both[:, :count], both[:, count:]
    shares = [first, second]
    for column in range(count):
        mixed = first.copy()
        mixed[:, column] = second[:, column]
        shares.append(mixed)
    columns = zip(axes, np.concatenate(shares).T, strict=True)
    return points_of({axis.key: pick_of(axis, axis.key in whole)(column) for axis, column in columns})


def _outcomes(rows: Rows, measure: str, points: Sequence[Values]) -> Reals:
    """The measure of every point; raises :class:`SpecError` where one has none."""
    table = whole_table(rows)
    values: Reals = table[measure] if measure in table else np.full(len(points), np.nan)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        place = int(missing[0])
        why = table["error"][place] or f"it has no {measure}"
        at = ", ".join(f"{key}={value}" for key, value in points[place].items())
        raise SpecError(
            f"{rows.plan.source.name}: {len(missing):,} of {len(points):,} points have no answer, and indices need "
            f"all; narrow the ranges; the first, at {at}: {why}"
        )
    return values


def indices_of(keys: Sequence[str], outcomes: Reals, samples: int, seed: int) -> list[SobolIndex]:
    """First- and total-order indices of outcomes in the order of :func:`sampled_points`; none where nothing varies.

    Formula: Saltelli et al. 2010, as scipy.stats.sobol_indices has it; the intervals are percentiles of resamples.
    """
    from scipy.stats import sobol_indices  # noqa: PLC0415  (takes a second to import)

    a, b, *mixed = outcomes.reshape(-1, samples)
    both = np.concatenate([a, b])
    if np.std(outcomes) <= FLAT * max(abs(both.mean()), FLAT) or np.ptp(both) == 0:
        return []
    columns = np.stack(mixed if len(mixed) > 1 else 2 * mixed)  # scipy stumbles over a single axis
    sobol_result = sobol_indices(func={"f_A": a[None], "f_B": b[None], "f_AB": columns[:, None]}, n=samples)
    first, total = sobol_result.first_order[: len(mixed)], sobol_result.total_order[: len(mixed)]
    shares = [first, total, total - first]
    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(
        _resampled(outcomes.reshape(-1, samples) - both.mean(), seed), [tail, 1 - tail], axis=0
    )
    return [
        SobolIndex(key, *(
            VarianceShare(float(share[place]), float(ends[0, kind, place]), float(ends[1, kind, place]))
            for kind, share in enumerate(shares)
        ))
        for place, key in enumerate(keys)
    ]  # fmt: skip


def _resampled(outcomes: Reals, seed: int) -> Reals:
    """First, total and their difference for RESAMPLES draws of rows: resample, kind, axis.

    scipy's own resampling takes no seed, and gives no number where an axis does nothing at all.
    """
    generator = np.random.default_rng([seed, 1])
    count = outcomes.shape[1]
    indices = np.zeros((RESAMPLES, 3, len(outcomes) - 2))
    for draw in indices:
        rows = outcomes[:, generator.integers(count, size=count)]
        a, b, mixed = rows[0], rows[1], rows[2:]
        variance = np.var(rows[:2])
        if variance > 0:
            draw[0] = (b * (mixed - a)).mean(axis=1) / variance
            draw[1] = 0.5 * ((a - mixed) ** 2).mean(axis=1) / variance
            draw[2] = draw[1] - draw[0]
    return indices


def _along(axis: Axis) -> list[Values]:
    """The points of a tornado along one axis."""
    values = dict.fromkeys(axis.values) if axis.values else axis.ends
    return [{axis.key: value} for value in values]


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
            TornadoBar(
                key, float(outcomes[least]), float(outcomes[most]), values[least], values[most], now, outside
            )
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
