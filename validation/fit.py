"""Weighted least squares with bounds and priors: the constants that some printed numbers determine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from blocktime.model.engine import is_played
from blocktime.model.errors import SpecError
from blocktime.model.extras import check_installed
from blocktime.model.results import RunResult
from blocktime.scenarios import load
from blocktime.validation.case import Prior
from blocktime.validation.compare import Runs, allowed_error
from blocktime.validation.constants_by_name import bounds_of, is_whole, substituted, value_of
from blocktime.validation.numbers import MeasuredNumber
from blocktime.validation.ranges import conditions_behind, range_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NORMAL_95: Final = 1.959964
"""Standard errors on either side of a mean that hold 95 % of a normal distribution."""
STEP: Final = 2e-3
COARSE_STEP: Final = 0.03
CHANCE_STEP: Final = 0.1
"""Relative steps for derivatives: coarse where the model counts events, which a small step does not move, and coarser
where chance has a part in them: runs with one seed differ by less chance than by so large a step."""
TIGHT: Final = 1e-8
LOOSE: Final = 2e-3
"""When a fit has converged, by the logarithms' relative change; loose where events are counted."""
MOST_TRIALS: Final = 60
CLEARLY: Final = 1.0
"""A whole constant moves by one where that lowers the squares by more than one standard error does."""
UNDETERMINED: Final = 1e-6
"""A direction that the numbers tell so much less of than of the best one is not told of at all."""

HARDLY_DETERMINED: Final = 1e-2
"""The same where a fit does not come to an end: why that may be."""


@dataclass(slots=True)
class Estimate:
    """One fitted constant; one that the numbers do not determine keeps its value and is not written."""

    name: str
    value: float
    before: float
    fitted_to: list[str]
    range: dict[str, tuple[float, float]]
    determined: bool = True
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence; None before the joint uncertainty was worked out."""


@dataclass(slots=True)
class Fit:
    """The constants of one case, the residuals of the numbers that made them, and what those cannot tell apart."""

    case: str
    estimates: list[Estimate]
    residuals: dict[str, float]
    """Relative error of each number that took part."""
    scatter: float = 1.0
    """Root of the mean square error in standard errors, per number beyond the constants; at least 1."""
    unidentified: list[str] = field(default_factory=list)
    correlated: list[str] = field(default_factory=list)
    """Constants whose estimates hang together closely, in a sentence each."""


def standard_error_of(number: MeasuredNumber) -> float:
    """Standard error of one printed number, in the printed unit.

    The spread of its repetitions where the source tells it; else half of the declared tolerance.
    """
    if number.spread is not None:
        return number.spread * abs(number.printed)
    return allowed_error(number) / 2


def is_counted(number: MeasuredNumber) -> bool:
    """Whether the model counts events to predict it, so that small changes of a constant move it in jumps or not."""
    return _has_chance(number) or (number.path.startswith("device.") and number.unit == "")


def _has_chance(number: MeasuredNumber) -> bool:
    return load(*number.pick).workload.chance_fraction > 0


def fit_to(
    case: str, numbers: Sequence[MeasuredNumber], given: Mapping[str, float], priors: Sequence[Prior] = ()
) -> Fit:
    """Fit the constants that *numbers* name to them, with those of *given* as they are there.

    Constants that only counted numbers determine are found after the others. Raises SpecError where a fit does not
    converge.
    """
    every = sorted({constant for number in numbers for constant in number.fits})
    values, loose = _least_squares(case, numbers, given, priors)
    free = {name for group in loose for name in group}
    values.update((name, value_of(name)) for name in free)
    with substituted({**given, **values}):
        runs = Runs()
        ranges = {number.id: conditions_behind(number) for number in numbers}
        errors = {number.id: runs.predict(number) / number.printed - 1 for number in numbers}
    by_name = {name: [number.id for number in numbers if name in number.fits] for name in every}
    estimates = [
        Estimate(
            name=name,
            value=float(f"{values[name]:.6g}"),
            before=value_of(name),
            fitted_to=fitted_to,
            range=range_of(name, [ranges[number] for number in fitted_to]),
            determined=name not in free,
        )
        for name, fitted_to in by_name.items()
    ]
    return Fit(case, estimates, errors, _scatter(numbers, errors, every), [_undetermined(group) for group in loose])


def _least_squares(
    case: str, numbers: Sequence[MeasuredNumber], given: Mapping[str, float], priors: Sequence[Prior]
) -> tuple[dict[str, float], list[list[str]]]:
    """The constants' values, and groups of them that the numbers do not determine; smooth ones before counted ones."""
    every = sorted({constant for number in numbers for constant in number.fits})
    coarse = {name for number in numbers if is_counted(number) for name in number.fits}
    smooth = [name for name in every if name not in coarse]
    values = {name: value_of(name) for name in every}
    loose: list[list[str]] = []
    for names, counted in ((smooth, False), ([name for name in every if name in coarse], True)):
        determining = [number for number in numbers if set(number.fits) & set(names)]
        if determining:
            problem = _Problem(case, determining, {**given, **values}, priors, counted)
            solution, jacobian = _with_whole(problem, names)
            values.update(solution)
            loose += _undetermined_in(jacobian, [name for name in names if not is_whole(name)])
    return values, loose


