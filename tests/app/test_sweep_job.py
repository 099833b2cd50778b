"""Sweeps in the background: what a job knows at each step, how it ends, and what is kept."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blocktime.app.controls.sweep_form import AxisLine, SweepForm
from blocktime.app.session import sweep_job
from blocktime.app.session.sweep_job import Jobs, SweepJob
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios.sweeps.sweep_run import Running
from tests.patience import LIMIT_S

SMALL = SweepForm("savvinov-lio-pc", lines=(AxisLine("workload.arraysize_rows", "10:20:11"),))
LARGE = SweepForm("savvinov-lio-pc", lines=(AxisLine("workload.arraysize_rows", "101:3100:3000"),))


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKTIME_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(sweep_job, "FORGOTTEN_S", float(LIMIT_S))
    monkeypatch.setattr(
        "blocktime.scenarios.sweeps.sweep_run.PILOT_S", float(LIMIT_S)
    )  # a trial answers as many on a busy machine


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    before = set(threading.enumerate())  # a page that another test drew may still work on its sweep
    yield Jobs()
    begun = set(threading.enumerate()) - before
    assert not [thread for thread in begun if thread.name.startswith("sweep-")]


def ended(job: SweepJob) -> SweepJob:
    job.wait(LIMIT_S)
    assert not job.active
    for thread in threading.enumerate():
        if thread.name == f"sweep-{job.id}":
            thread.join(LIMIT_S)
    return job


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Jobs stop where points are about to be answered, until the gate is opened."""
    opened = threading.Event()
    pilot = Running.pilot

    def held(self: Running) -> float:
        assert opened.wait(LIMIT_S)
        return pilot(self)

    monkeypatch.setattr(Running, "pilot", held)
    return opened.set


def test_a_trial_says_how_much_there_is_to_do_and_keeps_what_it_answered(jobs: Jobs) -> None:
    job = ended(jobs.start(SweepJob(LARGE, tries=True)))
    assert job.state == "tried"
    assert (job.wanted, job.failed, job.table) == (3000, 0, None)
    assert 0 < job.done < 3000
    assert job.left_s is not None
    again = ended(jobs.start(SweepJob(LARGE, tries=True)))
    assert again.reused == job.done


def test_a_run_finds_the_whole_table_and_goes_on_with_what_the_trial_checked(jobs: Jobs) -> None:
    trial = ended(jobs.start(SweepJob(LARGE, tries=True)))
    job = ended(jobs.start(SweepJob(LARGE, plan=trial.plan)))
    assert job.state == "done"
    assert (job.done, job.wanted, job.reused) == (3000, 3000, trial.done)
    assert job.table is not None
    assert job.table.values["workload.arraysize_rows"][2999] == 3100
    assert not [value for value in job.table.values["elapsed_s"] if not value > 0]


def test_a_small_sweep_is_all_answered_by_its_trial(jobs: Jobs) -> None:
    job = ended(jobs.start(SweepJob(SMALL, tries=True)))
    assert (job.state, job.done, job.wanted) == ("tried", 11, 11)


def test_what_is_cancelled_ends_and_what_it_answered_holds(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocktime.scenarios.sweeps.sweep_run.MOST_IN_A_CHUNK", 100)
    monkeypatch.setattr("blocktime.scenarios.sweeps.sweep_run.CHUNKS_A_WORKER", 30)
    job = SweepJob(LARGE)
    report_progress = job.report_progress

    def then_cancel(outcome: object) -> None:
        job.cancel()
        report_progress(outcome)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "report_progress", then_cancel)
    ended(jobs.start(job))
    assert job.state == "cancelled"
    assert 0 < job.done < 3000
    again = ended(jobs.start(SweepJob(LARGE)))
    assert (again.state, again.reused) == ("done", job.done)


def test_a_job_that_waits_for_its_turn_can_be_cancelled(jobs: Jobs, gate: Callable[[], None]) -> None:
    first = [jobs.start(SweepJob(SMALL)) for _ in range(sweep_job.MOST_AT_ONCE)]
    waits = jobs.start(SweepJob(LARGE))
    waits.cancel()
    assert ended(waits).state == "cancelled"
    assert all(job.active for job in first)
    gate()
    assert [ended(job).state for job in first] == ["done"] * sweep_job.MOST_AT_ONCE


