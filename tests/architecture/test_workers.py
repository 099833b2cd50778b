"""Workers share the tests by files, and samples hold what they must."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.whole import WHOLE, sample
from tests.workers import IN_A_BROWSER, LONGEST, turn_of, unit_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("file", [*LONGEST, *IN_A_BROWSER])
def test_files_with_a_turn_of_their_own_are_there(file: str) -> None:
    assert (ROOT / file).is_file()


def test_files_that_ask_for_a_server_or_a_browser_are_tested_by_one_worker() -> None:
    asks = re.compile(r"^def test_\w+\([^)]*\b(browser|server)\b", re.MULTILINE)
    files = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in ROOT.glob("tests/**/test_*.py")}
    pictures = {"tests/app/test_screenshots.py"}  # no part of the checks
    assert {file for file, text in files.items() if asks.search(text)} - pictures == set(IN_A_BROWSER)


def test_a_unit_is_a_file() -> None:
    assert unit_of("tests/model/test_show.py::test_it[a::b]") == "tests/model/test_show.py"
    assert {unit_of(f"{file}::test_it") for file in IN_A_BROWSER} == {LONGEST[0]}
    assert turn_of(f"{LONGEST[1]}::test_it") < turn_of("tests/model/test_show.py::test_it")


def test_a_file_is_tested_by_one_worker(tmp_path: Path) -> None:
    """Else each worker makes the fixtures of every module."""
    for name in ("one", "two", "three"):
        (tmp_path / f"test_{name}.py").write_text(
            "import os, pathlib, pytest\n"
            "@pytest.mark.parametrize('n', range(6))\n"
            "def test_it(n):\n"
            f"    pathlib.Path('{name} ' + os.environ['PYTEST_XDIST_WORKER']).touch()\n",
            encoding="utf-8",
        )
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.workers", "-n", "2"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert sorted(path.name.partition(" ")[0] for path in tmp_path.glob("* gw*")) == ["one", "three", "two"]


CASES = [{"kind": kind, "size": size} for kind in "abc" for size in range(5)]


@pytest.mark.parametrize("size", [1, 5, 9, 15])
def test_a_sample_holds_every_value_and_is_the_same_each_time(size: int) -> None:
    chosen = sample(CASES, size, "a test")
    assert chosen == sample(CASES, size, "a test")
    assert len(chosen) == max(5, size)
    for name in ("kind", "size"):
        assert {CASES[place][name] for place in chosen} == {case[name] for case in CASES}


def test_a_sample_of_values_that_are_there_once_is_of_that_size() -> None:
    chosen = sample([{"n": n} for n in range(100)], 7, "a test")
    assert len(chosen) == 7


SEEN: set[int] = set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", range(20))
def test_of_a_sampled_test_some_cases_are_left(n: int) -> None:
    SEEN.add(n)


def test_as_many_as_the_marker_says() -> None:
    assert len(SEEN) in (0, 20 if WHOLE else 3)  # none where this test runs alone
