"""Streams that end by a run time: how many calls they make in it, and how many a forecast says."""

from typing import Any

import pytest

from blocktime.model.engine import simulate
from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.model.workloads.streams import processes
from blocktime.model.workloads.streams.processes import simulate as simulate_streams
from blocktime.model.workloads.streams.run_time import in_time
from blocktime.scenarios import Scenario, from_mapping, load, run
from tests.leaves import same_answer
from tests.oracles.programs_by_processes import simulate_by_processes

MANY = {"count": 1_000_000, "span_bytes": "100M"}


def stream(disk: str = "nvme", kind: str = "read_stream", **work: Any) -> Scenario:
    return from_mapping(
        {
            "disk": {"use": disk},
            "host": {"memory_bytes": "64G"},
            "workload": {"kind": kind, "path": "direct", **MANY, **work},
        }
    )


def played(scenario: Scenario) -> RunResult:
    return simulate(scenario.system, scenario.workload, seed=1)


def calls_of(result: RunResult) -> list[float]:
    return [one.calls for one in result.streams or ()]


def test_programs_begin_no_call_after_their_run_time_and_complete_the_last() -> None:
    result = played(stream(runtime_s=0.05, users=1))
    (made,) = result.streams or ()
    assert 0.05 <= made.elapsed_s < 0.05 + made.response_s
    assert (made.calls - 1) * made.response_s < 0.05
    assert not any("workload.count" in said for said in result.warnings)


@pytest.mark.parametrize(
    ("disk", "kind", "work", "within"),
    [
        ("sas-15k", "write_stream", {"runtime_s": 2}, 0.01),
        ("sas-15k", "read_stream", {"runtime_s": 5, "pattern": "random"}, 0.05),
        ("ssd-sata", "read_stream", {"runtime_s": 0.2, "in_flight": 4, "pattern": "random"}, 0.3),
        ("nvme", "write_stream", {"runtime_s": 0.3, "path": "buffered"}, 1.0),
        ("nvme", "read_stream", {"runtime_s": 0.5, "users": 3, "think_s": 0.001}, 0.1),
        ("nvme", "read_stream", {"runtime_s": 2, "rate_per_s": 300, "arrivals": "regular"}, 0.01),
        ("nvme", "read_stream", {"runtime_s": 2, "rate_per_s": 300}, 0.15),
    ],
)
def test_a_forecast_says_about_how_many_calls_a_run_time_holds(
    disk: str, kind: str, work: dict[str, Any], within: float
) -> None:
    scenario = stream(disk, kind, **work)
    result = played(scenario)
    made, expected = calls_of(result)[0], in_time(scenario.system, scenario.workload)
    assert made == pytest.approx(expected.users * expected.count, rel=within)
    assert result.time.elapsed_s == pytest.approx(work["runtime_s"], rel=0.03)


def test_a_run_that_makes_more_calls_than_forecast_is_not_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = stream("nvme", runtime_s=0.5, pattern="random")
    whole = played(scenario)
    fewest = scenario.workload.model_copy(update={"count": 1})
    monkeypatch.setattr(processes, "in_time", lambda system, work: fewest)
    cut = played(scenario)
    assert calls_of(whole) == calls_of(cut) > [1]
    assert whole.time == cut.time


@pytest.mark.parametrize("more", [{}, {"think_s": 0.003}, {"users": 1, "pattern": "random"}])
def test_a_run_time_is_that_of_processes(more: dict[str, Any]) -> None:
    scenario = stream("sas-15k", "write_stream", runtime_s=0.5, **more)
    found = simulate_streams(scenario.system, scenario.workload, seed=3, name="")
    same_answer(found, simulate_by_processes(scenario.system, scenario.workload), str(more))


def test_a_pause_ends_with_the_run_time() -> None:
    result = played(stream(runtime_s=0.25, think_s=0.1))
    assert result.time.elapsed_s == pytest.approx(0.25, abs=1e-9)
    assert calls_of(result) == [3]


def test_count_ends_a_run_before_its_time_and_the_answer_says_so() -> None:
    result = played(stream(runtime_s=60, count=500))
    assert calls_of(result) == [500]
    assert result.time.elapsed_s < 1
    (warning,) = [said for said in result.warnings if "runtime_s" in said]
    assert warning.startswith("the read_stream makes all calls of workload.count in ")


def test_streams_beside_each_other_have_run_times_of_their_own() -> None:
    beside = [{"kind": "write_stream", "path": "direct", "runtime_s": 1, "pattern": "random", **MANY}]
    scenario = stream("sas-15k", pattern="random", runtime_s=2, beside=beside)
    assert [one.elapsed_s for one in played(scenario).streams or ()] == pytest.approx([2, 1], rel=0.02)


def test_beside_other_kinds_of_work_a_run_time_ends_the_calls() -> None:
    scenario = stream("sas-15k", runtime_s=0.5, pattern="random", beside=[{"kind": "full_scan"}])
    (first, _) = played(scenario).programs or ()
    assert first.elapsed_s == pytest.approx(0.5, rel=0.05)


def test_what_is_refused_is_asked_of_the_calls_that_fit_the_time() -> None:
    scenario = stream(runtime_s=0.01, count=100_000_000)
    assert calls_of(simulate(scenario.system, scenario.workload, seed=1))[0] < 1000


@pytest.mark.parametrize("value", [0, -1, 1e9, "soon"])
def test_no_run_time_is_refused_in_one_sentence(value: Any) -> None:
    with pytest.raises(SpecError, match=r"workload\.runtime_s"):
        stream(runtime_s=value)


def test_averages_are_of_the_time_that_programs_ran_and_late_requests_stand_apart() -> None:
    through = run(load("magni-dd-fs-100", ["workload.path=sync", "workload.count=65"]))
    (disk,) = through.device.values()
    assert through.time.elapsed_s == pytest.approx(0.27, abs=0.01)
    assert disk.utilisation_fraction > 0.95
    assert len(disk.lines) == 1
    assert disk.late_requests is None
    behind = run(load("magni-dd-fs-100", ["workload.count=2000"]))
    (disk,) = behind.device.values()
    assert disk.late_requests == sum(disk.request_bytes.values())
    assert (disk.writes_per_s, disk.utilisation_fraction) == (0.0, 0.0)
