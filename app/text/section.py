"""A part of an answer as rows, made once; a terminal, a report and the page draw them, each in its own form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import aligned, head, wrapped

NARROW: Final = 68
"""Columns below which a table is set closer."""
LABEL: Final = 10


class Fact(NamedTuple):
    """A name and what is said of it, in a sentence or less."""

    name: str
    text: str
    colour: str = ""
    bold: bool = False


class Bar(NamedTuple):
    """A bar behind a row of a table, in shares of the longest one."""

    share: float
    begin: float = 0.0
    colour: str = "blue"
    least: int = 0
    """Letters of the shortest one."""


@dataclass(frozen=True)
class CellTable:
    """Cells in columns: names left, numbers right, the first row their heads."""

    rows: Sequence[Sequence[str]]
    widths: Sequence[int] = ()
    """Letters that a column takes at least; without them it takes what its cells need."""
    narrow: Sequence[int] = ()
    """The same where there is little room."""
    bars: Sequence[Bar] = ()
    """One for each row after the head; fewer where the last rows have none."""
    longest: int = 40
    """Letters of the longest bar, at most."""
    sums: int = 0
    """Rows at the end that sum up the others."""
    bold: bool = False
    """Whether the heads and the sums are."""
    colours: Mapping[int, str] = field(default_factory=dict)
    """Column -> its colour in the last row."""

    def lines(self, width: int, letter: str) -> Iterator[str]:
        """The table as a terminal of *width* columns shows it, its bars made of *letter*."""
        least = self.narrow if self.narrow and width < NARROW else self.widths
        gap = 1 if least is self.narrow and least else 2
        name, first, *others = (max(map(len, column)) for column in zip(*self.rows, strict=True))
        widths = [name + gap, first, *(gap + each for each in others)]
        if least:  # a name that is longer breaks
            widths = [least[0], *map(max, least[1:], [gap + first, *widths[2:]])]
        room = max(0, min(self.longest, width - sum(widths) - 3))
        for rank, cells in enumerate(self.rows):
            bar = self.bars[rank - 1] if 0 < rank <= len(self.bars) else Bar(0.0)
            colours = self.colours if rank == len(self.rows) - 1 else {}
            texts = [
                style(f"{cell:>{wide}}", fg=colours[at]) if at in colours else cell
                for at, (cell, wide) in enumerate(zip(cells, widths, strict=True))
            ]
            is_bold = self.bold and (rank == 0 or rank >= len(self.rows) - self.sums)
            lines = aligned(texts, widths, _bar(bar, room, letter))
            yield from (style(line, bold=True) for line in lines) if is_bold else lines


def _bar(bar: Bar, room: int, letter: str) -> str:
    begin = min(room - 1, int(room * bar.begin))
    length = min(room - begin, max(bar.least, round(room * bar.share)))
    return f"  {' ' * begin}{style(letter * length, fg=bar.colour)}" if length > 0 and letter else ""


Row = Fact | CellTable | str
"""A text is a line in the form of a real system's report."""


@dataclass(frozen=True)
class Section:
    """A part of an answer; nothing where the answer has nothing of it."""

    heading: str = ""
    rows: Sequence[Row] = ()
    notes: Sequence[str] = ()
    lead: Sequence[str] = ()
    """Sentences before the rows."""
    label: int = LABEL
    """Letters that the names of facts take."""
    colour: str = ""
    """Of the notes."""

    def __bool__(self) -> bool:
        return bool(self.lead or self.rows or self.notes)

    def lines(self, width: int = 80, letter: str = "█") -> Iterator[str]:
        """The section as a terminal of *width* columns shows it."""
        if self and self.heading:
            yield head(self.heading)
        for sentence in self.lead:
            yield from wrapped(sentence, width)
        for row in self.rows:
            if isinstance(row, str):
                yield row
            elif isinstance(row, Fact):
                yield from wrapped(
                    row.text, width, first=f"{row.name:<{self.label}}", bold=row.bold, colour=row.colour or None
                )
            else:
                yield from row.lines(width, letter)
        for note in self.notes:
            yield from wrapped(note, width, colour=self.colour or None)

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """Rows that a page draws together: facts, lines, or one table."""
        groups: list[tuple[str, list[Row]]] = []
        for row in self.rows:
            kind = "table" if isinstance(row, CellTable) else "lines" if isinstance(row, str) else "facts"
            if kind != "table" and groups and groups[-1][0] == kind:
                groups[-1][1].append(row)
            else:
                groups.append((kind, [row]))
        return groups


NOTHING: Final = Section()
"""Of an answer that has nothing of it."""
