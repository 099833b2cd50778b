"""Blocktime: where the time goes when Oracle reads and writes blocks on Linux."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blocktime.app.api.entry_points import compare, library, load, measure, optimise, run, seek, sweep, validate
    from blocktime.app.api.notebook_values import AnswerComparison, MeasuredSystem, Result, SweptTable
    from blocktime.model.errors import BlocktimeError
    from blocktime.scenarios.spec import Scenario

    __version__: str

__all__ = [
    "AnswerComparison",
    "BlocktimeError",
    "MeasuredSystem",
    "Result",
    "Scenario",
    "SweptTable",
    "compare",
    "library",
    "load",
    "measure",
    "optimise",
    "run",
    "seek",
    "sweep",
    "validate",
]  # fmt: skip
_ANSWERS = ("AnswerComparison", "MeasuredSystem", "Result", "SweptTable")
_OTHERS = {"BlocktimeError": "model.errors", "Scenario": "scenarios.spec"}


def __getattr__(name: str) -> Any:
    """One of the names above, whose module is imported when it is wanted; ``__version__``."""
    if name == "__version__":
        return import_module("blocktime.model.version").blocktime_version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    place = _OTHERS.get(name, "app.api.notebook_values" if name in _ANSWERS else "app.api.entry_points")
    return getattr(import_module(f"blocktime.{place}"), name)


def __dir__() -> list[str]:
    """The names above, and what the package has besides."""
    return sorted({*globals(), *__all__})
