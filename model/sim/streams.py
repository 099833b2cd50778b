"""One named random stream per mechanism, so that a new mechanism does not shift the draws of an old one."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from blocktime.model.chance import STREAMS


def stream(seed: int, name: str) -> np.random.Generator:
    """The stream *name* of the run with that seed."""
    STREAMS.get(set()).add(name)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),))))


DRAWN_AT_ONCE = 4096
LEAST_CV = 1e-6  # below this, a gamma distribution is too narrow for the precision of a float


def varied(mean: float, cv: float, draws: np.random.Generator) -> Iterator[float]:
    """Values with that mean and coefficient of variation: gamma-distributed, exponential where it is 1."""
    while True:
        yield from varied_at_once(mean, cv, draws, DRAWN_AT_ONCE).tolist()


def varied_at_once(mean: float, cv: float, draws: np.random.Generator, count: int) -> NDArray[np.float64]:
    """The first *count* of them."""
    if cv < LEAST_CV or mean == 0:
        return np.full(count, mean, float)
    return gamma(mean, cv, draws, count)


def gamma(mean: float, cv: float, draws: np.random.Generator, count: int) -> NDArray[np.float64]:
    """*count* of them at once."""
    return draws.gamma(1 / cv**2, mean * cv**2, count)


def uniform(draws: np.random.Generator) -> Iterator[float]:
    """Uniform draws from [0, 1)."""
    while True:
        yield from draws.random(DRAWN_AT_ONCE).tolist()
