"""The knee: where the first resource saturates, worked out there and not at the load that is asked for."""

from __future__ import annotations

from typing import NamedTuple

from model.laws import queueing
from model.spec import System, Transactions
from model.workloads.transactions.disk import LEAST
from model.workloads.transactions.network import ALONE, CPUS, Most, caused_at, closed, unhindered
from model.workloads.transactions.parts import parts_of
from model.workloads.transactions.writers import disk_demands_s, reads_at_most

PASSES = 40
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

    @property
    def most(self) -> Most:
        """What throughput ends at."""
        return Most(self.per_s, self.bottleneck)


def knee_of(system: System, work: Transactions) -> Knee:
    """The resource that saturates first as load grows, and at what throughput and users [lazowska-1984].

    DBWR writes the less for a transaction the more often its blocks change, the scheduler sorts the more requests, and
    the log writer gathers the more commits, so demands are those at the throughput that saturates.
    """
    parts = parts_of(system, work, saturated=True)
    closed_loop = parts.work.rate_per_s is None
    alone = next(closed(parts, 1)) if closed_loop else unhindered(parts, LEAST)
    per_s = 1 / max(alone.response_s, LEAST)
    demands: dict[str, float] = {}
    for _ in range(PASSES):
        met = ALONE._replace(
            running=float(parts.threads), others=per_s * alone.response_s, at_disk=reads_at_most(parts, per_s)
        )
        caused = caused_at(parts, per_s, met)
        demands = {CPUS: caused.cpu_s / parts.threads} | disk_demands_s(
            parts, per_s, caused.more_s, 0.0, met.at_disk
        )
        before, per_s = per_s, 1 / max(*demands.values(), LEAST)
        if abs(per_s - before) <= NEAR * per_s:
            break
    bottleneck = max(demands, key=lambda name: demands[name])
    users = None
    if closed_loop:
        users = float(queueing.saturation_users(alone.response_s, 1 / per_s, parts.work.think_s))
    return Knee(bottleneck, per_s, users, alone.response_s)
