"""One form of a scenario, ``FILE,KEY=VALUE,...``, and ``--set``: obeyed by every command, from standard input, too."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from blocktime.app.command import measure_cli
from blocktime.app.reports.written import written
from blocktime.model.errors import SpecError
from blocktime.scenarios import from_mapping, load, run, to_mapping
from blocktime.scenarios.load import split_name
from tests.command_line import CommandLine

BASE = "rahn-full-scan"
AXIS = ("--vary", "workload.arraysize_rows=100,200", "--no-store", "--workers", "1")
COMMANDS = {
    "run": ("run",),
    "compare": ("compare", BASE),
    "sweep": ("sweep", *AXIS),
    "optimise": ("optimise", "--minimise", "elapsed_s", *AXIS),
    "sensitivity": ("sensitivity", *AXIS),
}
CHANGES = ("table.row_bytes=300", "disk.use=nvme")


@pytest.fixture
def line(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line."""
    return CommandLine(capsys)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A scenario's file, with a comma in its name."""
    path = tmp_path / "a,b.toml"
    path.write_text(f'base = "{BASE}"\n')
    return path


def forms(file: Path) -> dict[str, tuple[str, ...]]:
    """How one scenario is named: a name or a file, its changes behind it or by --set."""
    settings = [word for change in CHANGES for word in ("--set", change)]
    together = ",".join(CHANGES)
    return {
        "name": (f"{BASE},{together}",),
        "file": (f"{file},{together}",),
        "standard input": (f"-,{together}",),
        "one of each": (f"{file},{CHANGES[0]}", "--set", CHANGES[1]),
        "file --set": (str(file), *settings),
        "- --set": ("-", *settings),
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_every_form_gives_one_answer_in_every_command(
    line: CommandLine, file: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    texts = {}
    for form, words in {"plain": (BASE,), **forms(file)}.items():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
        texts[form] = _told(command, json.loads(line.prints(*COMMANDS[command], *words, "--json")))
    plain = texts.pop("plain")
    assert len({json.dumps(text) for text in texts.values()}) == 1, texts
    assert plain not in texts.values()


def _told(command: str, answer: dict[str, Any]) -> Any:
    """What an answer says, without the names of what was asked."""
    if command == "run":
        return answer["time"]["elapsed_s"]
    if command == "compare":
        return answer["results"][-1]["time"]["elapsed_s"]
    if command == "sweep":
        return [row["elapsed_s"] for row in answer["rows"]]
    if command == "optimise":
        return answer["best"]["measures"]["elapsed_s"]
    return [answer["base"]] if "base" in answer else answer["sentences"]


def test_a_prediction_obeys_both_forms(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    load = Mock(return_value=SimpleNamespace(compared=[1]))
    monkeypatch.setattr(measure_cli, "load", load)
    monkeypatch.setattr(measure_cli, "to_mapping", lambda _: {})
    monkeypatch.setattr(measure_cli, "_read", lambda *_: ([], []))
    monkeypatch.setattr(measure_cli, "against", Mock(side_effect=SpecError("no more is asked")))
    said = line.refuses("validate", f"my.toml,{CHANGES[0]}", "--against", __file__, "--set", CHANGES[1])
    assert "no more is asked" in said
    assert sorted(load.call_args.args[1]) == sorted(CHANGES)


def test_a_comma_in_a_list_separates_nothing() -> None:
    settings = ["workload.sets=['a','b']", "table.columns=[{name='a', bytes=4}]", "disk.use=nvme"]
    assert split_name(",".join(["x.toml", *settings])) == ("x.toml", settings)
    assert split_name("x.toml") == ("x.toml", [])


def test_a_changed_disk_survives_the_form_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "p30.toml").write_text(
        '[disk]\noverhead_s = 0.004\niops_limit = 5000\n[workload]\nkind = "index_range_scan"\n'
    )
    changed = load(tmp_path / "p30.toml", ["disk.use=azure-p60"])
    again = from_mapping(to_mapping(changed))
    assert again.system.disk == changed.system.disk
    assert run(again).time.elapsed_s == run(changed).time.elapsed_s


@pytest.mark.parametrize("form", ["tkprof", "trace", "iostat", "awr", "awr-html"])
def test_a_report_given_for_a_scenario_is_called_one(line: CommandLine, tmp_path: Path, form: str) -> None:
    asked = load("oltp-nvme" if form.startswith("awr") else BASE)
    report = tmp_path / "report.txt"
    report.write_text(written(run(asked), form, asked))
    for words in (("run",), ("compare", BASE), ("sweep",), ("optimise", "--minimise", "elapsed_s")):
        sentence = line.refuses(*words, str(report))
        assert "this is a report, not a scenario" in sentence
        assert f"blocktime measure {report} --out my.toml" in sentence


def test_parameters_of_an_instance_are_a_report_too(line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "init.ora").write_text("db_block_size=8192\nprocesses=300\nfilesystemio_options=setall\n")
    assert "this is a report" in line.refuses("run", str(tmp_path / "init.ora"))


def test_what_takes_no_changes_refuses_them(line: CommandLine, tmp_path: Path) -> None:
    assert "--against" in line.refuses("validate", "--set", "disk.use=nvme")
    assert "--against" in line.refuses("validate", "rahn_2008,disk.use=nvme")
    file = tmp_path / "my.toml"
    file.write_text('[[measured.compared]]\nname = "x"\n')
    assert "writes into the file" in line.refuses("calibrate", f"{file},disk.use=nvme")
    assert "writes into the file" in line.refuses("calibrate", "-")
