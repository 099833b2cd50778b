"""Uncertainty that reaches the answer: closed forms, what cancels, what adds, and what makes most of it."""

from collections.abc import Mapping
from math import exp, hypot, log
from typing import Any

import numpy as np
import pytest
import scipy.stats

from blocktime.model.budget import Budget
from blocktime.model.catalog import read_correlations
from blocktime.model.engine import simulate
from blocktime.model.errors import OverBudget, SpecError
from blocktime.model.provenance import Constant
from blocktime.model.results import Interval, RunResult
from blocktime.model.spec import System
from blocktime.scenarios import Scenario, load, run, uncertainty
from blocktime.scenarios.interval import CONFIDENCE, half_width
from blocktime.scenarios.measured import ELAPSED, ComparedFigure
from blocktime.scenarios.sweeps.executors import LocalProcesses
from blocktime.scenarios.uncertainty import constant_runs, propagate
from blocktime.scenarios.uncertainty.constants import knowledge_of
from blocktime.scenarios.uncertainty.difference import Difference
from blocktime.scenarios.uncertainty.draws import check_inputs, correlation_matrix, drawn
from blocktime.scenarios.uncertainty.model_error import ModelError
from blocktime.scenarios.uncertainty.response import Response, design, fitted
from blocktime.scenarios.uncertainty.shares import Origin, contributions

FREE = (
    "host.logical_io_s", "host.line_miss_s", "host.line_stream_s", "host.row_step_s", "host.column_step_ratio",
    "host.fetch_row_s", "host.call_s", "host.between_calls_s", "client.round_trip_s", "client.message_send_s",
)  # fmt: skip
"""Fields that cost nothing in a scenario of one cost."""
WITHIN = 0.004
"""How well 4,096 draws find an end of an interval, as a share of its distance."""
Interval2 = tuple[float, float]


def with_constants(scenario: Scenario, intervals: Mapping[str, Interval2], names: str = "") -> Scenario:
    """*scenario* with the constants at those fields alone uncertain; each called by its field, or by *names*."""
    found = dict.fromkeys(intervals, None)
    for path in found:
        section, _, field = path.rpartition(".")
        value = getattr(getattr(scenario.system, section), field)
        found[path] = Constant(
            value=value, name=names or path, how="assumed", source="a test", interval=intervals[path]
        )
    return scenario.model_copy(update={"system": scenario.system.model_copy(update={"constants": found})})


def one_cost(cost: str, value: float) -> Scenario:
    """A count of rows of which nothing takes time but *cost*."""
    free = [f"{field}=0" for field in FREE if field != cost]
    return load("savvinov-lio-pc", [*free, f"{cost}={value}"])


def answered(*scenarios: Scenario, **how: object) -> uncertainty.Propagated:
    """What the constants alone make."""
    return propagate(scenarios, [run(one) for one in scenarios], **how)  # type: ignore[arg-type]


def interval_of(result: RunResult) -> Interval:
    assert result.uncertainty is not None
    return result.uncertainty.elapsed


@pytest.fixture(autouse=True)
def constants_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's own error is none here; test_model_error.py is about it."""
    none = ModelError("a test", {}, 0.0, 1.0, 0.0)
    monkeypatch.setattr(uncertainty, "model_error", lambda: none)


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    """No run of another test is known."""
    constant_runs._KNOWN.clear()


