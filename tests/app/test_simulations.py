"""Simulations beside the page: answered by processes, cancelled at once, shared by all sessions."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import psutil
import pytest

from blocktime.app.session import simulations
from blocktime.app.session.simulations import Ask, Players, SimulatedAnswer, SimulationJob, Simulator
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run, worker_pool
from tests.patience import LIMIT_S
from tests.scenarios.sweeps.work import wait_until


def asked(name: str, *settings: str, replications: int = 1) -> Ask:
    scenario = load(name, settings)
    return Ask(scenario.model_dump_json(), scenario, replications)


QUICK = asked("magni-pwrite-1")
LONG = asked("tpc-c", "workload.transactions=2000000")
"""Half a minute of CPU in a compiled loop, the most that is allowed."""
EVENTS = asked("rahn-full-scan", "workload.users=1000")
"""As many events as one answer may take: twenty times what the process works before it is told to end."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a process takes its time to start and to hear."""
    monkeypatch.setattr(simulations, "FORGOTTEN_S", float(LIMIT_S))
    monkeypatch.setattr(worker_pool, "GRACE_S", float(LIMIT_S))


@pytest.fixture(scope="module")
def worker() -> Iterator[Simulator]:
    one = Simulator()
    yield one
    one.close()


def answered(played: SimulatedAnswer | None) -> RunResult:
    assert played is not None
    assert not played.refused
    return RunResult.model_validate_json(played.document)


def once_busy(worker: Simulator, then: Callable[[], None]) -> None:
    """Call *then* as soon as the process simulates what it is handed next."""
    assert worker.process is not None
    process = psutil.Process(worker.process.pid)
    began_s = process.cpu_times().user

    def watch() -> None:
        wait_until(lambda: process.cpu_times().user > began_s + 0.3, "nothing is simulated")
        then()

    threading.Thread(target=watch).start()


def test_a_process_gives_the_answer_of_the_simulation(worker: Simulator) -> None:
    found = answered(worker.play(QUICK, SimulationJob([QUICK])))
    assert found.time == run(QUICK.scenario).time


def test_several_replications_have_an_interval(worker: Simulator) -> None:
    several = asked("rahn-full-scan", "table.rows=100000", "workload.users=4", replications=3)
    interval = answered(worker.play(several, SimulationJob([several]))).time.interval
    assert interval is not None
    assert interval.low_s < interval.high_s


def test_what_cannot_be_simulated_is_refused_with_the_sentence_of_the_model(worker: Simulator) -> None:
    many = asked("rahn-full-scan", "workload.users=3000")
    played = worker.play(many, SimulationJob([many]))
    assert played is not None
    assert "the limit is 2 minutes" in played.refused


def test_a_cancelled_run_ends_soon_and_its_process_goes_on(worker: Simulator) -> None:
    assert worker.play(QUICK, SimulationJob([QUICK]))
    process, job = worker.process, SimulationJob([EVENTS])
    once_busy(worker, job.cancel)
    assert worker.play(EVENTS, job) is None
    assert answered(worker.play(QUICK, SimulationJob([QUICK]))).how == "simulation"
    assert worker.process is process


def test_a_compiled_run_is_cancelled_with_its_process(worker: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "GRACE_S", 0.2)
    assert worker.play(QUICK, SimulationJob([QUICK]))
    job = SimulationJob([LONG])
    once_busy(worker, job.cancel)
    assert worker.play(LONG, job) is None
    assert answered(worker.play(QUICK, SimulationJob([QUICK]))).how == "simulation"


def test_a_job_that_nobody_looks_at_any_more_ends(worker: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulations, "FORGOTTEN_S", 0.5)
    monkeypatch.setattr(worker_pool, "GRACE_S", 0.2)
    job = SimulationJob([LONG])
    assert worker.play(LONG, job) is None
    assert job.is_unwanted
    assert not job.is_cancelled


