"""Reads AWR reports (HTML and text) and Statspack: the header, and the sections that count or time something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from blocktime.validation.instruments import compared_periods
from blocktime.validation.instruments.awr_cells import BINARY, COMMA, add, add_cell
from blocktime.validation.instruments.compared_periods import COMPARES
from blocktime.validation.instruments.figures import (
    EVERY_LINE,
    Figure,
    FilePart,
    Keep,
    NotReadable,
    Reading,
    SeriesColumn,
    plural,
)
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.parameters import files_on, is_relevant
from blocktime.validation.instruments.table_spaces import TableSpaces
from blocktime.validation.instruments.tables import (
    MOST_LETTERS,
    ReportTable,
    RuledReader,
    html_pieces,
    html_tables,
    normal,
)

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
    r"WORKLOAD REPOSITORY SQL Report": "this is the report of one SQL statement: give the AWR report of the instance",
    r"WORKLOAD REPOSITORY REPORT \(RAC\)": "this sums up all instances of a cluster: give the report of one instance",
    r"AWR (?:RAC|Global) Report": "this sums up all instances of a cluster: give the report of one instance",
    r"ADDM Report for|ADDM Task": "this is ADDM's advice on an AWR report: give the AWR report itself",
    r"ASH Report For": "this is a report of active session history: it has samples, no counts; give an AWR report",
}
PAGE_HEADING: Final = re.compile(r"<h1\b[^>]*>([^<]*)", re.IGNORECASE)
END: Final = "End of Report"
PAGE_RULE: Final = re.compile("-{20,}")
PAGE: Final = re.compile(r"^[ \t]*\f?\n(\w+)[ \t]*\n-{20,}[ \t]*$", re.MULTILINE)
"""What SQL*Plus prints on top of each page of a query with one column."""
TOP: Final = 20_000
"""Letters of a report that say what it is; some have another kind of report behind them."""
HEAD_LINES: Final = 400
"""Lines that have the header."""
WIDEST: Final = 1000
"""Letters of a line of the header; what stands behind them is no label and no number."""
HEADING: Final = re.compile(rf"[ \t]*(?:{AWR.pattern}|{STATSPACK.pattern})", re.IGNORECASE)
FOREGROUND: Final = "Wait Events: foreground: "
IDLE: Final = ("SQL*Net message from", "rdbms ipc message", "pmon timer", "smon timer", "jobq slave wait", "PX Deq: ")
"""Begins of the events in which a session waits for work; they are no part of DB time."""
SHARES: Final = ("% DB time", "%Total Call Time")
"""Columns that only events within DB time have a number in, where a report prints them."""
DB_TIMES: Final = ("db time", "time (s)")
MOST_WAITED: Final = 1.05
"""Foreground waits over DB time, beyond which they contradict each other."""
SPAN: Final = re.compile(
    r"^\s*(Begin|End) Snap:\s+([0-9]+|#+)\s+"
    r"(\S+(?: \S+)? [0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?)\s+(-?[0-9,]+(?!\S)|#+)?",
    re.MULTILINE,
)
MINUTES: Final = re.compile(r"\b(Elapsed|DB Time|DB CPU):\s+(-?[0-9,]+(?:\.[0-9]+)?|#+) \(min", re.IGNORECASE)
PAIRED: Final = (
    "Buffer Cache:", "Buffer Nowait", "Buffer  Hit", "Library Hit", "Shared Pool Size:", "Execute to", "Parse CPU to",
    "Flash Cache Hit",
)  # fmt: skip
"""What lines begin with that hold labels with numbers, side by side."""
PAIR: Final = re.compile(r"(?<!\S)([A-Z%][\w %/&>().-]*?)\s*:\s+(-?[0-9,]*\.?[0-9]+[KMG]?|#+)(?=\s|$)")


NAMELESS: Final = re.compile(r"[-+#0-9.,]+(?:[KMG%]|[mun]?s)?")
"""A number in place of a name: the end of a line that was wrapped."""


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
NAMED_COLUMNS: Final = {
    "dbname": "database", "database": "database", "instance": "instance", "hostname": "host", "host": "host",
    "pdbname": "pluggable database", "containername": "pluggable database", "uniquename": "unique name",
}  # fmt: skip
"""Columns of the header that name what is the site's own."""
INSTANCE: Final = ("dbid", "instnum")
"""Columns of the header that tell databases and instances apart."""
DIGEST_LETTERS: Final = 12
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
        or COMPARES.search(head, 0, TOP)
        or any(re.search(p, head[:TOP], re.IGNORECASE) for p in REFUSED)
    )


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*; several in one file are told apart by their headings."""
    head = source.head
    titled = AWR.search(head) or STATSPACK.search(head)
    above = head[: titled.end() + len("(RAC)")] if titled else head[:TOP]
    heading_of_page = PAGE_HEADING.search(head, 0, TOP)
    above += heading_of_page[1] if heading_of_page else ""
    for pattern, why in REFUSED.items():
        if re.search(pattern, above[:TOP], re.IGNORECASE):  # behind its title, a report may tell of the others
            raise NotReadable(f"{source.name}: {why}")
    is_html = re.search(r"<(?:html|table|h[1-4]|body)\b", above, re.IGNORECASE) is not None
    if COMPARES.search(above[:TOP]):
        return _of_periods(source, progress, is_html=is_html)
    reports = _of_html(source, progress) if is_html else _of_text(source, progress)
    return [report.close(source.open_line) for report in reports]


def _of_html(source: OpenedFile, progress: Progress | None) -> list[_Report]:
    """The reports of HTML: another page may stand before or behind them."""
    reports = [_Report(source, is_html=True)]
    for line, piece in html_pieces(source.chunks(progress)):
        if piece[:5].lower() == "<html":
            reports.append(_Report(source, is_html=True))
        reports[-1].take_piece(line, piece)
    return [report for report in reports if report.is_titled] or reports[:1]


def _of_text(source: OpenedFile, progress: Progress | None) -> list[_Report]:
    """The reports of text; what stands above the first belongs to it."""
    reports = [_Report(source, is_html=False)]
    for number, line in _without_page_headings(source, progress):
        if "eport" in line.lower() and HEADING.match(line):
            if reports[-1].is_titled:
                reports[-1].end_table()
                reports.append(_Report(source, is_html=False))
            reports[-1].is_titled = True
        reports[-1].take_line(number, line)
    reports[-1].end_table()
    return reports


def _of_periods(source: OpenedFile, progress: Progress | None, *, is_html: bool) -> list[Reading]:
    """The two periods that a report compares, each as far as a report of its own would say it."""
    periods = [_Report(source, is_html=is_html) for _ in range(2)]
    ruled, spans = RuledReader(), ""
    for line, piece in html_pieces(source.chunks(progress)) if is_html else source.lines(progress):
        spans = spans if compared_periods.spans_of(spans) else piece
        tables = html_tables(piece) if is_html else ruled.take(line, compared_periods.ruled_line(piece))
        for table in tables:
            if is_html:
                table.line, table.lines = table.line + line - 1, [number + line - 1 for number in table.lines]
            _take_both(periods, table)
    for table in ruled.end():
        _take_both(periods, table)
    return [period.close_period(rank, spans) for rank, period in enumerate(periods)]


def _take_both(periods: Sequence[_Report], table: ReportTable) -> None:
    """Give either period its part of *table*."""
    halves = compared_periods.halves_of(table)
    for period, tables in zip(periods, halves or ((table,), ()), strict=True):
        for half in tables:
            period.take_half(half) if halves else period.reading.skip(table.line, f"section {table.title[:60]}")


def _without_page_headings(source: OpenedFile, progress: Progress | None) -> Iterator[tuple[int, str]]:
    """The lines of *source* without the headings that SQL*Plus repeats on each page: a blank line, a name, and a rule.

    The report is the one column of a query, so the rule stands under one word and comes again with each page.
    """
    headings = [match[1] for match in PAGE.finditer(source.head)]
    heading = next((name for name in headings if headings.count(name) > 1), None)
    lines: list[tuple[int, str]] = []
    for number, line in source.lines(progress):
        if heading and len(lines) > 1 and lines[1][1].strip() == heading and PAGE_RULE.fullmatch(line.strip()):
            lines = lines[:1] if lines[0][1].strip() else []
            continue
        lines.append((number, line))
        if len(lines) > (2 if heading else 0):
            yield lines.pop(0)
    yield from lines


class _Report:
    """One report under way."""

    def __init__(self, source: OpenedFile, *, is_html: bool) -> None:
        self.reading = source.reading(NAME)
        self.is_titled = False
        self._is_html, self._keep = is_html, source.keep
        self._rows, self._spaces = _Rows(self.reading, source.keep), TableSpaces(self.reading, source.keep)
        self._ruled = RuledReader()
        self._first: list[tuple[int, str]] = []
        self._behind_end = TOP
        """Letters behind the last end of a report."""

    def take_piece(self, line: int, piece: str) -> None:
        """Read HTML up to the next table."""
        self.is_titled = self.is_titled or AWR.search(piece) is not None
        self._look_for_end(piece)
        if len(piece) > MOST_LETTERS:
            self.reading.doubt(line, f"a table with more than {MOST_LETTERS // 1024**2} MB is left out")
        for table in html_tables(piece):
            table.line += line - 1
            table.lines = [number + line - 1 for number in table.lines]
            self._take(table)

    def take_line(self, number: int, line: str) -> None:
        """Read one line of text."""
        if len(self._first) < HEAD_LINES:
            self._first.append((number, line[:WIDEST]))
        self._look_for_end(line)
        for table in self._ruled.take(number, line):
            self._take(table)

    def end_table(self) -> None:
        """No line of text follows."""
        for table in self._ruled.end():
            self._take(table)

    def take_half(self, table: ReportTable) -> None:
        """Take one period's part of a table: the snapshots say when it was."""
        names = [normal(column) for column in table.columns]
        row = dict(zip(names, table.rows[0], strict=False)) if table.rows else {}
        if "beginsnaptime" not in row:
            self._take(table)
            return
        self.reading.begins, self.reading.ends = (row.get(f"{end}snaptime") for end in ("begin", "end"))
        for name, cell in (("Elapsed", "elapsedtimemin"), ("DB Time", "dbtimemin")):
            minutes = SeriesColumn(name, "s", 60.0, behind=" min")
            seconds = add(self.reading, name, "report", row.get(cell, ""), minutes, table.lines[0])
            if name == "Elapsed":
                self.reading.interval_s = seconds

    def close_period(self, rank: int, spans: str) -> Reading:
        """What was read of the first or the second period, whose seconds *spans* may say more exactly."""
        reading = self.reading
        seconds = compared_periods.spans_of(spans)
        if len(seconds) == 2 and reading.figures:
            line = reading.figures[0].line
            reading.figures = [figure for figure in reading.figures if figure.of != "report"]
            for name, of, cell in zip(
                ("Elapsed", "Time (s)"), ("report", "Time Model: DB time"), seconds[rank], strict=True
            ):
                value = add(reading, name, of, cell, SeriesColumn(name, "s", behind=" s"), line)
                reading.interval_s = value if of == "report" else reading.interval_s
        _refuse_unreadable(reading)
        reading.whole_line = EVERY_LINE
        reading.title = f"{compared_periods.TITLE}, {('first', 'second')[rank]} period"
        return reading

    def _look_for_end(self, text: str) -> None:
        end = text.rfind(END)
        self._behind_end = len(text) - end if end >= 0 else self._behind_end + len(text)

    def _take(self, table: ReportTable) -> None:
        reading = self.reading
        table.cells_left_out(reading)
        if not table.rows or _header(reading, table, self._keep):
            return
        kind, first = _kind_of(table), normal(table.columns[0])
        if first == "parametername":
            _parameters(reading, table, self._keep)
        elif kind is not None:
            self._rows.take(table, kind)
        elif not self._spaces.takes(table):
            if first == "sqlid" and self._keep.sql and "sqltext" in map(normal, table.columns[1:]):
                for row, line in zip(table.rows, table.lines, strict=True):
                    reading.name(row[0], "SQL text", row[-1], line)
            heads = ", ".join(table.columns[:3]) if self._is_html else ""  # in text, SQL may stand above a rule
            reading.skip(table.line, f"section {table.title[:60] or heads[:60] or 'without a title'}")

    def close(self, open_line: int) -> Reading:
        """What was read; *open_line* is the last of the file where no line break ends it, or 0."""
        reading = self.reading
        _text_header(reading, self._first)
        _refuse_unreadable(reading)
        if self._behind_end >= TOP:
            reading.missing.append("end of the report: the file is truncated")
            if open_line:
                reading.leave_open(open_line)
        reading.whole_line = EVERY_LINE
        there = {section.title.partition(":")[0] for section in reading.sections}
        reading.missing += [what for title, what in WANTED.items() if title not in there]
        _doubt_waits(reading)
        is_statspack = any(STATSPACK.search(line) for _, line in self._first)
        release = f" of {reading.host.system}" if reading.host.system else ""
        sections = plural(len(reading.sections), "section")
        reading.title = f"{'Statspack' if is_statspack else 'AWR'} report{release}: {sections}"
        return reading


