"""Conditions on points: a small language of comparisons that Python's parser reads and nothing of Python runs."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, Final

from blocktime.model.errors import SpecError, cut, shown
from blocktime.model.spec.fields import parse_number
from blocktime.model.units import parse_bytes, parse_seconds, unit_of

Values = Callable[[str], Any]
"""Dotted key of a field -> its value at one point."""
Parse = Callable[[str], float]

LONGEST: Final = 1000
DEEPEST: Final = 50
LONGEST_KEY: Final = 8
SHOWN_VALUES: Final = 5

ALLOWED: Final = (
    "allowed are < <= == != >= >, in (A, B), and, or, not, + - * / // %, min(), max(), "
    'numbers such as 250M, 16K or 10 ms, "text", true, false and fields such as host.cpus'
)

# What Python's parser only warns of, which would reach the terminal: "\d", 1or 2, and the texts f"" and b"".
_GLUED = re.compile(r"\b[0-9][\w.]*(?:and|else|for|if|in|is|or|not)|\b[bfrtu]{1,2}[\"']", re.IGNORECASE)
_SINGLE = re.compile(r"(?<![<>=!])=(?!=)")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_WITH_UNIT = re.compile(
    rf"({_QUOTED.pattern})|(?<![\w.])(?:[0-9]+(?:\.[0-9]+)?\s*(?:[kmgt]?i?b/s|[kmgt](?:i?b)?|[nuµm]?s|min|h|d)(?![\w.(])\s?)+(?<!\s)",
    re.IGNORECASE,
)
"""A text in quotes, or else a number with a unit."""

_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ORDER: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EXTREMES: Final[dict[str, Callable[..., Any]]] = {"min": min, "max": max}
_FLAGS: Final = {"true": True, "false": False}


class Condition:
    """A sentence such as ``workload.users <= 50 * host.cpus`` that holds at a point or does not.

    Raises :class:`SpecError` with one sentence for a text that is no condition. A value with a unit, such as ``250M``,
    ``16K`` or ``"5 ms"``, is read as the fields that it is compared with read it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        reader = Reader(text)
        self._says = reader.truth(parsed(text), 0)
        self.keys = frozenset(reader.keys)
        """Fields that it asks for."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels to another process as its text."""
        return Condition, (self.text,)

    def holds(self, values: Values) -> bool:
        """Whether it holds where fields have *values*; raises :class:`SpecError` where that cannot be said."""
        try:
            return self._says(values)
        except ZeroDivisionError:
            fault = "a division by zero"
        except OverflowError:
            fault = "a number too large to go on with"
        except ConditionMismatch as unfit:
            fault = str(unfit)
        keys = sorted(self.keys)
        seen = [f"{cut(key)} = {shown(values(key))}" for key in keys[:SHOWN_VALUES]]
        more = [f"{len(keys) - SHOWN_VALUES} more"] if len(keys) > SHOWN_VALUES else []
        raise SpecError(f"{_where(self.text)}: {fault}{', at ' if seen else ''}{', '.join(seen + more)}")


class ConditionMismatch(Exception):
    """Two values that cannot meet."""


Truth = Callable[[Values], bool]
Part = Callable[[Values], Any]


def _where(text: str) -> str:
    return f"where {cut(text)!r}"


def quoted(text: str) -> str:
    """A condition whose numbers with units stand in quotes."""
    return _WITH_UNIT.sub(lambda match: match[0] if match[1] else f'"{match[0]}"', text.strip())


def parsed(text: str) -> ast.expr:
    """What Python's parser makes of a condition or of a side of one."""
    if len(text) > LONGEST:
        raise SpecError(f"{_where(text)}: has {len(text):,} characters; a condition has at most {LONGEST:,}")
    if "\\" in text:
        raise SpecError(f"{_where(text)}: has a backslash; {ALLOWED}")
    source = quoted(text)
    if glued := _GLUED.search(_QUOTED.sub(lambda match: match[0][0] + match[0][-1], source)):
        raise SpecError(f"{_where(text)}: got {cut(glued[0])!r}; {ALLOWED}")
    try:
        return ast.parse(source, mode="eval").body
    except SyntaxError as error:
        fault = "write == to compare" if _SINGLE.search(text) else cut(error.msg.partition(" (")[0])
    except (ValueError, RecursionError, MemoryError):  # no such text can be, or brackets in brackets
        fault = "it cannot be read"
    raise SpecError(f"{_where(text)}: is not a condition: {fault}; {ALLOWED}")


