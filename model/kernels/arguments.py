"""What callers hand to a kernel, checked before its loop, and the rows that it fills."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError, shown

ALIGNED = 64
"""Bytes to whose multiples rows are aligned."""


def positive(name: str, given: Any) -> int:
    """The given count as an int; SpecError if it is no whole number or below 1."""
    try:
        count = index(given)
    except TypeError:
        count = 0
    if count < 1:
        raise SpecError(f"{name}: {shown(given)} is no whole number of at least 1")
    return count


def in_one_piece(count: int, kinds: Sequence[Any]) -> list[NDArray[Any]]:
    """Rows for so many of each kind in one piece of memory, which stays with the process for the next ones."""
    sizes = [-(-count * np.dtype(kind).itemsize // ALIGNED) * ALIGNED for kind in kinds]
    ends = np.cumsum(sizes)
    piece = np.empty(int(ends[-1]), np.uint8)
    parts = (piece[end - size : end] for end, size in zip(ends, sizes, strict=True))
    return [part.view(kind)[:count] for part, kind in zip(parts, kinds, strict=True)]
