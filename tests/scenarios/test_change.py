"""A file that is a question: a system, and a change that its second side has."""

from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, load
from blocktime.scenarios.schema import schema_of
from blocktime.scenarios.sweeps.sweep import plan_of

QUESTION = """
base = "full-scan-nvme"
title = "My table"
[table]
rows = 120_000
[change]
"tablespace.block_size_bytes" = "16K"
[change.disk]
use = "ebs-gp3"
"""


@pytest.fixture
def question(tmp_path: Path) -> str:
    path = tmp_path / "question.toml"
    path.write_text(QUESTION)
    return str(path)


def test_a_file_with_a_change_has_two_sides(question: str) -> None:
    changed, system = load(question), load(question, side="system")
    assert (system.system.tablespace.block_size_bytes, changed.system.tablespace.block_size_bytes) == (8192, 16384)
    assert system.system.table.rows == changed.system.table.rows == 120_000
    assert system.system.disk != changed.system.disk
    assert "16K" in changed.title
    assert "16K" not in system.title
    assert not system.changed
    assert changed.changed


def test_settings_are_laid_over_both_sides(question: str) -> None:
    sides = [load(question, ["table.rows=5000"], side) for side in ("change", "system")]
    assert [side.system.table.rows for side in sides] == [5000, 5000]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"change": 3}, "change: got 3; it is a table"),
        ({"change": {"title": "x"}}, "title"),
        ({"change": {"table": {"rowz": 3}}}, "table.rowz"),
        ({"change": {"table.rows": -3}}, "table.rows"),
    ],
)
def test_what_a_change_cannot_hold_is_one_sentence(change: dict[str, object], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        from_mapping({"base": "full-scan-nvme", **change})


def test_a_sweep_takes_one_side_or_both(question: str) -> None:
    vary = ["workload.users=1,2"]
    assert [len(plan_of(question, vary, side=side)) for side in ("change", "system", "both")] == [2, 2, 4]
    sizes = next(axis for axis in plan_of(question, vary, side="both").sweep.axis if "block" in axis.key)
    assert sizes.values == (8192, 16384)
    assert sizes.zip
    with pytest.raises(SpecError, match=r"has no \[change\]"):
        plan_of("full-scan-nvme", vary, side="both")


def test_compare_plays_both_sides_and_run_one(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", question, "--quiet"]) == 0
    compared = capsys.readouterr().out
    assert main(["run", question, "--quiet"]) == main(["run", question, "--quiet", "--side", "system"]) == 0
    assert compared.startswith(("Faster: ", "Slower: ", "No difference: "))
    assert len(set(capsys.readouterr().out.splitlines())) == 2


def test_the_schema_of_a_scenario_knows_the_change() -> None:
    assert "change" in schema_of("scenario")["properties"]
