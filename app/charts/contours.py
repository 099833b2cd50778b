"""Lines of equal values through a table of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Segment = tuple[float, float, float, float]
"""Column and row of its begin, and of its end."""


def contour_segments(table: Sequence[Sequence[float | None]], levels: Sequence[float]) -> Iterator[Segment]:
    """The pieces of the lines at *levels*, one or two in each square of four neighbours whose values are known."""
    for row in range(len(table) - 1):
        for column in range(len(table[row]) - 1):
            corners = [
                (column, row, table[row][column]), (column + 1, row, table[row][column + 1]),
                (column + 1, row + 1, table[row + 1][column + 1]), (column, row + 1, table[row + 1][column]),
            ]  # fmt: skip
            values = [(x, y, value) for x, y, value in corners if value is not None]
            if len(values) == len(corners):
                yield from _through(values, levels)


def _through(corners: Sequence[tuple[int, int, float]], levels: Sequence[float]) -> Iterator[Segment]:
    for level in levels:
        ends: list[tuple[float, float]] = []
        for (ax, ay, before), (bx, by, after) in zip(corners, [*corners[1:], corners[0]], strict=True):
            if (before < level) != (after < level):
                part = (level - before) / (after - before)
                ends.append((ax + part * (bx - ax), ay + part * (by - ay)))
        for begin, end in zip(ends[::2], ends[1::2], strict=True):
            yield (*begin, *end)
