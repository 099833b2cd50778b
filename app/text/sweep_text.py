"""A sweep as plain text: what was asked, the points side by side, what matters, and what is best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.app.base.lines import head, mean, table, with_unit, wrapped
from blocktime.app.controls.control_fields import as_text
from blocktime.app.text.outside import lines_of
from blocktime.model.engine import extrapolated_in
from blocktime.model.errors import SpecError, cut
from blocktime.model.measures import MEASURES
from blocktime.model.provenance import Extrapolation
from blocktime.model.units import show_amount, show_change, show_share, unit_of
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.sweep_spec import Axis

MOST_ROWS: Final = 40
MOST_COLUMNS: Final = 12
MOST_MATRICES: Final = 4
MOST_NAME: Final = 28
"""Letters of a matrix's name, over its first column."""
BEST: Final = 5


@dataclass(slots=True)
class Summary:
    """The columns that a summary needs: what varies, one measure, and what went wrong."""

    keys: tuple[str, ...]
    """What varies by itself: of fields that move together the first."""
    measure: str
    axes: dict[str, list[Any]]
    values: NDArray[np.float64]
    """Of the measure, NaN where a point has none."""
    reference: dict[str, float]
    errors: dict[str, int] = field(default_factory=dict)
    """Sentence -> points that have it."""
    currency: str = ""
    together: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """A field that varies by itself -> those that move with it."""
    extrapolated: tuple[Sequence[Extrapolation], ...] = ()
    """Constants that the points with the least and the most use outside the range that they were fitted in."""
    named: Callable[[str], str] = str
    """What a reader calls a field."""

    def show(self, value: float | None) -> str:
        """A value of the measure as a reader writes it."""
        return show_value(self.measure, value if value is None else float(value))


def summary_of(rows: Rows, measure: str) -> Summary:
    """The columns of *rows* that a summary needs; raises :class:`SpecError` for a measure that no point has."""
    known = [column.name for column in rows.columns if column.name in MEASURES]
    if known and measure not in known:
        raise SpecError(
            f"{rows.plan.source.name}: no answer has {measure}{' without prices' * measure.startswith('cost_')}; "
            f"they have {', '.join(known)}"
        )
    together = moving_together(rows.plan.sweep.axis)
    keys = tuple(together)
    axes: dict[str, list[Any]] = {key: [] for key in keys}
    values: list[Any] = []
    errors: dict[str, int] = {}
    for block in rows.blocks():
        for key in keys:
            axes[key] += np.asarray(block[key], object).tolist()
        values.append(block[measure] if known else np.full(len(block["point"]), np.nan))
        for error in filter(None, block["error"]):
            errors[error] = errors.get(error, 0) + 1
    currency = rows.plan.base.system.prices.currency or ""
    column = np.concatenate(values)
    extrapolated = extrapolated_at_ends(rows.plan, column)
    return Summary(keys, measure, axes, column, rows.reference, errors, currency, together, extrapolated)


def extrapolated_at_ends(plan: Plan, values: NDArray[np.float64]) -> tuple[Sequence[Extrapolation], ...]:
    """Constants used outside their range by the points with the least and the most of a measure."""
    if not np.isfinite(values).any():
        return ()
    places = sorted({int(np.nanargmin(values)), int(np.nanargmax(values))})
    scenarios = (plan.points.scenario(plan.values(place, place + 1)[0]) for place in places)
    return tuple(extrapolated_in(point.system, point.workload) for point in scenarios)


def moving_together(axes: Sequence[Axis]) -> dict[str, tuple[str, ...]]:
    """The first field of each group of zipped axes -> the others of it."""
    groups: dict[str, list[str]] = {}
    for axis in axes:
        groups.setdefault((axis.zip and f"zip {axis.zip}") or axis.key, []).append(axis.key)
    return {first: tuple(others) for first, *others in groups.values()}


