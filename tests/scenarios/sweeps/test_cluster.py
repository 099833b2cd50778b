"""The third executor: a Dask cluster of two real workers that may be killed, and what is none."""

import contextlib
import gc
import importlib
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from pickle import PicklingError

import psutil
import pytest
from distributed import LocalCluster

from model.errors import SpecError
from scenarios.sweeps import cluster as module
from scenarios.sweeps.cluster import LOCAL, Cluster
from scenarios.sweeps.executors import (
    MOST_WORKERS,
    Answered,
    Away,
    Executor,
    Fallen,
    Here,
    Lost,
    Piece,
    Processes,
    Work,
)
from tests.patience import LIMIT_S
from tests.scenarios.sweeps import work

ROOT = Path(__file__).resolve().parents[3]
KILLER = 7.0
CHUNKS = [[float(10 * chunk + item) for item in range(1 + chunk % 4)] for chunk in range(12)]
DOUBLED = [(number, [2 * item for item in chunk]) for number, chunk in enumerate(CHUNKS)]


@pytest.fixture(scope="module")
def two() -> Iterator[Cluster]:
    with Cluster(LOCAL, 2) as executor:
        yield executor


@pytest.fixture(scope="module")
def address(two: Cluster) -> str:
    """Of a scheduler that runs, as far as a second executor is concerned, elsewhere."""
    return str(two._client.scheduler.address)


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], list[str]]]:
    """What Dask's and asyncio's loggers and everything else wrote since the test began."""
    importlib.import_module("distributed")
    records: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: records.append(record.getMessage())
    loggers = [
        logging.getLogger(name) for name in ("asyncio", "distributed", "distributed.client", "tornado")
    ]
    for logger in loggers:
        logger.addHandler(handler)

    def everything() -> list[str]:
        gc.collect()  # tasks that nobody waited for complain when they are collected
        return records + capfd.readouterr().err.splitlines()

    yield everything
    for logger in loggers:
        logger.removeHandler(handler)


def descendants(of: int) -> set[int]:
    """Pids of all processes below one but the resource tracker, which Python keeps until its end."""
    return {
        child.pid
        for child in psutil.Process(of).children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(child.cmdline())
    }


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


# The same answers from everyone


def test_a_cluster_answers_as_processes_and_this_process_do(two: Cluster) -> None:
    assert two.workers == 2
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED
    for other in (Here(), Processes(2)):
        executor: Executor = other
        with executor:
            assert sorted(executor.map(work.doubled, CHUNKS)) == DOUBLED


def test_floats_come_back_bit_for_bit(two: Cluster) -> None:
    odd = [0.1 + 0.2, float("nan"), -0.0, 5e-324, float("inf")]
    ((_, answers),) = two.map(work.doubled, [odd])
    assert [float(answer).hex() for answer in answers] == [(2 * item).hex() for item in odd]


