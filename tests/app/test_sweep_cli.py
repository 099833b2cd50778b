"""``blocktime sweep``: what it says first, what it writes, what it refuses, how it is stopped and goes on."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from blocktime.app.command.cli import main
from blocktime.app.command.sweep_progress import telling
from blocktime.model.measures import MEASURES
from blocktime.scenarios.sweeps.ledger import Ledger
from blocktime.scenarios.sweeps.sweep_run import Outcome
from blocktime.scenarios.sweeps.table import read_table
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
QUEUE = (
    "disk.use=nvme", "host.scheduler=none", "workload.path=direct", "workload.pattern=random",
    "workload.rate_per_s=4000",
)  # fmt: skip
SCAN = ["sweep", "rahn-full-scan", "--vary", "workload.arraysize_rows=10,100", "--vary", "table.rows=1000,2000"]


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKTIME_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "100")


def said(capsys: Captured, *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_it_says_how_much_there_is_then_the_table_then_what_matters(capsys: Captured) -> None:
    lines = said(capsys, *SCAN).splitlines()
    assert lines[0] == "rahn-full-scan: 4 points"
    assert "down: workload.arraysize_rows; across: table.rows" in lines
    matrix = [line.split() for line in lines if line.startswith("  ")]
    assert matrix[0] == ["1,000", "2,000"]
    assert [row[0] for row in matrix[1:3]] == ["10", "100"]
    assert all(row[2::2] in (["ms", "ms"], ["s", "s"]) for row in matrix[1:3])
    assert any(line.startswith("Effect of each axis") for line in lines)
    assert said(capsys, *SCAN).splitlines()[0] == "rahn-full-scan: 4 points; 4 answers are known already"


def test_one_axis_is_a_list_beside_the_base(capsys: Captured) -> None:
    out = said(capsys, "sweep", "rahn-full-scan", "--vary", "tablespace.block_size_bytes=8K,16K")
    assert "the base scenario" in out
    assert " 0 %" in out
    assert "16K" in out


def test_a_sweep_beyond_a_fitted_range_says_so(capsys: Captured) -> None:
    out = said(capsys, "sweep", "full-scan-nvme", "--vary", "tablespace.block_size_bytes=8K,32K")
    assert "host.logical_io_s was fitted for blocks of 8K, used at blocks of 32K: 4 times beyond" in " ".join(
        out.split()
    )


def test_quiet_is_one_line(capsys: Captured) -> None:
    out = said(capsys, *SCAN, "--quiet")
    assert out.startswith("elapsed_s: least ")
    assert "; most " in out
    assert out.count("\n") == 1


def test_json_is_all_rows_with_what_made_them(capsys: Captured) -> None:
    found = json.loads(said(capsys, *SCAN, "--json"))
    assert [row["table.rows"] for row in found["rows"]] == [1000, 2000, 1000, 2000]
    assert all("error" not in row and row["method"] in ("exact sum", "simulation") for row in found["rows"])
    assert found["about"]["scenario"]["base"] == "rahn-full-scan"
    assert found["about"]["sweep"]["axis"][0]["key"] == "workload.arraysize_rows"


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_table_carries_units_and_where_it_comes_from(form: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / f"scan.{form}"
    assert f"wrote {out}: 4 rows" in said(capsys, *SCAN, "--out", str(out))
    table, columns, about = read_table(out)
    units = {column.name: column.unit for column in columns}
    assert units["elapsed_s"] == "s"
    assert units["read_bytes"] == "bytes"
    assert list(table["workload.arraysize_rows"]) == [10, 10, 100, 100]
    assert about["scenario"]["name"] == "rahn-full-scan"
    assert about["sources"]
    frame = pd.read_csv(out) if form == "csv" else pd.read_parquet(out)
    assert frame["elapsed_s"].gt(0).all()


def test_an_output_that_exists_is_refused_before_anything_runs(
    tmp_path: Path, capsys: Captured, blocktime: CommandLine
) -> None:
    out = tmp_path / "scan.csv"
    out.write_text("mine")
    assert "--force" in blocktime.refuses(*SCAN, "--out", str(out))
    assert out.read_text() == "mine"
    assert not (tmp_path / "store").exists()
    said(capsys, *SCAN, "--out", str(out), "--force")
    assert out.read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--vary", "nowhere.rows=1,2"], ["no section named 'nowhere'"]),
        (["--vary", "table.rows=1:9", "--design", "latin_cube", "--samples", "8"], ["latin_cube", "latin_hypercube"]),
        (["--vary", "table.rows=1,2", "--where", "import os"], ["import os"]),
        (["--vary", "table.rows=1,2", "--where", "table.rows > 5"], ["none of 2 points"]),
        (["--vary", "table.rows=1,2", "--measure", "elapsed"], ["no measure named 'elapsed'", "elapsed_s"]),
        (["--vary", "table.rows=1,2", "--out", "x.ods"], [".parquet", ".csv", ".xlsx"]),
        (["--vary", "table.rows=1,2", "--out", "/nowhere/x.csv"], ["no folder /nowhere"]),
        (["--vary", "table.rows=1:1e6:1000", "--vary", "disk.overhead_s=1:2:1000"], ["1,000,000 points", "--limit"]),
        (["--vary", "table.rows=1,2", "--workers", "0"], ["--workers: got 0", "from 1 to"]),
        (["--vary", "table.rows=1,2", "--vary", "table.rows=3"], ["table.rows"]),
        ([], ["nothing varies", "--vary"]),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], parts: list[str], blocktime: CommandLine) -> None:
    err = blocktime.refuses("sweep", "rahn-full-scan", *arguments)
    for part in parts:
        assert part in err


def test_every_fault_has_its_line(blocktime: CommandLine) -> None:
    axes = ("--vary", "table.pctfree_percent=10,200", "--vary", "workload.users=0,1")
    err = blocktime.refuses("sweep", "rahn-full-scan", *axes, sentences=3)
    assert err.splitlines() == [
        "blocktime: rahn-full-scan: nothing was run, 3 of 4 points cannot be: 2 faults",
        "blocktime: axis: table.pctfree_percent: got 200; allowed is at most 99 (2 points)",
        "blocktime: axis: workload.users: got 0; allowed is at least 1 (1 point)",
    ]


def test_a_point_without_an_answer_is_told_and_the_exit_code_says_so(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "t.csv"
    text = said(capsys, "sweep", "tpc-b", "--vary", "workload.rate_per_s=5,1e6", "--out", str(out), code=1)
    assert "1 point without an answer" in text
    assert "workload.rate_per_s" in text
    frame = pd.read_csv(out)
    assert frame["error"].isna().tolist() == [True, False]
    assert frame["elapsed_s"].isna().tolist() == [False, True]


def test_points_of_other_versions_are_told_to_who_chose_the_store(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "store"
    with Ledger(folder, "another") as store:
        store.put([b"a point of another version"], np.zeros((1, len(MEASURES))), ["calculate"])
    said(capsys, *SCAN)  # nothing on standard error
    assert main([*SCAN, "--store", str(folder)]) == 0
    assert "holds 1 point of other versions, which is not used" in capsys.readouterr().err


def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in refused_after_counting(capsys, *SCAN, "--store", str(tmp_path / "file"))


def refused_after_counting(capsys: Captured, *arguments: str) -> str:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def test_a_cluster_that_cannot_be_reached_is_one_sentence(capsys: Captured) -> None:
    many = ["sweep", "shallahamer-pread", "--vary", "workload.count=100:9000:500", "--cluster", "tcp://127.0.0.1:9"]
    err = refused_after_counting(capsys, *many)
    assert "127.0.0.1:9" in err


def test_a_file_declares_its_sweep_and_vary_replaces_an_axis_of_it(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'base = "rahn-full-scan"\n[workload]\narraysize_rows = 50\n[sweep]\n'
        '[[sweep.axis]]\nkey = "table.rows"\nvalues = [1000, 2000, 3000]\n'
        '[[sweep.axis]]\nkey = "disk.overhead_s"\nlow = "1ms"\nhigh = "4ms"\npoints = 3\nscale = "log"\n'
    )
    found = json.loads(said(capsys, "sweep", str(file), "--json"))["rows"]
    assert [row["disk.overhead_s"] for row in found[:3]] == [0.001, 0.002, 0.004]
    assert len(found) == 9
    found = json.loads(said(capsys, "sweep", str(file), "--vary", "table.rows=500", "--json"))["rows"]
    assert [row["table.rows"] for row in found] == [500, 500, 500]
    assert main(["run", str(file), "--quiet"]) == 0


@pytest.mark.parametrize(
    ("keep", "kept"),
    [(True, "kept 3 of 20 answers; the same command continues from there"), (False, "--no-store kept no answers")],
)
def test_an_interrupted_sweep_says_what_its_store_keeps(
    capsys: pytest.CaptureFixture[str], keep: bool, kept: str
) -> None:
    with contextlib.suppress(KeyboardInterrupt), telling(False, aloud=False, keep=keep) as listener:
        listener.outcome = Outcome(wanted=20, answered=3)
        raise KeyboardInterrupt
    assert capsys.readouterr().err.strip() == f"blocktime: interrupted; {kept}"


INTERRUPTED_IN_THE_MIDDLE = """
import os, signal, sys
from blocktime.app.command.sweep_progress import TerminalProgress
from blocktime.app.start import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
report_progress = TerminalProgress.report_progress
heard = []

