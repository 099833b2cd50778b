"""Index range scans: what a row more, an empty block more and a session alone cost."""

from random import Random
from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.model.demand.index_statistics import index_statistics
from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.errors import OutsideLaw
from blocktime.model.spec import System
from blocktime.scenarios import from_mapping


def scan(selectivity: float, clustering: str = "clustered", disk: str = "sas-15k", **table: Any) -> Any:
    return from_mapping(
        {
            "disk": {"use": disk},
            "tablespace": {"block_size_bytes": 2048},
            "table": table,
            "index": {"clustering": clustering},
            "workload": {"kind": "index_range_scan", "selectivity_fraction": selectivity},
        }
    )


def answer(given: Any) -> Any:
    return calculate(given.system, given.workload)


def test_a_row_of_a_table_of_more_blocks_than_rows_lies_in_one_block() -> None:
    one = answer(scan(0.01, rows=100, blocks=30_000)).physical_io
    assert one.read_requests == 3  # the root, a leaf, the block


@pytest.mark.parametrize("clustering", ["clustered", "scattered"])
def test_more_rows_in_as_many_blocks_never_cost_less(clustering: str) -> None:
    times = [answer(scan(0.01, clustering, rows=rows, blocks=30_000)).time.elapsed_s for rows in (100, 1000, 10_000)]
    assert times == sorted(times)


@pytest.mark.parametrize("clustering", ["clustered", "scattered"])
@pytest.mark.parametrize("selectivity", [0.1, 0.3, 0.9])
def test_a_row_more_never_reads_less(clustering: str, selectivity: float) -> None:
    reads = [
        answer(scan(selectivity, clustering, rows=rows, row_bytes=12)).physical_io.read_blocks
        for rows in range(200, 320)
    ]
    assert reads == sorted(reads)
    assert all(count == int(count) for count in reads)


@pytest.mark.parametrize("selectivity", [0.001, 0.02, 0.3])
def test_the_sum_of_a_session_alone_on_flash_is_what_is_played(selectivity: float) -> None:
    given = scan(selectivity, disk="nvme", rows=20_000, row_bytes=400)
    played = simulate(given.system, given.workload)
    law = answer(given)
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=1e-6)
    assert law.physical_io == played.physical_io


def gets_of_a_walk(blocks: list[int], array: int, first: int) -> int:
    """Table blocks got for rows that lie in *blocks*, in the order of the index: pins do not outlive a fetch call."""
    gets, pinned, stop = 0, -1, first
    for row, block in enumerate(blocks):
        if row == stop:
            pinned, stop = -1, stop + array
        gets += block != pinned
        pinned = block
    return gets


@pytest.mark.parametrize(("array", "first"), [(10, None), (7, None), (100, None), (10, 1), (15, 1), (15, 5), (1, None)])
@pytest.mark.parametrize("clustering", ["clustered", "scattered"])
def test_gets_are_those_of_a_literal_walk(clustering: str, array: int, first: int | None) -> None:
    """Each further call gets the leaf again, and the table's block only where the next row is in it."""
    rows, leaves = 10_000, 25
    given = from_mapping(
        {
            "table": {"rows": rows, "row_bytes": 98},
            "index": {"clustering": clustering, "leaf_blocks": leaves},
            "client": {} if first is None else {"first_fetch_rows": first},
            "workload": {"kind": "index_range_scan", "selectivity_fraction": 1, "arraysize_rows": array},
        }
    )
    result = answer(given)
    per_block = int(result.segment.rows_per_block)
    assert per_block == result.segment.rows_per_block
    blocks = [row // per_block for row in range(rows)]
    if clustering == "scattered":
        Random(1).shuffle(blocks)
    further_calls = -(-rows // array) if first is None else (rows - first) // array + 1
    walked = 1 + leaves + further_calls + gets_of_a_walk(blocks, array, first or array)
    exact = clustering == "clustered"
    assert result.logical_io.consistent_gets == pytest.approx(walked, rel=0 if exact else 0.002)


@pytest.mark.parametrize(
    ("index", "entries"),
    [
        ({"key_bytes": 4, "pctfree_percent": 0}, 500),  # the dumps of [foote-index]
        ({"key_bytes": 4, "pctfree_percent": 0, "unique": True}, 533),
        ({"key_bytes": 4, "pctfree_percent": 0, "key_columns": 2}, 470),
        ({"key_bytes": 4}, 448),
    ],
)
def test_leaves_hold_as_many_entries_as_their_bytes_allow(index: dict[str, Any], entries: int) -> None:
    for rows, leaves in ((100 * entries, 100), (100 * entries + 1, 101)):
        given = from_mapping({"table": {"rows": rows}, "index": index, "workload": {"kind": "index_range_scan"}})
        assert (
            index_statistics(given.system, segment_of(given.system, row_shape(given.system.table))).leaf_blocks
            == leaves
        )


def test_a_clustering_factor_beyond_the_rows_is_refused() -> None:
    given = from_mapping(
        {"table": {"rows": 1000}, "index": {"clustering_factor": 1001}, "workload": {"kind": "index_range_scan"}}
    )
    with pytest.raises(OutsideLaw, match=r"clustering_factor is 1,001.*1,000 rows"):
        answer(given)


@pytest.mark.parametrize("fraction", [1, 0.5, 0.013, 0])
def test_a_filter_decides_rows_returned_and_not_blocks_read(fraction: float) -> None:
    """Literal: of rows that pass at random, each fetch call but the last gets the block again that it stopped in."""
    rows, array = 10_000, 10

    def scan_of_rows(fraction: float) -> Any:
        return from_mapping(
            {
                "table": {"rows": rows, "row_bytes": 98},
                "tablespace": {"space_management": "manual"},
                "workload": {"kind": "full_scan", "filter_fraction": fraction, "arraysize_rows": array},
            }
        )

    result = answer(scan_of_rows(fraction))
    per_block = int(result.segment.rows_per_block)
    passed = sorted(Random(2).sample(range(rows), round(rows * fraction)))
    stops = passed[array - 1 : -1 : array]
    again = sum((row + 1) % per_block != 0 for row in stops)
    assert result.physical_io.read_blocks == answer(scan_of_rows(1)).physical_io.read_blocks
    assert result.calls["fetch"].rows == len(passed)
    assert result.calls["fetch"].count == -(-len(passed) // array) + 1
    assert result.logical_io.consistent_gets == pytest.approx(result.segment.blocks_before + again, abs=8)


def test_a_filter_costs_the_value_it_looks_at_and_spares_the_client() -> None:
    base = {"table": {"rows": 10_000}, "workload": {"kind": "full_scan"}}
    whole = answer(from_mapping(base))
    filtered = answer(from_mapping({**base, "workload": {"kind": "full_scan", "filter_fraction": 0.1}}))
    assert filtered.time.cpu["filtering rows"] == pytest.approx(10_000 * System().host.filter_row_s)
    assert filtered.time.cpu["projecting rows"] == pytest.approx(0.1 * whole.time.cpu["projecting rows"])
    assert filtered.time.cpu["row access"] == whole.time.cpu["row access"]
