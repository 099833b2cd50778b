"""What a whole answer about one device costs, iostat's lines and percentiles included. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_streams.py`` for the table alone. The bar is a SimPy
process for each request that counts nothing.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_queue import by_events
from figures import Figure, cpu_of, print_all

CALLS = 200_000
BY_EVENTS = 20_000
TURNS = 5
LEAST_RATIO = 5


def whole_answers() -> list[Figure]:
    """A device at a load of 0.8, exponential service, and a raw writer that loses a turn each."""
    import numpy as np

    from model import calculate, simulate
    from model.spec import Disk, Host, ReadStream, System, WriteStream
    from model.workloads.streams.processes import simulate as simulate_streams

    host = Host(io_path="raw", scheduler="none", read_call_s=0, max_request_bytes=4096)
    disk = Disk(
        rotation_s=0,
        average_seek_s=0,
        overhead_s=1e-3,
        bandwidth_bytes_per_s=1e12,
        service_cv=1,
        queue_depth=1,
    )
    system = System(host=host, disk=disk)
    arriving = ReadStream(block_size_bytes=4096, count=CALLS, pattern="random", rate_per_s=800)
    few = arriving.model_copy(update={"count": BY_EVENTS})
    platter, writing = System(host=Host(io_path="raw")), WriteStream(count=BY_EVENTS)
    random = np.random.default_rng(1)
    arrival = np.cumsum(random.exponential(1 / 800, BY_EVENTS))
    service = random.exponential(1e-3, BY_EVENTS)
    rates: dict[str, list[float]] = {
        name: [] for name in ("process", "answer", "events", "writer", "calculate")
    }
    for _ in range(TURNS):
        rates["process"].append(BY_EVENTS / cpu_of(partial(by_events, arrival, service, 1)))
        rates["answer"].append(CALLS / cpu_of(partial(simulate, system, arriving)))
        rates["events"].append(
            BY_EVENTS / cpu_of(partial(simulate_streams, system, few, seed=1, name="", compiled=False))
        )
        rates["writer"].append(BY_EVENTS / cpu_of(partial(simulate, platter, writing)))
        rates["calculate"].append(1 / cpu_of(partial(calculate, system, arriving)))
    process = median(rates["process"])
    return [
        Figure("a process for each request, thousand per CPU second", process / 1e3, "k/s"),
        Figure(
            "simulate, calls that arrive: ratio to it",
            median(rates["answer"]) / process,
            "",
            LEAST_RATIO,
            least=True,
        ),
        Figure("the same by events, as with company: ratio to it", median(rates["events"]) / process, ""),
        Figure("simulate, a raw writer on a platter: ratio to it", median(rates["writer"]) / process, ""),
        Figure("calculate, calls that arrive: answers per CPU second", median(rates["calculate"]), "1/s"),
    ]


REPORTS = {"whole_answers": whole_answers}

if __name__ == "__main__":
    print_all(REPORTS)
