"""Queues in closed form, and laws for every queue, which simulations are held to.

λ is the arrivals per second, S the mean service time, m the servers, ρ = λS/m their load, N the users, Z the mean think
time. Times are exponential unless stated otherwise, and service is first come, first served. An open queue with a load
of 1 or more has no mean: a number then raises :class:`OutsideLaw`, and an array holds ``inf``.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.numeric import Number, larger, largest, smaller, where

"""Smallest remaining share of a server's capacity, for laws that divide by it."""


def in_system(throughput_per_s: Number, response_s: Number) -> Number:
    """Little's law: mean number in a system, XR; with the wait alone, the number of waiting requests [little-1961]."""
    return throughput_per_s * response_s


def utilisation_fraction(throughput_per_s: Number, service_s: Number, servers: Number = 1) -> Number:
    """Utilisation law: share of the time that each server is busy, XS/m [lazowska-1984]."""
    return throughput_per_s * service_s / servers


def mg1_wait_s(arrivals_per_s: Number, service_s: Number, service_scv: Number) -> Number:
    """Mean wait in M/G/1, by Pollaczek and Khinchine: (1 + c²)/2 · Sρ/(1 - ρ) [kleinrock-1975].

    *service_scv* is c², the variance of the service time over the square of its mean: 1 in M/M/1, 0 in M/D/1.
    """
    load = utilisation_fraction(arrivals_per_s, service_s)
    return (1 + service_scv) / 2 * service_s * load * _stretch(load)


class ClosedQueue(NamedTuple):
    """What users who think and queue in turns see, and what their servers do."""

    throughput_per_s: Number
    response_s: Number
    """Wait and service."""
    utilisation_fraction: Number
    """Of each server."""
    in_system: Number
    """Waiting or in service."""


def machine_repair(users: Number, think_s: Number, service_s: Number, servers: Number = 1) -> ClosedQueue:
    """M/M/m//N: at least one user; each user thinks, queues for one of the servers, and thinks again [jain-1991].

    Exact; by sums of positive terms only, so that thousands of users or servers lose no digits.
    """
    busy, present = 0.0, 0.0
    for count, full in _fillings(users, lambda others: think_s / others, service_s, servers):
        busy = busy + full * (smaller(count, servers) - busy)
        present = present + full * (count - present)
    return ClosedQueue(busy / service_s, present * service_s / busy, busy / servers, present)


class Network(NamedTuple):
    """What users see who visit the stations of a closed network in turns."""

    throughput_per_s: Number
    """Cycles of all users."""
    response_s: Number
    """Of one cycle, without the thinking."""
    in_station: tuple[Number, ...]
    """Waiting or in service at each station."""


def mean_values(
    users: int,
    demands_s: Sequence[Number],
    think_s: Number = 0.0,
    servers: Sequence[int] | None = None,
    alike: Sequence[Number] | None = None,
    variation: Sequence[Number] | None = None,
) -> Network:
    """Mean values of a closed network with one class of users, exact for exponential service [reiser-lavenberg-1980].

    *demands_s* is the service that one cycle needs at each station, above 0. *servers* is the number of servers of
    each, 1 by default. *alike* is the number of equal stations of one server that share the demand, if more than one.
    *variation* is the squared coefficient of variation of their service, 1 by default: an arrival waits (1 + c²)/2 of a
    service for the request in service [lazowska-1984]. Stations of one server follow the recursion R = D(1 + Q), with Q
    of one user less. Stations of several servers are added one after another; each sees the rest as one server with a
    rate that depends on its queue [chandy-herzog-woo-1975]: the usual recursion over load-dependent stations cancels,
    and is 4% off for 100 users of four busy servers.
    """
    counts = servers or [1] * len(demands_s)
    single = {
        place: _Single(demand, (alike or counts)[place], 1 if variation is None else variation[place])
        for place, (demand, count) in enumerate(zip(demands_s, counts, strict=True))
        if count == 1
    }
    stations = list(enumerate(zip(demands_s, counts, strict=True)))
    states = _single_servers(users, single, think_s)
    for place, (demand_s, count) in stations:
        if count > 1:
            states = _joined(states, place, demand_s, count)
    spacing_s, inside = states[users]
    in_station = tuple(inside[place] for place, _ in stations)
    return Network(1 / spacing_s, sum(in_station) * spacing_s, in_station)


