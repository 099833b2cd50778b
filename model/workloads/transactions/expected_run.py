"""How a run of transactions begins: near its steady state, on a volume with credits or without."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from blocktime.model.bounds import Bounds
from blocktime.model.demand.host_limits import through_host
from blocktime.model.demand.transaction_demand import DBWR
from blocktime.model.errors import OutsideLaw
from blocktime.model.loops import fastest
from blocktime.model.spec import System, Transactions
from blocktime.model.units import show_number, show_seconds
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.parts import Parts, parts_of
from blocktime.model.workloads.transactions.stations import at_pace, saturation_of
from blocktime.model.workloads.transactions.write_rates import FULL, at_disk_of, due_at, more_at, writer_room_per_s

PASSES: Final = 40
NEAR: Final = 1e-4


class ExpectedRun(NamedTuple):
    """How transactions begin: their mean one, the throughput that is expected of them, and where they saturate."""

    parts: Parts
    per_s: float
    """Transactions a second, which a cache in its long run has seen."""
    written: float
    """Blocks that DBWR writes for one."""
    bounds: Bounds
    lasting: Parts
    """The same in the long run, where the parts are those of a volume on burst credits."""
    credits_s: float = inf
    """How long these last at this load."""


def expected_run(system: System, work: Transactions) -> ExpectedRun:
    """How transactions begin; raises :class:`OutsideLaw` for arrivals that no resource can keep up with."""
    system = through_host(system)
    parts = parts_of(system, work)
    bounds = saturation_of(system, work)
    if work.rate_per_s is None and bounds.least_s + work.think_s <= 0:
        raise OutsideLaw(
            "a transaction takes no time and workload.think_s is 0, so there is no end of them: give "
            "workload.think_s, client.round_trip_s or host.call_s more than 0"
        )
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
        return ExpectedRun(parts, *_expected(parts, bounds), bounds, parts)
    bursting = parts_of(pace.system, work)
    expected = _expected(bursting, saturation_of(pace.system, work))
    return ExpectedRun(bursting, *expected, bounds, parts, pace.credits_s)


def _expected(parts: Parts, saturation: Bounds) -> tuple[float, float]:
    """Transactions a second, and blocks that DBWR writes for one: those that are due, as far as it gets the disk.

    What DBWR writes takes of the disk that the reads want: both follow from each other, so each comes nearer by half.
    """
    work = parts.work
    most_per_s = saturation.most_per_s(work.rate_per_s or work.users)
    per_s, written = most_per_s, 0.0
    for _ in range(PASSES):
        written, demand_s = 0.0, 0.0
        for device in parts.devices:
            due, disk = fastest(due_at)(device, per_s), device.disk
            at_disk = at_disk_of(device, per_s)
            room_per_s = fastest(writer_room_per_s)(device, per_s, at_disk)
            blocks = max(due.least, min(due.wanted, room_per_s / per_s))
            written += blocks
            requests, more_s = device.requests + blocks, fastest(more_at)(device, per_s, due, at_disk)
            busy_s = device.disk_busy_s + blocks * disk.write_busy_s + requests * more_s / disk.servers
            demand_s = max(demand_s, busy_s)
        before, per_s = per_s, (per_s + min(most_per_s, 1 / max(demand_s, LEAST))) / 2
        if abs(per_s - before) <= NEAR * per_s:
            break
    return per_s, written


def credit_warnings(expected: ExpectedRun) -> list[str]:
    """What to say of a load that a volume serves on burst credits alone."""
    if expected.credits_s == inf:
        return []
    return [
        f"the volume spends its burst credits: at this load they last {show_seconds(expected.credits_s)}, and after "
        f"that at most {show_number(expected.bounds.ceiling_per_s, 4)} transactions a second are served"
    ]
