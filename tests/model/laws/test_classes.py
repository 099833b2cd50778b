"""Mean values of several classes: exact where products hold, and Little's law and utilisation for every class."""

from __future__ import annotations

from itertools import product

import pytest

from blocktime.model.laws.classes import Station, Visits, last_of, mean_values_of_classes
from blocktime.model.laws.queueing import mean_values
from tests.model.laws.mva import two_classes


def test_two_classes_of_one_user_at_one_server_by_hand() -> None:
    # Alone: R = 1 s each. Together, who arrives finds the other there for X·R of its time: 1/(3 + 1) and 1/(1 + 1).
    # R_a = 1·(1 + 1/2) = 1.5, X_a = 1/(3 + 1.5); R_b = 1·(1 + 1/4) = 1.25, X_b = 1/(1 + 1.25).
    first, second = mean_values_of_classes(
        [1, 1], [3.0, 1.0], [[Visits(1, 1.0)], [Visits(1, 1.0)]], [Station()]
    )
    assert first.wait_s[0] == pytest.approx(0.5)
    assert second.wait_s[0] == pytest.approx(0.25)
    assert first.cycles_per_s == pytest.approx(1 / 4.5)
    assert second.cycles_per_s == pytest.approx(1 / 2.25)
    assert first.load[0] + second.load[0] == pytest.approx(2 / 3)


def test_two_classes_at_two_stations_by_hand() -> None:
    # Demands 1 and 2 s of the first class, 3 and 1 s of the second, one user each, no pauses.
    # Alone: X_a = 1/3, there 1/3 and 2/3 of its time; X_b = 1/4, there 3/4 and 1/4.
    # Every visit takes 1 s, so a: R = 1·(1 + 3/4) + 2·(1 + 1/4), and b: R = 3·(1 + 1/3) + 1·(1 + 2/3).
    visits = [[Visits(1, 1.0), Visits(2, 1.0)], [Visits(3, 1.0), Visits(1, 1.0)]]
    first, second = mean_values_of_classes([1, 1], [0.0, 0.0], visits, [Station(), Station()])
    assert 1 / first.cycles_per_s == pytest.approx(1.75 + 2.5)
    assert 1 / second.cycles_per_s == pytest.approx(3 * (1 + 1 / 3) + 1 * (1 + 2 / 3))


@pytest.mark.parametrize(("users", "others"), [(1, 1), (3, 5), (8, 8)])
def test_small_classes_are_exact(users: int, others: int) -> None:
    found = mean_values_of_classes(
        [users, others], [0.05, 0.2], [[Visits(1, 0.01)], [Visits(1, 0.01)]], [Station()]
    )
    wanted = two_classes((users, 0.05), (others, 0.2), service_s=0.01)
    assert [0.01 + one.wait_s[0] for one in found] == pytest.approx(wanted)


def test_many_users_are_approximated_to_within_a_twelfth() -> None:
    found = mean_values_of_classes([30, 20], [0.4, 0.2], [[Visits(1, 0.01)], [Visits(1, 0.01)]], [Station()])
    wanted = two_classes((30, 0.4), (20, 0.2), service_s=0.01)
    assert [0.01 + one.wait_s[0] for one in found] == pytest.approx(wanted, rel=1 / 12)


def test_one_class_is_the_network_of_one_class() -> None:
    (found,) = mean_values_of_classes(
        [12], [0.3], [[Visits(2, 0.01), Visits(1, 0.03)]], [Station(), Station()]
    )
    wanted = mean_values(12, [0.02, 0.03], 0.3)
    assert found.cycles_per_s == pytest.approx(wanted.throughput_per_s)
    assert found.in_station == pytest.approx(wanted.in_station)


@pytest.mark.parametrize(("users", "servers"), list(product(([2, 3], [40, 25], [1, 200]), (1, 4))))
def test_littles_law_and_utilisation_hold_for_every_class(users: list[int], servers: int) -> None:
    rest_s = [0.1, 0.3]
    visits = [
        [Visits(3, 0.01), Visits(2, 0.004)],
        [Visits(1, 0.02, at_once=min(2, servers)), Visits(5, 0.002)],
    ]
    stations = [Station(servers), Station(4, takes_any=True)]
    for number, rest, asks, one in zip(
        users, rest_s, visits, mean_values_of_classes(users, rest_s, visits, stations), strict=True
    ):
        elsewhere = one.cycles_per_s * rest
        inside = 0.0
        for each, wait_s, load, there, station in zip(
            asks, one.wait_s, one.load, one.in_station, stations, strict=True
        ):
            arrives = one.cycles_per_s * each.times
            assert there == pytest.approx(arrives * each.at_once * (each.service_s + wait_s), rel=1e-6)
            assert load == pytest.approx(arrives * each.at_once * each.service_s / station.servers, rel=1e-6)
            inside += arrives * (each.service_s + wait_s * last_of(each.at_once))
        assert elsewhere + inside == pytest.approx(number, rel=1e-6)


def test_no_station_does_more_than_it_can() -> None:
    found = mean_values_of_classes(
        [500, 300], [0.0, 0.0], [[Visits(1, 0.01)], [Visits(1, 0.02)]], [Station()]
    )
    assert sum(one.load[0] for one in found) <= 1 + 1e-6


def test_a_user_waits_only_where_all_processors_are_taken() -> None:
    found = mean_values_of_classes(
        [1, 3], [0.0, 0.0], [[Visits(1, 1.0)], [Visits(1, 0.1)]], [Station(4, takes_any=True)]
    )
    assert [one.wait_s[0] for one in found] == pytest.approx([0.0, 0.0], abs=1e-9)
