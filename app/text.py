"""Answers as plain text: lines for a terminal or a file, aligned like TKPROF and iostat; no arithmetic of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click import style

from model.demand import DIRECT, FROM_CLIENT, MORE_DATA, SCATTERED, SEQUENTIAL, TO_CLIENT
from model.results import Call, RunResult
from model.units import show_bytes, show_seconds
from scenarios.compare import CPU, UNACCOUNTED, changes, components, path, why

if TYPE_CHECKING:
    from validation.calibrate import Fit

SECTOR_BYTES = 512
NAME_WIDTH = 30
MOST_READ_SIZES = 8

WAITING = {
    FROM_CLIENT: "waiting for the client",
    TO_CLIENT: "sending to the client",
    MORE_DATA: "sending to the client",
    DIRECT: "waiting for reads",
    SCATTERED: "waiting for reads",
    SEQUENTIAL: "waiting for reads",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the response-time profile."""

    name: str
    seconds: float
    fraction: float
    count: float | None
    each_s: float | None


def profile(result: RunResult) -> list[Row]:
    """The components of the response time, the largest first, with how often each occurred where that is known."""
    counts = _counts(result)
    elapsed = result.time.elapsed_s
    rows = []
    for name, seconds in components(result).items():
        count = counts.get(name)
        each = seconds / count if count else None
        rows.append(Row(name, seconds, seconds / elapsed if elapsed else 0.0, count, each))
    return sorted(rows, key=lambda row: -row.seconds)


def _counts(result: RunResult) -> dict[str, float]:
    """How often the components occurred, for those the result counts."""
    found = {event: waited.waits for event, waited in result.time.wait.items()}
    fetch = result.calls.get("fetch")
    found[f"{CPU}buffer gets"] = result.logical_io.consistent_gets + result.logical_io.current_gets
    found[f"{CPU}read calls"] = result.physical_io.read_requests
    found[f"{CPU}filling the buffer cache"] = result.physical_io.read_blocks
    found[f"{CPU}calls"] = sum(call.count for call in result.calls.values())
    if fetch is not None:
        found[f"{CPU}fetching rows"] = fetch.rows
    return found


def answer(result: RunResult) -> str:
    """The answer in one sentence: how long it takes, and where the time goes."""
    elapsed = result.time.elapsed_s
    parts: dict[str, float] = {"CPU": result.time.cpu_s}
    for event, waited in result.time.wait.items():
        words = WAITING.get(event, event)
        parts[words] = parts.get(words, 0.0) + waited.total_s
    for cause, seconds in result.time.unaccounted.items():
        parts[cause] = parts.get(cause, 0.0) + seconds
    largest = sorted(((s, n) for n, s in parts.items() if s >= 0.01 * elapsed), reverse=True)[:3]
    shares = [f"{show_seconds(s)} {n} ({100 * s / elapsed:.0f} %)" for s, n in largest] if elapsed else []
    where = f": {_and(shares)}" if shares else ""
    interval = result.time.interval
    within = ""
    if interval is not None:
        low, high = show_seconds(interval.low_s), show_seconds(interval.high_s)
        within = f" (mean of the replications {low} to {high}, {100 * interval.confidence:.0f} % confidence)"
    return f"It takes {show_seconds(elapsed)}{within}{where}."


def run_lines(result: RunResult, title: str = "", *, width: int = 80, bar: str = "█") -> Iterator[str]:
    """Everything about one answer, line by line."""
    yield from heading_lines(result, title, width)
    yield ""
    yield from _wrapped(answer(result), width, bold=True)
    for section in (
        profile_lines(result, width, bar),
        tkprof_lines(result),
        io_lines(result, width),
        segment_lines(result),
        device_lines(result, width),
        optimizer_lines(result),
        note_lines(result, width),
    ):
        lines = list(section)
        if lines:
            yield ""
            yield from lines


def heading_lines(result: RunResult, title: str, width: int) -> Iterator[str]:
    """What was asked, and what answered it."""
    made = f"engine {result.engine}, seed {result.seed}, blocktime {result.version}"
    if result.engine == "calculate":
        made = f"engine calculate, blocktime {result.version}"
    if result.events is not None:
        made += f", {result.events:,} events"
    yield from _wrapped(f"{result.scenario} – {title}" if title else result.scenario, width, bold=True)
    yield style(made, dim=True)


