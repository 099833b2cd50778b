"""Tables of Oracle's reports, from HTML and from text with ruled columns, in one form."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from blocktime.validation.instruments.figures import Reading

PIECE: Final = re.compile(r"<(?:table|html)\b", re.IGNORECASE)
MOST_LETTERS: Final = 8 * 1024**2
"""Of a table of HTML; of the largest of AWR, the texts of all statements, some have 2 MB."""
TABLE: Final = re.compile(r"<table\b([^<>]*)>(.*?)(?=<table\b|</table>)", re.IGNORECASE | re.DOTALL)
SUMMARY: Final = re.compile(r"""summary=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
ROW: Final = re.compile(r"<tr\b[^<>]*>(.*?)(?=<tr\b|</tr|$)", re.IGNORECASE | re.DOTALL)
CELL: Final = re.compile(r"<t([hd])\b[^<>]*>(.*?)(?=<t[hd]\b|</t[hd]|$)", re.IGNORECASE | re.DOTALL)
TAG: Final = re.compile(r"<[^<>]*>")
RULE: Final = re.compile(r"\s*(?:- +)?-{2,}(?: +-+)+\s*|\s*-{3,}\s*")
TITLED: Final = re.compile(r"(.{0,200}?)(?:DB/Inst:| for DB: .{0,200}?Instance:)")
"""The line above a section of text: AWR and Statspack from 10g on, Statspack before."""
LABELS_FROM: Final = 8
MOST_HEADINGS: Final = 3
NUMERAL: Final = re.compile(r"[0-9.,]+[A-Za-z%]{0,2}")
GROUP: Final = re.compile(r"-{3,}[^-]{1,60}-{3,}")
"""A heading over several columns."""
SPACED: Final = ("File IO Stats", "Tablespace IO Stats")
"""Titles of tables whose rows may stand apart."""
MOST_TABLE_CELLS: Final = 400_000
"""Twice as many as a report may have figures."""
MOST_CELLS: Final = 200
"""Columns of a table; a wider one is no report's."""


