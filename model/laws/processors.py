"""Cores, their hardware threads, and what contention for a latch or a buffer costs those that run at once."""

from __future__ import annotations

from math import exp, inf
from typing import NamedTuple

from model.laws.numeric import Number, larger, smaller


def capacity_cores(busy: Number, cores: Number, threads: Number, gain_fraction: Number) -> Number:
    """Work that *busy* runnable threads do a second, in that of lone threads [smt-gain].

    A thread alone on its core does 1; from there to all threads busy a core gains *gain_fraction* in a straight line.
    """
    alone = smaller(busy, cores)
    shared = smaller(larger(0.0, busy - cores), cores * (threads - 1))
    return alone + gain_fraction * shared / larger(1, threads - 1)


def thread_speed(busy: Number, cores: Number, threads: Number, gain_fraction: Number) -> Number:
    """Speed of each of *busy* running threads, 1 for a thread alone on its core [smt-gain]."""
    running = larger(1, smaller(busy, cores * threads))
    return capacity_cores(running, cores, threads, gain_fraction) / running


class Contention(NamedTuple):
    """What one get of a contended latch or buffer costs beyond its hold, on average."""

    spin_s: float
    """CPU spent spinning."""
    wait_s: float
    """Time asleep."""
    waits: float
    """Times that it sleeps."""


def contention(running: int, between_s: float, hold_s: float, spin_s: float) -> list[Contention]:
    """For 0 to *running* processes on processors: what one get costs, of a latch that each wants every *between_s*.

    The processes are the users of a closed queue whose service is the hold, by mean value analysis
    [reiser-lavenberg-1980]. Who finds it taken spins up to *spin_s*, then sleeps; the wait counts as exponential.
    """
    found = [Contention(0.0, 0.0, 0.0)]
    inside = 0.0
    for _ in range(running):
        response_s = hold_s * (1 + inside)
        throughput_per_s = (len(found)) / (between_s + response_s) if between_s + response_s else inf
        wait_s = response_s - hold_s
        taken = min(1.0, inside)
        asleep = exp(-spin_s * taken / wait_s) if wait_s > 0 else 0.0
        found.append(Contention(wait_s * (1 - asleep), wait_s * asleep, taken * asleep))
        inside = throughput_per_s * response_s if hold_s else 0.0
    return found
