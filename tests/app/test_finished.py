"""A finished sweep asked again: printed at once where nothing has changed, and worked out where anything has."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.base import finished
from app.base.finished import printed_again
from app.command import sweep_cli
from app.command.cli import main

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
WORDS = ["sweep", "own.toml", "--vary", "table.rows=1000,2000", "--engine", "calculate"]
SCENARIO = 'base = "rahn-full-scan"\n[table]\npctfree_percent = 10\n'
HEAVY = {"click", "model.engine", "numpy", "pyarrow", "pydantic", "scenarios", "scipy", "sqlite3"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOCKTIME_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "100")


def worked(capsys: Captured, *more: str) -> str:
    assert main([*WORDS, *more]) == 0
    return capsys.readouterr().out


def same(*more: str) -> bool:
    return printed_again([*WORDS, *more])


@pytest.mark.parametrize(
    "more", [[], ["--json"], ["--quiet"], ["--store", "elsewhere/"], ["--measure", "cpu_s"]]
)
def test_the_second_time_it_prints_what_the_sweep_itself_would(more: list[str], capsys: Captured) -> None:
    worked(capsys, *more)
    usual = worked(capsys, *more)
    assert usual.strip()
    assert same(*more)
    assert capsys.readouterr() == (usual, "")


def _a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own.toml").write_text(SCENARIO.replace("10", "20"))


def _the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")


def _another_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKTIME_STORE", "other")


def _answers_of_another_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*WORDS, "--seed", "7"]) == 0


def _no_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("store/points.sqlite").unlink()


def _somebody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("store/points.sqlite-wal").write_bytes(b"frames")


def _what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    (kept,) = Path("store/finished").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"2,000", b"3,000").replace(b"table", b"tabel"))


def _a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = Path("site-packages/numpy-99.dist-info")
    newer.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(newer.parent.resolve())])


CHANGES: tuple[Callable[[pytest.MonkeyPatch], None], ...] = (
    _a_field, _the_width, _another_store, _answers_of_another_sweep, _no_answers, _somebody_writes, _what_is_kept,
    _a_package,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_makes_it_work(
    change: Callable[[pytest.MonkeyPatch], None], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked(capsys)
    assert same()
    change(monkeypatch)
    capsys.readouterr()
    assert not same()
    assert capsys.readouterr() == ("", "")


def test_a_changed_program_makes_it_work(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    law = Path("program/laws/law.py")
    law.parent.mkdir(parents=True)
    law.write_text("one = 1\n")
    monkeypatch.setattr(finished, "PACKAGES", (str(law.parents[1].resolve()),))
    worked(capsys)
    assert same()
    law.write_text("one = 2\n")
    assert not same()


def test_what_is_edited_while_the_sweep_runs_is_another_question(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sweep_cli.sweeping

    def edited(*places: Any) -> Any:
        Path("own.toml").write_text(SCENARIO.replace("10", "20"))
        return before(*places)

    monkeypatch.setattr(sweep_cli, "sweeping", edited)
    worked(capsys)
    assert not same()


@pytest.mark.parametrize(
    "more", [["--no-store"], ["--out", "table.csv", "--force"], ["--html", "page.html"], ["--limit", "9"]]
)
def test_other_words_and_files_to_write_go_the_usual_way(more: list[str], capsys: Captured) -> None:
    worked(capsys)
    if more[0] == "--limit":
        assert not same(*more)
        return
    worked(capsys, *more)
    assert not same(*more)


def test_a_sweep_that_lacks_an_answer_is_not_finished(capsys: Captured) -> None:
    words = ["sweep", "tpc-b", "--vary", "workload.rate_per_s=5,1e6", "--engine", "calculate"]
    assert main(words) == 1
    assert not printed_again(words)
    assert main(words) == 1  # says so again


def test_nothing_is_imported_for_it(tmp_path: Path) -> None:
    script = (
        "import sys; from app.start import main; code = main(); "
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )

    def started() -> tuple[str, str]:
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {script}", *WORDS]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
        return done.stdout, done.stderr.strip()

    assert started()[1] != "[]"
    assert "known already" in (again := started())[0]
    assert again[1] == "[]"
