"""The mean transaction of a mix: what it asks of processors, data disk and log, and what that costs alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, TypeVar

from blocktime.model.demand import transaction_demand
from blocktime.model.demand.commits import log_device
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import log_disk_of
from blocktime.model.demand.reading import mbrc_of
from blocktime.model.demand.transaction_demand import Data, KindDemand
from blocktime.model.demand.writing import checkpoint_lag_bytes
from blocktime.model.laws import commit, disk_means, parallel_reads, processors, touch_count, volume_limits
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.loops import fastest
from blocktime.model.spec import System, Transactions
from blocktime.model.spec.placed import DataDevice
from blocktime.model.workloads.transactions.disk import LEAST, DataDisk, data_disk


class ReadsAsked(NamedTuple):
    """Reads of a transaction, those among them that the page cache answers."""

    reads: float
    """Single blocks."""
    scan_reads: float
    scan_blocks: float

    @property
    def requests(self) -> float:
        """Reads of both kinds."""
        return self.reads + self.scan_reads

    @property
    def blocks(self) -> float:
        """Blocks of both kinds."""
        return self.reads + self.scan_blocks


@dataclass
class Group:
    """Blocks that are got equally often."""

    share: float
    """Of the gets outside the hottest blocks."""
    blocks: float
    resident: float
    """Share of them that is in memory."""
    was_hot: float
    """Share of them that is hot, or passes the cold region for another time."""
    heated: float
    """Share of those read that become hot."""
    passing_gets: float
    """Gets of a block while it passes the cold region; infinite where all blocks find room."""
    uncounted: float
    """Of the gets that find a block, those which come too soon after its read to make it hot."""


@dataclass
class DirtyGroup:
    """What becomes of the changed blocks of a group."""

    written_per_s: float
    age_s: float
    """From the first change to the write."""
    dirty_fraction: float
    """Of its blocks in memory."""
    leave_per_s: float
    """How often one of these leaves the cache."""


@dataclass
class Parts:
    """What one mean transaction asks of each resource, and what that costs where nobody queues.

    That of one device has the blocks that lie there, and what goes to them.
    """

    system: System
    work: Transactions
    devices: list[Parts]
    """Of each device that the data lie on; of one of these none."""
    name: str
    """Of the device."""
    share: float
    """Of the blocks, those on the device."""
    kinds: list[KindDemand]
    data: Data
    groups: list[Group]
    """The hot blocks and the others."""
    open_loop: bool
    """Whether transactions arrive at a rate."""
    think_s: float
    hottest_blocks: float
    checkpoint_s: float
    checkpoint_redo_bytes: float
    """Infinite where redo sets no limit."""
    redo_on_data: bool
    """Whether the log lies on the disk of the data."""
    collision: float
    """Chance that a get and a change, neither of the hottest blocks, are of the same block."""
    logical_io_s: float
    hit: float
    """Share of the gets outside the hottest blocks that find their block."""
    device_reads: ReadsAsked
    on_disk: float
    """Share of the reads that the page cache does not answer."""
    reads: float
    """Single-block reads of the disk."""
    scan_reads: float
    scans_go_on: float
    """Reads of scans behind the first of each: nobody's between, they lie where the one before ended."""
    requests: float
    """Reads of the disk, of both kinds."""
    disk_s: float
    """Time of them all, nobody queueing."""
    scan_read_blocks: float
    cpu: dict[str, float]
    """CPU seconds by cause, without those of others' doing."""
    cpu_s: float
    """Sum of them."""
    disk: DataDisk
    latch: list[processors.Contention]
    pin: list[processors.Contention]
    commits: float
    redo_bytes: float
    gets: float
    """Those outside the hottest blocks."""
    changes: float
    hottest_gets: float
    hottest_changes: float
    apart_s: float
    """Client, network and the stated wait."""
    threads: int
    mbrc: int
    """Blocks of a multiblock read."""
    log_turns: bool
    """Whether the log goes to a turning disk without a write cache."""
    log_fixed_s: float
    """Of a log write alone, before its transfer: command and, without a write cache, half a turn."""
    log_bytes_per_s: float
    """Rate of that transfer."""
    log_loop_s: float
    """What LGWR takes for a write beside the device."""
    log_cv: float
    """Coefficient of variation of a log write alone."""
    log_limit_bytes_per_s: float
    """Below which the next write comes no sooner."""
    log_buffer_bytes: float
    redo_busy_s: float
    """What the redo of a transaction takes of a disk of the log's own, in long writes."""
    to_log_s: float
    """Seek from the data to the log, on the same disk."""
    from_log_s: float
    """What a request among the data costs more after a log write."""
    log_limit_s: float
    """What a log write on a disk of its own takes of the host's limit, where that holds up the data's volume."""
    parallel_waits: float
    """Batches."""
    single_waits: float
    """Reads that are waited for one by one."""
    bulk_requests: float
    """Reads of its own batch that a read finds before it, on average of all reads."""
    batch_s: float
    """A batch, nobody queueing."""
    disk_busy_s: float
    """Of the disk's capacity, for all reads of a transaction."""

    def mean(self, name: str) -> float:
        """Mean of a number of the kinds."""
        return float(sum(kind.share * getattr(kind, name) for kind in self.kinds))


