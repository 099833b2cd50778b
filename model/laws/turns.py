"""Equal sessions of one statement that take turns at the device and at the processors.

N sessions start within B seconds and need A seconds each alone; a station (the device, the processors) serves each for
D of these. Service is first come, first served and nearly constant, so the sessions spread out after their first turns
and then wait only if N·D exceeds A: they reach the bounds of closed systems [lazowska-1984].
"""

from __future__ import annotations

from typing import Final, NamedTuple

from blocktime.model.laws.device import NEAR_BYTES
from blocktime.model.laws.numeric import Number, larger, log, smaller, where

MOST_STRETCHES = 10_000


class Station(NamedTuple):
    """What the sessions share; seconds of one session."""

    demand_s: Number
    """D: its service, over what it serves at a time."""
    turn_s: Number
    """Of that, the last turn."""
    rest_s: Number
    """What a session does elsewhere before its first turn here or after its last."""


class Ends(NamedTuple):
    """When the sessions are done."""

    mean_s: Number
    """From the begin of a session to its end."""
    last_s: Number
    """From the begin of the first session to the end of the last."""


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


def spread_s(within_s: Number, users: Number) -> Number:
    """B: mean time between the first and the last of *users* random starts within *within_s*: T·(N - 1)/(N + 1)."""
    return within_s * (users - 1) / (users + 1)


def ends_s(users: Number, alone_s: Number, begins_s: Number, station: Station) -> Ends:
    """Mean and last end at one station: last = max(A + E, N·D + rest), mean = last - (E + B)/2.

    E is the time between the first end and the last: B, or a last turn of all others. While sessions still start, and
    when some have ended, fewer than A/D are active, and the station idles for B·(A/D - 1)/(N - 1), at most B.
    """
    others = larger(1, users - 1)
    ends = larger(begins_s, (users - 1) * station.turn_s)
    idle = smaller(begins_s, begins_s * (alone_s / larger(1e-300, station.demand_s) - 1) / others)
    last = larger(alone_s + ends, users * station.demand_s + larger(station.rest_s, idle))
    return Ends(last - (ends + begins_s) / 2, last)


def lead_fraction(users: Number, alone_s: Number, device_s: Number, begins_s: Number) -> Number:
    """Lead of the first session over the last when all have started, as a share of its work.

    It is alone at first; with more than n = A/D sessions, each runs at its own speed times n over their number.
    """
    alone = smaller(1.0, alone_s / larger(1e-300, users * device_s))
    return smaller(1.0, begins_s / alone_s * alone * (1 - log(alone)))


def following_fraction(
    users: Number, lead_reads: Number, read_bytes: Number, positioned_fraction: Number
) -> Number:
    """Share of reads that continue the device's last read, for *users* sessions that all read one file.

    They take turns; the first of them is *lead_reads* reads ahead of the last. While that is less than one, all read
    the same place, except the session that starts the next round and continues. Otherwise a read continues if it is
    ahead of the read before it by at most NEAR_BYTES, without a jump in the file (*positioned_fraction*).
    """
    near = smaller(1 + NEAR_BYTES // larger(1, read_bytes), 0.5 / larger(1e-9, positioned_fraction))
    ahead = where(lead_reads > 1, (1 - 1 / larger(1, lead_reads)) / 2, 0.0)
    within = 1 - (1 - smaller(1, near / larger(1e-9, lead_reads))) ** 2
    return (1 + larger(0, users - 2) * ahead) / users * within


def following_parts_fraction(users: Number, part_bytes: Number, read_bytes: Number) -> Number:
    """The same share for *users* sessions that read adjacent parts of a file.

    A read continues a read of an earlier part that ends at most NEAR_BYTES before it. N - d pairs of parts have the
    distance d.
    """
    most = smaller(users - 1, (NEAR_BYTES + read_bytes) // larger(1, part_bytes))
    return most * (users - (most + 1) / 2) / larger(1, users * (users - 1))


def stretches_of(blocks: float, each_blocks: float) -> int:
    """Number of stretches in which a session works on *blocks* blocks without reads."""
    return min(MOST_STRETCHES, max(1, round(blocks / each_blocks)))