class Reader:
    """Turns what the parser found into functions, and refuses whatever is not in the language."""

    def __init__(self, text: str, names: Collection[str] = (), parses: Sequence[Parse] = ()) -> None:
        """*names* may stand alone, beside the fields of sections; *parses* read a value that meets none of them."""
        self.text, self._names = text, names
        self.keys: set[str] = set()
        self.parses = parses or (parse_bytes, parse_seconds)

    def truth(self, node: ast.expr, depth: int) -> Truth:
        """What is true or false: a comparison, several joined by and, or, not, or a flag."""
        self._check_depth(depth)
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as test], comparators=[among]):
                return self._membership(node, isinstance(test, ast.In), among, depth)
            case ast.Compare():
                return self._comparison(node, depth)
            case ast.BoolOp():
                parts = [self.truth(part, depth + 1) for part in node.values]
                if isinstance(node.op, ast.And):
                    return lambda values: all(part(values) for part in parts)
                return lambda values: any(part(values) for part in parts)
            case ast.UnaryOp(op=ast.Not()):
                inner = self.truth(node.operand, depth + 1)
                return lambda values: not inner(values)
            case ast.Attribute() | ast.Name():
                answer = self.value(node, depth)
                return lambda values: _flag(answer(values))
        raise self._refusal(node, "which is neither true nor false")

    def value(self, node: ast.expr, depth: int) -> Part:
        """A number, a text, a flag, the value of a field, or what arithmetic makes of them."""
        self._check_depth(depth)
        match node:
            case ast.Constant(value=int() | float() | str() as constant):
                if not isinstance(constant, str) and not _is_finite(constant):
                    raise self._refusal(node, "which is too large")
                amount = _amount(constant, self.parses)
                return lambda _: amount
            case ast.Name(id=name) if name.lower() in _FLAGS:
                flag = _FLAGS[name.lower()]
                return lambda _: flag
            case ast.Name(id=name) if name in self._names:
                self.keys.add(name)
                return lambda values: values(name)
            case ast.Attribute():
                key, parses = self._key(node), parses_of([node.attr])
                return lambda values: _amount(values(key), parses)
            case ast.UnaryOp(op=ast.USub()):
                inner = self.value(node.operand, depth + 1)
                return lambda values: -number_of(inner(values))
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self._arithmetic(node, _ARITHMETIC[type(node.op)], depth)
            case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]) if name in _EXTREMES:
                choose = _EXTREMES[name]
                among = [self.value(part, depth + 1) for part in node.args]
                return lambda values: choose([number_of(part(values)) for part in among])
        raise self._refusal(node, "which names no field" if isinstance(node, ast.Name) else "")

    def _comparison(self, node: ast.Compare, depth: int) -> Truth:
        self.parses = self.parses_in(node)
        first = self.value(node.left, depth + 1)
        tests = [self._test(node, test) for test in node.ops]
        others = [self.value(part, depth + 1) for part in node.comparators]
        pairs = list(zip(tests, others, strict=True))

        def holds(values: Values) -> bool:
            left = first(values)
            for test, part in pairs:
                right = part(values)
                if not test(left, right):
                    return False
                left = right
            return True

        return holds

    def _test(self, node: ast.Compare, test: ast.cmpop) -> Callable[[Any, Any], bool]:
        if isinstance(test, ast.Eq):
            return _are_equal
        if isinstance(test, ast.NotEq):
            return lambda left, right: not _are_equal(left, right)
        if type(test) not in _ORDER:
            raise self._refusal(node)
        compare = _ORDER[type(test)]
        return lambda left, right: compare(*_ordered(left, right))

    def _membership(self, node: ast.Compare, inside: bool, among: ast.expr, depth: int) -> Truth:
        if not isinstance(among, ast.Tuple | ast.List):
            raise self._refusal(among, "where a list has to be, such as (8192, 16384) or (8192,)")
        self.parses = self.parses_in(node)
        left = self.value(node.left, depth + 1)
        members = [self.value(part, depth + 1) for part in among.elts]

        def holds(values: Values) -> bool:
            sought = left(values)
            return any(_are_equal(sought, member(values)) for member in members) is inside

        return holds

    def _arithmetic(self, node: ast.BinOp, work: Callable[[Any, Any], Any], depth: int) -> Part:
        left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)

        def found(values: Values) -> Any:
            result = work(number_of(left(values)), number_of(right(values)))
            if not _is_finite(result):
                raise OverflowError
            return result

        return found

    def parses_in(self, node: ast.expr) -> Sequence[Parse]:
        """How values are read that meet the fields and names of *node*."""
        names = [below.attr for below in ast.walk(node) if isinstance(below, ast.Attribute)]
        names += [
            below.id for below in ast.walk(node) if isinstance(below, ast.Name) and below.id in self._names
        ]
        return parses_of(names) if names else self.parses

    def _key(self, node: ast.Attribute) -> str:
        parts = [node.attr]
        below = node.value
        while isinstance(below, ast.Attribute) and len(parts) < LONGEST_KEY:
            parts.append(below.attr)
            below = below.value
        if not isinstance(below, ast.Name):
            raise self._refusal(node)
        key = ".".join((below.id, *reversed(parts)))
        self.keys.add(key)
        return key

    def _check_depth(self, depth: int) -> None:
        if depth > DEEPEST:
            raise SpecError(
                f"{_where(self.text)}: is nested too deeply; a condition has at most {DEEPEST} levels"
            )

    def _refusal(self, node: ast.expr, what: str = "") -> SpecError:
        got = ast.get_source_segment(quoted(self.text), node) or type(node).__name__
        return SpecError(f"{_where(self.text)}: got {cut(got, 40)!r}{', ' if what else ''}{what}; {ALLOWED}")


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # a whole number beyond all others
        return False


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ConditionMismatch(f"{shown(value)} is neither true nor false")
    return value


def number_of(value: object) -> float:
    """A number; raises :class:`ConditionMismatch` for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ConditionMismatch(f"{shown(value)} is not a number")


PARSES: Final[dict[str, Sequence[Parse]]] = {
    "bytes": (parse_bytes,),
    "bytes/s": (parse_bytes,),
    "s": (parse_seconds,),
}
"""Unit -> how its values are read; others are numbers, whose K, M, G, T are powers of 1000."""


def parses_of(names: Sequence[str]) -> Sequence[Parse]:
    """How values of the fields *names* are read: as sizes or durations where one of them is one."""
    units = {unit_of(name) for name in names}
    return next((parses for unit, parses in PARSES.items() if unit in units), (parse_number,))


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


def _ordered(left: object, right: object) -> tuple[float, float]:
    if isinstance(left, str) and isinstance(right, str):
        raise ConditionMismatch(f"{shown(left)} and {shown(right)} are texts, which have no order")
    return number_of(left), number_of(right)
