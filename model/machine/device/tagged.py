"""Drives that choose among the commands in their queues; a single one, or the members of a set, each with its own.

A drive that is done with a command takes next the one whose first byte comes under its heads soonest, seek and turn
together [worthington-1994]; one that has waited for longer than the age limit goes before all others
[jacobson-wilkes-1991].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blocktime.model.laws.disk_means import copies_of
from blocktime.model.loops.rotating import Rotating
from blocktime.model.machine.device.array import parity_rows, pieces


class HostCommand:
    """A command as the host handed it in: how many parts are left, and when it is done as far as is known."""

    __slots__ = ("changed_s", "done_s", "host", "left")

    def __init__(self, host: Any, parts: int) -> None:
        self.host = host
        """What the host knows it by."""
        self.left = parts
        self.done_s = 0.0
        self.changed_s = 0.0
        """The longest from the end of a read to that of the write which follows it on the member."""


class MemberPart:
    """What a member does for a job; a read that is followed by a write of the same bytes where *again* is set."""

    __slots__ = ("again", "job", "place", "since_s", "size_bytes", "start_byte", "write")

    def __init__(
        self,
        job: HostCommand,
        since_s: float,
        write: bool,
        start_byte: int,
        size_bytes: int,
        *,
        again: bool = False,
    ) -> None:
        self.job = job
        self.since_s = since_s
        self.write = write
        self.start_byte = start_byte
        self.size_bytes = size_bytes
        self.again = again
        self.place = (0, 0.0)
        """Track and place."""

    def ended(self) -> float | None:
        """The member is done with it: when the whole job is, if this was its last part."""
        job = self.job
        job.left -= 1
        return None if job.left else job.done_s + job.changed_s


class Member:
    """A drive and its queue."""

    __slots__ = ("_drive", "_oldest_s", "_waiting", "busy")

    def __init__(self, drive: Rotating, oldest_s: float) -> None:
        self._drive = drive
        self._oldest_s = oldest_s
        self._waiting: list[MemberPart] = []
        self.busy = False

    def __len__(self) -> int:
        return len(self._waiting) + self.busy

    def insert(self, part: MemberPart) -> None:
        """Take a command in."""
        part.place = self._drive.where(part.start_byte)
        self._waiting.append(part)

    def distance(self, start_byte: int) -> float:
        """Tracks between the heads and a byte."""
        return self._drive.distance(start_byte)

    def begin(self, now_s: float) -> tuple[float, MemberPart] | None:
        """The command that an idle drive begins, and when it is done with it; None where none waits."""
        if not self._waiting:
            return None
        part = self._waiting.pop(self._soonest(now_s))
        self.busy = True
        done = read = self._drive.submit(part.since_s, part.write, part.start_byte, part.size_bytes)
        if part.again:
            done = self._drive.submit(read, True, part.start_byte, part.size_bytes)
            part.job.changed_s = max(part.job.changed_s, done - read)
        part.job.done_s = max(part.job.done_s, read)
        return done, part

    def ended(self) -> None:
        """The command that it had begun is done."""
        self.busy = False

    def _soonest(self, now_s: float) -> int:
        """Rank of the command to go next; they wait in the order in which they came."""
        waiting = self._waiting
        if len(waiting) == 1 or now_s - waiting[0].since_s > self._oldest_s:
            return 0
        best, best_s = 0, self._reaches_s(waiting[0])
        for rank in range(1, len(waiting)):
            taken_s = self._reaches_s(waiting[rank])
            if taken_s < best_s:
                best, best_s = rank, taken_s
        return best

    def _reaches_s(self, part: MemberPart) -> float:
        return self._drive.reaches_s(part.write, part.start_byte, part.since_s, *part.place)


class Tagged:
    """The members, and how a command of the host is cut into theirs."""

    __slots__ = ("_copies", "_members", "_parity", "_unit_bytes")

    def __init__(self, drives: Sequence[Rotating], disk: Any) -> None:
        self._members = [Member(drive, disk.reorder_age_s) for drive in drives]
        self._parity = disk.raid_level == "5"
        self._copies = copies_of(disk)
        self._unit_bytes = disk.stripe_unit_bytes if disk.raid_level != "none" else 0

    def hand_in(
        self, now_s: float, write: bool, start_byte: int, size_bytes: int, host: Any
    ) -> Sequence[Member]:
        """Queue a command at its members; those that may begin one now."""
        cut = list(self._cut(write, start_byte, size_bytes))
        job = HostCommand(host, len(cut))
        for member, start, size, again in cut:
            member.insert(MemberPart(job, now_s, write and not again, start, size, again=again))
        return [member for member in dict.fromkeys(member for member, *_ in cut) if not member.busy]

    def _cut(self, write: bool, start_byte: int, size_bytes: int) -> Iterator[tuple[Member, int, int, bool]]:
        """Member, first byte there, bytes, and whether they are read before they are written."""
        members = self._members
        if not self._unit_bytes:
            yield members[0], start_byte, size_bytes, False
        elif self._parity:
            for row in parity_rows(start_byte, size_bytes, len(members), self._unit_bytes):
                for rank, start, size in row.touched if write else row.parts:
                    yield members[rank], start, size, write and not row.whole
        else:
            wide = len(members) // self._copies
            for place, first, size in pieces(start_byte, size_bytes, wide, self._unit_bytes):
                copies = members[place * self._copies : (place + 1) * self._copies]
                if not write:
                    copies = [min(copies, key=lambda member: (len(member), member.distance(first)))]
                for member in copies:
                    yield member, first, size, False
