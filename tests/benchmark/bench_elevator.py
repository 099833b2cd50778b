"""What the exact queue of a device behind a scheduler costs, against plain Python on SimPy. Judges nothing.

``python3 dev.py benchmark``, or ``python -m tests.benchmark.bench_elevator`` for the table alone. All serve one set of
draws: a process for each call at a resource, which has no elevator, and a lean elevator on bare events, whose ends are
the exact queue's. Both are told how long the device takes; nothing of theirs is compiled here.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import pytest

from blocktime.model.machine.device.elevator import (
    FIFO_BATCH,
    IN_BATCHES,
    READ_EXPIRE_S,
    WRITE_EXPIRE_S,
    WRITES_STARVED,
)
from tests.benchmark.figures import Figure, in_turns, print_all
from tests.oracles.queue_by_events import open_by_events

REQUESTS = 1_000_000
"""About so many calls, three of ten of them writes."""
BY_EVENTS = 10_000
"""Requests that the processes serve: the first of the same draws."""
SIZE_BYTES = 8192
LEAST_RATIO, LEAST_OVER_LEAN = 100, 150
EXPIRE_S = (READ_EXPIRE_S, WRITE_EXPIRE_S)
CASES = {
    "platter, deadline, 120 calls a second": ("deadline", True, 120.0),
    "platter, deadline, 1000, more than it can": ("deadline", True, 1000.0),
    "platter, noop, 120": ("noop", True, 120.0),
    "flash, none, 27 000": ("none", False, 27_000.0),
}
"""What -> scheduler, whether the device turns, calls a second."""


class Calls(NamedTuple):
    """Calls in the order in which they come, and what each of them needs of the device."""

    arrival_s: Any
    write: Any
    start_byte: Any
    service_s: Any


def by_lean_events(  # noqa: PLR0915  (the queue, plainly, in one piece)
    calls: Calls, sweeps: bool, limit: int, depth: int
) -> list[float]:
    """When each call was done: an elevator of plain Python, and of SimPy no more than one event for each end.

    It is told how long the device takes, and so spares itself the drive; it merges nothing.
    """
    import simpy

    env = simpy.Environment()
    arrival_s, write, start_byte, service_s = (column.tolist() for column in calls)
    lanes: tuple[list[tuple[int, int]], ...] = ([], [])
    oldest, for_room = (deque[int](), deque[int]()), (deque[int](), deque[int]())
    queued_s, done_s, gone = [0.0] * len(write), [0.0] * len(write), [False] * len(write)
    count, sweep = [0, 0], [0, 0]
    free_s = 0.0
    under_way = taken = direction = passed_over = 0

    def chosen() -> int:
        nonlocal taken, direction, passed_over
        at = bisect_left(lanes[direction], (sweep[direction], -1))
        if not (0 < taken < FIFO_BATCH and at < len(lanes[direction])):
            direction = int(not lanes[0] or (bool(lanes[1]) and passed_over >= WRITES_STARVED))
            passed_over = 0 if direction else passed_over + bool(lanes[1])
            taken, lane, waiting = 0, lanes[direction], oldest[direction]
            while gone[waiting[0]]:
                waiting.popleft()
            at = bisect_left(lane, (sweep[direction], -1))
            if at == len(lane) or env.now - queued_s[waiting[0]] >= EXPIRE_S[direction]:
                at = bisect_left(lane, (start_byte[waiting[0]], waiting[0]))
        number = lanes[direction].pop(at)[1]
        gone[number], sweep[direction] = True, start_byte[number] + SIZE_BYTES
        taken += 1
        return number

    def let_go() -> None:
        nonlocal under_way, free_s
        while under_way < depth and (lanes[0] or lanes[1] if sweeps else oldest[0]):
            number = chosen() if sweeps else oldest[0].popleft()
            under_way += 1
            free_s = max(env.now, free_s) + service_s[number]
            env.timeout(free_s - env.now, number).callbacks.append(ended)

    def comes(number: int) -> None:
        count[write[number]] += 1
        queued_s[number] = env.now
        oldest[write[number] if sweeps else 0].append(number)
        if sweeps:
            insort(lanes[write[number]], (start_byte[number], number))
        let_go()

    def ended(event: Any) -> None:
        nonlocal under_way
        number = event.value
        done_s[number] = env.now
        under_way -= 1
        count[write[number]] -= 1
        let_go()
        if for_room[write[number]]:
            comes(for_room[write[number]].popleft())

    def source() -> Iterator[simpy.Event]:
        for number, at_s in enumerate(arrival_s):
            yield env.timeout(at_s - env.now)
            if count[write[number]] < limit:
                comes(number)
            else:
                for_room[write[number]].append(number)

    env.process(source())
    env.run()
    return done_s


def service_of(carried: Any) -> Any:
    """What each request needs of the device, which ends one after the other."""
    import numpy as np

    order = np.argsort(carried.done_s)
    done_s, service_s = carried.done_s[order], np.empty(len(order))
    service_s[order] = done_s - np.maximum(carried.begin_s[order], np.append(0.0, done_s[:-1]))
    return service_s


def by_engine(system: Any, work: Any) -> Any:
    """The events of the engine, which answer with all of a result."""
    from blocktime.model.workloads.streams.processes import simulate as simulate_streams

    return simulate_streams(system, work, seed=1, name="", compiled=False)


def elevator(what: str) -> list[Figure]:
    """Two programs whose calls arrive, of reads and of writes; all in turns, so that noise hits all."""
    import numpy as np

    from blocktime.model.demand.calls import files_of
    from blocktime.model.sim.machine import counters_of, server_of
    from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream
    from blocktime.model.workloads.streams.queued import CallDraws, play_queued

    scheduler, turns, per_s = CASES[what]
    disk = Disk(queue_depth=32, zones=16) if turns else Disk(rotation_s=0, average_seek_s=0, overhead_s=2e-4,
        bandwidth_bytes_per_s=3e8, parallel_requests=8, queue_depth=32)  # fmt: skip
    host = Host(scheduler=scheduler, io_path="raw", read_call_s=0, write_call_s=0)  # type: ignore[arg-type]
    system = System(host=host, disk=disk)
    more: Any = {"pattern": "random", "block_size_bytes": SIZE_BYTES, "start_byte": 0}
    random, shares = np.random.default_rng(1), (0.7, 0.3)

    def loop(calls: Any, keeps: bool = False) -> Any:
        return play_queued(system, files, calls, server_of(system, 1), counters_of(system), keeps=keeps)

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
    arrival_s, places = comes_s[order], np.concatenate([own.places for own in few])[order]
    _, carried = loop(few, keeps=True)
    mine = carried.request[order]
    calls = Calls(arrival_s, order >= reads, places, service_of(carried)[mine])
    lean = partial(by_lean_events, calls, scheduler in IN_BATCHES, int(host.nr_requests), disk.queue_depth)
    assert len(carried.done_s) == len(order), "a call was merged, which the lean elevator does not"
    assert lean() == pytest.approx(carried.done_s[mine].tolist(), rel=1e-9)
    took_s = in_turns(
        {
            "each": partial(open_by_events, calls.arrival_s, calls.service_s, 1),
            "least": lean,
            "engines": partial(by_engine, system, work),
            "quick": partial(loop, drawn),
        }
    )
    quick = REQUESTS / took_s.pop("quick")
    each, least, engines = (BY_EVENTS / each_s for each_s in took_s.values())
    return [
        Figure(f"{what}: exact queue, million requests per CPU second", quick / 1e6, "M/s"),
        Figure(f"{what}: a process for each, thousand per CPU second", each / 1e3, "k/s"),
        Figure(f"{what}: a lean elevator on events, thousand per CPU second", least / 1e3, "k/s"),
        Figure(f"{what}: the queue over a process for each", quick / each, "", LEAST_RATIO, least=True),
        Figure(f"{what}: the queue over a lean elevator", quick / least, "", LEAST_OVER_LEAN, least=True),
        Figure(f"{what}: the engine's events over a process for each", engines / each, ""),
    ]


REPORTS = {what: partial(elevator, what) for what in CASES}

if __name__ == "__main__":
    print_all(REPORTS)