class _State(NamedTuple):
    """A network with so many users."""

    spacing_s: Number
    """Between the cycles of all users."""
    inside: dict[int, Number]
    """Users at each station."""


class _Single(NamedTuple):
    """A demand on a station of one server, or on any of some equal ones."""

    demand_s: Number
    alike: Number
    variation: Number

    def residence_s(self, present: Number, spacing_s: Number) -> Number:
        """Wait and service of who finds so many *present* in all, and a service ended each *spacing_s*."""
        begun = self.demand_s / spacing_s  # of those present
        return self.demand_s * (1 + (present - begun * (1 - self.variation) / 2) / self.alike)


def _single_servers(users: int, stations: dict[int, _Single], think_s: Number) -> list[_State]:
    """States with 0 to *users* users, by mean value analysis."""
    states = [_State(inf, dict.fromkeys(stations, 0.0))]
    for present in range(1, users + 1):
        spacing_s, inside = states[-1]
        residence_s = {place: station.residence_s(inside[place], spacing_s) for place, station in stations.items()}
        spacing_s = (think_s + sum(residence_s.values())) / present
        states.append(_State(spacing_s, {place: time / spacing_s for place, time in residence_s.items()}))
    return states


def _joined(rest: list[_State], place: int, demand_s: Number, servers: int) -> list[_State]:
    """The states with one station more: the chance of k users there weighs what the rest does without those k."""
    states = [_State(inf, rest[0].inside | {place: 0.0})]
    for users in range(1, len(rest)):
        busy, present, inside = 0.0, 0.0, rest[users].inside
        for count, full in _fillings(users, lambda elsewhere: rest[elsewhere].spacing_s, demand_s, servers):
            busy = busy + full * (min(count, servers) - busy)
            present = present + full * (count - present)
            without = rest[users - count].inside
            inside = {other: mean + full * (without[other] - mean) for other, mean in inside.items()}
        states.append(_State(demand_s / busy, inside | {place: present}))
    return states


def _stretch(load: Number) -> Number:
    """1/(1 - ρ), infinite in an array from a load of 1 on."""
    full = _below_one(load) >= 1
    return where(full, inf, 1 / where(full, 1, 1 - load))


def _below_one(load: Number) -> Number:
    """The load; a number of 1 or more is refused."""
    if not getattr(load, "ndim", 0) and load >= 1:
        raise OutsideLaw(f"a load of {load:g} has no steady state; an open queue needs one below 1")
    return load


def _fillings(
    users: Number, spacing_s: Callable[[Number], Number], demand_s: Number, servers: Number
) -> Iterator[tuple[int, Number]]:
    """For k = 1 to N: k, and the chance that k users are at a station, given that no more than k are.

    *spacing_s* is the time between two arrivals while that many users are elsewhere. From p(k)/p(k - 1), the rates of
    birth and death, in the way of Erlang's B; a mean over the states is a running one, m += chance · (value - m).
    """
    chance = 1.0
    for present in range(1, int(largest(users)) + 1):
        arriving = chance * demand_s
        leaving = smaller(present, servers) * spacing_s(larger(1, users - present + 1))
        chance = arriving / (arriving + leaving)
        yield present, where(present <= users, chance, 0.0)


def mmc_waiting_fraction(arrivals_per_s: Number, service_s: Number, servers: Number) -> Number:
    """Share of requests that wait in M/M/m, Erlang's C [kleinrock-1975]; in an array, 1 from full load on.

    C = B/(1 - ρ(1 - B)) from Erlang's B, and B by its recursion over the servers, which neither overflows nor cancels.
    """
    load = _below_one(utilisation_fraction(arrivals_per_s, service_s, servers))
    load = where(load > 1, 1, load)
    blocking = 1.0
    for count in range(1, int(largest(servers)) + 1):
        turned_away = load * servers * blocking
        blocking = where(count <= servers, turned_away / (count + turned_away), blocking)
    return blocking / (1 - load * (1 - blocking))


def mmc_wait_s(arrivals_per_s: Number, service_s: Number, servers: Number) -> Number:
    """Mean wait in M/M/m: C · S/m(1 - ρ) [kleinrock-1975]."""
    waiting_fraction = mmc_waiting_fraction(arrivals_per_s, service_s, servers)
    return waiting_fraction * _stretch(utilisation_fraction(arrivals_per_s, service_s, servers)) * service_s / servers
