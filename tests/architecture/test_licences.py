"""What others wrote: every licence is known, none that a user installs reaches into what uses it."""

import json
from pathlib import Path

import pytest

from tools import licences


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(licences, "BILL", tmp_path / "bill.json")
    return tmp_path


def test_the_list_is_what_the_locks_say(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main("--check") == 0, capsys.readouterr().out


def test_the_bill_names_each_package_with_licence_and_hashes(places: Path) -> None:
    licences.main("--check")
    made = json.loads((places / "bill.json").read_text(encoding="utf-8"))
    assert made["bomFormat"] == "CycloneDX"
    assert {part["name"] for part in made["components"]} == set(licences.packages(licences.TESTS))
    assert all(part["licenses"] and part["hashes"] for part in made["components"])
    required = {part["name"] for part in made["components"] if part["scope"] == "required"}
    assert required == set(licences.packages(licences.USER))


def test_a_gpl_for_users_and_an_unknown_licence_are_faults() -> None:
    found = licences.faults({"libcachesim": ["1"]}, ["libcachesim", "nobody-wrote-this"])
    assert len(found) == 2
    assert "nobody-wrote-this is not known" in found[0]
    assert "libcachesim under GPL-3.0-or-later" in found[1]


def test_a_stale_list_is_a_fault(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (places / "licences.md").write_text("old\n")
    monkeypatch.setattr(licences, "LIST", places / "licences.md")
    assert licences.main("--check") == 1
    assert "dev.py licences" in capsys.readouterr().out
