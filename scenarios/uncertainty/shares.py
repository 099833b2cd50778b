"""Which constants, and which of the model's own errors, make the variance of a time, and how much of it each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from blocktime.model.provenance import Constant
from blocktime.model.results import Contribution

if TYPE_CHECKING:
    from blocktime.scenarios.uncertainty.draws import Reals

LEAST_SHARE: Final = 0.005
"""What makes less of the variance is not told of."""
DRAWS_A_CONSTANT: Final = 16
"""So many are enough to tell a bend from chance."""


class Origin(NamedTuple):
    """One origin of uncertainty, a constant or the model's own error for a mechanism, with its scores in each draw."""

    scores: tuple[Reals, ...]
    constant: Constant | None = None
    fields: tuple[str, ...] = ()
    mechanism: str = ""
    extrapolated: bool = False


def contributions(origins: Iterable[Origin], times: Reals) -> list[Contribution]:
    """How much of the variance of *times*, one for each draw, would go if an origin were known.

    Formula: the adjusted R² of a regression of the times on the origin's scores and, where there are draws enough,
    their squares: var(E[t | z]) / var(t), a first-order index of it together with what is correlated with it
    [saltelli-2010]. So each is within 0 and 1, largest first; of constants that are correlated each takes what they
    have in common, and the shares may sum to more than 1. What chance alone would give counts as none.
    """
    import numpy as np

    listed = list(origins)
    if not listed or np.ptp(times) <= 1e-12 * abs(times).max():
        return []
    around = times - times.mean()
    draws = len(times)
    powers = (1, 2) if draws >= DRAWS_A_CONSTANT * len(listed) else (1,)
    contributions_of = []
    for origin in listed:
        terms = np.stack([scores[:draws] ** power for scores in origin.scores for power in powers], axis=1)
        terms -= terms.mean(axis=0)
        left = around - terms @ np.linalg.lstsq(terms, around, rcond=None)[0]
        unexplained = (left @ left) / (around @ around) * (draws - 1) / (draws - 1 - terms.shape[1])
        share = float(max(0.0, 1 - unexplained))
        if share >= LEAST_SHARE:
            contributions_of.append(
                Contribution(
                    constant=origin.constant, fields=list(origin.fields), mechanism=origin.mechanism,
                    extrapolated=origin.extrapolated, variance_fraction=share,
                )
            )  # fmt: skip
    return sorted(contributions_of, key=lambda contribution: (-contribution.variance_fraction, contribution.name))
