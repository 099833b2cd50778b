"""Imports whose blocks and redo pass the limits of a virtual machine, on whatever disks they lie; both engines."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.scenarios.load import load

BYTES_PER_S = 2 * 1024**2


def answered(engine: Any, changes: list[str]) -> Any:
    scenario = load("magni-imp-4k", changes)
    return engine(scenario.system, scenario.workload)


def moved_per_s(result: Any) -> float:
    return float(sum(device.written_bytes_per_s for device in result.device.values()))


@pytest.mark.parametrize("engine", [calculate, simulate])
@pytest.mark.parametrize("disk", ["own", "data"])
def test_blocks_and_redo_are_let_through_together(engine: Any, disk: str) -> None:
    changes = [f"instance.redo_disk={disk}", "host.bandwidth_limit_bytes_per_s=2M"]
    assert moved_per_s(answered(engine, changes)) == pytest.approx(BYTES_PER_S, rel=0.01)


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_a_log_of_its_own_counts_against_the_limit_as_one_with_the_data(engine: Any) -> None:
    limit = "host.bandwidth_limit_bytes_per_s=2M"
    own, data = (
        answered(engine, [f"instance.redo_disk={disk}", limit]).time.elapsed_s for disk in ("own", "data")
    )
    assert own == pytest.approx(data, rel=0.01)
    free = answered(engine, ["instance.redo_disk=own"])
    assert set(free.device) == {"disk"}


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_requests_of_blocks_and_redo_are_counted_together(engine: Any) -> None:
    result = answered(engine, ["instance.redo_disk=own", "host.iops_limit=200"])
    written = sum(device.writes_per_s for device in result.device.values())
    assert written == pytest.approx(200, rel=0.02)


def test_bursts_last_as_long_in_both_engines() -> None:
    changes = ["host.iops_limit=200", "host.burst_iops=1000", "host.burst_s=100"]
    estimate, simulated = (answered(engine, changes).time.elapsed_s for engine in (calculate, simulate))
    assert estimate == pytest.approx(simulated, rel=0.01)
    limit = answered(calculate, ["host.iops_limit=200"]).time.elapsed_s
    assert 0.5 * limit < estimate < limit


def test_a_wide_limit_changes_nothing() -> None:
    wide = answered(calculate, ["instance.redo_disk=own", "host.iops_limit=100000"]).time.elapsed_s
    assert wide == pytest.approx(answered(calculate, ["instance.redo_disk=own"]).time.elapsed_s, rel=1e-9)
