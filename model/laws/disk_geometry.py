"""Values that follow from the data sheet of a rotating disk: media rate, tracks, cylinders, missing seeks.

A data sheet's transfer rate is sustained: it includes the switches from track to track. The media rate under a head is
higher by their share, so that a stream has the stated rate [drive-data-sheets].
"""

from __future__ import annotations

from typing import NamedTuple

from blocktime.model.laws.disk_fields import PlatterFields
from blocktime.model.laws.numeric import Number, ceil_div, larger
from blocktime.model.laws.rotating_disk import zone_ratio

TRACK_SEEK_RATIO = 1 / 6  # of the average seek, if the data sheet states none [general knowledge]
FULL_SEEK_RATIO = 2  # of the average seek, if the data sheet states none [general knowledge]


class Geometry(NamedTuple):
    """Tracks, cylinders, zones, and the times of moving among them."""

    rotation_s: Number
    track_seek_s: Number
    average_seek_s: Number
    full_seek_s: Number
    head_switch_s: Number
    cylinder_switch_s: Number
    heads: int
    zones: int
    inner_ratio: Number
    track_bytes: Number
    """Bytes of a track in the outermost zone."""
    zone_cylinders: Number
    """Cylinders of each zone."""

    @property
    def cylinders(self) -> Number:
        """Cylinders of the disk."""
        return self.zones * self.zone_cylinders

    @property
    def outer_zone_bytes(self) -> Number:
        """Bytes of the outermost zone."""
        return self.zone_cylinders * self.heads * self.track_bytes


def geometry_of(disk: PlatterFields) -> Geometry:
    """Geometry of a rotating disk from the fields of its specification."""
    average = disk.average_seek_s
    track_seek = average * TRACK_SEEK_RATIO if disk.track_seek_s is None else disk.track_seek_s
    full_seek = average * FULL_SEEK_RATIO if disk.full_seek_s is None else disk.full_seek_s
    cylinder_switch = larger(track_seek, disk.head_switch_s)
    switch = mean_switch_s(disk.heads, disk.head_switch_s, cylinder_switch)
    track_bytes = disk.bandwidth_bytes_per_s * (disk.rotation_s + switch)
    shares = sum(zone_ratio(zone, disk.zones, disk.inner_bandwidth_ratio) for zone in range(disk.zones))
    return Geometry(
        disk.rotation_s,
        track_seek,
        average,
        full_seek,
        disk.head_switch_s,
        cylinder_switch,
        disk.heads,
        disk.zones,
        disk.inner_bandwidth_ratio,
        track_bytes,
        ceil_div(disk.capacity_bytes, disk.heads * track_bytes * shares),
    )


def mean_switch_s(heads: Number, head_switch_s: Number, cylinder_switch_s: Number) -> Number:
    """Mean switch at the end of a track: one in *heads* switches leads to the next cylinder."""
    return head_switch_s + (cylinder_switch_s - head_switch_s) / heads
