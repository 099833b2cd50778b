"""From demands and times to a :class:`RunResult`: one place where both engines close their books."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from typing import Any

from model.causes import (
    BETWEEN_CALLS,
    DIRECT,
    FREE_BUFFERS,
    LOG_SPACE,
    MORE_DATA,
    SCATTERED,
    SENT_TWICE,
    SEQUENTIAL,
    TO_CLIENT,
)
from model.demand import Demand, optimizer_of
from model.demand.conditions import extrapolations
from model.laws.numeric import Number, known_where
from model.measures import MEASURES
from model.results import (
    CacheUse,
    Call,
    DeviceStats,
    EventTime,
    Interval,
    LogicalIO,
    OptimizerCost,
    PhysicalIO,
    RunResult,
    TimeBreakdown,
    check_books,
)
from model.row_books import row_changes, segment_space, space_search
from model.spec import System, Workload
from model.units import show_seconds
from model.write_books import device_of_writes, writes_of_a_session

LAW_SOURCES = {
    "full_scan": ("oracle-concepts", "rahn-mbrc", "savvinov-lio", "shallahamer-direct", "oracle-tuning"),
    "index_range_scan": ("oracle-concepts", "savvinov-lio", "oracle-tuning"),
    "update": ("oracle-concepts", "adams-migration", "geist-assm", "lewis-assm-bug", "rahn-pctfree"),
    "insert": ("oracle-concepts", "geist-assm", "lewis-delete"),
    "delete": ("oracle-concepts", "lewis-delete"),
    "import": ("oracle-concepts", "oracle-utilities", "oracle-wait-interface", "magni-linux"),
    "export": ("oracle-concepts", "oracle-utilities", "rahn-mbrc", "savvinov-lio"),
}
IN_CALL = (DIRECT, SCATTERED, SEQUENTIAL, TO_CLIENT, MORE_DATA, FREE_BUFFERS, LOG_SPACE)


@dataclass(slots=True)
class Timing:
    """What an engine found out about time: per session the waits and causes, and the device over the run."""

    elapsed_s: float
    cpu: dict[str, float]
    wait: dict[str, EventTime]
    unaccounted: dict[str, float]
    request_blocks: dict[int, float]
    device: DeviceStats | None
    engine: str
    seed: int = 0
    warnings: list[str] = field(default_factory=list)
    interval: Interval | None = None
    events: int | None = None
    last_session_s: float | None = None


@cache
def blocktime_version() -> str:
    """Version of the program that made a result."""
    try:
        return version("blocktime")
    except PackageNotFoundError:
        return "0.1.0"


def close_books(name: str, system: System, work: Workload, demand: Demand, timing: Timing) -> RunResult:
    """One checked result from what was asked and how long it took."""
    bs = demand.block_size_bytes
    single = demand.plan.single_reads
    read_blocks = sum(size * many for size, many in timing.request_blocks.items())
    gets = demand.gets
    get_cpu = timing.cpu["buffer gets"]
    walk_cpu = timing.cpu["walking rows"]
    hits = max(0.0, demand.blocks_wanted + single - read_blocks)
    cpu_s = sum(timing.cpu.values())
    waited_in_call = sum(timing.wait[event].total_s for event in IN_CALL if event in timing.wait)
    overlap = timing.unaccounted.get(SENT_TWICE, 0.0)
    writes, written_bytes = writes_of_a_session(work, demand)
    device = timing.device
    if demand.writing:
        device = device_stats(*device_of_writes(system, demand, timing.last_session_s or timing.elapsed_s))
    opinion = optimizer_of(system, work, demand)
    return check_books(
        RunResult(
            scenario=name,
            engine=timing.engine,
            seed=timing.seed,
            version=blocktime_version(),
            sources=_sources(system, work.kind),
            extrapolated=extrapolations(system, work, demand),
            warnings=timing.warnings,
            time=TimeBreakdown(
                elapsed_s=timing.elapsed_s,
                cpu_s=cpu_s,
                cpu=timing.cpu,
                wait=timing.wait,
                client_rows_s=demand.client_rows_s or None,
                unaccounted_s=sum(timing.unaccounted.values()),
                unaccounted=timing.unaccounted,
                interval=timing.interval,
                last_session_s=timing.last_session_s,
            ),
            calls=_calls(work, demand, cpu_s, waited_in_call + overlap, read_blocks),
            logical_io=LogicalIO(
                consistent_gets=gets,
                current_gets=demand.current_gets,
                cpu_per_get_s=(get_cpu + walk_cpu) / gets if gets else 0.0,
                row_walk_fraction=walk_cpu / (get_cpu + walk_cpu) if get_cpu + walk_cpu > 0 else 0.0,
            ),
            physical_io=PhysicalIO(
                read_requests=sum(timing.request_blocks.values()),
                read_blocks=read_blocks,
                read_bytes=read_blocks * bs,
                write_requests=writes,
                write_bytes=written_bytes,
                request_blocks=dict(sorted(timing.request_blocks.items(), reverse=True)),
            ),
            cache=CacheUse(
                hits=hits,
                misses=read_blocks,
                hit_fraction=hits / (hits + read_blocks) if hits + read_blocks else 0.0,
            ),
            segment=segment_space(system, demand),
            device={} if device is None else {"disk": device},
            optimizer=OptimizerCost(
                io_cost=opinion.io_cost, cpu_cost=opinion.cpu_cost, cost=opinion.cost, mbrc=opinion.mbrc
            ),
            changes=row_changes(work, demand),
            space_search=space_search(system, demand, timing.cpu, timing.elapsed_s),
            access=demand.plan.why,
            events=timing.events,
        )
    )


def _calls(
    work: Workload, demand: Demand, cpu_s: float, waited_s: float, read_blocks: float
) -> dict[str, Call]:
    """TKPROF's three lines: a query works in its fetches, a statement that changes rows in its executions."""
    nothing = Call(count=1, cpu_s=0, elapsed_s=0, disk=0, query=0, current=0, rows=0)
    changed = demand.change
    busy = Call(
        count=demand.trips if changed else demand.fetches,
        cpu_s=cpu_s,
        elapsed_s=max(0.0, cpu_s + waited_s),
        disk=read_blocks,
        query=demand.gets,
        current=demand.current_gets,
        rows=changed.rows / work.users if changed else demand.rows_returned,
    )
    if changed:
        return {"parse": nothing, "execute": busy, "fetch": nothing.model_copy(update={"count": 0})}
    return {"parse": nothing, "execute": nothing, "fetch": busy}


