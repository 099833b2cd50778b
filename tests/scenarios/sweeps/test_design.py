"""Which points a design has: their order, the ends of ranges, whole numbers, and the same points however asked for."""

from __future__ import annotations

import itertools
import math
import pickle
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps.design import Design
from blocktime.scenarios.sweeps.sweep_spec import Axis, axis_of, sweep_of

ROOT = Path(__file__).resolve().parents[3]
KEYS = [f"{section}.f{rank}" for rank in range(11) for section in ("disk", "host", "table")]
BLOCK = axis_of("tablespace.block_size_bytes=2K,4K,8K")
USERS = axis_of("workload.users=1:100")
ROWS = axis_of("table.rows=1:1000000:log")
USE = axis_of("disk.use=nvme,sas-15k,sata-7k2")
SAMPLED = (USERS, ROWS, USE)


def crossed(*axes: Axis, whole: tuple[str, ...] = ()) -> Design:
    return Design(sweep_of({"axis": axes}), whole)


def sampled(
    design: str, samples: int, *axes: Axis, seed: int = 1, whole: tuple[str, ...] = ("workload.users",)
) -> Design:
    table = {"axis": axes, "design": design, "samples": samples, "seed": seed}
    return Design(sweep_of(table), whole)


def points(design: Design) -> list[dict[str, Any]]:
    return design.block(0, design.count())


def taken(text: str, *, whole: bool = False) -> list[Any]:
    """What one axis of a crossed design takes."""
    axis = axis_of(text)
    return [point[axis.key] for point in points(crossed(axis, whole=(axis.key,) if whole else ()))]


# --- ranges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("table.rows=0:1:11", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("table.rows=0.1:0.3:3", [0.1, 0.2, 0.3]),
        ("table.rows=-1:1:3", [-1.0, 0.0, 1.0]),
        ("table.rows=1:2:2", [1.0, 2.0]),
        ("table.rows=3:3:5", [3.0]),
        ("table.rows=1:2:2:log", [1.0, 2.0]),
        ("table.rows=1:1000:4:log", [1.0, 10.0, 100.0, 1000.0]),
        ("table.rows=1e-9:1e9:19:log", [float(f"1e{power}") for power in range(-9, 10)]),
        ("disk.overhead_s=1ms:10s:5:log", [0.001, 0.01, 0.1, 1.0, 10.0]),
        ("tablespace.block_size_bytes=2K:32K:5:log", [2048.0, 4096.0, 8192.0, 16384.0, 32768.0]),
    ],
)
def test_a_range_comes_out_clean(text: str, values: list[float]) -> None:
    found = taken(text)
    assert found == values
    assert all(type(value) is float for value in found)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("table.rows=1:4:10", [1, 2, 3, 4]),
        ("table.rows=1:4:2", [1, 4]),
        ("table.rows=1:4:3", [1, 3, 4]),  # 2.5 is rounded up
        ("table.rows=1:1000:4:log", [1, 10, 100, 1000]),
        ("table.rows=1:42.25:3:log", [1, 7, 42]),  # 6.5 is, and not 6.4999… by the roots taken
        ("table.rows=1:8:20:log", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("table.rows=0.5:3.5:4", [1, 2, 3]),  # none below low, none above high
        ("tablespace.block_size_bytes=2K:32K:5:log", [2048, 4096, 8192, 16384, 32768]),
    ],
)
def test_a_range_of_whole_numbers_names_none_twice(text: str, values: list[int]) -> None:
    found = taken(text, whole=True)
    assert found == values
    assert all(type(value) is int for value in found)


def test_decades_are_clean_between_other_values() -> None:
    found = taken("table.rows=1:1000000:61:log")
    assert found[::10] == [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]
    assert found[5] == 10**0.5


@pytest.mark.parametrize("design", ["crossed", "latin_hypercube"])
def test_a_range_without_a_whole_number_is_refused(design: str) -> None:
    axis = axis_of("table.rows=1.2:1.8:3" if design == "crossed" else "table.rows=1.2:1.8")
    table = {"axis": [axis], "design": design, "samples": None if design == "crossed" else 4}
    with pytest.raises(SpecError, match=r"^axis table\.rows: got the range 1\.2 to 1\.8; .*whole numbers"):
        Design(sweep_of(table), ["table.rows"])


@given(
    low=st.floats(1e-6, 1e9),
    factor=st.floats(1, 1e6),
    count=st.integers(2, 60),
    scale=st.sampled_from(["linear", "log"]),
)
def test_a_range_ends_exactly_and_rises(low: float, factor: float, count: int, scale: str) -> None:
    axis = Axis(key="table.rows", low=low, high=low * factor, points=count, scale=scale)
    found = [point["table.rows"] for point in points(crossed(axis))]
    assert (found[0], found[-1]) == (low, low * factor)
    assert all(one < other for one, other in itertools.pairwise(found))
    middle = len(found) // 2
    if len(found) == count:
        share = middle / (count - 1)
        expected = low * factor**share if scale == "log" else low + (low * factor - low) * share
        assert found[middle] == pytest.approx(expected, rel=1e-9)


