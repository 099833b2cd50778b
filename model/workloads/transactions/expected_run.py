"""How a run of transactions begins: near its steady state, on a volume with credits or without."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from blocktime.model.bounds import Bounds
from blocktime.model.demand.host_limits import through_host
from blocktime.model.demand.transactions import CPUS, DBWR, REDO
from blocktime.model.errors import OutsideLaw
from blocktime.model.loops import fastest
from blocktime.model.spec import System, Transactions
from blocktime.model.units import show_number, show_seconds
from blocktime.model.workloads.transactions.network import (
    AT_DBWR,
    AT_DISK,
    AT_LOG,
    AT_PROCESSORS,
    LoadPoint,
    at_rate,
    closed,
)
from blocktime.model.workloads.transactions.parts import Parts, parts_of
from blocktime.model.workloads.transactions.stations import at_pace, saturation_of
from blocktime.model.workloads.transactions.writers import FULL


class ExpectedRun(NamedTuple):
    """How transactions begin: their mean one, the throughput that is expected of them, and where they saturate."""

    parts: Parts
    point: LoadPoint
    bounds: Bounds
    lasting: Parts
    """The same in the long run, where the parts are those of a volume on burst credits."""
    credits_s: float = inf
    """How long these last at this load."""

    @property
    def per_s(self) -> float:
        """Transactions a second, which a cache in its long run has seen."""
        return self.point.per_s


def expected_run(system: System, work: Transactions) -> ExpectedRun:
    """How transactions begin; raises :class:`OutsideLaw` for arrivals that no resource can keep up with."""
    system = through_host(system)
    parts = parts_of(system, work)
    bounds = saturation_of(system, work)
    most = bounds.ceiling_per_s
    if work.rate_per_s is not None and work.rate_per_s >= FULL * most:
        can = f"the {bounds.bottleneck} can do, {show_number(most, 4)} transactions a second"
        if bounds.bottleneck == DBWR:
            depth = parts.disk.writes_at_once
            why = "instance.db_writer_requests" if depth > 1 else "writes one by one:"
            can = f"DBWR can write, {show_number(most, 4)} transactions a second with {why} {depth}"
        raise OutsideLaw(
            f"workload.rate_per_s {work.rate_per_s:g} is more than {can}: the queue would grow without end"
        )
    pace = at_pace(system, work)
    if pace.system is system:
        return ExpectedRun(parts, _point_at(parts, bounds), bounds, parts)
    bursting = parts_of(pace.system, work)
    point = _point_at(bursting, saturation_of(pace.system, work))
    return ExpectedRun(bursting, point, bounds, parts, pace.credits_s)


def _point_at(parts: Parts, bounds: Bounds) -> LoadPoint:
    """The network at the load that is asked for."""
    work, point = parts.work, None
    if work.rate_per_s is not None:
        return fastest(at_rate)(parts, work.rate_per_s)
    held_back = {CPUS: AT_PROCESSORS, DBWR: AT_DBWR, REDO: AT_LOG}.get(bounds.bottleneck, AT_DISK)
    every = fastest(closed)(parts, int(work.users), bounds.ceiling_per_s, held_back)
    for point in every:  # noqa: B007  (the last one is wanted)
        pass
    assert point is not None
    return point


def credit_warnings(expected: ExpectedRun) -> list[str]:
    """What to say of a load that a volume serves on burst credits alone."""
    if expected.credits_s == inf:
        return []
    return [
        f"the volume spends its burst credits: at this load they last {show_seconds(expected.credits_s)}, and after "
        f"that at most {show_number(expected.bounds.ceiling_per_s, 4)} transactions a second are served"
    ]
