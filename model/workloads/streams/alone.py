"""One program with a device to itself, first come, first served, at which its calls arrive: a queue of rows, no events.

Nothing can merge, and no call waits for an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from blocktime.model.books import PERCENTILES
from blocktime.model.causes import CPU
from blocktime.model.demand.calls import File, call_cpu_s
from blocktime.model.kernels.queue import CallPath, Times, quantiles, speeds_of, summed_queue
from blocktime.model.laws import block_layer
from blocktime.model.laws.iostat import DeviceSums
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.machine.device import drive
from blocktime.model.sim.caller import Record
from blocktime.model.sim.fast import UNBUFFERED_CALLS, reads_all
from blocktime.model.spec import Disk, System
from blocktime.model.workloads.streams.books import Responses

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
    """Whether calls and requests are rows of two queues, whose sums are those of the simulation."""
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
    """The program's calls, first at a processor, then at a server; without lines of iostat, stages and calls under way.

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
        summed = summed_queue(gaps, gap_s[number], services, mean_s[number], way)
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
