"""What `blocktime validate`, and `run` for each scenario of the library, cost in a new process. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_commands`` for the table alone. CPU seconds of the
process and of all that it starts, imports included, over those of importing SimPy, numpy and pydantic.
"""

from __future__ import annotations

import json
from statistics import median

from tests.benchmark.figures import Figure, print_all, started

BAR_OF_VALIDATE, BAR_OF_RUN = 8.0, 4.0
REFERENCE = "import simpy, numpy, pydantic"
COMMAND = "import sys; from blocktime.app.command.cli import main; sys.exit(main(sys.argv[1:]))"
COMPARED = "printed numbers compared"
TURNS = 5
DEAREST = 8
"""Scenarios shown one by one."""


def validations() -> list[Figure]:
    """The two in turns, so that noise hits both."""
    imports, validates, compared = [], [], 0
    for _ in range(TURNS):
        imports.append(started("-c", REFERENCE)[0])
        took, printed = started("-c", COMMAND, "validate", "--json")
        validates.append(took)
        compared = int(json.loads(printed)["summary"]["compared"])
    return [
        Figure("validate, all cases, in a new process: CPU", median(validates), "s"),
        Figure(f"over `{REFERENCE}`", median(validates) / median(imports), "", BAR_OF_VALIDATE),
        Figure(COMPARED, compared, ""),
    ]


def runs() -> list[Figure]:
    """Each once; the reference between them."""
    from blocktime.scenarios.load import library

    imports = [started("-c", REFERENCE)[0] for _ in range(TURNS)]
    taken: dict[str, float] = {}
    for name in library():
        taken[name] = started("-c", COMMAND, "run", name)[0]
        imports.append(started("-c", REFERENCE)[0])
    of = median(imports)
    dearest = sorted(taken, key=lambda name: -taken[name])
    return [
        Figure(f"`{REFERENCE}`: CPU", of, "s"),
        Figure(f"run, the median of {len(taken)} scenarios over it", median(taken.values()) / of, "", BAR_OF_RUN),
        *(Figure(f"run {name} over it", taken[name] / of, "", BAR_OF_RUN) for name in dearest[:DEAREST]),
    ]


REPORTS = {"validate": validations, "runs": runs}

if __name__ == "__main__":
    print_all(REPORTS)