@pytest.fixture
def correlated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows and what one costs move against each other, exactly."""
    pair = {frozenset({"table.rows", "host.row_step_s"}): -1.0}
    monkeypatch.setattr(uncertainty, "correlations", lambda: pair)


@pytest.mark.parametrize("factor", [1.02, 1.5, 4.0])
def test_a_time_proportional_to_one_constant_has_its_interval(factor: float) -> None:
    scenario = one_cost("host.logical_io_s", 1e-6)
    asked = with_constants(scenario, {"host.logical_io_s": (1e-6 / factor, 1e-6 * factor)})
    (result,) = answered(asked).results
    found = interval_of(result)
    assert log(found.high_s / result.time.elapsed_s) == pytest.approx(log(factor), rel=WITHIN)
    assert log(found.low_s / result.time.elapsed_s) == pytest.approx(-log(factor), rel=WITHIN)
    assert result.uncertainty is not None
    (only,) = result.uncertainty.contributions
    assert (only.name, only.fields) == ("host.logical_io_s", ["host.logical_io_s"])
    assert only.variance_fraction == pytest.approx(1, abs=0.05)


def test_an_interval_need_not_be_symmetric_and_may_begin_at_none() -> None:
    scenario = one_cost("host.logical_io_s", 1e-6)
    (result,) = answered(with_constants(scenario, {"host.logical_io_s": (0.0, 1.3e-6)})).results
    found = interval_of(result)
    assert found.low_s == pytest.approx(0, abs=WITHIN * result.time.elapsed_s)
    assert found.high_s == pytest.approx(1.3 * result.time.elapsed_s, rel=WITHIN)


def test_what_moves_against_each_other_cancels(correlated: None) -> None:
    scenario = one_cost("host.row_step_s", 1e-8)
    rows = scenario.system.table.rows
    both = {"host.row_step_s": (0.5e-8, 2e-8), "table.rows": (rows / 2, 2.0 * rows)}
    (result,) = answered(with_constants(scenario, both)).results
    found = interval_of(result)
    assert found.low_s == pytest.approx(result.time.elapsed_s, rel=1e-5)
    assert found.high_s == pytest.approx(result.time.elapsed_s, rel=1e-5)


def test_what_is_independent_adds_in_squares() -> None:
    scenario = one_cost("host.row_step_s", 1e-8)
    rows = scenario.system.table.rows
    both = {"host.row_step_s": (1e-8 / 1.3, 1.3e-8), "table.rows": (rows / 1.1, 1.1 * rows)}
    (result,) = answered(with_constants(scenario, both)).results
    expected = exp(hypot(log(1.3), log(1.1)))
    assert interval_of(result).high_s / result.time.elapsed_s == pytest.approx(expected, rel=0.01)
    assert result.uncertainty is not None
    shares = {one.name: one.variance_fraction for one in result.uncertainty.contributions}
    assert list(shares) == ["host.row_step_s", "table.rows"]
    assert shares["host.row_step_s"] == pytest.approx(log(1.3) ** 2 / log(expected) ** 2, abs=0.02)


def test_one_constant_in_two_fields_moves_both() -> None:
    scenario = one_cost("host.row_step_s", 1e-8)
    cost = scenario.system.host.model_copy(update={"logical_io_s": 1e-8})
    scenario = scenario.model_copy(update={"system": scenario.system.model_copy(update={"host": cost})})
    both = {"host.row_step_s": (1e-8 / 1.3, 1.3e-8), "host.logical_io_s": (1e-8 / 1.3, 1.3e-8)}
    (result,) = answered(with_constants(scenario, both, names="one")).results
    assert interval_of(result).high_s / result.time.elapsed_s == pytest.approx(1.3, rel=WITHIN)
    assert result.uncertainty is not None
    (only,) = result.uncertainty.contributions
    assert (only.name, only.fields) == ("one", ["host.logical_io_s", "host.row_step_s"])


def test_without_an_interval_it_is_a_point() -> None:
    scenario = with_constants(one_cost("host.logical_io_s", 1e-6), {})
    (result,) = answered(scenario).results
    found = result.uncertainty
    assert found is not None
    assert found.elapsed.low_s == pytest.approx(result.time.elapsed_s, rel=1e-5)
    assert found.elapsed.high_s == pytest.approx(result.time.elapsed_s, rel=1e-5)
    assert found.uncertain_constants == []
    assert all(one.constant is None for one in found.contributions)


def test_a_constant_that_the_scenario_sets_is_known() -> None:
    before, after = (knowledge_of(load("savvinov-lio-pc", more)) for more in ([], ["host.line_miss_s=2e-8"]))
    assert "host/savvinov-pc: line_miss_s" in [one.name for one in before.uncertain]
    missing = [one for one in before.uncertain if one.name not in [other.name for other in after.uncertain]]
    assert all("host.line_miss_s" in one.fields for one in missing)
    assert "host.line_miss_s" not in [field for one in after.uncertain for field in one.fields]
    assert set(after.known) > set(before.known)


def test_a_repeated_constant_has_the_name_and_interval_of_its_origin() -> None:
    own, taken_over = (
        {one.name: one for one in knowledge_of(load(name)).uncertain}
        for name in ("savvinov-lio-pc", "rahn-pctfree-8k-10")
    )
    name = "host/savvinov-pc: logical_io_s"
    assert (own[name].low, own[name].high) == (taken_over[name].low, taken_over[name].high)


def test_prices_move_no_time() -> None:
    fields = [field for one in knowledge_of(load("savvinov-lio-priced")).uncertain for field in one.fields]
    assert not [field for field in fields if field.startswith("prices.")]
    assert knowledge_of(load("savvinov-lio-priced")).known == knowledge_of(load("savvinov-lio-pc")).known


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["savvinov-lio-pc", "magni-imp-4k", "rahn-full-scan", "rahn-pctfree-8k-10"])
def test_shares_are_shares_and_the_answer_lies_within(name: str) -> None:
    """Of two constants whose sum is known neither is blamed for more than there is."""
    (result,) = answered(load(name)).results
    found = result.uncertainty
    assert found is not None
    assert found.elapsed.low_s <= result.time.elapsed_s <= found.elapsed.high_s
    assert found.elapsed.low_s < found.elapsed.high_s
    shares = [one.variance_fraction for one in found.contributions]
    assert shares == sorted(shares, reverse=True)
    assert shares
    assert all(0 < share <= 1 for share in shares)


def test_a_seed_gives_the_same_and_another_nearly() -> None:
    scenario = load("savvinov-lio-pc")
    first, again, other = (answered(scenario, seed=seed).results[0] for seed in (5, 5, 6))
    assert first == again
    assert interval_of(first) != interval_of(other)
    assert interval_of(first).high_s == pytest.approx(interval_of(other).high_s, rel=0.01)


def test_a_scenario_does_not_differ_from_itself() -> None:
    scenario = load("savvinov-lio-pc")
    found = answered(scenario, scenario).difference(1)
    assert (found.low_s, found.change_s, found.high_s) == (0, 0, 0)
    assert (found.low_fraction, found.high_fraction) == (0, 0)
    assert (found.sign, found.contributions) == ("none", [])


def test_what_two_scenarios_share_cancels() -> None:
    a, b = (load("savvinov-lio-pc", more) for more in ([], ["tablespace.block_size_bytes=16K"]))
    both = answered(a, b)
    found, apart = both.difference(1), [answered(one).results[0] for one in (a, b)]
    widths = [interval_of(one).high_s - interval_of(one).low_s for one in apart]
    assert found.change_s == both.results[1].time.elapsed_s - both.results[0].time.elapsed_s
    assert found.low_s <= found.change_s <= found.high_s
    assert found.high_s - found.low_s < 0.5 * hypot(*widths)
    assert found.sign == "less"


def measured(scenario: Scenario, elapsed_s: float) -> Scenario:
    """*scenario* as a system of which that elapsed time was measured."""
    figure = ComparedFigure(
        name=ELAPSED, value=elapsed_s, unit="s", low=elapsed_s, high=elapsed_s, file="a report", line=1
    )
    return scenario.model_copy(update={"compared": (figure,), "changed": False})


def test_of_a_measured_system_only_what_its_time_leaves_open_is_unsure() -> None:
    """All time is gets, so the measured time tells what one takes."""
    base, other = (one_cost("host.logical_io_s", 1e-6) for _ in range(2))
    table = other.system.table.model_copy(update={"rows": 2 * other.system.table.rows})
    other = other.model_copy(update={"system": other.system.model_copy(update={"table": table})})
    base, other = (with_constants(one, {"host.logical_io_s": (0.5e-6, 2e-6)}, names="one") for one in (base, other))
    free = answered(base, other).difference(1)
    assert free.high_s > 1.9 * free.change_s
    known = answered(measured(base, run(base).time.elapsed_s), other).difference(1)
    assert known.change_s == free.change_s
    assert (known.low_s, known.high_s) == pytest.approx((known.change_s, known.change_s), rel=1e-3)
    off = answered(measured(base, 0.9 * run(base).time.elapsed_s), other).difference(1)
    assert [one.mechanism for one in off.contributions] == ["measured system"]
    assert off.high_s > 1.1 * off.change_s
    same = answered(measured(base, 0.9 * run(base).time.elapsed_s), base).difference(1)
    assert same.sign == "none"


def test_an_interval_of_a_thousandth_counts_as_exact() -> None:
    for half, count in ((0.4e-9, 0), (0.6e-9, 1)):
        asked = with_constants(one_cost("host.logical_io_s", 1e-6), {"host.logical_io_s": (1e-6 - half, 1e-6 + half)})
        assert len(knowledge_of(asked).uncertain) == count


def test_what_only_one_has_varies_alone() -> None:
    a = with_constants(one_cost("host.logical_io_s", 1e-6), {"host.logical_io_s": (1e-6 / 1.2, 1.2e-6)}, "a")
    b = with_constants(one_cost("host.logical_io_s", 1.1e-6), {"host.logical_io_s": (1.1e-6 / 1.2, 1.32e-6)}, "b")
    found = answered(a, b).difference(1)
    assert found.sign == "either"
    assert log(1 + found.high_fraction) - log(1.1) == pytest.approx(2**0.5 * log(1.2), rel=0.02)
    assert {one.name for one in found.contributions} == {"a", "b"}


def test_chance_adds_in_squares() -> None:
    scenario = with_constants(one_cost("host.logical_io_s", 1e-6), {"host.logical_io_s": (1e-6 / 1.05, 1.05e-6)})
    result = run(scenario)
    elapsed = result.time.elapsed_s
    own = interval_of(propagate([scenario], [result]).results[0])
    interval = Interval(low_s=0.96 * elapsed, high_s=1.04 * elapsed, confidence=0.95)
    chance = result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})
    found = interval_of(propagate([scenario], [chance]).results[0])
    assert found.high_s - elapsed == pytest.approx(hypot(own.high_s - elapsed, 0.04 * elapsed))
    assert elapsed - found.low_s == pytest.approx(hypot(elapsed - own.low_s, 0.04 * elapsed))


STREAM = "magni-pwrite-1"


def test_a_response_that_is_linear_has_the_interval_of_the_theory() -> None:
    """The sum of correlated logarithms."""
    names, slopes = ["a", "b", "c"], np.array([0.3, -0.2, 0.1])
    pairs = {frozenset(("a", "b")): 0.8, frozenset(("b", "c")): -0.3}
    draws = drawn(names, pairs, 4096, 1)
    directions = draws.directions(names)
    independent = design(3, 4, 1.96, 5)
    response = fitted(independent, slopes @ directions @ independent, 1.96)
    own = np.linalg.pinv(directions) @ np.stack([draws.scores[name] for name in names])
    factors = response.factors(own, 1)
    sd = (slopes @ correlation_matrix(names, pairs) @ slopes) ** 0.5
    ends = np.log(np.quantile(factors, [0.025, 0.975]))
    assert ends == pytest.approx([-1.96 * sd, 1.96 * sd], rel=0.02)
    assert response.scale == 1
    assert abs(response.remainders).max() < 1e-12


@pytest.mark.parametrize("size", [1, 2, 5, 16])
def test_runs_move_each_direction_and_then_all_in_opposite_pairs(size: int) -> None:
    scores = design(size, 4, 1.96, 7)
    assert (scores[:, : 2 * size] == np.concatenate([-1.96 * np.eye(size), 1.96 * np.eye(size)], 1)).all()
    together = scores[:, 2 * size :]
    assert (together[:, :4] == -together[:, 4:]).all()
    np.testing.assert_allclose((together**2).mean(axis=0), 1)


def test_an_effect_is_monotone_through_its_ends_and_straight_beyond() -> None:
    response = Response(np.array([-0.1]), np.array([0.5]), 2.0, 1.0, np.zeros(1))
    scores = np.linspace(-3, 3, 61)[None, :]
    logs = response.logs(scores)
    at = dict(zip(scores[0].round(6).tolist(), logs.tolist(), strict=True))
    assert [at[-2.0], at[0.0], at[2.0]] == pytest.approx([-0.1, 0, 0.5])
    assert (np.diff(logs) > 0).all()
    assert at[3.0] == pytest.approx(0.75)
    assert at[-3.0] == pytest.approx(-0.15)
    peak = response._replace(lows=np.array([0.2])).logs(scores)
    assert peak.min() == pytest.approx(0)


def test_what_effects_leave_of_runs_is_drawn_but_for_chance() -> None:
    """Two directions that multiply each other."""
    scores = design(2, 4, 1.96, 3)
    logs = np.array([0.2, 0.1]) @ scores + 0.1 * scores[0] * scores[1]
    response = fitted(scores, logs, 1.96)
    off = logs[4:] - response.scale * (np.array([0.2, 0.1]) @ scores[:, 4:])
    np.testing.assert_allclose(response.remainders, off)
    assert (off**2).mean() > 1e-4
    less = fitted(scores, logs, 1.96, chance_sd=0.01).remainders
    assert (less**2).mean() == pytest.approx((off**2).mean() - 1e-4)
    assert not fitted(scores, logs, 1.96, chance_sd=1.0).remainders.any()


def test_a_simulation_is_drawn_from_a_few_runs_with_one_seed() -> None:
    told: list[tuple[int, int]] = []
    scenario = load(STREAM)
    found = answered(scenario, progress=lambda *at: told.append(at)).results[0].uncertainty
    assert found is not None
    assert (found.runs, found.draws) == (19, 4096)
    assert told == [(place + 1, 19) for place in range(19)]
    exact = answered(load("savvinov-lio-pc")).results[0].uncertainty
    assert exact is not None
    assert (exact.runs, exact.draws) == (0, 4096)


def test_two_workers_give_the_same_digits() -> None:
    scenario = load(STREAM)
    alone = answered(scenario).results[0]
    two = answered(scenario, executors=lambda _: LocalProcesses(2)).results[0]
    assert alone == two


def test_runs_of_an_exact_sum_have_the_interval_of_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement of one session, answered both ways."""
    scenario = load("savvinov-lio-pc")
    by_arrays = answered(scenario).results[0]
    monkeypatch.setattr(constant_runs, "is_played", lambda *_: True)
    by_runs = answered(scenario).results[0]
    widths = [interval_of(one).high_s - interval_of(one).low_s for one in (by_runs, by_arrays)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)


