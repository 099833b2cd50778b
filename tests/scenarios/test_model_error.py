"""The model's own error, and constants outside their range, widen an interval; "sure" never stands beside either."""

from math import exp, log

import numpy as np
import pytest

from blocktime.model.provenance import Extrapolation
from blocktime.model.results import RunResult, Uncertainty
from blocktime.scenarios import Scenario, load, run, uncertainty
from blocktime.scenarios.uncertainty import propagate
from blocktime.scenarios.uncertainty.constants import UNKNOWN_DISTANCE, knowledge_of
from blocktime.scenarios.uncertainty.draws import correlated
from blocktime.scenarios.uncertainty.model_error import OTHER_WORK, ModelError, model_error, seconds_by_mechanism
from blocktime.scenarios.why import components

SCAN = "savvinov-lio-pc"
COMMITTED = model_error()


def with_error(monkeypatch: pytest.MonkeyPatch, **changed: float) -> None:
    fields = {"pooled_sd": 0.0, "correlation_length": 0.05, "exponent_sd": 0.0, **changed}
    known = ModelError("a test", {}, **fields)
    monkeypatch.setattr(uncertainty, "model_error", lambda: known)


def without_constants(scenario: Scenario) -> Scenario:
    return scenario.model_copy(update={"system": scenario.system.model_copy(update={"constants": {}})})


def answered(*scenarios: Scenario) -> uncertainty.Propagated:
    return propagate(scenarios, [run(one) for one in scenarios])


def of(result: RunResult) -> Uncertainty:
    assert result.uncertainty is not None
    return result.uncertainty


def test_the_interval_holds_the_models_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants that are known exactly leave what the model is off on published numbers."""
    with_error(monkeypatch, pooled_sd=0.1)
    scenario = without_constants(load("rahn-full-scan", ["workload.select=count", "table.cached_fraction=1"]))
    (result,) = answered(scenario).results
    shares = seconds_by_mechanism(scenario, result)
    assert set(shares) == {"logical I/O", "client"}
    found, elapsed = of(result).elapsed, result.time.elapsed_s
    least = shares["logical I/O"] / elapsed  # the other mechanism adds in squares
    assert log(found.high_s / elapsed) == pytest.approx(1.96 * 0.1 * least, rel=0.15)
    assert log(found.low_s / elapsed) == pytest.approx(-1.96 * 0.1 * least, rel=0.15)
    assert of(result).contributions[0].mechanism == "logical I/O"
    assert of(result).contributions[0].constant is None


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("tpc-b", {"transactions"}),
        ("magni-pwrite-1", {"request merging", "disk latency"}),
        ("magni-imp-16k", {"client", "imports"}),
        ("rahn-full-scan", {"client", "logical I/O", "multiblock reads", "disk latency"}),
        ("rahn-pctfree-8k-10", {"logical I/O", "client", "row migration", OTHER_WORK}),
    ],
)
def test_each_second_has_a_mechanism(name: str, wanted: set[str]) -> None:
    scenario = load(name)
    result = run(scenario)
    found = seconds_by_mechanism(scenario, result)
    assert sum(found.values()) == pytest.approx(sum(components(result).values()))
    assert set(found) <= wanted | {"ASSM search"}
    assert set(found) & wanted


def test_an_extrapolated_constant_is_less_certain_the_farther_it_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constant with a range of blocks of 8K: as published at 8K, wider at 16K, wider still at 32K."""
    with_error(monkeypatch, exponent_sd=0.5)
    widths, shares = [], []
    for size in ("8K", "16K", "32K"):
        (result,) = answered(load(SCAN, [f"tablespace.block_size_bytes={size}"])).results
        one = next((one for one in of(result).contributions if one.name == "host/savvinov-pc: logical_io_s"), None)
        assert of(result).extrapolated_constants == ([] if size == "8K" else ["host/savvinov-pc: logical_io_s"])
        gets_s = result.time.cpu["buffer gets"]
        widths.append((of(result).elapsed.high_s - of(result).elapsed.low_s) / gets_s)
        shares.append(one.variance_fraction if one and one.extrapolated else 0.0)
    assert shares[0] == 0 < shares[1] < shares[2]
    assert widths[0] < widths[1] < widths[2]


