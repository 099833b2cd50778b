"""Rotating disks from what a specification says of them."""

from __future__ import annotations

from array import array
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_means import overhead_s
from blocktime.model.laws.rotating_disk import zone_ratio, zone_start_bytes
from blocktime.model.loops import fastest, rotating
from blocktime.model.loops.arrays import row

Rotating = fastest(rotating.Rotating)


def rotating_of(disk: Any, write_overhead_s: float | None = None) -> rotating.Rotating:
    """A rotating disk at rest."""
    if write_overhead_s is None:
        write_overhead_s = overhead_s(disk, True)
    stream_bytes_per_s = disk.write_bandwidth_bytes_per_s or 0.0
    geometry = _tracks_of(Sheet(*FIELDS(disk)))
    return Rotating((overhead_s(disk, False), write_overhead_s), stream_bytes_per_s, disk, geometry)


class Tracks(NamedTuple):
    """Where the tracks of a disk lie, and what it takes to reach them."""

    rotation_s: float
    track_seek_s: float
    average_seek_s: float
    full_seek_s: float
    head_switch_s: float
    cylinder_switch_s: float
    heads: int
    cylinders: float
    zone_starts: Any
    """First byte of each zone, as a row of a loop; so are the others."""
    zone_track_bytes: Any
    zone_tracks: Any
    """Tracks before each zone."""


class Sheet(NamedTuple):
    """Fields of a data sheet that determine the geometry."""

    capacity_bytes: int
    bandwidth_bytes_per_s: float
    rotation_s: float
    track_seek_s: float | None
    average_seek_s: float
    full_seek_s: float | None
    head_switch_s: float
    heads: int
    zones: int
    inner_bandwidth_ratio: float


FIELDS = attrgetter(*Sheet._fields)


@lru_cache(maxsize=256)
def _tracks_of(sheet: Sheet) -> Tracks:
    """The tracks of a disk with that data sheet."""
    g = geometry_of(sheet)
    zones = range(g.zones)
    starts = [zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio) for zone in zones]
    track_bytes = [g.track_bytes * zone_ratio(zone, g.zones, g.inner_ratio) for zone in zones]
    tracks = [int(zone * g.zone_cylinders * g.heads) for zone in zones]
    return Tracks(
        g.rotation_s,
        g.track_seek_s,
        g.average_seek_s,
        g.full_seek_s,
        g.head_switch_s,
        g.cylinder_switch_s,
        g.heads,
        g.cylinders,
        row(array("d", starts)),
        row(array("d", track_bytes)),
        row(array("q", tracks)),
    )
