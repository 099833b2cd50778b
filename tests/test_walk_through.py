"""The walk through a storage decision: each command is run, and each line and figure below it is what it prints."""

import re
import shlex
from pathlib import Path

import pytest

from blocktime.app.command import run_cli
from tests.command_line import CommandLine
from tests.whole import WHOLE

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "measure" / "system.md").read_text(encoding="utf-8")
STEPS = re.findall(
    r"^    \$ blocktime ((?:.+\\\n)*.+)\n((?:(?:    (?!\$).*)?\n)*)",
    PAGE.partition("## A walk through\n")[2].partition("\n## ")[0],
    re.MULTILINE,
)
"""Each command with the lines below it."""


def test_the_walk_goes_from_two_reports_to_a_decision() -> None:
    names = [command.split()[0] for command, _ in STEPS]
    assert names == ["run", "run", "measure", "run", "compare", "compare", "optimise", "run"]
    assert [command.split()[0] for command, shown in STEPS if not shown.strip()] == ["run", "run"]


def test_every_line_of_the_walk_is_what_its_command_prints(
    blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    if not WHOLE:  # how sure a change is takes a minute of runs
        monkeypatch.setattr(run_cli, "of_measured", lambda _: False)
    for command, shown in STEPS:
        words, _, file = command.replace("\\\n", " ").partition(" > ")
        printed = blocktime.prints(*shlex.split(words))
        if file:
            Path(file).write_text(printed, encoding="utf-8")
        lines = [line.strip() for line in shown.splitlines() if line.strip()]
        lines = [line for line in lines if WHOLE or not line.startswith("Sure: ")]
        assert [line for line in lines if line not in map(str.strip, printed.splitlines())] == []
    (predicted, taken) = re.search(
        r"^The prediction .* was ([\d.]+ ms); a transaction takes ([\d.]+ ms)\. ", PAGE, re.MULTILINE
    ).groups()  # type: ignore[union-attr]
    compared, after = STEPS[4][1], STEPS[-1][1]
    assert f"C: Faster: {predicted} instead of" in compared
    assert f"a transaction takes {taken} " in after
