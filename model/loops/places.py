"""Whole numbers under keys, without the objects that a dict has of both."""

from __future__ import annotations

from model.loops.rows import Wholes, wholes

NOBODY = -1
SPREAD, SPREAD_BITS = 5700357409661599241, 63
"""As in :mod:`model.loops.buffers`: the upper bits of its multiples lie evenly."""


class Places:
    """Numbers under keys, none of them negative: a table of open addressing, at most half full."""

    used: int
    _keys: Wholes
    _values: Wholes
    _shift: int

    def __init__(self) -> None:
        self.used, self._shift = 0, SPREAD_BITS - 6
        self._keys, self._values = wholes(64, NOBODY), wholes(64, NOBODY)

    def at(self, key: int) -> int:
        """The number under a key; -1 for none."""
        return int(self._values[self._entry(key)])

    def put(self, key: int, value: int) -> None:
        """A number comes under a key, in the place of the one that is there."""
        if 2 * self.used >= len(self._keys):
            self._grow()
        entry = self._entry(key)
        if self._keys[entry] < 0:
            self._keys[entry] = key
            self.used += 1
        self._values[entry] = value

    def drop(self, key: int) -> None:
        """A key is there no longer; entries behind it move up as far as their own places."""
        last = len(self._keys) - 1
        gap = at = self._entry(key)
        if self._keys[gap] < 0:
            return
        self.used -= 1
        while True:
            at = (at + 1) & last
            if self._keys[at] < 0:
                break
            if (at - self._home(self._keys[at])) & last >= (at - gap) & last:
                self._keys[gap], self._values[gap] = self._keys[at], self._values[at]
                gap = at
        self._keys[gap] = self._values[gap] = NOBODY

    def _home(self, key: int) -> int:
        """Where a key belongs."""
        return (key * SPREAD >> self._shift) & (len(self._keys) - 1)

    def _entry(self, key: int) -> int:
        """Where it is, or would come."""
        at = self._home(key)
        while self._keys[at] != key and self._keys[at] >= 0:
            at = (at + 1) & (len(self._keys) - 1)
        return at

    def _grow(self) -> None:
        keys, values = self._keys, self._values
        self._keys, self._values = wholes(2 * len(keys), NOBODY), wholes(2 * len(keys), NOBODY)
        self._shift -= 1
        for k in range(len(keys)):
            if keys[k] >= 0:
                entry = self._entry(keys[k])
                self._keys[entry], self._values[entry] = keys[k], values[k]
