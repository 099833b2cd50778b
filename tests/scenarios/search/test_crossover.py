"""Where two scenarios take equally long: what the engine says there, and that swapping the two swaps the words."""

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import Scenario, load, run
from blocktime.scenarios.search.crossover import EQUAL, SCANNED, Crossover, crossover
from blocktime.scenarios.sweeps.sweep_spec import axis_of

SCAN = "rahn-full-scan"
SWAPPED = {"first": "second", "second": "first", "neither": "neither", "unknown": "unknown"}


def elapsed_s(name: str, *settings: str) -> float:
    return run(load(name, settings)).time.elapsed_s


def found(first: Scenario, second: Scenario, axis: str) -> Crossover:
    return crossover(first, second, axis_of(axis))


@pytest.fixture(scope="module")
def arrays() -> Crossover:
    """8K and 16K blocks over the array size; they are equal twice."""
    return found(load(SCAN), load(SCAN, ["tablespace.block_size_bytes=16K"]), "workload.arraysize_rows=1:5000")


def test_every_value_is_what_a_run_answers(arrays: Crossover) -> None:
    assert len(arrays.line) >= SCANNED - 3  # some whole values of the scan are one
    for one in (arrays.line[0], arrays.line[len(arrays.line) // 2], arrays.line[-1]):
        rows = f"workload.arraysize_rows={one.value}"
        assert one.first_s == elapsed_s(SCAN, rows)
        assert one.second_s == elapsed_s(SCAN, rows, "tablespace.block_size_bytes=16K")


def test_neighbours_disagree_where_they_cross(arrays: Crossover) -> None:
    assert arrays.less == "first"
    assert [change.above.less for change in arrays.changes] == ["second", "first"]
    for change in arrays.changes:
        assert change.is_whole
        assert change.above.value - change.below.value == 1
        assert change.below.less != change.above.less
        assert change.is_equal
        ends = (change.below, change.above)
        assert change.at.apart_fraction == min(one.apart_fraction for one in ends) <= EQUAL


def test_swapping_the_two_swaps_the_words_and_nothing_else(arrays: Crossover) -> None:
    other = found(load(SCAN, ["tablespace.block_size_bytes=16K"]), load(SCAN), "workload.arraysize_rows=1:5000")
    assert [(one.value, one.second_s, one.first_s) for one in other.line] == [
        (one.value, one.first_s, one.second_s) for one in arrays.line
    ]
    assert [change.at.value for change in other.changes] == [change.at.value for change in arrays.changes]
    assert other.less == SWAPPED[arrays.less]
    assert [change.above.less for change in other.changes] == [SWAPPED[change.above.less] for change in arrays.changes]


def test_equal_up_to_a_threshold_and_then_not() -> None:
    both = found(load(SCAN), load(SCAN, ["instance.serial_direct_read=never"]), "table.rows=1000:10000000")
    assert both.less == "neither"
    (change,) = both.changes
    assert change.below.less == "neither"
    assert change.above.less == "first"
    assert change.above.value - change.below.value == 1


def test_pctfree_crosses_between_neighbours_twice() -> None:
    base = load("rahn-pctfree-8k-10")
    for size, from_percent in (("16K", 35), ("32K", 36)):
        other = load("rahn-pctfree-8k-10", [f"tablespace.block_size_bytes={size}"])
        both = found(base, other, "table.pctfree_percent=0:50")
        assert all(isinstance(one.value, int) for one in both.line)
        jump, other_jump = both.changes
        assert (jump.below.value, jump.above.value, jump.is_whole) == (2, 3, True)
        assert (other_jump.below.value, other_jump.above.value) == (from_percent - 1, from_percent)
        assert all(one.apart_fraction > EQUAL for one in both.line if one.value < from_percent)


def test_the_same_field_has_nothing_to_tell() -> None:
    both = found(load(SCAN), load(SCAN, ["tablespace.block_size_bytes=16K"]), "tablespace.block_size_bytes=2K,8K,32K")
    assert both.less == "neither"
    assert both.changes == ()
    assert [one.value for one in both.line] == [2048, 8192, 32768]


def test_one_may_take_less_time_all_along() -> None:
    few = "workload.transactions=500"
    both = found(load("tpc-c", [few]), load("tpc-c", [few, "disk.use=nvme"]), "workload.users=1:40")
    assert both.less == "second"
    assert both.changes == ()


def test_progress_reaches_its_end() -> None:
    told: list[tuple[int, int]] = []
    crossover(
        load(SCAN), load(SCAN, ["disk.use=nvme"]), axis_of("table.rows=1000:2000000"),
        lambda done, wanted: told.append((done, wanted)),
    )  # fmt: skip
    assert (2 * SCANNED, 2 * SCANNED) in told
    assert all(0 < done <= wanted for done, wanted in told)


@pytest.mark.parametrize(
    ("axis", "says"),
    [
        ("disk.use=nvme,sas-15k", "along numbers alone"),
        ("host.io_path=asm,raw", "along numbers alone"),
        ("workload.growth_bytes=1:5", "no such field; it belongs to update"),
        ("table.rows=0,-1", "got -1; allowed is at least 1"),
    ],
)
def test_a_field_without_numbers_or_answers_is_refused(axis: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        found(load(SCAN), load(SCAN, ["disk.use=nvme"]), axis)
