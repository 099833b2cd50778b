"""What holds for every executor whose workers are processes of their own: its file of tests inherits this."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from pickle import PicklingError
from typing import Final

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps.executors import NoAnswer, ThisProcess, Work, WorkerExecutor
from tests.processes import children_of, words_of
from tests.scenarios.sweeps import work

ROOT = Path(__file__).resolve().parents[3]
KILLER: Final = 7.0
CHUNKS = [[float(10 * chunk + item) for item in range(1 + chunk % 4)] for chunk in range(12)]
DOUBLED = [(number, [2 * item for item in chunk]) for number, chunk in enumerate(CHUNKS)]


def descendants(*, recursive: bool, of: int | None = None) -> set[int]:
    """Pids of the processes that *of* or this one started, but the resource tracker, which Python keeps."""
    return {child.pid for child in children_of(of, recursive=recursive) if "resource_tracker" not in words_of(child)}


def those_at_work(two: WorkerExecutor, directory: Path) -> set[int]:
    """Pids of the two workers: neither goes on before the other one has begun."""
    directory.mkdir(exist_ok=True)
    assert sorted(two.map(partial(work.doubled_by, str(directory), 2), CHUNKS)) == DOUBLED
    return {int(path.name) for path in directory.iterdir()}


class WorkersElsewhere:
    """Tests of an executor: the fixture `two` of a file gives one with two workers."""

    # The same answers from everyone

    def test_they_answer_as_this_process_does(self, two: WorkerExecutor) -> None:
        assert two.workers == 2
        assert sorted(two.map(work.doubled, CHUNKS)) == DOUBLED == list(ThisProcess().map(work.doubled, CHUNKS))

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
