"""Sorts, groups and joins above a full scan: rows, gets and temp of their row sources, and time by memory."""

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from blocktime.model.engine import answer_many, calculate, is_played, simulate
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RowSource, RunResult
from blocktime.scenarios import from_mapping, run

TABLE = {"rows": 64 * 1024, "row_bytes": 119}  # 116 bytes of columns and 12 of overhead: 128 in a work area
BLOCK = 8 * 1024


def answer(workload: dict[str, Any], **sections: dict[str, Any]) -> RunResult:
    disk = {"use": "ebs-gp3"} | sections.pop("disk", {})
    return run(
        from_mapping({"disk": disk, "table": TABLE | sections.pop("table", {}), "workload": workload, **sections})
    )


def sorted_by(memory: str, **more: Any) -> RunResult:
    return answer({"sort": "order_by", **more}, instance={"work_area_bytes": memory})


def source(result: RunResult, operation: str) -> RowSource:
    assert result.row_sources is not None
    return next(row_source for row_source in result.row_sources if row_source.operation == operation)


@pytest.mark.parametrize(
    ("memory", "passes", "blocks"),
    [("8M", 0, 0), ("1M", 1, 1024), ("256K", 2, 1632), ("128K", 3, 2336), ("64K", 5, 4664), ("32K", 6, 5200)],
)
def test_temp_of_a_sort_is_written_and_read_as_by_hand(memory: str, passes: int, blocks: int) -> None:
    result = sorted_by(memory)
    top, scan = result.row_sources or ()
    assert (top.operation, top.depth, scan.depth) == ("SORT ORDER BY", 0, 1)
    assert (top.written_blocks or 0) == blocks
    assert top.read_blocks - scan.read_blocks == blocks
    assert top.rows == scan.rows == 64 * 1024
    assert top.work_area is not None
    assert top.work_area.passes == passes
    assert result.physical_io.write_bytes == blocks * BLOCK
    assert ("direct path read temp" in result.time.wait) == (blocks > 0)


def test_memory_is_faster_than_one_pass_and_that_than_multipass() -> None:
    optimal, one_pass, multipass = (sorted_by(memory).time.elapsed_s for memory in ("8M", "1M", "64K"))
    assert optimal * 1.01 < one_pass * 1.01 < multipass


def test_temp_on_a_disk_of_its_own_leaves_the_data_disk_alone() -> None:
    shared, apart = (
        answer({"sort": "order_by"}, instance={"work_area_bytes": "64K", "temp_disk": disk}) for disk in ("data", "own")
    )
    assert set(shared.device) == {"disk"}
    assert set(apart.device) == {"disk", "temp"}
    assert apart.device["disk"].writes_per_s == 0
    assert apart.device["temp"].writes_per_s > 0
    assert apart.physical_io == shared.physical_io


@pytest.mark.parametrize("workload", [{"kind": "update"}, {"kind": "insert", "method": "direct"}, {"sort": "order_by"}])
def test_what_writes_nothing_to_temp_has_no_disk_of_temp(workload: dict[str, Any]) -> None:
    result = answer(workload, table={"rows": 3000}, instance={"temp_disk": "own", "buffer_cache_bytes": "1M"})
    assert "temp" not in result.device


def test_sessions_share_the_target_and_each_has_its_temp() -> None:
    alone, three = (
        answer(
            {"sort": "order_by", "users": users},
            instance={"release": "9.2.0.8", "pga_bytes": "10M", "buffer_cache_bytes": "1M"},
        )
        for users in (1, 3)
    )
    for result in (alone, three):
        top = source(result, "SORT ORDER BY")
        assert top.written_blocks == 1664  # 16 runs by 8: 8 beyond 8, in two merges: 26 of 16
        assert top.work_area is not None
        assert top.work_area.used_bytes == 512 * 1024
    assert three.time.elapsed_s > alone.time.elapsed_s


@pytest.mark.parametrize(("groups", "blocks"), [(1000, 0), (64 * 1024, 1024)])
def test_groups_go_to_temp_where_they_have_no_room(groups: int, blocks: int) -> None:
    result = answer({"sort": "group_by", "groups": groups}, instance={"work_area_bytes": "256K"})
    top = source(result, "HASH GROUP BY")
    assert (top.rows, top.written_blocks or 0) == (groups, blocks)


def test_a_group_by_before_hashing_is_a_sort() -> None:
    result = answer({"sort": "group_by"}, instance={"release": "9.2.0.8"})
    assert source(result, "SORT GROUP BY").rows == 1000


IN_CACHE = {"cached_fraction": 1, "rows": 6000}
SUMMED = (
    {"sort": "order_by"},
    {"sort": "group_by"},
    {"join": "nested_loops", "inner_rows": 1000},
    {"join": "hash", "inner_rows": 1000, "select": "count"},
    {"join": "hash", "inner_rows": 1000, "sort": "order_by"},
)