def test_all_runs_of_users_have_as_many_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the same random numbers go to the same transactions, and as few as a coarse answer needs."""
    lengths = set[int | None]()

    def noted(system: System, work: Any, *, seed: int) -> RunResult:
        lengths.add(work.transactions)
        return simulate(system, work, seed=seed)

    monkeypatch.setattr(constant_runs, "simulate", noted)
    precise = load("tpc-b", ["workload.precision_percent=1"])
    scenario = with_constants(precise, {"host.logical_io_s": (0.5e-6, 3e-6)})
    answered(scenario)
    (length,) = lengths
    played = run(scenario).transactions
    assert length is not None
    assert played is not None
    assert 100 <= length < (played.measured or 0)


def test_a_long_answer_has_fewer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_runs, "QUICK_S", 0.0)
    found = answered(load(STREAM)).results[0].uncertainty
    assert found is not None
    assert found.runs == 2 * len(found.uncertain_constants) + 5


def test_an_interval_obeys_the_budget() -> None:
    scenario = load(STREAM)
    with pytest.raises(OverBudget, match=r"magni-pwrite-1: the uncertainty takes about .* for 19 simulations; the"):
        answered(scenario, budget=Budget(seconds=0.005))


def test_a_run_that_is_known_is_not_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two scenarios that are compared, the one that stays as it was; and what was played before an interrupt."""
    played: list[int] = []

    def noted(system: System, work: Any, *, seed: int) -> RunResult:
        played.append(seed)
        return simulate(system, work, seed=seed)

    def stop(done: int, _: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    monkeypatch.setattr(constant_runs, "simulate", noted)
    scenario, other = load(STREAM), load(STREAM, ["disk.overhead_s=2ms"])
    with pytest.raises(KeyboardInterrupt):
        answered(scenario, progress=stop)
    first = answered(scenario).results[0]
    assert len(played) == 19
    both = answered(scenario, other)
    assert both.results[0] == first
    assert len(played) < 2 * 19
    constant_runs._KNOWN.clear()
    assert answered(scenario, other).results == both.results


def test_a_bound_has_no_interval() -> None:
    scenario = load(STREAM)
    bound = run(scenario).model_copy(update={"how": "bound"})
    with pytest.raises(OverBudget, match="magni-pwrite-1: the answer is a bound, not a simulation, so it has no"):
        propagate([scenario], [bound])


def test_an_interrupt_ends_the_runs() -> None:
    def stop(done: int, _: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answered(load(STREAM), progress=stop)


def test_values_without_an_answer_are_one_sentence() -> None:
    plain = load("magni-pwrite-1", ["disk.use=array-raid10"])
    scenario = with_constants(plain, {"disk.raid_disks": (4, 16)})
    says = r"magni-pwrite-1: uncertainty: .* without an answer, such as disk.raid_disks=.* is odd"
    with pytest.raises(SpecError, match=says):
        propagate([scenario], [run(plain)])


def test_an_interval_that_does_not_hold_its_value_is_refused() -> None:
    scenario = with_constants(one_cost("host.logical_io_s", 1e-6), {"host.logical_io_s": (2e-6, 3e-6)})
    with pytest.raises(SpecError, match=r"host.logical_io_s: interval: got 2e-06 to 3e-06; .* 1e-06 between them"):
        answered(scenario)


def test_correlations_that_no_constants_can_have_become_such_as_they_can() -> None:
    pairs = {frozenset("ab"): 0.9, frozenset("bc"): 0.9, frozenset("ac"): -0.9}
    found = correlation_matrix(["a", "b", "c"], pairs)
    assert np.diag(found) == pytest.approx(np.ones(3))
    assert np.linalg.eigvalsh(found).min() > -1e-12
    assert found[0, 1] == pytest.approx(found[1, 2])
    assert 0 < found[0, 1] < 0.9
    possible = {frozenset("ab"): 0.5}
    assert correlation_matrix(["a", "b", "c"], possible)[0, 1] == 0.5


def test_correlations_are_read_both_ways() -> None:
    one, other = "host/savvinov-pc: logical_io_s", "host/savvinov-pc: line_miss_s"
    text = f'[[pair]]\nof = ["{one}", "{other}"]\ncorrelation = -0.93\n'
    assert read_correlations(text) == {frozenset({other, one}): -0.93}
    assert read_correlations("") == {}


@pytest.mark.parametrize(
    ("of", "correlation", "says"),
    [
        ('["host/savvinov-pc: logical_io_s"]', 0.5, "list of two different constants"),
        ('["host/savvinov-pc: a", "host/savvinov-pc: b"]', 0.5, "no constant named 'host/savvinov-pc: a'"),
        ('["host/nowhere: a", "host/savvinov-pc: b"]', 0.5, "no host named 'nowhere'"),
        ('["host/savvinov-pc: logical_io_s", "host/savvinov-pc: line_miss_s"]', 1.5, "from -1 to 1"),
        ('["host/savvinov-pc: logical_io_s", "host/savvinov-pc: line_miss_s"]', '"much"', "from -1 to 1"),
    ],
)
def test_correlations_that_make_no_sense_are_one_sentence(of: str, correlation: object, says: str) -> None:
    with pytest.raises(SpecError, match=r"correlations\.toml: pair 1") as refused:
        read_correlations(f"[[pair]]\nof = {of}\ncorrelation = {correlation}\n")
    assert says in str(refused.value)


def test_a_pair_is_listed_once() -> None:
    pair = '[[pair]]\nof = ["host/savvinov-pc: logical_io_s", "host/savvinov-pc: line_miss_s"]\ncorrelation = 0.5\n'
    with pytest.raises(SpecError, match=r"pair 2: .* were paired before"):
        read_correlations(pair + pair)


def test_a_pair_of_an_input_that_was_not_fitted_is_refused() -> None:
    with pytest.raises(SpecError, match=r"no library scenario has the fitted input scenario/tpc-b: table\.rows"):
        check_inputs({frozenset({"scenario/tpc-b: table.rows", "host/savvinov-pc: logical_io_s"}): 0.5})


def _difference(low_s: float, high_s: float, extrapolated: list[str] | None = None) -> Difference:
    return Difference(
        change_s=(low_s + high_s) / 2, low_s=low_s, high_s=high_s, low_fraction=low_s, high_fraction=high_s,
        confidence=0.95, contributions=[], extrapolated_constants=extrapolated or [], draws=64, seed=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low_s", "high_s", "sign"),
    [(-2.0, -1.0, "less"), (-2.0, 0.0, "either"), (-1.0, 2.0, "either"), (0.0, 1.0, "either"), (1.0, 2.0, "more"),
     (0.0, 0.0, "none")],
)  # fmt: skip
def test_a_sign_is_sure_where_the_interval_holds_one_alone(low_s: float, high_s: float, sign: str) -> None:
    difference = _difference(low_s, high_s)
    assert (difference.sign, difference.is_sure) == (sign, sign != "either")
    extrapolated = _difference(low_s, high_s, ["disk/nvme: bandwidth_bytes_per_s"])
    assert (extrapolated.sign, extrapolated.is_sure) == (sign, sign == "none")


@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.8])
def test_draws_are_standard_normal_and_as_correlated_as_asked(correlation: float) -> None:
    scores = drawn(["a", "b"], {frozenset(("a", "b")): correlation}, 4096, 1).scores
    expected = [[1, correlation], [correlation, 1]]
    np.testing.assert_allclose(np.cov(scores["a"], scores["b"]), expected, atol=0.05)


def test_what_has_no_part_in_a_time_makes_little_of_its_variance() -> None:
    """Of 40 draws two terms explain 2/39 by chance alone, which is taken off."""
    random = np.random.default_rng(1)
    shares = []
    for _ in range(200):
        origin = Origin((random.standard_normal(40),), mechanism="none")
        shares += [sum(part.variance_fraction for part in contributions([origin], random.standard_normal(40)))]
    assert np.mean(shares) < 0.03


def test_replications_have_students_interval() -> None:
    values = [3.0, 4.0, 8.0, 5.0]
    low, high = scipy.stats.t.interval(CONFIDENCE, 3, np.mean(values), scipy.stats.sem(values))
    assert half_width(values) == pytest.approx((high - low) / 2)
