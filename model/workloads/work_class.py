"""A program as a class of work: what an execution, a transaction or a call of it asks of processors and disk."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, cast

from blocktime.model.causes import DIRECT
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.transactions import check_beside
from blocktime.model.laws import disk_means, disk_sets
from blocktime.model.measures import READ_EVENTS
from blocktime.model.results import RunResult, StreamStats
from blocktime.model.spec import Statement, Stream, System, Transactions, Workload

ARRIVING = 1000
"""Users who stand for arrivals at a rate: so many that their pauses hardly depend on the response."""
SPENT = 1e-9


@dataclass(slots=True)
class Requests:
    """What a program asks of the disk in one cycle."""

    times: float
    size_bytes: float
    write: bool
    random: bool
    span_bytes: float
    waited: bool = True
    """Whether the program waits for them."""
    near_s: float = inf
    """What one takes at most after another of its own program."""


@dataclass(slots=True)
class Program:
    """One program as a class of work."""

    work: Any
    alone: RunResult
    users: float
    cycle_s: float
    """Of one user alone, pauses included."""
    cycles: float
    """Of each user; infinite where it never ends."""
    begin_s: float
    requests: list[Requests]
    rate_per_s: float | None
    overlaps: bool
    """Whether it works while its reads are under way."""
    alone_s: tuple[float, float] | None = None
    """Of a cycle, at the disk and at the processors, once known."""
    left: float = 0.0
    cycles_done: float = 0.0
    disk_more_s: float = 0.0
    """Of all cycles done, what they wait longer than alone; as the next."""
    run_queue_more_s: float = 0.0
    active_s: float = 0.0
    ended_s: float = 0.0

    @property
    def asked(self) -> Requests | None:
        """The requests that it waits for."""
        return next((request for request in self.requests if request.waited and request.times > SPENT), None)

    @property
    def cpu_s(self) -> float:
        """Of a cycle."""
        per_cycle = self.cycles if self.alone.streams else 1.0
        return self.alone.time.cpu_s / per_cycle


def program_of(system: System, workload: Workload, alone: RunResult) -> Program:
    """A program as a class: *alone* is its own answer in closed form."""
    if alone.transactions is not None:
        return _of_transactions(system, cast("Transactions", workload), alone, alone.transactions.per_s)
    if alone.streams is not None:
        return _of_stream(system, cast("Stream", workload), alone, alone.streams[0])
    return _of_statement(system, cast("Statement", workload), alone)


def _of_transactions(system: System, work: Transactions, alone: RunResult, per_s: float) -> Program:
    check_beside(work)
    device, reads, rate = alone.device.get("disk"), alone.physical_io, work.rate_per_s
    users = ARRIVING if rate is not None else work.users
    size, span = float(system.tablespace.block_size_bytes), float(work.data_bytes)
    mean_bytes = reads.read_bytes / max(reads.read_requests, SPENT)
    asked = [Requests(reads.read_requests, mean_bytes, False, True, span)]
    if device is not None:
        asked.append(Requests(device.writes_per_s / per_s, size, True, True, span, waited=False))
    return Program(work, alone, users, users / per_s, inf, _begin_s(work), asked, rate and per_s, False)


def _of_stream(system: System, work: Stream, alone: RunResult, stream: StreamStats) -> Program:
    device, rate = alone.device.get("disk"), work.rate_per_s
    requests = 0.0 if device is None else device.reads_per_s + device.writes_per_s
    times = requests * stream.elapsed_s / stream.calls
    random = work.pattern == "random"
    span = work.users * float(work.span_bytes or work.count * work.block_size_bytes)
    if random and work.span_bytes is None:
        span = _capacity(system.disk)
    waited = not (work.writes and system.disk.write_cache_bytes)
    # NOTE: the requests of a call are handed in together, and wait together
    times = min(times, 1.0)
    size = work.block_size_bytes / max(times, SPENT)
    asked = [Requests(times, size, work.writes, random, span, waited)]
    users = ARRIVING if rate is not None else work.users * work.in_flight
    cycles = stream.calls / users
    cycle_s, comes_per_s = stream.elapsed_s / cycles, rate and rate * work.users
    return Program(work, alone, users, cycle_s, cycles, _begin_s(work), asked, comes_per_s, False)


def _of_statement(system: System, work: Statement, alone: RunResult) -> Program:
    reads = alone.physical_io
    size = reads.read_bytes / max(reads.read_requests, SPENT)
    span = reads.read_bytes if alone.segment is None else alone.segment.bytes_before or reads.read_bytes
    random = size <= system.tablespace.block_size_bytes
    waits = {event: spent for event, spent in alone.time.wait.items() if event in READ_EVENTS}
    overlaps = DIRECT in waits or not waits
    each_s = (
        inf
        if overlaps or work.users > 1
        else sum(wait.total_s for wait in waits.values()) / max(reads.read_requests, SPENT)
    )
    asked = [Requests(reads.read_requests, size, False, random, float(span), near_s=each_s)] if size else []
    elapsed_s = alone.time.elapsed_s
    return Program(work, alone, work.users, elapsed_s, 1.0, _begin_s(work), asked, None, overlaps)


def _begin_s(work: Workload) -> float:
    return float(getattr(work, "begin_s", 0.0))


def service_of(system: System, asks: Requests, among_bytes: float) -> tuple[float, float]:
    """Mean service of a request among so many bytes, and its squared coefficient of variation."""
    disk = system.disk
    mean, scv = disk_sets.random_moments(disk, asks.size_bytes, min(among_bytes, _capacity(disk)), asks.write)
    return float(mean), float(scv)


def _capacity(disk: Any) -> float:
    return float(disk.capacity_bytes * disk_means.data_members(disk))


def near_s(system: System, asks: Requests, gap_s: float) -> float:
    """Service of a request that follows one of its own program; *gap_s* after it, for writes, which no buffer hides."""
    disk = system.disk
    if asks.random or not (disk.rotation_s or disk.average_seek_s):
        return min(asks.near_s, service_of(system, asks, asks.span_bytes)[0])
    part_bytes = asks.size_bytes / float(disk_sets.parts_of_call(disk, asks.size_bytes))
    medium = changed(disk, write_cache_bytes=0)
    gap_s = gap_s if asks.write else 0.0
    return min(asks.near_s, float(disk_means.sequential_service_s(medium, part_bytes, gap_s, asks.write)))
