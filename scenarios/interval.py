"""The interval of a mean over replications."""

from __future__ import annotations

from typing import Any, Final

from blocktime.model.laws import students_t

CONFIDENCE: Final = 0.95


def half_width(values: Any) -> Any:
    """Half of the interval that holds the mean of *values* with confidence CONFIDENCE, along their last axis.

    Formula: t × s / √n with Student's t for n - 1 degrees of freedom; at least two values.
    """
    import numpy as np

    outcomes = np.asarray(values, float)
    count = outcomes.shape[-1]
    return np.std(outcomes, axis=-1, ddof=1) / count**0.5 * students_t.quantile(CONFIDENCE, count - 1)
