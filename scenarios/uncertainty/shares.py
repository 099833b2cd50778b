"""Which constants make the variance of a time, and how much of it each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from model.results import Contribution
from scenarios.uncertainty.constants import Uncertain

if TYPE_CHECKING:
    from scenarios.uncertainty.draws import Draws, Reals

LEAST_SHARE: Final = 0.001
"""A constant that makes less of the variance is not told of."""
DRAWS_A_CONSTANT: Final = 16
"""So many are enough to tell a bend from chance."""


def contributions(uncertain: Iterable[Uncertain], draws: Draws, times: Reals) -> list[Contribution]:
    """The shares of the variance of *times*, one for each of the first *draws*, that constants make, largest first.

    Formula: cov(f(z), t) / var(t), with z the score of the constant and f what it adds in a regression of the times t
    on all scores and, where there are draws enough, on their squares. The shares sum to the R² of that regression, so
    to 1 at most, and a constant that plays no part has none; one that offsets another that it is correlated with has a
    negative one. What is missing to 1 is what constants do together, and jumps.
    """
    import numpy as np  # noqa: PLC0415

    listed = list(uncertain)
    if not listed or np.ptp(times) <= 1e-12 * abs(times).max():
        return []
    scores = np.stack([draws.scores[one.name][: len(times)] for one in listed], axis=1)
    powers = (1, 2) if len(times) >= DRAWS_A_CONSTANT * len(listed) else (1,)
    terms = np.concatenate([scores**power for power in powers], axis=1)
    terms -= terms.mean(axis=0)
    around = times - times.mean()
    slopes = np.linalg.lstsq(terms, around, rcond=None)[0]
    shares: Any = (slopes * (terms.T @ around) / (around @ around)).reshape(len(powers), -1).sum(axis=0)
    found = [
        Contribution(constant=one.constant, fields=list(one.fields), variance_fraction=float(share))
        for one, share in zip(listed, shares, strict=True)
        if abs(share) >= LEAST_SHARE
    ]
    return sorted(found, key=lambda one: (-one.variance_fraction, one.constant.name))