def _doubt_waits(reading: Reading) -> None:
    """Doubt a report whose foreground waits alone are longer than DB time, which holds them all."""
    of_db_time = ("report", "Time Model: DB time")
    stated = (f for f in reading.figures if f.of in of_db_time and f.name.lower() in DB_TIMES)
    db_time = min(stated, key=lambda figure: figure.high - figure.low, default=None)
    events: dict[str, list[Figure]] = {}
    for figure in reading.figures:
        if figure.of.startswith(FOREGROUND) and not figure.of.removeprefix(FOREGROUND).startswith(IDLE):
            events.setdefault(figure.of, []).append(figure)
    busy = [figures for figures in events.values() if any(figure.name in SHARES for figure in figures)]
    totals = [f for figures in busy or events.values() for f in figures if f.name.startswith("Total Wait Time")]
    waited_s = sum(figure.value for figure in totals)
    if db_time is not None and totals and waited_s > MOST_WAITED * db_time.high:
        reading.doubt(
            db_time.line,
            f"DB time is {db_time.printed or f'{db_time.value:,.1f} s'}, but the foreground waits from line "
            f"{totals[0].line:,} on are {waited_s:,.0f} s; DB time holds all waits that are not idle",
        )


def _refuse_unreadable(reading: Reading) -> None:
    """Raise NotReadable where the numbers have a decimal comma, and where there are none."""
    source = reading.file
    if reading.left_alone.get(COMMAS, (0, 0))[0] >= MOST_COMMAS:
        raise NotReadable(
            f"{source}: the numbers of this report have a decimal comma; set NLS_LANG=AMERICAN_AMERICA.UTF8 "
            f"and make it again by {HOW}"
        )
    if not reading.figures:
        raise reading.refusal(f"no section of this report could be read; it is truncated, or not made by {HOW}")