Named = TypeVar("Named", str, int)


def _mixed(kinds: Sequence[KindDemand], of_kind: Callable[[KindDemand], Mapping[Named, float]]) -> dict[Named, float]:
    """What the kinds have by name, in the mean transaction."""
    amounts: dict[Named, float] = {}
    for kind in kinds:
        for name, amount in of_kind(kind).items():
            amounts[name] = amounts.get(name, 0.0) + kind.share * amount
    return amounts


def _wants_of(system: System, work: Transactions, saturated: bool, per_s: float | None) -> _Wants:
    """What the mean transaction of the mix wants, where it is *saturated*, or at a throughput."""
    kinds, data = transaction_demand.kinds_of(system, work), transaction_demand.data_of(system, work)
    drawn, scan_blocks = _mean(kinds, "drawn_gets"), _mean(kinds, "scan_blocks")
    gets_per_s = references_per_s(system, work, kinds, data, saturated=saturated)
    memory = in_memory(system, data, gets_per_s if per_s is None else per_s * drawn)
    resident = tuple(group.resident for group in memory)
    hit = min(1.0, sum(share * there for share, there in zip(data.shares, resident, strict=True)))
    reads, on_disk = drawn * (1 - hit), 1 - transaction_demand.in_page_cache(system)
    batches = _mixed(kinds, lambda kind: kind.batches(1 - hit))
    mbrc = max(1, int(mbrc_of(system.instance, data.block_size_bytes)))
    every = float(sum(data.blocks))
    missed = requests = 0.0
    for there, blocks in zip(resident, data.blocks, strict=True):
        missed += scan_blocks * (1 - there) * blocks / every
        requests += blocks / every * sum(kind.share * scan_reads(kind.scan_blocks, 1 - there, mbrc) for kind in kinds)
    cpu = _mixed(kinds, lambda kind: kind.cpu)
    wanted = ReadsAsked(reads=reads, scan_reads=requests, scan_blocks=missed)
    cpu[transaction_demand.READS] = wanted.requests * stated_call_s(system.host.read_call_s)
    for cause, seconds in transaction_demand.block_cpu_s(system).items():
        cpu[cause] = wanted.blocks * seconds
    return _Wants(wanted, on_disk, batches, scan_blocks, kinds, data, hit, cpu, mbrc, memory)


