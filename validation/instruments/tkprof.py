"""Reads TKPROF reports of 8i to 23ai: calls, waits and row sources by statement, and the totals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from blocktime.validation.instruments.figures import (
    MOST_LETTERS,
    OTHER_FORM,
    NotReadable,
    Reading,
    SeriesColumn,
    plural,
    with_unit,
)
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.operations import operation_of

NAME: Final = "tkprof"
HOW: Final = "tkprof TRACE.trc report.txt waits=yes sys=no"
BANNER: Final = re.compile(r"TKPROF: Release (\S{1,40}) - .{0,80} on (.+)")
CALL: Final = re.compile(r"(Parse|Execute|Fetch|total)\s+(\S.*)")
COLUMNS: Final = (
    SeriesColumn("count", "count"),
    SeriesColumn("cpu", "s"),
    SeriesColumn("elapsed", "s"),
    SeriesColumn("disk", "blocks"),
    SeriesColumn("query", "gets"),
    SeriesColumn("current", "gets"),
    SeriesColumn("rows", "rows"),
)
WAIT: Final = re.compile(r"(\S+(?: \S+)*?)\s+(-?[0-9]+)\s+(-?[0-9]+(?:\.[0-9]+)?)\s+(-?[0-9]+(?:\.[0-9]+)?)\s*")
STEP: Final = re.compile(r"\s*(-?[0-9]+)\s{1,}(?:(-?[0-9]+)\s+(-?[0-9]+)\s+)?(\s*\S.*)")
DETAIL: Final = re.compile(r"\b(cr|r|pr|pw|w|time|starts|cost|size|card)=(-?[0-9]+)(?= us|[\s)]|$)")
DETAILS: Final = {
    "cr": ("gets", 1.0), "r": ("blocks", 1.0), "pr": ("blocks", 1.0), "pw": ("blocks", 1.0), "w": ("blocks", 1.0),
    "time": ("s", 1e-6), "starts": ("count", 1.0), "cost": ("cost", 1.0), "size": ("bytes", 1.0), "card": ("rows", 1.0),
}  # fmt: skip
TOTALS: Final = re.compile(r"OVERALL TOTALS FOR ALL (NON-RECURSIVE|RECURSIVE) STATEMENTS")
USER: Final = re.compile(r"Parsing user id: *(\S.*)")
HEADING: Final = re.compile(
    r"SQL ID ?:|Plan Hash:|(?:Trace file|Sort options|count|cpu|elapsed|disk|query|current|rows) *[:=]"
)
"""Lines above a statement's calls that are none of its text."""
MOST_LINES: Final = 2000
SQL_ID: Final = re.compile(r"SQL ID ?: ?([0-9a-z]{13})\b")
FOOT: Final = re.compile(r"\s+(-?[0-9]+)\s+(elapsed seconds in trace file|lines in trace file)\.")
COUNT: Final = re.compile(
    r"(Misses in library cache during (?:parse|execute)|Number of plan statistics captured): ?(-?[0-9]+)"
)
NO_WAITS: Final = "waits: trace with dbms_monitor.session_trace_enable(waits => true), and call TKPROF with waits=yes"


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is a TKPROF report, or has one pasted behind something else."""
    return BANNER.search(head) is not None or (
        re.search(r"^call +count +cpu +elapsed +disk +query +current +rows", head, re.MULTILINE) is not None
    )


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*; statements are numbered in the order in which they are printed."""
    reports = [_Report(source)]
    number, before = 0, ""
    for number, line in source.lines(progress):
        if line == before and len(line.split()) > 1 and not set(line) <= set("- "):
            reports[-1].reading.skip(number, "lines that stand twice in a row")
            continue
        before, banner = line, BANNER.search(line)
        if banner is not None:
            if reports[-1].begun:
                reports[-1].close(number - 1)
                reports.append(_Report(source))
            reports[-1].begin(banner)
        else:
            reports[-1].take(number, line.expandtabs())
            if "##" in line or "=#" in line:
                reports[-1].reading.doubt(number, "a number was too wide for its column: #")
    reports[-1].close(number)
    readings = [report.reading for report in reports if report.reading.figures]
    if not readings:
        raise NotReadable(f"{source.name}: there are no statements in this TKPROF report; run {HOW}")
    return readings


