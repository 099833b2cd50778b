"""Each reader on small reports: the figures, their units, grains and lines; what is left alone is counted."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from blocktime.app.reports.written import written
from blocktime.scenarios import load, run
from blocktime.validation.identify.calibrated_volume import calibration_of
from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.identify.statement import identify_statement
from blocktime.validation.identify.system import identify
from blocktime.validation.instruments import Figure, Keep, NotReadable, OpenedFile, Reading, read
from blocktime.validation.instruments.awr_cells import unit_of
from blocktime.validation.instruments.sysstat import seconds_between
from tests.answered import SMALL_OLTP
from tests.validation.instruments import made
from tests.validation.instruments.made import packed, read_bytes, read_text
from tests.whole import quick


def figures(reading: Reading) -> dict[tuple[str, str], Figure]:
    every = [*reading.figures, *(one for series in reading.series for one in series.figures())]
    return {(one.of, one.name): one for one in every}


FIRST = "statement 1 (0123456789abc)"
RATES = ("0.33", "0.67", "1.33", "2.00", "30.67")
"""Whole numbers of requests in 3 s."""


def iostat_of(first: tuple[str, ...], interval_s: int) -> str:
    """Two samples of five devices, the rates of the *first* one given."""
    text = "Linux 6.8.0 (a.host.example) \t11/22/2026 \t_x86_64_\t(4 CPU)\n"
    for place, rates in enumerate((first, ("9.00",) * 5)):
        text += f"\n11/22/2026 11:20:{place * interval_s:02} AM\nDevice r/s w/s await %util\n"
        text += "".join(f"sd{letter} {rate} 0.00 1.00 1.00\n" for letter, rate in zip("abcde", rates, strict=True))
    return text


@pytest.mark.parametrize(
    ("rates", "interval_s", "first"),
    [
        (RATES, 3, 0),  # -y: no sample but that of an interval has whole requests alone
        ((*RATES[:4], "0.41"), 3, 1),  # 1.23 requests
        ((*RATES[:4], "0.68"), 3, 1),  # 2.025 to 2.055 requests
        ((*RATES[:2], "0.00", "0.00", "0.00"), 3, 1),  # too few to tell
        (("240.37",) * 5, 3, 1),  # too large to tell
        (RATES, 30, 1),  # too coarsely printed to tell
    ],
)
def test_the_first_sample_of_iostat_counts_only_where_it_is_of_an_interval(
    tmp_path: Path, rates: tuple[str, ...], interval_s: int, first: int
) -> None:
    [reading] = read_text(tmp_path, iostat_of(rates, interval_s))
    assert reading.first_sample == first
    assert next(reading.series[0].by_column(first))[1] == ([9.0] if first else [0.33, 9.0])
    assert ("leave out the first sample" in reading.follows[-1]) == bool(first)


def test_empty_places_for_percentiles_are_no_figures(tmp_path: Path) -> None:
    places = '"percentile" : { "0.00" : 0, "0.00" : 0, "50.000000" : 1999 }'
    [reading] = read_text(tmp_path, made.FIO.replace('"percentile" : { "50.000000" : 1999 }', places))
    named = [one.name for one in reading.figures]
    assert "lat_ns p50" in named
    assert "lat_ns p0" not in named
    assert any("empty places for percentiles" in unread.what for unread in reading.unread)


def test_iostat_pretty_has_its_devices_last_and_sizes_with_letters(tmp_path: Path) -> None:
    text = (
        "Linux 6.8.0 (h) \t11/22/2026 \t_x86_64_\t(4 CPU)\n\n     r/s     rkB/s r_await  %util Device\n"
        "   10.00    222.1k   12.58  20.0% nvme0n1\n"
    )
    [reading] = read_text(tmp_path, text)
    found = figures(reading)
    assert found["nvme0n1", "rkB/s"].value == pytest.approx(222.1 * 1024)
    assert found["nvme0n1", "%util"].value == pytest.approx(0.2)


def test_the_parts_of_a_sample_that_pretty_splits_are_one_row(tmp_path: Path) -> None:
    parts = [
        ("r/s rkB/s r_await", "{0}.00 1.2M 3.00"), ("w/s w_await", "{1}.00 0.30"),
        ("d/s d_await", "0.00 0.00"), ("f/s f_await aqu-sz %util", "1.00 0.10 0.06 4.0%"),
    ]  # fmt: skip
    text = "".join(
        "\n".join(f"{head} Device\n{row.format(*rates)} sda\n{row.format(7, 7)} sdb\n" for head, row in parts)
        for rates in ((10, 20), (30, 40), (50, 60))
    )
    [reading] = read_text(tmp_path, text)
    assert [(series.of, len(series.samples)) for series in reading.series] == [("sda", 3), ("sdb", 3)]
    columns = {column.name: values for column, values in reading.series[0].by_column()}
    assert (columns["r/s"], columns["w/s"], columns["%util"]) == ([10, 30, 50], [20, 40, 60], [0.04] * 3)
    assert "3 samples" in reading.title


def test_the_heading_of_a_page_says_that_it_is_of_a_whole_cluster(tmp_path: Path) -> None:
    text = "<html><title>AWR Report for DB: ORCL</title><body><h1 class='awr'>\nWORKLOAD REPOSITORY REPORT (RAC)\n</h1>"
    with pytest.raises(NotReadable, match="this sums up all instances of a cluster"):
        read_text(tmp_path, text)


def test_numbers_with_letters_have_the_grain_of_their_letter(tmp_path: Path) -> None:
    text = "Device r/s rkB/s r_await\nsda 10.00 1.2M 3.00\nsda 10.00 222.1k 3.00\n"
    [reading] = read_text(tmp_path, text)
    first, second = (one for one in reading.series[0].figures() if one.name == "rkB/s")
    assert (first.low, first.high) == pytest.approx((1.15 * 2**20, 1.25 * 2**20))
    assert (second.low, second.high) == pytest.approx((222.05 * 1024, 222.15 * 1024))


def test_a_long_iostat_gives_what_its_lines_give_one_by_one(tmp_path: Path) -> None:
    samples = "\n".join(
        "Device r/s w/s r_await %util\n"
        + "".join(f"{name} {count + place}.{count % 100:02} 0.07 9999.99 100.00\n" for place, name in enumerate(names))
        for count, names in enumerate([["sda", "sdb"], ["sdb", "sda"], ["sda"], ["sdc", "sda", "sdb"]] * 40)
    )
    [together], [singly] = (read_text(tmp_path, text) for text in (samples, samples.replace("100.00\n", "100.00 \n")))
    assert [(one.of, one.values, one.lines, one.samples) for one in together.series] == [
        (one.of, one.values, one.lines, one.samples) for one in singly.series
    ]
    assert len(together.series[0].lines) == 160


def test_a_long_iostat_takes_little_more_time_than_its_numbers(tmp_path: Path) -> None:
    sample = "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz %util\n" + "".join(
        f"sd{place:<10}{place * 1.25:10.2f}{place * 77.5:10.2f}" + "     12.34" * 6 + "\n" for place in range(90)
    )
    path = tmp_path / "iostat.txt"
    path.write_text((sample + "\n") * 300, encoding="utf-8")
    cells = path.read_text(encoding="utf-8").split()
    numbers = [cell for cell in cells if cell[0].isdigit()]

    works: tuple[Callable[[], object], ...] = (lambda: read(OpenedFile(path)), lambda: list(map(float, numbers)))
    took_s: list[list[float]] = [[], []]
    for _ in range(5):  # in turns, so that noise hits both
        for times, work in zip(took_s, works, strict=True):
            began = process_time()
            work()
            times.append(process_time() - began)
    assert min(took_s[0]) < 5 * min(took_s[1])  # line by line it takes ten times as long


def test_sar_leaves_sections_of_other_things_alone(tmp_path: Path) -> None:
    text = made.SAR + "\n12:00:01 AM kbfree kbused pct a b c d e f\n12:10:01 AM 1 2 3 4 5 6 7 8 9\n"
    [reading] = read_text(tmp_path, text)
    assert [one.of for one in reading.series] == ["sda"]
    assert "a section with kbfree kbused pct" in {unread.what for unread in reading.unread}


def test_sar_over_midnight_counts_its_samples_on(tmp_path: Path) -> None:
    text = "23:50:00 DEV tps await\n00:00:00 sda 1.00 1.00\n12:00:00 sda 2.00 1.00\n00:00:00 sda 3.00 1.00\n"
    [reading] = read_text(tmp_path, text)
    assert list(reading.series[0].samples) == [0, 1, 2]
    assert reading.interval_s == 43200
    header, _, *noon_to_midnight = text.splitlines(keepends=True)
    [short] = read_text(tmp_path, header + "".join(noon_to_midnight))
    assert short.interval_s == 43200


@pytest.mark.parametrize(
    ("earlier", "later", "seconds"),
    [
        ("10:00:00", "10:00:00", 0),
        ("10:00:00", "10:10:01", 601),
        ("23:59:00", "00:01:00", 120),
        ("11:50:00 PM", "12:10:00 AM", 1200),
        ("11/22/2026 11:59:59 PM", "11/23/2026 12:00:04 AM", 5),
        ("31.12.2026 23:59:59", "01.01.2027 00:00:01", 2),
        ("2026-11-22T10:00:00", "2026-11-23T10:00:01", 86_401),
        ("2026-11-22T10:00:00+0000", "2026-11-22T10:00:00", None),
        ("soon", "later", None),
    ],
)
def test_seconds_between_two_time_stamps(earlier: str, later: str, seconds: float | None) -> None:
    assert seconds_between(earlier, later) == seconds


def test_the_interval_is_that_of_most_samples(tmp_path: Path) -> None:
    text = "10:00:00 DEV tps await\n" + "".join(
        f"10:{time} sda 1.00 1.00\n" for time in ("00:50", "01:00", "02:00", "03:00")
    )
    [reading] = read_text(tmp_path, text)
    assert reading.interval_s == 60


def test_fio_before_it_printed_bytes_and_nanoseconds(tmp_path: Path) -> None:
    text = made.FIO.replace('"bw_bytes" : 20480', '"bw" : 20').replace("lat_ns", "lat")
    [reading] = read_text(tmp_path, text)
    found = figures(reading)
    assert found["job 1 read", "bw"].value == 20 * 1024  # KiB
    assert found["job 1 read", "lat mean"].value == pytest.approx(2000.5e-6)


def test_tkprof_whose_lines_do_not_add_up_says_so(tmp_path: Path) -> None:
    [reading] = read_text(tmp_path, made.TKPROF.replace("Fetch       11 ", "Fetch       12 "))
    assert reading.follows == [f"{FIRST}: the lines of count do not add up to the total in line 17"]


@pytest.mark.parametrize(("release", "second"), [("8.1.7.4.0", 1e-2), ("9.2.0.8.0", 1e-6), ("10.2.0.5.0", 1e-6)])
def test_a_trace_counts_hundredths_before_release_9(release: str, second: float, tmp_path: Path) -> None:
    [reading] = read_text(tmp_path, made.TRACE.replace("Release 19.0.0.0.0", f"Release {release}"))
    assert figures(reading)[FIRST, "FETCH e"].value == pytest.approx(1500 * second)


def test_ends_of_transactions_in_a_trace_are_told_apart(tmp_path: Path) -> None:
    ends = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0), (0, 1)]
    lines = "".join(f"XCTEND rlbk={rollback}, rd_only={only}, tim=2700\n" for rollback, only in ends)
    [reading] = read_text(tmp_path, made.TRACE.replace("XCTEND rlbk=0, rd_only=0, tim=2700\n", lines))
    counts = [figures(reading)["transactions", kind].value for kind in ("commits", "rollbacks", "read only ends")]
    assert counts == [2, 1, 3]


def test_a_cursor_that_the_session_keeps_belongs_to_its_statement(tmp_path: Path) -> None:
    again = "EXEC #7:c=0,e=7,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=2730\n"
    for kind, count in ((0, 1), (3, 2)):
        closed = made.TRACE.replace("type=0", f"type={kind}") + again
        found = figures(read_text(tmp_path, closed)[0])
        assert found[FIRST, "EXEC count"].value == count


def test_a_section_that_is_not_read_goes_by_the_heading_of_its_labels(tmp_path: Path) -> None:
    pool = """
