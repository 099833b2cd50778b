"""Exact queues with the times of every request, first come, first served.

The float operations are those of :class:`model.state.servers.Servers`, in its order. No clock and no draw is in here:
who calls hands in the times drawn.
"""

from __future__ import annotations

from heapq import heapreplace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from model.errors import SpecError, shown
from model.kernels import Kernel
from model.kernels.given import positive

Times = NDArray[np.float64]


class Served(NamedTuple):
    """When the service of each request began and ended, in the order of arrival."""

    begin_s: Times
    end_s: Times


class Cycles(NamedTuple):
    """The requests of all users, in the order of arrival."""

    user: NDArray[np.int64]
    arrival_s: Times
    begin_s: Times
    end_s: Times


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


def closed_queue(think_s: ArrayLike, service_s: ArrayLike, servers: int = 1) -> Cycles:
    """Users who think, queue for one of *servers* equal servers and think again, all from time 0.

    ``think_s[u, i]`` is what user u thinks before its request i; *service_s* has a time for each request in the order
    of arrival, of users who arrive at once the lower first. Each makes as many requests as *think_s* has columns, so at
    the end some are done while others still queue. Raises :class:`SpecError` for times that are no times.
    """
    think, service = _times("think_s", think_s, 2), _times("service_s", service_s, 1)
    servers = positive("servers", servers)
    if think.size != service.size:
        raise SpecError(
            f"service_s has {service.size} times for {think.size} of think_s; give one to each request"
        )
    if not think.size:
        raise SpecError(
            f"think_s is empty, {think.shape[0]} users by {think.shape[1]} requests; give one at least"
        )
    return Cycles(*users_in_turns.for_requests(think.size)(think, service, min(servers, len(think))))


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

    NOTE: ``heapreplace`` is written out: numba's takes twice as long.
    """
    begin_s, end_s = np.empty_like(arrival_s), np.empty_like(arrival_s)
    free_at = np.full(2 * servers + 1, np.inf)  # what lies below the heap never gets free
    free_at[:servers] = 0.0
    for k in range(arrival_s.size):
        begin_s[k] = max(free_at[0], arrival_s[k])
        end_s[k] = begin_s[k] + service_s[k]
        place = 0
        while True:
            left, right = 2 * place + 1, 2 * place + 2
            sooner = right if free_at[right] < free_at[left] else left
            if free_at[sooner] >= end_s[k]:
                break
            free_at[place] = free_at[sooner]
            place = sooner
        free_at[place] = end_s[k]
    return begin_s, end_s


@Kernel
def users_in_turns(
    think_s: Times, service_s: Times, servers: int
) -> tuple[NDArray[np.int64], Times, Times, Times]:
    """Users, arrivals, begins and ends, the next arrival of each user in a heap."""
    users, cycles = think_s.shape
    user = np.empty(service_s.size, dtype=np.int64)
    arrival_s, begin_s, end_s = np.empty_like(service_s), np.empty_like(service_s), np.empty_like(service_s)
    free_at = [0.0] * servers
    coming = [(think_s[u, 0], u) for u in range(users)]
    coming.sort()
    requests = [0] * users
    for k in range(service_s.size):
        arrival_s[k], u = coming[0]
        begin_s[k] = max(free_at[0], arrival_s[k])
        end_s[k] = begin_s[k] + service_s[k]
        heapreplace(free_at, end_s[k])
        user[k] = u
        requests[u] += 1
        again = end_s[k] + think_s[u, requests[u]] if requests[u] < cycles else np.inf
        heapreplace(coming, (again, u))
    return user, arrival_s, begin_s, end_s


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