@pytest.mark.parametrize("workload", SUMMED, ids=str)
def test_what_reads_nothing_is_summed_as_it_is_played(workload: dict[str, Any]) -> None:
    given = from_mapping(
        {
            "table": IN_CACHE,
            "index": {"cached_fraction": 1, "unique": True},
            "instance": {"serial_direct_read": "never", "pga_bytes": "1G"},
            "workload": {"inner_cached_fraction": 1} | workload,
        }
    )
    assert not is_played(given.system, given.workload)
    summed, played = (engine(given.system, given.workload) for engine in (calculate, simulate))
    assert summed.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=1e-9)
    assert summed.logical_io == played.logical_io
    assert summed.row_sources is not None
    assert played.row_sources is not None
    assert [each.buffers for each in summed.row_sources] == [each.buffers for each in played.row_sources]


def test_a_sweep_over_memory_and_kind_answers_each_alone() -> None:
    given = from_mapping({"disk": {"use": "nvme"}, "table": TABLE, "workload": {"sort": "order_by"}})
    sizes = np.array([1 << 16, 1 << 20, 1 << 23])
    memory = answer_many(given.system, given.workload, {"instance.work_area_bytes": sizes})
    assert list(memory["elapsed_s"]) == sorted(memory["elapsed_s"], reverse=True)
    kinds = np.array(["none", "order_by"], dtype=object)
    both = answer_many(given.system, given.workload, {"workload.sort": kinds})
    assert both["elapsed_s"][0] < both["elapsed_s"][1]


BESIDE = (
    {"sort": "order_by", "beside": [{"kind": "update", "rows_fraction": 0.1}]},
    {"sort": "order_by", "join": "hash", "inner_rows": 2000, "beside": [{"kind": "full_scan", "select": "count"}]},
    {"join": "nested_loops", "inner_rows": 2000, "beside": [{"kind": "full_scan", "sort": "group_by"}]},
)


@pytest.mark.parametrize("io_path", ["asm", "buffered"])
@pytest.mark.parametrize("temp_disk", ["data", "own"])
@pytest.mark.parametrize("workload", BESIDE, ids=str)
def test_they_run_beside_others(workload: dict[str, Any], temp_disk: str, io_path: str) -> None:
    result = answer(
        workload,
        table={"rows": 6000},
        index={"unique": True},
        instance={"work_area_bytes": "64K", "temp_disk": temp_disk},
        host={"io_path": io_path},
    )
    assert len(result.programs or ()) == 2


@pytest.mark.parametrize("workload", [*SUMMED, {"join": "nested_loops", "inner_rows": 5, "sort": "group_by"}], ids=str)
@pytest.mark.parametrize("passing", [0.0, 1e-9])
def test_no_row_or_one_may_pass(workload: dict[str, Any], passing: float) -> None:
    result = answer({"filter_fraction": passing} | workload, index={"unique": True})
    assert max(row_source.rows for row_source in result.row_sources or ()) <= 1000


@pytest.mark.parametrize("number", range(12))
def test_what_is_written_to_temp_is_read_and_the_plan_adds_up(number: int) -> None:
    chance = random.Random(number)
    result = answer(
        {
            "sort": chance.choice(["none", "order_by", "group_by"]),
            "groups": chance.choice([1, 100, 10**5]),
            "join": chance.choice(["nested_loops", "hash"]),
            "inner_rows": chance.choice([1, 50, 20_000]),
            "inner_row_bytes": chance.choice([10, 120, 900]),
            "filter_fraction": chance.choice([0.01, 0.5, 1.0]),
            "arraysize_rows": chance.choice([15, 1000]),
            "users": chance.choice([1, 1, 3]),
        },
        table={"rows": chance.choice([20, 3000, 20_000]), "row_bytes": chance.choice([20, 150])},
        index={"unique": chance.random() < 0.7, "cached_fraction": chance.choice([0, 0.5])},
        instance={
            "work_area_bytes": chance.choice(["64K", "256K", "4M"]),
            "release": chance.choice(["10.2.0.4", "19c"]),
        },
        tablespace={"block_size_bytes": chance.choice([4096, 8192, 16384])},
    )
    sources = result.row_sources or []
    areas = [each.work_area for each in sources if each.work_area is not None]
    size = result.physical_io.read_bytes / max(1.0, result.physical_io.read_blocks)
    assert result.physical_io.write_bytes == pytest.approx(sum(area.temp_bytes for area in areas), abs=2 * size)
    for above, below in pairwise(sources):
        if below.depth == (above.depth or 0) + 1:
            assert above.buffers >= below.buffers
            assert above.read_blocks >= below.read_blocks - 1e-6
            assert above.time_s >= below.time_s
    assert sources[0].time_s <= result.time.elapsed_s


INNER = {"inner_rows": 100_000, "inner_row_bytes": 200}


