"""The one closing of books: from what a family of workloads found out to a checked answer, or to a row of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isclose
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from blocktime.model.budget import watch_here
from blocktime.model.demand import Demand
from blocktime.model.demand.host_limits import credit_warnings
from blocktime.model.demand.operating_conditions import extrapolated_constants, extrapolations
from blocktime.model.errors import BooksDoNotBalance
from blocktime.model.laws.iostat_columns import DeviceSums, quantities
from blocktime.model.laws.numeric import Number, known_where, nearest, some, where
from blocktime.model.machine.device.diskstats import lines_of
from blocktime.model.measures import measures_of
from blocktime.model.money_books import money_of, money_sources
from blocktime.model.provenance import Constant, Extrapolation
from blocktime.model.results import (
    EXACT_SUM,
    CacheUse,
    Call,
    DeviceStats,
    EventTime,
    IndexStatistics,
    Interval,
    LogicalIO,
    Money,
    OptimizerCost,
    PhysicalIO,
    RowChanges,
    RowSource,
    RunResult,
    SegmentSpace,
    SpaceSearch,
    Stage,
    StreamStats,
    TimeBreakdown,
    TransactionStats,
    part,
)
from blocktime.model.spec import System, Workload
from blocktime.model.version import blocktime_version

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LINE_NS, LINE_BYTES = 6_800, 4700
"""Of a line of iostat in an answer: work, and resident memory of streams that last an hour."""

BELOW_0 = frozenset({"unaccounted", "unaccounted_s"})
"""Parts of a time that may be negative: what a profile counts twice."""
MEASURED = 0.02
"""By how much more than all of the time a resource may seem busy that is measured from one moment to another."""
ROUNDING = 1e-9
"""Share of the elapsed time below which what is left of it is no time without a cause."""


@dataclass(slots=True)
class Figures:
    """What a family found out of its work by one of the engines: parts of an answer, of numbers or of arrays."""

    how: str
    law_sources: Collection[str]
    time: TimeBreakdown
    physical_io: PhysicalIO
    device: dict[str, DeviceStats]
    access: str
    demand: Demand | None = None
    """Of a statement."""
    played_by: str = ""
    seed: int = 0
    warnings: list[str] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    logical_io: LogicalIO | None = None
    cache: CacheUse | None = None
    segment: SegmentSpace | None = None
    optimizer: OptimizerCost | None = None
    row_sources: list[RowSource] | None = None
    index: IndexStatistics | None = None
    streams: list[StreamStats] | None = None
    transactions: TransactionStats | None = None
    timeline: list[Stage] | None = None
    changes: RowChanges | None = None
    space_search: SpaceSearch | None = None
    events: int | None = None
    played_fraction: float | None = None
    money: Money | None = None
    """By the closing, as is what follows."""
    extrapolated: list[Extrapolation] | Number = 0
    """Of a row how many."""


IN_PART = (
    "The work was played in part and goes on at the rate of its steady stretch: counts are those of all of it; "
    "percentiles, the longest waits and the lines of iostat are those of the part."
)
ROWS_BY_LAW = (
    "The rows are too many to be played: a law counts those that move and the probes for space. It is held to what the "
    "first of them do, and may be off by the rows of a block."
)
PERCENTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "max": 1.0}
PARTS = tuple(name for name in RunResult.model_fields if name in Figures.__dataclass_fields__)


def close(name: str, system: System, work: Workload, figures: Figures) -> RunResult:
    """One checked answer of numbers, with what it costs; raises :class:`BooksDoNotBalance`."""
    figures.money = money_of(system, work, figures)
    change = None if figures.demand is None else figures.demand.change
    if figures.how == EXACT_SUM and change is not None:
        figures.played_fraction = change.played_fraction
    figures.warnings += _notes_on_the_part(figures)
    figures.extrapolated = extrapolations(system, work, figures.demand)
    if figures.transactions is None:  # they know how long the credits last at the load that is asked for
        figures.warnings += credit_warnings(system.disk, figures.device.get("disk"), figures.time.elapsed_s)
    sources = {*figures.law_sources, *(constant.source.split(":")[0] for constant in system.constants.values())}
    if figures.money is not None:
        sources.update(money_sources(system))
    return check_books(
        RunResult(
            scenario=name,
            version=blocktime_version(),
            sources=sorted(sources),
            **{name: getattr(figures, name) for name in PARTS},
        )
    )


def _notes_on_the_part(figures: Figures) -> list[str]:
    """What to know of an answer that was played in part."""
    change = None if figures.demand is None else figures.demand.change
    notes = [] if figures.played_fraction is None or figures.how == EXACT_SUM else [IN_PART]
    return notes if change is None or change.played_fraction is None else [*notes, ROWS_BY_LAW]


def extrapolated_by(system: System, work: Workload, demand: Demand | None) -> list[Extrapolation]:
    """Constants that an answer uses outside the ranges that they were fitted in, without the answer."""
    return extrapolations(system, work, demand)


def row(system: System, work: Workload, figures: Figures) -> dict[str, Number]:
    """The flat numbers of an answer, or of an array of them, by the names of MEASURES; nothing is checked."""
    figures.money = money_of(system, work, figures)
    figures.extrapolated = extrapolated_constants(system, work, figures.demand)
    return measures_of(figures)


def time_of(
    elapsed_s: Number,
    cpu: dict[str, Number],
    wait: dict[str, EventTime],
    unaccounted: dict[str, Number],
    *,
    rest: str = "",
    **more: Any,
) -> TimeBreakdown:
    """Elapsed time by its causes; *rest* is the cause of what no other names, where such time may be."""
    cpu_s = sum(cpu.values())
    if rest:
        left = elapsed_s - cpu_s - sum(event.total_s for event in wait.values()) - sum(unaccounted.values())
        left = where(abs(left) > ROUNDING * elapsed_s, left, 0.0)
        unaccounted = unaccounted | {rest: left} if some(left) else unaccounted
    return part(
        TimeBreakdown,
        elapsed_s=elapsed_s,
        cpu_s=cpu_s,
        cpu=cpu,
        wait=wait,
        unaccounted_s=sum(unaccounted.values()),
        unaccounted=unaccounted,
        **more,
    )


def device_stats(sums: DeviceSums, span_s: Number, present: Number | None = None, **more: Any) -> DeviceStats | None:
    """A device over *span_s* seconds in iostat's quantities; None where nothing goes to it, or it is not *present*."""
    present = sum(sums.requests) > 0 if present is None else present
    if not some(present):
        return None
    merged_reads, merged_writes = (nearest(merged) for merged in sums.merges)
    columns = {"merged_reads": merged_reads, "merged_writes": merged_writes} | quantities(sums, span_s)
    known = {name: known_where(present, value) for name, value in columns.items()}
    return part(DeviceStats, **(known | more))


