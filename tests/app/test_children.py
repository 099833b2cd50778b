"""Processes that ours start: none outlives the one that started it, and none runs what lies in the working folder."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.patience import LIMIT_S
from tests.processes import children_of, is_gone
from tests.scenarios.sweeps.work import wait_until

ROOT: Final = Path(__file__).resolve().parents[2]
FEW_CPU_S: Final = 5.0
"""Of a process's own time, however busy the machine is; what is begun here takes half a minute."""

SERVER: Final = """
from blocktime.app.start import main

sys.argv = ["blocktime", "app", "--no-browser"]
sys.exit(main())
"""
SIMULATOR: Final = """
import threading
from blocktime.app.session.simulations import Ask, SimulationJob, Simulator
from blocktime.scenarios import load

def play(*settings):
    scenario = load("tpc-c", settings)
    ask = Ask(scenario.model_dump_json(), scenario)
    return worker.play(ask, SimulationJob([ask]))

worker = Simulator()
assert play("workload.transactions=100").document
print("ready", flush=True)
play("workload.transactions=2000000")
"""
PLAYS: Final = SIMULATOR.partition("print")[0]
POOL: Final = """
from {module} import {opens}
from tests.scenarios.sweeps import work

with {opens}({arguments}) as two:
    assert sorted(two.map(work.doubled, [[1.0], [2.0]])) == [(0, [2.0]), (1, [4.0])]
"""
CHILDREN: Final = {
    "the simulator": PLAYS,
    "a pool": POOL.format(module="blocktime.scenarios.sweeps.executors", opens="LocalProcesses", arguments="2"),
}
DECOYS: Final = sorted(
    {"app", "model", "scenarios", "validation", "streamlit", "numpy", "distributed", "sitecustomize"}
    | {name for name in sys.stdlib_module_names if not name.startswith("_")}
)


@contextmanager
def running(code: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that lies elsewhere and runs in *folder*, in a group of its own as a shell would start it."""
    program = folder.parent / f"{folder.name}.py"
    program.write_text(f"import sys; sys.path[0] = {str(ROOT)!r}\nif __name__ == '__main__':\n"
        + "".join(f"    {line}\n" for line in code.strip().splitlines()))  # fmt: skip
    with subprocess.Popen(
        [sys.executable, str(program)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "BLOCKTIME_STORE": str(folder.parent / "store")},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str], begins: str) -> None:
    """Wait for its first line."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(begins), (line, process.communicate()[1])


def cpu_s(process: psutil.Process) -> float:
    """What it has used; what is gone uses no more."""
    with suppress(psutil.Error):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def only_child(process: subprocess.Popen[str]) -> psutil.Process:
    (child,) = children_of(process.pid)
    return child


# Nobody is left


def ends(child: psutil.Process) -> bool:
    """Whether *child* ends before it has worked for long; none is left."""
    killed = cpu_s(child)
    wait_until(lambda: is_gone(child.pid) or cpu_s(child) > killed + FEW_CPU_S, "it waits")
    gone = is_gone(child.pid)
    if not gone:
        child.kill()
    return gone


@pytest.mark.parametrize(
    ("code", "begins"), [(SERVER, "Blocktime is at"), (SIMULATOR, "ready")], ids=["server", "simulation"]
)
def test_a_child_ends_with_a_parent_that_is_killed(code: str, begins: str, folder: Path) -> None:
    with running(code, folder) as process:
        said(process, begins)
        child = only_child(process)
        began = cpu_s(child)
        if code == SIMULATOR:
            wait_until(lambda: cpu_s(child) > began + 0.5, "nothing is simulated")
        process.kill()
        assert ends(child)


STARTS: Final = f"""
from blocktime.scenarios.child_process import Child
Child(["-c", {{code!r}}], {{{{"PYTHONPATH": {str(ROOT)!r}}}}}).wait()
"""
NEVER_LETS_GO: Final = """
import re
from blocktime.scenarios.child_process import end_with_parent
end_with_parent()
print("ready", flush=True)
re.match("(a*)*b", "a" * 60)  # one step of the interpreter, which no other thread can interrupt
"""
ASKS_LATE: Final = """
import os
from blocktime.scenarios.child_process import end_with_parent
parent = os.getppid()
print("ready", flush=True)
while os.getppid() == parent:
    pass
end_with_parent()
while True:
    pass
"""


@pytest.mark.parametrize("code", [NEVER_LETS_GO, ASKS_LATE], ids=["a compiled loop", "a late question"])
def test_a_child_ends_whatever_it_does_and_whenever_it_asks(code: str, folder: Path) -> None:
    with running(STARTS.format(code=code), folder) as process:
        said(process, "ready")
        child = only_child(process)
        process.kill()
        assert ends(child)


# Nothing of the folder is run


@pytest.fixture
def trap(folder: Path) -> Path:
    """A file that is there as soon as a module of the folder was imported, whichever."""
    sprung = folder.parent / "imported"
    for name in DECOYS:
        (folder / f"{name}.py").write_text(f"open({str(sprung)!r}, 'a').write({name!r} + chr(10))\n")
    settings = folder / ".streamlit"
    settings.mkdir()
    (settings / "config.toml").write_text("[server]\nbaseUrlPath = 'elsewhere'\n")
    return sprung


def imported(trap: Path) -> list[str]:
    return trap.read_text().split() if trap.exists() else []


@pytest.mark.parametrize("starts", CHILDREN)
def test_a_child_imports_nothing_from_the_working_folder(starts: str, folder: Path, trap: Path) -> None:
    with running(CHILDREN[starts], folder) as process:
        _, complained = process.communicate(timeout=LIMIT_S)
    assert imported(trap) == []
    assert (process.returncode, complained) == (0, "")


def test_the_server_obeys_nothing_in_the_working_folder(folder: Path, trap: Path) -> None:
    with running(SERVER, folder) as process:
        said(process, "Blocktime is at")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT_S)
    assert imported(trap) == []
