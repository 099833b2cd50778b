"""In which conditions a run uses its constants, for the ranges that they were fitted in to be held against."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, cast

from blocktime.model.causes import (
    DELETING,
    FETCHES,
    FROM_CLIENT,
    INSERTING,
    MIGRATING,
    MORE_DATA,
    SEARCHING,
    TO_CLIENT,
    UPDATING,
)
from blocktime.model.demand.calls import writes_at_once
from blocktime.model.demand.reading import mbrc_of
from blocktime.model.demand.requests import call_requests
from blocktime.model.demand.storage import reads_as_calls, slots_of
from blocktime.model.demand.transaction_demand import CALLS, CHANGES, FILLS, GETS, READS, ROWS, kinds_of
from blocktime.model.demand.work import NO_SCAN, Demand
from blocktime.model.laws import block
from blocktime.model.laws.numeric import Number, known_where, larger, over, smaller, some, where
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.provenance import Constant, Extrapolation, is_outside, outside_range, worst_first
from blocktime.model.spec import Stream, System, Transactions, Workload

WRITE_CALLS: Final = "write calls"
PAGE_WRITES: Final = "pages written into the page cache"
JOURNAL: Final = "commits of the journal"
AT_DEVICE: Final = "requests at the device"
TRANSFERS: Final = "transfers at the rate of reads and lone writes"
QUEUED_WRITES: Final = "writes that queue at the device"
REAPS: Final = "asking for finished reads"
TRIPS: Final = "round trips"
CLIENT_ROWS: Final = "rows at the client"
CLIENT_VALUES: Final = "column values at the client"
FETCHED_VALUES: Final = "column values fetched"
COSTED: Final = "CPU in the optimizer's cost"

USED_FOR: Final[dict[str, tuple[str, ...]]] = {
    "host.logical_io_s": (GETS, SEARCHING),
    "host.line_miss_s": (ROWS,),
    "host.line_stream_s": (ROWS,),
    "host.row_step_s": (ROWS,),
    "host.column_step_ratio": (ROWS,),
    "host.fetch_row_s": (FETCHES,),
    "host.fetch_column_s": (FETCHED_VALUES,),
    "host.call_s": (CALLS,),
    "host.read_call_s": (READS,),
    "host.reap_call_s": (REAPS,),
    "host.buffer_block_s": (FILLS,),
    "host.between_calls_s": (TRIPS,),
    "host.migrate_row_s": (MIGRATING,),
    "host.itl_entry_s": (SEARCHING,),
    "host.insert_row_s": (INSERTING,),
    "host.insert_column_s": (INSERTING,),
    "host.change_block_s": (INSERTING, UPDATING, DELETING, MIGRATING, CHANGES),
    "host.write_call_s": (WRITE_CALLS,),
    "host.page_write_s": (PAGE_WRITES,),
    "host.journal_age_s": (JOURNAL,),
    "client.round_trip_s": (FROM_CLIENT,),
    "client.message_send_s": (TO_CLIENT,),
    "client.send_cpu_fraction": (TO_CLIENT,),
    "client.more_data_send_s": (MORE_DATA,),
    "client.row_s": (CLIENT_ROWS,),
    "client.column_s": (CLIENT_VALUES,),
    "disk.overhead_s": (AT_DEVICE,),
    "disk.bandwidth_bytes_per_s": (TRANSFERS,),
    "disk.write_bandwidth_bytes_per_s": (QUEUED_WRITES,),
    "instance.statistics.cpuspeed_hz": (COSTED,),
    "instance.statistics.block_cycles": (COSTED,),
}
"""Constant -> the work that it is for: without any of it a run does not use it. Others are used by every run."""


@dataclass(slots=True)
class Conditions:
    """Of one part of a run, such as one of its streams: numbers or arrays."""

    quantities: dict[str, Number]
    """What ranges are stated in; NaN where it plays no part, absent where it plays none anywhere."""
    work: dict[str, Number]
    """How much is done of each work; what is absent is not done."""

    def uses(self, path: str) -> Number:
        """Whether this part of the run does work that the constant is for."""
        works = USED_FOR.get(path)
        return works is None or sum(where(self.work.get(work, 0) > 0, 1, 0) for work in works) > 0


def extrapolations(system: System, work: Workload, demand: Demand | None = None) -> list[Extrapolation]:
    """Constants that a run uses outside the ranges that they were fitted in, the farthest beyond theirs first.

    Of several parts of a run the one that is farthest beyond counts.
    """
    ranged = _ranged(system)
    worst: dict[tuple[str, str], Extrapolation] = {}
    for part in conditions_of(system, work, demand, _quantities(ranged)) if ranged else ():
        used = {path: constant for path, constant in ranged.items() if part.uses(path)}
        for extrapolation in outside_range(used, part.quantities):
            before = worst.get((extrapolation.constant, extrapolation.quantity))
            worst[extrapolation.constant, extrapolation.quantity] = (
                extrapolation if before is None else worst_first([before, extrapolation])[0]
            )
    return worst_first(worst.values())


def extrapolated_constants(system: System, work: Workload, demand: Demand | None = None) -> Number:
    """How many :func:`extrapolations` there are: a number or an array."""
    ranged = _ranged(system)
    parts = conditions_of(system, work, demand, _quantities(ranged)) if ranged else []
    total: Number = 0
    for path, constant in ranged.items():
        for quantity, (low, high) in constant.range.items():
            beyond: Number = 0
            for part in parts:
                if quantity in part.quantities:
                    outside = is_outside(part.quantities[quantity], low, high) & part.uses(path)
                    beyond = larger(beyond, where(outside, 1, 0))
            total = total + beyond
    return total


def _ranged(system: System) -> dict[str, Constant]:
    return {path: constant for path, constant in system.constants.items() if constant.range}


def _quantities(constants: Mapping[str, Constant]) -> set[str]:
    return {quantity for constant in constants.values() for quantity in constant.range}


EVERY: Final = frozenset({"request_bytes"})
"""Quantities that take some arithmetic."""


def conditions_of(
    system: System, work: Workload, demand: Demand | None = None, wanted: Collection[str] = EVERY
) -> list[Conditions]:
    """The conditions of each part of a run; what takes some arithmetic only if *wanted*.

    A statement, whose *demand* is given, is one part; streams are one each.
    """
    if demand is not None:
        return [_of_statement(system, work, demand, wanted)]
    if work.mixed:
        return _of_transactions(system, cast("Transactions", work))
    return [_of_calls(system, calls) for calls in (work, *work.beside)]


def _of_statement(system: System, work: Workload, demand: Demand, wanted: Collection[str]) -> Conditions:
    quantities: dict[str, Number] = {
        "block_size_bytes": demand.block_size_bytes,
        "row_bytes": demand.row.bytes,
        "columns": demand.row.columns,
    }
    done: dict[str, Number] = dict(demand.cpu)
    done |= {event: times for event, (times, _) in demand.waits.items()}
    done[TRIPS] = demand.trips * system.instance.sql_trace
    if demand.plan.asynchronous:
        done[REAPS] = demand.reads
        quantities["read_bytes"] = demand.plan.mbrc * demand.block_size_bytes
    if demand.access_path != NO_SCAN and system.instance.statistics.kind != "none":
        done[COSTED] = 1
    _add_arrays(quantities, done, system, demand)
    _add_changes(quantities, demand)
    _add_device(quantities, done, system, work, demand, wanted)
    return Conditions(quantities, done)


def _add_arrays(quantities: dict[str, Number], done: dict[str, Number], system: System, demand: Demand) -> None:
    """Rows that go between server and client together, and what of them."""
    row, fetching = demand.row, demand.sent
    if fetching is None:
        return
    quantities["arraysize_rows"] = fetching.arraysize_rows
    message = fetching.arraysize_rows * fetching.row_bytes(row)
    quantities["message_bytes"] = smaller(message, system.client.sdu_bytes)
    done[CLIENT_ROWS] = 1
    if fetching.by_column:
        quantities["sent_columns"] = fetching.columns_of(row)
        done[CLIENT_VALUES] = 1
        done[FETCHED_VALUES] = demand.cpu.get(FETCHES, 0)


def _add_changes(quantities: dict[str, Number], demand: Demand) -> None:
    changed = demand.change
    if changed is None:
        return
    quantities["growth_bytes"] = changed.growth_bytes
    if some(changed.rejected_itl):
        limit = block.itl_limit(demand.block_size_bytes)
        quantities["itl_entries"] = known_where(changed.rejected_itl > 0, limit)
    if some(demand.block_changes):
        each = over(changed.rows, demand.block_changes)
        quantities["rows_per_change"] = known_where(demand.block_changes > 0, each)
    else:  # updated and deleted one by one
        quantities["rows_per_change"] = 1.0


def _add_device(
    quantities: dict[str, Number],
    done: dict[str, Number],
    system: System,
    work: Workload,
    demand: Demand,
    wanted: Collection[str],
) -> None:
    """Requests at the device: those of reads, or those that are written behind a load."""
    plan, writing, host = demand.plan, demand.writing, system.host
    if writing is not None:
        unbuffered = system.database_path in UNBUFFERED
        done |= {
            AT_DEVICE: writing.at_device(system),
            TRANSFERS: writing.written_blocks,
            QUEUED_WRITES: writing.written_blocks,
            WRITE_CALLS: writing.written_blocks,
            PAGE_WRITES: 0 if unbuffered else writing.written_blocks,
        }
        quantities["in_flight"] = writes_at_once(system)
        quantities["call_bytes"] = demand.block_size_bytes
        quantities["request_bytes"] = demand.block_size_bytes / writing.requests(system)
        if not plan.pieces and not some(plan.single_reads):
            return
    missed = 1 - host.page_cache_hit_fraction if plan.through_page_cache else 1
    reads = (demand.reads + plan.single_reads) * missed
    done[AT_DEVICE], done[TRANSFERS] = (done.get(name, 0) + reads for name in (AT_DEVICE, TRANSFERS))
    truly_async = plan.asynchronous and not plan.through_page_cache
    quantities["in_flight"] = work.sessions * (slots_of(system, demand, work.sessions) if truly_async else 1)
    if "request_bytes" in wanted:
        requests = call_requests(system, reads_as_calls(system, demand))
        quantities["request_bytes"] = known_where(requests.requests > 0, over(requests.device_bytes, requests.requests))


def _of_calls(system: System, calls: Stream) -> Conditions:
    host, write = system.host, calls.writes
    path = calls.path or host.io_path
    cached = path not in UNBUFFERED
    requests = call_requests(system, calls)
    quantities: dict[str, Number] = {
        "call_bytes": calls.block_size_bytes,
        "request_bytes": known_where(requests.requests > 0, over(requests.device_bytes, requests.requests)),
    }
    at_once = calls.users * (1 if cached else calls.in_flight)
    if calls.rate_per_s is None:
        quantities["in_flight"] = at_once
    if not write:
        return Conditions(quantities, {READS: 1, AT_DEVICE: requests.requests, TRANSFERS: requests.requests})
    quantities["written_bytes"] = calls.users * calls.count * calls.block_size_bytes
    queued = path == "buffered" or calls.rate_per_s is not None or at_once > 1
    done: dict[str, Number] = {
        WRITE_CALLS: 1,
        AT_DEVICE: requests.requests,
        PAGE_WRITES: 1 if cached else 0,
        QUEUED_WRITES: 1 if queued else 0,
        TRANSFERS: 0 if requests.hidden and system.disk.write_bandwidth_bytes_per_s is not None else requests.requests,
    }
    if cached and host.filesystem in ("ext3", "ext4"):
        first_s = larger(0.0, host.journal_commit_s - host.journal_age_s)
        done[JOURNAL] = where(calls.count * (requests.cpu_s + calls.think_s) > first_s, 1, 0)
    return Conditions(quantities, done)


def _of_transactions(system: System, work: Transactions) -> list[Conditions]:
    """Gets, single-block reads and writes of the mix; then the multiblock reads of its scans."""
    size, host = system.tablespace.block_size_bytes, system.host
    done: dict[str, Number] = {}
    for kind in kinds_of(system, work):
        for cause, seconds in kind.cpu.items():
            done[cause] = done.get(cause, 0.0) + seconds
    done |= dict.fromkeys((READS, FILLS, TRIPS, FROM_CLIENT, AT_DEVICE, TRANSFERS, QUEUED_WRITES), 1)
    quantities: dict[str, Number] = {"block_size_bytes": size, "request_bytes": size}
    if system.table.column_count:
        quantities["sent_columns"] = system.table.column_count
    if work.rate_per_s is None:
        quantities["in_flight"] = work.users
    conditionses = [Conditions(quantities, done)]
    if any(transaction.scan_blocks for transaction in work.mix):
        largest = smaller(mbrc_of(system.instance, size) * size, host.max_request_bytes)
        conditionses.append(Conditions({"request_bytes": largest}, {AT_DEVICE: 1, TRANSFERS: 1}))
    return conditionses
