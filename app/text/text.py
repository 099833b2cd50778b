"""The answer in a sentence, and what instruments show of it: TKPROF, I/O, the optimizer; no arithmetic of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blocktime.app.base.lines import megabytes
from blocktime.app.text.outside import MARK, by_number, lines_of
from blocktime.app.text.plan_text import row_source_lines, spills
from blocktime.app.text.programs_text import beside_words
from blocktime.app.text.section import LABEL, NOTHING, CellTable, Fact, Row, Section
from blocktime.app.text.segment_text import advice, work_on_rows
from blocktime.app.text.stream_text import at_once, beside, calls, rates
from blocktime.app.text.transaction_text import answer_of
from blocktime.model import causes
from blocktime.model.results import Call, PhysicalIO, RunResult
from blocktime.model.units import show_bytes, show_number, show_range, show_seconds, show_share
from blocktime.scenarios import Scenario
from blocktime.scenarios.verdict import full_volume
from blocktime.scenarios.why_words import listed

MOST_SLOTS = 6
MOST_READ_SIZES = 8
SMALL_COST = 100
"""Cost from which on no decimals of its parts are printed."""

WAITING = {
    causes.FROM_CLIENT: "waiting for the client",
    causes.TO_CLIENT: "sending to the client",
    causes.STATED: "other waits, as stated",
    causes.MORE_DATA: "sending to the client",
    causes.DIRECT: "waiting for reads",
    causes.DIRECT_WRITE: "waiting for direct writes",
    **dict.fromkeys(causes.TEMP, "waiting for temp"),
    causes.PARALLEL: "waiting for reads",
    causes.SCATTERED: "waiting for reads",
    causes.SEQUENTIAL: "waiting for reads",
    causes.LOG_FILE_SYNC: "waiting for the log writer",
    **dict.fromkeys(causes.LOG_FULL, "waiting for the log"),
    causes.FREE_BUFFERS: "waiting for free buffers",
    causes.KO_CHECKPOINT: "waiting for a checkpoint",
    causes.OTHER_SESSION: "waiting for reads",
    causes.COPIED_TWICE: "waiting for reads",
    causes.LATCH: "waiting for latches",
    causes.BUFFER_BUSY: "waiting for busy buffers",
    causes.ROW_LOCK: "waiting for locked rows",
    causes.ITL_ENTRY: "waiting for ITL entries",
}


def answer(result: RunResult, scenario: Scenario | None = None) -> str:
    """The answer in a sentence: how long it takes, and where the time goes; more where rows migrate, or a limit binds.

    The limits are those of *scenario*.
    """
    full = full_volume(result, scenario) if scenario is not None else ""
    full = full and f"{full[0].upper()}{full[1:]}."
    stream = result.streams[0] if result.streams else None
    load = f" for {calls(stream)} ({rates(stream)})" if stream else ""
    where = _where(result)
    parts = f": {listed(where)}" if where else ""
    if result.transactions is not None:
        texts = answer_of(result, result.transactions, parts), full, beside_words(result)
        return " ".join(filter(None, texts))
    within = _within(result)
    it = "This run" if within and result.time.interval and result.time.interval.runs else "It"
    takes = f"{it} takes {show_seconds(result.time.elapsed_s)}{within}{load}{parts}."
    if text := at_once(result):
        takes = f"{text}{within}."
    return " ".join(
        filter(None, [takes, full, *spills(result), *beside(result), *advice(result), beside_words(result)])
    )


def data_of(result: RunResult, scenario: Scenario | None = None) -> dict[str, Any]:
    """The answer as data, with its sentence: what ``--json`` and a download have."""
    return {**result.model_dump(mode="json", exclude_none=True), "sentence": answer(result, scenario)}


def _within(result: RunResult) -> str:
    """The interval of the mean of several runs, or of a run that was played in part."""
    interval = result.time.interval
    if interval is None or (interval.runs is None and result.played_fraction is None):
        return ""
    ends = show_range(interval.low_s, interval.high_s)
    if ends == show_seconds(result.time.elapsed_s):
        return ""
    mean = "" if interval.runs is None else f"the mean of {interval.runs:,} runs is "
    return f" ({mean}{ends}, {100 * interval.confidence:.0f} % confidence)"


def _where(result: RunResult) -> list[str]:
    """The three largest parts of the elapsed time, in words."""
    elapsed = result.time.elapsed_s
    changes_rows = any(seconds >= 0.01 * elapsed for seconds in work_on_rows(result).values())
    parts = dict(result.time.cpu) if changes_rows else {"CPU": result.time.cpu_s}
    for event, waited in result.time.wait.items():
        words = WAITING.get(event, event)
        parts[words] = parts.get(words, 0.0) + waited.total_s
    for cause, seconds in result.time.unaccounted.items():
        words = WAITING.get(cause, cause)
        parts[words] = parts.get(words, 0.0) + seconds
    largest = sorted(((s, n) for n, s in parts.items() if s and s >= 0.01 * elapsed), reverse=True)[:3]
    return [f"{show_seconds(s, elapsed)} {n} ({show_share(s / elapsed)})" for s, n in largest]


def tkprof_section(result: RunResult) -> Section:
    """Calls and waits, in TKPROF's own form."""
    servers = result.time.servers or 1
    heading = "TKPROF" if servers == 1 else f"TKPROF (sum of the {servers:,.0f} parallel servers)"
    return Section(heading, [*tkprof_lines(result)])


