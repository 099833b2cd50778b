"""Where the time goes: components with wait class and share, how often each occurred, and what one took."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from blocktime.app.text.segment_text import times_of_a_session
from blocktime.model import causes
from blocktime.model.results import RunResult
from blocktime.model.units import show_seconds
from blocktime.scenarios.why import CPU, components, next_to_nothing

WAIT_CLASSES: Final = (
    "CPU", "CPU: search", "User I/O", "System I/O", "Commit", "Concurrency", "Network", "Idle", "Other",
)  # fmt: skip
UNCHANGED_S: Final = 5e-7  # TKPROF itself resolves microseconds


class TimePart(NamedTuple):
    """One component of elapsed time."""

    name: str
    wait_class: str
    seconds: float


def wait_class(component: str) -> str:
    """The class Oracle puts a wait event into; of the CPU, the search for space has one of its own."""
    if component == CPU + causes.SEARCHING:
        return "CPU: search"
    if component.startswith(CPU):
        return "CPU"
    if component.startswith(("db file", "direct path", "read by other")):
        return "User I/O"
    return _CLASSES.get(component) or ("Network" if component.startswith("SQL*Net") else "Other")


_CLASSES: Final = {
    causes.LOG_FILE_SYNC: "Commit",
    causes.LATCH: "Concurrency",
    causes.BUFFER_BUSY: "Concurrency",
    causes.ROW_LOCK: "Concurrency",  # Oracle's class is Application, and that of the next is Configuration
    causes.ITL_ENTRY: "Concurrency",
    causes.KO_CHECKPOINT: "System I/O",
    causes.FREE_BUFFERS: "System I/O",  # Oracle's class is Configuration; there is no pattern left to tell it by
    **dict.fromkeys(causes.LOG_FULL, "System I/O"),
    "SQL*Net message from client": "Idle",
    causes.DEVICE: "User I/O",
    causes.ROOM: "User I/O",
    causes.AT_ONCE: "User I/O",
    causes.WRITE_LIMIT: "System I/O",
    causes.COMMIT: "Commit",
    causes.FSYNC: "Commit",
    causes.THINKING: "Idle",
}


def parts(result: RunResult) -> list[TimePart]:
    """Elapsed time by component: CPU by cause, waits by event, and what no event names; they sum to elapsed."""
    return [TimePart(name, wait_class(name), seconds) for name, seconds in components(result).items()]


def by_class(result: RunResult) -> dict[str, float]:
    """Elapsed time by wait class."""
    sums = dict.fromkeys(WAIT_CLASSES, 0.0)
    for part in parts(result):
        sums[part.wait_class] += part.seconds
    return sums


def io_wait_s(result: RunResult) -> float:
    """Seconds of the wait class User I/O."""
    return by_class(result)["User I/O"]


def signed(seconds: float, longest_s: float = 0.0) -> str:
    """A difference of times with its sign, in the form of the longest time beside it."""
    return ("+" if seconds > 0 else "-" if seconds < 0 else "±") + show_seconds(abs(seconds), longest_s)


@dataclass(frozen=True, slots=True)
class ProfileRow:
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
    whole: str
    """What all of it is called."""


def scale_of(results: Iterable[RunResult]) -> Scale:
    """Milliseconds where all answers are of transactions or shorter than a second; else seconds."""
    answers = list(results)
    if all(result.transactions is not None for result in answers):
        return Scale("ms", 1000.0, "one transaction", 4, "response")
    if all(result.time.elapsed_s < 1 for result in answers):
        return Scale("ms", 1000.0, "one session", 3, "elapsed")
    return Scale("seconds", 1.0, "one session", 3, "elapsed")


def profile(result: RunResult) -> list[ProfileRow]:
    """The components of the response time, the largest first, with how often each occurred where that is known."""
    counts = _counts(result)
    elapsed = result.time.elapsed_s
    rows = []
    for name, seconds in components(result).items():
        if next_to_nothing(result, seconds):
            continue
        count = counts.get(name)
        each = seconds / count if count else None
        rows.append(ProfileRow(name, seconds, seconds / elapsed if elapsed else 0.0, count, each))
    return sorted(rows, key=lambda row: -row.seconds)


LEAST_FRACTION = 0.001
"""Share of the response time below which a component has no line of its own where there are several such."""


def folded(result: RunResult, names: Container[str]) -> list[ProfileRow]:
    """The profile with its least components in one line, but for those whose names are *names*."""
    rows = profile(result)
    least = [row for row in rows if abs(row.fraction) < LEAST_FRACTION and row.name not in names]
    if len(least) < 2:
        return rows
    together = ProfileRow(
        f"{len(least)} more below 0.1 % each",
        sum(row.seconds for row in least),
        sum(row.fraction for row in least),
        None,
        None,
    )
    return [*(row for row in rows if row not in least), together]


def _counts(result: RunResult) -> dict[str, float]:
    """How often the components occurred, for those the result counts."""
    counts = {event: waited.waits for event, waited in result.time.wait.items()}
    if result.streams:
        return counts
    fetch = result.calls.get("fetch")
    gets, servers = result.logical_io, result.time.servers or 1
    if gets is not None:  # current gets of changes are part of what a change costs
        every = gets.consistent_gets + (0 if result.changes else gets.current_gets)
        counts[f"{CPU}buffer gets"] = every / servers
    counts[f"{CPU}read calls"] = result.physical_io.read_requests / servers
    for cause in ("reading blocks into buffers", causes.COPIES):
        counts[f"{CPU}{cause}"] = result.physical_io.read_blocks / servers
    if result.transactions is None:
        counts[f"{CPU}calls"] = sum(call.count for call in result.calls.values()) / servers
    elif causes.FROM_CLIENT in counts:
        counts[f"{CPU}calls"] = counts[causes.FROM_CLIENT]
    if fetch is not None:
        counts[f"{CPU}projecting rows"] = fetch.rows / servers
    return counts | {f"{CPU}{cause}": times for cause, times in times_of_a_session(result).items()}


def colour(name: str) -> str:
    """The terminal's colour of a component."""
    if name.startswith(CPU):
        return "green"
    if name.startswith("SQL*Net"):
        return "yellow"
    return "white" if name in causes.IN_NO_EVENT else "blue"
