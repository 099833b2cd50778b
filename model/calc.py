"""The instant answer: the laws composed in closed form, for one scenario or for arrays of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model import books, stream_calc, transaction_calc
from model.demand import (
    FREE_BUFFERS,
    LOG_SPACE,
    SEQUENTIAL,
    Demand,
    DeviceDemand,
    MixedRegimes,
    demand_of,
    device_demand,
    optimizer_of,
    parallel_of,
    reaps_are_waits,
)
from model.laws import device
from model.laws.numeric import Number, distinct, larger, smaller, some, where, zeros
from model.money_books import priced
from model.results import DeviceStats, EventTime, RunResult
from model.spec import Stream, System, Transactions, Workload


@dataclass(slots=True)
class ScanTime:
    """Elapsed time of one session, and what of it is waiting for reads, or for a processor."""

    elapsed_s: Number
    read_wait_s: Number
    single_wait_s: Number
    run_queue_s: Number
    submit_cpu_s: Number
    submit_blocked_s: Number
    reap_cpu_s: Number
    hidden: bool
    """Whether no session queues and no asynchronous read is waited for but the first: then the closed form is exact."""
    busy_s: Number
    """Time the device has work, over all sessions."""
    log_space_s: Number = 0.0
    free_buffers_s: Number = 0.0
    """Waits for what is written behind the sessions."""


def compose(system: Any, work: Any, demand: Demand) -> tuple[ScanTime, DeviceDemand]:
    """Elapsed time from demands: what one session does itself, and reads waited for or hidden behind it.

    With one session this is exact where either the session or the device is the slower throughout. With several it is
    the larger of three bounds: one session alone, the device's bottleneck, and the processors.
    """
    plan = demand.plan
    asked = device_demand(system, demand)
    host, users, parallel = system.host, work.users, parallel_of(system.disk)
    truly_async = plan.asynchronous and not plan.through_page_cache
    inside_submit = plan.asynchronous and plan.through_page_cache
    copied = asked.copy_s if inside_submit else 0.0
    blocked = asked.latency_s + asked.transfer_s if inside_submit else 0.0
    reaped = demand.reads * host.reap_call_s if plan.asynchronous else 0.0
    posted = truly_async and reaps_are_waits(system)
    reap_cpu = 0.0 if posted else reaped
    waits = sum(times * each for times, each in demand.waits.values())
    own = (
        demand.cpu_s
        + copied
        + blocked
        + reaped
        + waits
        - demand.sent_twice_s
        + demand.trips * host.between_calls_s
    )
    single = plan.single_reads * asked.single_s
    slots = smaller(parallel, system.instance.direct_read_slots_limit)
    bottleneck = device.bottleneck_s(asked.latency_s, asked.transfer_s, parallel)
    if truly_async:
        at_device = device.bottleneck_s(asked.latency_s, asked.transfer_s, slots)
        last = own * asked.last_blocks / larger(1, demand.read_blocks)
        piped = device.pipelined_s(asked.first_s, at_device, own, last)
        read_wait = where(demand.reads > 0, piped - own, 0)
        alone_busy = larger(at_device, smaller(asked.latency_s + asked.transfer_s, piped))
    else:
        read_wait = asked.service_s - copied - blocked
        alone_busy = asked.latency_s + asked.transfer_s
    alone = own + single + read_wait
    cpu = demand.cpu_s + copied + reap_cpu
    device_bound = users * (bottleneck + plan.single_reads * asked.single_device_s)
    cpu_bound = users * cpu / host.cpus
    elapsed = larger(alone, larger(device_bound, cpu_bound)) if some(users > 1) else alone
    extra = elapsed - alone
    log_s, free_s = demand.writing.stalls_s(elapsed) if demand.writing else (0.0, 0.0)
    for_device = where(device_bound >= cpu_bound, extra, 0)
    posted_wait = reaped if posted else 0.0
    return (
        ScanTime(
            elapsed_s=elapsed + log_s + free_s,
            read_wait_s=read_wait + (0.0 if inside_submit else for_device) + posted_wait,
            single_wait_s=single,
            run_queue_s=extra - for_device,
            submit_cpu_s=copied,
            submit_blocked_s=blocked + (for_device if inside_submit else 0.0),
            reap_cpu_s=reap_cpu,
            hidden=not some(users > 1)
            and not some(plan.uneven)
            and not (truly_async and some(own < CLEARLY_SLOWER * (asked.latency_s + asked.transfer_s))),
            busy_s=smaller(elapsed, users * (alone_busy + plan.single_reads * asked.single_device_s)),
            log_space_s=log_s,
            free_buffers_s=free_s,
        ),
        asked,
    )


CLEARLY_SLOWER = 1.5  # a session so much slower than the device hides it whatever the sizes of its reads


def nobody_queues(system: System, work: Workload) -> bool:
    """Whether :func:`calculate` is exact, to within a read or two: one session, reads in order or hidden."""
    if isinstance(work, Stream):
        return stream_calc.is_exact(system, work)
    if isinstance(work, Transactions):
        return False
    found, _ = compose(system, work, demand_of(system, work))
    return found.hidden


@priced
def calculate(system: System, work: Workload, *, name: str = "") -> RunResult:
    """Answer one scenario in closed form; seconds, bytes and counts of one session.

    Exact where nobody queues; with several users a lower bound, which the result says.
    """
    if isinstance(work, Stream):
        return stream_calc.calculate_stream(system, work, name=name)
    if isinstance(work, Transactions):
        return transaction_calc.calculate_transactions(system, work, name=name)
    demand = demand_of(system, work)
    found, asked = compose(system, work, demand)
    waits, unaccounted = books.client_times(system, demand)
    cpu = dict(demand.cpu)
    if found.submit_cpu_s:
        cpu[books.COPIED] = found.submit_cpu_s
    if found.submit_blocked_s:
        unaccounted[books.SUBMIT_BLOCKED] = found.submit_blocked_s
    if found.reap_cpu_s:
        cpu["read calls"] += found.reap_cpu_s
    _add_read_waits(waits, system, demand, found, asked)
    _add_write_waits(waits, demand, found, work.users)
    warnings = []
    if work.users > 1:
        warnings.append(
            f"{work.users} users: calculate gives the least time the device and the processors allow; simulate "
            "shows the queueing"
        )
        if found.run_queue_s:
            unaccounted[books.RUN_QUEUE] = found.run_queue_s
    elif not found.hidden:
        warnings.append(
            "the session waits for asynchronous reads: calculate gives the least time, low by up to some twenty "
            "reads; simulate shows how the reads in flight grow"
        )
    timing = books.Timing(
        elapsed_s=found.elapsed_s,
        cpu=cpu,
        wait=waits,
        unaccounted=unaccounted,
        request_blocks=books.histogram(demand),
        device=_device_stats(asked, demand, found, work.users),
        engine="calculate",
        warnings=warnings,
    )
    return books.close_books(name, system, work, demand, timing)


def _add_read_waits(
    waits: dict[str, EventTime], system: System, demand: Demand, found: ScanTime, asked: DeviceDemand
) -> None:
    plan, reads = demand.plan, demand.reads
    silent = plan.asynchronous and (plan.through_page_cache or not reads)
    if reads and not silent:
        blocked = found.read_wait_s > asked.first_s * 1.5
        count = reads if not plan.asynchronous or reaps_are_waits(system) or blocked else 1
        longest = min(found.read_wait_s, max(asked.first_s, found.read_wait_s / count))
        waits[plan.event] = EventTime(waits=count, max_s=longest, total_s=found.read_wait_s)
    if plan.single_reads:
        before = waits.get(SEQUENTIAL)
        waits[SEQUENTIAL] = EventTime(
            waits=plan.single_reads + (before.waits if before else 0),
            max_s=max(asked.single_s, before.max_s if before else 0),
            total_s=found.single_wait_s + (before.total_s if before else 0),
        )


def _add_write_waits(waits: dict[str, EventTime], demand: Demand, found: ScanTime, users: int) -> None:
    """One wait for each block that is held up, all alike."""
    writing = demand.writing
    if writing is None:
        return
    first = writing.blocks - writing.written_blocks
    for event, blocks, total in (
        (LOG_SPACE, first, found.log_space_s),
        (FREE_BUFFERS, writing.written_blocks, found.free_buffers_s),
    ):
        if total:
            many = blocks / users
            waits[event] = EventTime(waits=many, max_s=total / many, total_s=total)


def _device_stats(asked: DeviceDemand, demand: Demand, found: ScanTime, users: int) -> DeviceStats | None:
    if not asked.requests or not asked.bytes:
        return None
    requests, size = users * asked.requests, users * asked.bytes
    singles = demand.plan.single_reads * asked.single_device_s
    held = users * (asked.latency_s + asked.transfer_s + singles)
    elapsed = found.elapsed_s
    return DeviceStats(
        reads_per_s=requests / elapsed,
        read_bytes_per_s=size / elapsed,
        average_request_bytes=size / requests,
        average_queue=held / elapsed,
        await_s=held / requests,
        service_s=found.busy_s / requests,
        utilisation_fraction=found.busy_s / elapsed,
    )


class Overlay:
    """A section of the inputs with some fields replaced by arrays."""

    def __init__(self, base: Any, replaced: Mapping[str, Any]) -> None:
        self._base = base
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        replaced = self._replaced
        return replaced[name] if name in replaced else getattr(self._base, name)


def calculate_many(system: System, work: Workload, axes: Mapping[str, Any]) -> dict[str, Any]:
    """Answer many scenarios at once: *axes* maps dotted fields (``"tablespace.block_size_bytes"``) to equal arrays.

    Returns arrays: elapsed_s, cpu_s, read_wait_s, consistent_gets, read_requests, read_blocks, segment_blocks,
    segment_blocks_after, migrated_rows, rejected_probes and optimizer_cost. Raises KeyError for a field that does
    not exist. Streams and transactions have arrays of their own (``stream_calc.means``, ``transaction_calc.means``).
    The laws are those of :func:`calculate`, which the tests hold it to; what a statement does to rows comes
    from a closed form, where :func:`calculate` plays it.
    """
    length = max(len(values) for values in axes.values())
    if isinstance(work, Transactions):
        return _transactions_one_by_one(system, work, axes, length)
    sizes = axes.get(BLOCK_SIZE)
    if sizes is None:
        return _calculate_part(system, work, axes, length)
    # NOTE: for one block size half of the arithmetic is on plain numbers; five runs are quicker than one of arrays
    parts = []
    for size in distinct(sizes):
        mask = sizes == size
        fixed = {path: values[mask] for path, values in axes.items() if path != BLOCK_SIZE}
        part = _calculate_part(system, work, {**fixed, BLOCK_SIZE: int(size)}, int(mask.sum()))
        parts.append((mask, part))
    return _joined(parts, length)


BLOCK_SIZE = "tablespace.block_size_bytes"


def _calculate_part(system: System, work: Workload, axes: Mapping[str, Any], length: int) -> dict[str, Any]:
    """As :func:`calculate_many`, where an axis may also be one number."""
    view, work_view = _views(system, work, axes)
    if isinstance(work, Stream):
        return {name: values + zeros(length) for name, values in stream_calc.means(view, work_view).items()}
    try:
        demand = demand_of(view, work_view)
        found, _ = compose(view, work_view, demand)
    except MixedRegimes as mixed:
        parts = []
        for mask in (mixed.mask, ~mixed.mask):
            side = {
                path: values[mask] if getattr(values, "ndim", 0) else values for path, values in axes.items()
            }
            parts.append((mask, _calculate_part(system, work, side, int(mask.sum()))))
        return _joined(parts, length)
    moved = view.table.rows * view.table.migrated_fraction
    return {
        name: values + zeros(length)
        for name, values in {
            "elapsed_s": found.elapsed_s,
            "cpu_s": demand.cpu_s + found.submit_cpu_s + found.reap_cpu_s,
            "read_wait_s": found.read_wait_s + found.single_wait_s,
            "consistent_gets": demand.gets,
            "read_requests": demand.reads + demand.plan.single_reads,
            "read_blocks": demand.read_blocks + demand.plan.single_reads,
            "segment_blocks": demand.segment.blocks,
            "segment_blocks_after": (demand.change.segment_after if demand.change else demand.segment).blocks,
            "migrated_rows": demand.change.migrated if demand.change else moved,
            "rejected_probes": demand.change.rejected if demand.change else 0.0,
            "optimizer_cost": optimizer_of(view, work_view, demand).cost,
        }.items()
    }


def _transactions_one_by_one(
    system: System, work: Transactions, axes: Mapping[str, Any], length: int
) -> dict[str, Any]:
    """As :func:`calculate_many`; the network is solved user by user, which arrays would not make quicker."""
    found: dict[str, list[float]] = {}
    for point in range(length):
        view, work_view = _views(system, work, {path: values[point].item() for path, values in axes.items()})
        for name, value in transaction_calc.means(view, work_view).items():
            found.setdefault(name, []).append(value)
    return {name: zeros(length) + values for name, values in found.items()}


def _joined(parts: list[tuple[Any, dict[str, Any]]], length: int) -> dict[str, Any]:
    """Results of scenarios calculated apart, put back in order."""
    joined: dict[str, Any] = {}
    for mask, part in parts:
        for name, values in part.items():
            if name not in joined:
                joined[name] = zeros(length)
            joined[name][mask] = values
    return joined


def _views(system: System, work: Workload, axes: Mapping[str, Any]) -> tuple[Any, Any]:
    """The system and the workload with the axes' arrays in the place of their fields."""
    sections: dict[str, dict[str, Any]] = {}
    for path, values in axes.items():
        section, _, name = path.rpartition(".")
        target: Any = work if section == "workload" else system
        for part in () if section == "workload" else section.split("."):
            target = getattr(target, part, None)
        if not hasattr(target, name):
            raise KeyError(path)
        sections.setdefault(section, {})[name] = values
    work_view = Overlay(work, sections.pop("workload", {}))
    for section in sorted(sections, key=lambda name: -name.count(".")):
        parent, _, child = section.rpartition(".")
        if parent:
            nested = Overlay(getattr(getattr(system, parent), child), sections.pop(section))
            sections.setdefault(parent, {})[child] = nested
    replaced = {section: Overlay(getattr(system, section), fields) for section, fields in sections.items()}
    return Overlay(system, replaced), work_view
