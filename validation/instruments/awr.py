"""Reads AWR reports (HTML and text) and Statspack: the header, and the sections that count or time something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from validation.instruments.awr_cells import BINARY, COMMA, add, add_cell
from validation.instruments.figures import (
    Keep,
    NotReadable,
    Reading,
    Section,
    SeriesColumn,
    Setting,
    plural,
)
from validation.instruments.opening import OpenedFile, Progress
from validation.instruments.parameters import files_on, kept
from validation.instruments.table_spaces import TableSpaces
from validation.instruments.tables import ReportTable, html_tables, normal, ruled_tables

NAME: Final = "awr"
COMMAS: Final = "numbers with a decimal comma"
MOST_COMMAS: Final = 3
HOW: Final = "@?/rdbms/admin/awrrpt.sql, one instance, one period"
AWR: Final = re.compile(
    r"WORKLOAD REPOSITORY (?:PDB )?report(?: for| \(|$)|AWR (?:PDB )?Report for (?:DB|PDB):",
    re.IGNORECASE | re.MULTILINE,
)
STATSPACK: Final = re.compile(r"STATSPACK report for", re.IGNORECASE)
REFUSED: Final = {
    r"WORKLOAD REPOSITORY COMPARE PERIOD": "this compares two periods: give the report of one period",
    r"WORKLOAD REPOSITORY SQL Report": "this is the report of one SQL statement: give the AWR report of the instance",
    r"WORKLOAD REPOSITORY REPORT \(RAC\)": "this sums up all instances of a cluster: give the report of one instance",
    r"WORKLOAD REPOSITORY DIFFERENCE": "this compares two periods: give the report of one period",
    r"AWR (?:Diff|Compare Periods?) Report": "this compares two periods: give the report of one period",
    r"AWR (?:RAC|Global) Report": "this sums up all instances of a cluster: give the report of one instance",
    r"ADDM Report for|ADDM Task": "this is ADDM's advice on an AWR report: give the AWR report itself",
    r"ASH Report For": "this is a report of active session history: it has samples, no counts; give an AWR report",
}
PAGE_HEADING: Final = re.compile(r"<h1\b[^>]*>([^<]*)", re.IGNORECASE)
END: Final = "End of Report"
TOP: Final = 20_000
"""Letters of a report that say what it is; some have another kind of report behind them."""
WIDEST: Final = 1000
"""Letters of a line of the header; what stands behind them is no label and no number."""
SPAN: Final = re.compile(
    r"^\s*(Begin|End) Snap:\s+([0-9]+)\s+(\S+(?: \S+)? [0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?)\s+([0-9,]+(?!\S))?",
    re.MULTILINE,
)
MINUTES: Final = re.compile(r"\b(Elapsed|DB Time|DB CPU):\s+([0-9,]+\.[0-9]+) \(min", re.IGNORECASE)
PAIRED: Final = (
    "Buffer Cache:", "Buffer Nowait", "Buffer  Hit", "Library Hit", "Shared Pool Size:", "Execute to", "Parse CPU to",
    "Flash Cache Hit",
)  # fmt: skip
"""What lines begin with that hold labels with numbers, side by side."""
PAIR: Final = re.compile(r"(?<!\S)([A-Z%][\w %/&>().-]*?)\s*:\s+([0-9,]*\.?[0-9]+[KMG]?)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class SectionKind:
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
    form: str = ""
    """What a row must be called; between the rows of statements stands their text."""
    row: str = ""
    """What the only row is called where no column names it."""
    usual: str = ""
    """The first cell of rows that go by their subject alone; before that of others stands theirs."""


KINDS: Final = (
    SectionKind("IO Profile", "|ioprofile", "^read.*second"),
    SectionKind("Load Profile", "|loadprofile", "persecond"),
    SectionKind("Wait Event Histogram", "event|", "(1ms|1us|512us|8us|32ms|2s)$"),
    SectionKind("Wait Events", "event", "waits"),
    SectionKind("Wait Classes", "waitclass", "waits"),
    SectionKind("Time Model", "statisticname|statistic", "^times"),
    SectionKind("Operating System Statistics", "statistic", "^value$"),
    SectionKind("Instance Activity", "statistic", "^(total|beginvalue)$"),
    SectionKind("IO by Function", "functionname|functionfilename", "readsdata|data"),
    SectionKind("IO by File Type", "filetypename", "readsdata|data"),
    SectionKind("Host CPU", "cpus", "cores"),
    SectionKind("Host CPU", "loadaveragebegin", "^idle$", row="all CPUs"),
    SectionKind("Memory Statistics", "|memorystatistics|cachesizes", "^begin$"),
    SectionKind("Buffer Pool Advisory", "p", "sizeforest", subject="sizeforest", usual="D"),
    SectionKind("Buffer Pool Statistics", "p", "numberof|buffer"),
    SectionKind("Buffer Wait Statistics", "class", "waits"),
    SectionKind("SGA Memory Summary", "sgaregions", "size"),
    SectionKind("Enqueue Activity", "enqueuetyperequestreason", "requests"),
    SectionKind(
        "SQL Statistics",
        "elapsedtimes|cputimes|useriotimes|buffergets|physicalreads|executions",
        "sqlid",
        subject="sqlid",
        form="[0-9a-z]{13}",
    ),
    SectionKind("Segments", "owner|objectname", "total|capture", hidden="segment"),
    SectionKind("Latch Activity", "latchname|latch", "requests"),
    SectionKind("Instance Recovery", "", "estdios$"),
    SectionKind("Undo Segment Summary", "undots", "undoblocks"),
    SectionKind("Undo Segment Statistics", "endtime", "undoblocks"),
)
EFFICIENCY: Final = SectionKind("Instance Efficiency", "", "")
"""A table without headings, of labels that end in a per cent sign and a colon."""
WANTED: Final = {
    "Load Profile": "load profile",
    "Wait Events": "wait events",
    "Time Model": "time model: Standard Edition and statistics_level = basic have none",
    "Buffer Pool Advisory": "buffer pool advisory: set db_cache_advice = on",
    "Instance Activity": "instance activity statistics",
    "init.ora Parameters": "init.ora parameters",
}
OWN: Final = {
    "dbname": "database", "database": "database", "instance": "instance", "hostname": "host", "host": "host",
    "pdbname": "pluggable database", "containername": "pluggable database", "uniquename": "unique name",
}  # fmt: skip
"""Columns of the header that name what is the site's own."""
NEVER: Final = {
    "name",
    "tablespacename",
    "sqltext",
    "sqlmodule",
    "sqlid",
    "planhash",
    "owner",
    "objectname",
    "subobjectname",
    "obj",
    "dataobj",
}


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is an AWR or Statspack report, or one of their relatives."""
    lower = head.lower()
    if "repo" not in lower and "addm" not in lower:  # the patterns take longer
        return False
    return bool(
        AWR.search(head)
        or STATSPACK.search(head)
        or any(re.search(p, head[:TOP], re.IGNORECASE) for p in REFUSED)
    )


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*; several in one file are told apart by their headings."""
    text = source.text()
    titled = AWR.search(text) or STATSPACK.search(text)
    above = text[: titled.end() + len("(RAC)")] if titled else text[:TOP]
    heading_of_page = PAGE_HEADING.search(text, 0, TOP)
    above += heading_of_page[1] if heading_of_page else ""
    for pattern, why in REFUSED.items():
        if re.search(
            pattern, above[:TOP], re.IGNORECASE
        ):  # behind its title, a report may tell of the others
            raise NotReadable(f"{source.name}: {why}")
    is_html = re.search(r"<(?:html|table|h[1-4]|body)\b", above, re.IGNORECASE) is not None
    heading = r"<html\b" if is_html else rf"^[ \t]*(?:{AWR.pattern}|{STATSPACK.pattern})"
    starts = [match.start() for match in re.finditer(heading, text, re.IGNORECASE | re.MULTILINE)]
    if is_html:  # another page may stand before or behind it
        ends = [*starts[1:], len(text)]
        starts = [a for a, b in zip(starts, ends, strict=False) if AWR.search(text, a, b)]
    starts = starts if len(starts) > 1 else [0]
    readings = []
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        before = text.count("\n", 0, begin)  # lines of the reports before it
        readings.append(_reading(source, text[begin:end], is_html, before))
    return readings


