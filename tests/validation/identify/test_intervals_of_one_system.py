"""Several reports of one system: users, think time and the limit of its disk, in any order."""

from itertools import permutations
from pathlib import Path

import pytest

from blocktime.app.reports.written import written
from blocktime.app.text.measured_text import hour_lines
from blocktime.scenarios import load, run
from blocktime.validation.identify.intervals import busiest, hours_of, thinking_users
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import Reading
from blocktime.validation.instruments.figures import ReportedHost
from tests.validation.instruments.made import read_text, report_of


def interval(name: str, users: int, took_s: float, think_s: float = 0.4, beside: float = 0.0) -> Reading:
    """100 s of so many users who pause, whose transactions take *took_s*, beside sessions at no work."""
    per_s = users / (took_s + think_s)
    said = [
        ("report", "Elapsed", 100.0),
        ("Load Profile: Transactions", "Per Second", per_s),
        ("Load Profile: Logical read", "Per Second", 60 * per_s),
        ("Time Model: DB time", "Time (s)", 100 * per_s * took_s),
        *(("instance", f"{what} sessions", users + beside) for what in ("Begin", "End")),
    ]
    return report_of(*said, line=3, file=name, begins=name, ends=name, host=ReportedHost(cpus=8))


HOURS = [interval("b", 10, 0.05, beside=14), interval("c", 40, 0.2, beside=14), interval("a", 25, 0.09, beside=14)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_users_and_think_time_follow_from_all_intervals_in_any_order(order: tuple[int, ...]) -> None:
    readings = [HOURS[place] for place in order]
    base = busiest([Report(reading) for reading in readings])
    assert base.reading.file == "c"
    hours = hours_of(base, readings)
    assert [hour.report.reading.file for hour in hours] == sorted(
        "abc", key=lambda name: next(h.per_s for h in hours if h.report.reading.file == name)
    )
    thinking = thinking_users(hours)
    assert thinking is not None
    assert thinking.think_s == pytest.approx(0.4)
    assert sorted(thinking.users) == pytest.approx([10, 25, 40])


def test_the_same_users_need_no_sessions() -> None:
    readings = [interval(name, 30, took_s, beside=0) for name, took_s in (("a", 0.1), ("b", 0.3), ("c", 0.2))]
    for reading in readings:
        reading.figures = [figure for figure in reading.figures if figure.of != "instance"]
    thinking = thinking_users(hours_of(busiest([Report(reading) for reading in readings]), readings))
    assert thinking is not None
    assert thinking.think_s == pytest.approx(0.4)
    assert thinking.users == pytest.approx((30, 30, 30))


def test_intervals_of_other_work_and_contradicting_sessions_tell_no_users() -> None:
    other = interval("d", 50, 0.1)
    other.figures = [
        figure
        if "Logical" not in figure.of
        else figure.__class__(figure.name, figure.of, 3 * figure.value, "s", 3 * figure.value, 3 * figure.value, 3)
        for figure in other.figures
    ]
    base = Report(HOURS[1])
    assert "d" not in {hour.report.reading.file for hour in hours_of(base, [*HOURS, other])}
    odd = [interval("a", 10, 0.05, 0.4), interval("b", 20, 0.06, 2.0), interval("c", 40, 0.07, 0.1)]
    assert thinking_users(hours_of(busiest([Report(reading) for reading in odd]), odd)) is None


def test_reports_of_one_system_find_the_limit_of_its_disk(tmp_path: Path) -> None:
    texts, users = {}, (5, 18, 45)
    for count in users:
        cache, disk = ("workload.data_bytes=16G", "instance.buffer_cache_bytes=256M"), "disk.iops_limit=4200"
        load_of = (f"workload.users={count}", "workload.think_s=0.08")
        scenario = load("oltp-nvme", [*cache, "disk.use=azure-p30", disk, *load_of])
        texts[count] = written(run(scenario), "awr", scenario)
    readings = [read_text(tmp_path, texts[count], f"hour-{count}.txt")[0] for count in (45, 5, 18)]
    found = identify(readings)
    values = found.values()
    assert values["disk.iops_limit"] == pytest.approx(4200, rel=0.05)
    assert values["workload.users"] == 45
    assert values["workload.think_s"] == pytest.approx(0.08, rel=0.05)
    assert [hour.users for hour in found.hours] == list(users)
    for hour in found.hours:
        assert hour.modelled_per_s == pytest.approx(hour.per_s, rel=0.05)
        assert hour.modelled_response_s == pytest.approx(hour.response_s, rel=0.1)
    table = list(hour_lines(found.hours))
    assert len(table) == 5
    assert all(f"hour-{count}.txt" in "\n".join(table) for count in users)
