"""Which open transactions have locked which rows, and who waits for whom. No clock."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

NOBODY = -1


class RowLocks:
    """Locks of rows by the transactions that changed them, until they commit [oracle-concepts]."""

    def __init__(self, sessions: int) -> None:
        self._holder = np.zeros(0, dtype=np.int16)
        self._locked: list[list[tuple[int, int]]] = [[] for _ in range(sessions)]

    def free_rows(self, session: int, first: int, rows: int) -> tuple[int, int]:
        """Of *rows* rows from *first* on those before the first that another session has locked; and that session."""
        holders = self._holder[first : first + rows]
        others = np.flatnonzero((holders != NOBODY) & (holders != session))
        return (int(others[0]), int(holders[others[0]])) if len(others) else (rows, NOBODY)

    def lock(self, session: int, first: int, rows: int) -> None:
        """Lock *rows* rows from *first* on until the session commits."""
        missing = first + rows - len(self._holder)
        if missing > 0:
            more = np.full(max(missing, len(self._holder)), NOBODY, dtype=np.int16)
            self._holder = np.concatenate([self._holder, more])
        self._holder[first : first + rows] = session
        self._locked[session].append((first, rows))

    def commit(self, session: int) -> int:
        """Release all rows that the session has locked; how often it locked some."""
        times = len(self._locked[session])
        for first, rows in self._locked[session]:
            self._holder[first : first + rows] = NOBODY
        self._locked[session] = []
        return times


class Waiting:
    """Which sessions wait until one of others commits."""

    def __init__(self) -> None:
        self._for: dict[int, frozenset[int]] = {}

    def begin(self, session: int, holders: Iterable[int]) -> list[int]:
        """Let *session* wait for the first of *holders* to commit; the sessions of a deadlock that it closes, or none.

        A deadlock is there where nobody whom it waits for, through others or not, is at work.
        """
        self._for[session] = frozenset(holders)
        reached: dict[int, None] = {}
        ahead = [session]
        while ahead:
            holder = ahead.pop()
            if holder in reached:
                continue
            if holder not in self._for:
                return []
            reached[holder] = None
            ahead += sorted(self._for[holder])
        return list(reached)

    def end(self, session: int) -> None:
        """The session goes on."""
        self._for.pop(session, None)

    def never_ends(self, session: int) -> None:
        """A transaction that nobody commits."""
        self._for[session] = frozenset()

    def waited_for(self, session: int) -> bool:
        """Whether anybody waits for *session*."""
        return any(session in holders for holders in self._for.values())
