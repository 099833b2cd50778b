"""JSON whose numbers know how they were printed, and in which line."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from blocktime.validation.instruments.figures import NotReadable, Reading, SeriesColumn, with_unit

MOST_PARTS: Final = 1_000_000
"""Numbers, lists and parts of a JSON text; each takes some 200 bytes of memory."""
TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)')


class JsonNumber(float):
    """A number of a JSON text, with its digits and its line."""

    __slots__ = ("line", "text")
    text: str
    line: int

    def add_to(self, reading: Reading, name: str, of: str, unit: str, scale: float = 1.0) -> None:
        """Add the figure that it is, in *unit*, which is *scale* printed ones."""
        printed = with_unit(self.text, unit, scale)
        reading.add(name, of, self.text, SeriesColumn(name, unit, scale), self.line, printed)


def parsed(text: str, file: str) -> Any:
    """The value of *text*, its numbers as :class:`JsonNumber`; raises :class:`NotReadable` with the line at fault."""
    if sum(map(text.count, "[{,")) > MOST_PARTS:
        raise NotReadable(f"{file}: more than {MOST_PARTS:,} numbers and parts; give the report of a shorter time")
    lines = _number_lines(text)

    def number(digits: str) -> JsonNumber:
        value = JsonNumber(digits)
        value.text, value.line = digits, next(lines, 0)
        return value

    def constant(word: str) -> float:
        raise NotReadable(f"{file}: {word} stands where a number is wanted")

    try:
        return json.loads(text, parse_float=number, parse_int=number, parse_constant=constant)
    except json.JSONDecodeError as fault:
        if fault.pos >= len(text.rstrip()) - 1:
            raise NotReadable(
                f"{file}: the JSON ends in the middle, in line {fault.lineno}; the file is truncated"
            ) from None
        raise NotReadable(f"{file}, line {fault.lineno}: this is not JSON ({fault.msg})") from None
    except RecursionError:
        raise NotReadable(f"{file}: the JSON is nested too deeply for any such report") from None


def _number_lines(text: str) -> Any:
    """The line of each number in *text*, in the order in which a parser meets them."""
    line, since = 1, 0
    for token in TOKEN.finditer(text):
        if token.group(1) is not None:
            line += text.count("\n", since, token.start())
            since = token.start()
            yield line
