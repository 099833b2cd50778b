"""From one run to a mean with an interval: where the warm-up ends, and how sure the rest is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


class Estimate(NamedTuple):
    """A mean and half of its interval."""

    mean: float
    half: float


def estimate(means: NDArray[np.float64]) -> Estimate:
    """Mean of batch means, and half of its 95 % interval by Student's t over some ten to twenty long batches.

    Batches that follow each other are correlated, so neighbours are joined until there are few [law-kelton-2000].
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (scipy.stats takes a second to import)

    many = len(means)
    joined = max(1, many // (2 * LEAST_BATCHES))
    batches = many // joined
    if batches < 2:
        return Estimate(float(np.mean(means)), np.inf)
    used = means[many - batches * joined :].reshape(batches, joined).mean(axis=1)
    half = float(stdtrit(batches - 1, 0.5 + CONFIDENCE / 2)) * float(np.std(used, ddof=1)) / batches**0.5
    return Estimate(float(np.mean(used)), half)
