"""A precision is a question: runs go on until the interval of the main number is as narrow, or the budget ends them."""

import json
import sys
from statistics import fmean, stdev

import pytest

from blocktime.app.text import key_numbers, text
from blocktime.model.budget import Budget
from blocktime.model.chance import noted
from blocktime.model.engine import answer
from blocktime.model.laws import students_t
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from blocktime.scenarios.run import LEAST_RUNS, WITHOUT_CHANCE
from blocktime.scenarios.sweeps.sweep import SweepBackend, sweep
from blocktime.scenarios.why import chance
from tests.command_line import CommandLine

PRECISION = "workload.precision_percent"
USERS = ("tpc-b", ["workload.users=20"])
LOOKUP = "index-unique-scan"
"""A lookup of one row on a platter: where its few reads lie decides how long it takes."""


def reach_percent(result: RunResult) -> float:
    """Half of the interval of the main number, in percent."""
    interval = result.time.interval
    assert interval is not None
    return 200 * (interval.high_s - interval.low_s) / 2 / (interval.high_s + interval.low_s)


@pytest.mark.parametrize("text", ["0", "-2", "nan", "inf", "51", "0.001", "two", ""])
@pytest.mark.parametrize("command", ["run", "compare", "sweep", "optimise", "sensitivity", "validate"])
def test_a_precision_that_cannot_be_is_refused_in_one_sentence(command: str, text: str, blocktime: CommandLine) -> None:
    err = blocktime.refuses(command, "tpc-b", "--precision", text)
    assert err == (f"blocktime: --precision: got {text!r}; allowed is a percentage from 0.01 to 50, such as 2\n")


def test_the_option_asks_what_the_field_does(blocktime: CommandLine) -> None:
    by_option = json.loads(blocktime.prints("run", USERS[0], "--precision", "5 %", "--json"))
    by_field = json.loads(blocktime.prints("run", USERS[0], "--set", f"{PRECISION}=5", "--json"))
    assert by_option == by_field
    table = sweep("tpc-b", ["workload.users=10,20"], settings=[f"{PRECISION}=5"], at=SweepBackend(keep=False))
    assert table["response_s"][0] == by_option["transactions"]["response_s"]


def test_both_sides_of_a_comparison_are_as_precise(blocktime: CommandLine) -> None:
    how = ("--precision", "10", "--json")
    sides = json.loads(blocktime.prints("compare", "tpc-b", "--set", "workload.users=20", *how))["results"]
    alone = [
        json.loads(blocktime.prints("run", "tpc-b", *settings, *how))
        for settings in ((), ("--set", "workload.users=20"))
    ]
    assert [side["method"] for side in sides] == [one["method"] for one in alone]


def test_users_run_until_they_are_as_precise_as_asked() -> None:
    counts = []
    for percent in (4, 2, 1):
        result = run(load(USERS[0], [*USERS[1], f"{PRECISION}={percent}"]))
        assert reach_percent(result) <= percent
        assert result.transactions
        counts.append(result.transactions.measured or 0)
    assert counts == sorted(set(counts))


def test_a_precision_that_the_budget_does_not_allow_gives_the_answer_so_far() -> None:
    asked = load("oltp-nvme", ["workload.think_s=0", "workload.users=100", f"{PRECISION}=0.05"])
    result = run(asked, budget=Budget(0.6))
    (warning,) = [text for text in result.warnings if "not the 0.05 % wanted" in text]
    assert "--max-est-exec-time" in warning
    assert "limit of 0.6 s" in warning
    assert result.is_simulated
    assert 0.05 < reach_percent(result) < 10
    assert run(asked, budget=Budget(0.6)) == result
    with_more = run(asked, budget=Budget(1.2))
    assert reach_percent(with_more) < reach_percent(result)


def test_the_answer_of_a_statement_is_the_first_run_with_the_interval_of_as_many_as_needed() -> None:
    asked = load(LOOKUP, [f"{PRECISION}=10"])
    result, first = run(asked), run(asked, replications=1)
    interval = result.time.interval
    assert interval is not None
    assert interval.runs is not None
    assert first.time.interval is None
    assert result.time.model_copy(update={"interval": None}) == first.time
    times = [run(asked, seed=1 + rank, replications=1).time.elapsed_s for rank in range(interval.runs)]
    half = students_t.quantile(0.95, len(times) - 1) * stdev(times) / len(times) ** 0.5
    assert interval.low_s == pytest.approx(fmean(times) - half)
    assert interval.high_s == pytest.approx(fmean(times) + half)
    assert half <= 0.1 * fmean(times)
    assert interval.runs > LEAST_RUNS
    assert reach_percent(run(asked, replications=LEAST_RUNS)) > 10
    assert result.method.endswith(f"mean of {interval.runs} runs ±{10 * half / fmean(times) * 10:.2g} %")


