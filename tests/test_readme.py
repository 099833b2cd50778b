"""What README.md shows: every command that it prints an answer of gives that answer, and what it links to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import CommandLine

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^    \$ \.venv/bin/blocktime (.+)\n((?:(?:    (?!\$).*)?\n)*)", README, re.MULTILINE)
"""Each command with the lines below it."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_shows_three_answers_and_a_report() -> None:
    assert [command.split()[0] for command, _ in SHOWN] == ["compare", "compare", "compare", "run", "measure"]


def test_commands_print_what_the_readme_shows(
    blocktime: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    for command, lines in SHOWN:
        words, _, file = command.partition(" > ")
        printed = blocktime.prints(*shlex.split(words))
        if file:
            Path(file).write_text(printed, encoding="utf-8")
        shown = [line.strip() for line in lines.splitlines() if line.strip()]
        assert bool(shown) != bool(file)
        assert [line for line in shown if line not in map(str.strip, printed.splitlines())] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
