"""What one statement counts, against Oracle's own rules: blocks of an index's rowids, of spread rows, costs."""

from __future__ import annotations

from math import ceil

import pytest

from model.results import RunResult
from scenarios import from_mapping, load, run


def ran(work: dict[str, object], **more: object) -> RunResult:
    return run(from_mapping({"workload": work, **more}), engine="calculate")


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
    result = run(load("index-range-scan-migrated"), engine="calculate")
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
    table = {
        "rows": 200_000,
        "row_bytes": 120,
        "indexes": [{**index, "updated": True} for index in TWO_INDEXES],
    }
    scenario = from_mapping({"workload": {"kind": kind, "rows_fraction": share}, "table": table})
    result = run(scenario, engine=engine)
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
