"""A hash table of whole numbers, without the Python objects of a dict."""

from __future__ import annotations

from blocktime.model.loops.arrays import Wholes, wholes

NOBODY = -1
SPREAD, SPREAD_BITS = 5700357409661599241, 63
"""Odd, 2^63 over the golden ratio: the upper bits of its multiples lie evenly; those above them are not looked at."""


class Places:
    """A hash table with open addressing, at most half full; keys and values are not negative."""

    used: int
    _keys: Wholes
    _values: Wholes
    _shift: int

    def __init__(self) -> None:
        self._shift, self.used = SPREAD_BITS - 6, 0
        self._keys, self._values = wholes(64, NOBODY), wholes(64, NOBODY)

    def at(self, key: int) -> int:
        """The value of a key; -1 if there is none."""
        return int(self._values[self._entry(key)])

    def put(self, key: int, value: int) -> None:
        """Set the value of a key."""
        if 2 * self.used >= len(self._keys):
            self._grow()
        entry = self._entry(key)
        if self._keys[entry] < 0:
            self._keys[entry] = key
            self.used += 1
        self._values[entry] = value

    def drop(self, key: int) -> None:
        """Remove a key, and move later entries up as far as the places that they hash to."""
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

    def drop_if(self, key: int, value: int) -> None:
        """Remove a key if it has that value."""
        if self._values[self._entry(key)] == value:
            self.drop(key)

    def _home(self, key: int) -> int:
        """The entry that a key hashes to."""
        return (key * SPREAD >> self._shift) & (len(self._keys) - 1)

    def _entry(self, key: int) -> int:
        """The entry of a key, or the free one for it."""
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
