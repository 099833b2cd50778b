"""Cores, their hardware threads, and the cost of contention for a latch or a buffer."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf
from typing import Final, NamedTuple

from blocktime.model.laws.numeric import Number, ceiling, larger, smaller, where

FULL_SPEED: Final = 2
"""Busy cores that each run at the clock of a single busy core [turbo-bins]."""


LEAST_FREE: Final = 0.01
"""Part of a thread that other programs leave at least."""


class Cores(NamedTuple):
    """Processors and how they share what they have in common."""

    cores: Number
    threads_per_core: Number
    smt_gain_fraction: Number
    """Extra throughput of a core with all its threads busy, compared with one thread [smt-gain]."""
    busy_loss_fraction: Number
    """By how much a core of a large processor is slower while all are busy than while it is the only one [turbo-bins].
    """
    others: Number = 0.0
    """Hardware threads that other programs of the host keep busy."""

    @property
    def all_threads(self) -> Number:
        """Hardware threads: what the operating system calls processors."""
        return self.cores * self.threads_per_core

    @property
    def threads(self) -> Number:
        """Hardware threads on which the modelled work can run, a part of one among them."""
        return ceiling(self.all_threads - self.others)

    def busy_fraction(self, running: float) -> float:
        """Busy share of all hardware threads, where the modelled work runs on so many of them on average."""
        return float(min(1.0, (running + self.others) / self.all_threads))

    def left_fraction(self, busy_fraction: float) -> float:
        """Busy share of what other programs leave, where that of all hardware threads is *busy_fraction*."""
        return float((busy_fraction * self.all_threads - self.others) / (self.all_threads - self.others))


def capacity_cores(busy: Number, host: Cores) -> Number:
    """Work per second of *busy* runnable threads, in units of a single thread on the machine, in cores."""
    return smaller(busy, host.threads) * thread_speed(busy, host)


def thread_speed(busy: Number, host: Cores) -> Number:
    """Speed of each of *busy* running threads, 1 for a thread alone on the machine [smt-gain, turbo-bins].

    Others run beside them. Where both are more than the threads, those that the others leave are shared.
    """
    running = larger(1, smaller(busy, host.threads))
    speed = speed_of(
        running + host.others, host.cores, host.threads_per_core, host.smt_gain_fraction, host.busy_loss_fraction
    )
    return speed * smaller(1.0, larger(LEAST_FREE, host.all_threads - host.others) / running)


@lru_cache
def speeds_of(host: Cores) -> tuple[float, ...] | None:
    """Speed of each of the running threads, by how many run, from 0 to all; None where all are as fast as one alone."""
    import numpy as np

    speeds = thread_speed(np.arange(int(host.threads) + 1), host).tolist()
    return None if speeds[-1] == 1 else tuple(speeds)


def capacity_at(busy: Number, cores: Number, threads_per_core: Number, gain: Number, loss: Number) -> Number:
    """Work per second of *busy* threads on such :class:`Cores`.

    b threads on separate cores do b·(1 - loss·(b - 2)/cores): two busy cores keep the clock of one; then the clock
    falls with every busy core, and cores share memory and last-level cache [turbo-bins]. Each further thread adds its
    part of the gain of a core's other threads [smt-gain], at most as much as the last core.
    """
    alone = smaller(busy, cores)
    shared = smaller(larger(0.0, busy - cores), cores * (threads_per_core - 1))
    each = gain * (1 - _lost(cores, cores, loss)) / larger(1, threads_per_core - 1)
    last_core = 1 - where(cores > FULL_SPEED, loss * (2 * cores - FULL_SPEED - 1) / cores, 0.0)
    return alone * (1 - _lost(alone, cores, loss)) + shared * smaller(each, last_core)


def _lost(busy: Number, cores: Number, loss: Number) -> Number:
    """By how much each of *busy* cores is slower than one alone; one core more never makes the others slower."""
    return loss * larger(0.0, busy - FULL_SPEED) / cores


def speed_of(busy: Number, cores: Number, threads_per_core: Number, gain: Number, loss: Number) -> Number:
    """Speed of each of *busy* threads on such :class:`Cores`."""
    running = larger(1, smaller(busy, cores * threads_per_core))
    return capacity_at(running, cores, threads_per_core, gain, loss) / running


class Contention(NamedTuple):
    """What one get of a contended latch or buffer costs beyond its hold, on average."""

    spin_s: float
    """CPU spent spinning."""
    wait_s: float
    """Time asleep."""
    waits: float
    """Times that it sleeps."""


def contention(running: int, between_s: float, hold_s: float, spin_s: float) -> list[Contention]:
    """Cost of one get for 0 to *running* processes on processors that each take a latch every *between_s*.

    The processes are the users of a closed queue whose service time is the hold time, by mean value analysis
    [reiser-lavenberg-1980]. A process that finds the latch busy spins up to *spin_s*, then sleeps; waits are
    exponential.
    """
    contentions = [Contention(0.0, 0.0, 0.0)]
    inside = 0.0
    for _ in range(running):
        response_s = hold_s * (1 + inside)
        throughput_per_s = (len(contentions)) / (between_s + response_s) if between_s + response_s else inf
        wait_s = response_s - hold_s
        taken = min(1.0, inside)
        asleep = exp(-spin_s * taken / wait_s) if wait_s > 0 else 0.0
        contentions.append(Contention(wait_s * (1 - asleep), wait_s * asleep, taken * asleep))
        inside = throughput_per_s * response_s if hold_s else 0.0
    return contentions
