"""Reads what SQL*Plus and SQLcl print of dictionary and V$ views and aux_stats$: CSV, or ruled columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

from blocktime.validation.instruments.figures import OTHER_FORM, Keep, Reading, SeriesColumn
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.tables import ReportTable, RuledReader

NAME: Final = "views"
HOW: Final = "set markup csv on, then select the columns by their names from the view"
VIEWS: Final = {
    "I/O calibration": {"MAX_IOPS", "MAX_MBPS"},
    "tables": {"NUM_ROWS", "BLOCKS"},
    "indexes": {"LEAF_BLOCKS"},
    "segments": {"BYTES", "EXTENTS"},
    "system statistics": {"PNAME", "PVAL1"},
    "wait events": {"EVENT", "TOTAL_WAITS"},
    "wait event histogram": {"EVENT", "WAIT_COUNT"},
    "cache advice": {"SIZE_FOR_ESTIMATE", "ESTD_PHYSICAL_READS"},
    "files": {"PHYRDS", "PHYBLKRD"},
    "statistics": {"NAME", "VALUE"},
    "time model": {"STAT_NAME", "VALUE"},
}
"""What is told -> columns that must be there; the first that fits."""
SUBJECTS: Final = ("EVENT", "STAT_NAME", "NAME", "PNAME", "SIZE_FOR_ESTIMATE")
"""Columns that name a row without naming anything of the site."""
HIDDEN: Final = ("tables", "indexes", "segments", "files")
UNITS: Final = (
    (r"_MICRO(_FG)?$", "s", 1e-6),
    (r"_MILLI$|^LATENCY$", "s", 1e-3),
    (r"^MAX_IOPS$", "1/s", 1.0),
    (r"^MAX_P?MBPS$", "bytes/s", 1024.0**2),
    (r"^(TIME_WAITED|AVERAGE_WAIT|MAX_WAIT|READTIM|WRITETIM|SINGLEBLKRDTIM)(_FG)?$", "s", 1e-2),
    (r"^(BYTES|INITIAL_EXTENT|NEXT_EXTENT|AVG_ROW_LEN|AVG_COL_LEN)$", "bytes", 1.0),
    (r"(^|_)(BLOCKS|PHYBLKRD|PHYBLKWRT)$", "blocks", 1.0),
    (r"(^|_)ROWS$", "rows", 1.0),
    (r"^(PCT_FREE|PCT_USED)$", "fraction", 0.01),
)
NAMES: Final = re.compile(r"_NAME$|^OWNER$|^NAME$")
NEVER: Final = re.compile(r"(_ID|_NAME|^OWNER|^SID|#|^HASH_VALUE|^DEGREE|^INSTANCES|_DATE|LAST_ANALYZED)$")


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is such a listing."""
    return any(_view_of(columns) for columns in _headings(head))


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every listing of *source*; rows of tables, indexes and files are numbered, not named."""
    reading = source.reading(NAME)
    for table in [*_csv_tables(source, reading), *_ruled_tables(source)]:
        columns = [column.upper().replace(" ", "_") for column in table.columns]
        view = _view_of(columns)
        if view is not None:
            table.cells_left_out(reading)
            _take(reading, view, columns, table, source.keep)
    if not reading.figures:
        raise reading.refusal(f"no number of this listing could be read; make it by {HOW}")
    reading.title = f"listing of {', '.join(section.title for section in reading.sections)}"
    return [reading]


def _view_of(columns: list[str]) -> str | None:
    return next((view for view, wanted in VIEWS.items() if wanted <= set(columns)), None)


def _headings(head: str) -> Iterator[list[str]]:
    """Lines that may be headings: of CSV, or above a rule."""
    lines = head.splitlines()[:200]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if "," in line or line.startswith('"'):
            yield [cell.strip().strip('"').upper() for cell in line.split(",")]
        elif re.fullmatch(r"-+( +-+)+\s*", below):
            yield line.upper().split()


def _ruled_tables(source: OpenedFile) -> Iterator[ReportTable]:
    ruled = RuledReader()
    for number, line in source.lines():
        yield from ruled.take(number, line)
    yield from ruled.end()


def _csv_tables(source: OpenedFile, reading: Reading) -> Iterator[ReportTable]:
    """Every block of CSV that begins with a heading of a known view."""
    table: ReportTable | None = None
    line = 0

    def lines() -> Iterator[str]:
        nonlocal line
        for number, text in source.lines():
            line = number
            yield text

    csv.field_size_limit(1 << 20)
    rows = csv.reader(lines(), strict=False)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error:
            reading.skip(line, "lines that are not CSV")
            continue
        columns = [cell.strip().upper() for cell in row]
        if _view_of(columns):
            if table is not None and table.rows:
                yield table
            table = ReportTable("", tuple(columns), line)
        elif table is not None and len(row) == len(table.columns):
            table.add(tuple(cell.strip() for cell in row), line)
        elif row and table is not None and (any(cell.strip() for cell in row) or line == source.open_line):
            reading.skip(line, OTHER_FORM)
    if table is not None and table.rows:
        yield table


def _take(reading: Reading, view: str, columns: list[str], table: ReportTable, keep: Keep) -> None:
    place = next((columns.index(name) for name in SUBJECTS if name in columns), None)
    already = len(reading.figures)
    for count, (row, line) in enumerate(zip(table.rows, table.lines, strict=True), 1):
        if view in HIDDEN or place is None:
            subject = f"{view}: {count}"
        else:
            subject = f"{view}: {row[place]}"
        for position, (name, cell) in enumerate(zip(columns, row, strict=True)):
            if keep.names and view in HIDDEN and cell and NAMES.search(name):
                reading.name(subject, name.lower(), cell, line)
            if not cell or NEVER.search(name) or (position == place and view not in HIDDEN):
                continue
            unit, scale = next(
                ((unit, scale) for words, unit, scale in UNITS if re.search(words, name)), ("count", 1.0)
            )
            if reading.add(name.lower(), subject, cell, SeriesColumn(name, unit, scale), line, cell) is None:
                reading.no_number(line, f"{subject}, {name.lower()}", cell, f"cells of {name} that are no numbers")
    reading.add_section(view, already, table.line, table.lines[-1])
