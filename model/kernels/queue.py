"""Exact queues with the times of every request, first come, first served.

The float operations are those of :class:`model.machine.device.servers.Servers`, in its order. No clock and no draw is
in here: who calls hands in the times drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocktime.model.laws.processors import Cores, thread_speed
from blocktime.model.loops import fastest, queue
from blocktime.model.loops.rows import free_servers, row

Times = NDArray[np.float64]
Ranks = NDArray[np.int64]
PILES = 512
LEAST_SPREAD = 1e-290  # PILES over less is infinite


on_their_way, picked = fastest(queue.on_their_way), fastest(queue.picked)


class CallPath(NamedTuple):
    """What a call that arrives meets: a processor, room in the queue, a server."""

    call_s: float
    """At a processor; 0 where it needs none."""
    processors: int
    speeds: Sequence[float] | None
    """Of a thread, by how many run; None where all are as fast as one alone."""
    servers: int
    room: int
    """Requests that the queue holds, those being served among them: no fewer than servers."""


class Summed(NamedTuple):
    """What calls took, each from its arrival to its end, and all together at the device."""

    response_s: Times
    end_s: float
    """When the last one is done."""
    held_s: float
    """In queue and service, over all requests."""
    busy_s: float
    """With a request in queue or service."""
    cpu_s: float
    """Of processors, over all calls."""


@lru_cache
def speeds_of(host: Cores) -> tuple[float, ...] | None:
    """Speed of each of the running threads, by how many run, from 0 to all; None where all are as fast as one alone."""
    speeds = thread_speed(np.arange(int(host.threads) + 1), host).tolist()
    return None if speeds[-1] == 1 else tuple(speeds)


def summed_queue(gaps: Times, gap_s: float, services: Times, service_s: float, way: CallPath) -> Summed:
    """Calls that arrive after given gaps and take given times of a server, summed up on their way; both as factors.

    The float operations are those of :class:`model.machine.device.servers.Threads` for the processors and of
    :class:`model.machine.device.servers.Servers`, which calls take in the order in which they reach them.
    """
    calls = gaps.size
    took_s = way.call_s / np.array(way.speeds or (1.0,) * (way.processors + 1))
    left_s, arrival_s = np.zeros((2, way.processors + calls))
    worked_s, came_up_s, response_s = np.empty((3, calls))
    rows = (left_s, worked_s, free_servers(min(way.servers, calls)), came_up_s, arrival_s, response_s)
    sums = on_their_way(row(gaps), gap_s, row(services), service_s, row(took_s), way.room, *map(row, rows))
    cpu_s = float(worked_s.sum()) if way.speeds else way.call_s * calls
    return Summed(response_s, *sums, cpu_s)


def quantiles(values: Times, shares: Iterable[float]) -> Times:
    """What ``np.quantile`` finds between the values next to each of *shares*, in an eighth of its time."""
    ranks, below, above, part = _between(values.size, tuple(shares))
    ends = at_ranks(values, ranks)
    low, high = ends[below], ends[above]
    return np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))


@lru_cache
def _between(size: int, shares: tuple[float, ...]) -> tuple[Ranks, Ranks, Ranks, Times]:
    """Ranks about those shares of so many values, in order; where the two of each share are, and which part between."""
    places = (size - 1) * np.array(shares)
    below = places.astype(np.int64)
    above = np.minimum(below + 1, size - 1)
    ranks, at = np.unique((below, above), return_inverse=True)
    first, second = at.reshape(2, -1)
    return ranks, first, second, places - below


def at_ranks(values: Times, ranks: Ranks) -> Times:
    """The values that would stand at ascending *ranks* if all were sorted; only piles that hold one of them are."""
    values, places = np.ascontiguousarray(values), ranks.copy()
    lowest, highest = float(values.min()), float(values.max())
    per_pile = PILES / (highest - lowest) if highest - lowest > LEAST_SPREAD else 0.0
    few, piles = np.empty_like(values), np.zeros(PILES + 1, np.int64)
    few = few[: picked(row(values), lowest, per_pile, row(piles), row(places), row(few))]
    few.sort()
    ranked: Times = few[places]
    return ranked
