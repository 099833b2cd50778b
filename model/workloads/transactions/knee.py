"""The knee: the bottleneck and its ceiling, where the first resource saturates, and as a run measured them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from blocktime.model.demand.transactions import DBWR, REDO, data_disk_name
from blocktime.model.laws import queueing
from blocktime.model.loops import fastest
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.network import (
    AT_DBWR,
    AT_DISK,
    AT_LOG,
    AT_PROCESSORS,
    CPUS,
    StateAtDevice,
    StateOnArrival,
    caused_at,
    closed,
    more_at,
    unhindered,
)
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.model.workloads.transactions.writers import disk_demands, due_at, reads_at_most

PASSES = 40
FULLY_BUSY = 0.99
"""Busy share from which on a resource is the bottleneck of its run."""
NEAR = 1e-9


class Knee(NamedTuple):
    """Where a system saturates."""

    bottleneck: str
    per_s: float
    """Throughput at which it does."""
    users: float | None
    """Users at whom the two bounds of throughput meet; None for arrivals."""
    alone_s: float
    """Response of a single user, or of arrivals that do not meet."""
    demands: dict[str, float]
    """Resource -> seconds of its capacity that a transaction takes where the bottleneck saturates."""
    think_s: float

    @property
    def held_back(self) -> int:
        """Where who is held back waits."""
        return {CPUS: AT_PROCESSORS, DBWR: AT_DBWR, REDO: AT_LOG}.get(self.bottleneck, AT_DISK)

    def of_run(self, per_s: float, utilisation: Mapping[str, float]) -> Knee:
        """The bottleneck and its ceiling, consistent with a run: its throughput X and busy shares U [lazowska-1984].

        CPU of consistent reads and spins grows with load: its demand is at least U/X. Disks sort and gather the more
        the more requests wait: their demands are those where they saturate, and U/X once they are busy all the time.
        The log gathers commits even then. No ceiling is below X, and what is busy all the time is the bottleneck.
        """
        demands = {}
        full = {
            name: used for name, used in utilisation.items() if used >= FULLY_BUSY and name in self.demands
        }
        for name, demand_s in self.demands.items():
            grows = name == CPUS or (name in full and name != REDO)
            least_s = utilisation.get(name, 0.0) / per_s if grows else 0.0
            demands[name] = min(1 / per_s, max(demand_s, least_s))
        ranked = full or demands
        bottleneck = max(ranked, key=lambda name: ranked[name])
        users = self.users
        if users is not None:
            users = _users(self.alone_s, demands[bottleneck], self.think_s)
        return self._replace(
            bottleneck=bottleneck, per_s=1 / demands[bottleneck], users=users, demands=demands
        )


def knee_of(system: System, work: Transactions) -> Knee:
    """The resource that saturates first as load grows, and at what throughput and users [lazowska-1984].

    DBWR writes the less for a transaction the more often its blocks change, the scheduler sorts the more requests, and
    the log writer gathers the more commits, so demands are those at the throughput that saturates.
    """
    parts = parts_of(system, work, saturated=True)
    first = fastest(unhindered)(parts, LEAST) if parts.open_loop else next(fastest(closed)(parts, 1))
    per_s = 1 / max(first.response_s, LEAST)
    demands: dict[str, float] = {}
    for _ in range(PASSES):
        met = fastest(StateOnArrival)(float(parts.threads), 0.0, 0.0, per_s * first.response_s, [])
        demands = {CPUS: fastest(caused_at)(parts, met).cpu_s / parts.threads}
        for device in parts.devices:
            at_disk, due = fastest(reads_at_most)(device, per_s), fastest(due_at)(device, per_s)
            more_s = fastest(more_at)(device, per_s, due, fastest(StateAtDevice)(0.0, 0.0, at_disk, 0.0))
            disks = fastest(disk_demands)(device, per_s, due, more_s, 0.0, at_disk)
            demands[data_disk_name(device.name)] = disks.data_s
            demands[DBWR] = max(disks.dbwr_s, demands.get(DBWR, 0.0))
            if not parts.redo_on_data:
                demands[REDO] = disks.redo_s
        before, per_s = per_s, 1 / max(*demands.values(), LEAST)
        if abs(per_s - before) <= NEAR * per_s:
            break
    bottleneck = max(demands, key=lambda name: demands[name])
    users = None
    if not parts.open_loop:
        users = _users(first.response_s, 1 / per_s, parts.think_s)
    return Knee(bottleneck, per_s, users, first.response_s, demands, parts.think_s)


def _users(alone_s: float, demand_s: float, think_s: float) -> float:
    """Users at whom the two bounds of throughput meet."""
    # NOTE: a lone user whose scan nobody disturbs may do more than many together
    return max(1.0, float(queueing.saturation_users(alone_s, demand_s, think_s)))
