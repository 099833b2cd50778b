"""What statements pay for the indexes of their table, in both engines."""

from math import ceil, log
from typing import Any

import pytest

from blocktime.model.errors import OutsideLaw
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping
from tests.engines import by

ASCENDING = {"key_bytes": 5, "unique": True, "grown_by": "ascending", "new_keys": "ascending", "cached_fraction": 1}
RANDOM = {"key_bytes": 16, "grown_by": "random", "clustering": "scattered"}


def answer(work: dict[str, Any], *indexes: dict[str, Any], engine: str = "calculate", **sections: Any) -> RunResult:
    given = {
        "table": {"rows": 500_000, "row_bytes": 100, "cached_fraction": 1, "indexes": list(indexes)},
        "instance": {"buffer_cache_bytes": "512M"},
        "disk": {"use": "nvme"},
        "workload": work,
    }
    return by(engine, from_mapping(given | sections))


def test_rows_that_come_one_by_one_by_hand() -> None:
    """A leaf of 8K takes (8192 - 192)/(5 + 1 + 10) = 500 entries of the first index, 8000/28 = 285 of the other.

    500,000 rows fill 1,000 leaves to the last byte: BLEVEL 2 by two branches and a root. 10,000 more are 20 leaves. The
    other has ⌈500,000/(285·ln 2)⌉ = 2,532 leaves, which 10,000 keys split 10,000/(285·ln 2) = 51 times.
    """
    plain, found = (
        answer({"kind": "insert", "rows": 10_000, "method": "row"}, *indexes) for indexes in ((), (ASCENDING, RANDOM))
    )
    assert plain.changes
    first, other = found.changes.indexes
    assert (first.leaf_blocks_before, first.leaf_blocks_after) == (1000, 1020)
    assert (first.last_splits, first.half_splits, first.reads) == (20, 0, 0)
    assert first.current_gets == 10_000 * 3 + 20 * 4
    assert other.leaf_blocks_before == ceil(500_000 / (285 * log(2))) == 2532
    assert (other.last_splits, other.half_splits) == (0, 51)
    assert other.current_gets == 10_000 * 3 + 51 * 4
    added = first.current_gets + other.current_gets
    assert found.logical_io.current_gets == plain.logical_io.current_gets + added
    assert found.physical_io.read_requests == other.reads
    # each of 2,532 leaves that 10,000 keys reach is read once, 98 % of them; and ⌈2,532/197⌉ = 13 branches and a root
    assert other.reads == pytest.approx(2532 * (1 - (1 - 1 / 2532) ** 10_000) + 14, abs=1)


def test_redo_of_a_thousand_rows_with_one_index_is_near_the_printed() -> None:
    """Printed are 502,420 bytes one by one and 68,592 at once [chitale-2015]; good to a factor of two are the laws."""
    table = {"rows": 10_000, "row_bytes": 15, "indexes": [ASCENDING | {"key_bytes": 3}]}
    alone, at_once = (
        answer({"kind": "insert", "rows": 1000, "method": method, "arraysize_rows": 1000}, table=table).changes
        for method in ("row", "array")
    )
    assert alone.redo_bytes == pytest.approx(502_420, rel=0.15)
    assert at_once.redo_bytes == pytest.approx(68_592, rel=0.5)


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_an_array_changes_a_leaf_once(engine: str) -> None:
    rows, arrays = (
        answer({"kind": "insert", "rows": 10_000, "method": method}, ASCENDING, RANDOM, engine=engine)
        for method in ("row", "array")
    )
    assert rows.changes.indexes[0].leaf_changes == 10_000
    assert arrays.changes.indexes[0].leaf_changes == 100 + 20
    # 100 keys among 2,557 leaves meet in one now and then
    assert 9_700 < arrays.changes.indexes[1].leaf_changes < 9_900
    assert arrays.time.cpu["maintaining indexes"] < rows.time.cpu["maintaining indexes"]


@pytest.mark.parametrize("disk", ["nvme", "sas-15k"])
@pytest.mark.parametrize("users", [1, 3])
@pytest.mark.parametrize(
    "work",
    [
        {"kind": "insert", "rows": 3000, "method": "row"},
        {"kind": "delete", "rows_fraction": 0.01},
        {"kind": "update", "rows_fraction": 0.01},
        {"kind": "update", "rows_fraction": 0.01, "order": "random"},
    ],
)
def test_estimate_and_simulation_agree(work: dict[str, Any], users: int, disk: str) -> None:
    indexes = ASCENDING | {"updated": True}, RANDOM | {"updated": True}
    law, played = (
        answer(work | {"users": users}, *indexes, engine=engine, disk={"use": disk})
        for engine in ("calculate", "simulate")
    )
    assert law.changes == played.changes
    assert law.physical_io.read_requests == pytest.approx(played.physical_io.read_requests)
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=0.15)


def test_an_update_maintains_the_indexes_whose_key_it_sets() -> None:
    work = {"kind": "update", "rows_fraction": 0.1}
    untouched = answer(work, ASCENDING, RANDOM).changes
    assert untouched.indexes == []
    found = answer(work, ASCENDING, RANDOM | {"updated": True}).changes
    (index,) = found.indexes
    assert index.keys == index.leaf_changes == 100_000  # an entry out, an entry in
    assert index.reads <= index.leaf_blocks_before + 14


