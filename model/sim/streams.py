"""One named random stream per mechanism, so that a new mechanism does not shift the draws of an old one."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """The stream *name* of the run with that seed."""
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),)))
    )
