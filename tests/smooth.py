"""Searches over answers without chance: what they find can be told beforehand."""

from collections.abc import Sequence
from typing import cast

import pytest

from blocktime.model.engine import answer_measures, bound_answer
from blocktime.model.measures import measures_of
from blocktime.model.spec import System, Transactions, Workload
from blocktime.model.workloads.transactions.expected_run import expected_run
from blocktime.scenarios import load
from tests.queue_theory import mean_values


def smooth_measures(system: System, work: Workload) -> dict[str, float]:
    """Numbers of transactions whose resources are queues of one server each, with no chance in them."""
    transactions, bound = cast("Transactions", work), bound_answer(system, work)
    assert bound is not None
    bounds = expected_run(system, transactions).bounds
    demands_s = list(bounds.demands.values())
    apart_s = max(0.0, bounds.least_s - sum(demands_s))
    if transactions.rate_per_s is not None:
        per_s = transactions.rate_per_s
        response_s = apart_s + sum(demand_s / (1 - per_s * demand_s) for demand_s in demands_s)
    else:
        network = mean_values(int(transactions.users), demands_s, transactions.think_s + apart_s)
        per_s, response_s = float(network.throughput_per_s), float(network.response_s) + apart_s
    return measures_of(bound) | {"elapsed_s": response_s, "response_s": response_s, "transactions_per_s": per_s}


def smooth_measures_of(name: str, settings: Sequence[str]) -> dict[str, float]:
    """Those of a scenario of the library."""
    scenario = load(name, settings)
    return smooth_measures(scenario.system, scenario.workload)


def answer_smoothly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let points of this process be answered so."""

    def smooth(system: System, work: Workload, *, seed: int = 1) -> tuple[dict[str, float], bool]:
        if not work.mixed:
            return answer_measures(system, work, seed=seed)
        return smooth_measures(system, work), False

    monkeypatch.setattr("blocktime.scenarios.sweeps.answers.answer_measures", smooth)