def profile_lines(result: RunResult, width: int = 80, bar: str = "█") -> Iterator[str]:
    """The response-time profile, sorted, with a bar where there is room for it."""
    rows = profile(result)
    yield _head("Response-time profile")
    yield f"{'component':<{NAME_WIDTH}}{'seconds':>11}{'%':>7}{'count':>12}{'each':>9}"
    room = max(0, min(40, width - NAME_WIDTH - 42))
    longest = max((row.seconds for row in rows), default=0.0)
    for row in rows:
        first, *more = textwrap.wrap(row.name, NAME_WIDTH - 1, subsequent_indent="  ") or [""]
        count = "" if row.count is None else f"{row.count:,.0f}"
        each = "" if row.each_s is None else show_seconds(row.each_s)
        numbers = f"{row.seconds:>11,.3f}{round(100 * row.fraction, 1) + 0.0:>7.1f}{count:>12}{each:>9}"
        length = round(room * row.seconds / longest) if longest > 0 else 0
        blocks = "  " + style(bar * length, fg=_colour(row.name)) if length > 0 else ""
        yield f"{first:<{NAME_WIDTH}}{numbers}{blocks}".rstrip()
        yield from more
    yield f"{'elapsed':<{NAME_WIDTH}}{result.time.elapsed_s:>11,.3f}{100:>7.1f}"


def _colour(name: str) -> str:
    if name.startswith(CPU):
        return "green"
    if name.startswith("SQL*Net"):
        return "yellow"
    return "white" if name.startswith(UNACCOUNTED) else "blue"


def tkprof_lines(result: RunResult) -> Iterator[str]:
    """Calls and waits, in TKPROF's own columns."""
    rule = "------- ------  -------- ---------- ---------- ---------- ----------  ----------"
    yield _head("TKPROF")
    yield "call     count       cpu    elapsed       disk      query    current        rows"
    yield rule
    for name, call in result.calls.items():
        yield _call(name.capitalize(), call)
    yield rule
    yield _call("total", _total(result.calls.values()))
    if not result.time.wait:
        return
    yield ""
    yield "Elapsed times include waiting on following events:"
    yield "  Event waited on                             Times   Max. Wait  Total Waited"
    yield "  ----------------------------------------   Waited  ----------  ------------"
    for event, waited in result.time.wait.items():
        yield f"  {event:<40} {waited.waits:>8.0f}  {waited.max_s:>10.2f}  {waited.total_s:>12.2f}"


def _call(name: str, call: Call) -> str:
    return (
        f"{name:<7}{call.count:>7.0f}{call.cpu_s:>10.2f}{call.elapsed_s:>11.2f}{call.disk:>11.0f}"
        f"{call.query:>11.0f}{call.current:>11.0f}{call.rows:>12.0f}"
    )


def _total(calls: Iterable[Call]) -> Call:
    listed = list(calls)
    return Call(
        count=sum(call.count for call in listed),
        cpu_s=sum(call.cpu_s for call in listed),
        elapsed_s=sum(call.elapsed_s for call in listed),
        disk=sum(call.disk for call in listed),
        query=sum(call.query for call in listed),
        current=sum(call.current for call in listed),
        rows=sum(call.rows for call in listed),
    )


