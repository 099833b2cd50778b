"""A rotating disk: seek curve, zones, the place of each byte on its track, and the wait for it.

Each function is scalar arithmetic that calls no other, so that any of them can be compiled alone. A byte's *place* is
the time at which a stream that began at byte 0 has it under the heads; the platter's angle is the place modulo a
turn, the time of a transfer the difference of two places [ruemmler-wilkes-disk].
"""

from __future__ import annotations

import math

from blocktime.model.laws.numeric import Number, larger, smaller

# A sector met this share of a turn too late was met on time: clocks of 1e5 s resolve no less.
TURN_TOLERANCE = 1e-6


def seek_s(
    distance_cylinders: float, cylinders: float, track_seek_s: float, average_seek_s: float, full_seek_s: float
) -> float:
    """Seek over a distance: ``a + b sqrt(d)`` up to a third of the stroke, then linear [ruemmler-wilkes-disk].

    It passes through the track seek at one cylinder, the average seek at a third of the stroke, which is the mean
    distance of two random places, and the full seek over the whole stroke.
    """
    if distance_cylinders <= 0:
        return 0.0
    third = cylinders / 3
    if third <= 1:
        return average_seek_s
    if distance_cylinders <= third:
        per_root = (average_seek_s - track_seek_s) / (math.sqrt(third) - 1)
        return max(0.0, track_seek_s + per_root * (math.sqrt(distance_cylinders) - 1))
    share = (min(distance_cylinders, cylinders) - third) / (cylinders - third)
    return average_seek_s + share * (full_seek_s - average_seek_s)


def on_curve_s(
    distance_cylinders: Number, third: Number, base: Number, root: Number, slope: Number, cylinders: Number
) -> Number:
    """The seek curve by its parts: ``a + b sqrt(d)`` to the end of the short seeks, then linear."""
    short = base + root * smaller(distance_cylinders, third) ** 0.5
    return short + slope * larger(0.0, smaller(distance_cylinders, cylinders) - third)


def zone_ratio(zone: int, zones: int, inner_ratio: float) -> float:
    """Transfer rate of a zone over that of the outermost: it falls in equal steps [general knowledge]."""
    return 1.0 if zones == 1 else 1.0 - (1.0 - inner_ratio) * zone / (zones - 1)


def zone_start_bytes(zone: int, outer_zone_bytes: float, zones: int, inner_ratio: float) -> float:
    """First byte of a zone: the capacity of the zones outside it; all zones have the same number of cylinders."""
    step = 0.0 if zones == 1 else (1.0 - inner_ratio) / (zones - 1)
    return outer_zone_bytes * (zone - step * zone * (zone - 1) / 2)


def track_of(zone_offset_bytes: float, track_bytes: float, tracks_before: int) -> int:
    """Track of a byte by its offset in its zone, counted from the outermost track of the disk."""
    return tracks_before + int(zone_offset_bytes / track_bytes)


def place_s(  # noqa: PLR0917  (compiled functions take their arguments in order)
    zone_offset_bytes: float,
    track_bytes: float,
    tracks_before: int,
    heads: int,
    rotation_s: float,
    head_switch_s: float,
    cylinder_switch_s: float,
) -> float:
    """Place of a byte: a rotation for each track before it, its offset on its track, and the skews of all switches."""
    track = tracks_before + int(zone_offset_bytes / track_bytes)
    cylinder = track // heads
    turned_s = (tracks_before + zone_offset_bytes / track_bytes) * rotation_s
    return turned_s + (track - cylinder) * head_switch_s + cylinder * cylinder_switch_s


def rotational_wait_s(place_s: float, now_s: float, rotation_s: float) -> float:
    """Time until a place is under the heads; less than a rotation."""
    turns = (place_s - now_s) / rotation_s
    part = turns - math.floor(turns)
    return 0.0 if part > 1.0 - TURN_TOLERANCE else part * rotation_s
