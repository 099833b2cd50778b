"""How sure the constants are, all of them together: what the printed numbers leave open, and what else is uncertain.

A fitted constant is as uncertain as the numbers that made it and as the constants that it was fitted beside. So one
covariance holds both: those that are fitted, and those that are not but are known only within an interval. With J the
derivatives of the fitted numbers by the constants' logarithms, each number in its standard errors, and T the standard
errors of what was said beforehand, it is (J'J + 1/T²)^-1, as in any linear problem with normal errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log
from typing import TYPE_CHECKING, Final

from blocktime.model import catalog
from blocktime.model.provenance import identity_of
from blocktime.model.results import RunResult
from blocktime.scenarios import load
from blocktime.scenarios.load import source_of
from blocktime.validation.case import Prior
from blocktime.validation.compare import Runs
from blocktime.validation.constants_by_name import REACH, bounds_of, is_whole, substituted, value_of
from blocktime.validation.fit import NORMAL_95, Fit, standard_error_of, step_of
from blocktime.validation.numbers import MeasuredNumber

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLOSE: Final = 0.9
"""Two constants whose estimates are correlated so much are hardly told apart."""


@dataclass(frozen=True)
class Joint:
    """Constants with the covariance of their logarithms."""

    names: list[str]
    covariance: NDArray[np.float64]
    fitted: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def standard_errors(self) -> dict[str, float]:
        """Standard error of each constant's logarithm."""
        return {name: float(self.covariance[i, i]) ** 0.5 for i, name in enumerate(self.names)}

    def interval_of(self, name: str) -> tuple[float, float]:
        """Where a constant lies with 95 % confidence, within what its field allows."""
        value, off = value_of(name), exp(NORMAL_95 * self.standard_errors[name])
        low, high = bounds_of(name)
        return max(value / off, min(low, value)), min(value * off, max(high, value))

    def pairs(self, least: float) -> Iterable[tuple[str, str, float]]:
        """Pairs of constants whose estimates are correlated by at least *least* either way."""
        for i, name in enumerate(self.names):
            for j in range(i + 1, len(self.names)):
                correlation = float(self.covariance[i, j]) / (
                    self.standard_errors[name] * self.standard_errors[self.names[j]]
                )
                if abs(correlation) >= least:
                    yield name, self.names[j], correlation

    def close_pairs(self, names: Iterable[str]) -> list[str]:
        """A sentence for each two fitted constants of *names* that the numbers hardly tell apart."""
        fitted = set(names) & self.fitted
        return [
            f"{text} and {other} are almost inseparable: correlation {correlation:+.2f}"
            for text, other, correlation in self.pairs(CLOSE)
            if text in fitted and other in fitted
        ]


def known_within(fitted: Iterable[str]) -> dict[str, float]:
    """Constants of the catalog that are not *fitted* but have an interval: standard error of the logarithm."""
    beside = set(fitted)
    known = {}
    for kind in catalog.KINDS:
        for entry in catalog.entries(kind).values():
            for constant in entry.constants.values():
                if constant.interval and not constant.same_as and constant.name not in beside:
                    low, high = constant.interval
                    if 0 < low < high:
                        known[constant.name] = log(high / low) / (2 * NORMAL_95)
    return known


def joint_of(fits: Sequence[Fit], numbers: Sequence[MeasuredNumber], priors: Sequence[Prior]) -> Joint:
    """The joint uncertainty of the constants of *fits*, which hold their values, and of what they stand beside.

    *numbers* are those that fit. Scatter beyond the standard errors widens them, case by case.
    """
    import numpy as np

    fitted = [estimate.name for fit in fits for estimate in fit.estimates if estimate.determined]
    beside = known_within(fitted)
    names = [*fitted, *beside]
    scatter = {fit.case: fit.scatter for fit in fits}
    errors = np.array([standard_error_of(number) * scatter.get(number.case, 1.0) for number in numbers])
    slopes = _slopes(numbers, names) / errors[:, None]
    precision = slopes.T @ slopes
    log_sd = {name: log(REACH) / NORMAL_95 for name in fitted} | beside
    prior_sd = {prior.constant: log(prior.factor) / NORMAL_95 for prior in priors}
    for index, name in enumerate(names):
        precision[index, index] += 1 / min(log_sd[name], prior_sd.get(name, log_sd[name])) ** 2
    return Joint(names, np.linalg.inv(precision), frozenset(fitted))


def _slopes(numbers: Sequence[MeasuredNumber], names: Sequence[str]) -> NDArray[np.float64]:
    """Derivatives of what is predicted by the logarithms of *names*: one row a number, one column a name."""
    import numpy as np

    uses = [
        frozenset().union(*(_used_by(*pick) for pick in (measured_number.pick, *measured_number.against)))
        for measured_number in numbers
    ]
    known: dict[str, RunResult] = {}
    slopes = np.zeros((len(numbers), len(names)))
    for column, name in enumerate(names):
        rows = [row for row, used in enumerate(uses) if name.partition(": ")[0] in used or name in used]
        value = value_of(name)
        fitting = [numbers[row] for row in rows if name in numbers[row].fits]
        step = step_of(fitting or [numbers[row] for row in rows])
        below, above = (value - 1, value + 1) if is_whole(name) else (value * exp(-step), value * exp(step))
        ends = [_predicted([numbers[row] for row in rows], {name: at}, known) for at in (above, below)]
        slopes[rows, column] = (ends[0] - ends[1]) / log(above / below)
    return slopes


def _used_by(name: str, settings: Sequence[str]) -> frozenset[str]:
    """Names of the catalog's constants in a scenario, and of the library's scenarios that it stands on."""
    constants = load(name, settings).system.constants.values()
    return frozenset(identity_of(constant) for constant in constants) | {
        f"scenario/{layer}" for layer, _ in source_of(name).layers
    }


def _predicted(
    numbers: Sequence[MeasuredNumber], values: Mapping[str, float], known: dict[str, RunResult]
) -> NDArray[np.float64]:
    import numpy as np

    with substituted(values):
        runs = Runs(known=known)
        return np.array([runs.predict(number) for number in numbers])