def test_one_run_is_told_from_the_mean_of_several() -> None:
    result = run(load("index-unique-scan"))
    whole = result.time.interval
    assert whole
    interval = f"{show_seconds(whole.low_s)} to {show_seconds(whole.high_s)}"
    takes = f"This run takes {show_seconds(result.time.elapsed_s)}"
    assert text.answer(result).startswith(f"{takes} (the mean of {whole.runs} runs is {interval}, 95 %")
    assert f"mean {interval}" in key_numbers.whole(result).titled()


def test_a_statement_whose_seeds_hardly_matter_takes_the_fewest_runs() -> None:
    interval = run(load("index-range-scan")).time.interval
    assert interval is not None
    assert interval.runs == LEAST_RUNS


@pytest.mark.parametrize("name", ["full-scan-nvme", "magni-dd-raw-100", "rahn-pctfree-8k-10", "insert-with-indexes"])
def test_what_has_no_chance_in_it_runs_once_and_says_so_where_a_precision_is_asked(name: str) -> None:
    plain, asked = run(load(name)), run(load(name, [f"{PRECISION}=1"]))
    assert plain.time == asked.time
    assert plain.time.interval is None
    assert WITHOUT_CHANCE in asked.warnings
    assert WITHOUT_CHANCE not in plain.warnings


@pytest.mark.parametrize(("name", "has_chance"), [("full-scan-nvme", False), ("magni-pwrite-4", False), (LOOKUP, True)])
def test_a_run_draws_only_what_plays_a_part(name: str, has_chance: bool) -> None:
    with noted() as streams:
        answer(load(name).system, load(name).workload)
    assert bool(streams) == has_chance


def test_runs_that_the_budget_does_not_allow_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = load("index-range-scan-scattered", [f"{PRECISION}=0.01"])
    result = run(asked, budget=Budget(2.0))
    (warning,) = [text for text in result.warnings if "not the 0.01 % wanted" in text]
    assert "of the mean elapsed time" in warning
    assert result.time.interval is not None
    assert f"after {result.time.interval.runs} runs" in warning
    monkeypatch.setattr(
        sys.modules["blocktime.scenarios.run"], "expected_within", lambda *_: None
    )  # forecasts are higher than what it takes
    one = run(load("batch-beside-users", [f"{PRECISION}=0.01"]), budget=Budget(0.8))
    assert one.time.interval is None
    assert any("the limit allows one run" in text for text in one.warnings)


def test_users_beside_a_scan_give_the_answer_so_far() -> None:
    asked = load("full-scan-beside-users", [f"{PRECISION}=0.5"])
    work = asked.workload.model_copy(update={"transactions": None})
    result = run(asked.model_copy(update={"workload": work}), budget=Budget(1.0))
    (warning,) = [text for text in result.warnings if "not the 0.5 % wanted" in text]
    assert "limit of 1 s" in warning
    assert 0.5 < reach_percent(result) < 10
    users, scan = result.programs or ()
    assert users.response_s == result.time.elapsed_s
    assert scan.elapsed_s
    assert scan.alone.elapsed_s


def test_a_difference_of_runs_with_the_same_random_numbers_is_no_chance() -> None:
    scenarios = [load("index-range-scan", settings) for settings in ([], ["host.read_call_s=30us"])]
    base, other = map(run, scenarios)
    assert base.time.interval
    assert other.time.interval
    assert base.time.interval.high_s > other.time.interval.low_s
    assert chance(base, other) == ""
    later = run(scenarios[1], seed=2)
    assert "may be chance" in chance(base, later)


def test_the_uncertainty_of_one_run_reaches_the_mean_of_several(blocktime: CommandLine) -> None:
    result = json.loads(blocktime.prints("run", LOOKUP, "--precision", "10", "--uncertainty", "--json"))
    time, uncertainty = result["time"], result["uncertainty"]
    reach_s = max(time["interval"]["high_s"] - time["elapsed_s"], time["elapsed_s"] - time["interval"]["low_s"])
    assert uncertainty["chance_s"] == pytest.approx(reach_s)
    assert uncertainty["elapsed"]["low_s"] < time["interval"]["low_s"]
    assert uncertainty["elapsed"]["high_s"] > time["interval"]["high_s"]


def test_chance_is_no_part_of_how_sure_a_difference_of_paired_runs_is(blocktime: CommandLine) -> None:
    ends = []
    for percent in ("10", "40"):
        how = ("--set", "host.call_s=1ms", "--precision", percent, "--uncertainty", "--json")
        (difference,) = json.loads(blocktime.prints("compare", LOOKUP, *how))["differences"]
        ends.append((difference["uncertainty"]["low_s"], difference["uncertainty"]["high_s"]))
    assert ends[0] == ends[1]
