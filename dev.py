#!/usr/bin/env python3
"""One door for work on Blocktime. It needs only Python 3.11 or newer and prepares the rest itself, in .venv and .dev.

python3 dev.py app [OPTION...]       a first answer, then the what-if page (options of `blocktime app`)
python3 dev.py test [PYTEST ARG...]  every check; with arguments, pytest alone
python3 dev.py test --whole [ARG...] all cases where the checks take samples, and generated tests with other examples
python3 dev.py test --random         the generated tests alone, each time with other examples
python3 dev.py check                 the quick checks: format, lint, types, floors
python3 dev.py benchmark [ARG...]    what reports the clock (arguments of pytest)
python3 dev.py docs                  write the generated parts of docs/ again, and make the site in .dev/site
python3 dev.py bars [FOLDER]         reports of other people's systems against the model, check by check
python3 dev.py screenshots           take the pictures in docs/ again
python3 dev.py lock [--upgrade]      resolve the requirements*.lock again from pyproject.toml
python3 dev.py licences              write docs/licences.md and a bill of materials (CycloneDX) into .dev; check both
"""

import sys

try:
    import hashlib
    import json
    import os
    import re
    import shlex
    import shutil
    import subprocess
    import tempfile
    import time
    from pathlib import Path
    from typing import NoReturn
except KeyboardInterrupt:
    sys.exit(130)


def version_problem(major: int, minor: int) -> str:
    """One sentence when this Python cannot be used, else nothing."""
    if (major, minor) >= (3, 11):
        return ""
    return f"Blocktime needs Python 3.11 or newer; this is {major}.{minor}. Call dev.py with a newer one."


# An older Python stops here with a sentence, before it meets anything that it does not know.
if version_problem(sys.version_info[0], sys.version_info[1]):
    sys.exit(version_problem(sys.version_info[0], sys.version_info[1]))
if os.name != "posix":
    sys.exit("dev.py works on Linux and macOS; on Windows, call it inside WSL.")

import fcntl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType

ROOT = Path(__file__).resolve().parent
VENV, TOOLS = ROOT / ".venv", ROOT / ".dev"
APP_LOCK, TEST_LOCK, UV_LOCK, ZIG_LOCK = (ROOT / f"requirements{what}.lock" for what in ("", "-test", "-uv", "-zig"))
LOOPS = ROOT / "model" / "loops"
BIN, STAMP, LOG = VENV / "bin", VENV / "blocktime-stamp", TOOLS / "setup.log"
PYTHON = BIN / "python"
BASE = getattr(sys, "_base_executable", None) or sys.executable  # dev.py may itself run inside .venv
# Modules that must be there, by the lock that brings them; the second lock holds the first.
NEEDED = {APP_LOCK: ["Cython", "click", "pyarrow", "scipy", "simpy", "streamlit", "tomlkit"]}
NEEDED[TEST_LOCK] = [*NEEDED[APP_LOCK], "distributed", "duckdb", "hatchling", "hypothesis", "mypy", "playwright"]
PROBE = "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))"
FETCHING = "No C compiler works here: fetching one (0.1 GB; only the first time)."
HELP = {"-h", "--help", "help"}
COMMAND = ROOT / "app" / "blocktime.sh"
# What the command starts. pip writes its own from pyproject.toml.
CONSOLE_SCRIPT = """#!/bin/sh
'''exec' {python} -S "$0" "$@"
' '''
try:  # where an interrupt may come at once, -S keeps Python's own imports for below
    import site
    site.main()
    from blocktime.app.start import main
    raise SystemExit(main())
except KeyboardInterrupt:
    raise SystemExit(130) from None
"""


