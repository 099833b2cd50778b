"""What one statement counts, against Oracle's own rules: blocks of an index's rowids, of spread rows, costs."""

from math import ceil

import pytest

from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, library, load, run
from tests.engines import by


def ran(work: dict[str, object], **more: object) -> RunResult:
    return run(from_mapping({"workload": work, **more}))


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_rowids_of_an_index_point_at_home_blocks_alone(share: float) -> None:
    """Moved pieces have no entries: the clustering factor of rows in order is that of the blocks they began in."""
    table: dict[str, object] = {"rows": 1_000_000, "row_bytes": 111}
    work: dict[str, object] = {"kind": "index_range_scan", "selectivity_fraction": 0.01}
    index: dict[str, object] = {"clustering": "clustered"}
    moved = ran(work, table=table | {"migrated_fraction": share}, index=index)
    assert moved.index is not None
    assert moved.segment is not None
    blocks = moved.segment.blocks_after
    away = blocks - moved.index.clustering_factor
    # home rows: (1 - share) of 113 bytes and share of 11, moved ones: 119 bytes with their slot and 24 of an ITL entry
    usable = ceil(0.9 * 8192) - 122
    assert moved.index.clustering_factor == pytest.approx(
        1_000_000 * ((1 - share) * 113 + share * 11) / usable, rel=0.04
    )
    assert away == pytest.approx(1_000_000 * share * 143 / usable, rel=0.06)
    leaves = ceil(moved.index.leaf_blocks * 0.01)
    expected = leaves + moved.index.height - 1 + blocks * 0.01
    assert moved.physical_io.read_blocks == pytest.approx(expected, abs=4)


def test_the_optimizer_costs_a_range_over_migrated_rows_by_their_home_blocks() -> None:
    result = run(load("index-range-scan-migrated"))
    assert result.index is not None
    assert result.optimizer is not None
    of_index = result.optimizer.index_cost
    assert of_index is not None
    assert result.optimizer.cost - of_index == pytest.approx(0.01 * result.index.clustering_factor, rel=0.02)


UNIQUE: dict[str, object] = {"kind": "index_range_scan", "access": "unique"}


@pytest.mark.parametrize(("rows", "height"), [(14, 1), (200, 1), (5_000, 2), (100_000, 2), (10_000_000, 3)])
def test_a_unique_look_up_costs_its_branches_and_a_block(rows: int, height: int) -> None:
    """EMP's primary key costs 0, its look-up 1; each level of branches adds 1."""
    result = ran(UNIQUE, table={"rows": rows}, index={"unique": True})
    assert result.index is not None
    assert result.optimizer is not None
    assert result.index.height == height
    assert (result.optimizer.index_cost, result.optimizer.cost) == (height - 1, height)
    assert result.optimizer.cpu_cost > 0


@pytest.mark.parametrize("rows", [5_000, 123_456, 2_000_000])
@pytest.mark.parametrize("kind", ["full_scan", "index_range_scan"])
def test_a_cost_is_the_nearest_whole_number(rows: int, kind: str) -> None:
    cost = ran({"kind": kind}, table={"rows": rows}).optimizer
    assert cost is not None
    assert abs(cost.cost - (cost.io_cost + cost.cpu_cost)) <= 0.5


TWO_INDEXES: list[dict[str, object]] = [
    {"key_bytes": 8, "clustering": "clustered"},
    {"key_bytes": 20, "clustering": "clustered", "cached_fraction": 0.4},
]


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
@pytest.mark.parametrize("kind", ["delete", "update"])
@pytest.mark.parametrize("share", [0.05, 0.1, 1.0])
def test_rows_spread_evenly_dirty_every_block_and_leaf(kind: str, share: float, engine: str) -> None:
    table = {"rows": 200_000, "row_bytes": 120, "indexes": [{**index, "updated": True} for index in TWO_INDEXES]}
    scenario = from_mapping({"workload": {"kind": kind, "rows_fraction": share}, "table": table})
    result = run(scenario)
    changes, segment = result.changes, result.segment
    assert changes is not None
    assert segment is not None
    assert result.calls["execute"].rows == 200_000 * share
    of_indexes = sum(index.written_blocks for index in changes.indexes)
    assert changes.dirty_blocks - of_indexes == ceil(200_000 / segment.rows_per_block)
    for index, cold in zip(changes.indexes, (1.0, 0.6), strict=True):
        assert index.written_blocks >= index.leaf_blocks_before
        assert index.reads == pytest.approx(index.leaf_blocks_before * cold, rel=0.03)


