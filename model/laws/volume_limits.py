"""Limits of a volume: the size that counts as one request, the admitted requests, and the time burst credits last."""

from __future__ import annotations

from math import ceil, inf

from blocktime.model.laws.disk_fields import DiskFields
from blocktime.model.laws.numeric import Number, ceil_div, larger, smaller, where

ROUNDING = 1e-9


def counted_requests(disk: DiskFields, size_bytes: Number) -> Number:
    """Requests that a volume's limit counts for one: one per ``limit_io_bytes``; with 0, any size counts once.

    AWS counts 256 KiB [aws-ebs], Azure the same [azure-disks]; Linux counts a request of any size once
    [linux-blk-throttle].
    """
    counted = disk.limit_io_bytes
    return where(counted > 0, ceil_div(size_bytes, larger(1, counted)), 1)


def limited_per_s(disk: DiskFields, requests_per_s: Number, size_bytes: Number, each: Number = 1) -> Number:
    """Requests of *size_bytes* per second that a device can serve and the limits of its volumes admit [aws-ebs].

    The limits are those of each member of a set; a request costs *each* ones of members.
    """
    members = disk.raid_disks / each
    if disk.iops_limit is not None:
        requests_per_s = smaller(requests_per_s, members * disk.iops_limit / counted_requests(disk, size_bytes))
    if disk.throughput_limit_bytes_per_s is not None:
        requests_per_s = smaller(requests_per_s, members * disk.throughput_limit_bytes_per_s / size_bytes)
    return requests_per_s


def requests_of_members(disk: DiskFields, write: bool) -> int:
    """Requests of members for one of a set: a write goes to both sides of a mirror; on RAID 5 it reads, and writes, two
    [patterson-raid].
    """
    return {"1": 2, "10": 2, "5": 4}.get(disk.raid_level, 1) if write else 1


def credits_last_s(disk: DiskFields, counted_per_s: float) -> float:
    """Seconds that full credits last at a rate of counted requests; infinite up to the volume's own rate."""
    if (
        disk.iops_limit is None
        or disk.burst_iops is None
        or counted_per_s <= disk.raid_disks * disk.iops_limit * (1 + ROUNDING)
    ):
        return inf
    return float(disk.burst_credits / (counted_per_s / disk.raid_disks - disk.iops_limit))


def slice_begin_s(due_s: float, origin_s: float, slice_s: float) -> float:
    """Start of the slice at whose end a request is due: a throttle in slices admits it at this start.

    A slice has its share of the limit from its start: request n after *origin_s* goes in the first slice k with rate ·
    k · slice ≥ n [linux-blk-throttle].
    """
    return origin_s + max(0, ceil((due_s - origin_s) / slice_s - ROUNDING) - 1) * slice_s
