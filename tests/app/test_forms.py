"""Controls take label, unit, limits and help from the one declaration of their field."""

import tomllib
from pathlib import Path

import pytest

from app import forms
from scenarios import load

CONTROLS = [control for controls in forms.GROUPS.values() for control in controls]
KINDS = ("full_scan", "index_range_scan")


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.path)
def test_every_control_is_a_declared_field_that_explains_itself(control: forms.Control) -> None:
    field = control.facts("index_range_scan")
    assert field is not None
    assert field.says
    assert f"`{control.path}`" in field.help()


def test_each_workload_has_the_controls_that_play_a_part() -> None:
    shown = {kind: {c.path for c in CONTROLS if c.facts(kind)} for kind in KINDS}
    assert shown["index_range_scan"] - shown["full_scan"] == {
        "index.clustering", "workload.selectivity_fraction"
    }  # fmt: skip
    assert shown["full_scan"] <= shown["index_range_scan"]


@pytest.mark.parametrize(
    ("path", "setting", "idle"),
    [
        ("host.page_cache_hit_fraction", "host.io_path=asm", True),
        ("host.page_cache_hit_fraction", "host.io_path=buffered", False),
        ("index.clustering", "index.clustering_factor=5000", True),
        ("index.clustering", "index.clustering=scattered", False),
    ],
)
def test_a_control_that_decides_nothing_says_so(path: str, setting: str, idle: bool) -> None:
    control = next(control for control in CONTROLS if control.path == path)
    assert bool(control.idle(load("index-range-scan", [setting]))) is idle


def test_a_step_is_a_tenth_of_the_magnitude() -> None:
    assert [forms.step_of(value) for value in (1, 4, 100, 7_197_670)] == [1, 1, 10, 100_000]


def test_the_configuration_keeps_the_page_to_itself() -> None:
    config = tomllib.loads(
        Path(forms.__file__).with_name(".streamlit").joinpath("config.toml").read_text("utf-8")
    )
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["toolbarMode"] == "viewer"
