"""The simulation: equal to the calculator where nobody queues, to queueing theory where somebody does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import RunResult, calculate, loops, simulate
from blocktime.model.causes import FROM_CLIENT
from blocktime.model.engine import nobody_queues
from blocktime.model.errors import OverBudget
from blocktime.model.machine.device.servers import NOBODY, DeviceQueue
from blocktime.model.spec import Disk, FullScan, Host, Index, IndexRangeScan, Instance, System, Table, Tablespace
from blocktime.model.units import MIB
from blocktime.scenarios import load, run
from tests.engines import by

disks = st.builds(
    Disk,
    overhead_s=st.floats(0, 1e-3),
    average_seek_s=st.floats(0, 1e-2),
    rotation_s=st.floats(0, 1e-2).map(lambda turn: turn if turn > 1e-4 else 0.0),
    bandwidth_bytes_per_s=st.floats(10, 3000).map(lambda m: m * MIB),
    parallel_requests=st.integers(1, 64),
)
flat_disks = st.builds(
    Disk,
    overhead_s=st.floats(0, 1e-3),
    average_seek_s=st.just(0.0),
    rotation_s=st.just(0.0),
    bandwidth_bytes_per_s=st.floats(10, 3000).map(lambda m: m * MIB),
    parallel_requests=st.integers(1, 64),
)  # the same wherever a block lies: only here do means and true places say the same
hosts = st.builds(
    Host,
    io_path=st.sampled_from(["asm", "raw", "direct", "buffered", "sync"]),
    page_cache_hit_fraction=st.sampled_from([0.0, 0.5, 1.0]),
    cpus=st.integers(1, 8),
)
tables = st.builds(
    Table,
    rows=st.integers(1, 100_000),
    row_bytes=st.floats(12, 900),
    row_bytes_sd=st.sampled_from([0.0, 5.0, 40.0]),
    column_count=st.integers(1, 60),
    pctfree_percent=st.integers(0, 60),
    created_by=st.sampled_from(["insert", "ctas"]),
)


def instances(asynchronous: bool) -> st.SearchStrategy[Instance]:
    return st.builds(
        Instance,
        release=st.sampled_from(["10.2.0.4", "11.1.0.6", "11.2.0.3", "19.3.0.0"]),
        db_file_multiblock_read_count=st.sampled_from(["auto", 0, 1, 16, 128]),
        serial_direct_read=st.sampled_from(["auto", "always", "never"]),
        disk_asynch_io=st.just(asynchronous),
    )


def systems(asynchronous: bool) -> st.SearchStrategy[System]:
    return st.builds(
        System,
        tablespace=st.builds(
            Tablespace,
            block_size_bytes=st.sampled_from([2048, 4096, 8192, 16384, 32768]),
            space_management=st.sampled_from(["assm", "manual"]),
            extent_management=st.sampled_from(["system", "uniform"]),
        ),
        table=tables,
        instance=instances(asynchronous),
        host=hosts,
        disk=flat_disks | disks,
    )


def has_places(system: System) -> bool:
    """Whether it matters where a block lies: the simulation knows, the closed form takes means of it."""
    return bool(system.disk.average_seek_s or system.disk.rotation_s)


def is_exact_by_places(system: System) -> bool:
    """Whether reads cost the same wherever they lie and whatever was read before."""
    return not has_places(system) and system.host.io_path not in ("buffered", "sync")


def longest_read_s(system: System, answer: RunResult) -> float:
    """A seek, a turn, and the largest read or window of pages read ahead."""
    disk, window = system.disk, system.host.read_ahead_bytes
    blocks = max(answer.physical_io.request_blocks, default=0)
    read_bytes = max(blocks * system.tablespace.block_size_bytes, window)
    transfer_s = read_bytes / disk.bandwidth_bytes_per_s
    return disk.average_seek_s + disk.rotation_s + transfer_s + disk.overhead_s * (1 + read_bytes // window)


def read_ahead_of_all(system: System) -> System:
    """A drive whose heads need not move, and that has in its buffer whatever is asked for."""
    disk = system.disk
    rate = max(disk.bandwidth_bytes_per_s, disk.bus_bytes_per_s)
    fields = {"average_seek_s": 0.0, "rotation_s": 0.0, "bandwidth_bytes_per_s": rate}
    return system.model_copy(update={"disk": disk.model_copy(update=fields)})


scans = st.builds(FullScan, select=st.sampled_from(["rows", "count"]), arraysize_rows=st.integers(1, 1000))


@settings(max_examples=60)
@given(systems(asynchronous=False), scans)
def test_one_after_another_simulating_is_calculating(system: System, work: FullScan) -> None:
    """To the last read where no place is far and no pages are read ahead; else how reads fall decides the rest."""
    by_law, through_time = calculate(system, work), simulate(system, work)
    exact = nobody_queues(system, work) and not has_places(system)
    if exact:
        assert through_time.time.elapsed_s == pytest.approx(by_law.time.elapsed_s, rel=1e-6)
    assert through_time.time.cpu == pytest.approx(by_law.time.cpu)
    assert through_time.physical_io.request_blocks == by_law.physical_io.request_blocks
    assert set(through_time.time.wait) == set(by_law.time.wait)
    for event, waited in by_law.time.wait.items():
        assert through_time.time.wait[event].waits == waited.waits
        if exact:
            assert through_time.time.wait[event].total_s == pytest.approx(waited.total_s, rel=1e-6)
    if not exact:
        return
    assert set(through_time.device) == set(by_law.device)
    for name, device in by_law.device.items():
        assert through_time.device[name].reads_per_s == pytest.approx(device.reads_per_s, rel=1e-6)
        assert through_time.device[name].utilisation_fraction == pytest.approx(device.utilisation_fraction, rel=1e-6)


@settings(max_examples=40)
@given(systems(asynchronous=True), st.floats(1e-5, 1), st.sampled_from(["clustered", "scattered"]))
def test_range_scans_simulate_as_they_calculate(system: System, share: float, order: str) -> None:
    """To the last read where no place is far and nothing is read ahead; else within a half and some first reads."""
    system = system.model_copy(update={"index": Index(clustering=order)})  # type: ignore[arg-type]
    work = IndexRangeScan(selectivity_fraction=share)
    by_law, through_time = calculate(system, work), simulate(system, work)
    assert through_time.logical_io == by_law.logical_io
    law, time = by_law.time.elapsed_s, through_time.time.elapsed_s
    if is_exact_by_places(system):
        assert time == pytest.approx(law, rel=1e-6)
        return
    assert time <= law * 1.5 + 4 * longest_read_s(system, by_law)
    assert time >= calculate(read_ahead_of_all(system), work).time.elapsed_s * 0.5


@pytest.mark.parametrize("users", [2, 4, 8])
def test_sessions_contend_for_the_device(users: int) -> None:
    # with two reads each, sessions that read the same table could ride on each other's reads
    machine = ["disk.use=sas-15k", "table.rows=5000000", "instance.direct_read_slots=32"]
    scenario = load("full-scan-nvme", [*machine, f"workload.users={users}"])
    result = run(scenario)
    alone = run(load("full-scan-nvme", machine))
    assert result.how == "simulation"
    assert result.time.elapsed_s > 0.9 * users * alone.time.elapsed_s
    assert result.device["disk"].utilisation_fraction > 0.95


def test_sessions_contend_for_processors() -> None:
    settings_ = ["workload.users=16", "host.cpus=4"]
    result = run(load("savvinov-lio-pc", settings_))
    alone = run(load("savvinov-lio-pc"))
    # four busy cores lose 2/4 of the 12 % that many lose: two keep the speed of one that is alone
    assert result.time.elapsed_s == pytest.approx(4 * alone.time.elapsed_s / 0.94, rel=0.05)
    assert result.time.cpu_s == pytest.approx(alone.time.cpu_s / 0.94, rel=0.01)
    assert result.time.unaccounted["run queue (CPU wait)"] > 2.5 * alone.time.elapsed_s


def test_a_scan_costs_few_events_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled = []
    schedule = simpy.Environment.schedule

    def counting(self: simpy.Environment, *args: object, **kwargs: object) -> None:
        scheduled.append(1)
        schedule(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(loops, "compiled", lambda: None)
    monkeypatch.setattr(simpy.Environment, "schedule", counting)
    result = run(load("rahn-full-scan"))
    assert result.events + 1 == len(scheduled)  # the end of all sessions is nobody's
    # a request's end, and that of the scheduler's wait after it; a read's end, and the work on it
    requests = sum(result.device["disk"].request_bytes.values())
    assert len(scheduled) <= 2 * requests + 2 * result.physical_io.read_requests


def test_same_seed_same_json_in_another_process() -> None:
    code = (
        "from blocktime.scenarios import load, run;"
        "s = load('rahn-full-scan', ['workload.users=3', 'table.rows=300000', 'table.cached_fraction=0.3']);"
        "print(run(s, seed=7).model_dump_json())"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    other = by(
        "simulate",
        load("rahn-full-scan", ["workload.users=3", "table.rows=300000", "table.cached_fraction=0.3"]),
        seed=8,
    )
    assert json.loads(outputs.pop())["time"]["elapsed_s"] != other.time.elapsed_s


def test_half_cached_blocks_are_read_as_often_as_the_law_expects() -> None:
    scenario = load("shallahamer-buffered", ["table.cached_fraction=0.4", "table.rows=2500000"])
    expected, drawn = by("calculate", scenario), run(scenario)
    assert drawn.physical_io.read_requests == pytest.approx(expected.physical_io.read_requests, rel=0.02)
    assert drawn.cache.hit_fraction == pytest.approx(0.4, abs=0.02)


def test_replications_carry_an_interval() -> None:
    scenario = load("full-scan-nvme", ["workload.users=3", "disk.use=sas-15k", "table.rows=500000"])
    result = run(scenario, replications=5)
    assert result.time.interval.low_s < result.time.interval.high_s


def test_too_many_reads_are_refused_with_the_way_out() -> None:
    with pytest.raises(OverBudget, match="the limit is"):
        run(load("full-scan-nvme", ["table.rows=10000000000", "workload.users=32", "disk.use=sata-7k2"]))


def test_client_waits_are_never_simulated_away() -> None:
    result = run(load("rahn-full-scan"))
    assert result.time.wait[FROM_CLIENT].total_s == pytest.approx(
        run(load("rahn-full-scan")).time.wait[FROM_CLIENT].total_s
    )


def test_a_device_queue_keeps_littles_law_and_its_channel() -> None:
    queue = DeviceQueue(4)
    ends = [queue.submit(0.0, 0.001, 0.01, end_byte=NOBODY, size_bytes=8192) for _ in range(10)]
    assert ends == pytest.approx([0.001 + 0.01 * (rank + 1) for rank in range(10)])
    assert queue.busy_s == pytest.approx(ends[-1])


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("full-scan-filesystem", "table.rows=50000"),
        ("rahn-full-scan", "table.rows=200000"),
        ("index-range-scan-scattered", "workload.selectivity_fraction=0.0002"),
    ],
)
def test_a_compiled_session_is_the_one_as_written(name: str, changed: str) -> None:
    """Through the page cache and past it, with reads one by one, under way together, and of leaves."""
    scenario = load(name, [changed, "workload.users=2"])
    compiled = simulate(scenario.system, scenario.workload)
    with loops.as_written():
        written = simulate(scenario.system, scenario.workload)
    assert compiled == written
