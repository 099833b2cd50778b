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
    scv: Number
    """Squared coefficient of variation of the device's time."""
    requests: Number
    """Requests at the device."""
    device_bytes: Number
    merged: Number
    """Bios that join a waiting request."""
    exact: bool
    """Whether a lone program's time follows exactly from it."""
    flushes: Number = 0
    """Cache flushes among the requests."""
    hidden: bool = False
    """Whether the device works behind the writer."""
    servers: int = 1
    """Requests that the device serves at once, where each of its servers takes any."""
    alike: Number = 1
    """Equal queues of one server, of which a call takes one."""
    together: Number = 1
    """Calls that wait together: those that merge, or are written by one fsync."""
    ahead: int = 0
    """Requests of each reader that are under way while it goes on; 0 where nothing works ahead."""
    visits: int = 1
    """Times that a call, with those that go together, waits for the device."""
    pieces: Number = 1
    """Requests of a call that no merge joins."""
    queued: Number = 0.0
    """Calls that wait at least, as only so many are sorted well enough."""
    gathered: Number = 1.0
    """Calls that commit at a time, where they arrive faster than one by one could."""
    waiting_share: Number = 1.0
    """Of the calls, those that wait for the device at all."""
    overlap_s: Number = 0.0
    """Of the device's time, what passes at most while the program works or pauses."""
    start_s: Number = 0.0
    """What the first calls take longer, once for each program."""
    drained_s: Number = 0.0
    """Time between two calls that leave a full write cache."""
    absorbed_calls: Number = 0.0
    """Calls of all programs that a write cache answers until it is full, if nothing left it."""
    drained_share: Number = 1.0
    """Of later calls, those that need room in the write cache."""


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
    absorbed, demand.drained_share = disk_sets.absorbed_bytes(disk, span)
    demand.absorbed_calls = absorbed / size
    demand.drained_s = disk_sets.destaged_s(
        disk, size, span, calls.stride_bytes if calls.pattern == "strided" else 0
    )
    return demand
