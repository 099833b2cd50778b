"""The queue of several servers, which simulations are held to."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, largest, where
from blocktime.model.laws.queueing import _below_one, _stretch, utilisation_fraction


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
    return (
        waiting_fraction
        * _stretch(utilisation_fraction(arrivals_per_s, service_s, servers))
        * service_s
        / servers
    )
