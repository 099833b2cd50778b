"""What `blocktime validate` costs from a cold start: every case, in a new process. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_validate.py`` for the table alone. CPU seconds of the
process and of all that it starts, imports included; first without anything compiled before, as after a fresh clone.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figures import ROOT, Figure

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]

BAR_S = 10.0
VALIDATE = "import sys; from app.cli import main; sys.exit(main(sys.argv[1:]))"
COMPARED = "printed numbers compared"


def validate(compiled: str) -> tuple[float, int]:
    """CPU seconds of a new process that finds machine code in the folder *compiled* alone, and numbers compared."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, "validate", "--json"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_CACHE_DIR": compiled},
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return took, int(json.loads(done.stdout)["summary"]["compared"])


def cold_and_again() -> list[Figure]:
    """Nothing compiled before; and then what the first one left behind."""
    with TemporaryDirectory() as compiled:
        cold_s, compared = validate(compiled)
        kept = sum(1 for path in Path(compiled).rglob("*") if path.is_file())
        again_s, _ = validate(compiled)
    return [
        Figure("validate, all cases, nothing compiled before: CPU", cold_s, "s", BAR_S),
        Figure("the same again", again_s, "s", BAR_S),
        Figure("files of machine code that it left", kept, ""),
        Figure(COMPARED, compared, ""),
    ]


def test_report() -> None:
    figures = cold_and_again()
    print("\n" + "\n".join(str(figure) for figure in figures))
    assert next(figure.value for figure in figures if figure.what == COMPARED) > 0


if __name__ == "__main__":
    for figure_ in cold_and_again():
        print(figure_)
