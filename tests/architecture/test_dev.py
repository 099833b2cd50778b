"""The parts of dev.py that need no network."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from blocktime.app.base import FIRST

SCRIPT = Path(__file__).resolve().parents[2] / "dev.py"


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("minor", [11, 12, 13, 14, 15])
def test_these_pythons_will_do(dev: ModuleType, minor: int) -> None:
    assert dev.version_problem(3, minor) == ""


@pytest.mark.parametrize(("major", "minor"), [(2, 7), (3, 6), (3, 10)])
def test_older_pythons_are_told_in_one_sentence(dev: ModuleType, major: int, minor: int) -> None:
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


def test_what_leads_away_from_the_environment_is_dropped(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_RETRIES", "7")
    environment = dev.environment()
    assert not {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"} & set(environment)
    assert environment["PIP_USER"] == "0"
    assert environment["PIP_RETRIES"] == "7"  # the caller knows the network


def test_one_failed_step_fails_all_and_stops_none(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    done = []

    def step(name: str, passed: bool) -> bool:
        done.append(name)
        return passed

    passed = dev.report({"one": lambda: step("one", False), "two": lambda: step("two", True)})
    assert (passed, done) == (False, ["one", "two"])
    assert capsys.readouterr().out == "1 passed, 1 failed: one\n"


def test_the_last_lines_name_the_tests_that_failed(
    dev: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing comes after them, also where a module complains of its own memory as Python ends."""
    (tmp_path / "test_it.py").write_text("def test_fails():\n    assert False\n")
    (tmp_path / "conftest.py").write_text(
        "import atexit, os\natexit.register(os.write, 2, b'leaked 11 instances')\nfrom tests.conftest import *\n"
    )
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "FAILED", tmp_path / ".pytest_cache/v/cache/lastfailed")
    words = ("-m", "pytest", "-q", "-n", "1", "--cache-clear", "-p", "tests.workers")

    def tests() -> bool:
        return bool(dev.call(sys.executable, *words, folder=tmp_path))

    assert not dev.report({"tests": tests}, {"two": lambda: True})
    said = capfd.readouterr()
    assert said.out.endswith("FAILED test_it.py::test_fails\n1 passed, 1 failed: tests\n")
    assert "leaked" not in said.out + said.err


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
    assert [words[1:] for words in called[:-1]] == [("run", FIRST)] * answers


