"""The text of an answer: TKPROF's columns to the letter, iostat's names, no line too wide, no colour when piped."""

import re
from collections.abc import Iterable
from functools import cache

import pytest
from click import unstyle

from blocktime.app.text.block_drawing import PARTS
from blocktime.app.text.compare_text import compare_lines, different_work
from blocktime.app.text.document import run_lines
from blocktime.app.text.iostat_text import device_section
from blocktime.app.text.plan_text import row_source_lines
from blocktime.app.text.profile import profile, scale_of
from blocktime.app.text.profile_table import profile_section
from blocktime.app.text.segment_text import HALF_PAGE, block_section, row_section, search_section, segment_section
from blocktime.app.text.text import answer, optimizer_section, tkprof_section
from blocktime.model.results import Call, EventTime, Interval, RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.idle import RULES
from tests.answered import answered
from tests.growing import GROWING
from tests.known_by_law import KNOWN

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
    return run(load("rahn-full-scan"))


def test_tkprof_is_printed_as_tkprof_prints(scan: RunResult) -> None:
    none = Call(count=1, cpu_s=0, elapsed_s=0, disk=0, query=0, current=0, rows=0)
    fetch = Call(count=71978, cpu_s=25.39, elapsed_s=26.42, disk=493333, query=560355, current=0, rows=7197670)
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
    heading, *lines = tkprof_section(printed).lines()
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


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    scenario = load(name)
    for line in map(unstyle, run_lines(run(scenario), scenario.title, width=width)):
        assert len(line) <= width, line
        assert line == line.rstrip(), line


@pytest.mark.parametrize("width", [80, 120, 160])
def test_a_comparison_fits_too(width: int) -> None:
    asked = [load(name) for name in ("rahn-full-scan", "full-scan-nvme", "index-range-scan-scattered")]
    lines = compare_lines([run(one) for one in asked], [one.title for one in asked], width=width)
    for line in map(unstyle, lines):
        assert len(line) <= width, line
        assert line == line.rstrip(), line


def test_bars_may_be_plain_letters(scan: RunResult) -> None:
    text = "\n".join(profile_section(scan).lines(100, "#"))
    assert "█" not in text
    assert "##" in text


def test_the_device_speaks_as_iostat() -> None:
    scan = run(load("rahn-full-scan", ["iostat.interval_s=1000"]))  # one line for the whole run
    _, heading, values = device_section(scan, 80).lines(80)
    names, numbers = heading.split()[1:], values.split()[1:]
    shown = dict(zip(names, map(float, numbers), strict=True))
    device = scan.device["disk"]
    assert shown["avgrq-sz"] == pytest.approx(device.average_request_bytes / 512, abs=0.01)
    assert shown["await"] == pytest.approx(1000 * device.await_s, abs=0.01)
    assert shown["%util"] == pytest.approx(100 * device.utilisation_fraction, abs=0.01)
    assert shown["rkB/s"] == pytest.approx(device.read_bytes_per_s / 1024, abs=0.01)
    _, wide, _ = device_section(scan, 120).lines(120)
    expected = ["Device:", "rrqm/s", "wrqm/s", "r/s", "w/s", "rsec/s", "wsec/s", "rkB/s", "wkB/s"]
    assert wide.split() == [*expected, "avgrq-sz", "avgqu-sz", "await", "svctm", "%util"]


def test_a_comparison_says_the_difference_in_time_and_percent(scan: RunResult) -> None:
    slower = run(load("rahn-full-scan", ["workload.arraysize_rows=1"]))
    assert different_work(scan, slower) == ""
    text = unstyle("\n".join(compare_lines([scan, slower], ["one", "two"])))
    assert "B-A" in text
    assert "Why\n- round trips to the client rose from 71,980 to 7,197,673" in text


CHANGES: dict[str, dict[str, dict[str, object]]] = {
    "growing": {},
    "at home": {"table": {"pctfree_percent": 35}},
    "manual": {"tablespace": {"space_management": "manual"}},
    "shared": {"workload": {"users": 4}},
    "random": {"table": {"rows": 20_000}, "workload": {"order": "random", "commit_every_rows": 1000}},
    "insert": {"workload": {"kind": "insert", "sets": None}},
    "delete": {"workload": {"kind": "delete", "rows_fraction": 0.3, "sets": None}},
}


