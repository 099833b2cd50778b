"""Tables of sweeps that somebody uploads: edited, another's, too large, oddly named; each is a sentence or is shown."""

import io
import json
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pytest
from pyarrow import parquet

from blocktime.app.reports import sweep_report, sweep_size
from blocktime.app.reports.sweep_table import SweepTable, table_bytes, table_in, table_of, zipped_csv
from blocktime.app.sweep.sweep_columns import ShownColumn, table_column
from blocktime.app.sweep.sweep_view import columns_of
from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps, make_sweep, source_of_sweep
from blocktime.scenarios.sweeps.sweep_spec import sweep_of

AXES = ["tablespace.block_size_bytes=8K,16K", "workload.arraysize_rows=15,100"]
DEEP: list[Any] = []
for _ in range(900):
    DEEP = [DEEP]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> SweepTable:
    at = SweepBackend(workers=1, store=tmp_path_factory.mktemp("store"))
    with sweeping(plan_of("rahn-full-scan", AXES, settings=["table.pctfree_percent=20"]), at) as rows:
        return table_of(rows)


@pytest.fixture(scope="module")
def kept(found: SweepTable) -> tuple[bytes, dict[str, Any]]:
    """The table as CSV, and what describes it."""
    with ZipFile(io.BytesIO(zipped_csv(found))) as archive:
        table, described = sorted(archive.namelist())
        return archive.read(table), json.loads(archive.read(described))


def given(table: bytes, described: object, name: str = "x.csv") -> SweepTable:
    return table_in({name: table, f"{name}.json": json.dumps(described).encode()})


def everything(found: SweepTable) -> None:
    """All that the page makes of a table."""
    summary = found.summary(found.measures[0])
    sweep_report.page_of(found, [summary])
    columns_of(found, summary)
    found.document()
    found.changes(0)
    table_bytes(found, ".parquet")
    zipped_csv(found)


def edited(described: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    whole = deepcopy(described)
    *above, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place: Any = whole
    for part in above:
        place = place[part]
    place[last] = value
    return whole


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("about", [], "is damaged, or not a table of a sweep"),
        ("about/scenario", [], "scenario: got []; it is a table of fields"),
        ("about/scenario/name", "", "scenario.name: got ''; it must be a text"),
        ("about/scenario/title", 5, "scenario.title: got 5; it must be a text"),
        ("about/scenario/base", [], "scenario.base: got []; it must be a text"),
        ("about/scenario/base", {}, "scenario.base: got {}; it must be a text"),
        ("about/scenario/base", None, "scenario.base: got None; it must be a text"),
        ("about/scenario/table", None, "scenario.table: got None; a scenario has no null"),
        ("about/scenario/table", 5, "scenario.table: got 5; it is a table of fields"),
        ("about/scenario/table", {"rows": [1, None]}, "a scenario has no null"),
        ("about/scenario/table", {"rows": DEEP}, "no sweep has written that"),
        ("about/sweep", None, "sweep: got None; it is a table with fields"),
        ("about/sweep/measures", 5, "sweep.measures: got 5; it is a list"),
        ("about/sweep/axis", [], "sweep: axis: there is none"),
        ("about/sweep/axis/1/key", AXES[0].partition("=")[0], "is the key of 2 axes"),
        ("about/sweep/axis/0/key", "disk.nope", "it has no column disk.nope"),
        ("about/sweep/axis/0/values", [None], "sweep.axis.0.values: got None"),
        ("about/seeds", 5, "seeds: got 5; it is a list"),
        ("about/seeds", None, "seeds: got None; it is a list"),
        ("about/seeds", ["a"], "seeds.0: got 'a'; it must be a whole number"),
        ("about/reference", {"elapsed_s": "x"}, "reference.elapsed_s: got 'x'; it must be a number"),
        ("about/constants", {"disk": DEEP}, "no sweep has written that"),
        ("columns/0/kind", "text", "column point: got text; a sweep's is whole"),
        ("columns/0/says", 5, "says: got 5; it must be a text"),
    ],
)
def test_an_edited_description_is_refused_in_one_sentence(
    kept: tuple[bytes, dict[str, Any]], path: str, value: object, words: str
) -> None:
    table, described = kept
    with pytest.raises(SpecError) as caught:
        everything(given(table, edited(described, path, value)))
    assert str(caught.value).startswith("x.csv: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", sorted(library_of_sweeps()))
