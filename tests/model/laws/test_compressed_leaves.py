"""Entries of compressed leaves by hand, and against a published dump."""

from typing import Any

import pytest

from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.model.laws.block import compressed_entries_per_leaf, entries_per_leaf
from blocktime.scenarios import from_mapping, run


def test_a_published_leaf() -> None:
    """One key of 2 bytes for all entries: (8192 - 192 - 819 - 4 - 9)/11 = 651 as in the dump [foote-compress]."""
    assert compressed_entries_per_leaf(8192, 10, 11, 3, 1e9) == 651


@pytest.mark.parametrize(("size", "expected"), [(8192, 351), (16384, 712), (32768, 1433)])
def test_entries_that_share_prefixes_of_ten(size: int, expected: int) -> None:
    """Prefixes of 20 + 1 bytes by ten entries of 8 + 1 + 11: n = (U - 4 - 27·0.9)/(20 + 2.7), at PCTFREE 0."""
    assert compressed_entries_per_leaf(size, 0, 20, 21, 10) == expected


def test_a_prefix_of_each_entry_costs_more_than_none() -> None:
    alone = compressed_entries_per_leaf(8192, 0, 9 + 11, 21, 1)
    assert alone < entries_per_leaf(8192, 0, 28, 2, False)


def answer(index: dict[str, Any], **work: Any) -> Any:
    given = {
        "table": {"rows": 100_000, "row_bytes": 100},
        "index": {"key_bytes": 28, "key_columns": 2} | index,
        "workload": {"kind": "index_range_scan", "select": "count"} | work,
    }
    return run(from_mapping(given))


def test_a_compressed_index_has_fewer_leaves() -> None:
    plain = answer({}).index
    compressed = answer({"compress_columns": 1, "prefix_bytes": 20, "prefix_distinct_keys": 1000}).index
    assert compressed.leaf_blocks < 0.6 * plain.leaf_blocks


def test_null_keys_have_no_entry() -> None:
    """Nine of ten rows without a key: a tenth of the leaves, and a scan of all entries returns a tenth of the rows."""
    whole, few = (answer({"null_fraction": share}, access="full", selectivity_fraction=1) for share in (0.0, 0.9))
    assert few.index.leaf_blocks == pytest.approx(whole.index.leaf_blocks / 10, abs=1)
    assert [one.row_sources[-1].rows for one in (whole, few)] == [100_000, 10_000]
    assert few.logical_io.consistent_gets < whole.logical_io.consistent_gets


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        ({"compress_columns": 2, "unique": True}, "a unique index keeps its last one"),
        ({"compress_columns": 3}, "allowed are at most 2 of 2 key columns"),
        ({"prefix_bytes": 40}, "prefix_bytes 40 is more than key_bytes 28"),
    ],
)
def test_prefixes_that_no_index_has(index: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        answer(index)


def test_compression_wants_to_know_the_prefixes() -> None:
    with pytest.raises(OutsideLaw, match=r"set index\.prefix_distinct_keys"):
        answer({"compress_columns": 1})
    with pytest.raises(OutsideLaw, match="has no prefixes"):
        answer({"compress_columns": 2, "distinct_keys": 1000, "bitmap": True})
