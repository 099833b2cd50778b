"""The performance model: laws, state, simulation and calculator behind one face."""

from __future__ import annotations

from model.engine import calculate, calculate_many, simulate
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