def test_what_a_sweep_says_of_itself_is_read_back(name: str) -> None:
    sweep = make_sweep(source_of_sweep(name))
    assert sweep_of(json.loads(sweep.model_dump_json(exclude_none=True))) == sweep


def test_a_table_with_only_its_heading_and_one_with_an_empty_cell_are_refused(
    kept: tuple[bytes, dict[str, Any]],
) -> None:
    table, described = kept
    for content, words in (
        (table.splitlines(keepends=True)[0], "has no rows"),
        (table.replace(b"8192", b""), "column tablespace.block_size_bytes: has a row without a value"),
    ):
        with pytest.raises(SpecError, match=words):
            given(content, {**described, "bytes": len(content)})


@pytest.mark.parametrize("number", [b"inf", b"1e308", b"-1e31", b"5e-324"])
def test_numbers_beyond_all_measure_are_refused(
    found: SweepTable, kept: tuple[bytes, dict[str, Any]], number: bytes
) -> None:
    table, described = kept
    content = table.replace(repr(float(found.values["elapsed_s"][1])).encode(), number)
    with pytest.raises(SpecError, match=r"column elapsed_s: got .*; allowed are 0 and sizes from 1e-30 to 1e\+30"):
        given(content, {**described, "bytes": len(content)})
    with pytest.raises(SpecError, match=r"^x.csv: reference"):
        given(table, edited(described, "about/reference", {"elapsed_s": float(number)}))


@pytest.mark.parametrize("stem", ["漢" * 84, "x" * 300, "a\0b"])
def test_a_name_that_no_file_may_have_is_a_table_all_the_same(
    found: SweepTable, kept: tuple[bytes, dict[str, Any]], stem: str
) -> None:
    whole = table_bytes(found, ".parquet")
    assert len(table_in({f"{stem}.parquet": whole})) == len(found)
    assert len(given(*kept, f"{stem}.csv")) == len(found)
    with pytest.raises(SpecError) as caught:
        table_in({f"{stem}.parquet": whole[:-100]})
    assert "/tmp" not in str(caught.value)
    assert "is damaged" in str(caught.value)


def test_a_disk_without_room_is_a_sentence(found: SweepTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SpecError, match=r"^x.parquet: could not be read \(No space left on device\)$"):
        table_in({"x.parquet": b"PAR1"})