Instance Efficiency Percentages (Target 100%)
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            Buffer Nowait %:   99.99       Redo NoWait %:  100.00

 Shared Pool Statistics        Begin    End
                              ------  ------
             Memory Usage %:   84.48   87.07

Foreground Wait Events  """
    [reading] = read_text(tmp_path, made.AWR.replace("\nForeground Wait Events  ", pool))
    assert [unread.what for unread in reading.unread] == ["section Shared Pool Statistics"]
    assert figures(reading)["Instance Efficiency: Redo NoWait %", "value"].value == 1.0


def test_other_buffer_pools_are_named_in_the_advisory(tmp_path: Path) -> None:
    usual = "D      7,680    1.0          942         1.0\n"
    [reading] = read_text(tmp_path, made.AWR.replace(usual, f"{usual}K{usual[1:].replace('942', '943')}"))
    found = figures(reading)
    assert found["Buffer Pool Advisory: 7,680", "Buffers (thousands)"].value == 942_000
    assert found["Buffer Pool Advisory: K 7,680", "Buffers (thousands)"].value == 943_000


def test_awr_tells_sizes_labels_and_pairs_apart(tmp_path: Path) -> None:
    text = made.AWR_HTML.replace(
        '<table summary="This table displays load profile">',
        """<table summary="This table displays cache sizes">