def _of_every_device(system: System, work: Transactions, wants: _Wants) -> dict[str, Any]:
    """What of a mean transaction is the same whichever device it reads from."""
    host, disk, threads = system.host, system.disk, int(system.host.cores.threads)
    busy_s, hottest, changed_hottest = wants.cpu_s, wants.mean("hottest_gets"), wants.mean("hottest_changes")

    def between(times: float) -> float:
        return busy_s * work.hottest_blocks / times if times else 0.0

    none = [processors.Contention(0.0, 0.0, 0.0)] * (threads + 1)
    log_disk = log_disk_of(system)
    log_fixed_s, log_rate = map(float, log_device(system))
    return {
        "work": work,
        "kinds": wants.kinds,
        "data": wants.data,
        "open_loop": work.rate_per_s is not None,
        "think_s": work.think_s,
        "checkpoint_s": system.instance.checkpoint_s,
        "checkpoint_redo_bytes": _lag_bytes(system, work, wants),
        "collision": wants.data.collision,
        "logical_io_s": host.logical_io_s,
        "hit": wants.hit,
        "device_reads": wants.device_reads,
        "on_disk": wants.on_disk,
        "cpu": wants.cpu,
        "cpu_s": busy_s,
        "latch": processors.contention(threads, between(hottest), host.latch_hold_s, host.latch_spin_s)
        if hottest
        else none,
        "pin": processors.contention(threads, between(changed_hottest), host.change_block_s, 0.0)
        if changed_hottest
        else none,
        "commits": sum(kind.share for kind in wants.kinds if kind.commits),
        "redo_bytes": wants.mean("redo_bytes"),
        "hottest_gets": hottest,
        "apart_s": wants.mean("apart_s"),
        "threads": threads,
        "mbrc": wants.mbrc,
        "log_turns": bool(disk.rotation_s and not disk.write_cache_bytes),
        "log_fixed_s": log_fixed_s,
        "log_bytes_per_s": log_rate,
        "log_loop_s": host.log_write_call_s + float(commit.posts_s(host.commit_overhead_s, 1)),
        "log_cv": float(log_disk.service_cv),
        "log_limit_bytes_per_s": log_disk.throughput_limit_bytes_per_s or inf,
        "log_buffer_bytes": system.instance.log_buffer_bytes,
        "redo_busy_s": wants.mean("redo_bytes") / float(disk_means.sequential_bytes_per_s(log_disk, True)),
    }


def _lag_bytes(system: System, work: Transactions, wants: _Wants) -> float:
    """Redo that the checkpoint lags behind at most, by the logs or the time of a recovery."""
    changes = wants.mean("drawn_changes") + wants.mean("hottest_changes")
    lag = checkpoint_lag_bytes(system, wants.mean("redo_bytes"), changes, span_bytes(system, work))
    return float(lag)


def _mean(kinds: Sequence[KindDemand], name: str) -> float:
    """The mean of a number of the kinds."""
    return float(sum(kind.share * getattr(kind, name) for kind in kinds))


def parts_of(system: System, work: Transactions, *, saturated: bool = False, per_s: float | None = None) -> Parts:
    """The mean transaction of the mix, at the load that is asked for, where it is *saturated*, or at a throughput."""
    wants = _wants_of(system, work, saturated, per_s)
    every_device, data = _of_every_device(system, work, wants), wants.data

    def parts_on(device: DataDevice, devices: list[Parts], *, redo: bool) -> Parts:
        of_device = on_device(system, device)
        return fastest(Parts)(
            **every_device,
            **_on_device(of_device, work, data, wants, device.share),
            system=of_device,
            devices=devices,
            name=device.name,
            share=device.share,
            gets=wants.mean("drawn_gets") * device.share,
            changes=wants.mean("drawn_changes") * device.share,
            hottest_changes=wants.mean("hottest_changes") * device.share,
            hottest_blocks=max(work.hottest_blocks * device.share, LEAST),
            redo_on_data=redo and system.instance.redo_disk == "data",
            log_limit_s=_log_limit_s(system, wants.mean("redo_bytes")),
        )

    on_devices = [parts_on(device, [], redo=place == 0) for place, device in enumerate(work.data_devices)]
    whole = parts_on(work.data_devices[0]._replace(share=1.0), on_devices, redo=True)
    if whole.parallel_waits:
        largest = max(device.share for device in work.data_devices)
        batches_s = sum(count * whole.disk.batch_s(several * largest) for several, count in wants.batches.items())
        whole.batch_s = batches_s / whole.parallel_waits
    return whole


class _Wants(NamedTuple):
    """What a mean transaction wants to read, wherever it lies."""

    device_reads: ReadsAsked
    on_disk: float
    batches: dict[int, float]
    scan_blocks: float
    """Of its scans, those in memory among them."""
    kinds: list[KindDemand]
    data: Data
    hit: float
    cpu: dict[str, float]
    mbrc: int
    memory: list[InMemory]

    @property
    def cpu_s(self) -> float:
        """Of all causes."""
        return sum(self.cpu.values())

    def mean(self, name: str) -> float:
        """The mean of a number of the kinds."""
        return _mean(self.kinds, name)


def on_device(system: System, device: DataDevice) -> System:
    """The system as who reads from one of its data devices meets it."""
    return changed(system, disk=changed(system.disk, **device.device_fields)) if device.device_fields else system


