"""O_SYNC waits for the journal only where something has to be committed: the inode's time moves tick by tick."""

from typing import Any

import pytest

from blocktime.scenarios import from_mapping, run

CALLS = 2000
LATE = 2
"""Requests of the journal's own commit after the programs have ended, which the simulation plays."""


def write_requests(path: str, **more: Any) -> float:
    scenario = {
        "host": {"kernel": more.pop("kernel", "5.15"), "io_path": path, "filesystem": "ext4", "scheduler": "none"},
        "disk": {"use": "nvme", "write_cache_bytes": 0},
        "workload": {"kind": "write_stream", "block_size_bytes": 4096, "count": CALLS} | more,
    }
    return run(from_mapping(scenario)).physical_io.write_requests


def test_quick_overwrites_commit_once_a_tick() -> None:
    alone = write_requests("sync")
    assert CALLS < alone < 1.2 * CALLS
    assert write_requests("sync", extends=True) == pytest.approx(3 * CALLS, abs=LATE)
    assert write_requests("dsync") == pytest.approx(CALLS, abs=LATE)
    assert write_requests("sync", kernel="2.6.32") == pytest.approx(CALLS, abs=LATE)


def test_overwrites_slower_than_a_tick_commit_each() -> None:
    assert write_requests("sync", think_s=0.005) == pytest.approx(3 * CALLS, rel=0.01)
