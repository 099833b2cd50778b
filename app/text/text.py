"""Answers as plain text: lines for a terminal or a file, aligned like TKPROF; no arithmetic of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from click import style

from app.base.lines import NAME_WIDTH, head, megabytes, wrapped
from app.text.accuracy_text import accuracy_line, other_warnings
from app.text.iostat_text import device_lines, size_lines
from app.text.money_text import money_lines
from app.text.outside import MARK, by_component, by_number, lines_of, marked, what_the_mark_says
from app.text.plan_text import plan_lines, row_source_lines
from app.text.profile import Row, colour, folded, profile
from app.text.programs_text import beside_words, programs_lines
from app.text.segment_text import (
    advice,
    block_lines,
    row_lines,
    search_lines,
    segment_lines,
    work_on_rows,
)
from app.text.stream_text import at_once, beside, calls, rates, stream_lines, timeline_lines
from app.text.transaction_text import (
    answer_of,
    intervals_left_out,
    kind_lines,
    load_lines,
    on_await_lines,
    policy_lines,
    resource_lines,
    transaction_lines,
    transaction_profile_lines,
)
from model.causes import (
    BUFFER_BUSY,
    DIRECT,
    FREE_BUFFERS,
    FROM_CLIENT,
    ITL_ENTRY,
    LATCH,
    LOG_FILE_SYNC,
    LOG_SPACE,
    MORE_DATA,
    OTHER_SESSION,
    PARALLEL,
    ROW_LOCK,
    SCATTERED,
    SEQUENTIAL,
    STATED,
    TO_CLIENT,
)
from model.results import Call, PhysicalIO, RunResult
from model.units import show_bytes, show_range, show_seconds
from scenarios.why_words import listed

__all__ = [
    "Row",
    "answer",
    "block_lines",
    "heading_lines",
    "io_lines",
    "note_lines",
    "optimizer_lines",
    "profile",
    "profile_lines",
    "row_lines",
    "run_lines",
    "search_lines",
    "segment_lines",
    "tkprof_lines",
]

MOST_SLOTS = 6
MOST_READ_SIZES = 8

WAITING = {
    FROM_CLIENT: "waiting for the client",
    TO_CLIENT: "sending to the client",
    STATED: "a stated wait, not modelled",
    MORE_DATA: "sending to the client",
    DIRECT: "waiting for reads",
    PARALLEL: "waiting for reads",
    SCATTERED: "waiting for reads",
    SEQUENTIAL: "waiting for reads",
    LOG_FILE_SYNC: "waiting for the log writer",
    LOG_SPACE: "waiting for the log writer",
    FREE_BUFFERS: "waiting for free buffers",
    OTHER_SESSION: "waiting for reads",
    LATCH: "waiting for latches",
    BUFFER_BUSY: "waiting for busy buffers",
    ROW_LOCK: "waiting for locked rows",
    ITL_ENTRY: "waiting for ITL entries",
}


def answer(result: RunResult) -> str:
    """The answer in a sentence: how long it takes, and where the time goes; a second one where rows migrate."""
    stream = result.streams[0] if result.streams else None
    asked = f" for {calls(stream)} ({rates(stream)})" if stream else ""
    where = _where(result)
    parts = f": {listed(where)}" if where else ""
    if result.transactions is not None:
        return f"{answer_of(result, result.transactions, parts)} {beside_words(result)}".rstrip()
    takes = f"It takes {show_seconds(result.time.elapsed_s)}{_within(result)}{asked}{parts}."
    if found := at_once(result):
        takes = f"{found}{_within(result)}."
    return " ".join([takes, *beside(result), *advice(result), beside_words(result)]).rstrip()


def _within(result: RunResult) -> str:
    """The interval of the mean, where there were replications."""
    interval = result.time.interval
    if interval is None:
        return ""
    ends = show_range(interval.low_s, interval.high_s)
    return f" (mean of the replications {ends}, {100 * interval.confidence:.0f} % confidence)"


def _where(result: RunResult) -> list[str]:
    """The three largest parts of the elapsed time, in words."""
    elapsed = result.time.elapsed_s
    on_rows = work_on_rows(result)
    rest = "other CPU" if any(seconds >= 0.01 * elapsed for seconds in on_rows.values()) else "CPU"
    parts: dict[str, float] = {**on_rows, rest: result.time.cpu_s - sum(on_rows.values())}
    if rest == "CPU":
        parts = {rest: result.time.cpu_s}
    for event, waited in result.time.wait.items():
        words = WAITING.get(event, event)
        parts[words] = parts.get(words, 0.0) + waited.total_s
    for cause, seconds in result.time.unaccounted.items():
        parts[cause] = parts.get(cause, 0.0) + seconds
    largest = sorted(((s, n) for n, s in parts.items() if s >= 0.01 * elapsed), reverse=True)[:3]
    return [f"{show_seconds(s)} {n} ({100 * s / elapsed:.0f} %)" for s, n in largest] if elapsed else []


def run_lines(result: RunResult, title: str = "", *, width: int = 80, bar: str = "█") -> Iterator[str]:
    """Everything about one answer, line by line."""
    yield from heading_lines(result, title, width)
    yield ""
    yield from wrapped(answer(result), width, bold=True)
    for section in (
        programs_lines(result, width),
        transaction_lines(result, width),
        stream_lines(result, width),
        (*profile_lines(result, width, bar), *mark_lines([result], width)),
        load_lines(result),
        resource_lines(result, width, bar),
        kind_lines(result),
        policy_lines(result, width),
        tkprof_lines(result),
        plan_lines(result),
        io_lines(result, width),
        row_lines(result),
        segment_lines(result, width),
        search_lines(result, width),
        block_lines(result, width, plain=bar.isascii()),
        (*device_lines(_printed(result), width), *on_await_lines(result, width)),
        *([] if result.transactions else [size_lines(result, width, bar)]),
        timeline_lines(result, width, bar),
        optimizer_lines(result),
        money_lines(result, width),
        note_lines(result, width),
    ):
        lines = list(section)
        if lines:
            yield ""
            yield from lines


def _printed(result: RunResult) -> RunResult:
    """The answer as far as a terminal prints it; a run of transactions has too many intervals of iostat."""
    return intervals_left_out(result) if result.transactions else result


def heading_lines(result: RunResult, title: str, width: int) -> Iterator[str]:
    """What was asked, and what answered it."""
    made = f"simulated (engine {result.engine}), seed {result.seed}, blocktime {result.version}"
    if result.engine == "calculate":
        made = f"instant estimate (engine calculate), blocktime {result.version}"
    if result.events is not None:
        made += f", {result.events:,} events"
    if result.method:
        made += f", {result.method}"
    yield from wrapped(f"{result.scenario} – {title}" if title else result.scenario, width, bold=True)
    for line in wrapped(made, width):
        yield style(line, dim=True)
    if result.accuracy is not None:
        yield from wrapped(accuracy_line(result), width, first="accuracy  ")


def profile_lines(result: RunResult, width: int = 80, bar: str = "█") -> Iterator[str]:
    """The response-time profile, sorted, with a bar where there is room for it."""
    if result.transactions is not None:
        yield from transaction_profile_lines(result, width, bar)
        return
    outside = by_component(result)
    rows = folded(result, outside)
    counts = ["" if row.count is None else f"{row.count:,.0f}" for row in rows]
    costs = ["" if row.each_s is None else show_seconds(row.each_s) for row in rows]
    seconds, count_room, each_room = (
        max(least, *(2 + len(cell) for cell in cells))
        for least, cells in (
            (11, [f"{result.time.last_session_s or result.time.elapsed_s:,.3f}"]),
            (12, [*counts, ""]),
            (9, [*costs, ""]),
        )
    )
    yield head("Response-time profile")
    yield f"{'component':<{NAME_WIDTH}}{'seconds':>{seconds}}{'%':>7}{'count':>{count_room}}{'each':>{each_room}}"
    room = max(0, min(40, width - NAME_WIDTH - seconds - count_room - each_room - 10))
    longest = max((row.seconds for row in rows), default=0.0)
    for row, count, each in zip(rows, counts, costs, strict=True):
        name = marked(row.name, outside)
        first, *more = textwrap.wrap(name, NAME_WIDTH - 1, subsequent_indent="  ") or [""]
        numbers = f"{row.seconds:>{seconds},.3f}{round(100 * row.fraction, 1) + 0.0:>7.1f}"
        numbers += f"{count:>{count_room}}{each:>{each_room}}"
        length = round(room * row.seconds / longest) if longest > 0 else 0
        blocks = "  " + style(bar * length, fg=colour(row.name)) if length > 0 else ""
        yield f"{first:<{NAME_WIDTH}}{numbers}{blocks}".rstrip()
        yield from more
    elapsed = f"elapsed {MARK}" if outside else "elapsed"
    yield f"{elapsed:<{NAME_WIDTH}}{result.time.elapsed_s:>{seconds},.3f}{100:>7.1f}"
    if result.time.last_session_s is not None:
        yield f"{'last session ends after':<{NAME_WIDTH}}{result.time.last_session_s:>{seconds},.3f}"


def mark_lines(results: Sequence[RunResult], width: int = 80) -> Iterator[str]:
    """What the marks behind numbers say."""
    said = what_the_mark_says(results)
    yield from wrapped(said, width, colour="yellow") if said else ()


def tkprof_lines(result: RunResult, *, row_sources: bool = False) -> Iterator[str]:
    """Calls and waits, in TKPROF's own columns; with its lines of *row_sources*, which are long, in between."""
    if not result.calls:
        return
    rule = "------- ------  -------- ---------- ---------- ---------- ----------  ----------"
    yield head("TKPROF")
    yield "call     count       cpu    elapsed       disk      query    current        rows"
    yield rule
    for name, call in result.calls.items():
        yield _call(name.capitalize(), call)
    yield rule
    yield _call("total", _total(result.calls.values()))
    if row_sources and result.row_sources:
        yield ""
        yield from row_source_lines(result)
    if not result.time.wait:
        return
    yield ""
    yield "Elapsed times include waiting on following events:"
    yield "  Event waited on                             Times   Max. Wait  Total Waited"
    yield "  ----------------------------------------   Waited  ----------  ------------"
    servers = result.time.servers or 1
    for event, waited in result.time.wait.items():
        times, total_s = servers * waited.waits, servers * waited.total_s
        yield f"  {event:<40} {times:>8.0f}  {waited.max_s:>10.2f}  {total_s:>12.2f}"


