"""Which lines of iostat are worth showing of a long run: the ends, the busiest, and those where something changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from blocktime.model.results import DeviceLine

LEAST_CHANGE = 0.05
"""Share of the highest rate below which a change between two lines is not one to look for."""


def spans(lines: Sequence[DeviceLine], most: int) -> list[tuple[int, int, bool]]:
    """First and end of each stretch of *lines* in order, and whether it is shown; at most some *most* stretches.

    A shown stretch of more than one line is idle: nothing was asked of the device in it.
    """
    if len(lines) <= most:
        return [(place, place + 1, True) for place in range(len(lines))]
    stretches = list(_stretches(lines))
    chosen, full = {0, len(stretches) - 1}, False
    for candidates in _worth_it([lines[first] for first, _ in stretches]):
        if full and any({place - 1, place + 1} - chosen for place in candidates - chosen):
            continue  # only what fills a gap needs no room
        wider = chosen | candidates
        rows = len(list(_rows(stretches, wider)))
        if rows <= most:
            chosen, full = wider, rows == most
    return list(_rows(stretches, chosen))


def _stretches(lines: Sequence[DeviceLine]) -> Iterator[tuple[int, int]]:
    """Each line alone, and idle ones that follow each other together."""
    first = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or requests(lines[place]) or requests(lines[first]):
            yield first, place
            first = place


def _worth_it(lines: Sequence[DeviceLine]) -> Iterator[set[int]]:
    """Places to show, the most telling first: the busiest, the largest changes, the first ones."""
    rates = [requests(line) for line in lines], [moved_bytes(line) for line in lines]
    for rate in rates:
        yield {max(range(len(lines)), key=rate.__getitem__)}
    changes = [0.0] * len(lines)
    for rate in rates:
        highest = max(rate) or 1.0
        for place, (before, after) in enumerate(pairwise(rate), 1):
            changes[place] = max(changes[place], abs(after - before) / highest)
    for place in sorted(range(1, len(lines)), key=lambda place: -changes[place]):
        if changes[place] >= LEAST_CHANGE:
            yield {place - 1, place}
    yield from ({place} for place in range(min(4, len(lines))))


def _rows(stretches: Sequence[tuple[int, int]], chosen: set[int]) -> Iterator[tuple[int, int, bool]]:
    """The stretches that are kept, and each gap between them as one that is not shown."""
    behind = 0
    for place in sorted(chosen):
        first, end = stretches[place]
        if first > behind:
            yield behind, first, first == behind + 1  # one line needs no more room than a note of its absence
        yield first, end, True
        behind = end


def requests(line: DeviceLine) -> float:
    """Requests a second."""
    return line.reads_per_s + line.writes_per_s


def moved_bytes(line: DeviceLine) -> float:
    """Bytes a second."""
    return line.read_bytes_per_s + line.written_bytes_per_s
