"""The buffers that a load may fill before DBWR has to write some, and the device that takes the writes and the redo."""

from __future__ import annotations


class FreeBuffers:
    """Room for dirty blocks; what has to be written for it is on its way one stretch behind the sessions."""

    __slots__ = (
        "_done_s",
        "_room",
        "_waits_for_buffers",
        "dirtied",
        "read_s",
        "redo_s",
        "write_s",
        "written",
    )

    def __init__(
        self, room: float, write_s: float, redo_s: float, dirtied: float = 1.0, read_s: float = 0.0
    ) -> None:
        self._room = room
        self._done_s = 0.0
        self._waits_for_buffers = False
        self.write_s = write_s
        self.redo_s = redo_s
        self.dirtied = dirtied
        """Blocks to be written for each that a session works on."""
        self.read_s = read_s
        """Time that a read keeps the device."""
        self.written = 0.0
        """Blocks that DBWR has written."""

    def fill(self, now_s: float, blocks: float) -> tuple[float, bool]:
        """*blocks* are filled at *now_s*: until when their session waits for earlier writes, and whether for a buffer.

        Their own writes begin when the earlier ones are done; the session goes on beside them.
        """
        ready_s, for_buffer = max(now_s, self._done_s), self._waits_for_buffers
        beyond = max(0.0, blocks - self._room)
        self._room = max(0.0, self._room - blocks)
        self._waits_for_buffers = beyond > 0
        self.written += beyond
        self._done_s = ready_s + blocks * self.redo_s + beyond * self.write_s
        return ready_s, for_buffer

    def read(self, begin_s: float, held_s: float) -> None:
        """A read had the device for *held_s* since *begin_s*: writes that were not done then are so much later."""
        if self._done_s > begin_s:
            self._done_s += held_s