def test_few_spread_rows_dirty_a_block_and_a_leaf_each() -> None:
    result = ran(
        {"kind": "delete", "rows_fraction": 1e-4},
        table={"rows": 1_000_000, "row_bytes": 120, "indexes": [{"clustering": "clustered"}]},
    )
    assert result.changes is not None
    (index,) = result.changes.indexes
    assert result.changes.dirty_blocks - index.written_blocks == 100
    assert index.written_blocks == 100


RANDOM: dict[str, object] = {"kind": "update", "order": "random", "rows_fraction": 0.02}


@pytest.mark.parametrize("cached", [0.0, 0.5, 1.0])
def test_an_update_by_an_index_reads_the_leaves_of_its_range(cached: float) -> None:
    table: dict[str, object] = {"rows": 5_000_000, "row_bytes": 120, "cached_fraction": 1.0}
    scan = ran(
        {"kind": "index_range_scan", "selectivity_fraction": 0.02, "index_only": True},
        table=table,
        index={"cached_fraction": cached},
    )
    changed = ran(RANDOM, table=table, index={"cached_fraction": cached})
    assert changed.physical_io.read_blocks == pytest.approx(scan.physical_io.read_blocks, abs=1)
    assert scan.index is not None
    assert changed.logical_io is not None
    leaves = ceil(0.02 * scan.index.leaf_blocks)
    assert changed.logical_io.consistent_gets == 100_000 + leaves + scan.index.height - 1


def test_each_look_up_of_a_loop_descends_the_index() -> None:
    table: dict[str, object] = {"rows": 5_000_000, "row_bytes": 120}
    scan = ran({"kind": "index_range_scan"}, table=table)
    assert scan.index is not None
    loop = ran(RANDOM | {"commit_every_rows": 1}, table=table)
    assert loop.logical_io is not None
    assert loop.logical_io.consistent_gets == 100_000 * (scan.index.height + 1)


def test_an_update_by_an_index_walks_its_own_rows() -> None:
    """Twice the table, as many rows changed: the CPU of row access stays."""
    one, two = (
        ran(RANDOM | {"rows_fraction": share}, table={"rows": rows, "row_bytes": 120})
        for rows, share in ((1_000_000, 0.02), (2_000_000, 0.01))
    )
    assert one.time.cpu["row access"] == two.time.cpu["row access"] > 0


INDEXED: dict[str, object] = {"kind": "index_range_scan", "selectivity_fraction": 0.002}
BATCHED = "TABLE ACCESS BY INDEX ROWID BATCHED"


def indexed(work: dict[str, object], **sections: dict[str, object]) -> RunResult:
    given: dict[str, dict[str, object]] = {
        "table": {"rows": 5_000_000, "row_bytes": 150},
        "index": {"clustering": "scattered"},
        "disk": {"use": "nvme"},
        "host": {"io_path": "asm"},
    }
    for name, section in sections.items():
        given[name] = given.get(name, {}) | section
    return ran(INDEXED | work, **given)


@pytest.mark.parametrize("release", ["12.1.0.2", "19.3.0.0", "23.4"])
def test_scattered_rows_are_read_in_batches_since_12_1(release: str) -> None:
    result = indexed({}, instance={"release": release})
    one_by_one = indexed({"parallel_reads": 1}, instance={"release": release})
    assert "db file parallel read" in result.time.wait
    assert result.physical_io.read_requests == one_by_one.physical_io.read_requests
    assert result.time.elapsed_s < one_by_one.time.elapsed_s / 2
    assert result.row_sources is not None
    assert result.row_sources[0].operation == BATCHED


