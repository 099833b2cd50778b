"""Draws of what is uncertain together: normal in the logarithms, spread evenly, the same for a name and a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from blocktime.model.catalog import CORRELATIONS
from blocktime.model.errors import SpecError
from blocktime.scenarios.load import library, library_data

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Reals = NDArray[Any]


FIRST_BLOCK: Final = 64
"""Draws of the first Latin hypercube."""
LEAST_VARIANCE: Final = 1e-6
"""A direction in which scores vary less is none."""


class Draws(NamedTuple):
    """Standard normal scores by name, one for each draw."""

    scores: dict[str, Reals]
    seed: int
    correlations: Reals
    """Of the names in the order of *scores*."""

    def directions(self, names: Sequence[str]) -> Reals:
        """The principal directions of *names*, a column each: what one independent score moves each of them by."""
        import numpy as np

        places = [list(self.scores).index(name) for name in names]
        values, vectors = np.linalg.eigh(self.correlations[np.ix_(places, places)])
        significant = values > LEAST_VARIANCE
        directions: Reals = vectors[:, significant] * np.sqrt(values[significant])
        return directions


def drawn(names: Sequence[str], correlations: Mapping[frozenset[str], float], draws: int, seed: int) -> Draws:
    """*draws* draws of what is called *names*; scores are correlated as the constants' logarithms are.

    Latin hypercubes [mckay-1979], each name with random numbers of its own, so that it has the same draws whatever is
    drawn beside it. Every power of 4 from 64 on ends one, so that the first quarter of the draws is as even as all.
    """
    import numpy as np

    matrix = correlation_matrix(names, correlations)
    if not names:
        return Draws({}, seed, matrix)
    shares = np.stack([_even(draws, np.random.default_rng([seed, crc32(name.encode())])) for name in names])
    scores = np.fromiter(map(NormalDist().inv_cdf, shares.ravel()), float, shares.size).reshape(shares.shape)
    return Draws(dict(zip(names, _root(matrix) @ scores, strict=True)), seed, matrix)


def _even(draws: int, rng: Generator) -> Reals:
    """Shares within 0 and 1 in random order: one in each of as many equal parts as there are shares, block by block."""
    import numpy as np

    columns, begin, end = [], 0, FIRST_BLOCK
    while begin < draws:
        size = min(end, draws) - begin
        columns.append((rng.permutation(size) + rng.uniform(1e-6, 1 - 1e-6, size)) / size)
        begin, end = begin + size, 4 * end
    return np.concatenate(columns)


def correlation_matrix(names: Sequence[str], correlations: Mapping[frozenset[str], float]) -> Reals:
    """Correlations of the constants *names* as a matrix, changed as little as makes it one of any constants at all.

    Small correlations are not kept in the catalog, and without them no constants may have the others: then negative
    eigenvalues are taken as 0, and the diagonal is brought back to 1.
    """
    import numpy as np

    matrix: Reals = np.eye(len(names))
    places = {name: place for place, name in enumerate(names)}
    for pair, correlation in correlations.items():
        if pair <= places.keys():
            row, other = (places[name] for name in pair)
            matrix[row, other] = matrix[other, row] = correlation
    values, vectors = np.linalg.eigh(matrix)
    if values.size and values.min() < 0:
        matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
        scale = np.sqrt(np.diag(matrix))
        matrix = matrix / np.outer(scale, scale)
    return matrix


def correlated(matrix: Reals, independent: Reals) -> list[Reals]:
    """Scores with the correlations in *matrix* from *independent* ones, a row each; the same where that is 1."""
    import numpy as np

    first = [int(np.argmax(row == 1)) for row in matrix]
    distinct = sorted(set(first))
    rows = _root(matrix[np.ix_(distinct, distinct)]) @ independent[: len(distinct)]
    return [rows[distinct.index(place)] for place in first]


def _root(matrix: Reals) -> Reals:
    """The symmetric square root, which a matrix without an inverse has too."""
    import numpy as np

    values, vectors = np.linalg.eigh(matrix)
    root: Reals = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def check_inputs(correlations: Mapping[frozenset[str], float]) -> None:
    """Raises :class:`SpecError` where a pair names an input that no library scenario has from a fit."""
    for name in {name for pair in correlations for name in pair if name.startswith("scenario/")}:
        scenario, _, field = name.removeprefix("scenario/").partition(": ")
        inferred = library_data(scenario).get("inferred", ()) if scenario in library() else ()
        if field not in [entry["field"] for entry in inferred]:
            raise SpecError(f"{CORRELATIONS}: no library scenario has the fitted input {name}")
