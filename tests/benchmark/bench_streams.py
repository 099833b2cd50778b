"""What a whole answer about one device costs, iostat's lines and percentiles included. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_streams`` for the table alone. The bar is a SimPy
process for each request that counts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.benchmark.figures import Figure, in_turns, print_all
from tests.oracles.queue_by_events import open_by_events

CALLS = 200_000
BY_EVENTS = 20_000
LEAST_RATIO = 5
PROGRAMS, CALLS_EACH = 8, 10_000
LEAST_SEVERAL = 10
HOW: dict[str, dict[str, Any]] = {
    "one call at a time": {},
    "exponential think time": {"think_s": 1e-3, "think_cv": 1},
    "windows of 8 calls": {"in_flight": 8},
    "calls that arrive": {"rate_per_s": 20},
}


def whole_answers() -> list[Figure]:
    """A device at a load of 0.8, exponential service, and a raw writer that loses a turn each."""
    import numpy as np

    from blocktime.model import simulate
    from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream

    host = Host(io_path="raw", scheduler="none", read_call_s=0, max_request_bytes=4096)
    disk = Disk(
        rotation_s=0, average_seek_s=0, overhead_s=1e-3, bandwidth_bytes_per_s=1e12, service_cv=1, queue_depth=1
    )
    system = System(host=host, disk=disk)
    arriving = ReadStream(block_size_bytes=4096, count=CALLS, pattern="random", rate_per_s=800)
    platter, writing = System(host=Host(io_path="raw")), WriteStream(count=BY_EVENTS)
    random = np.random.default_rng(1)
    arrival = np.cumsum(random.exponential(1 / 800, BY_EVENTS))
    service = random.exponential(1e-3, BY_EVENTS)
    took_s = in_turns(
        {
            "process": partial(open_by_events, arrival, service, 1),
            "answer": partial(simulate, system, arriving),
            "writer": partial(simulate, platter, writing),
        }
    )
    each_s = took_s["process"] / BY_EVENTS
    answer = each_s / (took_s["answer"] / CALLS)
    writer = each_s / (took_s["writer"] / BY_EVENTS)
    return [
        Figure("a process for each request, thousand per CPU second", 1e-3 / each_s, "k/s"),
        Figure("simulate, calls that arrive: ratio to it", answer, "", LEAST_RATIO, least=True),
        Figure("simulate, a raw writer on a platter: ratio to it", writer, ""),
    ]


def by_programs(service: list[list[float]]) -> list[float]:
    """Times of calls from a process for each program, which ask one resource, one call after the other."""
    import simpy

    env = simpy.Environment()
    device = simpy.Resource(env, 1)
    took_s: list[float] = []

    def program(own: list[float]) -> Iterator[simpy.Event]:
        for work in own:
            begin_s = env.now
            with device.request() as turn:
                yield turn
                yield env.timeout(work)
            took_s.append(env.now - begin_s)

    for own in service:
        env.process(program(own))
    env.run()
    return took_s


def several_programs(device: str) -> list[Figure]:
    """Programs that read and that write at random, of each half, behind mq-deadline."""
    import numpy as np

    from blocktime.model import simulate
    from blocktime.model.spec import Disk, ReadStream, System, WriteStream

    flash = Disk(rotation_s=0, average_seek_s=0, overhead_s=1e-4, parallel_requests=8, queue_depth=32)
    system = System(disk=Disk() if device == "platter" else flash)
    service = np.random.default_rng(1).exponential(1e-3, (PROGRAMS, CALLS_EACH)).tolist()
    works = {}
    for what, how in HOW.items():
        random: Any = {"pattern": "random", "span_bytes": 2**30, "users": PROGRAMS // 2, **how}
        beside = WriteStream(count=CALLS_EACH, **random)
        works[what] = ReadStream(count=CALLS_EACH, beside=(beside,), **random)
    own = {what: partial(simulate, system, work) for what, work in works.items()}
    took_s = in_turns({"naive": partial(by_programs, service), **own})
    naive_s = took_s.pop("naive")
    per_s = PROGRAMS * CALLS_EACH / naive_s
    return [
        Figure(f"{device}: processes that ask a resource, thousand calls", per_s / 1e3, "k/s"),
        *(
            Figure(f"{device}, {PROGRAMS} programs, {what}: over these", naive_s / each_s, "", LEAST_SEVERAL, True)
            for what, each_s in took_s.items()
        ),
    ]


REPORTS: dict[str, Callable[[], list[Figure]]] = {
    device: partial(several_programs, device) for device in ("platter", "flash")
} | {"whole_answers": whole_answers}

if __name__ == "__main__":
    print_all(REPORTS)
