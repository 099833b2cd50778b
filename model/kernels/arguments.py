"""What callers hand to a kernel, checked before its loop."""

from __future__ import annotations

from operator import index
from typing import Any

from blocktime.model.errors import SpecError, shown


def positive(name: str, given: Any) -> int:
    """The given count as an int; SpecError if it is no whole number or below 1."""
    try:
        count = index(given)
    except TypeError:
        count = 0
    if count < 1:
        raise SpecError(f"{name}: {shown(given)} is no whole number of at least 1")
    return count
