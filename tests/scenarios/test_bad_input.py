"""Each kind of bad input is one sentence: the file, the key with its section, what was got, what is allowed."""

import math
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blocktime.model.errors import OutsideLaw, SpecError, UnknownName
from blocktime.scenarios import from_mapping, load, run
from tests.command_line import CommandLine

FILE = "mine.toml"
LONGEST_SENTENCE = 400

BASE = "rahn-full-scan"


def one_sentence(error: pytest.ExceptionInfo[SpecError]) -> str:
    """The text of the error, once it is fit for a reader."""
    text = str(error.value)
    assert len(text.splitlines()) == 1, text
    assert text.isprintable(), text
    assert len(text) < LONGEST_SENTENCE, text
    return text


def refusal(data: dict[str, Any]) -> str:
    """What a scenario file with *data* is told."""
    with pytest.raises(SpecError) as error:
        from_mapping(data, where=FILE)
    text = one_sentence(error)
    assert text.startswith(f"{FILE}: ")
    return text


def told(data: dict[str, Any], *words: str) -> None:
    """The sentence holds each of the words: the key, what was got, what is allowed."""
    text = refusal(data)
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in: {text}"


def section(path: str, value: Any) -> dict[str, Any]:
    """``"instance.statistics.mbrc"`` and a value as nested mappings."""
    data = value
    for part in reversed(path.split(".")):
        data = {part: data}
    return dict(data)


# --- keys -------------------------------------------------------------------------------------------------------------


TABLE = tomllib.loads(Path(__file__).with_name("bad_input.toml").read_text("utf-8"))
SETTINGS = ("a setting", "a setting of tpc-c")


@pytest.mark.parametrize(
    ("kind", "file"), [(kind, file) for kind in TABLE if kind not in SETTINGS for file in TABLE[kind]]
)
def test_what_is_wrong_in_a_file_is_told_in_one_sentence(kind: str, file: str) -> None:
    data = tomllib.loads(file.replace(" & ", "\n"))
    told(data, *TABLE[kind][file])
    if kind == "an unknown key" and "workload" not in data:
        told({"base": BASE, **data}, *TABLE[kind][file])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"table": {3: 1}}, ["table.3"]),
        ({"workload": {3: 1}}, ["workload.3"]),
        ({"tablespace": {"block_size_bytes": None}}, ["tablespace.block_size_bytes", "None", "8K"]),
        ({"table": None}, ["table", "None", "section"]),
        ({"replications": None}, ["replications", "None", "whole number"]),
    ],
)
def test_what_no_file_can_say_is_told_too(data: dict[str, Any], words: list[str]) -> None:
    told(data, *words)


def test_several_faults_are_counted() -> None:
    told({"disk": {"overhead": 1, "x": 2, "y": 3}}, "disk.overhead:", "and 2 more faults: disk.x, disk.y")


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [math.nan, math.inf, -math.inf, "nan", "inf", "1e999", 10**400],
    ids=["nan", "inf", "minus inf", "'nan'", "'inf'", "'1e999'", "401 digits"],
)
@pytest.mark.parametrize(
    "path",
    [
        "table.rows",
        "table.cached_fraction",
        "disk.overhead_s",
        "disk.bandwidth_bytes_per_s",
        "host.logical_io_s",
        "client.row_s",
        "instance.buffer_cache_bytes",
        "instance.statistics.cpuspeed_hz",
        "workload.arraysize_rows",
    ],
)
@pytest.mark.parametrize("base", ["", BASE])
def test_what_is_no_finite_number_is_refused(path: str, number: Any, base: str) -> None:
    """Also where the field's value comes from a catalog entry of the base."""
    told({**({"base": base} if base else {}), **section(path, number)}, f"{path}: ")


