"""Tables and signs of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from validation.words import NOTHING


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without the columns that say nothing in any row."""
    cells = [[cell or NOTHING for cell in row] for row in rows]
    told = [i for i in range(len(heads)) if not cells or any(row[i] != NOTHING for row in cells)]
    lines = [[heads[i] for i in told], ["---"] * len(told), *([row[i] for i in told] for row in cells)]
    return "\n".join(f"| {' | '.join(one.replace('|', chr(92) + '|') for one in line)} |" for line in lines)


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
        place, found, rest = name.rpartition(mark)
        by_place.setdefault(place + found, []).append(rest)
    return "; ".join(code(f"{place}{', '.join(rest)}") for place, rest in by_place.items())
