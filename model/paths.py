"""Paths to the parts of a result, such as ``time.wait["direct path read"].waits`` and ``device[first].await_s``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from blocktime.model.results import DeviceLine


def busiest(lines: Sequence[DeviceLine]) -> DeviceLine:
    """The line with the most bytes."""
    return max(lines, key=lambda line: line.interval_s * (line.read_bytes_per_s + line.written_bytes_per_s))


def first(entries: Sequence[Any] | Mapping[str, Any]) -> Any:
    """The first entry of a list or a table; None of an empty one."""
    return next(iter(entries.values() if isinstance(entries, Mapping) else entries), None)


def middle(lines: Sequence[DeviceLine]) -> DeviceLine:
    """A line far from the begin and the end of the run."""
    return lines[len(lines) // 2]


PICKS: Final[dict[str, Callable[[Any], Any]]] = {pick.__name__: pick for pick in (first, busiest, middle)}
"""Names for one of several entries: ``device[first]``, ``device.disk.lines[busiest]``."""

_STEP = re.compile(rf"""\.?([A-Za-z_]\w*)|\[(?:"([^"]+)"|(\d+)|({"|".join(PICKS)}))\]""")


def steps_of(path: str) -> list[str | int]:
    """Names and keys along a path such as ``time.wait["direct path read"].waits``; raises ValueError for no path."""
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise ValueError(f"{path!r} is no path at {path[position:]!r}")
        name, key, number, pick = match.groups()
        steps.append(int(number) if number else name or key or pick)
        position = match.end()
    if not steps:
        raise ValueError("the path is empty")
    return steps


def follow(steps: Sequence[str | int], result: Any) -> Any:
    """The part of *result* at the end of the *steps* of a path; raises LookupError where there is none."""
    part = result
    for step in steps:
        if isinstance(part, list | dict) or type(part) is tuple:
            if not part and not isinstance(part, dict):
                raise LookupError(f"entry {step!r} of an empty list")
            part = PICKS[str(step)](part) if step in PICKS else part[step]  # type: ignore[index]
        else:
            part = getattr(part, str(step))
        if part is None:
            raise LookupError(step)
    return part
