"""Answers and comparisons in words, on file beside their numbers."""

from collections.abc import Sequence
from functools import cache
from itertools import dropwhile
from pathlib import Path
from typing import Final

from click import unstyle

from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import run_lines
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run

FOLDER: Final = Path(__file__).parent / "texts"
PAIRS: Final = (
    ("rahn-full-scan", "tablespace.block_size_bytes=16K"),
    ("rahn-full-scan", "workload.arraysize_rows=15"),
    ("full-scan-nvme", "disk.use=ebs-gp3"),
    ("full-scan-nvme", "table.row_bytes=140", "table.column_count=30"),
    ("full-scan-nvme", "disk.use=sata-7k2"),
    ("tpc-b", "instance.buffer_cache_bytes=64M"),
    ("tpc-c", "disk.use=sata-7k2"),
    ("tpc-b", "disk.iops_limit=3918.0277060576"),
    ("insert-with-indexes", "workload.commit_every_rows=1"),
    ("random-read-depth", "workload.in_flight=32"),
    ("index-range-scan-scattered", "workload.selectivity_fraction=0.1"),
    ("batch-beside-users", "disk.use=ebs-gp3"),
    ("tpc-b", "workload.users=4000"),
    ("sort-spills", "instance.pga_bytes=8G"),
    ("nested-loops-or-hash", "workload.join=hash"),
)
"""A scenario, and what another one has set otherwise."""


@cache
def played(name: str, *settings: str, seed: int = 1) -> RunResult:
    """One run; nobody may change it."""
    return run(load(name, settings), seed=seed, replications=1)


def text_of(name: str) -> list[str]:
    """The answer as a terminal shows it, without how it was made."""
    lines = map(unstyle, run_lines(played(name), load(name).title, width=100))
    return list(dropwhile(bool, lines))[1:]


def comparison_of(name: str, *settings: str) -> list[str]:
    """The comparison of a scenario with itself changed, as a terminal shows it."""
    asked = [load(name), load(name, settings)]
    results = [played(name), played(name, *settings)]
    return list(map(unstyle, compare_lines(results, ["", ", ".join(settings)], width=100, scenarios=asked)))


def frozen_text(*of: str) -> list[str]:
    """The text on file of an answer, or of a comparison by its scenario and settings."""
    return (FOLDER / f"{' '.join(of)}.txt").read_text("utf-8").splitlines()


def write_texts(names: Sequence[str]) -> None:
    """Freeze the texts of the answers of *names*, and their comparisons, as they are now."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        (FOLDER / f"{name}.txt").write_text("\n".join(text_of(name)) + "\n", "utf-8")
    for pair in PAIRS:
        if pair[0] in names:
            (FOLDER / f"{' '.join(pair)}.txt").write_text("\n".join(comparison_of(*pair)) + "\n", "utf-8")