@pytest.mark.parametrize("release", ["10.2.0.4", "11.2.0.4"])
def test_they_are_read_one_by_one_before(release: str) -> None:
    result = indexed({}, instance={"release": release})
    assert "db file parallel read" not in result.time.wait
    assert result.row_sources is not None
    assert result.row_sources[0].operation == "TABLE ACCESS BY INDEX ROWID"


def test_a_batch_holds_the_blocks_of_a_call_that_are_not_cached() -> None:
    def at_once(work: dict[str, object], **sections: dict[str, object]) -> float:
        result = indexed({"arraysize_rows": 100, **work}, **sections)
        wait = result.time.wait.get("db file parallel read")
        if wait is None:
            return 1
        return (result.physical_io.read_blocks - result.time.wait["db file sequential read"].waits) / wait.waits

    assert at_once({}) == pytest.approx(96, abs=3)
    assert at_once({"select": "count"}) == pytest.approx(122, abs=5)
    assert at_once({"arraysize_rows": 1_000}) == pytest.approx(127, abs=5)
    assert at_once({"arraysize_rows": 10}) == pytest.approx(9, abs=0.1)
    assert at_once({}, table={"cached_fraction": 0.9}) == pytest.approx(9, abs=1)
    assert at_once({}, index={"clustering": "clustered"}) <= 2
    assert at_once({"parallel_reads": 8}) == pytest.approx(8, abs=0.1)


def test_a_unique_look_up_is_no_batch() -> None:
    result = indexed({"access": "unique"}, index={"unique": True})
    assert result.row_sources is not None
    assert result.row_sources[0].operation == "TABLE ACCESS BY INDEX ROWID"


TRACING = "outside calls (tracing of the measured system)"


@pytest.mark.parametrize("name", [name for name in library() if name.startswith("index-")])
def test_nobody_traces_the_scenarios_through_an_index(name: str) -> None:
    assert not run(load(name)).time.unaccounted.get(TRACING)


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_a_trace_takes_its_time_where_it_is_written(engine: str) -> None:
    work = {"kind": "full_scan"}
    host = {"between_calls_s": 1e-3}
    sections: dict[str, object] = {"table": {"rows": 10_000, "cached_fraction": 1.0}, "host": host}
    on, off = (
        by(engine, from_mapping({"workload": work, "instance": {"sql_trace": traced}, **sections}))
        for traced in (True, False)
    )
    trips = on.time.wait["SQL*Net message from client"].waits
    assert on.time.unaccounted[TRACING] == pytest.approx(trips * 1e-3)
    assert on.time.elapsed_s - off.time.elapsed_s == pytest.approx(trips * 1e-3)


@pytest.mark.parametrize("client", ["rahn-proc", "local", None])
def test_fewer_columns_take_the_client_less_time(client: str | None) -> None:
    waits = []
    for columns in (24, 12, 1):
        sections: dict[str, object] = {} if client is None else {"client": {"use": client}}
        result = ran(
            {"kind": "full_scan", "columns": columns, "arraysize_rows": 1_000},
            table={"rows": 100_000, "row_bytes": 110, "column_count": 24},
            **sections,
        )
        waits.append(result.time.client_rows_s)
    all_s, half_s, one_s = (seconds or 0.0 for seconds in waits)
    assert 0 < one_s < half_s < all_s
    assert one_s < all_s / 2
    assert all_s - half_s == pytest.approx((all_s - one_s) * 12 / 23)


def test_the_scan_of_one_column_waits_less_than_half_for_its_client() -> None:
    one, every = (
        run(load("rahn-full-scan", settings)).time.wait["SQL*Net message from client"]
        for settings in (["workload.columns=1"], [])
    )
    assert one.total_s < every.total_s / 2


