"""Leave some of a case's numbers out, fit its constants to the others of one kind, and predict what was left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from validation.calibrate import Estimate, Fit, fit_to, substituted
from validation.case import load_case
from validation.compare import Runs
from validation.numbers import MeasuredNumber, numbers_of

Chosen = Callable[[MeasuredNumber], bool]


@dataclass(slots=True)
class WithoutThem:
    """The constants without the numbers left out, and what they say of those."""

    fit: Fit
    predicted: list[tuple[MeasuredNumber, float | None]]
    """Every compared number that was left out, with its prediction in the printed unit; None for one that depends on
    a constant that the others do not determine."""


def leave_out(case: str, chosen: Chosen, of: Chosen) -> WithoutThem:
    """Fit all constants of *case* to the numbers for which *of* holds and *chosen* does not.

    Numbers that otherwise only test take part, so that each constant has what the others can tell of it. A constant
    that nothing else determines is named in ``fit.unidentified``, and nothing that depends on it is predicted.
    """
    compared = [number for number in numbers_of(load_case(case)) if number.mark != "descriptive"]
    constants = tuple(sorted({constant for number in compared for constant in number.fits}))
    kept = [replace(number, fits=constants) for number in compared if of(number) and not chosen(number)]
    fit = fit_to(case, kept, {})
    gone = [number for number in compared if chosen(number)]
    predicted, other = (_predictions(gone, fit.estimates, factor) for factor in (1.0, 2.0))
    return WithoutThem(
        fit,
        [
            (number, value if value == moved else None)
            for number, value, moved in zip(gone, predicted, other, strict=True)
        ],
    )


def _predictions(
    numbers: list[MeasuredNumber], estimates: list[Estimate], undetermined_factor: float
) -> list[float]:
    """Predictions with the estimates, and with those that nothing determines times *undetermined_factor*."""
    values = {one.name: one.value * (1.0 if one.determined else undetermined_factor) for one in estimates}
    with substituted(values):
        runs = Runs()
        return [runs.predict(number) for number in numbers]
