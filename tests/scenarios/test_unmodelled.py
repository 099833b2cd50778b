"""What is not modelled is said before any nearest name is offered, by whole words alone."""

import re

import pytest

from blocktime.app.command.cli import main
from blocktime.model.errors import UnknownName
from blocktime.model.spec import WORKLOADS
from blocktime.model.unmodelled import Unmodelled, subjects, unmodelled
from blocktime.scenarios.declared import declared_fields
from blocktime.scenarios.synonyms import NOTES, fields_of_words, meant_by

EVERY_FIELD = {path for kind in WORKLOADS for path in declared_fields(kind)} | {
    "workload.kind", "workload.beside", "disk.use", "table.indexes",
}  # fmt: skip
PATH = re.compile(r"\b(?:workload|table|index|tablespace|instance|host|client|disk)\.[a-z_]+(?:\.0\.[a-z_]+)?")


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_what_comes_nearest_is_there(subject: Unmodelled) -> None:
    paths = PATH.findall(subject.nearest)
    assert paths
    for path in paths:
        assert path in EVERY_FIELD, path


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_no_word_of_it_is_a_word_for_a_field(subject: Unmodelled) -> None:
    fields = {path.rpartition(".")[2] for path in EVERY_FIELD}
    for word in subject.words:
        name = "_".join(word.split())
        assert name not in fields_of_words()
        assert name not in NOTES
        assert name not in fields
        assert unmodelled(word) == subject


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("rac", "RAC"),
        ("gc_buffer_busy", "RAC"),
        ("Flashback", "Flashback"),
        ("flashback_log", "Flashback"),
        ("merge_join", "Sort-merge joins and bloom filters"),
        ("LOB", "LOBs"),
        ("lob_bytes", "LOBs"),
        ("partitions", "Partitions"),
        ("Partition pruning", "Partitions"),
        ("parallel DML", "Parallel DML"),
        ("smart_scan", "Exadata offloading"),
    ],
)
def test_a_word_finds_its_subject(word: str, name: str) -> None:
    subject = unmodelled(word)
    assert subject is not None
    assert subject.name == name


@pytest.mark.parametrize(
    "word", ["send_cpu_fraction", "spare_fraction", "track_seek", "full_scan", "hot block", "globe", "tempo", ""]
)
def test_a_part_of_a_word_finds_nothing(word: str) -> None:
    assert unmodelled(word) is None


@pytest.mark.parametrize(
    ("setting", "subject"),
    [
        ("instance.rac=1", "RAC"),
        ("table.lob_bytes=4000", "LOBs"),
        ("table.partitions=12", "Partitions"),
        ("flashback=1", "Flashback"),
        ("smart_scan=1", "Exadata offloading"),
        ("disk.use=exadata", "Exadata offloading"),
        ("workload.kind=merge_join", "Sort-merge joins and bloom filters"),
        ("supplemental_logging=1", "Supplemental logging"),
    ],
)
def test_a_setting_says_so_instead_of_another_name(
    setting: str, subject: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = printed(["run", "full-scan-nvme", "--set", setting], capsys)
    assert f"{subject}: not modelled; nearest: " in sentence
    assert "did you mean" not in sentence


@pytest.mark.parametrize("words", [["run", "flashback"], ["list", "rac"], ["list", "partition"]])
def test_a_name_says_so_instead_of_another_name(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    sentence = printed(words, capsys)
    assert "not modelled; nearest: " in sentence
    assert "did you mean" not in sentence


def test_a_file_that_is_missing_is_a_file() -> None:
    assert "not modelled" not in str(UnknownName("scenario or file", "temp/rac.toml", ["rahn"]))


def test_compression_of_a_table_is_not_that_of_an_index() -> None:
    meaning = meant_by("compress")
    assert meaning is not None
    assert "table compression is not modelled" in meaning.hint()
