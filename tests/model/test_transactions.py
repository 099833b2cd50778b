"""Transactions: where they saturate, and books that balance for any scenario."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model import OutsideLaw, RunResult, simulate
from blocktime.model.bounds import Bounds
from blocktime.model.results import TransactionStats
from blocktime.model.spec import Client, Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.units import GIB, MIB
from blocktime.model.workloads.transactions.expected_run import expected_run
from blocktime.scenarios import from_mapping, load, run
from tests.random_scenarios import case
from tests.whole import quick


def machine(cores: int, servers: int, read_s: float, cpu_s: float, **disk: Any) -> System:
    """All CPU is that of one call; the disk has no positions."""
    return System(
        host=Host(
            cpus=cores,
            busy_loss_percent=0,
            call_s=cpu_s,
            logical_io_s=0,
            row_step_s=0,
            line_miss_s=0,
            fetch_row_s=0,
            fetch_column_s=0,
            read_call_s=0,
            buffer_block_s=0,
            change_block_s=0,
            commit_s=0,
            log_write_call_s=0,
            commit_overhead_s=0,
        ),
        disk=Disk(
            rotation_s=0,
            average_seek_s=0,
            overhead_s=read_s - 8192 / 1e12,
            bandwidth_bytes_per_s=1e12,
            parallel_requests=servers,
            **disk,
        ),
        client=Client(round_trip_s=0),
        instance=Instance(buffer_cache_bytes=GIB // 2),
    )


def work(gets: float = 20, **more: Any) -> Transactions:
    """Reads of equal blocks of which half are in memory; no undo, latch, DBWR or log."""
    kind = Transaction(gets=gets, rows=0, changed_blocks=0, redo_bytes=0, commits=False, calls=1)
    return Transactions(
        mix=(kind,), hottest_gets_percent=0, data_bytes=GIB, hot_data_percent=100, hot_gets_percent=100, **more
    )


def test_throughput_ends_at_the_bottleneck() -> None:
    for cores, servers, cpu_s in ((1, 4, 0.01), (4, 2, 0.01), (16, 1, 0.4)):
        system, many = machine(cores, servers, 0.01, cpu_s), work(users=2_000, think_s=1)
        expected = expected_run(system, many)
        most = expected.bounds.ceiling_per_s
        parts = expected.parts
        assert most == pytest.approx(1 / max(parts.cpu_s / cores, parts.disk_s / servers))
        assert expected.per_s == pytest.approx(most)


CHANGING = Transaction(gets=2, rows=0, changed_blocks=2, redo_bytes=0, commits=False, calls=1)


@pytest.mark.parametrize("writes_at_once", [1, 2, 3])
def test_nobody_changes_more_than_dbwr_can_write(writes_at_once: int) -> None:
    """8 slots of 5 ms, of which DBWR uses a few; each transaction reads and writes two blocks."""
    instance = Instance(buffer_cache_bytes=MIB, db_writer_requests=writes_at_once, checkpoint_s=5)
    system = machine(64, 8, 5e-3, 0).model_copy(update={"instance": instance})
    changing = work(users=60, think_s=0.01).model_copy(update={"mix": (CHANGING,)})
    found = simulate(system, changing)
    assert found.transactions.written_blocks_per_s == pytest.approx(writes_at_once / 5e-3, rel=0.02)
    assert found.time.wait["free buffer waits"].total_s > 0.05
    with pytest.raises(OutsideLaw, match="more than DBWR can write"):
        simulate(
            system,
            Transactions(**{**dict(changing), "rate_per_s": 1.1 * found.transactions.per_s, "think_s": 0, "users": 1}),
        )


def test_blocks_that_change_often_are_written_seldom_and_allow_more_arrivals() -> None:
    """The limit of arrivals counts the writes at that rate, not those of a transaction alone."""
    kind = Transaction(gets=4, rows=0, changed_blocks=4, redo_bytes=0, commits=False, calls=1)
    system = machine(64, 1, 0.01, 0)
    one = Transactions(mix=(kind,), data_bytes=2 * MIB, hot_data_percent=100, hot_gets_percent=100, rate_per_s=200)
    found = simulate(system, one)
    assert found.transactions.written_blocks_per_s < 5 < 4 * 200
    assert found.transactions.utilisation["data disk"] < 0.1


KINDS = st.builds(
    Transaction,
    gets=st.floats(0.01, 60) | st.just(0.0),
    rows=st.floats(0, 200),
    changed_blocks=st.floats(0, 20),
    redo_bytes=st.integers(0, 200_000),
    commits=st.booleans(),
    calls=st.floats(1, 10),
    scan_blocks=st.integers(0, 100).map(float),
    weight=st.floats(0.01, 10),
)
PERCENT = st.one_of(st.sampled_from([0.0, 100.0]), st.floats(0, 100))
HOSTS = st.builds(
    Host,
    cpus=st.integers(1, 16),
    threads_per_core=st.sampled_from([1, 2, 8]),
    smt_gain_percent=st.floats(0, 100),
    scheduler=st.sampled_from(["none", "noop", "deadline", "mq-deadline", "cfq", "bfq", "kyber"]),
    latch_hold_s=st.sampled_from([0, 5e-7, 1e-4]),
    latch_spin_s=st.sampled_from([0, 2e-5]),
    max_request_bytes=st.sampled_from([4096, 65536, 524288]),
)
DISKS = st.one_of(
    st.just(Disk()),
    st.builds(Disk, write_cache_bytes=st.just(8 * MIB), read_hit_fraction=st.sampled_from([0.0, 0.3, 1.0])),
    st.builds(Disk, raid_level=st.sampled_from(["0", "5", "10"]), raid_disks=st.sampled_from([4, 8])),
    st.builds(
        Disk,
        rotation_s=st.just(0),
        average_seek_s=st.just(0),
        parallel_requests=st.integers(1, 64),
        queue_depth=st.integers(1, 64),
        service_cv=st.sampled_from([0, 1]),
    ),
    st.builds(Disk, rotation_s=st.just(0), average_seek_s=st.just(0), iops_limit=st.floats(50, 5000)),
)
INSTANCES = st.builds(
    Instance,
    buffer_cache_bytes=st.integers(MIB, 64 * MIB),
    db_keep_cache_bytes=st.integers(MIB, 8 * MIB),
    db_recycle_cache_bytes=st.integers(MIB, 8 * MIB),
    checkpoint_s=st.sampled_from([1, 60, 3600]),
    checkpoint_redo_bytes=st.sampled_from([None, MIB, 64 * MIB]),
    db_writer_requests=st.sampled_from([1, 8, 64]),
    redo_disk=st.sampled_from(["own", "data"]),
)
SYSTEMS = st.builds(
    System,
    host=HOSTS,
    disk=DISKS,
    instance=INSTANCES,
    client=st.builds(Client, round_trip_s=st.sampled_from([0, 2e-4])),
)
WORKS = st.fixed_dictionaries(
    {
        "mix": st.lists(KINDS, min_size=1, max_size=3).map(
            lambda kinds: tuple(kind.model_copy(update={"name": str(n)}) for n, kind in enumerate(kinds))
        ),
        "users": st.integers(1, 60),
        "think_s": st.sampled_from([0.0, 1e-3, 0.1, 5.0]),
        "think_cv": st.sampled_from([0.0, 1.0, 3.0]),
        "data_bytes": st.integers(MIB, 256 * MIB),
        "hot_data_percent": st.one_of(st.just(100.0), st.floats(0.01, 100)),
        "hot_gets_percent": PERCENT,
        "hottest_blocks": st.sampled_from([1, 16, 50]),
        "hottest_gets_percent": PERCENT,
        "hottest_changes_percent": PERCENT,
        "hot_pool": st.sampled_from(["default", "keep"]),
        "cold_pool": st.sampled_from(["default", "recycle"]),
        "begins": st.sampled_from(["warm", "cold"]),
        "transactions": st.integers(200, 400),
    }
)


def check(found: RunResult) -> None:
    """What every answer is: finite, no less than nothing, and the sum of its parts."""
    stats, time = found.transactions, found.time
    numbers = [stats.per_s, stats.response_s, stats.under_way, stats.saturation_per_s, stats.log_writes_per_s]
    numbers += [stats.written_blocks_per_s, stats.commits_per_log_write, *stats.utilisation.values()]
    numbers += [*stats.response_percentiles.values(), *time.cpu.values(), time.cpu_s, found.cache.hits]  # type: ignore[union-attr]
    numbers += [found.physical_io.read_requests, found.physical_io.read_bytes, found.physical_io.write_bytes]
    numbers += [one for wait in time.wait.values() for one in (wait.waits, wait.max_s, wait.total_s)]
    numbers += [one for kind in stats.kinds for one in (kind.per_s, kind.read_blocks, kind.consistent_gets)]
    numbers += [one for disk in found.device.values() for one in (disk.await_s, disk.average_queue)]
    assert all(isfinite(one) and one >= -1e-9 for one in numbers)
    assert all(share <= 1 + 1e-9 for share in stats.utilisation.values())
    parts_s = time.cpu_s + sum(wait.total_s for wait in time.wait.values()) + time.unaccounted_s
    assert parts_s == pytest.approx(time.elapsed_s, rel=1e-9, abs=1e-12)
    assert abs(time.unaccounted.get("no cause", 0.0)) <= 1e-6 * time.elapsed_s
    assert stats.under_way == pytest.approx(stats.per_s * stats.response_s, rel=1e-9)
    assert sum(kind.per_s for kind in stats.kinds) == pytest.approx(stats.per_s, rel=1e-6)


@given(SYSTEMS, WORKS, st.one_of(st.none(), st.floats(0.05, 0.9)))
@settings(max_examples=quick(40, 100))
def test_books_balance_whatever_is_asked(system: System, fields: dict[str, Any], load: float | None) -> None:
    given_work = Transactions(**fields)
    if load is not None:
        most = expected_run(system, given_work).bounds.ceiling_per_s
        rate = load * min(most, 1e4)
        given_work = Transactions(**{**fields, "users": 1, "think_s": 0.0, "rate_per_s": max(rate, 1e-6)})
    try:
        check(simulate(system, given_work))
    except OutsideLaw:
        assert load is not None  # DBWR cannot write so much


@pytest.mark.parametrize("blocks", [4, 40])
def test_twice_as_many_hottest_blocks_are_met_half_as_often_and_written_twice(blocks: int) -> None:
    """Of 10 users, so that nearly no change meets another: n blocks of age t are n/t writes a second."""
    mix = [{"name": "a", "gets": 100, "changed_blocks": 8}]
    hot = {"hottest_gets_percent": 20, "hottest_changes_percent": 100}
    few, twice = (
        run(from_mapping(
                {
                    "disk": {"use": "nvme"},
                    "instance": {"buffer_cache_bytes": "256M", "checkpoint_s": 30},
                    "workload": {
                        "kind": "transactions", "users": 10, "think_s": 0.01, "data_bytes": "10G", "mix": mix,
                        "hottest_blocks": count, **hot,
                    },
                }
            ))
        for count in (blocks, 2 * blocks)
    )  # fmt: skip
    undo = "consistent reads of changed blocks"
    assert few.time.cpu[undo] == pytest.approx(2 * twice.time.cpu[undo], rel=0.1)
    busy = "buffer busy waits"
    assert few.time.wait[busy].total_s == pytest.approx(2 * twice.time.wait[busy].total_s, rel=0.3)
    assert few.transactions.written_blocks_per_s == pytest.approx(blocks / 30, rel=0.15)


HOT_BLOCK = ("workload.hottest_blocks=1", "workload.users=200", "workload.think_s=0", "disk.use=nvme")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tpc-b", HOT_BLOCK),
        ("tpc-b", (*HOT_BLOCK, "workload.users=20")),
        ("tpc-b", ("workload.users=150", "workload.transactions=900")),
        ("tpc-b", ("workload.users=100", "disk.use=nvme", "host.cpus=1", "workload.think_s=0")),
        ("tpc-b", ("workload.users=40", "instance.redo_disk=data", "workload.transactions=900")),
        ("tpc-c", ("workload.users=30", "workload.transactions=600")),
        ("tpc-c", ("workload.rate_per_s=30", "workload.transactions=600")),
        ("tpc-b", ("instance.buffer_cache_bytes=2G", "workload.users=400", "workload.think_s=0.1",
                   "workload.transactions=4000")),
    ],
)  # fmt: skip
def test_the_bottleneck_never_contradicts_its_run(name: str, settings: tuple[str, ...]) -> None:
    _the_bottleneck_is_that_of_its_run(run(load(name, settings)).transactions)


@pytest.mark.parametrize("number", range(quick(6, 30)))
def test_the_bottleneck_of_any_transactions_is_that_of_their_run(number: int) -> None:
    asked = from_mapping(case(f"transactions/{number}"))
    try:
        stats = run(asked).transactions
    except OutsideLaw:  # more arrive than a resource can do, so there is no run
        return
    _the_bottleneck_is_that_of_its_run(stats)


def _the_bottleneck_is_that_of_its_run(stats: TransactionStats | None) -> None:
    assert stats is not None
    assert stats.saturation_per_s >= stats.per_s * (1 - 1e-9)
    full = {resource for resource, used in stats.utilisation.items() if used >= 0.99}
    assert not full or stats.bottleneck in full
    if stats.bottleneck in full - {"redo disk"}:
        assert stats.saturation_per_s == pytest.approx(stats.per_s, rel=0.011)


@pytest.mark.parametrize(
    ("utilisation", "bottleneck", "per_s"),
    [
        ({"processors": 0.9, "data disk": 0.5, "redo disk": 0.3}, "processors", 100 / 0.9),
        ({"processors": 0.2, "data disk": 0.5, "redo disk": 0.3}, "data disk", 160.0),
        ({"processors": 0.2, "data disk": 1.0, "redo disk": 0.3}, "data disk", 100.0),
        ({"processors": 0.2, "data disk": 0.5, "redo disk": 1.0}, "redo disk", 400.0),
    ],
)
def test_a_run_says_which_resource_it_saturates_and_at_which_rate(
    utilisation: dict[str, float], bottleneck: str, per_s: float
) -> None:
    """CPU grows with load; a disk sorts more then, unless it is full; the log gathers commits even when it is."""
    alone = {"processors": 0.002, "data disk": 1 / 160, "redo disk": 0.0025}
    bounds = Bounds(alone, 0.05, 0.1, False).of_run(100.0, utilisation)
    assert (bounds.bottleneck, bounds.ceiling_per_s) == (bottleneck, pytest.approx(per_s))
