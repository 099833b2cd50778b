"""`blocktime validate`: what it prints, what fails a build, and what it says of a case file that is wrong."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from tests.case_files import FIRST_TABLE
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]

CASE = (
    FIRST_TABLE
    + """\
columns = ["size", "disk", "query"]
rows = [[8192, 112237, 183974]]
[[table.number]]
column = "disk"
path = "calls.fetch.disk"
mark = "tests"
tolerance = 0.01
[[table.number]]
column = "query"
path = "calls.fetch.query"
mark = "tests"
tolerance = 0.01
"""
)
CONTRADICTION = '[[check]]\nleft = ["fetch.disk"]\nright = ["fetch.query"]\n'


def written(folder: Path, text: str, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def test_a_case_of_ones_own_is_compared(tmp_path: Path, blocktime: CommandLine) -> None:
    found = json.loads(blocktime.prints("validate", written(tmp_path, CASE), "--json"))
    assert {one["case"] for one in found["numbers"]} == {"mine"}
    assert found["summary"]["printed_numbers"] == 2


def test_json_is_alone_on_standard_output(blocktime: CommandLine) -> None:
    found = json.loads(blocktime.prints("validate", "savvinov_logical_io", "--json"))
    assert found["summary"]["printed_numbers"] == len(found["numbers"])
    assert len(found["constants"]) == found["summary"]["fitted_constants"]
    assert [one["name"] for one in found["by_case"]] == ["savvinov_logical_io"]


def test_quiet_is_one_line(blocktime: CommandLine) -> None:
    assert blocktime.prints("validate", "savvinov_logical_io", "--quiet").count("\n") == 1


@pytest.mark.parametrize("how", ["--quiet", "--json"])
def test_check_names_what_fails_and_exits_with_1(tmp_path: Path, capsys: Captured, how: str) -> None:
    path = written(tmp_path, CASE.replace("183974", "283974"))
    assert main(["validate", path, how]) == 0
    assert capsys.readouterr().err == ""
    assert main(["validate", path, how, "--check"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("blocktime: mine: fetch, 8192, query: measured 283,974, predicted ")
    assert line.endswith("tolerance 1 %)")


def test_check_fails_for_a_gap_that_has_closed(tmp_path: Path, capsys: Captured) -> None:
    gap = '[[known_gap]]\ntable = "fetch"\ncolumn = "query"\nreason = "said to be missed"\n'
    assert main(["validate", written(tmp_path, CASE + gap), "--quiet", "--check"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "within its tolerance now (1 %), so remove its [[known_gap]]" in line


def test_check_passes_where_all_holds(tmp_path: Path, capsys: Captured) -> None:
    assert main(["validate", written(tmp_path, CASE), "--quiet", "--check"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[[table]]", CONTRADICTION + "[[table]]", "fetch.disk is 112237; wanted equal fetch.query = 183974"),
        (CASE[: CASE.index("[[table]]")], "", "mine.toml: source: Field required"),
        ("rahn-full-scan", "rahn-full-scam", "mine.toml: table fetch, row 8192, column disk: no scenario"),
        (
            "tablespace.block_size_bytes",
            "tablespace.block_sise_bytes",
            "mine.toml: table fetch, row 8192, column disk: tablespace.block_sise_bytes: there is no such field",
        ),
    ],
    ids=["a contradiction", "no source", "an unknown scenario", "an unknown field"],
)
def test_a_wrong_case_file_is_one_sentence(tmp_path: Path, capsys: Captured, old: str, new: str, says: str) -> None:
    assert old in CASE
    assert main(["validate", written(tmp_path, CASE.replace(old, new, 1))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


@pytest.mark.parametrize("name", ["nosuch: table.rows", "rahn-full-scan: table.rowz", "rahn-full-scan: table"])
def test_a_fit_of_no_input_of_a_scenario_is_refused(tmp_path: Path, blocktime: CommandLine, name: str) -> None:
    text = CASE.replace('mark = "tests"\ntolerance = 0.01', f'mark = "fits"\nfits = ["scenario/{name}"]', 1)
    assert f"mine.toml: table fetch: fits 'scenario/{name}'" in blocktime.refuses(
        "validate", written(tmp_path, text), "--json"
    )


def test_a_file_that_is_not_there_or_none(tmp_path: Path, blocktime: CommandLine) -> None:
    for path, says in ((tmp_path / "none.toml", "No such file"), (tmp_path, "no measured case named")):
        assert says in blocktime.refuses("validate", str(path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "it is nested too deeply"),
        ("#" * 1_000_001, "has 1,000,001 bytes; a scenario has at most 1,000,000"),
        ("\0", "is not TOML"),
        ("", "is empty"),
    ],
    ids=["deep", "long", "binary", "empty"],
)
@pytest.mark.parametrize("command", ["validate", "calibrate"])
def test_a_file_that_is_no_case_is_refused_before_it_is_read(
    tmp_path: Path, blocktime: CommandLine, command: str, text: str, says: str
) -> None:
    assert says in blocktime.refuses(command, written(tmp_path, text))


def test_two_cases_of_one_name_are_refused(tmp_path: Path, blocktime: CommandLine) -> None:
    path = written(tmp_path, CASE, "savvinov_logical_io.toml")
    assert "got a second case called savvinov_logical_io" in blocktime.refuses("validate", "savvinov_logical_io", path)


def test_a_case_named_twice_is_compared_once(tmp_path: Path, blocktime: CommandLine) -> None:
    path = written(tmp_path, CASE)
    assert json.loads(blocktime.prints("validate", path, path, "--json"))["summary"]["printed_numbers"] == 2


def test_the_page_is_self_contained(tmp_path: Path, blocktime: CommandLine) -> None:
    page = tmp_path / "numbers.html"
    assert "\x1b" not in blocktime.prints("validate", written(tmp_path, CASE), "--html", str(page))
    html = page.read_text("utf-8")
    assert "<script" not in html
    assert html.count('<figure class="chart"') == 2
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=""", html)


def test_the_text_needs_no_plotly() -> None:
    """The first table is not to wait for a library that draws nothing there."""
    program = (
        "import sys; from blocktime.app.command.cli import main; main(['validate', 'savvinov_logical_io', '--quiet']); "
        "sys.exit('plotly' in sys.modules or 'streamlit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
