"""Scenarios: a base, what differs from it, and running the result, one or many."""

from typing import TYPE_CHECKING, Any

from blocktime.scenarios.load import from_mapping, library, load, to_mapping, to_toml
from blocktime.scenarios.run import run
from blocktime.scenarios.spec import Scenario

if TYPE_CHECKING:
    from blocktime.scenarios.sweeps.sweep import sweep

__all__ = ["Scenario", "from_mapping", "library", "load", "run", "sweep", "to_mapping", "to_toml"]


def __getattr__(name: str) -> Any:
    """``sweep``, once somebody wants it: it brings numpy and a store along, which one answer does without."""
    if name == "sweep":
        from blocktime.scenarios.sweeps.sweep import sweep

        return sweep
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
