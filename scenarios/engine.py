"""Which engine answers a question."""

from __future__ import annotations

from typing import Literal

from model.calc import calculate, nobody_queues
from model.errors import BlocktimeError, UnknownName
from model.results import RunResult
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


def estimate_of(engine: str, system: System, work: Workload) -> RunResult | None:
    """The instant estimate of a question; without accuracy where *engine* simulates it, None where no law covers it."""
    try:
        estimate = calculate(system, work)
    except BlocktimeError:
        return None
    if chosen_engine(engine, system, work) == "simulate":
        return estimate.model_copy(update={"accuracy": None})
    return estimate
