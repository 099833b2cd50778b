"""Streams that end by a run time: how many calls they make in it, in both engines."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.engine import calculate, calculate_many, simulate
from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.model.workloads.statements import closed_form
from blocktime.model.workloads.streams.processes import simulate as simulate_streams
from blocktime.scenarios import Scenario, from_mapping, load, run
from tests.leaves import same_answer

MANY = {"count": 1_000_000, "span_bytes": "100M"}


def stream(disk: str = "nvme", kind: str = "read_stream", **work: Any) -> Scenario:
    return from_mapping(
        {
            "disk": {"use": disk},
            "host": {"memory_bytes": "64G"},
            "workload": {"kind": kind, "path": "direct", **MANY, **work},
        }
    )


def answers(scenario: Scenario) -> tuple[RunResult, RunResult]:
    law = calculate(scenario.system, scenario.workload)
    return law, simulate(scenario.system, scenario.workload, seed=1)


def calls_of(result: RunResult) -> list[float]:
    return [one.calls for one in result.streams or ()]


def test_programs_begin_no_call_after_their_run_time_and_complete_the_last() -> None:
    scenario = stream(runtime_s=0.05, users=1)
    law, played = answers(scenario)
    (each,) = law.streams or ()
    assert calls_of(law) == calls_of(played)
    for result in (law, played):
        (made,) = result.streams or ()
        assert 0.05 <= made.elapsed_s < 0.05 + made.response_s
        assert (made.calls - 1) * each.response_s < 0.05
        assert not any("workload.count" in said for said in result.warnings)
    assert all(said.startswith("A simulation would give a number of 5") for said in law.warnings)


@pytest.mark.parametrize(
    ("disk", "kind", "work", "within"),
    [
        ("sas-15k", "write_stream", {"runtime_s": 2}, 0.01),
        ("sas-15k", "read_stream", {"runtime_s": 5, "pattern": "random"}, 0.05),
        ("ssd-sata", "read_stream", {"runtime_s": 0.2, "in_flight": 4, "pattern": "random"}, 0.05),
        ("nvme", "write_stream", {"runtime_s": 0.3, "path": "buffered"}, 0.03),
        ("nvme", "read_stream", {"runtime_s": 0.5, "users": 3, "think_s": 0.001}, 0.03),
        ("nvme", "read_stream", {"runtime_s": 2, "rate_per_s": 300, "arrivals": "regular"}, 0.01),
        ("nvme", "read_stream", {"runtime_s": 2, "rate_per_s": 300}, 0.15),
    ],
)  # fmt: skip
def test_both_engines_make_as_many_calls(disk: str, kind: str, work: dict[str, Any], within: float) -> None:
    law, played = answers(stream(disk, kind, **work))
    assert calls_of(law) == pytest.approx(calls_of(played), rel=within)
    for result in (law, played):
        assert result.time.elapsed_s == pytest.approx(work["runtime_s"], rel=0.03)


@pytest.mark.parametrize("more", [{}, {"think_s": 0.003}, {"users": 1, "pattern": "random"}])
def test_the_loop_over_the_calls_is_the_simulation_by_events(more: dict[str, Any]) -> None:
    scenario = stream("sas-15k", "write_stream", runtime_s=0.5, **more)
    loop, events = (
        simulate_streams(scenario.system, scenario.workload, seed=3, name="", compiled=compiled)
        for compiled in (True, False)
    )
    same_answer(loop, events, str(more))


def test_a_pause_ends_with_the_run_time() -> None:
    _, played = answers(stream(runtime_s=0.25, think_s=0.1))
    assert played.time.elapsed_s == pytest.approx(0.25, abs=1e-9)
    assert calls_of(played) == [3]


def test_count_ends_a_run_before_its_time_and_the_answer_says_so() -> None:
    for result in answers(stream(runtime_s=60, count=500)):
        assert calls_of(result) == [500]
        assert result.time.elapsed_s < 1
        (warning,) = [said for said in result.warnings if "runtime_s" in said]
        assert warning.startswith("the read_stream makes all calls of workload.count in ")


def test_streams_beside_each_other_have_run_times_of_their_own() -> None:
    beside = [{"kind": "write_stream", "path": "direct", "runtime_s": 1, "pattern": "random", **MANY}]
    scenario = stream("sas-15k", pattern="random", runtime_s=2, beside=beside)
    law, played = answers(scenario)
    assert calls_of(law) == pytest.approx(calls_of(played), rel=0.15)
    for result in (law, played):
        assert [one.elapsed_s for one in result.streams or ()] == pytest.approx([2, 1], rel=0.02)


def test_beside_other_kinds_of_work_a_run_time_ends_the_calls() -> None:
    scenario = stream("sas-15k", runtime_s=0.5, pattern="random", beside=[{"kind": "full_scan"}])
    played = simulate(scenario.system, scenario.workload, seed=1)
    (first, _) = played.programs or ()
    assert first.elapsed_s == pytest.approx(0.5, rel=0.05)


def test_a_sweep_of_run_times_is_answered_point_by_point() -> None:
    scenario = stream("sas-15k", "write_stream")
    times = [0.1, 0.2, 0.4]
    found = calculate_many(scenario.system, scenario.workload, {"workload.runtime_s": times})
    alone = [
        calculate(scenario.system, scenario.workload.model_copy(update={"runtime_s": one})).time.elapsed_s
        for one in times
    ]
    assert list(found["elapsed_s"]) == pytest.approx(alone)


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


def test_an_answer_and_whether_it_is_exact_come_of_one_composition(monkeypatch: pytest.MonkeyPatch) -> None:
    composed: list[Any] = []
    compose = closed_form.compose
    monkeypatch.setattr(closed_form, "compose", lambda *asked: composed.append(asked) or compose(*asked))
    scan, larger = load("index-range-scan"), load("index-range-scan", ["table.rows=1200000"])
    answers = [run(scenario) for scenario in (scan, scan, larger, scan)]
    assert len(composed) == 3
    assert answers[0] == answers[1] == answers[3] != answers[2]