def _reading(source: OpenedFile, text: str, is_html: bool, before: int) -> Reading:
    """One report, which begins behind *before* lines."""
    reading = Reading(NAME, "", source.name, "")
    tables = html_tables(text) if is_html else ruled_tables(text)
    rows, spaces = _Rows(reading, source.keep), TableSpaces(reading, source.keep)
    for table in tables:
        table.line += before
        table.lines = [line + before for line in table.lines]
        if not table.rows or _header(reading, table, source.keep):
            continue
        kind, first = _kind_of(table), normal(table.columns[0])
        if first == "parametername":
            _parameters(reading, table, source.keep)
        elif kind is not None:
            rows.take(table, kind)
        elif not spaces.takes(table):
            if first == "sqlid" and source.keep.sql and "sqltext" in map(normal, table.columns[1:]):
                for row, line in zip(table.rows, table.lines, strict=True):
                    reading.name(row[0], "SQL text", row[-1], line)
            heads = ", ".join(table.columns[:3]) if is_html else ""  # in text, SQL may stand above a rule
            reading.skip(table.line, f"section {table.title[:60] or heads[:60] or 'without a title'}")
    if not is_html:
        _text_header(reading, text, before)
    _refuse_unreadable(reading)
    _judge_completeness(reading, text, before)
    kind_of_report = "Statspack" if STATSPACK.search(text[:5000]) else "AWR"
    release = f" of {reading.host.system}" if reading.host.system else ""
    reading.title = f"{kind_of_report} report{release}: {plural(len(reading.sections), 'section')}"
    return reading


