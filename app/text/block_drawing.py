"""Blocks drawn in text: a line a block, what its bytes hold before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from click import style

from blocktime.app.base.lines import evenly, wrapped
from blocktime.model.results import BlockContents, BlockUse

LEAST_LABEL, GAP = 10, 2
TIED = "\u00a0"
"""A space at which no line is broken."""
WIDEST_BLOCK = 40
MOST_LINES = 6
COUNTS = 26
"""Columns that the counts of a block take, where there is room for them."""


class BlockPart(NamedTuple):
    """A kind of content: its name, its letter, the same in ASCII, its colour."""

    name: str
    letter: str
    plain: str
    colour: str


HEADER = BlockPart("header", "H", "H", "white")
ITL = BlockPart("ITL", "I", "I", "red")
ROWS = BlockPart("rows", "█", "#", "green")
STUBS = BlockPart("stubs of rows that left", "░", "s", "yellow")
MOVED = BlockPart("rows that moved in", "▓", "m", "blue")
FREE = BlockPart("free", "·", ".", "white")
RESERVE = BlockPart("PCTFREE reserve, free", "-", "-", "white")
PARTS = (HEADER, ITL, ROWS, STUBS, MOVED, FREE, RESERVE)


def drawing(blocks: Sequence[BlockContents], size_bytes: float, width: int, plain: bool) -> Iterator[str]:
    """Each block as a line of letters; neighbours that look alike share one."""
    label = max(LEAST_LABEL, GAP + 2 * len(str(blocks[-1].block)) + 1)
    columns = min(WIDEST_BLOCK, (width - label - GAP) // 2)
    counted = width >= label + 2 * (columns + GAP) + COUNTS
    drawn = [
        (
            _cells(block.before, block.reserve_bytes, size_bytes, columns),
            _cells(block.after, block.reserve_bytes, size_bytes, columns),
            block,
        )
        for block in blocks
    ]
    groups = [list(group) for _, group in groupby(drawn, key=lambda cells: cells[:2])]
    yield f"{'block':<{label}}{'before':<{columns + GAP}}after"
    for group in evenly(groups, MOST_LINES):
        before, after, last = group[-1]
        first = group[0][2].block
        number = f"{first}" if first == last.block else f"{first}-{last.block}"
        there = _coloured(before, plain) if before else f"{'not there yet':<{columns}}"
        counts = f"{'':<{GAP}}{_counts(last.after)}" if counted else ""
        yield f"{number:<{label}}{there}{'':<{GAP}}{_coloured(after, plain)}{counts}".rstrip()
    used = {part for before, after, _ in drawn for part in (*before, *after)}
    legend = [f"{part.plain if plain else part.letter} {part.name}" for part in PARTS if part in used]
    unbroken = ", ".join(text.replace(" ", TIED) for text in legend)
    yield from (line.replace(TIED, " ") for line in wrapped(unbroken, width, first=" " * label))


def _cells(use: BlockUse | None, reserve_bytes: float, size_bytes: float, columns: int) -> list[BlockPart]:
    """What each column of a block's line shows; whatever is in the block has one column at least."""
    if use is None:
        return []
    bytes_of = {
        HEADER: use.header_bytes,
        ITL: use.itl_bytes,
        ROWS: use.row_bytes,
        STUBS: use.stub_bytes,
        MOVED: use.moved_bytes,
    }
    cells = {part: max(1, round(columns * bytes_of[part] / size_bytes)) for part in bytes_of if bytes_of[part] >= 1}
    reserve = min(use.free_bytes, reserve_bytes)
    cells[RESERVE] = round(columns * reserve / size_bytes)
    cells[FREE] = round(columns * (use.free_bytes - reserve) / size_bytes)
    largest = max(cells, key=lambda part: cells[part])
    cells[largest] += columns - sum(cells.values())
    return [part for part in PARTS for _ in range(cells.get(part, 0))]


def _coloured(cells: Sequence[BlockPart], plain: bool) -> str:
    return "".join(
        style((part.plain if plain else part.letter) * len(list(run)), fg=part.colour) for part, run in groupby(cells)
    )


def _counts(use: BlockUse) -> str:
    """Row pieces of a block, by kind."""
    counts = (("rows", use.rows), ("stubs", use.stubs), ("moved in", use.moved_in))
    return ", ".join(f"{count:,.0f} {word}" for word, count in counts if count) or "empty"
