"""The recipes of CONTRIBUTING.md work as they are printed, on a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("app", "blocktime", "docs", "model", "pyproject.toml", "scenarios", "tests", "validation")
BLOCK = re.compile(r"^ *```(\w+) (\S+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
# Recipe -> its blocks of code, each with its language and file.
RECIPES = {
    part.partition("\n")[0]: [(kind, path, dedent(code)) for kind, path, code in BLOCK.findall(part)]
    for part in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")
}
PING = "64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.05 ms\nrtt min/avg/max/mdev = 0.021/0.035/0.050/0.011 ms\n"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
Run = Callable[..., str]


def lines_after(sign: str, code: str) -> str:
    return "".join(line[1:] for line in code.splitlines(keepends=True) if line.startswith(sign))


def put(tree: Path, kind: str, path: str, code: str) -> None:
    """Do what one block says: write a file, add to a list's beginning, or replace lines that stand there once."""
    file = tree / path
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if kind == "diff":
        old, new = lines_after("-", code), lines_after("+", code)
        assert text.count(old) == 1, f"{path}: {old}"
        text = text.replace(old, new)
    elif kind == "text":
        (first,) = re.findall(r"^(?:FORMATS: Final = \(|.*names one of these keys\.\n)\n", text, re.MULTILINE)
        text = text.replace(first, first + code)
    else:
        assert not text, f"{path} is there already"
        text = code
    file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree in which all recipes were followed."""
    copy = tmp_path_factory.mktemp("copy")
    for part in PARTS:
        if (ROOT / part).is_file():
            shutil.copy(ROOT / part, copy / part)
        else:
            shutil.copytree(
                ROOT / part, copy / part, symlinks=True,
                ignore=shutil.ignore_patterns("__pycache__", "answers", "*.png"),
            )  # fmt: skip
    for blocks in RECIPES.values():
        for block in blocks:
            put(copy, *block)
    return copy


@pytest.fixture
def python(tree: Path) -> Run:
    """Calls Python in the copy; gives what it prints."""

    def call(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=tree, capture_output=True, text=True, check=False, timeout=LIMIT_S,
            env={**os.environ, "PYTHONPATH": str(tree)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


def test_there_are_four_recipes() -> None:
    assert [name for name, blocks in RECIPES.items() if blocks] == [
        "A new device",
        "A new access path",
        "A new instrument to read",
        "A new measured document",
    ]


def test_a_new_device_answers_and_names_its_sources(python: Run) -> None:
    """A random read of 4K takes the 10 µs of the product brief, when it is alone."""
    asked = (
        "from blocktime.scenarios import load, run;"
        "settings = ['disk.use=intel-p4800x', 'workload.in_flight=1', 'workload.block_size_bytes=4K'];"
        "print(run(load('random-read-depth', settings)).device['disk'].await_s)"
    )
    assert [float(word) for word in python("-c", asked).split()] == pytest.approx([10e-6], rel=0.01)
    assert "passed" in python(*PYTEST, "tests/architecture/test_sources.py")


def test_a_new_access_path_passes_its_own_test(python: Run) -> None:
    assert "1 passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/model/test_descending.py")


def test_a_new_instrument_is_read(python: Run, tmp_path: Path) -> None:
    report = tmp_path / "a.report"
    report.write_text(PING, encoding="utf-8")
    asked = (
        "import sys; from pathlib import Path; from blocktime.validation.instruments import OpenedFile, read;"
        "[reading] = read(OpenedFile(Path(sys.argv[1])));"
        "print([(one.name, round(one.value, 9), one.line) for one in reading.figures], reading.unread[0].lines)"
    )
    said = python("-c", asked, str(report))
    assert said.startswith("[('min', 2.1e-05, 2)")
    assert said.rstrip().endswith("1")


def test_a_new_measured_document_is_compared(python: Run) -> None:
    said = python("-m", "blocktime", "validate", "foote_clustering", "--check")
    assert "foote_clustering" in said
