"""Transactions in closed form: the network of their resources solved, and the answer put into words."""

from __future__ import annotations

from math import inf

from blocktime.model.books import close, device_stats, devices
from blocktime.model.causes import (
    BUFFER_BUSY,
    FREE_BUFFERS,
    FROM_CLIENT,
    LATCH,
    LOG_FILE_SYNC,
    LOG_SPACE,
    PARALLEL,
    SCATTERED,
    SEQUENTIAL,
    STATED,
)
from blocktime.model.demand import transactions as asked
from blocktime.model.demand.transactions import CPUS, DBWR, REDO, KindDemand, block_cpu_s, data_disk_name
from blocktime.model.laws import commit, queueing
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.iostat import DeviceSums, at_least_busy
from blocktime.model.loops import fastest
from blocktime.model.results import EXACT_SUM, DeviceStats, EventTime, RunResult, TransactionKind
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.books import Mean, Rates, figures_of, reads_by_size
from blocktime.model.workloads.transactions.disk import LEAST
from blocktime.model.workloads.transactions.expected_run import ExpectedRun, credit_warnings, expected_run
from blocktime.model.workloads.transactions.network import (
    AtDevice,
    CausedByOthers,
    LoadPoint,
    contended,
)
from blocktime.model.workloads.transactions.parts import Parts
from blocktime.model.workloads.transactions.writers import FULL, due_at

FALLS_INTO_STEP = 0.5
"""Variation of pauses below which mean values, which take users to come by chance, say too much."""


def rates_of(expected: ExpectedRun) -> Rates:
    """What the resources do at a load, of their capacity in the long run, and which saturates first at which."""
    parts, point, bounds, lasting, _ = expected
    per_s, log = point.per_s, point.log
    log_load = log.writes_per_s * log.held_s
    used = {CPUS: per_s * point.caused.cpu_s / parts.threads}
    for device, long, at in zip(parts.devices, lasting.devices, point.devices, strict=True):
        disk = per_s * (long.disk_held_s + (device.requests * at.more_s - at.near_s) / device.disk.servers)
        write_s = at.writes.held_s + long.disk.write_held_s - device.disk.write_held_s
        disk += per_s * at.writes.written * write_s
        if device.redo_on_data:
            disk += log_load / device.disk.servers
        elif not parts.redo_on_data:
            disk += log.writes_per_s * device.log_limit_s
        used[data_disk_name(device.name)] = disk
    if not parts.redo_on_data:
        used[REDO] = max(log_load, per_s * parts.redo_held_s)
    if bounds.bottleneck == DBWR:
        used[DBWR] = max(
            per_s * at.writes.written / device.disk.writer_per_s
            for device, at in zip(parts.devices, point.devices, strict=True)
        )
    return Rates(
        utilisation={name: min(1.0, share) for name, share in used.items()},
        bottleneck=bounds.bottleneck,
        saturation_per_s=bounds.ceiling_per_s,
        saturation_users=bounds.saturation_users,
        log_writes_per_s=log.writes_per_s,
    )


def calculate(system: System, work: Transactions, *, name: str) -> tuple[RunResult, bool]:
    """Answer transactions in closed form, means of one transaction and rates of the whole; they may always queue."""
    expected = expected_run(system, work)
    return close(name, system, work, figures_of(system, work, _mean(expected), rates_of(expected))), False


def is_exact(system: System, work: Transactions) -> bool:
    """Whether nobody queues: users may always meet."""
    return False


