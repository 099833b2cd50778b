"""What ``validate`` simulates: each scenario once, and no more than the numbers need."""

from typing import Any

import pytest

from blocktime.model.spec import Transactions
from blocktime.scenarios import Scenario, load, run
from blocktime.validation import compare
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.compare import Runs
from blocktime.validation.numbers import numbers_of

TRANSACTIONS = 32_000
"""Eight runs of 4,000, each as long as a tolerance of some percent needs."""


@pytest.fixture(scope="module")
def asked() -> list[Scenario]:
    """All that is run for the printed numbers; another result in the place of each."""
    found: list[Scenario] = []
    instead = run(load("rahn-full-scan"))

    def noted(scenario: Scenario, **how: Any) -> Any:
        found.append(scenario)
        return instead

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "run", noted)
        runs = Runs()
        for number in (one for name in case_names() for one in numbers_of(load_case(name))):
            if number.mark != "descriptive":
                for pick in (number.pick, *number.against):
                    runs.result(pick)
    return found


def simulated_transactions(asked: list[Scenario]) -> list[Scenario]:
    return [one for one in asked if isinstance(one.workload, Transactions)]


def test_each_scenario_is_run_once(asked: list[Scenario]) -> None:
    depends_on = [scenario.model_dump_json(include={"system", "workload", "seed"}) for scenario in asked]
    assert len(depends_on) == len(set(depends_on)) > 50


def test_no_more_transactions_are_simulated_than_the_printed_numbers_need(asked: list[Scenario]) -> None:
    played = [scenario.workload for scenario in simulated_transactions(asked)]
    assert played
    assert sum(work.transactions or TRANSACTIONS for work in played) <= TRANSACTIONS


def test_scenarios_that_differ_have_each_its_own_result(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = load("rahn-full-scan")
    asked = {
        "plain": plain,
        "workload": load("rahn-full-scan", ["workload.users=2"]),
        "system": load("rahn-full-scan", ["disk.overhead_s=1ms"]),
        "seed": plain.model_copy(update={"seed": plain.seed + 1}),
    }
    monkeypatch.setattr(compare, "load", lambda name, _: asked[name])
    monkeypatch.setattr(compare, "run", lambda scenario, **how: scenario)
    runs = Runs()
    for name, scenario in asked.items():
        result: Any = runs.result((name, ()))
        assert result is scenario