def _refuse_unreadable(reading: Reading) -> None:
    """Raise NotReadable where the numbers have a decimal comma, and where there are none."""
    source = reading.file
    if reading.left_alone.get(COMMAS, (0, 0))[0] >= MOST_COMMAS:
        raise NotReadable(
            f"{source}: the numbers of this report have a decimal comma; set NLS_LANG=AMERICAN_AMERICA.UTF8 "
            f"and make it again by {HOW}"
        )
    if not reading.figures:
        raise NotReadable(
            f"{source}: no section of this report could be read; it is truncated, or not made by {HOW}"
        )


def _judge_completeness(reading: Reading, text: str, before: int) -> None:
    """Note what is missing of a report; what a truncated one ends with is not taken."""
    if END not in text[-TOP:]:
        reading.missing.append("end of the report: the file is truncated")
        last = before + text.count("\n") + 1  # a number in it may be cut; behind a line's end there is none
        reading.figures = [figure for figure in reading.figures if figure.line < last]
    there = {section.title.partition(":")[0] for section in reading.sections}
    reading.missing += [what for title, what in WANTED.items() if title not in there]


def _parameters(reading: Reading, table: ReportTable, keep: Keep) -> None:
    """Parameters that differ from their defaults, and bear on performance."""
    already = len(reading.settings)
    for row, line in zip(table.rows, table.lines, strict=True):
        name, value = row[0], row[1] if len(row) > 1 else ""
        reading.host.files = reading.host.files or files_on(name, value)
        if kept(name, keep):
            reading.settings.append(Setting(name, value, line))
        else:
            reading.skip(line, "parameters that do not bear on performance")
    if len(reading.settings) > already:
        count = len(reading.settings) - already
        reading.sections.append(Section("init.ora Parameters", table.line, table.lines[-1], count))


def _kind_of(table: ReportTable) -> SectionKind | None:
    names = [normal(column) for column in table.columns]
    if not any(names) and len(names) > 1 and table.rows[0][0].rstrip(": ").endswith("%"):
        return EFFICIENCY
    for kind in KINDS:
        if (
            names
            and names[0] in kind.first.split("|")
            and any(re.search(kind.has, name) for name in names[1:])
        ):
            return kind
    return None


def _header(reading: Reading, table: ReportTable, keep: Keep) -> bool:
    """Take the tables that say whose report this is, their names where they may be kept."""
    names = [normal(column) for column in table.columns]
    if not ({"release", "platform", "snaptime", "startuptime"} & set(names)):
        return False
    for name, cell in zip(names, table.rows[0], strict=False):
        if keep.names and name in OWN:
            reading.name("report", OWN[name], cell, table.lines[0])
    rows = [dict(zip(names, row, strict=False)) for row in table.rows]
    if "release" in names:
        reading.host.system = f"Oracle {rows[0].get('release', '')}".strip()
        role = rows[0].get("role") or rows[0].get("dbrole") or ""
        reading.host.standby = "STANDBY" in role.upper()
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
            behind = " GB" if unit == "bytes" else ""
            add(reading, name, "host", cell, SeriesColumn(name, unit, scale, behind=behind), table.lines[0])
    if "snaptime" in names and not rows[0].get("load"):
        for row, line in zip(table.rows, table.lines, strict=True):
            _snapshot(reading, " ".join(row), line)
    return True


def _text_header(reading: Reading, text: str, before: int) -> None:
    """The span and the pairs of label and number that stand outside of ruled tables."""
    for number, printed in enumerate(text.split("\n", 400)[:400], before + 1):
        line = printed[:WIDEST]
        _snapshot(reading, line, number)
        if line.lstrip().startswith(PAIRED):
            for label, cell in PAIR.findall(line):
                name = label.strip(" :")
                if "%" in label:
                    share = SeriesColumn("", "fraction", 0.01, behind=" %")
                    add(reading, "value", f"{EFFICIENCY.title}: {name}", cell, share, number)
                else:
                    amount = SeriesColumn("", "bytes" if cell[-1:] in "KMG" else "count")
                    add(reading, name, "instance", cell, amount, number)


