"""The register of an answer's numbers: name, where a result has it, unit, form, and whether less or more is better.

Text, tables, charts, sweeps, comparisons and measured figures read it. Some make the flat row of tables of many
results; one projection serves a result, the figures of a simulation that nobody wants whole, and arrays of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from blocktime.model.causes import DIRECT, FROM_CLIENT, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.laws.numeric import Number, is_array
from blocktime.model.paths import follow, steps_of
from blocktime.model.results import ProgramStats, RunResult
from blocktime.model.spec import WORKLOADS
from blocktime.model.units import unit_of

READ_EVENTS: Final = (DIRECT, PARALLEL, SCATTERED, SEQUENTIAL)


Better = Literal["less", "more", "neither"]
Form = Literal[
    "seconds", "milliseconds", "count", "mean", "each", "rate", "data", "size", "bandwidth", "share", "hit ratio"
]
"""How a quantity is written; the app has the words for each."""
Reader = Callable[[Any], Number | None]
NOT_PLAYED: Final = "not simulated"
NO_LIMIT: Final = "unknown: the disk has no known limit"


class Measure(NamedTuple):
    """One number of a result: its name, what it says, where a result has it, and how it is written."""

    name: str
    says: str
    of: Reader
    """Seconds, bytes, counts, or a share of one; None where the result has no such number."""
    label: str = ""
    """What cards and tables call it; without one, only tables of many results have it."""
    form: Form = "count"
    better: Better = "less"
    note: str = ""
    """What stands beside the label."""
    missing: str = ""
    """What stands in its place where an answer of the kind has no such number."""

    @property
    def unit(self) -> str:
        """The unit that the name ends in; empty for counts and shares."""
        return unit_of(self.name)


def at(path: str) -> Reader:
    """What reads the number at a *path* of a result; None where a part is missing."""
    steps = steps_of(path)

    def of_attributes(result: Any) -> Number | None:
        part = result
        for step in steps:
            part = getattr(part, step)  # type: ignore[arg-type]
            if part is None:
                break
        return cast("Number | None", part)

    def of(result: Any) -> Number | None:
        try:
            return cast("Number", follow(steps, result))
        except LookupError:
            return None

    return of if "[" in path else of_attributes


def _response(field: str) -> Reader:
    """A field of the response of transactions, or of the first stream."""
    of_transactions, of_stream = at(f"transactions.{field}"), at(f"streams[first].{field}")
    return lambda result: (of_stream if result.transactions is None else of_transactions)(result)


def _interval(end: str) -> Reader:
    read = at(f"time.interval.{end}")
    return lambda result: read(result) if result.transactions else None


def _read_wait_s(result: RunResult) -> Number:
    return sum(event.total_s for name, event in result.time.wait.items() if name in READ_EVENTS)


def _busiest(result: RunResult) -> Number | None:
    stats = result.transactions
    return None if stats is None else max(stats.utilisation.values(), default=0.0)


def _largest_read_bytes(result: RunResult) -> Number | None:
    """Of streams the sizes of requests are the device's."""
    io = result.physical_io
    if result.streams or not io.read_blocks:
        return None
    largest = max((size for size, count in io.request_blocks.items() if count > 0), default=0)
    return largest * io.read_bytes / io.read_blocks


def _logged_bytes(result: RunResult) -> Number | None:
    changes = result.changes
    return None if changes is None else changes.undo_bytes + changes.redo_bytes


def _search_fraction(result: RunResult) -> Number | None:
    if result.changes is None:
        return None
    return result.space_search.elapsed_fraction if result.space_search else 0.0


def _gets(result: RunResult) -> Number | None:
    gets = result.logical_io
    return None if gets is None else gets.consistent_gets + gets.current_gets


def _db_time_s(result: RunResult) -> Number:
    client = result.time.wait.get(FROM_CLIENT)
    return result.time.elapsed_s - (client.total_s if client is not None else 0.0)


def _data_reads_per_s(result: RunResult) -> Number | None:
    stats = result.transactions
    return None if stats is None else result.physical_io.read_requests * stats.per_s


def mean_wait_s(event: str) -> Reader:
    """The mean of the waits for *event*."""

    def of(result: RunResult) -> Number | None:
        waited = result.time.wait.get(event)
        return waited.total_s / waited.waits if waited is not None and waited.waits else None

    return of


def _extrapolated(result: Any) -> Number:
    extrapolated = result.extrapolated
    return len(extrapolated) if isinstance(extrapolated, list) else extrapolated


def _of_program(kind: str, read: Callable[[ProgramStats], Number | None]) -> Reader:
    """What *read* says of the first program of a kind, where several share the machine."""

    def of(result: Any) -> Number | None:
        programs = getattr(result, "programs", None) or ()
        return next((read(program) for program in programs if program.kind == kind), None)

    return of


