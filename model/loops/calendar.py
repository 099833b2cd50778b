"""What SimPy's processes need of SimPy, by the same names and in the same order: events, processes, conditions.

SimPy's own Environment plays where nothing is compiled, and is what this one is held to. What it leaves out: failing
events, interrupts and values of conditions. An exception in a process ends the run.
"""

from __future__ import annotations

from gc import disable, enable, isenabled
from typing import Any

from blocktime.model.loops.arrays import Reals, Wholes, longer, more_wholes, reals, wholes
from blocktime.model.loops.watch import Watch

URGENT = 0
NORMAL = 1
PRIORITY = 1 << 60
"""Of two events at the same time, the lower order comes first: first the priority, then the number."""
ROOM = 256
EVENT_NS = 1_000
"""Work of an event, on a processor of the 2020s."""


class Waiter:
    """A party that the calendar calls at its time, without an event or a process of its own."""

    since_s: float
    """When its wait began, if somebody asks for that."""

    def happens(self) -> None:
        """Its time has come."""

    def hears(self, event: Event) -> None:
        """The event that it waits for has happened."""
        self.happens()

    def __call__(self, event: Any) -> None:
        """SimPy calls it as a callback of an event."""
        self.happens()


class Event(Waiter):
    """An event that processes wait for: a point in time, the end of a process, or other events."""

    env: Environment
    callbacks: list[Any] | None
    """None after they have been called."""
    value: Any
    triggered: bool
    _send: Any
    """The generator's `send`, if the event is the end of a process."""
    _left: int
    """Number of events that a condition still waits for."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.callbacks = []
        self.value = self._send = None
        self.triggered = False
        self._left = 0

    @property
    def processed(self) -> bool:
        """Whether its callbacks have been called."""
        return self.callbacks is None

    def succeed(self, value: Any = None) -> Event:
        """Let it happen now."""
        if self.triggered:
            raise RuntimeError("an event happens once")
        self.value = value
        self.triggered = True
        self.env._plan(self, self.env.now, NORMAL)
        return self

    def __or__(self, other: Event) -> Event:
        return self.env.any_of([self, other])

    def hears(self, event: Event) -> None:
        """A condition waits for one event less; a process continues up to an event that has not happened."""
        if self._send is None:
            self._one_less()
            return
        while True:
            try:
                following: Event = self._send(event.value)
            except StopIteration as end:
                self.succeed(end.value)
                return
            if following.callbacks is not None:
                following.callbacks.append(self)
                return
            event = following

    def _await(self, events: list[Any], count: int) -> None:
        self._left = count
        if not events:
            self.succeed()
        for awaited in events:
            event: Event = awaited
            if event.callbacks is None:
                self._one_less()
            else:
                event.callbacks.append(self)

    def _one_less(self) -> None:
        self._left -= 1
        if not self._left and not self.triggered:
            self.succeed()

    def happens(self) -> None:
        """Call everything that waits for the event."""
        callbacks = self.callbacks
        self.callbacks = None
        assert callbacks is not None
        for call in callbacks:
            if isinstance(call, Waiter):
                waiting: Waiter = call
                waiting.hears(self)
            else:
                call(self)


class Steps(Waiter):
    """Steps in a row, as those of a process, but without an event at their begin and their end."""

    _send: Any
    _then: Any

    def __init__(self, steps: Any, then: Any) -> None:
        """*then* is called at the end of *steps*, a generator, if they wait for something."""
        self._send, self._then = steps.send, then

    def are_over(self) -> bool:
        """Whether they end without a wait, once begun."""
        return self._end(None)

    def hears(self, event: Event) -> None:
        """What they waited for has happened."""
        if self._end(event.value):
            self._then()

    def __call__(self, event: Any) -> None:
        """SimPy calls it as a callback of an event."""
        self.hears(event)

    def _end(self, value: Any) -> bool:
        """Whether they end before they wait for something else."""
        while True:
            try:
                following: Event = self._send(value)
            except StopIteration:
                return True
            if following.callbacks is not None:
                following.callbacks.append(self)
                return False
            value = following.value


class Moments:
    """A heap of planned times and orders; each entry has a place, where the owner keeps the waiter to be called."""

    count: int
    _at_s: Reals
    _order: Wholes
    _place: Wholes
    """Entries beyond the heap's length are free places."""

    def __init__(self) -> None:
        self._at_s, self._order, self._place = reals(ROOM, 0.0), wholes(ROOM, 0), wholes(ROOM, 0)
        for place in range(ROOM):
            self._place[place] = place
        self.count = 0

    def first_s(self) -> float:
        """The next moment."""
        return float(self._at_s[0])

    def plan(self, at_s: float, order: int) -> int:
        """Plan an entry for a time; return its place, a new one if none is free."""
        at = self.count
        if at == len(self._at_s):
            self._at_s = longer(self._at_s)
            self._order, self._place = more_wholes(self._order), more_wholes(self._place)
            for free in range(at, 2 * at):
                self._place[free] = free
        self.count = at + 1
        place: int = self._place[at]
        self._rise(at, at_s, order, place)
        return place

    def next(self) -> int:
        """Remove the next entry; return its place, which is free afterwards."""
        first: int = self._place[0]
        self.count -= 1
        last, at, below = self.count, 0, 1
        while below < last:
            other = below + 1
            below += int(
                (other < last)
                & (
                    (self._at_s[other] < self._at_s[below])
                    | ((self._at_s[other] == self._at_s[below]) & (self._order[other] < self._order[below]))
                )
            )
            self._at_s[at], self._order[at] = self._at_s[below], self._order[below]
            self._place[at] = self._place[below]
            at = below
            below = 2 * at + 1
        self._rise(at, self._at_s[last], self._order[last], self._place[last])
        self._place[last] = first
        return first

    def _rise(self, at: int, at_s: float, order: int, place: int) -> None:
        """Move a new entry up from the end of the heap until the entry above it is earlier."""
        while at:
            above = (at - 1) >> 1
            if self._at_s[above] < at_s or (self._at_s[above] == at_s and self._order[above] < order):
                break
            self._at_s[at], self._order[at] = self._at_s[above], self._order[above]
            self._place[at] = self._place[above]
            at = above
        self._at_s[at], self._order[at], self._place[at] = at_s, order, place


