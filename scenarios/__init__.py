"""Scenarios: a base, what differs from it, and running the result, one or many."""

from typing import TYPE_CHECKING, Any

from scenarios.load import from_mapping, library, load, to_mapping, to_toml
from scenarios.run import run
from scenarios.spec import Scenario

if TYPE_CHECKING:
    from scenarios.sweeps.sweep import sweep

__all__ = [
    "Scenario",
    "from_mapping",
    "library",
    "load",
    "run",
    "sweep",
    "to_mapping",
    "to_toml",
]


def __getattr__(name: str) -> Any:
    """``sweep``, once somebody wants it: it brings numpy and a store along, which one answer does without."""
    if name == "sweep":
        from scenarios.sweeps.sweep import sweep  # noqa: PLC0415  (numpy and a store)

        return sweep
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
