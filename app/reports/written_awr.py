"""An answer as an AWR report, text or HTML: what a system of the model would leave after an hour."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final, cast
from zlib import crc32

from blocktime.model.causes import FROM_CLIENT, IDLE, LOG_FILE_SYNC
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.model.spec.placed import DISK, PlacedTablespace, devices_of
from blocktime.model.units import GIB, MIB
from blocktime.model.workloads.transactions.curves import cache_sizes
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.scenarios import Scenario

HOUR_S: Final = 3600.0
"""An AWR report of transactions covers an hour of them; one of a statement, the statement."""
EVENTS: Final = ("Event", "Waits", "Total Wait Time (s)", "Avg wait")
LOG_WRITE: Final = "log file parallel write"
REDO: Final = "redo"
FACTORS: Final = tuple(step / 10 for step in range(1, 21))
"""Sizes of the buffer pool advisory over that of the pool."""
MANY: Final = 1000.0
CHANGES: Final = 2
"""Block changes of a row change: one of the block, one of its undo."""
HOST: Final = ("Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory(GB)")
FILE_COLUMNS: Final = ("Tablespace", "Filename", "Reads", "Av Rds/s", "Av Rd(ms)", "Av Blks/Rd", "Writes")
NO_NAME: Final = re.compile(r"\W+")
"""What stands in no name of a table space or a disk group."""
Row = tuple[str, ...]
Section = tuple[str, str, tuple[str, ...], list[Row]]
"""Title, summary of its HTML, columns, rows."""
PROFILES: Final = ("Load Profile", "Cache Sizes")
"""Sections whose title stands over the names of their rows."""


def _sections(result: RunResult, scenario: Scenario | None) -> Iterator[Section]:
    elapsed_s, number, commits = _period(result)
    gets, io = result.logical_io, result.physical_io
    time = result.time

    def profile(name: str, each: float, digits: int = 1) -> tuple[str, ...]:
        total = each * number
        return name, f"{total / elapsed_s:,.{digits}f}", f"{total / commits:,.{digits}f}"

    rows = [profile("DB Time(s):", _db_time(result), 4), profile("DB CPU(s):", time.cpu_s, 4)]
    redo_bytes = _redo_bytes(result, scenario)
    if redo_bytes is not None:
        rows.append(profile("Redo size (bytes):", redo_bytes))
    if gets is not None:
        rows.append(profile("Logical read (blocks):", gets.consistent_gets + gets.current_gets))
    stats = result.transactions
    if stats is not None and gets is not None:
        rows.append(profile("Block changes:", CHANGES * gets.current_gets))
    rows.append(profile("Physical read (blocks):", io.read_blocks))
    if stats is not None:
        rows.append(profile("Physical write (blocks):", stats.written_blocks_per_s / stats.per_s))
    rows.append(profile("Read IO requests:", io.read_requests))
    rows += [profile("Write IO requests:", io.write_requests)] if io.write_requests else []
    if stats is not None:
        calls = time.wait.get(FROM_CLIENT)
        rows.append(profile("User calls:", calls.waits if calls is not None else 0.0))
        rows.append(("Transactions:", f"{stats.per_s:,.1f}", ""))
    yield "Load Profile", "load profile", ("", "Per Second", "Per Transaction"), rows
    waits = [
        _event(event, waited.waits * number, waited.total_s * number)
        for event, waited in sorted(time.wait.items(), key=lambda item: -item[1].total_s)
        if round(waited.waits * number)
    ]
    if waits:
        yield "Foreground Wait Events", "Foreground Wait Events and their wait statistics", EVENTS, waits
    log = result.device.get(REDO)
    if stats is not None and log is not None and stats.log_writes_per_s and log.write_await_s:
        log_writes = stats.log_writes_per_s * HOUR_S
        background = [_event(LOG_WRITE, log_writes, log_writes * log.write_await_s)]
        yield "Background Wait Events", "background wait events statistics", EVENTS, background
    times = {"DB CPU": time.cpu_s, "DB time": _db_time(result)}
    model: list[Row] = [(name, f"{seconds * number:,.1f}") for name, seconds in times.items()]
    yield "Time Model Statistics", "different time model statistics", ("Statistic Name", "Time (s)"), model
    if scenario is not None:
        yield from _files(result, scenario)
        yield from _instance(result, scenario)


def _redo_bytes(result: RunResult, scenario: Scenario | None) -> float | None:
    if result.changes is not None:
        return result.changes.redo_bytes
    if result.transactions is None or scenario is None:
        return None
    return float(parts_of(scenario.system, cast("Transactions", scenario.workload)).redo_bytes)


def _files(result: RunResult, scenario: Scenario) -> Iterator[Section]:
    """What was read and written of each table space that is placed: it has a file in a disk group of its device."""
    spaces: tuple[PlacedTablespace, ...] = getattr(scenario.workload, "tablespaces", ())
    shares = {device.name: device.share for device in devices_of(spaces)}
    rows: list[Row] = []
    for number, space in enumerate(spaces, 1):
        place = space.device if space.device in shares else DISK
        device, share = result.device[place], space.blocks_percent / 100 / (shares[place] or 1.0)
        if device.read_await_s is not None:
            name = NO_NAME.sub("_", space.name).upper()
            rows.append((
                name, f"+{NO_NAME.sub('_', place).upper()}/modelled/datafile/{number}.dbf",
                f"{HOUR_S * share * device.reads_per_s:,.0f}", f"{share * device.reads_per_s:,.1f}",
                f"{1e3 * device.read_await_s:,.2f}", f"{1.0:.2f}", f"{HOUR_S * share * device.writes_per_s:,.0f}",
            ))  # fmt: skip
    if rows:
        yield "Tablespace IO Stats", "tablespace I/O statistics", FILE_COLUMNS[:1] + FILE_COLUMNS[2:], [
            (row[0], *row[2:]) for row in rows
        ]  # fmt: skip
        yield "File IO Stats", "file I/O statistics", FILE_COLUMNS, rows


def _event(event: str, waits: float, total_s: float) -> Row:
    mean = f"{1e3 * total_s / waits:,.2f}ms" if waits else ""
    return event, f"{waits:,.0f}", f"{total_s:,.0f}", mean


def _instance(result: RunResult, scenario: Scenario) -> Iterator[Section]:
    """What a report says of the instance: its cache, what another size of it would read, and parameters."""
    system, instance = scenario.system, scenario.system.instance
    cache = f"{instance.buffer_cache_bytes / MIB:,.0f}M"
    rows: list[Row] = [("Buffer Cache:", cache, cache)]
    yield "Cache Sizes", "memory statistics", ("", "Begin", "End"), rows
    pools = instance.db_keep_cache_bytes + instance.db_recycle_cache_bytes
    if result.transactions is not None and not pools and instance.db_nk_cache_bytes is None:
        sizes = ("P  ", "Size for Est (M)", "Size Factor", "Estimated Phys Reads (thousands)")
        yield "Buffer Pool Advisory", "advice on the buffer pool", sizes, _advice(result, scenario)
    parameters: list[Row] = [("db_block_size", str(system.tablespace.block_size_bytes), "")]
    if instance.filesystemio_options is not None:
        parameters.append(("filesystemio_options", str(instance.filesystemio_options), ""))
    columns = ("Parameter Name", "Begin value", "End value")
    says = "name and value of the modified initialization parameters"
    yield "init.ora Parameters", says, columns, parameters


def _advice(result: RunResult, scenario: Scenario) -> list[Row]:
    """What a cache of each size would read in the hour, as the closed form has it."""
    work, size = cast("Transactions", scenario.workload), scenario.system.tablespace.block_size_bytes
    cache_mib = scenario.system.instance.buffer_cache_bytes / MIB
    factors = {max(1, round(factor * cache_mib)): factor for factor in FACTORS}
    advised = cache_sizes(scenario.system, work, [megabytes * MIB / size for megabytes in factors])
    gets = result.logical_io
    per_s = result.transactions.per_s if result.transactions is not None else 0.0
    asks = HOUR_S * per_s * (gets.consistent_gets + gets.current_gets if gets is not None else 0.0)
    return [
        ("D", f"{megabytes:,}", f"{factor:.1f}", f"{asks * (1 - advice.hit_fraction) / MANY:,.0f}")
        for (megabytes, factor), advice in zip(factors.items(), advised, strict=True)
        if round(asks * (1 - advice.hit_fraction) / MANY)
    ]


def _db_time(result: RunResult) -> float:
    """Time within calls: all but idle waits, and what passes between the calls of a trace.

    DB time holds the CPU, the waits that are not idle, and the time that sessions wait for a processor. Of a statement
    the commits are calls of their own.
    """
    time = result.time
    if not result.calls:
        return max(0.0, time.elapsed_s - sum(time.wait[event].total_s for event in IDLE if event in time.wait))
    commits = time.wait.get(LOG_FILE_SYNC)
    return sum(call.elapsed_s for call in result.calls.values()) + (commits.total_s if commits else 0.0)


def _period(result: RunResult) -> tuple[float, float, float]:
    """Seconds that the report covers, how often the answer's work ran in them, and transactions."""
    if result.transactions is not None:
        number = result.transactions.per_s * HOUR_S
        return HOUR_S, number, max(number, 1e-9)
    commits = result.changes.commits if result.changes is not None else 1.0
    return max(result.time.elapsed_s, 1e-9), 1.0, commits or 1.0


