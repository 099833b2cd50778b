"""How a time depends on the constants, from simulations of a few sets of them.

Two runs for each principal direction of what is uncertain, at both ends of its 95 % interval: constants that are known
together move together. The logarithm of the time is the sum of these effects. A few runs more move everything at once,
in opposite pairs as far out as draws typically are [genz-monahan-1998]; what the sum leaves of them is drawn with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[Any]


class Response(NamedTuple):
    """The logarithm of a time over that with the constants' own values, of independent standard normal scores."""

    lows: Reals
    """With the score of each direction at the low end."""
    highs: Reals
    end: float
    """That score."""
    scale: float
    """What all effects are made larger by, as runs with all of them show; at least 1."""
    remainders: Reals
    """What this leaves of the runs that move everything."""

    def logs(self, scores: Reals) -> Reals:
        """Logarithms by the effects alone; *scores* has a row for each direction and a column for each set."""
        effects = _effects(self.lows[:, None], self.highs[:, None], scores / self.end)
        logs: Reals = self.scale * effects.sum(axis=0)
        return logs

    def factors(self, scores: Reals, seed: int) -> Reals:
        """Times over that with the constants' own values, each with the remainder of a run that is drawn by *seed*."""
        import numpy as np

        count = scores.shape[1]
        random = np.random.default_rng([seed, crc32(b"remainders of runs")])
        places = random.permutation(count) * len(self.remainders) // count
        factors: Reals = np.exp(self.logs(scores) + self.remainders[places])
        return factors


def design(size: int, pairs: int, end: float, seed: int) -> Reals:
    """Scores of the runs, a column each: *size* directions at -*end*, then at *end*, then pairs of all together.

    The latter are columns of random orthogonal matrices [stewart-1980], such that the mean square of a score is 1.
    """
    import numpy as np

    alone = end * np.eye(size)
    random = np.random.default_rng([seed, crc32(b"directions of runs")])
    matrices = [_orthogonal(random.standard_normal((size, size))) for _ in range(-(-pairs // size))]
    together = size**0.5 * np.concatenate(matrices, axis=1)[:, :pairs]
    return np.concatenate([-alone, alone, together, -together], axis=1)


def fitted(scores: Reals, logs: Reals, end: float, chance_sd: float = 0.0) -> Response:
    """The response that *logs*, a number for each column of a design, tell.

    Where chance has the standard deviation *chance_sd* in one run, remainders are smaller by its part: it is in the
    interval of the answer already.
    """
    import numpy as np

    size = len(scores)
    lows, highs, together = logs[:size], logs[size : 2 * size], logs[2 * size :]
    response = Response(lows, highs, end, 1.0, np.zeros_like(together))
    effects = response.logs(scores[:, 2 * size :])
    scale = max(1.0, float(effects @ together / (effects @ effects or 1.0)))
    remainders = together - scale * effects
    square = float((remainders**2).mean())
    signal = max(0.0, 1 - chance_sd**2 / square) ** 0.5 if square else 0.0
    return response._replace(scale=scale, remainders=signal * remainders)


def _effects(low: Reals, high: Reals, place: Reals) -> Reals:
    """The effect at *place*, where it is *low* at -1, 0 at 0 and *high* at 1: monotone between them, then straight on.

    Formula: a cubic Hermite spline with the slopes of [fritsch-butland-1984].
    """
    import numpy as np

    below, above = -low + 0 * place, high + 0 * place
    is_monotone = below * above > 0
    middle = np.where(is_monotone, 2 * below * above / np.where(is_monotone, below + above, 1.0), 0.0)
    is_high = place > 0
    chord, other = np.where(is_high, above, below), np.where(is_high, below, above)
    slope = (3 * chord - other) / 2
    slope = np.where(slope * chord <= 0, 0.0, slope)
    slope = np.where((chord * other < 0) & (abs(slope) > 3 * abs(chord)), 3 * chord, slope)
    share = np.minimum(abs(place), 1.0)
    within = chord * (3 - 2 * share) * share**2 + middle * share * (share - 1) ** 2
    within += slope * share**2 * (share - 1)
    effects: Reals = np.where(is_high, 1, -1) * (within + chord * (abs(place) - share))
    return effects


def _orthogonal(matrix: Reals) -> Reals:
    """An orthogonal matrix, each as likely as any other where the numbers of *matrix* are normal [stewart-1980]."""
    import numpy as np

    columns, triangle = np.linalg.qr(matrix)
    orthogonal: Reals = columns * np.sign(np.diag(triangle))
    return orthogonal
