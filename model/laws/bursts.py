"""Writes in bursts beside reads: the number of writes that an arrival finds, and their cost for other requests."""

from __future__ import annotations

from math import exp

LEAST = 1e-12
SMALL = 1e-6


def burst_requests(gathered: float, busy: float, most: float) -> float:
    """Requests of the burst that an arrival finds: *gathered* ones while nothing was written, and later arrivals.

    A burst of k takes a share *busy* = φ of the time, in which φ·k more arrive. These form the next burst, until none
    arrives. Weighted by their length: (g + φ/(1 - φ))/(1 + φ), with g = 1 + *gathered* for random arrivals; at most
    *most* are in progress at once [kleinrock-1975].
    """
    if busy >= 1:
        return most
    return min(most, (1 + gathered + busy / (1 - busy)) / (1 + busy))


def found_ahead(requests: float, depth: float) -> float:
    """Mean requests of a burst ahead of an arrival, which passes all but *depth* of them: d - d²/2k, or k/2."""
    ahead = min(requests, depth)
    return ahead - ahead**2 / (2 * max(requests, LEAST))


def found_in_sweep(requests: float) -> float:
    """Mean requests of a burst ahead of an arrival at a random place of the sweep that serves both: k/3.

    A share f of the sweep remains. With probability f the sweep still passes the arrival, with half of the f·k ahead of
    it; otherwise it reaches the arrival after all of them: (f/2 + 1 - f)·f, over all f.
    """
    return requests / 3


def met_fraction(burst_s: float, away_s: float) -> float:
    """Share of a burst that delays a program that returns within a random *away_s*: 1 - (1 - e^-x)/x.

    x is the burst over *away_s*. A program that is away for long meets half of x on average; a program that returns at
    once waits for the whole burst, once per burst. Its wait is then the work of the writes.
    """
    if burst_s <= LEAST:
        return 0.0
    times = burst_s / max(away_s, LEAST * burst_s)
    if times < SMALL:
        return times / 2
    return 1 - (1 - exp(-times)) / times


def left_fraction(scv: float, service_s: float, gap_s: float, times: float) -> float:
    """Remainder of the service in progress at an arrival: (1 + c²)/2 of a service for random arrivals [kleinrock-1975].

    If a program with *times* requests returns within *gap_s* of its own service, it finds a service that started when
    its own ended and that remains in full, as with programs that share a processor; *scv* is c².
    """
    again = max(0.0, 1 - 1 / max(times, LEAST)) * met_fraction(service_s, gap_s)
    return again + (1 - again) * (1 + scv) / 2


def found_behind(users: float, per_s: float, burst_s: float, load: float) -> float:
    """Mean number of requests behind a burst that an arrival finds, if each of a number of users waits for one of them.

    k of them arrive during the burst, at most the users, and find (k - 1)/2. Of all arrivals *per_s* these are a share
    of k·φ/(T·λ), for bursts of T that take a share *load* = φ of the time. Random arrivals find the mean number; the
    users of a closed network all wait, so none arrives.
    """
    coming = min(users, per_s * burst_s)
    if coming <= 1 or burst_s <= LEAST:
        return 0.0
    return load * coming * (coming - 1) / (2 * per_s * burst_s)
