"""The report of a sweep, the table it is made from, and the files that a table is kept in."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from blocktime.app.command.sweep_cli import sweep as command
from blocktime.app.controls.settings import settle
from blocktime.app.reports import sweep_report
from blocktime.app.reports.sweep_table import SweepTable, table_bytes, table_in, table_of, zipped_csv
from blocktime.app.text.sweep_text import summary_of
from blocktime.model.errors import SpecError, UnknownName
from blocktime.scenarios import load, run
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping, write

AXES = ["tablespace.block_size_bytes=8K,16K", "workload.arraysize_rows=15,100"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture(scope="module")
def found(folder: Path) -> SweepTable:
    """Four points by the law, one field of the base changed; also as files."""
    at = SweepBackend(workers=1, store=folder / "store")
    with sweeping(plan_of("rahn-full-scan", AXES, settings=["table.pctfree_percent=20"]), at) as rows:
        for ending in (".parquet", ".csv"):
            write(rows, folder / f"kept{ending}")
        return table_of(rows)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.rows += tag == "tr"
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_report_says_what_was_asked_what_moves_it_and_has_every_point(found: SweepTable) -> None:
    page = sweep_report.page_of(found, [found.summary("elapsed_s"), found.summary("consistent_gets")])
    tags = _Tags()
    tags.feed(page)
    assert tags.links == []
    assert tags.rows == 1 + len(found)
    assert "<li>tablespace.block_size_bytes: 8K, 16K</li>" in page
    assert "<li>base scenario: rahn-full-scan</li>" in page
    assert page.count("Effect of each field (mean over all others)") == 2
    assert page.count('<figure class="chart"') == 4
    assert "elapsed time of one session" in page
    assert "The constants with their sources" in page


def test_a_report_of_one_field_is_a_line(folder: Path) -> None:
    at = SweepBackend(workers=1, store=folder / "store")
    with sweeping(plan_of("rahn-full-scan", AXES[1:]), at) as rows:
        page = sweep_report.sweep_page(rows, [summary_of(rows, "elapsed_s")])
    assert page.count('<figure class="chart"') == 1
    assert "lowest" in page


def test_what_a_scenario_calls_itself_is_no_markup(found: SweepTable) -> None:
    about = {**found.about, "scenario": {**found.about["scenario"], "title": "<script>alert(1)</script>"}}
    page = sweep_report.page_of(SweepTable(found.columns, found.values, about), [found.summary("elapsed_s")])
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_command_writes_the_report(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    words = ["rahn-full-scan", "--vary", AXES[1], "--html", str(out), "--store", str(tmp_path / "store")]
    result = CliRunner().invoke(command, [*words, "--quiet"])
    assert result.exit_code == 0
    assert "What was asked" in out.read_text("utf-8")


def test_a_point_opens_as_the_scenario_that_it_is(found: SweepTable) -> None:
    place = found.changes(3)
    assert place is not None
    base, changes = place
    assert (base, changes) == (
        "rahn-full-scan",
        {"table.pctfree_percent": "20", "tablespace.block_size_bytes": "16384", "workload.arraysize_rows": "100"},
    )
    answer = run(load(base, [f"{key}={text}" for key, text in changes.items()]))
    assert answer.time.elapsed_s == found.values["elapsed_s"][3]


def test_a_point_of_no_library_scenario_has_no_link(found: SweepTable) -> None:
    about = {**found.about, "scenario": {"name": "mine"}}
    assert SweepTable(found.columns, found.values, about).changes(0) is None


def test_a_point_of_a_scenario_with_a_list_opens_with_it(found: SweepTable) -> None:
    columns = [{"name": "a", "bytes": 7.5}, {"name": "b", "bytes": 20}]
    scenario = {**found.about["scenario"], "table": {"columns": columns}}
    place = SweepTable(found.columns, found.values, {**found.about, "scenario": scenario}).changes(0)
    assert place is not None
    shown, refused = settle(*place)
    assert not refused
    assert shown.differences["table"]["columns"] == columns


def test_the_document_is_the_same_sweep(found: SweepTable, folder: Path) -> None:
    path = folder / "again.toml"
    path.write_text(found.document(), "utf-8")
    with sweeping(plan_of(path), SweepBackend(workers=1, store=folder / "store")) as rows:
        again = table_of(rows)
        assert rows.outcome.reused == len(found)
    assert again.values["elapsed_s"].tolist() == found.values["elapsed_s"].tolist()


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_a_table_from_memory_is_byte_for_byte_the_written_one(found: SweepTable, folder: Path, ending: str) -> None:
    assert table_bytes(found, ending) == (folder / f"kept{ending}").read_bytes()


@pytest.mark.parametrize("names", [["kept.parquet"], ["kept.csv", "kept.csv.json"]])
def test_a_kept_table_is_read_back_whole(found: SweepTable, folder: Path, names: list[str]) -> None:
    again = table_in({name: (folder / name).read_bytes() for name in names})
    assert again.keys == found.keys
    assert again.summary("elapsed_s").values.tolist() == found.summary("elapsed_s").values.tolist()
    assert again.summary("elapsed_s").axes == found.summary("elapsed_s").axes
    assert again.changes(1) == found.changes(1)


def test_the_archive_holds_the_table_and_its_description(found: SweepTable) -> None:
    from io import BytesIO
    from zipfile import ZipFile

    with ZipFile(BytesIO(zipped_csv(found))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert sorted(files) == ["rahn-full-scan-sweep.csv", "rahn-full-scan-sweep.csv.json"]
    assert len(table_in(files)) == len(found)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "got none; a table of a sweep is one .parquet file"),
        ({"a.parquet": b"", "b.parquet": b""}, "got a.parquet, b.parquet"),
        ({"a.csv": b"x"}, "a.csv.json, which is written beside it, is missing"),
        ({"a.parquet": b"PAR1 no more"}, "a.parquet: is damaged, or not a table of a sweep"),
        ({"../../a.csv": b"x", "a.csv.json": b"{}"}, "a.csv: is damaged"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(files: dict[str, bytes], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        table_in(files)
    assert words in str(caught.value)
    assert "/tmp" not in str(caught.value)


def test_a_table_of_somebody_else_is_refused(tmp_path: Path) -> None:
    from blocktime.scenarios.sweeps.table import TableColumn, open_table

    path = tmp_path / "other.parquet"
    with open_table(path, [TableColumn("point", "whole", "", "")], {"program": "other"}, False) as table:
        table.write({"point": [1]})
    with pytest.raises(SpecError, match="not a table of a sweep"):
        table_in({"other.parquet": path.read_bytes()})


def test_a_measure_that_no_point_has_is_refused(found: SweepTable) -> None:
    with pytest.raises(UnknownName, match="no measure named 'response_s'"):
        found.summary("response_s")
