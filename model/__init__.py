"""The performance model: laws, state, simulation and calculator behind one face."""

from __future__ import annotations

from typing import Any

from model.calc import calculate, calculate_many
from model.errors import (
    BlocktimeError,
    BooksDoNotBalance,
    MeasurementError,
    OutsideLaw,
    SpecError,
    UnknownName,
)
from model.results import RunResult
from model.spec import FullScan, IndexRangeScan, System

__all__ = [
    "BlocktimeError",
    "BooksDoNotBalance",
    "FullScan",
    "IndexRangeScan",
    "MeasurementError",
    "OutsideLaw",
    "RunResult",
    "SpecError",
    "System",
    "UnknownName",
    "calculate",
    "calculate_many",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "simulate":  # imported late: calculating needs no simulation engine
        from model.sim import simulate  # noqa: PLC0415

        return simulate
    raise AttributeError(name)
