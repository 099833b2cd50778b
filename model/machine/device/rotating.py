"""A rotating disk: one command at a time on the medium, where the heads are, and what the drive has read ahead."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from model.laws.disk import place_s, rotational_wait_s, seek_s, track_of, zone_ratio, zone_start_bytes
from model.laws.disk_geometry import geometry_of


class Rotating:
    """The medium; commands are served in the order in which they are handed in, which a drive's queue may choose."""

    __slots__ = (
        "_ahead",
        "_buffer_bytes",
        "_bus_bytes_per_s",
        "_capacity_bytes",
        "_cylinders",
        "_end_byte",
        "_end_place_s",
        "_g",
        "_overhead_s",
        "_track",
        "_write_bytes_per_s",
        "_wrote",
        "_zone_starts",
        "_zones",
        "free_s",
    )

    def __init__(self, disk: Any, *, write_overhead_s: float | None = None) -> None:
        self._g = g = geometry_of(disk)
        self._cylinders = g.cylinders
        # NOTE: worked out once, as every command asks for a zone twice
        self._zone_starts = [
            zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio) for zone in range(g.zones)
        ]
        self._zones = [
            (g.track_bytes * zone_ratio(zone, g.zones, g.inner_ratio), int(zone * g.zone_cylinders * g.heads))
            for zone in range(g.zones)
        ]
        """Of each zone the bytes of a track, and the tracks before it."""
        write = disk.write_overhead_s if write_overhead_s is None else write_overhead_s
        self._overhead_s = (disk.overhead_s, disk.overhead_s if write is None else write)
        self._write_bytes_per_s = disk.write_bandwidth_bytes_per_s
        self._buffer_bytes = disk.track_buffer_bytes
        self._bus_bytes_per_s = disk.bus_bytes_per_s
        self._capacity_bytes = disk.capacity_bytes
        self._track = 0
        self._end_byte = -1
        self._end_place_s = 0.0
        self._wrote = False
        self._ahead: _Ahead | None = None
        self.free_s: float = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        end_byte = start_byte + size_bytes
        end_track, end_place = self._end_of(end_byte)
        done: float
        goes_on = now_s < self.free_s and write == self._wrote and start_byte == self._end_byte
        begin = self.free_s if goes_on else max(now_s, self.free_s) + self._overhead_s[write]
        ahead = self._ahead
        if not write and ahead is not None and self._holds(ahead, start_byte, begin):
            done = self._read_buffered(ahead, begin, start_byte, end_byte, end_place)
        else:
            if not goes_on:
                done = begin + self._position_s(begin, start_byte, end_place)
            elif write and self._write_bytes_per_s is not None:
                done = begin + size_bytes / self._write_bytes_per_s
            else:
                done = begin + end_place - self._end_place_s
            if write or not self._buffer_bytes:
                self._ahead = None
            else:
                self._ahead = _Ahead(start_byte, end_byte, end_place, done, self._limit(end_byte))
        self._track, self._end_byte, self._end_place_s = end_track, end_byte, end_place
        self._wrote = write
        self.free_s = done
        return done

    def _holds(self, ahead: _Ahead, start_byte: int, begin_s: float) -> bool:
        """Whether the drive has read a byte ahead, or will within a turn; to go farther it would rather seek."""
        if not ahead.from_byte <= start_byte <= ahead.limit_byte:
            return False
        passes_s = ahead.since_s + self.where(start_byte)[1] - ahead.place_s
        return bool(start_byte <= ahead.byte or passes_s <= begin_s + self._g.rotation_s)

    def reaches_s(self, command: Any) -> float:
        """When the first byte of a queued command comes under the heads, if it goes next: after seek and turn.

        What goes on where the last command ended, and what the drive has read ahead, is there when it asks.
        """
        write, start_byte, since_s = command.write, command.start_byte, command.since_s
        if since_s < self.free_s and write == self._wrote and start_byte == self._end_byte:
            return self.free_s
        begin = max(since_s, self.free_s) + self._overhead_s[write]
        track, place, _ = command.place
        ahead = self._ahead
        if not write and ahead is not None and self._holds(ahead, start_byte, begin):
            passes_s = ahead.since_s + place - ahead.place_s if start_byte > ahead.byte else begin
            return float(max(begin, passes_s))
        move = self._move_s(track)
        return float(begin + move + rotational_wait_s(place, begin + move, self._g.rotation_s))

    def distance(self, start_byte: int) -> float:
        """Tracks between the heads and a byte."""
        return abs(self.where(start_byte)[0] - self._track)

    def _position_s(self, begin_s: float, start_byte: int, end_place_s: float) -> float:
        """Seek, wait and transfer of a command that begins so."""
        g = self._g
        track, place, _ = self.where(start_byte)
        move = self._move_s(track)
        waited: float = move + rotational_wait_s(place, begin_s + move, g.rotation_s)
        return waited + end_place_s - place

    def _move_s(self, track: int) -> float:
        """Seek, or switch of heads, to a track."""
        g = self._g
        moved = abs(track // g.heads - self._track // g.heads)
        if moved:
            seek = seek_s(moved, self._cylinders, g.track_seek_s, g.average_seek_s, g.full_seek_s)
            return float(max(seek, g.head_switch_s))
        return float(g.head_switch_s) if track != self._track else 0.0

    def _read_buffered(
        self, ahead: _Ahead, begin_s: float, start_byte: int, end_byte: int, end_place_s: float
    ) -> float:
        """End of a read of what the drive reads ahead; where its buffer was full, it waits for the sector again."""
        limit_place = self._end_of(ahead.limit_byte)[1]
        full_s: float = ahead.since_s + limit_place - ahead.place_s
        sent: float = begin_s + (end_byte - start_byte) / self._bus_bytes_per_s
        beyond = end_byte > ahead.limit_byte
        resumes = full_s < (begin_s if beyond else sent)
        if resumes and beyond:
            self._resume(ahead, begin_s)
        passed = ahead.since_s + end_place_s - ahead.place_s if end_byte > ahead.byte else 0.0
        done = max(sent, passed)
        if resumes and not beyond and end_byte + self._buffer_bytes > ahead.limit_byte:
            self._resume(ahead, done)
        ahead.limit_byte = max(ahead.limit_byte, self._limit(end_byte))
        ahead.from_byte = max(ahead.from_byte, end_byte - self._buffer_bytes)
        return done

    def _resume(self, ahead: _Ahead, at_s: float) -> None:
        """Read on where the full buffer stopped the drive."""
        if ahead.limit_byte < self._capacity_bytes:
            place = self.where(ahead.limit_byte)[1]
            ahead.since_s = at_s + rotational_wait_s(place, at_s, self._g.rotation_s)
            ahead.byte, ahead.place_s = ahead.limit_byte, place

    def _limit(self, end_byte: int) -> int:
        return int(min(end_byte + self._buffer_bytes, self._capacity_bytes))

    def where(self, byte: int) -> tuple[int, float, float]:
        """Track and place of a byte, and the bytes of a track there."""
        g = self._g
        zone = bisect_right(self._zone_starts, byte) - 1
        offset = byte - self._zone_starts[zone]
        track_bytes, before = self._zones[zone]
        place = place_s(
            offset, track_bytes, before, g.heads, g.rotation_s, g.head_switch_s, g.cylinder_switch_s
        )
        return track_of(offset, track_bytes, before), place, track_bytes

    def _end_of(self, end_byte: int) -> tuple[int, float]:
        """Track and place where a transfer ends: at its last byte, so that it leaves a switch to what follows."""
        track, place, track_bytes = self.where(end_byte - 1)
        return track, place + self._g.rotation_s / track_bytes


class _Ahead:
    """What the drive reads on its own after a read: all before *byte* is there; the rest passes from *since_s* on."""

    __slots__ = ("byte", "from_byte", "limit_byte", "place_s", "since_s")

    def __init__(self, from_byte: int, byte: int, place: float, since_s: float, limit_byte: int) -> None:
        self.from_byte = from_byte
        self.byte = byte
        self.place_s = place
        self.since_s = since_s
        self.limit_byte = limit_byte