def device_stats(present: bool, figures: dict[str, Any]) -> DeviceStats | None:
    """iostat's quantities as a part of a result; None where nothing goes to the device, or what is not known (NaN)."""
    if not present:
        return None
    return DeviceStats.model_validate(
        {name: None if isnan(value) else value for name, value in figures.items()}
    )


def device_measures(present: Number, figures: dict[str, Number]) -> dict[str, Number]:
    """The same by the names of MEASURES, as numbers or arrays; NaN where nothing goes to the device."""
    return {
        measure: known_where(present, figures.get(field, 0.0)) for measure, field in DEVICE_MEASURES.items()
    }


DEVICE_MEASURES = {
    name: "average_request_bytes" if name == "device_request_bytes" else name.removeprefix("device_")
    for name in MEASURES
    if name.startswith("device_")
}
"""Measure -> the quantity of iostat that it is."""


def _sources(system: System, kind: str) -> list[str]:
    found = set(LAW_SOURCES[kind])
    found.update(constant.source.split(":")[0] for constant in system.constants.values())
    return sorted(found)


def client_times(system: System, demand: Demand) -> tuple[dict[str, EventTime], dict[str, float]]:
    """Waits for the client, and what the trace of such a run leaves unaccounted or counts twice."""
    waits = {
        event: EventTime(waits=times, max_s=each_s, total_s=times * each_s)
        for event, (times, each_s) in demand.waits.items()
        if times
    }
    return waits, {
        SENT_TWICE: -demand.sent_twice_s,
        BETWEEN_CALLS: demand.trips * system.host.between_calls_s,
    }


def histogram(demand: Demand) -> dict[int, float]:
    """Reads by size in blocks, header and map reads included."""
    sizes: dict[int, float] = {}
    single = float(demand.plan.single_reads)
    if single:
        sizes[1] = single
    for piece in demand.plan.pieces:
        if piece.count > 0 and piece.blocks > 0:
            sizes[int(piece.blocks)] = sizes.get(int(piece.blocks), 0.0) + float(piece.count)
    return sizes


def session_warnings(work: Workload, demand: Demand, timed: tuple[float, float, float]) -> list[str]:
    """What to know of several sessions: *timed* are seconds of the mean one, until the last one, and for all CPU."""
    if work.users == 1:
        return []
    said = f"{work.users} users: times and counts are those of the mean session"
    if demand.change is None:
        said += "; a session does not find blocks in the buffer cache that another one has read"
    mean, last, processors = (show_seconds(seconds) for seconds in timed)
    if timed[0] >= timed[2]:
        return [said]
    return [
        said,
        f"the mean session takes {mean}, less than the {processors} that the processors need for all of them: who gets "
        f"the first blocks early is done early, the last one after {last}",
    ]
