"""A result as one flat row of numbers, for tables of many results; names, units and where each comes from.

One projection serves a result, the figures of a simulation that nobody wants whole, and those of an array of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from blocktime.model.causes import DIRECT, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.laws.numeric import Number, is_array
from blocktime.model.results import DeviceStats, RunResult
from blocktime.model.units import unit_of

READ_EVENTS: Final = (DIRECT, PARALLEL, SCATTERED, SEQUENTIAL)


class Measure(NamedTuple):
    """One number of a result: its name, what it says, and how a result gives it; None where it has no such number."""

    name: str
    says: str
    of: Callable[[RunResult], Number | None]

    @property
    def unit(self) -> str:
        """The unit that the name ends in; empty for counts and shares."""
        return unit_of(self.name)


def _device(field: str) -> Callable[[RunResult], Number | None]:
    def of(result: RunResult) -> Number | None:
        device: DeviceStats | None = next(iter(result.device.values()), None)
        return None if device is None else getattr(device, field)

    return of


def _part(part: str, field: str) -> Callable[[RunResult], Number | None]:
    def of(result: RunResult) -> Number | None:
        section = getattr(result, part)
        return None if section is None else getattr(section, field)

    return of


def _first_stream(field: str) -> Callable[[RunResult], Number | None]:
    return lambda result: getattr(result.streams[0], field) if result.streams else None


def _response_s(result: RunResult) -> Number | None:
    if result.transactions is not None:
        return result.transactions.response_s
    return result.streams[0].response_s if result.streams else None


def _percentile(name: str) -> Callable[[RunResult], Number | None]:
    def of(result: RunResult) -> Number | None:
        parts = result.transactions or (result.streams[0] if result.streams else None)
        return None if parts is None else parts.response_percentiles.get(name)

    return of


def _read_wait_s(result: RunResult) -> Number:
    return sum(event.total_s for name, event in result.time.wait.items() if name in READ_EVENTS)


def _extrapolated(result: Any) -> Number:
    extrapolated = result.extrapolated
    return len(extrapolated) if isinstance(extrapolated, list) else extrapolated


_ALL: Final = (
    Measure("elapsed_s", "elapsed time of one session; of streams the time until the last call is done; of "
            "transactions the mean response", lambda r: r.time.elapsed_s),
    Measure("last_session_s", "of several sessions: from the begin of the first to the end of the last",
            lambda r: r.time.last_session_s),
    Measure("cpu_s", "CPU of one session, or of one transaction", lambda r: r.time.cpu_s),
    Measure("wait_s", "all waits of one session", lambda r: sum(e.total_s for e in r.time.wait.values())),
    Measure("read_wait_s", "waits for reads of data files", _read_wait_s),
    Measure("unaccounted_s", "elapsed time that is neither CPU nor a wait", lambda r: r.time.unaccounted_s),
    Measure("consistent_gets", "buffers got in consistent mode", _part("logical_io", "consistent_gets")),
    Measure("current_gets", "buffers got in current mode", _part("logical_io", "current_gets")),
    Measure("cpu_per_get_s", "CPU of a get, row processing included", _part("logical_io", "cpu_per_get_s")),
    Measure("hit_fraction", "buffer cache hits over gets that looked for a block", _part("cache", "hit_fraction")),
    Measure("read_requests", "reads as Oracle asks for them", lambda r: r.physical_io.read_requests),
    Measure("read_blocks", "blocks read", lambda r: r.physical_io.read_blocks),
    Measure("read_bytes", "bytes read", lambda r: r.physical_io.read_bytes),
    Measure("write_requests", "writes as Oracle asks for them", lambda r: r.physical_io.write_requests),
    Measure("write_bytes", "bytes written", lambda r: r.physical_io.write_bytes),
    Measure("segment_blocks", "blocks of the segment before", _part("segment", "blocks_before")),
    Measure("segment_after_blocks", "blocks of the segment after", _part("segment", "blocks_after")),
    Measure("segment_after_bytes", "bytes of the segment after", _part("segment", "bytes_after")),
    Measure("rows_per_block", "rows in a full block, as loaded", _part("segment", "rows_per_block")),
    Measure("migrated_rows", "migrated rows: in another block than their ROWID says",
            _part("segment", "migrated_rows")),
    Measure("rejected_probes", "blocks looked at and rejected in the search for space",
            _part("segment", "rejected_probes")),
    Measure("optimizer_cost", "the optimizer's cost, in single-block reads", _part("optimizer", "cost")),
    Measure("device_reads_per_s", "reads the device served", _device("reads_per_s")),
    Measure("device_writes_per_s", "writes the device served", _device("writes_per_s")),
    Measure("device_merged_reads_per_s", "reads that joined a waiting request", _device("merged_reads_per_s")),
    Measure("device_merged_writes_per_s", "writes that joined a waiting request", _device("merged_writes_per_s")),
    Measure("device_read_bytes_per_s", "bytes the device read", _device("read_bytes_per_s")),
    Measure("device_written_bytes_per_s", "bytes the device wrote", _device("written_bytes_per_s")),
    Measure("device_request_bytes", "mean size of a request at the device", _device("average_request_bytes")),
    Measure("device_average_queue", "requests at the device, waiting and served", _device("average_queue")),
    Measure("device_await_s", "mean time of a request, queue included", _device("await_s")),
    Measure("device_service_s", "busy time over requests", _device("service_s")),
    Measure("device_utilisation_fraction", "share of the time that the device was busy",
            _device("utilisation_fraction")),
    Measure("calls_per_s", "calls of the first stream", _first_stream("calls_per_s")),
    Measure("bytes_per_s", "bytes of the first stream's calls", _first_stream("bytes_per_s")),
    Measure("transactions_per_s", "throughput", _part("transactions", "per_s")),
    Measure("response_s", "mean response of a transaction, or of a call of the first stream", _response_s),
    Measure("response_low_s", "lower end of the 95 % interval of the mean response of a transaction",
            lambda r: r.time.interval.low_s if r.transactions and r.time.interval else None),
    Measure("response_high_s", "its upper end",
            lambda r: r.time.interval.high_s if r.transactions and r.time.interval else None),
    Measure("response_p50_s", "half of the responses are shorter", _percentile("p50")),
    Measure("response_p95_s", "95 % of the responses are shorter", _percentile("p95")),
    Measure("response_p99_s", "99 % of the responses are shorter", _percentile("p99")),
    Measure("saturation_per_s", "throughput at which the first resource saturates",
            _part("transactions", "saturation_per_s")),
    Measure("saturation_users", "users at which it saturates", _part("transactions", "saturation_users")),
    Measure("commits_per_log_write", "commits that one write of the log carries",
            _part("transactions", "commits_per_log_write")),
    Measure("cost_total", "licence, support, infrastructure and storage used by one run, or one transaction",
            _part("money", "total")),
    Measure("cost_machine", "the whole machine and its storage for as long", _part("money", "machine")),
    Measure("cost_used_per_hour", "what is used in an hour of such work", _part("money", "used_per_hour")),
    Measure("cost_machine_per_hour", "the whole machine for an hour", _part("money", "machine_per_hour")),
    Measure("cost_per_million_logical_io", "CPU of a million consistent gets, row processing included",
            _part("money", "per_million_logical_io")),
    Measure("extrapolated_constants", "constants used outside the range that they were fitted in",
            _extrapolated),
)  # fmt: skip
MEASURES: Final[Mapping[str, Measure]] = {measure.name: measure for measure in _ALL}
"""Every number of a flat row, in the order of its columns."""


def measures_of(result: Any) -> dict[str, Number]:
    """The numbers that *result* has, by name; seconds, bytes and counts; of arrays NaN where one has no such number."""
    measured = {name: measure.of(result) for name, measure in MEASURES.items()}
    return {
        name: value if is_array(value) else float(value)
        for name, value in measured.items()
        if value is not None
    }
