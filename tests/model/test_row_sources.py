"""Row sources add up to the statement, whichever engine answers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.closing import check_books
from blocktime.model.engine import calculate, simulate
from blocktime.model.errors import BooksDoNotBalance
from blocktime.model.results import RowSource, RunResult
from blocktime.scenarios import from_mapping

ROWS = 20_000
ENGINES = pytest.mark.parametrize("engine", [calculate, simulate])


def answered(engine: Any, workload: dict[str, Any], **more: dict[str, Any]) -> RunResult:
    base = {
        "disk": {"use": "nvme"},
        "table": {"rows": ROWS, "row_bytes": 100} | more.pop("table", {}),
        "index": {"key_bytes": 8} | more.pop("index", {}),
        "workload": {"kind": "index_range_scan"} | workload,
    }
    scenario = from_mapping(base | more)
    return engine(scenario.system, scenario.workload, name="row sources")


def named(result: RunResult) -> dict[str, RowSource]:
    assert result.row_sources is not None
    return {one.operation: one for one in result.row_sources}


CHOICES = {
    "access": ["range", "unique", "full", "fast_full"],
    "index_only": [False, True],
    "select": ["rows", "count"],
    "share": [1e-4, 0.003, 0.1, 1.0],
    "array": [1, 15, 100, 5000],
    "first": [None, 1],
    "clustering": ["clustered", "scattered"],
    "cached": [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.7)],
    "migrated": [0.0, 0.4],
    "engine": [calculate, simulate],
}


@settings(max_examples=80)
@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}))
def test_row_sources_of_an_index_statement_add_up(drawn: dict[str, Any]) -> None:
    index_only = drawn["index_only"] or drawn["access"] == "fast_full"
    work = {
        "access": drawn["access"], "index_only": index_only, "select": drawn["select"],
        "selectivity_fraction": drawn["share"], "arraysize_rows": drawn["array"],
    }  # fmt: skip
    index_cached, table_cached = drawn["cached"]
    index = {"unique": True, "clustering": drawn["clustering"], "cached_fraction": index_cached}
    table = {"cached_fraction": table_cached, "migrated_fraction": drawn["migrated"]}
    client = {"first_fetch_rows": drawn["first"]} if drawn["first"] else {}
    result = answered(drawn["engine"], work, index=index, table=table, client=client)
    sources = result.row_sources
    top, bottom = sources[0], sources[-1]
    assert top.buffers == result.logical_io.consistent_gets
    assert top.read_blocks == pytest.approx(result.physical_io.read_blocks)
    for over, below in pairwise(sources):
        assert over.buffers >= below.buffers
        assert over.read_blocks >= below.read_blocks
        assert over.time_s >= below.time_s
        assert over.cost is None or over.cost >= below.cost
    assert bottom.operation.startswith("INDEX")
    assert any(one.operation.startswith("TABLE") for one in sources) == (not index_only)
    assert top.rows == result.calls["fetch"].rows
    assert 0 <= top.time_s <= result.calls["fetch"].elapsed_s * (1 + 1e-9)
    assert bottom.time_s > 0


@ENGINES
@pytest.mark.parametrize("select", ["rows", "count"])
@pytest.mark.parametrize("access", ["range", "full", "unique"])
def test_the_index_below_a_table_gets_and_reads_what_it_does_alone(engine: Any, access: str, select: str) -> None:
    """Whatever the table holds, the scan of the index is the one that an index-only query makes."""
    work = {"access": access, "select": select, "selectivity_fraction": 0.1, "arraysize_rows": 15}
    index = {"unique": True, "clustering": "scattered"}
    both = answered(engine, work, index=index, table={"migrated_fraction": 0.2})
    alone = answered(engine, work | {"index_only": True}, index=index)
    below, only = both.row_sources[-1], alone.row_sources[-1]
    assert (below.operation, below.rows, below.buffers, below.read_blocks) == (
        only.operation, only.rows, only.buffers, only.read_blocks,
    )  # fmt: skip


@ENGINES
def test_row_sources_of_a_range_scan_by_hand(engine: Any) -> None:
    """20,000 rows, 71 in a block: 282 blocks; a leaf takes (8,192 - 192 - 819.2) / (8 + 1 + 11) = 359: 56 leaves.

    A tenth is 2,000 rows in 20 calls of 100 and a last one; 6 leaves. The index: the root, 6 leaves, the leaf again
    by 20 calls. The table: 29 of 282 blocks, again by 19 stops but for none on a block's last row (multiples of 71).
    """
    result = answered(engine, {"selectivity_fraction": 0.1, "arraysize_rows": 100})
    found = named(result)
    index, table = found["INDEX RANGE SCAN"], found["TABLE ACCESS BY INDEX ROWID BATCHED"]
    assert (index.buffers, index.read_blocks) == (1 + 6 + 20, 1 + 6)
    assert (table.buffers - index.buffers, table.read_blocks - index.read_blocks) == (29 + 19, 29)
    assert index.rows == table.rows == 2000
    assert result.index.leaf_blocks == 56
    assert result.index.blocks == 57  # and a root
    assert result.index.height == 2
    assert result.index.clustering_factor == 282


def test_costs_of_index_and_table_by_hand() -> None:
    """Blevel 1, a tenth of 100 leaves and of a clustering factor of 15,000; CPU of both adds less than a half."""
    index = {"leaf_blocks": 100, "clustering_factor": 15_000}
    slow = {"instance": {"statistics": {"cpuspeed_hz": 1e12}}}
    result = answered(calculate, {"selectivity_fraction": 0.1}, index=index, **slow)
    found = named(result)
    assert found["INDEX RANGE SCAN"].cost == result.optimizer.index_cost == 1 + 10
    assert found["TABLE ACCESS BY INDEX ROWID BATCHED"].cost == result.optimizer.cost == 1 + 10 + 1500


@ENGINES
def test_a_filtered_full_scan_returns_what_passes(engine: Any) -> None:
    """A quarter of 20,000 rows; all blocks are got and read whatever passes."""
    work = {"kind": "full_scan", "select": "count", "filter_fraction": 0.25}
    result = answered(engine, work)
    count, scan = result.row_sources
    assert (count.operation, count.rows, count.cost) == ("SORT AGGREGATE", 1, None)
    assert (scan.operation, scan.rows, scan.starts) == ("TABLE ACCESS FULL", 5000, 1)
    assert scan.buffers == count.buffers == result.logical_io.consistent_gets
    assert scan.read_blocks == result.physical_io.read_blocks
    assert scan.cost == result.optimizer.cost
    assert result.index is None


@ENGINES
def test_a_parallel_count_is_one_of_its_servers_counts(engine: Any) -> None:
    """Four servers count their rows each and send one; 13 granules a server are scanned at least."""
    result = answered(engine, {"kind": "full_scan", "select": "count", "degree": 4})
    plan = [(one.operation, one.starts, one.rows) for one in result.row_sources]
    assert plan == [
        ("SORT AGGREGATE", 1, 1),
        ("PX COORDINATOR", 1, 4),
        ("PX SEND QC (RANDOM)", 4, 4),
        ("SORT AGGREGATE", 4, 4),
        ("PX BLOCK ITERATOR", 4, ROWS),
        ("TABLE ACCESS FULL", 52, ROWS),
    ]
    assert result.row_sources[0].buffers == pytest.approx(result.logical_io.consistent_gets)


def test_a_plan_that_does_not_add_up_is_refused() -> None:
    result = answered(calculate, {"selectivity_fraction": 0.1})
    top, *below = result.row_sources
    wrong = [top.model_copy(update={"buffers": top.buffers + 1}), *below]
    with pytest.raises(BooksDoNotBalance, match="buffers of the plan = consistent gets"):
        check_books(result.model_copy(update={"row_sources": wrong}))


def test_a_statement_that_changes_rows_has_no_plan() -> None:
    result = answered(calculate, {"kind": "update", "rows_fraction": 0.1})
    assert result.row_sources is None
