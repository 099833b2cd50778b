"""What one call of a stream asks of a processor and of the device: the figures, and what a write cache does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocktime.model.laws import disk_means, disk_sets
from blocktime.model.laws.numeric import Number, smaller
from blocktime.model.spec import System

LEAST_S = 1e-9


@dataclass(slots=True)
class CallDemand:
    """One call: means, while nobody else uses the device."""

    cpu_s: Number
    device_s: Number
    """Time that it waits for the device."""
    held_s: Number
    """Time that it takes of the device's capacity, over all requests that the device serves at once."""
    requests: Number
    """Requests at the device."""
    device_bytes: Number
    exact: bool
    """Whether a lone program's time follows exactly from it."""
    hidden: bool = False
    """Whether the device works behind the writer."""
    start_s: Number = 0.0
    """What the first calls take longer, once for each program."""
    drained_s: Number = 0.0
    """Time between two calls that leave a full write cache."""


def absorbed(system: System, calls: Any, demand: CallDemand) -> CallDemand:
    """The demand with what a write cache takes in, and how fast it is emptied afterwards."""
    disk = system.disk
    if not (calls.writes and disk.write_cache_bytes) or disk.service_cv:
        return demand
    size = calls.block_size_bytes
    span = None
    if calls.pattern == "random":
        capacity = disk.capacity_bytes * disk_means.data_members(disk)
        span = smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    demand.drained_s = disk_sets.destaged_s(
        disk, size, span, calls.stride_bytes if calls.pattern == "strided" else 0
    )
    return demand