def sweep_lines(summary: Summary, width: int) -> Iterator[str]:
    """The whole summary."""
    if np.isfinite(summary.values).any():
        yield from wrapped(f"{called(summary)} – {MEASURES[summary.measure].says}", width, bold=True)
        for first, others in summary.together.items():
            if others:
                yield from wrapped(f"{first} moves together with {' and '.join(others)}", width)
        if len(summary.keys) == 1 and len(summary.values) <= MOST_ROWS:
            yield from _one_axis(summary)
        else:
            tables = list(_matrices(summary, width))
            yield from tables or _best_and_worst(summary, width)
        if len(summary.keys) > 1:
            yield ""
            yield from effect_lines(summary, width)
        yield from _how_sure(summary, width)
    if summary.errors:
        failed = sum(summary.errors.values())
        yield ""
        yield head(f"{failed:,} point{'s' if failed > 1 else ''} without an answer")
        for sentence, times in sorted(summary.errors.items(), key=lambda item: -item[1])[:BEST]:
            yield from wrapped(f"{sentence} ({times:,})", width, first="- ")


def _how_sure(summary: Summary, width: int) -> Iterator[str]:
    """Which constants the points with the least and the most use beyond their range."""
    for sentence in lines_of(summary.extrapolated):
        yield from wrapped(f"lowest and highest: {sentence}", width, first="beyond    ")


def called(summary: Summary) -> str:
    """The measure, an amount of money with its currency."""
    return f"{summary.measure} in {summary.currency}" if summary.measure.startswith("cost_") else summary.measure


def short_line(summary: Summary) -> str:
    """The least and the most of the measure, in one sentence."""
    if not np.isfinite(summary.values).any():
        return f"{summary.measure}: no point has an answer"
    ends = []
    for word, place in (("least", np.nanargmin(summary.values)), ("most", np.nanargmax(summary.values))):
        at = ", ".join(f"{key} {show_value(key, summary.axes[key][place])}" for key in summary.keys)
        ends.append(f"{word} {summary.show(summary.values[place])} at {at}")
    return f"{called(summary)}: {'; '.join(ends)}"


def distinct(values: Sequence[Any]) -> list[Any]:
    """The different values in the order of their first coming."""
    return list(dict.fromkeys(values))


def levels_of(values: Sequence[Any]) -> list[Any]:
    """The different values: numbers in their order, words as they come first."""
    levels = distinct(values)
    return sorted(levels) if are_numbers(levels) else levels


def are_numbers(values: Sequence[Any]) -> bool:
    """Whether there is nothing else."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def show_value(name: str, value: Any) -> str:
    """A value of a field or a measure as a reader writes it."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "–"
    if isinstance(value, bool | str):
        return as_text(value)
    unit = unit_of(name)
    if name.startswith("cost_"):
        return show_amount(value)
    if unit in ("s", "bytes", "bytes/s"):
        return with_unit(value, unit)
    if name.endswith("_fraction"):
        return f"{show_share(value, 1)}"
    return f"{int(value):,}" if float(value).is_integer() else mean(value)


def change(before: float | None, after: float) -> str:
    """How a number differs from the base scenario's; empty where one of them is not there."""
    if not before or not np.isfinite(before) or not np.isfinite(after):
        return ""
    return show_change(before, after)


def _one_axis(summary: Summary) -> Iterator[str]:
    key = summary.keys[0]
    lines = [(key, summary.measure, "against the base")]
    lines += [
        (show_value(key, at), summary.show(value), change(summary.reference.get(summary.measure), value))
        for at, value in zip(summary.axes[key], summary.values.tolist(), strict=True)
    ]
    before = summary.reference.get(summary.measure)
    if before is not None:
        lines.append(("the base scenario", summary.show(before), ""))
    yield from table(lines)