def _on_device(system: System, work: Transactions, data: Data, wants: _Wants, share: float) -> dict[str, Any]:
    """What goes to a device that has such a share of all blocks, and what it takes there."""
    size, wanted, on_disk = data.block_size_bytes, wants.device_reads, wants.on_disk
    reads, requests = wanted.reads * on_disk * share, wanted.scan_reads * on_disk * share
    batches: dict[int, float] = {}
    for several, count in wants.batches.items():
        for there, chance in parallel_reads.at_one_device(several, share).items():
            batches[there] = batches.get(there, 0.0) + count * chance
    batched = sum(several * count for several, count in batches.items())
    parallel_waits = sum(batches.values())
    single_waits = reads - batched if reads - batched > LEAST * reads else 0.0
    pairs = sum(count * several * (several - 1) / 2 for several, count in batches.items())
    span = span_bytes(system, work, share)
    to_log_s, from_log_s = _to_log_s(system, work, span, share)
    scan_bytes = wanted.scan_blocks / wanted.scan_reads * size if wanted.scan_reads else size
    apart = float(size * wants.mbrc), 0.0
    if wanted.scan_reads:
        waits = reads + requests - batched + parallel_waits
        apart = wants.scan_blocks * size / wanted.scan_reads, float(wants.cpu_s / (waits + 1))
    disk = data_disk(system, size, (scan_bytes, *apart), span, share)
    batches_s = sum(count * disk.batch_s(several) for several, count in batches.items())
    scans = sum(kind.share for kind in wants.kinds if kind.scan_blocks)
    return {
        "groups": [
            fastest(Group)(gets, blocks * share, *there)
            for gets, blocks, there in zip(data.shares, data.blocks, wants.memory, strict=True)
        ],
        "disk": disk,
        "reads": reads,
        "scan_reads": requests,
        "scans_go_on": on_disk * max(0.0, wanted.scan_reads - scans) * share,
        "requests": reads + requests,
        "disk_s": (reads - batched) * disk.read_s + requests * disk.scan_read_s + batches_s,
        "scan_read_blocks": wanted.scan_blocks * on_disk * share,
        "to_log_s": to_log_s,
        "from_log_s": from_log_s,
        "parallel_waits": parallel_waits,
        "single_waits": single_waits,
        "bulk_requests": pairs / max(reads + requests, LEAST),
        "batch_s": batches_s / parallel_waits if batches else 0.0,
        "disk_busy_s": reads * disk.read_busy_s + requests * disk.scan_busy_s,
    }


def _log_limit_s(system: System, redo_bytes: float) -> float:
    """What a log write takes of those limits of the host that are below the volume's."""
    host, disk = system.host, system.disk
    if system.instance.redo_disk == "data":
        return 0.0
    size, takes_s = float(commit.log_write_bytes(redo_bytes)), 0.0
    if host.iops_limit is not None and disk.iops_limit == host.iops_limit / disk.raid_disks:
        takes_s = float(volume_limits.counted_requests(disk, size)) / host.iops_limit
    bytes_per_s = host.bandwidth_limit_bytes_per_s
    if bytes_per_s is not None and disk.throughput_limit_bytes_per_s == bytes_per_s / disk.raid_disks:
        takes_s = max(takes_s, size / bytes_per_s)
    return takes_s


def scan_reads(blocks: float, absent_fraction: float, mbrc: int) -> float:
    """Reads of a scan of so many blocks, each absent with chance a; a read ends at a block in memory or at *mbrc*.

    A read begins at the first block and behind each block in memory: a + (n - 1)·a·(1 - a); of a scan of more than
    *mbrc* blocks n·a over the mean run (1 - aᵐ)/(1 - a).
    """
    a = absent_fraction
    if blocks <= mbrc:
        return a * (1 + (blocks - 1) * (1 - a)) if blocks > 1 else a * blocks
    run_blocks = float(mbrc) if a >= 1 - LEAST else (1 - a**mbrc) / (1 - a)
    return blocks * a / run_blocks


