"""The compiled queues: equal to their plain twins, to the states, to a simulation by events and to queueing theory."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blocktime.model.kernels import queue as kernel
from blocktime.model.kernels.queue import CallPath, quantiles, speeds_of, summed_queue
from blocktime.model.laws.processors import Cores
from blocktime.model.machine.device.servers import Servers, Threads
from tests import queue_theory as queueing
from tests.oracles.queue_by_events import open_by_events, open_queue
from tests.plain import plain_loops
from tests.queue_theory import mmc_wait_s, mmc_waiting_fraction

Times = NDArray[np.float64]

LOADS = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95]
BATCHES = 32


def poisson(random: np.random.Generator, requests: int, per_s: float = 1.0) -> Times:
    return np.cumsum(random.exponential(1 / per_s, requests))


# The same with events


@pytest.mark.parametrize("servers", [1, 2, 7])
def test_open_queue_is_a_process_for_each_request(servers: int) -> None:
    random = np.random.default_rng(servers)
    arrival, service = poisson(random, 4000, servers / 0.9), random.exponential(1.0, 4000)
    for found, expected in zip(
        open_queue(arrival, service, servers), open_by_events(arrival, service, servers), strict=True
    ):
        assert found == pytest.approx(expected, rel=1e-9)


# The same to the last bit

durations = st.sampled_from([0.0, 0.1, 0.3, 1.0]) | st.floats(0, 1e6)


@given(
    st.lists(st.tuples(durations, durations), min_size=1, max_size=60),
    st.sampled_from([0.0, 0.3, 5.0]),
    st.builds(Cores, st.integers(1, 9), st.integers(1, 2), st.floats(0, 1), st.sampled_from([0.0, 0.3])),
    st.integers(1, 20),
    st.integers(0, 20),
)
def test_calls_summed_up_are_those_of_two_queues(
    pairs: list[tuple[float, float]], call_s: float, host: Cores, servers: int, beyond: int
) -> None:
    speeds = speeds_of(host)
    gap, service = np.array(pairs).T.copy()
    many, room = len(pairs), servers + beyond
    arrival = np.cumsum(gap)
    state = Servers(host.threads) if speeds is None else Threads(host)
    begun, left = np.array([state.serve(float(now), call_s) for now in arrival]).T
    order = np.argsort(left, kind="stable")
    arrival, queued = arrival[order], left[order]
    end = open_queue(queued, service, servers).end_s
    queued[room:] = np.maximum(queued[room:], np.sort(end)[: max(0, many - room)])
    found = summed_queue(gap, 1.0, service, 1.0, CallPath(call_s, host.threads, speeds, servers, room))
    assert list(found.response_s) == list(end - arrival)
    assert found.end_s == end.max()
    assert found.cpu_s == pytest.approx((left - begun).sum(), rel=1e-9)
    assert found.held_s == pytest.approx((end - queued).sum(), rel=1e-9)
    at = np.concatenate((queued, end))
    order = np.argsort(at, kind="stable")
    inside = np.cumsum(np.where(order < many, 1, -1))[:-1]
    assert found.busy_s == pytest.approx(np.diff(at[order])[inside > 0].sum(), rel=1e-9)
    with plain_loops(kernel):
        plain = summed_queue(gap, 1.0, service, 1.0, CallPath(call_s, host.threads, speeds, servers, room))
    assert list(plain[0]) == list(found[0])
    assert plain[1:] == found[1:]


@given(
    st.lists(durations | st.sampled_from([1e-300, 2e-300, 1e-12, 1e300]), min_size=1, max_size=80),
    st.lists(st.sampled_from([0.0, 0.5, 0.95, 0.99, 1.0]) | st.floats(0, 1), min_size=1, max_size=5),
)
def test_quantiles_are_those_of_numpy(took: list[float], shares: list[float]) -> None:
    values = np.array(took)
    expected = np.quantile(values, shares)
    assert list(quantiles(values, shares)) == list(expected)
    ranks = np.arange(values.size)
    for way in (nullcontext(), plain_loops(kernel)):
        with way:
            assert list(kernel.at_ranks(values, ranks)) == sorted(took)
            assert list(kernel.at_ranks(values, ranks[-1:])) == [max(took)]


def test_quantiles_of_many_values_are_those_of_numpy() -> None:
    values, shares = np.random.default_rng(8).lognormal(0, 3, 100_003), [0.01, 0.5, 0.95, 0.99, 1.0]
    assert list(quantiles(values, shares)) == list(np.quantile(values, shares))


# Theory


def agree(seen: Times, expected: float) -> None:
    """The mean lies within three standard errors, from batches long against what one request does to later ones.

    The first batch is the warm-up.
    """
    batches = seen[: seen.size // BATCHES * BATCHES].reshape(BATCHES, -1)[1:].mean(axis=1)
    error = batches.std(ddof=1) / np.sqrt(batches.size)
    assert abs(batches.mean() - expected) < 3 * error, (batches.mean(), expected, error)


def keep_the_laws(arrival: Times, end: Times, service: Times, servers: int) -> None:
    """Little's law, and the utilisation law with no server idle while somebody waits, to the last digits."""
    at = np.concatenate((arrival, end))
    order = np.argsort(at, kind="stable")
    lasting = np.diff(at[order])
    inside = np.cumsum(np.where(order < arrival.size, 1, -1))[:-1]
    elapsed = lasting.sum()
    throughput = arrival.size / elapsed
    little = queueing.in_system(throughput, (end - arrival).mean())
    assert inside @ lasting / elapsed == pytest.approx(little, rel=1e-9)
    busy = np.minimum(inside, servers) @ lasting / elapsed / servers
    assert busy == pytest.approx(queueing.utilisation_fraction(throughput, service.mean(), servers), rel=1e-9)


