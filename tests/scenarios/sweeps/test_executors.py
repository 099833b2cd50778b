"""One interface, two of its implementations: this process, and processes that are started afresh and may be killed."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from _thread import interrupt_main
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from pickle import PicklingError
from random import Random

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import worker_pool
from blocktime.scenarios.sweeps.executors import (
    MOST_WORKERS,
    ChunkPiece,
    ChunkPieces,
    LocalProcesses,
    NoAnswer,
    ThisProcess,
)
from tests.patience import LIMIT_S
from tests.processes import is_gone
from tests.scenarios.sweeps import work
from tests.scenarios.sweeps.work import wait_until
from tests.scenarios.sweeps.workers_elsewhere import CHUNKS, DOUBLED, ROOT, WorkersElsewhere, descendants, those_at_work


@pytest.fixture(scope="module")
def two() -> Iterator[LocalProcesses]:
    with LocalProcesses(2) as processes:
        yield processes


# The same answers from everyone


SCRIPT = """
    import sys
    from functools import partial
    from blocktime.scenarios.sweeps.executors import LocalProcesses
    from tests.scenarios.sweeps import work

    print("main", flush=True)
    with LocalProcesses(2) as workers:  # with no guard: a worker must not run this file again
        print(sorted(workers.map(partial(work.dies_once, sys.argv[2], 1.0), [[1.0], [2.0]])), flush=True)
        list(workers.map(partial(work.sleeps, sys.argv[1]), [[1.0]] * 9))
"""


class TestProcesses(WorkersElsewhere):
    @pytest.fixture
    def script(self, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        """A program of its own, in a group of its own as a shell would start it, its workers in long work."""
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
                lambda: process.poll() is not None or len(list(started.iterdir())) == 2, "no worker began its work"
            )
            try:
                yield process
            finally:
                process.kill()

    # The end

    @pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
    def test_a_number_of_workers_that_is_none(self, workers: int) -> None:
        with pytest.raises(SpecError, match=f"workers: got {workers}; allowed is 1 to {MOST_WORKERS}"):
            LocalProcesses(workers)

    def test_workers_do_not_hear_the_interrupt_that_goes_to_all_processes_of_a_terminal(
        self, two: LocalProcesses, tmp_path: Path
    ) -> None:
        pids = those_at_work(two, tmp_path / "before")
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        assert those_at_work(two, tmp_path / "after") == pids

    def test_interrupt_from_the_terminal_ends_a_script_and_its_workers(
        self, script: subprocess.Popen[str], tmp_path: Path
    ) -> None:
        pids = [int(path.name) for path in (tmp_path / "started").iterdir()]
        os.killpg(script.pid, signal.SIGINT)
        answered, complained = script.communicate(timeout=LIMIT_S)
        assert script.returncode == -signal.SIGINT
        assert answered == "main\n[(0, [2.0]), (1, [4.0])]\n"
        assert complained.startswith("Traceback")
        assert complained.count("Traceback") == 1  # of the script, which lets the interrupt through
        assert complained.endswith("KeyboardInterrupt\n")
        assert len(pids) == 2
        assert all(is_gone(pid) for pid in pids)

    def test_workers_do_not_outlive_a_parent_that_is_killed(self, script: subprocess.Popen[str]) -> None:
        pids = descendants(recursive=True, of=script.pid)
        assert len(pids) == 2
        script.kill()
        wait_until(lambda: all(is_gone(pid) for pid in pids), "the workers live on")


def test_this_process_answers_chunk_by_chunk() -> None:
    taken: list[int] = []

    def chunks() -> Iterator[list[float]]:
        for number in count():
            taken.append(number)
            yield [float(number)]

    with ThisProcess() as here:
        answers = here.map(work.doubled, chunks())
        assert [next(answers) for _ in range(3)] == [(0, [0.0]), (1, [2.0]), (2, [4.0])]
    assert (here.workers, taken) == (1, [0, 1, 2])


def test_nothing_and_chunks_of_nothing(two: LocalProcesses) -> None:
    assert list(two.map(work.doubled, [])) == []
    assert sorted(two.map(work.doubled, [[], [1.0], ()])) == [(0, []), (1, [2.0]), (2, [])]


def test_the_pool_holds_from_one_map_to_the_next(two: LocalProcesses, tmp_path: Path) -> None:
    assert those_at_work(two, tmp_path / "first") == those_at_work(two, tmp_path / "second")


def test_each_map_has_its_own_work(two: LocalProcesses) -> None:
    for factor in range(10):
        assert list(two.map(partial(work.times, factor), [[1.0]])) == [(0, [factor])]


def test_what_the_chunks_raise_comes_out_and_work_that_cannot_travel_is_refused(two: LocalProcesses) -> None:
    def broken() -> Iterator[list[float]]:
        yield [1.0]
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        list(two.map(work.doubled, broken()))
    with pytest.raises((AttributeError, PicklingError), match="local object"):
        list(two.map(lambda items: items, [[1.0]]))


# Deaths


def test_an_idle_worker_that_is_killed_loses_nothing(two: LocalProcesses) -> None:
    list(two.map(work.doubled, CHUNKS))
    for worker in two.pool().workers:
        assert worker.process is not None
        worker.process.kill()
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED


def test_an_answer_that_a_killed_worker_leaves_half_sent_blocks_nobody(two: LocalProcesses, tmp_path: Path) -> None:
    chunks = [[bytes([number]) * 1_000_000 + b"!"] for number in range(8)]  # a pipe holds 64 KB
    found = sorted(two.map(partial(work.large_dies_once, str(tmp_path / "killed")), chunks))
    assert found == [(number, [chunk[0][::-1]]) for number, chunk in enumerate(chunks)]


def test_workers_that_die_before_they_can_work_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = f"from tests.scenarios.sweeps.work import never_begins; never_begins({str(tmp_path)!r})"
    monkeypatch.setattr(worker_pool, "PROGRAM", ("-c", never))
    before = descendants(recursive=False)
    with (
        LocalProcesses(1) as processes,
        pytest.raises(SpecError, match=r"a process was started 3 times and died before it could work"),
    ):
        list(processes.map(work.doubled, CHUNKS))
    assert descendants(recursive=False) == before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("killers", [{3}, {0, 11}, set(range(4, 9)), set(range(12))])
@pytest.mark.parametrize("room", [1, 2, 3, 16])
def test_whoever_kills_is_found_among_those_in_flight(killers: set[int], room: int) -> None:
    """The bookkeeping alone, with deaths that take down all that is in flight, as a pool's do."""
    chunks = [list(range(12))[start : start + 3] for start in range(0, 12, 3)]
    pieces: ChunkPieces[int, int] = ChunkPieces(chunks)
    flying: list[ChunkPiece[int]] = []
    done: dict[int, Sequence[int | NoAnswer]] = {}
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
    lost = NoAnswer("its worker died 3 times")
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
    pieces: ChunkPieces[int, int] = ChunkPieces(endless())
    flying: list[ChunkPiece[int]] = []
    taken_at: list[int] = []  # by the time of each death
    lost: list[tuple[int, Sequence[int | NoAnswer]]] = []
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
    assert lost == [(3, [NoAnswer("its worker died 3 times")])]
    assert taken == taken_at[1]


