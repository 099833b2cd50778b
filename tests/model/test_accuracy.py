"""How far an instant estimate may be off is part of the result, and of what it warns of."""

from __future__ import annotations

from typing import Any

import pytest

from model.accuracy import ALL, ESTIMATE_FACTOR, REGIMES, family_of, table
from model.spec import WORKLOADS
from scenarios import from_mapping, run


def estimate(kind: str, **work: Any) -> Any:
    return run(from_mapping({"disk": {"use": "sas-15k"}, "workload": {"kind": kind, **work}}), "calculate")


@pytest.mark.parametrize("kind", WORKLOADS)
def test_an_estimate_of_every_kind_says_how_far_it_may_be_off(kind: str) -> None:
    found = estimate(kind)
    assert found.accuracy.factor >= 1
    assert found.accuracy.within_fraction <= found.accuracy.factor - 1 + 1e-9
    assert found.accuracy.regime in {regime.name for regime in REGIMES[family_of(kind)]}
    assert (kind, ALL) in table()


def test_what_is_simulated_has_no_accuracy() -> None:
    scenario = from_mapping({"disk": {"use": "nvme"}, "workload": {"kind": "read_stream", "count": 10}})
    assert run(scenario, "simulate").accuracy is None


def test_only_an_estimate_warns_and_its_consequence_comes_first() -> None:
    alone, crowded = estimate("insert", rows=1000), estimate("full_scan", users=16)
    assert alone.accuracy.factor == 1
    assert not any("imulat" in warning for warning in alone.warnings)
    assert crowded.accuracy.factor > ESTIMATE_FACTOR
    assert crowded.warnings[0].startswith(("The simulated time may be", "This time may be"))
    assert crowded.accuracy.why in crowded.warnings[0]
    assert sum("imulat" in warning for warning in crowded.warnings) == 1