def _minutes(result: RunResult) -> Iterator[tuple[str, float]]:
    elapsed_s, number, _ = _period(result)
    yield "Elapsed", elapsed_s / 60
    yield "DB Time", _db_time(result) * number / 60


def _snapshots(result: RunResult, scenario: Scenario) -> list[Row]:
    """Begin and end: an hour of January by chance of the scenario, so that reports of two loads are of two hours."""
    elapsed_s, _, _ = _period(result)
    load = scenario.workload
    seen = crc32(f"{load.users} {getattr(load, 'rate_per_s', None)} {scenario.system.model_dump_json()}".encode())
    day, hour = seen % 28 + 1, seen // 28 % 22
    closed = result.transactions is not None and result.transactions.saturation_users is not None
    sessions = f"{load.users:,.0f}" if closed else ""
    minute, second = divmod(round(min(elapsed_s, HOUR_S)), 60)
    end = f"{hour + minute // 60:02}:{minute % 60:02}:{second:02}"
    return [
        ("Begin Snap:", "1", f"{day:02}-Jan-26 {hour:02}:00:00", sessions),
        ("End Snap:", "2", f"{day:02}-Jan-26 {end}", sessions),
    ]


def awr(result: RunResult, scenario: Scenario | None = None) -> str:
    """The report as text; empty for streams, which no database makes."""
    if result.streams:
        return ""
    lines = [
        "WORKLOAD REPOSITORY report for", "", "Written by Blocktime from a model; no database ran.", "",
        "DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB",
        "------------ ----------- ----------- ---------------- ------- ---------- --- ---",
        "MODELLED               1 modelled    PRIMARY          EE      19.0.0.0.0 NO  NO", "",
    ]  # fmt: skip
    if scenario is not None:
        lines += [*_ruled(HOST, [_host(scenario)]), ""]
        snaps = ("           ", "  Snap Id", "     Snap Time     ", "Sessions")
        lines += [*_ruled(snaps, _snapshots(result, scenario), is_profile=True)]
    lines += [f"   {name}:        {minutes:,.2f} (mins)" for name, minutes in _minutes(result)] + [""]
    for title, _, columns, rows in _sections(result, scenario):
        if title in PROFILES:
            lines += [*_ruled((title, *columns[1:]), rows, is_profile=True), "", ""]
        else:
            lines += [f"{title:<38}DB/Inst: MODELLED/modelled  Snaps: 1-2", "", *_ruled(columns, rows)]
            lines += [" " * 26 + "-" * 54, ""]
    return "\n".join([*lines, "End of Report", ""])


