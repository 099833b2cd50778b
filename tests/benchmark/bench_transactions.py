"""What 100,000 transactions of 200 users cost, with some ten physical requests each. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_transactions`` for the table alone. The profile is
that of TPC-C, its data and cache grown until half of a transaction's requests are reads.
"""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

from tests.benchmark.figures import Figure, cpu_of, print_all

TRANSACTIONS = 100_000
BAR_S = 2.0
CALCULATE_BAR_MS = 2.0
TURNS = 5
SETTINGS = [
    "workload.users=200",
    "workload.think_s=0.1",
    "workload.data_bytes=760M",
    "workload.hottest_blocks=320",
    "instance.buffer_cache_bytes=480M",
    "instance.checkpoint_s=5",
    "disk.use=nvme",
]


def question(transactions: int) -> tuple[Any, Any]:
    """Machine and transactions."""
    from blocktime.scenarios.load import load

    scenario = load("tpc-c", SETTINGS)
    return scenario.system, scenario.workload.model_copy(update={"transactions": transactions})


def transactions_of_many_users() -> list[Figure]:
    """A long run by events, and the law of means."""
    from blocktime.model import calculate, simulate

    results: list[Any] = []
    long = question(TRANSACTIONS)
    simulated = [cpu_of(lambda: results.append(simulate(*long))) for _ in range(3)]
    calculated = median(cpu_of(partial(calculate, *long)) for _ in range(TURNS))
    requests = results[0].physical_io.read_requests + results[0].physical_io.write_requests
    return [
        Figure("simulate, 100,000 transactions of 200 users: CPU", median(simulated), "s", BAR_S),
        Figure("requests to the disks in each transaction", requests, ""),
        Figure("calculate, the same question: CPU", calculated * 1e3, "ms", CALCULATE_BAR_MS),
    ]


REPORTS = {"transactions": transactions_of_many_users}

if __name__ == "__main__":
    print_all(REPORTS)
