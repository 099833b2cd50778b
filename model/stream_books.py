"""From what programs, queue and device did to a :class:`RunResult`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from model.books import blocktime_version
from model.causes import AT_ONCE, CPU, SLOWEST
from model.demand.calls import UNBUFFERED, File
from model.demand.conditions import extrapolations
from model.laws.iostat import quantities
from model.results import (
    DeviceStats,
    EventTime,
    PhysicalIO,
    RunResult,
    Stage,
    StreamStats,
    TimeBreakdown,
    check_books,
)
from model.spec import Stream, System

CALL = "the call"
LEAST_STAGE_S = 1e-7  # a hundredth of what the shortest stage takes that anybody looks for
ROUNDING = 1e-9
LAW_SOURCES = ("linux-2.6-block", "linux-blk-mq", "linux-vm", "sysstat-iostat", "drive-data-sheets")
BUFFERED_SOURCES = ("linux-ext3", "linux-readahead")
PERCENTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "max": 1.0}


@dataclass(slots=True)
class Played:
    """What was played: files, what each program's calls took, and what the device counted."""

    files: list[File]
    records: list[Any]
    counters: Any
    method: str
    seed: int = 0
    events: int | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """What an engine found out of a stream: times of the first stream's mean program, the device over the run."""

    engine: str
    method: str
    elapsed_s: float
    cpu_s: float
    wait: dict[str, EventTime]
    unaccounted: dict[str, float]
    streams: list[StreamStats]
    physical: PhysicalIO
    device: DeviceStats | None
    seed: int = 0
    warnings: list[str] = field(default_factory=list)
    timeline: list[Stage] | None = None
    events: int | None = None


def stream_result(system: System, work: Stream, found: Answer, *, name: str) -> RunResult:
    """One checked result."""
    return check_books(
        RunResult(
            scenario=name,
            engine=found.engine,
            seed=found.seed,
            version=blocktime_version(),
            sources=_sources(system, found.streams),
            extrapolated=extrapolations(system, work),
            warnings=found.warnings,
            time=TimeBreakdown(
                elapsed_s=found.elapsed_s,
                cpu_s=found.cpu_s,
                cpu={"write calls" if work.writes else "read calls": found.cpu_s},
                wait=found.wait,
                unaccounted_s=sum(found.unaccounted.values()),
                unaccounted=found.unaccounted,
            ),
            calls={},
            physical_io=found.physical,
            device={} if found.device is None else {"disk": found.device},
            streams=found.streams,
            timeline=found.timeline,
            method=found.method,
            access=f"{work.pattern} {'writes' if work.writes else 'reads'}, {found.streams[0].path}",
            events=found.events,
        )
    )


def close_books(name: str, system: System, work: Stream, played: Played) -> RunResult:
    """The result of streams that were played."""
    mine = [record for file, record in zip(played.files, played.records, strict=True) if file.calls is work]
    many = len(mine)
    elapsed = max(record.end_s for record in mine) - min(record.begin_s for record in mine)
    mean = sum(record.end_s - record.begin_s for record in mine) / many
    cpu_s = sum(record.causes_s.get(CPU, 0.0) for record in mine) / many
    waits, unaccounted = _waits(mine), {}
    if work.rate_per_s is not None or work.in_flight > 1:  # calls that run side by side wait side by side
        waits, unaccounted = {}, {AT_ONCE: mean - cpu_s}
    else:
        rest = mean - cpu_s - sum(event.total_s for event in waits.values())
        if abs(rest) > ROUNDING * elapsed:
            unaccounted["no cause"] = rest
    if elapsed - mean > ROUNDING * elapsed:
        unaccounted[SLOWEST] = elapsed - mean
    return stream_result(
        system,
        work,
        Answer(
            engine="simulate",
            method=played.method,
            elapsed_s=elapsed,
            cpu_s=cpu_s,
            wait=waits,
            unaccounted=unaccounted,
            streams=_streams(played),
            physical=_physical(played),
            device=_device(played) if sum(played.counters.requests) else None,
            seed=played.seed,
            warnings=played.warnings,
            timeline=_timeline(mine[0].stages),
            events=played.events,
        ),
        name=name,
    )


