"""The scenarios that the controls of a page describe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from model.spec import Stream
from scenarios import Scenario, load


def settings_of(changes: Mapping[str, str]) -> tuple[str, ...]:
    """*changes* of fields as settings."""
    return tuple(f"{path}={text}" for path, text in changes.items())


@lru_cache(maxsize=512)
def loaded(name: str, settings: tuple[str, ...] = ()) -> Scenario:
    """The scenario *name* of the library with *settings*."""
    return load(name, settings)


def changed(name: str, changes: Mapping[str, str]) -> Scenario:
    """The same with *changes*."""
    return loaded(name, settings_of(changes))


def stream_of(scenario: Scenario) -> Stream:
    """Its calls."""
    return cast(Stream, scenario.workload)
