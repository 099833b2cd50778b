"""Bounds by operational analysis: what no run does better than, whatever varies by chance [lazowska-1984].

A transaction takes a demand D of each resource: seconds of its capacity. No resource does more than all its time
allows, and no transaction is quicker than one that waits for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Final, NamedTuple

from blocktime.model.demand.transaction_demand import CPUS, REDO

FULLY_BUSY: Final = 0.99
"""Busy share from which on a resource is the bottleneck of its run."""
PASSES: Final = 40
NEAR: Final = 1e-9
LEAST_S: Final = 1e-12
"""Demand of a resource that nobody asks for, for laws that divide by it."""


class Bounds(NamedTuple):
    """Bounds of transactions at one load."""

    demands: Mapping[str, float]
    """Resource -> seconds of its capacity that a transaction takes where it saturates."""
    least_s: float
    """Response of a transaction that waits for nobody: seconds of all resources together."""
    think_s: float
    is_open: bool
    """Whether transactions arrive at a rate."""

    @property
    def bottleneck(self) -> str:
        """The resource that saturates first as load grows: that of the largest demand."""
        return max(self.demands, key=lambda name: self.demands[name])

    @property
    def ceiling_per_s(self) -> float:
        """Most transactions a second, however many users there are: 1/Dmax [lazowska-1984]."""
        return 1 / max(*self.demands.values(), LEAST_S)

    @property
    def saturation_users(self) -> float | None:
        """Users at whom the two bounds of throughput meet, (R + Z)/Dmax; None for arrivals."""
        if self.is_open:
            return None
        # NOTE: a lone user whose scan nobody disturbs may do more than many together
        return max(1.0, (self.least_s + self.think_s) / (1 / self.ceiling_per_s))

    def most_per_s(self, load: float) -> float:
        """Most transactions a second of *load* users, or arrivals a second: min(N/(R + Z), 1/Dmax) [lazowska-1984]."""
        if self.is_open:
            return min(load, self.ceiling_per_s)
        cycle_s = self.least_s + self.think_s
        return min(load / cycle_s if cycle_s else inf, self.ceiling_per_s)

    def least_response_s(self, load: float) -> float:
        """Least mean response of *load* users, or arrivals a second: max(R, N·Dmax - Z) seconds [lazowska-1984]."""
        if self.is_open:
            return self.least_s
        return max(self.least_s, load / self.ceiling_per_s - self.think_s)

    def of_run(self, per_s: float, utilisation: Mapping[str, float]) -> Bounds:
        """Bounds consistent with a run: its transactions a second X and the busy share U of each resource.

        CPU of consistent reads and spins grows with load: its demand is at least U/X. Disks sort and gather the more
        the more requests wait: their demands are those where they saturate, and U/X once they are busy all the time.
        The log gathers commits even then. No ceiling is below X, and what is busy all the time is the bottleneck: the
        others' demands are left out then.
        """
        full = {name for name in self.demands if utilisation.get(name, 0.0) >= FULLY_BUSY}
        demands = {}
        for name, demand_s in self.demands.items():
            is_measured = name == CPUS or (name in full and name != REDO)
            least_s = utilisation.get(name, 0.0) / per_s if is_measured else 0.0
            demands[name] = min(1 / per_s, max(demand_s, least_s))
        return self._replace(demands={name: demands[name] for name in demands if name in full} or demands)


def saturated(demands_at: Callable[[float], Mapping[str, float]], per_s: float) -> tuple[Mapping[str, float], float]:
    """Demands where the first resource saturates, and the throughput there: X with X·max D(X) = 1, from *per_s* on.

    *demands_at* has the demands at a throughput: consistent reads and spins grow with it, sorted requests shrink.
    """
    demands: Mapping[str, float] = {}
    for _ in range(PASSES):
        demands = demands_at(per_s)
        before, per_s = per_s, 1 / max(*demands.values(), LEAST_S)
        if abs(per_s - before) <= NEAR * per_s:
            break
    return demands, per_s