@cache
def changed(name: str) -> RunResult:
    sections = {key: {**section, **CHANGES[name].get(key, {})} for key, section in GROWING.items()}
    sections["workload"] = {k: v for k, v in sections["workload"].items() if v is not None}
    return run(from_mapping(sections))


def growing() -> RunResult:
    return changed("growing")


def said(lines: Iterable[str]) -> str:
    return unstyle("\n".join(lines))


def test_the_headline_of_an_update_names_the_search_and_the_pctfree_that_avoids_it() -> None:
    text = answer(growing())
    assert re.match(r"It takes 1\d min \d+ s: 1\d min \d+ s space search \(9\d %\)[,.] ", text)
    assert text.endswith(". 79 % of the updated rows migrate. With PCTFREE 35 or higher, no row migrates.")
    assert "updating rows" in answer(changed("at home"))
    assert "migrate" not in answer(changed("at home"))


def test_an_update_that_no_pctfree_helps_says_so() -> None:
    result = growing()
    none = result.segment.model_copy(update={"pctfree_needed_percent": 100.0})
    assert answer(result.model_copy(update={"segment": none})).endswith("No PCTFREE prevents this.")
    long = none.model_copy(update={"chained_rows": 7.0})
    assert answer(result.model_copy(update={"segment": long})).endswith(
        "prevents this: 7 rows no longer fit in a block."
    )
    enough = result.segment.model_copy(update={"pctfree_needed_percent": 10.0})
    assert answer(result.model_copy(update={"segment": enough})).endswith("79 % of the updated rows migrate.")


def test_the_profile_counts_what_was_done_to_rows() -> None:
    result = growing()
    rows = {row.name: row for row in profile(result)}
    assert result.changes is not None
    assert rows["CPU: updating rows"].count == result.changes.rows
    assert rows["CPU: migrating rows"].count == result.changes.migrated
    assert rows["CPU: space search"].count == result.segment.rejected_probes
    assert rows["CPU: buffer gets"].count == result.logical_io.consistent_gets


def test_a_session_is_charged_for_its_own_rows() -> None:
    alone, shared = ({row.name: row for row in profile(changed(name))} for name in ("growing", "shared"))
    slower = shared["CPU: updating rows"].each_s / alone["CPU: updating rows"].each_s
    assert 1 < slower <= 1 / 0.88 + 1e-9  # cores that are busy at once run at 88 % of their speed at worst
    for work in ("migrating rows", "space search"):
        assert shared[f"CPU: {work}"].each_s == pytest.approx(slower * alone[f"CPU: {work}"].each_s, rel=1e-3)
    assert shared["CPU: updating rows"].count == pytest.approx(50_000)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("width", [72, 80, 120, 160])
def test_changes_of_rows_fit_the_terminal(name: str, width: int) -> None:
    fixed = set(map(unstyle, tkprof_section(changed(name)).lines()))  # TKPROF's own columns take 80
    for line in map(unstyle, run_lines(changed(name), "rows that change", width=width)):
        assert len(line) <= width or line in fixed, line
        assert line == line.rstrip(), line


@pytest.mark.parametrize("width", [80, 120, 160])
def test_a_comparison_of_changes_fits_too(width: int) -> None:
    asked = [changed(name) for name in CHANGES]
    for line in map(unstyle, compare_lines(asked, list(CHANGES), width=width)):
        assert len(line) <= width, line


def test_large_counts_keep_their_distance(scan: RunResult) -> None:
    result = scan  # where gets are more than a thousandth of the time
    gets = result.logical_io.model_copy(update={"consistent_gets": 123_456_789_012.0})
    lines = list(map(unstyle, profile_section(result.model_copy(update={"logical_io": gets})).lines()))
    (line,) = [line for line in lines if line.startswith("CPU: buffer gets")]
    assert "123,456,789,012" in line.split()
    call = Call(count=1, cpu_s=0, elapsed_s=0, disk=0, query=98765432109, current=12345678901, rows=1)
    (total,) = [
        line
        for line in tkprof_section(result.model_copy(update={"calls": {"execute": call}})).lines()
        if line.startswith("total")
    ]
    assert total.split()[5:7] == ["98765432109", "12345678901"]


