"""Fit the constants that the cases are marked for, and work out how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from blocktime.validation.case import Prior
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.constants_by_name import substituted
from blocktime.validation.fit import Fit, fit_to
from blocktime.validation.joint import Joint, joint_of
from blocktime.validation.numbers import MeasuredNumber, numbers_of

FIRST: Final = ("savvinov_logical_io",)
"""Cases whose constants others take over (``same_as``)."""


@dataclass(frozen=True)
class Calibration:
    """Fits of some cases, and how sure their constants are together."""

    fits: list[Fit]
    joint: Joint

    @property
    def unidentified(self) -> list[str]:
        """What the numbers do not determine, a sentence each."""
        return [f"{fit.case}: {sentence}" for fit in self.fits for sentence in fit.unidentified]


def calibrate(cases: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None) -> Calibration:
    """Fit each case's constants by bounded weighted least squares on their logarithms; all cases by default.

    Weights are one over the standard error of a printed number. Raises SpecError where a fit does not converge.
    """
    names = sorted(cases or case_names(), key=lambda name: (name not in FIRST, name))
    fits: list[Fit] = []
    values: dict[str, float] = {}
    taken: list[MeasuredNumber] = []
    priors: list[Prior] = []
    for done, name in enumerate(names):
        if progress is not None:
            progress(done, len(names))
        case = load_case(name)
        numbers = [number for number in numbers_of(case) if number.mark == "fits"]
        if numbers:
            fit = fit_to(case.name, numbers, values, case.prior)
            values.update({estimate.name: estimate.value for estimate in fit.estimates})
            fits.append(fit)
            taken += numbers
            priors += case.prior
    with substituted(values):
        joint = joint_of(fits, taken, priors)
        for fit in fits:
            for estimate in fit.estimates:
                if estimate.determined:
                    low, high = joint.interval_of(estimate.name)
                    estimate.interval = (float(f"{low:.4g}"), float(f"{high:.4g}"))
            fit.correlated = joint.close_pairs(estimate.name for estimate in fit.estimates)
    return Calibration(fits, joint)
