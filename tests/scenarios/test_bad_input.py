"""Each kind of bad input is one sentence: the file, the key with its section, what was got, what is allowed."""

import math
import os
from pathlib import Path
from typing import Any

import pytest

from blocktime.model.errors import OutsideLaw, SpecError, UnknownName
from blocktime.scenarios import from_mapping, load, run

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


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"tablespac": {}}, ["tablespac", "did you mean tablespace"]),
        ({"sweeps": {}}, ["no section named 'sweeps'"]),
        ({"titel": "x"}, ["titel", "did you mean title"]),
        ({"table": {"row": 1}}, ["table.row:", "did you mean rows"]),
        ({"table": {"zzz": 1}}, ["table.zzz:", "known are", "rows", "pctfree_percent"]),
        ({"tablespace": {"blocksize": 1}}, ["tablespace.blocksize:", "block_size_bytes"]),
        ({"instance": {"mbrc_": 1}}, ["instance.mbrc_:"]),
        ({"instance": {"db_block_size": 8192}}, ["instance.db_block_size:", "db_block_size_bytes"]),
        ({"instance": {"statistics": {"cpuspeed": 1}}}, ["instance.statistics.cpuspeed:", "cpuspeed_hz"]),
        ({"host": {"cpu": 1}}, ["host.cpu:", "cpus"]),
        ({"client": {"sdu": 1}}, ["client.sdu:", "sdu_bytes"]),
        ({"index": {"clusterin": 1}}, ["index.clusterin:", "clustering"]),
        ({"disk": {"bandwidth": 1}}, ["disk.bandwidth:", "bandwidth_bytes_per_s"]),
        ({"disk": {"use": "nvme", "bandwidth": 1}}, ["disk.bandwidth:", "bandwidth_bytes_per_s"]),
        ({"workload": {"arraysize": 1}}, ["workload.arraysize:", "arraysize_rows"]),
        ({"workload": {"selectivity_fraction": 0.1}}, ["workload.selectivity_fraction:", "index_range_scan"]),
        ({"table": {"use": "nvme"}}, ["table.use:", "no such field"]),
        ({"table": {"columns": [{"byte": 3}]}}, ["table.columns.0.byte:", "did you mean bytes"]),
        ({"workload": {"int": 3}}, ["workload.int:", "no such field"]),
        ({"workload": {"full_scan": 3}}, ["workload.full_scan:", "no such field"]),
        ({"table": {"float": 3}}, ["table.float:", "no such field"]),
        ({"table": {"columns": [{"int": 3}]}}, ["table.columns.0.int:", "no such field"]),
        ({"table": {3: 1}}, ["table.3"]),
        ({"workload": {3: 1}}, ["workload.3"]),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_unknown_key_is_named_with_its_section_and_the_nearest(
    data: dict[str, Any], words: list[str]
) -> None:
    told(data, *words)
    if "workload" not in data:
        told({"base": BASE, **data}, *words)


