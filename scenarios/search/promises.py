"""Promises of a scenario file, such as ``response_p95_s <= 20 ms``: whether an answer keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from blocktime.model.errors import SpecError
from blocktime.model.measures import MEASURES, measures_of
from blocktime.model.results import RunResult
from blocktime.scenarios.search.limits import limits_of
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.points import value_in


@dataclass(frozen=True, slots=True)
class Promise:
    """One comparison of a scenario's promises, and what the answer says of it."""

    text: str
    holds: bool
    values: dict[str, float]
    """The measures that it asks for."""


def promises_of(scenario: Scenario, result: RunResult) -> Iterator[Promise]:
    """Each promise of *scenario*; raises :class:`SpecError` for one on a measure that the answer does not have."""
    measures = measures_of(result)
    for limit in limits_of(scenario.promises, MEASURES, f"{scenario.origin}: promise"):
        for name in sorted(limit.names - measures.keys()):
            raise SpecError(
                f"{scenario.origin}: promise {limit.text!r}: the answer has no {name}; it has {', '.join(measures)}"
            )

        def value(name: str) -> object:
            return measures[name] if name in measures else value_in(scenario, name)

        yield Promise(limit.text, limit.holds(value), {name: float(measures[name]) for name in sorted(limit.names)})