def _mean(expected: ExpectedRun) -> Mean:
    """The mean transaction, in the words of the books."""
    parts, point = expected.parts, expected.point
    caused = point.caused
    waits: dict[str, EventTime] = {}

    def wait(event: str, times: float, each_s: float) -> None:
        if times * each_s > 0:
            waits[event] = EventTime(waits=times, max_s=each_s, total_s=times * each_s)

    wanted = parts.asked
    for event, waits_of, at_disk, each_s in (
        (SEQUENTIAL, wanted.reads - parts.batched, parts.single_waits, point.read_s),
        (PARALLEL, parts.parallel_waits, parts.parallel_waits, point.parallel_s),
        (SCATTERED, wanted.scan_reads, parts.scan_reads, point.scan_read_s),
    ):
        if at_disk:
            wait(event, waits_of, at_disk / waits_of * each_s)
    wait(LOG_FILE_SYNC, parts.commits, point.log.sync_s)
    wait(LOG_SPACE, 1.0, point.space_s)
    wait(FREE_BUFFERS, 1.0, point.free_s)
    for event, times, table in (
        (LATCH, parts.hottest_gets, parts.latch),
        (BUFFER_BUSY, parts.hottest_changes, parts.pin),
    ):
        if waited := fastest(contended)(table, caused.running, 2):
            wait(event, times * waited, fastest(contended)(table, caused.running, 1) / waited)
    if trips := parts.mean("trips"):
        wait(FROM_CLIENT, trips, parts.mean("trips_s") / trips)
    wait(STATED, 1.0, parts.mean("stated_wait_s"))
    size = parts.data.block_size_bytes
    return Mean(
        how=EXACT_SUM,
        method="mean value analysis of processors, data disk and log"
        if parts.work.rate_per_s is None
        else "open queues of processors, data disk and log at the arrival rate",
        response_s=point.response_s,
        cpu=_cpu(parts, caused),
        waits=waits,
        run_queue_s=point.run_queue_s,
        gets=parts.mean("gets") + parts.mean("scan_blocks") + caused.undo,
        current_gets=parts.mean("changed_blocks"),
        misses=wanted.blocks,
        read_requests=reads_by_size(wanted.reads, wanted.scan_reads, wanted.scan_blocks),
        read_bytes=wanted.blocks * size,
        written_blocks=point.written,
        per_s=point.per_s,
        device=_devices(parts, point),
        kinds=[_kind(parts, point, kind) for kind in parts.kinds],
        warnings=[*credit_warnings(expected), *_warnings(parts, point)],
    )


def _cpu(parts: Parts, caused: CausedByOthers) -> dict[str, float]:
    """CPU seconds by cause."""
    more = {asked.UNDO: caused.undo * parts.logical_io_s, asked.SPINS: parts.hottest_gets * caused.spin_s}
    return {cause: seconds / caused.speed for cause, seconds in (parts.cpu | more).items()}


def _warnings(parts: Parts, point: LoadPoint) -> list[str]:
    texts = []
    work = parts.work
    if work.rate_per_s is None and work.users > 1 and work.think_cv < FALLS_INTO_STEP:
        texts.append(
            f"users with equal think times (workload.think_cv {work.think_cv:g}) synchronize and queue less than the "
            "instant estimate assumes: with a busy disk, the response is up to a quarter shorter"
        )
    wanted = fastest(due_at)(parts, point.per_s).wanted
    if point.free_s > 0 or point.written < wanted * FULL:
        texts.append("DBWR cannot write as fast as blocks change: there would be free buffer waits")
    return texts


def _kind(parts: Parts, point: LoadPoint, kind: KindDemand) -> TransactionKind:
    """One kind: what it asks for more or less than the mean makes its response longer or shorter."""
    host, caused = parts.system.host, point.caused
    missed = kind.drawn_gets * (1 - parts.hit)
    scanned = kind.scan_blocks * (1 - parts.scan_hit)
    wanted, on_disk = parts.asked, parts.on_disk
    batches = kind.batches(1 - parts.hit)
    requests = scanned * wanted.scan_reads / wanted.scan_blocks if scanned else 0.0
    more_cpu_s = kind.cpu_s - sum(kind.share * kind.cpu_s for kind in parts.kinds)
    more_cpu_s += (missed + requests - wanted.requests) * stated_call_s(host.read_call_s)
    more_cpu_s += (missed + scanned - wanted.blocks) * sum(block_cpu_s(parts.system).values())
    stretch = (caused.cpu_s + point.run_queue_s) / caused.cpu_s if caused.cpu_s else 1.0
    response_s = (
        point.response_s
        + more_cpu_s * stretch
        + (missed * on_disk - sum(size * count for size, count in batches.items()) - parts.single_waits)
        * point.read_s
        + (sum(batches.values()) - parts.parallel_waits) * point.parallel_s
        + (requests * on_disk - parts.scan_reads) * point.scan_read_s
        + (kind.commits - parts.commits) * point.log.sync_s
        + (kind.redo_bytes / max(parts.redo_bytes, LEAST) - 1) * point.space_s
        + (kind.hottest_gets - parts.hottest_gets) * fastest(contended)(parts.latch, caused.running, 1)
        + (kind.hottest_changes - parts.hottest_changes) * fastest(contended)(parts.pin, caused.running, 1)
        + kind.apart_s
        - parts.apart_s
    )
    return TransactionKind(
        name=kind.name,
        per_s=point.per_s * kind.share,
        response_s=response_s,
        consistent_gets=kind.gets + kind.scan_blocks,
        current_gets=kind.changed_blocks,
        read_blocks=missed + scanned,
    )


