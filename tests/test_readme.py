"""What README.md shows: every command that it prints an answer of gives that answer, and what it links to is there."""

import re
import shlex
from pathlib import Path

import pytest

from blocktime.model.catalog import KINDS, entries
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


def test_what_the_readme_counts_is_so() -> None:
    constants = [
        constant for kind in KINDS for entry in entries(kind).values() for constant in entry.constants.values()
    ]
    assert len(constants) > 500
    known = sum(constant.how == "general knowledge" for constant in constants)
    assert f"{known} of the {len(constants)} in the catalog are general knowledge" in README
    summary = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
    for row, words in (
        ("printed numbers on file", "Of {} numbers"),
        ("of these compared with the model", "compared with {} numbers"),
        ("known gaps", "{} are [known gaps]"),
        ("median error out of sample", "half are within {};"),
        ("median error of times, out of sample", "half are within {}."),
    ):
        counted = re.search(rf"^\| {row} \| (.+?) \|$", summary, re.MULTILINE)
        assert counted is not None
        assert words.format(counted[1]) in README


def test_eight_readers_gain_what_the_readme_says(blocktime: CommandLine) -> None:
    eight = "full-scan-nvme,workload.users=8"
    said = blocktime.prints("compare", eight, f"{eight},tablespace.block_size_bytes=16K", "--quiet")
    percent, *_ = re.findall(r"-([\d.]+ %)", said)
    assert f"16K blocks save {percent}" in README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
