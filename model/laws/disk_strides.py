"""From the end of one request on a platter to the start of the next, a stride further, place by place.

Rotations that are lost between places follow from them [ruemmler-wilkes-disk]. Places are those of the outermost zone;
times may be arrays.
"""

from __future__ import annotations

from functools import lru_cache

from blocktime.model.laws.disk_geometry import Geometry
from blocktime.model.laws.disk_means import seek_at_s
from blocktime.model.laws.numeric import Number, ceiling, floor_div, is_array, larger, smaller, where
from blocktime.model.laws.rotating_disk import TURN_TOLERANCE, zone_ratio, zone_start_bytes

PLACES = 32
"""Places of a strided program whose hops represent all hops."""


def strided_hop_s(g: Geometry, size_bytes: Number, stride_bytes: Number, late_s: Number) -> Number:
    """Mean hop of a program from the end of one call to the next, one stride further, over its first places."""
    arrays = any(map(is_array, (size_bytes, stride_bytes, *g)))
    ways = (_strided_ways if arrays else _memorised_ways)(g, size_bytes, stride_bytes)
    return sum(_turned_s(g, way, late_s) for way in ways) / PLACES


def _strided_ways(g: Geometry, size_bytes: Number, stride_bytes: Number) -> list[tuple[Number, Number]]:
    """The ways of the heads of those hops."""
    return [_way_s(g, place * stride_bytes + size_bytes - 1, (place + 1) * stride_bytes) for place in range(PLACES)]


_memorised_ways = lru_cache(maxsize=4096)(_strided_ways)  # the same for every command of a drive


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


def place_s(g: Geometry, byte: Number) -> Number:
    """Place of a byte as in :func:`model.laws.rotating_disk.place_s`, for arrays as well."""
    track = floor_div(byte, g.track_bytes)
    cylinder = floor_div(track, g.heads)
    return byte / g.track_bytes * g.rotation_s + (track - cylinder) * g.head_switch_s + cylinder * g.cylinder_switch_s


def cylinder_of(g: Geometry, byte: Number) -> Number:
    """Cylinder of a byte, including the fraction of the cylinder before it."""
    cylinder: Number = 0.0
    for zone in range(g.zones):
        ratio = zone_ratio(zone, g.zones, g.inner_ratio)
        inside = larger(0.0, byte - zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio))
        cylinder = cylinder + smaller(inside / (g.heads * g.track_bytes * ratio), g.zone_cylinders)
    return cylinder
