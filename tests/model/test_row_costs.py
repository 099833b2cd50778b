"""Row costs by one law: an updated, a deleted and an inserted row agree on every host, by construction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.catalog import entries
from blocktime.model.causes import DELETING, INDEXES, MIGRATING, UPDATING
from blocktime.model.demand import Demand, demand_of
from blocktime.scenarios import from_mapping, run

HOSTS = sorted(entries("host"))


def demand(kind: str, host: str, table: dict[str, Any], **work: Any) -> Demand:
    asked = from_mapping({"host": {"use": host}, "table": table, "workload": {"kind": kind, **work}})
    return demand_of(asked.system, asked.workload)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    host=st.sampled_from(HOSTS),
    rows=st.integers(1, 400),
    row_bytes=st.integers(10, 3000),
    columns=st.integers(1, 40),
    fraction=st.floats(0.05, 1),
    indexes=st.integers(0, 2),
)
def test_deleting_rows_and_inserting_them_anew_never_takes_less_cpu_than_updating_a_column_in_place(
    host: str, rows: int, row_bytes: int, columns: int, fraction: float, indexes: int
) -> None:
    table = {
        "rows": rows, "row_bytes": row_bytes, "column_count": columns, "cached_fraction": 1,
        "indexes": [{"key_bytes": 8}] * indexes,
    }  # fmt: skip
    share = {"rows_fraction": fraction}
    updated = demand("update", host, table, growth_bytes=0, **share)
    deleted = demand("delete", host, table, **share)
    inserted = demand("insert", host, table, rows=max(1, int(float(deleted.change.rows))), method="array")
    assert float(updated.cpu_s) <= float(deleted.cpu_s) + float(inserted.cpu_s)
    assert updated.cpu[UPDATING] <= deleted.cpu[DELETING]
    assert deleted.undo_bytes >= deleted.change.rows * deleted.row.bytes


def test_an_updated_key_changes_two_leaves_for_the_one_of_a_deleted_row() -> None:
    table = {"rows": 5000, "row_bytes": 100, "cached_fraction": 1, "indexes": [{"key_bytes": 8, "updated": True}]}
    updated, deleted = (demand(kind, HOSTS[0], table) for kind in ("update", "delete"))
    assert updated.upkeep[0].leaf_changes == 2 * deleted.upkeep[0].leaf_changes
    assert updated.cpu[INDEXES] == pytest.approx(2 * deleted.cpu[INDEXES], rel=0.05)


def test_a_row_that_migrates_takes_three_changes_and_a_search() -> None:
    table = {"rows": 5000, "row_bytes": 100, "pctfree_percent": 0, "cached_fraction": 1}
    asked = demand("update", "rahn-10204", table, growth_bytes=100)
    host = from_mapping({"host": {"use": "rahn-10204"}, "workload": {"kind": "update"}}).system.host
    assert asked.change.migrated > 0
    each_s = asked.cpu[MIGRATING] / asked.change.moves
    assert each_s == pytest.approx(2 * host.change_block_s + host.migrate_row_s)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ({"update_row_s": 30e-6}, 30e-6, "host.update_row_s is now host.change_block_s"),
        ({"update_row_s": 30e-6, "change_block_s": 9e-6}, 9e-6, "host.update_row_s is now host.change_block_s"),
        ({"delete_row_s": 30e-6}, 12e-6, "host.delete_row_s is no longer read"),
        ({"log_file_sync_s": 0.5e-3}, 12e-6, "host.log_file_sync_s is no longer read"),
    ],
)
def test_a_file_with_a_field_of_an_earlier_release_is_read_with_a_sentence(
    old: dict[str, float], new: float, says: str
) -> None:
    table = {"rows": 100, "row_bytes": 100, "cached_fraction": 1}
    asked = from_mapping({"host": old, "table": table, "workload": {"kind": "delete"}})
    assert asked.system.host.change_block_s == new
    assert any(note.startswith(says) for note in run(asked).warnings)
