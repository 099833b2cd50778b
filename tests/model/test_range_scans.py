"""Index range scans: what a row more, an empty block more and a session alone cost."""

from __future__ import annotations

from typing import Any

import pytest

from model import calculate, simulate
from scenarios import from_mapping


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
    assert one.read_requests == 4  # two branch levels, a leaf, the block


@pytest.mark.parametrize("clustering", ["clustered", "scattered"])
def test_more_rows_in_as_many_blocks_never_cost_less(clustering: str) -> None:
    times = [
        answer(scan(0.01, clustering, rows=rows, blocks=30_000)).time.elapsed_s
        for rows in (100, 1000, 10_000)
    ]
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


# places are drawn: a few seeks more or less, and the angle at which the platter stands
WITHIN = {"sata-7k2": 0.12, "array-cached": 0.02, "nvme": 1e-6}


@pytest.mark.parametrize("disk", WITHIN)
@pytest.mark.parametrize("selectivity", [0.001, 0.02, 0.3])
def test_a_session_alone_takes_the_same_time_in_both_engines(disk: str, selectivity: float) -> None:
    given = scan(selectivity, disk=disk, rows=20_000, row_bytes=400)
    played = simulate(given.system, given.workload)
    law = answer(given)
    assert law.time.elapsed_s == pytest.approx(played.time.elapsed_s, rel=WITHIN[disk])
    assert law.physical_io == played.physical_io
