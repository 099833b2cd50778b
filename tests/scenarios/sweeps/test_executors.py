"""One interface, two of its implementations: this process, and processes that are started afresh and may be killed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from pickle import PicklingError
from random import Random

import psutil
import pytest

from model.errors import SpecError
from scenarios.sweeps.executors import MOST_WORKERS, Away, Here, Lost, Piece, Pieces, Processes, Work
from tests.patience import LIMIT_S
from tests.scenarios.sweeps import work

ROOT = Path(__file__).resolve().parents[3]
KILLER = 7.0
CHUNKS = [[float(10 * chunk + item) for item in range(1 + chunk % 4)] for chunk in range(12)]
DOUBLED = [(number, [2 * item for item in chunk]) for number, chunk in enumerate(CHUNKS)]


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    with Processes(2) as processes:
        yield processes


def children() -> set[int]:
    """Pids of the processes that this one started, without the resource tracker, which Python keeps until its end.

    The browser and the servers of other tests have children of their own, which come and go as they like.
    """
    return {
        child.pid
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(child.cmdline())
    }


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


# The same answers from everyone


def test_this_process_answers_chunk_by_chunk() -> None:
    taken: list[int] = []

    def chunks() -> Iterator[list[float]]:
        for number in count():
            taken.append(number)
            yield [float(number)]

    with Here() as here:
        answers = here.map(work.doubled, chunks())
        assert [next(answers) for _ in range(3)] == [(0, [0.0]), (1, [2.0]), (2, [4.0])]
    assert (here.workers, taken) == (1, [0, 1, 2])


def test_processes_answer_as_this_process_does(pool: Processes) -> None:
    assert sorted(pool.map(work.doubled, CHUNKS)) == DOUBLED == list(Here().map(work.doubled, CHUNKS))


def test_nothing_and_chunks_of_nothing(pool: Processes) -> None:
    assert list(pool.map(work.doubled, [])) == []
    assert sorted(pool.map(work.doubled, [[], [1.0], ()])) == [(0, []), (1, [2.0]), (2, [])]


def test_a_partial_is_work_and_all_workers_take_part(pool: Processes, tmp_path: Path) -> None:
    list(pool.map(partial(work.doubled_by, str(tmp_path)), [[1.0]] * 40))
    pids = {int(path.name) for path in tmp_path.iterdir()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_the_pool_is_kept_from_one_map_to_the_next(pool: Processes) -> None:
    seen = [{pid for _, pids in pool.map(work.pids, [[1.0]] * 20) for pid in pids} for _ in range(2)]
    assert seen[0] == seen[1]


def test_each_map_has_its_own_work(pool: Processes) -> None:
    for factor in range(10):
        assert list(pool.map(partial(work.times, factor), [[1.0]])) == [(0, [factor])]


# Bounded


def test_chunks_are_taken_only_when_somebody_has_time_for_them(pool: Processes) -> None:
    taken = 0

    def endless() -> Iterator[list[float]]:
        nonlocal taken
        for number in count():
            taken += 1
            yield [float(number)]

    bound = Away.AT_ONCE * pool.workers
    answers = pool.map(work.doubled, endless())
    assert taken == 0
    seen = 0
    for _ in range(50):
        next(answers)
        seen += 1
        # What has landed together with an answer is replaced before the answer is looked at.
        assert seen <= taken <= seen + 2 * bound - 1
    answers.close()
    assert taken <= seen + 2 * bound - 1


# What the work raises


@pytest.mark.parametrize(
    ("what", "kind", "says"),
    [
        # UnknownName makes its sentence from three values, so it cannot be pickled; its parent can.
        (partial(work.fails_at, KILLER), SpecError, "no disk named 'nvmee'; did you mean nvme?"),
        (work.one_short, ValueError, "0 answers to 1 items"),
        (work.unpicklable, (AttributeError, PicklingError), "local object"),
        (partial(work.doubled_by, "/no/such/directory"), FileNotFoundError, "/no/such/directory"),
    ],
)
def test_what_the_work_raises_comes_out(
    pool: Processes, what: Work[float, object], kind: type, says: str
) -> None:
    with pytest.raises(kind, match=says.replace("?", r"\?")) as caught:
        list(pool.map(what, ([float(item)] for item in count(0))))
    assert "in attempt" in caught.value.__notes__[0]
    assert sorted(pool.map(work.doubled, CHUNKS)) == DOUBLED  # and the next map works


def test_what_the_chunks_raise_comes_out_and_work_that_cannot_travel_is_refused(pool: Processes) -> None:
    def broken() -> Iterator[list[float]]:
        yield [1.0]
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        list(pool.map(work.doubled, broken()))
    with pytest.raises((AttributeError, PicklingError), match="local object"):
        list(pool.map(lambda items: items, [[1.0]]))


# Deaths


def test_a_worker_that_is_killed_loses_nothing(pool: Processes, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    found = sorted(pool.map(partial(work.dies_once, str(marker), KILLER), [*CHUNKS, [KILLER]]))
    assert marker.exists()
    assert found == [*DOUBLED, (len(CHUNKS), [2 * KILLER])]


def test_an_idle_worker_that_is_killed_loses_nothing(pool: Processes) -> None:
    list(pool.map(work.doubled, CHUNKS))
    for worker in multiprocessing.active_children():
        worker.kill()
    assert sorted(pool.map(work.doubled, CHUNKS)) == DOUBLED


def test_a_pipe_that_a_killed_worker_leaves_full_blocks_nobody(pool: Processes, tmp_path: Path) -> None:
    chunks = [[bytes([number]) * 1_000_000 + b"!"] for number in range(8)]  # a pipe holds 64 KB
    found = sorted(pool.map(partial(work.large_dies_once, str(tmp_path / "killed")), chunks))
    assert found == [(number, [chunk[0][::-1]]) for number, chunk in enumerate(chunks)]


def test_the_one_item_that_kills_is_lost_and_all_others_are_answered(pool: Processes) -> None:
    chunks = [[1.0, 2.0], [5.0, 6.0, KILLER, 8.0, 9.0], [10.0], [11.0, 12.0]]
    found = sorted(pool.map(partial(work.dies_at, KILLER), chunks))
    assert found == [
        (0, [2.0, 4.0]),
        (1, [10.0, 12.0, Lost("its worker died 3 times"), 16.0, 18.0]),
        (2, [20.0]),
        (3, [22.0, 24.0]),
    ]


def test_workers_that_die_before_they_can_work_are_one_sentence(tmp_path: Path) -> None:
    before = children()
    with (
        Processes(1, ready=partial(work.never_ready, str(tmp_path))) as processes,
        pytest.raises(SpecError, match=r"1 processes were started 3 times and died before they could work"),
    ):
        list(processes.map(work.doubled, CHUNKS))
    assert children() == before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("killers", [{3}, {0, 11}, set(range(4, 9)), set(range(12))])
@pytest.mark.parametrize("room", [1, 2, 3, 16])
def test_whoever_kills_is_found_among_those_in_flight(killers: set[int], room: int) -> None:
    """The bookkeeping alone, with deaths that take down all that is in flight, as a pool's do."""
    chunks = [list(range(12))[start : start + 3] for start in range(0, 12, 3)]
    pieces: Pieces[int, int] = Pieces(chunks)
    flying: list[Piece[int]] = []
    done: dict[int, Sequence[int | Lost]] = {}
    deaths = 0
    while True:
        flying += pieces.due(len(flying), room)
        if not flying:
            break
        if killers.intersection(flying[0].items):
            deaths += 1
            fallen, flying = flying, []
            done |= pieces.fallen(fallen, 1)
        else:
            piece = flying.pop(0)
            done |= pieces.answered(piece, [-item for item in piece.items])
    lost = Lost("its worker died 3 times")
    assert done == {
        number: [lost if item in killers else -item for item in chunk] for number, chunk in enumerate(chunks)
    }
    assert deaths <= 8 * len(killers)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_new_flies_while_somebody_is_on_trial(seed: int) -> None:
    """So whoever kills is found at once, and not only when the chunks come to an end."""
    taken = 0

    def endless() -> Iterator[list[int]]:
        nonlocal taken
        for number in count():
            taken += 1
            yield [number]

    chance = Random(seed)
    pieces: Pieces[int, int] = Pieces(endless())
    flying: list[Piece[int]] = []
    taken_at: list[int] = []  # by the time of each death
    lost: list[tuple[int, Sequence[int | Lost]]] = []
    while not lost:
        flying += pieces.due(len(flying), 4)
        piece = chance.choice(flying)
        if piece.items == [3]:
            taken_at.append(taken)
            fallen, flying = flying, []
            lost += pieces.fallen(fallen, 1)
        else:
            flying.remove(piece)
            list(pieces.answered(piece, [0]))
    assert lost == [(3, [Lost("its worker died 3 times")])]
    assert taken == taken_at[1]


