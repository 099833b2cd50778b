"""The file of a system, fitted to its own figures: values, intervals, correlations, and what stays open."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.controls import settings, user_files
from blocktime.app.reports.written import written
from blocktime.model.errors import SpecError
from blocktime.scenarios import load, run
from blocktime.scenarios.measured import PARTS, READ_WAIT, TRANSACTIONS
from tests.answered import SMALL_OLTP
from tests.command_line import CommandLine


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a system whose users wait for reads."""
    folder = tmp_path_factory.mktemp("calibrated")
    busy = [*SMALL_OLTP, "workload.users=40", "workload.think_s=0", "disk.overhead_s=1ms"]
    report, out = folder / "report.txt", folder / "my.toml"
    report.write_text(written(run(load("oltp-nvme", busy)), "awr"))
    assert main(["measure", str(report), "--out", str(out), "--quiet"]) == 0
    return out


def changed(measured: Path, tmp_path: Path) -> Path:
    """A copy whose disk is much too fast."""
    copy = tmp_path / "mine.toml"
    shutil.copy(measured, copy)
    text = copy.read_text()
    read_s = tomllib.loads(text)["disk"]["overhead_s"]
    copy.write_text(text.replace(f"overhead_s = {read_s}", f"overhead_s = {0.7 * read_s}", 1))
    return copy


def with_target(measured: Path, tmp_path: Path) -> Path:
    """A copy whose disk has a limit, and which defines another one that has none."""
    copy = tmp_path / "mine.toml"
    target = '\n[profile.disk.target]\nuse = "nvme"\noverhead_s = "0.8ms"\n'
    text = measured.read_text().replace("[disk]\n", "[disk]\niops_limit = 5000\n", 1)
    copy.write_text(text + target)
    return copy


def test_a_latency_that_is_off_is_found_again(measured: Path, tmp_path: Path, blocktime: CommandLine) -> None:
    copy = changed(measured, tmp_path)
    found = json.loads(blocktime.prints("calibrate", str(copy), "--json"))
    read = next(one for one in found["fields"] if one["field"] == "disk.overhead_s")
    assert read["value"] > 1.1 * read["before"]
    assert read["low"] < read["value"] < read["high"]
    off = {one["name"]: (abs(one["off_before"]), abs(one["off_after"])) for one in found["figures"]}
    assert off[TRANSACTIONS][1] < off[TRANSACTIONS][0] / 3
    assert READ_WAIT in off
    assert any("say nothing of" in text for text in found["says"])
    content = tomllib.loads(copy.read_text())
    assert content["disk"]["overhead_s"] == pytest.approx(read["value"])
    known = {one["field"]: one for one in content["measured"]["known"]}
    assert known["disk.overhead_s"]["how"] == "fitted"
    assert known["disk.overhead_s"]["interval"] == pytest.approx([read["low"], read["high"]])
    assert all(-1 <= one["value"] <= 1 for one in content["measured"]["correlation"])
    assert main(["run", str(copy), "--quiet"]) == 0


def test_transactions_beside_another_program_are_not_fitted(
    measured: Path, tmp_path: Path, blocktime: CommandLine
) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text(measured.read_text() + '\n[[workload.beside]]\nkind = "full_scan"\n')
    assert "workload.beside: transactions are fitted alone" in blocktime.refuses("calibrate", str(copy))


def test_a_system_goes_alone(measured: Path, blocktime: CommandLine) -> None:
    assert "a system's file goes alone" in blocktime.refuses("calibrate", str(measured), "--write")


def test_another_disk_without_a_limit_is_refused(
    measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = with_target(measured, tmp_path)
    run_it = ["run", str(copy), "--quiet", "--set", "disk.use=target"]
    assert main(run_it) == 2
    assert "has no limit of requests a second" in capsys.readouterr().err
    assert main([*run_it, "--set", "disk.iops_limit=20000"]) == 0
    asked = ["sweep", str(copy), "--vary", "disk.use=nvme,target", "--quiet"]
    assert main(asked) == 2
    assert "has no limit of requests a second" in capsys.readouterr().err
    assert main(["compare", str(copy), f"{copy},disk.use=target", "--quiet"]) == 2
    assert "has no limit of requests a second" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "told"), [("form = 2\n", "measured.form: got 2"), ("queues = 3\n", "measured.queues is not known")]
)
def test_a_file_of_a_newer_form_is_refused(measured: Path, tmp_path: Path, said: str, told: str) -> None:
    copy = tmp_path / "mine.toml"
    text = measured.read_text().replace("[measured]\nform = 1\n", f"[measured]\n{said}")
    copy.write_text(text)
    assert load(str(measured)).compared
    with pytest.raises(SpecError, match=f"{told}.*reads form 1.*measure again"):
        load(str(copy))


def test_a_calibrated_file_keeps_its_form_and_a_newer_one_is_refused(
    measured: Path, tmp_path: Path, blocktime: CommandLine
) -> None:
    copy = changed(measured, tmp_path)
    printed = blocktime.prints("calibrate", str(copy))
    assert "figures tell" in printed
    assert "Wrote values, intervals and correlations into mine.toml." in printed
    content = tomllib.loads(copy.read_text())["measured"]
    assert content["form"] == tomllib.loads(measured.read_text())["measured"]["form"]
    assert set(content) <= set(PARTS)
    newer = copy.read_text().replace(f"form = {content['form']}", f"form = {content['form'] + 1}", 1)
    copy.write_text(newer)
    for command in ("calibrate", "run"):
        said = blocktime.refuses(command, str(copy))
        assert f"measured.form: got {content['form'] + 1}; this version reads form {content['form']}" in said
        assert len(said.splitlines()) == 1
    assert copy.read_text() == newer


@pytest.mark.parametrize(
    "command",
    [
        ("optimise", "--minimise", "response_s", "--vary", "disk.use=nvme,target", "--workers", "1"),
        ("optimise", "--minimise", "response_s", "--vary", "workload.users=1:9", "--set", "disk.use=target",
         "--workers", "1"),
        ("compare", "--set", "disk.use=target"),
    ],
)  # fmt: skip
def test_every_command_says_in_one_sentence_that_a_target_has_no_limit(
    command: tuple[str, ...], measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = with_target(measured, tmp_path)
    name, *options = command
    store = ["--store", str(tmp_path / "store")] if name == "optimise" else []
    assert main([name, str(copy), *options, *store]) != 0
    told = "".join(capsys.readouterr())
    sentences = told.count("disk.use: got '")
    assert " ".join(told.split()).count("which has no limit of requests a second") == sentences > 0


def test_the_page_says_in_one_sentence_that_a_target_has_no_limit(measured: Path, tmp_path: Path) -> None:
    name, *_ = user_files.opened(with_target(measured, tmp_path).read_bytes(), "my.toml")
    kept, refused = settings.settle(name, {"disk.use": "target", "workload.users": "5"})
    assert kept.workload.users == 5
    assert kept.system.disk.iops_limit == 5000
    assert list(refused) == ["disk.use"]
    assert "got 'target', which has no limit of requests a second" in refused["disk.use"]


def test_a_scenario_is_no_case(measured: Path, blocktime: CommandLine) -> None:
    assert "is a scenario, no case of printed numbers" in blocktime.refuses("validate", str(measured))
