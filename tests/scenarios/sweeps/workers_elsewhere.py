"""What holds for every executor whose workers are processes of their own: its file of tests inherits this."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from pickle import PicklingError
from typing import ClassVar, Final

import psutil
import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps.executors import MOST_WORKERS, NoAnswer, ThisProcess, Work, WorkerExecutor
from tests.patience import LIMIT_S
from tests.scenarios.sweeps import work
from tests.scenarios.sweeps.work import wait_until

ROOT = Path(__file__).resolve().parents[3]
KILLER: Final = 7.0
CHUNKS = [[float(10 * chunk + item) for item in range(1 + chunk % 4)] for chunk in range(12)]
DOUBLED = [(number, [2 * item for item in chunk]) for number, chunk in enumerate(CHUNKS)]


def descendants(*, recursive: bool, of: int | None = None) -> set[int]:
    """Pids of the processes that *of* or this one started, but the resource tracker, which Python keeps."""
    return {
        child.pid
        for child in psutil.Process(of).children(recursive)
        if child.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(child.cmdline())
    }


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def those_at_work(two: WorkerExecutor, directory: Path) -> set[int]:
    """Pids of the two workers: neither goes on before the other one has begun."""
    directory.mkdir(exist_ok=True)
    assert sorted(two.map(partial(work.doubled_by, str(directory), 2), CHUNKS)) == DOUBLED
    return {int(path.name) for path in directory.iterdir()}


SCRIPT = """
    import sys
    from functools import partial
    from blocktime.scenarios.sweeps.cluster import Cluster
    from blocktime.scenarios.sweeps.executors import LocalProcesses
    from tests.scenarios.sweeps import work

    print("main", flush=True)
    with {opens} as workers:  # with no guard: a worker must not run this file again
        print(sorted(workers.map(partial(work.dies_once, sys.argv[2], 1.0), [[1.0], [2.0]])), flush=True)
        list(workers.map(partial(work.sleeps, sys.argv[1]), [[1.0]] * 9))
"""


class WorkersElsewhere:
    """Tests of an executor: the fixture `two` of a file gives one with two workers."""

    opens: ClassVar[str]
    """How a program opens one with two workers of its own."""
    opened: Callable[[int], WorkerExecutor]
    """What makes one with so many workers."""

    @pytest.fixture
    def script(self, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        """A program of its own, in a group of its own as a shell would start it, its workers in long work."""
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(SCRIPT.format(opens=self.opens)), encoding="utf-8")
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

    # The same answers from everyone

    def test_they_answer_as_this_process_does(self, two: WorkerExecutor) -> None:
        assert two.workers == 2
        assert (
            sorted(two.map(work.doubled, CHUNKS)) == DOUBLED == list(ThisProcess().map(work.doubled, CHUNKS))
        )

    def test_floats_come_back_bit_for_bit(self, two: WorkerExecutor) -> None:
        odd = [0.1 + 0.2, float("nan"), -0.0, 5e-324, float("inf")]
        ((_, answers),) = two.map(work.doubled, [odd])
        assert [float(answer).hex() for answer in answers] == [(2 * item).hex() for item in odd]

    def test_a_partial_is_work_and_all_workers_take_part(self, two: WorkerExecutor, tmp_path: Path) -> None:
        pids = those_at_work(two, tmp_path)
        assert len(pids) == 2
        assert os.getpid() not in pids

    def test_chunks_are_taken_only_when_somebody_has_time_for_them(self, two: WorkerExecutor) -> None:
        taken = 0

        def endless() -> Iterator[list[float]]:
            nonlocal taken
            for number in count():
                taken += 1
                yield [float(number)]

        most = 2 * type(two).AT_ONCE * two.workers - 1
        answers = two.map(work.doubled, endless())
        assert taken == 0
        for seen in range(1, 60):
            next(answers)
            # What has landed together with an answer is replaced before the answer is looked at.
            assert seen <= taken <= seen + most
        answers.close()
        assert taken <= seen + most

    # What the work raises

    @pytest.mark.parametrize(
        ("what", "kind", "says"),
        [
            # UnknownName makes its sentence from three values, so it cannot be pickled; its parent can.
            (partial(work.fails_at, KILLER), SpecError, "no disk named 'nvmee'; did you mean nvme?"),
            (work.one_short, ValueError, "0 answers to 1 items"),
            (work.unpicklable, (AttributeError, PicklingError), "local object"),
            (partial(work.doubled_by, "/no/such/directory", 1), FileNotFoundError, "/no/such/directory"),
        ],
    )
    def test_what_the_work_raises_comes_out(
        self, two: WorkerExecutor, what: Work[float, object], kind: type, says: str
    ) -> None:
        with pytest.raises(kind, match=says.replace("?", r"\?")) as caught:
            list(two.map(what, ([float(item)] for item in count())))
        assert "in attempt" in caught.value.__notes__[0]
        assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED  # and the next map works

    # Deaths

    def test_a_worker_that_is_killed_loses_nothing(
        self, two: WorkerExecutor, tmp_path: Path, said: Callable[[], list[str]]
    ) -> None:
        marker = tmp_path / "killed"
        found = sorted(two.map(partial(work.dies_once, str(marker), KILLER), [*CHUNKS, [KILLER]]))
        assert marker.exists()
        assert found == [*DOUBLED, (len(CHUNKS), [2 * KILLER])]
        assert said() == []

    def test_the_one_item_that_kills_is_lost_and_all_others_are_answered(self, two: WorkerExecutor) -> None:
        found = sorted(two.map(partial(work.dies_at, KILLER), [[1.0, 2.0], [KILLER, 8.0], [10.0]]))
        assert found == [(0, [2.0, 4.0]), (1, [NoAnswer("its worker died 3 times"), 16.0]), (2, [20.0])]

    # The end

    @pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
    def test_a_number_of_workers_that_is_none(self, workers: int) -> None:
        with pytest.raises(SpecError, match=f"workers: got {workers}; allowed is 1 to {MOST_WORKERS}"):
            type(self).opened(workers)

    def test_workers_do_not_hear_the_interrupt_that_goes_to_all_processes_of_a_terminal(
        self, two: WorkerExecutor, tmp_path: Path
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
