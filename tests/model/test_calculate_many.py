"""Many scenarios at once say what each says alone: the same laws, over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import calculate, calculate_many
from model.results import RunResult
from model.spec import (
    Disk,
    FullScan,
    Host,
    Index,
    IndexRangeScan,
    Instance,
    System,
    SystemStatistics,
    Table,
    Tablespace,
)
from model.units import GIB, MIB
from scenarios import load

Work = FullScan | IndexRangeScan

ALONE: dict[str, Callable[[RunResult], float]] = {
    "elapsed_s": lambda r: r.time.elapsed_s,
    "cpu_s": lambda r: r.time.cpu_s,
    "read_wait_s": lambda r: sum(
        waited.total_s for event, waited in r.time.wait.items() if not event.startswith("SQL*Net")
    ),
    "consistent_gets": lambda r: r.logical_io.consistent_gets,
    "read_requests": lambda r: r.physical_io.read_requests,
    "read_blocks": lambda r: r.physical_io.read_blocks,
    "segment_blocks": lambda r: r.segment.blocks_before,
    "segment_blocks_after": lambda r: r.segment.blocks_after,
    "migrated_rows": lambda r: r.segment.migrated_rows,
    "rejected_probes": lambda r: r.segment.rejected_probes or 0.0,
    "optimizer_cost": lambda r: r.optimizer.cost,
}

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
    "index.blevel": (0, 1, 3),
    "index.cached_fraction": (0.0, 0.5, 1.0),
    "index.key_bytes": (1, 8, 200),
}


def with_field(section: Any, path: str, value: Any) -> Any:
    """A copy of the section with one field, also one of a section in it, replaced."""
    name, _, rest = path.partition(".")
    return section.model_copy(
        update={name: with_field(getattr(section, name), rest, value) if rest else value}
    )


def with_fields(system: System, work: Work, fields: dict[str, Any]) -> tuple[System, Work]:
    """The system and the workload with the fields of one point."""
    for path, value in fields.items():
        if path.startswith("workload."):
            work = with_field(work, path.removeprefix("workload."), value)
        else:
            system = with_field(system, path, value)
    return system, work


def point_by_point(system: System, work: Work, axes: dict[str, Sequence[Any]]) -> list[RunResult]:
    """Each point calculated alone."""
    found = []
    for point in zip(*axes.values(), strict=True):
        found.append(calculate(*with_fields(system, work, dict(zip(axes, point, strict=True)))))
    return found


def compare(system: System, work: Work, axes: dict[str, Sequence[Any]]) -> dict[str, Any]:
    """Every quantity of every point is the same alone and among many."""
    many = calculate_many(system, work, {path: np.array(values) for path, values in axes.items()})
    alone = point_by_point(system, work, axes)
    assert set(many) == set(ALONE)
    for name, of in ALONE.items():
        assert len(many[name]) == len(alone)
        expected = [of(result) for result in alone]
        assert many[name] == pytest.approx(expected, rel=1e-9, abs=1e-9), name
    return many


def crossed(first: Sequence[Any], second: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Two axes crossed, as two equal columns."""
    return [one for one in first for _ in second], [two for _ in first for two in second]


SCAN = load("rahn-full-scan")
BUFFERED = load(
    "full-scan-nvme", ["host.io_path=buffered", "instance.disk_asynch_io=false", "disk.use=sas-15k"]
)
WALK = load("index-range-scan-scattered")


@pytest.mark.parametrize("path", sorted(VALUES))
@pytest.mark.parametrize("scenario", [SCAN, BUFFERED], ids=["direct", "buffered"])
def test_one_axis(scenario: Any, path: str) -> None:
    compare(scenario.system, scenario.workload, {path: VALUES[path]})


@pytest.mark.parametrize("path", sorted({*VALUES, *RANGE_SCAN_VALUES}))
def test_one_axis_of_a_range_scan(path: str) -> None:
    compare(WALK.system, WALK.workload, {path: {**VALUES, **RANGE_SCAN_VALUES}[path]})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("tablespace.block_size_bytes", "table.pctfree_percent"),
        ("tablespace.block_size_bytes", "instance.db_file_multiblock_read_count"),
        ("tablespace.block_size_bytes", "instance.buffer_cache_bytes"),
        ("workload.arraysize_rows", "client.sdu_bytes"),
        ("workload.users", "disk.parallel_requests"),
        ("workload.users", "host.cpus"),
        ("table.cached_fraction", "instance.db_file_multiblock_read_count"),
        ("table.rows", "workload.arraysize_rows"),
        ("instance.statistics.cpuspeed_hz", "instance.statistics.block_cycles"),
        ("disk.bandwidth_bytes_per_s", "host.max_request_bytes"),
    ],
)
def test_two_axes(first: str, second: str) -> None:
    one, two = crossed(VALUES[first], VALUES[second])
    compare(SCAN.system, SCAN.workload, {first: one, second: two})


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


def test_the_direct_path_among_buffered_neighbours_by_cached_share() -> None:
    compare(SCAN.system, SCAN.workload, {"table.cached_fraction": [0.7, 0.2, 0.5, 0.0, 1.0, 0.3]})


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


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(systems, many_axes(VALUES), st.sampled_from(["rows", "count"]))
def test_any_axes_of_any_scan(system: System, axes: dict[str, Sequence[Any]], select: Any) -> None:
    compare(system, FullScan(select=select), axes)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(systems, many_axes({**VALUES, **RANGE_SCAN_VALUES}))
def test_any_axes_of_any_range_scan(system: System, axes: dict[str, Sequence[Any]]) -> None:
    compare(system, IndexRangeScan(), axes)


def test_transactions_one_by_one_are_those_of_calculate() -> None:
    users = np.array([1, 7, 40])
    cache = np.array([48, 64, 128]) * MIB
    many = calculate_many(
        load("tpc-c").system,
        load("tpc-c").workload,
        {"workload.users": users, "instance.buffer_cache_bytes": cache},
    )
    for point in range(users.size):
        settings_ = [f"workload.users={users[point]}", f"instance.buffer_cache_bytes={cache[point]}"]
        scenario = load("tpc-c", settings_)
        alone = calculate(scenario.system, scenario.workload)
        assert alone.transactions is not None
        assert many["per_s"][point] == pytest.approx(alone.transactions.per_s, rel=1e-12)
        assert many["response_s"][point] == pytest.approx(alone.time.elapsed_s, rel=1e-12)
        assert many["read_blocks"][point] == pytest.approx(alone.physical_io.read_blocks, rel=1e-12)
        assert many["cpu_s"][point] == pytest.approx(alone.time.cpu_s, rel=1e-12)
