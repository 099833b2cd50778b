"""Closed forms of queues: the textbooks' numbers, what must equal what, and arrays like numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp

from blocktime.model.bounds import Bounds
from blocktime.model.errors import OutsideLaw
from tests import queue_theory as q
from tests.queue_theory import mmc_wait_s, mmc_waiting_fraction

loads = st.floats(0.01, 0.99)
times = st.floats(1e-6, 10)
variations = st.floats(0, 20)

OPEN: dict[str, Callable[[Any, Any], Any]] = {
    "M/M/1": lambda rate, service: q.mg1_wait_s(rate, service, 1),
    "M/D/1": lambda rate, service: q.mg1_wait_s(rate, service, 0),
    "M/G/1": lambda rate, service: q.mg1_wait_s(rate, service, 3.0),
    "M/M/4": lambda rate, service: mmc_wait_s(4 * rate, service, 4),
}


# What the textbooks print


def test_a_gateway_of_a_textbook() -> None:
    """[jain-1991] example 31.1: 125 packets a second, 2 ms each: load 0.25, response 2.67 ms, 0.33 packets inside."""
    response = q.mg1_wait_s(125, 0.002, 1) + 0.002
    assert q.utilisation_fraction(125, 0.002) == pytest.approx(0.25)
    assert response == pytest.approx(2.67e-3, rel=2e-3)
    assert q.in_system(125, response) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("offered", "servers", "waiting"), [(1, 2, 1 / 3), (2, 3, 4 / 9), (4, 5, 0.55411), (10, 14, 0.17413)]
)
def test_erlang_c_as_tabulated(offered: float, servers: int, waiting: float) -> None:
    assert mmc_waiting_fraction(offered, 1.0, servers) == pytest.approx(waiting, rel=3e-5)


def test_machine_repair_by_hand() -> None:
    """Two machines, Z = S = 1, one repairman: p = 1/5, 2/5, 2/5, so X = 4/5 and R = 2/X - 1 = 3/2."""
    assert q.machine_repair(2, 1.0, 1.0) == pytest.approx((0.8, 1.5, 0.8, 1.2))


def test_mean_values_by_hand() -> None:
    """One user meets nobody: R = D; two users at two like stations meet a half each: R = 3D."""
    assert q.mean_values(1, [1.0, 1.0], 2.0) == (0.25, 2.0, (0.25, 0.25))
    assert q.mean_values(2, [1.0, 1.0]) == (pytest.approx(2 / 3), pytest.approx(3.0), (1.0, 1.0))


# What must equal what


@given(loads, times)
def test_variation_of_one_is_exponential_and_of_none_is_fixed(load: float, service: float) -> None:
    exponential = service * load / (1 - load)
    assert q.mg1_wait_s(load / service, service, 1) == pytest.approx(exponential)
    assert q.mg1_wait_s(load / service, service, 0) == pytest.approx(exponential / 2)


@given(loads, times)
def test_one_server_of_many_is_one(load: float, service: float) -> None:
    assert mmc_waiting_fraction(load / service, service, 1) == pytest.approx(load)
    assert mmc_wait_s(load / service, service, 1) == pytest.approx(q.mg1_wait_s(load / service, service, 1))
    two = load**2 * service / (1 - load**2)  # M/M/2 in its textbook form
    assert mmc_wait_s(2 * load / service, service, 2) == pytest.approx(two)


@pytest.mark.parametrize("servers", [2, 16, 170, 1000, 20_000])
@pytest.mark.parametrize("load", [0.3, 0.9, 0.999])
def test_erlang_c_of_many_servers_is_the_sum_of_its_logarithms(servers: int, load: float) -> None:
    offered = servers * load
    idle = logsumexp(np.arange(servers) * math.log(offered) - gammaln(np.arange(servers) + 1))
    all_busy = servers * math.log(offered) - gammaln(servers + 1) - math.log(1 - load)
    expected = math.exp(all_busy - np.logaddexp(idle, all_busy))
    assert mmc_waiting_fraction(offered, 1.0, servers) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@given(st.integers(1, 60), st.floats(0, 100), times)
def test_mean_values_of_one_station_are_machine_repair(users: int, think: float, service: float) -> None:
    network, queue = q.mean_values(users, [service], think), q.machine_repair(users, think, service)
    assert network.throughput_per_s == pytest.approx(queue.throughput_per_s)
    assert network.response_s == pytest.approx(queue.response_s)
    assert network.in_station == pytest.approx((queue.in_system,))


@given(st.integers(1, 60), st.floats(1e-3, 100), times, st.integers(1, 70))
def test_machine_repair_is_birth_and_death(users: int, think: float, service: float, servers: int) -> None:
    present = np.arange(users + 1)
    births = np.log((users - present[:-1]) / think)
    deaths = np.log(np.minimum(present[1:], servers) / service)
    weights = np.concatenate(([0.0], np.cumsum(births - deaths)))
    chances = np.exp(weights - logsumexp(weights))
    found = q.machine_repair(users, think, service, servers)
    assert found.in_system == pytest.approx(float(chances @ present))
    assert found.throughput_per_s == pytest.approx(float(chances @ np.minimum(present, servers)) / service)


@given(st.integers(1, 200), st.floats(0, 100), times, st.integers(1, 8))
def test_closed_queues_keep_the_laws(users: int, think: float, service: float, servers: int) -> None:
    found = q.machine_repair(users, think, service, servers)
    inside = q.in_system(found.throughput_per_s, found.response_s)
    assert found.in_system == pytest.approx(inside)
    assert inside + q.in_system(found.throughput_per_s, think) == pytest.approx(users)
    busy = q.utilisation_fraction(found.throughput_per_s, service, servers)
    assert found.utilisation_fraction == pytest.approx(busy)
    within(found.throughput_per_s, found.response_s, users, (service, service / servers, think))


def within(throughput: float, response: float, users: float, of: tuple[float, float, float]) -> None:
    """Between the bounds of total demand, the bottleneck's and the think time [lazowska-1984]."""
    total, bottleneck, think = of
    bounds, slack = Bounds({"bottleneck": bottleneck}, total, think, False), 1 + 1e-9
    assert users / (users * total + think) / slack <= throughput <= bounds.most_per_s(users) * slack
    assert bounds.least_response_s(users) / slack <= response <= users * total * slack


