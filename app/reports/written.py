"""An answer in the files that a system would leave: TKPROF, iostat, AWR as text and HTML, a SQL trace, fio's JSON.

They are laid beside the real thing, and `blocktime measure` reads them back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isnan
from typing import Final

from click import unstyle

from blocktime.app.reports.written_awr import awr, awr_html
from blocktime.app.text.iostat_text import Measured, columns_of, device_head, value_of
from blocktime.app.text.text import tkprof_lines
from blocktime.model.causes import OUTSIDE_CALLS
from blocktime.model.errors import SpecError, UnknownName
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario

MOST_FETCHES: Final = 50
"""Fetch calls of the excerpt of a trace."""
MICROSECONDS: Final = 1e6


AnswerWriter = Callable[[RunResult, Scenario | None], str]
"""Writes an answer, empty where it has nothing of that file; AWR tells of the system that was asked for, too."""


def written(result: RunResult, form: str, scenario: Scenario | None = None) -> str:
    """*result* as the file *form*; raises SpecError for another form, or an answer that has nothing of it."""
    if form not in FORMS:
        raise UnknownName("report", str(form), [*FORMS])
    text = FORMS[form](result, scenario)
    if not text:
        able = [name for name, write in FORMS.items() if write(result, scenario)]
        raise SpecError(f"--as {form}: this answer has no {form}; allowed are {', '.join(able)}")
    return text


def _tkprof(result: RunResult, _: Scenario | None = None) -> str:
    if not result.calls:
        return ""
    lines = [unstyle(line) for line in tkprof_lines(result, row_sources=True)]
    note = "Written by Blocktime from a model; no database ran."
    foot = f"{result.time.elapsed_s:>8.0f}  elapsed seconds in trace file."
    return "\n".join(["TKPROF: Release 19.0.0.0.0 - modelled on no date", "", note, "", *lines, "", foot, ""])


def _iostat(result: RunResult, _: Scenario | None = None) -> str:
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


def _trace(result: RunResult, _scenario: Scenario | None = None) -> str:
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
        share, inside = call / fetch.count, 0
        for event, waited in result.time.wait.items():
            times = round(waited.waits * share) - done[event]
            done[event] += times
            ela = round(MICROSECONDS * waited.total_s / waited.waits) if waited.waits else 0
            inside += times * ela * (event not in OUTSIDE_CALLS)
            for _ in range(times):
                tim += ela
                lines.append(f"WAIT #1: nam='{event}' ela= {ela} p1=0 p2=0 obj#=1 tim={tim}")
        spent = round(MICROSECONDS * fetch.cpu_s / fetch.count)
        elapsed = round(MICROSECONDS * fetch.elapsed_s / fetch.count)
        tim += max(0, elapsed - inside)
        disk, query, current, rows = (
            round(total * share) - round(total * (call - 1) / fetch.count)
            for total in (fetch.disk, fetch.query, fetch.current, fetch.rows)
        )
        lines.append(
            f"FETCH #1:c={spent},e={elapsed},p={disk},cr={query},cu={current},mis=0,r={rows},dep=0,og=1,plh=1,tim={tim}"
        )
    return "\n".join([*lines, f"CLOSE #1:c=0,e=0,dep=0,type=0,tim={tim}", ""])


def _fio(result: RunResult, _: Scenario | None = None) -> str:
    jobs: list[dict[str, object]] = []
    for stream in result.streams or ():
        direction = "write" if stream.writes else "read"
        latency: dict[str, object] = {"mean": round(stream.response_s * 1e9, 6)}
        shares = {name[1:]: value for name, value in stream.response_percentiles.items() if name != "max"}
        if shares:
            latency["max"] = round(stream.response_percentiles.get("max", 0.0) * 1e9)
            latency["percentile"] = {f"{float(share):.6f}": round(at * 1e9) for share, at in shares.items()}
        reached = {
            "io_bytes": round(stream.bytes), "bw_bytes": round(stream.bytes_per_s),
            "iops": round(stream.calls_per_s, 6), "runtime": round(1e3 * stream.elapsed_s),
            "total_ios": round(stream.calls), "lat_ns": latency,
        }  # fmt: skip
        jobs.append({"jobname": f"{stream.kind} {stream.path}", "groupid": len(jobs), direction: reached})
    if not jobs:
        return ""
    report = {"fio version": "fio-3.36", "written by": "Blocktime, from a model", "jobs": jobs}
    return json.dumps(report, indent=2) + "\n"


FORMS: Final[dict[str, AnswerWriter]] = {
    "tkprof": _tkprof,
    "trace": _trace,
    "iostat": _iostat,
    "awr": awr,
    "awr-html": awr_html,
    "fio": _fio,
}
"""What an answer can be written as -> the file's text, empty where the answer has nothing of it."""
