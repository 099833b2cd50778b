"""What an answer may take, and the watch that ends one that takes more; the same work ends it on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time
from typing import Final, NamedTuple

from blocktime.model.errors import OverBudget
from blocktime.model.loops import fastest
from blocktime.model.loops.watch import NEVER, Watch
from blocktime.model.units import show_bytes, show_number, show_seconds

SLICE: Final = 250_000_000
"""Work between two looks at the clock, in nanoseconds."""
LAST_RESORT: Final = 10.0
"""Times its work in seconds of this machine's processor, after which an answer ends whatever the work was."""


class Budget(NamedTuple):
    """What an answer may take; None where there is no limit."""

    seconds: float | None = 120.0
    """Of one processor of the 2020s, for each answer."""
    bytes: float | None = 4e9


USUAL: Final = Budget()
UNLIMITED: Final = Budget(None, None)
_WATCH: ContextVar[Watch | None] = ContextVar("_WATCH", default=None)
_BUDGET: ContextVar[Budget] = ContextVar("_BUDGET", default=USUAL)


@contextmanager
def watched(budget: Budget | None = None) -> Iterator[Watch]:
    """Within this context one watch counts for all that the thread simulates; one that is there already goes on.

    With a *budget* it is a new one. Whatever takes more raises :class:`OverBudget`.
    """
    running = _WATCH.get()
    if budget is None and running is not None:
        yield running
        return
    with allowed(USUAL if budget is None else budget) as limit:
        watch = _watch_of(limit)
        before = _WATCH.set(watch)
        try:
            yield watch
        finally:
            _WATCH.reset(before)


@contextmanager
def allowed(budget: Budget) -> Iterator[Budget]:
    """Within this context *budget* decides what is played whole and what in part; it ends nothing."""
    before = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        _BUDGET.reset(before)


def is_too_long(seconds: float, size_bytes: float = 0.0) -> bool:
    """Whether work of so many seconds of one processor and bytes is more than this context allows for an answer."""
    most_s, most_bytes = _BUDGET.get()
    return (most_s is not None and seconds > most_s) or (most_bytes is not None and size_bytes > most_bytes)


def watch_here() -> Watch:
    """The watch of this context, or one that never ends anything."""
    return _WATCH.get() or fastest(Watch)()


def _watch_of(budget: Budget) -> Watch:
    most = NEVER if budget.seconds is None else round(budget.seconds * 1e9) + 1
    began_s = thread_time()

    def looks(watch: Watch) -> None:
        if watch.work >= most:
            raise OverBudget(_sentence(budget, watch), "time")
        if watch.allocated_bytes > watch.bytes_limit:
            raise OverBudget(_sentence(budget, watch, memory=True), "memory")
        took_s = thread_time() - began_s
        if budget.seconds is not None and took_s > LAST_RESORT * budget.seconds:
            raise OverBudget(_sentence(budget, watch, took_s), "seconds")
        watch.looks_at = min(most, watch.work + SLICE)

    most_bytes = NEVER if budget.bytes is None else int(budget.bytes)
    return fastest(Watch)(looks, min(most, SLICE), most_bytes)


def _sentence(budget: Budget, watch: Watch, took_s: float = 0.0, *, memory: bool = False) -> str:
    """What an answer was ended by, and how far it had come."""
    limit = f"the limit of {show_duration(budget.seconds or 0.0)}"
    if memory:
        limit = f"the limit of {show_bytes(budget.bytes or 0.0)} of memory"
    elif took_s:
        limit = f"{show_duration(took_s)} of this machine's processor, {LAST_RESORT:g} times {limit}"
    return (
        f"the simulation reached {limit} when {show_seconds(watch.now_s)} of simulated time had passed: ask for fewer "
        "users, calls or transactions, or for less beside them"
    )


def show_duration(seconds: float) -> str:
    """A duration as one speaks of it: ``12 s``, ``5 minutes``, ``3 hours``."""
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * size:
            return f"{show_about(seconds / size)} {unit}"
    return f"{show_about(seconds)} s"


def show_about(amount: float) -> str:
    """*amount* with two digits that count."""
    return f"{float(f'{amount:.2g}'):,.0f}" if amount >= 10 else show_number(amount, 2)
