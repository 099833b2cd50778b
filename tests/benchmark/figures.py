"""What the benchmarks share: a measured figure with its bar, the CPU seconds of a call, and reports by their names."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Figure:
    """One measured figure and the bar it is held against; *least* where more is better."""

    what: str
    value: float
    unit: str
    bar: float | None = None
    least: bool = False

    def __str__(self) -> str:
        bar = "" if self.bar is None else f"   bar {self.bar:g}{self.unit and ' ' + self.unit}"
        passes = self.bar is None or (self.value >= self.bar if self.least else self.value <= self.bar)
        return f"{self.what:<92}{self.value:>10.3g} {self.unit:<7}{bar}{'' if passes else '   MISSED'}"


def cpu_of(call: Callable[[], Any]) -> float:
    """CPU seconds of a call in this process."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def started(*words: str) -> tuple[float, bytes]:
    """CPU seconds of a new process of Python, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


Reports = Mapping[str, Callable[[], list[Figure]]]
"""Name -> what measures."""


def print_all(reports: Reports) -> None:
    """Print the reports that the command line names, or all."""
    named = [name for name in reports if name in sys.argv[1:]]
    for name in named or reports:
        for figure in reports[name]():
            print(figure, flush=True)
