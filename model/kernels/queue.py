"""Exact queues with the times of every request, first come, first served.

The float operations are those of :class:`model.machine.device.servers.Servers`, in its order. No clock and no draw is
in here: who calls hands in the times drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from model.errors import SpecError, shown
from model.kernels import Kernel
from model.kernels.given import positive

Times = NDArray[np.float64]
PILES = 2048
LEAST_SPREAD = 1e-290  # PILES over less is infinite


class Served(NamedTuple):
    """When the service of each request began and ended, in the order of arrival."""

    begin_s: Times
    end_s: Times


class Way(NamedTuple):
    """What a call that arrives meets: a processor, room in the queue, a server."""

    call_s: float
    """At a processor; 0 where it needs none."""
    processors: int
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


def open_queue(arrival_s: ArrayLike, service_s: ArrayLike, servers: int = 1) -> Served:
    """Requests that arrive at given times, which never go back, and take given times of one of *servers* equal servers.

    One server is Lindley's recursion [lindley-1952], several are Kiefer and Wolfowitz's [kiefer-wolfowitz-1955].
    Raises :class:`SpecError` for times that are no times.
    """
    arrival, service = _times("arrival_s", arrival_s, 1), _times("service_s", service_s, 1)
    servers = positive("servers", servers)
    if arrival.size != service.size:
        raise SpecError(
            f"service_s has {service.size} times for {arrival.size} of arrival_s; give one to each request"
        )
    back = arrival[1:] < arrival[:-1]
    if back.any():
        at = int(back.argmax())
        raise SpecError(
            f"arrival_s goes back from {arrival[at]:g} s to {arrival[at + 1]:g} s after {at + 1} requests; sort it"
        )
    if servers == 1:
        return Served(*one_server.for_requests(arrival.size)(arrival, service))
    return Served(*several_servers.for_requests(arrival.size)(arrival, service, min(servers, arrival.size)))


def summed_queue(gap_s: Times, service_s: Times, way: Way) -> Summed:
    """Calls that arrive after given gaps and take given times of a server, summed up on their way.

    The float operations are those of :func:`open_queue` for the processors and once more for the servers.
    """
    loop = on_their_way.for_requests(gap_s.size)
    return Summed(*loop(gap_s, service_s, way._replace(servers=min(way.servers, gap_s.size))))


def quantiles(values: Times, shares: Iterable[float]) -> Times:
    """What ``np.quantile`` finds between the values next to each of *shares*, in a quarter of its time."""
    places = (values.size - 1) * np.array(list(shares))
    below = places.astype(np.int64)
    above = np.minimum(below + 1, values.size - 1)
    found = at_ranks.for_requests(values.size)(values, np.concatenate((below, above)))
    low, high = found[: below.size], found[below.size :]
    part = places - below
    return np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))


@Kernel
def one_server(arrival_s: Times, service_s: Times) -> tuple[Times, Times]:
    """Begins and ends at one server."""
    begin_s, end_s = np.empty_like(arrival_s), np.empty_like(arrival_s)
    free_at = 0.0
    for k in range(arrival_s.size):
        begin_s[k] = max(free_at, arrival_s[k])
        free_at = begin_s[k] + service_s[k]
        end_s[k] = free_at
    return begin_s, end_s


@Kernel
def several_servers(arrival_s: Times, service_s: Times, servers: int) -> tuple[Times, Times]:
    """Begins and ends at servers whose times of getting free lie in a heap.

    NOTE: ``heapreplace`` is written out: numba's takes twice as long. The sooner child is added up, not branched to:
    no processor foresees which one it is.
    """
    begin_s, end_s = np.empty_like(arrival_s), np.empty_like(arrival_s)
    free_at = np.full(2 * servers + 1, np.inf)  # what lies below the heap never gets free
    free_at[:servers] = 0.0
    for k in range(arrival_s.size):
        begin_s[k] = max(free_at[0], arrival_s[k])
        end_s[k] = begin_s[k] + service_s[k]
        place = 0
        while True:
            left = 2 * place + 1
            sooner = left + int(free_at[left + 1] < free_at[left])
            if free_at[sooner] >= end_s[k]:
                break
            free_at[place] = free_at[sooner]
            place = sooner
        free_at[place] = end_s[k]
    return begin_s, end_s


@Kernel
def on_their_way(gap_s: Times, service_s: Times, way: Way) -> tuple[Times, float, float, float]:
    """Responses, the last end, time held and time busy.

    Work of one length frees the processors in the order in which it took them, so they stand in a ring. Servers stand
    in a heap as in :func:`several_servers`. What comes up there are the ends in their order, after a 0 for each server:
    by the time call k takes the earliest server, all ends that its place in the queue may have waited for came up.
    """
    call_s, processors, servers, room = way
    response_s, came_up_s = np.empty_like(gap_s), np.empty_like(gap_s)
    ring = np.zeros(processors)
    free_at = np.full(2 * servers + 1, np.inf)  # what lies below the heap never gets free
    free_at[:servers] = 0.0
    turn = 0
    arrival_s = last_s = held_s = busy_s = 0.0
    for k in range(gap_s.size):
        arrival_s += gap_s[k]
        queued_s = arrival_s
        if call_s > 0:
            queued_s = max(ring[turn], arrival_s) + call_s
            ring[turn] = queued_s
            turn = turn + 1 if turn + 1 < processors else 0
        came_up_s[k] = free_at[0]
        end_s = max(free_at[0], queued_s) + service_s[k]
        place = 0
        while True:
            left = 2 * place + 1
            sooner = left + int(free_at[left + 1] < free_at[left])
            if free_at[sooner] >= end_s:
                break
            free_at[place] = free_at[sooner]
            place = sooner
        free_at[place] = end_s
        if k >= room:
            queued_s = max(queued_s, came_up_s[k - room + servers])
        held_s += end_s - queued_s
        if end_s > last_s:
            busy_s += end_s - max(queued_s, last_s)
            last_s = end_s
        response_s[k] = end_s - arrival_s
    return response_s, last_s, held_s, busy_s


@Kernel
def at_ranks(values: Times, ranks: NDArray[np.int64]) -> Times:
    """The values that would stand at *ranks* if all were sorted; only piles that hold one of them are."""
    lowest = highest = values[0]
    for value in values:
        lowest, highest = min(lowest, value), max(highest, value)
    per_pile = PILES / (highest - lowest) if highest - lowest > LEAST_SPREAD else 0.0
    first = np.zeros(PILES + 2, np.int64)
    for value in values:
        first[int((value - lowest) * per_pile) + 1] += 1
    first = np.cumsum(first)
    wanted = np.zeros(PILES + 1, np.bool_)
    piles = np.searchsorted(first, ranks, side="right") - 1
    wanted[piles] = True
    few, many = np.empty_like(values), 0
    for value in values:
        few[many] = value  # and is overwritten where its pile is not wanted: no branch to foresee
        many += int(wanted[int((value - lowest) * per_pile)])
    few = np.sort(few[:many])
    left_out = np.cumsum(np.where(wanted, 0, first[1:] - first[:-1]))
    ranked: Times = few[ranks - left_out[piles]]
    return ranked


def _times(name: str, given: ArrayLike, dimensions: int) -> Times:
    """The given times as an array of that many dimensions; SpecError if one is negative, infinite or no number."""
    try:
        times: Times = np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise SpecError(f"{name}: {shown(given)} is no array of numbers") from error
    if times.ndim != dimensions:
        raise SpecError(f"{name} has {times.ndim} dimensions; {dimensions} are needed")
    if not (times.min(initial=0.0) >= 0 and times.max(initial=0.0) < np.inf):
        first = times[~((times >= 0) & (times < np.inf))][0]
        raise SpecError(f"{name} has a time of {first:g} s; every time must be finite and not negative")
    return times
