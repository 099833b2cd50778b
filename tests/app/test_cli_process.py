"""The command as a process of its own: exit codes, pipes, signals, and what it does not import."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
PYTHON = [sys.executable, "-W", "error", "-P", "-m", "blocktime"]
HEAVY = ("simpy", "scipy", "plotly", "streamlit", "pandas", "numpy", "rich", "tomlkit", "jinja2")


def blocktime(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*PYTHON, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )


def test_it_runs_from_anywhere_and_exits_with_its_code() -> None:
    done = blocktime("run", "rahn-full-scan", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["time"]["elapsed_s"] > 100
    wrong = blocktime("run", "rahn-full-scna")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)


def test_a_sum_imports_nothing_heavy() -> None:
    code = (
        "import sys; from blocktime.app.command.cli import main; "
        "code = main(['run', 'savvinov-lio-pc', '--quiet']); "
        f"print([name for name in {HEAVY} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_imports_not_even_the_model() -> None:
    code = "import sys; from blocktime.app.command.cli import main; main([]); print('pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=LIMIT_S
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    pipe = subprocess.Popen(
        [*PYTHON, "run", "rahn-full-scan", "--json"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert pipe.stdout is not None
    assert pipe.stderr is not None
    pipe.stdout.close()
    error = pipe.stderr.read()
    pipe.stderr.close()
    assert pipe.wait(LIMIT_S) == 0
    assert error == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PYTHON, "run", "rahn-full-scan"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "blocktime: standard output: No space left on device\n"


def test_an_interrupt_says_nothing_more() -> None:
    code = (
        "import signal, sys; from blocktime import scenarios; from blocktime.app.command.cli import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell's background job ignores it
        "scenarios.run = lambda *_: (print('ready', file=sys.stderr, flush=True), signal.pause()); "
        "sys.exit(main(['run', 'rahn-full-scan']))"
    )
    running = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stderr is not None
    assert running.stderr.readline() == b"ready\n"
    running.send_signal(signal.SIGINT)
    out, error = running.communicate(timeout=LIMIT_S)
    assert running.returncode == 130
    assert out == b""
    assert error.strip() == b""


def test_plain_ascii_is_enough() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(
        [*PYTHON, "run", "rahn-full-scan"], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert b"\xe2\x96\x88" not in done.stdout  # a block
    assert b"####" in done.stdout
    assert b" us " in done.stdout  # a unit stays one
    assert b"?" not in done.stdout


def test_blocks_too_are_drawn_in_plain_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "COLUMNS": "80"}
    settings = ["workload.kind=update", "workload.growth_bytes=40", "table.rows=20000"]
    done = subprocess.run(
        [*PYTHON, "run", "rahn-full-scan", *(word for one in settings for word in ("--set", one))],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    drawing = done.stdout.partition(b"\nInside ")[2].partition(b"\n\n")[0]
    assert b"HI####" in drawing
    assert b"?" not in drawing
