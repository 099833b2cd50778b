"""The parts of dev.py that need no network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "dev.py"


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("minor", [11, 12, 13])
def test_these_pythons_will_do(dev: ModuleType, minor: int) -> None:
    assert dev.version_problem(3, minor) == ""


@pytest.mark.parametrize(("major", "minor"), [(2, 7), (3, 6), (3, 10), (3, 14), (4, 0)])
def test_other_pythons_are_told_in_one_sentence(dev: ModuleType, major: int, minor: int) -> None:
    problem = dev.version_problem(major, minor)
    assert f"{major}.{minor}" in problem
    assert "\n" not in problem


def test_the_stamp_is_the_same_for_the_same(dev: ModuleType) -> None:
    assert dev.stamp(b"a==1\n", "3.11.7", "here") == dev.stamp(b"a==1\n", "3.11.7", "here")


@pytest.mark.parametrize(
    "other",
    [(b"a==2\n", "3.11.7", "here"), (b"a==1\n", "3.12.1", "here"), (b"a==1\n", "3.11.7", "there")],
    ids=["lock", "version", "folder"],
)
def test_the_stamp_changes_with_each_part(dev: ModuleType, other: tuple[bytes, str, str]) -> None:
    assert dev.stamp(b"a==1\n", "3.11.7", "here") != dev.stamp(*other)


def test_what_leads_away_from_the_environment_is_dropped(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_RETRIES", "7")
    environment = dev.environment()
    assert "PYTHONPATH" not in environment
    assert environment["PIP_USER"] == "0"
    assert environment["PIP_RETRIES"] == "7"  # the caller knows the network


def test_one_failed_step_fails_all_and_stops_none(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []

    def step(name: str, passed: bool) -> bool:
        done.append(name)
        return passed

    status = dev.report({"one": lambda: step("one", False), "two": lambda: step("two", True)})
    assert (status, done) == (1, ["one", "two"])
    assert capsys.readouterr().out == "1 passed, 1 failed\n"


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), ([], 0), (["teste"], 2)])
def test_help_needs_no_environment(arguments: list[str], status: int) -> None:
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert "dev.py test" in done.stdout


@pytest.mark.parametrize(("option", "answers"), [("--help", 0), ("-h", 0), ("--no-browser", 1)])
def test_help_of_the_page_answers_nothing_first(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, option: str, answers: int
) -> None:
    called: list[tuple[object, ...]] = []
    monkeypatch.setattr(dev, "call", lambda *words: called.append(words))
    monkeypatch.setattr(dev.os, "chdir", lambda _: None)
    monkeypatch.setattr(dev.os, "execve", lambda _, words, __: called.append(tuple(words)))
    dev.serve(option)
    assert len(called) == answers + 1
    assert called[-1][1:] == ("app", option)


def test_the_lock_holds_hashes_and_no_address() -> None:
    text = (SCRIPT.parent / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    pins = [line for line in text.splitlines() if "==" in line]
    assert len(pins) > 50
    assert all(line.endswith("\\") for line in pins)  # a hash follows