def tkprof_lines(result: RunResult, *, row_sources: bool = False) -> Iterator[str]:
    """Calls and waits, in TKPROF's own columns; with its lines of *row_sources*, which are long, in between."""
    if not result.calls:
        return
    rule = "------- ------  -------- ---------- ---------- ---------- ----------  ----------"
    servers = result.time.servers or 1
    yield "call     count       cpu    elapsed       disk      query    current        rows"
    yield rule
    for name, call in result.calls.items():
        yield _call(name.capitalize(), call)
    yield rule
    calls = result.calls.values()
    yield _call("total", Call(**{field: sum(getattr(call, field) for call in calls) for field in Call.model_fields}))
    if row_sources and result.row_sources:
        yield ""
        yield from row_source_lines(result)
    if not result.time.wait:
        return
    yield ""
    yield "Elapsed times include waiting on following events:"
    yield "  Event waited on                             Times   Max. Wait  Total Waited"
    yield "  ----------------------------------------   Waited  ----------  ------------"
    for event, waited in result.time.wait.items():
        sessions = 1 if event in causes.OF_THE_COORDINATOR else servers
        times, total_s = sessions * waited.waits, sessions * waited.total_s
        yield f"  {event:<40} {times:>8.0f}  {waited.max_s:>10.2f}  {total_s:>12.2f}"


def _call(name: str, call: Call) -> str:
    return (
        f"{name:<7} {call.count:>6.0f} {call.cpu_s:>9.2f} {call.elapsed_s:>10.2f} {call.disk:>10.0f} "
        f"{call.query:>10.0f} {call.current:>10.0f} {call.rows:>11.0f}"
    )


def io_section(result: RunResult) -> Section:
    """Reads and writes that left the cache: how they were read and why, and their sizes.

    Those of transactions are in their load profile.
    """
    if result.transactions is not None:
        return NOTHING
    io = result.physical_io
    rows: list[Row] = [Fact("access", result.access), *_cache_facts(result)]
    if io.read_requests or not result.streams:
        blocks = "" if result.streams else f" requests, {io.read_blocks:,.0f} blocks"
        rows.append(Fact("reads", f"{io.read_requests:,.0f}{blocks} ({megabytes(io.read_bytes)})"))
    if io.direct_read_slots:
        first, *later = io.direct_read_slots.items()
        grown = "".join(f", {slots:,.0f} from {show_seconds(at_s)} on" for at_s, slots in later[:MOST_SLOTS])
        rows.append(Fact("slots", f"{first[1]:,.0f} asynchronous direct reads at first{grown}"))
    if io.write_requests:
        rows.append(Fact("writes", f"{io.write_requests:,.0f} ({megabytes(io.write_bytes)})"))
    if io.request_blocks and io.read_blocks and not result.streams:
        rows.append(_read_sizes(io))
    return Section("I/O", rows)


