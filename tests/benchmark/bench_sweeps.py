"""What a sweep costs beside its points: checking, answering, keeping, writing; processes, a cluster, a second run.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_sweeps`` for the table alone. Judges nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmark.figures import ROOT, Figure, cpu_of, print_all, started
from tests.oracles.queue_by_events import open_by_events

SCENARIOS = 1_000
REQUESTS = 10_000
BY_EVENTS = 20_000
"""Requests that the processes serve."""
SERVERS = 4
POINTS = 100_000
TASKS = 500

QUEUE = (
    "disk.use=linear", "disk.overhead_s=80us", "disk.bandwidth_bytes_per_s=3e9", "disk.service_cv=1",
    f"disk.parallel_requests={SERVERS}", "disk.queue_depth=1023", "host.scheduler=none",
    "host.max_request_bytes=8192", "workload.kind=read_stream", "workload.path=direct",
    "workload.block_size_bytes=8192", "workload.pattern=random", f"workload.count={REQUESTS}",
)  # fmt: skip
"""One queue at a device of so many requests at once and exponential service: 82.7 µs each."""


def queue_plan(scenarios: int = SCENARIOS, seed: int = 1) -> Any:
    """So many queues, each with a rate of its own."""
    from blocktime.scenarios.sweeps.sweep import plan_of

    return plan_of("shallahamer-pread", [f"workload.rate_per_s=24000:46000:{scenarios}"], settings=QUEUE, seed=seed)


def answered(plan: Any, folder: str, executor: Any) -> float:
    """Seconds until *executor* has answered all of *plan*, each answer kept."""
    from blocktime.scenarios.sweeps.ledger import Ledger
    from blocktime.scenarios.sweeps.points import version_of_model
    from blocktime.scenarios.sweeps.sweep_run import Running

    with Ledger(Path(folder), version_of_model()) as ledger:
        running = Running(plan, ledger)
        running.each_s = 1e-3
        began = time.perf_counter()
        running.run(executor)
        took = time.perf_counter() - began
        assert not running.outcome.failed
        assert running.outcome.left == 0
    return took


@contextmanager
def folder() -> Iterator[str]:
    """A store of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        yield name


def against_events() -> list[Figure]:
    """Checking, answering and keeping a thousand queues in one process, against a process for each request."""
    import numpy as np

    from blocktime.scenarios.sweeps.executors import ThisProcess

    with folder() as name:
        answered(queue_plan(50), name, ThisProcess())  # imports, and the loop from its cache

    def whole() -> None:
        with folder() as name:
            answered(queue_plan(), name, ThisProcess())

    random = np.random.default_rng(1)
    arrival = np.cumsum(random.exponential(1 / (0.8 * SERVERS), BY_EVENTS))
    service = random.exponential(1.0, BY_EVENTS)
    turns = [(cpu_of(whole), cpu_of(partial(open_by_events, arrival, service, SERVERS))) for _ in range(3)]
    ours = median(SCENARIOS * REQUESTS / mine for mine, _ in turns)
    theirs = median(BY_EVENTS / other for _, other in turns)
    return [
        Figure("1,000 scenarios × 10,000 requests, checked and kept, one process", SCENARIOS * REQUESTS / ours, "s"),
        Figure("the same, million requests per CPU second", ours / 1e6, "M/s"),
        Figure("SimPy, a process for each request, million per CPU second", theirs / 1e6, "M/s"),
        Figure("their ratio", ours / theirs, "", 7, least=True),
    ]


def one_copy(seed: int, began: float) -> float:
    """A copy of the same loop in a process of its own, from a moment on; its seconds."""
    from blocktime.scenarios.sweeps.executors import ThisProcess

    plan = queue_plan(seed=seed)
    with folder() as name:
        answered(queue_plan(50, seed=seed), name, ThisProcess())
        time.sleep(max(0.0, began - time.time()))
        return answered(plan, name, ThisProcess())


def two_processes() -> list[Figure]:
    """Points a second by two processes, as a share of what two copies of the loop reach that know nothing of it."""
    from blocktime.scenarios.sweeps.executors import LocalProcesses, ThisProcess

    shares, gains = [], []
    with (
        LocalProcesses(2) as processes,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
        folder() as name,
    ):
        answered(queue_plan(200), name, processes)
        for turn in range(3):
            began = time.time() + (12.0 if turn == 0 else 3.0)
            copies = list(pool.map(one_copy, (10 + turn, 20 + turn), (began, began)))
            independent = sum(SCENARIOS / each for each in copies)
            with folder() as two, folder() as one:
                together = 2 * SCENARIOS / answered(queue_plan(2 * SCENARIOS, seed=30 + turn), two, processes)
                alone = SCENARIOS / answered(queue_plan(seed=40 + turn), one, ThisProcess())
            shares.append(together / independent)
            gains.append(together / alone)
    return [
        Figure("2 processes against 1", median(gains), ""),
        Figure("2 processes against two independent copies", 100 * median(shares), "%", 85, least=True),
    ]