class _Report:
    """One report under way: what the lines below the last heading are of."""

    def __init__(self, source: OpenedFile) -> None:
        self.reading = source.reading(NAME)
        self.reading.title = "TKPROF"
        self.begun = self._has_foot = False
        self._statements = 0
        self._of = self._sql_id = ""
        self._ofs: list[str] = []
        self._table = ""
        self._steps = 0
        self._first = 0
        self._found = 0
        self._keep, self._source = source.keep, source
        self._above: list[tuple[int, str]] = []

    def begin(self, banner: re.Match[str]) -> None:
        """A report's first line."""
        self.begun = True
        self.reading.title = f"TKPROF {banner[1]}"
        self.reading.ends = banner[2].strip()

    def take(self, number: int, line: str) -> None:
        """Read one line; SQL text, names and headings are left alone."""
        text, words = line.rstrip(), line.strip()
        if words.startswith("****"):
            self._table, self._above, self._sql_id = "", [], ""
            return
        if not text or set(text) <= set("-* "):
            self._table = "" if not text and self._table == "steps" else self._table
            return
        call = CALL.fullmatch(words)
        if call is not None and self._table != "steps":
            self._call(number, call)
        elif words.startswith("call ") and "elapsed" in text:
            self._new_table(number)
        elif "Row Source Operation" in text:
            self._table, self._steps = "steps", 0
        elif "Event waited on" in text or words.startswith("Elapsed times include waiting on"):
            self._table = "waits"
        elif self._totals(text):
            return
        elif self._table == "steps" and (step := STEP.fullmatch(text)):
            self._step(number, step)
        elif self._table == "waits" and (wait := WAIT.fullmatch(words)):
            self._wait(number, wait)
        else:
            self._other(number, text)

    def _other(self, number: int, text: str) -> None:
        """A line outside of the tables: a count, or what is left alone."""
        if (count := COUNT.fullmatch(text.strip())) and self._of:
            self._add(number, count[1], self._of, count[2], SeriesColumn("", "count"))
        elif foot := FOOT.match(text):
            self._has_foot, self.reading.whole_line = True, number
            unit = "s" if "seconds" in foot[2] else "lines"
            self._add(number, foot[2], "trace file", foot[1], SeriesColumn("", unit))
        else:
            if number == self._source.open_line and text.strip()[:1].isdigit():
                self.reading.skip(number, OTHER_FORM)
                return
            if self._keep.names and (user := USER.match(text)) and self._of:
                self.reading.name(self._of, "user", user[1], number)
            elif (sql_id := SQL_ID.match(text.strip())) and not self._above:
                self._sql_id = sql_id[1]
            elif self._keep.sql and len(self._above) < MOST_LINES:
                self._above.append((number, text[:MOST_LETTERS]))
            self.reading.skip(number, "SQL text, headings and notes")

    def _totals(self, text: str) -> bool:
        totals = TOTALS.search(text)
        if totals is None:
            return False
        self._close_section()
        self._of = f"all {totals[1].lower()} statements"
        self._table = "totals"
        return True

    def _new_table(self, number: int) -> None:
        if self._table != "totals":
            self._close_section()
            self._statements += 1
            self._of = f"statement {self._statements}{f' ({self._sql_id})' if self._sql_id else ''}"
            self._ofs.append(self._of)
            sql = [(line, text) for line, text in self._above if not HEADING.match(text)]
            if sql:
                self.reading.name(self._of, "SQL text", "\n".join(text for _, text in sql), sql[0][0])
        self._above = []
        self._table, self._first, self._found = "calls", number, len(self.reading.figures)

    def _call(self, number: int, call: re.Match[str]) -> None:
        cells = call[2].split()
        if self._table != "calls" or len(cells) != len(COLUMNS):
            self.reading.skip(number, OTHER_FORM if self._table == "calls" else "SQL text, headings and notes")
            return
        for column, cell in zip(COLUMNS, cells, strict=True):
            self._add(number, f"{call[1]} {column.name}", self._of, cell, column)

    def _wait(self, number: int, wait: re.Match[str]) -> None:
        of = f"{self._of}, {wait[1]}"
        for name, cell, unit in (("waits", wait[2], "count"), ("max", wait[3], "s"), ("total", wait[4], "s")):
            self._add(number, name, of, cell, SeriesColumn(name, unit))

    def _step(self, number: int, step: re.Match[str]) -> None:
        self._steps += 1
        of = f"{self._of}, step {self._steps} {operation_of(step[4])}".strip()
        if self._keep.names:
            self.reading.name(of, "row source", step[4].partition(" (")[0], number)
        names = ("rows", None, None) if step[2] is None else ("rows (1st)", "rows (avg)", "rows (max)")
        for name, cell in zip(names, (step[1], step[2], step[3]), strict=True):
            if name is not None and cell is not None:
                self._add(number, name, of, cell, SeriesColumn(name, "rows"))
        for name, cell in DETAIL.findall(step[4]):
            unit, scale = DETAILS[name]
            self._add(number, name, of, cell, SeriesColumn(name, unit, scale))

    def _add(self, number: int, name: str, of: str, cell: str, column: SeriesColumn) -> None:
        printed = with_unit(cell, column.unit, column.scale)
        if self.reading.add(name, of, cell, column, number, printed) is None:
            self.reading.no_number(number, f"{of}, {name}", cell, "cells that are no numbers")

    def _close_section(self) -> None:
        if self._of:
            self.reading.add_section(self._of, self._found)
        self._found = len(self.reading.figures)

    def close(self, last_line: int) -> None:
        """The report has ended."""
        self._close_section()
        if self.begun and not self._has_foot:
            self.reading.missing.append("end of the report: the file is truncated, or a piece of one")
        waits = [figure for figure in self.reading.figures if figure.name == "waits"]
        if not waits:
            self.reading.missing.append(NO_WAITS)
        self.reading.title += f": {plural(self._statements, 'statement')}"
        self.reading.follows += list(_follows(self.reading, self._ofs))


def _follows(reading: Reading, statements: Sequence[str]) -> Iterator[str]:
    """What a statement's own lines say: whether they add up."""
    by_name = {(figure.of, figure.name): figure for figure in reading.figures}
    for of in statements:
        for column in ("count", "disk", "query", "current", "rows"):
            parts = [by_name.get((of, f"{call} {column}")) for call in ("Parse", "Execute", "Fetch")]
            total = by_name.get((of, f"total {column}"))
            if total is None or not all(parts):
                continue
            if sum(part.value for part in parts if part) != total.value:
                yield f"{of}: the lines of {column} do not add up to the total in line {total.line}"
