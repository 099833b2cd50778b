"""The verdicts can fail, and what `validate` returns has the agreed form."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.errors import SpecError
from blocktime.model.paths import steps_of
from blocktime.validation import MeasuredNumber, Runs, Validation, validate
from blocktime.validation.compare import FAILURES, Comparison, compare, judge
from blocktime.validation.out_of_sample import LeftOut
from blocktime.validation.quantity import check_path, look_up

NUMBER = MeasuredNumber(
    case="a_case",
    document="document 9",
    table="a table",
    row="8192",
    column="cpu_s",
    locator="somewhere",
    printed=20.0,
    unit="s",
    mark="tests",
    path="time.cpu_s",
    pick=("rahn-full-scan", ()),
    against=(),
    tolerance=0.03,
    tolerance_absolute=None,
    bound=None,
    fits=(),
    known_gap="",
    note="",
)


class Fake(Runs):
    """Predicts what it was told, or that there is nothing to predict."""

    def __init__(self, predicted: float | None) -> None:
        super().__init__()
        self.predicted = predicted

    def predict(self, number: MeasuredNumber) -> float:
        if self.predicted is None:
            raise KeyError("direct path read")
        return self.predicted


@pytest.mark.parametrize(
    ("predicted", "verdict"),
    [(20.0, "within"), (20.6, "within"), (19.4, "within"), (20.61, "fails"), (19.39, "fails"), (None, "fails")],
)
def test_an_error_beyond_the_tolerance_fails(predicted: float | None, verdict: str) -> None:
    found = compare(NUMBER, Fake(predicted))
    assert found.verdict == verdict
    assert Validation([], [found]).failed == (verdict == "fails")
    gap = compare(replace(NUMBER, known_gap="because"), Fake(predicted))
    assert gap.verdict == ("gap_closed" if verdict == "within" else "known_gap")
    assert Validation([], [gap]).failed == (verdict == "within")


def test_a_part_that_the_result_lacks_is_named() -> None:
    assert compare(NUMBER, Fake(None)).note == "the result has no direct path read"


@pytest.mark.parametrize(
    ("bound", "predicted", "verdict"),
    [
        ("at_least", 30.0, "within"),
        ("at_least", 19.5, "within"),
        ("at_least", 19.0, "fails"),
        ("at_most", 3.0, "within"),
        ("at_most", 20.5, "within"),
        ("at_most", 21.0, "fails"),
    ],
)
def test_a_bound_counts_on_one_side(bound: str, predicted: float, verdict: str) -> None:
    found = compare(replace(NUMBER, bound=bound), Fake(predicted))  # type: ignore[arg-type]
    assert found.verdict == verdict
    assert (found.relative_error == 0) == (found.verdict == "within" and (predicted > 20) == (bound == "at_least"))


def test_around_zero_only_an_absolute_tolerance_helps() -> None:
    zero = replace(NUMBER, printed=0.0)
    assert judge(zero, 0.004) == "fails"
    assert judge(zero, 0.0) == "within"
    absolute = replace(zero, tolerance=None, tolerance_absolute=0.005)
    assert judge(absolute, 0.004) == "within"
    assert judge(absolute, 0.006) == "fails"
    found = Comparison(absolute, 0.004, "within", "")
    assert found.relative_error is None
    assert found.tolerance is None


@given(st.floats(0.1, 1e9), st.floats(0, 0.5), st.floats(-2, 2))
def test_within_means_within(printed: float, tolerance: float, error: float) -> None:
    number = replace(NUMBER, printed=printed, tolerance=tolerance)
    verdict = judge(number, printed * (1 + error))
    if abs(error) < tolerance * (1 - 1e-6):
        assert verdict == "within"
    if abs(error) > tolerance * (1 + 1e-6) + 1e-8:
        assert verdict == "fails"


def test_a_wrong_constant_is_noticed() -> None:
    """Twice the CPU of a buffer get fails many numbers that hold without."""
    right = validate(["savvinov_logical_io"])
    runs = Runs(settings=["host.logical_io_s=2.6e-6"])
    wrong = [compare(one.number, runs) for one in right.numbers]
    assert sum(one.verdict in FAILURES for one in wrong) > len(right.failures) + 10


def test_the_result_has_the_agreed_form(validation: Validation) -> None:
    data = json.loads(json.dumps(validation.to_json(), allow_nan=False))
    assert list(data) == ["summary", "numbers", "by_case", "by_mechanism", "constants"]
    assert list(data["summary"]) == [
        "printed_numbers",
        "compared",
        "descriptive",
        "fitted_constants",
        "in_sample_median_error",
        "held_out_median_error",
        "failed",
        "known_gaps",
        "counts_median_error",
        "times_in_sample_median_error",
        "times_out_of_sample_median_error",
        "tests_per_fit",
    ]
    keys = {"case", "where", "quantity", "unit", "measured", "predicted", "relative_error", "tolerance"}
    keys |= {"in_sample", "in_sample_error", "out_of_sample_error", "without_its_row", "without_its_block_size"}
    keys |= {"why_not_left_out", "spread", "spread_from", "mechanism", "fits", "verdict", "note"}
    assert all(set(one) == keys for one in data["numbers"])
    verdicts = {one["verdict"] for one in data["numbers"]}
    assert verdicts <= {"within", "fails", "known_gap", "gap_closed", "descriptive"}
    assert len(data["constants"]) == data["summary"]["fitted_constants"]


def test_the_parts_of_the_summary_add_up(validation: Validation) -> None:
    data = validation.to_json()
    for groups, of in ((data["by_case"], "printed_numbers"), (data["by_mechanism"], "compared")):
        assert sum(one["printed"] for one in groups) == data["summary"][of]
        assert sum(one["fits"] + one["tests"] for one in groups) == data["summary"]["compared"]
        assert sum(one["within"] for one in groups) == sum(one.verdict == "within" for one in validation.numbers)
        for word in ("failed", "known_gaps"):
            assert sum(one[word] for one in groups) == data["summary"][word]
    assert data["summary"]["tests_per_fit"] >= 3


def test_the_summary_adds_up(validation: Validation) -> None:
    summary = validation.summary()
    numbers = validation.numbers
    assert summary["printed_numbers"] == len(numbers) == summary["compared"] + summary["descriptive"]
    within = sum(one.verdict == "within" for one in numbers)
    assert within + summary["failed"] + summary["known_gaps"] == summary["compared"]
    assert validation.failed == bool(summary["failed"])


def test_one_case_alone(validation: Validation) -> None:
    alone = validate(["savvinov-logical-io"])
    assert {one.number.case for one in alone.numbers} == {"savvinov_logical_io"}
    assert 0 < len(alone.numbers) < len(validation.numbers)


def test_each_scenario_runs_once() -> None:
    runs = Runs()
    pick = ("savvinov-lio-pc", ("table.rows=1000",))
    assert runs.result(pick) is runs.result(pick)


def test_a_path_leads_to_one_number_of_a_result() -> None:
    assert steps_of('time.wait["direct path read"].waits') == ["time", "wait", "direct path read", "waits"]
    assert steps_of("physical_io.request_blocks[128]") == ["physical_io", "request_blocks", 128]
    check_path("physical_io.request_blocks[128]")
    check_path("segment.rejected_probes")
    check_path("space_search.elapsed_fraction")
    result = Runs().result(("rahn-full-scan", ()))
    assert look_up("physical_io.request_blocks[128]", result) == result.physical_io.request_blocks[128]
    assert look_up('time.wait["direct path read"].waits', result) > 0
    for missing in ("segment.rejected_probes", "space_search.elapsed_fraction"):
        with pytest.raises(LookupError):
            look_up(missing, result)
    for wrong in (
        "",
        "time..elapsed_s",
        "space_search",
        "space_search.functions",
        "changes.row",
        "time.wait[direct].waits",
        "time",
        "optimiser.cost",
        "scenario",
    ):
        with pytest.raises(ValueError, match=r"."):
            check_path(wrong)


FITS = replace(NUMBER, mark="fits", fits=("host/rahn-2008: logical_io_s",), row="2048")


def test_a_fitting_number_is_out_of_sample_only_without_its_row() -> None:
    alone = Comparison(FITS, 20.2, "within", "", LeftOut(why="nothing else determines it"))
    assert alone.in_sample_error == pytest.approx(0.01)
    assert alone.out_of_sample_error is None
    assert alone.fit_alone
    left_out = Comparison(FITS, 20.2, "within", "", LeftOut(without_its_row=22.0, without_its_block_size=18.0))
    assert left_out.in_sample_error == pytest.approx(0.01)
    assert left_out.out_of_sample_error == pytest.approx(0.1)
    assert left_out.without_its_block_size_error == pytest.approx(-0.1)
    assert not left_out.fit_alone
    tests = Comparison(NUMBER, 20.2, "within", "", LeftOut(why="never asked of a number that tests"))
    assert tests.in_sample_error is None
    assert tests.out_of_sample_error == pytest.approx(0.01)
    assert not tests.fit_alone


def test_medians_in_sample_and_out_of_sample_are_never_mixed() -> None:
    """Fits are off by 1 %, by 10 % without their row; tests by 4 %; a count is exact."""
    fits = Comparison(FITS, 20.2, "within", "", LeftOut(without_its_row=22.0))
    tests = [Comparison(replace(NUMBER, row=str(row)), 20.8, "within", "") for row in range(2)]
    count = Comparison(replace(NUMBER, unit="", path="calls.fetch.query"), 20.0, "within", "")
    summary = Validation([], [fits, *tests, count]).summary()
    assert summary["in_sample_median_error"] == pytest.approx(0.01)
    assert summary["held_out_median_error"] == pytest.approx(0.04)
    assert summary["times_in_sample_median_error"] == pytest.approx(0.01)
    assert summary["times_out_of_sample_median_error"] == pytest.approx(0.04)
    assert summary["counts_median_error"] == 0
    assert summary["tests_per_fit"] == 3
    without = replace(fits, left_out=LeftOut(why="nothing else determines it"))
    assert Validation([], [without]).summary()["held_out_median_error"] is None
    assert Validation([], [without]).summary()["in_sample_median_error"] == pytest.approx(0.01)


def test_a_scenario_that_cannot_be_is_named_by_its_place() -> None:
    for pick in (("no-such-scenario", ()), ("rahn-full-scan", ("tablespace.block_size_bytes=8000",))):
        with pytest.raises(SpecError, match=r"^a_case.toml: table a table, row 8192, column cpu_s: "):
            compare(replace(NUMBER, pick=pick), Runs())
