"""Transactions through ``simulate``: against queues of theory, and laws that hold for all."""

import subprocess
import sys
from statistics import fmean, stdev
from types import SimpleNamespace
from typing import Any

import pytest
from scipy.stats import norm, t

from blocktime.model import simulate
from blocktime.model.budget import watch_here
from blocktime.model.laws import commit
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.writers import DatabaseWriter
from blocktime.model.spec import Client, Disk, Host, Instance, System, Transaction, Transactions
from blocktime.model.units import GIB, MIB
from tests import queue_theory as queueing
from tests.oracles.log_writer import log_file_sync_s
from tests.patience import LIMIT_S
from tests.queue_theory import mmc_wait_s

READ_S = 1e-3
REPLICATIONS = 5
COUNT = 4_000

COSTS = (
    "logical_io_s",
    "row_step_s",
    "line_miss_s",
    "fetch_row_s",
    "fetch_column_s",
    "call_s",
    "read_call_s",
    "buffer_block_s",
    "change_block_s",
    "commit_s",
    "log_write_call_s",
    "commit_overhead_s",
    "latch_hold_s",
    "latch_spin_s",
)


def host(**given: Any) -> Host:
    """Processors that cost nothing, but for what is given."""
    free = dict.fromkeys(COSTS, 0)
    return Host.model_validate({"cpus": 64, "scheduler": "none", **free, **given})


def disk(servers: int = 1, service_s: float = READ_S, cv: float = 0.0) -> Disk:
    """Servers without positions."""
    return Disk(
        rotation_s=0,
        average_seek_s=0,
        overhead_s=service_s - 8192 / 1e12,
        bandwidth_bytes_per_s=1e12,
        parallel_requests=servers,
        service_cv=cv,
        capacity_bytes=65_536 * GIB,
    )


def machine(device: Disk, processors: Host | None = None, cache_bytes: int = MIB, **instance: Any) -> System:
    return System(
        host=processors or host(),
        disk=device,
        client=Client(round_trip_s=0),
        instance=Instance(buffer_cache_bytes=cache_bytes, **instance),
    )


def work(kind: dict[str, Any], **more: Any) -> Transactions:
    """Equal blocks, none of them in memory but by chance."""
    plain: dict[str, Any] = {"gets": 3, "rows": 0, "changed_blocks": 0, "redo_bytes": 0, "calls": 1}
    one = Transaction.model_validate({"commits": False, **plain, **kind})
    fields: dict[str, Any] = {
        "mix": (one,),
        "hottest_gets_percent": 0,
        "data_bytes": 16_384 * GIB,
        "hot_data_percent": 100,
        "hot_gets_percent": 100,
        "transactions": COUNT,
    }
    return Transactions.model_validate(fields | more)


def within_three_standard_errors(found: list[float], expected: float) -> bool:
    """As sure as three standard errors are of many runs; of a few they are as many more as Student's t says."""
    errors = t.ppf(norm.cdf(3), len(found) - 1)
    return bool(abs(fmean(found) - expected) <= errors * stdev(found) / len(found) ** 0.5 + 1e-3 * expected)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("servers", "users"), [(1, 1), (1, 4), (1, 8), (1, 20), (1, 40), (4, 8), (4, 40), (16, 40), (16, 150)]
)
def test_users_who_think_and_read_are_a_closed_network(servers: int, users: int) -> None:
    """Exponential think and service, three reads a transaction: product form, so the mean values are exact."""
    think_s = 24e-3
    system = machine(disk(servers, cv=1.0))
    runs = [
        simulate(system, work({}, users=users, think_s=think_s), seed=seed).transactions
        for seed in range(40, 40 + REPLICATIONS)
    ]
    exact = queueing.mean_values(users, [3 * READ_S], think_s, [servers])
    assert within_three_standard_errors([run.response_s for run in runs], exact.response_s)
    assert within_three_standard_errors([run.per_s for run in runs], exact.throughput_per_s)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("servers", "load"), [(1, 0.3), (1, 0.7), (1, 0.85), (4, 0.5), (4, 0.85), (16, 0.8)])
