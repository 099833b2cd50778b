"""Limits of a volume: what counts as one request, how many are let through, and how long burst credits last."""

from __future__ import annotations

from math import ceil, inf
from typing import Any

from model.laws.numeric import Number, ceil_div, larger, smaller, where

LEAST = 1e-9
ROUNDING = 1e-9


def counted_requests(disk: Any, size_bytes: Number) -> Number:
    """Requests that a volume's limit counts of one: one for each ``limit_io_bytes`` of it; 0 takes any size as one.

    AWS counts 256 KiB [aws-ebs], Azure as much [azure-disks]; Linux counts a request of any size once
    [linux-blk-throttle].
    """
    counted = disk.limit_io_bytes
    return where(counted > 0, ceil_div(size_bytes, larger(1, counted)), 1)


def limited_per_s(disk: Any, requests_per_s: Number, size_bytes: Number) -> Number:
    """Requests of *size_bytes* a second, of those a device can do, that a volume's limits let through [aws-ebs]."""
    if disk.iops_limit is not None:
        requests_per_s = smaller(requests_per_s, disk.iops_limit / counted_requests(disk, size_bytes))
    if disk.throughput_limit_bytes_per_s is not None:
        requests_per_s = smaller(requests_per_s, disk.throughput_limit_bytes_per_s / size_bytes)
    return requests_per_s


def let_through_s(host: Any, disk: Any, size_bytes: Number, request_bytes: Number) -> Number:
    """Time in which a host's limits let bytes through in requests of a size, whatever its volumes they go to."""
    took_s: Number = 0.0
    if host.iops_limit is not None:
        counted = size_bytes / request_bytes * counted_requests(disk, request_bytes)
        took_s = larger(took_s, counted / host.iops_limit)
    if host.bandwidth_limit_bytes_per_s is not None:
        took_s = larger(took_s, size_bytes / host.bandwidth_limit_bytes_per_s)
    return took_s


def burst_requests(disk: Any) -> Number:
    """Counted requests that a volume serves at its burst rate before the credits are gone [aws-ebs]."""
    if disk.iops_limit is None or disk.burst_iops is None or disk.burst_iops <= disk.iops_limit:
        return 0.0
    return disk.burst_credits * disk.burst_iops / (disk.burst_iops - disk.iops_limit)


def mean_iops(disk: Any, counted: Number) -> Number:
    """Counted requests a second that a volume lets through over *counted* of them, the first of them on its credits."""
    quick = smaller(burst_requests(disk), counted)
    return counted / larger(LEAST, quick / disk.burst_iops + (counted - quick) / disk.iops_limit)


def credits_last_s(disk: Any, counted_per_s: float) -> float:
    """Seconds that full credits last at so many counted requests a second; endless up to the volume's own rate."""
    if (
        disk.iops_limit is None
        or disk.burst_iops is None
        or counted_per_s <= disk.iops_limit * (1 + ROUNDING)
    ):
        return inf
    return float(disk.burst_credits / (counted_per_s - disk.iops_limit))


def slice_begin_s(due_s: float, origin_s: float, slice_s: float) -> float:
    """Begin of the slice at whose end a request is due: a throttle in slices lets it through there.

    A slice's share of the limit is there as it begins: request n of *origin_s* goes in the first slice k for which
    rate · k · slice ≥ n [linux-blk-throttle].
    """
    return origin_s + max(0, ceil((due_s - origin_s) / slice_s - ROUNDING) - 1) * slice_s