def _parameters(reading: Reading, table: ReportTable, keep: Keep) -> None:
    """Parameters that differ from their defaults, and bear on performance."""
    already = len(reading.settings)
    for row, line in zip(table.rows, table.lines, strict=True):
        name, value = row[0], row[1] if len(row) > 1 else ""
        reading.host.files = reading.host.files or files_on(name, value)
        if is_relevant(name, keep):
            reading.set(name, value, line)
        else:
            reading.skip(line, "parameters that do not bear on performance")
    if len(reading.settings) > already:
        count = len(reading.settings) - already
        reading.sections.append(FilePart("init.ora Parameters", table.line, table.lines[-1], count))


def _kind_of(table: ReportTable) -> SectionKind | None:
    names = [normal(column) for column in table.columns]
    if not any(names) and len(names) > 1 and table.rows[0][0].rstrip(": ").endswith("%"):
        return EFFICIENCY
    for kind in KINDS:
        if names and names[0] in kind.first.split("|") and any(re.search(kind.has, name) for name in names[1:]):
            return kind
    return None


def _header(reading: Reading, table: ReportTable, keep: Keep) -> bool:
    """Take the tables that say whose report this is, their names where they may be kept."""
    names = [normal(column) for column in table.columns]
    if not ({"release", "platform", "snaptime", "startuptime"} & set(names)):
        return False
    for name, cell in zip(names, table.rows[0], strict=False):
        if keep.names and name in NAMED_COLUMNS:
            reading.name("report", NAMED_COLUMNS[name], cell, table.lines[0])
    rows = [dict(zip(names, row, strict=False)) for row in table.rows]
    for name in INSTANCE:
        if number := rows[0].get(name):
            digest = sha256(f"{reading.host.instance} {name} {number}".encode()).hexdigest()
            reading.host.instance = digest[:DIGEST_LETTERS]
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


def _text_header(reading: Reading, lines: Sequence[tuple[int, str]]) -> None:
    """The span and the pairs of label and number that stand outside of ruled tables."""
    for number, line in lines:
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
                    self._reading.no_number(line, f"{title}: {label}, {column}", cell, what)
        self._reading.add_section(title, already, table.line, table.lines[-1])

    def _subjects(self, table: ReportTable, kind: SectionKind, place: int) -> Iterator[tuple[Sequence[str], int, str]]:
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
            if (not (kind.subject or kind.row) and NAMELESS.fullmatch(subject)) or set(subject) == {"#"}:
                self._reading.skip(line, f"rows of {kind.title} without a name")
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