def then_interrupted(progress, outcome):
    report_progress(progress, outcome)
    heard.append(outcome.done)
    if len(heard) == 2:  # the first is of the trial
        os.kill(os.getpid(), signal.SIGINT)

TerminalProgress.report_progress = then_interrupted
if __name__ == "__main__":
    sys.exit(main())
"""


def test_an_interrupted_sweep_says_what_holds_and_goes_on(tmp_path: Path) -> None:
    words = [
        "sweep", "shallahamer-pread", "--workers", "2",
        "--vary", "workload.count=400000:400090:10", "--out", str(tmp_path / "out.parquet"),
        *(word for one in QUEUE for word in ("--set", one)),
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(ROOT)}

    def ended(*python: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *python, *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    first = ended("-c", INTERRUPTED_IN_THE_MIDDLE)
    assert first.returncode == 130
    assert first.stdout.startswith("shallahamer-pread: 10 points\nabout ")
    assert "of 10 answers; the same command continues from there" in first.stderr
    assert "Traceback" not in first.stderr
    assert not list(tmp_path.glob("*out.parquet*"))
    again = ended("-m", "blocktime")
    assert again.stderr == ""
    assert again.returncode == 0
    assert " known already" in again.stdout.splitlines()[0]
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == 10


def test_a_terminal_sees_how_far_a_sweep_is(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda there=is_terminal: there, raising=False)
        with telling(quiet=False, aloud=False, keep=True) as listener:
            listener.checked(3_000, 12_000)
            monkeypatch.setattr("blocktime.app.command.sweep_progress.REFRESH_S", 0.0)
            listener.checked(6_000, 12_000)
        err = capsys.readouterr().err
        assert bool(err) == is_terminal
    assert err.startswith("\r\x1b[Kchecking points: 3,000 of 12,000\r")
    assert re.search(r"6,000 of 12,000, \S+/s, about .+s left\r\x1b\[K$", err)
