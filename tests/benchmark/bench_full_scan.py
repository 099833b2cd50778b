"""What the full scan of document 000 costs this program. Reports the clock; judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_full_scan`` for the table alone. Each figure stands
beside a bar; ratios are taken within one run, because the clock of one machine says little about another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from tests.benchmark.figures import Figure, cpu_of, print_all, started

STARTS = 5
SCENARIOS = 10_000
ANSWER = ("-m", "blocktime", "run", "rahn-full-scan")
IMPORTS = ("-c", "import simpy, numpy, pydantic")


def median_cpu_of(call: Callable[[], Any], times: int = 5) -> float:
    """Median CPU seconds of a call in this process."""
    return median(cpu_of(call) for _ in range(times))


def cold_start() -> list[Figure]:
    """A first answer against importing the three libraries it could need; the two in turns, so that noise hits both."""
    started(*ANSWER), started(*IMPORTS)  # byte code and the disk cache
    pairs = [(started(*ANSWER)[0], started(*IMPORTS)[0]) for _ in range(STARTS)]
    answer, imports = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    return [
        Figure("cold CPU of `blocktime run rahn-full-scan`", answer, "s"),
        Figure("cold CPU of `import simpy, numpy, pydantic`", imports, "s"),
        Figure("their ratio", answer / imports, "", 2),
    ]


def simulation() -> list[Figure]:
    """The scan of 7.2 million rows through time."""
    from blocktime.scenarios import load, run

    scenario = load("rahn-full-scan")
    result = run(scenario)
    events = result.events or 0
    return [
        Figure("CPU of simulating it", median_cpu_of(lambda: run(scenario)), "s", 0.5),
        Figure("events per physical read", events / result.physical_io.read_requests, "", 3),
        Figure("CPU of calculating it", median_cpu_of(lambda: run(scenario), 20) * 1e3, "ms"),
    ]


def many_scenarios() -> list[Figure]:
    """Ten thousand scenarios at once, along different fields."""
    import numpy as np

    from blocktime.model import calculate_many
    from blocktime.scenarios import load

    scenario = load("rahn-full-scan")
    random = np.random.default_rng(1)
    sizes = np.array([2048, 4096, 8192, 16384, 32768])
    choices = {
        "block size and PCTFREE": {
            "tablespace.block_size_bytes": random.choice(sizes, SCENARIOS),
            "table.pctfree_percent": random.uniform(0, 60, SCENARIOS),
        },
        "MBRC, with its 0, and array size": {
            "instance.db_file_multiblock_read_count": random.integers(0, 129, SCENARIOS),
            "workload.arraysize_rows": random.integers(1, 1000, SCENARIOS),
        },
        "disk, users and cached share": {
            "disk.overhead_s": random.uniform(0, 1e-3, SCENARIOS),
            "disk.bandwidth_bytes_per_s": random.uniform(1e7, 3e9, SCENARIOS),
            "workload.users": random.integers(1, 20, SCENARIOS),
            "table.cached_fraction": random.uniform(0, 1, SCENARIOS),
        },
    }
    return [
        Figure(
            f"{SCENARIOS:,} scenarios by {what}",
            median_cpu_of(partial(calculate_many, scenario.system, scenario.workload, axes), 9) * 1e3,
            "ms",
            20,
        )
        for what, axes in choices.items()
    ]


REPORTS = {measure.__name__: measure for measure in (cold_start, simulation, many_scenarios)}

if __name__ == "__main__":
    print_all(REPORTS)
