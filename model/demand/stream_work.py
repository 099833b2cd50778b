"""What one call of a stream asks of a processor and of the device, on average."""

from __future__ import annotations

from typing import Any

from blocktime.model.demand.calls import call_cpu_s
from blocktime.model.demand.device_calls import forwards, largest_bytes, visiting
from blocktime.model.demand.device_visit import start_s, visit_of
from blocktime.model.demand.stream_cached import fsyncs, read_ahead, written_behind, written_through
from blocktime.model.demand.stream_demand import LEAST_S, CallDemand, absorbed
from blocktime.model.laws import block_layer
from blocktime.model.laws.numeric import Number, larger, smaller, where
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.spec import System


def call_demand(system: System, calls: Any) -> CallDemand:
    """Demand of one call of *calls*, whose device answers at once when nobody queues."""
    calls = forwards(calls)
    host, path = system.host, calls.opened_as(system)
    write = calls.writes
    if write and path in UNBUFFERED and calls.synced != "none":
        return written_through(system, calls, path)
    if path in UNBUFFERED:
        return _unbuffered(system, calls, call_cpu_s(host, calls), write)
    if not write:
        return read_ahead(system, calls)
    if path == "buffered" and not fsyncs(calls):
        return written_behind(system, calls)
    return written_through(system, calls, path)


def _unbuffered(system: System, calls: Any, cpu_s: Number, write: bool) -> CallDemand:
    size = calls.block_size_bytes
    pieces, together = _pieces(system, calls)
    gap_s = cpu_s + calls.think_s
    visit = visit_of(system, visiting(calls, 1 / together), size * together, gap_s)
    demand = CallDemand(
        cpu_s=cpu_s,
        device_s=visit.alone_s / together,
        held_s=visit.held_s / together,
        requests=_requests(pieces, together),
        device_bytes=size,
        exact=where(pieces != 1, False, _remembers_nothing(system.disk, write)),
        start_s=start_s(system, calls, visit, size, gap_s),
    )
    return absorbed(system, calls, demand)


def _requests(pieces: Number, together: Number) -> Number:
    return larger(pieces / together, 1 / together)


def _pieces(system: System, calls: Any) -> tuple[Number, Number]:
    """Requests of a call that no merge joins, and calls that merge."""
    largest = largest_bytes(system, calls)
    return block_layer.pieces_of_call(calls.block_size_bytes, largest), _merged_calls(system, calls, largest)


def _merged_calls(system: System, calls: Any, largest: Number) -> Number:
    """Calls in order that merge while they wait: those beyond the device's own queue, by program."""
    most = larger(1, largest / calls.block_size_bytes)
    if calls.pattern != "sequential" or system.host.nomerges == "2":
        return 1
    if system.host.nomerges == "1" and calls.users > 1:
        # NOTE: what came last is another program's; only a batch comes together
        return larger(1, smaller(calls.batch, most))
    depth = max(system.disk.queue_depth, system.disk.parallel_requests)
    if depth >= system.host.nr_requests:  # a full queue is all at the device, and none waits to grow
        return larger(1, smaller(calls.batch, most))
    if calls.rate_per_s is not None:
        return _merged_arrivals(system, calls, most)
    waiting = calls.users * calls.in_flight / (depth + calls.users)
    return larger(1, smaller(larger(waiting, calls.batch), most))


def _merged_arrivals(system: System, calls: Any, most: Number) -> Number:
    """Calls in order that merge as they arrive faster than the device serves them one by one.

    While a request of each program is served, those come that merge into the next ones: k = λ·s(k) with s(k) = a + b·k.
    """
    rate = calls.users * calls.rate_per_s
    size = calls.block_size_bytes
    visit, largest_one = visit_of(system, calls, size, 0.0), visit_of(system, calls, size * most, 0.0)
    each_s = (largest_one.held_s - visit.held_s) / larger(1, most - 1)
    first_s = visit.held_s - each_s
    keeps_up = rate * each_s < 1
    merged = where(keeps_up, rate * first_s / larger(LEAST_S, 1 - rate * each_s), most)
    return larger(1, smaller(merged, most))


def _remembers_nothing(disk: Any, write: bool) -> bool:
    """Whether a device's time for a call does not depend on how many came before: no cache fills, no credits go."""
    caching = write and disk.write_cache_bytes > 0
    return (
        not caching
        and disk.raid_level == "none"
        and disk.iops_limit is None
        and disk.throughput_limit_bytes_per_s is None
    )
