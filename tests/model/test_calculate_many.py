"""Many scenarios at once say what each says alone: the same laws, over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import OutsideLaw, calculate, calculate_many
from blocktime.model.engine import nobody_queues
from blocktime.model.measures import MEASURES, measures_of
from blocktime.model.provenance import Frozen
from blocktime.model.spec import (
    Delete,
    Disk,
    Export,
    FullScan,
    Host,
    Import,
    Index,
    IndexRangeScan,
    Insert,
    Instance,
    System,
    SystemStatistics,
    Table,
    Tablespace,
    Update,
)
from blocktime.model.units import GIB, MIB
from blocktime.model.workloads.statements.closed_form_of_many import CHOICES_OF_A_DRIVE, ONE_BY_ONE, FieldColumns
from blocktime.scenarios import load
from tests.known_by_law import SUMMED
from tests.whole import quick

VALUES: dict[str, Sequence[Any]] = {
    "tablespace.block_size_bytes": (2048, 4096, 8192, 16384, 32768),
    "table.pctfree_percent": (0, 1, 10, 33.3, 50, 90, 99),
    "table.rows": (1, 2, 99, 100, 101, 123_456, 7_197_670),
    "table.cached_fraction": (0.0, 0.1, 0.49, 0.5, 0.9, 1.0),
    "table.row_bytes_sd": (0.0, 5.0, 40.0),
    "instance.db_file_multiblock_read_count": (0, 1, 2, 7, 8, 16, 64, 128),
    "instance.buffer_cache_bytes": (MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 64 * GIB),
    "instance.sessions": (1, 20, 170, 5000),
    "instance.statistics.cpuspeed_hz": (1e8, 741_512_000.0, 5e9),
    "instance.statistics.block_cycles": (0.0, 7121.0, 10_838.0),
    "host.page_cache_hit_fraction": (0.0, 0.5, 1.0),
    "host.max_request_bytes": (4096, 131_072, 524_288, MIB),
    "host.logical_io_s": (0.0, 1e-6, 1e-5),
    "host.cpus": (1, 2, 64),
    "client.round_trip_s": (0.0, 2e-4, 0.05),
    "client.sdu_bytes": (512, 8192, 65_536),
    "disk.overhead_s": (0.0, 1e-4, 1e-2),
    "disk.average_seek_s": (0.0, 3.7e-3),
    "disk.rotation_s": (0.0, 4e-3),
    "disk.bandwidth_bytes_per_s": (1e6, 75e6, 3e9),
    "disk.parallel_requests": (1, 4, 128),
    "workload.arraysize_rows": (1, 2, 15, 100, 1000, 100_000),
    "workload.users": (1, 2, 8, 100),
}
RANGE_SCAN_VALUES: dict[str, Sequence[Any]] = {
    "workload.selectivity_fraction": (1e-6, 0.01, 0.5, 1.0),
    "index.blevel": (1, 2, 4),
    "index.cached_fraction": (0.0, 0.5, 1.0),
    "index.key_bytes": (1, 8, 200),
}


def with_field(section: Any, path: str, value: Any) -> Any:
    """A copy of the section with one field, also one of a section in it, replaced."""
    name, _, rest = path.partition(".")
    return section.model_copy(update={name: with_field(getattr(section, name), rest, value) if rest else value})


def with_fields(system: System, work: Any, fields: dict[str, Any]) -> tuple[System, Any]:
    """The system and the workload with the fields of one point; a constant that is replaced has no fitted range."""
    for path, value in fields.items():
        if path.startswith("workload."):
            work = with_field(work, path.removeprefix("workload."), value)
        else:
            system = with_field(system, path, value)
    constants = {path: one for path, one in system.constants.items() if path not in fields}
    return system.model_copy(update={"constants": constants}), work


def columns_of(axes: dict[str, Sequence[Any]]) -> dict[str, Any]:
    """Arrays where numpy takes the values as they are, else lists."""
    arrays = {path: np.array(values) for path, values in axes.items()}
    return {path: array if array.dtype.kind in "iufb" else list(axes[path]) for path, array in arrays.items()}


def compare(system: System, work: Any, axes: dict[str, Sequence[Any]]) -> dict[str, Any]:
    """Every number of every point is the same alone and among many, and absent where it is absent."""
    many = calculate_many(system, work, columns_of(axes))
    assert set(many) == {*MEASURES, "exact", "refused"}
    for place, point in enumerate(zip(*axes.values(), strict=True)):
        one, do = with_fields(system, work, dict(zip(axes, point, strict=True)))
        try:
            alone, why = measures_of(calculate(one, do)), ""
        except OutsideLaw as error:
            alone, why = {}, str(error)
        assert many["refused"][place] == why
        assert many["exact"][place] == (not why and nobody_queues(one, do))
        for name in MEASURES:
            expected = pytest.approx(alone.get(name, nan), rel=1e-9, abs=1e-9, nan_ok=True)
            assert many[name][place] == expected, (name, point)
    return many


def the_same_among_others(system: System, work: Any, axes: dict[str, Any], *sets: Sequence[int]) -> None:
    """The points at the places of each set are the same to the last bit when nobody else is there."""
    every = calculate_many(system, work, columns_of(axes))
    for some in sets:
        few = calculate_many(
            system, work, columns_of({path: [column[place] for place in some] for path, column in axes.items()})
        )
        for name, values in every.items():
            if name == "refused":
                assert [values[place] for place in some] == list(few[name])
            else:
                assert values[list(some)].tobytes() == few[name].tobytes(), name


SCAN = load("rahn-full-scan")
BUFFERED = load("full-scan-nvme", ["host.io_path=buffered", "instance.disk_asynch_io=false", "disk.use=sas-15k"])
WALK = load("index-range-scan-scattered")


@pytest.mark.parametrize("path", sorted(VALUES))
@pytest.mark.parametrize("scenario", [SCAN, BUFFERED], ids=["direct", "buffered"])
def test_points_of_an_axis_are_answered_as_each_alone(scenario: Any, path: str) -> None:
    compare(scenario.system, scenario.workload, {path: VALUES[path]})


@pytest.mark.parametrize("path", sorted({*VALUES, *RANGE_SCAN_VALUES}))
def test_points_of_a_range_scan_are_answered_as_each_alone(path: str) -> None:
    compare(WALK.system, WALK.workload, {path: {**VALUES, **RANGE_SCAN_VALUES}[path]})


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("index.distinct_keys", (5, 300, 7_197_670, 7_197_671)),
        ("index.prefix_distinct_keys", (1, 5, 20_000, 1_000_001)),
        ("index.blevel", (1, 2, 3, 4)),
        ("index.key_columns", (1, 2, 4)),
        ("workload.access", ("range", "skip", "full", "unique")),
        ("workload.predicate", ("range", "equality")),
        ("table.rows", (100, 1_000_000, 2_000_000)),
    ],
)
def test_points_of_a_skip_scan_are_answered_as_each_alone(path: str, values: Sequence[Any]) -> None:
    scenario = load("index-skip-scan", ["index.clustering=scattered"])
    compare(scenario.system, scenario.workload, {path: values})


def test_cache_sizes_on_both_sides_of_the_direct_path_stay_in_order() -> None:
    sizes = [GIB, MIB, 1024 * GIB, 64 * MIB, 512 * GIB, 2 * GIB]
    many = compare(SCAN.system, SCAN.workload, {"instance.buffer_cache_bytes": sizes})
    direct = calculate(*with_fields(SCAN.system, SCAN.workload, {"instance.buffer_cache_bytes": MIB}))
    assert "direct path" in direct.access
    assert len(set(many["read_requests"])) > 1


def test_the_bug_of_mbrc_0_among_others() -> None:
    many = compare(SCAN.system, SCAN.workload, {"instance.db_file_multiblock_read_count": [128, 0, 16, 0, 1]})
    blocks, requests = many["read_blocks"], many["read_requests"]
    assert requests[1] == requests[3] == blocks[1]
    assert requests[0] < requests[2] < requests[4]


@pytest.mark.parametrize("name", ["rahn-pctfree-8k-10", "rahn-full-scan", "savvinov-lio-pc", "index-range-scan"])
def test_an_axis_is_answered_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    groups: list[int] = []
    answer = FieldColumns._answer

    def counted(design: FieldColumns, table: Any, group: Any, row: Any, alone: Any) -> None:
        groups.append(len(group.places))
        answer(design, table, group, row, alone)

    monkeypatch.setattr(FieldColumns, "_answer", counted)
    scenario = load(name)
    calculate_many(scenario.system, scenario.workload, {"table.rows": np.arange(10_000, 10_064)})
    assert len(groups) <= 8


def test_axes_are_not_changed() -> None:
    values = np.array([1, 2, 4])
    calculate_many(SCAN.system, SCAN.workload, {"workload.users": values})
    assert values.tolist() == [1, 2, 4]


def test_one_point_is_an_array_of_one() -> None:
    many = compare(SCAN.system, SCAN.workload, {"table.pctfree_percent": [10]})
    assert many["elapsed_s"].shape == (1,)


@pytest.mark.parametrize(
    "path",
    [
        "tablespace.block_size",
        "instance.statistics.cpuspeed",
        "instance.statistic.cpuspeed_hz",
        "workload.selectivity_fraction",
        "rows",
        "disk",
        "nowhere.at_all",
        "disk.overhead_s.x",
        "",
        "table.columns",
        "instance.statistics",
        "workload.kind",
        "workload.mix.0.gets",
        "workload.model_copy",
        "disk.use",
    ],
)
def test_an_unknown_axis_is_a_key_error(path: str) -> None:
    with pytest.raises(KeyError):
        calculate_many(SCAN.system, SCAN.workload, {path: np.array([1, 2])})


systems = st.builds(
    System,
    tablespace=st.builds(
        Tablespace,
        space_management=st.sampled_from(["assm", "manual"]),
        extent_management=st.sampled_from(["system", "uniform"]),
    ),
    table=st.builds(
        Table,
        rows=st.integers(1, 10**7),
        row_bytes=st.floats(12, 900),
        row_bytes_sd=st.sampled_from([0.0, 20.0]),
        column_count=st.integers(1, 60),
        cached_fraction=st.sampled_from([0.0, 0.3]),
    ),
    instance=st.builds(
        Instance,
        release=st.sampled_from(["10.2.0.4", "11.1.0.6", "19.3.0.0"]),
        serial_direct_read=st.sampled_from(["auto", "always", "never"]),
        disk_asynch_io=st.booleans(),
        statistics=st.builds(SystemStatistics, kind=st.sampled_from(["noworkload", "workload", "none"])),
    ),
    host=st.builds(
        Host, io_path=st.sampled_from(["asm", "buffered"]), page_cache_hit_fraction=st.sampled_from([0, 0.5])
    ),
    index=st.builds(Index, clustering=st.sampled_from(["clustered", "scattered"])),
    disk=st.builds(Disk, parallel_requests=st.integers(1, 64)),
)


@st.composite
def many_axes(draw: st.DrawFn, values: dict[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Up to three axes of five points each."""
    paths = draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=3, unique=True))
    return {path: draw(st.lists(st.sampled_from(values[path]), min_size=5, max_size=5)) for path in paths}


