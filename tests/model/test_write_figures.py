"""Figures of writes and changes that arithmetic or a source gives, each with the system that they are of."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, load, run


def asked(table: dict[str, Any], work: dict[str, Any], **system: Any) -> RunResult:
    instance = {"release": "11.2.0.4", "buffer_cache_bytes": "1G"}
    data = {"table": table, "workload": work, "disk": {"use": "nvme"}, "instance": instance}
    return run(from_mapping(data | system))


def test_a_delete_of_a_tenth_spread_over_the_table_changes_every_block_and_leaf() -> None:
    """A million rows, 59 in a block, are 16,950 blocks; a tenth of the rows is 5.9 of each, spread evenly.

    The first index is not cached: each leaf is read, and the branches above them; of the second 40 % is.
    """
    indexes = [{"key_bytes": 6, "unique": True}, {"key_bytes": 14, "cached_fraction": 0.4, "grown_by": "random"}]
    table = {"rows": 1_000_000, "row_bytes": 120, "indexes": indexes}
    result = asked(table, {"kind": "delete", "rows_fraction": 0.1})
    first, second = result.changes.indexes
    assert first.leaf_blocks_before == 2370
    assert result.changes.dirty_blocks == 16_950 + first.leaf_blocks_before + second.leaf_blocks_before
    assert 2370 <= first.reads <= 2370 + 10
    assert second.reads == pytest.approx(0.6 * second.leaf_blocks_before, rel=0.01)


def test_a_scan_by_an_index_reads_the_home_blocks_of_migrated_rows_and_their_pieces() -> None:
    """An index points at home blocks, 62,049 of them: 203 leaves, and of 12,500 rows' blocks some 1,341."""
    result = run(load("index-range-scan-migrated"))
    assert result.index.clustering_factor == 62_049
    assert result.physical_io.read_requests == pytest.approx(1544, rel=0.02)
    assert result.optimizer.cost == pytest.approx(830, rel=0.02)


@pytest.mark.parametrize("host", ["linux-x86", "epyc-9554"])
def test_a_commit_for_each_row_in_plsql_costs_cpu_and_redo(host: str) -> None:
    """A million rows of (x int, y char(30)) took 26.88 s of CPU, with a commit for each 81.96 s [kyte-commit]."""
    table = {"rows": 1, "row_bytes": 38, "column_count": 2}
    never, each = (
        asked(
            table,
            {"kind": "insert", "rows": 1_000_000, "method": "row", "caller": "plsql", "commit_every_rows": every},
            host={"use": host},
        )
        for every in (0, 1)
    )
    assert each.time.cpu_s / never.time.cpu_s == pytest.approx(3.05, rel=0.2)
    assert each.changes.redo_bytes - never.changes.redo_bytes == pytest.approx(400 * 1_000_000, rel=0.01)


def test_a_backup_with_its_buffers_in_flight_makes_users_wait_ten_times() -> None:
    """16 buffers of 1 MB beside 40 users: 413 ms before this machine had one log and one DBWR for all, 10.5 times."""
    result = run(load("backup-beside-users"))
    users = next(program for program in result.programs if program.kind == "transactions")
    assert users.times_as_long == pytest.approx(10.5, rel=0.1)
    assert users.response_s == pytest.approx(0.413, rel=0.1)
