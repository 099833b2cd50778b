"""The performance model: laws, state, simulation and calculator behind one face."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from blocktime.model.engine import answer, calculate, calculate_many, simulate
    from blocktime.model.errors import (
        BlocktimeError,
        BooksDoNotBalance,
        MeasurementError,
        OutsideLaw,
        SpecError,
        UnknownName,
    )
    from blocktime.model.results import RunResult
    from blocktime.model.spec import FullScan, IndexRangeScan, System

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
    "answer",
    "calculate",
    "calculate_many",
    "simulate",
]

_MODULES: Final = {
    "answer": "engine",
    "calculate": "engine",
    "calculate_many": "engine",
    "simulate": "engine",
    "RunResult": "results",
    "FullScan": "spec",
    "IndexRangeScan": "spec",
    "System": "spec",
}
"""Name -> the module that it comes from; the others are errors."""


def __getattr__(name: str) -> Any:
    """A name of the face, once somebody wants it: a part of the model is had without the rest."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"blocktime.model.{_MODULES.get(name, 'errors')}"), name)
