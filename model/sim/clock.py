"""The clock of a run and the calendar of its events: SimPy's, or a compiled one that is equal to it."""

from __future__ import annotations

from typing import cast

import simpy

from model import loops
from model.loops.calendar import Environment


def environment() -> simpy.Environment:
    """A clock at 0."""
    made = loops.fastest(Environment)
    return cast(simpy.Environment, made()) if made is not Environment else simpy.Environment()