class Environment:
    """Simulated time and the planned waiters."""

    now: float
    watch: Watch
    _planned: Moments
    _waiters: list[Any]
    """By place."""
    _number: int

    def __init__(self, watch: Watch | None = None) -> None:
        self.now, self._number = 0.0, 0
        self.watch = Watch() if watch is None else watch
        self._planned, self._waiters = Moments(), []

    def event(self) -> Event:
        """An event that happens when `succeed` is called."""
        return Event(self)

    def timeout(self, delay: float, value: Any = None) -> Event:
        """An event that happens after a delay."""
        if delay < 0:
            raise ValueError(f"Negative delay {delay}")
        event = Event(self)
        event.value = value
        event.triggered = True
        self._plan(event, self.now + delay, NORMAL)
        return event

    def after(self, delay_s: float, waiter: Waiter) -> None:
        """Call a waiter after a delay."""
        if delay_s < 0:
            raise ValueError(f"Negative delay {delay_s}")
        self._plan(waiter, self.now + delay_s, NORMAL)

    def soon(self, waiter: Waiter) -> None:
        """Call a waiter now, after everything that is already planned for now."""
        self._plan(waiter, self.now, NORMAL)

    def process(self, generator: Any) -> Event:
        """Start a process now; return the event of its end."""
        process, begin = Event(self), Event(self)
        process._send = generator.send
        begin.triggered = True
        begin.callbacks = [process]
        self._plan(begin, self.now, URGENT)
        return process

    def all_of(self, events: Any) -> Event:
        """An event that happens when all of *events* have happened."""
        wanted, condition = list(events), Event(self)
        condition._await(wanted, len(wanted))
        return condition

    def any_of(self, events: Any) -> Event:
        """An event that happens when the first of *events* has happened."""
        condition = Event(self)
        condition._await(list(events), 1)
        return condition

    def run(self, until: Any = None) -> Any:
        """Run until nothing is planned, until a point in time, or until an event has happened."""
        last: Event | None = None
        if type(until) is Event:
            last = until
            if last.callbacks is None:
                return last.value
        elif until is not None:
            if until <= self.now:
                raise ValueError(f"until ({until}) must be greater than the current simulation time")
            last = Event(self)
            last.triggered = True
            self._plan(last, self.now + (until - self.now), URGENT)
        watch: Watch = self.watch
        collects = isenabled()
        disable()  # events leave no reference cycles; looking for cycles takes a sixth of the time
        try:
            while self._planned.count:
                self.now = self._planned.first_s()
                watch.at(self.now, EVENT_NS)
                place = self._planned.next()
                waiter: Waiter = self._waiters[place]
                self._waiters[place] = None
                waiter.happens()
                if waiter is last:
                    return last.value
        finally:
            if collects:
                enable()
        if last is not None:
            raise RuntimeError("nothing is planned any more, and what the run waits for has not happened")
        return None

    def _plan(self, waiter: Waiter, at_s: float, priority: int) -> None:
        place = self._planned.plan(at_s, priority * PRIORITY + self._number)
        self._number += 1
        if place == len(self._waiters):
            self._waiters.append(waiter)
        else:
            self._waiters[place] = waiter