def test_several_faults_are_counted() -> None:
    told({"disk": {"overhead": 1, "x": 2, "y": 3}}, "disk.overhead:", "and 2 more faults: disk.x, disk.y")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"base": "rahn-ful-scan"}, ["base scenario", "'rahn-ful-scan'", "did you mean rahn-full-scan"]),
        ({"base": ""}, ["base scenario", "known"]),
        ({"disk": {"use": "nvmee"}}, ["disk.use:", "'nvmee'", "did you mean nvme"]),
        ({"host": {"use": "rahn"}}, ["host.use:", "'rahn'", "rahn-2008"]),
        ({"client": {"use": "remote"}}, ["client.use:", "'remote'", "local"]),
        ({"instance": {"statistics": {"use": "x"}}}, ["instance.statistics.use:", "'x'", "rahn-2008"]),
        (
            {"workload": {"kind": "fullscan"}},
            ["workload.kind:", "'fullscan'", "full_scan", "index_range_scan"],
        ),
        ({"workload": {"kind": 3}}, ["workload.kind:", "full_scan", "index_range_scan"]),
        (
            {"tablespace": {"space_management": "auto"}},
            ["tablespace.space_management:", "'auto'", "assm", "manual"],
        ),
        ({"host": {"scheduler": "anticipatory"}}, ["host.scheduler:", "'anticipatory'", "cfq", "kyber"]),
        ({"table": {"columns": [{"type": "blob"}]}}, ["table.columns.0.type:", "'blob'", "varchar2"]),
        ({"instance": {"release": "eleven"}}, ["instance.release:", "'eleven'", "11.1.0.6"]),
        ({"instance": {"release": "7.3"}}, ["instance.release:", "'7.3'", "8.1"]),
        ({"instance": {"release": "11.1\n"}}, ["instance.release:", "11.1.0.6"]),
        ({"instance": {"release": "١١.١"}}, ["instance.release:", "11.1.0.6"]),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_unknown_name_offers_what_there_is(data: dict[str, Any], words: list[str]) -> None:
    told(data, *words)


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("table.rows", "many", ["'many'", "number"]),
        ("table.rows", True, ["True", "number"]),
        ("table.rows", 1.5, ["1.5", "whole number"]),
        ("table.rows", [1], ["[1]", "whole number"]),
        ("table.rows", {}, ["{}", "whole number"]),
        ("table.row_bytes", "long", ["'long'", "8K"]),
        ("table.row_bytes", [1], ["[1]", "number"]),
        ("instance.buffer_cache_bytes", "-1G", ["'-1G'", "8K"]),
        ("instance.buffer_cache_bytes", "1.00001K", ["1024.01024", "whole number"]),
        ("disk.overhead_s", "fast", ["'fast'", "5ms"]),
        ("disk.overhead_s", False, ["False", "number"]),
        ("tablespace.block_size_bytes", "big", ["'big'", "8K"]),
        ("tablespace.block_size_bytes", None, ["None", "8K"]),
        ("instance.disk_asynch_io", "maybe", ["'maybe'", "true or false"]),
        ("instance.disk_asynch_io", 7, ["7", "true or false"]),
        ("instance.statistics.mbrc", "all", ["'all'", "number"]),
        ("instance.statistics", 4, ["4", "section"]),
        ("instance.db_file_multiblock_read_count", "many", ["'many'", "auto", "number"]),
        ("instance.db_file_multiblock_read_count", 1.5, ["1.5", "auto", "number"]),
        ("instance.db_file_multiblock_read_count", True, ["True", "auto", "number"]),
        ("table", 3, ["3", "section"]),
        ("table", None, ["None", "section"]),
        ("workload", [], ["[]", "section"]),
        ("table.columns", 3, ["3", "list"]),
        ("table.columns", "abc", ["'abc'", "list"]),
        ("table.columns", [3], ["3", "section"]),
        ("workload.arraysize_rows", "x", ["'x'", "number"]),
        ("workload.users", 1.5, ["1.5", "whole number"]),
        ("disk.use", 3, ["3", "name"]),
        ("instance.statistics.use", [], ["[]", "name"]),
        ("base", 3, ["3", "library scenario"]),
        ("base", {}, ["{}", "library scenario"]),
        ("title", 3, ["3", "text"]),
        ("source", [], ["[]", "text"]),
        ("seed", "x", ["'x'", "number"]),
        ("replications", None, ["None", "whole number"]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_wrong_type_says_what_was_got_and_what_it_must_be(path: str, value: Any, words: list[str]) -> None:
    told(section(path, value), f"{path}", *words)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("table.rows", 0, ["got 0", "at least 1"]),
        ("table.rows", -5, ["got -5", "at least 1"]),
        ("table.rows", 10**13, ["at most 1,000,000,000,000"]),
        ("table.pctfree_percent", 100, ["got 100", "at most 99"]),
        ("table.pctfree_percent", -1, ["got -1", "at least 0"]),
        ("tablespace.block_size_bytes", 5000, ["5000", "2K, 4K, 8K, 16K or 32K"]),
        ("tablespace.block_size_bytes", "5K", ["5K", "8K"]),
        ("tablespace.block_size_bytes", -8192, ["-8K", "8K"]),
        ("instance.db_block_size_bytes", 1024, ["1K", "8K"]),
        ("instance.buffer_cache_bytes", -1, ["got -1", "at least 1M"]),
        ("instance.sessions", 0, ["got 0", "at least 1"]),
        ("instance.max_io_bytes", 1, ["got 1", "at least 32K"]),
        ("instance.statistics.cpuspeed_hz", 0, ["got 0", "at least 1"]),
        ("table.row_bytes", -5, ["got -5", "at least 3"]),
        ("table.row_bytes", 2, ["got 2", "at least 3"]),
        ("table.cached_fraction", 1.1, ["got 1.1", "at most 1"]),
        ("table.initrans", 0, ["got 0", "at least 1"]),
        ("table.initrans", 256, ["got 256", "at most 255"]),
        ("table.columns", [{"bytes": 4001}], ["got 4001", "at most 4"]),
        ("table.columns", [{"null_fraction": 2}], ["got 2", "at most 1"]),
        ("table.blocks", 0, ["got 0", "at least 1"]),
        ("index.blevel", 24, ["got 24", "at most 23"]),
        ("host.cpus", 0, ["got 0", "at least 1"]),
        ("disk.overhead_s", -1, ["got -1", "at least 0"]),
        ("disk.bandwidth_bytes_per_s", 0, ["got 0", "at least 1"]),
        ("disk.parallel_requests", 0, ["got 0", "at least 1"]),
        ("workload.arraysize_rows", 0, ["got 0", "at least 1"]),
        ("workload.users", 0, ["got 0", "at least 1"]),
        ("seed", -1, ["got -1", "at least 0"]),
        ("seed", 2**63, ["at most"]),
        ("replications", 0, ["got 0", "at least 1"]),
        ("replications", 1001, ["got 1001", "at most 1,000"]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_out_of_range_says_the_limit(path: str, value: Any, words: list[str]) -> None:
    told(section(path, value), f"{path}", *words)


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


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"instance": {"db_file_multiblock_read_count": 129}},
            ["instance", "db_file_multiblock_read_count 129", "0 to 128", "1048576"],
        ),
        (
            {"instance": {"db_file_multiblock_read_count": -1}},
            ["db_file_multiblock_read_count: got -1", "at least 0"],
        ),
        (
            {"instance": {"db_file_multiblock_read_count": 65, "db_block_size_bytes": "16K"}},
            ["db_file_multiblock_read_count 65", "0 to 64", "16384"],
        ),
        (
            {"table": {"cached_fraction": 0.1, "dirty_fraction": 0.2}},
            ["table", "dirty_fraction 0.2", "cached_fraction 0.1"],
        ),
        ({"table": {"columns": [{"bytes": 3}], "row_bytes": 100}}, ["table", "columns", "row_bytes"]),
        ({"table": {"columns": [{"bytes": 3}], "column_count": 9}}, ["table", "columns", "column_count"]),
        (
            {"tablespace": {"extent_management": "uniform", "uniform_extent_bytes": 100_000}},
            ["tablespace", "uniform_extent_bytes 100000", "block_size_bytes 8192"],
        ),
        (
            {"tablespace": {"extent_management": "uniform", "uniform_extent_bytes": "32K"}},
            ["tablespace", "uniform_extent_bytes 32768", "5 blocks"],
        ),
        ({"table": {"initrans": 200}, "tablespace": {"block_size_bytes": 2048}}, ["initrans 200", "2048"]),
        (
            {"instance": {"direct_read_slots": 8, "direct_read_slots_limit": 4}},
            ["instance", "direct_read_slots_limit 4", "direct_read_slots 8"],
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_contradictory_fields_are_both_named(data: dict[str, Any], words: list[str]) -> None:
    told(data, *words)


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
    "name",
    ["n" * 1000, "n" * 1000 + ".toml", "x\0y.toml", "x\ny.toml", "a/b/c", "\x1b[2J.toml"],
    ids=range(6),
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
        ("disk.use", ["disk.use", "KEY=VALUE"]),
        ("=3", ["KEY=VALUE"]),
        ("disk..x=3", ["KEY=VALUE"]),
        ("disk=nvme", ["'disk' names no field", "did you mean disk.use?"]),
        ("disk.use=", ["disk.use:", "known", "nvme"]),
        ("disk.use=nvmee", ["disk.use:", "did you mean nvme"]),
        ("table.rows=", ["table.rows:"]),
        ("table.rows=1e400", ["table.rows:", "finite"]),
        ("table.rows=abc\ndef", ["table.rows:", "number"]),
        ("table.rows.x=3", ["table.rows:"]),
        ("x.y=3", ["'x'", "known"]),
        ("disk.overhead_s=inf", ["disk.overhead_s:", "finite"]),
        ("disk.overhead_s=nan", ["disk.overhead_s:", "finite"]),
        ("instance.statistics=3", ["instance.statistics:", "section"]),
        ("tablespace.block_size_bytes=5000", ["tablespace.block_size_bytes:", "8K"]),
        ("table.pctfree_percent=100", ["table.pctfree_percent:", "at most 99"]),
        ("workload.arraysize_rows=0", ["workload.arraysize_rows:", "at least 1"]),
        ("workload.kind=full", ["workload.kind:", "'full'", "full_scan"]),
        ("table.rows=" + "9" * 5000, ["table.rows"]),
        ("table.rows=" + "[" * 50_000, ["table.rows"]),
        ("disk." + "x" * 2000 + "=3", ["disk.x"]),
        ("x" * 2000, ["--set"]),
        ("base.x=3", ["base"]),
        ("seed.x=3", ["seed"]),
        ("title.x=3", ["title"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_setting_is_told_as_one(setting: str, words: list[str]) -> None:
    with pytest.raises(SpecError) as error:
        load(BASE, [setting])
    text = one_sentence(error)
    missing = [word for word in ("--set", *words) if word not in text]
    assert not missing, f"{missing} not in: {text}"


def test_a_setting_below_a_value_is_refused() -> None:
    with pytest.raises(SpecError, match="was set to a value before"):
        load(BASE, ["table.rows=3", "table.rows.x=4"])


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        (
            {"beside": [{"kind": "read_stream", "count": 0}]},
            ["workload.beside.0.count: got 0; allowed is at least 1"],
        ),
        (
            {"beside": [{"kind": "read_stream", "cuont": 5}]},
            ["workload.beside.0.cuont", "did you mean count"],
        ),
        (
            {"beside": [{"kind": "read_stream"}] * 17},
            ["workload.beside: got 17 of them; allowed are at most 16"],
        ),
        (
            {"beside": [{"kind": "read_stream", "beside": [{"kind": "read_stream"}]}]},
            ["workload.beside.0.beside: a program in workload.beside cannot have a list of its own; put all"],
        ),
        ({"block_size_bytes": 0}, ["workload.block_size_bytes: got 0; allowed is at least 512"]),
        ({"rate_per_s": 0}, ["workload.rate_per_s: got 0; allowed is at least 0.000001"]),
        ({"rate_per_s": -5.0}, ["workload.rate_per_s", "at least"]),
        ({"rate_per_s": 5, "in_flight": 2}, ["an open workload", "a closed one"]),
        ({"pattern": "strided"}, ["pattern strided needs stride_bytes"]),
        ({"span_bytes": 4096}, ["span_bytes 4096 is less than block_size_bytes 8192"]),
        ({"fsync_every": 3}, ["fsync_every is for a write_stream"]),
    ],
)
def test_a_stream_that_cannot_be_gets_one_sentence(workload: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SpecError) as found:
        from_mapping({"workload": {"kind": "read_stream", **workload}})
    assert all(word in str(found.value) for word in words), str(found.value)


@pytest.mark.parametrize(
    ("disk", "words"),
    [
        ({"raid_level": 5}, ["raid_disks 1 does not suit raid_level 5"]),
        ({"raid_level": "10", "raid_disks": 5}, ["raid_disks 5 is odd"]),
        ({"write_cache_bytes": 100}, ["less than a page of 4096"]),
        ({"service_cv": 1}, ["service_cv is for a device without positions"]),
        (
            {"service_cv": 1, "rotation_s": 0, "average_seek_s": 0, "write_cache_bytes": 1 << 20},
            ["service_cv goes without write_cache_bytes"],
        ),
        ({"burst_iops": 10}, ["burst_iops needs an iops_limit"]),
        ({"iops_limit": 0}, ["disk.iops_limit: got 0; allowed is at least 0.001"]),
        ({"queue_depth": 0}, ["disk.queue_depth: got 0; allowed is at least 1"]),
    ],
)
def test_a_device_that_cannot_be_gets_one_sentence(disk: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SpecError) as found:
        from_mapping({"disk": disk})
    assert all(word in str(found.value) for word in words), str(found.value)


def test_a_queue_that_holds_nothing_is_refused() -> None:
    with pytest.raises(SpecError, match=r"host\.nr_requests: got 0; allowed is at least 1"):
        from_mapping({"host": {"nr_requests": 0}})


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        (
            {"workload": {"kind": "write_stream", "start_byte": "80G"}},
            "beyond the device's end at 77,309,411,328",
        ),
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
