"""Limits that an optimum has to keep, such as ``response_p95_s <= '50ms'``: whether, by how much, and of what."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from math import inf, isnan
from typing import Final

from blocktime.model.errors import SpecError, UnknownName, cut, shown
from blocktime.scenarios.sweeps.conditions import (
    ConditionMismatch,
    Part,
    Reader,
    Truth,
    Values,
    number_of,
    parsed,
    parses_of,
    quoted,
)

_SIDES: Final[dict[type[ast.cmpop], int]] = {ast.Lt: 1, ast.LtE: 1, ast.Gt: -1, ast.GtE: -1}
LEAST: Final = -1e-12
"""The slack of ``x < 1`` where x is 1."""
BROKEN: Final = -1.0
"""The slack of a limit that does not hold, where nobody can say by how much."""


class Limit:
    """One comparison of measures and fields.

    Raises :class:`SpecError` with one sentence for a text that is none, or that asks for a measure nobody knows.
    """

    def __init__(self, text: str, node: ast.expr, measures: Collection[str]) -> None:
        self.text = text
        reader = Reader(text, measures)
        self._sign = 0
        self._holds: Truth = reader.truth(node, 0)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SIDES:
            self._sign = _SIDES[type(node.ops[0])]
            reader.parses = reader.parses_in(node)
            self._left: Part = reader.value(node.left, 1)
            self._right: Part = reader.value(node.comparators[0], 1)
        self.names = frozenset(name for name in reader.keys if "." not in name)
        """Measures that it asks for."""
        self.keys = frozenset(reader.keys) - self.names
        """Fields that it asks for."""

    def slack(self, values: Values) -> float:
        """How far from its limit it holds, as a share of the larger side; less than 0 where it does not hold."""
        try:
            holds = self._holds(values)
            if not self._sign:
                return inf if holds else BROKEN
            left, right = number_of(self._left(values)), number_of(self._right(values))
        except (ArithmeticError, ConditionMismatch) as error:
            seen = ", ".join(f"{name} = {shown(values(name))}" for name in sorted(self.names | self.keys))
            raise SpecError(f"such that {cut(self.text)!r}: {error}, at {seen}") from None
        room = self._sign * (right - left) / (max(abs(left), abs(right)) or 1.0)
        if isnan(room):  # of a measure that the point has not
            return BROKEN
        return room if holds else min(room, LEAST)


def limits_of(texts: Sequence[str], measures: Collection[str]) -> list[Limit]:
    """The limits that *texts* say; those joined by ``and``, or chained as in ``1 <= x <= 2``, one by one."""
    limits = []
    for text in texts:
        try:
            for part, node in _parts(text, parsed(text)):
                limits.append(Limit(part, node, measures))
        except SpecError as error:
            raise _named(text, str(error), measures) from None
    return limits


def _parts(text: str, node: ast.expr) -> list[tuple[str, ast.expr]]:
    """Texts and trees of the limits in one condition."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _parts(text, value)]
    if isinstance(node, ast.Compare) and len(node.ops) > 1 and all(type(op) in _SIDES for op in node.ops):
        sides = [node.left, *node.comparators]
        pairs = [
            ast.Compare(side, [op], [other])
            for side, op, other in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return [(ast.unparse(pair), ast.parse(ast.unparse(pair), mode="eval").body) for pair in pairs]
    return [(ast.get_source_segment(quoted(text), node) or text, node)]


def _named(text: str, sentence: str, measures: Collection[str]) -> SpecError:
    """The fault of a limit; a name that stands alone and is no measure has its nearest offered."""
    for name in _lone_names(text):
        if name not in measures and name.lower() not in ("true", "false", "min", "max"):
            return UnknownName("measure", name, measures, where=f"such that {cut(text)!r}")
    return SpecError(f"such that {sentence.removeprefix('where ')}")


def _lone_names(text: str) -> list[str]:
    try:
        tree = parsed(text)
    except SpecError:
        return []
    inner = {
        id(below) for node in ast.walk(tree) if isinstance(node, ast.Attribute) for below in ast.walk(node)
    }
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in inner]


def number_said(text: str, what: str, measure: str) -> Callable[[Values], float]:
    """The number that an expression such as ``2 * base`` stands for as a value of *measure*, given *base*."""
    try:
        part = Reader(text, ("base",), parses_of([measure])).value(parsed(text), 0)
    except SpecError as error:
        raise SpecError(f"{what}: {str(error).removeprefix('where ')}") from None

    def number(values: Values) -> float:
        try:
            return float(number_of(part(values)))
        except (ArithmeticError, ConditionMismatch) as error:
            raise SpecError(f"{what} {cut(text)!r}: {error}") from None

    return number
