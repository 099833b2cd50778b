"""What SimPy's processes need of SimPy, by the same names and in the same order: events, processes, conditions.

SimPy's own Environment plays where nothing is compiled, and is what this one is held to. What it leaves out: failing
events, interrupts and values of conditions. An exception in a process ends the run.
"""

from __future__ import annotations

from gc import disable, enable, isenabled
from typing import Any

from model.loops.rows import Reals, Wholes, reals, wholes

URGENT = 0
NORMAL = 1
PRIORITY = 1 << 60
"""Of two events at one moment the lower order comes first: the priority, and behind it the number."""
ROOM = 256


class Waiter:
    """What goes on by itself when its moment comes, without an event or a process of its own."""

    since_s: float
    """Since when it waits, where somebody asks for that."""

    def happens(self) -> None:
        """Its moment is now."""

    def hears(self, event: Event) -> None:
        """An event has happened that it waits for."""
        self.happens()

    def __call__(self, event: Any) -> None:
        """The same, where SimPy says so."""
        self.happens()


class Event(Waiter):
    """What processes wait for: a moment in time, an end, some of several others."""

    env: Environment
    callbacks: list[Any] | None
    """None once they have been called."""
    value: Any
    triggered: bool
    _send: Any
    """Of the generator, if the event is the end of a process."""
    _left: int
    """Events that it waits for, if it is a condition."""

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
        """It happens now."""
        if self.triggered:
            raise RuntimeError("an event happens once")
        self.value = value
        self.triggered = True
        self.env._plan(self, self.env.now, NORMAL)
        return self

    def __or__(self, other: Event) -> Event:
        return self.env.any_of([self, other])

    def hears(self, event: Event) -> None:
        """The condition has one less to wait for; the process goes on, up to an event that has not been called."""
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
        """Whoever waits for it goes on."""
        callbacks = self.callbacks
        self.callbacks = None
        assert callbacks is not None
        for call in callbacks:
            if isinstance(call, Waiter):
                waiting: Waiter = call
                waiting.hears(self)
            else:
                call(self)


class Environment:
    """The time and what is planned: a heap of moments and orders, with the places of their events."""

    now: float
    _at_s: Reals
    _order: Wholes
    _place: Wholes
    _waiters: list[Any]
    """By place; behind the heap's length, in ``_place``, are those that are free."""
    _length: int
    _number: int

    def __init__(self) -> None:
        self.now = 0.0
        self._at_s, self._order, self._place = reals(ROOM, 0.0), wholes(ROOM, 0), wholes(ROOM, 0)
        for place in range(ROOM):
            self._place[place] = place
        self._waiters = [None] * ROOM
        self._length = self._number = 0

    def event(self) -> Event:
        """One that happens when somebody says so."""
        return Event(self)

    def timeout(self, delay: float, value: Any = None) -> Event:
        """One that happens after a while."""
        if delay < 0:
            raise ValueError(f"Negative delay {delay}")
        event = Event(self)
        event.value = value
        event.triggered = True
        self._plan(event, self.now + delay, NORMAL)
        return event

    def after(self, delay_s: float, waiter: Waiter) -> None:
        """It happens after a while."""
        if delay_s < 0:
            raise ValueError(f"Negative delay {delay_s}")
        self._plan(waiter, self.now + delay_s, NORMAL)

    def soon(self, waiter: Waiter) -> None:
        """It happens now, behind what has been planned for now."""
        self._plan(waiter, self.now, NORMAL)

    def process(self, generator: Any) -> Event:
        """A process that begins at once, and its end."""
        process, begin = Event(self), Event(self)
        process._send = generator.send
        begin.triggered = True
        begin.callbacks = [process]
        self._plan(begin, self.now, URGENT)
        return process

    def all_of(self, events: Any) -> Event:
        """When all have happened."""
        wanted, condition = list(events), Event(self)
        condition._await(wanted, len(wanted))
        return condition

    def any_of(self, events: Any) -> Event:
        """When the first has happened."""
        condition = Event(self)
        condition._await(list(events), 1)
        return condition

    def run(self, until: Any = None) -> Any:
        """Play until nothing is planned, up to a moment, or until an event has happened."""
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
        collects = isenabled()
        disable()  # what happens leaves no cycles behind, and to look for them takes a sixth of the time
        try:
            while self._length:
                waiter = self._next()
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
        if self._length == len(self._at_s):
            self._grow()
        order = priority * PRIORITY + self._number
        self._number += 1
        at = self._length
        self._length += 1
        place: int = self._place[at]
        self._waiters[place] = waiter
        while at:
            above = (at - 1) >> 1
            if self._at_s[above] < at_s or (self._at_s[above] == at_s and self._order[above] < order):
                break
            self._at_s[at] = self._at_s[above]
            self._order[at] = self._order[above]
            self._place[at] = self._place[above]
            at = above
        self._at_s[at] = at_s
        self._order[at] = order
        self._place[at] = place

    def _next(self) -> Waiter:
        """What happens next; its moment is now."""
        self.now = self._at_s[0]
        first: int = self._place[0]
        waiter: Waiter = self._waiters[first]
        self._waiters[first] = None
        self._length -= 1
        length = self._length
        at_s: float = self._at_s[length]
        order: int = self._order[length]
        place: int = self._place[length]
        at = 0
        while True:
            below = 2 * at + 1
            if below >= length:
                break
            if below + 1 < length and (
                self._at_s[below + 1] < self._at_s[below]
                or (
                    self._at_s[below + 1] == self._at_s[below] and self._order[below + 1] < self._order[below]
                )
            ):
                below += 1
            if at_s < self._at_s[below] or (at_s == self._at_s[below] and order < self._order[below]):
                break
            self._at_s[at] = self._at_s[below]
            self._order[at] = self._order[below]
            self._place[at] = self._place[below]
            at = below
        self._at_s[at] = at_s
        self._order[at] = order
        self._place[at] = place
        self._place[length] = first
        return waiter

    def _grow(self) -> None:
        length = self._length
        at_s, order, place = reals(2 * length, 0.0), wholes(2 * length, 0), wholes(2 * length, 0)
        for at in range(length):
            at_s[at] = self._at_s[at]
            order[at] = self._order[at]
            place[at] = self._place[at]
            place[length + at] = length + at
        self._at_s, self._order, self._place = at_s, order, place
        self._waiters += [None] * length