@pytest.mark.parametrize(("release", "index_gets"), [("10.2.0.4", 10_000 * 2), ("11.2.0.4", 10_001), ("19c", 10_001)])
def test_gets_of_nested_loops_by_release(release: str, index_gets: int) -> None:
    result = answer(
        {"join": "nested_loops", **INNER, "arraysize_rows": 10_000},
        table={"rows": 10_000},
        index={"unique": True, "blevel": 1},
        instance={"release": release},
        client={"first_fetch_rows": 10_000},
    )
    index, table = source(result, "INDEX UNIQUE SCAN"), source(result, "TABLE ACCESS BY INDEX ROWID")
    scan = source(result, "TABLE ACCESS FULL")
    assert index.buffers == index_gets
    assert (index.starts, table.starts) == (10_000, 10_000)
    top = (result.row_sources or [])[0]
    assert (top.operation, top.rows) == ("NESTED LOOPS", 10_000)
    assert top.buffers == scan.buffers + index_gets + 10_000
    loops = [row_source.operation for row_source in result.row_sources or ()].count("NESTED LOOPS")
    assert loops == (1 if release.startswith("10") else 2)


def test_a_published_plan_of_nested_loops() -> None:
    """1,980K orders of 258K blocks look an index of one leaf up: 2,238K buffers [park-tuning]."""
    result = answer(
        {"join": "nested_loops", "inner_rows": 90, "inner_row_bytes": 60, "sort": "group_by", "groups": 72},
        table={"rows": 1_980_000, "row_bytes": 60, "blocks": 258_000, "cached_fraction": 1},
        index={"unique": True},
        instance={"release": "12.1.0.2", "serial_direct_read": "never"},
    )
    assert (result.row_sources or [])[0].buffers == pytest.approx(2_238_000, rel=0.02)
    assert source(result, "INDEX UNIQUE SCAN").buffers == pytest.approx(4, abs=3)
    assert source(result, "TABLE ACCESS BY INDEX ROWID").buffers == 1_980_000


def test_a_fetch_call_gets_pinned_blocks_again() -> None:
    few, many = (
        answer(
            {"join": "nested_loops", **INNER, "arraysize_rows": rows}, index={"unique": True}, table={"rows": 10_000}
        )
        for rows in (10, 10_000)
    )
    assert few.logical_io is not None
    assert many.logical_io is not None
    stops = 999
    assert few.logical_io.consistent_gets - many.logical_io.consistent_gets == pytest.approx(2 * stops, abs=2)


def test_count_needs_no_inner_table() -> None:
    result = answer({"join": "nested_loops", **INNER, "select": "count"}, index={"unique": True})
    assert [row_source.operation for row_source in result.row_sources or ()] == [
        "SORT AGGREGATE", "NESTED LOOPS", "TABLE ACCESS FULL", "INDEX UNIQUE SCAN",
    ]  # fmt: skip


@pytest.mark.parametrize(("pga", "spills"), [("10M", True), ("100M", True), ("1G", False), ("4G", False)])
def test_a_hash_join_builds_on_the_smaller_side(pga: str, spills: bool) -> None:
    result = answer(
        {"join": "hash", "inner_rows": 1_000_000, "inner_row_bytes": 59, "select": "rows", "arraysize_rows": 10_000},
        table={"rows": 2_000_000, "row_bytes": 119},
        index={"unique": True},
        instance={"pga_bytes": pga},
    )
    top, build, probe = result.row_sources or ()
    assert [row_source.rows for row_source in (top, build, probe)] == [2_000_000, 1_000_000, 2_000_000]
    assert [row_source.depth for row_source in (top, build, probe)] == [0, 1, 1]
    assert top.work_area is not None
    assert top.work_area.optimal_bytes == 68_000_000
    if not spills:
        assert top.written_blocks is None
        return
    memory = top.work_area.used_bytes
    partitions, call = top.work_area.runs, top.work_area.call_bytes
    kept = max(0, int((memory - partitions * call) / (68e6 / partitions)))
    assert top.written_blocks == pytest.approx((1 - kept / partitions) * (68e6 + 256e6) / BLOCK, abs=0.5)
    assert result.physical_io.write_bytes == pytest.approx(top.written_blocks * BLOCK, abs=BLOCK)


@pytest.mark.parametrize(
    ("workload", "instance", "sentence"),
    [
        ({"join": "hash"}, {}, "join hash goes without a second table: give inner_rows"),
        ({"sort": "order_by", "select": "count"}, {}, "count\\(\\*\\) sorts nothing"),
        ({"sort": "order_by", "degree": 4}, {}, "sort order_by is of a serial scan"),
        ({"sort": "order_by", "users": 100}, {"pga_bytes": "10M"}, "instance.pga_bytes leaves 102K .* give 16.4M"),
        ({"sort": "order_by"}, {"work_area_bytes": "16K"}, "instance.work_area_bytes leaves 16K"),
        ({"sort": "order_by"}, {"pga_bytes": "1M"}, "pga_bytes"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    workload: dict[str, Any], instance: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BlocktimeError, match=sentence):
        answer(workload, instance=instance)
