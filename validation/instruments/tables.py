"""Tables of Oracle's reports, from HTML and from text with ruled columns, in one form."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

TABLE: Final = re.compile(r"<table\b([^>]*)>(.*?)</table>", re.IGNORECASE | re.DOTALL)
SUMMARY: Final = re.compile(r"""summary=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
ROW: Final = re.compile(r"<tr\b[^>]*>(.*?)(?=<tr\b|</tr|$)", re.IGNORECASE | re.DOTALL)
CELL: Final = re.compile(r"<t([hd])\b[^>]*>(.*?)(?=<t[hd]\b|</t[hd]|$)", re.IGNORECASE | re.DOTALL)
TAG: Final = re.compile(r"<[^>]*>")
HEADING: Final = re.compile(r"<h[1-4]\b[^>]*>(.*?)</h[1-4]>", re.IGNORECASE | re.DOTALL)
RULE: Final = re.compile(r"\s*-{2,}(?: +-+)+\s*|\s*-{3,}\s*")
MOST_CELLS: Final = 200
"""Columns of a table; a wider one is no report's."""


@dataclass(slots=True)
class Table:
    """One table: what stands above it, its columns, its rows of text, and their lines."""

    title: str
    columns: tuple[str, ...]
    line: int
    rows: list[tuple[str, ...]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class Lines:
    """Line numbers of places in a text, asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text, self._line, self._since = text, 1, 0

    def at(self, place: int) -> int:
        """The line that *place* is in."""
        self._line += self._text.count("\n", self._since, place)
        self._since = place
        return self._line


def html_tables(text: str) -> Iterator[Table]:
    """Every table of an HTML page whose first row is a heading; what is inside a cell is text, never markup."""
    lines = Lines(text)
    for found in TABLE.finditer(text):
        start = found.start(2)
        summary = SUMMARY.search(found[1])
        title = plain(summary[1] or summary[2] or "") if summary else ""
        table: Table | None = None
        for row in ROW.finditer(found[2]):
            cells = [(kind.lower(), plain(cell)) for kind, cell in CELL.findall(row[1])]
            if not cells or len(cells) > MOST_CELLS:
                continue
            line = lines.at(start + row.start())
            if table is None or all(kind == "h" for kind, _ in cells):
                if table is not None and not table.rows and len(cells) == len(table.columns):
                    joined = zip(table.columns, (cell for _, cell in cells), strict=True)
                    table.columns = tuple(f"{above} {below}".strip() for above, below in joined)
                    continue
                if table is not None and table.rows:
                    yield table
                heads = tuple(cell for _, cell in cells)
                table = Table(title, heads, line)
                if any(kind == "d" for kind, _ in cells):  # no heading at all: the first row is data
                    table.columns = ("",) * len(cells)
                    table.rows.append(heads)
                    table.lines.append(line)
            else:
                table.rows.append(tuple(cell for _, cell in cells))
                table.lines.append(line)
        if table is not None:
            yield table


def plain(markup: str) -> str:
    """The text of a cell, without tags, entities resolved, white space as one blank."""
    text = html.unescape(TAG.sub(" ", markup)) if "<" in markup or "&" in markup else markup
    return " ".join(text.split())


def spans_of(rule: str) -> list[tuple[int, int]]:
    """Begin and end of each column under a rule of dashes."""
    return [match.span() for match in re.finditer(r"-+", rule)]


def columns_of(above: Sequence[str], spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Headings from the lines above a rule: each word belongs to the column that it overlaps most."""
    words: list[list[str]] = [[] for _ in spans]
    for line in above:
        for match in re.finditer(r"\S+", line):
            overlaps = [min(match.end(), end) - max(match.start(), begin) for begin, end in spans]
            best = max(range(len(spans)), key=lambda place: overlaps[place])
            words[best].append(match[0])
    return tuple(" ".join(column) for column in words)


def ruled_tables(text: str) -> Iterator[Table]:
    """Every table of a text report whose columns are ruled with dashes; its title stands before ``DB/Inst:`` or is underlined."""
    title, above, table, spans = "", [], None, []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.expandtabs().replace("\f", "").rstrip()
        rule = line.replace("~", "-")
        if "DB/Inst:" in line:
            title, above, table = line.partition("DB/Inst:")[0].strip(), [], _ended(table)
            continue
        if RULE.fullmatch(rule) and line.strip():
            done = _ended(table)
            if done is not None:
                yield done
            table = None
            if "~" in line and not re.search(r"-{3}", line) and above:
                title, above = above[-1].strip(), []
                if len(spans_of(rule)) == 1:
                    continue
            if above:
                spans = spans_of(rule)
                table = Table(title, columns_of(above[-4:], spans), number)
            above = []
        elif not line.strip():
            if table is not None and table.rows:
                yield table
                table, above = None, []
            elif table is None:
                above = []
        elif table is not None:
            table.rows.append(words_of(line, spans))
            table.lines.append(number)
        elif not line.startswith("->"):
            above.append(line)
    done = _ended(table)
    if done is not None:
        yield done


def _ended(table: Table | None) -> Table | None:
    return table if table is not None and table.rows else None


def words_of(line: str, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The words of a line, each in the column that it overlaps most or stands next to."""
    words: list[list[str]] = [[] for _ in spans]
    for match in re.finditer(r"\S+", line):
        overlaps = [min(match.end(), end) - max(match.start(), begin) for begin, end in spans]
        words[max(range(len(spans)), key=lambda place: overlaps[place])].append(match[0])
    return tuple(" ".join(column) for column in words)