def hyperexponential(random: np.random.Generator, requests: int) -> Times:
    """Nine in ten take 0.5 s, one takes 5.5 s, on average: mean 1, second moment 2(0.9/4 + 0.1 · 5.5²) = 6.5."""
    return random.exponential(np.where(random.random(requests) < 0.9, 0.5, 5.5))


def lognormal(random: np.random.Generator, requests: int) -> Times:
    """Mean 1 and squared coefficient of variation e^0.64 - 1 = 0.896."""
    return random.lognormal(-0.32, 0.8, requests)


SERVICE: dict[str, tuple[Callable[[np.random.Generator, int], Times], float]] = {
    "M/M/1": (lambda random, requests: random.exponential(1.0, requests), 1.0),
    "M/D/1": (lambda _, requests: np.ones(requests), 0.0),
    "M/G/1 hyperexponential": (hyperexponential, 5.5),
    "M/G/1 lognormal": (lognormal, np.exp(0.64) - 1),
}


def enough(load: float) -> int:
    """Requests: a batch is 65 times 4/(1 - ρ)², over which waits in M/M/1 near full load are correlated."""
    return BATCHES * max(20_000, int(260 / (1 - load) ** 2))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", SERVICE)
def test_one_server_waits_as_pollaczek_and_khinchine_say(name: str, load: float) -> None:
    draw, variation = SERVICE[name]
    random = np.random.default_rng([1, list(SERVICE).index(name), round(100 * load)])
    requests = enough(load)
    arrival, service = poisson(random, requests, load), draw(random, requests)
    begin, end = open_queue(arrival, service)
    agree(begin - arrival, queueing.mg1_wait_s(load, 1.0, variation))
    if name == "M/M/1":
        for fraction in (0.5, 0.95):
            agree(end - arrival < math.log(1 / (1 - fraction)) / (1 - load), fraction)
    keep_the_laws(arrival, end, service, 1)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("servers", [2, 4, 16])
def test_several_servers_wait_as_erlang_says(servers: int, load: float) -> None:
    random = np.random.default_rng([2, servers, round(100 * load)])
    waiting = mmc_waiting_fraction(load * servers, 1.0, servers)
    requests = max(enough(load), round(100 / waiting))  # so that a hundred wait
    arrival, service = poisson(random, requests, load * servers), random.exponential(1.0, requests)
    begin, end = open_queue(arrival, service, servers)
    agree(begin - arrival, mmc_wait_s(load * servers, 1.0, servers))
    agree(begin > arrival, waiting)
    keep_the_laws(arrival, end, service, servers)
