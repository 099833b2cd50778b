"""A PL/SQL block is one call of the client and waits for its commits once, at the end."""

from typing import Any

import pytest

from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, run
from tests.engines import by

SYNC, ROUND = "log file sync", "SQL*Net message from client"


def answer(caller: str, engine: str = "calculate", **work: Any) -> RunResult:
    given = {
        "table": {"rows": 20_000, "row_bytes": 100, "cached_fraction": 1},
        "disk": {"use": "nvme"},
        "workload": {"kind": "insert", "rows": 1_000, "method": "row", "commit_every_rows": 1} | work,
    }
    given["workload"]["caller"] = caller
    return by(engine, from_mapping(given))


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_rows_one_by_one_with_a_commit_each(engine: str) -> None:
    """1,000 commits of 0.5 ms and 2,000 round trips become one each, and a COMMIT is no call; the statements stay."""
    client, block = answer("client", engine), answer("plsql", engine)
    for found, times, trips in ((client, 1_000, 2_000), (block, 1, 1)):
        waits = {event: wait.waits for event, wait in found.time.wait.items()}
        assert (waits[SYNC], waits[ROUND]) == (times, trips)
        assert found.calls["execute"].count == 1_000
        assert found.changes.commits == 1_000
    calls_s = client.time.cpu["calls"] - block.time.cpu["calls"]
    assert calls_s == pytest.approx(block.time.cpu["calls"])
    waits_s = 999 * client.time.wait[SYNC].max_s + 1_999 * client.time.wait[ROUND].max_s
    assert client.time.elapsed_s - block.time.elapsed_s == pytest.approx(waits_s + calls_s, rel=0.01)


@pytest.mark.parametrize("kind", ["update", "delete"])
def test_statements_of_a_loop_that_commits(kind: str) -> None:
    asked = {"kind": kind, "rows": None, "method": None, "commit_every_rows": 100, "rows_fraction": 0.1}
    work = {name: value for name, value in asked.items() if value is not None}
    given = {"table": {"rows": 20_000, "row_bytes": 100, "cached_fraction": 1}, "disk": {"use": "nvme"}}
    for caller, times, trips in (("client", 20, 40), ("plsql", 1, 1)):
        found = run(from_mapping(given | {"workload": work | {"caller": caller}}))
        assert found.time.wait[SYNC].waits == times
        assert found.time.wait[ROUND].waits == trips


def test_sessions_at_one_table_wait_once_each() -> None:
    found = answer("plsql", "simulate", users=4, commit_every_rows=10)
    assert found.time.wait[SYNC].waits == 1
    assert answer("client", "simulate", users=4, commit_every_rows=10).time.wait[SYNC].waits == 25


def test_a_block_without_a_commit_waits_for_none() -> None:
    for engine in ("calculate", "simulate"):
        assert SYNC not in answer("plsql", engine, commit_every_rows=0).time.wait
