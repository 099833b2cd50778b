"""The best point: by all of a small space or by a search, with what binds; and where one axis reaches a goal."""

import math
from pathlib import Path
from typing import Any

import pytest

from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.measures import MEASURES
from blocktime.scenarios import load
from blocktime.scenarios.search import optimise as module
from blocktime.scenarios.search.goal_seek import STILL, Crossing, MeasureAt, _holds, is_monotone, seek
from blocktime.scenarios.search.limits import limits_of
from blocktime.scenarios.search.optimise import Optimum, optimise
from blocktime.scenarios.search.search_axis import Along
from blocktime.scenarios.sweeps.sweep import SweepBackend, sweep
from blocktime.scenarios.sweeps.sweep_spec import axis_of
from blocktime.scenarios.sweeps.table import read_table
from tests.smooth import answer_smoothly, smooth_measures_of

USERS = "workload.users=1:60"
CACHE = "instance.buffer_cache_bytes=32M,64M,128M,256M"
THINK = "workload.think_s=0.2:2"
SHORT = ("workload.transactions=400",)
"""Settings of a run that is soon done."""


@pytest.fixture(autouse=True)
def smooth(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_smoothly(monkeypatch)


def best_of(tmp_path: Path, vary: list[str], *such_that: str, **how: Any) -> Optimum:
    return optimise("tpc-b", vary, such_that=such_that, at=SweepBackend(workers=1, store=tmp_path), **how)


def sought(tmp_path: Path, goal: str, vary: str, **how: Any) -> Crossing:
    return seek("tpc-b", goal, [vary], at=SweepBackend(workers=1, store=tmp_path), **how)


def alone(measure: str, *settings: str) -> float:
    return smooth_measures_of("tpc-b", settings)[measure]


def rows(tmp_path: Path, *vary: str) -> list[dict[str, Any]]:
    """All points of a crossed sweep."""
    table = sweep("tpc-b", vary, at=SweepBackend(workers=1, store=tmp_path))
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


# The best of a small space


def test_a_small_space_is_answered_as_a_whole(tmp_path: Path) -> None:
    found = best_of(tmp_path, ["workload.users=1:20", CACHE], "response_s <= '8ms'", maximise="transactions_per_s")
    every = rows(tmp_path, "workload.users=1:20:20", CACHE)
    keeping = [row for row in every if row["response_s"] <= 0.008]
    best = max(keeping, key=lambda row: row["transactions_per_s"])
    assert found.exact
    assert found.points == len(every) == 80
    assert found.best is not None
    assert found.best.values == {key: best[key] for key in found.best.values}
    assert found.best.measures["transactions_per_s"] == best["transactions_per_s"]
    assert found.base_keeps == (False,)  # 8.86 ms
    assert found.reference["response_s"] == pytest.approx(alone("response_s"), rel=1e-9)


def test_a_limit_that_forbids_the_next_value_binds(tmp_path: Path) -> None:
    found = best_of(tmp_path, [USERS], "response_s <= 0.0105", "workload.users <= 40", maximise="transactions_per_s")
    assert found.best is not None
    users = found.best.values["workload.users"]
    assert alone("response_s", f"workload.users={users}") <= 0.0105 < alone("response_s", f"workload.users={users + 1}")
    (binding,) = found.binding
    assert (binding.what, binding.why, binding.key) == ("response_s <= 0.0105", "forbids a neighbour", "workload.users")
    assert binding.at == users + 1
    assert binding.outcome == pytest.approx(alone("transactions_per_s", f"workload.users={users + 1}"), rel=1e-9)


def test_a_limit_on_fields_binds_and_its_points_are_not_answered(tmp_path: Path) -> None:
    found = best_of(tmp_path, [USERS], "2 * workload.users <= 4 * host.cpus", maximise="transactions_per_s")
    cpus = load("tpc-b").system.host.cpus
    assert found.best is not None
    assert found.best.values == {"workload.users": 2 * cpus}
    assert [one.why for one in found.binding] == ["forbids a neighbour"]  # told by a look at the neighbour
    assert found.points == 2 * cpus + 1


def test_an_axis_that_ends_at_its_bound_is_told(tmp_path: Path) -> None:
    found = best_of(tmp_path, [USERS, "disk.use=nvme,sas-15k"], maximise="transactions_per_s")
    assert found.best is not None
    assert found.best.values == {"workload.users": 60, "disk.use": "nvme"}
    assert [(one.what, one.why, one.at) for one in found.binding] == [
        ("workload.users", "high end", 60)  # words have no end
    ]


def test_a_limit_that_is_met_with_equality_binds(tmp_path: Path) -> None:
    found = best_of(tmp_path, [USERS], "workload.users <= 60", "cpu_s < 1", maximise="transactions_per_s")
    assert [(one.what, one.why) for one in found.binding] == [
        ("workload.users <= 60", "equal"),
        ("workload.users", "high end"),
    ]


def test_an_axis_without_effect_stays_as_it_is(tmp_path: Path) -> None:
    found = best_of(tmp_path, ["iostat.interval_s=0.5,1,2,4", "workload.users=5,10"], minimise="response_s")
    assert found.best is not None
    now = load("tpc-b").system.iostat.interval_s
    assert found.best.values == {"iostat.interval_s": now, "workload.users": 5}
    assert found.idle == ("iostat.interval_s",)


def test_where_nothing_keeps_the_limits_the_nearest_is_told(tmp_path: Path) -> None:
    found = best_of(tmp_path, [USERS], "response_s <= '5ms'", maximise="transactions_per_s")
    assert found.best is None
    assert found.nearest is not None
    assert found.nearest.values == {"workload.users": 1}
    slack = (0.005 - alone("response_s", "workload.users=1")) / alone("response_s", "workload.users=1")
    assert found.nearest.slacks == (pytest.approx(slack),)


def test_points_without_an_answer_are_counted(tmp_path: Path) -> None:
    found = best_of(tmp_path, ["workload.rate_per_s=50,100,500,900"], maximise="transactions_per_s")
    assert found.best is not None
    assert found.best.values == {"workload.rate_per_s": 100}
    assert found.failed == 2
    assert "than the data disk can do" in found.error


# A search


def test_a_search_finds_what_all_points_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vary, limit = [USERS, CACHE], "response_s <= '9ms'"
    exact = best_of(tmp_path, vary, limit, maximise="transactions_per_s")
    monkeypatch.setattr(module, "MOST_COMBINATIONS", 0)
    searched = best_of(tmp_path, vary, limit, maximise="transactions_per_s")
    assert (exact.exact, searched.exact) == (True, False)
    assert searched.settled
    assert searched.best == exact.best
    assert searched.binding == exact.binding
    assert searched.points < exact.points


def test_a_search_over_reals_meets_its_limit(tmp_path: Path) -> None:
    """Throughput is users over response and pause, so the best has the response at its limit or an axis at its end."""
    found = best_of(tmp_path, [THINK, "workload.users=30,40"], "response_s <= 0.012", maximise="transactions_per_s")
    assert found.best is not None
    took = found.best.measures["response_s"]
    assert took <= 0.012
    assert took == pytest.approx(0.012, rel=1e-3)
    assert "response_s <= 0.012" in {one.what for one in found.binding}
    rate = found.best.values["workload.users"] / (took + found.best.values["workload.think_s"])
    assert found.best.measures["transactions_per_s"] == pytest.approx(rate, rel=1e-6)
    written = [f"{key}={value}" for key, value in found.best.values.items()]
    assert alone("response_s", *written) == pytest.approx(took, rel=1e-9)  # the values can be written down


def test_a_search_that_stops_early_is_led_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vary, limit = [THINK], "response_s <= 0.015"
    settings = ["workload.users=30"]
    monkeypatch.setattr(module, "SETTLED", 1e9)  # evolution ends with its first generation
    found = best_of(tmp_path, vary, limit, maximise="transactions_per_s", settings=settings)
    assert found.best is not None
    assert 0.015 * (1 - 1e-3) < found.best.measures["response_s"] <= 0.015


def test_a_search_is_the_same_each_time_and_with_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the other process plays
    vary, how = [THINK, USERS], {"minimise": "response_s", "limit": 150, "settings": SHORT}
    one = optimise("tpc-b", vary, at=SweepBackend(workers=1, store=tmp_path / "one"), **how)
    two = optimise("tpc-b", vary, at=SweepBackend(workers=2, store=tmp_path / "two"), **how)
    assert one == two


def test_a_search_ends_where_no_more_may_be_asked(tmp_path: Path) -> None:
    found = best_of(tmp_path, [THINK, USERS], minimise="response_s", limit=70)
    assert not found.settled
    assert found.points <= 70
    assert found.best is not None
    assert found.best.measures["response_s"] <= alone("response_s")  # the base scenario is among the first


def test_the_points_that_were_asked_can_be_written(tmp_path: Path) -> None:
    out = tmp_path / "asked.parquet"
    found = best_of(tmp_path, ["workload.users=1:9"], minimise="response_s", out=out)
    table, _, _ = read_table(out)
    assert table["workload.users"].tolist() == list(range(1, 10))
    assert found.best is not None
    assert min(table["response_s"]) == found.best.measures["response_s"]


# A goal


@pytest.mark.parametrize(
    ("goal", "vary", "wide"),
    [
        ("response_s <= 10ms", "workload.users=1:100", "workload.users=1:100:100"),
        ("response_s <= 2 * base", "workload.users=1:200", "workload.users=1:200:200"),
        ("transactions_per_s >= 40", "workload.users=1:100", "workload.users=1:100:100"),
        ("response_s <= '8ms'", CACHE, CACHE),
    ],
)
def test_a_goal_is_where_all_values_have_it(goal: str, vary: str, wide: str, tmp_path: Path) -> None:
    found = sought(tmp_path, goal, vary)
    every = rows(tmp_path, wide)
    measure = goal.split(maxsplit=1)[0]
    wanted = {"response_s <= 2 * base": 2 * alone("response_s")}.get(goal, found.goal)
    assert found.goal == pytest.approx(wanted, rel=1e-9)
    sides = [(row[measure] >= wanted) if ">=" in goal else (row[measure] <= wanted) for row in every]
    change = next(place for place in range(1, len(sides)) if sides[place] != sides[place - 1])
    assert found.below is not None
    assert found.above is not None
    assert (found.below.value, found.above.value) == (every[change - 1][found.key], every[change][found.key])
    assert found.below.outcome == every[change - 1][measure]
    assert found.best in (found.below, found.above)
    assert found.best.value == every[change - 1 if sides[change - 1] else change][found.key]
    assert found.is_whole
    assert found.is_monotone
    assert found.points < 20


@pytest.mark.parametrize(("test", "holds"), [(">=", [False, True, True]), ("<=", [True, True, False])])
def test_a_goal_that_is_just_met_holds(test: str, holds: list[bool]) -> None:
    assert [_holds(test, outcome, 2.0) for outcome in (1.0, 2.0, 3.0)] == holds


def test_a_goal_along_reals_is_met_closely(tmp_path: Path) -> None:
    found = sought(tmp_path, "response_s = 9.8ms", "workload.think_s=0.1:10")
    assert found.best is not None
    assert found.best.outcome == pytest.approx(0.0098, rel=1e-6)
    assert not found.is_whole


def test_a_goal_that_is_not_reached_says_what_is(tmp_path: Path) -> None:
    found = sought(tmp_path, "response_s = 1", "workload.users=1:40")
    assert (found.below, found.above, found.best) == (None, None, None)
    assert [found.scan[0].value, found.scan[-1].value] == [1, 40]
    assert found.scan[-1].outcome == pytest.approx(alone("response_s", "workload.users=40"), rel=1e-9)


def test_a_goal_beyond_what_can_be_answered(tmp_path: Path) -> None:
    """Response grows without end towards the rate that the disk can do; behind it there is no answer."""
    found = sought(tmp_path, "response_s = 30ms", "workload.rate_per_s=1:5000:log")
    assert found.best is not None
    assert found.best.outcome == pytest.approx(0.030, rel=1e-4)
    assert any(one.error for one in found.scan)
    never = sought(tmp_path, "transactions_per_s = 1000", "workload.rate_per_s=1:5000:log")
    assert never.above is not None
    assert not never.above.is_answered
    assert never.below is not None
    assert never.below.outcome < 1000
    assert never.best is None


def test_a_measure_that_rises_and_falls_is_told(tmp_path: Path) -> None:
    found = seek(
        "rahn-full-scan", "read_wait_s <= 0.043", ["tablespace.block_size_bytes=32K,16K,8K,4K,2K"],
        at=SweepBackend(workers=1, store=tmp_path),
    )  # fmt: skip
    outcomes = [one.outcome for one in found.scan]
    assert [one.value for one in found.scan] == [2048, 4096, 8192, 16384, 32768]  # however it is written
    assert outcomes.index(min(outcomes)) == 2
    assert not found.is_monotone
    assert found.below is not None
    assert found.best is not None
    assert (found.below.value, found.best.value) == (4096, 8192)  # from 16K on it does not hold any more


@pytest.mark.parametrize(
    ("outcomes", "precision", "monotone"),
    [
        ([8.47e-3, 9.20e-3, 9.19e-3, 9.9e-3], 0.0, True),  # a step of 0.1 % is rounding
        ([8.47e-3, 9.20e-3, 9.05e-3, 9.9e-3], 0.0, False),
        ([8.47e-3, 9.20e-3, 9.05e-3, 9.9e-3], 0.02, True),  # chance may do that
        ([8.47e-3, 9.20e-3, 8.6e-3, 9.9e-3], 0.02, False),
    ],
)
def test_rounding_and_chance_are_no_turn(outcomes: list[float], precision: float, monotone: bool) -> None:
    assert is_monotone(outcomes, max(STILL, precision)) is monotone


@pytest.mark.parametrize(
    ("goal", "outcomes", "ends", "beyond"),
    [
        (20.0, [1.0, 2.0, 3.0], (True, True), "above"),
        (0.5, [1.0, 2.0, 3.0], (True, True), "below"),
        (0.5, [1.0, 2.0, 3.0], (False, True), ""),  # the field has no values there
        (20.0, [3.0, 2.0, 1.0], (True, True), "below"),
        (0.5, [3.0, 2.0, 1.0], (True, True), "above"),
        (20.0, [1.0, 1.001, 1.002], (True, True), ""),  # it does not move
    ],
)
def test_a_goal_outside_the_range_lies_beyond_one_end(
    goal: float, outcomes: list[float], ends: tuple[bool, bool], beyond: str
) -> None:
    scan = tuple(MeasureAt(place, outcome) for place, outcome in enumerate(outcomes))
    found = Crossing("a", "workload.users", "response_s", "=", goal, 1.0, scan, None, None, False, True, ends, 3)
    assert found.beyond == beyond


# Parts


def test_an_axis_knows_its_neighbours() -> None:
    users = Along(axis_of("workload.users=1:9"), True)
    assert (users.count, users.ends, users.beside(1), users.beside(5)) == (9, (1, 9), [2], [4, 6])
    words = Along(axis_of("disk.use=a,b,c"), False)
    assert (words.beside("b"), words.is_ordered) == (["a", "c"], False)
    cache = Along(axis_of("instance.buffer_cache_bytes=64M:1G"), True)
    assert cache.beside(2**26) == [2**26 + 2**20]
    think = Along(axis_of("workload.think_s=0.01:10:log"), False)
    assert think.count == math.inf
    assert think.at(0.5) == pytest.approx(0.316228)
    assert think.place(think.at(0.25)) == pytest.approx(0.25, abs=1e-6)
    assert [think.at(0), think.at(1)] == [0.01, 10]


def test_a_scan_has_both_ends_and_goes_by_ratio_where_the_range_is_wide() -> None:
    users = Along(axis_of("workload.users=1:256"), True)
    assert users.scan(9) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert Along(axis_of("workload.users=10:50"), True).scan(5) == [10, 20, 30, 40, 50]
    assert Along(axis_of("workload.users=1:3"), True).scan(9) == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "values", "slacks"),
    [
        ("response_s <= '50ms'", {"response_s": 0.04}, [0.2]),
        ("response_s <= 0.05", {"response_s": 0.1}, [-0.5]),
        ("host.cpus >= 4", {"host.cpus": 8}, [0.5]),
        ("1 <= host.cpus and host.cpus <= 4", {"host.cpus": 4}, [0.75, 0.0]),
        ("host.cpus <= 8 and response_s < 1", {"host.cpus": 4, "response_s": 1.0}, [0.5, -1e-12]),
        ("host.cpus != 4", {"host.cpus": 8}, [math.inf]),
        ("response_s <= 1", {"response_s": math.nan}, [-1.0]),
    ],
)
def test_a_limit_says_by_how_much(text: str, values: dict[str, float], slacks: list[float]) -> None:
    assert [limit.slack(values.__getitem__) for limit in limits_of([text], MEASURES)] == pytest.approx(slacks)


