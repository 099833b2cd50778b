"""Writes that come in bursts beside reads: how many one finds there, and what they cost those who come and go."""

from __future__ import annotations

from math import exp

LEAST = 1e-12
SMALL = 1e-6


def burst_requests(gathered: float, busy: float, most: float) -> float:
    """Requests of the burst that an arrival finds: *gathered* while nothing was written, and what came meanwhile.

    A burst of k takes a share *busy* = φ of the time until as many have come as are φ·k, which go down next, and so on
    until none has. Weighted by their length: (g + φ/(1 - φ))/(1 + φ), where g = 1 + *gathered* for arrivals by chance;
    *most* are under way at once [kleinrock-1975].
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

    Of the sweep a share f is left: with that chance it goes on past the arrival, which has half of the f·k ahead, and
    otherwise comes round to it after them all; (f/2 + 1 - f)·f, over all f.
    """
    return requests / 3


def met_fraction(burst_s: float, away_s: float) -> float:
    """Share of a burst that a program waits for which comes back within *away_s* by chance: 1 - (1 - e^-x)/x.

    x is the burst over *away_s*: who is away for long meets half of x on average, who comes at once waits for it all,
    and once: the next burst finds it again, so its wait is the work of the writes, not of those found at random.
    """
    if burst_s <= LEAST:
        return 0.0
    times = burst_s / max(away_s, LEAST * burst_s)
    if times < SMALL:
        return times / 2
    return 1 - (1 - exp(-times)) / times


def left_fraction(scv: float, service_s: float, gap_s: float, times: float) -> float:
    """What is left of a service under way as another request comes: (1 + c²)/2 of it by chance [kleinrock-1975].

    A program that comes *times* finds, coming back within *gap_s* of a service of its own, one that began as that ended
    and has all of it left, as where programs share a processor; *scv* is c².
    """
    again = max(0.0, 1 - 1 / max(times, LEAST)) * met_fraction(service_s, gap_s)
    return again + (1 - again) * (1 + scv) / 2


def found_behind(users: float, per_s: float, burst_s: float, load: float) -> float:
    """Mean number of requests behind a burst that an arrival finds, where each of so many users waits for one of them.

    k of them come while it lasts, the users at most, and find (k - 1)/2; of all that come *per_s* these are a share of
    k·φ/(T·λ), for bursts of T that take a share *load* = φ of the time. Arrivals by chance find what is there on
    average; users of a closed network all wait, and nobody comes.
    """
    coming = min(users, per_s * burst_s)
    if coming <= 1 or burst_s <= LEAST:
        return 0.0
    return load * coming * (coming - 1) / (2 * per_s * burst_s)