def io_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Reads and writes that left the cache: how they were read and why, and their sizes."""
    io, cache, gets = result.physical_io, result.cache, result.logical_io
    yield _head("I/O")
    yield from _wrapped(result.access, width, first="access    ")
    current = f", {gets.current_gets:,.0f} current gets" if gets.current_gets else ""
    each = f"{show_seconds(gets.cpu_per_get_s)} of CPU each with its rows"
    yield from _wrapped(
        f"{gets.consistent_gets:,.0f} consistent gets{current}, {each}", width, first="logical   "
    )
    yield f"cache     {cache.hits:,.0f} hits, {cache.misses:,.0f} misses ({100 * cache.hit_fraction:.1f} % hits)"
    yield f"reads     {io.read_requests:,.0f} for {io.read_blocks:,.0f} blocks ({_megabytes(io.read_bytes)})"
    if io.write_requests:
        yield f"writes    {io.write_requests:,.0f} ({_megabytes(io.write_bytes)})"
    if io.request_blocks and io.read_blocks:
        block = io.read_bytes / io.read_blocks
        sizes = sorted(io.request_blocks.items(), key=lambda item: -item[0] * item[1])
        yield f"{'':<10}{'blocks':>8}{'size':>8}{'reads':>12}{'% of bytes':>12}"
        shown = [size for size in sizes[:MOST_READ_SIZES] if size[0] * size[1] >= 0.0005 * io.read_blocks]
        for blocks, many in shown:
            share = 100 * blocks * many / io.read_blocks
            yield f"{'':<10}{blocks:>8,}{show_bytes(blocks * block):>8}{many:>12,.0f}{share:>12.1f}"
        rest = sizes[len(shown) :]
        if rest:
            share = 100 * sum(blocks * many for blocks, many in rest) / io.read_blocks
            yield f"{'':<10}{'other':>8}{'':>8}{sum(many for _, many in rest):>12,.0f}{share:>12.1f}"


def segment_lines(result: RunResult) -> Iterator[str]:
    """The segment as DBA_SEGMENTS and DBA_TABLES show it."""
    segment = result.segment
    yield _head("Segment")
    yield f"blocks    {segment.blocks_after:,.0f} below the high-water mark"
    if segment.blocks_before != segment.blocks_after:
        yield f"          {segment.blocks_before:,.0f} before"
    yield f"space     {_megabytes(segment.bytes_after)} in {segment.extents:,.0f} extents"
    yield f"rows      {segment.rows_per_block:,.4g} per block, {segment.row_bytes:,.4g} bytes each"
    if segment.migrated_rows:
        yield f"migrated  {segment.migrated_rows:,.0f} rows"


def device_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Each device in the columns of ``iostat -x``; those that are zero throughout give way in a narrow terminal."""
    if not result.device:
        return
    columns = {
        "rrqm/s": [d.merged_reads_per_s for d in result.device.values()],
        "wrqm/s": [d.merged_writes_per_s for d in result.device.values()],
        "r/s": [d.reads_per_s for d in result.device.values()],
        "w/s": [d.writes_per_s for d in result.device.values()],
        "rkB/s": [d.read_bytes_per_s / 1024 for d in result.device.values()],
        "wkB/s": [d.written_bytes_per_s / 1024 for d in result.device.values()],
        "avgrq-sz": [d.average_request_bytes / SECTOR_BYTES for d in result.device.values()],
        "avgqu-sz": [d.average_queue for d in result.device.values()],
        "await": [1000 * d.await_s for d in result.device.values()],
        "svctm": [1000 * d.service_s for d in result.device.values()],
        "%util": [100 * d.utilisation_fraction for d in result.device.values()],
    }
    if width < 110:
        columns = {
            n: v for n, v in columns.items() if any(v) or n not in ("rrqm/s", "wrqm/s", "w/s", "wkB/s")
        }
    names = list(result.device)
    label = max(8, *(len(name) + 1 for name in names))
    yield _head("Device")
    yield f"{'Device:':<{label}}" + "".join(f"{name:>{_column(name)}}" for name in columns)
    for index, name in enumerate(names):
        yield f"{name:<{label}}" + "".join(f"{v[index]:>{_column(n)}.2f}" for n, v in columns.items())


def _column(name: str) -> int:
    return 11 if name in ("rkB/s", "wkB/s", "r/s") else 9


def optimizer_lines(result: RunResult) -> Iterator[str]:
    """The optimizer's opinion, in single-block reads."""
    cost = result.optimizer
    yield _head("Optimizer")
    yield (
        f"cost      {cost.cost:,.0f} = {cost.io_cost:,.0f} I/O + {cost.cpu_cost:,.0f} CPU, "
        f"with an MBRC of {cost.mbrc:,.4g}"
    )