@dataclass(slots=True)
class ReportTable:
    """One table: what stands above it, its columns, its rows of text, and their lines."""

    title: str
    columns: tuple[str, ...]
    line: int
    rows: list[tuple[str, ...]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    left_out: int = 0
    """The first row that it did not take."""

    def add(self, row: tuple[str, ...], line: int) -> None:
        """Add a row; of a table with more than MOST_TABLE_CELLS the others are left out."""
        if self.is_full:
            self.left_out = self.left_out or line
        else:
            self.rows.append(row)
            self.lines.append(line)

    @property
    def is_full(self) -> bool:
        """Whether it takes no further row."""
        return len(self.rows) * len(self.columns) >= MOST_TABLE_CELLS

    def cells_left_out(self, reading: Reading) -> None:
        """Doubt a *reading* that lacks rows of this table."""
        if self.left_out:
            reading.doubt(self.left_out, f"more than {MOST_TABLE_CELLS:,} cells: the other rows are left out")


def normal(name: str) -> str:
    """A heading's letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


class Lines:
    """Line numbers of places in a text, asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text, self._line, self._since = text, 1, 0

    def at(self, place: int) -> int:
        """The line that *place* is in."""
        self._line += self._text.count("\n", self._since, place)
        self._since = place
        return self._line


def html_pieces(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """HTML cut before each page and each table: the line that a piece begins in, and its text.

    A piece has one table at most, and ends with the begin of the next. One larger than MOST_LETTERS has none.
    """
    line, piece = 1, ""
    for chunk in chunks:
        seen = max(1, len(piece) - len("<table "))
        piece += chunk
        begin = 0
        for tag in PIECE.finditer(piece, seen):
            behind = tag[0] if tag[0][1] in "tT" else ""
            yield line, piece[begin : tag.start()] + behind
            line += piece.count("\n", begin, tag.start())
            begin = tag.start()
        piece = piece[begin:]
        if len(piece) > MOST_LETTERS:
            yield line, piece
            line, piece = line + piece.count("\n"), ""
    yield line, piece


def html_tables(text: str) -> Iterator[ReportTable]:
    """Every table of an HTML page whose first row is a heading; what is inside a cell is text, never markup."""
    lines = Lines(text)
    for match in TABLE.finditer(text):
        start = match.start(2)
        summary = SUMMARY.search(match[1])
        title = plain(summary[1] or summary[2] or "") if summary else ""
        rows = ((lines.at(start + row.start()), CELL.findall(row[1])) for row in ROW.finditer(match[2]))
        yield from _under_headings(title, rows)


def _under_headings(title: str, rows: Iterable[tuple[int, list[tuple[str, str]]]]) -> Iterator[ReportTable]:
    """The tables that *rows* of cells make up: each begins with a row of headings, or with the first row."""
    table: ReportTable | None = None
    for line, row in rows:
        if not row or len(row) > MOST_CELLS:
            continue
        kinds, cells = {kind.lower() for kind, _ in row}, tuple(plain(cell) for _, cell in row)
        if table is not None and "d" in kinds:
            table.add(cells, line)
        elif table is not None and not table.rows and len(cells) == len(table.columns):
            joined = zip(table.columns, cells, strict=True)
            table.columns = tuple(f"{above} {below}".strip() for above, below in joined)
        else:
            if table is not None and table.rows:
                yield table
            table = ReportTable(title, cells, line)
            if "d" in kinds:  # no heading at all: the first row is data
                table.columns = ("",) * len(cells)
                table.add(cells, line)
    if table is not None:
        yield table


def plain(markup: str) -> str:
    """The text of a cell, without tags, entities resolved, white space as one blank."""
    text = html.unescape(TAG.sub(" ", markup)) if "<" in markup or "&" in markup else markup
    return " ".join(text.split())


def spans_of(rule: str) -> list[tuple[int, int]]:
    """Begin and end of each column under a rule of dashes."""
    return [match.span() for match in re.finditer(r"-+", rule)]


def columns_of(above: Sequence[str], spans: Sequence[tuple[int, int]]) -> tuple[str, tuple[str, ...]]:
    """Headings from the lines above a rule: each word belongs to the column that it overlaps most.

    What is underlined by tildes is the title of the table, which comes first.
    """
    words: list[list[str]] = [[] for _ in spans]
    title = ""
    for line in above:
        for match in re.finditer(r"\S+", GROUP.sub(lambda group: " " * len(group[0]), line)):
            overlaps = [min(match.end(), end) - max(match.start(), begin) for begin, end in spans]
            best = max(range(len(spans)), key=lambda place: overlaps[place])
            if len(match[0]) > 2 and set(match[0]) == {"~"}:
                title, words[best] = " ".join(words[best]) or title, []
            else:
                words[best].append(match[0])
    return title, tuple(" ".join(column) for column in words)


class RuledReader:
    """Reads the tables of a text report with ruled columns; a title stands before ``DB/Inst:`` or is underlined.

    It holds the table under way, and the lines above the next rule.
    """

    def __init__(self) -> None:
        self._title = ""
        self._above: list[str] = []
        self._table: ReportTable | None = None
        self._spans: list[tuple[int, int]] = []
        self._last: list[str] = []

    def take(self, number: int, printed: str) -> Iterator[ReportTable]:
        """Read one line; gives the table that it ends."""
        line = printed.expandtabs().replace("\f", "").rstrip()
        rule = line.replace("~", "-")
        if "DB" in line and (titled := TITLED.match(line)):
            yield from self.end()
            self._title, self._above = titled[1].strip(), []
        elif line.strip() and RULE.fullmatch(rule):
            yield from self._rule(number, line, spans_of(rule))
        elif not line.strip():
            if self._table is not None and self._table.rows and self._table.title not in SPACED:
                yield from self.end()
            elif self._table is None:
                self._above = []
        elif self._table is not None and self._table.is_full:
            self._table.left_out = self._table.left_out or number
        elif self._table is not None:
            self._table.add(words_of(line, self._spans), number)
            self._last = [*self._last[1 - MOST_HEADINGS :], line]
        elif not line.startswith("->") and line not in self._above[-1:]:  # a line that was pasted twice
            self._above.append(line)

    def _rule(self, number: int, line: str, spans: list[tuple[int, int]]) -> Iterator[ReportTable]:
        is_again = self._table is not None and not self._table.rows and not self._above and spans == self._spans
        if len(spans) > MOST_CELLS or is_again:
            return
        if self._table is not None and self._table.rows and len(spans) > 1:
            self._above = []  # the heading of the next table follows without a blank line
            while self._table.rows and len(self._above) < MOST_HEADINGS and self._heads(self._last):
                line_above = self._last.pop()
                self._above[:0] = [line_above] * (line_above not in self._above[:1])
                self._table.rows.pop()
                self._table.lines.pop()
        yield from self.end()
        underlined = "~" in line and self._above
        if underlined and len(spans) == 1:
            self._title, self._above = self._above[-1].strip(), []
        elif self._above:
            labelled = spans[0][0] > LABELS_FROM  # to the left of the first column, without a rule
            if labelled:
                spans = [(0, spans[0][0] - 1), *spans]
            self._spans = spans
            title, columns = columns_of(self._above[-4:], spans)
            title = title or columns[0] * labelled or self._title
            self._table, self._last = ReportTable(title, columns, number), []
        self._above = []

    def _heads(self, lines: list[str]) -> bool:
        """Whether the last of *lines* may be a heading: it has no number in it, or none is a heading yet."""
        return bool(lines) and (not self._above or not any(NUMERAL.fullmatch(word) for word in lines[-1].split()))

    def end(self) -> Iterator[ReportTable]:
        """The table under way, where it has rows."""
        if self._table is not None and self._table.rows:
            yield self._table
        self._table = None


def words_of(line: str, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The words of a line by column: that which a word overlaps most, or else that of the word before it."""
    words: list[list[str]] = [[] for _ in (*spans, "behind the last")]
    before, column = -2, 0
    for match in re.finditer(r"\S+", line):
        overlaps = [min(match.end(), end) - max(match.start(), begin) for begin, end in spans]
        best = max(range(len(spans)), key=lambda place: overlaps[place])
        if overlaps[best] > 0:
            column = best
        elif match.start() != before + 1:
            column = best if match.start() <= spans[-1][1] else len(spans)
        words[column].append(match[0])
        before = match.end()
    return tuple(" ".join(cells) for cells in words[:-1])
