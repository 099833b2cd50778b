"""Conditions on points: comparisons of fields with values or with fields, joined by and."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf, prod
from typing import Any, Final

from blocktime.model.errors import SpecError, UnknownName, cut, quote
from blocktime.model.spec.fields import parse_number
from blocktime.model.units import parse_bytes, parse_seconds, unit_of

Values = Callable[[str], Any]
"""Dotted key of a field -> its value at one point."""
Parse = Callable[[str], float]
Side = Callable[[Values], Any]

LONGEST: Final = 1000
QUOTED_VALUES: Final = 5

ALLOWED: Final = (
    "allowed are < <= == != >= > between fields such as host.cpus, numbers such as 250M, 16K or 10 ms, "
    '"text", true, false and products with *, joined by and, without parentheses'
)

_NUMBER = r"[0-9][0-9_]*(?:\.[0-9]+)?"
_UNIT = r"(?:[kmgt]?i?b/s|[kmgt](?:i?b)?|[nuµm]?s|min|h|d)(?![\w.(])"
_TERM = (
    rf"(?P<text>\"[^\"\n]*\"|'[^'\n]*')|(?P<number>(?:{_NUMBER}\s*{_UNIT}\s?)+(?<!\s)|"
    rf"-?{_NUMBER}(?:e[+-]?[0-9]+)?(?![\w.]))|(?P<name>(?!(?:and|or|not)\b)[a-z_]\w*(?:\.\w+)*)"
)
_ANY_TERM = re.sub(r"\?P<\w+>", "?:", _TERM)
_SIDE = rf"(?:{_ANY_TERM})(?:\s*\*\s*(?:{_ANY_TERM}))*"
_SIDE_ALONE, _TERMS = re.compile(_SIDE, re.IGNORECASE), re.compile(_TERM, re.IGNORECASE)
_COMPARISON = re.compile(
    rf"\s*(?P<text>(?P<left>{_SIDE})\s*(?P<sign><=|>=|==?|!=|[<>])\s*(?P<right>{_SIDE}))"
    r"\s*(?P<join>$|\band\b)",
    re.IGNORECASE,
)
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FLAGS: Final = {"true": True, "false": False}


class ConditionMismatch(Exception):
    """Two values that cannot meet."""


@dataclass(frozen=True)
class PointComparison:
    """Two sides and the sign between them."""

    text: str
    left: Side
    sign: str
    right: Side

    def holds(self, values: Values) -> bool:
        """Whether it holds; raises :class:`ConditionMismatch` where the two sides cannot meet."""
        left, right = self.left(values), self.right(values)
        if self.sign not in _ORDER:
            return _are_equal(left, right) is (self.sign != "!=")
        if isinstance(left, str) and isinstance(right, str):
            raise ConditionMismatch(f"{quote(left)} and {quote(right)} are texts, which have no order")
        return _ORDER[self.sign](number_of(left), number_of(right))


class Condition:
    """A sentence such as ``workload.users <= 50 * host.cpus`` that holds at a point or does not.

    *names* may stand alone, beside the fields of sections. A value with a unit, such as ``250M`` or ``5 ms``, is read
    as the fields that it is compared with read it. Raises :class:`SpecError` with one sentence for any other text.
    """

    def __init__(self, text: str, names: Collection[str] = (), where: str = "where") -> None:
        self.text, self._where = text, f"{where} {cut(text)!r}"
        reader = Reader(text, self._where, names)
        self.comparisons = tuple(reader.comparisons())
        """It holds where all of these do."""
        self.keys = frozenset(reader.keys)
        """Fields that it asks for."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels to another process as its text."""
        return Condition, (self.text,)

    def holds(self, values: Values) -> bool:
        """Whether it holds where fields have *values*; raises :class:`SpecError` where that cannot be said."""
        try:
            return all(comparison.holds(values) for comparison in self.comparisons)
        except ConditionMismatch as fault:
            keys = sorted(self.keys)
            seen = [f"{cut(key)} = {quote(values(key))}" for key in keys[:QUOTED_VALUES]]
            seen += [f"{len(keys) - QUOTED_VALUES} more"] * (len(keys) > QUOTED_VALUES)
            raise SpecError(f"{self._where}: {fault}, at {', '.join(seen)}") from None


