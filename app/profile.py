"""The response-time profile: components with their share, how often each occurred, and what one took."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from app.segment_text import times_of_a_session
from model.causes import COPIES, FROM_CLIENT
from model.results import RunResult
from scenarios.compare import CPU, UNACCOUNTED, components, next_to_nothing


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the response-time profile."""

    name: str
    seconds: float
    fraction: float
    count: float | None
    each_s: float | None


class Scale(NamedTuple):
    """The unit that times are shown in."""

    word: str
    per_s: float
    of: str
    """Whose times they are."""
    digits: int
    """Decimals."""


def scale_of(results: Iterable[RunResult]) -> Scale:
    """Milliseconds where all answers are of transactions, which take a few; else seconds."""
    if all(result.transactions is not None for result in results):
        return Scale("ms", 1000.0, "one transaction", 4)
    return Scale("seconds", 1.0, "one session", 3)


def profile(result: RunResult) -> list[Row]:
    """The components of the response time, the largest first, with how often each occurred where that is known."""
    counts = _counts(result)
    elapsed = result.time.elapsed_s
    rows = []
    for name, seconds in components(result).items():
        if next_to_nothing(result, seconds):
            continue
        count = counts.get(name)
        each = seconds / count if count else None
        rows.append(Row(name, seconds, seconds / elapsed if elapsed else 0.0, count, each))
    return sorted(rows, key=lambda row: -row.seconds)


LEAST_FRACTION = 0.001
"""Share of the response time below which a component has no line of its own where there are several such."""


def folded(result: RunResult, kept: Container[str]) -> list[Row]:
    """The profile with its least components in one line, but for those whose names are *kept*."""
    rows = profile(result)
    least = [row for row in rows if abs(row.fraction) < LEAST_FRACTION and row.name not in kept]
    if len(least) < 2:
        return rows
    together = Row(
        f"{len(least)} more below 0.1 % each",
        sum(row.seconds for row in least),
        sum(row.fraction for row in least),
        None,
        None,
    )
    return [*(row for row in rows if row not in least), together]


def _counts(result: RunResult) -> dict[str, float]:
    """How often the components occurred, for those the result counts."""
    found = {event: waited.waits for event, waited in result.time.wait.items()}
    if result.streams:
        return found
    fetch = result.calls.get("fetch")
    gets, servers = result.logical_io, result.time.servers or 1
    if gets is not None:  # current gets of changes are part of what a change costs
        every = gets.consistent_gets + (0 if result.changes else gets.current_gets)
        found[f"{CPU}buffer gets"] = every / servers
    found[f"{CPU}read calls"] = result.physical_io.read_requests / servers
    for cause in ("filling the buffer cache", COPIES):
        found[f"{CPU}{cause}"] = result.physical_io.read_blocks / servers
    found[f"{CPU}calls"] = sum(call.count for call in result.calls.values()) / servers
    if result.transactions is not None:
        found[f"{CPU}calls"] = found.get(FROM_CLIENT, 0.0)
    if fetch is not None:
        found[f"{CPU}fetching rows"] = fetch.rows / servers
    return found | {f"{CPU}{cause}": times for cause, times in times_of_a_session(result).items()}


def colour(name: str) -> str:
    """The terminal's colour of a component."""
    if name.startswith(CPU):
        return "green"
    if name.startswith("SQL*Net"):
        return "yellow"
    return "white" if name.startswith(UNACCOUNTED) else "blue"
