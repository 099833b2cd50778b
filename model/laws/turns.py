"""Turns of sessions at the processors: how long each has one, and the stretches that its work falls into."""

from __future__ import annotations

from typing import Final

from blocktime.model.laws.numeric import Number, larger, smaller, where

MOST_STRETCHES = 10_000


EVEN_SLICES: Final = (2, 6, 23)
BASE_SLICES: Final = (6, 6)
"""Kernels from which on processes share a processor evenly, and in slices of one length."""
QUANTUM_S: Final = 0.1
LATENCY_S: Final = 6e-3
GRANULARITY_S: Final = 0.75e-3
MOST_COUNTED: Final = 8


def slice_s(release: tuple[int, ...], processors: Number, runnable: Number) -> Number:
    """Time slice of a process on a processor that others want, with *runnable* processes [linux-sched].

    From 2.6.23 to 6.5 it is a share of the scheduler's latency, at least a granule; both grow with 1 + log2 of the
    processors, at most 8. Before 2.6.23 it is 100 ms, since 6.6 a granule.
    """
    if release < EVEN_SLICES:
        return QUANTUM_S
    factor = 1 + _floor_of_log2(smaller(MOST_COUNTED, processors))
    granule_s = GRANULARITY_S * factor
    if release >= BASE_SLICES:
        return granule_s
    return larger(granule_s, LATENCY_S * factor / larger(1, runnable / processors))


def _floor_of_log2(count: Number) -> Number:
    """Whole part of the logarithm to the base 2 of 1 to MOST_COUNTED."""
    return sum(where(count >= power, 1, 0) for power in (2, 4, 8))


def stretches_of(blocks: float, each_blocks: float) -> int:
    """Number of stretches in which a session works on *blocks* blocks without reads."""
    return min(MOST_STRETCHES, max(1, round(blocks / each_blocks)))
