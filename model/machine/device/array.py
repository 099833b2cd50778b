"""A set of disks: RAID 0, 1, 10 and 5, requests cut at the stripe's units [patterson-raid]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from blocktime.model.machine.device.array_cache import CommandDrive


class Striped:
    """RAID 0, and RAID 1 and 10, where each place of the stripe is held twice; a read goes to the copy free first."""

    free_s: float
    """When the last command handed in is done."""
    _copies: list[Sequence[CommandDrive]]
    _unit_bytes: int

    def __init__(self, members: Sequence[CommandDrive], *, copies: int, unit_bytes: int) -> None:
        self._copies = [members[first : first + copies] for first in range(0, len(members), copies)]
        self._unit_bytes = unit_bytes
        self.free_s = 0.0

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done: when its last part is."""
        done = now_s
        for place, start, size in pieces(start_byte, size_bytes, len(self._copies), self._unit_bytes):
            copies = self._copies[place]
            if write:
                for member in copies:
                    done = max(done, member.submit(now_s, True, start, size))
            else:
                done = max(done, _free_first(copies, now_s, start).submit(now_s, False, start, size))
        self.free_s = done
        return done

    def distance(self, start_byte: int) -> float:
        """How far the nearest copy is from a byte."""
        unit, wide = start_byte // self._unit_bytes, len(self._copies)
        nearest = inf
        for member in self._copies[unit % wide]:
            nearest = min(nearest, member.distance(unit // wide * self._unit_bytes))
        return nearest


class Parity:
    """RAID 5: a row of units and their parity, which moves by a member from row to row.

    What does not fill a row is read before it is written, with the parity: two reads and two writes.
    """

    __slots__ = ("_members", "_unit_bytes", "free_s")

    def __init__(self, members: Sequence[CommandDrive], *, unit_bytes: int) -> None:
        self._members = members
        self._unit_bytes = unit_bytes
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done: when its last part is."""
        done = now_s
        for row in parity_rows(start_byte, size_bytes, len(self._members), self._unit_bytes):
            if write:
                done = max(done, self._write_row(now_s, row))
            else:
                for member, start, size in row.parts:
                    done = max(done, self._members[member].submit(now_s, False, start, size))
        self.free_s = done
        return done

    def distance(self, start_byte: int) -> float:
        """How far the member that holds a byte is from it."""
        row = next(parity_rows(start_byte, 1, len(self._members), self._unit_bytes))
        return self._members[row.parts[0][0]].distance(row.parts[0][1])

    def _write_row(self, now_s: float, row: Row) -> float:
        if row.whole:
            return max(self._members[member].submit(now_s, True, start, size) for member, start, size in row.touched)
        read, longest = now_s, 0.0
        for member, start, size in row.touched:
            # NOTE: the write follows on the member at once; held back for the other's read, it would keep others out
            known = self._members[member].submit(now_s, False, start, size)
            read = max(read, known)
            longest = max(longest, self._members[member].submit(known, True, start, size) - known)
        return read + longest


class Row(NamedTuple):
    """What a command asks of a row of units and their parity."""

    parts: list[tuple[int, int, int]]
    """Member, first byte there, bytes."""
    parity_member: int
    whole: bool
    """Whether it is all of the row, so that a write needs to read nothing before."""

    @property
    def touched(self) -> list[tuple[int, int, int]]:
        """The parts, and what is written of the parity."""
        first = min(start for _, start, _ in self.parts)
        last = max(start + size for _, start, size in self.parts)
        return [*self.parts, (self.parity_member, first, last - first)]


def parity_rows(start_byte: int, size_bytes: int, members: int, unit_bytes: int) -> Iterator[Row]:
    """The rows of a RAID 5 that a command touches."""
    unit, data = unit_bytes, members - 1
    byte, end = start_byte, start_byte + size_bytes
    while byte < end:
        row = byte // (unit * data)
        row_end = min(end, (row + 1) * unit * data)
        parity = members - 1 - row % members
        parts, moved = [], row_end - byte
        while byte < row_end:
            place = byte // unit % data
            size = min(row_end, (byte // unit + 1) * unit) - byte
            # the data go round behind the parity, so that units in order lie on members in order
            parts.append(((parity + 1 + place) % members, row * unit + byte % unit, size))
            byte += size
        yield Row(parts, parity, moved == data * unit)


def pieces(start_byte: int, size_bytes: int, wide: int, unit_bytes: int) -> list[tuple[int, int, int]]:
    """Place in the stripe, first byte there and bytes of each part of a request; what adjoins on a place is one."""
    byte, end = start_byte, start_byte + size_bytes
    unit, within = byte // unit_bytes, byte % unit_bytes
    if within + size_bytes <= unit_bytes:  # most are small
        return [(unit % wide, unit // wide * unit_bytes + within, size_bytes)]
    part_at: dict[int, tuple[int, int]] = {}
    while byte < end:
        unit = byte // unit_bytes
        row, place = unit // wide, unit % wide
        size = min(end, (unit + 1) * unit_bytes) - byte
        first, before = part_at.get(place, (row * unit_bytes + byte % unit_bytes, 0))
        part_at[place] = (first, before + size)
        byte += size
    return [(place, first, size) for place, (first, size) in part_at.items()]


def _free_first(copies: Sequence[CommandDrive], now_s: float, start_byte: int) -> CommandDrive:
    """The copy that is free first; of idle ones the nearer."""
    chosen = copies[0]
    if len(copies) == 1:
        return chosen
    ready_s, apart = max(now_s, chosen.free_s), -1.0
    for rank in range(1, len(copies)):
        member = copies[rank]
        at_s = max(now_s, member.free_s)
        if at_s < ready_s:
            chosen, ready_s, apart = member, at_s, -1.0
        elif at_s == ready_s:
            if apart < 0:
                apart = chosen.distance(start_byte)
            further = member.distance(start_byte)
            if further < apart:
                chosen, apart = member, further
    return chosen
