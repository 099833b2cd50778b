"""The text of an answer: TKPROF's columns to the letter, iostat's names, no line too wide, no colour when piped."""

from __future__ import annotations

import pytest
from click import unstyle

from app.text import (
    answer,
    compare_lines,
    device_lines,
    difference_line,
    profile,
    profile_lines,
    run_lines,
    tkprof_lines,
)
from model.results import Call, EventTime, RunResult
from scenarios import library, load, run

# Lines of document 000 as TKPROF printed them, blanks included.
PRINTED = """\
call     count       cpu    elapsed       disk      query    current        rows
------- ------  -------- ---------- ---------- ---------- ----------  ----------
Parse        1      0.00       0.00          0          0          0           0
Execute      1      0.00       0.00          0          0          0           0
Fetch    71978     25.39      26.42     493333     560355          0     7197670
------- ------  -------- ---------- ---------- ---------- ----------  ----------
total    71980     25.39      26.42     493333     560355          0     7197670

Elapsed times include waiting on following events:
  Event waited on                             Times   Max. Wait  Total Waited
  ----------------------------------------   Waited  ----------  ------------
  SQL*Net message to client                   71980        0.00          0.16
  SQL*Net message from client                 71980        0.00         93.20
  db file sequential read                         3        0.00          0.01
  direct path read                             1097        0.04          0.13
  SQL*Net more data to client                 71976        0.00          1.88
"""


@pytest.fixture(scope="module")
def scan() -> RunResult:
    return run(load("rahn-full-scan"), "calculate")


def test_tkprof_is_printed_as_tkprof_prints(scan: RunResult) -> None:
    none = Call(count=1, cpu_s=0, elapsed_s=0, disk=0, query=0, current=0, rows=0)
    fetch = Call(
        count=71978, cpu_s=25.39, elapsed_s=26.42, disk=493333, query=560355, current=0, rows=7197670
    )
    waits = {
        "SQL*Net message to client": EventTime(waits=71980, max_s=0, total_s=0.16),
        "SQL*Net message from client": EventTime(waits=71980, max_s=0, total_s=93.20),
        "db file sequential read": EventTime(waits=3, max_s=0, total_s=0.01),
        "direct path read": EventTime(waits=1097, max_s=0.04, total_s=0.13),
        "SQL*Net more data to client": EventTime(waits=71976, max_s=0, total_s=1.88),
    }
    printed = scan.model_copy(
        update={
            "calls": {"parse": none, "execute": none, "fetch": fetch},
            "time": scan.time.model_copy(update={"wait": waits}),
        }
    )
    heading, *lines = tkprof_lines(printed)
    assert unstyle(heading) == "TKPROF"
    assert "\n".join(lines) + "\n" == PRINTED


def test_the_profile_is_sorted_and_sums_to_the_elapsed_time(scan: RunResult) -> None:
    rows = profile(scan)
    assert [row.seconds for row in rows] == sorted((row.seconds for row in rows), reverse=True)
    assert sum(row.seconds for row in rows) == pytest.approx(scan.time.elapsed_s)
    assert sum(row.fraction for row in rows) == pytest.approx(1)
    each = {row.name: row for row in rows}["CPU: buffer gets"]
    assert each.count == scan.logical_io.consistent_gets
    assert each.each_s == pytest.approx(scan.time.cpu["buffer gets"] / scan.logical_io.consistent_gets)


def test_the_answer_is_one_sentence_with_the_largest_part_first(scan: RunResult) -> None:
    text = answer(scan)
    assert text.startswith("It takes 125.")
    assert text.index("waiting for the client") < text.index("CPU")
    assert text.endswith(").")


@pytest.mark.parametrize("name", library())
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    scenario = load(name)
    for line in map(unstyle, run_lines(run(scenario, "calculate"), scenario.title, width=width)):
        assert len(line) <= width, line
        assert line == line.rstrip(), line


@pytest.mark.parametrize("width", [80, 120, 160])
def test_a_comparison_fits_too(width: int) -> None:
    asked = [load(name) for name in ("rahn-full-scan", "full-scan-nvme", "index-range-scan-scattered")]
    lines = compare_lines([run(one, "calculate") for one in asked], [one.title for one in asked], width=width)
    for line in map(unstyle, lines):
        assert len(line) <= width, line
        assert line == line.rstrip(), line


def test_bars_may_be_plain_letters(scan: RunResult) -> None:
    text = "\n".join(profile_lines(scan, 100, "#"))
    assert "█" not in text
    assert "##" in text


def test_the_device_speaks_as_iostat(scan: RunResult) -> None:
    _, heading, values = device_lines(scan, 80)
    names, numbers = heading.split()[1:], values.split()[1:]
    shown = dict(zip(names, map(float, numbers), strict=True))
    device = scan.device["disk"]
    assert shown["avgrq-sz"] == pytest.approx(device.average_request_bytes / 512, abs=0.01)
    assert shown["await"] == pytest.approx(1000 * device.await_s, abs=0.01)
    assert shown["%util"] == pytest.approx(100 * device.utilisation_fraction, abs=0.01)
    assert shown["rkB/s"] == pytest.approx(device.read_bytes_per_s / 1024, abs=0.01)
    _, wide, _ = device_lines(scan, 120)
    expected = ["Device:", "rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "avgrq-sz", "avgqu-sz"]
    assert wide.split() == [*expected, "await", "svctm", "%util"]


def test_a_comparison_says_the_difference_in_time_and_percent(scan: RunResult) -> None:
    slower = run(load("rahn-full-scan", ["workload.arraysize_rows=1"]), "calculate")
    assert "times as long" in difference_line(scan, slower)
    assert " less, -" in difference_line(slower, scan)
    assert difference_line(scan, scan).startswith("B takes as long as A")
    text = unstyle("\n".join(compare_lines([scan, slower], ["one", "two"])))
    assert "B-A" in text
    assert "Why\n- round trips to the client rose from 71,980 to 7,197,673" in text
