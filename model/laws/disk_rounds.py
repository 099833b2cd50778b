"""Programs that alternate on a platter: from the end of one request to the start of the next, place by place.

The places of files are known, and so are the rotations lost between them [ruemmler-wilkes-disk]. Places are those of
the outermost zone; times may be arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from blocktime.model.laws.disk import TURN_TOLERANCE, zone_ratio, zone_start_bytes
from blocktime.model.laws.disk_geometry import Geometry, geometry_of
from blocktime.model.laws.disk_means import overhead_s, seek_at_s
from blocktime.model.laws.numeric import Number, ceiling, floor_div, is_array, larger, smaller, where

PLACES = 32
"""Places of a strided program whose hops represent all hops."""


def round_s(disk: Any, starts: Sequence[int], size_bytes: int, step_bytes: int, write: bool) -> Number:
    """Time of one round of programs that alternate, each with *size_bytes* at its own place.

    A hop is command, seek or head switch, and wait for the sector; the first program then continues by *step_bytes*.
    """
    g = geometry_of(disk)
    took: Number = 0.0
    for start, following in zip(starts, (*starts[1:], starts[0] + step_bytes), strict=True):
        took = took + transfer_s(g, start, size_bytes)
        took = took + hop_s(g, start + size_bytes - 1, following, overhead_s(disk, write))
    return took


def strided_hop_s(g: Geometry, size_bytes: Number, stride_bytes: Number, late_s: Number) -> Number:
    """Mean hop of a program from the end of one call to the next, one stride further, over its first places."""
    arrays = any(map(is_array, (size_bytes, stride_bytes, *g)))
    ways = (_strided_ways if arrays else _kept_ways)(g, size_bytes, stride_bytes)
    return sum(_turned_s(g, way, late_s) for way in ways) / PLACES


def mean_hop_s(g: Geometry, starts: Sequence[int], size_bytes: Number, late_s: Number) -> Number:
    """Mean hop of a program from the end of one call to the next, at these places."""
    hops = [hop_s(g, start + size_bytes - 1, following, late_s) for start, following in pairwise(starts)]
    return sum(hops) / len(hops)


def _strided_ways(g: Geometry, size_bytes: Number, stride_bytes: Number) -> list[tuple[Number, Number]]:
    """The ways of the heads of those hops."""
    return [
        _way_s(g, place * stride_bytes + size_bytes - 1, (place + 1) * stride_bytes)
        for place in range(PLACES)
    ]


_kept_ways = lru_cache(maxsize=4096)(_strided_ways)  # the same for every command of a drive


def hop_s(g: Geometry, last_byte: Number, start_byte: Number, late_s: Number) -> Number:
    """From the end of *last_byte* to the start of *start_byte*, for a command that moves the heads *late_s* later."""
    return _turned_s(g, _way_s(g, last_byte, start_byte), late_s)


def _way_s(g: Geometry, last_byte: Number, start_byte: Number) -> tuple[Number, Number]:
    """How long the heads move from one byte to another, and how long the platter turns between them."""
    from_track, to_track = floor_div(last_byte, g.track_bytes), floor_div(start_byte, g.track_bytes)
    cylinders = abs(floor_div(to_track, g.heads) - floor_div(from_track, g.heads))
    seek = larger(seek_at_s(g, larger(1, cylinders)), g.head_switch_s)
    move = where(cylinders > 0, seek, where(from_track != to_track, g.head_switch_s, 0.0))
    return move, place_s(g, start_byte) - place_s(g, last_byte) - g.rotation_s / g.track_bytes


def _turned_s(g: Geometry, way: tuple[Number, Number], late_s: Number) -> Number:
    """Time until the sector comes by after the heads are there, which set off *late_s* after the last one ended."""
    move, apart = way
    turns = ceiling((late_s + move - apart) / g.rotation_s - TURN_TOLERANCE)
    return apart + turns * g.rotation_s


def transfer_s(g: Geometry, start_byte: Number, size_bytes: Number) -> Number:
    """Time of a transfer, including its track switches."""
    return place_s(g, start_byte + size_bytes - 1) - place_s(g, start_byte) + g.rotation_s / g.track_bytes


def place_s(g: Geometry, byte: Number) -> Number:
    """Place of a byte as in :func:`model.laws.disk.place_s`, for arrays as well."""
    track = floor_div(byte, g.track_bytes)
    cylinder = floor_div(track, g.heads)
    return (
        byte / g.track_bytes * g.rotation_s
        + (track - cylinder) * g.head_switch_s
        + cylinder * g.cylinder_switch_s
    )


def first_s(disk: Any, start_byte: int, after_s: Number) -> Number:
    """Wait of the first request of an idle disk, from *after_s* on: its heads rest at the first byte until then."""
    g = geometry_of(disk)
    return hop_s(g, 0, start_byte, after_s) - after_s + g.rotation_s / g.track_bytes


def seek_between_s(disk: Any, first_byte: Number, second_byte: Number) -> Number:
    """Seek between two places on any zones."""
    g = geometry_of(disk)
    return seek_at_s(g, larger(1.0, abs(cylinder_of(g, first_byte) - cylinder_of(g, second_byte))))


def cylinder_of(g: Geometry, byte: Number) -> Number:
    """Cylinder of a byte, including the fraction of the cylinder before it."""
    cylinder: Number = 0.0
    for zone in range(g.zones):
        ratio = zone_ratio(zone, g.zones, g.inner_ratio)
        inside = larger(0.0, byte - zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio))
        cylinder = cylinder + smaller(inside / (g.heads * g.track_bytes * ratio), g.zone_cylinders)
    return cylinder
