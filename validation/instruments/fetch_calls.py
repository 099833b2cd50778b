"""Fetch calls of a trace one by one: rows, gets, time, and the client's turn before the next call."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Final

from blocktime.validation.instruments.figures import Fetches

FROM_CLIENT: Final = "SQL*Net message from client"
MOST: Final = 100_000
"""Fetch calls of a trace that are kept one by one."""


@dataclass(slots=True)
class _Execution:
    """An execution under way."""

    begin_s: float
    exec_s: float
    end_s: float = 0.0
    trips: int = 0
    fetch: list[float] | None = None
    """The last fetch call, until what follows tells whether the client asked for more."""
    line: int = 0


class FetchCalls:
    """Follows the calls and waits of every statement of a trace."""

    def __init__(self) -> None:
        self.found: dict[str, Fetches] = {}
        self._open: dict[str, _Execution] = {}
        self._waited_s: dict[str, float] = {}
        self._count = 0

    def call(self, of: str, kind: str, number: int, values: tuple[str, ...], tim: str, tick_s: float) -> None:
        """A call with its printed c, e, p, cr, cu, mis and r, which ended at *tim*."""
        end_s, elapsed_s = int(tim) * tick_s, int(values[1]) * tick_s
        waited_s = self._waited_s.pop(of, 0.0)
        if kind == "EXEC":
            self.end(of)
            self._open[of] = _Execution(end_s - elapsed_s, elapsed_s)
        elif kind == "FETCH" and (execution := self._open.get(of)) is not None:
            self._keep(of, execution)
            execution.fetch = [float(values[6]), float(values[3]), elapsed_s, waited_s, nan]
            execution.end_s, execution.line = end_s, number

    def wait(self, of: str, event: str, ela: int, tick_s: float) -> None:
        """A wait for *event*."""
        execution = self._open.get(of)
        if event != FROM_CLIENT:
            self._waited_s[of] = self._waited_s.get(of, 0.0) + ela * tick_s
        elif execution is not None and execution.fetch is not None:
            execution.fetch[-1] = ela * tick_s
        elif execution is not None:
            execution.trips += 1

    def end(self, of: str) -> None:
        """The execution under way has ended: what its client does behind its last fetch call is none of it."""
        execution = self._open.pop(of, None)
        if execution is None or execution.fetch is None:
            return
        execution.fetch[-1] = nan
        self._keep(of, execution)
        if execution.fetch is None:
            spans = self.found[of].spans
            row = (execution.end_s - execution.begin_s, execution.exec_s, float(execution.trips))
            spans.add(row, execution.line, len(spans.lines))

    def close(self) -> dict[str, Fetches]:
        """Every statement with fetch calls."""
        for of in list(self._open):
            self.end(of)
        return self.found

    def _keep(self, of: str, execution: _Execution) -> None:
        if execution.fetch is None or self._count >= MOST:
            return
        self._count += 1
        fetches = self.found.setdefault(of, Fetches(of))
        fetches.calls.add(execution.fetch, execution.line, len(fetches.spans.lines))
        execution.fetch = None