def _matrices(summary: Summary, width: int) -> Iterator[str]:
    """A matrix of two axes, for each value of a third where that has few; nothing where the points fill none."""
    if len(summary.keys) < 2:
        return
    levels = {key: distinct(summary.axes[key]) for key in summary.keys}
    *rest, down, across = sorted(summary.keys, key=lambda key: (len(levels[key]), summary.keys.index(key)))
    if len(levels[across]) > MOST_COLUMNS or (rest and len(levels[rest[0]]) > MOST_MATRICES) or len(rest) > 1:
        return
    size = len(levels[down]) * len(levels[across]) * (len(levels[rest[0]]) if rest else 1)
    if 2 * len(summary.values) < size:
        return
    at = zip(*(summary.axes[key] for key in (*rest, down, across)), strict=True)
    cells = dict(zip(at, summary.values.tolist(), strict=True))
    yield from wrapped(f"down: {down}; across: {across}", width)
    for outer in levels[rest[0]] if rest else [None]:
        lines = [
            (
                f"{rest[0]} {show_value(rest[0], outer)}"[-MOST_NAME:] if rest else "",
                *(show_value(across, level) for level in levels[across]),
            )
        ]
        for value in levels[down]:
            row = (cells.get((*([outer] if rest else []), value, other)) for other in levels[across])
            lines.append((show_value(down, value), *(summary.show(cell) for cell in row)))
        yield from table(lines)
        if rest and outer != levels[rest[0]][-1]:
            yield ""


def _best_and_worst(summary: Summary, width: int) -> Iterator[str]:
    order = np.argsort(summary.values, kind="stable")
    order = order[np.isfinite(summary.values[order])]
    some = order if len(order) <= 2 * BEST else [*order[:BEST], *order[-BEST:]]
    for place, index in enumerate(some):
        if place == BEST and len(order) > 2 * BEST:
            yield f"  … {len(order) - 2 * BEST:,} more …"
        at = ", ".join(f"{key} {show_value(key, summary.axes[key][index])}" for key in summary.keys)
        value = float(summary.values[index])
        text = f"{summary.show(value):>10}  {change(summary.reference.get(summary.measure), value):>9}  "
        yield from wrapped(at, width, first=f"  {text}")


@dataclass(frozen=True, slots=True)
class Effect:
    """How far the mean of a measure moves along one axis, all others taken together."""

    key: str
    low: float
    high: float
    at_low: Any
    at_high: Any


def effects_of(summary: Summary) -> list[Effect]:
    """Main effects, largest first; an axis of many values is cut into ten stretches."""
    effects = []
    good = np.isfinite(summary.values)
    for key in summary.keys:
        groups: dict[Any, list[float]] = {}
        levels = levels_of(summary.axes[key])
        places = {level: place for place, level in enumerate(levels)}
        for at, value, fine in zip(summary.axes[key], summary.values.tolist(), good.tolist(), strict=True):
            if fine:
                stretch = at if len(levels) <= MOST_ROWS else places[at] * 10 // len(levels)
                groups.setdefault(stretch, []).append(value)
        if len(groups) < 2:
            continue
        means = {stretch: float(np.mean(values)) for stretch, values in groups.items()}
        least, most = min(means, key=lambda level: means[level]), max(means, key=lambda level: means[level])
        if len(levels) > MOST_ROWS:
            ordered = list(places)
            middle = {stretch: ordered[(2 * stretch + 1) * len(ordered) // 20] for stretch in means}
            effects.append(Effect(key, means[least], means[most], middle[least], middle[most]))
        else:
            effects.append(Effect(key, means[least], means[most], least, most))
    return sorted(effects, key=lambda effect: effect.low - effect.high)


def effect_lines(summary: Summary, width: int) -> Iterator[str]:
    """What matters: each axis with the lowest and the highest mean along it."""
    yield head("Effect of each axis (mean over all others)")
    for effect in effects_of(summary):
        more = show_change(effect.low, effect.high) if effect.low > 0 else "×∞"
        yield from wrapped(
            f"{cut(effect.key)}: {summary.show(effect.low)} at {show_value(effect.key, effect.at_low)}, "
            f"{summary.show(effect.high)} at {show_value(effect.key, effect.at_high)} ({more})",
            width,
            first="- ",
        )
