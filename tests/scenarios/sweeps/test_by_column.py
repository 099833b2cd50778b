"""Points checked by column: the digests that they have one by one, and none where one of them is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from blocktime.model.errors import SpecError
from blocktime.scenarios.load import source_of
from blocktime.scenarios.sweeps.by_column import ByColumn, Columns, keys_of
from blocktime.scenarios.sweeps.points import DIGEST_BYTES, Points, asked_mark, mark_of

VALUES: dict[str, Any] = {
    "table.rows": some.integers(-1, 10**9),
    "table.pctfree_percent": some.floats(0, 80),
    "table.initrans": some.integers(1, 250),
    "tablespace.block_size_bytes": some.sampled_from([4096, 8192, "16K", 5000]),
    "instance.db_file_multiblock_read_count": some.sampled_from([1, 16, 128, 1024, "auto"]),
    "instance.db_block_size_bytes": some.sampled_from([4096, 8192]),
    "disk.overhead_s": some.sampled_from([1e-3, 0.0, "80us", "5 furlongs"]),
    "disk.use": some.sampled_from(["sas-15k", "nvme"]),
    "host.kernel": some.sampled_from(["2.6", "5.10"]),
    "workload.arraysize_rows": some.integers(1, 5000),
    "workload.select": some.sampled_from(["rows", "count"]),
}


def one_by_one(points: Points, columns: Columns) -> bytes | None:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    try:
        return b"".join(points.point(row).digest for row in rows)
    except SpecError:
        return None


@given(some.data())
def test_digests_by_column_are_those_of_the_points(data: some.DataObject) -> None:
    keys = data.draw(some.lists(some.sampled_from(list(VALUES)), min_size=1, max_size=5, unique=True))
    count = data.draw(some.integers(1, 6))
    columns = {key: data.draw(some.lists(VALUES[key], min_size=count, max_size=count)) for key in keys}
    points = Points(source_of("rahn-full-scan"), keys)
    by_column = ByColumn(points)
    found, wanted = by_column.digests(columns), one_by_one(points, columns)
    assert found == wanted or (found is None and "host.kernel" in keys)
    assert by_column.digests(columns) == found  # what is known from before


@pytest.mark.parametrize(
    "columns",
    [
        {"instance.db_file_multiblock_read_count": [128, 256], "instance.db_block_size_bytes": [8192, 8192]},
        {"tablespace.block_size_bytes": [4096, 4096], "table.initrans": [2, 200]},
        {"disk.reorder_age_s": [0.1], "host.iops_limit": [100]},
        {"table.rows": [5, float("inf")]},
        {"table.rows": [5, [6]]},
        {"table.rows": [5, -1]},
        {"table.nowhere": [5]},
    ],
)
def test_a_point_that_is_refused_leaves_all_to_be_checked_one_by_one(columns: Columns) -> None:
    points = Points(source_of("rahn-full-scan"), list(columns))
    assert ByColumn(points).digests(columns) is None


def test_nearly_all_sweeps_go_by_column() -> None:
    columns = {
        "table.rows": [100, 200], "disk.overhead_s": [1e-3, 2e-3], "tablespace.block_size_bytes": [4096, 8192],
        "instance.statistics.ioseektim_s": [0.01, 0.02], "workload.users": [1, 2], "disk.use": ["sas-15k", "sas-15k"],
    }  # fmt: skip
    assert ByColumn(Points(source_of("rahn-full-scan"), list(columns))).digests(columns)


def test_keys_by_column_are_sums_of_marks() -> None:
    digests = bytes(np.random.default_rng(1).bytes(4 * DIGEST_BYTES))
    for place, key in enumerate(keys_of(digests, asked_mark("calculate", 3))):
        digest = digests[place * DIGEST_BYTES :][:DIGEST_BYTES]
        total = int.from_bytes(digest, "big") + asked_mark("calculate", 3)
        assert bytes(key) == (total % 2 ** (8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES, "big")


@given(some.lists(some.one_of(some.floats(allow_nan=False), some.integers(-(2**60), 2**60)), unique=True))
def test_other_numbers_have_other_marks(numbers: list[float]) -> None:
    assert len({mark_of("table.rows", number) for number in numbers}) == len(set(numbers))