def note_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Warnings, constants used outside the range they were fitted in, and sources."""
    for warning in result.warnings:
        yield from _wrapped(warning, width, first="warning   ", colour="yellow")
    for use in result.extrapolated:
        yield from _wrapped(str(use), width, first="beyond    ", colour="yellow")
    if result.sources:
        yield from _wrapped(", ".join(result.sources), width, first="sources   ")


def compare_lines(results: Sequence[RunResult], titles: Sequence[str], *, width: int = 80) -> Iterator[str]:
    """Several answers side by side against the first, and why they differ."""
    letters = letters_for(len(results))
    for letter, result, title in zip(letters, results, titles, strict=True):
        name = f"{result.scenario} – {title}" if title else result.scenario
        yield from _wrapped(f"{name} ({result.engine}; {path(result)})", width, first=f"{letter}  ")
    yield ""
    for letter, result in zip(letters[1:], results[1:], strict=True):
        yield from _wrapped(difference_line(results[0], result, letter), width, bold=True)
    yield ""
    yield from side_by_side_lines(results, letters, width)
    for letter, result in zip(letters[1:], results[1:], strict=True):
        yield ""
        yield _head(f"Why {letter} differs from {letters[0]}" if len(results) > 2 else "Why")
        for sentence in why(results[0], result):
            yield from _wrapped(sentence, width, first="- ")
    beyond = dict.fromkeys(str(use) for result in results for use in result.extrapolated)
    warnings = dict.fromkeys(warning for result in results for warning in result.warnings)
    if warnings or beyond:
        yield ""
    for note in warnings:
        yield from _wrapped(note, width, first="warning   ", colour="yellow")
    for note in beyond:
        yield from _wrapped(note, width, first="beyond    ", colour="yellow")


def letters_for(many: int) -> list[str]:
    """Short names of the answers compared: A, B, C…"""
    return [chr(ord("A") + index) if index < 26 else f"#{index + 1}" for index in range(many)]


def difference_line(base: RunResult, other: RunResult, letter: str = "B") -> str:
    """How the elapsed times differ, in one sentence."""
    before, after = base.time.elapsed_s, other.time.elapsed_s
    times = f"{letter} takes {show_seconds(after)}, A {show_seconds(before)}"
    if abs(after - before) <= 1e-9 * max(before, after):
        return f"{letter} takes as long as A: {show_seconds(after)}."
    percent = f", {100 * (after - before) / before:+.2g} %" if before > 0 and after < 10 * before else ""
    ratio = f", {after / before:,.3g} times as long" if before > 0 and after >= 10 * before else ""
    less = "less" if after < before else "more"
    return f"{times}: {show_seconds(abs(after - before))} {less}{percent}{ratio}."


def side_by_side_lines(
    results: Sequence[RunResult], letters: Sequence[str], width: int = 80
) -> Iterator[str]:
    """Times and counts in columns, as many answers beside the first as fit in *width*."""
    fit = max(1, (width - NAME_WIDTH - 12) // 30)
    others = list(range(1, len(results)))
    for start in range(0, len(others), fit):
        if start:
            yield ""
        yield from _side_by_side(results, letters, others[start : start + fit])


def calibration_lines(fit: Fit, width: int = 80) -> Iterator[str]:
    """Estimates of one case with their standard errors, how the numbers that made them are met, and what is open."""
    yield _head(f"{fit.case}: {len(fit.estimates)} constants from {len(fit.residuals)} printed numbers")
    longest = max(len(estimate.name) for estimate in fit.estimates)
    yield f"{'constant':<{longest}}{'estimate':>13}{'± error':>11}{'before':>13}"
    for estimate in fit.estimates:
        spread = "" if estimate.spread is None else f"{estimate.spread:.2g}"
        before = "=" if estimate.value == estimate.before else f"{estimate.before:.6g}"
        yield f"{estimate.name:<{longest}}{estimate.value:>13.6g}{spread:>11}{before:>13}"
    if all(estimate.spread is None for estimate in fit.estimates):
        yield "as many constants as numbers: nothing is left to judge the estimates by"
    where, worst = max(fit.residuals.items(), key=lambda item: abs(item[1]))
    yield from _wrapped(f"the numbers are met within {100 * abs(worst):.2g} %; the worst is {where}", width)
    for sentence in fit.unidentified:
        yield from _wrapped(sentence, width, colour="yellow")
    yield ""


def _side_by_side(
    results: Sequence[RunResult], letters: Sequence[str], shown: Sequence[int]
) -> Iterator[str]:
    base = results[0]
    yield _head(
        f"{'seconds':<{NAME_WIDTH}}{letters[0]:>12}"
        + "".join(f"{letters[i]:>12}{letters[i] + '-' + letters[0]:>11}{'%':>7}" for i in shown)
    )
    order: dict[str, None] = {}
    for index in shown:
        order |= {change.name: None for change in changes(base, results[index])}
    before = components(base)
    after = {index: components(results[index]) for index in shown}
    ranked = sorted(
        order, key=lambda name: -max(before.get(name, 0.0), *(a.get(name, 0.0) for a in after.values()))
    )
    for name in ranked:
        yield from _difference(name, before.get(name, 0.0), [after[i].get(name, 0.0) for i in shown])
    yield from _difference(
        "elapsed", base.time.elapsed_s, [results[i].time.elapsed_s for i in shown], bold=True
    )
    yield ""
    counts = f"{'counts':<{NAME_WIDTH}}{letters[0]:>12}" + "".join(f"{letters[i]:>12}{'':>18}" for i in shown)
    yield _head(counts.rstrip())
    figures = [_figures(base), *(_figures(results[i]) for i in shown)]
    for name in figures[0]:
        values = [f.get(name, "") for f in figures]
        if any(value not in ("", "0", "0.0") for value in values):
            cells = values[0].rjust(12) + "".join(f"{value:>12}{'':>18}" for value in values[1:])
            yield f"{name:<{NAME_WIDTH}}{cells}".rstrip()


def _difference(name: str, before: float, after: Sequence[float], bold: bool = False) -> Iterator[str]:
    first, *more = textwrap.wrap(name, NAME_WIDTH - 1, subsequent_indent="  ")
    line = f"{first:<{NAME_WIDTH}}{_seconds(before):>12}"
    for value in after:
        change = value - before
        percent = f"{100 * change / before:+.1f}" if before else ""
        difference = f"{change:+,.3f}"
        if abs(change) < 0.0005:
            difference, percent = "=", ""
        elif value >= 10 * before > 0:
            percent = f"×{value / before:,.0f}"
        cell = f"{_seconds(value):>12}{difference:>11}{percent:>7}"
        line += style(cell, fg="green" if change < 0 else "red") if bold and difference != "=" else cell
    yield style(line.rstrip(), bold=True) if bold else line.rstrip()
    yield from more


def _seconds(value: float) -> str:
    return f"{round(value, 3) + 0.0:,.3f}" if value else "-"


def _figures(result: RunResult) -> dict[str, str]:
    """The counts that explain the seconds."""
    io = result.physical_io
    block = io.read_bytes / io.read_blocks if io.read_blocks else 0.0
    found = {
        "consistent gets": f"{result.logical_io.consistent_gets:,.0f}",
        "fetch calls": f"{result.calls['fetch'].count:,.0f}" if "fetch" in result.calls else "",
        "reads": f"{io.read_requests:,.0f}",
        "MB read": f"{io.read_bytes / 2**20:,.1f}",
        "largest read": show_bytes(max(io.request_blocks, default=0) * block),
        "segment blocks": f"{result.segment.blocks_after:,.0f}",
        "optimizer cost": f"{result.optimizer.cost:,.0f}",
    }
    for name, device in result.device.items():
        found |= {
            f"{name} await": show_seconds(device.await_s),
            f"{name} %util": f"{100 * device.utilisation_fraction:.1f}",
        }
    return found


def _head(text: str) -> str:
    return style(text, bold=True)


def _megabytes(size_bytes: float) -> str:
    return f"{size_bytes / 2**20:,.1f} MB"


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _wrapped(
    text: str, width: int, *, first: str = "", bold: bool | None = None, colour: str | None = None
) -> Iterator[str]:
    """*text* in lines of at most *width*, the first after *first*, the others under it."""
    indent = " " * len(first)
    for line in textwrap.wrap(
        text, max(30, width - 1), initial_indent=first or indent, subsequent_indent=indent
    ):
        yield style(line, bold=bold, fg=colour) if bold or colour else line
