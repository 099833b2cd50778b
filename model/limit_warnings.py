"""What to say of an answer that a volume's limits decide: slices that an estimate paces, and burst credits."""

from __future__ import annotations

from math import inf
from typing import Any

from model.laws.limits import counted_requests, credits_last_s
from model.results import DeviceStats
from model.units import show_seconds

SPENT = 0.999


def paces_slices(disk: Any) -> list[str]:
    """What an instant estimate says of a throttle in slices."""
    if not disk.limit_slice_s:
        return []
    return [
        f"disk.limit_slice_s {disk.limit_slice_s:g}: a throttle lets a slice's requests through at once and then none "
        "until the next slice; the instant estimate paces them evenly, which gives the mean over many slices"
    ]


def credit_warnings(disk: Any, device: DeviceStats | None, span_s: float) -> list[str]:
    """How long the burst credits of a volume last that did what *device* says during *span_s* seconds."""
    if device is None or disk.burst_iops is None:
        return []
    counted_per_s = (device.reads_per_s + device.writes_per_s) * counted_requests(
        disk, device.average_request_bytes
    )
    lasts_s = credits_last_s(disk, counted_per_s)
    if lasts_s == inf:
        return []
    then = f"after that the volume serves {disk.iops_limit:,.0f} requests/s"
    if lasts_s * SPENT <= span_s:
        return [f"the volume spends its {disk.burst_credits:,.0f} burst credits during the run; {then}"]
    return [
        f"the volume serves this load on its burst credits, which last {show_seconds(lasts_s)} at this rate; {then}"
    ]
