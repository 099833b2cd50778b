"""Work beside a page: who wants it looks at it, may cancel it and may wait for its end."""

from __future__ import annotations

import threading
import time


class Job:
    """Something under way that anybody may look at or cancel at any time; one that nobody looks at is forgotten."""

    def __init__(self) -> None:
        self._began_s = self._looked_s = time.monotonic()
        self._cancelled = threading.Event()
        self._ended = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody has said that it is not wanted any more."""
        return self._cancelled.is_set()

    @property
    def is_ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self._ended.is_set()

    @property
    def took_s(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self._began_s

    @property
    def unlooked_s(self) -> float:
        """Seconds since somebody has looked at it."""
        return time.monotonic() - self._looked_s

    def look(self) -> None:
        """Somebody still wants it."""
        self._looked_s = time.monotonic()

    def cancel(self) -> None:
        """It is not wanted any more; what is answered, and what is answered just now, is kept."""
        self._cancelled.set()

    def end(self) -> None:
        """Nothing more comes of it."""
        self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Until it has ended, but not longer; whether it has."""
        return self._ended.wait(seconds)
