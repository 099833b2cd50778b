"""Garbage collection of flash: what it writes again so that blocks can be erased, and what that takes of a drive.

A block of flash is erased as a whole. Before, its pages that still count are written elsewhere; by then random
overwriting has left fewer of them the more flash a drive has beyond what it holds [desnoyers-2012].
"""

from __future__ import annotations

from math import e
from typing import Any

from model.laws.numeric import Number, larger, smaller
from model.units import KIB

STEPS = 60
"""Newton's steps; they begin above the root of a concave function, never pass it, and double the digits in the end."""
RUN_REQUESTS = 8
"""Requests in order from which on a drive keeps a run together, which leaves nothing to write elsewhere when it is
written again [general knowledge]."""
HOLE_BYTES = 64 * KIB
"""Bytes that a write in order may leave out before the next [general knowledge]."""
LEAST = 1e-9


def amplification(physical_ratio: Number) -> Number:
    """Bytes that flash writes for one that is written at random: 1/(1 - u), u = e^(-r (1 - u)) [desnoyers-2012].

    *physical_ratio* r is all flash over what holds data. u is the share of a block that still counts when its turn
    comes: while r bytes went to flash for each that is held, r (1 - u) of them were new, each at a random place.
    Collecting the fullest blocks last saves little where blocks have many pages [xiang-kurkoski-2012].
    """
    stale: Number = 1.0
    for _ in range(STEPS):
        kept = e ** (-physical_ratio * stale)
        stale = stale - (1 - stale - kept) / (physical_ratio * kept - 1)
    return 1 / larger(LEAST, stale)


def drive_amplification(disk: Any) -> Number:
    """Amplification of random writes in a steady state; 1 for a drive whose spare flash is not known."""
    if disk.spare_fraction is None:
        return 1.0
    return amplification((1 + disk.spare_fraction) / disk.used_fraction)


def erased_bytes(disk: Any) -> Number:
    """Bytes that a drive takes before it has to collect: of a fresh one all that holds no data, else none."""
    if disk.spare_fraction is None or not disk.fresh:
        return 0.0
    return disk.capacity_bytes * (1 + disk.spare_fraction - disk.used_fraction)


def collected_s(disk: Any, size_bytes: Number, run_requests: Number, cells_bytes_per_s: Number) -> Number:
    """Time that a write, one of so many in order, takes of the cells, what is written again for it included."""
    extra = (drive_amplification(disk) - 1) * smaller(1.0, RUN_REQUESTS / run_requests)
    return size_bytes * (1 + extra) / cells_bytes_per_s
