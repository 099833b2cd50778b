"""What reaches the terminal: nothing of a title, a name or an error that the terminal would obey."""

import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from click import style

from blocktime.app.base import output
from blocktime.app.command.cli import main
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]
EVIL = "x\x1b]0;pwn\x07 \x1b[2J \x9b31m \x1b[8mhidden \u202egnp.exe \u2066 \u200f \x7f\x08 \r end"
"""A title that names the window, clears the screen, hides words and turns a line round."""
IN_TOML = json.dumps(EVIL).replace("\\u009b", "\x9b")


def obeyed(text: str) -> set[str]:
    """The characters of *text* that a terminal obeys or that turn the direction of a line."""
    turned = {"L", "R", "AL", "RLE", "LRE", "RLO", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"}
    return {
        letter
        for letter in text
        if letter not in "\n\t"
        and (unicodedata.category(letter) in {"Cc", "Zl", "Zp"}
             or (unicodedata.category(letter) == "Cf" and unicodedata.bidirectional(letter) in turned))
    }  # fmt: skip


@pytest.fixture
def evil_file(tmp_path: Path) -> str:
    """A scenario whose every text is evil."""
    path = tmp_path / "evil\x1b[2J.toml"
    texts = f"title = {IN_TOML}\nsource = {IN_TOML}\n"
    column = f'[[table.columns]]\nname = {IN_TOML}\ntype = "number"\nbytes = 5\n'
    path.write_text(f"{texts}[table]\nrows = 1000\n{column}", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "words",
    ["run FILE", "run FILE --quiet", "compare FILE rahn-full-scan", "compare FILE --set table.rows=5",
     "run FILE --json",
     "sweep FILE --vary table.rows=5,6 --no-store", "run FILE --set disk.use=\x1b[2J\u202e", "list \x1b[2J\u202e",
     "run \x1b]0;pwn\x07", "run FILE --engine \x9b2J", "run FILE --\x1b[2J"],
)  # fmt: skip
def test_nothing_that_a_terminal_obeys_passes(words: str, evil_file: str, capsys: Captured) -> None:
    main([evil_file if word == "FILE" else word for word in words.split(" ")])
    out, err = capsys.readouterr()
    assert out or err
    assert obeyed(out) == set()
    assert obeyed(err) == set()


def test_json_keeps_the_text_itself(evil_file: str, blocktime: CommandLine) -> None:
    assert json.loads(blocktime.prints("compare", evil_file, "--set", "table.rows=5", "--json"))["results"][0][
        "scenario"
    ].startswith("evil")


def test_our_own_colours_pass_to_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    output.print_lines([style("bold", bold=True) + style("red", fg="red") + "\x1b[8mhidden\x1b[2J"])
    assert capsys.readouterr().out == "\x1b[1mbold\x1b[0m\x1b[31mred\x1b[0m�[8mhidden�[2J\n"


@pytest.mark.parametrize(
    ("variables", "is_red"), [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]
)
def test_a_pipe_has_colours_where_they_are_asked_for(
    variables: dict[str, str], is_red: bool, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    output.print_lines([style("red", fg="red")])
    assert capsys.readouterr().out == ("\x1b[31mred\x1b[0m\n" if is_red else "red\n")


def test_words_for_the_terminal_are_written_in_one_place() -> None:
    """Progress apart, whose words are all our own."""
    folder = Path(output.__file__).parents[1]
    elsewhere = [
        path.name
        for path in folder.rglob("*.py")
        if path.name != "output.py" and re.search(r"click\.echo|secho|sys\.stdout\.write", path.read_text("utf-8"))
    ]
    assert elsewhere == []


def test_a_page_that_finds_no_room_is_named(tmp_path: Path, capsys: Captured) -> None:
    resource = pytest.importorskip("resource")
    place, before = tmp_path / "page.html", resource.getrlimit(resource.RLIMIT_FSIZE)
    place.write_text("the old one")
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        code = main(["run", "rahn-full-scan", "--quiet", "--force", "--html", str(place)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 2
    assert capsys.readouterr().err == f"blocktime: {place}: cannot be written: File too large\n"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert place.read_text() == "the old one"


@pytest.mark.parametrize("words", ["sweep", "sensitivity", "optimise --minimise elapsed_s"])
def test_a_home_that_cannot_be_written_names_the_ways_out(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocktime: CommandLine
) -> None:
    home = tmp_path / "home"
    home.write_text("not a folder, so nobody, root least of all, can write into it")
    monkeypatch.delenv("BLOCKTIME_STORE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    name, *options = words.split()
    err = blocktime.refuses(name, "rahn-full-scan", *options, "--vary", "table.rows=5,6")
    assert err.count("\n") == 1
    assert "--store FOLDER" in err
    assert "--no-store" in err
