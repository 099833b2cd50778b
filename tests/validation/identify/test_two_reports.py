"""What changed from one report to another of the same system, by cause."""

from pathlib import Path

import pytest

from blocktime.app.reports.written import written
from blocktime.app.text.measured_text import change_lines, change_sentence
from blocktime.scenarios import load, run
from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.two_reports import change_of
from blocktime.validation.instruments import Reading
from tests.answered import SMALL_OLTP
from tests.command_line import CommandLine
from tests.validation.instruments.made import report_of, waited


def report(name: str, *, gets: float = 50, reads: float = 4, read_s: float = 1e-3, sync_s: float = 1e-3,
           cpu_s: float = 2e-3, latch_s: float = 0.0, per_s: float = 100) -> Reading:  # fmt: skip
    """1,000 s of a system."""
    count = 1000 * per_s
    took_s = cpu_s + reads * read_s + sync_s + latch_s + 1e-3
    said = [
        ("report", "Elapsed", 1000.0),
        ("Load Profile: Transactions", "Per Second", per_s),
        ("Load Profile: Logical read", "Per Second", gets * per_s),
        ("Time Model: DB time", "Time (s)", count * took_s),
        ("Time Model: DB CPU", "Time (s)", count * cpu_s),
        *waited("db file sequential read", reads * count, reads * count * read_s),
        *waited("log file sync", count, count * sync_s),
        *(waited("latch free", count / 10, count * latch_s) if latch_s else []),
    ]
    return report_of(*said, file=name)


@pytest.mark.parametrize(
    ("bad", "cause", "seconds"),
    [
        ({"read_s": 4e-3}, "disk: how long", 12e-3),
        ({"reads": 9}, "reads: how many", 5e-3),
        ({"sync_s": 7e-3}, "commits: how long", 6e-3),
        ({"gets": 150, "cpu_s": 6e-3}, "work of a transaction", 4e-3),
        ({"cpu_s": 5e-3}, "CPU of a logical read", 3e-3),
        ({"latch_s": 8e-3}, "latch free", 8e-3),
    ],
)
def test_each_cause_is_found_and_its_time_told(bad: dict[str, float], cause: str, seconds: float) -> None:
    change = change_of(Report(report("good.txt")), Report(report("bad.txt", per_s=130, **bad)))
    assert change.causes[0].name == cause
    assert change.causes[0].seconds == pytest.approx(seconds)
    assert sum(c.seconds for c in change.causes) == pytest.approx(change.response_s[1] - change.response_s[0])
    assert f"most of it is {cause}" in change_sentence(change)
    assert "130 transactions a second instead of 100" in "\n".join(change_lines(change, 100))
    back = change_of(Report(report("bad.txt", **bad)), Report(report("good.txt")))
    assert sum(c.seconds for c in back.causes) == pytest.approx(-sum(c.seconds for c in change.causes))


def test_the_command_tells_the_cause_and_refuses_what_is_no_pair(tmp_path: Path, blocktime: CommandLine) -> None:
    for name, users in (("good", 3), ("bad", 30)):
        scenario = load(
            "oltp-nvme", [*SMALL_OLTP, "disk.use=azure-p30", f"workload.users={users}", "workload.transactions=400"]
        )
        (tmp_path / f"{name}.txt").write_text(written(run(scenario), "awr", scenario))
    good, bad = (str(tmp_path / f"{name}.txt") for name in ("good", "bad"))
    assert "most of it is disk: how long" in " ".join(blocktime.prints("measure", good, "--against", bad).split())
    assert '"response_s"' in blocktime.prints("measure", good, "--against", bad, "--json")
    assert "got 2 files" in blocktime.refuses("measure", good, bad, "--against", bad)
    with pytest.raises(NotIdentified, match="has no load profile"):
        change_of(Report(report_of(("report", "Elapsed", 9.0), file="x")), Report(report("b")))
