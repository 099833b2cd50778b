"""Programs at one device: the answer of SimPy's processes to the last bit, and what must hold of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.loops import as_written
from blocktime.model.results import RunResult
from blocktime.model.spec import Disk, Host, Iostat, ReadStream, System, WriteStream
from blocktime.model.units import KIB, MIB
from blocktime.model.workloads.streams.processes import simulate as simulate_streams
from tests.leaves import leaves
from tests.oracles.programs_by_processes import simulate_by_processes

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


def play(system: System, work: Any, seed: int = 3) -> RunResult:
    return simulate_streams(system, work, seed=seed, name="")


def is_that_of_processes(system: System, work: Any, seed: int = 3) -> None:
    """To the last bit."""
    found, processes = (
        dict(leaves(answer.model_dump()))
        for answer in (play(system, work, seed), simulate_by_processes(system, work, seed))
    )
    assert found == processes


# The same as with processes of SimPy


@pytest.mark.sampled(40)
@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["noop", "none", "kyber", "deadline", "mq-deadline"])
@pytest.mark.parametrize("pattern", ["random", "sequential", "strided"])
@pytest.mark.parametrize("kind", ["read_stream", "write_stream"])
@pytest.mark.parametrize("load", [0.6, 8])
def test_a_stream_is_that_of_processes(disk: Disk, scheduler: Any, pattern: Any, kind: str, load: float) -> None:
    """At depths of 1 and 32, with room for 4 and for 128 requests."""
    rate = load * CAPACITY_PER_S[disk]
    work = STREAMS[kind](count=250, pattern=pattern, stride_bytes=64 * KIB, rate_per_s=rate)
    for depth, nr in ((1, 4), (1, 128), (32, 4), (32, 128)):
        system = System(
            disk=disk.model_copy(update={"queue_depth": depth}),
            host=Host(scheduler=scheduler, nr_requests=nr, kernel="2.6.5" if depth == 1 else "5.15"),
            iostat=Iostat(interval_s=0.05, first_s=0.02),
        )
        is_that_of_processes(system, work)


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("arrivals", ["poisson", "regular"])
@pytest.mark.parametrize("call_s", [0.0, 3e-4])
@pytest.mark.parametrize("load", [0.6, 4, None])
def test_streams_beside_each_other_are_those_of_processes(
    disk: Disk, scheduler: Any, arrivals: Any, call_s: float, load: float | None
) -> None:
    """Reads and writes of four programs, which come in step or by chance or one after the other, and of two sizes."""
    rate = None if load is None else load * CAPACITY_PER_S[disk] / 4
    beside = WriteStream(
        block_size_bytes=16 * KIB, count=150, rate_per_s=rate, arrivals=arrivals, users=2, start_byte=0
    )
    work = ReadStream(
        count=150, pattern="random", rate_per_s=rate, arrivals=arrivals, span_bytes=MIB, users=2, beside=(beside,)
    )
    for depth, nr in ((1, 4), (32, 128)):
        even = {"write_overhead_s": None} if depth > 1 else {}
        system = System(
            disk=disk.model_copy(update={"queue_depth": depth, "parallel_requests": min(depth, 4), **even}),
            host=Host(scheduler=scheduler, nr_requests=nr, read_call_s=call_s, write_call_s=call_s / 3, cpus=2),
            iostat=Iostat(interval_s=0.1),
        )
        is_that_of_processes(system, work)


@pytest.mark.parametrize("gaps", [0.5, 1, 1.5, 2, 3, 8])
@pytest.mark.parametrize("nr", [1, 2, 3, 128])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("others", [{"rate_per_s": 1024, "arrivals": "regular"}, *LIKE], ids=str)
@pytest.mark.sampled(24)
def test_what_comes_at_one_moment_comes_in_the_order_of_processes(
    gaps: float, nr: int, scheduler: Any, others: dict[str, Any]
) -> None:
    """Calls come in step, every 2**-10 s, and take the device so many of these gaps: no time is rounded."""
    disk = Disk(rotation_s=0, average_seek_s=0, overhead_s=0, bandwidth_bytes_per_s=SIZE * 1024 / gaps, queue_depth=2)
    host = Host(scheduler=scheduler, nr_requests=nr, read_call_s=0, write_call_s=0)
    step: Any = {"count": 60, "rate_per_s": 1024, "arrivals": "regular", "users": 2}
    work = ReadStream(**step, beside=(WriteStream(count=60, users=2, **others),))
    system = System(disk=disk, host=host)
    is_that_of_processes(system, work)


calls_of_a_stream = st.fixed_dictionaries(
    {
        "block_size_bytes": st.sampled_from([512, 4096, 8192, 12_288, 65_536, 262_144]),
        "count": st.integers(1, 60),
        "pattern": st.sampled_from(["random", "sequential", "strided"]),
        "stride_bytes": st.sampled_from([4096, 8192, 131_072]),
        "span_bytes": st.sampled_from([None, 65_536, MIB, 64 * MIB]),
        "start_byte": st.sampled_from([None, 0, 32_768, 1024 * MIB]),
        "arrivals": st.sampled_from(["poisson", "regular"]),
        "runtime_s": st.sampled_from([None, None, 0.05]),
        "users": st.integers(1, 3),
    }
).filter(
    lambda calls: (
        calls["pattern"] != "random"
        if calls["span_bytes"] is None
        else calls["span_bytes"] >= calls["block_size_bytes"]
    )
)
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
    {"rotation_s": 0.008, "raid_level": "none", "reorder_age_s": 0.05},
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
    kernel=st.sampled_from(["2.6.5", "2.6.18", "4.18"]),
    scheduler=st.sampled_from(["noop", "deadline", "cfq"]),
    nomerges=st.sampled_from(["0", "0", "1", "2"]),
    filesystem=st.sampled_from(["ext3", "none"]),
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
    st.sampled_from(["read", "none", "sync", "dsync"]),
    st.integers(0, 99),
)
def test_any_streams_are_those_of_processes(  # noqa: PLR0917  (what there is to draw)
    disk: Disk, more: Any, host: Host, calls: Any, others: Any, synced: str, seed: int
) -> None:
    beside = () if others is None else (WriteStream(**others),)
    work: Any = ReadStream(beside=beside, **calls)
    if synced != "read":
        work = WriteStream(beside=beside, synced=synced, **calls)
    system = System(disk=disk.model_copy(update=more), host=host, iostat=Iostat(interval_s=0.01, first_s=0.003))
    is_that_of_processes(system, work, seed)


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["none", "deadline"])
@pytest.mark.parametrize("how", [{"rate_per_s": 400.0}, *LIKE], ids=str)
def test_compiled_is_plain(disk: Disk, scheduler: Any, how: dict[str, Any]) -> None:
    random: Any = {"count": 400, "pattern": "random", "span_bytes": MIB, "users": 2}
    work = ReadStream(**random, **how, beside=(WriteStream(**random, **how),))
    system = System(disk=disk, host=Host(scheduler=scheduler, nr_requests=6))
    with as_written():
        plain = play(system, work)
    assert play(system, work) == plain


# What must hold


@pytest.mark.parametrize("disk", [PLATTER, FLASH], ids=["platter", "flash"])
@pytest.mark.parametrize("scheduler", ["noop", "deadline"])
@pytest.mark.parametrize("rate", [60, 3000])
def test_little_and_the_utilisation_law(disk: Disk, scheduler: Any, rate: float) -> None:
    """Queue is throughput x await; utilisation throughput x service, and never above 1."""
    system = System(disk=disk, host=Host(scheduler=scheduler), iostat=Iostat(interval_s=0.5))
    work = ReadStream(count=2000, pattern="random", rate_per_s=rate)
    device = play(system, work).device["disk"]
    per_s = device.reads_per_s + device.writes_per_s
    assert device.average_queue == pytest.approx(per_s * device.await_s, rel=1e-9)
    assert device.utilisation_fraction == pytest.approx(per_s * device.service_s, rel=1e-9)
    assert 0 < device.utilisation_fraction <= 1
    assert device.utilisation_fraction > 0.99 or rate == 60


def test_sweeps_carry_more_than_turns() -> None:
    work = ReadStream(count=3000, pattern="random", rate_per_s=300)
    swept, turns = (
        play(System(disk=PLATTER, host=Host(scheduler=scheduler)), work).time.elapsed_s
        for scheduler in ("deadline", "noop")
    )
    assert swept < 0.8 * turns
