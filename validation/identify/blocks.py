"""Rows of a block, from the gets of fetch calls one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from model.demand.segment import row_shape, segment_of
from model.spec import System, Table

LEAST_CALLS: Final = 5
AROUND: Final = 0.25
"""How far from the mean the rows of a block are looked for."""
MOST_ODD: Final = 0.05
"""Share of fetch calls that may have other gets than blocks of equal rows make: those with a header or a map block."""


class EqualBlocks(NamedTuple):
    """Blocks that hold as many rows each."""

    rows: int
    other_gets: int
    """Gets of the fetch calls beyond those of such blocks."""


CREATED_BY: Final = "ctas"
"""A table without blocks that were formatted ahead of the rows: gets tell all blocks that hold rows."""


def equal_blocks(calls: Sequence[tuple[int, int]]) -> EqualBlocks | None:
    """Rows of each block, from rows and gets of the fetch calls of one scan; None where blocks are not alike.

    A call gets each block that its rows lie in, so its gets tell where blocks end. What some calls get besides is never
    negative.
    """
    rows, gets = sum(call[0] for call in calls), sum(call[1] for call in calls)
    if len(calls) < LEAST_CALLS or gets <= len(calls) or not rows:
        return None
    mean = rows / max(1, gets - len(calls) + 1)
    best: tuple[int, int, int] | None = None
    for fit in range(max(1, int(mean * (1 - AROUND))), int(mean * (1 + AROUND)) + 2):
        done, odd, beyond = 0, 0, 0
        for returned, got in calls:
            if not returned:
                continue
            more = got - ((done + returned - 1) // fit - done // fit + 1)
            odd, beyond, done = odd + (more != 0), beyond + more, done + returned
        if beyond >= 0 and (best is None or odd < best[0]):
            best = odd, fit, beyond
    if best is None or best[0] > max(2, MOST_ODD * len(calls)):
        return None
    return EqualBlocks(best[1], best[2])


def row_bytes_of(rows: int) -> int | None:
    """Length of rows of which a block of the default form holds *rows*; None where no whole length does."""
    for length in range(3, 8192):
        table = Table(row_bytes=length, created_by=CREATED_BY)
        fit = segment_of(System(table=table), row_shape(table)).rows_per_block
        if fit <= rows:
            return length if fit == rows else None
    return None