<tr><th></th><th>Begin</th><th>End</th><th></th><th></th></tr>
<tr><td>Buffer Cache:</td><td> 2,000M</td><td> 2,000M</td><td>Std Block Size:</td><td> 8K</td></tr></table>
<table summary="This table displays instance efficiency percentages">
<tr><td>Buffer Nowait %:</td><td> 99.90</td><td>Redo NoWait %:</td><td> 100.00</td></tr></table>
<table summary="This table displays IO profile">
<tr><th></th><th>Read+Write Per Second</th><th>Read per Second</th><th>Write Per Second</th></tr>
<tr><td>Total Requests:</td><td>12.5</td><td>10.0</td><td>2.5</td></tr></table>
<table summary="This table displays load profile">""",
    )
    [reading] = read_text(tmp_path, text)
    found = figures(reading)
    cache = found["Memory Statistics: Buffer Cache", "Begin"]
    assert (cache.value, cache.unit) == (2000 * 2**20, "bytes")
    assert found["Memory Statistics: Std Block Size", "value"].value == 8192
    assert found["Instance Efficiency: Redo NoWait %", "value"].value == 1.0
    assert found["IO Profile: Total Requests", "Read per Second"].value == 10.0


@pytest.mark.parametrize("name", ["awr", "awr html", "statspack old"])
def test_a_truncated_report_says_so_and_gives_no_cut_number(name: str, tmp_path: Path) -> None:
    text = made.EVERY[name]
    [whole] = read_text(tmp_path, text)
    assert not any("truncated" in missing for missing in whole.missing)
    there = {(one.of, one.name, one.value) for one in whole.figures}
    for place in range(len(text) // 2, text.index("End of Report"), quick(7, 1)):
        try:
            readings = read_text(tmp_path, text[:place])
        except NotReadable:
            continue
        for reading in readings:
            assert {(one.of, one.name, one.value) for one in reading.figures} <= there
            assert any("truncated" in missing for missing in reading.missing)


def test_settings_of_fio_have_their_units(tmp_path: Path) -> None:
    text = made.FIO.replace('"iodepth" : "16"', '"iodepth" : "16k", "runtime" : "5m", "rwmixread" : "70"')
    [reading] = read_text(tmp_path, text)
    found = figures(reading)
    assert found["job 1", "runtime"].value == 300
    assert found["job 1", "rwmixread"].value == 70
    assert ("job 1", "iodepth") not in found


def test_a_report_may_hold_another_kind_behind_its_title(tmp_path: Path) -> None:
    text = made.AWR.replace("Load Profile  ", "ADDM Report for Task 'X'\nASH Report For A/b\n\nLoad Profile  ", 1)
    [reading] = read_text(tmp_path, text)
    assert reading.count() == read_text(tmp_path, made.AWR)[0].count()


def test_a_page_of_another_kind_beside_a_report_is_left_alone(tmp_path: Path) -> None:
    page = "<html><body>hello</body></html>\n"
    alone = read_text(tmp_path, made.AWR_HTML)[0].count()
    for text in (page + made.AWR_HTML, made.AWR_HTML + page, made.AWR_HTML + page + made.AWR_HTML):
        assert {reading.count() for reading in read_text(tmp_path, text)} == {alone}


def test_a_trace_without_waits_says_how_to_get_them(tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in made.TRACE.splitlines() if not line.startswith("WAIT"))
    [reading] = read_text(tmp_path, text)
    assert any("waits: the trace is of level 1 or 4" in missing for missing in reading.missing)


def test_an_indented_tkprof_report_gives_the_same_figures(tmp_path: Path) -> None:
    [plain] = read_text(tmp_path, made.TKPROF)
    [indented] = read_text(tmp_path, "".join(f"    {line}\n" for line in made.TKPROF.splitlines()))
    assert figures(indented) == figures(plain)


def test_sections_of_awr_have_their_units(tmp_path: Path) -> None:
    text = """
