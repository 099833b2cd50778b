"""What can be taken along gives the numbers that were on the page, and opens in the programs it is meant for."""

import csv
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from blocktime.app.base import insides
from blocktime.app.command.cli import main
from blocktime.app.controls import user_files
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.app.session import downloads
from blocktime.app.session.downloads import PageAnswer
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.load import toml_in
from tests.app.scenarios_at_random import questions
from tests.whole import quick

EVIL = "<img src=x onerror=hit=1>"
OWN = f"""title = "{EVIL}"
source = "=cmd()"
[table]
rows = 100_000
[workload]
kind = "transactions"
[[workload.mix]]
name = "{EVIL}"
gets = 10
[[workload.mix]]
name = "=1+1"
[[inferred]]
field = "table.rows"
"""


def shown(name: str, changes: dict[str, str], system: dict[str, str] | None = None) -> PageAnswer:
    question = opened(name, changes, system)
    base, other, _ = question.sides()
    return PageAnswer(question, base, other, run(base), run(other))


def content_of(asked: PageAnswer, key: str) -> str:
    return next(one for one in downloads.downloads(asked) if one.key == key).content()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rahn-full-scan", {}),
        ("rahn-full-scan", {"tablespace.block_size_bytes": "16384", "instance.release": "10.2.0.4"}),
        ("rahn-full-scan", {"workload.users": "3", "table.rows": "50000"}),
        ("tpc-b", {"workload.transactions": "200", "workload.users": "2"}),
        ("tpc-c", {"workload.mix": '[{name = "a.b", gets = 40}, {name = "c", weight = 3}]'}),
        ("magni-dd-fs-10000", {"disk.use": "nvme"}),
        ("rahn-pctfree-16k-10", {"table.pctfree_percent": "11", "prices.use": "example"}),
    ],
)
def test_the_downloaded_scenario_runs_to_the_very_numbers(
    name: str, changes: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = shown(name, changes)
    same_by_command_line(asked, tmp_path, capsys)


def same_by_command_line(asked: PageAnswer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / f"{asked.stem}.toml"
    file.write_text(content_of(asked, "toml"))
    words = downloads.command_line(asked).split()
    assert words == ["blocktime", "compare" if asked.question.change else "run", file.name]
    assert main(["run", str(file), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    kept = json.loads(content_of(asked, "json"))
    assert printed.pop("scenario") == asked.stem
    assert kept.pop("scenario") == asked.other.name
    for found in (printed, kept):  # an own file's name is among them
        found["sources"] = [one for one in found["sources"] if not one.endswith(".toml")]
    assert printed == kept


def test_an_own_file_comes_back_with_its_changes_its_seed_and_what_it_inferred(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = b"""seed = 5
title = "Mine"
[table]
rows = 50_000
[disk]
use = "nvme"
[[inferred]]
field = "table.rows"
interval = [40_000, 60_000]
[[inferred]]
field = "host.cpus"
interval = [1, 3]
[host]
cpus = 2
"""
    name, *_ = user_files.opened(document, "mine.toml")
    asked = shown(name, {"host.cpus": "4", "workload.users": "2"})
    same_by_command_line(asked, tmp_path, capsys)
    again = toml_in(content_of(asked, "toml").encode(), "again")
    assert (again["seed"], again["title"], again["host"]["cpus"]) == (5, "Mine", 2)
    assert again["change"] == {"host.cpus": 4, "workload.users": 2}
    assert [one["field"] for one in again["inferred"]] == ["table.rows", "host.cpus"]
    found = from_mapping(again).system.constants
    assert found["table.rows"].interval == (40_000, 60_000)
    assert "host.cpus" not in found


def test_the_tables_say_what_the_result_says() -> None:
    asked = shown("magni-dd-raw-10000", {"disk.use": "nvme"})
    lines = list(csv.DictReader(io.StringIO(content_of(asked, "profile"))))
    assert lines[-1]["component"] == "all"
    for column, result in (("baseline s", asked.before), ("what-if s", asked.after)):
        assert float(lines[-1][column]) == result.time.elapsed_s
        assert sum(float(line[column]) for line in lines[:-1]) == pytest.approx(result.time.elapsed_s)
    of_iostat = list(csv.DictReader(io.StringIO(content_of(asked, "iostat"))))
    ((device, stats),) = asked.after.device.items()
    assert len(of_iostat) == len(stats.lines) + 1
    assert {line["device"] for line in of_iostat} == {device}
    assert float(of_iostat[-1]["w/s"]) == pytest.approx(stats.writes_per_s, abs=1e-4)
    assert float(of_iostat[-1]["await"]) == pytest.approx(1000 * stats.await_s, abs=1e-4)
    constants = list(csv.DictReader(io.StringIO(content_of(asked, "constants"))))
    assert {line["Constant"] for line in constants} == set(asked.other.system.constants)


def test_the_report_stands_alone_and_compares_where_something_is_changed() -> None:
    alone = content_of(shown("rahn-full-scan", {}), "html")
    both = content_of(shown("rahn-full-scan", {"table.pctfree_percent": "20"}), "html")
    assert "Response-time profile" in alone
    assert "Why B differs from A" in both
    for page in (alone, both):
        assert not re.findall(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""", page)


def test_the_report_names_what_was_changed_and_tells_its_two_results_apart() -> None:
    changes = {"tablespace.block_size_bytes": "16384", "table.pctfree_percent": "20"}
    page = content_of(shown("rahn-full-scan", changes), "html")
    assert "<h1>rahn-full-scan: baseline against what-if</h1>" in page
    assert "<title>rahn-full-scan: baseline against what-if – Blocktime</title>" in page
    assert "<tr><td>tablespace.block_size_bytes</td><td>8K</td><td>16K</td></tr>" in page
    assert "<tr><td>table.pctfree_percent</td><td>10 %</td><td>20 %</td></tr>" in page
    headings = re.findall(r"<summary>(The result of .*?)</summary>", page)
    assert headings == [
        "The result of A: rahn-full-scan – baseline as JSON",
        "The result of B: rahn-full-scan – what-if as JSON",
    ]


def test_no_text_of_a_file_is_run_by_a_browser_or_a_spreadsheet() -> None:
    name, *_ = user_files.opened(OWN.encode(), "own.toml")
    asked = shown(name, {"workload.users": "2"})
    for one in downloads.downloads(asked):
        content = one.content()
        if one.mime == "text/html":
            assert EVIL not in content.replace(json.dumps(EVIL), "")
        if one.mime == "text/csv":
            cells = [cell for line in csv.reader(io.StringIO(content)) for cell in line]
            assert [cell for cell in cells if cell.startswith(("=", "@", "+"))] == []
            assert [cell for cell in cells if cell.startswith("-") and not re.fullmatch(r"-[\d.e+-]+", cell)] == []


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_stands_behind_an_apostrophe(begin: str) -> None:
    assert downloads.harmless(f"{begin}1+1") == f"'{begin}1+1"
    assert downloads.harmless(f"1{begin}1") == f"1{begin}1"
    assert downloads.harmless(-1.5) == -1.5


def test_file_names_say_what_they_are() -> None:
    asked = shown("tpc-b", {"workload.users": "2"})
    assert [one.file_name for one in downloads.downloads(asked)] == [
        "tpc-b-what-if.toml",
        "tpc-b-what-if-report.html", "tpc-b-what-if-profile.csv", "tpc-b-what-if-iostat.csv",
        "tpc-b-what-if-constants.csv", "tpc-b-what-if-result.json",
    ]  # fmt: skip
    name, *_ = user_files.opened(OWN.encode(), "My own.toml")
    assert shown(name, {}).stem == "My-own"


def test_runs_that_end_before_the_browser_asks_do_not_remove_what_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))

    def made(text: str) -> str:
        name, kind = "scenario.toml", "application/toml"
        asked = files.add_deferred(lambda: insides.store_latest(text, name, kind), kind, "button", name)
        return files.execute_deferred(asked).rpartition("/")[2].partition(".")[0]

    first = made("rows = 1")
    for _ in range(3):
        files.remove_orphaned_files()
    kept = files.read_file(first)
    assert kept is not None
    assert (kept.content, kept.filename) == (b"rows = 1", "scenario.toml")
    for rows in range(2, insides.LATEST + 2):
        made(f"rows = {rows}")
    for _ in range(3):
        files.remove_orphaned_files()
    assert files.read_file(first) is None


def test_files_of_what_if_and_baseline_are_titled_by_what_they_change() -> None:
    title = user_files.title("tpc-b")
    asked = shown("tpc-b", {"workload.users": "20"}, {"workload.users": "5"})
    data = toml_in(content_of(asked, "toml").encode(), "the question")
    assert (data["title"], data["change"]) == (f"{title}, with Users 5", {"workload.users": 20})
    assert from_mapping(data).workload.users == 20
    sides = user_files.opened(content_of(asked, "toml").encode(), "a.toml")
    assert sides == ("tpc-b", {"workload.users": "20"}, {"workload.users": "5"})
    assert f"{title}, with Users 20" in content_of(asked, "html")
    alike = shown("tpc-b", {"workload.users": "20"}, {"workload.users": "20"})
    assert f"<h1>{title}, with Users 20</h1>" in content_of(alike, "html")


@settings(max_examples=quick(40, 200), deadline=None)
@given(questions())
def test_a_question_travels_by_its_file(question: PageQuestion) -> None:
    base, other, _ = question.sides()
    none = cast(RunResult, None)  # a scenario file has nothing of the answers
    text = downloads.document(PageAnswer(question, base, other, none, none))
    again = opened(*user_files.opened(text.encode(), "question.toml"))
    for before, after in zip((base, other), again.sides()[:2], strict=True):
        assert (after.system, after.workload, after.seed) == (before.system, before.workload, before.seed)
    assert set(again.change) == set(question.change)