def test_a_lost_process_is_said_and_the_next_answer_comes_from_another(worker: Simulator) -> None:
    assert worker.play(QUICK, SimulationJob([QUICK]))
    process = worker.process
    assert process is not None
    once_busy(worker, process.kill)
    played = worker.play(LONG, SimulationJob([LONG]))
    assert played is not None
    assert "ended unexpectedly" in played.refused
    assert answered(worker.play(QUICK, SimulationJob([QUICK])))


def test_a_run_that_goes_on_shows_its_answer_so_far(worker: Simulator) -> None:
    users = asked("tpc-b", "workload.users=20", "workload.precision_percent=1")
    job = SimulationJob([users])
    final = answered(worker.play(users, job))
    so_far = answered(job.so_far[users.key])
    assert job.news >= 1
    assert so_far.transactions is not None
    assert final.transactions is not None
    assert (so_far.transactions.measured or 0) < (final.transactions.measured or 0)
    assert final.time == run(users.scenario).time


class Counted:
    """Answers at once, or when it may; counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []
        self.may = threading.Event()
        self.may.set()

    def play(self, ask: Ask, job: SimulationJob) -> SimulatedAnswer | None:
        self.asked.append(ask)
        while not self.may.wait(0.01):
            if job.is_unwanted:
                return None
        return SimulatedAnswer(document=f"answer {len(self.asked)}")


def test_what_one_session_had_simulated_is_there_for_the_next() -> None:
    one = Counted()
    players = Players([one])
    assert players.start(SimulationJob([QUICK])).wait(LIMIT_S)
    again = players.start(SimulationJob([QUICK]))
    assert again.wait(LIMIT_S)
    assert again.done == 1
    assert len(one.asked) == 1
    known = players.known(*QUICK.key)
    assert known is not None
    assert known.document == "answer 1"
    assert players.known(QUICK.document, 5) is None


def test_a_job_cancelled_while_it_waits_is_never_begun() -> None:
    one = Counted()
    one.may.clear()
    players = Players([one])
    first, second, third = (players.start(SimulationJob([ask])) for ask in (QUICK, LONG, QUICK))
    second.cancel()
    first.cancel()
    assert first.wait(LIMIT_S)
    one.may.set()
    assert third.wait(LIMIT_S)
    assert second.wait(LIMIT_S)
    assert LONG not in one.asked
    assert players.known(*LONG.key) is None


def test_an_urgent_job_goes_before_one_that_is_not() -> None:
    one = Counted()
    one.may.clear()
    players = Players([one])
    asks = [Ask(str(number), QUICK.scenario) for number in range(4)]
    slow = players.start(SimulationJob(asks[:3], urgent=False))
    wait_until(lambda: one.asked, "nothing is begun")
    urgent = players.start(SimulationJob(asks[3:]))
    one.may.set()
    assert urgent.wait(LIMIT_S)
    assert slow.wait(LIMIT_S)
    assert [ask.document for ask in one.asked] == ["0", "3", "1", "2"]
    assert slow.done == 3


def test_answers_are_remembered_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulations, "MOST_KNOWN", 2)
    players = Players([])
    asks = [Ask(str(number), QUICK.scenario) for number in range(3)]
    for ask in asks[:2]:
        players.keep(ask, SimulatedAnswer(document=ask.document))
    assert players.known(*asks[0].key)  # asked for again, so the other one gives way
    players.keep(asks[2], SimulatedAnswer(document="2"))
    assert [players.known(*ask.key) is not None for ask in asks] == [True, False, True]


def test_what_only_the_seconds_of_this_machine_ended_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    players, ask = Players(workers=[]), QUICK
    ended = SimulatedAnswer(refused="the simulation reached the limit", until_s=0.0)
    monkeypatch.setattr(Simulator, "call", lambda *_, **__: ended)
    slow = Simulator().play(ask, SimulationJob([ask]))
    assert slow is not None
    players.keep(ask, slow)
    assert players.known(*ask.key) == slow
    players.keep(ask, replace(slow, until_s=0.0))
    assert players.known(*ask.key) is None
