"""Ctrl-C while the command begins: exit code 130, and not a word, wherever among the imports it comes."""

import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blocktime.app.base.interrupts import INTERRUPTED
from blocktime.app.command import cli
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = 620
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


def interrupted(place: int, *program: str, begins: str = "", options: tuple[str, ...] = ()) -> tuple[int, str]:
    """Exit code and standard error of *program*, interrupted with its import number *place*."""
    done = subprocess.run(
        [sys.executable, *options, "-c", INTERRUPTED_WITHIN, begins, str(place), *program],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the command as dev.py writes it."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    folder = tmp_path_factory.mktemp("a folder")
    dev.write_console_script(folder, Path(sys.executable))
    shutil.copy(dev.COMMAND, folder / "blocktime")
    (folder / "link").symlink_to("blocktime")
    return folder


@pytest.fixture(scope="module")
def console_script(folder: Path) -> str:
    """What the command starts."""
    return str(folder / "blocktime-python")


def with_python_in(folder: Path, code: str) -> Path:
    """The command in a *folder* of its own, where it starts *code* instead of the program."""
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "app" / "blocktime.sh", folder / "blocktime")
    (folder / "blocktime-python").write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"\n', encoding="utf-8"
    )
    (folder / "blocktime-python").chmod(0o755)
    return folder / "blocktime"


def ended(*program: object, path: str = os.environ["PATH"]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of *program*, called from another folder."""
    done = subprocess.run(
        [str(word) for word in program], cwd="/", env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
PENDING = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a program that has been interrupted before its first instruction, and has not seen it yet."""
needs_env = pytest.mark.skipif(
    subprocess.run(["env", "--block-signal=INT", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0,
    reason="env blocks signals from GNU coreutils 8.31 on",
)


@needs_env
@pytest.mark.parametrize("name", ["blocktime", "link"])
def test_an_interrupt_from_before_python_begins_ends_the_command(name: str, folder: Path, tmp_path: Path) -> None:
    env = tmp_path / "env"
    words = shlex.join([sys.executable, "-c", PENDING, shutil.which("env") or ""])
    env.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    env.chmod(0o755)
    called = ended(folder / name, "run", "tpc-c", path=f"{tmp_path}:{os.environ['PATH']}")
    assert called == (INTERRUPTED, "", "")


@needs_env
@pytest.mark.parametrize("name", ["blocktime", "link"])
def test_python_starts_with_the_interrupt_blocked(name: str, tmp_path: Path) -> None:
    command = with_python_in(tmp_path / "it's a folder", BLOCKED)
    (command.parent / "link").symlink_to(command)
    assert ended(command.parent / name) == (0, "True\n", "")


def test_python_starts_all_the_same_where_env_cannot_block(tmp_path: Path) -> None:
    command = with_python_in(tmp_path / "bin", "import sys; print(*sys.argv[1:], sep='/')")
    older = tmp_path / "env"
    older.write_text("#!/bin/sh\necho 'env: unrecognized option' >&2\nexit 125\n", encoding="utf-8")
    older.chmod(0o755)
    assert ended(command, "two words", "", "*", path=f"{tmp_path}:{os.environ['PATH']}") == (0, "two words//*\n", "")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (BLOCKED, (0, "False\n", "")),  # nothing that the program starts inherits it
        ("os.kill(os.getpid(), signal.SIGINT)", (INTERRUPTED, "", "")),
        # As the parser does in a \\N{...}, and C code that imports.
        ("try: os.kill(os.getpid(), signal.SIGINT)\n    except BaseException: 1 / 0", (INTERRUPTED, "", "")),
    ],
)
def test_the_command_runs_with_the_interrupt_open(command: str, answer: tuple[int, str, str]) -> None:
    program = (
        "import os, signal, sys, types\n"
        f"def main():\n    {command}\n    return 0\n"
        "sys.modules['blocktime.app.command.cli'] = types.SimpleNamespace(main=main)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
        "from blocktime.app.start import main\n"
        "sys.exit(main())"
    )
    assert ended(sys.executable, "-c", program) == answer


def test_an_error_that_an_interrupt_turned_into_is_not_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> None:
        interrupts.append(signal.SIGINT)
        raise ImportError("numpy._core.multiarray failed to import")

    monkeypatch.setattr(cli.commands, "main", fails)
    monkeypatch.setattr("blocktime.app.start.interrupts", interrupts := [])
    monkeypatch.setattr(cli, "interrupts", interrupts)
    assert (cli.main(["list"]), *capsys.readouterr()) == (INTERRUPTED, "", "")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("place", [1, 2, 3, *range(20, IMPORTS, 40)])
def test_the_command_ends_with_130_wherever_it_is_interrupted(place: int, console_script: str) -> None:
    called = ("script", console_script, "run", "tpc-c")
    assert interrupted(place, *called, begins="site", options=("-S",)) == (INTERRUPTED, "")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", [1, 2, 3, 8, 30, 90, 200, 350, 500])
def test_so_does_the_module(place: int) -> None:
    assert interrupted(place, "module", "blocktime", "run", "tpc-c", begins="blocktime.app.start") == (INTERRUPTED, "")


@pytest.mark.parametrize("place", [1, 5, 20])
def test_so_does_what_prepares_the_rest(place: int) -> None:
    assert interrupted(place, "script", str(ROOT / "dev.py"), "help", begins="hashlib") == (INTERRUPTED, "")


def test_the_command_runs_as_dev_writes_it(folder: Path) -> None:
    code, printed, errors = ended(folder / "blocktime", "list", "hosts", "--quiet")
    assert (code, errors) == (0, "")
    assert "rahn-2008" in printed.split()
