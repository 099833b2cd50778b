"""Several answers as one table: what each number is, its unit, and how it differs from the baseline, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from blocktime.app.base.lines import with_unit
from blocktime.app.controls.control_fields import AS_STATED, facts, value_at
from blocktime.app.text.quantities import Quantity, counts, number, times
from blocktime.model.catalog import KINDS
from blocktime.model.results import RunResult
from blocktime.model.units import show_change, unit_of
from blocktime.scenarios import Scenario
from blocktime.scenarios.nested import leaves

LEAST_CHANGE: Final = 5e-5
"""Share below which a number counts as the same."""


@dataclass(frozen=True)
class NumberDifference:
    """A number against the baseline's."""

    change: float
    fraction: float | None
    """Of the baseline's; None where that is nothing."""
    word: Literal["less", "more", "same"]

    def said(self, is_share: bool = False, show: Callable[[float], str] | None = None) -> str:
        """Amount, word and percent; of a share, percentage points."""
        if self.word == "same":
            return "same"
        amount = (show or number)(abs(self.change))
        return f"{amount} points {self.word}" if is_share else f"{amount} {self.word}{self._share()}"

    def _share(self) -> str:
        if self.fraction is None:
            return ""
        return f" ({show_change(1, 1 + self.fraction)})"


def difference(before: float | None, after: float | None) -> NumberDifference | None:
    """How *after* differs from *before*; None where one of them is not there."""
    if before is None or after is None:
        return None
    change = after - before
    largest = max(abs(before), abs(after))
    word: Literal["less", "more", "same"] = "less" if change < 0 else "more"
    if abs(change) <= LEAST_CHANGE * largest:
        word = "same"
    return NumberDifference(change, change / before if before else None, word)


def lines(results: Sequence[RunResult]) -> list[Quantity]:
    """Every figure that one of *results* has, but for those that are nothing in all of them."""
    return [*times(results), *counts(results)]


# The same as rows


def by_scenario(
    results: Sequence[RunResult], letters: Sequence[str], titles: Sequence[str], lines: Sequence[Quantity]
) -> list[dict[str, Any]]:
    """One row for each scenario, numbers as they are, so that any column sorts; two columns for each difference."""
    rows = []
    for letter, title, result in zip(letters, titles, results, strict=True):
        row: dict[str, Any] = {"": letter, "Scenario": title}
        for line in lines:
            before, value = line.of(results[0]), line.of(result)
            row[line.title] = value
            change = None if before is None or value is None else value - before
            row[change_of(line, letters[0])] = change
            row[percent_of(line, letters[0])] = 100 * change / before if before and change is not None else None
        rows.append(row)
    return rows


def change_of(line: Quantity, base: str) -> str:
    """The heading of a number's difference from the baseline."""
    unit = "points" if line.is_share else line.unit.word
    return f"{line.label} - {base} ({unit})" if unit else f"{line.label} - {base}"


def percent_of(line: Quantity, base: str) -> str:
    """The heading of the same in percent."""
    return f"{line.title} against {base} (%)"


# What differs


def settings(scenarios: Sequence[Scenario]) -> dict[str, list[str]]:
    """Fields that are not alike in all of *scenarios*, each with its values as the page shows them, – where it is none.

    Where a section comes from the catalog in all of them and by different names, the name stands for its constants.
    """
    differing: dict[str, list[str]] = {}
    named = [
        section
        for section in KINDS.values()
        if _differ(chosen := [value_at(scenario, f"{section}.use") for scenario in scenarios])
        and AS_STATED not in chosen
    ]
    leaves = [_leaves(scenario) for scenario in scenarios]
    for section in named:
        differing[f"{section}.use"] = [
            _show_value(f"{section}.use", scenario, value_at(scenario, f"{section}.use")) for scenario in scenarios
        ]
    for path in dict.fromkeys(path for leave in leaves for path in leave):
        values = [leave.get(path, _NONE) for leave in leaves]
        if _differ(values) and not any(path.startswith(f"{section}.") for section in named):
            differing[path] = [
                "–" if value is _NONE else _show_value(path, scenario, value)
                for scenario, value in zip(scenarios, values, strict=True)
            ]
    return differing


_NONE: Final = object()


def _differ(values: Sequence[Any]) -> bool:
    return any(value != values[0] for value in values)


def _leaves(scenario: Scenario) -> dict[str, Any]:
    system = scenario.system.model_dump(exclude={"constants"})
    return dict(leaves({**system, "workload": scenario.workload.model_dump()}, numbered="mix"))


def _show_value(path: str, scenario: Scenario, value: Any) -> str:
    """A value in its unit, the title of a catalog's entry."""
    if isinstance(value, list | tuple):
        return f"{len(value):,} of them"
    field = facts(path, scenario.workload.kind)
    if value is None or isinstance(value, bool | str):
        return field.show(value) if field else str(value)
    return value_said(path, value, counted=False)


COUNTED: Final = ("rows", "users", "cpus", "sessions", "columns", "calls", "requests")
"""Names of fields that are the word for what they count."""


def value_said(path: str, value: Any, counted: bool = True) -> str:
    """The number in a field with its unit, or what it counts where that is *counted*."""
    name, unit = path.rpartition(".")[2], unit_of(path)
    word = unit or (name if counted and name in COUNTED else "")
    if unit in ("s", "bytes", "bytes/s"):
        return with_unit(value, unit)
    whole = f"{value:,.0f}" if float(value).is_integer() else number(value)
    return f"{whole} {word.removesuffix('s') if value == 1 else word}".strip()
