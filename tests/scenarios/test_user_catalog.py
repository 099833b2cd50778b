"""Entries of the user's own folder and of installed packages: every scenario may use them."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios import load, user_catalog
from blocktime.scenarios.profiles import entries_of
from tests.command_line import CommandLine

SAN = '[profile.disk.our-san]\nuse = "array-raid10"\ntitle = "SAN of building 3"\nraid_disks = 12\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = tmp_path / "blocktime"
    made.mkdir()
    user_catalog.user_layers.cache_clear()
    yield made
    user_catalog.user_layers.cache_clear()


def test_a_device_of_the_folder_is_one_of_the_catalog_for_every_scenario(folder: Path, blocktime: CommandLine) -> None:
    (folder / "site.toml").write_text(SAN)
    scenario = load("full-scan-nvme", ["disk.use=our-san"])
    assert scenario.system.disk.raid_disks == 12
    assert scenario.system.constants["disk.raid_disks"].source == f"our-san ({folder / 'site.toml'})"
    assert scenario.system.disk.overhead_s == load("full-scan-nvme", ["disk.use=array-raid10"]).system.disk.overhead_s
    assert "our-san" in entries_of(scenario, "disk")
    assert "our-san" in blocktime.prints("list", "disks", "--quiet").split()
    assert "SAN of building 3" in blocktime.prints("list", "our-san")


def test_an_entry_of_the_file_goes_before_one_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (folder / "site.toml").write_text(SAN)
    file = tmp_path / "mine.toml"
    file.write_text(f'base = "full-scan-nvme"\n{SAN.replace("12", "8")}[disk]\nuse = "our-san"\n')
    assert load(file).system.disk.raid_disks == 8


def test_a_package_brings_entries_by_its_entry_point(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "acme_devices"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "san.toml").write_text(SAN)
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("acme", "acme_devices", user_catalog.GROUP)
    monkeypatch.setattr(user_catalog, "entry_points", lambda group: [point] if group == user_catalog.GROUP else [])
    assert load("full-scan-nvme", ["disk.use=our-san"]).system.disk.raid_disks == 12
    del sys.modules["acme_devices"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{SAN}raid_discs = 3\n", "profile.disk.our-san.raid_discs: there is no such field; did you mean "),
        ("[disk]\nuse = 3\n", "disk: allowed are sections [profile.KIND.NAME] alone"),
        ("[profile.disk\n", "cannot be read as TOML: "),
        (
            SAN.replace("our-san", "nvme"),
            "profile.disk.nvme: the catalog has a disk of that name; give this one another",
        ),
    ],
)
def test_a_fault_in_the_folder_is_one_sentence_where_it_is_used(folder: Path, text: str, sentence: str) -> None:
    (folder / "site.toml").write_text(text)
    load("full-scan-nvme", ["disk.use=nvme"])
    with pytest.raises(SpecError) as fault:
        load("full-scan-nvme", ["disk.use=our-san"])
    assert str(fault.value).startswith(f"{folder / 'site.toml'}: {sentence}")


def test_a_package_that_is_none_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("acme", "no_such_package_here", user_catalog.GROUP)
    monkeypatch.setattr(user_catalog, "entry_points", lambda group: [point])
    with pytest.raises(
        SpecError, match=r"^blocktime\.catalog: acme: got 'no_such_package_here', which is no package: "
    ):
        load("full-scan-nvme", ["disk.use=our-san"])
