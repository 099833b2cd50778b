"""A DBA's words lead to fields that exist, in errors and in a search."""

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import load
from blocktime.scenarios.synonyms import NOTES, found, meant_by

LABELS = [
    ("workload.users", "Users"), ("workload.think_s", "Think time"), ("table.rows", "Rows"),
    ("instance.db_file_multiblock_read_count", "Multiblock read count (blocks)"),
]  # fmt: skip


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
        ("buffer_cache=16G", "it is instance.buffer_cache_bytes here"),
        ("disk.number=4", "it is disk.raid_disks or disk.raid_level here"),
        ("workload.sessions=4", "it is workload.users or"),
        ("fs=ext4", "it is host.io_path or instance.filesystemio_options here"),
        ("segment.awr=20", "no section named 'segment'; known: client, disk"),
    ],
)
def test_an_unknown_key_is_answered_in_the_words_of_its_field(setting: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        load("rahn-full-scan", [setting])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hot block", "as a field, it is workload.hottest_blocks or"),
        ("number of disks", "as a field, it is disk.raid_disks or disk.raid_level here"),
        ("block_size=16K", "NAME,KEY=VALUE; as a field, it is tablespace.block_size_bytes here"),
        ("workload.users=4", "write a change behind a name, as in NAME,KEY=VALUE"),
        ("backup", "did you mean backup-beside-users"),
    ],
)
def test_a_field_for_a_name_is_told_as_a_field(name: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        load(name)


@pytest.mark.parametrize(
    ("name", "settings", "begins"),
    [
        ("rahn-full-scan,workload.users=-3", (), "rahn-full-scan,workload.users=-3: workload.users: got -3"),
        ("rahn-full-scan,columns=3", (), "rahn-full-scan,columns=3: 'columns' names no field"),
        (
            "rahn-full-scan",
            ("tablespace.block_size_bytes=16M",),
            "--set: tablespace.block_size_bytes: got 16M; allowed are 2K, 4K, 8K, 16K or 32K",
        ),
        (
            "rahn-full-scan",
            ("instance.buffer_cache_bytes=9000T",),
            "--set: instance.buffer_cache_bytes: got 9000T; allowed is at most 64T",
        ),
        ("rahn-full-scan", ("workload.users=-3",), "--set: workload.users: got -3"),
        ("rahn-full-scan,workload.users=2", ("table.rows=-1",), "--set: table.rows: got -1"),
    ],
)
def test_a_fault_names_where_the_change_was_written(name: str, settings: tuple[str, ...], begins: str) -> None:
    with pytest.raises(SpecError) as fault:
        load(name, settings)
    assert str(fault.value).startswith(begins)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("instance.filesystemio_options", "SETALL"), ("host.io_path", "Buffered"), ("workload.kind", "Update"),
        ("workload.caller", "PLSQL"), ("tablespace.space_management", "Manual"),
    ],
)  # fmt: skip
def test_capitals_of_a_choice_do_not_count(path: str, written: str) -> None:
    below = ["workload.kind=update", "workload.growth_bytes=0"] if path == "workload.caller" else []
    below = ["workload.growth_bytes=0"] if path == "workload.kind" else below
    texts = [load("rahn-full-scan", [*below, f"{path}={word}"]).system for word in (written, written.lower())]
    assert texts[0] == texts[1]


def test_a_word_is_found_however_it_is_written() -> None:
    assert meant_by("Parallel Degree") == meant_by("parallel_degree")
    assert meant_by("AWR") is not None
    assert "blocktime measure FILE" in NOTES["awr"]
    assert meant_by("nothing like it") is None


def test_labels_come_first_in_a_search() -> None:
    assert found("users", LABELS).fields == ["workload.users"]
    assert found("Think", LABELS).fields[0] == "workload.think_s"
    assert found("MBRC", LABELS).fields[0] == "instance.db_file_multiblock_read_count"
    assert found("setall", LABELS).fields == ["instance.filesystemio_options"]
    assert found(" ", LABELS).fields == []
