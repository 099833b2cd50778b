"""The slots of one session's asynchronous direct reads, as it adds to them while it waits."""

from __future__ import annotations

from blocktime.model.laws.read_slots import LOOK_EVERY_S, LOOKS_TO_ADD, WAITS_FRACTION, more_slots


class ReadSlots:
    """How many direct reads a session may have in flight."""

    count: int
    history: dict[float, int]
    """Seconds since it began -> slots from then on."""
    _limit: int
    _begin_s: float
    _looked_s: float
    _waited_s: float
    _looks: int
    _every_s: float

    def __init__(self, slots: int, limit: int, now_s: float, look_every_s: float = LOOK_EVERY_S) -> None:
        self.count, self._limit = slots, limit
        self._begin_s = self._looked_s = now_s
        self._waited_s, self._looks, self._every_s = 0.0, 0, look_every_s
        self.history = {0.0: slots}

    def reaped(self, now_s: float, waited_s: float) -> None:
        """A read has come after a wait; look whether it is time for more."""
        self._waited_s += waited_s
        passed_s = now_s - self._looked_s
        if passed_s < self._every_s:
            return
        self._looks += 1
        waits = self._waited_s > WAITS_FRACTION * passed_s
        self._looked_s, self._waited_s = now_s, 0.0
        if waits and self._looks >= LOOKS_TO_ADD and self.count < self._limit:
            self._looks = 0
            self.count = int(more_slots(self.count, self._limit))
            self.history[now_s - self._begin_s] = self.count
