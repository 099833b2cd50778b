"""A small installation, without page, fits, Parquet and cluster: every command answers, or says what brings it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blocktime.model.extras import EXTRAS
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {*EXTRAS, "plotly"}
CORE = f"""
import os, shlex, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LEFT_OUT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, LeftOut())
from blocktime.app.command.cli import main

def call(line, file=None):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(shlex.split(line))
    if file:
        open(file, "w").write(out.getvalue())
    print(code, line, "->", (err.getvalue() + out.getvalue()).strip().split("\\n")[-1][:200])
"""
ANSWERED = (
    "list", "run full-scan-nvme --uncertainty --html run.html", "run tpc-b --uncertainty --quiet",
    "compare full-scan-nvme --set disk.use=sata-7k2 --html compare.html",
    "sweep full-scan-nvme --vary table.rows=1000,2000 --out x.csv --html sweep.html --no-store",
    "sensitivity full-scan-nvme --vary table.rows=1000,2000 --no-store", "validate rahn_full_scan", "schema scenario",
    "optimise full-scan-nvme --vary table.rows=1000,2000 --minimise elapsed_s --no-store",
)  # fmt: skip
REPORTS = (("tpc-b", "awr"), ("full-scan-nvme", "tkprof"), ("full-scan-nvme", "iostat"), ("magni-dd-raw-100", "fio"))
REFUSED = (
    ("app", "page"), ("calibrate rahn_pctfree", "fit"), ("mcp", "mcp"),
    ("sweep full-scan-nvme --vary table.rows=1000,2000 --out x.parquet", "sweep"),
    ("sweep full-scan-nvme --vary table.rows=1000,2000 --out x.xlsx", "sweep"),
    ("sweep full-scan-nvme --vary table.rows=1000,2000 --cluster tcp://127.0.0.1:1 --no-store", "sweep"),
    ("optimise full-scan-nvme --vary table.rows=1:9000 --vary workload.arraysize_rows=1:5000 --minimise elapsed_s "
     "--no-store", "fit"),
)  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Command line -> exit code and last line."""
    lines = [f"call({line!r})" for line in (*ANSWERED, *(line for line, _ in REFUSED))]
    for name, form in REPORTS:
        lines += [f"call('run {name} --as {form}', {form!r})", f"call('measure {form} --out {form}.toml')"]
    lines += ["call('run awr.toml')"]
    done = subprocess.run(
        [sys.executable, "-c", CORE + "\n".join(lines)], cwd=tmp_path_factory.mktemp("core"), capture_output=True,
        text=True, check=True, timeout=LIMIT_S, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    answers = {}
    for line in done.stdout.splitlines():
        command, _, last = line.partition(" -> ")
        code, _, words = command.partition(" ")
        answers[words] = int(code), last
    return answers


def test_every_command_answers(said: dict[str, tuple[int, str]]) -> None:
    refused = {line for line, _ in REFUSED}
    assert {line: answer for line, answer in said.items() if line not in refused and answer[0]} == {}
    assert len(said) == len(ANSWERED) + len(REFUSED) + 2 * len(REPORTS) + 1


@pytest.mark.parametrize(("line", "extra"), REFUSED)
def test_what_needs_an_extra_names_it(said: dict[str, tuple[int, str]], line: str, extra: str) -> None:
    code, last = said[line]
    assert code == 2, last
    assert last.endswith(f"which is not installed: pip install 'blocktime[{extra}]' brings it")
