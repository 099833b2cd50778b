"""Drives, command by command: a rotating disk and flash.

The float operations are those of :class:`model.machine.device.rotating.Rotating` and
:class:`model.machine.device.flash.Flash`, in their order.
"""

from __future__ import annotations

import math

from model.laws.device import continues, transfer_s
from model.laws.disk import (
    place_s,
    rotational_wait_s,
    seek_s,
    track_of,
    zone_of,
    zone_ratio,
    zone_start_bytes,
)
from model.loops.rows import Reals, reals, replace_first


class Drive:
    """A single drive without caches and limits: what it is, and where it is after a command."""

    overhead_s: float
    write_overhead_s: float
    rate_bytes_per_s: float
    write_rate_bytes_per_s: float
    writes_stream: bool
    average_seek_s: float
    turns: bool
    free_s: float
    ended_byte: int
    # of flash
    slots: Reals
    """When each is free of a command's latency."""
    many: int
    # of a rotating disk
    capacity_bytes: int
    buffer_bytes: int
    bus_bytes_per_s: float
    rotation_s: float
    track_seek_s: float
    full_seek_s: float
    head_switch_s: float
    cylinder_switch_s: float
    heads: int
    zones: int
    inner_ratio: float
    track_bytes: float
    zone_cylinders: float
    cylinders: float
    outer_zone_bytes: float
    track: int
    ended_place_s: float
    wrote: bool
    reads_on: bool
    """Whether it reads on its own: all before *passed_byte* is there, the rest passes from *since_s* on."""
    from_byte: int
    passed_byte: int
    place_s: float
    since_s: float
    limit_byte: int
    # of the byte that was looked for last
    its_track: int
    its_place_s: float
    its_s: float

    def __init__(  # noqa: PLR0913, PLR0917  (a data sheet)
        self,
        overhead_s: float,
        write_overhead_s: float,
        rate_bytes_per_s: float,
        write_rate_bytes_per_s: float,
        writes_stream: bool,
        slots: int,
        capacity_bytes: int,
        average_seek_s: float,
        turns: bool,
        buffer_bytes: int,
        bus_bytes_per_s: float,
        rotation_s: float,
        track_seek_s: float,
        full_seek_s: float,
        head_switch_s: float,
        cylinder_switch_s: float,
        heads: int,
        zones: int,
        inner_ratio: float,
        track_bytes: float,
        zone_cylinders: float,
        cylinders: float,
        outer_zone_bytes: float,
    ) -> None:
        self.overhead_s = overhead_s
        self.write_overhead_s = write_overhead_s
        self.rate_bytes_per_s = rate_bytes_per_s
        self.write_rate_bytes_per_s = write_rate_bytes_per_s
        self.writes_stream = writes_stream
        self.slots = reals(2 * slots + 1, math.inf)
        for slot in range(slots):
            self.slots[slot] = 0.0
        self.many = slots
        self.capacity_bytes = capacity_bytes
        self.average_seek_s = average_seek_s
        self.turns = turns
        self.buffer_bytes = buffer_bytes
        self.bus_bytes_per_s = bus_bytes_per_s
        self.rotation_s = rotation_s
        self.track_seek_s = track_seek_s
        self.full_seek_s = full_seek_s
        self.head_switch_s = head_switch_s
        self.cylinder_switch_s = cylinder_switch_s
        self.heads = heads
        self.zones = zones
        self.inner_ratio = inner_ratio
        self.track_bytes = track_bytes
        self.zone_cylinders = zone_cylinders
        self.cylinders = cylinders
        self.outer_zone_bytes = outer_zone_bytes
        self.free_s = self.ended_place_s = self.place_s = self.since_s = 0.0
        self.ended_byte = -1
        self.track = self.from_byte = self.passed_byte = self.limit_byte = 0
        self.wrote = self.reads_on = False

    def submit(self, now_s: float, write: bool, start_byte: int, end_byte: int) -> float:
        """When a command that is handed in now will be done."""
        if self.turns:
            self._under_heads(now_s, write, start_byte, end_byte)
        else:
            self._through_channel(now_s, write, start_byte, end_byte)
        self.ended_byte = end_byte
        return self.free_s

    def _through_channel(self, now_s: float, write: bool, start_byte: int, end_byte: int) -> None:
        """A command of flash: latency in a slot, transfer over the channel."""
        latency = self.write_overhead_s if write else self.overhead_s
        if self.ended_byte < 0 or not continues(start_byte, self.ended_byte):
            latency = latency + self.average_seek_s
        ready = max(self.slots[0], now_s) + latency
        rate = self.write_rate_bytes_per_s if write else self.rate_bytes_per_s
        self.free_s = max(ready, self.free_s) + transfer_s(end_byte - start_byte, rate)
        replace_first(self.slots, ready if self.many > 1 else self.free_s)

    def _under_heads(self, now_s: float, write: bool, start_byte: int, end_byte: int) -> None:
        """A command of a rotating disk."""
        self._look_for(end_byte - 1)
        track, end_place = self.its_track, self.its_place_s + self.its_s
        goes_on = now_s < self.free_s and write == self.wrote and start_byte == self.ended_byte
        begin = self.free_s
        if not goes_on:
            begin = max(now_s, self.free_s) + (self.write_overhead_s if write else self.overhead_s)
        if not write and self.reads_on and self._holds(start_byte, begin):
            self._after_buffered(start_byte, end_byte, begin, end_place)
        else:
            if not goes_on:
                done = begin + self._position_s(begin, start_byte, end_place)
            elif write and self.writes_stream:
                done = begin + (end_byte - start_byte) / self.write_rate_bytes_per_s
            else:
                done = begin + end_place - self.ended_place_s
            self.reads_on, self.limit_byte = not write and self.buffer_bytes > 0, self._limit(end_byte)
            self.from_byte, self.passed_byte, self.place_s, self.since_s = (
                start_byte,
                end_byte,
                end_place,
                done,
            )
            self.free_s = done
        self.track, self.ended_place_s, self.wrote = track, end_place, write

    def _holds(self, start_byte: int, begin_s: float) -> bool:
        """Whether the drive has read a byte ahead, or will within a turn; to go farther it would rather seek."""
        if not self.from_byte <= start_byte <= self.limit_byte:
            return False
        if start_byte <= self.passed_byte:
            return True
        self._look_for(start_byte)
        return self.since_s + self.its_place_s - self.place_s <= begin_s + self.rotation_s

    def _position_s(self, begin_s: float, start_byte: int, end_place_s: float) -> float:
        """Seek, wait and transfer of a command that begins so."""
        self._look_for(start_byte)
        moved = abs(self.its_track // self.heads - self.track // self.heads)
        move = self.head_switch_s if self.its_track != self.track else 0.0
        if moved > 0:
            seek = seek_s(moved, self.cylinders, self.track_seek_s, self.average_seek_s, self.full_seek_s)
            move = max(seek, self.head_switch_s)
        waited = move + rotational_wait_s(self.its_place_s, begin_s + move, self.rotation_s)
        return waited + end_place_s - self.its_place_s

    def _after_buffered(self, start_byte: int, end_byte: int, begin_s: float, end_place_s: float) -> None:
        """A read of what the drive reads ahead; where its buffer was full, it waits for the sector again."""
        limit = self.limit_byte
        self._look_for(limit - 1)
        full_s = self.since_s + (self.its_place_s + self.its_s) - self.place_s
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
        """Read on from a byte that has to come under the heads first."""
        self._look_for(byte)
        self.place_s, self.passed_byte = self.its_place_s, byte
        self.since_s = now_s + rotational_wait_s(self.its_place_s, now_s, self.rotation_s)

    def _limit(self, end_byte: int) -> int:
        """How far the drive reads on its own after a read that ends so."""
        return min(end_byte + self.buffer_bytes, self.capacity_bytes)

    def _look_for(self, byte: int) -> None:
        """Find track and place of a byte, and the time in which it passes."""
        zone = zone_of(byte, self.outer_zone_bytes, self.zones, self.inner_ratio)
        offset = byte - zone_start_bytes(zone, self.outer_zone_bytes, self.zones, self.inner_ratio)
        track_bytes = self.track_bytes * zone_ratio(zone, self.zones, self.inner_ratio)
        before = int(zone * self.zone_cylinders * self.heads)
        self.its_place_s = place_s(
            offset,
            track_bytes,
            before,
            self.heads,
            self.rotation_s,
            self.head_switch_s,
            self.cylinder_switch_s,
        )
        self.its_track, self.its_s = track_of(offset, track_bytes, before), self.rotation_s / track_bytes
