"""Controls take label, unit, limits and help from the one declaration of their field."""

import tomllib

import pytest

from app import forms
from model.errors import SpecError
from scenarios import library, load, run

PATHS = [control.path for controls in forms.GROUPS.values() for control in controls]


def facts(path: str, kind: str = "full_scan") -> forms.Facts:
    found = forms.facts(path, kind)
    assert found is not None
    return found


@pytest.mark.parametrize("path", PATHS)
def test_every_control_is_a_declared_field_that_explains_itself(path: str) -> None:
    field = facts(path, "index_range_scan")
    assert field.says
    assert f"`{path}`" in field.help()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", sorted(library()))
def test_every_value_survives_being_held_and_written(name: str, path: str) -> None:
    scenario = load(name)
    field = forms.facts(path, scenario.workload.kind)
    if field is None:
        assert path == "workload.selectivity_fraction"
        return
    value = forms.value_at(scenario, path)
    text = forms.as_text(forms.held_value(field, value))
    if text == forms.OWN:
        return
    again = load(name, [forms.setting(path, text)])
    assert forms.value_at(again, path) == value


def test_limits_are_those_of_the_field() -> None:
    for path, low, high in (("table.pctfree_percent", 0, 99), ("workload.arraysize_rows", 1, 1_000_000)):
        field = facts(path)
        assert (field.low, field.high) == (low, high)
        load("rahn-full-scan", [f"{path}={high}"])
        with pytest.raises(SpecError):
            load("rahn-full-scan", [f"{path}={high + 1}"])


def test_kinds_of_controls() -> None:
    assert facts("tablespace.block_size_bytes").kind == "ladder"
    assert facts("tablespace.block_size_bytes").options == (2048, 4096, 8192, 16384, 32768)
    assert facts("instance.disk_asynch_io").kind == "flag"
    assert facts("instance.buffer_cache_bytes").kind == "size"
    assert facts("workload.selectivity_fraction", "index_range_scan").kind == "real"
    assert facts("host.page_cache_hit_fraction").kind == "share"
    assert facts("disk.use").kind == "choice"


def test_a_field_of_another_workload_or_of_none_has_no_control() -> None:
    assert forms.facts("workload.selectivity_fraction", "full_scan") is None
    assert forms.facts("table.no_such_field") is None
    assert forms.facts("nothing.at_all") is None


def test_the_disk_in_use_is_recognised() -> None:
    assert forms.value_at(load("rahn-full-scan"), "disk.use") == "sas-15k"
    assert forms.value_at(load("rahn-full-scan", ["disk.use=nvme"]), "disk.use") == "nvme"
    assert forms.value_at(load("rahn-full-scan", ["disk.overhead_s=7ms"]), "disk.use") == forms.OWN


def test_values_are_shown_with_their_unit() -> None:
    assert facts("tablespace.block_size_bytes").show(16384) == "16K"
    assert facts("table.pctfree_percent").show(10) == "10%"
    assert facts("workload.arraysize_rows").show(1500) == "1,500 rows"
    assert facts("instance.disk_asynch_io").show(False) == "off"
    assert facts("host.page_cache_hit_fraction").show(0.5) == "50%"
    assert facts("disk.use").show("nvme") == "NVMe solid-state disk"


@pytest.mark.parametrize(
    ("size", "text"), [(2 * 1024**3, "2G"), (2_000_000_000, "2000000000"), (1536, "1.5K")]
)
def test_sizes_are_written_exactly(size: int, text: str) -> None:
    assert forms.size_text(size) == text


def test_a_step_is_a_tenth_of_the_magnitude() -> None:
    assert [forms.step_of(value) for value in (1, 4, 100, 7_197_670)] == [1, 1, 10, 100_000]


def test_settle_keeps_what_is_allowed_and_says_what_is_not() -> None:
    scenario, refused = forms.settle(
        "rahn-full-scan", {"host.cpus": "8", "table.pctfree_percent": "120", "no.such": "1"}
    )
    assert scenario.system.host.cpus == 8
    assert set(refused) == {"table.pctfree_percent", "no.such"}
    assert "99" in refused["table.pctfree_percent"]


def test_a_release_that_looks_like_a_number_stays_text() -> None:
    scenario, refused = forms.settle("rahn-full-scan", {"instance.release": "11.2"})
    assert not refused
    assert scenario.system.instance.release == "11.2"


def test_the_command_line_gives_the_same_answer() -> None:
    changes = {"tablespace.block_size_bytes": "16384", "instance.release": "11.2", "disk.use": "nvme"}
    scenario, _ = forms.settle("rahn-full-scan", changes)
    line = forms.command_line("rahn-full-scan", changes, scenario)
    assert line.startswith("blocktime run rahn-full-scan --set tablespace.block_size_bytes=16384 ")
    import shlex

    words = shlex.split(line)
    again = load(words[2], [words[place + 1] for place, word in enumerate(words) if word == "--set"])
    assert run(again) == run(scenario)


def test_several_users_are_replayed_with_the_engine_that_was_shown() -> None:
    scenario, _ = forms.settle("rahn-full-scan", {"workload.users": "4"})
    assert forms.command_line("rahn-full-scan", {"workload.users": "4"}, scenario).endswith(
        "--engine calculate"
    )


def test_plain_takes_markdown_its_meaning() -> None:
    assert forms.plain("SQL*Net [$x$] _y_") == r"SQL\*Net \[\$x\$\] \_y\_"


def test_the_configuration_keeps_the_page_to_itself() -> None:
    from pathlib import Path

    config = tomllib.loads(
        Path(forms.__file__).with_name(".streamlit").joinpath("config.toml").read_text("utf-8")
    )
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["toolbarMode"] == "viewer"