Wait Event Histogram                       DB/Inst: SECRET/secret  Snaps: 1-2

                           Total ----------------- % of Waits ------------------
Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s
-------------------------- ----- ----- ----- ----- ----- ----- ----- ----- -----
db file sequential read    21.1K  99.2    .3          .3    .2
                          ------------------------------------------------------

Instance Activity Stats                    DB/Inst: SECRET/secret  Snaps: 1-2

Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------
CPU used by this session                    120,000           33.3           0.1
lms(s) msg send time(ms)                      5,000            0.1           0.1
physical read total bytes                 8,192,000        2,275.6           8.0
                          ------------------------------------------------------

IOStat by Filetype summary                 DB/Inst: SECRET/secret  Snaps: 1-2

                Reads:  Reqs    Data   Writes:  Reqs    Data      Small    Large
Filetype Name     Data per sec per sec    Data per sec per sec     Read     Read
--------------- ------- ------- ------- ------- ------- ------- -------- --------
Log File          434M     0.9   .718M    641M   323.4  1.061M   3.20ms 1230.91m
                          ------------------------------------------------------

Cache Sizes                       Begin        End
~~~~~~~~~~~                  ---------- ----------
               Buffer Cache:     8,000M     8,064M  Std Block Size:         8K
    % SQL with executions>1:      85.90      86.23
"""
    [reading] = read_text(tmp_path, made.AWR + text)
    found = figures(reading)
    event = "Wait Event Histogram: db file sequential read"
    assert found[event, "Total Waits"].value == 21_100
    assert found[event, "% of waits <1ms"].value == pytest.approx(0.992)
    assert found[event, "% of waits <8ms"].value == pytest.approx(0.003)
    cpu = found["Instance Activity: CPU used by this session", "Total"]
    assert (cpu.value, cpu.unit) == (1200, "s")
    assert found["Instance Activity: lms(s) msg send time(ms)", "Total"].value == 5
    assert found["Instance Activity: physical read total bytes", "per Second"].unit == "bytes/s"
    assert found["IO by File Type: Log File", "Small Read"].value == pytest.approx(0.0032)
    assert ("IO by File Type: Log File", "Large Read") not in found  # its unit is cut off
    assert found["Memory Statistics: Buffer Cache", "End"].value == 8064 * 2**20
    assert found["Memory Statistics: % SQL with executions>1", "End"].value == pytest.approx(0.8623)


@pytest.mark.parametrize(
    ("column", "subject", "suffix", "unit"),
    [
        ("Waits", "db file sequential read", "", ("count", 1.0)),
        ("Avg Rd(ms)", "", "", ("s", 1e-3)),
        ("Wait (us)", "", "", ("s", 1e-6)),
        ("Elapsed Time (mins)", "", "", ("s", 60.0)),
        ("Time (cs)", "", "", ("s", 1e-2)),
        ("Gets (k)", "", "", ("count", 1e3)),
        ("Buffers (thousands)", "", "", ("count", 1e3)),
        ("Data (MB)", "", "", ("bytes", 2.0**20)),
        ("per Second", "redo size", "", ("bytes/s", 1.0)),
        ("per Second", "user calls", "", ("1/s", 1.0)),
        ("per Trans", "user calls", "", ("1/transaction", 1.0)),
        ("Total", "DB time", "", ("s", 1e-2)),
        ("Avg wait time", "", "", ("s", 1e-3)),
        ("Avg wait time", "", "us", ("s", 1.0)),
        ("% DB time", "", "", ("fraction", 0.01)),
    ],
)
def test_a_cell_of_awr_has_the_unit_of_its_column_or_row(
    column: str, subject: str, suffix: str, unit: tuple[str, float]
) -> None:
    assert unit_of(column, subject, suffix) == unit


def test_sql_text_between_the_rows_of_statements_gives_no_figures(tmp_path: Path) -> None:
    section = """
SQL ordered by Gets                        DB/Inst: SECRET/secret  Snaps: 1-2

     Buffer                 Gets              Elapsed
      Gets   Executions   per Exec   %Total   Time (s)  %CPU  %IO    SQL Id
----------- ----------- ------------ ------ ---------- ----- ----- -------------
  1,234,567          10    123,456.7   12.3       45.6  99.0   1.0 0123456789abc
Module: SQL*Plus
select * from t where a between       1 and 2         33    44    55 x
                          ------------------------------------------------------
