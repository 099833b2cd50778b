"""The books of streams: from what programs, queue and device did to the figures of an answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blocktime.model.causes import AT_ONCE, CPU, NO_CAUSE, SLOWEST
from blocktime.model.closing import ROUNDING, Figures, device_of, devices, percentiles, time_of
from blocktime.model.demand.calls import SECTOR_BYTES, File
from blocktime.model.laws.numeric import Number, over
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import SIMULATION, EventTime, PhysicalIO, Stage, StreamStats, part
from blocktime.model.spec import Stream

CALL = "the call"
LEAST_STAGE_S = 1e-7  # a hundredth of what the shortest stage takes that anybody looks for
BUFFERED_SOURCES = ("linux-ext3", "linux-readahead")


@dataclass(slots=True)
class StreamRun:
    """What was played: files, what each program's calls took, and what the device counted."""

    files: list[File]
    records: list[Any]
    counters: Any
    method: str
    seed: int = 0
    events: int | None = None
    warnings: list[str] = field(default_factory=list)
    responses: Responses | None = None
    """Of the only stream, where its records have none."""


class Responses(NamedTuple):
    """What the calls of one stream took."""

    calls: int
    mean_s: float
    percentiles_s: dict[str, float]


def figures_of(work: Stream, played: StreamRun) -> Figures:
    """The figures of streams that were played; times of the first stream's mean program."""
    records = [record for file, record in zip(played.files, played.records, strict=True) if file.calls is work]
    elapsed = max(record.end_s for record in records) - min(record.begin_s for record in records)
    mean = sum(record.end_s - record.begin_s for record in records) / len(records)
    cpu_s = sum(record.causes_s.get(CPU, 0.0) for record in records) / len(records)
    waits: dict[str, EventTime] = {}
    unaccounted: dict[str, Number] = {}
    if work.rate_per_s is not None or work.in_flight > 1:  # calls that run side by side wait side by side
        unaccounted[AT_ONCE] = mean - cpu_s
    else:
        waits = _waits(records)
    if elapsed - mean > ROUNDING * elapsed:
        unaccounted[SLOWEST] = elapsed - mean
    span = max(record.end_s for record in played.records) - min(record.begin_s for record in played.records)
    streams = _streams(played)
    buffered = any(stream.path not in UNBUFFERED for stream in streams)
    cpu: dict[str, Number] = {"write calls" if work.writes else "read calls": cpu_s}
    return Figures(
        law_sources=work.law_sources + buffered * BUFFERED_SOURCES,
        streams=streams,
        time=time_of(elapsed, cpu, waits, unaccounted, rest=NO_CAUSE),
        access=f"{work.pattern} {'writes' if work.writes else 'reads'}, I/O path {streams[0].path}",
        how=SIMULATION,
        played_by=played.method,
        physical_io=_physical(played),
        device=devices(disk=device_of(played.counters, span)),
        seed=played.seed,
        warnings=played.warnings,
        timeline=_timeline(records[0].stages),
        events=played.events,
    )


def _waits(records: list[Any]) -> dict[str, EventTime]:
    """Waits of the mean program by cause."""
    causes = {cause for record in records for cause in record.causes_s if cause != CPU}
    programs = len(records)
    return {
        cause: EventTime(
            waits=sum(record.counts.get(cause, 0) for record in records) / programs,
            max_s=max(record.longest_s.get(cause, 0.0) for record in records),
            total_s=sum(record.causes_s.get(cause, 0.0) for record in records) / programs,
        )
        for cause in sorted(causes)
    }


def _streams(played: StreamRun) -> list[StreamStats]:
    by_stream: dict[int, list[tuple[File, Any]]] = {}
    for file, record in zip(played.files, played.records, strict=True):
        by_stream.setdefault(id(file.calls), []).append((file, record))
    streams = []
    for programs in by_stream.values():
        records = [record for _, record in programs]
        streams.append(_stream(programs[0][0], records, played.responses or _responses(records)))
    return streams


def _responses(records: list[Any]) -> Responses:
    import numpy as np

    took = np.concatenate([np.asarray(record.responses_s) for record in records])
    return Responses(len(took), float(took.mean()), percentiles(took))


def _stream(file: File, records: list[Any], responses: Responses) -> StreamStats:
    elapsed = max(record.end_s for record in records) - min(record.begin_s for record in records)
    size = responses.calls * file.calls.block_size_bytes
    return part(
        StreamStats,
        kind=file.calls.kind,
        path=file.path,
        calls=responses.calls,
        bytes=size,
        elapsed_s=elapsed,
        calls_per_s=over(responses.calls, elapsed),
        bytes_per_s=over(size, elapsed),
        response_s=responses.mean_s,
        response_percentiles=responses.percentiles_s,
        in_flight_most=max(1, *(record.in_flight_most for record in records)),
        page_cache_bytes=sum(record.cached_bytes for record in records),
    )


def _physical(played: StreamRun) -> PhysicalIO:
    counters = played.counters
    reads, writes = counters.requests
    sizes: Counter[int] = Counter()
    for (write, size), count in counters.sizes.items():
        if not write:
            sizes[size // SECTOR_BYTES] += count
    return PhysicalIO(
        read_requests=reads,
        read_blocks=sum(size * count for size, count in sizes.items()),
        read_bytes=counters.moved_bytes[0],
        write_requests=writes,
        write_bytes=counters.moved_bytes[1],
        request_blocks=dict(sorted(sizes.items(), reverse=True)),
    )


def _timeline(stages: list[Stage]) -> list[Stage] | None:
    """In order of time, the call itself first, with what of it lies before and after its requests."""
    call = next((stage for stage in stages if stage.name == CALL), None)
    rest = [stage for stage in stages if stage.name != CALL]
    if call is not None:  # a request that a call joined may have waited before
        rest = [stage.model_copy(update={"begin_s": max(stage.begin_s, call.begin_s)}) for stage in rest]
    if call is not None and rest:
        first, last = min(stage.begin_s for stage in rest), max(stage.end_s for stage in rest)
        if first - call.begin_s > LEAST_STAGE_S and first < call.end_s:
            rest.append(Stage(name="CPU, or waiting for a queue slot", begin_s=call.begin_s, end_s=first))
        if call.end_s - last > LEAST_STAGE_S:
            rest.append(Stage(name="processor, cache flush or commit", begin_s=last, end_s=call.end_s))
    rest.sort(key=lambda stage: (stage.begin_s, stage.end_s))
    return [*([call] if call else []), *rest] or None
