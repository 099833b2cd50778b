"""Programs whose calls arrive at one device behind a scheduler: their way follows from a loop, without events."""

from __future__ import annotations

from itertools import islice

import numpy as np

from model.causes import CPU
from model.demand.calls import File, call_cpu_s
from model.kernels.elevator import Arrivals, Carried, Rules, Times, Whole, queued
from model.kernels.queue import speeds_of, threads_queue
from model.laws import block_layer
from model.laws.opened_files import UNBUFFERED
from model.machine.device import drive
from model.machine.device.elevator import (
    FIFO_BATCH,
    IN_BATCHES,
    IN_ORDER,
    READ_EXPIRE_S,
    WRITE_EXPIRE_S,
    WRITES_STARVED,
)
from model.machine.device.iostat import Counters
from model.machine.device.iostat_of_times import Bios, Requests, count_merged
from model.results import Stage
from model.sim.caller import Draws, Record
from model.sim.fast import UNBUFFERED_CALLS, reads_all
from model.spec import Disk, Host, System

READS = (
    UNBUFFERED_CALLS
    | drive.SINGLE
    | {"host.scheduler", "host.nr_requests", "disk.write_cache_flushed", "disk.stripe_unit_bytes"}
)
"""The last two have no effect without a write cache and without a set."""


def is_queued(system: System, files: list[File]) -> bool:
    """Whether the loop over all calls is the same as the simulation of all parties."""
    host, disk = system.host, system.disk
    one_by_one = bool(disk.rotation_s) or disk.parallel_requests == 1
    works = {id(file.calls): file.calls for file in files}.values()
    return (
        host.scheduler in IN_ORDER + IN_BATCHES
        and all(file.path in UNBUFFERED for file in files)
        and all(
            work.rate_per_s is not None and work.block_size_bytes <= _largest_bytes(host) for work in works
        )
        and (one_by_one or disk.write_overhead_s in (None, disk.overhead_s))
        and reads_all(READS, system, works)
    )


def play_queued(system: System, files: list[File], draws: list[Draws], counters: Counters) -> list[Record]:
    """The record of each program's calls; *counters* are brought to their end."""
    comes_s, place, file_of = _in_order(files, draws)
    reaches_s, known_s, cpu_s = _through_processors(system.host, files, comes_s, file_of)
    order = np.argsort(reaches_s, kind="stable")
    after = np.where((reaches_s > comes_s)[order], -1, _the_one_before(files, file_of[order]))
    write = np.array([int(file.write) for file in files])[file_of]
    size = np.array([file.calls.block_size_bytes for file in files])[file_of]
    carried = queued(
        Arrivals(reaches_s[order], known_s[order], after, write[order], place[order], size[order]),
        rules_of(system.host, system.disk),
        system.disk,
    )
    merged = np.ones(len(order), bool)
    merged[carried.made_by] = False
    count_merged(
        counters,
        Bios(carried.taken_s, write[order], size[order], merged),
        Requests(carried.queued_s, carried.write, carried.span[:, 1] - carried.span[:, 0], carried.end_s),
    )
    request = np.empty_like(carried.request)
    request[order] = carried.request
    records = []
    for rank, file in enumerate(files):
        mine = file_of == rank
        records.append(_record(file, (comes_s[mine], cpu_s[mine]), request[mine], carried))
    return records


def rules_of(host: Host, disk: Disk) -> Rules:
    """What the queue of that machine and device goes by."""
    return Rules(
        in_order=host.scheduler in IN_ORDER,
        largest_bytes=_largest_bytes(host),
        nr_requests=int(host.nr_requests),
        depth=int(max(disk.queue_depth, disk.parallel_requests)),
        batch=FIFO_BATCH,
        writes_starved=WRITES_STARVED,
        read_expire_s=READ_EXPIRE_S,
        write_expire_s=WRITE_EXPIRE_S,
    )


def _largest_bytes(host: Host) -> int:
    return int(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))


def _in_order(files: list[File], draws: list[Draws]) -> tuple[Times, Whole, Whole]:
    """When the calls of all programs come, where they go, and whose they are, in the order in which they come.

    At the same moment those first that were on their way for longer, then those of the first program.
    """
    comes, before, places = [], [], []
    for file, draw in zip(files, draws, strict=True):
        assert draw.gaps_s is not None
        call_count = file.calls.count
        comes.append(np.cumsum(np.fromiter(islice(draw.gaps_s, call_count), float, call_count)))
        before.append(np.concatenate([[0.0], comes[-1][:-1]]))
        places.append(np.fromiter(draw.places, np.int64, call_count))
    file_of = np.repeat(np.arange(len(files)), [len(come) for come in comes])
    order = np.lexsort((file_of, np.concatenate(before), np.concatenate(comes)))
    return np.concatenate(comes)[order], np.concatenate(places)[order], file_of[order]


def _through_processors(
    host: Host, files: list[File], comes_s: Times, file_of: Whole
) -> tuple[Times, Times, Times]:
    """When the calls reach the block layer, since when that is known, and the time of a processor before."""
    call_s = np.array([call_cpu_s(host, file.calls) for file in files])[file_of]
    reaches_s, cpu_s = comes_s.copy(), np.zeros_like(comes_s)
    before = _the_one_before(files, file_of)
    known_s = np.where(before < 0, 0.0, comes_s[before])
    works = call_s > 0
    if works.any():
        begin_s = comes_s[works]
        cores = host.cores
        worked = threads_queue(begin_s, call_s[works], cores.threads, speeds_of(cores))
        reaches_s[works], known_s[works] = begin_s + (worked.end_s - begin_s), begin_s
        cpu_s[works] = worked.end_s - worked.begin_s
    return reaches_s, known_s, cpu_s


def _the_one_before(files: list[File], file_of: Whole) -> Whole:
    """The call before each one of the same program, in an order of all; -1 for none."""
    before = np.empty_like(file_of)
    for rank in range(len(files)):
        mine = np.flatnonzero(file_of == rank)
        before[mine] = np.concatenate([[-1], mine[:-1]])
    return before


def _record(file: File, came: tuple[Times, Times], request: Whole, carried: Carried) -> Record:
    """What one program's calls took, and the stages of the one in the middle; when each *came*, and its CPU."""
    comes_s, cpu_s = came
    end_s = carried.end_s[request]
    record = Record(end_s=float(end_s.max()))
    record.responses_s.frombytes((end_s - comes_s).tobytes())
    call_count = file.calls.count
    under_way = np.arange(1, call_count + 1) - np.searchsorted(np.sort(end_s), comes_s)
    record.in_flight_most = int(under_way.max())
    if cpu_s.any():
        record.causes_s[CPU], record.counts[CPU] = float(cpu_s.sum()), call_count
        record.longest_s[CPU] = float(cpu_s.max())
    shown, its = call_count // 2, int(request[call_count // 2])
    record.stages += [
        Stage(name="the call", begin_s=comes_s[shown], end_s=end_s[shown]),
        Stage(name="waits in the queue", begin_s=carried.queued_s[its], end_s=carried.begin_s[its]),
        Stage(name="at the device", begin_s=carried.begin_s[its], end_s=carried.end_s[its]),
    ]
    return record