def test_the_factor_outside_a_range_is_a_power_of_the_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice outside with exponents of 0.5: half a factor of exp(1.96 x 0.5 x ln 2), on what the constant makes."""
    free = (
        "host.line_miss_s", "host.line_stream_s", "host.row_step_s", "host.call_s", "host.fetch_row_s",
        "host.between_calls_s", "client.round_trip_s", "client.message_send_s", "host.column_step_ratio",
    )  # fmt: skip
    scenario = load(SCAN, [*(f"{field}=0" for field in free), "tablespace.block_size_bytes=16K"])
    found = []
    for sd in (0.0, 0.5):
        with_error(monkeypatch, exponent_sd=sd)
        (result,) = answered(scenario).results
        found.append(log(of(result).elapsed.high_s / result.time.elapsed_s))
    assert (found[1] ** 2 - found[0] ** 2) ** 0.5 == pytest.approx(1.96 * 0.5 * log(2), rel=0.03)


def test_beyond_and_below_a_range_are_opposite_distances() -> None:
    """What makes a constant too large above its range makes it too small below."""
    scenario = load(SCAN)
    path = next(path for path, constant in scenario.system.constants.items() if constant.range)
    used = {"above": 4.0, "below": 0.25, "none": 0.0}
    extrapolated = [
        Extrapolation(constant=path, quantity=quantity, used=value, low=1.0, high=2.0)
        for quantity, value in used.items()
    ]
    (one,) = [one for one in knowledge_of(scenario, extrapolated).uncertain if one.beyond]
    distances = {"above": log(2), "below": -log(4), "none": -UNKNOWN_DISTANCE}
    assert one.beyond == pytest.approx(distances)


@pytest.mark.parametrize("size", ["16K", "32K"])
def test_sure_never_stands_beside_extrapolated(size: str) -> None:
    found = answered(load(SCAN), load(SCAN, [f"tablespace.block_size_bytes={size}"])).difference(1)
    assert found.extrapolated_constants == ["host/savvinov-pc: logical_io_s"]
    assert not found.is_sure
    assert found.to_json()["sure"] is False


def test_work_that_is_the_same_in_both_has_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the disk changes alone is uncertain; the client, which takes most of the time, cancels."""
    with_error(monkeypatch, pooled_sd=0.1)
    a, b = (without_constants(load("rahn-full-scan", more)) for more in ([], ["disk.overhead_s=0.01"]))
    both = answered(a, b)
    found = both.difference(1)
    by_mechanism = [seconds_by_mechanism(one, result) for one, result in zip((a, b), both.results, strict=True)]
    reads = [sum(each[name] for name in ("multiblock reads", "disk latency")) for each in by_mechanism]
    assert found.change_s == pytest.approx(reads[1] - reads[0], rel=1e-3)
    assert {one.mechanism for one in found.contributions} in (
        {"multiblock reads"},
        {"multiblock reads", "disk latency"},
    )
    assert found.high_s - found.low_s < 4 * 0.1 * sum(reads)
    assert answered(a, a).difference(1).sign == "none"


def test_errors_are_the_less_alike_the_farther_two_times_are_apart() -> None:
    matrix = COMMITTED.correlations([1.0, 1.0, 1.02, 2.0])
    assert matrix[0, 1] == 1
    assert 0.5 < matrix[0, 2] < 1
    assert matrix[0, 3] < 1e-3
    assert np.array_equal(matrix, matrix.T)


def test_scores_have_the_correlations_that_are_asked_for() -> None:
    independent = np.random.default_rng(3).standard_normal((3, 20_000))
    matrix = np.array([[1, 0.8, 1], [0.8, 1, 0.8], [1, 0.8, 1]])
    first, second, third = correlated(matrix, independent)
    assert (first == third).all()
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.8, abs=0.01)
    assert first.std() == pytest.approx(1, abs=0.02)


def test_the_file_says_what_it_must() -> None:
    assert set(COMMITTED.sd) > {"client", "logical I/O", "multiblock reads", "transactions"}
    assert all(0 < sd < 1 for sd in (*COMMITTED.sd.values(), COMMITTED.pooled_sd, COMMITTED.exponent_sd))
    assert COMMITTED.sd_of("nothing of the kind") == COMMITTED.pooled_sd
    assert exp(-1) == pytest.approx(COMMITTED.correlations([1.0, exp(COMMITTED.correlation_length)])[0, 1])
