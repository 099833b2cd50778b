"""What fields are made of: sizes, seconds and rates that also take text with a unit, and a field's declaration."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from blocktime.model.spec.groups import WORKLOAD, ControlPlace
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


@dataclass(frozen=True)
class Declaration:
    """What a field says of itself beside its type, its default, its limits and its help."""

    source: str = ""
    """Where the default comes from: a key of docs/sources.md."""
    places: tuple[ControlPlace, ...] = ()
    """Where its control stands on the page; without one, a search finds it."""
    words: tuple[str, ...] = ()
    """What a DBA calls it otherwise."""
    related: tuple[str, ...] = ()
    """Words for another field that a reader may mean this one by."""
    offers: tuple[str, ...] = ()
    """Values worth trying, of a field that takes more."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Value of a choice -> what a DBA calls it."""
    needs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Value -> another field, and the value that this one needs of it."""
    unit: str = ""
    """The unit, where the name does not end in it."""
    names: bool = False
    """Whether it only names something, and no figure depends on it."""

    def __call__(self, schema: dict[str, Any]) -> None:
        """Write into the JSON Schema of the field what an editor can use."""
        schema["source"] = self.source
        if self.places:
            schema["title"] = self.places[0].label


def setting(default: Any, source: str, *places: ControlPlace, **more: Any) -> Any:
    """A field: its default, the source of the default, and its places on the page; the text below it is its help.

    *more* are parts of its :class:`Declaration`, lists of words as one text; ``within``, the smallest and the largest
    value; and further limits as pydantic has them.
    """
    if "within" in more:
        more["ge"], more["le"] = more.pop("within")
    given: dict[str, Any] = {"default_factory": default} if callable(default) else {"default": default}
    parts: dict[str, Any] = {name: more.pop(name) for name in DECLARED if name in more}
    parts |= {name: tuple(parts[name].split()) for name in LISTS if name in parts}
    return Field(**given, json_schema_extra=Declaration(source, places, **parts), **more)


LISTS = ("words", "related", "offers")
DECLARED = (*LISTS, "options", "needs", "unit", "names")


def users(most: int) -> Any:
    """The number of sessions or programs that do the same work at the same time, *most* at the most."""
    words = "sessions concurrency connections"
    return setting(1, GENERAL, WORKLOAD.at(180, "Users"), words=words, within=(1, most))


def array_size() -> Any:
    """The number of rows of an array."""
    words = "arraysize fetch_size prefetch"
    return setting(100, GENERAL, WORKLOAD.at(90, "Array size"), words=words, within=(1, 1_000_000))


def catalog_entry(*places: ControlPlace, words: str = "") -> Declaration:
    """The field ``use`` of a section, which names an entry of the catalog."""
    return Declaration(places=places, words=tuple(words.split()))


ORACLE = "oracle-reference"
GENERAL = "general knowledge"