@settings(max_examples=quick(25, 60))
@given(systems, many_axes(VALUES), st.sampled_from(["rows", "count"]))
def test_any_axes_of_any_scan(system: System, axes: dict[str, Sequence[Any]], select: Any) -> None:
    compare(system, FullScan(select=select), axes)


@settings(max_examples=quick(20, 40))
@given(systems, many_axes({**VALUES, **RANGE_SCAN_VALUES}))
def test_any_axes_of_any_range_scan(system: System, axes: dict[str, Sequence[Any]]) -> None:
    compare(system, IndexRangeScan(), axes)


def test_a_point_that_no_array_can_answer_is_answered_alone_or_refused() -> None:
    many = calculate_many(
        SCAN.system, SCAN.workload, {"workload.arraysize_rows": np.array([100, 0, 15, 0]), "table.rows": np.full(4, 5)}
    )
    assert [bool(why) for why in many["refused"]] == [False, True, False, True]
    assert np.isnan(many["elapsed_s"]).tolist() == [False, True, False, True]


LIBRARY = sorted(name for name in SUMMED if not isinstance(load(name).workload, Update | Insert | Delete))
OF_A_SCAN: dict[str, Sequence[Any]] = {
    "disk.overhead_s": (1e-4, 2e-3, 3e-3),
    "host.cpus": (1, 2, 4),
    "client.round_trip_s": (1e-4, 0.0, 1e-3),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_points_of_library_scenarios_are_answered_as_each_alone(name: str) -> None:
    scenario = load(name)
    compare(scenario.system, scenario.workload, OF_A_SCAN)


def library_case(name: str, overrides: Sequence[str] = ()) -> tuple[System, Any]:
    scenario = load(name, list(overrides))
    return scenario.system, scenario.workload


PRICED = ["prices.use=example"]
CASES = {
    "scan": lambda: library_case("rahn-full-scan", PRICED),
    "buffered scan": lambda: library_case("magni-select-200mb-4k", [*PRICED, "workload.users=3"]),
    "set of disks": lambda: library_case("full-scan-nvme", ["disk.use=array-raid10"]),
    "volume": lambda: library_case("full-scan-nvme", ["disk.use=ebs-gp2"]),
    "range scan": lambda: library_case("index-range-scan-migrated"),
    "import": lambda: library_case("magni-imp-200mb-4k", PRICED),
    "export": lambda: library_case("magni-exp"),
}


@cache
def case_of(name: str) -> tuple[System, Any]:
    return CASES[name]()


def single_fields(section: Any, at: str) -> list[str]:
    """Dotted paths of all numbers, words and flags."""
    found = []
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, Frozen):
            found += single_fields(value, f"{at}{name}.")
        elif not isinstance(value, tuple | dict) and name != "kind":
            found.append(f"{at}{name}")
    return found