def second_run() -> list[Figure]:
    """A finished sweep again, checking and the table in memory included."""
    from blocktime.scenarios.sweeps.sweep import SweepBackend, sweeping, whole_table

    def whole(name: str) -> float:
        began = time.perf_counter()
        with sweeping(queue_plan(), SweepBackend(workers=1, store=Path(name))) as rows:
            whole_table(rows)
        return time.perf_counter() - began

    with folder() as name:
        first, again = whole(name), median(whole(name) for _ in range(5))
    return [
        Figure("first run of 1,000 queues", first, "s"),
        Figure("the finished sweep again", again, "s"),
        Figure("their ratio", first / again, "", 20, least=True),
    ]


def in_new_processes() -> list[Figure]:
    """A sweep asked by the command, and asked again: CPU seconds of the processes, imports included."""
    settings = [word for setting in QUEUE for word in ("--set", setting)]
    words = ["sweep", "shallahamer-pread", *settings, "--vary", f"workload.rate_per_s=24000:46000:{SCENARIOS}"]
    firsts, others = [], []
    for _ in range(3):
        with folder() as name:
            first, *again = (started("-m", "blocktime", *words, "--store", name)[0] for _ in range(4))
        firsts.append(first)
        others += again
    first, again_s = median(firsts), median(others)
    return [
        Figure("first run of 1,000 queues by the command: CPU", first, "s"),
        Figure("the same command again, in a new process: CPU", again_s, "s"),
        Figure("their ratio", first / again_s, "", 20, least=True),
    ]


HUNDRED_THOUSAND = f"""
import json, resource, sys, time
from pathlib import Path
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping, write
began = time.perf_counter()
plan = plan_of("rahn-full-scan", [
    "table.rows=1e5:1e7:log", "table.pctfree_percent=0:50", "disk.overhead_s=0.1ms:10ms:log",
    "workload.arraysize_rows=1:1000:log", "tablespace.block_size_bytes=4K,8K,16K,32K",
    "instance.db_file_multiblock_read_count=1,2,4,8,16,32"], design="latin_hypercube", samples={POINTS})
with sweeping(plan, SweepBackend(workers=1, store=Path(sys.argv[1]))) as rows:
    write(rows, Path(sys.argv[1]) / "out.parquet", True)
print(json.dumps([time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


def hundred_thousand() -> list[Figure]:
    """A hundred thousand points by calculate in a new process: checked, answered, kept, written."""
    with folder() as name:
        took, again = (
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", HUNDRED_THOUSAND, name],
                    cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
                ).stdout
            )
            for _ in range(2)
        )  # fmt: skip
    return [
        Figure("100,000 points by calculate, kept and written", took[0], "s", 20),
        Figure("their memory", took[1] / 2**20, "MB", 1024),
        Figure("the same again", again[0], "s"),
    ]


def nothing(items: Sequence[int]) -> list[int]:
    """The least work there is."""
    return list(items)


def cluster() -> list[Figure]:
    """What the way over a cluster costs a point: tasks of one item that does nothing, and a sweep's own points."""
    from distributed import LocalCluster

    from blocktime.scenarios.sweeps.cluster import Cluster
    from blocktime.scenarios.sweeps.executors import ThisProcess
    from blocktime.scenarios.sweeps.points import version_of_model

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as scheduler,
        Cluster(scheduler.scheduler_address, version=version_of_model) as two,
        folder() as name,
    ):
        answered(queue_plan(200), name, two)
        began = time.perf_counter()
        for _ in two.map(list, ([item] for item in range(TASKS))):
            pass
        single = (time.perf_counter() - began) / TASKS
        with folder() as one, folder() as other:
            here = answered(queue_plan(seed=2), one, ThisProcess()) / SCENARIOS
            there = answered(queue_plan(seed=2), other, two) / SCENARIOS
    return [
        Figure("cluster: a task of one item that does nothing", 1e3 * single, "ms", 5),
        Figure("cluster: a point of a sweep beyond the work itself", 1e3 * max(0.0, there - here / 2), "ms", 5),
    ]


REPORTS = {
    report.__name__: report
    for report in (against_events, two_processes, second_run, in_new_processes, hundred_thousand, cluster)
}

if __name__ == "__main__":
    print_all(REPORTS)
