"""A statement of the program's own trace or TKPROF report: the scenario that it identifies reproduces it."""

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from blocktime.app.command.cli import main
from blocktime.app.reports.written import written
from blocktime.model.laws.buffer_gets import fetch_calls
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run
from blocktime.scenarios.measured import CLIENT_WAIT, ELAPSED, FETCH_CALLS, GETS, READ_BLOCKS, as_modelled, compared_in
from blocktime.validation.identify.fetches import equal_blocks, habit_of_calls, habit_of_sums
from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.identify.statement import identify_statement
from tests.command_line import CommandLine
from tests.engines import by
from tests.validation.instruments.made import read_text

SCANNED = "TABLE ACCESS FULL T"


def report(result: RunResult, *sources: str) -> str:
    """TKPROF's report of an answer, with *sources* instead of its row sources."""
    fetch = result.calls["fetch"]
    rows = fetch.rows
    steps = [
        f"{rows:10.0f} {' ' * depth}{name} (cr={fetch.query:.0f} pr={fetch.disk:.0f} pw=0 time=1 us)"
        for depth, name in enumerate(sources)
    ]
    heads = ["", "Rows     Row Source Operation", "-------  " + "-" * 51, *steps, ""]
    text = written(result, "tkprof")
    begin, end = text.index("Rows (1st)"), text.index("Elapsed times include")
    return text[:begin] + "\n".join(heads) + "\n" + text[end:]


def made(tmp_path: Path, text: str, *options: str) -> tuple[int, Path]:
    """What the command returns for a report with *text*, and the file it was to write."""
    path, out = tmp_path / "report.txt", tmp_path / "my.toml"
    path.write_text(text)
    return main(["measure", str(path), "--out", str(out), "--quiet", "--statement", "1", *options]), out


def off_of(out: Path) -> dict[str, float]:
    """How far the answer of the scenario in *out* is off each figure that it was made of."""
    compared = compared_in(tomllib.loads(out.read_text()), out.name)
    rows = as_modelled(compared, by("calculate", load(str(out))))
    return {row.measured.name: row.off_fraction for row in rows}


CASES = (
    ("full-scan-nvme", ["workload.select=rows", "table.rows=200000", "table.cached_fraction=1"], (SCANNED,)),
    ("rahn-full-scan", ["table.rows=300000", "instance.serial_direct_read=never"], (SCANNED,)),
)


SCANS = (
    ("index-range-scan", ["table.cached_fraction=1", "index.cached_fraction=1"]),
    ("index-range-scan", ["workload.arraysize_rows=15"]),
    ("index-range-scan-scattered", ["table.cached_fraction=1", "index.cached_fraction=1"]),
)


@pytest.mark.parametrize(("name", "settings"), SCANS)
def test_a_range_scan_gets_what_was_got_of_index_and_table(tmp_path: Path, name: str, settings: list[str]) -> None:
    code, out = made(tmp_path, written(run(load(name, settings)), "tkprof"))
    assert code == 0
    off = off_of(out)
    assert abs(off[GETS]) < 0.005, off
    assert abs(off[FETCH_CALLS]) < 0.005, off


def test_a_range_scan_without_a_table_is_index_only(tmp_path: Path) -> None:
    result = run(load("index-only-scan"))
    code, out = made(tmp_path, written(result, "tkprof"))
    assert code == 0
    assert tomllib.loads(out.read_text())["workload"]["index_only"] is True
    assert abs(off_of(out)[GETS]) < 0.005


@pytest.mark.parametrize(("name", "settings", "sources"), CASES)
def test_the_scenario_reproduces_the_report(
    tmp_path: Path, name: str, settings: list[str], sources: tuple[str, ...]
) -> None:
    result = run(load(name, settings))
    code, out = made(tmp_path, report(result, *sources))
    assert code == 0
    off = off_of(out)
    assert {GETS, FETCH_CALLS, ELAPSED, CLIENT_WAIT} <= set(off)
    assert abs(off[GETS]) < 0.005, off
    assert abs(off[FETCH_CALLS]) < 0.005, off
    assert abs(off[ELAPSED]) < 0.05, off
    if READ_BLOCKS in off:
        assert abs(off[READ_BLOCKS]) < 0.02, off
    known = tomllib.loads(out.read_text())["measured"]["known"]
    assert all(one["source"].startswith("report.txt: ") == (one["how"] == "measured") for one in known)


def test_run_prints_a_statement_as_measured_beside_as_modelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blocktime: CommandLine
) -> None:
    result = run(load("full-scan-nvme", ["workload.select=rows", "table.rows=20000"]))
    _, out = made(tmp_path, report(result, SCANNED))
    capsys.readouterr()
    printed = blocktime.prints("run", str(out))
    assert printed.startswith("As measured and as modelled")
    assert "fetch calls" in printed


