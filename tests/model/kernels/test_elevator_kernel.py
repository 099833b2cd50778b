"""The compiled queue of a device behind a scheduler: the events' answer on the same draws, and what must hold of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model.books import close
from model.demand.calls import files_of
from model.kernels import elevator
from model.kernels.elevator import Arrivals, Carried, Rules, queued
from model.loops import drives
from model.machine.device.drive import capacity_of, drive_of
from model.results import RunResult
from model.sim.machine import counters_of
from model.spec import Disk, Host, Iostat, ReadStream, System, WriteStream
from model.units import KIB, MIB
from model.workloads.streams import queued as wiring
from model.workloads.streams.books import Played, figures_of
from model.workloads.streams.processes import _draws
from model.workloads.streams.processes import simulate as simulate_streams
from model.workloads.streams.queued import is_queued, play_queued
from tests.leaves import same_answer
from tests.plain import plain_loops

SIZE = 8 * KIB
PLATTER = Disk(zones=8)
FLASH = Disk(
    rotation_s=0,
    average_seek_s=1e-4,
    overhead_s=2e-4,
    bandwidth_bytes_per_s=20 * MIB,
    write_overhead_s=3e-4,
    parallel_requests=1,
)
STREAMS = {"read_stream": ReadStream, "write_stream": WriteStream}
CAPACITY_PER_S = {PLATTER: 160, FLASH: 1400}
"""Random calls a second that a drive serves one by one, about."""


def by_loop(system: System, work: Any, seed: int = 3) -> RunResult:
    files = files_of(system, work, capacity_of(system.disk))
    assert is_queued(system, files)
    counters = counters_of(system)
    draws = [_draws(file, rank, seed) for rank, file in enumerate(files)]
    records = play_queued(system, files, draws, counters)
    return close("", system, work, figures_of(work, Played(files, records, counters, "", seed)))


def by_events(system: System, work: Any, seed: int = 3) -> RunResult:
    return simulate_streams(system, work, seed=seed, name="", compiled=False)


# The same as with events


@pytest.mark.sampled(40)
@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["noop", "none", "kyber", "deadline", "mq-deadline"])
@pytest.mark.parametrize("pattern", ["random", "sequential", "strided"])
@pytest.mark.parametrize("kind", ["read_stream", "write_stream"])
@pytest.mark.parametrize("load", [0.6, 8])
def test_a_stream_is_that_of_the_events(
    disk: Disk, scheduler: Any, pattern: Any, kind: str, load: float
) -> None:
    """At depths of 1 and 32, with room for 4 and for 128 requests."""
    rate = load * CAPACITY_PER_S[disk]
    work = STREAMS[kind](count=250, pattern=pattern, stride_bytes=64 * KIB, rate_per_s=rate)
    for depth, nr in ((1, 4), (1, 128), (32, 4), (32, 128)):
        system = System(
            disk=disk.model_copy(update={"queue_depth": depth}),
            host=Host(scheduler=scheduler, nr_requests=nr, kernel="2.6.5" if depth == 1 else "5.15"),
            iostat=Iostat(interval_s=0.05, first_s=0.02),
        )
        same_answer(by_loop(system, work), by_events(system, work))


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("arrivals", ["poisson", "regular"])
@pytest.mark.parametrize("call_s", [0.0, 3e-4])
@pytest.mark.parametrize("load", [0.6, 4])
def test_streams_beside_each_other_are_those_of_the_events(
    disk: Disk, scheduler: Any, arrivals: Any, call_s: float, load: float
) -> None:
    """Reads and writes of four programs, which come in step or by chance, and of two sizes."""
    rate = load * CAPACITY_PER_S[disk] / 4
    beside = WriteStream(
        block_size_bytes=16 * KIB,
        count=150,
        rate_per_s=rate,
        arrivals=arrivals,
        users=2,
        start_byte=0,
    )
    work = ReadStream(
        count=150,
        pattern="random",
        rate_per_s=rate,
        arrivals=arrivals,
        span_bytes=MIB,
        users=2,
        beside=(beside,),
    )
    for depth, nr in ((1, 4), (32, 128)):
        even = {"write_overhead_s": None} if depth > 1 else {}
        system = System(
            disk=disk.model_copy(update={"queue_depth": depth, "parallel_requests": min(depth, 4), **even}),
            host=Host(
                scheduler=scheduler, nr_requests=nr, read_call_s=call_s, write_call_s=call_s / 3, cpus=2
            ),
            iostat=Iostat(interval_s=0.1),
        )
        same_answer(by_loop(system, work), by_events(system, work))


@pytest.mark.parametrize("gaps", [0.5, 1, 1.5, 2, 3, 8])
@pytest.mark.parametrize("nr", [1, 2, 3, 128])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
def test_what_comes_at_one_moment_comes_in_the_order_of_the_events(
    gaps: float, nr: int, scheduler: Any
) -> None:
    """Calls come in step, every 2**-10 s, and take the device so many of these gaps: no time is rounded."""
    disk = Disk(
        rotation_s=0, average_seek_s=0, overhead_s=0, bandwidth_bytes_per_s=SIZE * 1024 / gaps, queue_depth=2
    )
    host = Host(scheduler=scheduler, nr_requests=nr, read_call_s=0, write_call_s=0)
    step: Any = {"count": 60, "rate_per_s": 1024, "arrivals": "regular", "users": 2}
    work = ReadStream(**step, beside=(WriteStream(**step),))
    system = System(disk=disk, host=host)
    same_answer(by_loop(system, work), by_events(system, work))


calls_of_a_stream = st.fixed_dictionaries(
    {
        "block_size_bytes": st.sampled_from([512, 4096, 8192, 12_288, 65_536]),
        "count": st.integers(1, 60),
        "pattern": st.sampled_from(["random", "sequential", "strided"]),
        "stride_bytes": st.sampled_from([4096, 8192, 131_072]),
        "span_bytes": st.sampled_from([None, 65_536, MIB, 64 * MIB]),
        "start_byte": st.sampled_from([None, 0, 32_768, 1024 * MIB]),
        "rate_per_s": st.floats(10, 20_000),
        "arrivals": st.sampled_from(["poisson", "regular"]),
        "users": st.integers(1, 3),
    }
).filter(lambda calls: calls["pattern"] != "random" or calls["span_bytes"] is not None)
disks = st.builds(
    Disk,
    rotation_s=st.sampled_from([0.0, 0.004, 0.00833]),
    zones=st.sampled_from([1, 7]),
    heads=st.integers(1, 4),
    write_overhead_s=st.sampled_from([None, 3e-4]),
    write_bandwidth_bytes_per_s=st.sampled_from([None, 30.0 * MIB]),
    track_buffer_bytes=st.sampled_from([0, 64 * KIB, 8 * MIB]),
    parallel_requests=st.sampled_from([1, 3]),
    queue_depth=st.sampled_from([1, 2, 32]),
)
hosts = st.builds(
    Host,
    io_path=st.sampled_from(["asm", "raw", "direct"]),
    kernel=st.sampled_from(["2.6.5", "2.6.18", "5.15"]),
    scheduler=st.sampled_from(["noop", "deadline"]),
    nr_requests=st.sampled_from([1, 2, 5, 128]),
    max_request_bytes=st.sampled_from([65_536, 131_072]),
    read_call_s=st.sampled_from([0.0, 1e-4]),
    cpus=st.integers(1, 2),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(disks, hosts, calls_of_a_stream, st.none() | calls_of_a_stream, st.booleans(), st.integers(0, 99))
def test_any_streams_are_those_of_the_events(
    disk: Disk, host: Host, calls: Any, others: Any, writes: bool, seed: int
) -> None:
    beside = () if others is None else (WriteStream(**others),)
    work: Any = (WriteStream if writes else ReadStream)(beside=beside, **calls)
    system = System(disk=disk, host=host, iostat=Iostat(interval_s=0.01, first_s=0.003))
    if not disk.rotation_s and disk.parallel_requests > 1 and disk.write_overhead_s is not None:
        assert not is_queued(
            system, files_of(system, work, capacity_of(disk))
        )  # they overtake on the channel
        return
    same_answer(by_loop(system, work, seed), by_events(system, work, seed))


# The same to the last bit


def drawn(count: int, per_s: float, span_bytes: int, seed: int = 1) -> Arrivals:
    """Calls of one size; a third of them writes, half of them random and half in runs."""
    random = np.random.default_rng(seed)
    arrival = np.cumsum(random.exponential(1 / per_s, count))
    start = random.integers(0, span_bytes // SIZE, count) * SIZE
    start[count // 4 : 3 * count // 4] = np.arange(count // 2) * SIZE % span_bytes
    write = (random.random(count) < 1 / 3).astype(np.int64)
    known = np.concatenate([[0.0], arrival[:-1]])
    return Arrivals(arrival, known, np.arange(-1, count - 1), write, start, np.full(count, SIZE))


def rules(in_order: bool = False, nr_requests: int = 128, depth: int = 32) -> Rules:
    host = Host(scheduler="none" if in_order else "deadline", nr_requests=nr_requests)
    return wiring.rules_of(host, Disk(queue_depth=depth))


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize(("per_s", "span_bytes"), [(100, MIB), (2000, MIB), (2000, 1024 * MIB)])
def test_compiled_is_plain(disk: Disk, in_order: bool, per_s: float, span_bytes: int) -> None:
    calls, goes_by, medium = drawn(1500, per_s, span_bytes), rules(in_order, 16), disk
    found = queued(calls, goes_by, medium)
    with plain_loops(elevator, drives):
        expected = queued(calls, goes_by, medium)
    for plain, compiled in zip(expected, found, strict=True):
        assert (plain == compiled).all()


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
def test_the_drive_is_that_of_the_states(disk: Disk) -> None:
    """Command by command in the order of their handing in, to the last bit."""
    calls = drawn(1500, 400, 64 * MIB)
    found = queued(calls, rules(), disk)
    drive = drive_of(disk)
    for one in np.argsort(found.end_s):
        first, behind = (int(byte) for byte in found.span[one])
        now = float(found.begin_s[one])
        done = drive.submit(now, bool(found.write[one]), first, behind - first)
        assert found.end_s[one] == now + (done - now)


# What must hold


def all_of(disk: Disk, in_order: bool, per_s: float) -> tuple[Arrivals, Carried]:
    calls = drawn(3000, per_s, 256 * MIB)
    return calls, queued(calls, rules(in_order, 32, 4), disk)


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("per_s", [80, 3000])
def test_the_requests_carry_the_calls(disk: Disk, in_order: bool, per_s: float) -> None:
    calls, found = all_of(disk, in_order, per_s)
    mine = found.request
    assert set(mine) == set(range(len(found.end_s)))
    assert (calls.arrival_s <= found.taken_s).all()
    assert (found.queued_s[mine] <= found.taken_s).all()
    assert (found.taken_s <= found.begin_s[mine]).all()
    assert (found.begin_s < found.end_s).all()
    assert (found.write[mine] == calls.write).all()
    assert (found.span[mine, 0] <= calls.start_byte).all()
    assert (calls.start_byte + calls.size_bytes <= found.span[mine, 1]).all()
    sizes = np.bincount(mine, calls.size_bytes)
    assert (sizes == found.span[:, 1] - found.span[:, 0]).all()
    assert sizes.max() <= 512 * KIB
    for write in (0, 1):  # no more than nr_requests of a direction, no more than the depth at the device
        own = found.write == write
        assert most(found.queued_s[own], found.end_s[own]) <= 32
    assert most(found.begin_s, found.end_s) <= 4


def most(begin_s: Any, end_s: Any) -> int:
    """Most that are under way at once; who ends makes room for who begins at that moment."""
    times = np.concatenate([end_s, begin_s])
    steps = np.concatenate([np.full(len(end_s), -1), np.ones(len(begin_s), int)])
    return int(np.cumsum(steps[np.argsort(times, kind="stable")]).max())


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["noop", "deadline"])
@pytest.mark.parametrize("rate", [60, 3000])
def test_little_and_the_utilisation_law(disk: Disk, scheduler: Any, rate: float) -> None:
    """Queue is throughput x await; utilisation throughput x service, and never above 1."""
    system = System(disk=disk, host=Host(scheduler=scheduler), iostat=Iostat(interval_s=0.5))
    work = ReadStream(count=2000, pattern="random", rate_per_s=rate)
    device = by_loop(system, work).device["disk"]
    per_s = device.reads_per_s + device.writes_per_s
    assert device.average_queue == pytest.approx(per_s * device.await_s, rel=1e-9)
    assert device.utilisation_fraction == pytest.approx(per_s * device.service_s, rel=1e-9)
    assert 0 < device.utilisation_fraction <= 1
    assert device.utilisation_fraction > 0.99 or rate == 60


def test_sweeps_carry_more_than_turns() -> None:
    random = np.random.default_rng(1)
    start = random.integers(0, PLATTER.capacity_bytes // SIZE, 6000) * SIZE
    calls = drawn(6000, 300, MIB)._replace(start_byte=start)
    swept, turns = (queued(calls, rules(one, depth=1), PLATTER) for one in (False, True))
    assert swept.end_s.max() < 0.8 * turns.end_s.max()


# What goes through events


@pytest.mark.parametrize(
    ("host", "disk", "work"),
    [
        ({"scheduler": "cfq"}, {}, {}),
        ({"scheduler": "bfq"}, {}, {}),
        ({"io_path": "buffered"}, {}, {}),
        ({}, {"write_cache_bytes": 2 * MIB}, {}),
        ({}, {"read_hit_fraction": 0.5}, {}),
        ({}, {"raid_level": "1", "raid_disks": 2}, {}),
        ({}, {"iops_limit": 100}, {}),
        ({}, {"rotation_s": 0, "average_seek_s": 0, "service_cv": 1}, {}),
        ({}, {}, {"rate_per_s": None}),
        ({}, {}, {"block_size_bytes": MIB}),
        ({}, {}, {"beside": (ReadStream(count=1),)}),
    ],
)
def test_the_rest_has_no_loop(host: Any, disk: Any, work: Any) -> None:
    system = System(host=Host(**host), disk=Disk(**disk))
    stream = ReadStream(**{"count": 10, "rate_per_s": 10.0, **work})
    assert not is_queued(system, files_of(system, stream, capacity_of(system.disk)))
    assert is_queued(System(), files_of(System(), ReadStream(count=10, rate_per_s=10), 2**36))