def _cache_facts(result: RunResult) -> Iterator[Fact]:
    gets, cache = result.logical_io, result.cache
    if gets is not None:
        got = [f"{gets.consistent_gets:,.0f} consistent gets"]
        if gets.consistent_gets:
            got.append(f"{show_seconds(gets.cpu_per_get_s)} of CPU each, row processing included")
        if gets.current_gets:
            got.append(f"{gets.current_gets:,.0f} current gets")
        yield Fact("logical", ", ".join(got))
        if gets.undo_gets is not None:
            yield Fact("undo", f"{gets.undo_gets:,.0f} of the gets are of undo, for changes since the query began")
        if gets.cleanouts is not None:
            redo = gets.cleanout_redo_bytes
            left = "by direct reads, at each execution anew" if redo is None else f"{megabytes(redo)} of redo, once"
            yield Fact("cleanout", f"{gets.cleanouts:,.0f} blocks cleaned out, a get more each ({left})")
    if result.physical_io.direct_blocks:
        yield Fact("cache", f"bypassed: {result.physical_io.direct_blocks:,.0f} physical reads direct")
    if cache is not None:
        ratio = f"hit ratio {100 * cache.hit_fraction:.1f} %"
        yield Fact("cache", f"{cache.hits:,.0f} hits, {cache.misses:,.0f} misses ({ratio})")


def _read_sizes(io: PhysicalIO) -> CellTable:
    block = io.read_bytes / io.read_blocks
    sizes = sorted(io.request_blocks.items(), key=lambda item: -item[0] * item[1])
    largest = [size for size in sizes[:MOST_READ_SIZES] if size[0] * size[1] >= 0.0005 * io.read_blocks]
    rows = [("", "blocks", "size", "reads", "% of bytes")]
    for blocks, count in largest:
        share = 100 * blocks * count / io.read_blocks
        rows.append(("", f"{blocks:,}", show_bytes(blocks * block), f"{count:,.0f}", f"{share:.1f}"))
    rest = sizes[len(largest) :]
    if rest:
        share = 100 * sum(blocks * count for blocks, count in rest) / io.read_blocks
        rows.append(("", "other", "", f"{sum(count for _, count in rest):,.0f}", f"{share:.1f}"))
    return CellTable(rows, (LABEL, 8, 8, 12, 12))


def optimizer_section(result: RunResult) -> Section:
    """The optimizer's opinion, in single-block reads."""
    cost = result.optimizer
    if cost is None or not (cost.cost or cost.cpu_cost):
        return NOTHING
    mark = f" {MARK}" if by_number(result)["cost"] else ""
    digits = 2 if cost.cost < SMALL_COST else 0
    several = "" if cost.mbrc == 1 else f", with an MBRC of {show_number(cost.mbrc, 4)}"
    cpu = f"{cost.cpu_cost:,.{2 * digits}f} CPU"
    facts = [Fact("cost", f"{cost.cost:,.0f}{mark} = {cost.io_cost:,.{digits}f} I/O + {cpu}{several}")]
    if cost.sreadtim_s is not None and cost.cpuspeed_hz is not None:
        several = "" if cost.mreadtim_s is None else f"MREADTIM {show_seconds(cost.mreadtim_s)}, "
        text = f"SREADTIM {show_seconds(cost.sreadtim_s)}"
        facts.append(Fact("with", f"{text}, {several}CPUSPEED {cost.cpuspeed_hz / 1e6:,.0f} MHz"))
    return Section("Optimizer", facts)


def note_section(result: RunResult) -> Section:
    """Warnings, constants used outside the range they were fitted in, and sources; the heading tells the accuracy."""
    facts = [Fact("warning", warning, "yellow") for warning in result.warnings]
    facts += [Fact("beyond", use, "yellow") for use in lines_of([result.extrapolated])]
    return Section(rows=[*facts, *([Fact("sources", ", ".join(result.sources))] if result.sources else [])])
