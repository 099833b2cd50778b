"""Prices apart from what they are put on: an answer is worked out once and costs by any price book."""

from __future__ import annotations

from collections.abc import Iterator

from model.money_books import with_money
from model.results import RunResult
from model.spec import Prices, System
from scenarios.spec import Scenario

EXAMPLE = "example-prices"


def notes_on_prices(system: System) -> Iterator[str]:
    """What a reader should know of the prices."""
    if any(constant.source == EXAMPLE for constant in system.constants.values()):
        yield "prices are examples, not those of your contracts: set prices.licence_per_processor and others"


def without_prices(scenario: Scenario) -> Scenario:
    """*scenario* as it would be had nobody asked for costs."""
    constants = {
        path: one for path, one in scenario.system.constants.items() if not path.startswith("prices.")
    }
    system = scenario.system.model_copy(update={"prices": Prices(), "constants": constants})
    differences = {section: said for section, said in scenario.differences.items() if section != "prices"}
    return scenario.model_copy(update={"system": system, "differences": differences})


def with_prices(scenario: Scenario, answer: RunResult) -> RunResult:
    """The *answer* of :func:`without_prices` with the costs by the prices of *scenario*."""
    priced = with_money(scenario.system, scenario.workload, answer)
    warnings = [*priced.warnings, *notes_on_prices(scenario.system)]
    return priced.model_copy(update={"warnings": warnings})
