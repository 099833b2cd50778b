"""Mean values of closed networks with several classes of work, such as programs that share processors and disks.

A class has its own users, think times and service times. Stations serve first come, first served.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

MOST_STATES = 100
"""Populations beyond which the approximation replaces the recursion."""
ROUNDS = 500
CLOSE = 1e-8


@dataclass(frozen=True, slots=True)
class Visits:
    """What one cycle of a class asks of a station."""

    times: float
    service_s: float
    """Of one visit, at one of its servers."""
    at_once: float = 1.0
    """Servers that one visit asks at the same time; it ends with the last of them."""
    scv: float = 1.0
    """Squared coefficient of variation of the service."""


@dataclass(frozen=True, slots=True)
class Station:
    """Equal servers; a visit needs one that its place decides, or takes any that is free."""

    servers: int = 1
    takes_any: bool = False
    begun_s: float = 0.0
    """Mean rest of a service for work that waits behind the classes: its load times (1 + c²)/2 of its service."""
    arriving_load: float = 0.0
    """Load of work that arrives whatever the classes do, and waits in the same queue."""


class ClassMeans(NamedTuple):
    """What one class sees."""

    cycles_per_s: float
    wait_s: tuple[float, ...]
    """Of one visit to each station."""
    load: tuple[float, ...]
    """Share of each station's capacity."""
    in_station: tuple[float, ...]
    """Its visits that wait or are served at each station."""
    users: float


def mean_values_of_classes(
    users: Sequence[float],
    rest_s: Sequence[float],
    visits: Sequence[Sequence[Visits]],
    stations: Sequence[Station],
) -> list[ClassMeans]:
    """Each class of a closed network: *users*, seconds of a cycle outside the stations, and *visits* to each station.

    An arrival finds the queue of a network with one user less of its class, and waits for the service of each
    [reiser-lavenberg-1980]. Exact for exponential service with the same mean for all classes at a station of one
    server; approximate otherwise [lazowska-1984]. Beyond some hundred populations a class with one user less is (N -
    1)/N of it [bard-1979, schweitzer-1979].
    """
    whole = all(number == int(number) for number in users)
    if whole and prod(int(number) + 1 for number in users) <= MOST_STATES:
        return _recursion([int(number) for number in users], rest_s, visits, stations)
    means = [_empty(len(stations)) for _ in users]
    for _ in range(ROUNDS):
        next_means = []
        for own, number in enumerate(users):
            less = [
                _scaled(each, max(0.0, 1 - 1 / number)) if rank == own and number else each
                for rank, each in enumerate(means)
            ]
            next_means.append(_one(own, number, rest_s[own], visits, stations, less))
        change = max(
            abs(new.cycles_per_s - old.cycles_per_s) / max(new.cycles_per_s, CLOSE)
            for new, old in zip(next_means, means, strict=True)
        )
        means = [_between(new, old) for new, old in zip(next_means, means, strict=True)]
        if change < CLOSE:
            break
    return means


def _recursion(
    users: list[int],
    rest_s: Sequence[float],
    visits: Sequence[Sequence[Visits]],
    stations: Sequence[Station],
) -> list[ClassMeans]:
    """All populations from none to *users*, each from those with one user less."""
    nothing = [_empty(len(stations)) for _ in users]
    states: dict[tuple[int, ...], list[ClassMeans]] = {}
    for present in product(*(range(number + 1) for number in users)):
        states[present] = [
            _one(
                own,
                number,
                rest_s[own],
                visits,
                stations,
                states[(*present[:own], number - 1, *present[own + 1 :])],
            )
            if number
            else nothing[own]
            for own, number in enumerate(present)
        ]
    return states[tuple(users)]