def test_transactions_that_arrive_wait_as_in_a_queue_of_several_servers(servers: int, load: float) -> None:
    """One read each, so they come to the disk by chance."""
    rate_per_s = load * servers / READ_S
    system, many = (machine(disk(servers, cv=1.0)), work({"gets": 1}, rate_per_s=rate_per_s, transactions=8_000))
    runs = [simulate(system, many, seed=seed).transactions for seed in range(40, 40 + REPLICATIONS)]
    expected = READ_S + mmc_wait_s(rate_per_s, READ_S, servers)
    assert within_three_standard_errors([run.response_s for run in runs], expected)
    assert within_three_standard_errors([run.per_s for run in runs], rate_per_s)


@pytest.mark.parametrize("load", [0.05, 0.5, 1.0, 3.0])
def test_commits_wait_for_the_log_as_the_law_says(load: float) -> None:
    system = machine(disk())
    many = work({"gets": 0, "commits": True, "redo_bytes": 512}, rate_per_s=load / READ_S)
    runs = [simulate(system, many, seed=seed) for seed in range(40, 40 + REPLICATIONS)]
    sync = [run.time.wait["log file sync"].total_s for run in runs]
    assert within_three_standard_errors(sync, log_file_sync_s(load / READ_S, READ_S))
    writes = [run.transactions.log_writes_per_s for run in runs]
    assert within_three_standard_errors(writes, commit.log_writes_per_s(load / READ_S, READ_S))


@pytest.mark.parametrize("per_s", [10, 2_000, 10_000])
@pytest.mark.parametrize("polls", [False, True])
def test_commits_wait_for_the_call_and_the_posts_of_the_log_writer(per_s: float, polls: bool) -> None:
    """Rates, a write and an overhead as on flash [krotov-log-file-sync]."""
    call_s, overhead_s = 30e-6, 75e-6
    system = machine(disk(service_s=50e-6), log_file_sync="poll" if polls else "post")
    host_of = system.host.model_copy(update={"log_write_call_s": call_s, "commit_overhead_s": overhead_s})
    system = system.model_copy(update={"host": host_of})
    many = work({"gets": 0, "commits": True, "redo_bytes": 512}, rate_per_s=per_s, transactions=20_000)
    runs = [simulate(system, many, seed=seed) for seed in range(40, 40 + REPLICATIONS)]
    sync = sum(run.time.wait["log file sync"].total_s for run in runs) / len(runs)
    law = commit.commit_wait_s(per_s, 50e-6, call_s, overhead_s, polls=polls)
    assert sync == pytest.approx(law, rel=0.06)
    assert sync >= 50e-6 + commit.least_overhead_s(call_s, overhead_s)


@pytest.mark.parametrize("load", [0.5, 3.0])
@pytest.mark.parametrize("given", [{"redo_service_cv": 1.5}, {"cv": 1.5}, {"cv": 1.5, "redo_service_cv": 0.0}])
def test_commits_wait_for_the_rest_of_a_write_that_varies(load: float, given: dict[str, float]) -> None:
    """The log's disk varies as that of the data, or as is said of its own."""
    own = {name: value for name, value in given.items() if name != "cv"}
    system = machine(disk(cv=given.get("cv", 0.0)), **own)
    varies = own.get("redo_service_cv", given.get("cv", 0.0))
    many = work({"gets": 0, "commits": True, "redo_bytes": 512}, rate_per_s=load / READ_S, transactions=8_000)
    runs = [simulate(system, many, seed=seed) for seed in range(40, 40 + REPLICATIONS)]
    sync = [run.time.wait["log file sync"].total_s for run in runs]
    expected = log_file_sync_s(load / READ_S, READ_S, varies)
    assert within_three_standard_errors(sync, expected)
    writes = [run.transactions.log_writes_per_s for run in runs]
    assert within_three_standard_errors(writes, commit.log_writes_per_s(load / READ_S, READ_S, varies))


