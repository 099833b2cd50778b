"""A result says how its answer was made, from what it holds."""

import pytest

from blocktime.model.results import Interval, RunResult
from blocktime.scenarios import load, run


def method_of(*overrides: str, name: str, replications: int = 1) -> str:
    return run(load(name, list(overrides)), replications=replications).method


def test_what_queues_nowhere_is_an_exact_sum() -> None:
    assert method_of(name="savvinov-lio-pc") == "exact sum"


def test_a_simulation_says_what_it_played() -> None:
    assert method_of(name="random-read-depth") == "simulation, 5,000 calls"
    assert method_of(name="full-scan-nvme").startswith("simulation, 8,341 reads")


def test_users_have_the_interval_of_their_response() -> None:
    result = run(load("oltp-nvme", ["workload.transactions=4000", "workload.users=20"]))
    stats = result.transactions
    assert stats is not None
    assert stats.response_interval is not None
    reach = stats.response_interval.high_s / stats.response_s - 1
    assert result.method.startswith(f"simulation, {stats.measured:,} transactions, ±")
    assert float(result.method.split("±")[1].removesuffix(" %")) >= round(100 * reach, 2)


def test_an_interval_without_chance_is_not_named() -> None:
    result = run(load("full-scan-nvme"))
    elapsed_s = result.time.elapsed_s

    def within(low_s: float, high_s: float) -> RunResult:
        interval = Interval(low_s=low_s, high_s=high_s, confidence=0.95)
        return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})

    assert within(elapsed_s, elapsed_s).method == result.method
    assert within(0.99 * elapsed_s, 1.02 * elapsed_s).method == f"{result.method}, ±2 %"


@pytest.mark.parametrize("name", ["savvinov-lio-pc", "full-scan-nvme"])
def test_a_document_holds_the_method_and_is_read_again(name: str) -> None:
    result = run(load(name))
    assert result.model_dump(mode="json")["method"] == result.method
    assert RunResult.model_validate_json(result.model_dump_json()) == result
