"""The loop over all programs at one device: the events' answer to the last bit, and what must hold of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.demand.calls import files_of
from blocktime.model.loops import as_written
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.results import RunResult
from blocktime.model.sim.machine import counters_of, server_of
from blocktime.model.spec import Disk, Host, Iostat, ReadStream, System, WriteStream
from blocktime.model.units import KIB, MIB
from blocktime.model.workloads.streams.processes import _drawn
from blocktime.model.workloads.streams.processes import simulate as simulate_streams
from blocktime.model.workloads.streams.queued import is_queued, play_queued
from tests.leaves import leaves

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


LIKE = {"submission": "libaio", "in_flight": 6, "batch": 3}, {"think_s": 2**-10}, {}
"""How programs may call whose calls wait for earlier ones."""


def by_loop(system: System, work: Any, seed: int = 3) -> RunResult:
    assert is_queued(system, files_of(system, work, capacity_of(system.disk)))
    return simulate_streams(system, work, seed=seed, name="")


def by_events(system: System, work: Any, seed: int = 3) -> RunResult:
    return simulate_streams(system, work, seed=seed, name="", compiled=False)


def is_that_of_the_events(system: System, work: Any, seed: int = 3) -> None:
    """To the last bit."""
    loop, events = (
        dict(leaves(answer.model_dump(exclude={"events", "method", "played_by"})))
        for answer in (by_loop(system, work, seed), by_events(system, work, seed))
    )
    assert loop == events


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
        is_that_of_the_events(system, work)


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("arrivals", ["poisson", "regular"])
@pytest.mark.parametrize("call_s", [0.0, 3e-4])
@pytest.mark.parametrize("load", [0.6, 4, None])
def test_streams_beside_each_other_are_those_of_the_events(
    disk: Disk, scheduler: Any, arrivals: Any, call_s: float, load: float | None
) -> None:
    """Reads and writes of four programs, which come in step or by chance or one after the other, and of two sizes."""
    rate = None if load is None else load * CAPACITY_PER_S[disk] / 4
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
        is_that_of_the_events(system, work)


@pytest.mark.parametrize("gaps", [0.5, 1, 1.5, 2, 3, 8])
@pytest.mark.parametrize("nr", [1, 2, 3, 128])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("others", [{"rate_per_s": 1024, "arrivals": "regular"}, *LIKE], ids=str)
@pytest.mark.sampled(24)
def test_what_comes_at_one_moment_comes_in_the_order_of_the_events(
    gaps: float, nr: int, scheduler: Any, others: dict[str, Any]
) -> None:
    """Calls come in step, every 2**-10 s, and take the device so many of these gaps: no time is rounded."""
    disk = Disk(
        rotation_s=0, average_seek_s=0, overhead_s=0, bandwidth_bytes_per_s=SIZE * 1024 / gaps, queue_depth=2
    )
    host = Host(scheduler=scheduler, nr_requests=nr, read_call_s=0, write_call_s=0)
    step: Any = {"count": 60, "rate_per_s": 1024, "arrivals": "regular", "users": 2}
    work = ReadStream(**step, beside=(WriteStream(count=60, users=2, **others),))
    system = System(disk=disk, host=host)
    is_that_of_the_events(system, work)


calls_of_a_stream = st.fixed_dictionaries(
    {
        "block_size_bytes": st.sampled_from([512, 4096, 8192, 12_288, 65_536]),
        "count": st.integers(1, 60),
        "pattern": st.sampled_from(["random", "sequential", "strided"]),
        "stride_bytes": st.sampled_from([4096, 8192, 131_072]),
        "span_bytes": st.sampled_from([None, 65_536, MIB, 64 * MIB]),
        "start_byte": st.sampled_from([None, 0, 32_768, 1024 * MIB]),
        "arrivals": st.sampled_from(["poisson", "regular"]),
        "runtime_s": st.sampled_from([None, None, 0.05]),
        "users": st.integers(1, 3),
    }
).filter(lambda calls: calls["pattern"] != "random" or calls["span_bytes"] is not None)
how_they_call = st.one_of(
    st.fixed_dictionaries({"rate_per_s": st.floats(10, 20_000)}),
    st.sampled_from(LIKE),
    st.fixed_dictionaries({"think_s": st.floats(0, 0.01), "think_cv": st.sampled_from([0.0, 1.0])}),
    st.fixed_dictionaries({"in_flight": st.integers(1, 9), "submission": st.just("libaio")}),
)
streams = st.builds(lambda calls, how: calls | how, calls_of_a_stream, how_they_call)
BEHIND: list[dict[str, Any]] = [
    {},
    {},
    {"write_cache_bytes": 64 * KIB},
    {"raid_level": "5", "raid_disks": 4},
    {"raid_level": "10", "raid_disks": 4, "read_hit_fraction": 0.3},
    {"iops_limit": 300.0, "burst_iops": 900.0, "burst_credits": 20.0},
]
"""What a drive stands behind, or how many there are."""
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


@settings(max_examples=150)
@given(
    disks,
    st.sampled_from(BEHIND),
    hosts,
    streams,
    st.none() | streams,
    st.booleans(),
    st.integers(0, 99),
)
def test_any_streams_are_those_of_the_events(  # noqa: PLR0917  (what there is to draw)
    disk: Disk, more: Any, host: Host, calls: Any, others: Any, writes: bool, seed: int
) -> None:
    beside = () if others is None else (WriteStream(**others),)
    work: Any = (WriteStream if writes else ReadStream)(beside=beside, **calls)
    system = System(
        disk=disk.model_copy(update=more), host=host, iostat=Iostat(interval_s=0.01, first_s=0.003)
    )
    is_that_of_the_events(system, work, seed)


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("how", [{"rate_per_s": 400.0}, *LIKE], ids=str)
def test_compiled_is_plain(disk: Disk, scheduler: Any, how: dict[str, Any]) -> None:
    random: Any = {"count": 400, "pattern": "random", "span_bytes": MIB, "users": 2}
    work = ReadStream(**random, **how, beside=(WriteStream(**random, **how),))
    system = System(disk=disk, host=Host(scheduler=scheduler, nr_requests=6))
    with as_written():
        plain = by_loop(system, work)
    assert by_loop(system, work) == plain


# What must hold


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["noop", "deadline"])
@pytest.mark.parametrize("how", [{"rate_per_s": 40.0}, {"rate_per_s": 1500.0}, *LIKE], ids=str)
def test_the_requests_carry_the_calls(disk: Disk, scheduler: Any, how: dict[str, Any]) -> None:
    system = System(
        disk=disk.model_copy(update={"queue_depth": 4}), host=Host(scheduler=scheduler, nr_requests=8)
    )
    random: Any = {"count": 500, "pattern": "random", "span_bytes": 32 * MIB, "start_byte": 0}
    beside = WriteStream(**random, **how, block_size_bytes=16 * KIB, users=3)
    work = ReadStream(**random, **how, beside=(beside,), users=3)
    files = files_of(system, work, capacity_of(system.disk))
    drawn = [_drawn(file, rank, 3, file.calls.count) for rank, file in enumerate(files)]
    _, found = play_queued(system, files, drawn, server_of(system, 3), counters_of(system), keeps=True)
    write, size = (
        np.repeat(column, 500)
        for column in zip(*((file.write, file.calls.block_size_bytes) for file in files), strict=True)
    )
    mine, start = found.request, np.concatenate([draw.places for draw in drawn])
    assert set(mine) == set(range(len(found.done_s)))
    assert (found.begun_s <= found.begin_s[mine]).all()
    assert (found.queued_s <= found.begin_s).all()
    assert (found.begin_s < found.done_s).all()
    assert (found.write[mine] == write).all()
    assert (found.begins[mine] <= start).all()
    assert (start + size <= found.ends[mine]).all()
    sizes = np.bincount(mine, size)
    assert (sizes == found.ends - found.begins).all()
    assert sizes.max() <= 512 * KIB
    for direction in (0, 1):  # no more than nr_requests of a direction, no more than the depth at the device
        own = found.write == direction
        assert most(found.queued_s[own], found.done_s[own]) <= 8
    assert most(found.begin_s, found.done_s) <= 4


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
    work = ReadStream(count=3000, pattern="random", rate_per_s=300)
    swept, turns = (
        by_loop(System(disk=PLATTER, host=Host(scheduler=scheduler)), work).time.elapsed_s
        for scheduler in ("deadline", "noop")
    )
    assert swept < 0.8 * turns


# What goes through events


@pytest.mark.parametrize(
    ("host", "disk", "work"),
    [
        ({"scheduler": "cfq"}, {}, {"users": 2}),
        ({"scheduler": "bfq"}, {}, {"rate_per_s": 10.0}),
        ({"io_path": "buffered"}, {}, {}),
        ({"nomerges": "1"}, {}, {}),
        ({"iops_limit": 100}, {}, {}),
        ({}, {"reorder_age_s": 0.1}, {"users": 2}),
        ({}, {}, {"block_size_bytes": MIB}),
        ({}, {}, {"beside": (ReadStream(count=1, path="buffered"),)}),
    ],
)
def test_the_rest_has_no_loop(host: Any, disk: Any, work: Any) -> None:
    stream = ReadStream(**{"count": 10, **work})
    system = System(host=Host(**host), disk=Disk(**disk))
    assert not is_queued(system, files_of(system, stream, capacity_of(system.disk)))
    assert is_queued(System(), files_of(System(), ReadStream(count=10), 2**36))
