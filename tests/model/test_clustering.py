"""Clustering factors counted row by row on tables laid out by chance, and what a scan in rowid order gets."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pytest

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.buffer_gets import (
    gathered_clustering_factor,
    interleaved_clustering_factor,
    random_clustering_factor,
)
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping
from tests.engines import by

BLOCKS, PER_BLOCK = 400, 50
ROWS = BLOCKS * PER_BLOCK


def counted(blocks: Sequence[int], remembered: int) -> int:
    """CLUSTERING_FACTOR of rows in these blocks, in index order, with the blocks visited last remembered."""
    last: list[int] = []
    changes = 0
    for block in blocks:
        if block in last:
            last.remove(block)
        else:
            changes += 1
        last.append(block)
        del last[:-remembered]
    return changes


@pytest.mark.parametrize("remembered", [1, 16, 100, 255])
def test_rows_of_their_own_keys_at_random(remembered: int) -> None:
    rows = np.random.default_rng(1).permutation(ROWS) // PER_BLOCK
    factor = random_clustering_factor(BLOCKS, ROWS)
    found = gathered_clustering_factor(factor, BLOCKS, ROWS, ROWS, BLOCKS, remembered)
    assert found == pytest.approx(counted(list(rows), remembered), rel=0.02)


@pytest.mark.parametrize(("keys", "remembered"), [(50, 1), (50, 200), (80, 255), (400, 255), (2000, 16), (2000, 255)])
def test_rows_of_common_keys_at_random(keys: int, remembered: int) -> None:
    of_key = np.random.default_rng(2).integers(0, keys, ROWS)
    rows = np.lexsort((np.arange(ROWS), of_key)) // PER_BLOCK
    factor = random_clustering_factor(BLOCKS, ROWS, keys)
    found = gathered_clustering_factor(factor, BLOCKS, ROWS, keys, BLOCKS, remembered)
    assert found == pytest.approx(counted(list(rows), remembered), rel=0.05)


@pytest.mark.parametrize("remembered", [1, 4, 8, 24, 40])
def test_rows_that_sixteen_blocks_take_by_turns(remembered: int) -> None:
    """Each row goes to one of 16 open blocks; a full one is followed by the next, and is remembered for a while."""
    draws = np.random.default_rng(3)
    opened, following, room, rows = list(range(16)), 16, dict.fromkeys(range(16), PER_BLOCK), []
    for _ in range(ROWS):
        at = int(draws.integers(16))
        block = opened[at]
        rows.append(block)
        room[block] -= 1
        if not room[block]:
            opened[at], room[following] = following, PER_BLOCK
            following += 1
    factor = interleaved_clustering_factor(BLOCKS, ROWS, 16)
    assert factor == pytest.approx(counted(rows, 1), rel=0.02)
    found = gathered_clustering_factor(factor, BLOCKS, ROWS, ROWS, 16, remembered)
    assert found == pytest.approx(counted(rows, remembered), rel=0.06)


def test_a_published_factor() -> None:
    """70,000 rows of 100 keys at random in 244 blocks below the high-water mark: 22,711 [foote-cached-blocks]."""
    assert random_clustering_factor(244, 70_000, 100) == pytest.approx(22_711, rel=0.02)


def answer(index: dict[str, Any], engine: str = "calculate", **work: Any) -> RunResult:
    given = {
        "table": {"rows": 100_000, "row_bytes": 100},
        "index": {"key_bytes": 8} | index,
        "disk": {"use": "nvme"},
        "workload": {"kind": "index_range_scan", "selectivity_fraction": 0.1, "select": "count"} | work,
    }
    return by(engine, from_mapping(given))


def test_the_optimizer_takes_the_gathered_factor_and_the_scan_pays_the_real_one() -> None:
    by_turns = {"clustering": "interleaved"}
    plain, remembering = answer(by_turns), answer(by_turns | {"table_cached_blocks": 16})
    assert plain.index.clustering_factor > 50 * remembering.index.clustering_factor
    assert plain.optimizer.cost > 5 * remembering.optimizer.cost
    assert plain.logical_io == remembering.logical_io
    assert plain.physical_io == remembering.physical_io


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_rows_by_turns_are_got_often_and_read_once(engine: str) -> None:
    clustered, by_turns = answer({}, engine), answer({"clustering": "interleaved"}, engine)
    assert by_turns.physical_io.read_blocks == clustered.physical_io.read_blocks
    table_gets = [
        one.row_sources[1].buffers - one.row_sources[2].buffers for one in (clustered, by_turns) if one.row_sources
    ]
    blocks = clustered.index.clustering_factor if clustered.index else 0
    assert table_gets[0] == ceil(blocks / 10)
    assert table_gets[1] == pytest.approx(10_000 * 15 / 16, rel=0.01)


@pytest.mark.parametrize("engine", ["calculate", "simulate"])
def test_sorted_rowids_get_each_block_once(engine: str) -> None:
    """10,000 of 100,000 rows at random in B blocks of 64 rows: B·(1 - (1 - 1/B)^10,000) blocks, each once."""
    found = answer({"clustering": "scattered"}, engine, rowid_order=True)
    operations = [one.operation for one in found.row_sources]
    assert operations[1:3] == ["TABLE ACCESS BY INDEX ROWID BATCHED", "BITMAP CONVERSION TO ROWIDS"]
    gets = found.row_sources[1].buffers - found.row_sources[2].buffers
    in_key_order = answer({"clustering": "scattered"}, engine)
    assert gets == found.physical_io.read_blocks - found.row_sources[2].read_blocks
    assert gets < in_key_order.row_sources[1].buffers / 5
    assert found.physical_io.read_blocks == in_key_order.physical_io.read_blocks


def test_one_key_of_a_bitmap_index() -> None:
    """1,000 keys of 100 rows at random: each row a control byte and 1 or 2 of its gap, entries of some 330 bytes."""
    of_key = {"distinct_keys": 1000, "clustering": "scattered"}
    bitmap = answer(of_key | {"bitmap": True}, predicate="equality", select="rows")
    tree = answer(of_key, predicate="equality", select="rows")
    assert bitmap.index.leaf_blocks < tree.index.leaf_blocks / 4
    assert [one.operation for one in bitmap.row_sources] == [
        "TABLE ACCESS BY INDEX ROWID BATCHED", "BITMAP CONVERSION TO ROWIDS", "BITMAP INDEX SINGLE VALUE"
    ]  # fmt: skip
    assert bitmap.row_sources[2].read_blocks <= 4
    assert bitmap.row_sources[0].rows == tree.row_sources[0].rows if tree.row_sources else False


@pytest.mark.parametrize(
    ("index", "work", "sentence"),
    [
        ({"bitmap": True, "unique": True}, {}, "a bitmap index is never unique"),
        ({"bitmap": True, "key_columns": 2, "prefix_distinct_keys": 2}, {"access": "skip"}, "range and full scans"),
    ],
)
def test_what_no_bitmap_index_is(index: dict[str, Any], work: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OutsideLaw, match=sentence):
        answer(index, **work)
