"""The program's own report, read as a user's: the system that it identifies reproduces it."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from blocktime.app.reports.written import written
from blocktime.model.causes import PARALLEL, SEQUENTIAL
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.measured import (
    DB_TIME,
    PARALLEL_WAIT,
    READ_ON,
    READ_REQUESTS,
    READ_WAIT,
    SYNC_WAIT,
    TRANSACTIONS,
    figure_in,
)
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, RefusedReport
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments.figures import NotReadable
from tests.answered import SMALL_OLTP
from tests.command_line import CommandLine
from tests.validation.instruments.made import read_text
from tools.bars import offs

CASES = ("tpc-b", "tpc-c", "oltp-nvme")


@cache
def answer(name: str) -> RunResult:
    return run(load(name))


def reproduced(found: IdentifiedScenario) -> dict[str, float]:
    """How far each figure is off that the system was made from."""
    result = run(from_mapping(found.sections(), "my"))
    return {name: abs(off) for name, off in offs(found, result).items()}


@pytest.mark.parametrize("name", CASES)
def test_the_system_reproduces_the_report_that_it_was_identified_from(tmp_path: Path, name: str) -> None:
    off = reproduced(identify(read_text(tmp_path, written(answer(name), "awr"))))
    assert max(off[figure] for figure in (TRANSACTIONS, READ_WAIT, READ_REQUESTS)) < 0.05, off
    assert off[DB_TIME] < 0.06, off


TWO = (
    'workload.tablespaces=[{name="rows", blocks_percent=70}, {name="keys", blocks_percent=30, device="slow", '
    "overhead_s=0.002}]"
)


@pytest.mark.parametrize("form", ["awr", "awr-html"])
def test_disk_groups_are_devices_with_their_own_share_and_latency(tmp_path: Path, form: str) -> None:
    asked = load("oltp-nvme", [*SMALL_OLTP, TWO])
    found = identify(read_text(tmp_path, written(run(asked), form, asked)))
    spaces = found.sections()["workload"]["tablespaces"]
    assert [space["device"] for space in spaces] == ["disk group 1", "disk group 2"]
    assert [space["blocks_percent"] for space in spaces] == pytest.approx([70, 30], rel=0.02)
    assert [space["overhead_s"] for space in spaces] == pytest.approx([80e-6, 2e-3], rel=0.1)
    off = reproduced(found)
    each = {SYNC_WAIT, *(f"{READ_ON}disk group {number}" for number in (1, 2))}
    assert found.sections()["host"]["memory_bytes"] == asked.system.host.memory_bytes
    redo_bytes = [transaction.redo_bytes for transaction in asked.workload.mix]  # type: ignore[union-attr]
    assert min(redo_bytes) < found.sections()["workload"]["mix"][0]["redo_bytes"] < max(redo_bytes)
    assert max(off[figure] for figure in (TRANSACTIONS, READ_WAIT, *each)) < 0.05, off


def test_the_command_writes_a_scenario_that_runs(tmp_path: Path, blocktime: CommandLine) -> None:
    path, out = tmp_path / "report.txt", tmp_path / "my.toml"
    path.write_text(written(answer("tpc-b"), "awr"))
    assert "my.toml is a scenario of the system" in blocktime.prints("measure", str(path), "--out", str(out), "--quiet")
    printed = blocktime.prints("run", str(out))
    assert printed.startswith("As measured and as modelled")
    assert "The model" in printed
    known = tomllib.loads(out.read_text())["measured"]["known"]
    assert all(one["source"].startswith("report.txt: ") == (one["how"] == "measured") for one in known)
    assert "As measured" not in blocktime.prints("run", str(out), "--set", "workload.users=2")


def test_an_idle_interval_identifies_nothing(tmp_path: Path) -> None:
    quiet = re.sub(r"(DB time +)\d+\.\d", r"\g<1>0.2", written(answer("tpc-b"), "awr"))
    with pytest.raises(RefusedReport, match="an idle interval identifies nothing"):
        identify(read_text(tmp_path, quiet))


def test_an_interval_of_no_length_is_refused_with_its_line(tmp_path: Path) -> None:
    text = re.sub(r"Elapsed: +[0-9.]+", "Elapsed: 0.00", written(answer("tpc-b"), "awr"))
    with pytest.raises(NotReadable, match="line 9: got an interval of 0 s; allowed is more than 0"):
        identify(read_text(tmp_path, text))


def test_a_report_that_identifies_nothing_still_gives_its_figures(tmp_path: Path, blocktime: CommandLine) -> None:
    path, out = tmp_path / "report.txt", tmp_path / "my.toml"
    path.write_text(written(run(load("rahn-full-scan", [])), "tkprof"))
    assert "contains the figures but no scenario: these files hold no AWR" in blocktime.prints(
        "measure", str(path), "--out", str(out), "--quiet"
    )
    assert tomllib.loads(out.read_text())["measured"]["figure"]


def test_reads_that_were_handed_over_at_once_are_told_from_the_others(tmp_path: Path) -> None:
    settings = [f"workload.mix.0.parallel_{what}" for what in ("reads=6", "reads_percent=50")]
    settings += ["workload.transactions=3000"]
    result = run(load("oltp-nvme", settings))
    found = identify(read_text(tmp_path, written(result, "awr")))
    mix = found.sections()["workload"]["mix"][0]
    waited = result.time.wait[PARALLEL]
    batched = result.physical_io.read_requests - result.time.wait[SEQUENTIAL].waits
    assert mix["parallel_reads"] == pytest.approx(batched / waited.waits, rel=0.03)
    assert mix["parallel_reads_percent"] == pytest.approx(100 * batched / result.physical_io.read_requests, rel=0.03)
    modelled = run(from_mapping(found.sections(), "my"))
    off = offs(found, modelled)
    assert max(abs(off[figure]) for figure in (TRANSACTIONS, READ_REQUESTS, READ_WAIT)) <= 0.06, off
    each_s = figure_in(modelled, PARALLEL_WAIT)  # the report does not tell the drive's channel, which they share
    assert each_s == pytest.approx(waited.total_s / waited.waits, rel=0.15)
    assert PARALLEL_WAIT not in off
    assert any(said.startswith(f"{PARALLEL} is ") and "not compared" in said for said in found.says)


@pytest.mark.parametrize(("committing", "each"), [(70, False), (100, True)])
def test_waits_for_commits_of_some_transactions_are_stated_ones(committing: int, each: bool, tmp_path: Path) -> None:
    mix = [
        {"name": str(share), "weight": share, "commits": share == committing}
        for share in (committing, 100 - committing)
    ]
    content = {
        "base": "oltp-nvme",
        "workload": {"mix": mix[: 1 + (committing < 100)], "hot_data_percent": 24, "hot_gets_percent": 84},
        "disk": {"write_overhead_s": 0.005, "write_cache_bytes": 0},
    }
    found = identify(read_text(tmp_path, written(run(from_mapping(content, "made")), "awr")))
    off = reproduced(found)
    assert found.sections()["workload"]["mix"][0]["commits"] is each
    assert (SYNC_WAIT in off) is each
    assert max(off[TRANSACTIONS], off[DB_TIME]) <= 0.03, off
    assert any("is log file sync" in said for said in found.says) is not each