stations = st.lists(st.tuples(st.floats(0.01, 10), st.integers(1, 4)), min_size=1, max_size=3)


@given(st.integers(1, 6), stations, st.floats(0, 20))
def test_mean_values_are_those_of_the_product_form(users: int, stations: list[tuple[float, int]], think: float) -> None:
    """Against the sum over every state, which takes no recursion."""
    weight_sum, inside = 0.0, np.zeros(len(stations))
    for state in product(range(users + 1), repeat=len(stations)):
        thinking = users - sum(state)
        if thinking < 0:
            continue
        weight = think**thinking / math.factorial(thinking)
        for count, (demand, servers) in zip(state, stations, strict=True):
            weight *= demand**count / math.prod(min(k, servers) for k in range(1, count + 1))
        weight_sum += weight
        inside += weight * np.array(state)
    demands, counts = zip(*stations, strict=True)
    found = q.mean_values(users, demands, think, counts)
    assert found.in_station == pytest.approx(tuple(inside / weight_sum), rel=1e-9, abs=1e-12)
    total, bottleneck = sum(demands), max(demand / servers for demand, servers in stations)
    assert q.in_system(found.throughput_per_s, found.response_s + think) == pytest.approx(users)
    within(found.throughput_per_s, found.response_s, users, (total, bottleneck, think))


def test_many_busy_servers_lose_no_digits() -> None:
    """Where the load-dependent recursion ends in negative chances: sixteen and thirty-two busy servers, many users."""
    found = q.mean_values(150, [1.6, 3.2, 0.05], 1.0, [16, 32, 1])
    assert found.throughput_per_s == pytest.approx(10.0, rel=1e-2)
    assert sum(found.in_station) + found.throughput_per_s * 1.0 == pytest.approx(150, rel=1e-12)
    assert min(found.in_station) > 0.5
    swapped = q.mean_values(150, [0.05, 3.2, 1.6], 1.0, [1, 32, 16])
    assert swapped.in_station == pytest.approx(found.in_station[::-1], rel=1e-12)


def test_bounds_meet_where_users_saturate() -> None:
    bounds = Bounds({"disk": 1.0}, 3.0, 12.0, False)
    assert bounds.saturation_users == 15
    assert (bounds.most_per_s(15), bounds.least_response_s(15)) == pytest.approx((1.0, 3.0))


