"""Which constants make the variance of a time, and how much of it each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from model.results import Contribution
from scenarios.uncertainty.constants import Uncertain

if TYPE_CHECKING:
    from scenarios.uncertainty.draws import Draws, Reals

LEAST_SHARE: Final = 0.005
"""A constant that makes less of the variance is not told of."""
DRAWS_A_CONSTANT: Final = 16
"""So many are enough to tell a bend from chance."""


def contributions(uncertain: Iterable[Uncertain], draws: Draws, times: Reals) -> list[Contribution]:
    """How much of the variance of *times*, one for each of the first *draws*, would go if a constant were known.

    Formula: the adjusted R² of a regression of the times on the constant's score and, where there are draws enough, its
    square: var(E[t | z]) / var(t), a first-order index of that constant together with what hangs together with it
    [saltelli-2010]. So each is within 0 and 1, largest first; of constants that are correlated each takes what they
    have in common, and the shares may sum to more than 1. What chance alone would give counts as none.
    """
    import numpy as np  # noqa: PLC0415

    listed = list(uncertain)
    if not listed or np.ptp(times) <= 1e-12 * abs(times).max():
        return []
    around = times - times.mean()
    many = len(times)
    powers = (1, 2) if many >= DRAWS_A_CONSTANT * len(listed) else (1,)
    found = []
    for one in listed:
        scores = draws.scores[one.name][:many]
        terms = np.stack([scores**power for power in powers], axis=1)
        terms -= terms.mean(axis=0)
        left = around - terms @ np.linalg.lstsq(terms, around, rcond=None)[0]
        unexplained = (left @ left) / (around @ around) * (many - 1) / (many - 1 - len(powers))
        share = float(max(0.0, 1 - unexplained))
        if share >= LEAST_SHARE:
            found.append(
                Contribution(constant=one.constant, fields=list(one.fields), variance_fraction=share)
            )
    return sorted(found, key=lambda one: (-one.variance_fraction, one.constant.name))