def _scatter(numbers: Sequence[MeasuredNumber], errors: Mapping[str, float], names: Sequence[str]) -> float:
    freedom = len(numbers) - len(names)
    if freedom < 1:
        return 1.0
    squares = sum(
        (errors[measured_number.id] * measured_number.printed / standard_error_of(measured_number)) ** 2
        for measured_number in numbers
    )
    return max(1.0, float((squares / freedom) ** 0.5))


def step_of(numbers: Iterable[MeasuredNumber]) -> float:
    """The relative step by which constants have to move for *numbers* to follow."""
    return max((_step(number) for number in numbers), default=STEP)


def _step(number: MeasuredNumber) -> float:
    if _has_chance(number):
        return CHANCE_STEP
    return COARSE_STEP if is_counted(number) or _is_played(number) else STEP


def _is_played(number: MeasuredNumber) -> bool:
    """Whether it is a time that a simulation answers, which moves in small jumps."""
    return number.unit == "s" and any(
        is_played(scenario.system, scenario.workload)
        for scenario in (load(*pick) for pick in (number.pick, *number.against))
    )


@dataclass
class _Problem:
    """Numbers in terms of the logarithms of some constants."""

    case: str
    numbers: Sequence[MeasuredNumber]
    given: Mapping[str, float]
    priors: Sequence[Prior]
    counted: bool
    known: dict[str, RunResult] = field(default_factory=dict)

    def misses(self, values: Mapping[str, float]) -> list[float]:
        """Predicted less printed, in standard errors; and how far each constant is from what was said of it before."""
        return self._misses(values, Runs(known=self.known))

    def _misses(self, values: Mapping[str, float], runs: Runs) -> list[float]:
        with substituted({**self.given, **values}):
            misses = [
                (runs.predict(measured_number) - measured_number.printed) / standard_error_of(measured_number)
                for measured_number in self.numbers
            ]
        return misses + self._pulls(values)

    def _pulls(self, values: Mapping[str, float]) -> list[float]:
        from math import log

        return [
            NORMAL_95 * log(values[prior.constant] / prior.value) / log(prior.factor)
            for prior in self.priors
            if prior.constant in values
        ]

    def solve(self, names: Sequence[str], start: Mapping[str, float]) -> tuple[dict[str, float], float, Floats]:
        """Values of *names* with the least squares, from *start*; the sum of squares; derivatives of the numbers."""
        check_installed("scipy")
        import numpy as np
        from scipy.optimize import least_squares

        if not names:  # all that is left is whole
            return {}, sum(miss * miss for miss in self.misses(start)), np.zeros((len(self.numbers), 0))

        fixed = {name: value for name, value in start.items() if name not in names}
        at = np.log([start[name] for name in names])
        low, high = np.log([bounds_of(name) for name in names]).T
        precise = LOOSE if self.counted else TIGHT

        def residuals(logarithms: Floats) -> Floats:
            return np.array(self.misses({**fixed, **_values(names, logarithms)}))

        def slopes(logarithms: Floats) -> Floats:
            return self.slopes(names, {**fixed, **_values(names, logarithms)})

        optimize_result = least_squares(
            residuals,
            np.clip(at, low + 1e-9, high - 1e-9),
            jac=slopes,
            bounds=(low, high),
            x_scale=0.1,
            xtol=precise,
            ftol=precise / 10,
            gtol=1e-12,
            max_nfev=MOST_TRIALS,
        )
        jacobian = np.asarray(optimize_result.jac)[: len(self.numbers)]
        if optimize_result.status <= 0:
            unclear = _undetermined_in(jacobian, names, HARDLY_DETERMINED)
            because = "".join(f" ({_undetermined(group)})" for group in unclear)
            raise SpecError(
                f"{self.case}: the fit of {', '.join(names)} did not converge within {MOST_TRIALS} trials{because}; "
                "nothing is written"
            )
        return _values(names, optimize_result.x), 2 * float(optimize_result.cost), jacobian

    def slopes(self, names: Sequence[str], values: Mapping[str, float]) -> Floats:
        """Derivatives of the misses by the logarithms of *names*, from either side."""

        def misses(trial: Mapping[str, float]) -> list[float]:
            return self._misses(trial, Runs(known=self.known))

        steps = {name: step_of(number for number in self.numbers if name in number.fits) for name in names}
        return slopes_of(misses, names, values, steps)


