"""Reads AWR reports (HTML and text) and Statspack: the header, and the sections that count or time something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from validation.instruments.figures import (
    Column,
    NotReadable,
    Reading,
    Section,
    Setting,
    Skipped,
    figure,
    grain_of,
    number_of,
)
from validation.instruments.opening import Progress, Source
from validation.instruments.parameters import kept
from validation.instruments.tables import Table, html_tables, ruled_tables

NAME: Final = "awr"
HOW: Final = "@?/rdbms/admin/awrrpt.sql, one instance, one period"
AWR: Final = re.compile(r"WORKLOAD REPOSITORY (?:PDB )?report for|AWR Report for DB:", re.IGNORECASE)
STATSPACK: Final = re.compile(r"STATSPACK report for", re.IGNORECASE)
REFUSED: Final = {
    r"WORKLOAD REPOSITORY COMPARE PERIOD": "this compares two periods: give the report of one period",
    r"WORKLOAD REPOSITORY SQL Report": "this is the report of one SQL statement: give the AWR report of the instance",
    r"WORKLOAD REPOSITORY REPORT \(RAC\)": "this sums up all instances of a cluster: give the report of one instance",
    r"WORKLOAD REPOSITORY DIFFERENCE": "this compares two periods: give the report of one period",
    r"ASH Report For": "this is a report of active session history: it has samples, no counts; give an AWR report",
}
TOP: Final = 20_000
"""Letters of a report that say what it is; some have another kind of report behind them."""
WIDEST: Final = 1000
"""Letters of a line of the header; what stands behind them is no label and no number."""
CELL: Final = re.compile(r"([-+]?[0-9,]*\.?[0-9]+)\s*(%|ns|us|ms|s|[KMGTP])?", re.IGNORECASE)
SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "cs": 1e-2, "sec": 1.0}
THOUSANDS: Final = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY: Final = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}
SPAN: Final = re.compile(
    r"^\s*(Begin|End) Snap:\s+([0-9]+)\s+(\S+ [0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?)\s+([0-9,]+)?",
    re.MULTILINE,
)
MINUTES: Final = re.compile(r"\b(Elapsed|DB Time|DB CPU):\s+([0-9,]+\.[0-9]+) \(min", re.IGNORECASE)
PAIR: Final = re.compile(r"([A-Z%][\w %/&>().-]*?)\s*:\s+([0-9,]*\.?[0-9]+[KMG]?)(?=\s|$)")


PER_SECOND: Final = re.compile(r"per ?sec|/sec|second$")
PER_TRANSACTION: Final = re.compile(r"per ?trans|/txn|/tx")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of section: what its columns begin with, and which of them names the rows."""

    title: str
    first: str
    """The first column, letters and digits alone."""
    has: str
    """A column that must be there, as a pattern on the same form."""
    subject: str = ""
    """The column that names the rows where it is not the first."""
    hidden: str = ""
    """What the rows are called where their names belong to the site."""


