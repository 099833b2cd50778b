"""The clock of a run and the calendar of its events: SimPy's, or a compiled one that is equal to it."""

from __future__ import annotations

from typing import cast

import simpy

from blocktime.model import loops
from blocktime.model.budget import watch_here
from blocktime.model.loops.calendar import EVENT_NS, Environment, Waiter
from blocktime.model.loops.watch import Watch


class Clock(simpy.Environment):
    """SimPy's clock, which also calls waiters, and counts events."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def step(self) -> None:
        """Handle the next event, if there is one; that which ended the run before comes once more, and counts once."""
        if self._queue and self._queue[0][1] >= 0:
            self.watch.at(self._queue[0][0], EVENT_NS)
        super().step()

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
    return cast(Clock, made(watch_here())) if made is not Environment else Clock(watch_here())
