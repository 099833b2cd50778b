"""What the exact queue of a device behind a scheduler costs, against a process for each request. Judges nothing.

``python3 dev.py benchmark``, or ``python tests/benchmark/bench_elevator.py`` for the table alone. All serve one set of
draws.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figures import Figure, cpu_of, print_all

REQUESTS = 1_000_000
"""About so many calls, three of ten of them writes."""
BY_EVENTS = 10_000
"""Requests that the processes serve: the first of the same draws."""
TURNS = 5
SIZE_BYTES = 8192
LEAST_RATIO = 100
CASES = {
    "platter, deadline, 120 calls a second": ("deadline", True, 120.0),
    "platter, deadline, 1000, more than it can": ("deadline", True, 1000.0),
    "platter, noop, 120": ("noop", True, 120.0),
    "flash, none, 27 000": ("none", False, 27_000.0),
}
"""What -> scheduler, whether the device turns, calls a second."""


class Calls(NamedTuple):
    """Calls in the order in which they come."""

    arrival_s: Any
    write: Any
    start_byte: Any


def by_processes(  # noqa: PLR0915  (the queue, plainly, in one piece)
    calls: Any, system: Any
) -> list[tuple[Any, float, float]]:
    """Of each call its request, when it was taken and when done: a process for each, and one for the device.

    The queue and the drive are the compiled ones, which makes the processes as quick as they can be.
    """
    import simpy

    from model.laws import block_layer
    from model.loops import fastest
    from model.machine.device.block_queue import BlockQueue
    from model.machine.device.drive import drive_of
    from model.machine.device.elevator import elevator_of
    from model.machine.device.request import Request

    host, disk = system.host, system.disk
    env = simpy.Environment()
    largest = block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments)
    queue = fastest(BlockQueue)(elevator_of(host.scheduler, idles=False), largest, host.nr_requests)
    drive = drive_of(disk)
    for_room: tuple[deque[simpy.Event], deque[simpy.Event]] = (deque(), deque())
    under_way = 0
    look = env.event()
    handed: dict[Request, simpy.Event] = {}
    seen: list[Any] = [None] * len(calls.arrival_s)

    def wake() -> None:
        if not look.triggered:
            look.succeed()

    def device() -> Iterator[simpy.Event]:
        nonlocal under_way, look
        while True:
            while under_way < disk.queue_depth:
                request = queue.take(env.now)
                if request is None:
                    break
                under_way += 1
                request.begin_s = env.now
                done_s = drive.submit(env.now, request.write, request.start_byte, request.size_bytes)
                handed.pop(request).succeed(done_s)
            look = env.event()
            yield look

    def one(number: int, write: bool, start_byte: int) -> Iterator[simpy.Event]:
        nonlocal under_way
        request = queue.merge(write, start_byte, SIZE_BYTES)
        while request is None and queue.full(write):
            room = env.event()
            for_room[write].append(room)
            yield room
            request = queue.merge(write, start_byte, SIZE_BYTES)
        taken_s = env.now
        if request is not None:
            done = env.event()
            request.waiting.append(done)
            yield done
            seen[number] = request, taken_s, env.now
            return
        request = fastest(Request)(write, start_byte, start_byte + SIZE_BYTES, 0, True, env.now)
        queue.insert(request)
        my_turn = handed[request] = env.event()
        wake()
        done_s = yield my_turn
        yield env.timeout(done_s - env.now)
        seen[number] = request, taken_s, env.now
        under_way -= 1
        queue.done(request)
        wake()
        for done in request.waiting:
            done.succeed()
        if for_room[write]:
            for_room[write].popleft().succeed()

    def source() -> Iterator[simpy.Event]:
        columns = (calls.arrival_s.tolist(), calls.write.tolist(), calls.start_byte.tolist())
        for number, (at, write, start_byte) in enumerate(zip(*columns, strict=True)):
            yield env.timeout(at - env.now)
            env.process(one(number, write, start_byte))

    env.process(device())
    env.process(source())
    env.run()
    return seen


def by_engine(system: Any, work: Any) -> Any:
    """The events of the engine, which answer with all of a result."""
    from model.workloads.streams.processes import simulate as simulate_streams

    return simulate_streams(system, work, seed=1, name="", compiled=False)


def elevator(what: str) -> list[Figure]:
    """Two programs whose calls arrive, of reads and of writes; all in turns, so that noise hits all."""
    import numpy as np

    from model.demand.calls import files_of
    from model.sim.machine import counters_of, server_of
    from model.spec import Disk, Host, ReadStream, System, WriteStream
    from model.workloads.streams.queued import CallDraws, play_queued

    scheduler, turns, per_s = CASES[what]
    disk = Disk(queue_depth=32, zones=16) if turns else Disk(rotation_s=0, average_seek_s=0, overhead_s=2e-4,
        bandwidth_bytes_per_s=3e8, parallel_requests=8, queue_depth=32)  # fmt: skip
    host = Host(scheduler=scheduler, io_path="raw", read_call_s=0, write_call_s=0)  # type: ignore[arg-type]
    system = System(host=host, disk=disk)
    more: Any = {"pattern": "random", "block_size_bytes": SIZE_BYTES, "start_byte": 0}
    random, shares = np.random.default_rng(1), (0.7, 0.3)

    def loop(calls: Any) -> Any:
        return play_queued(system, files, calls, server_of(system, 1), counters_of(system))

    drawn = [
        CallDraws(
            random.integers(0, disk.capacity_bytes // SIZE_BYTES, int(share * REQUESTS)) * SIZE_BYTES,
            random.exponential(1 / (share * per_s), int(share * REQUESTS)),
        )
        for share in shares
    ]
    few = [
        CallDraws(*(column[: int(share * BY_EVENTS)] for column in own))
        for share, own in zip(shares, drawn, strict=True)
    ]
    span = disk.capacity_bytes // 3
    reads, writes = (int(share * BY_EVENTS) for share in shares)
    beside = WriteStream(count=writes, rate_per_s=0.3 * per_s, span_bytes=span, **more)
    work = ReadStream(count=reads, rate_per_s=0.7 * per_s, span_bytes=span, beside=(beside,), **more)
    files = files_of(system, work, disk.capacity_bytes)
    comes_s = np.concatenate([np.cumsum(own.pauses_s) for own in few])
    order = np.argsort(comes_s, kind="stable")
    calls = Calls(comes_s[order], order >= reads, np.concatenate([own.places for own in few])[order])
    _, carried = loop(few)
    requests, _, end_s = zip(*by_processes(calls, system), strict=True)
    mine = carried.request[order]
    assert carried.done_s[mine] == pytest.approx(np.array(end_s), rel=1e-9)
    assert carried.begin_s[mine] == pytest.approx(np.array([one.begin_s for one in requests]), rel=1e-9)
    compiled, processes, engine = [], [], []
    for _ in range(TURNS):
        compiled.append(REQUESTS / cpu_of(partial(loop, drawn)))
        processes.append(BY_EVENTS / cpu_of(partial(by_processes, calls, system)))
        engine.append(BY_EVENTS / cpu_of(partial(by_engine, system, work)))
    quick, each, events = median(compiled), median(processes), median(engine)
    return [
        Figure(f"{what}: exact queue, million requests per CPU second", quick / 1e6, "M/s"),
        Figure(f"{what}: a process for each, thousand per CPU second", each / 1e3, "k/s"),
        Figure(f"{what}: the queue over a process for each", quick / each, "", LEAST_RATIO, least=True),
        Figure(f"{what}: the engine's events over a process for each", events / each, ""),
    ]


REPORTS = {what: partial(elevator, what) for what in CASES}

if __name__ == "__main__":
    print_all(REPORTS)
