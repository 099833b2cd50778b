"""The closed form against the simulation over random scenarios of every kind, and what it says of its own accuracy."""

from __future__ import annotations

import pytest

from blocktime.model.accuracy import ALL, REGIMES, table
from blocktime.model.spec import WORKLOADS
from blocktime.model.workloads.families import family_of
from tests.whole import quick
from tools import residuals
from tools.random_scenarios import case

CASES = dict.fromkeys(WORKLOADS, quick(16, 40)) | dict.fromkeys(
    ("read_stream", "write_stream"), quick(24, 60)
)
CASES["transactions"] = quick(8, 24)
"""Cases from number 0 on; those of the table have higher numbers."""


@pytest.mark.parametrize("kind", WORKLOADS)
def test_an_estimate_is_as_near_as_it_says(kind: str) -> None:
    played = (residuals.play(f"{kind}/{number}") for number in range(CASES[kind]))
    found = [pair for one in played if one and (pair := residuals.compare(one))]
    assert len(found) >= 0.7 * CASES[kind], "too many random scenarios are refused"
    assert not list(residuals.broken_bars(found))


def test_a_case_is_the_same_whenever_it_is_asked_for() -> None:
    assert case("update/7") == case("update/7") != case("update/8")


def test_every_regime_of_the_table_is_one_that_a_scenario_can_have() -> None:
    for owner, regime in table():
        family = owner if owner in REGIMES else family_of(owner).name
        assert regime == ALL or regime in {one.name for one in REGIMES[family]}
    assert all((kind, ALL) in table() for kind in WORKLOADS)


def test_what_lies_beyond_a_bar_is_named() -> None:
    near = [residuals.CaseComparison(f"export/{n}", 1.0, 0.0, "", 1.0) for n in range(39)]
    assert not list(residuals.broken_bars([*near, residuals.CaseComparison("export/39", 1.9, 0.0, "", 1.0)]))
    assert not list(residuals.broken_bars([*near, residuals.CaseComparison("export/39", 9.0, 0.0, "", 10.0)]))
    (sentence,) = residuals.broken_bars([*near, residuals.CaseComparison("export/39", 0.3, 0.0, "", 3.0)])
    assert "export/39 (0.3, declares 3)" in sentence
    assert len(list(residuals.broken_bars([residuals.CaseComparison("export/0", 1.5, 0.0, "", 1.2)]))) == 2


def test_bounds_of_a_sample_hold_all_of_it_and_are_rounded_up() -> None:
    sample = [residuals.CaseComparison(f"export/{n}", 1 + n / 1000, 0.0, "", 2.0) for n in range(100)]
    found = residuals.residual_of(sample)
    assert found.within_fraction == 0.1
    assert found.factor == 1.2
    assert (found.median, found.longest, found.shortest) == (1.05, 1.099, 1.0)


@pytest.mark.parametrize(("n", "rank"), [(20, 20), (59, 59), (93, 92), (1000, 962)])
def test_the_rank_that_bounds_95_percent_with_95_percent_confidence(n: int, rank: int) -> None:
    assert residuals.rank_of_bound(n) == rank


@pytest.mark.parametrize(
    ("distance", "up"), [(0, 0), (1e-9, 0), (0.012, 0.015), (0.02, 0.02), (0.8, 1), (4, 5)]
)
def test_distances_are_rounded_up(distance: float, up: float) -> None:
    assert residuals.rounded_up(distance) == up
