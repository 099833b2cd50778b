"""Changes as text give the same scenario on the page, in a file and on the command line."""

import json
import shlex
import tomllib

import pytest
from click.testing import CliRunner

from blocktime.app.command.cli import commands
from blocktime.app.controls import settings
from blocktime.scenarios import from_mapping, run, to_toml

CASES = [
    ("rahn-full-scan", {}),
    ("rahn-full-scan", {"tablespace.block_size_bytes": "16384", "instance.release": "11.2", "disk.use": "nvme"}),
    ("rahn-full-scan", {"instance.buffer_cache_bytes": "1953125K", "instance.disk_asynch_io": "false"}),
    ("rahn-full-scan", {"workload.users": "8", "host.cpus": "2"}),
    ("index-range-scan", {"index.clustering": "scattered", "workload.selectivity_fraction": "0.002"}),
    ("full-scan-nvme", {"client.use": "local", "workload.arraysize_rows": "15"}),
]


def settled(name: str, changes: dict[str, str]) -> settings.Scenario:
    scenario, refused = settings.settle(name, changes)
    assert not refused
    return scenario


def test_settle_keeps_what_is_allowed_and_says_what_is_not() -> None:
    scenario, refused = settings.settle(
        "rahn-full-scan", {"host.cpus": "8", "table.pctfree_percent": "120", "no.such": "1"}
    )
    assert scenario.system.host.cpus == 8
    assert set(refused) == {"table.pctfree_percent", "no.such"}
    assert "99" in refused["table.pctfree_percent"]


def test_an_option_of_a_change_is_told_in_words() -> None:
    assert settings.titled("TPC-B", {"instance.redo_disk": "data"}) == "TPC-B, with the redo log on the data device"
    assert settings.titled("T", {"instance.redo_transport": "sync"}) == "T, with redo transport synchronous"
    assert settings.titled("T", {"workload.select": "count"}) == "T, with query returns count(*)"


def test_a_release_that_looks_like_a_number_stays_text() -> None:
    scenario, refused = settings.settle("rahn-full-scan", {"instance.release": "11.2"})
    assert not refused
    assert scenario.system.instance.release == "11.2"


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_the_downloaded_scenario_is_the_same_scenario(name: str, changes: dict[str, str]) -> None:
    scenario = settled(name, changes)
    again = from_mapping(tomllib.loads(to_toml(scenario)), name)
    assert again.workload == scenario.workload
    without_origin = {"constants": {}}
    assert again.system.model_copy(update=without_origin) == scenario.system.model_copy(update=without_origin)
    values = {path: constant.value for path, constant in scenario.system.constants.items()}
    assert {path: constant.value for path, constant in again.system.constants.items()} == values
    assert run(again).time == run(scenario).time


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_the_command_line_gives_the_same_answer(name: str, changes: dict[str, str]) -> None:
    words = shlex.split(settings.command_line(name, changes))
    assert words[:3] == ["blocktime", "run", name]
    said = CliRunner().invoke(commands, [*words[1:], "--json"])
    assert said.exit_code == 0, said.output
    expected = run(settled(name, changes))
    assert json.loads(said.stdout)["time"]["elapsed_s"] == pytest.approx(expected.time.elapsed_s, rel=1e-12)


def test_the_last_change_is_the_one_that_is_refused_where_fields_need_each_other() -> None:
    asked = {"disk.raid_level": "10", "disk.raid_disks": "4"}
    scenario, refused = settings.settle("magni-dd-raw-100", asked)
    assert not refused
    scenario, refused = settings.settle("magni-dd-raw-100", {"disk.iops_limit": "50", **asked, "host.cpus": "0"})
    assert list(refused) == ["host.cpus"]
    assert scenario.system.disk.raid_disks == 4
    _, refused = settings.settle("magni-dd-raw-100", {"disk.raid_level": "10", "disk.raid_disks": "3"})
    assert "disk.raid_disks" in refused


def test_what_is_refused_names_no_option_of_the_command_line() -> None:
    wrong = {"tabel.x": "1", "table.pctfree_percent": "900", "table.pctfre_percent": "1"}
    _, refused = settings.settle("rahn-full-scan", wrong)
    assert set(refused) == set(wrong)
    assert not any("--set" in said for said in refused.values())
