"""Tables, lists and signs of Markdown, in lines that a person reads."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from blocktime.validation.words import NOTHING

WIDTH: Final = 120
"""Characters of a line at most."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without the columns that say nothing in any row; where it is too wide, a list has the widest ones."""
    cells = [[cell or NOTHING for cell in row] for row in rows]
    columns = [i for i in range(len(heads)) if not cells or any(row[i] != NOTHING for row in cells)]
    below: list[int] = []
    while max(map(len, drawn := _lines(heads, cells, columns))) > WIDTH and len(columns) > 1:
        widest = max(columns[1:], key=lambda i: max(len(row[i]) for row in (heads, *cells)))
        columns.remove(widest)
        below = sorted([*below, widest])
    notes = ((row[0], [f"*{heads[i]}* {row[i]}" for i in below if row[i] != NOTHING]) for row in cells)
    items = [item(f"{name}: {' · '.join(notes_said)}") for name, notes_said in notes if notes_said]
    parts = ["\n".join(drawn)] if len(columns) > 1 else []
    return "\n\n".join([*parts, *(["\n".join(items)] if items else [])])


def _lines(heads: Sequence[str], cells: Sequence[Sequence[str]], columns: Sequence[int]) -> list[str]:
    lines = [[heads[i] for i in columns], ["---"] * len(columns), *([row[i] for i in columns] for row in cells)]
    return [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in line)} |" for line in lines]


def paragraph(text: str, begin: str = "", indent: str = "") -> str:
    """*text* in lines of at most WIDTH characters, with what begins the first and indents the others."""
    return textwrap.fill(
        text, WIDTH, initial_indent=begin, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def item(text: str) -> str:
    """*text* as an item of a list."""
    return paragraph(text, "- ", "  ")


def code(text: str) -> str:
    """*text* as it is typed."""
    return f"`{text}`"


def anchor(title: str) -> str:
    """The address of a heading within its page."""
    return "#" + re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def together(names: Iterable[str], mark: str) -> str:
    """Names as they are typed, those with the same beginning up to the last *mark* behind it once."""
    by_place: dict[str, list[str]] = {}
    for name in names:
        place, text, rest = name.rpartition(mark)
        by_place.setdefault(place + text, []).append(rest)
    return "; ".join(code(f"{place}{', '.join(rest)}") for place, rest in by_place.items())