KINDS: Final = (
    Kind("Load Profile", "|loadprofile", "persecond"),
    Kind("IO Profile", "|ioprofile", "read.*second"),
    Kind("Wait Event Histogram", "event|", "(1ms|1us|512us|8us|32ms|2s)$"),
    Kind("Wait Events", "event", "waits"),
    Kind("Wait Classes", "waitclass", "waits"),
    Kind("Time Model", "statisticname|statistic", "^times"),
    Kind("Operating System Statistics", "statistic", "^value$"),
    Kind("Instance Activity", "statistic", "^(total|beginvalue)$"),
    Kind("IO by Function", "functionname|functionfilename", "readsdata|data"),
    Kind("IO by File Type", "filetypename", "readsdata|data"),
    Kind("Host CPU", "cpus", "cores"),
    Kind("Memory Statistics", "|memorystatistics", "^begin$"),
    Kind("Buffer Pool Advisory", "p", "sizeforest", subject="sizeforest"),
    Kind("Buffer Pool Statistics", "p", "numberof|buffer"),
    Kind("Buffer Wait Statistics", "class", "waits"),
    Kind("SGA Memory Summary", "sgaregions", "size"),
    Kind("Enqueue Activity", "enqueuetyperequestreason", "requests"),
    Kind(
        "SQL Statistics",
        "elapsedtimes|cputimes|useriotimes|buffergets|physicalreads|executions",
        "sqlid",
        subject="sqlid",
    ),
    Kind("Segments", "owner", "total|capture", hidden="segment"),
)
WANTED: Final = {
    "Load Profile": "the load profile",
    "Wait Events": "the wait events",
    "Time Model": "the time model (Standard Edition, or statistics_level = basic)",
    "Buffer Pool Advisory": "the buffer pool advisory (db_cache_advice is off)",
    "Instance Activity": "the instance activity statistics",
    "init.ora Parameters": "the init.ora parameters",
}
NEVER: Final = {
    "sqltext",
    "sqlmodule",
    "sqlid",
    "planhash",
    "owner",
    "tablespacename",
    "objectname",
    "subobjectname",
    "obj",
    "dataobj",
}


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is an AWR or Statspack report, or one of their relatives."""
    return bool(
        AWR.search(head)
        or STATSPACK.search(head)
        or any(re.search(p, head[:TOP], re.IGNORECASE) for p in REFUSED)
    )


def read(source: Source, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*; several in one file are told apart by their headings."""
    text = source.text()
    for pattern, why in REFUSED.items():
        if re.search(pattern, source.head[:TOP], re.IGNORECASE):
            raise NotReadable(f"{source.name}: {why}")
    is_html = re.search(r"<html|<table", source.head, re.IGNORECASE) is not None
    starts = [
        found.start()
        for found in re.finditer(r"<html\b" if is_html else rf"{AWR.pattern}|{STATSPACK.pattern}", text)
    ]
    starts = starts if len(starts) > 1 else [0]
    readings = []
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        above = text.count("\n", 0, begin)
        readings.append(_reading(source, "\n" * above + text[begin:end] if begin else text[:end], is_html))
    return readings


def _reading(source: Source, text: str, is_html: bool) -> Reading:
    """One report."""
    reading, skipped = Reading(NAME, "", source.name, ""), Skipped()
    tables = html_tables(text) if is_html else ruled_tables(text)
    segments: dict[str, str] = {}
    for table in tables:
        if _header(reading, table):
            continue
        kind = _kind_of(table)
        if _normal(table.columns[0]) == "parametername":
            _parameters(reading, table, skipped)
        elif kind is None:
            skipped.add(table.line, f"section {table.title[:60] or ', '.join(table.columns[:3])}".strip())
        else:
            _take(reading, table, kind, skipped, segments)
    if not is_html:
        _text_header(reading, text)
    if not reading.figures:
        raise NotReadable(
            f"{source.name}: no section of this report could be read; it is truncated, or not made by {HOW}"
        )
    there = {section.title.partition(":")[0] for section in reading.sections}
    reading.missing += [f"{what} is missing" for title, what in WANTED.items() if title not in there]
    kind_of_report = "Statspack" if STATSPACK.search(text[:5000]) else "AWR"
    release = next((f" of {value}" for value in [reading.host.system] if value), "")
    reading.title = f"{kind_of_report} report{release}: {len(reading.sections)} sections"
    reading.unread = skipped.unread()
    return reading


def _parameters(reading: Reading, table: Table, skipped: Skipped) -> None:
    """Parameters that differ from their defaults, and bear on performance."""
    found = len(reading.settings)
    for row, line in zip(table.rows, table.lines, strict=True):
        name, value = row[0], row[1] if len(row) > 1 else ""
        if kept(name):
            reading.settings.append(Setting(name, value, line))
        else:
            skipped.add(line, "parameters that do not bear on performance")
    if len(reading.settings) > found:
        count = len(reading.settings) - found
        reading.sections.append(Section("init.ora Parameters", table.line, table.lines[-1], count))


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _kind_of(table: Table) -> Kind | None:
    names = [_normal(column) for column in table.columns]
    for kind in KINDS:
        if (
            names
            and names[0] in kind.first.split("|")
            and any(re.search(kind.has, name) for name in names[1:])
        ):
            return kind
    return None