def say(line: str) -> None:
    """Tell how far we are."""
    print(line, file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """Give the caller's environment, without what would lead Python, pip or uv away from .venv.

    Each process that we start would compile all of .venv where nobody is to keep what was compiled.
    """
    away = {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PYTHONDONTWRITEBYTECODE"}
    kept = {k: v for k, v in os.environ.items() if k not in away}
    path = os.pathsep.join([str(BIN), kept.get("PATH", os.defpath)])
    ours = {"PATH": path, "VIRTUAL_ENV": str(VENV), "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    return {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never", "PIP_RETRIES": "2", **kept, **ours}


def logged(*command: object, **variables: str) -> bool:
    """Run a step of the set-up, its output into the log; say whether it succeeded."""
    words = [str(word) for word in command]
    with LOG.open("a", encoding="utf-8") as log:
        print("$", shlex.join(words), file=log, flush=True)
        try:
            env = {**environment(), **variables}
            return not subprocess.call(words, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as error:  # no such program, or one for another machine
            print(error, file=log)
            return False


def stamp(lock: bytes, version: str, folder: str) -> str:
    """Name what an environment is made from; it is made anew when one of these changes."""
    return hashlib.sha256(b"\0".join([lock, version.encode(), folder.encode()])).hexdigest()


def stamps(lock: Path) -> list[str]:
    """Name what .venv holds when it is made from *lock*: first what a user needs, then what the tests add."""
    locks = [APP_LOCK] if lock == APP_LOCK else [APP_LOCK, TEST_LOCK]
    scripts = COMMAND.read_text(encoding="utf-8") + CONSOLE_SCRIPT
    return [stamp(path.read_bytes(), sys.version + scripts, str(ROOT)) for path in locks]


def holds(wanted: list[str]) -> bool:
    """Say whether .venv was made from all of *wanted*, and perhaps from more."""
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8").split()[: len(wanted)] == wanted


def find_uv() -> str | None:
    """Return the uv on PATH, or else one that pip puts into the project's own folder."""
    own = TOOLS / "uv" / "bin" / "uv"
    if not shutil.which("uv") and not os.access(own, os.X_OK):
        to = ("--upgrade", "--target", TOOLS / "uv")
        logged(BASE, "-m", "pip", "install", *to, "--require-hashes", "-r", UV_LOCK)
    return shutil.which("uv") or shutil.which(own)


def clear_venv() -> None:
    """Remove .venv, be it a folder, a file or a link."""
    if VENV.is_dir() and not VENV.is_symlink():
        shutil.rmtree(VENV)
    else:
        VENV.unlink(missing_ok=True)


def install(lock: Path) -> bool:
    """Fill a new .venv from *lock*: with uv, and the loops are compiled meanwhile, or else with pip."""
    locked = ("--require-hashes", "-r", lock)
    uv = find_uv()
    clear_venv()
    if uv and logged(uv, "venv", "--no-project", "--python", BASE, VENV):
        with ThreadPoolExecutor(1) as beside:
            if provide_compiler():
                beside.submit(logged, PYTHON, LOOPS / "build.py")
            if complete(lock):
                return True
    say("Without uv: pip installs the same, more slowly.")
    clear_venv()
    if logged(BASE, "-m", "venv", VENV):
        return logged(PYTHON, "-m", "pip", "install", *locked)
    clear_venv()  # Debian's Python without python3-venv has no ensurepip, but may have pip
    if logged(BASE, "-m", "venv", "--without-pip", VENV):
        return logged(BASE, "-m", "pip", "--python", PYTHON, "install", *locked)
    return False


def provide_compiler() -> bool:
    """Add what compiles the loops to the empty .venv, if they must be compiled: Cython, and zig without a compiler."""
    build = loops_build()
    if build.file().is_file():
        return False
    cython = TOOLS / "requirements-cython.lock"
    pins = re.split(r"\n(?=\w)", APP_LOCK.read_text(encoding="utf-8"))
    cython.write_text(next(pin for pin in pins if pin.startswith("cython==")), encoding="utf-8")
    if build.compilers():
        return complete(cython)
    say(FETCHING)
    return complete(cython) and complete(ZIG_LOCK)


def loops_build() -> ModuleType:
    """Load the module that compiles the loops."""
    sys.path.insert(0, str(LOOPS))
    return import_module("build")


def compile_loops() -> None:
    """Have the loops compiled with the C compiler that is here, or else with one from the package index."""
    build = loops_build()
    failed, tried = TOOLS / "uncompiled", f"{build.name()} {build.compilers()}"
    if build.file().is_file() or (failed.is_file() and failed.read_text(encoding="utf-8") == tried):
        return
    if logged(PYTHON, LOOPS / "build.py"):
        return
    say(FETCHING)
    if not (complete(ZIG_LOCK) and logged(PYTHON, LOOPS / "build.py")):
        failed.write_text(tried, encoding="utf-8")
        say(f"{build.PLAIN} See {LOG}.")


def complete(lock: Path) -> bool:
    """Add what *lock* holds to the .venv that is there, with uv; a part of it that is there stays."""
    uv = find_uv()
    return bool(uv) and logged(uv, "pip", "install", "--python", PYTHON, "--require-hashes", "-r", lock)


def works(lock: Path) -> bool:
    """Say whether Python in .venv finds what *lock* brings."""
    return logged(PYTHON, "-P", "-c", PROBE, *NEEDED[lock])


def write_console_script(folder: Path, python: Path) -> None:
    """Write what the command starts, with *python*, into *folder*."""
    script = folder / "blocktime-python"
    script.write_text(CONSOLE_SCRIPT.format(python=shlex.quote(str(python))), encoding="utf-8")
    script.chmod(0o755)


def set_up(lock: Path) -> None:
    """Make .venv hold what *lock* says; when it does already, this costs a moment."""
    wanted = stamps(lock)
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two terminals may start at once
        LOG.unlink(missing_ok=True)
        if holds(wanted) and works(lock):
            compile_loops()
            return
        started = time.monotonic()
        if lock != APP_LOCK and holds(wanted[:1]) and works(APP_LOCK):
            say("Adding to .venv what the tests need (about 0.5 GB; only the first time).")
            installed = complete(lock)
        else:
            size = "0.6 GB" if lock == APP_LOCK else "1.1 GB"
            say(f"Setting up .venv (about {size}, up to two minutes; only the first time).")
            installed = False
        if not installed and not install(lock):
            lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
            last = [line for line in lines if line.strip()][-1].strip()
            sys.exit(f"The packages could not be installed; is there a network? See {LOG}; it ends: {last}")
        major, minor = sys.version_info[:2]
        packages = VENV / "lib" / f"python{major}.{minor}" / "site-packages"
        (packages / "blocktime.pth").write_text(f"{ROOT}\n", encoding="utf-8")
        write_console_script(BIN, PYTHON)
        shutil.copy(COMMAND, BIN / "blocktime")
        compile_loops()
        STAMP.write_text("\n".join(wanted), encoding="utf-8")  # last, so that a half-made environment has none
        say(f"Set up in {time.monotonic() - started:.0f} s.")


def provide_chromium() -> None:
    """Install chromium for the browser tests where that is ours to do, else say that they will be skipped."""
    if any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing chromium for the browser tests.")
        get = ("apt-get", "-y", "--no-install-recommends")
        if logged(*get, "update") and logged(
            *get, "install", "chromium", "fonts-dejavu-core", DEBIAN_FRONTEND="noninteractive"
        ):
            return
    say("There is no chromium on PATH: the browser tests will be skipped.")


def call(*command: object, folder: Path = ROOT, **variables: str) -> bool:
    """Run a command and let it talk; say whether it succeeded."""
    words = [str(word) for word in command]
    return subprocess.call(words, cwd=folder, env={**environment(), **variables}) == 0


def quietly(*command: object, folder: Path = ROOT, **variables: str) -> bool:
    """Run a command and show what it said only when it failed."""
    with tempfile.TemporaryFile() as output:
        words, env = [str(word) for word in command], {**environment(), **variables}
        status = subprocess.call(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        output.seek(0)
        if status:
            say(output.read().decode(errors="replace").rstrip())
    return status == 0


def wheel_works() -> bool:
    """Build the wheel and use it from elsewhere; unpacking it is installing it."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        if not quietly(PYTHON, "-m", "hatchling", "build", "-t", "wheel", "-d", here):
            return False
        shutil.unpack_archive(next(here.glob("*.whl")), here / "installed", "zip")
        compiled = any(LOOPS.joinpath("compiled").glob("*"))
        where = (
            "import blocktime, sys; from blocktime.model.loops import compiled;"
            f"sys.exit(not blocktime.__file__.startswith({folder!r}) or bool(compiled()) != {compiled})"
        )
        packages = next(VENV.glob("lib/python*/site-packages"))
        # Without site, whose .pth would lead into this folder.
        alone = {"PYTHONPATH": os.pathsep.join([str(here / "installed"), str(packages)])}
        first = import_module("blocktime.app.base").FIRST
        scripts = next((here / "installed").glob("*.data/scripts"))
        return (
            quietly(PYTHON, "-S", "-P", "-c", where, folder=here, **alone)
            and quietly(PYTHON, "-S", "-P", "-m", "blocktime", "run", first, "--quiet", folder=here, **alone)
            and os.access(scripts / "blocktime", os.R_OK)
        )


Steps = dict[str, Callable[[], bool]]


def done(steps: Steps) -> list[str]:
    """Do every step, also after one has failed; return which failed."""
    failed = []
    for name, step in steps.items():
        started = time.monotonic()
        passed = step()
        failed += [] if passed else [name]
        say(f"{'ok    ' if passed else 'FAILED'} {name} ({time.monotonic() - started:.1f} s)")
    return failed


def report(steps: Steps, beside: Steps | None = None) -> bool:
    """Do every step, and those of *beside* at the same time; say whether all succeeded."""
    others = beside or {}
    with ThreadPoolExecutor(1) as thread:
        failed_beside = thread.submit(done, others)
        failed = done(steps) + failed_beside.result()
    if "tests" in failed and FAILED.is_file():
        print("\n".join(f"FAILED {test}" for test in json.loads(FAILED.read_text(encoding="utf-8"))))
    names = f": {', '.join(failed)}" if failed else ""
    print(f"{len(steps) + len(others) - len(failed)} passed, {len(failed)} failed{names}", flush=True)
    return not failed


# Workers with whole files (tests/workers.py says which stay together): one more than the cores that the checks are
# made for, since browsers and processes are often waited for.
BY_THREE = ("-n", "3")
# The generated tests with new examples: no part of the checks, which find the same on the same code.
RANDOM = ("-m", "hypothesis", "--hypothesis-profile", "random", *BY_THREE)
QUICK: Steps = {
    "format": lambda: quietly(PYTHON, "-m", "ruff", "format", "--check", "--output-format", "concise", "."),
    "lint": lambda: quietly(PYTHON, "-m", "ruff", "check", "--output-format", "concise", "."),
    "types": lambda: quietly(PYTHON, "-m", "mypy"),
    "floors": lambda: quietly(BIN / "lint-imports"),
}
# What failed, by pytest's own cache, which it forgets before.
FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
TESTS: Steps = {"tests": lambda: call(PYTHON, "-m", "pytest", *BY_THREE, "--cache-clear")}
BESIDE: Steps = QUICK | {
    "measured numbers": lambda: quietly(PYTHON, "-m", "blocktime", "validate", "--check"),
    "licences": lambda: quietly(PYTHON, "-m", "tools.licences", "--check"),
    "wheel": wheel_works,
}


# What the page and every command need but a cluster.
ENOUGH = ("--extra", "page", "--extra", "fit")


def lock(*options: str) -> bool:
    """Resolve the dependencies for every Python we run on, into one file without addresses."""
    TOOLS.mkdir(exist_ok=True)
    uv = find_uv()
    if uv is None:
        sys.exit(f"uv is needed to make the lock, and could not be installed; see {LOG}.")
    wanted = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-emit-index-url")
    sources = {
        TEST_LOCK: ("--all-extras", "--group", "dev", "--group", "build", "pyproject.toml"),
        APP_LOCK: ("--constraint", TEST_LOCK.name, *ENOUGH, "--group", "build", "pyproject.toml"),  # the same versions
        UV_LOCK: ("--group", "uv"),
        ZIG_LOCK: ("--group", "zig"),
    }
    header = "python3 dev.py lock"
    return all(
        call(
            *(uv, "pip", "compile", "--quiet", *wanted, *options, *source, "--output-file", path.name),
            UV_CUSTOM_COMPILE_COMMAND=header,
        )
        for path, source in sources.items()
    )


def serve(*options: str) -> NoReturn:
    """Print a first answer, then become the server of the page, so that signals reach it; or its help."""
    if not HELP.intersection(options):
        call(BIN / "blocktime", "run", import_module("blocktime.app.base").FIRST)
    os.chdir(ROOT)
    os.execve(BIN / "blocktime", [str(BIN / "blocktime"), "app", *options], environment())


def test(*options: str) -> bool:
    """Do every check, or with arguments pytest alone."""
    own = ("--random", "--whole")
    words = [word for word in options if word not in own]
    if "--random" in options:
        return call(PYTHON, "-m", "pytest", *RANDOM, *words)
    provide_chromium()
    if "--whole" in options:
        return call(PYTHON, "-m", "pytest", *BY_THREE, *words, BLOCKTIME_WHOLE="1")
    return call(PYTHON, "-m", "pytest", *words) if words else report(TESTS, BESIDE)


def screenshots(*options: str) -> bool:
    """Take the pictures again."""
    provide_chromium()
    return call(PYTHON, "-m", "pytest", "-m", "screenshots", *options)


COMMANDS: dict[str, Callable[..., bool]] = {
    "app": serve,
    "test": test,
    "check": lambda *_: report(QUICK),
    "benchmark": lambda *options: call(PYTHON, "-m", "pytest", "-m", "benchmark", "-s", *options),
    "docs": lambda *options: call(PYTHON, "-m", "tools.documents", *options) and call(PYTHON, "-m", "tools.site"),
    "bars": lambda *options: call(PYTHON, "-m", "tools.bars", *options),
    "screenshots": screenshots,
    "lock": lock,
    "licences": lambda *options: call(PYTHON, "-m", "tools.licences", *options),
}


def main(command: str = "--help", *options: str) -> int:
    """Do what the first word asks for; 1 when it failed."""
    needed = APP_LOCK if command == "app" else TEST_LOCK
    if command not in COMMANDS or (HELP.intersection(options) and not holds(stamps(needed))):
        print(__doc__)  # a command's own help would have to be installed first
        return 0 if command in HELP or command in COMMANDS else 2
    if command != "lock":
        set_up(needed)
    return int(not COMMANDS[command](*options))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"dev.py could not go on: {error}.")
