"""Drives for compiled loops: a rotating disk and flash, command by command.

The float operations are those of :class:`model.machine.device.rotating.Rotating` and
:class:`model.machine.device.flash.Flash`, in their order. What changes with each command is a tuple, what does not
another.
"""

from __future__ import annotations

from heapq import heapreplace
from typing import Any, NamedTuple

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
from model.laws.disk_geometry import geometry_of


class Medium(NamedTuple):
    """What a drive is: its times and rates, those of writes where they differ, and of a rotating one its geometry."""

    overhead_s: tuple[float, float]
    """Of a read and of a write."""
    rate_bytes_per_s: tuple[float, float]
    writes_stream: bool
    """Whether queued writes go on at the second rate, and not as their sectors pass."""
    slots: int
    """Commands at once of a flash drive."""
    capacity_bytes: int
    average_seek_s: float
    turns: bool
    """Whether it is a rotating disk; what follows is 0 for flash."""
    buffer_bytes: int = 0
    bus_bytes_per_s: float = 0.0
    rotation_s: float = 0.0
    track_seek_s: float = 0.0
    full_seek_s: float = 0.0
    head_switch_s: float = 0.0
    cylinder_switch_s: float = 0.0
    heads: int = 0
    zones: int = 0
    inner_ratio: float = 0.0
    track_bytes: float = 0.0
    zone_cylinders: float = 0.0
    cylinders: float = 0.0
    outer_zone_bytes: float = 0.0


class Command(NamedTuple):
    """What is handed in when: a write where *write* is 1."""

    now_s: float
    write: int
    start_byte: int
    end_byte: int


class Heads(NamedTuple):
    """Where a rotating disk is after a command, and what it reads on its own since."""

    free_s: float
    track: int
    end_byte: int
    end_place_s: float
    wrote: int
    reads_on: bool
    """Whether the rest is of any account: all before *passed_byte* is there, the rest passes from *since_s* on."""
    from_byte: int
    passed_byte: int
    place_s: float
    since_s: float
    limit_byte: int


AT_REST = Heads(0.0, 0, -1, 0.0, 0, False, 0, 0, 0.0, 0.0, 0)


class Channel(NamedTuple):
    """When a flash drive's channel is free, and where its last command ended."""

    free_s: float
    end_byte: int


UNUSED = Channel(0.0, -1)


def medium_of(disk: Any) -> Medium:
    """The drive that a specification describes: a single one without caches and limits."""
    read, write = disk.overhead_s, disk.write_overhead_s
    rate, write_rate = disk.bandwidth_bytes_per_s, disk.write_bandwidth_bytes_per_s
    common = (
        (float(read), float(read if write is None else write)),
        (float(rate), float(rate if write_rate is None else write_rate)),
        write_rate is not None,
        int(disk.parallel_requests),
        int(disk.capacity_bytes),
        float(disk.average_seek_s),
    )
    if not disk.rotation_s:
        return Medium(*common, turns=False)
    g = geometry_of(disk)
    return Medium(
        *common,
        turns=True,
        buffer_bytes=int(disk.track_buffer_bytes),
        bus_bytes_per_s=float(disk.bus_bytes_per_s),
        rotation_s=float(g.rotation_s),
        track_seek_s=float(g.track_seek_s),
        full_seek_s=float(g.full_seek_s),
        head_switch_s=float(g.head_switch_s),
        cylinder_switch_s=float(g.cylinder_switch_s),
        heads=int(g.heads),
        zones=int(g.zones),
        inner_ratio=float(g.inner_ratio),
        track_bytes=float(g.track_bytes),
        zone_cylinders=float(g.zone_cylinders),
        cylinders=float(g.cylinders),
        outer_zone_bytes=float(g.outer_zone_bytes),
    )


def through_channel(medium: Medium, channel: Channel, slots: list[float], command: Command) -> Channel:
    """A flash drive after a command: latency in a slot, transfer over the channel."""
    now_s, write, start_byte, end_byte = command
    latency = medium.overhead_s[write]
    if channel.end_byte < 0 or not continues(start_byte, channel.end_byte):
        latency = latency + medium.average_seek_s
    ready = max(slots[0], now_s) + latency
    transfer = transfer_s(end_byte - start_byte, medium.rate_bytes_per_s[write])
    end = max(ready, channel.free_s) + transfer
    heapreplace(slots, ready if len(slots) > 1 else end)
    return Channel(end, end_byte)