def _one(
    own: int,
    users: float,
    rest_s: float,
    visits: Sequence[Sequence[Visits]],
    stations: Sequence[Station],
    less: Sequence[ClassMeans],
) -> ClassMeans:
    """One class that finds the others as they are with one of its users less."""
    if not users:
        return _empty(len(stations))
    waits = tuple(
        _wait_s(place, station, visits, less) if visits[own][place].times else 0.0
        for place, station in enumerate(stations)
    )
    mine = visits[own]
    cycle_s = rest_s + sum(
        each.times * (each.service_s + wait * last_of(each.at_once))
        for each, wait in zip(mine, waits, strict=True)
    )
    cycles = users / cycle_s
    return ClassMeans(
        cycles,
        waits,
        tuple(
            cycles * each.times * each.at_once * each.service_s / station.servers
            for each, station in zip(mine, stations, strict=True)
        ),
        tuple(
            cycles * each.times * each.at_once * (each.service_s + wait)
            for each, wait in zip(mine, waits, strict=True)
        ),
        users,
    )


def _wait_s(
    place: int, station: Station, visits: Sequence[Sequence[Visits]], less: Sequence[ClassMeans]
) -> float:
    """Wait of a visit for the service of all that it finds, at one server."""
    ahead_s = 0.0
    for asks, means in zip(visits, less, strict=True):
        each = asks[place]
        busy = means.load[place]
        ahead_s += each.service_s * (means.in_station[place] / station.servers - busy * (1 - each.scv) / 2)
    if station.takes_any and station.servers > 1:
        each_s = _mean(
            [(means.load[place], asks[place].service_s) for asks, means in zip(visits, less, strict=True)]
        )
        present = [(means.in_station[place], means.users) for means in less]
        return each_s * _waiting_before(station.servers, present) / station.servers
    return (station.begun_s + max(0.0, ahead_s)) / (1 - station.arriving_load)


def _mean(weighed: Sequence[tuple[float, float]]) -> float:
    weight = sum(share for share, _ in weighed)
    return sum(share * value for share, value in weighed) / weight if weight else 0.0


def _waiting_before(servers: int, present: Sequence[tuple[float, float]]) -> float:
    """Services that have to end before one of *servers* is free: E(n - m + 1)+, n users there by chance each.

    *present* has of each class the mean there, and its users.
    """
    chances = [1.0, *[0.0] * (servers - 1)]
    for mean, users in present:
        if not mean:
            continue
        share = min(1.0, mean / users)
        if share == 1.0:
            own = [float(count == round(users)) for count in range(servers)]
        else:
            own = [(1 - share) ** users]
            for count in range(1, servers):
                own.append(max(0.0, own[-1] * (users - count + 1) / count * share / (1 - share)))
        chances = [
            sum(chances[other] * own[count - other] for other in range(count + 1)) for count in range(servers)
        ]
    free = sum((servers - 1 - count) * chance for count, chance in enumerate(chances))
    return max(0.0, sum(mean for mean, _ in present) - (servers - 1) + free)


def last_of(at_once: float) -> float:
    """Mean of the longest of n exponential waits over that of one: the harmonic number, linear in between."""
    whole = int(at_once)
    return sum(1 / rank for rank in range(1, whole + 1)) + (at_once - whole) / (whole + 1)


def _empty(stations: int) -> ClassMeans:
    return ClassMeans(0.0, (0.0,) * stations, (0.0,) * stations, (0.0,) * stations, 0.0)


def _scaled(means: ClassMeans, share: float) -> ClassMeans:
    return means._replace(
        load=tuple(share * amount for amount in means.load),
        in_station=tuple(share * amount for amount in means.in_station),
        users=share * means.users,
    )


def _between(new: ClassMeans, old: ClassMeans) -> ClassMeans:
    def mean(first: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
        return tuple((left + right) / 2 for left, right in zip(first, other, strict=True))

    return ClassMeans(
        (new.cycles_per_s + old.cycles_per_s) / 2,
        mean(new.wait_s, old.wait_s),
        mean(new.load, old.load),
        mean(new.in_station, old.in_station),
        new.users,
    )