@pytest.mark.parametrize("name", ["../../elsewhere", "/elsewhere", "x" * 300, "a\r\nb: c", "..."])
def test_files_that_are_taken_away_stay_in_their_folder(
    found: SweepTable, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a/b"))
    (tmp_path / "a/b").mkdir(parents=True)
    scenario = {**found.about["scenario"], "name": name}
    other = replace(found, about={**found.about, "scenario": scenario})
    with ZipFile(io.BytesIO(zipped_csv(other))) as archive:
        assert sorted(archive.namelist()) == [f"{other.stem}.csv", f"{other.stem}.csv.json"]
    assert not {"/", "\r", "\n"} & set(other.stem)
    assert len(other.stem) < 100
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


# Size


def many_rows(found: SweepTable, change: Callable[[pa.Table], pa.Table]) -> bytes:
    """A table of repeated rows, which takes few bytes as a file."""
    table = change(parquet.read_table(io.BytesIO(table_bytes(found, ".parquet"))))
    packed = io.BytesIO()
    parquet.write_table(table, packed, compression="zstd")
    return packed.getvalue()


def test_more_rows_than_the_page_reads_are_refused_before_they_are_read(
    found: SweepTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blocktime.app.reports.sweep_table.read_table", lambda path: pytest.fail("it was read"))
    content = many_rows(found, lambda table: table.take([0] * (sweep_size.MOST_ROWS + 1)))
    assert len(content) < 1_000_000
    with pytest.raises(SpecError, match=r"^x\.parquet: got 250,001 rows; this page reads up to 250,000"):
        table_in({"x.parquet": content})


def test_texts_are_measured_as_each_row_has_them(found: SweepTable) -> None:
    def with_long_errors(table: pa.Table) -> pa.Table:
        rows = table.take([0] * 30_000)
        place = rows.schema.get_field_index("error")
        return rows.set_column(place, rows.schema.field(place), pa.array(["y" * 5_000] * len(rows)))

    content = many_rows(found, with_long_errors)
    assert len(content) < 1_000_000
    with pytest.raises(SpecError, match=r"got 150,\d+,000 bytes of text; this page reads up to 100,000,000"):
        table_in({"x.parquet": content})


def test_columns_are_counted(found: SweepTable) -> None:
    def wide(table: pa.Table) -> pa.Table:
        for place in range(sweep_size.MOST_COLUMNS):
            table = table.append_column(f"c{place}", table.column("point"))
        return table

    with pytest.raises(SpecError, match="columns; this page reads up to 200"):
        table_in({"x.parquet": many_rows(found, wide)})


def test_of_a_csv_lines_columns_and_description_are_counted(
    kept: tuple[bytes, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, described = kept
    for name, most, words in (
        ("MOST_ROWS", 3, "got 4 rows; this page reads up to 3"),
        ("MOST_COLUMNS", 5, "columns; this page reads up to 5"),
        ("LARGEST_DESCRIPTION_BYTES", 100, "bytes that describe it; this page reads up to 100"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(sweep_size, name, most)
            with pytest.raises(SpecError, match=words):
                given(table, described)


@pytest.mark.parametrize(
    ("name", "values", "heading", "written"),
    [
        ("elapsed_s", [0.0016, 0.0123], "Time (ms)", ["1.60", "12.30"]),
        ("elapsed_s", [2.5e-6, 9e-6], "Time (µs)", ["2.50", "9.00"]),
        ("elapsed_s", [12.5, 125.317], "Time (s)", ["12.50", "125.32"]),
        ("elapsed_s", [0.02, 3600.0], "Time (s)", ["0.0200", "3600.0000"]),
        ("elapsed_s", [10.0011, 10.0012], "Time (s)", ["10.001100", "10.001200"]),
        ("cache_fraction", [0.00123, 0.5], "Time (%)", ["0.123", "50.000"]),
        ("cost_total", [0.000123], "Time", ["0.000123"]),
    ],
)
def test_numbers_stand_in_the_unit_that_suits_them(
    name: str, values: list[float], heading: str, written: list[str]
) -> None:
    column = table_column(name, "Time", values)
    assert column.heading == heading
    assert [column.format % value for value in column.values] == written


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("workload.users", [1, 20], ShownColumn("F", [1, 20])),
        ("elapsed_s", [0.0, 0.0], ShownColumn("F (s)", [0.0, 0.0])),
        ("elapsed_s", [math.nan, 3.0, None], ShownColumn("F (s)", [None, 3.0, None])),
        ("elapsed_s", [math.nan], ShownColumn("F", [None])),
        ("tablespace.block_size_bytes", [8192, 16384], ShownColumn("F", ["8K", "16K"])),
        ("disk.use", ["nvme", "1.50"], ShownColumn("F", ["nvme", "1.50"])),
        ("table.assm", [True, False], ShownColumn("F", [True, False])),
    ],
)
def test_whole_numbers_words_sizes_and_gaps_stay_what_they_are(
    name: str, values: list[object], wanted: ShownColumn
) -> None:
    assert table_column(name, "F", values) == wanted
