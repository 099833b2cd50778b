"""Bad input of programs beside each other, in one sentence each; and their fields changed one by one."""

import re
from pathlib import Path
from typing import Any

import pytest

from blocktime.app.command.cli import main
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping, load, to_toml
from blocktime.scenarios.declared import declared_field, takes_whole_numbers

BASE = 'base = "backup-beside-users"\n[workload]\ntransactions = 200\n'
BESIDE = "[[workload.beside]]\n"
LONGEST = 300


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            BASE + BESIDE + 'kind = "read_stream"\n[[workload.beside.beside]]\nkind = "full_scan"\n',
            ["workload.beside.0.beside:", "list of its own", "put all programs into workload.beside"],
        ),
        (BASE + 17 * (BESIDE + 'kind = "read_stream"\n'), ["workload.beside:", "got 17 of them", "at most 16"]),
        (BASE + BESIDE + "users = 3\n", ["workload.beside.0.kind:", "none is given", "full_scan"]),
        (BASE + BESIDE + 'kind = "defragment"\n', ["workload.beside.0.kind:", "'defragment'", "'full_scan'"]),
        (BASE + BESIDE + 'kind = "read_stream"\nkount = 3\n', ["workload.beside.0.kount:", "did you mean count"]),
        (
            BASE + BESIDE + 'kind = "read_stream"\nbegin_s = -1\n',
            ["workload.beside.0.begin_s:", "got -1", "at least 0"],
        ),
        (
            BASE + BESIDE + 'kind = "full_scan"\ntable = { pctfree_percent = 800 }\n',
            ["workload.beside.0.table.pctfree_percent:", "got 800", "at most 99"],
        ),
        (
            BASE + BESIDE + 'kind = "full_scan"\n' + BESIDE + 'kind = "read_stream"\nspan_bytes = "900G"\n',
            ["read_stream", "beyond the device's end"],
        ),
        (
            'base = "batch-beside-users"\n' + BESIDE + 'kind = "transactions"\ntransactions = 200\n'
            'rate_per_s = 500_000\ndata_bytes = "2G"\n',
            ["workload.rate_per_s 500000", "transactions a second"],
        ),
    ],
)
def test_each_is_one_sentence_at_the_command_line(
    text: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    assert main(["run", str(path)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert len(err) < LONGEST + len(str(path))
    assert all(word in err for word in words), err


def test_programs_change_one_by_one_by_kind_or_number(tmp_path: Path) -> None:
    for called in ("0", "read_stream"):
        scenario = load("backup-beside-users", [f"workload.beside.{called}.users=3", "workload.beside.0.begin_s=2s"])
        program = scenario.workload.beside[0]
        assert (program.kind, program.users, program.begin_s, program.count) == ("read_stream", 3, 2.0, 500)
    path = tmp_path / "changed.toml"
    path.write_text(to_toml(scenario))
    assert load(path).workload == scenario.workload
    other = load("backup-beside-users", ["workload.beside.0.kind=full_scan"]).workload.beside[0]
    assert other.kind == "full_scan"
    with pytest.raises(BlocktimeError, match=r"no program in workload.beside named '1'; known: 0, read_stream"):
        load("backup-beside-users", ["workload.beside.1.users=3"])


def test_a_field_of_a_program_is_declared_as_an_axis_needs_it() -> None:
    assert takes_whole_numbers("workload.beside.0.users", "transactions")
    for path in ("begin_s", "table.rows", "mix.0.gets"):
        assert declared_field(f"workload.beside.0.{path}", "transactions")
    assert declared_field("workload.beside.0.kount", "transactions") is None


@pytest.mark.parametrize("beside", [5, "x", True, {}, [5], [[]], ["x"]])
def test_what_is_no_list_of_programs_is_refused(beside: Any) -> None:
    with pytest.raises(BlocktimeError, match=r"^mine: workload\.beside(\.0)?: got ") as fault:
        from_mapping({"workload": {"beside": beside}}, where="mine")
    assert re.search("it is a (list|section)|allowed", str(fault.value))


def test_the_table_of_a_program_has_room_for_a_row_beside_its_itl() -> None:
    """4,096 / 2 = 2,048 bytes: 110 + 11 + 24 · 80 = 2,041, a further entry is too much."""
    data = {"tablespace": {"block_size_bytes": 4096}}
    for initrans in (80, 81):
        work = {"kind": "full_scan", "beside": [{"kind": "update", "table": {"rows": 100, "initrans": initrans}}]}
        if initrans == 80:
            assert from_mapping({**data, "workload": work}).workload.beside[0].table.initrans == 80
            continue
        with pytest.raises(BlocktimeError, match=r"workload\.beside\.0\.table\.initrans 81 .*; allowed is at most 80$"):
            from_mapping({**data, "workload": work})