@pytest.mark.parametrize(
    ("sources", "options", "message"),
    [
        (("NESTED LOOPS", SCANNED), (), "has the row source NESTED LOOPS (line"),
        (("HASH JOIN", SCANNED, SCANNED), (), "has the row source HASH JOIN (line"),
        ((), (), "has no row sources"),
        ((SCANNED,), ("--statement", "7"), "--statement 7: report.txt has no such statement; it has 1"),
    ],
)
def test_what_is_not_one_scan_is_declined_in_a_sentence_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sources: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    result = run(load("full-scan-nvme", ["workload.select=rows", "table.rows=20000"]))
    code, out = made(tmp_path, report(result, *sources), *options)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not out.exists()


def test_a_statement_without_a_file_for_its_scenario_is_refused(tmp_path: Path, blocktime: CommandLine) -> None:
    path = tmp_path / "report.txt"
    path.write_text("anything")
    assert "--statement goes with --out" in blocktime.refuses("measure", str(path), "--statement", "1")


def test_files_without_statements_are_named(tmp_path: Path) -> None:
    text = written(run(load("tpc-b")), "awr")
    with pytest.raises(NotIdentified, match="hold no SQL trace and no TKPROF report"):
        identify_statement(read_text(tmp_path, text), "1")


@pytest.mark.parametrize(("array", "first"), [(50, 1), (500, 12), (7, 3)])
def test_gets_of_fetch_calls_tell_the_rows_of_a_block(array: int, first: int) -> None:
    rows, fit = 10_000, 76
    ends = [0, *range(first, rows, array), rows]
    calls = [(end - begin, (end - 1) // fit - begin // fit + 1) for begin, end in pairwise(ends)]
    header = (calls[0][0], calls[0][1] + 2)
    assert equal_blocks([header, *calls[1:]]) == (fit, 2)


def test_blocks_of_uneven_rows_are_not_taken_as_equal() -> None:
    assert equal_blocks([(10, 1 + place * place % 3) for place in range(50)]) is None


@pytest.mark.parametrize(
    ("sizes", "array", "first", "calls"),
    [
        ([1, 50, 50, 49], 50, 1, 4),
        ([100, 100, 0], 100, None, 3),
        ([100, 50], 100, 100, 2),
        ([1, 13], 100, 1, 2),
        ([7], 100, 100, 1),
        ([250], 251, 251, 1),
        ([12, 500, 500, 488], 500, 12, 4),
    ],
)
def test_rows_of_fetch_calls_tell_the_habit_of_a_client(
    sizes: list[int], array: int, first: int | None, calls: int
) -> None:
    habit = habit_of_calls(sizes)
    assert (habit.array_rows, habit.first_rows) == (array, first)
    assert fetch_calls(sum(sizes), array, first) == calls


def test_fetch_calls_of_a_sum_leave_an_interval() -> None:
    habit = habit_of_sums(20_000, 1_335)
    assert (habit.array_rows, habit.least_rows, habit.most_rows) == (15, 15, 15)


TRACE = """\
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
=====================
PARSING IN CURSOR #1 len=1 dep=0 uid=0 oct=3 lid=0 tim=1 hv=1 ad='1' sqlid='abcdefghijklm'
?
END OF STMT
"""


def trace(array: int, trip_us: int, row_us: int) -> str:
    """A trace of a scan of 2,000 rows, 40 in a block, whose client takes *trip_us* and *row_us* for each row."""
    lines, tim, done = [TRACE + "EXEC #1:c=0,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=100"], 100, 0
    first = 1
    while done < 2000:
        rows = min(array if done else first, 2000 - done)
        gets = (done + rows - 1) // 40 - done // 40 + 1
        tim += 30
        lines.append(f"FETCH #1:c=0,e=30,p=0,cr={gets},cu=0,mis=0,r={rows},dep=0,og=1,plh=1,tim={tim}")
        done += rows
        if done < 2000:
            tim += trip_us + row_us * rows
            ela = trip_us + row_us * rows
            lines.append(f"WAIT #1: nam='SQL*Net message from client' ela= {ela} p1=1 p2=1 p3=0 obj#=1 tim={tim}")
    lines.append("STAT #1 id=1 cnt=2000 pid=0 pos=1 obj=1 op='TABLE ACCESS FULL SECRET (cr=1 pr=0 pw=0 time=1 us)'")
    return "\n".join([*lines, f"CLOSE #1:c=0,e=0,dep=0,type=0,tim={tim}", ""])


def test_two_array_sizes_tell_the_network_from_the_client(tmp_path: Path) -> None:
    readings = [one for array in (25, 40) for one in read_text(tmp_path, trace(array, 500, 10))]
    found = identify_statement(readings, "abcdefghijklm")
    values = {one.path: one.value for one in found.known}
    assert values["client.round_trip_s"] == pytest.approx(500e-6, rel=0.02)
    assert values["client.row_s"] == pytest.approx(10e-6, rel=0.02)
    assert values["workload.arraysize_rows"] == 25
    assert values["client.first_fetch_rows"] == 1
    assert values["client.call_trips"] == 0
    assert "SECRET" not in str(found.sections())