def _sources(system: System, streams: list[StreamStats]) -> list[str]:
    found = set(LAW_SOURCES)
    if any(one.path not in UNBUFFERED for one in streams):
        found.update(BUFFERED_SOURCES)
    found.update(constant.source.split(":")[0] for constant in system.constants.values())
    return sorted(found)


def _waits(records: list[Any]) -> dict[str, EventTime]:
    """Waits of the mean program by cause."""
    causes = {cause for record in records for cause in record.causes_s if cause != CPU}
    many = len(records)
    return {
        cause: EventTime(
            waits=sum(record.counts.get(cause, 0) for record in records) / many,
            max_s=max(record.longest_s.get(cause, 0.0) for record in records),
            total_s=sum(record.causes_s.get(cause, 0.0) for record in records) / many,
        )
        for cause in sorted(causes)
    }


def _streams(played: Played) -> list[StreamStats]:
    import numpy as np  # noqa: PLC0415

    found = []
    seen: list[int] = []
    for file in played.files:
        if id(file.calls) in seen:
            continue
        seen.append(id(file.calls))
        records = [
            record
            for other, record in zip(played.files, played.records, strict=True)
            if other.calls is file.calls
        ]
        took = np.concatenate([np.asarray(record.responses_s) for record in records])
        elapsed = max(record.end_s for record in records) - min(record.begin_s for record in records)
        size = len(took) * file.calls.block_size_bytes
        found.append(
            StreamStats(
                kind=file.calls.kind,
                path=file.path,
                calls=len(took),
                bytes=size,
                elapsed_s=elapsed,
                calls_per_s=len(took) / elapsed if elapsed else 0.0,
                bytes_per_s=size / elapsed if elapsed else 0.0,
                response_s=float(took.mean()),
                response_percentiles={
                    key: float(np.quantile(took, share)) for key, share in PERCENTILES.items()
                },
                in_flight_most=max(1, *(record.in_flight_most for record in records)),
                page_cache_bytes=sum(record.cached_bytes for record in records),
            )
        )
    return found


def _physical(played: Played) -> PhysicalIO:
    counters = played.counters
    reads, writes = counters.requests
    sizes: Counter[int] = Counter()
    for (write, size), many in counters.sizes.items():
        if not write:
            sizes[size // 512] += many
    return PhysicalIO(
        read_requests=reads,
        read_blocks=sum(size * many for size, many in sizes.items()),
        read_bytes=counters.moved_bytes[0],
        write_requests=writes,
        write_bytes=counters.moved_bytes[1],
        request_blocks=dict(sorted(sizes.items(), reverse=True)),
    )


def _device(played: Played) -> DeviceStats:
    """The device while the programs ran; what write-back and late commits add shows in the lines."""
    ends = max(record.end_s for record in played.records)
    return device_of(played.counters, ends - min(record.begin_s for record in played.records))


def device_of(counters: Any, span_s: float) -> DeviceStats:
    """A device over *span_s* seconds, from its counters; of the requests that are done."""
    sizes: Counter[int] = Counter()
    for (_, size), many in counters.sizes.items():
        sizes[size] += many
    return DeviceStats(
        **quantities(counters.counted(), span_s),
        merged_reads=counters.merges[0],
        merged_writes=counters.merges[1],
        request_bytes=dict(sorted(sizes.items())),
        lines=counters.lines,
    )


def _timeline(stages: list[Stage]) -> list[Stage] | None:
    """In order of time, the call itself first, with what of it lies before and after its requests."""
    call = next((stage for stage in stages if stage.name == CALL), None)
    rest = [stage for stage in stages if stage.name != CALL]
    if call is not None:  # a request that a call joined may have waited before
        rest = [one.model_copy(update={"begin_s": max(one.begin_s, call.begin_s)}) for one in rest]
    if call is not None and rest:
        first, last = min(stage.begin_s for stage in rest), max(stage.end_s for stage in rest)
        if first - call.begin_s > LEAST_STAGE_S and first < call.end_s:
            rest.append(Stage(name="processor, or waiting for room", begin_s=call.begin_s, end_s=first))
        if call.end_s - last > LEAST_STAGE_S:
            rest.append(Stage(name="processor, cache flush or commit", begin_s=last, end_s=call.end_s))
    rest.sort(key=lambda stage: (stage.begin_s, stage.end_s))
    return [*([call] if call else []), *rest] or None
