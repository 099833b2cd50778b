"""What rows that grow cost this program: the update of document 002, of larger tables, and row by row. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_row_growth`` for the table alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from tests.benchmark.figures import ROOT, Figure, print_all

BLOCK_BYTES = 16_384
BARS = {200_000: (0.3, None), 830_000: (1.0, None), 10_000_000: (15.0, 1.0)}
"""Rows -> CPU seconds and GB allowed."""
TWIN_ROWS = 30_000

CHILD = """
import sys, time, resource
from blocktime.model import calculate
from blocktime.model.spec import Column, Instance, System, Table, Tablespace, Update
columns = (Column(name="N1", bytes=4.9899), Column(name="N2", null_fraction=1.0, bytes=4.9899))
system = System(
    tablespace=Tablespace(block_size_bytes=16384),
    table=Table(rows=int(sys.argv[1]), columns=columns, cached_fraction=1.0),
    instance=Instance(release="10.2.0.4"),
)
work = Update(sets=(Column(name="N2", bytes=4.9899),))
calculate(system.model_copy(update={"table": Table(rows=10)}), Update())
begin = time.process_time()
found = calculate(system, work)
taken = time.process_time() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(taken, peak, found.segment.rejected_probes)
"""


def played(rows: int) -> tuple[float, float, float]:
    """CPU seconds, peak bytes and rejected probes of one update, in a Python of its own."""
    answer = subprocess.run(
        [sys.executable, "-c", CHILD, str(rows)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    taken, peak, rejected = answer.stdout.split()
    return float(taken), float(peak), float(rejected)


def updates() -> list[Figure]:
    """The update of 002 at 16K and PCTFREE 10, in the release with the bug."""
    figures = []
    for rows, (bar, most_gb) in BARS.items():
        runs = [played(rows) for _ in range(3 if rows < 10**6 else 1)]
        taken, peak, rejected = (median(column) for column in zip(*runs, strict=True))
        figures.append(Figure(f"CPU of calculating the update of {rows:,} rows", taken, "s", bar))
        figures.append(Figure("  its peak of memory", peak / 1e9, "GB", most_gb))
        figures.append(Figure("  rejected probes per CPU second", rejected / taken, "1/s"))
    return figures


def twins() -> list[Figure]:
    """The segment row by row and probe by probe against the one in batches, at equal counts."""
    from blocktime.model.laws import block
    from blocktime.model.loops import fastest
    from blocktime.model.machine.segment.extent_map import high_water_steps
    from blocktime.model.machine.segment.heap import Heap
    from blocktime.model.machine.segment.heap_rules import HeapRules
    from tests.oracles.heap_literal import LiteralHeap

    rules = HeapRules(
        block=BLOCK_BYTES,
        data=BLOCK_BYTES - int(block.overhead_bytes(0, True)),
        reserve=BLOCK_BYTES // 10,
        used_low=0,
        itl_entry=24,
        itl_initial=2,
        itl_limit=int(block.itl_limit(BLOCK_BYTES)),
        directory=2,
        header=3,
        rowid=6,
        assm=True,
        itl_full_demotes=False,
    )
    taken = []
    counts = []
    for kind in (fastest(Heap), LiteralHeap):
        begin = time.process_time()
        heap = kind(rules, high_water_steps(BLOCK_BYTES, True, None))
        if not isinstance(heap, LiteralHeap):
            heap.load(TWIN_ROWS, 9, True)
            homes = heap.blocks
        else:
            heap.load_direct(TWIN_ROWS, 9)
            homes = len(heap.blocks)
        for home in range(homes):
            heap.update(0, home, 0, TWIN_ROWS, 6)
        taken.append(time.process_time() - begin)
        counts.append(heap.counts)
    assert counts[0] == counts[1]
    fast, literal = taken
    return [
        Figure(f"CPU of {TWIN_ROWS:,} rows row by row", literal, "s"),
        Figure("  in batches", fast * 1e3, "ms"),
        Figure("  their ratio, at equal counts", literal / fast, "", 100, least=True),
        Figure("  rejections of full ITL lists in both", counts[0].rejected_itl, ""),
    ]


REPORTS = {"updates": updates, "twins": twins}

if __name__ == "__main__":
    print_all(REPORTS)
