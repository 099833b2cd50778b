"""Table blocks that a session reads several at once: batched table access, db file parallel read."""

from typing import Any

import pytest

from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping
from tests.engines import by

SEQUENTIAL, PARALLEL = "db file sequential read", "db file parallel read"


def answer(at_once: int, engine: str, disk: str = "nvme", users: int = 1, **sections: Any) -> RunResult:
    given = {
        "table": {"rows": 1_000_000, "row_bytes": 200},
        "index": {"clustering": "scattered"},
        "disk": {"use": disk},
        "host": {"io_path": "asm"},
        "workload": {
            "kind": "index_range_scan", "selectivity_fraction": 0.002, "select": "count",
            "parallel_reads": at_once, "users": users,
        },
    }  # fmt: skip
    return by(engine, from_mapping(given | sections))


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_a_batch_takes_one_latency_and_its_transfers(engine: str) -> None:
    """1,932 table blocks by 8 at once are 241 batches of 8 and one of 4; the 8 index blocks come one by one."""
    alone, batched = answer(1, engine), answer(8, engine)
    assert alone.time.wait[SEQUENTIAL].waits == 1940
    assert (batched.time.wait[SEQUENTIAL].waits, batched.time.wait[PARALLEL].waits) == (8, 242)
    assert batched.physical_io.read_requests == alone.physical_io.read_requests
    one_s = alone.time.wait[SEQUENTIAL].total_s / 1940
    more_s = 8192 / 3.2e9  # the channel of the drive
    expected_s = 242 * one_s + (1932 - 242) * more_s
    assert batched.time.wait[PARALLEL].total_s == pytest.approx(expected_s, rel=0.03)
    assert alone.time.cpu_s == batched.time.cpu_s
    fetch = batched.calls["fetch"]
    assert fetch.elapsed_s - fetch.cpu_s >= batched.time.wait[PARALLEL].total_s


@pytest.mark.parametrize("users", [1, 4, 16])
def test_sessions_at_a_drive_that_reorders(users: int) -> None:
    """Single reads of several sessions wait in the drive's queue, which takes the nearest; the sum takes no longer."""
    calculated, simulated = (
        answer(1, engine, "sata-7k2-ncq", users).time.elapsed_s for engine in ("calculate", "simulate")
    )
    assert calculated <= 1.01 * simulated


@pytest.mark.parametrize("without", [{"host": {"io_path": "buffered"}}, {"instance": {"disk_asynch_io": False}}])
def test_files_without_asynchronous_io_are_read_one_by_one(without: dict[str, Any]) -> None:
    found = answer(8, "calculate", **without)
    assert PARALLEL not in found.time.wait
    assert found.time.elapsed_s == answer(1, "calculate", **without).time.elapsed_s


def test_the_plan_says_batched() -> None:
    found = answer(8, "calculate").row_sources
    assert found[1].operation == "TABLE ACCESS BY INDEX ROWID BATCHED"
