"""What `blocktime validate` costs: every case, in a new process. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_validate.py`` for the table alone. CPU seconds of the
process and of all that it starts, imports included, over what importing its packages costs.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figures import ROOT, Figure, print_all

BAR = 8.0
REFERENCE = "import simpy, numpy, pydantic"
VALIDATE = "import sys; from app.command.cli import main; sys.exit(main(sys.argv[1:]))"
COMPARED = "printed numbers compared"
TURNS = 3


def started(*words: str) -> tuple[float, bytes]:
    """CPU seconds of a new process of Python, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def in_new_processes() -> list[Figure]:
    """The two in turns, so that noise hits both."""
    imports, validates, compared = [], [], 0
    for _ in range(TURNS):
        imports.append(started("-c", REFERENCE)[0])
        took, printed = started("-c", VALIDATE, "validate", "--json")
        validates.append(took)
        compared = int(json.loads(printed)["summary"]["compared"])
    return [
        Figure("validate, all cases, in a new process: CPU", median(validates), "s"),
        Figure(f"over `{REFERENCE}`", median(validates) / median(imports), "", BAR),
        Figure(COMPARED, compared, ""),
    ]


REPORTS = {"in_new_processes": in_new_processes}

if __name__ == "__main__":
    print_all(REPORTS)