# --- crossed ----------------------------------------------------------------------------------------------------------


def test_the_first_axis_is_slowest_and_values_are_as_written() -> None:
    design = crossed(axis_of("disk.use=nvme,sas-15k"), BLOCK, axis_of("instance.disk_asynch_io=true,false"))
    assert design.keys == ("disk.use", "tablespace.block_size_bytes", "instance.disk_asynch_io")
    assert design.count() == 12
    assert [tuple(point.values()) for point in points(design)] == list(
        itertools.product(["nvme", "sas-15k"], [2048, 4096, 8192], [True, False])
    )
    assert all(tuple(point) == design.keys for point in points(design))


def test_zipped_axes_move_together_where_the_first_of_them_stands() -> None:
    design = Design(
        sweep_of(
            {
                "axis": [
                    {"key": "host.cpus", "values": [1, 2], "zip": "size"},
                    {"key": "workload.users", "values": [5, 6, 7]},
                    {"key": "table.rows", "low": 10, "high": 20, "points": 2, "zip": "size"},
                ]
            }
        )
    )
    assert design.count() == 6
    expected = [(1, 5, 10), (1, 6, 10), (1, 7, 10), (2, 5, 20), (2, 6, 20), (2, 7, 20)]
    assert [tuple(point.values()) for point in points(design)] == expected
    assert all(tuple(point) == design.keys for point in points(design))


def test_of_zipped_axes_only_points_that_are_equal_in_all_are_one() -> None:
    cpus = Axis(key="host.cpus", low=1, high=2, points=4, zip="a")
    rows = Axis(key="table.rows", low=1, high=4, points=4, zip="a")
    same = Axis(key="workload.users", low=1, high=2, points=4, zip="a")
    both = [tuple(p.values()) for p in points(crossed(cpus, rows, whole=("host.cpus", "table.rows")))]
    assert both == [(1, 1), (1, 2), (2, 3), (2, 4)]
    assert points(crossed(cpus, same, whole=("host.cpus", "workload.users"))) == [
        {"host.cpus": 1, "workload.users": 1},
        {"host.cpus": 2, "workload.users": 2},
    ]


def test_values_that_a_user_repeats_stay() -> None:
    assert taken("table.rows=1,1,2") == [1, 1, 2]


def test_ten_million_points_are_counted_and_not_built() -> None:
    axes = [Axis(key=key, values=tuple(range(10))) for key in KEYS[:7]]
    tracemalloc.start()
    try:
        design = crossed(*axes)
        assert design.count() == 10_000_000
        last = design.block(9_999_990, 10_000_000)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [list(point.values()) for point in last] == [[9] * 6 + [unit] for unit in range(10)]
    assert peak_bytes < 200_000


def test_more_points_than_64_bits_count() -> None:
    design = crossed(*(Axis(key=key, values=tuple(range(100))) for key in KEYS[:32]))
    assert design.count() == 100**32
    middle = design.block(100**31 * 3 + 5, 100**31 * 3 + 6)
    assert list(middle[0].values()) == [3] + [0] * 30 + [5]


@pytest.mark.parametrize("design", ["crossed", "latin_hypercube"])
def test_a_block_beyond_the_points_holds_what_there_is(design: str) -> None:
    made = crossed(BLOCK) if design == "crossed" else sampled(design, 4, BLOCK)
    assert made.block(-5, 1) == made.block(0, 1)
    assert made.block(2, 100) == points(made)[2:]
    assert made.block(3, 3) == made.block(5, 2) == made.block(100, 200) == []


# --- samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", ["crossed", "latin_hypercube"])
@given(cuts=st.lists(st.integers(0, 64), max_size=5))
def test_any_split_into_blocks_gives_the_same_points(design: str, cuts: list[int]) -> None:
    if design == "crossed":
        made = crossed(USE, axis_of("table.rows=1:9:7"), axis_of("workload.users=1,2,3"), whole=("table.rows",))
    else:
        made = sampled(design, 64, *SAMPLED)
    ends = sorted({0, made.count(), *(min(cut, made.count()) for cut in cuts)})
    apart = [point for begin, end in itertools.pairwise(ends) for point in made.block(begin, end)]
    assert apart == points(made)


def test_samples_are_those_of_the_seed() -> None:
    one, again = sampled("latin_hypercube", 64, *SAMPLED), sampled("latin_hypercube", 64, *SAMPLED)
    assert points(one) == points(again)
    assert points(one) != points(sampled("latin_hypercube", 64, *SAMPLED, seed=2))
    backwards = [again.block(place, place + 1)[0] for place in reversed(range(64))]
    assert backwards[::-1] == points(one)