def test_a_log_that_varies_is_on_a_disk_of_its_own_without_positions() -> None:
    with pytest.raises(ValueError, match="that of a disk of the log's own"):
        Instance(redo_disk="data", redo_service_cv=1.0)
    with pytest.raises(ValueError, match=r"instance\.redo_service_cv 1 is as disk\.service_cv"):
        System(disk=Disk(rotation_s=0.01), instance=Instance(redo_service_cv=1.0))


ORDINARY = Transactions(
    mix=(Transaction(gets=30, rows=10, changed_blocks=3, redo_bytes=4096, calls=2),),
    users=15,
    think_s=0.2,
    data_bytes=256 * MIB,
    hottest_changes_percent=20,
    transactions=3_000,
)


def ordinary(**instance: Any) -> System:
    return System(host=Host(), disk=Disk(), instance=Instance(buffer_cache_bytes=128 * MIB, **instance))


@pytest.mark.parametrize("redo", ["own", "data"])
def test_laws_that_hold_for_every_queue(redo: str) -> None:
    found = simulate(ordinary(redo_disk=redo), ORDINARY, seed=3)
    stats = found.transactions
    assert stats.under_way == pytest.approx(stats.per_s * stats.response_s, rel=1e-9)
    # users: those under way and those who think; the run is short, and thinking is by chance
    assert stats.per_s * (stats.response_s + ORDINARY.think_s) == pytest.approx(15, rel=0.06)
    assert stats.utilisation["processors"] == pytest.approx(stats.per_s * found.time.cpu_s / 4, rel=1e-6)
    for device in found.device.values():
        requests_per_s = device.reads_per_s + device.writes_per_s
        assert device.average_queue == pytest.approx(requests_per_s * device.await_s, rel=0.02)
        assert device.utilisation_fraction == pytest.approx(requests_per_s * device.service_s, rel=0.02)
    assert found.physical_io.read_blocks == found.cache.misses
    waited_s = sum(wait.total_s for wait in found.time.wait.values())
    assert found.time.cpu_s + waited_s + found.time.unaccounted_s == pytest.approx(stats.response_s, rel=1e-9)


def test_a_seed_gives_the_same_answer_here_and_in_another_process() -> None:
    small = ORDINARY.model_copy(update={"transactions": 400})
    here = simulate(ordinary(), small, seed=7).model_dump_json()
    assert simulate(ordinary(), small, seed=7).model_dump_json() == here
    assert (
        simulate(ordinary(), small, seed=8).transactions.response_s
        != simulate(ordinary(), small, seed=7).transactions.response_s
    )
    code = (
        "from blocktime.model import simulate; from blocktime.model.spec import System, Transactions; import sys; "
        "system, work = sys.stdin.read().splitlines(); "
        "print(simulate(System.model_validate_json(system), Transactions.model_validate_json(work), seed=7)"
        ".model_dump_json(), end='')"
    )
    given = f"{ordinary().model_dump_json()}\n{small.model_dump_json()}"
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True, timeout=LIMIT_S
    )
    assert done.stdout == here


def test_one_seed_brings_the_same_transactions_to_two_machines() -> None:
    """Common chances: two machines are asked for the same blocks, so what differs between them is the machines."""
    faster = ordinary().model_copy(update={"disk": Disk(average_seek_s=2.6e-3)})
    small = ORDINARY.model_copy(update={"transactions": 1500, "users": 4})
    pairs = [(simulate(ordinary(), small, seed=seed), simulate(faster, small, seed=seed)) for seed in range(5)]
    assert all(quick.time.elapsed_s < slow.time.elapsed_s for slow, quick in pairs)
    reads = [(slow.physical_io.read_blocks, quick.physical_io.read_blocks) for slow, quick in pairs]
    for slow, quick in pairs:
        # Up to a tenth of the transactions are warm-up on the slower machine alone, and the means leave them out.
        same = slow.transactions.warm_up == quick.transactions.warm_up
        close = pytest.approx(slow.physical_io.read_blocks, rel=1e-3 if same else 6e-3)
        assert quick.physical_io.read_blocks == close
    assert any(slow.transactions.warm_up == quick.transactions.warm_up for slow, quick in pairs)
    assert stdev([slow for slow, _ in reads]) > 0.01 * reads[0][0]