def devices(**stats: DeviceStats | None) -> dict[str, DeviceStats]:
    """Devices by their names, those that something goes to."""
    return {name: stat for name, stat in stats.items() if stat is not None}


def device_of(counters: Any, span_s: float) -> DeviceStats | None:
    """A device over *span_s* seconds, from its counters; of the requests that are done."""
    watch = watch_here()
    watch.hold(LINE_BYTES * len(counters.intervals))
    watch.work += LINE_NS * len(counters.intervals)  # what a limit has ended is answered all the same
    sizes: dict[int, int] = {}
    for (_, size), requests in counters.sizes.items():
        sizes[size] = sizes.get(size, 0) + requests
    counted = counters.counted()
    return device_stats(
        counted,
        span_s,
        sum(counters.requests) > 0,
        merged_reads=counters.merges[False],
        merged_writes=counters.merges[True],
        request_bytes=dict(sorted(sizes.items())),
        late_requests=sum(counters.requests) - sum(counted.requests) or None,
        lines=lines_of(counters.intervals, counters.interval_s),
    )


def percentiles(took_s: Sequence[float] | npt.NDArray[np.float64]) -> dict[str, float]:
    """Percentiles of times by their names; a maximum is one."""
    import numpy as np

    return dict(zip(PERCENTILES, np.quantile(took_s, list(PERCENTILES.values())).tolist(), strict=True))


def changed(result: RunResult, **changes: Any) -> RunResult:
    """*result* with other parts, checked anew; raises :class:`BooksDoNotBalance`."""
    return check_books(result.model_copy(update=changes))