"""
    [reading] = read_text(tmp_path, made.AWR + section)
    values = [one.value for one in reading.figures if one.of.startswith("SQL")]
    assert values == pytest.approx([1_234_567, 10, 123_456.7, 0.123, 45.6, 0.99, 0.01])


def test_two_reports_in_one_file_have_each_its_own_lines(tmp_path: Path) -> None:
    first, second = read_text(tmp_path, made.AWR + "\n" * 500 + made.AWR)
    lines = made.AWR.count("\n") + 500
    assert {one.line + lines for one in first.figures} == {one.line for one in second.figures}
    assert first.interval_s == second.interval_s == pytest.approx(60.08 * 60)


def test_text_of_a_statement_with_markup_makes_no_html_of_a_report(tmp_path: Path) -> None:
    [reading] = read_text(tmp_path, made.AWR + "\nselect '<table>' from dual\n")
    assert reading.count() == read_text(tmp_path, made.AWR)[0].count()


def test_values_that_a_pattern_would_cut_are_left_alone(tmp_path: Path) -> None:
    [report] = read_text(tmp_path, made.TKPROF.replace("time=3500123 us", "time=1e400 us"))
    [trace] = read_text(tmp_path, made.TRACE.replace("time=1490 us", f"time={'9' * 40} us"))
    assert (f"{FIRST}, step 1 TABLE ACCESS FULL", "time") not in figures(report)
    assert not any(one.name == "time" for one in trace.figures)


@pytest.mark.parametrize("name", made.EVERY)
def test_each_figure_is_read_as_it_was(name: str, tmp_path: Path) -> None:
    """With unit, grain and line, and all that is said of the report; none of the made names is kept."""
    readings = read_text(tmp_path, made.EVERY[name])
    assert made.lines_of(readings) == made.frozen(name), "; python -m tests.validation.instruments.made NAME"
    assert "secret" not in repr(readings).lower()


@pytest.mark.parametrize("name", made.EVERY)
def test_the_same_figures_whatever_the_wrapping_and_the_encoding(name: str, tmp_path: Path) -> None:
    text = made.EVERY[name]
    plain = [figures(reading) for reading in read_text(tmp_path, text)]
    member = io.BytesIO()
    with zipfile.ZipFile(member, "w") as archive:
        archive.writestr("inside.txt", text)
    wrapped = {
        "gzip": packed(text), "zip": member.getvalue(), "CRLF": text.replace("\n", "\r\n").encode(),
        "UTF-16": text.encode("utf-16"), "UTF-8 with a mark": text.encode("utf-8-sig"),
    }  # fmt: skip
    for how, data in wrapped.items():
        assert [figures(reading) for reading in read_bytes(tmp_path, data)] == plain, how


@pytest.mark.parametrize("name", made.EVERY)
def test_two_reports_in_one_file_are_told_apart(name: str, tmp_path: Path) -> None:
    if name in {"fio", "sadf", "trace", "plan", "tables", "aux stats", "parameters", "init.ora"}:
        pytest.skip("these have one report a file")
    once, twice = read_text(tmp_path, made.EVERY[name]), read_text(tmp_path, made.EVERY[name] * 2)
    assert [reading.count() for reading in twice] == [reading.count() for reading in once] * 2


def test_a_trace_keeps_a_bounded_number_of_events(tmp_path: Path) -> None:
    waits = "".join(f"WAIT #7: nam='event {place}' ela= 1 a=1 b=2 c=3 tim=3000\n" for place in range(30_000))
    [reading] = read_text(tmp_path, made.TRACE + waits)
    total = sum(one.value for one in reading.figures if one.name == "waits")
    assert total == 30_002
    assert len({one.of for one in reading.figures}) < 20_100
    assert any("events: the others are summed as one" in note for note in reading.follows)


OWN = {
    "awr": ("secret", "a-secret-host"), "awr segments": ("SECRETUSER1 SECRETTABLE TABLE 73481 73483",),
    "awr html": ("SECRET",), "iostat old": ("a.host.example",), "sar": ("a.host.example",), "sadf": ("a.host.example",),
    "tkprof": ("TABLE ACCESS FULL A_TABLE",), "trace": ("a.host.example", "TABLE ACCESS FULL T"), "plan": ("SECRET",),
    "tables": ("SECRET", "SECRET_ORDERS"), "fio": ("a job", "/a/secret/file"),
}  # fmt: skip
SQL = {
    "tkprof": "select secret from a_table", "trace": "select secret from t", "plan": "select secret from t",
    "awr html": "select 42 from",
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_names_are_kept_only_when_asked_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.file"
    path.write_text(made.EVERY[name], encoding="utf-8")
    [reading], [named] = read(OpenedFile(path)), read(OpenedFile(path, keep=Keep(names=True)))
    assert set(OWN[name]) <= {one.text for one in named.names}
    assert reading.names == []
    assert figures(reading) == figures(named)


@pytest.mark.parametrize("name", SQL)
def test_sql_holds_only_when_asked_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.file"
    path.write_text(made.EVERY[name], encoding="utf-8")
    [reading], [kept] = read(OpenedFile(path)), read(OpenedFile(path, keep=Keep(sql=True)))
    [text] = [one for one in kept.names if one.what == "SQL text"]
    assert text.text.startswith(SQL[name])
    assert "SECRET" not in repr(kept).replace(text.text, "")
    assert reading.names == []


def test_parameters_that_name_something_of_the_site_are_left_alone(tmp_path: Path) -> None:
    text = "*.db_cache_size=4G\n*.db_file_name_convert='/secret','/secret2'\n*.undo_tablespace='SECRET'\n"
    path = tmp_path / "init.ora"
    path.write_text(text, encoding="utf-8")
    [reading], [named] = read(OpenedFile(path)), read(OpenedFile(path, keep=Keep(names=True)))
    assert [setting.name for setting in reading.settings] == ["db_cache_size"]
    assert [setting.name for setting in named.settings] == ["db_cache_size", "db_file_name_convert", "undo_tablespace"]


REFUSED = {
    "empty": (b"", "the file is empty"),
    "white": (b" \n\n", "only white space"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "damaged gzip": (packed(made.IOSTAT_OLD)[:60], "damaged"),
    "unknown": (b"Dear reader,\nthis is a letter.\n", "none of the reports"),
    "iostat without -x": (b"Device:  tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1.0 2.0 3.0 4 5\n", "without -x"),
    "decimal comma": (made.IOSTAT_NEW.replace(".", ",").encode(), "decimal comma"),
    "truncated JSON": (made.FIO[:400].encode(), "ends in the middle"),
    "fio as text": (
        b"a: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16\n",
        "give its whole output",
    ),
    "two periods": (b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n", "no section of this report could be read"),
    "two periods as HTML": (
        b"<html><head><title>AWR Compare Period Report for DB: A</title></head></html>",
        "no section of this report could be read",
    ),
    "advice": (b"ADDM Report for Task 'TASK_1'\n", "give the AWR report"),
    "decimal comma in AWR": (
        made.AWR_HTML.replace("1.50ms", "1,50ms").replace(" 30.0", " 30,0").replace("0.10", "0,1").encode(),
        "decimal comma",
    ),
    "a cluster": (b"WORKLOAD REPOSITORY REPORT (RAC)\n", "one instance"),
    "deep JSON": (b'{"fio version": ' + b"[" * 100_000, "nested too deeply"),
    "iostat of Solaris": (
        b"     extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device"
        b"\n    1.0    2.0    8.0   16.0  0.0  0.1    0.0    5.0   0   1 sd0\n",
        "of Solaris",
    ),
    "iostat of HP-UX": (b"\n  device    bps     sps    msps \n\n  c0t6d0      0     0.4    1.0 \n", "of HP-UX"),
    "nmon": (b"AAA,progname,nmon\nAAA,command,nmon -f\nDISKREAD,Disk Read KB/s box,sda\n", "output of nmon"),
    "SQL Monitor": (b"SQL Monitoring Report\n\nSQL Text\n--------\nselect 1 from a\n", "a SQL Monitor report"),
    "SQL Monitor as XML": (
        b'<html><script src="http://x/sqlmonitor/loader.js"></script></html>',
        "a SQL Monitor report",
    ),
    "iostat of AIX": (b"\nSystem configuration: lcpu=8 drives=3\n\ntty: tin avg-cpu: % user\n 1.0 2.0\n", "of AIX"),
    "an absurd number alone": (made.IOSTAT_NEW.replace("6900.25", "-6900.25").encode(), "-6900.25 is negative"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    data, words = REFUSED[name]
    with pytest.raises(NotReadable, match=words) as refusal:
        read_bytes(tmp_path, data, "the.file")
    assert str(refusal.value).startswith("the.file")
    assert "\n" not in str(refusal.value)


def test_an_archive_of_several_names_its_members(tmp_path: Path) -> None:
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.txt", "1")
        archive.writestr("two.txt", "2")
    with pytest.raises(NotReadable, match=r"holds 2 files \(one.txt, two.txt\)"):
        read_bytes(tmp_path, path.read_bytes())


def test_the_host_cpu_of_awr_before_12_has_no_column_that_names_its_row(tmp_path: Path) -> None:
    table = (
        '<table summary="This table displays system load statistics">'
        "<tr><th>Load Average Begin</th><th>Load Average End</th><th>%User</th><th>%Idle</th></tr>"
        "<tr><td>2.51</td><td>&#160;</td><td> 28.5</td><td> 64.8</td></tr></table>\n"
    )
    [reading] = read_text(tmp_path, made.AWR_HTML.replace("<table", f"{table}<table", 1))
    host = {one.name: one.printed for one in reading.figures if one.of == "Host CPU: all CPUs"}
    assert host == {"Load Average Begin": "2.51", "%User": "28.5", "%Idle": "64.8"}


def test_foreground_waits_beyond_db_time_are_doubted(tmp_path: Path) -> None:
    def doubts(seconds: int, event: str = "log file sync", share: str = "") -> list[str]:
        row = f"{event:26} {100_000:>11} {'':5} {seconds:>8} {'':9} {'0.3':>7} {share:>6}\n"
        times = "Statistic Name    Time (s)\n-------------- --------\nDB time            100.0\n"
        text = made.AWR.replace(
            "log buffer space               205,987         74,389  361.13ms      0.3   68.8\n", row
        )
        text = text.replace("db flash cache single bloc   1,428,511          1,124  787.10us      1.9    1.0\n", "")
        text = text.replace("   DB Time:            1,801.13 (mins)\n", "")
        text = text.replace("\nEnd of Report", f"\nTime Model Statistics   DB/Inst: A/a\n\n{times}\nEnd of Report")
        [reading] = made.read_text(tmp_path, text)
        return reading.doubts

    assert doubts(102) == []
    assert doubts(500, "SQL*Net message from clien") == []
    [doubt] = doubts(104, share="99.0")
    assert "DB time is 100.0" in doubt
    assert "foreground waits" in doubt


def samples_of(rates: list[tuple[float, float]]) -> str:
    """iostat of samples with these reads a second, and what each took in ms; no writes."""
    head = "Device r/s w/s r_await w_await await aqu-sz\n"
    return "Linux 5.4 (a)  01/02/2026  _x86_64_ (4 CPU)\n\n" + "".join(
        f"{head}sda {reads:.2f} 0.00 {each:.2f} 0.00 {each:.2f} {reads * each / 1e3:.2f}\n\n" for reads, each in rates
    )


def test_what_a_request_takes_is_the_mean_over_requests(tmp_path: Path) -> None:
    [reading] = made.read_text(tmp_path, samples_of([(7, 3), (100, 20), (500, 40), (0, 0), (0, 0)]))
    [series] = reading.series
    means = {column.name: value for column, value in series.means(reading.first_sample)}
    assert means["r_await"] == means["await"] == pytest.approx((100 * 20 + 500 * 40) / 600 * 1e-3)
    assert means["r/s"] == pytest.approx(150)
    assert means["aqu-sz"] == pytest.approx(means["r/s"] * means["r_await"])
    assert means["w_await"] == 0


def test_the_first_sample_of_each_block_of_oswatcher_is_left_out(tmp_path: Path) -> None:
    text = "Linux OSWbb v8 a\n"
    for minute, rates in enumerate(([(1, 1), (200, 5)], [(1, 1), (300, 10), (400, 10)])):
        text += f"zzz ***Mon Mar  2 18:0{minute}:18 UTC 2026\n{samples_of(rates).split(chr(10) * 2, 1)[1]}"
    [reading] = made.read_text(tmp_path, text)
    [series] = reading.series
    assert series.column("r/s") == [200, 300, 400]
    assert reading.first_sample == 0
    assert reading.begins == "Mon Mar  2 18:00:18 UTC 2026"


def test_a_trace_without_the_begin_of_its_statement_says_so(tmp_path: Path) -> None:
    calls = [line for line in made.TRACE.split("\n") if line.startswith(("EXEC", "WAIT", "FETCH"))]
    [reading] = made.read_text(tmp_path, "\n".join([*calls, ""]))
    with pytest.raises(NotIdentified, match="has no statement: no line PARSING IN CURSOR"):
        identify_statement([reading], "1")


def test_two_outputs_of_fio_with_lines_around_them_are_both_read(tmp_path: Path) -> None:
    text = f"{made.FIO}a line of a script\n{made.FIO.replace('5.25', '7.5')}the end\n"
    first, second = made.read_text(tmp_path, text)
    rates = [next(f for f in reading.figures if f.name == "iops") for reading in (first, second)]
    assert [figure.value for figure in rates] == [5.25, 7.5]
    assert "7.5" in text.splitlines()[rates[1].line - 1]
    skipped = sum(unread.lines for reading in (first, second) for unread in reading.unread
                  if unread.what == "text around the JSON")  # fmt: skip
    assert skipped == 4


@pytest.mark.parametrize(
    ("clock", "average"),
    [
        ("09时10分5{}秒", "平均时间:"),
        ("09시 10분 5{}초", "평균값:"),
        ("09:10:5{}", "Moyenne :"),
        ("오후 09:10:5{}", "평균:"),
    ],
)
def test_sar_of_another_language_is_read_by_its_columns(tmp_path: Path, clock: str, average: str) -> None:
    names, rows = ("DEV  tps  rkB/s  wkB/s  await", ("sda  2.00  8.00  0.00  1.50", "sda  4.00  8.00  0.00  3.50"))
    lines = ["Linux 5.4.0 (a) \t2026. 03. 02.\t_x86_64_\t(4 CPU)", ""]
    for second, row in enumerate(rows):
        lines += [f"{clock.format(second)}  {names}", f"{clock.format(second + 1)}  {row}", ""]
    lines += [f"{average}  {names}", f"{average}  sda  3.00  8.00  0.00  2.50"]
    (reading,) = made.read_text(tmp_path, "\n".join(lines) + "\n")
    (series,) = reading.series
    assert {column.name: list(values) for column, values in series.by_column()}["await"] == [0.0015, 0.0035]


@pytest.mark.parametrize("heading", ["OUTPUT", "REPORT_LINE"])
@pytest.mark.parametrize("page", [7, 14, 24])
def test_headings_of_pages_within_a_report_change_nothing(tmp_path: Path, heading: str, page: int) -> None:
    scenario = load("oltp-nvme", [*SMALL_OLTP, "workload.users=4", "workload.transactions=200"])
    text = written(run(scenario), "awr", scenario)
    lines = text.splitlines()
    paged: list[str] = ["SQL> spool report.txt"]
    for begin in range(0, len(lines), page):
        paged += ["", heading, "-" * 80, *lines[begin : begin + page]]
    (plain,) = made.read_text(tmp_path, text)
    (found,) = made.read_text(tmp_path, "\n".join(paged) + "\n")
    assert [(f.of, f.name, f.value) for f in found.figures] == [(f.of, f.name, f.value) for f in plain.figures]
    assert all("".join(paged[f.line - 1].split()) for f in found.figures)


def test_limits_of_a_calibration_are_read_from_each_form(tmp_path: Path) -> None:
    forms = {
        "MAX_IOPS,MAX_MBPS,LATENCY\n5100,420,6\n": ("latency", 6e-3),
        "max_iops = 5100\nlatency = 6\nmax_mbps = 420\n": ("latency", 6e-3),
        "Maximum Large MBPS=420.00 @ Small=0 and Large=4\nMaximum Small IOPS=5100 @ Small=20 and Large=0\n"
        "Minimum Small Latency=210.50 usecs @ Small=1 and Large=0\n": ("lone_latency", 210.5e-6),
    }
    for text, (name, latency_s) in forms.items():
        readings = made.read_text(tmp_path, text)
        found = calibration_of(readings)
        assert found is not None
        assert {path: figure.value for path, figure in found.limits} == pytest.approx(
            {"disk.iops_limit": 5100, "disk.throughput_limit_bytes_per_s": 420 * 2**20}
        )
        values = identify(readings).values()
        assert values["disk.overhead_s"] == pytest.approx(latency_s)
        assert values["disk.iops_limit"] == pytest.approx(5100)
        assert next(f.value for f in readings[0].figures if f.name == name) == pytest.approx(latency_s)


SADF_D = (
    "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n"
    "a.host;600;2026-11-22 00:10:01 UTC;sda;100.00;800.00;400.00;0.00;12.00;0.50;5.00;40.00\n"
    "a.host;600;2026-11-22 00:20:01 UTC;sda;300.00;900.00;500.00;0.00;14.00;2.40;8.00;60.00\n"
    "a.host;-1;2026-11-22 00:25:00 UTC;LINUX-RESTART;(4 CPU)\n"
    "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
    "a.host;600;2026-11-22 00:10:01 UTC;-1;10.00;0.00;5.00;20.00;0.00;65.00\n"
    "a.host;600;2026-11-22 00:20:01 UTC;broken\n"
)


def test_sadf_d_is_read_by_its_headings(tmp_path: Path) -> None:
    (reading,) = read_text(tmp_path, SADF_D)
    disk, processors = reading.series
    assert (disk.of, processors.of) == ("sda", "cpu")
    assert disk.column("tps") == [100.0, 300.0]
    means = {column.name: value for column, value in disk.means()}
    assert means["await"] == pytest.approx((100 * 5e-3 + 300 * 8e-3) / 400)
    assert reading.interval_s == 600
    assert not reading.names
    assert [(left.lines, left.what) for left in reading.unread] == [(1, "lines of another form")]
    assert not [text for text in reading.follows if "Little" in text]


FIO_TEXTS = {
    2: """a: (g=0): rw=randread, bs=8K-8K/8K-8K/8K-8K, ioengine=libaio, iodepth=32
