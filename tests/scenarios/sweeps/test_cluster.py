"""The third executor: a Dask cluster of two real workers that may be killed, and what is none."""

import contextlib
import importlib
import logging
import os
import pickle
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps import cluster as module
from blocktime.scenarios.sweeps.cluster import ANSWERS_WITHIN_S, Cluster
from blocktime.scenarios.sweeps.executors import ChunkPiece, LostPieces, PieceAnswered, Work, WorkerExecutor
from tests.patience import LIMIT_S
from tests.scenarios.sweeps import work
from tests.scenarios.sweeps.work import wait_until
from tests.scenarios.sweeps.workers_elsewhere import CHUNKS, DOUBLED, KILLER, WorkersElsewhere


@pytest.fixture(scope="module")
def two_at_first(cluster: str) -> Iterator[Cluster]:
    with Cluster(cluster) as executor:
        yield executor


@pytest.fixture
def two(two_at_first: Cluster) -> Cluster:
    """Both are there, also where the test before has killed one."""
    two_at_first._client.wait_for_workers(2, timeout=LIMIT_S)
    return two_at_first


@pytest.fixture
def address(two: Cluster, cluster: str) -> str:
    """Of the scheduler, for a second executor."""
    return cluster


# The same answers from everyone


class TestCluster(WorkersElsewhere):
    """Two processes of a scheduler that the test starts."""


def test_a_cluster_that_runs_elsewhere_answers_too_and_is_left_as_it_was(two: Cluster, address: str) -> None:
    for name in (address, address.removeprefix("tcp://")):
        with Cluster(name) as elsewhere:
            assert elsewhere.workers == 2
            assert sorted(elsewhere.map(work.doubled, CHUNKS)) == DOUBLED
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED


# Deaths


@pytest.mark.parametrize(
    ("what", "item", "landing"),
    [(work.doubled, 1.0, PieceAnswered), (partial(work.dies_at, KILLER), KILLER, LostPieces)],
)
def test_what_is_done_is_taken_though_nobody_was_told(
    two: Cluster, monkeypatch: pytest.MonkeyPatch, what: Work[float, float], item: float, landing: type
) -> None:
    """Dask forgets to tell where a worker dies between making an answer and handing it over."""
    monkeypatch.setattr(module, "LOOKS_AFTER_S", 0.2)
    flight = module._TaskFlight(importlib.import_module("distributed"), two._client, pickle.dumps(what))
    monkeypatch.setattr(flight._landing, "has_ready", lambda: False)
    flight.send(ChunkPiece(0, 0, [item]))
    landings: list[object] = []
    while not landings:
        landings = list(flight.landed())
    assert [type(one) for one in landings] == [landing]
    assert not len(flight)


def test_an_answer_that_is_here_stays_when_its_worker_dies(two: Cluster) -> None:
    flight = module._TaskFlight(importlib.import_module("distributed"), two._client, pickle.dumps(work.doubled))
    piece = ChunkPiece(0, 0, [1.0])
    flight.send(piece)
    (future,) = flight._flying
    answer = future.result()
    future._state.lose()
    assert future.status == "lost"
    assert flight._landed(future, answer) == PieceAnswered(piece, [2.0])


# What is no cluster


@pytest.mark.parametrize(
    "address", ["", "foo", "tcp://", "localhost:99999", "http://host:80", "tcp://[::1:80", "host:port", "a:1/b"]
)
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(SpecError) as caught:
        Cluster(address)
    assert str(caught.value) == (f"cluster: got {address!r}; allowed is the address of a scheduler, tcp://host:port")


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
    then: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch, said: Callable[[], list[str]]
) -> None:
    connect = socket.create_connection

    def connected(*to: Any) -> socket.socket:
        """Who was reached says nothing for long."""
        line = connect(*to)
        monkeypatch.setattr(module, "ANSWERS_WITHIN_S", 0.5)
        return line

    monkeypatch.setattr(socket, "create_connection", connected)
    with listening(then) as address:
        with pytest.raises(SpecError) as caught, Cluster(address):
            pass
        assert str(caught.value) == (
            f"cluster: the server at {address} is not a Dask scheduler; start one with `dask scheduler`"
        )
    assert said() == []


def test_where_nobody_listens(said: Callable[[], list[str]]) -> None:
    with socket.socket() as held:  # bound, so that nobody else may listen there
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        with pytest.raises(SpecError) as caught, Cluster(f"127.0.0.1:{port}"):
            pass
    assert str(caught.value) == (
        f"cluster: tcp://127.0.0.1:{port} cannot be reached (Connection refused); start one with `dask scheduler`"
    )
    assert said() == []


def test_a_name_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWERS_WITHIN_S", 0.1)
    ends = threading.Event()
    monkeypatch.setattr(socket, "create_connection", lambda *_: ends.wait(60))
    with pytest.raises(SpecError, match=r"tcp://host:1 cannot be reached \(no answer in time\)"), Cluster("host:1"):
        pass
    ends.set()


def test_it_never_takes_ten_seconds_to_say_so() -> None:
    assert 2 * ANSWERS_WITHIN_S < 10


def test_a_worker_is_no_scheduler(two: Cluster) -> None:
    worker = next(iter(two._client.nthreads()))
    with pytest.raises(SpecError, match=f"{worker} is a Dask Worker; allowed is the address of its"), Cluster(worker):
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


def test_workers_that_leave_for_good_end_the_wait_for_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "LOOKS_AFTER_S", 0.5)
    monkeypatch.setattr(module, "WORKERS_RETURN_WITHIN_S", 0.5)
    chunks = ([float(item)] for item in count())
    with elsewhere(1) as scheduler, Cluster(scheduler.scheduler_address) as executor:
        answers = executor.map(partial(work.doubled_by, str(tmp_path), 1), chunks)
        next(answers)
        scheduler.scale(0)
        with pytest.raises(SpecError, match=r"the workers of tcp://.* are gone and none came back"):
            list(answers)


def test_a_scheduler_that_ends_while_it_has_work_is_one_sentence(tmp_path: Path, said: Callable[[], list[str]]) -> None:
    chunks = ([float(item)] for item in count())
    with elsewhere(1) as scheduler, Cluster(scheduler.scheduler_address) as executor:
        answers = executor.map(partial(work.doubled_by, str(tmp_path), 1), chunks)
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


def test_a_cluster_elsewhere_has_workers_of_its_own() -> None:
    with pytest.raises(SpecError, match="workers: got 2 for the cluster at 'host:1', which has workers of its own"):
        Cluster("host:1", 2)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SpecError, match=r"distributed, which is not installed: pip install 'blocktime\[sweep\]'"),
        Cluster("host:1"),
    ):
        pass


# The end


def held_by(dask_worker: Any) -> int:
    """In a worker: tasks that it knows."""
    return len(dask_worker.state.tasks)


def test_what_ends_a_map_early_cancels_what_is_in_flight(two: Cluster, tmp_path: Path) -> None:
    def ten() -> Iterator[list[float]]:
        yield from ([float(item)] for item in range(10))
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more") as caught:
        list(two.map(partial(work.marks, str(tmp_path)), ten()))
    # What a worker has begun cannot be cancelled, nor what it begins before it hears of the end.
    wait_until(lambda: all(held <= 1 for held in two._client.run(held_by).values()), "it goes on")
    (tmp_path / "go").touch()
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED
    assert len(list(tmp_path.iterdir())) < 1 + 10, caught  # which keeps the frames, and so Dask's futures, alive


def test_there_may_be_more_in_flight_than_in_a_pool() -> None:
    assert Cluster.AT_ONCE > WorkerExecutor.AT_ONCE