def test_rows_segment_and_search_say_what_the_result_holds() -> None:
    result = growing()
    assert result.changes is not None
    assert result.space_search is not None
    rows = said(row_section(result).lines())
    assert f"updated   200,000, {result.changes.in_place:,.0f} of them in place" in rows
    assert f"migrated  {result.changes.migrated:,.0f} (79.3 %)" in rows
    assert "AVG_ROW_LEN 5 before, 11 after" in rows
    assert "commits   0 before the end" in rows
    segment = said(segment_section(result).lines(HALF_PAGE))
    assert f"blocks    {result.segment.blocks_after:,.0f} below the high-water mark, 184 before" in segment
    assert "PCTFREE   10; with 35 or higher, no row migrates" in segment
    assert f"ITL       full in {result.segment.itl_full_blocks:,.0f} blocks, up to 255 entries each" in segment
    assert re.search(r"free +FS1 +FS2 +FS3 +FS4 +Full\n", segment)
    assert re.search(r"  before +0 +0 +1 +33 +150\n", segment)
    search = said(search_section(result).lines())
    assert f"placed    {result.space_search.placed:,.0f} row pieces" in search
    assert f"rejected  {result.segment.rejected_probes:,.0f} probes, of them" in search
    assert f"{result.space_search.rejected_itl:,.0f} probes: ITL list full" in search
    assert "1 probe: not enough space, then marked full" in search
    assert "bug 6918210" in search
    assert search.index("kdtgrs") < search.index("ktspfsrch") < search.index("kdb_count_pdml_itl")


def test_a_stack_is_shown_only_where_it_would_be_seen() -> None:
    assert "stack" not in said(search_section(changed("manual")).lines())
    assert "bug" not in said(search_section(changed("manual")).lines())


def test_parts_that_do_not_apply_are_absent(scan: RunResult) -> None:
    for lines in (row_section(scan).lines(), search_section(scan).lines(), block_section(scan).lines()):
        assert list(lines) == []
    assert list(search_section(changed("at home")).lines()) == []
    assert list(optimizer_section(changed("insert")).lines()) == []
    assert "inserted  100,000" in said(row_section(changed("insert")).lines())
    assert "deleted   60,000" in said(row_section(changed("delete")).lines())


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("width", [72, 80, 120])
@pytest.mark.parametrize("plain", [True, False])
def test_blocks_are_drawn_to_scale_in_few_lines(name: str, width: int, plain: bool) -> None:
    heading, columns, *lines = map(unstyle, block_section(changed(name), width, plain).lines())
    assert heading.startswith("Inside ")
    assert columns.split() == ["block", "before", "after"]
    drawn = [line for line in lines if line[0].isdigit()]
    assert 1 <= len(drawn) <= 6
    assert len(lines) <= 8
    start = columns.index("after")
    letters = {part.plain if plain else part.letter for part in PARTS}
    for line in drawn:
        block = line[start:].split("  ")[0]
        assert len(block) == start - columns.index("before") - 2
        assert set(block) <= letters
    if plain:
        assert "\n".join(lines).isascii()


