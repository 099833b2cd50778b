"""What README.md shows: every command that it prints an answer of gives that answer, and what it links to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from app.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^    \$ \.venv/bin/blocktime (.+)\n((?:(?:    .*)?\n)+)", README, re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_shows_three_answers() -> None:
    assert len(SHOWN) == 3


@pytest.mark.parametrize(("command", "lines"), SHOWN, ids=[command.split()[0] for command, _ in SHOWN])
def test_a_command_prints_what_the_readme_shows(
    command: str, lines: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(shlex.split(command)) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    shown = [line.strip() for line in lines.splitlines() if line.strip()]
    assert shown
    assert [line for line in shown if line not in printed] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