# Monotonic


@given(loads, st.floats(0.001, 0.5), times, variations)
def test_more_load_waits_longer(load: float, step: float, service: float, variation: float) -> None:
    higher = load + step * (1 - load)
    for wait in OPEN.values():
        assert wait(load / service, service) < wait(higher / service, service)
    assert q.mg1_wait_s(load, 1, variation) < q.mg1_wait_s(load, 1, variation + step)


@given(loads, st.integers(1, 50))
def test_more_servers_of_the_same_load_wait_less(load: float, servers: int) -> None:
    fewer, more = (mmc_wait_s(load * count, 1.0, count) for count in (servers, servers + 1))
    assert more < fewer
    assert 0 < mmc_waiting_fraction(load * servers, 1.0, servers) < 1


@given(st.integers(1, 100), st.floats(0, 100), times, st.integers(1, 8))
def test_more_users_finish_more_and_wait_longer(users: int, think: float, service: float, servers: int) -> None:
    few, many = (q.machine_repair(count, think, service, servers) for count in (users, users + 1))
    assert many.throughput_per_s >= few.throughput_per_s * (1 - 1e-12)
    assert many.response_s >= few.response_s * (1 - 1e-12)


# Arrays, and full load


@given(st.lists(st.tuples(loads, times), min_size=1, max_size=5))
def test_open_arrays_equal_numbers(pairs: list[tuple[float, float]]) -> None:
    load, service = (np.array(column) for column in zip(*pairs, strict=True))
    for wait in OPEN.values():
        each = [wait(one / time, time) for one, time in zip(load, service, strict=True)]
        assert wait(load / service, service) == pytest.approx(each)


@given(st.lists(st.tuples(loads, st.integers(1, 40)), min_size=1, max_size=5))
def test_erlang_c_takes_servers_in_arrays(pairs: list[tuple[float, int]]) -> None:
    load, servers = (np.array(column) for column in zip(*pairs, strict=True))
    each = [mmc_waiting_fraction(one * count, 1.0, count) for one, count in pairs]
    assert mmc_waiting_fraction(load * servers, 1.0, servers) == pytest.approx(each)


closed = st.tuples(st.integers(1, 40), st.floats(0, 50), times, st.integers(1, 10))


@given(st.lists(closed, min_size=1, max_size=5))
def test_closed_arrays_equal_numbers(cases: list[tuple[int, float, float, int]]) -> None:
    found = q.machine_repair(*(np.array(column) for column in zip(*cases, strict=True)))
    for index, case in enumerate(cases):
        assert [field[index] for field in found] == pytest.approx(list(q.machine_repair(*case)))


def test_mean_values_of_arrays_equal_numbers() -> None:
    think, demand = np.array([0.0, 1.0, 30.0]), np.array([0.5, 2.0, 1.0])
    found = q.mean_values(12, [demand, 1.0, 3.0], think, [1, 2, 4])
    for index in range(3):
        alone = q.mean_values(12, [demand[index], 1.0, 3.0], think[index], [1, 2, 4])
        assert found.throughput_per_s[index] == pytest.approx(alone.throughput_per_s)
        assert [inside[index] for inside in found.in_station] == pytest.approx(alone.in_station)


@pytest.mark.parametrize("name", sorted(OPEN))
@pytest.mark.parametrize("load", [1.0, 1.7])
def test_full_load_is_refused_and_is_infinite_in_an_array(name: str, load: float) -> None:
    with pytest.raises(OutsideLaw, match=f"a load of {load:g} has no steady state"):
        OPEN[name](load, 1.0)
    below, full = OPEN[name](np.array([0.5, load]), 1.0)
    assert below == pytest.approx(OPEN[name](0.5, 1.0))
    assert full == math.inf


def test_at_full_load_everybody_waits() -> None:
    assert list(mmc_waiting_fraction(np.array([4.0, 9.0]), 1.0, 4)) == [1.0, 1.0]
    with pytest.raises(OutsideLaw, match="a load of 1 has no steady state"):
        mmc_waiting_fraction(4.0, 1.0, 4)


def test_no_load_waits_for_nothing() -> None:
    for wait in OPEN.values():
        assert wait(0.0, 1.0) == 0
