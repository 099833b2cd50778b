"""An answer in the files that a system would leave: TKPROF, iostat, AWR as text and HTML, a SQL trace, fio's JSON.

They are laid beside the real thing, and `blocktime measure` reads them back.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from math import isnan
from typing import Final

from click import unstyle

from app.text.iostat_text import Measured, columns_of, device_head, value_of
from app.text.text import tkprof_lines
from model.errors import SpecError
from model.results import RunResult

HOUR_S: Final = 3600.0
"""An AWR report of transactions covers an hour of them; one of a statement, the statement."""
MOST_FETCHES: Final = 50
"""Fetch calls of the excerpt of a trace."""
MICROSECONDS: Final = 1e6
KB: Final = 1024
SINGLE: Final = "Waits", "Total Wait Time (s)", "Avg wait"


def written(result: RunResult, form: str) -> str:
    """*result* as the file *form*; raises SpecError where the answer has nothing of it."""
    text = FORMS[form](result)
    if not text:
        able = [name for name, write in FORMS.items() if write(result)]
        raise SpecError(f"--as {form}: this answer has no {form}; allowed are {', '.join(able)}")
    return text


def _tkprof(result: RunResult) -> str:
    if not result.calls:
        return ""
    lines = [unstyle(line) for line in tkprof_lines(result, row_sources=True)][1:]
    note = "Written by Blocktime from a model; no database ran."
    return "\n".join(["TKPROF: Release 19.0.0.0.0 - modelled on no date", "", note, "", *lines, ""])


def _iostat(result: RunResult) -> str:
    """Samples where the simulation kept them, else one for the whole run; nothing where a response time is unknown."""
    columns = columns_of(result)
    printed = [value_of(name, stats) for stats in result.device.values() for name in columns]
    if not printed or any(map(isnan, printed)):
        return ""
    lines = [f"Linux {result.kernel or '6.8.0'} (modelled) \t01/01/2026 \t_x86_64_", ""]
    header = f"{device_head(columns):<7}" + "".join(f"{name:>11}" for name in columns)
    samples = max(len(stats.lines) for stats in result.device.values())
    for sample in range(max(samples, 1)):
        lines.append(header)
        for name, stats in result.device.items():
            measured: Measured = stats.lines[sample] if sample < len(stats.lines) else stats
            if samples and sample >= len(stats.lines):
                continue
            lines.append(f"{name:<7}" + "".join(f"{value_of(column, measured):>11.2f}" for column in columns))
        lines.append("")
    return "\n".join(lines)


def _sections(result: RunResult) -> Iterator[tuple[str, str, tuple[str, ...], list[tuple[str, ...]]]]:
    """AWR's sections: title, summary of its HTML, columns, rows."""
    elapsed_s, number, commits = _period(result)
    gets, io = result.logical_io, result.physical_io
    time = result.time

    def profile(name: str, each: float, digits: int = 1) -> tuple[str, ...]:
        total = each * number
        return name, f"{total / elapsed_s:,.{digits}f}", f"{total / commits:,.{digits}f}"

    rows = [profile("DB Time(s):", _db_time(result), 4), profile("DB CPU(s):", time.cpu_s, 4)]
    if result.changes is not None:
        rows.append(profile("Redo size (bytes):", result.changes.redo_bytes))
    if gets is not None:
        rows.append(profile("Logical read (blocks):", gets.consistent_gets + gets.current_gets))
    rows += [
        profile("Physical read (blocks):", io.read_blocks),
        profile("Read IO requests:", io.read_requests),
    ]
    rows += [profile("Write IO requests:", io.write_requests)] if io.write_requests else []
    if result.transactions is not None:
        rows.append(("Transactions:", f"{result.transactions.per_s:,.1f}", ""))
    yield "Load Profile", "load profile", ("", "Per Second", "Per Transaction"), rows
    waits: list[tuple[str, ...]] = [
        (
            event,
            f"{waited.waits * number:,.0f}",
            f"{waited.total_s * number:,.0f}",
            f"{1e3 * waited.total_s / waited.waits:,.2f}ms" if waited.waits else "",
        )
        for event, waited in sorted(time.wait.items(), key=lambda item: -item[1].total_s)
        if round(waited.waits * number)
    ]
    if waits:
        yield (
            "Foreground Wait Events",
            "Foreground Wait Events and their wait statistics",
            ("Event", *SINGLE),
            waits,
        )
    model: list[tuple[str, ...]] = [
        ("DB CPU", f"{time.cpu_s * number:,.1f}"),
        ("DB time", f"{_db_time(result) * number:,.1f}"),
    ]
    yield "Time Model Statistics", "different time model statistics", ("Statistic Name", "Time (s)"), model


