"""Columns of values, one for each point: an array of floats or of whole numbers of 64 bits, a list of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = Sequence[Any] | NDArray[Any]
Columns: TypeAlias = Mapping[str, Column]
"""Dotted key -> its values."""
Places: TypeAlias = Sequence[int] | NDArray[np.int64] | slice


def column_of(values: Column) -> Column:
    """Some values as a column."""
    kinds = set() if isinstance(values, np.ndarray) else set(map(type, values))
    if kinds in ({float}, {int}):
        array = np.array(values)
        if array.dtype in (np.float64, np.int64):
            return array
    return values


def joined(parts: Sequence[Column]) -> Column:
    """The values of one column after another."""
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts) and len({array.dtype for array in arrays}) == 1:
        return np.concatenate(arrays)
    return [value for part in parts for value in listed(part)]


def listed(column: Column) -> Sequence[Any]:
    """The values as Python's own."""
    if isinstance(column, np.ndarray):
        values: list[Any] = column.tolist()
        return values
    return column


def taken(column: Column, places: Places) -> Column:
    """The values at some places."""
    if isinstance(column, np.ndarray):
        return column[places]
    if isinstance(places, slice):
        return column[places]
    return [column[place] for place in places]


def points_of(columns: Columns) -> list[Any]:
    """The values of one point after another."""
    rows = zip(*map(listed, columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
