"""The recipes of CONTRIBUTING.md work as they are printed, on a copy of the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CODE = {
    (language, path): dedent(code)
    for language, path, code in re.findall(
        r"^ *```(\w+) (\S+)\n(.*?)^ *```$", RECIPES, re.MULTILINE | re.DOTALL
    )
}
PING = "64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.05 ms\nrtt min/avg/max/mdev = 0.021/0.035/0.050/0.011 ms\n"


def test_a_new_instrument_is_read(tmp_path: Path) -> None:
    for package in ("model", "validation"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "validation/instruments/ping.py").write_text(
        CODE["python", "validation/instruments/ping.py"], encoding="utf-8"
    )
    table = tmp_path / "validation/instruments/__init__.py"
    text, entry = table.read_text(encoding="utf-8"), CODE["text", "validation/instruments/__init__.py"]
    assert text.count("FORMATS: Final = (\n") == 1
    table.write_text(text.replace("FORMATS: Final = (\n", f"FORMATS: Final = (\n{entry}"), encoding="utf-8")
    report = tmp_path / "a.report"
    report.write_text(PING, encoding="utf-8")
    asked = (
        "import sys; from pathlib import Path; from validation.instruments import Source, read;"
        "[reading] = read(Source(Path(sys.argv[1])));"
        "print([(one.name, round(one.value, 9), one.line) for one in reading.figures], reading.unread[0].lines)"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked, report], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.startswith("[('min', 2.1e-05, 2)"), done.stderr
    assert done.stdout.rstrip().endswith("1")