@pytest.mark.parametrize("design", ["crossed", "latin_hypercube"])
def test_another_process_has_the_same_points(design: str) -> None:
    made = crossed(BLOCK, USE) if design == "crossed" else sampled(design, 32, *SAMPLED)
    made.block(0, 1)
    program = "import pickle, sys; design = pickle.load(sys.stdin.buffer); "
    program += "sys.stdout.buffer.write(pickle.dumps(design.block(0, 32)))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        input=pickle.dumps(made),
        capture_output=True,
        check=True,
    )
    assert pickle.loads(done.stdout) == points(made)
    assert done.stderr == b""


@pytest.mark.parametrize("samples", [1, 2, 7, 256])
def test_a_latin_hypercube_is_that_of_scipy(samples: int) -> None:
    axes = [axis_of(f"disk.f{rank}=0:1") for rank in range(3)]
    found = points(sampled("latin_hypercube", samples, *axes, seed=5, whole=()))
    for rank, axis in enumerate(axes):
        drawn = qmc.LatinHypercube(1, rng=np.random.default_rng([5, rank])).random(samples)[:, 0]
        assert [point[axis.key] for point in found] == drawn.tolist()


def test_a_further_axis_leaves_those_of_a_latin_hypercube() -> None:
    few, many = sampled("latin_hypercube", 50, USERS), sampled("latin_hypercube", 50, USERS, ROWS)
    key = USERS.key
    assert [point[key] for point in points(few)] == [point[key] for point in points(many)]


def test_axes_do_not_follow_one_another() -> None:
    """As many samples in each quarter of two axes' square, but for chance."""
    found = points(sampled("latin_hypercube", 256, axis_of("table.rows=0:2"), axis_of("disk.overhead_s=0:2")))
    quarters = Counter((point["table.rows"] < 1, point["disk.overhead_s"] < 1) for point in found)
    assert len(quarters) == 4
    assert min(quarters.values()) > 40


def test_each_stratum_has_one_point() -> None:
    """32 samples of a range fall one each into its 32 equal parts, on either scale."""
    made = sampled("latin_hypercube", 32, axis_of("table.rows=2:34"), axis_of("disk.overhead_s=1:1024:log"))
    found = points(made)
    assert Counter(math.floor(point["table.rows"] - 2) for point in found) == Counter(range(32))
    strata = Counter(math.floor(math.log2(point["disk.overhead_s"]) * 3.2) for point in found)
    assert strata == Counter(range(32))


def test_whole_numbers_and_values_have_equal_shares() -> None:
    axes = (axis_of("workload.users=3:6"), axis_of("disk.use=nvme,sas-15k"), axis_of("host.cpus=1,2,4,8"))
    found = points(sampled("latin_hypercube", 64, *axes))
    assert Counter(point["workload.users"] for point in found) == {3: 16, 4: 16, 5: 16, 6: 16}
    assert Counter(point["disk.use"] for point in found) == {"nvme": 32, "sas-15k": 32}
    assert Counter(point["host.cpus"] for point in found) == {1: 16, 2: 16, 4: 16, 8: 16}
    assert all(type(point["workload.users"]) is int for point in found)


def test_whole_numbers_on_a_log_scale_have_shares_of_their_ratio() -> None:
    """Of 1 to 7, as many samples fall on 1 as on 2 and 3 together, and as on 4 to 7."""
    found = points(sampled("latin_hypercube", 256, axis_of("workload.users=1:7:log")))
    octaves = Counter(int(math.log2(point["workload.users"])) for point in found)
    assert max(abs(octaves[octave] - 256 / 3) for octave in range(3)) < 2
    assert {point["workload.users"] for point in found} == set(range(1, 8))


def test_zipped_axes_are_sampled_together() -> None:
    rows = Axis(key="table.rows", low=0, high=8, zip="a")
    use = Axis(key="disk.use", values=("a", "b", "c", "d"), zip="a")
    found = points(sampled("latin_hypercube", 64, rows, USERS, use))
    assert all(point["disk.use"] == "abcd"[int(point["table.rows"] // 2)] for point in found)


@given(
    low=st.floats(1e-9, 1e9), factor=st.floats(1, 1e6), scale=st.sampled_from(["linear", "log"]), whole=st.booleans()
)
def test_samples_stay_inside_their_range(low: float, factor: float, scale: str, whole: bool) -> None:
    high = low * factor + whole
    axis = Axis(key="table.rows", low=low, high=high, scale=scale)
    found = points(sampled("latin_hypercube", 16, axis, whole=("table.rows",) if whole else ()))
    assert all(low <= point["table.rows"] <= high for point in found)
