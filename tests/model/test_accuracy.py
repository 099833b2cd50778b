"""How far an instant estimate may be off is part of the result, and of what it warns of."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.accuracy import ALL, ESTIMATE_FRACTION, REGIMES, RegimeResiduals, table
from blocktime.model.spec import WORKLOADS
from blocktime.model.workloads.families import family_of
from blocktime.scenarios import from_mapping, run


def estimate(kind: str, **work: Any) -> Any:
    return run(from_mapping({"disk": {"use": "sas-15k"}, "workload": {"kind": kind, **work}}), "calculate")


@pytest.mark.parametrize("kind", WORKLOADS)
def test_an_estimate_of_every_kind_says_how_far_it_may_be_off(kind: str) -> None:
    found = estimate(kind)
    assert found.accuracy.factor >= 1
    assert found.accuracy.within_fraction <= found.accuracy.factor - 1 + 1e-9
    assert found.accuracy.regime in {regime.name for regime in REGIMES[family_of(kind).name]}
    assert (kind, ALL) in table()


def test_what_is_simulated_has_no_accuracy() -> None:
    scenario = from_mapping({"disk": {"use": "nvme"}, "workload": {"kind": "read_stream", "count": 10}})
    assert run(scenario, "simulate").accuracy is None


def test_only_an_estimate_warns_and_its_consequence_comes_first() -> None:
    alone, crowded = estimate("insert", rows=1000), estimate("full_scan", users=16)
    assert alone.accuracy.factor == 1
    assert not any("imulation" in warning for warning in alone.warnings)
    assert crowded.accuracy.within_fraction > ESTIMATE_FRACTION
    assert crowded.warnings[0].startswith("A simulation would give a time of ")
    assert crowded.accuracy.why in crowded.warnings[0]
    assert sum("simulation" in warning for warning in crowded.warnings) == 1


def test_a_range_ends_where_simulations_were_seen_and_above_the_cpu_time() -> None:
    found = estimate("full_scan", users=16)
    low, high = found.accuracy.usual_s(found.time)
    assert found.time.cpu_s <= low <= found.time.elapsed_s <= high
    assert high <= found.time.elapsed_s * (1 + found.accuracy.within_fraction) * (1 + 1e-12)
    one_sided = found.accuracy.model_copy(
        update={"within_fraction": 3.0, "shorter_fraction": 0.0, "longer_fraction": 1.0}
    )
    assert one_sided.usual_s(found.time) == (found.time.elapsed_s, 2 * found.time.elapsed_s)
    far = found.accuracy.model_copy(update={"within_fraction": 1e6, "shorter_fraction": 1e6})
    assert far.usual_s(found.time)[0] == found.time.cpu_s


def test_what_a_few_cases_saw_is_widened() -> None:
    seen = RegimeResiduals(n=25, median=1.0, longest=1.1, shortest=1.0, within_fraction=0.5, factor=2.0)
    assert seen.seen(1.1) == pytest.approx(0.3)
    assert seen.seen(0.9) == 0


def test_a_saturated_volume_with_limits_says_what_it_takes_to_within_a_fifth() -> None:
    users = {"kind": "transactions", "users": 30, "think_s": 0.1, "think_cv": 1, "transactions": 2000}
    found = run(from_mapping({"disk": {"use": "azure-p30"}, "workload": users}), "calculate")
    assert found.accuracy.regime == "volume with limits"
    assert found.accuracy.within_fraction <= 0.2
