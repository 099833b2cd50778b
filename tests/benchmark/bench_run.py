"""What `blocktime run` costs for each scenario of the library, in a new process. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_run.py`` for the table alone. CPU seconds over those of
importing SimPy, numpy and pydantic.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_validate import REFERENCE, VALIDATE, started
from figures import Figure, print_all

BAR, TURNS = 4.0, 5
DEAREST = 8
"""Scenarios shown one by one."""


def runs() -> list[Figure]:
    """Each once; the reference between them."""
    from scenarios.load import library

    imports = [started("-c", REFERENCE)[0] for _ in range(TURNS)]
    taken: dict[str, float] = {}
    for name in library():
        taken[name] = started("-c", VALIDATE, "run", name)[0]
        imports.append(started("-c", REFERENCE)[0])
    of = median(imports)
    dearest = sorted(taken, key=lambda name: -taken[name])
    return [
        Figure(f"`{REFERENCE}`: CPU", of, "s"),
        Figure(f"run, the median of {len(taken)} scenarios over it", median(taken.values()) / of, "", BAR),
        *(Figure(f"run {name} over it", taken[name] / of, "", BAR) for name in dearest[:DEAREST]),
    ]


REPORTS = {"runs": runs}

if __name__ == "__main__":
    print_all(REPORTS)