def _db_time(result: RunResult) -> float:
    """Time within calls: of a statement the elapsed time of its calls, else all but waiting for the client."""
    if result.calls:
        return sum(call.elapsed_s for call in result.calls.values())
    idle = sum(
        waited.total_s for event, waited in result.time.wait.items() if event == "SQL*Net message from client"
    )
    return max(0.0, result.time.elapsed_s - idle)


def _period(result: RunResult) -> tuple[float, float, float]:
    """Seconds that the report covers, how often the answer's work ran in them, and transactions."""
    if result.transactions is not None:
        number = result.transactions.per_s * HOUR_S
        return HOUR_S, number, max(number, 1e-9)
    return (
        max(result.time.elapsed_s, 1e-9),
        1.0,
        result.changes.commits or 1.0 if result.changes is not None else 1.0,
    )


def _minutes(result: RunResult) -> Iterator[tuple[str, float]]:
    """What the head of a report says in minutes."""
    elapsed_s, number, _ = _period(result)
    yield "Elapsed", elapsed_s / 60
    yield "DB Time", _db_time(result) * number / 60


def _awr(result: RunResult) -> str:
    if result.streams:
        return ""
    lines = [
        "WORKLOAD REPOSITORY report for", "", "Written by Blocktime from a model; no database ran.", "",
        "DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB",
        "------------ ----------- ----------- ---------------- ------- ---------- --- ---",
        "MODELLED               1 modelled    PRIMARY          EE      19.0.0.0.0 NO  NO", "",
        *(f"   {name}:        {minutes:,.2f} (mins)" for name, minutes in _minutes(result)), "",
    ]  # fmt: skip
    for title, _, columns, rows in _sections(result):
        if title == "Load Profile":
            lines += [*_ruled((title, *columns[1:]), rows, is_profile=True), "", ""]
        else:
            lines += [f"{title:<38}DB/Inst: MODELLED/modelled  Snaps: 1-2", "", *_ruled(columns, rows)]
            lines += [" " * 26 + "-" * 54, ""]
    return "\n".join([*lines, "End of Report", ""])


def _ruled(heads: tuple[str, ...], rows: list[tuple[str, ...]], is_profile: bool = False) -> Iterator[str]:
    """A table of AWR under rules; the title of the load profile stands over its names, which end at the right."""
    first, *columns = zip(*rows, strict=True)
    longest = max(map(len, first))
    widths = [longest if is_profile else max(len(heads[0]), longest)]
    widths += [max(len(head), *map(len, column)) for head, column in zip(heads[1:], columns, strict=True)]
    yield " ".join(f"{head:<{wide}}" for head, wide in zip(heads, widths, strict=True)).rstrip()
    rules = ["~" if is_profile else "-", *("-" for _ in columns)]
    yield " ".join(rule * wide for rule, wide in zip(rules, widths, strict=True))
    sides = [">" if is_profile else "<", *(">" for _ in columns)]
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        yield " ".join(f"{cell:{side}{wide}}" for cell, side, wide in cells).rstrip()


def _awr_html(result: RunResult) -> str:
    if result.streams:
        return ""
    parts = [
        '<html lang="en"><head><title>AWR Report for DB: MODELLED, Inst: modelled</title></head><body class="awr">',
        "<h1>WORKLOAD REPOSITORY report for</h1><p>Written by Blocktime from a model; no database ran.</p>",
        _table(
            "database instance information", ("DB Name", "Release", "RAC"), [("MODELLED", "19.0.0.0.0", "NO")]
        ),
        _table(
            "snapshot information",
            ("", "Snap Id", "Snap Time"),
            [(f"{name}:", "", f"{minutes:,.2f} (mins)") for name, minutes in _minutes(result)],
        ),
    ]
    parts += [
        f"<h3>{title}</h3>\n{_table(summary, columns, rows)}"
        for title, summary, columns, rows in _sections(result)
    ]
    return "\n".join([*parts, "End of Report", "</body></html>", ""])


