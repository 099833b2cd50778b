"""Student's t, for intervals of means over few values."""

from __future__ import annotations

from functools import lru_cache
from math import cbrt, cos, pi, sin, sqrt, tan

HALVINGS = 60
NO_SKEWNESS = 1e-6
"""Below this, rounding exceeds the effect of skewness."""


@lru_cache(maxsize=1024)
def quantile(confidence: float, freedom: int) -> float:
    """The t whose interval ±t has this *confidence* with these degrees of freedom [zelen-severo-1964].

    NOTE: scipy has this function, but its import takes half a second, as long as many runs.
    """
    low, high = 0.0, pi / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < confidence else (low, middle)
    return sqrt(freedom) * tan((low + high) / 2)


def within(angle: float, freedom: int) -> float:
    """Chance of a t within ±√n·tan(*angle*): a finite series in the cosine for a whole number n [zelen-severo-1964]."""
    square, odd = cos(angle) ** 2, freedom % 2
    term = total = cos(angle) if odd else 1.0
    for power in range(2 + odd, freedom - 1, 2):
        term *= (power - 1) / power * square
        total += term
    if not odd:
        return sin(angle) * total
    return 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0.0))


def skewed(t: float, skewness: float) -> float:
    """The t of a mean whose distribution has *skewness*, in place of the *t* of a symmetric one.

    With a = skewness/6: ((1 + 6a(t - a))^(1/3) - 1)/(2a) [willink-2005]. The interval extends from the mean minus the
    value of t to the mean minus the value of -t, in standard errors.
    """
    a = skewness / 6
    return t if abs(a) < NO_SKEWNESS else (cbrt(1 + 6 * a * (t - a)) - 1) / (2 * a)