class Reader:
    """Reads a condition, or a side of one; *where* begins its refusals."""

    def __init__(self, text: str, where: str, names: Collection[str] = ()) -> None:
        self.keys: set[str] = set()
        self._text, self._where, self._names = text.strip(), where, names
        if len(text) > LONGEST:
            raise SpecError(f"{where}: has {len(text):,} characters; a condition has at most {LONGEST:,}")

    def comparisons(self) -> Iterator[PointComparison]:
        """Each comparison."""
        at, join = 0, "and"
        while join:
            match = _COMPARISON.match(self._text, at)
            if match is None:
                raise self._refusal(self._text[at:].strip())
            text, left, sign, right, join = match.groups()
            names = [term["name"] for term in _TERMS.finditer(f"{left} {right}") if term["name"]]
            parses = parses_of([name for name in names if name.lower() not in _FLAGS])
            yield PointComparison(text, self.product(left, parses), sign, self.product(right, parses))
            at = match.end()

    def side(self, parses: Sequence[Parse]) -> Side:
        """All of the text as one side of a comparison."""
        if _SIDE_ALONE.fullmatch(self._text) is None:
            raise self._refusal(self._text)
        return self.product(self._text, parses)

    def product(self, text: str, parses: Sequence[Parse]) -> Side:
        """The value of a side: of its only factor, or the product of all."""
        factors = [self._factor(term, parses) for term in _TERMS.finditer(text)]
        return factors[0] if len(factors) == 1 else lambda values: _multiplied(factors, values)

    def _factor(self, term: re.Match[str], parses: Sequence[Parse]) -> Side:
        value: Any = term[0]
        if value.lower() in _FLAGS:
            value = _FLAGS[value.lower()]
        elif term["name"]:
            if "." not in value and value not in self._names:
                if self._names:
                    raise UnknownName("measure", value, self._names, where=self._where)
                raise self._refusal(value, ", which names no field")
            self.keys.add(value)
            field_parses = parses_of([value])
            return lambda values: _amount(values(value), field_parses)
        elif term["text"]:
            value = _amount(value[1:-1], parses)
        else:
            with suppress(ValueError):
                value = float(value)
            value = _amount(value, parses)
            if isinstance(value, str) or value == inf:
                raise self._refusal(term[0], ", which is no value of its field")
        return lambda _: value

    def _refusal(self, got: str, reason: str = "") -> SpecError:
        sentence = f"got {cut(got, 40)!r}{reason}" if got else "is not a condition, as a comparison is missing"
        return SpecError(f"{self._where}: {sentence}; {ALLOWED}")


PARSES: Final[dict[str, Sequence[Parse]]] = {"bytes": (parse_bytes,), "bytes/s": (parse_bytes,), "s": (parse_seconds,)}
"""Unit -> how its values are read; others are numbers, whose K, M, G, T are powers of 1000."""


def parses_of(names: Sequence[str]) -> Sequence[Parse]:
    """How values of the fields *names* are read: as sizes or durations where one of them is one."""
    units = {unit_of(name) for name in names}
    return next((parses for unit, parses in PARSES.items() if unit in units), (parse_number,))


def number_of(value: object) -> float:
    """A number; raises :class:`ConditionMismatch` for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ConditionMismatch(f"{quote(value)} is not a number")


def _multiplied(factors: Sequence[Side], values: Values) -> float:
    with suppress(OverflowError):
        if abs(product := float(prod(number_of(factor(values)) for factor in factors))) != inf:
            return product
    raise ConditionMismatch("a number too large to go on with")


def _amount(value: Any, parses: Sequence[Parse]) -> Any:
    """A text with a unit as the number it means; a release such as 5.10, or any other value, as it is."""
    if isinstance(value, str) and any(letter.isalpha() for letter in value):
        for parse in parses:
            with suppress(ValueError):
                return parse(value)
    return value


def _are_equal(left: object, right: object) -> bool:
    if isinstance(left, bool) and isinstance(right, bool):
        return left is right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return number_of(left) == number_of(right)