def references_per_s(
    system: System, work: Transactions, kinds: list[KindDemand], data: Data, *, saturated: bool = False
) -> float:
    """Gets a second about which touches within ``_db_aging_touch_time`` are counted: those that bounds allow.

    Hits depend on it a little, so it need not be close: the cache holds hot blocks first, and nobody queues.
    """
    cpu_s, gets, apart_s = (
        float(sum(kind.share * value for kind, value in zip(kinds, values, strict=True)))
        for values in zip(*((kind.cpu_s, kind.drawn_gets, kind.apart_s) for kind in kinds), strict=True)
    )
    rooms = [0.0] * len(data.blocks)
    for pool in data.pools:
        left = float(pool.room_blocks)
        for group in pool.groups:
            rooms[group] = min(left, float(data.blocks[group]))
            left -= rooms[group]
    hit = sum(
        share * room / blocks for share, room, blocks in zip(data.shares, rooms, data.blocks, strict=True) if blocks
    )
    reads = gets * max(0.0, 1 - hit) * (1 - transaction_demand.in_page_cache(system))
    cores = system.host.cores
    disk_s = reads_s = 0.0
    for device in work.data_devices:
        disk = on_device(system, device).disk
        where = data.block_size_bytes, span_bytes(system, work, device.share), False
        there = reads * device.share
        disk_s = max(disk_s, there / float(disk_means.random_requests_per_s(disk, *where)))
        reads_s += there * float(disk_means.random_moments(disk, *where)[0])
    most = 1 / max(cpu_s / processors.capacity_cores(int(cores.threads), cores), disk_s, LEAST)
    if saturated:
        return float(most * gets)
    wanted = work.rate_per_s or work.users / max(work.think_s + cpu_s + apart_s + reads_s, LEAST)
    return float(min(most, wanted) * gets)


def span_bytes(system: System, work: Transactions, share: float = 1.0) -> float:
    """Bytes of a disk over which the data lie, or such a share of them; no less than one block."""
    capacity = system.disk.capacity_bytes * disk_means.data_members(system.disk)
    least = system.tablespace.block_size_bytes
    return float(min(capacity, max(least, work.data_bytes * share)))


class InMemory(NamedTuple):
    """How the blocks of a group are in memory; see :class:`Group`."""

    resident: float = 0.0
    was_hot: float = 0.0
    heated: float = 0.0
    passing_gets: float = inf
    uncounted: float = 0.0


def in_memory(system: System, data: Data, gets_per_s: float = 0.0) -> list[InMemory]:
    """How each group of blocks is in memory in the long run; as many of its gets find their block as are held."""
    rules = transaction_demand.touch_rules(system)
    memory = [InMemory()] * len(data.blocks)
    for pool in data.pools:
        groups = [group for group in pool.groups if data.blocks[group]]
        popularity = [float(data.shares[group] / data.blocks[group]) for group in groups]
        blocks = [float(data.blocks[group]) for group in groups]
        if not any(popularity):
            continue
        share = float(sum(data.shares[group] for group in groups))
        late = share * gets_per_s * rules.touch_time_s
        needed = max(1, rules.hot_count - rules.first_count)
        resides = touch_count.residence(pool.room_blocks, popularity, blocks, rules, late)
        for group, popular, there in zip(groups, popularity, resides, strict=True):
            resident, read = there.cold + there.hot, there.cold * there.read
            soon = min(1.0, needed * late / there.stay) * (1 - there.heated) if there.stay else 0.0
            memory[group] = InMemory(
                resident,
                resident - read,
                there.heated,
                there.stay * popular / share if there.stay else inf,
                soon * read / max(resident, LEAST),
            )
    return memory


def _to_log_s(system: System, work: Transactions, span: float, share: float) -> tuple[float, float]:
    """Seek from the data to the log on their disk, and what a request costs more after it than among the data.

    The log lies at ``redo_byte``, or behind the data; the data reach from the disk's begin as far as *span*.
    """
    disk = system.disk
    if system.instance.redo_disk == "own" or not disk.rotation_s:
        return 0.0, 0.0
    g = geometry_of(disk)
    place = work.data_bytes * share if system.instance.redo_byte is None else system.instance.redo_byte
    apart = abs(place / disk_means.data_members(disk) - span / 2) / (g.heads * g.track_bytes)
    seek_s = float(disk_means.seek_at_s(g, max(1.0, apart)))
    among = disk_means.random_moments(disk, 0, span, True)[0]
    among -= disk_means.overhead_s(disk, True) + disk.rotation_s / 2
    return seek_s, max(0.0, seek_s - float(among))
