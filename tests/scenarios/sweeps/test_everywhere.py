"""One process, two, and a cluster: the same table to the last bit, also where a worker is killed in the middle."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, plan_of, sweeping, write
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.sweep_run import Outcome, Running
from tests.processes import children_of, words_of

# Scans by arrays and by simulation, statements that are played, queues by loop, transactions by events: all ways
# there are to an answer, and a point that has none.
SWEEPS = {
    "scans": ("rahn-full-scan", ["workload.users=1,2", "table.rows=2000:20000:5", "disk.use=sas-15k,nvme"]),
    "updates": ("rahn-pctfree-16k-10", ["table.pctfree_percent=0,10,35", "table.rows=500:3000:5"]),
    "transactions": ("tpc-b", ["workload.users=1:3:3", "workload.rate_per_s=2,5,1e6"]),
}
SHORT = ("workload.transactions=100",)


@pytest.fixture(autouse=True)
def _all_by_the_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few points would all be answered while their time is estimated."""
    monkeypatch.setattr(Running, "pilot", lambda self: 0.0)


@pytest.fixture(params=SWEEPS)
def plan(request: pytest.FixtureRequest) -> Plan:
    name, vary = SWEEPS[request.param]
    settings = SHORT if name == "tpc-b" else ()
    return plan_of(name, vary, settings=settings, replications=2)


def table(plan: Plan, at: SweepBackend, folder: Path, listener: Listener | None = None) -> bytes:
    out = folder / "out.parquet"
    with sweeping(plan, at, listener) as rows:
        write(rows, out)
    return out.read_bytes()


@pytest.fixture
def expected(plan: Plan, tmp_path: Path) -> Iterator[bytes]:
    return table(plan, SweepBackend(workers=1, store=tmp_path / "one"), tmp_path)


class Killer(Listener):
    """Kills a worker of this process as soon as the first answers are there."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.killed: list[int] = []

    def report_progress(self, outcome: Outcome) -> None:
        if not self.killed:
            worker = next(child for child in children_of() if self.program in words_of(child))
            self.killed.append(worker.pid)
            worker.send_signal(signal.SIGKILL)


def test_two_processes_and_a_cluster_give_the_table_of_one(
    plan: Plan, expected: bytes, cluster: str, tmp_path: Path
) -> None:
    for name, at in (
        ("two", SweepBackend(workers=2, store=tmp_path / "two")),
        ("cluster", SweepBackend(cluster=cluster, store=tmp_path / "cluster")),
    ):
        (tmp_path / name).mkdir()
        assert table(plan, at, tmp_path / name) == expected, name


@pytest.mark.parametrize("program", ["worker_pool", "spawn_main"], ids=["processes", "cluster"])
def test_killing_one_of_two_workers_loses_nothing(program: str, cluster: str, tmp_path: Path) -> None:
    name, vary = SWEEPS["updates"]
    plan = plan_of(name, vary)
    whole = table(plan, SweepBackend(workers=1, store=tmp_path / "one"), tmp_path)
    killer = Killer(program)
    (tmp_path / "killed").mkdir()
    where = {"workers": 2} if program == "worker_pool" else {"cluster": cluster}
    at = SweepBackend(**where, store=tmp_path / "other")  # type: ignore[arg-type]
    assert table(plan, at, tmp_path / "killed", killer) == whole
    assert len(killer.killed) == 1
