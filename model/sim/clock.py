"""The clock of a run and the calendar of its events: SimPy's, or a compiled one that is equal to it."""

from __future__ import annotations

from typing import cast

import simpy

from model import loops
from model.loops.calendar import Environment, Waiter


class Clock(simpy.Environment):
    """SimPy's clock, which also calls waiters."""

    def after(self, delay_s: float, waiter: Waiter) -> None:
        """Call a waiter after a delay."""
        calls = self.timeout(delay_s).callbacks
        assert calls is not None
        calls.append(waiter)

    def soon(self, waiter: Waiter) -> None:
        """Call a waiter now, after everything that is already planned for now."""
        calls = self.event().succeed().callbacks
        assert calls is not None
        calls.append(waiter)


def environment() -> Clock:
    """A clock at 0."""
    made = loops.fastest(Environment)
    return cast(Clock, made()) if made is not Environment else Clock()