@pytest.mark.parametrize(("users", "commits", "space"), [(30, True, 0.0), (30, False, 1.0), (300, True, 0.57)])
def test_redo_ends_where_its_disk_does_and_waits_for_the_log_buffer(users: int, commits: bool, space: float) -> None:
    """200 KB of redo each and 40 MB a second are 200 transactions a second, whoever waits where."""
    system = machine(disk(8, 1e-4), cache_bytes=64 * MIB, redo_limit_bytes_per_s=40e6, log_buffer_bytes=16 * MIB)
    kind = {"gets": 3, "changed_blocks": 1, "redo_bytes": 200_000, "commits": commits}
    many = work(kind, users=users, think_s=0.001, data_bytes=32 * MIB, transactions=8_000)
    found = simulate(system, many)
    assert found.transactions.per_s == pytest.approx(200, rel=0.03)
    assert found.transactions.bottleneck == "redo disk"
    waits = found.time.wait
    in_space = waits["log buffer space"].total_s if "log buffer space" in waits else 0.0
    assert in_space / found.transactions.response_s == pytest.approx(space, abs=0.03)


def test_a_log_among_the_data_has_no_limit_of_its_own() -> None:
    with pytest.raises(ValueError, match="a disk of the log's own"):
        Instance(redo_disk="data", redo_limit_bytes_per_s=40e6)


@pytest.mark.parametrize("hottest_blocks", [10, 1_000])
def test_hottest_blocks_are_written_at_their_age_however_often_they_change(hottest_blocks: int) -> None:
    """At 100 transactions a second of 3 changes each, nc/(1 + c·age) writes a second; the others change nothing."""
    system = machine(disk(8, 1e-3), checkpoint_s=30)
    hot = {"hottest_blocks": hottest_blocks, "hottest_gets_percent": 50, "hottest_changes_percent": 100}
    many = work({"gets": 8, "changed_blocks": 3}, rate_per_s=100.0, transactions=10_000, **hot)
    each_per_s = 300 / hottest_blocks
    expected = hottest_blocks * each_per_s / (1 + each_per_s * 30)
    found = simulate(system, many)
    assert found.transactions.written_blocks_per_s == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(("lag_bytes", "age_s"), [(8 * MIB, 8 * MIB / 1e6), (GIB, 30)])
def test_blocks_are_written_before_the_redo_of_their_changes_is_too_far_behind(lag_bytes: int, age_s: float) -> None:
    """At 1 MB of redo a second 8 MB come in 8.4 s; 1 GB comes in more than the age, which holds then."""
    system = machine(disk(8, 1e-3), checkpoint_s=30, checkpoint_redo_bytes=lag_bytes)
    hot = {"hottest_blocks": 100, "hottest_gets_percent": 50, "hottest_changes_percent": 100}
    kind = {"gets": 8, "changed_blocks": 3, "redo_bytes": 10_000}
    many = work(kind, rate_per_s=100.0, transactions=10_000, **hot)
    expected = 300 / (1 + 3 * age_s)
    found = simulate(system, many)
    assert found.transactions.written_blocks_per_s == pytest.approx(expected, rel=0.1)


