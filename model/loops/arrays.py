"""Rows that a loop walks along, by what they hold: for the compiler; without it, any sequence will do.

Callers hand in ``row(array)``.
"""

from __future__ import annotations

from array import array
from math import inf
from typing import Any

Reals = Any
Wholes = Any
Halves = Any
"""Whole numbers of 32 bits."""
Bytes = Any
GivenReals = Any
"""The loop does not write into rows that it is given."""
GivenWholes = Any
GivenBytes = Any
FEW = 16
"""Values of a heap that are kept sorted."""


def row(given: Any) -> Any:
    """The memory of an array of numpy: from there Python takes a number faster, and as its own."""
    return memoryview(given)


def wholes(count: int, value: int) -> Wholes:
    """A row of one whole number."""
    return memoryview(array("q", [value]) * count)


def halves(count: int, value: int) -> Halves:
    """A row of one whole number of 32 bits."""
    return memoryview(array("i", [value]) * count)


def some_bytes(count: int) -> Bytes:
    """A row of bytes that are 0."""
    return memoryview(bytearray(count))


def more_wholes(row: Wholes) -> Wholes:
    """A row of whole numbers with as much room again, of zeros."""
    more = wholes(2 * len(row), 0)
    for k in range(len(row)):
        more[k] = row[k]
    return more


def more_bytes(row: Bytes) -> Bytes:
    """A row of bytes with as much room again, of zeros."""
    more = some_bytes(2 * len(row))
    for k in range(len(row)):
        more[k] = row[k]
    return more


def more_halves(row: Halves, count: int, value: int) -> Halves:
    """A row with room for *count* whole numbers of 32 bits, the new ones of one value."""
    more = halves(count, value)
    for k in range(len(row)):
        more[k] = row[k]
    return more


def reals(count: int, value: float) -> Reals:
    """A row of one number."""
    return memoryview(array("d", [value]) * count)


def longer(row: Reals) -> Reals:
    """A row with as much room again."""
    doubled = reals(2 * len(row), 0.0)
    for k in range(len(row)):
        doubled[k] = row[k]
    return doubled


def free_servers(count: int) -> Reals:
    """A heap of the moments at which servers get free; what lies below it never does."""
    heap = reals(2 * count + 1, inf)
    for server in range(count):
        heap[server] = 0.0
    return heap


def replace_first(heap: Reals, value: float) -> None:
    """The first of a heap leaves it, and a value comes that is not less; what lies below it is infinite.

    NOTE: A few stand in their order, which is a heap too: no processor need foresee where the value comes to stand.
    """
    size = len(heap) // 2
    if size <= FEW:
        for place in range(1, size):
            later = max(heap[place], value)
            heap[place - 1] = min(heap[place], value)
            value = later
        heap[size - 1] = value
        return
    place = 0
    while True:
        left = 2 * place + 1
        sooner = left + int(heap[left + 1] < heap[left])
        if heap[sooner] >= value:
            break
        heap[place] = heap[sooner]
        place = sooner
    heap[place] = value
