"""What matters: indices of known functions and of true scenarios, and a tornado that is what each point answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.measures import measures_of
from blocktime.scenarios import load, run
from blocktime.scenarios.search.question import question_of
from blocktime.scenarios.search.sensitivity import (
    Sensitivity,
    _resampled,
    indices_of,
    sampled_points,
    sensitivity,
)
from blocktime.scenarios.sweeps.run import Running
from blocktime.scenarios.sweeps.spec import Axis, axis_of
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend

PI = float(np.pi)
USERS = "workload.users=1:40"
DISKS = "disk.use=nvme,sas-15k"


def found(tmp_path: Path, name: str, vary: list[str], **how: Any) -> Sensitivity:
    return sensitivity(name, vary, at=SweepBackend(workers=1, store=tmp_path), **{"samples": 64, **how})


def indices(law: Any, many: int, samples: int = 4096) -> tuple[list[float], list[float]]:
    """First- and total-order indices of a function of shares from 0 to 1."""
    keys = [f"instance.{letter}" for letter in "abcdef"[:many]]
    axes = [Axis(key=key, low=0.0, high=1.0) for key in keys]
    points = sampled_points(axes, frozenset(), samples, seed=1)
    outcomes = np.array([law(*point.values()) for point in points])
    listed = indices_of(keys, outcomes, samples, seed=1)
    assert [index.key for index in listed] == keys
    return [index.first.value for index in listed], [index.total.value for index in listed]


def test_the_ishigami_function_has_the_indices_that_are_published() -> None:
    def ishigami(*shares: float) -> float:
        x, y, z = (PI * (2 * share - 1) for share in shares)
        return float(np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x))

    first, total = indices(ishigami, 3)
    assert first == pytest.approx([0.314, 0.442, 0.0], abs=0.03)
    assert total == pytest.approx([0.558, 0.442, 0.244], abs=0.03)


def test_an_interval_holds_nineteen_of_twenty_resamples_of_its_index() -> None:
    keys, samples = ["instance.a", "instance.b"], 256
    axes = [Axis(key=key, low=0.0, high=1.0) for key in keys]
    points = sampled_points(axes, frozenset(), samples, seed=1)
    outcomes = np.array([sum(point.values()) ** 2 for point in points])
    matrices = outcomes.reshape(-1, samples)
    drawn = _resampled(matrices - matrices[:2].mean(), 1)
    for place, index in enumerate(indices_of(keys, outcomes, samples, seed=1)):
        for kind, share in enumerate((index.first, index.total)):
            inside = (share.low <= drawn[:, kind, place]) & (drawn[:, kind, place] <= share.high)
            assert inside.mean() == pytest.approx(0.95, abs=0.01)


def test_a_sum_has_no_interaction_and_a_product_has() -> None:
    first, total = indices(lambda x, y, z: 3 * x + y + 0 * z, 3)
    assert first == pytest.approx([0.9, 0.1, 0.0], abs=0.02)
    assert total == pytest.approx([0.9, 0.1, 0.0], abs=0.02)
    first, total = indices(lambda x, y: x * y, 2)
    assert first == pytest.approx([3 / 7, 3 / 7], abs=0.03)
    assert total == pytest.approx([4 / 7, 4 / 7], abs=0.03)


def test_a_price_list_has_the_indices_of_its_arithmetic(tmp_path: Path) -> None:
    """So much per core, and so much per licence times the core factor, which makes whole licences of four cores."""
    vary = [
        "prices.core_per_hour=0:2",
        "prices.licence_per_processor=10000:90000",
        "prices.core_factor=0.25,0.5,0.75,1",
    ]
    answer = found(tmp_path, "savvinov-lio-priced", vary, measure="cost_machine_per_hour", samples=512)

    def cost(core: float, licence: float, factor: float) -> float:
        settings = [
            f"{axis.split('=')[0]}={value}" for axis, value in zip(vary, (core, licence, factor), strict=True)
        ]
        return measures_of(run(load("savvinov-lio-priced", settings)))["cost_machine_per_hour"]

    none = cost(0, 10000, 0.25)
    per_core = cost(1, 10000, 0.25) - none
    per_licence = (cost(0, 20000, 0.25) - none) / (10000 * 0.25)
    of_core = (2 * per_core) ** 2 / 12
    licence, factor = (5e4, 8e4**2 / 12), (0.625, 0.078125)
    of_licence = per_licence**2 * licence[1] * factor[0] ** 2
    of_factor = per_licence**2 * licence[0] ** 2 * factor[1]
    of_both = per_licence**2 * licence[1] * factor[1]
    all_of_it = of_core + of_licence + of_factor + of_both
    by_key = {index.key.rpartition(".")[2]: index for index in answer.indices}
    expected = {
        "core_per_hour": (of_core, of_core),
        "licence_per_processor": (of_licence, of_licence + of_both),
        "core_factor": (of_factor, of_factor + of_both),
    }
    for key, (first, total) in expected.items():
        assert by_key[key].first.value == pytest.approx(first / all_of_it, abs=0.02)
        assert by_key[key].total.value == pytest.approx(total / all_of_it, abs=0.02)
        assert by_key[key].first.low < first / all_of_it < by_key[key].first.high
        assert by_key[key].total.low < total / all_of_it < by_key[key].total.high


def test_an_axis_that_does_nothing_is_noise_and_no_fault(tmp_path: Path) -> None:
    vary = [USERS, "iostat.interval_s=1:9"]
    answer = found(tmp_path, "tpc-b", vary, measure="response_s", engine="calculate")
    users, nothing = answer.indices
    assert users.key == "workload.users"
    assert not users.first.is_noise
    assert (nothing.first.value, nothing.total.value) == (0, 0)
    assert (nothing.total.low, nothing.total.high) == (0, 0)
    assert nothing.first.is_noise
    assert [bar.span > 0 for bar in answer.tornado] == [True, False]


def test_a_measure_that_does_not_vary_has_no_indices(tmp_path: Path) -> None:
    answer = found(tmp_path, "tpc-b", [USERS], measure="current_gets", engine="calculate")
    assert answer.indices == ()
    assert answer.low == answer.high == answer.mean == answer.base


def test_a_tornado_is_what_run_answers_at_its_ends(tmp_path: Path) -> None:
    vary = [USERS, DISKS, "workload.think_s=0.5:2"]
    answer = found(tmp_path, "tpc-b", vary, measure="response_s", engine="calculate", samples=8)

    def alone(*settings: str) -> float:
        return measures_of(run(load("tpc-b", settings), "calculate"))["response_s"]

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
    answer = found(tmp_path, "tpc-b", vary, measure="response_s", engine="calculate", samples=8)
    outside = {bar.key: bar.is_outside for bar in answer.tornado}
    assert outside == {
        "workload.users": True,  # ten
        "workload.think_s": False,
        "tablespace.block_size_bytes": False,  # between the least and the largest
    }


def test_lists_are_sampled_by_equal_shares_and_log_ranges_by_ratio() -> None:
    axes = [axis_of("disk.use=a,b,c,d"), axis_of("host.cpus=1:8"), axis_of("table.rows=1:1000000:log")]
    points = sampled_points(axes, frozenset({"host.cpus", "table.rows"}), 1024, seed=3)[:1024]
    assert Counter(point["disk.use"] for point in points) == dict.fromkeys("abcd", 256)
    assert Counter(point["host.cpus"] for point in points) == dict.fromkeys(range(1, 9), 128)
    assert all(isinstance(point["table.rows"], int) for point in points)
    assert sum(point["table.rows"] < 1000 for point in points) == pytest.approx(512, abs=2)


def test_the_matrices_differ_by_one_column_each() -> None:
    axes = [Axis(key=f"instance.{letter}", low=0.0, high=1.0) for letter in "abc"]
    points = [list(point.values()) for point in sampled_points(axes, frozenset(), 8, seed=1)]
    a, b, *mixed = np.array(points).reshape(5, 8, 3)
    for column, one in enumerate(mixed):
        assert (one[:, column] == b[:, column]).all()
        others = [other for other in range(3) if other != column]
        assert (one[:, others] == a[:, others]).all()


def test_points_that_come_twice_are_asked_once_and_nothing_is_asked_again(tmp_path: Path) -> None:
    heard: list[Running] = []

    class Ear(Listener):
        def planned(self, running: Running, notes: Any) -> None:
            heard.append(running)

    vary = [DISKS, "workload.users=2,5"]
    answers = [
        found(tmp_path, "tpc-b", vary, measure="response_s", engine="calculate", listener=Ear())
        for _ in range(2)
    ]
    assert answers[0].points == 4
    assert answers[0] == answers[1]
    assert [running.outcome.wanted for running in heard] == [4, 4]
    assert heard[1].outcome.answered == 0


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    vary, how = [USERS, DISKS], {"measure": "response_s", "engine": "calculate", "samples": 8}
    one = sensitivity("tpc-b", vary, at=SweepBackend(workers=1, store=tmp_path / "one"), **how)
    two = sensitivity("tpc-b", vary, at=SweepBackend(workers=2, store=tmp_path / "two"), **how)
    assert one == two


def test_axes_and_engine_of_a_file_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'base = "tpc-b"\n[sweep]\nengine = "calculate"\n[[sweep.axis]]\nkey = "workload.users"\nlow = 1\nhigh = 9\n'
        'points = 3\n[[sweep.axis]]\nkey = "workload.think_s"\nvalues = [1, 2]\n'
    )
    question = question_of(file, ["workload.think_s=1:3"])
    assert question.how.engine == "calculate"
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
        ([USERS], {"samples": 100}, "samples: got 100; allowed is a power of two from 8 to 65,536"),
        ([USERS], {"samples": 0}, "samples: got 0"),
        ([USERS], {"measure": "respons_s"}, "no measure named 'respons_s'; did you mean response_s"),
        ([USERS], {"measure": "response_p95_s"}, "by engine calculate have no response_p95_s; they have "),
        ([USERS], {"limit": 10}, "--limit"),
        (["workload.userz=1:2"], {}, "there is no such field"),
        (["workload.users=0:3"], {}, "got 0; allowed is at least 1"),
        (["workload.rate_per_s=1:900"], {}, "points have no answer, and indices need all"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(
    vary: list[str], how: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(BlocktimeError) as raised:
        found(
            tmp_path, "tpc-b", vary, **{"measure": "response_s", "engine": "calculate", "samples": 8, **how}
        )
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('where = ["workload.users < 3"]', "its where leaves points out"),
        ("", "moves together with other axes"),
    ],
)
def test_a_file_whose_points_depend_on_each_other_is_refused(
    line: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    tied = "" if line else 'zip = "both"\n'
    file.write_text(
        f'base = "tpc-b"\n[sweep]\n{line}\n[[sweep.axis]]\nkey = "workload.users"\nvalues = [1, 5]\n{tied}'
    )
    with pytest.raises(SpecError, match=sentence):
        found(tmp_path, str(file), [])