# At the start of a worker


def test_what_is_heavy_is_made_ready_once_in_each_worker() -> None:
    with Processes(2, ready=work.prepared) as processes:
        assert {tuple(said) for _, said in processes.map(work.is_prepared, [[1.0]] * 8)} == {("yes",)}


def test_what_goes_wrong_there_comes_out() -> None:
    with Processes(1, ready=work.not_prepared) as processes, pytest.raises(RuntimeError, match="is broken"):
        list(processes.map(work.doubled, CHUNKS))


@pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
def test_a_number_of_workers_that_is_none(workers: int) -> None:
    with pytest.raises(SpecError, match=f"workers: got {workers}; allowed is 1 to {MOST_WORKERS}"):
        Processes(workers)


# The end


def interrupt_once_begun(directory: Path) -> None:
    """Ctrl-C for this process alone, as soon as two workers are in the middle of their work."""

    def interrupt() -> None:
        with suppress(AssertionError):  # then the interrupt ends the test all the same
            wait_until(lambda: len(list(directory.iterdir())) >= 2, "the workers did not begin")
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()


def test_interrupt_of_the_consumer_leaves_no_process(tmp_path: Path) -> None:
    def consume() -> None:
        with Processes(2) as processes:
            interrupt_once_begun(tmp_path)
            next(processes.map(partial(work.sleeps, str(tmp_path)), ([float(item)] for item in count())))

    before = children()
    with pytest.raises(KeyboardInterrupt):
        consume()
    assert children() == before


