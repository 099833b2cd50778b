"""How a time depends on the constants, from simulations of a few sets of them.

The sets lie in opposite pairs along perpendicular directions through the constants' own values, as far from them as
draws typically are [genz-monahan-1998]. So each is as likely as a draw, and constants that hang together move together.
Two runs a constant tell a response that is linear in the logarithms exactly. The fit has one bend more; what it leaves
of a run is drawn with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[Any]

LEAST_PAIRS: Final = 12
"""Fewer pairs of runs say too little about what is not linear."""


class Response(NamedTuple):
    """The logarithm of a time over that with the constants' own values, of independent standard normal scores."""

    slopes: Reals
    bend: float
    """Of the square of the score along the slopes."""
    lift: float
    """Of the squares of all scores, as a mean of them."""
    remainders: Reals
    """What this leaves of each run."""

    def logs(self, scores: Reals) -> Reals:
        """Logarithms by the fit alone, where *scores* has a row for each direction and a column for each set."""
        linear = self.slopes @ scores
        along = self.slopes @ self.slopes or 1.0
        logs: Reals = linear + self.bend * linear**2 / along + self.lift * (scores**2).mean(axis=0)
        return logs

    def factors(self, scores: Reals, seed: int) -> Reals:
        """Times over that with the constants' own values, each with the remainder of a run that is drawn by *seed*."""
        import numpy as np  # noqa: PLC0415

        count = scores.shape[1]
        random = np.random.default_rng([seed, crc32(b"remainders of runs")])
        places = random.permutation(count) * len(self.remainders) // count
        factors: Reals = np.exp(self.logs(scores) + self.remainders[places])
        return factors


def directions(size: int, seed: int) -> Reals:
    """Independent standard normal scores of the runs, a column each; the second half is opposite to the first.

    Columns of random orthogonal matrices. Several of them have lengths that are quantiles of the chi distribution;
    the mean square of a score is 1.
    """
    import numpy as np  # noqa: PLC0415
    from scipy.special import gammaincinv  # noqa: PLC0415

    count = -(-LEAST_PAIRS // size)
    squares = 2 * gammaincinv(size / 2, (np.arange(count) + 0.5) / count)
    squares *= size / squares.mean()
    random = np.random.default_rng([seed, crc32(b"directions of runs")])
    half = np.concatenate(
        [square**0.5 * _orthogonal(random.standard_normal((size, size))) for square in squares], axis=1
    )
    return np.concatenate([half, -half], axis=1)


def _orthogonal(matrix: Reals) -> Reals:
    """An orthogonal matrix, each as likely as any other where the numbers of *matrix* are normal [stewart-1980]."""
    import numpy as np  # noqa: PLC0415

    directions_of, triangle = np.linalg.qr(matrix)
    orthogonal: Reals = directions_of * np.sign(np.diag(triangle))
    return orthogonal


def fitted(design: Reals, logs: Reals, chance_sd: float = 0.0) -> Response:
    """The response that *logs*, a number for each column of *design*, tell by least squares.

    Remainders are made smaller by what chance, whose standard deviation in one run is *chance_sd*, makes of them: it is
    in the interval of the answer already.
    """
    import numpy as np  # noqa: PLC0415

    half = len(logs) // 2
    points = design[:, :half]
    odd, even = (logs[:half] - logs[half:]) / 2, (logs[:half] + logs[half:]) / 2
    slopes = np.linalg.lstsq(points.T, odd, rcond=None)[0]
    along = slopes @ points
    terms = np.stack([along**2 / (slopes @ slopes or 1.0), (points**2).mean(axis=0)], axis=1)
    bend, lift = np.linalg.lstsq(terms, even, rcond=None)[0]
    response = Response(slopes, float(bend), float(lift), np.zeros(len(logs)))
    remainders = logs - response.logs(design)
    square = float((remainders**2).mean())
    kept = max(0.0, 1 - chance_sd**2 / square) ** 0.5 if square else 0.0
    return response._replace(remainders=kept * remainders)
