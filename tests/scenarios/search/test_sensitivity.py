"""What matters: a tornado is what each point answers."""

from pathlib import Path
from typing import Any

import pytest

from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.scenarios.search.question import question_of
from blocktime.scenarios.search.sensitivity import Sensitivity, sensitivity
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend
from blocktime.scenarios.sweeps.sweep_run import Running
from tests.smooth import answer_smoothly, smooth_measures_of

USERS = "workload.users=1:40"
DISKS = "disk.use=nvme,sas-15k"


@pytest.fixture(autouse=True)
def smooth(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_smoothly(monkeypatch)


def found(tmp_path: Path, name: str, vary: list[str], **how: Any) -> Sensitivity:
    return sensitivity(name, vary, at=SweepBackend(workers=1, store=tmp_path), **how)


def test_an_axis_that_does_nothing_has_no_bar_and_is_no_fault(tmp_path: Path) -> None:
    vary = [USERS, "iostat.interval_s=1:9"]
    answer = found(tmp_path, "tpc-b", vary, measure="response_s")
    assert [bar.span > 0 for bar in answer.tornado] == [True, False]


def test_a_measure_that_does_not_vary_has_bars_without_length(tmp_path: Path) -> None:
    answer = found(tmp_path, "tpc-b", [USERS], measure="current_gets")
    assert [(bar.low, bar.high) for bar in answer.tornado] == [(answer.base, answer.base)]


def test_a_tornado_is_what_run_answers_at_its_ends(tmp_path: Path) -> None:
    vary = [USERS, DISKS, "workload.think_s=0.5:2"]
    answer = found(tmp_path, "tpc-b", vary, measure="response_s")

    def alone(*settings: str) -> float:
        return smooth_measures_of("tpc-b", settings)["response_s"]

    assert answer.base == pytest.approx(alone(), rel=1e-9)
    for bar in answer.tornado:
        assert bar.low == pytest.approx(alone(f"{bar.key}={bar.at_low}"), rel=1e-9)
        assert bar.high == pytest.approx(alone(f"{bar.key}={bar.at_high}"), rel=1e-9)
    assert [bar.key for bar in answer.tornado] == ["disk.use", "workload.users", "workload.think_s"]
    think = answer.tornado[2]
    assert (think.at_low, think.at_high) == (2.0, 0.5)  # who pauses longer meets fewer others
    assert not think.is_outside


def test_a_base_value_outside_of_its_range_is_noted(tmp_path: Path) -> None:
    vary = ["workload.users=20:40", "workload.think_s=0.5,1", "tablespace.block_size_bytes=4K,16K"]
    answer = found(tmp_path, "tpc-b", vary, measure="response_s")
    outside = {bar.key: bar.is_outside for bar in answer.tornado}
    assert outside == {
        "workload.users": True,  # ten
        "workload.think_s": False,
        "tablespace.block_size_bytes": False,  # between the least and the largest
    }


def test_nothing_is_asked_again(tmp_path: Path) -> None:
    heard: list[Running] = []

    class Ear(Listener):
        def planned(self, running: Running, notes: Any) -> None:
            heard.append(running)

    vary = [DISKS, "workload.users=2,5"]
    answers = [found(tmp_path, "tpc-b", vary, measure="response_s", listener=Ear()) for _ in range(2)]
    assert answers[0].points == 4
    assert answers[0] == answers[1]
    assert sum(running.outcome.answered for running in heard[len(heard) // 2 :]) == 0


def test_two_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the other process plays
    vary, how = [USERS, DISKS], {"measure": "response_s", "settings": ["workload.transactions=400"]}
    one = sensitivity("tpc-b", vary, at=SweepBackend(workers=1, store=tmp_path / "one"), **how)
    two = sensitivity("tpc-b", vary, at=SweepBackend(workers=2, store=tmp_path / "two"), **how)
    assert one == two


def test_axes_of_a_file_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'base = "tpc-b"\n[sweep]\n[[sweep.axis]]\nkey = "workload.users"\nlow = 1\nhigh = 9\n'
        'points = 3\n[[sweep.axis]]\nkey = "workload.think_s"\nvalues = [1, 2]\n'
    )
    question = question_of(file, ["workload.think_s=1:3"])
    assert [(axis.key, axis.values) for axis in question.axes] == [
        ("workload.users", (1, 5, 9)),
        ("workload.think_s", None),
    ]


@pytest.mark.parametrize(
    ("vary", "how", "sentence"),
    [
        ([], {}, "nothing varies"),
        (["workload.users=5"], {}, "workload.users: got 5 alone"),
        (["workload.users=5:5"], {}, "workload.users: got 5 alone"),
        ([USERS, USERS], {}, "is the key of 2 axes"),
        ([USERS], {"measure": "respons_s"}, "no measure named 'respons_s'; did you mean response_s"),
        ([USERS], {"measure": "response_p95_s"}, "answers have no response_p95_s; they have "),
        ([USERS], {"limit": 1}, "--limit"),
        (["workload.userz=1:2"], {}, "there is no such field"),
        (["workload.users=0:3"], {}, "got 0; allowed is at least 1"),
        (["workload.rate_per_s=1:900"], {}, "points have no answer, and a tornado needs all"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(
    vary: list[str], how: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(BlocktimeError) as raised:
        found(tmp_path, "tpc-b", vary, **{"measure": "response_s", **how})
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [('where = ["workload.users < 3"]', "its where leaves points out"), ("", "moves together with other axes")],
)
def test_a_file_whose_points_depend_on_each_other_is_refused(line: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    tied = "" if line else 'zip = "both"\n'
    file.write_text(f'base = "tpc-b"\n[sweep]\n{line}\n[[sweep.axis]]\nkey = "workload.users"\nvalues = [1, 5]\n{tied}')
    with pytest.raises(SpecError, match=sentence):
        found(tmp_path, str(file), [])