...
fio-2.2.13
Starting 4 processes

a: (groupid=0, jobs=4): err= 0: pid=4711: Sat Mar  7 10:00:00 2026
  read : io=5765.0MB, bw=98388KB/s, iops=12300, runt= 60000msec
    slat (usec): min=1, max=98, avg= 2.50, stdev= 1.00
    clat (msec): min=1, max=20, avg=10.38, stdev= 1.50
     lat (msec): min=1, max=20, avg=10.40, stdev= 1.50
    clat percentiles (usec):
     |  1.00th=[ 4000],  5.00th=[ 5000], 99.00th=[15000], 99.95th=[18000]
    bw (KB  /s): min= 5359, max=47281, per=6.27%, avg=27803.56, stdev=7057.80
  cpu          : usr=1.24%, sys=5.45%, ctx=738000, majf=0, minf=290
     issued    : total=r=738000/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0
""",
    3: """a: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=libaio, iodepth=32
...
fio-3.16
Starting 4 processes

a: (groupid=0, jobs=4): err= 0: pid=4711: Sat Mar  7 10:00:00 2026
  read: IOPS=12.3k, BW=96.1MiB/s (101MB/s)(5765MiB/60000msec)
    slat (nsec): min=1000, max=98k, avg=2500.00, stdev=1000.00
    clat (usec): min=1000, max=20k, avg=10380.00, stdev=1500.00
     lat (usec): min=1000, max=20k, avg=10400.00, stdev=1500.00
    clat percentiles (msec):
     |  1.00th=[    4],  5.00th=[    5], 99.00th=[   15], 99.95th=[   18]
   bw (  KiB/s): min=90000, max=100000, per=100.00%, avg=98400.50, stdev=100.20, samples=480
  cpu          : usr=1.24%, sys=5.45%, ctx=738000, majf=0, minf=290
     issued rwts: total=738000,0,0,0 short=0,0,0,0 dropped=0,0,0,0
