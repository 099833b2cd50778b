"""What every text answer is made of: headings, wrapped lines, sizes and means."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from click import style

from blocktime.model.units import show_bytes, show_number, show_seconds

NAME_WIDTH = 30
Item = TypeVar("Item")


def head(text: str) -> str:
    return style(text, bold=True)


def megabytes(size_bytes: float) -> str:
    return f"{size_bytes / 2**20:,.1f} MB"


def mean(value: float) -> str:
    """A mean with as many digits as say something, never in powers of ten."""
    return show_number(value, 4)


def with_unit(value: float, unit: str) -> str:
    """A number with its unit, in the size a reader would pick: the one place where numbers get one."""
    if unit == "s":
        return show_seconds(value)
    if unit in ("bytes", "bytes/s"):
        return show_bytes(value) + unit.removeprefix("bytes")
    return f"{show_number(value)} {unit}".strip()


def wrapped(
    text: str,
    width: int,
    *,
    first: str = "",
    bold: bool | None = None,
    dim: bool | None = None,
    colour: str | None = None,
) -> Iterator[str]:
    """*text* in lines of at most *width*, the first after *first*, the others under it."""
    indent = " " * len(first)
    for line in textwrap.wrap(text, max(30, width - 1), initial_indent=first or indent, subsequent_indent=indent):
        yield style(line, bold=bold or None, dim=dim or None, fg=colour) if bold or dim or colour else line


def aligned(cells: Sequence[str], widths: Sequence[int], after: str = "") -> Iterator[str]:
    """A row of a table: its name to the left, broken where it is too long, its numbers to the right."""
    name, *numbers = cells
    first, *more = textwrap.wrap(name, widths[0] - 1, subsequent_indent="  ") or [""]
    row = "".join(f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True))
    yield f"{first:<{widths[0]}}{row}{after}".rstrip()
    yield from more


def table(rows: Sequence[Sequence[str]], width: int = 0, indent: str = "  ", gap: int = 2) -> Iterator[str]:
    """Rows in columns as wide as their texts, names to the left, the rest to the right; names break at *width*."""
    name, first, *more = (max(map(len, column)) for column in zip(*rows, strict=True))
    widths = [name + gap, first, *(gap + each for each in more)]
    if width:
        widths[0] = min(widths[0], width - len(indent) - sum(widths[1:]))
    for row in rows:
        yield from (f"{indent}{line}" for line in aligned(row, widths))


def parted(groups: Iterable[Iterable[str]]) -> Iterator[str]:
    """Groups of lines, an empty one between any two."""
    for place, group in enumerate(groups):
        yield from [""] if place else []
        yield from group


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """All of *items*, or so many of them spread evenly, both ends among them."""
    if len(items) <= most:
        return list(items)
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]
