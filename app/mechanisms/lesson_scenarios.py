"""The scenarios that the controls of a page describe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import numpy as np

from blocktime.model.engine import answer, answer_many, calculate_many, simulate
from blocktime.model.measures import measures_of
from blocktime.model.results import RunResult
from blocktime.model.spec import Stream
from blocktime.scenarios import Scenario, load


def settings_of(changes: Mapping[str, str]) -> tuple[str, ...]:
    """*changes* of fields as settings."""
    return tuple(f"{path}={text}" for path, text in changes.items())


@lru_cache(maxsize=512)
def loaded(name: str, settings: tuple[str, ...] = ()) -> Scenario:
    """The scenario *name* of the library with *settings*."""
    return load(name, settings)


@lru_cache(maxsize=256)
def over(name: str, settings: tuple[str, ...], path: str, values: tuple[Any, ...]) -> Mapping[str, Any]:
    """Every measure of the scenario with *settings*, over *values* of the field *path*."""
    base = loaded(name, settings)
    return answer_many(base.system, base.workload, {path: np.array(values)})


@lru_cache(maxsize=256)
def law_over(name: str, settings: tuple[str, ...], path: str, values: tuple[Any, ...]) -> Mapping[str, Any]:
    """Sums of laws in the place of :func:`over`, for curves whose points take long to play: they meet nobody."""
    base = loaded(name, settings)
    return calculate_many(base.system, base.workload, {path: np.array(values)})


@lru_cache(maxsize=256)
def played(name: str, settings: tuple[str, ...]) -> Mapping[str, float]:
    """The measures of the scenario with *settings* by its simulation."""
    scenario = loaded(name, settings)
    return measures_of(simulate(scenario.system, scenario.workload))


def answered(name: str, changes: Mapping[str, str]) -> RunResult:
    """The answer to the scenario with *changes*."""
    return _answered(name, settings_of(changes))


@lru_cache(maxsize=128)
def _answered(name: str, settings: tuple[str, ...]) -> RunResult:
    scenario = loaded(name, settings)
    return answer(scenario.system, scenario.workload)


def changed(name: str, changes: Mapping[str, str]) -> Scenario:
    """The same with *changes*."""
    return loaded(name, settings_of(changes))


def stream_of(scenario: Scenario) -> Stream:
    """Its calls."""
    return cast(Stream, scenario.workload)
