"""What changed between two reports of one system, by cause, in the time of a transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from blocktime.model.causes import LOG_FILE_SYNC, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.units import show_number, show_seconds
from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.identify.report import Report
from blocktime.validation.instruments import Reading
from blocktime.validation.instruments.compared_periods import TITLE

READS: Final = (SEQUENTIAL, SCATTERED, PARALLEL)
CHANGED: Final = 0.05
"""A count or a time changes where it differs by more."""


@dataclass(frozen=True, slots=True)
class ChangeCause:
    """A part of the change of a transaction's time."""

    name: str
    seconds: float
    """That a transaction takes more in the second report; below 0 less."""
    why: str


@dataclass(frozen=True, slots=True)
class ReportChange:
    """Two intervals of one system, and what makes the difference."""

    files: tuple[str, str]
    per_s: tuple[float, float]
    response_s: tuple[float, float]
    causes: tuple[ChangeCause, ...]
    """The largest first; they sum to the difference of the responses."""


@dataclass(frozen=True, slots=True)
class _MeanTransaction:
    """What a transaction of one report takes."""

    file: str
    per_s: float
    response_s: float
    cpu_s: float
    gets: float
    waits: dict[str, tuple[float, float]]
    """Event -> waits of a transaction, and the seconds of each."""


def change_of(good: Report, bad: Report) -> ReportChange:
    """What a transaction of *bad* takes more than one of *good*; raises NotIdentified where one lacks its time."""
    first, second = _transaction(good), _transaction(bad)
    causes = [*_cpu(first, second), *_waits(first, second)]
    rest_s = second.response_s - first.response_s - sum(cause.seconds for cause in causes)
    causes.append(ChangeCause("something else", rest_s, "DB time that neither CPU nor a listed wait event explains"))
    return ReportChange(
        (first.file, second.file),
        (first.per_s, second.per_s),
        (first.response_s, second.response_s),
        tuple(sorted(causes, key=lambda cause: -abs(cause.seconds))),
    )


def changes_of(readings: Sequence[Reading]) -> Iterator[ReportChange]:
    """What changed in each report of *readings* that compares two periods, where it has their time and load."""
    periods = [Report(reading) for reading in readings if reading.title.startswith(TITLE)]
    for good, bad in zip(periods[::2], periods[1::2], strict=False):
        with suppress(NotIdentified):
            change = change_of(good, bad)
            yield replace(change, files=(f"the first period of {change.files[0]}", "the second"))


def _transaction(report: Report) -> _MeanTransaction:
    rate, db_time, cpu = report.transactions_per_s(), report.time("DB time"), report.time("DB CPU")
    if rate is None or not rate.value or db_time is None or cpu is None:
        raise NotIdentified(f"{report.reading.file}: has no load profile with a time model: nothing to compare")
    count, logical = rate.value * report.span_s, report.per_second("Logical read")
    waits = {event.name: (event.waits / count, event.each_s) for event in report.events() if event.waits}
    gets = logical.value / rate.value if logical else 0.0
    return _MeanTransaction(report.reading.file, rate.value, db_time.value / count, cpu.value / count, gets, waits)


def _cpu(first: _MeanTransaction, second: _MeanTransaction) -> Iterator[ChangeCause]:
    """CPU by more work and by dearer work."""
    if not first.gets or not second.gets:
        yield ChangeCause("CPU", second.cpu_s - first.cpu_s, _instead(second.cpu_s, first.cpu_s, "of CPU"))
        return
    more_s = first.cpu_s * (second.gets / first.gets - 1)
    yield ChangeCause(
        "work of a transaction",
        more_s,
        f"{_counts(second.gets, first.gets)} logical reads: other SQL, another plan, or more data",
    )
    each = second.cpu_s / second.gets, first.cpu_s / first.gets
    yield ChangeCause("CPU of a logical read", second.gets * (each[0] - each[1]), _instead(*each, "each"))


def _waits(first: _MeanTransaction, second: _MeanTransaction) -> Iterator[ChangeCause]:
    """Each wait event by more of it and by longer ones."""
    for name in sorted({*first.waits, *second.waits}):
        (before, was_s), (now, is_s) = (side.waits.get(name, (0.0, 0.0)) for side in (first, second))
        if not before or not now:
            why = f"{name}: only in {second.file if now else first.file}"
            yield ChangeCause(name, now * is_s - before * was_s, why)
            continue
        of = ("reads", "disk") if name in READS else ("commits", "commits") if name == LOG_FILE_SYNC else (name, name)
        yield ChangeCause(f"{of[0]}: how many", (now - before) * was_s, f"{name}: {_counts(now, before)} a transaction")
        yield ChangeCause(f"{of[1]}: how long", now * (is_s - was_s), f"{name}: {_instead(is_s, was_s, 'each')}")


def _counts(now: float, before: float) -> str:
    return f"{show_number(now, 3)} instead of {show_number(before, 3)}"


def _instead(now_s: float, before_s: float, of: str) -> str:
    return f"{show_seconds(now_s)} {of} instead of {show_seconds(before_s)}"