def test_a_delete_of_rows_spread_over_the_table_reads_every_leaf() -> None:
    ordered = ASCENDING | {"cached_fraction": 0}
    work = {"kind": "delete", "rows_fraction": 0.1}
    found = answer(work, ordered, RANDOM).changes
    in_order, scattered = found.indexes
    assert in_order.reads == 1000 + 3  # every leaf loses rows; and the branches
    assert scattered.reads == pytest.approx(2532, rel=0.02)  # 50,000 rows lie in all of them
    assert in_order.half_splits == scattered.half_splits == 0


def test_an_import_grows_its_indexes_from_nothing() -> None:
    found = answer({"kind": "import"}, ASCENDING, RANDOM).changes
    first, other = found.indexes
    assert (first.leaf_blocks_before, first.leaf_blocks_after) == (0, 1000)
    assert other.leaf_blocks_after == pytest.approx(2532, abs=2)
    assert other.reads == 0


def test_history_decides_how_many_leaves_a_range_scan_visits() -> None:
    """Entries of 5 + 1 + 11 bytes: 422 a leaf built at PCTFREE 10, 470 in a full one, 326 by splits."""
    gets = {}
    for grown in ("build", "ascending", "random"):
        found = answer(
            {"kind": "index_range_scan", "access": "full", "index_only": True, "select": "count"},
            index={"key_bytes": 5, "grown_by": grown},
        )
        gets[grown] = found.logical_io.consistent_gets
    assert gets["build"] - gets["ascending"] == ceil(500_000 / 422) - ceil(500_000 / 470)
    assert gets["random"] - gets["ascending"] == ceil(500_000 / (470 * log(2))) - ceil(500_000 / 470)


def test_a_key_that_no_index_takes_is_refused() -> None:
    with pytest.raises(OutsideLaw, match=r"table.indexes.key_bytes 6,398 .*allowed are 6,398 \(ORA-01450\)"):
        answer({"kind": "insert", "rows": 10}, RANDOM | {"key_bytes": 6398})


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_sessions_meet_at_the_leaf_where_keys_ascend(engine: str) -> None:
    """A change holds the last leaf for 12 µs and its key for 2 µs: 32 sessions insert no more than a row each 14 µs."""
    sections = {"host": {"cpus": 64, "commit_overhead_s": 0}}
    work = {"kind": "insert", "rows": 32_000, "method": "row", "caller": "plsql", "users": 32}
    waits, rows_per_s = {}, {}
    for name, index in (("last", ASCENDING), ("any", RANDOM | {"cached_fraction": 1})):
        found = answer(work, index, engine=engine, **sections)
        busy = found.time.wait.get("buffer busy waits")
        waits[name] = busy.total_s if busy else 0.0
        rows_per_s[name] = 1000 * 32 / found.time.elapsed_s
    assert waits["last"] > 100 * waits["any"]
    assert rows_per_s["last"] == pytest.approx(1 / 14e-6, rel=0.15)
    assert rows_per_s["any"] > 1.5 * rows_per_s["last"]
    alone = answer(work | {"users": 1}, ASCENDING, engine=engine, **sections)
    assert "buffer busy waits" not in alone.time.wait


def test_what_dbwr_has_to_write_by_hand() -> None:
    """10,000 rows of 100 bytes, 71 a block: 141 blocks of the table.

    The first index fills 20 new leaves besides its last one, and its 3 branches and one more may change: 25. Of
    2,532 leaves of the other 10,000 keys change 98 %, 2,483, and 51 splits make as many new ones, below 14 branches.
    """
    found = answer({"kind": "insert", "rows": 10_000, "method": "row"}, ASCENDING, RANDOM)
    first, other = found.changes.indexes
    assert first.written_blocks == 1 + 20 + 3 + 1
    assert other.written_blocks == pytest.approx(2532 * (1 - (1 - 1 / 2532) ** 10_000) + 51 + 15, abs=2)
    assert found.changes.dirty_blocks == 141 + first.written_blocks + other.written_blocks
    assert found.physical_io.write_requests == 0  # the cache has room for all of them


def test_a_cache_without_room_waits_for_dbwr() -> None:
    """A cache of 8 MB holds 409 dirty blocks (40 %): leaves that keys in any order change have to be written."""
    work = {"kind": "insert", "rows": 20_000, "method": "row", "caller": "plsql"}
    disk = {"use": "sata-7k2"}
    small = answer(work, RANDOM, engine="simulate", disk=disk, instance={"buffer_cache_bytes": "8M"})
    large = answer(work, RANDOM, engine="simulate", disk=disk)
    written = small.changes.dirty_blocks + small.changes.undo_blocks - 409
    assert small.physical_io.write_requests == pytest.approx(written, rel=0.01)
    assert large.physical_io.write_requests == 0
    assert small.time.elapsed_s > large.time.elapsed_s
    assert small.device["disk"].writes_per_s * small.time.elapsed_s == pytest.approx(written, rel=0.01)


@pytest.mark.parametrize("cache", ["8M", "512M"])
def test_the_device_reads_the_leaves_and_takes_its_time_to_answer_writes(cache: str) -> None:
    work = {"kind": "insert", "rows": 10_000, "method": "row"}
    found = answer(work, RANDOM, engine="simulate", instance={"buffer_cache_bytes": cache})
    device, asked, elapsed_s = found.device["disk"], found.physical_io, found.time.elapsed_s
    assert asked.read_requests > 2_000
    assert device.reads_per_s * elapsed_s == pytest.approx(asked.read_requests)
    assert device.read_await_s
    assert device.read_await_s > 80e-6  # what the drive takes to find a page
    assert bool(device.writes_per_s) == (cache == "8M")
    if device.write_await_s:
        assert device.write_await_s > 20e-6  # what it takes to answer a write
