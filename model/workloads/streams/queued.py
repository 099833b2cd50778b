"""Programs that call one device past the page cache: their calls follow from one loop, without a process for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocktime.model.causes import CPU, DEVICE, ROOM, RUN_QUEUE, THINKING
from blocktime.model.demand.calls import File, call_cpu_s, shown_call
from blocktime.model.kernels.arguments import in_one_piece
from blocktime.model.kernels.queue import speeds_of
from blocktime.model.laws import block_layer
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.loops import elevator, fastest
from blocktime.model.loops.rows import row
from blocktime.model.machine.device import drive
from blocktime.model.machine.device.elevator import (
    FIFO_BATCH,
    IN_BATCHES,
    IN_ORDER,
    READ_EXPIRE_S,
    WRITE_EXPIRE_S,
    WRITES_STARVED,
)
from blocktime.model.machine.device.iostat import Counters
from blocktime.model.machine.device.servers import Processors, Servers, Threads
from blocktime.model.sim import programs
from blocktime.model.sim.caller import Record
from blocktime.model.sim.fast import UNBUFFERED_CALLS, reads_all
from blocktime.model.spec import Host, System

READS = (
    UNBUFFERED_CALLS
    | drive.READS
    | {"host.scheduler", "host.nr_requests", "workload.batch", "workload.runtime_s"}
)
CHOICES = frozenset({"disk.reorder_age_s"})
CAUSES = {
    CPU: programs.CPU,
    RUN_QUEUE: programs.RUN_QUEUE,
    DEVICE: programs.DEVICE,
    ROOM: programs.ROOM,
    THINKING: programs.THINKING,
}

Times = NDArray[np.float64]
Whole = NDArray[np.int64]


CALL_ROWS = (np.int32, np.int64, *[float] * 4, np.int32, float, np.int32)
"""Whose, where, and the pause; responses, and what only the loop reads; of CallOutcomes; what stands behind."""
REQUEST_ROWS = (*[np.int64] * 3, *[float] * 3, np.int32, np.int32)
"""Of CallOutcomes, and the calls that a request carries."""


class CallDraws(NamedTuple):
    """What chance decides of the first calls of one program: where they go, and the gap before each or the think time
    behind it.
    """

    places: Whole
    pauses_s: Times | None = None


class CallOutcomes(NamedTuple):
    """What became of the calls, in the order of their programs, and of the requests, in the order of their making, if
    all are kept.
    """

    request: NDArray[np.int32]
    """The request that carried the call; -1 where it was not made."""
    begun_s: Times
    """When the program made the call."""
    write: Whole
    begins: Whole
    ends: Whole
    queued_s: Times
    begin_s: Times
    """When the request was handed to the device."""
    done_s: Times
    next_calls: Whole
    """The first call of each program that it has not made."""


def is_queued(system: System, files: list[File]) -> bool:
    """Whether the loop over all calls is the same as the simulation of all parties."""
    host, first = system.host, files[0].calls
    works = {id(file.calls): file.calls for file in files}.values()
    # NOTE: of one call at a time neither a scheduler nor a drive has a choice
    lone = len(files) == 1 and first.rate_per_s is None and int(first.in_flight) == 1
    return (
        (lone or host.scheduler in IN_ORDER + IN_BATCHES)
        and all(file.path in UNBUFFERED for file in files)
        and all(work.block_size_bytes <= _largest_bytes(host) for work in works)
        and reads_all(READS | CHOICES if lone else READS, system, works)
    )


def play_queued(
    system: System,
    files: Sequence[File],
    drawn: Sequence[CallDraws],
    server: Any,
    counters: Counters,
    *,
    keeps: bool = False,
) -> tuple[list[Record], CallOutcomes]:
    """The record of each program's calls, and what became of them; *counters* are brought to their end.

    Of requests only those under way have rows, unless it *keeps* all.
    """
    programs_count, first = len(files), np.cumsum([0, *(len(draw.places) for draw in drawn)])
    calls = int(first[-1])
    rows: list[Any] = in_one_piece(calls + programs_count, CALL_ROWS)
    under_way = calls if keeps else min(calls, 2 * int(system.host.nr_requests))
    of_requests: list[Any] = in_one_piece(under_way + 1, REQUEST_ROWS)
    for rank, draw in enumerate(drawn):
        own = slice(first[rank], first[rank + 1])
        for column, value in zip(rows[:3], (rank, draw.places, draw.pauses_s), strict=True):
            column[own] = 0 if value is None else value
    next_calls = np.zeros(programs_count, np.int64)
    rows[6].fill(programs.NOBODY)
    queue = fastest(elevator.ElevatorLoop)(*_rules(system.host), *map(row, of_requests[:5]))
    parties = fastest(programs.Programs)(queue, server, counters, _processors(system.host), *_device(system))
    answered, most = np.zeros(programs_count, np.int64), np.zeros(programs_count, np.int64)
    end_s = np.zeros(programs_count)
    caused = [np.zeros((programs_count, programs.CAUSES), kind) for kind in (float, np.int64, float)]
    told = [answered, most, end_s, *(columns.ravel() for columns in caused), next_calls]
    asked = [first, *_asked(system, files, drawn)]
    parties.play(*map(row, [*asked, *rows, *of_requests[5:], *told]))
    counters.programs_ended(float(end_s.max()))
    counters.finish(counters.last_s)
    records = []
    for rank in range(programs_count):
        record = Record(end_s=float(end_s[rank]), in_flight_most=int(most[rank]))
        heard_s = rows[3][first[rank] : first[rank] + answered[rank]]
        record.responses_s.frombytes(row(heard_s.view(np.uint8)))
        for cause, place in CAUSES.items():
            if caused[1][rank, place]:
                seconds, times, longest_s = (column[rank, place].item() for column in caused)
                record.causes_s[cause], record.counts[cause] = seconds, times
                record.longest_s[cause] = longest_s
        records.append(record)
    for call, queued_s, begin_s, done_s in parties.stages:
        _show(records[int(np.searchsorted(first, call, side="right")) - 1], queued_s, begin_s, done_s)
    outcomes: list[Any] = [column[:calls] for column in rows[6:8]]
    outcomes += [*(column[: queue.made] for column in of_requests[:6]), next_calls]
    return records, CallOutcomes(*outcomes)


def _asked(system: System, files: Sequence[File], drawn: Sequence[CallDraws]) -> list[Any]:
    """Of each program what decides how it calls, a column for each."""
    every = [file.calls for file in files]
    arrives = [calls.rate_per_s is not None for calls in every]
    whole = (
        [file.write for file in files],
        [calls.block_size_bytes for calls in every],
        [0 if comes else calls.in_flight for comes, calls in zip(arrives, every, strict=True)],
        [calls.batch for calls in every],
        [shown_call(calls) for calls in every],
        [CAUSES[CPU if calls.submission == "polled" else DEVICE] for calls in every],
        [not comes and draw.pauses_s is not None for comes, draw in zip(arrives, drawn, strict=True)],
    )
    call_s = [call_cpu_s(system.host, calls) for calls in every]
    until_s = [inf if calls.runtime_s is None else calls.runtime_s for calls in every]
    return [*(np.array(column, np.int64) for column in whole), np.array(call_s, float), np.array(until_s)]


def _show(record: Record, queued_s: float, begin_s: float, done_s: float) -> None:
    """Stages of the call that is shown: of its request, or of all of it."""
    if queued_s == inf:
        record.show("the call", begin_s, done_s)
    else:
        record.show("waits in the queue", queued_s, begin_s)
        record.show("at the device", begin_s, done_s)


def _rules(host: Host) -> tuple[Any, ...]:
    """What the queue of that machine goes by."""
    in_order = host.scheduler not in IN_BATCHES
    limits = (_largest_bytes(host), int(host.nr_requests))
    return (in_order, *limits, FIFO_BATCH, WRITES_STARVED, READ_EXPIRE_S, WRITE_EXPIRE_S)


def _processors(host: Host) -> Processors:
    """Processors that are all alike, or threads of cores that share what they have."""
    alike = speeds_of(host.cores) is None
    return fastest(Servers)(host.cores.threads) if alike else fastest(Threads)(host.cores)


def _device(system: System) -> tuple[int, bool]:
    """Requests that the device takes at once, and whether the queue is plugged."""
    disk = system.disk
    plugs = block_layer.release_of(system.host.kernel) < block_layer.TASKS_PLUG
    return int(max(disk.queue_depth, disk.parallel_requests)), plugs


def _largest_bytes(host: Host) -> int:
    return int(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))
