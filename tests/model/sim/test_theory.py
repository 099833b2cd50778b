"""Queues of theory through ``simulate``: within three standard errors at loads from 0.3 to 0.95."""

from statistics import fmean, stdev

import pytest

from blocktime.model import simulate
from blocktime.model.spec import Disk, Host, ReadStream, System
from tests import queue_theory as queueing
from tests.queue_theory import mmc_wait_s

SERVICE_S = 1e-3
SIZE_BYTES = 4096
LOADS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
REPLICATIONS = 8
CALLS = 40_000
HOST = Host(io_path="raw", scheduler="none", read_call_s=0, max_request_bytes=SIZE_BYTES, nr_requests=10_000)


def device(servers: int, cv: float) -> Disk:
    """Servers with a mean service of a millisecond."""
    return Disk(
        rotation_s=0,
        average_seek_s=0,
        overhead_s=SERVICE_S - SIZE_BYTES / 1e12,
        bandwidth_bytes_per_s=1e12,
        parallel_requests=servers,
        service_cv=cv,
    )


def within_three_standard_errors(found: list[float], expected: float) -> bool:
    """Whether the mean of the replications agrees with theory."""
    return abs(fmean(found) - expected) <= 3 * stdev(found) / len(found) ** 0.5 + 1e-9 * expected


@pytest.mark.sampled(16)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize(("servers", "cv"), [(1, 1.0), (1, 0.0), (1, 2.0), (1, 0.5), (4, 1.0), (16, 1.0)])
def test_calls_that_arrive_wait_as_long_as_theory_says(servers: int, cv: float, load: float) -> None:
    rate = load * servers / SERVICE_S
    system = System(host=HOST, disk=device(servers, cv))
    work = ReadStream(block_size_bytes=SIZE_BYTES, count=CALLS, pattern="random", rate_per_s=rate)
    runs = [simulate(system, work, seed=seed) for seed in range(REPLICATIONS)]
    if servers == 1:
        expected = SERVICE_S + queueing.mg1_wait_s(rate, SERVICE_S, cv**2)
    else:
        expected = SERVICE_S + mmc_wait_s(rate, SERVICE_S, servers)
    assert within_three_standard_errors([run.streams[0].response_s for run in runs], expected)
    for run in runs:
        found = run.device["disk"]
        throughput = found.reads_per_s
        assert found.average_queue == pytest.approx(throughput * found.await_s, rel=1e-9)  # Little
        if servers == 1:
            assert found.utilisation_fraction == pytest.approx(throughput * found.service_s, rel=1e-9)


@pytest.mark.parametrize(("users", "servers"), [(2, 1), (4, 1), (8, 1), (12, 1), (20, 1), (12, 4)])
def test_users_who_wait_for_each_other_are_machines_under_repair(users: int, servers: int) -> None:
    think_s = 8e-3
    system = System(host=HOST.model_copy(update={"cpus": 64}), disk=device(servers, 1.0))
    work = ReadStream(
        block_size_bytes=SIZE_BYTES, count=500, pattern="random", users=users, think_s=think_s, think_cv=1
    )
    runs = [simulate(system, work, seed=seed) for seed in range(REPLICATIONS)]
    expected = queueing.machine_repair(users, think_s, SERVICE_S, servers)
    assert within_three_standard_errors([run.streams[0].response_s for run in runs], float(expected.response_s))


def test_calls_beyond_capacity_end_and_say_so() -> None:
    system = System(host=HOST, disk=device(1, 1.0))
    work = ReadStream(block_size_bytes=SIZE_BYTES, count=5000, pattern="random", rate_per_s=1250)
    result = simulate(system, work)
    assert any(said.startswith("the calls arrive at 12") for said in result.warnings)
    assert result.time.elapsed_s == pytest.approx(5.0, rel=0.05)
