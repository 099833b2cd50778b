"""Imports whose blocks and redo pass the limits of a virtual machine, on whatever disks they lie."""

from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.scenarios.load import load

BYTES_PER_S = 2 * 1024**2


def answered(changes: list[str]) -> Any:
    scenario = load("magni-imp-4k", ["table.rows=5000000", "instance.buffer_cache_bytes=4M", *changes])
    return simulate(scenario.system, scenario.workload)


def moved_per_s(result: Any) -> float:
    return float(sum(device.written_bytes_per_s for device in result.device.values()))


@pytest.mark.parametrize("disk", ["own", "data"])
def test_blocks_and_redo_are_let_through_together(disk: str) -> None:
    changes = [f"instance.redo_disk={disk}", "host.bandwidth_limit_bytes_per_s=2M"]
    assert moved_per_s(answered(changes)) == pytest.approx(BYTES_PER_S, rel=0.01)


def test_a_log_of_its_own_counts_against_the_limit_as_one_with_the_data() -> None:
    limit = "host.bandwidth_limit_bytes_per_s=2M"
    own, data = (answered([f"instance.redo_disk={disk}", limit]).time.elapsed_s for disk in ("own", "data"))
    assert own == pytest.approx(data, rel=0.01)
    free = answered(["instance.redo_disk=own"])
    assert set(free.device) == {"disk"}


def test_requests_of_blocks_and_redo_are_counted_together() -> None:
    result = answered(["instance.redo_disk=own", "host.iops_limit=200"])
    written = sum(device.writes_per_s for device in result.device.values())
    assert written == pytest.approx(200, rel=0.02)


def test_bursts_shorten_what_their_credits_last_for() -> None:
    limit, burst = "host.iops_limit=200", ["host.burst_iops=1000", "host.burst_s=10"]
    spent_s, limited_s = (answered(changes).time.elapsed_s for changes in ([limit, *burst], [limit]))
    assert 0.2 * limited_s < spent_s < 0.98 * limited_s


def test_a_wide_limit_changes_nothing() -> None:
    wide = answered(["instance.redo_disk=own", "host.iops_limit=100000"]).time.elapsed_s
    # NOTE: behind a limit the last commit is played, else it waits as the law says
    assert wide == pytest.approx(answered(["instance.redo_disk=own"]).time.elapsed_s, rel=1e-3)
