"""What every text answer is made of: headings, wrapped lines, sizes and means."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from click import style

NAME_WIDTH = 30


def head(text: str) -> str:
    return style(text, bold=True)


def megabytes(size_bytes: float) -> str:
    return f"{size_bytes / 2**20:,.1f} MB"


def mean(value: float) -> str:
    """A mean with as many digits as say something, never in powers of ten."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def wrapped(
    text: str, width: int, *, first: str = "", bold: bool | None = None, colour: str | None = None
) -> Iterator[str]:
    """*text* in lines of at most *width*, the first after *first*, the others under it."""
    indent = " " * len(first)
    for line in textwrap.wrap(
        text, max(30, width - 1), initial_indent=first or indent, subsequent_indent=indent
    ):
        yield style(line, bold=bold, fg=colour) if bold or colour else line


def aligned(cells: Sequence[str], widths: Sequence[int], after: str = "") -> Iterator[str]:
    """A row of a table: its name to the left, broken where it is too long, its numbers to the right."""
    name, *numbers = cells
    first, *more = textwrap.wrap(name, widths[0] - 1, subsequent_indent="  ") or [""]
    row = "".join(f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True))
    yield f"{first:<{widths[0]}}{row}{after}".rstrip()
    yield from more