def _measures_of_programs() -> Iterator[Measure]:
    """What the first program of each kind takes beside the others, and alone."""
    for kind in WORKLOADS:
        name = kind.replace("_", " ")
        yield Measure(f"{kind}_took_s", f"{name} beside other programs: elapsed time, or mean response",
                      _of_program(kind, lambda p: p.took_s))  # fmt: skip
        yield Measure(f"{kind}_alone_s", f"the same of {name} alone on the machine",
                      _of_program(kind, lambda p: p.alone.took_s))  # fmt: skip
        yield Measure(f"{kind}_times_alone", f"how many times as long as alone {name} takes beside other programs",
                      _of_program(kind, lambda p: p.times_as_long))  # fmt: skip
        yield Measure(f"{kind}_done_per_s", f"transactions or calls of {name} a second, beside other programs",
                      _of_program(kind, lambda p: p.per_s), better="more")  # fmt: skip


_ROW: Final = (
    Measure("elapsed_s", "elapsed time of one session; of streams the time until the last call is done; of "
            "transactions the mean response", at("time.elapsed_s"), "Elapsed", "seconds"),
    Measure("last_session_s", "of several sessions: from the begin of the first to the end of the last",
            at("time.last_session_s"), "Last session ends after", "seconds",
            note="from the start of the first session"),
    Measure("cpu_s", "CPU of one session, or of one transaction", at("time.cpu_s"), "DB CPU", "seconds"),
    Measure("wait_s", "all waits of one session", lambda r: sum(e.total_s for e in r.time.wait.values())),
    Measure("read_wait_s", "waits for reads of data files", _read_wait_s),
    Measure("unaccounted_s", "elapsed time that is neither CPU nor a wait", at("time.unaccounted_s"), "Unaccounted",
            "seconds", "neither"),
    Measure("consistent_gets", "buffers got in consistent mode", at("logical_io.consistent_gets"), "Consistent gets"),
    Measure("current_gets", "buffers got in current mode", at("logical_io.current_gets"), "Current gets"),
    Measure("cpu_per_get_s", "CPU of a get, row processing included", at("logical_io.cpu_per_get_s")),
    Measure("hit_fraction", "buffer cache hits over gets that looked for a block", at("cache.hit_fraction"),
            "Buffer cache hit ratio", "hit ratio", "more", "of all gets"),
    Measure("read_requests", "reads as Oracle asks for them", at("physical_io.read_requests"), "Reads"),
    Measure("read_blocks", "blocks read", at("physical_io.read_blocks")),
    Measure("read_bytes", "bytes read", at("physical_io.read_bytes"), "Data read", "data"),
    Measure("write_requests", "writes as Oracle asks for them", at("physical_io.write_requests"), "Writes"),
    Measure("write_bytes", "bytes written", at("physical_io.write_bytes"), "Data written", "data"),
    Measure("segment_blocks", "blocks of the segment before", at("segment.blocks_before"), "Segment blocks before",
            better="neither", note="below the high-water mark"),
    Measure("segment_after_blocks", "blocks of the segment after", at("segment.blocks_after"), "Segment blocks",
            note="below the high-water mark"),
    Measure("segment_after_bytes", "bytes of the segment after", at("segment.bytes_after"), "Segment size", "data"),
    Measure("rows_per_block", "rows in a full block, as loaded", at("segment.rows_per_block")),
    Measure("migrated_rows", "migrated rows: in another block than their ROWID says", at("segment.migrated_rows"),
            "Migrated rows"),
    Measure("rejected_probes", "blocks looked at and rejected in the search for space", at("segment.rejected_probes"),
            "Rejected probes"),
    Measure("optimizer_cost", "the optimizer's cost, in single-block reads", at("optimizer.cost"), "Optimizer cost",
            better="neither", note="in single-block reads"),
    Measure("device_reads_per_s", "reads the device served", at("device[first].reads_per_s")),
    Measure("device_writes_per_s", "writes the device served", at("device[first].writes_per_s")),
    Measure("device_merged_reads_per_s", "reads that joined a waiting request",
            at("device[first].merged_reads_per_s")),
    Measure("device_merged_writes_per_s", "writes that joined a waiting request",
            at("device[first].merged_writes_per_s")),
    Measure("device_read_bytes_per_s", "bytes the device read", at("device[first].read_bytes_per_s")),
    Measure("device_written_bytes_per_s", "bytes the device wrote", at("device[first].written_bytes_per_s")),
    Measure("device_request_bytes", "mean size of a request at the device", at("device[first].average_request_bytes")),
    Measure("device_average_queue", "requests at the device, waiting and served", at("device[first].average_queue"),
            "mean queue", "mean", "neither", "requests waiting and served, on average"),
    Measure("device_await_s", "mean time of a request, queue included", at("device[first].await_s"), "await",
            "milliseconds", note="mean time of a request, queue included"),
    Measure("device_service_s", "busy time over requests", at("device[first].service_s")),
    Measure("device_utilisation_fraction", "share of the time that the device was busy",
            at("device[first].utilisation_fraction"), "%util", "share", "neither",
            "share of time with at least one request"),
    Measure("calls_per_s", "calls of the first stream", at("streams[first].calls_per_s"), "Calls/s", "mean", "more"),
    Measure("bytes_per_s", "bytes of the first stream's calls", at("streams[first].bytes_per_s"), "Throughput",
            "bandwidth", "more"),
    Measure("transactions_per_s", "throughput", at("transactions.per_s"), "TPS", "rate", "more",
            "transactions per second"),
    Measure("response_s", "mean response of a transaction, or of a call of the first stream", _response("response_s"),
            "Mean response", "milliseconds"),
    Measure("response_low_s", "lower end of the 95 % interval of the mean response of a transaction",
            _interval("low_s")),
    Measure("response_high_s", "its upper end", _interval("high_s")),
    Measure("response_p50_s", "half of the responses are shorter", _response('response_percentiles["p50"]'),
            "p50 response", "milliseconds", missing=NOT_PLAYED),
    Measure("response_p95_s", "95 % of the responses are shorter", _response('response_percentiles["p95"]'),
            "p95 response", "milliseconds", missing=NOT_PLAYED),
    Measure("response_p99_s", "99 % of the responses are shorter", _response('response_percentiles["p99"]'),
            "p99 response", "milliseconds", missing=NOT_PLAYED),
    Measure("saturation_per_s", "throughput at which the first resource saturates",
            at("transactions.saturation_per_s"), "Maximum TPS", "rate", "more",
            "throughput at which the first resource saturates", NO_LIMIT),
    Measure("saturation_users", "users at which it saturates", at("transactions.saturation_users"),
            "Users at saturation", "count", "more", "with more users, a resource saturates", NO_LIMIT),
    Measure("commits_per_log_write", "commits that one write of the log carries",
            at("transactions.commits_per_log_write"), "Commits per redo write", "each", "more"),
    Measure("cost_total", "licence, support, infrastructure and storage used by one run, or one transaction",
            at("money.total")),
    Measure("cost_machine", "the whole machine and its storage for as long", at("money.machine")),
    Measure("cost_used_per_hour", "what is used in an hour of such work", at("money.used_per_hour")),
    Measure("cost_machine_per_hour", "the whole machine for an hour", at("money.machine_per_hour")),
    Measure("cost_machine_per_month", "the whole machine for a month: cores, memory, storage and licences",
            at('money.month["machine"]')),
    Measure("cost_per_million_logical_io", "CPU of a million consistent gets, row processing included",
            at("money.per_million_logical_io")),
    Measure("extrapolated_constants", "constants used outside the range that they were fitted in",
            _extrapolated),
    *_measures_of_programs(),
)  # fmt: skip
MEASURES: Final[Mapping[str, Measure]] = {measure.name: measure for measure in _ROW}
"""Every number of a flat row, in the order of its columns."""
_BESIDE: Final = (
    Measure("program_cpu_s", "CPU of a program and of the kernel for it", at("time.cpu_s"), "CPU", "seconds",
            note="of the program and the kernel"),
    Measure("calls", "calls of the first stream", at("streams[first].calls"), "Calls", better="neither"),
    Measure("response_max_s", "the longest response", _response('response_percentiles["max"]'), "Longest response",
            "milliseconds", missing=NOT_PLAYED),
    Measure("busiest", "utilisation of the busiest resource", _busiest, "Busiest resource", "share", "neither"),
    Measure("fetch_calls", "fetch calls", at('calls["fetch"].count'), "Fetch calls"),
    Measure("largest_read_bytes", "bytes of the largest read", _largest_read_bytes, "Largest read", "size", "neither"),
    Measure("rows_changed", "rows that a statement changed", at("changes.rows"), "Rows changed", better="neither"),
    Measure("commits", "commits of a statement", at("changes.commits"), "Commits", better="neither"),
    Measure("logged_bytes", "undo and redo of a statement", _logged_bytes, "Undo and redo", "data"),
    Measure("search_fraction", "share of the elapsed time in the search for space", _search_fraction, "Space search",
            "share", note="share of elapsed time"),
    Measure("itl_full_blocks", "blocks whose ITL cannot grow", at("segment.itl_full_blocks"), "ITL-full blocks",
            note="blocks whose ITL cannot grow"),
    Measure("gets", "buffers got in either mode", _gets),
    Measure("db_time_s", "elapsed time without waits for the client", _db_time_s),
    Measure("data_reads_per_s", "reads of data files by all transactions", _data_reads_per_s),
    Measure("written_blocks_per_s", "blocks that DBWR writes", at("transactions.written_blocks_per_s")),
)  # fmt: skip
QUANTITIES: Final[Mapping[str, Measure]] = {measure.name: measure for measure in (*_ROW, *_BESIDE)}
"""Every number of an answer that has a name: those of the flat row, and others."""


def measures_of(result: Any) -> dict[str, Number]:
    """The numbers that *result* has, by name; seconds, bytes and counts; of arrays NaN where one has no such number."""
    measured = {name: measure.of(result) for name, measure in MEASURES.items()}
    return {name: value if is_array(value) else float(value) for name, value in measured.items() if value is not None}
