"""Rotating disks from what a specification says of them."""

from __future__ import annotations

from array import array
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from blocktime.model.laws.disk import zone_ratio, zone_start_bytes
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.loops import fastest, rotating
from blocktime.model.loops.rows import row

Rotating = fastest(rotating.Rotating)


def rotating_of(disk: Any, write_overhead_s: float | None = None) -> rotating.Rotating:
    """A rotating disk at rest."""
    write = disk.write_overhead_s if write_overhead_s is None else write_overhead_s
    stream = disk.write_bandwidth_bytes_per_s
    return Rotating(
        disk.overhead_s,
        disk.overhead_s if write is None else write,
        stream is not None,
        stream or 0.0,
        disk.track_buffer_bytes,
        disk.bus_bytes_per_s,
        disk.capacity_bytes,
        *_laid_out(Sheet(*FIELDS(disk))),
    )


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
def _laid_out(sheet: Sheet) -> tuple[Any, ...]:
    """The geometry of a disk; last, the first byte, the bytes of a track and the tracks before each zone."""
    g = geometry_of(sheet)
    zones = range(g.zones)
    starts = [zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio) for zone in zones]
    track_bytes = [g.track_bytes * zone_ratio(zone, g.zones, g.inner_ratio) for zone in zones]
    tracks = [int(zone * g.zone_cylinders * g.heads) for zone in zones]
    return (
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