def test_an_inserting_client_sends_its_columns() -> None:
    one, more = (
        ran({"kind": "insert", "rows": 10_000}, table={"rows": 10_000, "column_count": columns})
        .time.wait["SQL*Net message from client"]
        .total_s
        for columns in (10, 20)
    )
    assert more - one == pytest.approx(10_000 * 10 * 60e-9)


@pytest.mark.parametrize("kind", ["full_scan", "fast_full"])
def test_a_filter_compares_a_value_a_row(kind: str) -> None:
    work: dict[str, object] = {"kind": "full_scan", "filter_fraction": 0.5, "select": "count"}
    if kind == "fast_full":
        work = {"kind": "index_range_scan", "access": kind, "index_only": True, "select": "count"}
    filtered = ran(work, table={"rows": 1_000_000})
    assert 0.02 <= filtered.time.cpu["filtering rows"] <= 0.04


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_direct_reads_bypass_the_cache(engine: str) -> None:
    sections = {"table": {"rows": 100_000}, "instance": {"serial_direct_read": "always"}}
    direct = by(engine, from_mapping({"workload": {"kind": "full_scan"}, **sections}))
    assert direct.cache is None
    assert direct.segment is not None
    assert direct.physical_io.direct_blocks == direct.segment.blocks_before
    sections["instance"] = {"serial_direct_read": "never"}
    buffered = by(engine, from_mapping({"workload": {"kind": "full_scan"}, **sections}))
    assert buffered.cache is not None
    assert buffered.physical_io.direct_blocks is None


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
@pytest.mark.parametrize(("work", "executions"), [("insert", 1_000), ("update", 100), ("delete", 100)])
def test_a_commit_is_a_round_trip_unless_the_driver_commits(work: str, executions: int, engine: str) -> None:
    given: dict[str, object] = {"kind": work, "commit_every_rows": 10}
    if work == "insert":
        given |= {"rows": 1_000, "method": "row"}
    sections = {"table": {"rows": 1_000}}
    trips = {}
    for settings in ({}, {"autocommit": True}, {"caller": "plsql"}):
        result = by(engine, from_mapping({"workload": given | settings, **sections}))
        trips[tuple(settings)] = result.time.wait["SQL*Net message from client"].waits
    assert trips == {(): executions + 100, ("autocommit",): executions, ("caller",): 1}


def parallel(engine: str, degree: int, users: int = 1, **instance: object) -> RunResult:
    settings = [f"workload.degree={degree}", f"workload.users={users}", "table.rows=2000000"]
    settings += [f"instance.{name}={value}" for name, value in instance.items()]
    return by(engine, load("parallel-scan", settings))


def test_idle_waits_of_parallel_servers_are_no_part_of_the_query() -> None:
    result = parallel("simulate", 4)
    assert "PX Deq: Execution Msg" not in result.time.wait
    waits = sum(waited.total_s for waited in result.time.wait.values())
    assert waits + result.time.cpu_s + sum(result.time.unaccounted.values()) == pytest.approx(result.time.elapsed_s)
    assert result.time.wait["PX Deq: Execute Reply"].waits == 1


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
@pytest.mark.parametrize(
    ("release", "kept", "started"),
    [("11.2.0.4", None, 16), ("19.3.0.0", None, 0), ("19.3.0.0", 0, 16), ("19.3.0.0", 10, 6)],
)
def test_a_query_starts_the_servers_that_the_instance_does_not_keep(
    engine: str, release: str, kept: int | None, started: int
) -> None:
    settings: dict[str, object] = {} if kept is None else {"parallel_min_servers": kept}
    result = parallel(engine, 16, release=release, **settings)
    wait = result.time.wait.get("os thread startup")
    assert (wait.waits if wait else 0) == started
    ready = parallel(engine, 16, release=release, parallel_min_servers=100)
    assert result.time.elapsed_s - ready.time.elapsed_s == pytest.approx(started * 5e-3)
