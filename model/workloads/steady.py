"""From one run to a mean with an interval: where the warm-up ends, and how sure the rest is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocktime.model.laws import students_t

LEAST_BATCHES = 10
CONFIDENCE = 0.95


def warm_up_batches(means: NDArray[np.float64]) -> int:
    """Batches to leave out at the begin, by MSER: those without which the mean's standard error is least [white-1997].

    Never more than half of them.
    """
    count = len(means)
    if count < 2 * LEAST_BATCHES:
        return 0
    rest = np.arange(count, 0, -1)
    total, squares = np.cumsum(means[::-1])[::-1], np.cumsum(means[::-1] ** 2)[::-1]
    error = (squares - total**2 / rest) / rest**2
    error = error[: count // 2 + 1]
    # NOTE: of cuts as good as the best but for rounding, the first
    return int(np.argmax(error <= error.min() + 1e-12 * (squares[0] / count) / count))


class MeanEstimate(NamedTuple):
    """A mean, and how far its interval reaches below and above it."""

    mean: float
    below: float
    above: float

    @property
    def half(self) -> float:
        """How far the interval reaches on its longer side."""
        return max(self.below, self.above)


def estimate(means: NDArray[np.float64]) -> MeanEstimate:
    """Mean of batch means, and its 95 % interval by Student's t over some twenty to forty long batches.

    Batches that follow each other are correlated, so neighbours are joined until there are few [law-kelton-2000]. Where
    few take long the mean of a run is oftener below the true one, and with it the spread: the interval then reaches
    further up [willink-2005].
    """
    used = _joined(means)
    if len(used) < 2:
        return MeanEstimate(float(np.mean(means)), np.inf, np.inf)
    mean, freedom = float(np.mean(used)), len(used) - 1
    error = float(np.std(used, ddof=1)) / len(used) ** 0.5
    t, skewness = students_t.quantile(CONFIDENCE, freedom), _skewness_of_mean(means - np.mean(means))
    below, above = (error * max(t, abs(students_t.skewed(end, skewness))) for end in (t, -t))
    return MeanEstimate(mean, below, above)


def _skewness_of_mean(off: NDArray[np.float64]) -> float:
    """Third standardised moment of the mean of values that stand *off* theirs by so much; 0 of fewer than three."""
    count, variance = len(off), float(np.mean(off**2))
    if count <= 2 or variance <= 0:
        return 0.0
    return float(np.mean(off**3) / variance**1.5 * np.sqrt(count - 1) / (count - 2))


def _joined(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of few batches, each of neighbours; those that are too many are left out at the begin."""
    batch_count = len(means)
    joined = max(1, batch_count // (2 * LEAST_BATCHES))
    batches = batch_count // joined
    latest: NDArray[np.float64] = means[batch_count - batches * joined :]
    means_of_batches: NDArray[np.float64] = latest.reshape(batches, joined).mean(axis=1)
    return means_of_batches