def check_books(result: RunResult) -> RunResult:
    """*result* unchanged, once its sums hold; raises :class:`BooksDoNotBalance` otherwise."""
    time = result.time
    _equal("cpu_s is the sum of its causes", time.cpu_s, sum(time.cpu.values()))
    _equal("unaccounted_s is the sum of its causes", time.unaccounted_s, sum(time.unaccounted.values()))
    waited = sum(event.total_s for event in time.wait.values())
    _equal("elapsed_s = cpu_s + waits + unaccounted_s", time.elapsed_s, time.cpu_s + waited + time.unaccounted_s)
    if time.last_session_s is not None and time.last_session_s < time.elapsed_s * (1 - 1e-9):
        raise BooksDoNotBalance(
            f"the last session ends after {time.last_session_s!r} s, the mean one takes {time.elapsed_s!r}"
        )
    physical = result.physical_io
    _equal("read_requests = requests by size", physical.read_requests, sum(physical.request_blocks.values()))
    _equal(
        "read_blocks = requests x size",
        physical.read_blocks,
        sum(size * requests for size, requests in physical.request_blocks.items()),
        tolerance=0.02 if result.cache is not None and result.cache.hits else 1e-6,
    )
    if result.row_sources:
        top, gets = (result.row_sources[0], 0.0 if result.logical_io is None else result.logical_io.consistent_gets)
        _equal("buffers of the plan = consistent gets", top.buffers, gets)
        _equal("reads of the plan = read_blocks", top.read_blocks, physical.read_blocks)
    for name, device in result.device.items():
        requests_per_s = device.reads_per_s + device.writes_per_s
        _equal(
            f"{name}: bytes = requests x size",
            device.read_bytes_per_s + device.written_bytes_per_s,
            requests_per_s * device.average_request_bytes,
        )
        if requests_per_s:  # one that is still under way at the end has kept the device busy, and counts nowhere else
            _equal(
                f"{name}: utilisation = throughput x service",
                device.utilisation_fraction,
                requests_per_s * device.service_s,
            )
        if device.average_queue is not None and device.await_s is not None:
            _equal(
                f"{name}: Little's law, queue = throughput x await",
                device.average_queue,
                requests_per_s * device.await_s,
            )
        if not -1e-9 <= device.utilisation_fraction <= 1 + 1e-6:
            raise BooksDoNotBalance(f"{name}: utilisation {device.utilisation_fraction} is not within 0 and 1")
    if result.money is not None:
        _check_money(result.money)
    gets = 0.0 if result.logical_io is None else result.logical_io.consistent_gets
    if min(time.elapsed_s, time.cpu_s, physical.read_bytes, gets) < 0:
        raise BooksDoNotBalance("a time or a count is negative")
    _check_numbers(result)
    return result


def _check_numbers(result: RunResult) -> None:
    """All numbers are finite, and none is negative; no resource is busy for longer than there is time."""
    numbers: list[float] = []
    _gather(result, numbers)
    total = sum(numbers)
    if min(numbers) < 0 or total == inf or total != total:  # noqa: PLR0124  (NaN is not itself)
        wrong = next((path, value) for path, value in _named("", result) if not 0 <= value < inf)
        raise BooksDoNotBalance(f"{wrong[0].lstrip('.')}: {wrong[1]!r} is no amount")
    if result.transactions is not None:
        for resource, busy in result.transactions.utilisation.items():
            if busy > 1 + MEASURED:
                raise BooksDoNotBalance(f"{resource}: busy for {busy!r} of the time")
    for program in result.programs or ():
        if program.disk_fraction > 1 + ROUNDING:
            raise BooksDoNotBalance(f"{program.name}: at the disk for {program.disk_fraction!r} of the time")


def _gather(value: Any, numbers: list[float]) -> None:
    """The numbers of a part of an answer, but for intervals and what is counted twice, which may lie below 0."""
    if isinstance(value, float | int):
        numbers.append(value)
    elif isinstance(value, Interval | Constant):
        return
    elif isinstance(value, BaseModel):
        for name, part_of in value.__dict__.items():
            if name not in BELOW_0:
                _gather(part_of, numbers)
    elif isinstance(value, dict):
        for part_of in value.values():
            _gather(part_of, numbers)
    elif isinstance(value, list):
        for part_of in value:
            _gather(part_of, numbers)


def _named(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """The numbers of :func:`_gather` with their paths."""
    if isinstance(value, float | int):
        yield path, value
    elif isinstance(value, BaseModel | dict) and not isinstance(value, Interval | Constant):
        for name, part_of in (value if isinstance(value, dict) else value.__dict__).items():
            if name not in BELOW_0:
                yield from _named(f"{path}.{name}", part_of)
    elif isinstance(value, list):
        for place, part_of in enumerate(value):
            yield from _named(f"{path}.{place}", part_of)


def _check_money(money: Money) -> None:
    """Parts sum to what is used, an hour is the same work over its time, and nobody is paid for working."""
    parts = money.licence + money.support + money.infrastructure + money.storage
    _equal("money: total is the sum of its parts", money.total, parts)
    hours = money.takes_s / 3600
    _equal("money: an hour is one over its time", money.used_per_hour * hours, money.total)
    _equal("money: an hour of the machine is its cost over the time", money.machine_per_hour * hours, money.machine)
    _equal("money: cores at work are their hours over the time", money.used_cores * hours, money.cpu_core_hours)
    if min(money.licence, money.support, money.infrastructure, money.storage, money.machine) < 0:
        raise BooksDoNotBalance("money: an amount is negative")


def _equal(rule: str, left: float, right: float, tolerance: float = 1e-6) -> None:
    if not isclose(left, right, rel_tol=tolerance, abs_tol=1e-9):
        raise BooksDoNotBalance(f"{rule}: {left!r} is not {right!r}")
