"""Alike sessions of one statement that take turns at the device and at the processors.

N sessions begin within B seconds and need A seconds each alone; a station (the device, the processors) works D of them
for each. Service is first come, first served and nearly even, so the sessions spread out after their first turns and
then wait only where N·D exceeds A: the bounds of closed systems are reached [lazowska-1984].
"""

from __future__ import annotations

from typing import Final, NamedTuple

from model.laws.device import NEAR_BYTES
from model.laws.numeric import Number, larger, log, smaller, where

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
"""Kernels from which on a processor is shared evenly, and by slices of one length."""
QUANTUM_S: Final = 0.1
LATENCY_S: Final = 6e-3
GRANULARITY_S: Final = 0.75e-3
MOST_COUNTED: Final = 8


def slice_s(release: tuple[int, ...], processors: Number, runnable: Number) -> Number:
    """How long a process keeps a processor that others want, where so many are *runnable* [linux-sched].

    A share of the scheduler's latency, a granule at least; both grow with the processors: 1 + log2, of 8 at most.
    Before that 100 ms, and since 6.6 a granule.
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
    """B: mean time between the first and the last of *users* begins at random within *within_s*: T·(N - 1)/(N + 1)."""
    return within_s * (users - 1) / (users + 1)


def ends_s(users: Number, alone_s: Number, begins_s: Number, station: Station) -> Ends:
    """Mean and last end at one station: last = max(A + E, N·D + rest), mean = last - (E + B)/2.

    E is the time between the first end and the last: B, or a last turn of all others. While sessions still begin, and
    when some are done, fewer than A/D are there, and the station idles for B·(A/D - 1)/(N - 1), B at most.
    """
    others = larger(1, users - 1)
    ends = larger(begins_s, (users - 1) * station.turn_s)
    idle = smaller(begins_s, begins_s * (alone_s / larger(1e-300, station.demand_s) - 1) / others)
    last = larger(alone_s + ends, users * station.demand_s + larger(station.rest_s, idle))
    return Ends(last - (ends + begins_s) / 2, last)


def lead_fraction(users: Number, alone_s: Number, device_s: Number, begins_s: Number) -> Number:
    """How far the first session is ahead of the last when all have begun, as a share of its work.

    It is alone at first; with more than n = A/D sessions each goes on at n over their number of its own speed.
    """
    alone = smaller(1.0, alone_s / larger(1e-300, users * device_s))
    return smaller(1.0, begins_s / alone_s * alone * (1 - log(alone)))


def following_fraction(
    users: Number, lead_reads: Number, read_bytes: Number, positioned_fraction: Number
) -> Number:
    """Share of reads that go on where the device's last one ended, of *users* sessions that all read one file.

    They take turns; the first of them is *lead_reads* reads ahead of the last. While that is less than one, all read
    the same place but the one that begins the next turn, and goes on. Else those go on that are ahead of the one before
    them, by no more than NEAR_BYTES and without a jump of the file's own, which *positioned_fraction* of the reads are.
    """
    near = smaller(1 + NEAR_BYTES // larger(1, read_bytes), 0.5 / larger(1e-9, positioned_fraction))
    ahead = where(lead_reads > 1, (1 - 1 / larger(1, lead_reads)) / 2, 0.0)
    within = 1 - (1 - smaller(1, near / larger(1e-9, lead_reads))) ** 2
    return (1 + larger(0, users - 2) * ahead) / users * within


def following_parts_fraction(users: Number, part_bytes: Number, read_bytes: Number) -> Number:
    """The same of *users* sessions that read adjacent parts of a file.

    A read goes on after one of an earlier part that ends no more than NEAR_BYTES before it. Of the pairs of parts that
    are d apart there are N - d.
    """
    most = smaller(users - 1, (NEAR_BYTES + read_bytes) // larger(1, part_bytes))
    return most * (users - (most + 1) / 2) / larger(1, users * (users - 1))


def stretches_of(blocks: float, each_blocks: float) -> int:
    """In how many stretches a session works on *blocks* blocks that need no read."""
    return min(MOST_STRETCHES, max(1, round(blocks / each_blocks)))
