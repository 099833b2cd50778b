"""Ctrl-C while the command begins: exit code 130, and not a word, wherever among the imports it comes."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = 700
"""About as many as an answer needs; a run with fewer is through before its interrupt."""
INTERRUPTED_WITHIN = """
import os, runpy, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
begins, left, kind, where, *sys.argv[1:] = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
counting = not begins


def count(event, found):
    global counting, left
    if event == "import":
        counting = counting or found[0] == begins
        left -= counting
        if not left and counting:
            counting = False
            os.kill(os.getpid(), signal.SIGINT)


sys.addaudithook(count)
runpy.run_path(where, run_name="__main__") if kind == "script" else runpy.run_module(
    where, run_name="__main__", alter_sys=True
)
"""
"""Runs a program that gets the signal with one of its imports: the n-th from the one that is named on."""


def interrupted(
    place: int, *program: str, begins: str = "", options: tuple[str, ...] = ()
) -> tuple[int, str]:
    """Exit code and standard error of *program*, interrupted with its import number *place*."""
    done = subprocess.run(
        [sys.executable, *options, "-c", INTERRUPTED_WITHIN, begins, str(place), *program],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def console_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command as dev.py writes it."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    script = tmp_path_factory.mktemp("bin") / "blocktime"
    script.write_text(dev.CONSOLE_SCRIPT.format(python=shlex.quote(sys.executable)), encoding="utf-8")
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize("place", [1, 2, 3, *range(20, IMPORTS, 40)])
def test_the_command_ends_with_130_wherever_it_is_interrupted(place: int, console_script: str) -> None:
    ended = interrupted(place, "script", console_script, "run", "tpc-c", begins="site", options=("-S",))
    assert ended == (130, "")


@pytest.mark.parametrize("place", [1, 2, 3, 8, 30, 90, 200, 350, 500, 650])
def test_so_does_the_module(place: int) -> None:
    assert interrupted(place, "module", "app", "run", "tpc-c", begins="app.start") == (130, "")


@pytest.mark.parametrize("place", [1, 5, 20])
def test_so_does_what_prepares_the_rest(place: int) -> None:
    assert interrupted(place, "script", str(ROOT / "dev.py"), "help", begins="hashlib") == (130, "")


def test_the_command_runs_as_dev_writes_it(console_script: str) -> None:
    done = subprocess.run(
        [console_script, "list", "hosts", "--quiet"], cwd="/", env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "rahn-2008" in done.stdout.split()