def _table(summary: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    return f'<table border="0" summary="This table displays {summary}">\n{row(columns, "th")}\n{body}</table>'


def _trace(result: RunResult) -> str:
    """The first fetch calls, each with its share of gets, reads and waits, in whole microseconds."""
    fetch = result.calls.get("fetch")
    if fetch is None or not fetch.count:
        return ""
    number = int(min(fetch.count, MOST_FETCHES))
    lines = [
        "Trace file modelled.trc", "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production",
        "Written by Blocktime from a model; no database ran: an excerpt, its means in each call.", "",
        "=====================",
        "PARSING IN CURSOR #1 len=1 dep=0 uid=0 oct=3 lid=0 tim=1 hv=1 ad='1' sqlid='modelledquery'",
        "?", "END OF STMT",
        "PARSE #1:c=0,e=0,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1",
        "EXEC #1:c=0,e=0,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1",
    ]  # fmt: skip
    tim, done = 1, dict.fromkeys(result.time.wait, 0)
    for call in range(1, number + 1):
        share = call / fetch.count
        for event, waited in result.time.wait.items():
            times = round(waited.waits * share) - done[event]
            done[event] += times
            ela = round(MICROSECONDS * waited.total_s / waited.waits) if waited.waits else 0
            for _ in range(times):
                tim += ela
                lines.append(f"WAIT #1: nam='{event}' ela= {ela} p1=0 p2=0 obj#=1 tim={tim}")
        spent = round(MICROSECONDS * fetch.cpu_s / fetch.count)
        tim += spent
        counts = [
            round(total * share) - round(total * (call - 1) / fetch.count)
            for total in (fetch.disk, fetch.query, fetch.current, fetch.rows)
        ]
        disk, query, current, rows = counts
        elapsed = round(MICROSECONDS * fetch.elapsed_s / fetch.count)
        lines.append(
            f"FETCH #1:c={spent},e={elapsed},p={disk},cr={query},cu={current},mis=0,r={rows},dep=0,og=1,plh=1,tim={tim}"
        )
    return "\n".join([*lines, f"CLOSE #1:c=0,e=0,dep=0,type=0,tim={tim}", ""])


def _fio(result: RunResult) -> str:
    jobs: list[dict[str, object]] = []
    for stream in result.streams or ():
        direction = "write" if stream.writes else "read"
        latency: dict[str, object] = {"mean": round(stream.response_s * 1e9, 6)}
        shares = {name[1:]: value for name, value in stream.response_percentiles.items() if name != "max"}
        if shares:
            latency["max"] = round(stream.response_percentiles.get("max", 0.0) * 1e9)
            latency["percentile"] = {
                f"{float(share):.6f}": round(value * 1e9) for share, value in shares.items()
            }
        reached = {
            "io_bytes": round(stream.bytes), "bw_bytes": round(stream.bytes_per_s),
            "iops": round(stream.calls_per_s, 6), "runtime": round(1e3 * stream.elapsed_s),
            "total_ios": round(stream.calls), "lat_ns": latency,
        }  # fmt: skip
        jobs.append({"jobname": f"{stream.kind} {stream.path}", "groupid": len(jobs), direction: reached})
    if not jobs:
        return ""
    return (
        json.dumps(
            {"fio version": "fio-3.36", "written by": "Blocktime, from a model", "jobs": jobs}, indent=2
        )
        + "\n"
    )


FORMS: Final[dict[str, Callable[[RunResult], str]]] = {
    "tkprof": _tkprof,
    "trace": _trace,
    "iostat": _iostat,
    "awr": _awr,
    "awr-html": _awr_html,
    "fio": _fio,
}
"""What an answer can be written as -> the file's text, empty where the answer has nothing of it."""
