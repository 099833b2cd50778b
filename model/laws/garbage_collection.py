"""Garbage collection of flash: the data written again before an erase, and their cost for a drive.

A drive erases a block of flash as a whole and first writes its valid pages elsewhere. The more spare flash a drive has,
the fewer valid pages remain after random overwrites [desnoyers-2012].
"""

from __future__ import annotations

from math import e

from blocktime.model.laws.disk_fields import DiskFields
from blocktime.model.laws.numeric import Number, larger, smaller
from blocktime.model.units import KIB

STEPS = 60
"""Newton's steps; they start above the root of a concave function, never pass it, and double the digits at the end."""
RUN_REQUESTS = 8
"""Sequential requests that a drive stores together, so that their rewrite leaves no valid pages [general knowledge]."""
HOLE_BYTES = 64 * KIB
"""Largest gap in bytes between two sequential writes [general knowledge]."""
LEAST = 1e-9


def amplification(physical_ratio: Number) -> Number:
    """Bytes that flash writes for each byte written at random: 1/(1 - u), u = e^(-r (1 - u)) [desnoyers-2012].

    *physical_ratio* r is all flash over the flash that holds data. u is the valid share of a block at its erase. While
    r bytes go to flash for each stored byte, r (1 - u) of them are new, each at a random place. Collecting the fullest
    blocks last saves little if blocks have many pages [xiang-kurkoski-2012].
    """
    stale: Number = 1.0
    for _ in range(STEPS):
        valid = e ** (-physical_ratio * stale)
        stale = stale - (1 - stale - valid) / (physical_ratio * valid - 1)
    return 1 / larger(LEAST, stale)


def drive_amplification(disk: DiskFields) -> Number:
    """Amplification of random writes in a steady state; 1 for a drive with unknown spare flash."""
    if disk.spare_fraction is None:
        return 1.0
    return amplification((1 + disk.spare_fraction) / disk.used_fraction)


def erased_bytes(disk: DiskFields) -> Number:
    """Bytes that a drive accepts before garbage collection: all flash without data if it is fresh, else none."""
    if disk.spare_fraction is None or not disk.fresh:
        return 0.0
    return disk.capacity_bytes * (1 + disk.spare_fraction - disk.used_fraction)


def collected_s(disk: DiskFields, size_bytes: Number, run_requests: Number, cells_bytes_per_s: Number) -> Number:
    """Time of the cells for one of *run_requests* writes in order, including the data written again for it."""
    extra = (drive_amplification(disk) - 1) * smaller(1.0, RUN_REQUESTS / run_requests)
    return size_bytes * (1 + extra) / cells_bytes_per_s
