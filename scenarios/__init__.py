"""Scenarios: a base, what differs from it, and running the result."""

from scenarios.load import from_mapping, library, load, to_mapping, to_toml
from scenarios.run import run
from scenarios.spec import Scenario, schema_of

__all__ = ["Scenario", "from_mapping", "library", "load", "run", "schema_of", "to_mapping", "to_toml"]