def test_all_workers_take_part(two: Cluster, tmp_path: Path) -> None:
    list(two.map(partial(work.doubled_by, str(tmp_path)), [[1.0]] * 40))
    pids = {int(path.name) for path in tmp_path.iterdir()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_a_cluster_that_runs_elsewhere_answers_too_and_is_left_as_it_was(two: Cluster, address: str) -> None:
    for name in (address, address.removeprefix("tcp://")):
        with Cluster(name) as elsewhere:
            assert elsewhere.workers == 2
            assert sorted(elsewhere.map(work.doubled, CHUNKS)) == DOUBLED
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED


def test_chunks_are_taken_only_when_somebody_has_time_for_them(two: Cluster) -> None:
    taken = 0

    def endless() -> Iterator[list[float]]:
        nonlocal taken
        for number in count():
            taken += 1
            yield [float(number)]

    bound = Cluster.AT_ONCE * two.workers
    answers = two.map(work.doubled, endless())
    assert taken == 0
    for seen in range(1, 100):
        next(answers)
        # What has landed together with an answer is replaced before the answer is looked at.
        assert seen <= taken <= seen + 2 * bound - 1
    answers.close()


@pytest.mark.parametrize(
    ("what", "kind", "says"),
    [
        (partial(work.fails_at, KILLER), SpecError, "no disk named 'nvmee'; did you mean nvme?"),
        (work.one_short, ValueError, "0 answers to 1 items"),
        (work.unpicklable, (AttributeError, PicklingError), "local object"),
    ],
)
def test_what_the_work_raises_comes_out(
    two: Cluster, what: Work[float, object], kind: type, says: str
) -> None:
    with pytest.raises(kind, match=says.replace("?", r"\?")) as caught:
        list(two.map(what, ([float(item)] for item in count())))
    assert "in attempt" in caught.value.__notes__[0]
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED  # and the next map works


# Deaths


def test_a_worker_that_is_killed_loses_nothing(
    two: Cluster, tmp_path: Path, said: Callable[[], list[str]]
) -> None:
    marker = tmp_path / "killed"
    found = sorted(two.map(partial(work.dies_once, str(marker), KILLER), [*CHUNKS, [KILLER]]))
    assert marker.exists()
    assert found == [*DOUBLED, (len(CHUNKS), [2 * KILLER])]
    assert said() == []


def test_the_one_item_that_kills_is_lost_and_all_others_are_answered(two: Cluster) -> None:
    found = sorted(two.map(partial(work.dies_at, KILLER), [[1.0, 2.0], [KILLER, 8.0], [10.0]]))
    assert found == [(0, [2.0, 4.0]), (1, [Lost("its worker died 3 times"), 16.0]), (2, [20.0])]


@pytest.mark.parametrize(
    ("what", "item", "landing"),
    [(work.doubled, 1.0, Answered), (partial(work.dies_at, KILLER), KILLER, Fallen)],
)
def test_what_is_done_is_taken_though_nobody_was_told(
    two: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    what: Work[float, float],
    item: float,
    landing: type,
) -> None:
    """Dask forgets to tell where a worker dies between making an answer and handing it over."""
    monkeypatch.setattr(module, "LOOKS_AFTER_S", 0.2)
    flight = module._TaskFlight(importlib.import_module("distributed"), two._client, pickle.dumps(what))
    monkeypatch.setattr(flight._landing, "has_ready", lambda: False)
    flight.send(Piece(0, 0, [item]))
    landings: list[object] = []
    while not landings:
        landings = list(flight.landed())
    assert [type(one) for one in landings] == [landing]
    assert not len(flight)


def test_an_answer_that_is_here_stays_when_its_worker_dies(two: Cluster) -> None:
    flight = module._TaskFlight(
        importlib.import_module("distributed"), two._client, pickle.dumps(work.doubled)
    )
    piece = Piece(0, 0, [1.0])
    flight.send(piece)
    (future,) = flight._flying
    answer = future.result()
    future._state.lose()
    assert future.status == "lost"
    assert flight._landed(future, answer) == Answered(piece, [2.0])


# What is no cluster


@pytest.mark.parametrize(
    "address",
    ["", "foo", "tcp://", "localhost:99999", "http://host:80", "tcp://[::1:80", "host:port", "a:1/b"],
)
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(SpecError) as caught:
        Cluster(address)
    assert str(caught.value) == (
        f"cluster: got {address!r}; allowed is local or the address of a scheduler, tcp://host:port"
    )


def silent(connection: socket.socket) -> None:
    pass


def closes(connection: socket.socket) -> None:
    connection.close()


def speaks_of_something_else(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example ESMTP\r\n")


@contextlib.contextmanager
def listening(then: Callable[[socket.socket], None]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def serve() -> None:
            with contextlib.suppress(OSError):  # closed at the end
                while True:
                    kept.append(server.accept()[0])
                    then(kept[-1])

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in kept:
            connection.close()


@pytest.mark.parametrize("then", [silent, closes, speaks_of_something_else])
def test_what_listens_and_is_no_scheduler(
    then: Callable[[socket.socket], None],
    monkeypatch: pytest.MonkeyPatch,
    said: Callable[[], list[str]],
) -> None:
    monkeypatch.setattr(module, "ANSWERS_WITHIN_S", 1.0)
    with listening(then) as address:
        with pytest.raises(SpecError) as caught, Cluster(address):
            pass
        assert str(caught.value) == (
            f"cluster: what listens at {address} is no Dask scheduler; "
            "start one with `dask scheduler`, or take local"
        )
    assert said() == []


def test_where_nobody_listens(said: Callable[[], list[str]]) -> None:
    with socket.socket() as held:  # bound, so that nobody else may listen there
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        with pytest.raises(SpecError) as caught, Cluster(f"127.0.0.1:{port}"):
            pass
    assert str(caught.value) == (
        f"cluster: tcp://127.0.0.1:{port} cannot be reached (Connection refused); "
        "start one with `dask scheduler`, or take local"
    )
    assert said() == []


def test_a_name_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWERS_WITHIN_S", 0.1)
    ends = threading.Event()
    monkeypatch.setattr(socket, "create_connection", lambda *_: ends.wait(60))
    with (
        pytest.raises(SpecError, match=r"tcp://host:1 cannot be reached \(no answer in time\)"),
        Cluster("host:1"),
    ):
        pass
    ends.set()


def test_it_never_takes_ten_seconds_to_say_so() -> None:
    assert 2 * module.ANSWERS_WITHIN_S < 10


def test_a_worker_is_no_scheduler(two: Cluster) -> None:
    worker = next(iter(two._client.nthreads()))
    with (
        pytest.raises(SpecError, match=f"{worker} is a Dask Worker; allowed is the address of its"),
        Cluster(worker),
    ):
        pass


@contextlib.contextmanager
def elsewhere(workers: int) -> Iterator[LocalCluster]:
    """A scheduler that is not ours, with workers that are threads."""
    with LocalCluster(
        n_workers=workers,
        processes=False,
        threads_per_worker=1,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as scheduler:
        yield scheduler


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORKERS_WITHIN_S", 0.3)
    with elsewhere(0) as scheduler:
        address = scheduler.scheduler_address
        with pytest.raises(SpecError) as caught, Cluster(address):
            pass
    assert str(caught.value) == (
        f"cluster: the scheduler at {address} has no workers; start some with `dask worker` and its address"
    )


def test_workers_that_leave_for_good_end_the_wait_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "LOOKS_AFTER_S", 0.5)
    monkeypatch.setattr(module, "WORKERS_RETURN_WITHIN_S", 0.5)
    chunks = ([float(item)] for item in count())
    with elsewhere(1) as scheduler, Cluster(scheduler.scheduler_address) as executor:
        answers = executor.map(partial(work.doubled_by, str(tmp_path)), chunks)
        next(answers)
        scheduler.scale(0)
        with pytest.raises(SpecError, match=r"the workers of tcp://.* are gone and none came back"):
            list(answers)


def test_a_scheduler_that_ends_while_it_has_work_is_one_sentence(
    tmp_path: Path, said: Callable[[], list[str]]
) -> None:
    chunks = ([float(item)] for item in count())
    with elsewhere(1) as scheduler, Cluster(scheduler.scheduler_address) as executor:
        answers = executor.map(partial(work.doubled_by, str(tmp_path)), chunks)
        next(answers)
        scheduler.close()
        with pytest.raises(SpecError, match=r"the scheduler at tcp://.* was lost while it had work"):
            list(answers)
    assert said() == []


def test_a_worker_with_another_version_is_named(two: Cluster, address: str) -> None:
    workers = sorted(two._client.nthreads())
    with pytest.raises(SpecError) as caught, Cluster(address, version=work.pid):
        pass
    assert str(caught.value).startswith(f"cluster: the worker at {workers[0]} has blocktime ")
    assert str(caught.value).endswith(f", allowed is the version of this machine, {os.getpid()}")


def test_a_worker_that_cannot_import_blocktime_is_named(
    two: Cluster, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known_here_alone.py").write_text("def version():\n    return '1.0'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    version = importlib.import_module("known_here_alone").version
    worker = min(two._client.nthreads())
    with pytest.raises(SpecError) as caught, Cluster(address, version=version):
        pass
    assert str(caught.value) == (
        f"cluster: the worker at {worker} cannot run blocktime (ModuleNotFoundError: No module named "
        "'known_here_alone'); install the version of this machine there, 1.0"
    )


@pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
def test_a_number_of_workers_that_is_none(workers: int) -> None:
    with pytest.raises(SpecError, match=f"workers: got {workers}; allowed is 1 to {MOST_WORKERS}"):
        Cluster(LOCAL, workers)


def test_a_cluster_elsewhere_has_workers_of_its_own() -> None:
    with pytest.raises(
        SpecError, match="workers: got 2 for the cluster at 'host:1', which has workers of its own"
    ):
        Cluster("host:1", 2)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SpecError, match=r"Dask is not installed, .* `pip install 'blocktime\[cluster\]'`"),
        Cluster(LOCAL),
    ):
        pass


# The end


def test_it_listens_on_the_loopback_interface_alone(two: Cluster) -> None:
    listening = [
        connection.laddr.ip
        for pid in (os.getpid(), *two._client.run(os.getpid).values())
        for connection in psutil.Process(pid).net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}


def test_workers_do_not_hear_the_interrupt_that_goes_to_all_processes_of_a_terminal(two: Cluster) -> None:
    pids = set(two._client.run(os.getpid).values())
    for pid in pids:
        os.kill(pid, signal.SIGINT)
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED
    assert set(two._client.run(os.getpid).values()) == pids


def test_what_ends_a_map_early_cancels_what_is_in_flight(two: Cluster, tmp_path: Path) -> None:
    def ten() -> Iterator[list[float]]:
        yield from ([float(item)] for item in range(10))
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more") as caught:
        list(two.map(partial(work.marks, str(tmp_path)), ten()))
    wait_until(lambda: not any(two._client.processing().values()), "it goes on")
    assert len(list(tmp_path.iterdir())) < 10, caught  # which keeps the frames, and so Dask's futures, alive
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED


SCRIPT = """
    import sys
    from functools import partial
    from scenarios.sweeps.cluster import Cluster
    from tests.scenarios.sweeps import work

    print("main", flush=True)
    with Cluster("local", 2) as cluster:  # with no guard: a worker must not run this file again
        print(sorted(cluster.map(partial(work.dies_once, sys.argv[2], 1.0), [[1.0], [2.0]])), flush=True)
        list(cluster.map(partial(work.sleeps, sys.argv[1]), [[1.0]] * 9))
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program of its own, in a group of its own as a shell would start it, with two workers in long work."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    started = tmp_path / "started"
    started.mkdir()
    with subprocess.Popen(
        [sys.executable, str(path), str(started), str(tmp_path / "killed")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},  # what a killed scheduler cannot remove
        start_new_session=True,
    ) as process:
        wait_until(
            lambda: process.poll() is not None or len(list(started.iterdir())) == 2,
            "no worker began its work",
        )
        try:
            yield process
        finally:
            process.kill()


def test_interrupt_from_the_terminal_ends_a_script_and_its_workers(
    script: subprocess.Popen[str], tmp_path: Path
) -> None:
    pids = [int(path.name) for path in (tmp_path / "started").iterdir()]
    os.killpg(script.pid, signal.SIGINT)
    answered, complained = script.communicate(timeout=LIMIT_S)
    assert answered == "main\n[(0, [2.0]), (1, [4.0])]\n"
    assert complained.startswith("Traceback")
    assert complained.count("Traceback") == 1  # of the script, which lets the interrupt through
    assert complained.endswith("KeyboardInterrupt\n")
    assert len(pids) == 2
    assert all(is_gone(pid) for pid in pids)


def test_workers_do_not_outlive_a_parent_that_is_killed(script: subprocess.Popen[str]) -> None:
    pids = descendants(script.pid)
    assert len(pids) == 2
    script.kill()
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the workers live on")


def test_there_may_be_more_in_flight_than_in_a_pool() -> None:
    assert Cluster.AT_ONCE > Away.AT_ONCE