def _devices(parts: Parts, point: LoadPoint) -> dict[str, DeviceStats]:
    """The data disks, and the redo disk where it is another one, in iostat's quantities."""
    log = (point.log.writes_per_s, point.log.write_s, point.log.held_s)
    log_bytes = point.per_s * parts.redo_bytes + log[0] * float(commit.log_write_bytes(0.0))
    of_data = {
        device.name: _device(device, point, at, log, log_bytes)
        for device, at in zip(parts.devices, point.devices, strict=True)
    }
    if not parts.redo_on_data:
        of_data["redo"] = _stats(0.0, log[0], (0.0, log_bytes), ([], [log]), _held([log]))
    return devices(**of_data)


def _device(
    device: Parts, point: LoadPoint, at: AtDevice, log: tuple[float, float, float], log_bytes: float
) -> DeviceStats | None:
    """One data disk, with what the log writes there."""
    size, per_s, disk = device.data.block_size_bytes, point.per_s, device.disk
    writes = per_s * at.writes.written
    more_s = at.more_s / disk.servers
    burst_s = 0.0 if device.system.disk.write_cache_bytes else (at.writes.requests - 1) / 2 * at.writes.held_s
    waits_s = max(0.0, at.read_s - disk.read_s) + burst_s
    most_s = disk.writes_at_once / max(writes, LEAST)
    flow = [
        (per_s * device.reads, at.each_s, disk.read_held_s + more_s),
        (per_s * device.scan_reads, at.scan_read_s, disk.scan_held_s + more_s),
        (writes, min(disk.write_s + waits_s, most_s), at.writes.held_s),
    ]
    written_bytes = writes * size
    if device.redo_on_data:
        flow.append(log)
        writes, written_bytes = writes + log[0], written_bytes + log_bytes
    reads = flow[0][0] + flow[1][0]
    read_bytes = per_s * (device.reads + device.scan_read_blocks) * size
    busy = _any_under_way(device, point, at) if disk.servers > 1 else _held(flow)
    return _stats(reads, writes, (read_bytes, written_bytes), (flow[:2], flow[2:]), busy)


def _held(flow: list[tuple[float, float, float]]) -> float:
    """Share of its time that a device is held which serves one request at a time."""
    return min(1.0, sum(per_s * held_s for per_s, _, held_s in flow))


def _any_under_way(device: Parts, point: LoadPoint, at: AtDevice) -> float:
    """Share of the time in which a disk that serves several requests at once has one: of a user, DBWR or LGWR."""
    per_s, writes = point.per_s, at.writes
    reading = per_s * (device.single_waits * at.read_s + device.scan_reads * at.scan_read_s)
    reading += per_s * device.parallel_waits * at.parallel_s
    users = inf if device.work.rate_per_s is not None else float(device.work.users)
    beside = min(device.disk.servers, max(1.0, writes.requests))
    idle = 1 - float(queueing.any_busy_fraction(reading, users))
    idle *= 1 - min(1.0, per_s * writes.written * device.disk.write_s / beside)
    if device.redo_on_data:
        idle *= 1 - min(1.0, point.log.writes_per_s * point.log.write_s)
    return float(1 - idle)


def _stats(
    reads: float,
    writes: float,
    moved_bytes: tuple[float, float],
    flow: tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]],
    busy: float,
) -> DeviceStats | None:
    """iostat's quantities; *flow* has requests a second, their time at the device, and what they take of it.

    Reads and writes stand apart in it.
    """
    of_reads, of_writes = (sum(per_s * response_s for per_s, response_s, _ in way) for way in flow)
    second = DeviceSums((reads, writes), (0.0, 0.0), moved_bytes, (of_reads, of_writes), busy)
    return device_stats(at_least_busy(second), 1.0, reads + writes > LEAST)