""",
}


@pytest.mark.parametrize("release", FIO_TEXTS)
def test_fio_s_text_says_what_its_json_says(tmp_path: Path, release: int) -> None:
    (reading,) = read_text(tmp_path, FIO_TEXTS[release])
    found = {(figure.of, figure.name): figure.value for figure in reading.figures}
    wanted = {
        ("job 1", "bs"): 8192, ("job 1", "iodepth"): 32, ("job 1", "numjobs"): 4, ("job 1 read", "iops"): 12_300,
        ("job 1 read", "bw_bytes"): 98388 * 1024, ("job 1 read", "runtime"): 60, ("job 1 read", "lat mean"): 0.0104,
        ("job 1 read", "slat mean"): 2.5e-6, ("job 1 read", "clat p99"): 0.015, ("job 1 read", "clat p99.95"): 0.018,
        ("job 1 read", "total_ios"): 738_000, ("job 1", "usr_cpu"): 0.0124,
    }  # fmt: skip
    assert {key: found[key] for key in wanted} == {key: pytest.approx(value, rel=2e-3) for key, value in wanted.items()}
    assert ("job 1 rw", "randread") in {(setting.name, setting.value) for setting in reading.settings}
    lines = FIO_TEXTS[release].splitlines()
    read_lines = {figure.line for figure in reading.figures} | {3}
    counted = sum(left.lines for left in reading.unread) + len(read_lines | {1, 11})
    assert counted == sum(bool(line.strip()) for line in lines)


def test_several_outputs_of_fio_s_text_are_read_one_by_one(tmp_path: Path) -> None:
    readings = read_text(tmp_path, FIO_TEXTS[2] + "\n" + FIO_TEXTS[3])
    assert [reading.title for reading in readings] == ["fio-2.2.13: 1 job", "fio-3.16: 1 job"]