def _header(reading: Reading, table: Table) -> bool:
    """Take the tables that say whose report this is; names of databases, instances and hosts are left out."""
    names = [_normal(column) for column in table.columns]
    if not table.rows or not ({"release", "platform", "snaptime"} & set(names)):
        return False
    rows = [dict(zip(names, row, strict=False)) for row in table.rows]
    if "release" in names:
        reading.host.system = f"Oracle {rows[0].get('release', '')}".strip()
    if "platform" in names:
        cpus = rows[0].get("cpus", "")
        reading.host.cpus = int(cpus) if re.fullmatch("[0-9]{1,6}", cpus) else None
        memory = next((row for name, row in rows[0].items() if name.startswith("memory")), "")
        for name, cell, unit, scale in (
            ("CPUs", cpus, "count", 1.0),
            ("Cores", rows[0].get("cores", ""), "count", 1.0),
            ("Sockets", rows[0].get("sockets", ""), "count", 1.0),
            ("Memory", memory, "bytes", BINARY["G"]),
        ):
            _add(reading, name, "host", cell, Column(name, unit, scale), table.lines[0])
    if "snaptime" in names and not rows[0].get("load"):
        for row, line in zip(table.rows, table.lines, strict=True):
            _snapshot(reading, " ".join(row), line)
    return True


def _text_header(reading: Reading, text: str) -> None:
    """The span and the pairs of label and number that stand outside of ruled tables."""
    for number, printed in enumerate(text.split("\n")[:400], 1):
        line = printed[:WIDEST]
        _snapshot(reading, line, number)
        if line.lstrip().startswith(
            ("Buffer Cache:", "Buffer Nowait", "Buffer  Hit", "Library Hit", "Shared Pool", "Execute to")
        ):
            for name, cell in PAIR.findall(line):
                unit = "bytes" if cell[-1:] in "KMG" else "fraction" if "%" in name else "count"
                _add(
                    reading,
                    name.strip(" :"),
                    "instance",
                    cell,
                    Column(name, unit, 0.01 if unit == "fraction" else 1.0),
                    number,
                )


def _snapshot(reading: Reading, line: str, number: int) -> None:
    """Begin, end, elapsed and DB time."""
    snap = SPAN.search(line)
    if snap is not None and not (reading.begins if snap[1] == "Begin" else reading.ends):
        if snap[1] == "Begin":
            reading.begins = snap[3]
        else:
            reading.ends = snap[3]
        _add(reading, f"{snap[1]} sessions", "instance", snap[4] or "", Column("", "count"), number)
    for name, cell in MINUTES.findall(line):
        if not any(one.name == name and one.of == "report" for one in reading.figures):
            _add(reading, name, "report", cell, Column(name, "s", 60.0), number)
            if name.lower() == "elapsed":
                reading.interval_s = number_of(cell) * 60


def _take(reading: Reading, table: Table, kind: Kind, skipped: Skipped, segments: dict[str, str]) -> None:
    """The figures of one table."""
    names = [_normal(column) for column in table.columns]
    place = next((n for n, name in enumerate(names) if kind.subject and name.startswith(kind.subject)), 0)
    title = _title(kind, table)
    found = len(reading.figures)
    for row, line in zip(table.rows, table.lines, strict=True):
        subject = row[place] if place < len(row) else ""
        if kind.hidden:
            named = " ".join(row[:5])
            subject = segments.setdefault(named, f"{kind.hidden} {len(segments) + 1}")
        subject = subject.rstrip(":").strip()
        if not subject or set(subject) <= set("-"):
            continue
        of = f"{title}: {subject}"
        for column, normal, cell in zip(table.columns, names, row, strict=False):
            if normal in NEVER or cell == row[place] or not cell:
                continue
            if not _add_cell(reading, column, of, cell, subject, line):
                skipped.add(line, f"cells of {kind.title} that are no numbers")
    if len(reading.figures) > found:
        reading.sections.append(Section(title, table.line, table.lines[-1], len(reading.figures) - found))


