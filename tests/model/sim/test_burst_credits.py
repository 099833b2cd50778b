"""Burst credits of a volume beside transactions: each request that its disk serves takes one."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.spec import Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.units import GIB, MIB
from blocktime.model.workloads.transactions.stations import at_pace, bounds_of

CREDITS = 1e12
LIMIT_PER_S = 1.0
SCAN = {"scan_blocks": 40}


def machine(redo_disk: str, **limits: Any) -> System:
    disk = Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-4, capacity_bytes=65_536 * GIB, **limits)
    instance = Instance(buffer_cache_bytes=MIB, redo_disk=redo_disk)
    return System(host=Host(scheduler="none"), disk=disk, instance=instance)


@pytest.mark.parametrize("redo_disk", ["own", "data"])
@pytest.mark.parametrize("given", [{}, {"changed_blocks": 3}, {"commits": False}, SCAN])
def test_the_credits_pay_for_what_the_disk_serves(redo_disk: str, given: dict[str, Any]) -> None:
    """Reads, scans, writes of changed blocks, and the log where it lies there: as many as an unlimited disk counts."""
    one = {"gets": 3, "rows": 0, "changed_blocks": 0, "redo_bytes": 512, "calls": 1, **given}
    work = Transactions(
        mix=(Transaction.model_validate(one),), think_s=0.1, users=1, transactions=1_000,
        hottest_gets_percent=0, data_bytes=16_384 * GIB, hot_data_percent=100, hot_gets_percent=100,
    )  # fmt: skip
    unlimited = machine(redo_disk)
    limited = machine(redo_disk, iops_limit=LIMIT_PER_S, burst_iops=1e6, burst_credits=CREDITS)
    per_s = bounds_of(unlimited, work).most_per_s(1)
    law = (CREDITS / at_pace(limited, work).credits_s + LIMIT_PER_S) / per_s
    run = simulate(unlimited, work, seed=1)
    assert run.transactions is not None
    served = run.device["disk"].reads_per_s + run.device["disk"].writes_per_s
    assert served / run.transactions.per_s == pytest.approx(law, rel=0.03)