def test_leaving_the_context_before_all_is_answered_leaves_no_process_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def consume() -> None:
        nonlocal answers
        with Processes(2) as processes:
            answers = processes.map(sleep, ([float(item)] for item in count()))
            assert next(answers) == (0, [0.0])
            raise KeyError("enough")

    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = children()
    sleep = partial(work.sleeps_but_first, str(tmp_path))
    answers = iter(())
    with pytest.raises(KeyError, match="enough"):
        consume()
    assert children() == before
    assert not list(temporary.iterdir())
    answers.close()


def test_a_consumer_that_stops_early_frees_the_workers(pool: Processes, tmp_path: Path) -> None:
    answers = pool.map(partial(work.sleeps_but_first, str(tmp_path)), ([float(item)] for item in count()))
    assert next(answers) == (0, [0.0])
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, "the workers did not begin")
    answers.close()
    assert sorted(pool.map(work.doubled, CHUNKS)) == DOUBLED  # nobody sleeps any more


def test_workers_do_not_hear_the_interrupt_that_goes_to_all_processes_of_a_terminal(pool: Processes) -> None:
    pids = {pid for _, pids in pool.map(work.pids, [[1.0]] * 20) for pid in pids}
    for pid in pids:
        os.kill(pid, signal.SIGINT)
    assert {pid for _, pids in pool.map(work.pids, [[1.0]] * 20) for pid in pids} == pids


SCRIPT = """
    import sys, time
    from functools import partial
    from scenarios.sweeps.executors import Processes
    from tests.scenarios.sweeps import work

    print("main", flush=True)
    with Processes(2) as processes:  # with no guard: a worker must not run this file again
        print(sorted(processes.map(work.doubled, [[1.0], [2.0]])), flush=True)
        list(processes.map(partial(work.sleeps, sys.argv[1]), [[1.0]] * 9))
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program of its own, in a group of its own as a shell would start it, with two workers in long work."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    started = tmp_path / "started"
    started.mkdir()
    with subprocess.Popen(
        [sys.executable, str(path), str(started)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
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
    said, complained = script.communicate(timeout=LIMIT_S)
    assert script.returncode == -signal.SIGINT
    assert said == "main\n[(0, [2.0]), (1, [4.0])]\n"
    assert complained.count("Traceback") == 1  # of the script, which lets the interrupt through
    assert complained.endswith("KeyboardInterrupt\n")
    assert len(pids) == 2
    assert all(is_gone(pid) for pid in pids)


def test_workers_do_not_outlive_a_parent_that_is_killed(
    script: subprocess.Popen[str], tmp_path: Path
) -> None:
    pids = [int(path.name) for path in (tmp_path / "started").iterdir()]
    assert len(pids) == 2
    assert not any(is_gone(pid) for pid in pids)
    script.kill()
    wait_until(lambda: all(is_gone(pid) for pid in pids), "the workers live on")
