"""What 100,000 transactions of 200 users cost, with some ten physical requests each. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_transactions.py`` for the table alone. The profile is
that of TPC-C, its data and cache grown until half of a transaction's requests are reads.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figures import Figure, cpu_of

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]

TRANSACTIONS = 100_000
BY_EVENTS = 10_000
BAR_S = 10.0
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
    from scenarios.load import load

    scenario = load("tpc-c", SETTINGS)
    return scenario.system, scenario.workload.model_copy(update={"transactions": transactions})


def transactions_of_many_users() -> list[Figure]:
    """The loop, its first run apart; the same by events; and the law of means."""
    from model import calculate, simulate
    from model.sim.transactions_run import simulate_transactions

    results: list[Any] = []
    long, short = question(TRANSACTIONS), question(BY_EVENTS)
    first = cpu_of(lambda: results.append(simulate(*long)))
    again = [cpu_of(partial(simulate, *long)) for _ in range(2)]
    by_events = partial(simulate_transactions, *short, seed=1, name="", compiled=False)
    events_s = median(cpu_of(by_events) for _ in range(3)) / BY_EVENTS
    calculated = median(cpu_of(partial(calculate, *long)) for _ in range(TURNS))
    requests = results[0].physical_io.read_requests + results[0].physical_io.write_requests
    return [
        Figure("simulate, 100,000 transactions of 200 users, numba's start included: CPU", first, "s", BAR_S),
        Figure("the same again", median(again), "s", BAR_S),
        Figure("requests to the disks in each transaction", requests, ""),
        Figure(
            "loop: ratio to the same by events, per transaction", events_s * TRANSACTIONS / median(again), ""
        ),
        Figure("calculate, the same question: CPU", calculated * 1e3, "ms", CALCULATE_BAR_MS),
    ]


def test_report() -> None:
    figures = transactions_of_many_users()
    print("\n" + "\n".join(str(figure) for figure in figures))
    assert all(figure.value > 0 for figure in figures)


if __name__ == "__main__":
    for figure_ in transactions_of_many_users():
        print(figure_)
