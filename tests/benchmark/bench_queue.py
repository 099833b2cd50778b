"""What the exact queue of a device costs with the times of every request, against a process for each. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_queue`` for the table alone. Both serve one set of
draws.
"""

from __future__ import annotations

from functools import partial

import pytest

from tests.benchmark.figures import Figure, cpu_of, in_turns, print_all
from tests.oracles.queue_by_events import open_by_events

REQUESTS = 100_000
BY_EVENTS = 30_000
"""Requests that the processes serve: the first of the same draws."""
SERVERS = (1, 4, 16, 64)
LEAST_RATIO, LEAST_WARM_AT_ONE = 300, 2000


def device_queue(servers: int) -> list[Figure]:
    """A device at a load of 0.8, exponential service; the two in turns, so that noise hits both."""
    import numpy as np

    from blocktime.model.kernels import queue

    random = np.random.default_rng(servers)
    arrival = np.cumsum(random.exponential(1 / (0.8 * servers), REQUESTS))
    service = random.exponential(1.0, REQUESTS)
    first = cpu_of(partial(queue.open_queue, arrival, service, servers))
    head = arrival[:BY_EVENTS], service[:BY_EVENTS], servers
    for found, expected in zip(queue.open_queue(*head), open_by_events(*head), strict=True):
        assert found == pytest.approx(expected, rel=1e-9)
    compiled = partial(queue.open_queue, arrival, service, servers)
    took_s = in_turns({"compiled": compiled, "events": partial(open_by_events, *head)})
    requests, processes = REQUESTS / took_s["compiled"], BY_EVENTS / took_s["events"]
    of = f"{servers} server{'s' * (servers > 1)}"
    return [
        Figure(f"{of}: exact queue, million requests per CPU second", requests / 1e6, "M/s"),
        Figure(f"{of}: a process for each, million per CPU second", processes / 1e6, "M/s"),
        Figure(f"{of}: the first call over them", REQUESTS / first / processes, "", LEAST_RATIO, least=True),
        Figure(
            f"{of}: later calls over them",
            requests / processes,
            "",
            LEAST_WARM_AT_ONE if servers == 1 else LEAST_RATIO,
            least=True,
        ),
    ]


REPORTS = {f"{servers} servers": partial(device_queue, servers) for servers in SERVERS}

if __name__ == "__main__":
    print_all(REPORTS)