@pytest.mark.parametrize("command", ["app", "test"])
def test_help_of_a_command_installs_nothing(tmp_path: Path, command: str) -> None:
    (tmp_path / "app").mkdir()
    for path in (SCRIPT, SCRIPT.parent / "app" / "blocktime.sh", *SCRIPT.parent.glob("requirements*.lock")):
        shutil.copy(path, tmp_path / path.relative_to(SCRIPT.parent))
    before = sorted(tmp_path.rglob("*"))
    words = [sys.executable, str(tmp_path / "dev.py"), command, "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"dev.py {command}" in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture
def prepared(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of a set-up in a folder of our own, where each succeeds and installs nothing."""
    steps: list[str] = []
    venv = tmp_path / ".venv"

    def install(lock: Path) -> bool:
        steps.append(f"new: {lock.name}")
        (venv / "bin").mkdir(parents=True, exist_ok=True)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        (venv / "lib" / version / "site-packages").mkdir(parents=True, exist_ok=True)
        return True

    def complete(lock: Path) -> bool:
        steps.append(f"add: {lock.name}")
        return True

    places = {"VENV": venv, "TOOLS": tmp_path, "BIN": venv / "bin", "STAMP": venv / "stamp"}
    for name, value in {**places, "LOG": tmp_path / "log", "PYTHON": venv / "bin" / "python"}.items():
        monkeypatch.setattr(dev, name, value)
    monkeypatch.setattr(dev, "install", install)
    monkeypatch.setattr(dev, "complete", complete)
    monkeypatch.setattr(dev, "works", lambda _: True)
    monkeypatch.setattr(dev, "compile_loops", lambda: None)
    return steps


def test_what_the_app_made_the_tests_complete_and_the_app_keeps(dev: ModuleType, prepared: list[str]) -> None:
    for lock in (dev.APP_LOCK, dev.APP_LOCK, dev.TEST_LOCK, dev.TEST_LOCK, dev.APP_LOCK):
        dev.set_up(lock)
    assert prepared == ["new: requirements.lock", "add: requirements-test.lock"]


def test_another_lock_makes_the_environment_anew(
    dev: ModuleType, prepared: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev.set_up(dev.TEST_LOCK)
    changed = tmp_path / "requirements.lock"
    changed.write_text("another==1\n")
    monkeypatch.setattr(dev, "APP_LOCK", changed)
    monkeypatch.setitem(dev.NEEDED, changed, [])
    dev.set_up(dev.TEST_LOCK)
    assert prepared == ["new: requirements-test.lock"] * 2


LOCKS = {path.name: path.read_text(encoding="utf-8") for path in SCRIPT.parent.glob("requirements*.lock")}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_hashes_and_no_address(name: str) -> None:
    text = LOCKS[name]
    assert "://" not in text
    pins = [line for line in text.splitlines() if "==" in line]
    assert len(pins) > (0 if name in ("requirements-uv.lock", "requirements-zig.lock") else 40)
    assert all(line.endswith("\\") for line in pins)  # a hash follows


def test_the_tests_have_what_a_user_has_and_more() -> None:
    user, tests = (
        {line for line in LOCKS[name].splitlines() if "==" in line}
        for name in ("requirements.lock", "requirements-test.lock")
    )
    assert user < tests
    assert not {"libcachesim", "boto3", "pytest"} & {line.split("==")[0] for line in user}


def test_uv_itself_comes_with_its_hash(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    called: list[str] = []
    monkeypatch.setattr(dev, "TOOLS", tmp_path)
    monkeypatch.setattr(dev, "logged", lambda *words: called.extend(map(str, words)))
    monkeypatch.setattr(dev.shutil, "which", lambda _: None)
    dev.find_uv()
    assert "--require-hashes" in called
    assert called[-1] == str(SCRIPT.parent / "requirements-uv.lock")


@pytest.mark.parametrize("compilers", [[["cc"]], []])
def test_what_compiles_the_loops_is_there_before_all_else(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compilers: list[list[str]]
) -> None:
    from blocktime.model.loops import build

    added: list[str] = []
    monkeypatch.setattr(dev, "TOOLS", tmp_path)
    monkeypatch.setattr(dev, "loops_build", lambda: build)
    monkeypatch.setattr(dev, "complete", lambda lock: added.append(lock.read_text("utf-8")) or True)
    monkeypatch.setattr(build, "file", lambda: tmp_path / "compiled")
    monkeypatch.setattr(build, "compilers", lambda: compilers)
    assert dev.provide_compiler()
    cython, *rest = added
    assert re.fullmatch(r"cython==\S+ \\(\n    --hash=sha256:\w+( \\)?)+", cython)
    assert rest == ([] if compilers else [LOCKS["requirements-zig.lock"]])
    (tmp_path / "compiled").touch()
    assert not dev.provide_compiler()


def test_the_examples_of_generated_tests_are_the_same_each_time() -> None:
    from hypothesis import settings

    assert settings.get_profile("fixed").derandomize
    assert not settings.get_profile("random").derandomize


def test_random_asks_pytest_for_generated_tests_with_other_examples(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []
    monkeypatch.setattr(dev, "call", lambda *words: not called.extend(words))
    assert dev.test("--random", "tests/model")
    assert called[-1] == "tests/model"
    assert called[called.index("--hypothesis-profile") + 1] == "random"
    assert called[called.index("-m", 2) + 1] == "hypothesis"


def test_whole_asks_pytest_for_every_case(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, str] = {}
    monkeypatch.setattr(dev, "provide_chromium", lambda: None)
    monkeypatch.setattr(dev, "call", lambda *words, **variables: not called.update(variables, last=words[-1]))
    assert dev.test("--whole", "tests/model")
    assert called == {"BLOCKTIME_WHOLE": "1", "last": "tests/model"}


def test_steps_beside_others_count_too(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert not dev.report({"one": lambda: True}, {"two": lambda: False, "three": lambda: True})
    assert capsys.readouterr().out == "2 passed, 1 failed: two\n"