HUGE = 10**5000
LONG = "k" * 2000


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"table": {LONG: 3}}, "table.k"),
        ({LONG: {}}, "kkk"),
        ({"base": LONG}, "base"),
        ({"base": [LONG]}, "base"),
        ({"disk": {"use": LONG}}, "disk.use"),
        ({"disk": {"use": [LONG]}}, "disk.use"),
        ({"disk": LONG}, "disk"),
        ({"table": LONG}, "table"),
        ({"instance": {"statistics": LONG}}, "instance.statistics"),
        ({"table": {"rows": LONG}}, "table.rows"),
        ({"table": {"row_bytes": LONG}}, "table.row_bytes"),
        ({"disk": {"overhead_s": LONG}}, "disk.overhead_s"),
        ({"tablespace": {"block_size_bytes": LONG}}, "tablespace.block_size_bytes"),
        ({"instance": {"release": LONG}}, "instance.release"),
        ({"instance": {"db_file_multiblock_read_count": LONG}}, "instance.db_file_multiblock_read_count"),
        ({"instance": {"db_file_multiblock_read_count": 10**400}}, "db_file_multiblock_read_count"),
        ({"workload": {"kind": LONG}}, "workload.kind"),
        ({"title": [LONG]}, "title"),
        ({"table": {"columns": [{}] * 1001}}, "table.columns"),
        ({"table": {"rows": HUGE}}, "table.rows"),
        ({"instance": {"db_file_multiblock_read_count": HUGE}}, "db_file_multiblock_read_count"),
        ({"base": HUGE}, "base"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_too_long_to_show_is_cut(data: dict[str, Any], key: str) -> None:
    told(data, key)


@pytest.mark.parametrize(
    "data",
    [
        {"x\ny": {}},
        {"table": {"ro\nws": 3}},
        {"table": {"ro\u2028ws\x1b[2J": 3}},
        {"table": {"created_by": "x\ny"}},
        {"table": {"rows": "x\ny"}},
        {"disk": {"use": "x\ny"}},
        {"base": "x\ny"},
        {"workload": {"kind": "x\ny"}},
        {"title": ["x\ny"]},
    ],
    ids=repr,
)
def test_a_line_break_in_the_input_is_none_in_the_sentence(data: dict[str, Any]) -> None:
    refusal(data)


# --- files ------------------------------------------------------------------------------------------------------------


def file_refusal(path: Path | str) -> str:
    """What the file at *path* is told."""
    with pytest.raises(SpecError) as error:
        load(path)
    return one_sentence(error)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["empty", "base or one section"]),
        (b" \n\t\n", ["empty"]),
        (bytes(range(256)), ["not text", "UTF-8"]),
        ("[table]\ncreated_by='é'".encode("latin-1"), ["not text", "UTF-8"]),
        (b"\0\0\0", ["not TOML"]),
        (b"hello world", ["not TOML", "line 1"]),
        (b"[table\nrows = 3", ["not TOML", "line 1"]),
        (b"[disk]\nuse='nvme'\n[disk]\n", ["not TOML", "line 3"]),
        (b"#" * 2_000_000, ["2,000,000", "1,000,000"]),
        (b"a = " + b"[" * 50_000 + b"]" * 50_000, ["not TOML", "nested too deeply"]),
        (b"a = " + b"{a=" * 50_000 + b"1" + b"}" * 50_000, ["not TOML", "nested too deeply"]),
        (("a." * 20_000 + "b = 1").encode(), ["nested too deeply"]),
        (b"[table]\nrows = " + b"9" * 5000, ["not TOML"]),
        (b"[table]\nrows = 1979-05-27", ["table.rows:", "1979", "whole number"]),
        (b"[table]\nrows = nan", ["table.rows:", "nan", "finite number"]),
        (b"[table]\r\nrows = 0\r\n", ["table.rows:", "got 0"]),
        (b"[[table]]\nrows = 1\n", ["table:", "section"]),
        (b'[table]\n"a\\nb" = 3', ["table.a"]),
        (b"[table]\n" + b"a" * 3000 + b" = 3", ["table.a"]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_bad_file_is_named(tmp_path: Path, content: bytes, words: list[str]) -> None:
    path = tmp_path / FILE
    path.write_bytes(content)
    text = file_refusal(path)
    missing = [word for word in (FILE, *words) if word not in text]
    assert not missing, f"{missing} not in: {text}"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_a_hundred_megabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / FILE
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    assert FILE in file_refusal(path)
    assert "104,857,600" in file_refusal(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName) as error:
        load(tmp_path / FILE)
    assert FILE in one_sentence(error)


@pytest.mark.parametrize(
    "name", ["n" * 1000, "n" * 1000 + ".toml", "x\0y.toml", "x\ny.toml", "a/b/c", "\x1b[2J.toml"], ids=range(6)
)
def test_a_name_that_no_file_can_have_is_one_sentence(name: str) -> None:
    file_refusal(name)


def test_a_name_near_a_library_scenario_offers_it() -> None:
    with pytest.raises(UnknownName, match="did you mean rahn-full-scan"):
        load("rahn-fullscan")


def test_a_directory_is_no_scenario(tmp_path: Path) -> None:
    assert "is not a file" in file_refusal(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / FILE
    os.mkfifo(path)
    assert "is not a file" in file_refusal(path)


def test_a_link_in_a_circle_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.symlink_to(path)
    assert FILE in file_refusal(path)


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read anything, so the refusal is put in place of the file's mode."""
    path = tmp_path / FILE
    path.write_text("[table]\nrows = 3\n", encoding="utf-8")

    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    text = file_refusal(path)
    assert FILE in text
    assert "Permission denied" in text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("[table]\nrows = 3\n", encoding="utf-8")
    path.chmod(0)
    assert "Permission denied" in file_refusal(path)


def test_a_fault_of_the_file_is_not_put_on_the_settings(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("[table]\nrows = 0\n", encoding="utf-8")
    with pytest.raises(SpecError) as error:
        load(path, ["disk.use=nvme"])
    assert FILE in one_sentence(error)


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        *TABLE["a setting"].items(),
        ("table.rows=" + "9" * 5000, ["table.rows"]),
        ("table.rows=" + "[" * 50_000, ["table.rows"]),
        ("disk." + "x" * 2000 + "=3", ["disk.x"]),
        ("x" * 2000, ["--set"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_setting_is_told_as_one(setting: str, words: list[str]) -> None:
    with pytest.raises(SpecError) as error:
        load(BASE, [setting])
    text = one_sentence(error)
    missing = [word for word in ("--set", *words) if word not in text]
    assert not missing, f"{missing} not in: {text}"


@pytest.mark.parametrize("settings", TABLE["a setting of tpc-c"])
def test_a_bad_setting_of_transactions_is_one_sentence_at_the_command_line(
    settings: str, blocktime: CommandLine
) -> None:
    options = [part for setting in settings.split(" & ") for part in ("--set", setting)]
    said = blocktime.refuses("run", "tpc-c", *options).strip()
    assert len(said) < LONGEST_SENTENCE
    assert [word for word in TABLE["a setting of tpc-c"][settings] if word not in said] == []


def test_a_setting_below_a_value_is_refused() -> None:
    with pytest.raises(SpecError, match="was set to a value before"):
        load(BASE, ["table.rows=3", "table.rows.x=4"])


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        ({"workload": {"kind": "write_stream", "start_byte": "80G"}}, "beyond the device's end at 77,309,411,328"),
        (
            {"host": {"io_path": "direct"}, "workload": {"kind": "read_stream", "block_size_bytes": 8000}},
            "8000 is no multiple of 512",
        ),
        (
            {
                "host": {"io_path": "buffered", "filesystem": "ext3"},
                "disk": {"capacity_bytes": "1M"},
                "workload": {"kind": "write_stream", "block_size_bytes": 4096, "count": 256},
            },
            "beyond the device's end",
        ),
    ],
)
def test_calls_that_the_device_cannot_take_are_refused(scenario: dict[str, Any], said: str) -> None:
    with pytest.raises(OutsideLaw, match=said):
        run(from_mapping(scenario))


def test_an_index_scan_says_where_its_index_is_described() -> None:
    indexes = {"indexes": [{"key_bytes": 8}]}
    told = {
        kind: run(from_mapping({"table": indexes, "workload": {"kind": kind}})).warnings
        for kind in ("index_range_scan", "full_scan")
    }
    assert (
        "table.indexes has no effect on an index range scan: its index is described by [index]"
        in told["index_range_scan"]
    )
    assert "table.indexes has no effect on a full scan" in told["full_scan"]
