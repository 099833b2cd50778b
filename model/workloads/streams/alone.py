"""One program with a device to itself, first come, first served, at which its calls arrive: a queue of rows, no events.

Nothing can merge, and no call waits for an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from typing import Any

import numpy as np

from model.books import PERCENTILES
from model.causes import CPU
from model.demand.calls import File, call_cpu_s, shown_call
from model.kernels.queue import (
    CallPath,
    Served,
    Times,
    open_queue,
    quantiles,
    speeds_of,
    summed_queue,
    threads_queue,
)
from model.laws import block_layer
from model.laws.iostat import DeviceSums
from model.laws.opened_files import UNBUFFERED
from model.loops.rows import row
from model.machine.device import drive
from model.machine.device.iostat import Counters
from model.results import Stage
from model.sim.caller import Record
from model.sim.fast import UNBUFFERED_CALLS, reads_all
from model.spec import Disk, System
from model.workloads.streams.books import Responses
from model.workloads.streams.queued import Drawn

OPEN_READS = (
    UNBUFFERED_CALLS
    | drive.GEOMETRY - {"disk.average_seek_s", "disk.rotation_s", "disk.track_seek_s", "disk.full_seek_s"}
    | {
        "host.scheduler",
        "host.nr_requests",
        "disk.overhead_s",
        "disk.bandwidth_bytes_per_s",
        "disk.parallel_requests",
        "disk.queue_depth",
        "disk.interface",
        "disk.service_cv",
    }
)
"""Requests of one size on a device without positions, whose geometry has no effect."""


def is_alone(system: System, files: list[File]) -> bool:
    """Whether the queue of rows is the same as the simulation of all parties."""
    if len(files) > 1 or files[0].path not in UNBUFFERED or files[0].calls.rate_per_s is None:
        return False
    calls, host, disk = files[0].calls, system.host, system.disk
    largest = block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments)
    if calls.block_size_bytes > largest:
        return False
    in_order = host.scheduler in ("noop", "none", "kyber")
    none_kept_out = host.nr_requests >= disk.parallel_requests
    alike = bool(disk.service_cv) or disk.parallel_requests == 1
    never_merged = largest < 2 * calls.block_size_bytes
    return in_order and none_kept_out and alike and never_merged and reads_all(OPEN_READS, system, [calls])


def play_alone(
    system: System, file: File, drawn: Drawn, factors: Iterator[float], counters: Counters
) -> Record:
    """The record of the program's calls; *counters* are brought to their end.

    First a processor for each call, then the device, whose service times vary by *factors*.
    """
    calls, host, disk = file.calls, system.host, system.disk
    assert drawn.pauses_s is not None
    count = calls.count
    arrival_s = np.cumsum(drawn.pauses_s)
    call_s = call_cpu_s(system.host, file.calls)
    worked = Served(arrival_s, arrival_s)
    if call_s > 0:
        worked = threads_queue(arrival_s, np.full(count, call_s), host.cores.threads, speeds_of(host.cores))
    # NOTE: of two calls, the one that begins later, at a faster thread, may reach the device first
    order = np.argsort(worked.end_s, kind="stable")
    at_device_s = worked.end_s[order]
    service_s = np.fromiter(islice(factors, count), float, count) * _mean_s(disk, calls.block_size_bytes)
    served = open_queue(at_device_s, service_s, disk.parallel_requests)
    end_s, in_order = served.end_s, np.argsort(served.end_s, kind="stable")
    ends = end_s[in_order]
    queued_s = at_device_s.copy()
    late = max(0, count - host.nr_requests)  # a full queue takes a call in when an earlier one is done
    queued_s[count - late :] = np.maximum(queued_s[count - late :], ends[:late])
    rows = row(queued_s), row(queued_s[in_order]), row(ends)
    counters.count_all(file.write, calls.block_size_bytes, *rows)
    record = Record(end_s=float(ends[-1]))
    record.responses_s.frombytes((end_s - arrival_s[order]).tobytes())
    under_way = np.arange(1, count + 1) - np.searchsorted(ends, arrival_s)
    record.in_flight_most = int(under_way.max())
    if call_s > 0:
        cpu_s = worked.end_s - worked.begin_s
        record.causes_s[CPU], record.counts[CPU] = float(cpu_s.sum()), count
        record.longest_s[CPU] = float(cpu_s.max())
    depth = max(disk.queue_depth, disk.parallel_requests)
    late = max(0, count - depth)
    handed_s = queued_s.copy()
    handed_s[count - late :] = np.maximum(handed_s[count - late :], ends[:late])
    of_call = np.argsort(order)
    _show(record, file, arrival_s, queued_s[of_call], handed_s[of_call], end_s[of_call])
    return record


class RequestSums:
    """Counters of requests of one direction and size that are all done; their times may be arrays."""

    merges = 0, 0
    intervals = ()
    interval_s = inf

    def __init__(self, write: bool, count: int, size_bytes: int, held_s: Any, busy_s: Any) -> None:
        self.requests = (0, count) if write else (count, 0)
        self.moved_bytes = (0, count * size_bytes) if write else (count * size_bytes, 0)
        self.sizes = {(write, size_bytes): count}
        self._ticks_s = (0.0, held_s) if write else (held_s, 0.0)
        self._busy_s = busy_s

    def counted(self) -> DeviceSums:
        """All of them."""
        return DeviceSums(self.requests, self.merges, self.moved_bytes, self._ticks_s, self._busy_s, (0, 0.0))


def sum_arriving(
    system: System, calls: Any, scenarios: int, draws: Iterable[tuple[Times, Times]]
) -> tuple[Record, Responses, RequestSums]:
    """As :func:`play_alone`, where nobody asks for lines of iostat, for stages, or for how many calls were under way.

    Of so many *scenarios*, each with factors of its gaps and of its services among the *draws*: arrays of their
    numbers. Rates and what a request takes of the device may be arrays.
    """
    host, disk, count, size = system.host, system.disk, calls.count, calls.block_size_bytes
    call_s, cores = call_cpu_s(host, calls), host.cores
    way = CallPath(call_s, cores.threads, speeds_of(cores), disk.parallel_requests, host.nr_requests)
    gap_s = np.broadcast_to(1 / calls.rate_per_s, scenarios)
    mean_s = np.broadcast_to(_mean_s(disk, size), scenarios)
    sums: Any = np.empty((4, scenarios))
    mean_response_s, percentiles_s = np.empty(scenarios), np.empty((scenarios, len(PERCENTILES)))
    for number, (gaps, services) in enumerate(draws):
        summed = summed_queue(gaps * gap_s[number], services * mean_s[number], way)
        sums[:, number] = summed.end_s, summed.held_s, summed.busy_s, summed.cpu_s
        mean_response_s[number] = summed.response_s.mean()
        percentiles_s[number] = quantiles(summed.response_s, PERCENTILES.values())
    end_s, held_s, busy_s, cpu_s = sums
    record = Record(end_s=end_s, causes_s={CPU: cpu_s} if call_s > 0 else {})
    counters = RequestSums(calls.writes, count, size, held_s, busy_s)
    responses = Responses(count, mean_response_s, dict(zip(PERCENTILES, percentiles_s.T, strict=True)))
    return record, responses, counters


def _mean_s(disk: Disk, size_bytes: int) -> float:
    """Mean service time of a device without positions."""
    return disk.overhead_s + size_bytes / disk.bandwidth_bytes_per_s


def _show(record: Record, file: File, begin_s: Any, queued_s: Any, handed_s: Any, end_s: Any) -> None:
    """The stages of the call in the middle."""
    call = shown_call(file.calls)
    record.stages += [
        Stage(name="the call", begin_s=begin_s[call], end_s=end_s[call]),
        Stage(name="waits in the queue", begin_s=queued_s[call], end_s=handed_s[call]),
        Stage(name="at the device", begin_s=handed_s[call], end_s=end_s[call]),
    ]
