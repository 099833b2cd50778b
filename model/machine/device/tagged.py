"""Drives that choose among the commands in their queues; a single one, or the members of a set, each with its own.

A drive that is done with a command takes next the one whose first byte comes under its heads soonest, seek and turn
together [worthington-1994]; one that has waited for longer than the age limit goes before all others
[jacobson-wilkes-1991].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from blocktime.model.laws.disk_means import copies_of, overhead_s
from blocktime.model.loops import fastest
from blocktime.model.loops.rotating import Rotating
from blocktime.model.machine.device.array import parity_rows, pieces
from blocktime.model.machine.device.array_cache import Bus


class HostCommand:
    """A command as the host handed it in: how many parts are left, and when it is done as far as is known."""

    host: Any
    """What the host knows it by."""
    left: int
    done_s: float
    changed_s: float
    """The longest from the end of a read to that of the write which follows it on the member."""

    def __init__(self, host: Any, parts: int) -> None:
        self.host, self.left = host, parts
        self.done_s = self.changed_s = 0.0


class MemberPart:
    """What a member does for a job; a read that is followed by a write of the same bytes where *again* is set."""

    job: HostCommand
    since_s: float
    write: bool
    start_byte: int
    size_bytes: int
    again: bool
    track: int
    place_s: float
    """Of its first byte on the track."""
    done_s: float
    """When the member is done with it, once it has begun."""

    def __init__(
        self, job: HostCommand, since_s: float, write: bool, start_byte: int, size_bytes: int, again: bool
    ) -> None:
        self.job, self.since_s, self.write, self.again = job, since_s, write, again
        self.start_byte, self.size_bytes = start_byte, size_bytes
        self.track, self.place_s, self.done_s = 0, 0.0, 0.0

    def is_last(self) -> bool:
        """Whether the job is done with it, with which the member is done."""
        self.job.left -= 1
        return not self.job.left

    def job_done_s(self) -> float:
        """When the whole job is done."""
        return self.job.done_s + self.job.changed_s


class Member:
    """A drive and its queue."""

    busy: bool
    _drive: Rotating
    _oldest_s: float
    _waiting: list[MemberPart]

    def __init__(self, drive: Rotating, oldest_s: float) -> None:
        self._drive, self._oldest_s = drive, oldest_s
        self._waiting, self.busy = [], False

    def __len__(self) -> int:
        return len(self._waiting) + int(self.busy)

    def insert(self, part: MemberPart) -> None:
        """Take a command in."""
        part.track, part.place_s = self._drive.where(part.start_byte)
        self._waiting.append(part)

    def distance(self, start_byte: int) -> float:
        """Tracks between the heads and a byte."""
        return self._drive.distance(start_byte)

    def begin(self, now_s: float) -> MemberPart | None:
        """The command that an idle drive begins; None where none waits."""
        if not self._waiting:
            return None
        part: MemberPart = self._waiting.pop(self._soonest(now_s))
        job = part.job
        self.busy = True
        done = read = self._drive.submit(part.since_s, part.write, part.start_byte, part.size_bytes)
        if part.again:
            done = self._drive.submit(read, True, part.start_byte, part.size_bytes)
            job.changed_s = max(job.changed_s, done - read)
        job.done_s = max(job.done_s, read)
        part.done_s = done
        return part

    def _soonest(self, now_s: float) -> int:
        """Rank of the command to go next; they wait in the order in which they came."""
        first: MemberPart = self._waiting[0]
        if len(self._waiting) == 1 or now_s - first.since_s > self._oldest_s:
            return 0
        best, best_s = 0, self._reaches_s(first)
        for rank in range(1, len(self._waiting)):
            part: MemberPart = self._waiting[rank]
            taken_s = self._reaches_s(part)
            if taken_s < best_s:
                best, best_s = rank, taken_s
        return best

    def _reaches_s(self, part: MemberPart) -> float:
        return self._drive.reaches_s(part.write, part.start_byte, part.since_s, part.track, part.place_s)


class Tagged:
    """The members, and how a command of the host is cut into theirs."""

    _members: list[Member]
    _cut: Callable[[bool, int, int], list[Any]] | None
    """Member, first byte there, bytes, and whether they are read before they are written; none for a single drive."""

    _hit_fraction: float
    _bus: Bus | None
    """What answers of a controller's cache pass; None without one."""
    _reads: int

    def __init__(
        self,
        members: list[Member],
        cut: Callable[[bool, int, int], list[Any]] | None,
        hit_fraction: float = 0.0,
        bus: Bus | None = None,
    ) -> None:
        self._members, self._cut = members, cut
        self._hit_fraction, self._bus, self._reads = hit_fraction, bus, 0

    def hit_s(self, now_s: float, write: bool, size_bytes: int) -> float:
        """When the controller's cache has answered a read, a stated share of them, evenly spread; -1 for the others."""
        if self._bus is None or write:
            return -1.0
        before = int(self._reads * self._hit_fraction)
        self._reads += 1
        if int(self._reads * self._hit_fraction) == before:
            return -1.0
        return self._bus.send(now_s, size_bytes)

    def hand_in(self, now_s: float, write: bool, start_byte: int, size_bytes: int, host: Any) -> list[Member]:
        """Queue a command at its members; those that may begin one now."""
        if self._cut is None:
            only: Member = self._members[0]
            only.insert(MemberPart(HostCommand(host, 1), now_s, write, start_byte, size_bytes, False))
            return [] if only.busy else [only]
        parts = self._cut(write, start_byte, size_bytes)
        job, idle = HostCommand(host, len(parts)), list[Member]()
        for place, start, size, again in parts:
            member: Member = place
            member.insert(MemberPart(job, now_s, write and not again, start, size, again))
            if not member.busy and member not in idle:
                idle.append(member)
        return idle


def tagged_drives(drives: Sequence[Rotating], disk: Any) -> Tagged:
    """The queues of *drives*, which are one or the members of a set."""
    members = [fastest(Member)(drive, disk.reorder_age_s) for drive in drives]
    hits, bus = disk.read_hit_fraction, None
    if hits:
        bus = fastest(Bus)(overhead_s(disk, False), disk.bus_bytes_per_s)
    if disk.raid_level == "none":
        return fastest(Tagged)(members, None, hits, bus)
    by = _by_parity if disk.raid_level == "5" else _by_stripes
    return fastest(Tagged)(members, partial(by, members, disk.stripe_unit_bytes, copies_of(disk)), hits, bus)


Parts = list[tuple[Member, int, int, bool]]


def _by_parity(members: list[Member], unit_bytes: int, _: int, write: bool, start_byte: int, size_bytes: int) -> Parts:
    """The parts of a command at the members of a RAID 5."""
    rows = parity_rows(start_byte, size_bytes, len(members), unit_bytes)
    return [
        (members[rank], start, size, write and not row.whole)
        for row in rows
        for rank, start, size in (row.touched if write else row.parts)
    ]


def _by_stripes(
    members: list[Member], unit_bytes: int, copies: int, write: bool, start_byte: int, size_bytes: int
) -> Parts:
    """The parts of a command at members that are striped and may be copies of each other."""
    parts = Parts()
    for place, first, size in pieces(start_byte, size_bytes, len(members) // copies, unit_bytes):
        wanted = members[place * copies : (place + 1) * copies]
        if not write:
            wanted = [min(wanted, key=lambda member: (len(member), member.distance(first)))]
        parts += [(member, first, size, False) for member in wanted]
    return parts
