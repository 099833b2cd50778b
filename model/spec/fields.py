"""What fields are made of: sizes, seconds and rates that also take a string with a unit, and a field's declaration."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from blocktime.model.units import parse_bytes, parse_seconds, ungrouped

_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:e[+-]?[0-9]{1,3})?)\s*([kmgt]|million|billion|)", re.IGNORECASE)
_SCALE = {"": 1, "k": 10**3, "m": 10**6, "million": 10**6, "g": 10**9, "billion": 10**9, "t": 10**12}


def parse_number(text: str) -> float:
    """A count, rate or share such as ``"13,600"``, ``"250M"`` or ``"250 million"``; K, M, G, T are powers of 1000.

    Raises :class:`ValueError` where *text* is none.
    """
    match = _NUMBER.fullmatch(ungrouped(text.strip()))
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a number; write one like 250, 13,600 or 250M")
    exact = Decimal(match[1]) * _SCALE[match[2].lower()]
    return int(exact) if exact == exact.to_integral_value() and exact < 2**63 else float(exact)


def _bytes(value: object) -> object:
    return parse_bytes(value) if isinstance(value, str) else _number(value)


def _seconds(value: object) -> object:
    return parse_seconds(value) if isinstance(value, str) else _number(value)


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number; write digits like 10 or 0.5")
    return parse_number(value) if isinstance(value, str) else value


LEAVE_NUMBERS = frozenset((_bytes, _seconds, _number))
"""Checks that leave a number as it is."""


def as_text(value: object) -> object:
    """A release such as ``2.6`` that TOML reads as a number, as the text it was."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Size = Annotated[int, BeforeValidator(_bytes)]
MeanSize = Annotated[float, BeforeValidator(_bytes)]
Rate = Annotated[float, BeforeValidator(_bytes)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Real = Annotated[float, BeforeValidator(_number)]
Whole = Annotated[int, BeforeValidator(_number)]

BlockSize = Annotated[Literal[2048, 4096, 8192, 16384, 32768], BeforeValidator(_bytes)]

MAXIMUM_ROWS = 10**12
LEAST_FRACTION = 1 / MAXIMUM_ROWS
"""Of a share that is more than none: one row of the largest table; less has no digits left in a quotient."""
MAXIMUM_COLUMNS = 1000
MAXIMUM_INDEXES = 100


def setting(default: Any, says: str, source: str, **limits: Any) -> Any:
    """A field with its default, what it says to a DBA, and where the default comes from."""
    if callable(default):
        return Field(
            default_factory=default, description=says, json_schema_extra={"source": source}, **limits
        )
    return Field(default=default, description=says, json_schema_extra={"source": source}, **limits)


ORACLE = "oracle-reference"
GENERAL = "general knowledge"