def test_a_cancelled_trial_is_not_one_that_knows(jobs: Jobs, gate: Callable[[], None]) -> None:
    job = jobs.start(SweepJob(LARGE, tries=True))
    job.cancel()
    assert job.cancelling or not job.active
    gate()
    assert ended(job).state == "cancelled"


def forget(job: SweepJob, monkeypatch: pytest.MonkeyPatch, *, looks: bool = False) -> None:
    """Once some are answered, let a long time pass in which nobody has looked at *job*, unless somebody *looks*."""
    monkeypatch.setattr("blocktime.scenarios.sweeps.sweep_run.MOST_IN_A_CHUNK", 100)
    monkeypatch.setattr("blocktime.scenarios.sweeps.sweep_run.CHUNKS_A_WORKER", 30)
    report_progress = job.report_progress

    def later(outcome: object) -> None:
        job._looked_s -= 2 * sweep_job.FORGOTTEN_S
        if looks:
            job.look()
        report_progress(outcome)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "report_progress", later)


def test_a_sweep_that_nobody_looks_at_ends_and_what_it_answered_holds(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = SweepJob(LARGE)
    forget(job, monkeypatch)
    ended(jobs.start(job))
    assert (job.state, job.forgotten) == ("cancelled", True)
    assert 0 < job.done < 3000
    again = ended(jobs.start(SweepJob(LARGE)))
    assert (again.state, again.reused, again.forgotten) == ("done", job.done, False)


@pytest.mark.parametrize("how", ["looks", "awaited"])
def test_a_sweep_goes_on_while_somebody_looks_or_its_page_is_open(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    job = SweepJob(LARGE, awaited=lambda: how == "awaited")
    forget(job, monkeypatch, looks=how == "looks")
    assert ended(jobs.start(job)).state == "done"


def test_one_that_is_forgotten_lets_others_have_their_turn(
    jobs: Jobs, gate: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [jobs.start(SweepJob(SMALL)) for _ in range(sweep_job.MOST_AT_ONCE)]
    forgotten, waits = jobs.start(SweepJob(LARGE)), jobs.start(SweepJob(SMALL))
    forgotten._looked_s -= 2 * sweep_job.FORGOTTEN_S
    assert ended(forgotten).state == "cancelled"
    gate()
    assert [ended(job).state for job in (*held, waits)] == ["done"] * (len(held) + 1)


def test_a_job_that_has_ended_keeps_what_it_found_however_long_nobody_looks(jobs: Jobs) -> None:
    job = ended(jobs.start(SweepJob(SMALL)))
    job._looked_s -= 2 * sweep_job.FORGOTTEN_S
    assert (job.state, jobs.get(job.id)) == ("done", job)
    assert job.table is not None


def test_every_fault_is_there_once(jobs: Jobs) -> None:
    form = SweepForm(
        "savvinov-lio-pc", lines=(AxisLine("workload.arraysize_rows", "0,15"), AxisLine("table.rows", "1,2,3"))
    )
    job = ended(jobs.start(SweepJob(form)))
    assert job.state == "failed"
    assert len(job.faults) == len(set(job.faults)) == 2
    assert "got 0; allowed is at least 1" in job.faults[1]
    assert "(3 points)" in job.faults[1]


@pytest.mark.parametrize("error", [RuntimeError("no such luck"), BlocktimeError("no such luck")])
def test_whatever_goes_wrong_ends_the_job_with_a_sentence(
    jobs: Jobs, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Running) -> float:
        raise error

    monkeypatch.setattr(Running, "pilot", fails)
    job = ended(jobs.start(SweepJob(SMALL)))
    assert job.state == "failed"
    assert "no such luck" in job.faults[0]


def test_the_oldest_that_ended_are_forgotten(jobs: Jobs) -> None:
    started = [ended(jobs.start(SweepJob(SMALL))) for _ in range(sweep_job.MOST_ENDED + 3)]
    remembered = [job for job in started if jobs.get(job.id) is job]
    assert remembered == started[2:]
    assert jobs.get(None) is None
