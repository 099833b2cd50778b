"""What a drive is, for loops over commands: a rotating disk or flash."""

from __future__ import annotations

from typing import Any, NamedTuple

from model.laws.disk_geometry import geometry_of


class Medium(NamedTuple):
    """What a drive is: its times and rates, those of writes where they differ, and of a rotating one its geometry."""

    overhead_s: float
    write_overhead_s: float
    rate_bytes_per_s: float
    write_rate_bytes_per_s: float
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


def medium_of(disk: Any) -> Medium:
    """The drive that a specification describes: a single one without caches and limits."""
    read, write = disk.overhead_s, disk.write_overhead_s
    rate, write_rate = disk.bandwidth_bytes_per_s, disk.write_bandwidth_bytes_per_s
    common = (
        float(read),
        float(read if write is None else write),
        float(rate),
        float(rate if write_rate is None else write_rate),
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