def _host(scenario: Scenario) -> Row:
    host = scenario.system.host
    cpus = f"{host.cpus}"
    return "modelled", "Linux x86 64-bit", cpus, cpus, "1", f"{host.memory_bytes / GIB:.2f}"


def _ruled(heads: tuple[str, ...], rows: list[tuple[str, ...]], is_profile: bool = False) -> Iterator[str]:
    """A table of AWR under rules; the title of the load profile stands over its names, which end at the right."""
    first, *columns = zip(*rows, strict=True) if rows else ((),) * len(heads)
    longest = max(map(len, first), default=0)
    widths = [longest if is_profile else max(len(heads[0]), longest)]
    widths += [max(map(len, (head, *column))) for head, column in zip(heads[1:], columns, strict=True)]
    yield " ".join(f"{head:<{wide}}" for head, wide in zip(heads, widths, strict=True)).rstrip()
    rules = ["~" if is_profile else "-", *("-" for _ in columns)]
    yield " ".join(rule * wide for rule, wide in zip(rules, widths, strict=True))
    sides = [">" if is_profile else "<", *(">" for _ in columns)]
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        yield " ".join(f"{cell:{side}{wide}}" for cell, side, wide in cells).rstrip()


def awr_html(result: RunResult, scenario: Scenario | None = None) -> str:
    """The report as HTML; empty for streams."""
    if result.streams:
        return ""
    parts = [
        '<html lang="en"><head><title>AWR Report for DB: MODELLED, Inst: modelled</title></head><body class="awr">',
        "<h1>WORKLOAD REPOSITORY report for</h1><p>Written by Blocktime from a model; no database ran.</p>",
        _table("database instance information", ("DB Name", "Release", "RAC"), [("MODELLED", "19.0.0.0.0", "NO")]),
    ]
    if scenario is not None:
        parts.append(_table("host information", HOST, [_host(scenario)]))
    snaps = _snapshots(result, scenario) if scenario is not None else []
    spans = [(f"{name}:", "", f"{minutes:,.2f} (mins)", "") for name, minutes in _minutes(result)]
    parts.append(_table("snapshot information", ("", "Snap Id", "Snap Time", "Sessions"), [*snaps, *spans]))
    parts += [
        f"<h3>{title}</h3>\n{_table(summary, columns, rows)}"
        for title, summary, columns, rows in _sections(result, scenario)
    ]
    return "\n".join([*parts, "End of Report", "</body></html>", ""])


def _table(summary: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    return f'<table border="0" summary="This table displays {summary}">\n{row(columns, "th")}\n{body}</table>'
