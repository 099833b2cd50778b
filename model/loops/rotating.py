"""A rotating disk, command by command."""

from __future__ import annotations

from typing import Any

from blocktime.model.laws.rotating_disk import place_s, rotational_wait_s, seek_s, track_of
from blocktime.model.loops.arrays import Reals, Wholes


class Rotating:
    """A disk: one command at a time on the medium, where the heads are, and what the drive has read ahead.

    Commands are served in the order in which they are handed in, which a drive's queue may choose.
    """

    overhead_s: float
    write_overhead_s: float
    writes_stream: bool
    """Whether queued writes continue at a separate rate instead of at the passing of their sectors."""
    write_bytes_per_s: float
    buffer_bytes: int
    bus_bytes_per_s: float
    capacity_bytes: int
    rotation_s: float
    track_seek_s: float
    average_seek_s: float
    full_seek_s: float
    head_switch_s: float
    cylinder_switch_s: float
    heads: int
    cylinders: float
    zone_starts: Reals
    """First byte of each zone, calculated once because every command looks up a zone twice."""
    zone_track_bytes: Reals
    zone_tracks: Wholes
    """Tracks before the zone."""
    free_s: float
    """When the last submitted command is done."""
    track: int
    ended_byte: int
    ended_place_s: float
    wrote: bool
    reads_on: bool
    """Whether it reads ahead: everything before *passed_byte* is cached, the rest passes from *since_s* on."""
    from_byte: int
    passed_byte: int
    place_s: float
    since_s: float
    limit_byte: int
    its_zone: int
    """Of the byte that was looked up last, as are the other fields: the next one is usually near."""
    its_track: int
    its_place_s: float
    its_track_bytes: float

    def __init__(self, overheads_s: tuple[float, float], write_bytes_per_s: float, disk: Any, geometry: Any) -> None:
        """*overheads_s* are of reads and of writes; *write_bytes_per_s* is 0 without such a rate."""
        self.write_overhead_s = overheads_s[1]
        self.writes_stream = write_bytes_per_s > 0
        self.write_bytes_per_s = write_bytes_per_s
        self.buffer_bytes = disk.track_buffer_bytes
        self.bus_bytes_per_s = disk.bus_bytes_per_s
        self.capacity_bytes = disk.capacity_bytes
        self.rotation_s = geometry.rotation_s
        self.track_seek_s = geometry.track_seek_s
        self.average_seek_s = geometry.average_seek_s
        self.full_seek_s = geometry.full_seek_s
        self.head_switch_s = geometry.head_switch_s
        self.cylinder_switch_s = geometry.cylinder_switch_s
        self.heads = geometry.heads
        self.cylinders = geometry.cylinders
        self.zone_starts = geometry.zone_starts
        self.zone_track_bytes = geometry.zone_track_bytes
        self.zone_tracks = geometry.zone_tracks
        self.at_rest(overheads_s[0])

    def at_rest(self, overhead_s: float) -> None:
        """Be as at first, with that overhead of a read."""
        self.overhead_s = overhead_s
        self.free_s = self.ended_place_s = self.place_s = self.since_s = 0.0
        self.ended_byte = -1
        self.track = self.from_byte = self.passed_byte = self.limit_byte = self.its_zone = 0
        self.wrote = self.reads_on = False

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command submitted at *now_s* is done."""
        end_byte = start_byte + size_bytes
        self._look_for(end_byte - 1)
        track, end_place = self.its_track, self.its_place_s + self.rotation_s / self.its_track_bytes
        goes_on = now_s < self.free_s and write == self.wrote and start_byte == self.ended_byte
        begin = self.free_s
        if not goes_on:
            begin = max(now_s, self.free_s) + (self.write_overhead_s if write else self.overhead_s)
        if not write and self.reads_on and self._holds(start_byte, begin):
            self._read_buffered(start_byte, end_byte, begin, end_place)
        else:
            if not goes_on:
                done = begin + self._position_s(begin, start_byte, end_place)
            elif write and self.writes_stream:
                done = begin + size_bytes / self.write_bytes_per_s
            else:
                done = begin + end_place - self.ended_place_s
            self.reads_on, self.limit_byte = not write and self.buffer_bytes > 0, self._limit(end_byte)
            self.from_byte, self.passed_byte, self.place_s, self.since_s = (start_byte, end_byte, end_place, done)
            self.free_s = done
        self.track, self.ended_byte, self.ended_place_s, self.wrote = track, end_byte, end_place, write
        return self.free_s

    def reaches_s(self, write: bool, start_byte: int, since_s: float, track: int, place_s: float) -> float:
        """When the first byte of a queued command comes under the heads, if it goes next: after seek and turn.

        What goes on where the last command ended, and what the drive has read ahead, is there when it asks.
        """
        if since_s < self.free_s and write == self.wrote and start_byte == self.ended_byte:
            return self.free_s
        begin = max(since_s, self.free_s) + (self.write_overhead_s if write else self.overhead_s)
        if not write and self.reads_on and self._holds(start_byte, begin):
            passes_s = self.since_s + place_s - self.place_s if start_byte > self.passed_byte else begin
            return max(begin, passes_s)
        move = self._move_s(track)
        return begin + move + rotational_wait_s(place_s, begin + move, self.rotation_s)

    def distance(self, start_byte: int) -> float:
        """Tracks between the heads and a byte."""
        self._look_for(start_byte)
        return abs(self.its_track - self.track)

    def where(self, byte: int) -> tuple[int, float]:
        """Track and place of a byte."""
        self._look_for(byte)
        return self.its_track, self.its_place_s

    def _holds(self, start_byte: int, begin_s: float) -> bool:
        """Whether the drive has read a byte ahead, or will within one rotation; for bytes farther away, it seeks."""
        if not self.from_byte <= start_byte <= self.limit_byte:
            return False
        if start_byte <= self.passed_byte:
            return True
        self._look_for(start_byte)
        return self.since_s + self.its_place_s - self.place_s <= begin_s + self.rotation_s

    def _position_s(self, begin_s: float, start_byte: int, end_place_s: float) -> float:
        """Seek, rotational latency and transfer of a command."""
        self._look_for(start_byte)
        move = self._move_s(self.its_track)
        waited = move + rotational_wait_s(self.its_place_s, begin_s + move, self.rotation_s)
        return waited + end_place_s - self.its_place_s

    def _move_s(self, track: int) -> float:
        """Seek, or switch of heads, to a track."""
        moved = abs(track // self.heads - self.track // self.heads)
        if moved > 0:
            seek = seek_s(moved, self.cylinders, self.track_seek_s, self.average_seek_s, self.full_seek_s)
            return max(seek, self.head_switch_s)
        return self.head_switch_s if track != self.track else 0.0

    def _read_buffered(self, start_byte: int, end_byte: int, begin_s: float, end_place_s: float) -> None:
        """A read from the drive's read-ahead; if its buffer was full, the read waits for the sector again."""
        limit = self.limit_byte
        self._look_for(limit - 1)
        full_s = self.since_s + (self.its_place_s + self.rotation_s / self.its_track_bytes) - self.place_s
        sent = begin_s + (end_byte - start_byte) / self.bus_bytes_per_s
        beyond = end_byte > limit
        resumes = full_s < (begin_s if beyond else sent) and limit < self.capacity_bytes
        if resumes and beyond:
            self._resume(limit, begin_s)
        passed_s = self.since_s + end_place_s - self.place_s if end_byte > self.passed_byte else 0.0
        self.free_s = max(sent, passed_s)
        if resumes and not beyond and end_byte + self.buffer_bytes > limit:
            self._resume(limit, self.free_s)
        self.from_byte = max(self.from_byte, end_byte - self.buffer_bytes)
        self.limit_byte = max(limit, self._limit(end_byte))

    def _resume(self, byte: int, now_s: float) -> None:
        """Read ahead from a byte that must first pass under the heads."""
        self._look_for(byte)
        self.place_s, self.passed_byte = self.its_place_s, byte
        self.since_s = now_s + rotational_wait_s(self.its_place_s, now_s, self.rotation_s)

    def _limit(self, end_byte: int) -> int:
        """How far the drive reads ahead after a read."""
        return min(end_byte + self.buffer_bytes, self.capacity_bytes)

    def _look_for(self, byte: int) -> None:
        """Find track and place of a byte, and the bytes of a track there."""
        zone, zones = self.its_zone, len(self.zone_starts)
        if byte < self.zone_starts[zone] or (zone + 1 < zones and byte >= self.zone_starts[zone + 1]):
            zone = 0
            while zones > 1:  # NOTE: a sum is quicker than a branch that is mispredicted
                half = zones >> 1
                zone += half * int(self.zone_starts[zone + half] <= byte)
                zones -= half
            self.its_zone = zone
        offset = byte - self.zone_starts[zone]
        before, self.its_track_bytes = self.zone_tracks[zone], self.zone_track_bytes[zone]
        self.its_track = track_of(offset, self.its_track_bytes, before)
        self.its_place_s = place_s(
            offset,
            self.its_track_bytes,
            before,
            self.heads,
            self.rotation_s,
            self.head_switch_s,
            self.cylinder_switch_s,
        )
