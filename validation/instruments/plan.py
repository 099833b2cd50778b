"""Reads plans that DBMS_XPLAN prints with ALLSTATS: starts, rows, time, buffers and reads of each step."""

from __future__ import annotations

import re
from typing import Final

from blocktime.validation.instruments.figures import (
    MOST_LETTERS,
    OTHER_FORM,
    QUOTED_LETTERS,
    Reading,
    SeriesColumn,
    absurd,
    figure,
)
from blocktime.validation.instruments.opening import OpenedFile, Progress

NAME: Final = "plan"
HOW: Final = "dbms_xplan.display_cursor(null, null, 'ALLSTATS LAST') after a run with statistics_level = all"
HEADER: Final = re.compile(r"^\|\s*Id\s*\|\s*Operation\s*\|.*\|\s*$")
COLUMNS: Final = {
    "Starts": ("count", 1.0), "E-Rows": ("rows", 1.0), "A-Rows": ("rows", 1.0), "Rows": ("rows", 1.0),
    "Buffers": ("gets", 1.0), "Reads": ("blocks", 1.0), "Writes": ("blocks", 1.0), "Cost (%CPU)": ("cost", 1.0),
    "Bytes": ("bytes", 1.0), "E-Bytes": ("bytes", 1.0), "OMem": ("bytes", 1.0), "1Mem": ("bytes", 1.0),
    "Used-Mem": ("bytes", 1.0), "A-Time": ("s", 1.0),
}  # fmt: skip
CELL: Final = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)([KMGT]?)(?:\s*\(\s*[0-9]+\))?")
CLOCK: Final = re.compile(r"(-?[0-9]+):([0-9][0-9]):([0-9][0-9])\.([0-9]+)")
DECIMAL: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
MOST_LINES: Final = 2000
"""Lines above a plan that are looked at for its SQL text."""
BINARY: Final = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* has a plan in it."""
    return any(HEADER.match(line) for line in head.splitlines())


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every plan of *source*, as one reading; names of objects are left out."""
    reading = source.reading(NAME)
    columns: list[str] = []
    plans, plans_read, first = 0, 0, 0
    above: list[str] = []
    measured = False
    for number, line in source.lines(progress):
        if HEADER.match(line):
            columns = [cell.strip() for cell in line.strip().strip("|").split("|")]
            plans += first != number - 1  # else it was pasted twice
            plans_read, first = len(reading.figures), number
            if source.keep.sql:
                reading.name(f"plan {plans}", "SQL text", _sql_of(above), number - len(above))
            above = []
            measured = measured or "A-Rows" in columns
        elif line.startswith("|") and columns:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == len(columns):
                row = dict(zip(columns, cells, strict=True))
                subject = _take(reading, f"plan {plans}", row, number)
                if source.keep.names and subject:
                    reading.name(subject, "object", row.get("Name", ""), number)
            else:
                reading.skip(number, OTHER_FORM)
        elif line.strip() and set(line.strip()) != {"-"}:
            if columns:
                reading.add_section(f"plan {plans}", plans_read, first, number - 1)
            columns = []
            above.append(line[:MOST_LETTERS])
            del above[:-MOST_LINES]
            reading.skip(number, "SQL text, predicates and notes")
    if columns:
        reading.add_section(f"plan {plans}", plans_read, first, number)
    if not reading.figures:
        raise reading.refusal(f"there are no numbers in this plan; make it by {HOW}")
    if not measured:
        reading.missing.append(f"measured rows and times: this plan has estimates alone; make it by {HOW}")
    reading.title = f"DBMS_XPLAN: {plans} plan{'s' * (plans > 1)}"
    return [reading]


def _sql_of(above: list[str]) -> str:
    """The SQL text among the lines above a plan: behind its SQL_ID, before its hash value."""
    begin = next((place for place, line in enumerate(above) if line.startswith("SQL_ID")), -1)
    text = (line for line in above[begin + 1 :] if not line.startswith(("Plan hash value", "---")))
    return "\n".join(text)


def _take(reading: Reading, of: str, row: dict[str, str], line: int) -> str:
    """The figures of one step; what they are of."""
    step = re.sub(r"\D", "", row.get("Id", ""))
    if not step:
        reading.skip(line, OTHER_FORM)
        return ""
    subject = f"{of}, step {step} {row.get('Operation', '')}".strip()
    for name, (unit, scale) in COLUMNS.items():
        cell = row.get(name, "")
        clock, plain = CLOCK.fullmatch(cell), CELL.fullmatch(cell)
        if clock is not None and unit == "s" and (reason := absurd(clock[1])):
            reading.doubt(line, f"{subject}, {name}: {cell[:QUOTED_LETTERS]} {reason}")
        elif clock is not None and unit == "s":
            seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + float(f"{clock[3]}.{clock[4]}")
            column = SeriesColumn(name, unit, 1.0, 10.0 ** -len(clock[4]))
            reading.keep(figure(name, subject, seconds, column, line, cell))
        elif plain is not None and unit != "s":
            multiple = (BINARY if unit == "bytes" else DECIMAL)[plain[2]]
            reading.add(name, subject, plain[1], SeriesColumn(name, unit, scale * multiple), line, cell)
        elif cell:
            reading.no_number(line, f"{subject}, {name}", cell, f"cells of {name} that are no numbers")
    return subject
