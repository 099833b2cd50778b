"""O_SYNC waits for the journal only where something has to be committed: the inode's time moves tick by tick."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.scenarios import from_mapping
from tests.engines import by

CALLS = 2000
LATE = 2
"""Requests of the journal's own commit after the programs have ended, which the simulation plays."""


def write_requests(engine: str, path: str, **more: Any) -> float:
    scenario = {
        "host": {
            "kernel": more.pop("kernel", "5.15"),
            "io_path": path,
            "filesystem": "ext4",
            "scheduler": "none",
        },
        "disk": {"use": "nvme", "write_cache_bytes": 0},
        "workload": {"kind": "write_stream", "block_size_bytes": 4096, "count": CALLS} | more,
    }
    return by(engine, from_mapping(scenario)).physical_io.write_requests


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_quick_overwrites_commit_once_a_tick(engine: str) -> None:
    alone = write_requests(engine, "sync")
    assert CALLS < alone < 1.2 * CALLS
    assert write_requests(engine, "sync", extends=True) == pytest.approx(3 * CALLS, abs=LATE)
    assert write_requests(engine, "dsync") == pytest.approx(CALLS, abs=LATE)
    assert write_requests(engine, "sync", kernel="2.6.32") == pytest.approx(CALLS, abs=LATE)


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_overwrites_slower_than_a_tick_commit_each(engine: str) -> None:
    assert write_requests(engine, "sync", think_s=0.005) == pytest.approx(3 * CALLS, rel=0.01)


def test_both_engines_commit_the_same_share() -> None:
    counted, played = (
        write_requests(engine, "sync") - write_requests(engine, "dsync")
        for engine in ("calculate", "simulate")
    )
    assert counted == pytest.approx(played, rel=0.1)