def test_processes_of_dbwr_without_asynchronous_io_write_each_its_own_blocks() -> None:
    """Eight write 400 blocks a second; if all waited for the slowest of eight, 20 ms · (1 + 1/2 + … + 1/8), 147."""
    one_by_one = {"disk_asynch_io": False, "db_writer_processes": 8, "checkpoint_s": 10}
    system = machine(disk(64, 0.02, cv=1.0), **one_by_one)
    hot = {"hottest_blocks": 100_000, "hottest_changes_percent": 100}
    changing = work({"gets": 0, "changed_blocks": 20.5}, rate_per_s=10.0, transactions=500, **hot)
    found = simulate(system, changing)
    assert found.transactions.written_blocks_per_s == pytest.approx(205 / (1 + 10 * 205 / 100_000), rel=0.05)


@pytest.mark.parametrize(("lag_bytes", "since_s"), [(100.0, 19.0), (1500.0, 5.0), (2000.0, 0.0), (2500.0, -5.0)])
def test_the_checkpoint_lags_since_so_much_redo_ago(lag_bytes: float, since_s: float) -> None:
    """Redo comes at 100 bytes a second, before the run and in it, and is looked at every 10 s."""
    env, log, no_buffers = Clock(watch_here()), SimpleNamespace(noted=0), SimpleNamespace(touched=[])
    writer = DatabaseWriter(env, Any, no_buffers, Any, limits=(1, 30.0))  # type: ignore[arg-type]
    writer.follow(log, lag_bytes, 100.0)  # type: ignore[arg-type]
    for now_s in (0, 10, 20):
        if now_s:
            env.run(until=now_s)
        log.noted = 100 * now_s
        lagging_s = writer._lagging_s()
    assert lagging_s == pytest.approx(since_s)


def test_a_core_of_two_threads_does_so_much_more_as_they_gain() -> None:
    found = []
    for threads in (1, 2):
        busy = host(cpus=4, threads_per_core=threads, smt_gain_percent=30, busy_loss_percent=0, call_s=0.01)
        system = machine(disk(8), busy, cache_bytes=64 * MIB)
        many = work({"gets": 2}, users=40, think_s=0.01, data_bytes=32 * MIB, transactions=3_000)
        answer = simulate(system, many)
        found.append(answer.transactions.per_s)
    assert found == pytest.approx([400, 520], rel=0.01)


def test_users_who_never_pause_gain_less_from_each_core_that_is_busy() -> None:
    """Cached reads by 1 to 16 users on eight cores that lose 12 %: the work of n cores is n·(1 - 0.12·(n - 2)/8)."""
    busy = host(cpus=8, busy_loss_percent=12, call_s=0.01)
    system = machine(disk(8), busy, cache_bytes=64 * MIB)
    for users, cores in ((1, 1.0), (4, 4 * (1 - 0.12 * 2 / 8)), (8, 7.28), (16, 7.28)):
        many = work({"gets": 2}, users=users, think_s=0, data_bytes=32 * MIB, transactions=1_500)
        answer = simulate(system, many)
        assert answer.transactions.per_s == pytest.approx(100 * cores, rel=0.015)


@pytest.mark.parametrize(
    ("instance", "writes_at_once"),
    [
        ({"db_writer_requests": 1}, 1),
        ({"db_writer_requests": 3}, 3),
        ({"disk_asynch_io": False, "db_writer_processes": 3}, 3),
    ],
)
def test_buffers_are_waited_for_when_dbwr_is_too_slow_and_its_writes_are_the_limit(
    instance: dict[str, Any], writes_at_once: int
) -> None:
    system = machine(disk(8, 5e-3), **instance, checkpoint_s=5)
    many = work({"gets": 2, "changed_blocks": 2}, users=60, think_s=0.01, data_bytes=GIB, transactions=2_500)
    found = simulate(system, many)
    assert found.transactions.per_s == pytest.approx(writes_at_once / 5e-3 / 2, rel=0.02)
    assert found.transactions.written_blocks_per_s == pytest.approx(writes_at_once / 5e-3, rel=0.02)
    assert found.time.wait["free buffer waits"].total_s > 0.5 * found.transactions.response_s