@pytest.mark.parametrize(
    ("how", "such_that", "sentence"),
    [
        ({}, (), "an optimum has one goal"),
        ({"minimise": "response_s", "maximise": "cpu_s"}, (), "an optimum has one goal"),
        ({"minimise": "respons_s"}, (), "did you mean response_s"),
        ({"minimise": "response_p95_s"}, (), "answers have no response_p95_s"),
        ({"minimise": "response_s"}, ("response_p95_s < 1",), "answers have no response_p95_s"),
        ({"minimise": "response_s"}, ("respnse_s < 1",), "no measure named 'respnse_s'; did you mean response_s"),
        ({"minimise": "response_s"}, ("host.cpuz < 1",), "host.cpuz is not a field of this scenario"),
        ({"minimise": "response_s"}, ("response_s <",), "such that 'response_s <': got 'response_s <'; allowed are <"),
        ({"minimise": "response_s"}, ("response_s < 'abc'",), "'abc' is not a number, at response_s = "),
        ({"minimise": "response_s"}, ("1e308 * workload.users > 1",), "too large to go on with, at workload.users = "),
        ({"minimise": "response_s", "limit": 3}, (), "5 answers are more than the 3 that are allowed"),
    ],
)
def test_what_is_wrong_with_an_optimum_is_told_in_one_sentence(
    how: dict[str, Any], such_that: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(BlocktimeError) as raised:
        best_of(tmp_path, ["workload.users=1:5"], *such_that, **how)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("goal", "vary", "sentence"),
    [
        ("response_s", [USERS], "write it as MEASURE = NUMBER"),
        ("respons_s = 1", [USERS], "did you mean response_s"),
        ("response_s = twice", [USERS], "no measure named 'twice'; known: base"),
        ("response_s = 1 / 0", [USERS], "got '1 / 0'; allowed are <"),
        ("response_s = 1", [USERS, THINK], "seek takes one axis; got 2"),
        ("response_s = 1", ["disk.use=nvme,sas-15k"], "a goal is sought along numbers"),
        ("response_s = 1", [], "nothing varies"),
        ("response_p95_s = 1", [USERS], "have no response_p95_s"),
        ("response_s = 1", ["workload.rate_per_s=800:900"], "no point along workload.rate_per_s has an answer"),
    ],
)
def test_what_is_wrong_with_a_goal_is_told_in_one_sentence(
    goal: str, vary: list[str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as raised:
        seek("tpc-b", goal, vary, at=SweepBackend(workers=1, store=tmp_path))
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("axis", "low", "high", "middle"),
    [
        ("workload.think_s=0.001:10", 1.0, 2.0, 1.5),
        ("workload.think_s=0.001:10", 0.01, 1.0, 0.1),  # far apart: by ratio
        ("workload.think_s=1,2,5,7", 1, 7, 2),
        ("workload.think_s=1,2,5,7", 2, 5, None),
    ],
)
def test_a_search_goes_on_halfway_between_two_values(axis: str, low: float, high: float, middle: Any) -> None:
    assert Along(axis_of(axis), False).between(low, high) == middle
