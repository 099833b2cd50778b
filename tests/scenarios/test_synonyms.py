"""A DBA's words lead to fields that exist, in errors and in a search."""

from __future__ import annotations

import pytest

from blocktime.model.errors import SpecError
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios import load
from blocktime.scenarios.declared import declared_field
from blocktime.scenarios.synonyms import FIELDS, NOTES, matching, meant_by

LABELS = [
    ("workload.users", "Users"), ("workload.think_s", "Think time"), ("table.rows", "Rows"),
    ("instance.db_file_multiblock_read_count", "Multiblock read count (blocks)"),
]  # fmt: skip


@pytest.mark.parametrize("word", FIELDS)
def test_every_word_leads_to_fields_that_exist(word: str) -> None:
    for field in FIELDS[word]:
        assert field == "disk.use" or any(declared_field(field, kind) for kind in WORKLOADS), field


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("filesystemio_options=setall", "it is instance.filesystemio_options here"),
        ("setall=true", "instance.filesystemio_options=setall: O_DIRECT and asynchronous I/O"),
        ("workload.dop=8", "it is workload.degree here"),
        ("workload.parallel_degree=8", "it is workload.degree here"),
        ("mbrc=8", "it is instance.db_file_multiblock_read_count here"),
        ("instance.db_cache_size_bytes=8G", "it is instance.buffer_cache_bytes here"),
        ("table.rowz=3", "did you mean rows"),
        ("segment.pctfree=20", "no section named 'segment'; pctfree is table.pctfree_percent here"),
        ("segment.awr=20", "no section named 'segment'; known: client, disk"),
    ],
)
def test_an_unknown_key_is_answered_in_the_words_of_its_field(setting: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        load("rahn-full-scan", [setting])


def test_a_word_is_found_however_it_is_written() -> None:
    assert meant_by("Parallel Degree") == meant_by("parallel_degree")
    assert meant_by("AWR") is not None
    assert "blocktime measure FILE" in NOTES["awr"]
    assert meant_by("nothing like it") is None


def test_labels_come_first_in_a_search() -> None:
    assert matching("users", LABELS) == ["workload.users"]
    assert matching("Think", LABELS)[0] == "workload.think_s"
    assert matching("MBRC", LABELS)[0] == "instance.db_file_multiblock_read_count"
    assert matching("setall", LABELS) == ["instance.filesystemio_options"]
    assert matching(" ", LABELS) == []