def _title(kind: Kind, table: Table) -> str:
    """The section's own name where there are several of a kind."""
    text = table.title.lower()
    if kind.title == "Wait Events":
        which = (
            "top"
            if "top" in text
            else "background"
            if "background" in text
            else "foreground"
            if "foreground" in text
            else ""
        )
        return f"{kind.title}{f': {which}' if which else ''}"
    if kind.title in {"SQL Statistics", "Segments"}:
        by = re.search(r"(?:ordered by|sql by|segments by) ([\w /]+)", text)
        return f"{kind.title}{f': by {by[1].strip()}' if by else ''}"
    return kind.title


def _add_cell(reading: Reading, column: str, of: str, cell: str, subject: str, line: int) -> bool:
    """Add one cell in the unit that its column, its row or its own suffix says; False where it is no number."""
    match = CELL.fullmatch(cell)
    if match is None:
        return set(cell) == {"#"} or not any(letter.isdigit() for letter in cell)
    suffix = match[2] or ""
    unit, scale = _unit(column, subject, suffix)
    if suffix.lower() in SECONDS and suffix.islower():
        unit, scale = "s", SECONDS[suffix.lower()]
    elif suffix.upper() in THOUSANDS:
        scale *= (BINARY if unit.startswith("bytes") else THOUSANDS)[suffix.upper()]
    _add(reading, column or "value", of, match[1], Column(column, unit, scale), line)
    return True


UNITS: Final = (
    (r"\((?:s|sec)\)", "s", 1.0),
    (r"\(ms\)", "s", 1e-3),
    (r"\(us\)", "s", 1e-6),
    (r"\(cs\)|_time$", "s", 1e-2),
    (r"\(mb?\)", "bytes", BINARY["M"]),
    (r"redo size|bytes\b|_bytes$", "bytes", 1.0),
    (r"thousands", "count", 1e3),
)
"""Words in the heading of a column or in the name of its row -> unit and scale; the first that fits counts."""


def _unit(column: str, subject: str, suffix: str) -> tuple[str, float]:
    """Unit and scale of a cell, from the words in its heading and in its row's name."""
    name, both = column.lower(), f"{column} {subject}".lower()
    if "%" in name or "pct" in name or subject.endswith("%"):
        return "fraction", 0.01
    per = "/s" if PER_SECOND.search(name) else "/transaction" if PER_TRANSACTION.search(name) else ""
    unit, scale = next(
        ((unit, scale) for words, unit, scale in UNITS if re.search(words, both)), ("count", 1.0)
    )
    if unit == "count" and re.search(r"\bdata\b", name):
        unit = "bytes"
    if unit == "count" and "avg" in name and "time" in name:
        return "s", 1.0 if suffix else 1e-3
    if unit == "count" and per:
        return f"1{per}", scale
    return f"{unit}{per}", scale


def _add(reading: Reading, name: str, of: str, cell: str, column: Column, line: int) -> None:
    """Add a figure where *cell* is a number, with or without K, M, G behind it."""
    suffix = cell[-1:].upper()
    scale = column.scale
    if suffix in BINARY:
        cell, scale = cell[:-1], scale * (BINARY if column.unit == "bytes" else THOUSANDS)[suffix]
    try:
        value = number_of(cell)
    except ValueError:
        return
    shaped = Column(name, column.unit, scale, grain_of(cell.replace(",", "")))
    reading.figures.append(figure(name, of, value, shaped, line))
