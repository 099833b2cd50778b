"""Prices apart from what they are put on: an answer is worked out once and costs by any price list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blocktime.model.money_books import with_money
from blocktime.model.results import RunResult
from blocktime.model.spec import Prices, System
from blocktime.scenarios.spec import Scenario

EXAMPLE = "example-prices"
PUBLIC = frozenset({"aws-prices-2021", "google-prices-2018", "oracle-cloud-prices"})
"""Sources of price lists that were public at their dates."""


def notes_on_prices(system: System) -> Iterator[str]:
    """What a reader should know of the prices."""
    if any(constant.source == EXAMPLE for constant in system.constants.values()):
        yield "prices are examples, not those of your contracts: set prices.licence_per_processor and others"
    if any(constant.source in PUBLIC for constant in system.constants.values()):
        yield "prices are public ones of a past date, which Assumptions has, not those of your contracts"


def priced_alike(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """*scenarios*, those without prices with the first price list among them, so that their costs can be compared."""
    known = next((scenario for scenario in scenarios if scenario.system.prices.currency is not None), None)
    if known is None:
        return list(scenarios)
    return [
        scenario if scenario.system.prices.currency is not None else _priced_as(scenario, known)
        for scenario in scenarios
    ]


def _priced_as(scenario: Scenario, known: Scenario) -> Scenario:
    book = {path: constant for path, constant in known.system.constants.items() if path.startswith("prices.")}
    update = {"prices": known.system.prices, "constants": scenario.system.constants | book}
    return scenario.model_copy(update={"system": scenario.system.model_copy(update=update)})


def without_prices(scenario: Scenario) -> Scenario:
    """*scenario* as it would be had nobody asked for costs."""
    constants = {
        path: constant for path, constant in scenario.system.constants.items() if not path.startswith("prices.")
    }
    system = scenario.system.model_copy(update={"prices": Prices(), "constants": constants})
    differences = {section: changes for section, changes in scenario.differences.items() if section != "prices"}
    return scenario.model_copy(update={"system": system, "differences": differences})


def with_prices(scenario: Scenario, answer: RunResult) -> RunResult:
    """The *answer* of :func:`without_prices` with the costs by the prices of *scenario*."""
    priced = with_money(scenario.system, scenario.workload, answer)
    warnings = [*priced.warnings, *notes_on_prices(scenario.system)]
    return priced.model_copy(update={"warnings": warnings})
