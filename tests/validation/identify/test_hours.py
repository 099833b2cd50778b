"""Two intervals of one system: users who pause or arrivals; files that contradict each other."""

import pytest

from blocktime.validation.identify.hours import TransactionArrivals, arrivals_of, checked
from blocktime.validation.identify.identified_scenario import RefusedReport
from blocktime.validation.identify.report import Report
from blocktime.validation.instruments import Reading
from blocktime.validation.instruments.figures import ReportedHost
from tests.validation.instruments.made import report_of


def interval(
    name: str, per_s: float, took_s: float, sessions: float = 0.0, gets: float = 50.0, begins: str = "1"
) -> Reading:
    """100 s in which so many transactions a second ended, each after *took_s* of DB time."""
    said = [
        ("report", "Elapsed", 100.0),
        ("Load Profile: Transactions", "Per Second", per_s),
        ("Load Profile: Logical read", "Per Second", gets * per_s),
        ("Time Model: DB time", "Time (s)", 100 * per_s * took_s),
        *(("instance", f"{what} sessions", sessions) for what in ("Begin", "End") if sessions),
    ]
    return report_of(*said, line=7, file=name, begins=begins, ends=begins, host=ReportedHost(cpus=8))


def told(first: Reading, second: Reading) -> TransactionArrivals | str | None:
    return arrivals_of(Report(first), [first, second])


def test_one_interval_tells_nothing() -> None:
    first = interval("a", 100, 0.1)
    assert arrivals_of(Report(first), [first]) is None


def test_the_same_users_do_fewer_transactions_that_take_longer() -> None:
    # 40 users who pause for 0.3 s: 100 a second of 0.1 s, 80 a second of 0.2 s
    found = told(interval("a", 100, 0.1), interval("b", 80, 0.2, begins="2"))
    assert isinstance(found, TransactionArrivals)
    assert found.users == pytest.approx(40)
    assert found.think_s == pytest.approx(0.3)
    assert "the same 40 users who pause for 300 ms do both" in found.says


def test_more_users_who_pause_alike_are_told_by_the_sessions() -> None:
    # 40 and 70 users who pause for 0.3 s, beside 20 sessions of the instance
    found = told(interval("a", 100, 0.1, 60), interval("b", 140, 0.2, 90, begins="2"))
    assert isinstance(found, TransactionArrivals)
    assert found.users == pytest.approx(40)
    assert found.think_s == pytest.approx(0.3)


@pytest.mark.parametrize(("per_s", "took_s"), [(101, 0.2), (140, 0.11)])
def test_arrivals_come_however_long_they_take(per_s: float, took_s: float) -> None:
    found = told(interval("a", 100, 0.1, 60), interval("b", per_s, took_s, 60, begins="2"))
    assert isinstance(found, TransactionArrivals)
    assert found.rate_per_s == 100


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (interval("b", 80, 0.2, gets=80, begins="2"), "this is other work"),
        (interval("b", 101, 0.101, begins="2"), "the load is the same"),
        (interval("b", 140, 0.2, begins="2"), "without the sessions that were logged on"),
        (interval("b", 140, 0.2, 61, begins="2"), "they are arrivals"),
        (interval("b", 0, 0.2, begins="2"), "one of them has no load profile"),
    ],
)
def test_what_two_intervals_do_not_tell_is_said(other: Reading, says: str) -> None:
    found = told(interval("a", 100, 0.1, 60), other)
    assert says in (found.says if isinstance(found, TransactionArrivals) else str(found))


def test_files_of_one_hour_that_contradict_each_other_are_told_with_both_lines() -> None:
    first, second = interval("a", 100, 0.1), interval("b", 120, 0.1)
    said = checked(Report(first), [first, second])
    assert any(
        "Transactions a second is 100 in a, line 7, and 120 in b, line 7; the first is used" in text for text in said
    )
    assert arrivals_of(Report(first), [first, second]) is None
    assert checked(Report(first), [first, interval("b", 100, 0.1)]) == []


def test_two_machines_and_two_hours_are_refused() -> None:
    first = interval("a", 100, 0.1, begins="10-Feb-20 11:21:15")
    disk = Reading("iostat", "", "i", "", begins="02/10/2020 09:13:00 AM", ends="02/10/2020 09:24:00 AM")
    with pytest.raises(RefusedReport, match="i is of 02/10/2020 09:13:00 AM to"):
        checked(Report(first), [first, disk])
    disk.host = ReportedHost(cpus=2)
    with pytest.raises(RefusedReport, match="two machines: a has 8 CPUs, i has 2"):
        checked(Report(first), [first, disk])