def value_at(system: System, work: Any, path: str) -> Any:
    target: Any = work if path.startswith("workload.") else system
    for part in path.removeprefix("workload.").split("."):
        target = getattr(target, part)
    return target


def near(value: Any) -> list[Any]:
    """A few values like *value*, itself first; what is nothing becomes something."""
    if value is None:
        return [None, 3, 50]
    if isinstance(value, str | bool):
        return [value, value]
    if value in (2048, 4096, 8192, 16384, 32768):
        return [value, 4096, 32768]
    if isinstance(value, int):
        return [value, value + 1, 2 * value + 2]
    return [value, value * 1.25 + 1e-6, value * 0.75]


@pytest.mark.parametrize("name", list(CASES))
def test_every_single_field_of_every_kind(name: str) -> None:
    """Whatever field has a column: no law may choke on it, nor mix up neighbours."""
    system, work = case_of(name)
    paths = [*single_fields(system, ""), *single_fields(work, "workload.")]
    for path in paths[list(CASES).index(name) % quick(5, 1) :: quick(5, 1)]:
        values = near(value_at(system, work, path))
        good = [value for value in values if takes(system, work, path, value)]
        try:
            compare(system, work, {path: good})
        except Exception as error:
            raise AssertionError(path) from error


@pytest.mark.parametrize("name", ["volume"])
def test_real_numbers_are_answered_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a law asks whether such a number is 0, the laws run for each value: then it is one of the choices."""
    system, work = case_of(name)
    calls: list[int] = []
    answer = FieldColumns._answer
    monkeypatch.setattr(FieldColumns, "_answer", lambda *given: (calls.append(1), answer(*given))[1])
    for path in [*single_fields(system.disk, "disk."), *single_fields(system.host, "host.")]:
        value = value_at(system, work, path)
        if isinstance(value, float) and value and path not in (*CHOICES_OF_A_DRIVE, *ONE_BY_ONE):
            calls.clear()
            calculate_many(system, work, {path: value * np.linspace(0.9, 1, 5)})
            assert len(calls) < 5, path  # two regimes take three


def takes(system: System, work: Any, path: str, value: Any) -> bool:
    """Whether the specification takes the value."""
    changed, do = with_fields(system, work, {path: value})
    try:
        System.model_validate(changed.model_dump(warnings=False))
        type(do).model_validate(do.model_dump(exclude_unset=True, warnings=False))
    except ValueError:
        return False
    return True


WORDS: dict[str, Sequence[Any]] = {
    "instance.serial_direct_read": ["auto", "never", "always", "auto"],
    "instance.release": ["10.2.0.4", "19c", "11.1.0.6", "10.2.0.4"],
    "instance.disk_asynch_io": [True, False, False, True],
    "host.io_path": ["asm", "buffered", "direct", "asm"],
    "tablespace.space_management": ["manual", "assm", "assm", "manual"],
    "instance.db_file_multiblock_read_count": ["auto", 8, 0, 16],
    "disk.iops_limit": [None, 100.0, 5000.0, None],
    "table.blocks": [None, 120_000, 200_000, 120_000],
    "workload.select": ["rows", "count", "rows", "count"],
}


@pytest.mark.parametrize("path", sorted(WORDS))
def test_words_flags_and_nothing_beside_numbers(path: str) -> None:
    compare(SCAN.system, SCAN.workload, {path: WORDS[path], "disk.overhead_s": [1e-4, 2e-4, 3e-4, 4e-4]})


def test_numbers_that_numpy_made_words_of_are_a_key_error() -> None:
    with pytest.raises(KeyError):
        calculate_many(SCAN.system, SCAN.workload, {"instance.db_file_multiblock_read_count": np.array(["auto", "8"])})


def test_rows_that_did_not_migrate_beside_some_that_did() -> None:
    system, work = case_of("scan")
    system = with_fields(system, work, {"table.row_bytes_sd": 20.0})[0]
    compare(system, work, {"table.migrated_fraction": [0.0, 0.1, 0.0, 1.0]})


@settings(max_examples=quick(30, 80))
@given(
    systems,
    many_axes({**VALUES, "table.migrated_fraction": (0.0, 0.2), "tablespace.uniform_extent_bytes": (MIB, 3 * MIB)}),
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
)
def test_a_scan_is_the_same_to_the_last_bit_whatever_stands_beside_it(
    system: System, axes: dict[str, Sequence[Any]], some: Sequence[int]
) -> None:
    the_same_among_others(system, FullScan(), axes, some)


@settings(max_examples=quick(20, 40))
@given(systems, many_axes({**VALUES, **RANGE_SCAN_VALUES}), st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_a_range_scan_is_the_same_to_the_last_bit_whatever_stands_beside_it(
    system: System, axes: dict[str, Sequence[Any]], some: Sequence[int]
) -> None:
    the_same_among_others(system, IndexRangeScan(), axes, some)


CHANGES = (
    Update(growth_bytes=30),
    Update(growth_bytes=5, order="random"),
    Insert(rows=5000),
    Delete(),
    Import(),
    Export(),
)


@settings(max_examples=quick(15, 60))
@given(
    many_axes({key: VALUES[key] for key in ("tablespace.block_size_bytes", "table.pctfree_percent",
                                            "table.row_bytes_sd", "workload.users", "disk.overhead_s")}
              | {"table.rows": (1, 2, 99, 100, 101, 20_000)}),
    st.sampled_from(CHANGES),
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
)  # fmt: skip
def test_what_changes_rows_is_the_same_to_the_last_bit_whatever_stands_beside_it(
    axes: dict[str, Sequence[Any]], work: Any, some: Sequence[int]
) -> None:
    system = System(table=Table(rows=3000, row_bytes=90))
    axes = {**axes, "table.cached_fraction": [0.0, 0.5, 0.1, 1.0, 0.0]}
    the_same_among_others(system, work, axes, some)


def test_laws_of_large_arrays_are_those_of_small_ones() -> None:
    """Beyond a vector register and numpy's buffer, where its loops take another way.

    On flash: reads of a platter are followed point by point.
    """
    given = load("full-scan-nvme", ["host.io_path=asm", "instance.disk_asynch_io=false"])
    random = np.random.default_rng(2)
    many = quick(9_001, 20_011)
    axes = {
        "table.rows": random.integers(1, 10**7, many),
        "table.cached_fraction": random.uniform(0, 1, many),
        "instance.db_file_multiblock_read_count": random.integers(0, 129, many),
        "table.row_bytes_sd": random.uniform(0, 60, many),
        "disk.overhead_s": random.uniform(0, 1e-3, many),
    }
    every = calculate_many(given.system, given.workload, axes)
    for places in (np.arange(7, 18), random.permutation(many)[:333], np.arange(0, many, 3), np.array([5])):
        few = calculate_many(given.system, given.workload, {path: column[places] for path, column in axes.items()})
        for name in (*MEASURES, "exact"):
            assert every[name][places].tobytes() == few[name].tobytes(), name


def test_rows_of_varying_length_do_not_depend_on_longer_ones_beside_them() -> None:
    random = np.random.default_rng(3)
    many = quick(60, 200)
    axes = {"table.row_bytes_sd": random.uniform(0, 160, many), "table.row_bytes": random.uniform(400, 600, many)}
    system = System(tablespace=Tablespace(block_size_bytes=4096), table=Table(rows=100_000))
    length = axes["table.row_bytes_sd"]
    alike = [(length >= least) & (length < 2 * least + 20) for least in (0, 20, 40, 80)]
    the_same_among_others(system, FullScan(), axes, *(np.flatnonzero(some).tolist() for some in alike))


def test_uniform_extents_do_not_depend_on_larger_ones_beside_them() -> None:
    system = System(tablespace=Tablespace(extent_management="uniform"), host=Host(io_path="buffered"))
    axes = {
        "tablespace.uniform_extent_bytes": [96 * 1024, 3 * MIB, MIB, 640 * 1024, 136 * 1024],
        "table.cached_fraction": [0.3, 0.1, 0.2, 0.33, 0.77],
        "disk.overhead_s": [1e-4, 3e-4, 7e-4, 1.1e-3, 1.3e-3],
    }
    the_same_among_others(system, FullScan(), axes, *([place] for place in range(5)))
    compare(system, FullScan(), axes)


@pytest.mark.parametrize("scenario", [SCAN, BUFFERED], ids=["direct", "buffered"])
def test_one_user_does_not_depend_on_several_beside_it(scenario: Any) -> None:
    random, many = np.random.default_rng(4), quick(60, 200)
    axes = {
        "workload.users": random.integers(1, 3, many),
        "disk.bandwidth_bytes_per_s": random.uniform(1e6, 1e7, many),
        "host.logical_io_s": random.uniform(0, 1e-4, many),
    }
    alone = np.flatnonzero(axes["workload.users"] == 1).tolist()
    the_same_among_others(scenario.system, scenario.workload, axes, alone)


def test_a_constant_with_a_column_of_its_own_is_nowhere_extrapolated() -> None:
    system, work = library_case("savvinov-lio-pc", ["tablespace.block_size_bytes=32K", "table.row_bytes=9"])
    paths = [one.constant for one in calculate(system, work).extrapolated]
    assert paths
    plain = calculate_many(system, work, {"disk.overhead_s": [1e-3]})["extrapolated_constants"]
    for path in paths:
        value = value_at(system, work, path)
        many = compare(system, work, {path: [value, value * 1.5]})
        assert (many["extrapolated_constants"] < plain).all()


def test_volumes_with_and_without_credits_are_answered_as_each_alone() -> None:
    system, work = case_of("volume")
    compare(system, work, {"disk.burst_credits": [0.0, 5e6, 0.0], "disk.overhead_s": [1e-4, 1e-3, 1e-3]})
