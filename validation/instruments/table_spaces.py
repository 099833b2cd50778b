"""Table spaces and their files in AWR and Statspack: what was read and written there, and which files lie apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from blocktime.validation.instruments.awr_cells import add_cell
from blocktime.validation.instruments.figures import Keep, Reading
from blocktime.validation.instruments.tables import ReportTable, normal

SPACES: Final = "Tablespace IO"
FILES: Final = "File IO"
SHIFTED: Final = ("1bkrdss", "av1bkrdms", "writes")
"""Headings in the order in which a page prints them over writes, single-block reads a second, and their mean."""
DRIVE: Final = re.compile(r"([A-Za-z]):[\\/]|(\\\\[^\\]+\\[^\\]+)")
GROUP: Final = re.compile(r"\+([^/]+)")
PATH: Final = re.compile(r"[+/\\]|[A-Za-z]:[\\/]")
NUMBERS: Final = re.compile(r"[-0-9.,#KMG]*(?:[nmu]?s)?", re.ASCII)


@dataclass(slots=True)
class _Row:
    """One line of numbers, and the names above or before it."""

    space: str
    file: str
    cells: Sequence[str]
    line: int


@dataclass(slots=True)
class TableSpaces:
    """Takes the tables of table spaces and files; names are numbered, and the same in both."""

    reading: Reading
    keep: Keep
    _numbers: dict[str, str] = field(default_factory=dict)

    def takes(self, table: ReportTable) -> bool:
        """Take the figures of *table* where it is of table spaces or of files."""
        names = [normal(column) for column in table.columns]
        if names[0] not in ("tablespace", "reads") or not any(name.endswith("blksrd") for name in names):
            return False
        of_files = "filename" in names or table.title.lower().startswith("file")
        first = names.index("reads")
        columns = list(table.columns[first:])
        rows = list(_rows(table, of_files=of_files, first=first))
        if not of_files and _is_shifted(names[first:], rows):
            k = names[first:].index(SHIFTED[0])
            columns[k : k + 3] = [columns[k + 2], columns[k], columns[k + 1]]
        self._add(FILES if of_files else SPACES, table, columns, rows)
        return True

    def _add(self, title: str, table: ReportTable, columns: list[str], rows: list[_Row]) -> None:
        already, reading = len(self.reading.figures), self.reading
        places = places_of([row.file for row in rows]) if title == FILES else [""] * len(rows)
        for number, (row, place) in enumerate(zip(rows, places, strict=True), 1):
            subject = self._number("table space", row.space, row.line)
            if place:
                kind, _, named = place.partition(" ")
                subject += f", file {number}, {self._number(kind, named, row.line)}"
            for column, cell in zip(columns, row.cells, strict=False):
                if cell and not add_cell(reading, column, f"{title}: {subject}", cell, "", row.line):
                    what = f"cells of {title} that are no numbers"
                    reading.no_number(row.line, f"{title}: {subject}, {column}", cell, what)
        reading.add_section(title, already, table.line, table.lines[-1])

    def _number(self, kind: str, named: str, line: int) -> str:
        """What a table space or a volume is called: a number, the same wherever it stands."""
        if (key := f"{kind} {named}") not in self._numbers:
            same = sum(other.startswith(f"{kind} ") for other in self._numbers)
            self._numbers[key] = f"{kind.replace('_', ' ')} {same + 1}"
            if self.keep.names:
                self.reading.name(self._numbers[key], kind.replace("_", " "), named, line)
        return self._numbers[key]


def _rows(table: ReportTable, *, of_files: bool, first: int) -> Iterator[_Row]:
    """The lines of numbers, each with the names that stand before it or on lines above it."""
    space, file = "", ""
    for row, line in zip(table.rows, table.lines, strict=True):
        cells = [cell for cell in row if cell]
        if cells and all(NUMBERS.fullmatch(cell) for cell in cells):
            if space:
                yield _Row(space, file, row[-(len(table.columns) - first) :], line)
            file = ""
            continue
        words = " ".join(cells[:first] if first and len(cells) > first else cells).split(" ", 1)
        if of_files and PATH.match(words[0]):
            file += " ".join(words)
        else:
            space = words[0]
            file = words[1].strip() if of_files and len(words) > 1 else ""
        if first and len(cells) > first:  # names and numbers in one row
            yield _Row(space, file, row[first:], line)
            file = ""


def _is_shifted(names: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Whether numbers stand below other headings than their own: more reads of single blocks a second than reads."""
    if not {*SHIFTED, "avrdss"} <= set(names):
        return False
    k, reads = names.index(SHIFTED[0]), names.index("avrdss")
    if tuple(names[k : k + 3]) != SHIFTED:
        return False

    def number(cell: str) -> float:
        try:
            return float(cell.replace(",", ""))
        except ValueError:
            return 0.0

    return any(number(row.cells[k]) > number(row.cells[reads]) + 1 for row in rows if len(row.cells) > k)


def places_of(files: Sequence[str]) -> list[str]:
    """What each file lies on, as far as its name tells: a drive, a disk group, or the first folder that differs.

    A folder may be a file system of its own or not.
    """
    folders = [["", *file.split("/")[1:-1]] if file.startswith("/") else [] for file in files]  # those of Unix alone
    of_unix = [path for path in folders if path]
    same = 0
    while of_unix and all(len(path) > same and path[same] == of_unix[0][same] for path in of_unix):
        same += 1
    return [_place_of(file, path[: same + 1]) for file, path in zip(files, folders, strict=True)]


def _place_of(file: str, first_folders: list[str]) -> str:
    """What a file lies on: its kind, a blank, its name; empty where the file's name does not tell."""
    if drive := DRIVE.match(file):
        return f"drive {(drive[1] or drive[2]).upper()}"
    if group := GROUP.match(file):
        return f"disk_group {group[1].upper()}"
    return f"folder {'/'.join(first_folders) or '/'}" if first_folders else ""