def test_a_keep_pool_protects_hot_blocks_from_the_others() -> None:
    """The same memory, half of it for hot blocks alone: all of their gets are hits then."""
    many = work({"gets": 20}, users=10, think_s=0.01, data_bytes=64 * MIB, hot_data_percent=12, hot_gets_percent=40)
    shared = simulate(machine(disk(8), cache_bytes=16 * MIB), many)
    kept = simulate(
        machine(disk(8), cache_bytes=8 * MIB, db_keep_cache_bytes=8 * MIB), many.model_copy(update={"hot_pool": "keep"})
    )
    others = 8 / (64 * 0.88)
    assert kept.cache.hit_fraction == pytest.approx(0.4 + 0.6 * others, abs=0.01)
    assert kept.cache.hit_fraction > shared.cache.hit_fraction + 0.05


def test_a_recycle_pool_keeps_the_others_out_of_the_default_pool() -> None:
    many = work({"gets": 20}, users=10, think_s=0.01, data_bytes=64 * MIB, hot_data_percent=12, hot_gets_percent=40)
    recycled = simulate(
        machine(disk(8), cache_bytes=8 * MIB, db_recycle_cache_bytes=MIB),
        many.model_copy(update={"cold_pool": "recycle"}),
    )
    assert recycled.cache.hit_fraction == pytest.approx(0.4 + 0.6 / (64 * 0.88), abs=0.01)


def test_scans_at_the_cold_end_leave_the_hot_blocks_where_they_are() -> None:
    """Each transaction scans as many blocks as a fifth of the cache holds; its gets find nearly as many as before."""
    missed = []
    for scan in (0, 200):
        kind = {"gets": 20, "scan_blocks": scan}
        many = work(
            kind, users=4, think_s=0.5, data_bytes=64 * MIB, hot_data_percent=5, hot_gets_percent=80, transactions=1_500
        )
        found = simulate(machine(disk(8), cache_bytes=8 * MIB), many)
        missed.append(found.time.wait["db file sequential read"].waits)
        if scan:
            assert found.time.wait["db file scattered read"].waits > 1
    assert missed[1] < 1.5 * missed[0]
    assert missed[1] < 0.5 * 20  # all of the hot blocks and more would be read if they had been pushed out


def test_reads_of_other_sessions_are_waited_for_no_longer_than_a_read() -> None:
    """One get each of few blocks, of which half are in memory, so that two transactions often want the same.

    Who reads a block of its own looks for those of others afterwards, and rarely finds one that is still read.
    """
    many = work({"gets": 1}, users=100, think_s=0.01, data_bytes=2 * MIB, transactions=4_000)
    other = simulate(machine(disk(64)), many).time.wait["read by other session"]
    assert other.waits > 0.01
    assert 0 < other.max_s <= READ_S * (1 + 1e-9)
    assert other.total_s <= other.waits * READ_S


def test_undo_and_latches_grow_with_users() -> None:
    undo, latched = [], []
    for users in (1, 4, 16):
        processors = Host(cpus=16, latch_hold_s=20e-6, latch_spin_s=5e-6)
        system = System(host=processors, disk=disk(16), instance=Instance(buffer_cache_bytes=64 * MIB))
        mix = (Transaction(gets=100, changed_blocks=10),)
        busy = Transactions(
            mix=mix,
            users=users,
            think_s=0.005,
            data_bytes=32 * MIB,
            hottest_blocks=2,
            hottest_gets_percent=30,
            hottest_changes_percent=20,
            transactions=2_000,
        )
        found = simulate(system, busy)
        undo.append(found.logical_io.consistent_gets - 100)
        wait = found.time.wait.get("latch: cache buffers chains")
        latched.append(wait.total_s if wait else 0.0)
    assert undo[0] == pytest.approx(0, abs=1e-9)
    assert undo[0] < undo[1] < undo[2]
    assert latched[0] == 0 < latched[1] < latched[2]
