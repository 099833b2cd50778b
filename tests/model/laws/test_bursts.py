"""Bursts of writes and the turning log against both played out one by one."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from blocktime.model.laws.bursts import (
    burst_requests,
    found_ahead,
    found_behind,
    found_in_sweep,
    left_fraction,
    met_fraction,
)
from blocktime.model.laws.commit import turning_log, until_turn_s

TURN_S = 0.01


@pytest.mark.parametrize("times", [0.01, 0.5, 2.0, 50.0])
def test_who_comes_back_by_chance_meets_this_share_of_a_burst(times: float) -> None:
    away = np.random.default_rng(1).exponential(1 / times, 400_000)
    assert met_fraction(1.0, 1 / times) == pytest.approx(np.maximum(0, 1 - away).mean(), rel=0.02, abs=1e-3)


def test_who_comes_at_once_meets_all_of_it_and_who_is_long_away_half() -> None:
    assert met_fraction(1.0, 0.0) == pytest.approx(1)
    assert 1e6 * met_fraction(1.0, 1e6) == pytest.approx(0.5, rel=1e-3)
    assert met_fraction(0.0, 1.0) == 0


@pytest.mark.parametrize(("requests", "depth"), [(10, inf), (64, 32), (5, 8)])
def test_an_arrival_has_half_of_a_burst_before_it_or_what_it_may_not_pass(
    requests: int, depth: float
) -> None:
    left = np.random.default_rng(2).uniform(0, requests, 200_000)
    assert found_ahead(requests, depth) == pytest.approx(np.minimum(left, depth).mean(), rel=0.01)


def test_an_arrival_in_a_sweep_has_a_third_of_a_burst_before_it() -> None:
    draws = np.random.default_rng(4)
    left, place = draws.uniform(0, 1, 200_000), draws.uniform(0, 1, 200_000)
    at = 1 - left
    ahead = np.where(place > at, place - at, left)
    assert found_in_sweep(60) == pytest.approx(60 * ahead.mean(), rel=0.01)


def test_bursts_grow_with_what_comes_meanwhile_up_to_the_most() -> None:
    assert burst_requests(0, 0, 64) == 1
    assert burst_requests(20, 0.3, 64) == pytest.approx((21 + 0.3 / 0.7) / 1.3)
    assert burst_requests(500, 0.3, 64) == 64
    assert burst_requests(1, 1.0, 64) == 64


@pytest.mark.parametrize("coming", [0.05, 0.5, 1.0, 3.0])
def test_a_turning_log_is_as_busy_as_one_that_takes_commit_after_commit(coming: float) -> None:
    arrivals = np.cumsum(np.random.default_rng(3).exponential(TURN_S / coming, 60_000))
    done, at, writes, found = 0.0, 0, 0, 0
    while at < len(arrivals):
        begin = max(done, float(arrivals[at]))
        done = (np.floor(begin / TURN_S + 1e-9) + 1) * TURN_S
        writes += 1
        while at < len(arrivals) and arrivals[at] <= begin:
            at += 1
        until = int(np.searchsorted(arrivals, done))
        found += until - at
    law = turning_log(coming / TURN_S, TURN_S)
    assert law.writes_per_s == pytest.approx(writes / done, rel=0.02)
    assert law.busy_fraction == pytest.approx(found / len(arrivals), rel=0.03, abs=2e-3)


@pytest.mark.parametrize(("fixed", "by_chance"), [(0.002, 0.0), (0.002, 0.001), (0.013, 0.02), (0.0, 5.0)])
def test_the_place_of_the_log_comes_by_after_this(fixed: float, by_chance: float) -> None:
    since = (
        fixed + np.random.default_rng(4).exponential(by_chance, 400_000) if by_chance else np.array([fixed])
    )
    waited = (np.floor(since / TURN_S) + 1) * TURN_S - since
    assert until_turn_s(fixed, by_chance, TURN_S) == pytest.approx(waited.mean(), rel=0.01)
    assert until_turn_s(fixed, inf, TURN_S) == TURN_S / 2


def test_who_comes_back_at_once_finds_all_of_the_service_of_another() -> None:
    """Many short visits are turns of a shared processor, a single one comes by chance, and so do visits far apart."""
    by_chance = (1 + 0.2) / 2
    assert left_fraction(0.2, 0.01, 0.0, 1e9) == pytest.approx(1, rel=1e-6)
    assert left_fraction(0.2, 0.01, 0.0, 1) == pytest.approx(by_chance)
    assert left_fraction(0.2, 0.01, 1e6, 100) == pytest.approx(by_chance, rel=1e-6)
    assert left_fraction(1.0, 0.01, 0.003, 7) == pytest.approx(1), (
        "of exponential times as much is left at any time"
    )


def test_arrivals_by_chance_find_those_behind_a_burst_that_are_there_on_average() -> None:
    # λ = 2,000 a second, bursts of 10 ms a tenth of the time: 20 come while one lasts, and are there for half of it
    found = found_behind(inf, 2000, 0.010, 0.1)
    assert found == pytest.approx(0.1 * 19 / 2)


def test_users_who_all_wait_find_half_of_each_other_once_a_burst() -> None:
    # 8 users, one burst a second of 100 ms: 8 of 1,000 reads find 3.5
    assert found_behind(8, 1000, 0.1, 0.1) == pytest.approx(8 / 1000 * 3.5)
    assert found_behind(1, 1000, 0.1, 0.1) == 0