def _call(name: str, call: Call) -> str:
    return (
        f"{name:<7} {call.count:>6.0f} {call.cpu_s:>9.2f} {call.elapsed_s:>10.2f} {call.disk:>10.0f} "
        f"{call.query:>10.0f} {call.current:>10.0f} {call.rows:>11.0f}"
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
    """Reads and writes that left the cache: how they were read and why, and their sizes.

    Those of transactions are in their load profile.
    """
    if result.transactions is not None:
        return
    io = result.physical_io
    yield head("I/O")
    yield from wrapped(result.access, width, first="access    ")
    yield from _cache_lines(result, width)
    if io.read_requests or not result.streams:
        blocks = "" if result.streams else f" for {io.read_blocks:,.0f} blocks"
        yield f"reads     {io.read_requests:,.0f}{blocks} ({megabytes(io.read_bytes)})"
    if io.direct_read_slots:
        first, *later = io.direct_read_slots.items()
        grown = "".join(f", {slots:,.0f} from {show_seconds(at_s)} on" for at_s, slots in later[:MOST_SLOTS])
        yield from wrapped(f"{first[1]:,.0f} in flight at first{grown}", width, first="slots     ")
    if io.write_requests:
        yield f"writes    {io.write_requests:,.0f} ({megabytes(io.write_bytes)})"
    if io.request_blocks and io.read_blocks and not result.streams:
        yield from _read_size_lines(io)


def _cache_lines(result: RunResult, width: int) -> Iterator[str]:
    """Buffers got, and those found in the buffer cache."""
    gets, cache = result.logical_io, result.cache
    if gets is not None:
        got = [f"{gets.consistent_gets:,.0f} consistent gets"]
        if gets.consistent_gets:
            got.append(f"{show_seconds(gets.cpu_per_get_s)} of CPU each with its rows")
        if gets.current_gets:
            got.append(f"{gets.current_gets:,.0f} current gets")
        yield from wrapped(", ".join(got), width, first="logical   ")
    if cache is not None:
        found = f"{cache.hits:,.0f} hits, {cache.misses:,.0f} misses ({100 * cache.hit_fraction:.1f} % hits)"
        yield f"cache     {found}"


def _read_size_lines(io: PhysicalIO) -> Iterator[str]:
    """Reads by their size, those that fetch most first."""
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


def optimizer_lines(result: RunResult) -> Iterator[str]:
    """The optimizer's opinion, in single-block reads."""
    cost = result.optimizer
    if cost is None or not cost.cost:
        return
    mark = f" {MARK}" if by_number(result)["cost"] else ""
    yield head("Optimizer")
    yield (
        f"cost      {cost.cost:,.0f}{mark} = {cost.io_cost:,.0f} I/O + {cost.cpu_cost:,.0f} CPU, "
        f"with an MBRC of {cost.mbrc:,.4g}"
    )
    if cost.sreadtim_s is not None and cost.cpuspeed_hz is not None:
        several = "" if cost.mreadtim_s is None else f"MREADTIM {1000 * cost.mreadtim_s:,.4g} ms, "
        one = f"SREADTIM {1000 * cost.sreadtim_s:,.4g} ms"
        yield f"used      {one}, {several}CPUSPEED {cost.cpuspeed_hz / 1e6:,.0f} MHz"


def note_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Warnings, constants used outside the range they were fitted in, and sources; the heading tells the accuracy."""
    for warning in other_warnings(result):
        yield from wrapped(warning, width, first="warning   ", colour="yellow")
    for use in lines_of([result]):
        yield from wrapped(use, width, first="beyond    ", colour="yellow")
    if result.sources:
        yield from wrapped(", ".join(result.sources), width, first="sources   ")