def under_heads(medium: Medium, heads: Heads, command: Command) -> Heads:
    """A rotating disk after a command."""
    now_s, write, start_byte, end_byte = command
    track, last_place, byte_s = _track_place_and_byte(medium, end_byte - 1)
    end_place = last_place + byte_s
    goes_on = now_s < heads.free_s and write == heads.wrote and start_byte == heads.end_byte
    begin = heads.free_s if goes_on else max(now_s, heads.free_s) + medium.overhead_s[write]
    if write == 0 and heads.reads_on and _holds(medium, heads, start_byte, begin):
        return _after_buffered(medium, heads, command, begin, track, end_place)
    if not goes_on:
        done = begin + _position_s(medium, heads.track, begin, start_byte, end_place)
    elif write == 1 and medium.writes_stream:
        done = begin + (end_byte - start_byte) / medium.rate_bytes_per_s[1]
    else:
        done = begin + end_place - heads.end_place_s
    reads_on, limit = write == 0 and medium.buffer_bytes > 0, _limit(medium, end_byte)
    return Heads(
        done, track, end_byte, end_place, write, reads_on, start_byte, end_byte, end_place, done, limit
    )


def _holds(medium: Medium, heads: Heads, start_byte: int, begin_s: float) -> bool:
    """Whether the drive has read a byte ahead, or will within a turn; to go farther it would rather seek."""
    if not heads.from_byte <= start_byte <= heads.limit_byte:
        return False
    if start_byte <= heads.passed_byte:
        return True
    _, place, _ = _track_place_and_byte(medium, start_byte)
    return heads.since_s + place - heads.place_s <= begin_s + medium.rotation_s


def _position_s(medium: Medium, at_track: int, begin_s: float, start_byte: int, end_place_s: float) -> float:
    """Seek, wait and transfer of a command that begins so."""
    track, place, _ = _track_place_and_byte(medium, start_byte)
    moved = abs(track // medium.heads - at_track // medium.heads)
    move = medium.head_switch_s if track != at_track else 0.0
    if moved > 0:
        seek = seek_s(moved, medium.cylinders, medium.track_seek_s, medium.average_seek_s, medium.full_seek_s)
        move = max(seek, medium.head_switch_s)
    waited = move + rotational_wait_s(place, begin_s + move, medium.rotation_s)
    return waited + end_place_s - place


def _after_buffered(
    medium: Medium, heads: Heads, command: Command, begin_s: float, track: int, end_place_s: float
) -> Heads:
    """After a read of what the drive reads ahead; where its buffer was full, it waits for the sector again."""
    _, _, start_byte, end_byte = command
    limit, passed_byte, place, since = heads.limit_byte, heads.passed_byte, heads.place_s, heads.since_s
    _, last_place, byte_s = _track_place_and_byte(medium, limit - 1)
    full_s = since + (last_place + byte_s) - place
    sent = begin_s + (end_byte - start_byte) / medium.bus_bytes_per_s
    beyond = end_byte > limit
    resumes = full_s < (begin_s if beyond else sent) and limit < medium.capacity_bytes
    if resumes and beyond:
        _, place, _ = _track_place_and_byte(medium, limit)
        since, passed_byte = begin_s + rotational_wait_s(place, begin_s, medium.rotation_s), limit
    passed_s = since + end_place_s - place if end_byte > passed_byte else 0.0
    done = max(sent, passed_s)
    if resumes and not beyond and end_byte + medium.buffer_bytes > limit:
        _, place, _ = _track_place_and_byte(medium, limit)
        since, passed_byte = done + rotational_wait_s(place, done, medium.rotation_s), limit
    kept = max(heads.from_byte, end_byte - medium.buffer_bytes)
    reach = max(limit, _limit(medium, end_byte))
    return Heads(done, track, end_byte, end_place_s, 0, True, kept, passed_byte, place, since, reach)


def _limit(medium: Medium, end_byte: int) -> int:
    """How far the drive reads on its own after a read that ends so."""
    return min(end_byte + medium.buffer_bytes, medium.capacity_bytes)


def _track_place_and_byte(medium: Medium, byte: int) -> tuple[int, float, float]:
    """Track and place of a byte, and the time in which it passes."""
    zones, inner_ratio, rotation_s = medium.zones, medium.inner_ratio, medium.rotation_s
    zone = zone_of(byte, medium.outer_zone_bytes, zones, inner_ratio)
    offset = byte - zone_start_bytes(zone, medium.outer_zone_bytes, zones, inner_ratio)
    track_bytes = medium.track_bytes * zone_ratio(zone, zones, inner_ratio)
    before = int(zone * medium.zone_cylinders * medium.heads)
    place = place_s(
        offset,
        track_bytes,
        before,
        medium.heads,
        rotation_s,
        medium.head_switch_s,
        medium.cylinder_switch_s,
    )
    return track_of(offset, track_bytes, before), place, rotation_s / track_bytes