# The end


def interrupt_once_begun(directory: Path) -> None:
    """Ctrl-C for this process alone, as soon as two workers are in the middle of their work."""

    def interrupt() -> None:
        with suppress(AssertionError):  # then the interrupt ends the test all the same
            wait_until(lambda: len(list(directory.iterdir())) >= 2, "the workers did not begin")
        interrupt_main()  # as a signal that comes just before a wait begins: it does not end that wait

    threading.Thread(target=interrupt).start()


def test_interrupt_of_the_consumer_leaves_no_process(tmp_path: Path) -> None:
    def consume() -> None:
        with LocalProcesses(2) as processes:
            interrupt_once_begun(tmp_path)
            next(processes.map(partial(work.sleeps, str(tmp_path)), ([float(item)] for item in count())))

    before = descendants(recursive=False)
    with pytest.raises(KeyboardInterrupt):
        consume()
    assert descendants(recursive=False) == before


def test_leaving_the_context_before_all_is_answered_leaves_no_process_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def consume() -> None:
        nonlocal answers
        with LocalProcesses(2) as processes:
            answers = processes.map(sleep, ([float(item)] for item in count()))
            assert next(answers) == (0, [0.0])
            raise KeyError("enough")

    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = descendants(recursive=False)
    sleep = partial(work.sleeps_but_first, str(tmp_path))
    answers = iter(())
    with pytest.raises(KeyError, match="enough"):
        consume()
    assert descendants(recursive=False) == before
    assert not list(temporary.iterdir())
    answers.close()


def test_a_consumer_that_stops_early_frees_the_workers(two: LocalProcesses, tmp_path: Path) -> None:
    answers = two.map(partial(work.sleeps_but_first, str(tmp_path)), ([float(item)] for item in count()))
    assert next(answers) == (0, [0.0])
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, "the workers did not begin")
    answers.close()
    assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED  # nobody sleeps any more