def _snapshot(reading: Reading, line: str, number: int) -> None:
    """Begin, end, elapsed and DB time."""
    snap = SPAN.search(line)
    if snap is not None and not (reading.begins if snap[1] == "Begin" else reading.ends):
        if snap[1] == "Begin":
            reading.begins = snap[3]
        else:
            reading.ends = snap[3]
        add(reading, f"{snap[1]} sessions", "instance", snap[4] or "", SeriesColumn("", "count"), number)
    for name, cell in MINUTES.findall(line):
        if not any(figure.name == name and figure.of == "report" for figure in reading.figures):
            seconds = add(reading, name, "report", cell, SeriesColumn(name, "s", 60.0, behind=" min"), number)
            if name.lower() == "elapsed":
                reading.interval_s = seconds


class _Rows:
    """Takes the figures of tables; segments have the same number in every table."""

    def __init__(self, reading: Reading, keep: Keep) -> None:
        self._reading, self._keep = reading, keep
        self._segments: dict[str, str] = {}

    def take(self, table: ReportTable, kind: SectionKind) -> None:
        """The figures of one table."""
        names = [normal(column) for column in table.columns]
        place = next((n for n, name in enumerate(names) if kind.subject and name.startswith(kind.subject)), 0)
        place = -1 if kind.row else place
        title, already = _title(kind, table), len(self._reading.figures)
        headings = table.columns
        if kind.title == "Wait Event Histogram":  # an event, its waits, and how they spread
            waits = headings[1] if "waits" in names[1] else f"Waits {headings[1]}"
            headings = (headings[0], waits, *(f"% of waits {heading}" for heading in headings[2:]))
        for row, line, subject in self._subjects(table, kind, place):
            label = subject
            for position, (column, name, cell) in enumerate(zip(headings, names, row, strict=False)):
                if name in NEVER or position == place or not cell:
                    continue
                if cell.endswith(":"):
                    label = cell.rstrip(": ")  # of the next cell, where a row has several
                elif not add_cell(self._reading, column, f"{title}: {label}", cell, label, line):
                    comma = COMMA.fullmatch(cell)
                    what = COMMAS if comma else f"cells of {kind.title} that are no numbers"
                    self._reading.skip(line, what)
        self._reading.add_section(title, already, table.line, table.lines[-1])

    def _subjects(
        self, table: ReportTable, kind: SectionKind, place: int
    ) -> Iterator[tuple[Sequence[str], int, str]]:
        """The rows that hold figures, each with its line and what it is about, which stands at *place* in it."""
        owner = ""
        for row, line in zip(table.rows, table.lines, strict=True):
            subject = kind.row or (row[place] if place < len(row) else "").rstrip(":").strip()
            if kind.hidden:
                if not any(letter.isdigit() for letter in "".join(row[-2:])):
                    owner = row[0]  # stands on a line above the object
                    continue
                subject = self._segment(kind, owner, row, line)
            if not subject or set(subject) <= set("-"):
                continue
            if kind.usual and row[0] not in (kind.usual, ""):
                subject = f"{row[0]} {subject}"  # the keep or recycle pool, or one of other blocks
            if kind.form and not re.fullmatch(kind.form, subject):
                self._reading.skip(line, f"text between the rows of {kind.title}")
                continue
            yield row, line, subject

    def _segment(self, kind: SectionKind, owner: str, row: Sequence[str], line: int) -> str:
        """What a segment is called: a number, the same wherever it stands."""
        named = " ".join(filter(None, (owner, *row[:5])))
        if named not in self._segments:
            self._segments[named] = f"{kind.hidden} {len(self._segments) + 1}"
            if self._keep.names:
                self._reading.name(self._segments[named], "object", named, line)
        return self._segments[named]


def _title(kind: SectionKind, table: ReportTable) -> str:
    """The section's own name where there are several of a kind."""
    text = table.title.lower()
    if kind.title == "Wait Events":
        which = next((f": {word}" for word in ("top", "background", "foreground") if word in text), "")
        return f"{kind.title}{which}"
    if kind.title in {"SQL Statistics", "Segments"}:
        by = re.search(r"(?:ordered by|sql by|segments by) ([\w /]+)", text)
        return f"{kind.title}{f': by {by[1].strip()}' if by else ''}"
    return kind.title
