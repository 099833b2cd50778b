"""Statements beside transactions that change their table: consistent reads of what has changed since they began."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model.causes import UNDO
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import change
from blocktime.model.laws.changed_blocks import open_changes, records_since, undo_gets
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.why import why

RATE, CHANGES = 200, 4
ORDERS = {
    "kind": "transactions",
    "rate_per_s": RATE,
    "data_bytes": "64M",
    "transactions": 200,
    "mix": [{"name": "order", "gets": 20, "changed_blocks": CHANGES, "redo_bytes": 12_000, "calls": 1}],
}


def played(work: dict[str, Any], *beside: dict[str, Any], **instance: Any) -> RunResult:
    data = {"table": {"rows": 400_000, "row_bytes": 120}, "disk": {"use": "nvme"}}
    instance = {"buffer_cache_bytes": "256M", "serial_direct_read": "never"} | instance
    return run(from_mapping(data | {"instance": instance, "workload": work | {"beside": list(beside)}}), seed=1)


def scanned(share: float, **instance: Any) -> RunResult:
    return played({"kind": "full_scan", "arraysize_rows": 100}, ORDERS | {"changes_fraction": share}, **instance)


def test_records_of_a_block_are_those_committed_since_and_those_under_way() -> None:
    """100 transactions of 4 changes, half of them to 1,000 blocks: 0.2 in each; 10 under way have made 2 each, 0.01."""
    assert records_since(100, 4, 0.5 / 1000) == pytest.approx(0.2)
    assert open_changes(10, 4, 0.5 / 1000, 169) == pytest.approx(0.01)
    assert undo_gets(3, 10, 4, 0.5 / 1000, 169) == pytest.approx(3 * 0.01)


def test_undo_of_a_transaction_is_what_its_redo_holds_of_it() -> None:
    """4 changes: 4 · 230 bytes of headers and 400 of the commit leave 2,680 of 4,000, half of them old bytes."""
    assert change.undo_of_redo_bytes(4, 4000) == 4 * 100 + 2680 / 2
    undo = change.undo_bytes(5, 60)
    assert change.undo_of_redo_bytes(5, change.redo_bytes(5, undo, 60) + change.COMMIT_REDO_BYTES) == undo
    assert change.undo_of_redo_bytes(0, 100) == 0


def test_a_scan_reads_undo_by_rate_times_age() -> None:
    """Its blocks are visited evenly over T: each of share · rate · 4 records a second is met with the chance 1/2."""
    result = scanned(0.5)
    assert result.logical_io is not None
    gets = result.logical_io.undo_gets
    assert gets == pytest.approx(0.5 * RATE * CHANGES * result.time.elapsed_s / 2, rel=0.12)
    assert gets == pytest.approx(result.logical_io.consistent_gets - scanned(0.0).logical_io.consistent_gets)
    assert result.row_sources is not None
    assert result.row_sources[0].buffers == pytest.approx(result.logical_io.consistent_gets)
    assert result.time.cpu[UNDO] > 0
    program = (result.programs or [])[0]
    assert program.undo_s == result.time.cpu[UNDO]
    assert program.alone.undo_s is None


def test_twice_the_share_is_twice_the_undo_and_none_is_none() -> None:
    some, more, none = (scanned(share).logical_io for share in (0.25, 0.5, 0.0))
    assert more.undo_gets == pytest.approx(2 * some.undo_gets, rel=0.02)
    assert none.undo_gets is None


def test_either_of_the_two_says_how_many_changes_go_to_the_table() -> None:
    scan = {"kind": "full_scan", "arraysize_rows": 100}
    said = played({"kind": "update"}, ORDERS, scan | {"changes_fraction": 0.5}).programs
    assert said is not None
    assert said[2].undo_s > 0
    assert said[0].undo_s is None


@pytest.mark.parametrize(
    "work",
    [{"kind": "insert", "rows": 20_000}, {"kind": "index_range_scan", "index_only": True}],
    ids=["insert", "index only"],
)
def test_who_visits_no_row_of_the_table_reads_no_undo(work: dict[str, Any]) -> None:
    assert UNDO not in played(work, ORDERS | {"changes_fraction": 1.0}).time.cpu


def test_undo_that_is_overwritten_is_a_snapshot_too_old() -> None:
    """400 + (12,000 - 1,320) / 2 bytes a transaction: a megabyte holds 182 of them, 0.9 s; the scan takes longer."""
    with pytest.raises(OutsideLaw, match=r"ORA-01555.*instance\.undo_bytes keeps 1M"):
        scanned(0.5, undo_bytes="1M")
    assert scanned(0.5, undo_bytes="1G").time.elapsed_s == scanned(0.5).time.elapsed_s > 182 / RATE


def test_a_share_of_changes_without_both_of_them_is_said_to_do_nothing() -> None:
    lone = played({"kind": "full_scan"}, {"kind": "read_stream", "count": 5, "changes_fraction": 0.5})
    assert any("changes_fraction has no effect" in warning for warning in lone.warnings)
    assert not any("changes_fraction has no effect" in warning for warning in scanned(0.5).warnings)


def test_a_comparison_names_consistent_reads_and_leaves_the_gets_of_blocks_as_they_were() -> None:
    busy = ORDERS | {"rate_per_s": 2000, "mix": [{"gets": 30, "changed_blocks": 30, "redo_bytes": 8000}]}
    scan = {"kind": "full_scan", "arraysize_rows": 100, "columns": 1}
    none, all_of_them = (played(scan, busy | {"changes_fraction": share}) for share in (0.0, 1.0))
    said = " ".join(why(none, all_of_them))
    assert UNDO in said
    assert "consistent gets rose" not in said
