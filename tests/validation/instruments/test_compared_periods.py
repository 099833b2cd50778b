"""A report that compares two periods is a pair of reports in one file, as text and as HTML."""

import re
from pathlib import Path

import pytest

from blocktime.validation.identify.report import Report
from blocktime.validation.identify.two_reports import changes_of
from blocktime.validation.instruments import Keep, NotReadable, OpenedFile, Reading, read
from tests.command_line import CommandLine

SPANS = (
    "First DB/Inst: M/m Snaps: 9-10 (Elapsed time: 3600.339 sec  DB time: {} sec),  "
    "Second DB/Inst: M/m Snaps: 19-20 (Elapsed time: 1800.5 sec  DB time: {} sec)"
)
LOAD = (("DB time:", 2.0, 4.0), ("Logical read (blocks):", 40_000.0, 44_000.0), ("Transactions:", 100.0, 100.0))


def text_of(read_s: tuple[float, float] = (3600.0, 5400.0)) -> str:
    """A comparison as awrddrpt.sql writes it to a text file; *read_s* are seconds of reads."""
    event = "------------------------------ ------------- ------------ ------------ ------------ -----------"
    heading = "Event                          Wait Class           Waits      Time(s)     Avg Time    %DB time"

    def row(name: str, waits: str, seconds: float) -> str:
        return f" {name:<30}{'Other':<13}{waits:>12}{seconds:>13,.1f}{'1.00ms':>13}{'9.0':>12}"

    sides = [
        [row("db file sequential read", "3,600,000", each), row("CPU time", "N/A", 2880.0),
         row("-log file sync", "360,000", 720.0)]
        for each in read_s
    ]  # fmt: skip
    return "".join((
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n\n",
        "Snapshot Set Begin Snap Time           End Snap Time             Elapsed Time (min) DB time (min)\n",
        "------------ ------------------------- ------------------------- ------------------ -------------\n",
        "1st          02-Mar-26 10:00:00 (Mon)  02-Mar-26 11:00:00 (Mon)                60.0         120.0\n",
        "2nd          03-Mar-26 10:00:00 (Tue)  03-Mar-26 10:30:00 (Tue)                30.0         120.0\n",
        "                                                       ~~~~~~~ ~~~~~~~~~~~~~~~~~~~~ ~~~~~~~~~~~~~\n",
        "                                                       %Diff:                 50.0%          0.0%\n",
        f"~~~~~~~~~~~~~~~~~~~{'1st Per Sec':>33}{'2nd Per Sec':>21}{'%Diff':>11}\n",
        f"{'':37}---------------      ---------------     ------\n",
        *(f"{name:>30}{first:>22,.1f}{second:>21,.1f}{0.0:>11.1f}\n" for name, first, second in LOAD),
        f"\nTop Timed Events   {SPANS.format(7200.5, 7202.5)}\n\n",
        f"{'1st':>46}{'2nd':>98}\n{'-' * 95}   {'-' * 95}\n",
        f"{heading}   {heading}\n{event}   {event}\n",
        *(f"{first}   {second}\n" for first, second in zip(*sides, strict=True)),
        f"{'':26}{'-' * 60}\n\n",
    ))  # fmt: skip


def html_of() -> str:
    """The same as a page."""
    rows = [("db file sequential read", "3,600,000", "3,600.0", "5,400.0"), ("CPU time", "", "2,880.0", "2,880.0"),
            ("log file sync", "360,000", "720.0", "720.0")]  # fmt: skip

    def row(cells: tuple[object, ...], kind: str = "d") -> str:
        return f"<tr>{''.join(f'<t{kind}>{cell}</t{kind}>' for cell in cells)}</tr>"

    names = ("Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time")
    return (
        "<html><head><title>AWR Compare Period Report</title></head><body><h1>WORKLOAD REPOSITORY COMPARE PERIOD "
        "REPORT</h1>\n<table summary='snapshots'>"
        + row(("Snapshot Set", "Begin Snap Time", "End Snap Time", "Elapsed Time (min)", "DB time (min)"), "h")
        + row(("First (1st)", "02-Mar-26 10:00:00 (Mon)", "02-Mar-26 11:00:00 (Mon)", "60.0", "120.0"))
        + row(("Second (2nd)", "03-Mar-26 10:00:00 (Tue)", "03-Mar-26 10:30:00 (Tue)", "30.0", "120.0"))
        + "</table>\n<table>"
        + row(("", "1st per sec", "2nd per sec", "%Diff"), "h")
        + "\n".join(row((name, first, second, 0.0)) for name, first, second in LOAD)
        + f"</table>\n<p>{SPANS.format(7200.5, 7202.5)}</p><table>"
        + row(("1st", "2nd"), "h")
        + row(names * 2, "h")
        + "\n".join(row((name, "", waits, first, "1.0", "9", name, "", waits, second, "1.0", "9"))
                    for name, waits, first, second in rows)
        + "</table></body></html>\n"
    )  # fmt: skip


def periods(folder: Path, content: str) -> list[Reading]:
    path = folder / "ddr.txt"
    path.write_text(content, encoding="utf-8")
    return read(OpenedFile(path, path.name, Keep()))


@pytest.mark.parametrize("is_html", [False, True])
def test_each_period_is_a_report(tmp_path: Path, is_html: bool) -> None:
    first, second = map(Report, periods(tmp_path, html_of() if is_html else text_of()))
    assert (first.span_s, second.span_s) == (3600.339, 1800.5)
    assert [report.reading.begins for report in (first, second)] == [
        "02-Mar-26 10:00:00 (Mon)",
        "03-Mar-26 10:00:00 (Tue)",
    ]
    for report, seconds, read_s, gets in ((first, 7200.5, 3600.0, 40_000.0), (second, 7202.5, 5400.0, 44_000.0)):
        times = report.time("DB time"), report.time("DB CPU"), report.per_second("Logical read")
        assert [figure.value if figure else None for figure in times] == [seconds, 2880.0, gets]
        assert {event.name: event.total.value for event in report.events()} == {
            "db file sequential read": read_s, "log file sync": 720.0,
        }  # fmt: skip
        assert len({figure.line for figure in report.reading.figures}) > 5 - 2 * is_html


def test_the_change_is_told_by_cause(tmp_path: Path, blocktime: CommandLine) -> None:
    (change,) = changes_of(periods(tmp_path, text_of()))
    more_s = change.response_s[1] - change.response_s[0]
    assert sum(cause.seconds for cause in change.causes) == pytest.approx(more_s)
    printed = " ".join(blocktime.prints("measure", str(tmp_path / "ddr.txt")).split())
    assert re.search(r"A transaction takes 40 ms in the second and 20 ms in the first period of ddr.txt", printed)
    assert "second period, 14 figures" in printed


def test_a_comparison_that_is_cut_off_has_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotReadable, match="no section of this report could be read"):
        periods(tmp_path, text_of()[:60])
    assert not list(changes_of(periods(tmp_path, text_of().partition("Top Timed")[0])))
