"""The exact queue of one device for calls that arrive: merged at their ends, let go by a scheduler, limited in number.

Steps and their order are those of ``model.sim.device.BlockDevice`` over
:class:`model.machine.device.block_queue.BlockQueue` and those schedulers of :mod:`model.machine.device.elevator` that
neither idle nor take turns; what comes at the same moment comes in the order in which it became known. The plug of
kernels before 2.6.39 changes nothing here: who makes a call waits for it, and unplugs at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.loops import elevator, fastest
from model.loops.drives import single_of
from model.loops.rows import row

Times = NDArray[np.float64]
Whole = NDArray[np.int64]
Elevator = fastest(elevator.Elevator)


class Rules(NamedTuple):
    """What the queue goes by."""

    in_order: bool
    """First come, first served; else sweeps in batches, reads first."""
    largest_bytes: int
    nr_requests: int
    """Requests of each direction, waiting or at the device."""
    depth: int
    batch: int
    """Requests of a sweep."""
    writes_starved: int
    """How often reads may pass over writes."""
    read_expire_s: float
    """Age of a read with which the next batch begins."""
    write_expire_s: float


class Arrivals(NamedTuple):
    """Calls in the order in which they reach the block layer, none larger than the largest request."""

    arrival_s: Times
    known_s: Times
    """Since when it is sure that the call comes then."""
    after: Whole
    """The call with whose coming that was sure, where that is one of these; else -1."""
    write: Whole
    """1 for a write."""
    start_byte: Whole
    size_bytes: Whole


class Carried(NamedTuple):
    """What became of the calls, each an entry, and of the requests that carried them, in the order of their making."""

    request: Whole
    """The request that carried the call."""
    taken_s: Times
    """When the call joined or became a request."""
    made_by: Whole
    """The call that became the request."""
    write: Whole
    span: Whole
    """First byte of the request, and the first one behind it."""
    queued_s: Times
    begin_s: Times
    """When the request was handed to the device."""
    end_s: Times


def queued(calls: Arrivals, rules: Rules, disk: Any) -> Carried:
    """All calls, carried out by a single drive without caches and limits."""
    count = calls.arrival_s.size
    whole, times = [np.empty(count, np.int64) for _ in range(5)], [np.empty(count) for _ in range(4)]
    (request, made_by, write, begins, ends), (taken_s, queued_s, begin_s, end_s) = whole, times
    given = [np.ascontiguousarray(call) for call in calls]
    rows = (*given, request, taken_s, made_by, write, begins, ends, queued_s, begin_s, end_s)
    made = Elevator(*rules, single_of(disk), count).carried(*map(row, rows))
    return Carried(
        request,
        taken_s,
        made_by[:made],
        write[:made],
        np.column_stack((begins[:made], ends[:made])),
        queued_s[:made],
        begin_s[:made],
        end_s[:made],
    )
