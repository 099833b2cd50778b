"""Reports that are declined by name: one sentence each, and what to do instead."""

from pathlib import Path

import pytest

from blocktime.validation.identify.identified_scenario import RefusedReport
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.unsupported_reports import check
from blocktime.validation.instruments.figures import ReportedHost
from tests.command_line import CommandLine
from tests.validation.instruments import made


def report(event: str, seconds: float, **host: bool) -> Report:
    """100 s of DB time, of which sessions wait so long for an event."""
    db_time = ("Time Model: DB time", "Time (s)", 100.0)
    return Report(made.report_of(db_time, *made.waited(event, 50, seconds), host=ReportedHost(**host)))


@pytest.mark.parametrize(
    ("event", "seconds", "words"),
    [
        ("cell single block physical read", 1.0, "Exadata"),
        ("gc cr block 2-way", 11.0, "RAC global cache"),
        ("enq: TX - row lock contention", 11.0, "locks of other transactions"),
    ],
)
def test_what_the_model_does_not_know_is_declined_by_name(event: str, seconds: float, words: str) -> None:
    with pytest.raises(RefusedReport, match=words) as found:
        check(report(event, seconds))
    assert "give a report" in str(found.value) or "describe the target" in str(found.value)


@pytest.mark.parametrize(
    ("event", "seconds"),
    [
        ("gc cr block 2-way", 9.0),
        ("gc cr grant 2-way", 40.0),  # a message before a read of the disk: a stated wait
        ("enq: TX - row lock contention", 9.0),
        ("enq: HW - contention", 40.0),
    ],
)
def test_a_tenth_and_what_comes_before_reads_are_carried(event: str, seconds: float) -> None:
    check(report(event, seconds))


def test_a_report_without_wait_events_makes_no_system(tmp_path: Path, blocktime: CommandLine) -> None:
    path, out = tmp_path / "hour.txt", tmp_path / "my.toml"
    path.write_text(made.AWR.partition("Foreground Wait Events")[0])
    told = " ".join(blocktime.prints("measure", str(path), "--out", str(out)).split())
    assert "missing wait events" in told
    assert "hour.txt: the report has no foreground wait events" in told
    assert "give the whole report" in told


def test_a_standby_is_declined_in_one_sentence(tmp_path: Path, blocktime: CommandLine) -> None:
    path, out = tmp_path / "hour.txt", tmp_path / "my.toml"
    path.write_text(made.AWR.replace("PRIMARY         ", "PHYSICAL STANDBY", 1))
    said = blocktime.refuses("measure", str(path), "--out", str(out))
    assert "hour.txt: is of a standby database" in said
    assert "give a report of the primary" in said
    assert not out.exists()
