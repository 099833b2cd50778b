"""Which engine answers a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from model.calc import calculate, nobody_queues
from model.errors import UnknownName
from model.results import Accuracy
from model.spec import Stream, System, Transactions, Workload

Engine = Literal["auto", "calculate", "simulate"]
ENGINES = ("auto", "calculate", "simulate")


def chosen_engine(engine: str, system: System, work: Workload) -> str:
    """The engine that answers where *engine* is asked for; raises :class:`UnknownName` for one that does not exist."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if engine != "auto":
        return engine
    if isinstance(work, Stream | Transactions):
        return "simulate"  # iostat's lines and percentiles come from there alone
    return "calculate" if nobody_queues(system, work) else "simulate"


def accuracy_of(engine: str, system: System, work: Workload) -> Accuracy | None:
    """How far the answer by *engine* may be off the simulation; None where it is simulated."""
    if chosen_engine(engine, system, work) == "simulate":
        return None
    return calculate(system, work).accuracy


def widest(accuracies: Iterable[Accuracy | None]) -> Accuracy | None:
    """The one that may be furthest off; None where all are simulated."""
    return max(filter(None, accuracies), key=lambda accuracy: accuracy.factor, default=None)