def slopes_of(
    misses: Callable[[Mapping[str, float]], Sequence[float]],
    names: Sequence[str],
    values: Mapping[str, float],
    steps: Mapping[str, float],
) -> Floats:
    """Derivatives of *misses* by the logarithms of *names*, each by its step: one row a miss, one column a name."""
    import numpy as np

    columns = []
    for name in names:
        step = steps[name]
        factor = np.exp(step)
        above, below = (
            np.array(misses({**values, name: value})) for value in (values[name] * factor, values[name] / factor)
        )
        columns.append((above - below) / (2 * step))
    return np.array(columns).T


def _values(names: Sequence[str], logarithms: Any) -> dict[str, float]:
    import numpy as np

    return dict(zip(names, np.exp(logarithms).tolist(), strict=True))


def _undetermined_in(jacobian: Floats, names: Sequence[str], least: float = UNDETERMINED) -> list[list[str]]:
    """The constants that the numbers do not determine, each with those that they cannot tell it apart from."""
    import numpy as np

    if not names:
        return []
    _, sizes, directions = np.linalg.svd(jacobian, full_matrices=True)
    undetermined = []
    for index, direction in enumerate(directions):
        size = sizes[index] if index < len(sizes) else 0.0
        if size <= least * sizes[0]:
            undetermined.append([names[i] for i in np.argsort(-np.abs(direction)) if abs(direction[i]) > 0.3])
    return undetermined


def _with_whole(problem: _Problem, names: Sequence[str]) -> tuple[dict[str, float], Floats]:
    """The best values of all constants, and derivatives by those that are not whole.

    Whole ones go up and down by one as long as that fits clearly better.
    """
    whole = [name for name in names if is_whole(name)]
    rest = [name for name in names if name not in whole]
    best = {name: value_of(name) for name in names}
    solution, least, jacobian = problem.solve(rest, best)
    best.update(solution)
    for name in whole:
        near = [text for text in rest if _share_a_number(problem.numbers, text, name)] or rest
        for direction in (1.0, -1.0):
            while best[name] + direction >= 1:
                trial = {**best, name: best[name] + direction}
                solution, squares, _ = problem.solve(near, trial)
                if squares > least - CLEARLY:
                    break
                best, least = {**trial, **solution}, squares
    return best, jacobian


def _share_a_number(numbers: Sequence[MeasuredNumber], name: str, other: str) -> bool:
    """Whether both constants are of one scenario: the numbers of one move with the other."""
    return name.partition(": ")[0] == other.partition(": ")[0] and any(name in number.fits for number in numbers)


def _undetermined(group: list[str]) -> str:
    if len(group) == 1:
        return f"the numbers do not determine {group[0]}"
    return f"the numbers cannot separate {' and '.join(group)}"