def test_the_drawing_shows_rows_leaving_and_arriving() -> None:
    text = said(block_section(growing(), 80).lines())
    (home, *_) = [line for line in text.splitlines() if line.startswith("0")]
    assert "█" in home
    assert "░" not in home[: len(home) // 2]
    assert "░" in home[len(home) // 2 :]
    assert "not there yet" in text
    assert "▓ rows that moved in" in text
    assert "- PCTFREE reserve, free" in text


def test_counts_of_changed_rows_stand_side_by_side(scan: RunResult) -> None:
    text = said(compare_lines([growing(), changed("at home")], ["10", "35"], width=80))
    for name in ("Migrated rows", "Rejected probes", "Segment blocks", "Undo and redo"):
        assert f"\n{name} " in text
    assert "Migrated rows" not in said(compare_lines([scan, scan], ["", ""], width=80))


def test_half_a_page_holds_the_segment() -> None:
    result = run(load("rahn-pctfree-16k-10"))
    assert result.segment
    for freeness in (result.segment.freeness_after, {"unformatted": 12, "full": 123_456}):
        segment = result.segment.model_copy(update={"freeness_after": freeness})
        lines = list(map(unstyle, segment_section(result.model_copy(update={"segment": segment})).lines(HALF_PAGE)))
        assert max(map(len, lines)) <= 62
        words, free, *counts = lines[-4:]
        assert words.startswith("free")
        assert [line.split()[0] for line in counts] == ["before", "after"]
        for count in counts:
            ends = [found.end() for found in re.finditer(r"\S+", words[10:])]
            assert [found.end() for found in re.finditer(r"\S+", count[10:])] == ends
        assert free.split()[0].startswith("0-25")


def test_what_takes_less_than_a_thousandth_shares_a_line_of_the_profile() -> None:
    result = growing()
    folded = [row for row in profile(result) if row.fraction < 0.001]
    assert len(folded) > 1
    text = said(profile_section(result).lines())
    assert f"{len(folded)} more below 0.1 % each" in text
    assert not [row.name for row in folded if row.name in text]
    names = [row.name for row in profile(result)]
    assert len(names) > len(text.splitlines()) - 4  # the answer itself keeps every component


def test_a_difference_that_may_be_chance_has_no_colour() -> None:
    def answered(seconds: float, half: float) -> RunResult:
        result = changed("at home")
        interval = Interval(low_s=seconds - half, high_s=seconds + half, confidence=0.95)
        time = result.time.model_copy(update={"elapsed_s": seconds, "interval": interval})
        return result.model_copy(update={"time": time})

    def last(half: float) -> str:
        lines = compare_lines([answered(10.0, half), answered(11.0, half)], ["", ""], width=120)
        return next(line for line in lines if unstyle(line).startswith("elapsed"))

    assert "\x1b[31m" in last(0.1)
    assert "\x1b[31m" not in last(1.0)


def test_row_sources_take_as_long_in_tkprof_as_in_the_answer() -> None:
    result = answered("index-range-scan")
    took_us = [float(time) for time in re.findall(r"time=(\d+) us", "\n".join(row_source_lines(result)))]
    assert took_us == [round(1e6 * source.time_s) for source in result.row_sources]


def test_an_answer_shorter_than_a_second_is_told_in_milliseconds() -> None:
    result = run(load("index-unique-scan"))
    lines = [unstyle(line) for line in profile_section(result).lines(80)]
    (head,) = [line for line in lines if line.startswith("component")]
    assert " ms " in head
    assert float(lines[-1].split()[1]) == pytest.approx(1000 * result.time.elapsed_s, abs=1e-3)


def test_notes_of_a_comparison_say_which_scenario_they_mean() -> None:
    scenarios = [load("tpc-c"), load("tpc-c", ["disk.use=nvme"]), load("oltp-nvme")]
    results = [run(scenario) for scenario in scenarios]
    text = unstyle(" ".join(compare_lines(results, ["", "", ""], width=160, scenarios=scenarios)))
    text = " ".join(text.split())
    assert "warning A: host, client and disk costs are typical values" in text
    assert "warning B: host and client costs are typical values" in text
    assert "%util C: iostat's %util is 13 %" in text


@pytest.mark.parametrize("users", [1, 30])
def test_several_sessions_have_a_last_one(users: int) -> None:
    settings = ["workload.kind=delete", f"workload.users={users}", "table.rows=50000"]
    result = run(load("full-scan-nvme", settings))
    text = unstyle("\n".join(run_lines(result, width=80)))
    found = re.search(r"^last session ends after +([\d.,]+)$", text, re.MULTILINE)
    assert (found is not None) == (users > 1)
    if found:
        last_s = result.time.last_session_s
        assert last_s is not None
        assert float(found[1].replace(",", "")) == pytest.approx(scale_of([result]).per_s * last_s, abs=5e-4)
        flat = " ".join(text.split())
        early = f"end early, the last one ends after {show_seconds(last_s)}"
        assert (early in flat) == (result.time.elapsed_s < users * result.time.cpu_s / 4)


def test_tkprof_tells_of_all_parallel_servers() -> None:
    """Calls and events alike are sums over the servers, as of their trace files together."""
    result = run(load("parallel-scan", ["table.rows=2000000"]))
    printed = next(line for line in tkprof_section(result).lines() if line.strip().startswith("direct path read "))
    assert int(printed.split()[3]) == pytest.approx(
        result.physical_io.read_requests, rel=0.15
    )  # but for what is there already


def test_processors_decide_for_parallel_servers() -> None:
    scenario = load("parallel-scan")
    assert not RULES["host.cpus"](scenario.system, scenario.workload)[0]
    alone = load("full-scan-nvme")
    assert RULES["host.cpus"](alone.system, alone.workload)[0]
