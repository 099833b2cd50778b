"""What a transaction asks for: gets, misses, CPU by cause, redo, and where in the data its gets go."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from blocktime.model.causes import COMMITTING, COPIES
from blocktime.model.demand.calls import goes_on
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import parallel_reads, popularity_classes, touch_count
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.laws.device_time import copy_time_s
from blocktime.model.laws.numeric import Number, larger, smaller
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.spec import Instance, System, Transaction, Transactions
from blocktime.model.spec.placed import DISK
from blocktime.model.spec.popularity import PopularBlocks
from blocktime.model.units import show_bytes

GETS = "buffer gets"
ROWS = "row access"
CHANGES = "changing blocks"
CALLS = "calls"
SQL = "SQL and PL/SQL"
COMMITS = COMMITTING
READS = "read calls"
FILLS = "reading blocks into buffers"
SPINS = "spinning for latches"
CPUS = "processors"
DATA, REDO, DBWR = "data disk", "redo disk", "database writer"
FIRST_TRANSACTIONS = 4_000
ROUNDING = 1e-3
LEAST_POINTS = 2
ROUNDS_OF_USERS = 10
"""Transactions of each user that a first run has at least."""


def data_disk_name(device: str) -> str:
    """What a device of the data is called among the resources: the data disk, with its name where it has one."""
    return DATA if device == DISK else f"{DATA} {device}"


def run_transactions(work: Transactions) -> int:
    """Transactions that a run has at least: those that are asked for, else some of each user."""
    if work.transactions is not None:
        return int(work.transactions)
    users = 1 if work.rate_per_s is not None else work.users
    return int(max(FIRST_TRANSACTIONS, ROUNDS_OF_USERS * users))


class KindDemand(NamedTuple):
    """One kind of transaction."""

    name: str
    share: Number
    """Of all transactions."""
    gets: Number
    """Consistent gets, without scans."""
    drawn_gets: Number
    """Those that do not go to the hottest blocks."""
    hottest_gets: Number
    hottest_changes: Number
    changed_blocks: Number
    drawn_changes: Number
    """Changes outside the hottest blocks."""
    scan_blocks: Number
    redo_bytes: Number
    commits: bool
    trips_s: Number
    """Time of the client and the network, inside the transaction."""
    trips: Number
    stated_wait_s: Number
    parallel_fraction: float
    """Of its single-block reads, handed over several at once."""
    parallel_reads: float
    """So many at once."""
    cpu: dict[str, Number]
    """CPU seconds by cause, but for what depends on misses and on others."""

    @property
    def cpu_s(self) -> Number:
        """Sum of the causes."""
        return sum(self.cpu.values())

    def batches(self, absent_fraction: float) -> dict[int, float]:
        """Size -> batches of reads that it hands over at once, each block being absent with that chance."""
        if not self.parallel_fraction:
            return {}
        return parallel_reads.mean_batches(
            float(self.drawn_gets), absent_fraction, self.parallel_fraction, self.parallel_reads
        )

    @property
    def apart_s(self) -> Number:
        """Time that it spends neither on a processor nor on what the model makes it wait for."""
        return self.trips_s + self.stated_wait_s


class Pool(NamedTuple):
    """A pool of buffers, and the groups of blocks that use it."""

    name: str
    room_blocks: int
    groups: tuple[int, ...]
    """Which of the data's groups: 0 hot, 1 the others."""


class Data(NamedTuple):
    """Blocks that the gets go to, by classes of popularity, the hot ones first; the hottest are left out."""

    block_size_bytes: int
    blocks: tuple[Number, ...]
    shares: tuple[Number, ...]
    """Of the gets that are not of the hottest blocks."""
    collision: Number
    """Chance that a get and a change, neither of the hottest blocks, are of the same block."""
    pools: tuple[Pool, ...]


def kinds_of(system: System, work: Transactions) -> list[KindDemand]:
    """The mix, kind by kind."""
    host, client = system.host, system.client
    total = sum(transaction.weight for transaction in work.mix)
    hottest, changed_hottest = work.hottest_gets_percent / 100, work.hottest_changes_percent / 100
    at_once = goes_on(system)
    kind_demands = []
    for transaction in work.mix:
        cpu = {
            GETS: (transaction.gets + transaction.changed_blocks + transaction.scan_blocks) * host.logical_io_s,
            ROWS: transaction.rows * (host.row_step_s + host.line_miss_s),
            CHANGES: transaction.changed_blocks * host.change_block_s,
            CALLS: transaction.calls * host.call_s,
            COMMITS: host.commit_s if transaction.commits else 0.0,
        }
        if any(other.cpu_s for other in work.mix):
            cpu[SQL] = transaction.cpu_s
        kind_demands.append(
            KindDemand(
                name=transaction.name,
                share=transaction.weight / total,
                gets=transaction.gets,
                drawn_gets=_drawn_gets(transaction, work),
                hottest_gets=transaction.gets * hottest,
                hottest_changes=transaction.changed_blocks * changed_hottest,
                changed_blocks=transaction.changed_blocks,
                drawn_changes=transaction.changed_blocks * (1 - changed_hottest),
                scan_blocks=transaction.scan_blocks,
                redo_bytes=transaction.redo_bytes,
                commits=transaction.commits,
                trips_s=transaction.calls * client.round_trip_s,
                trips=transaction.calls,
                stated_wait_s=transaction.stated_wait_s,
                parallel_fraction=transaction.parallel_fraction if at_once else 0.0,
                parallel_reads=transaction.parallel_reads,
                cpu=cpu,
            )
        )
    return kind_demands


def in_page_cache(system: System) -> float:
    """Share of the reads that the host's page cache answers."""
    through = system.database_path not in UNBUFFERED
    return float(system.host.page_cache_hit_fraction) if through else 0.0


def block_cpu_s(system: System) -> dict[str, float]:
    """CPU seconds by cause of a block that is read; through the page cache it is copied."""
    host, cpu_s = system.host, {FILLS: float(system.host.buffer_block_s)}
    if system.database_path not in UNBUFFERED:
        cpu_s[COPIES] = float(copy_time_s(system.tablespace.block_size_bytes, host.copy_bytes_per_s))
    return cpu_s


def data_of(system: System, work: Transactions) -> Data:
    """Groups of blocks and the pools that they share; OutsideLaw for more than memory or disk hold."""
    size = int(system.tablespace.block_size_bytes)
    devices = work.data_devices
    most = max(devices, key=lambda device: device.share)
    if work.data_bytes * most.share > capacity_of(system.disk):
        on = "" if len(devices) == 1 else f" on device {most.name!r}"
        raise OutsideLaw(
            f"workload.data_bytes {show_bytes(work.data_bytes * most.share)}{on} is more than the disk holds, "
            f"{show_bytes(capacity_of(system.disk))}: set disk.capacity_bytes, or disk.raid_level and disk.raid_disks"
        )
    _several_devices_can_be(system, len(devices))
    _a_log_holds_a_transaction(system, work)
    if work.hottest_blocks * size > work.data_bytes:
        raise OutsideLaw(
            f"workload.hottest_blocks {work.hottest_blocks:,} of {show_bytes(size)} are more than workload.data_bytes "
            f"{show_bytes(work.data_bytes)} hold"
        )
    blocks = max(1, int(work.data_bytes) // size - work.hottest_blocks)
    classes, shares = _popularity(system, work, blocks, size)
    collision = sum(
        share**2 / class_blocks for class_blocks, share in zip(classes, shares, strict=True) if class_blocks
    )
    return Data(size, classes, shares, collision, _pools(system, work, size, len(classes)))


def check_beside(work: Transactions) -> None:
    """Raise OutsideLaw where data lie on several devices and other programs run beside: these share one disk."""
    if len(work.data_devices) > 1:
        raise OutsideLaw(
            f"workload.tablespaces lie on {len(work.data_devices)} devices, and programs beside each other share one "
            "disk: leave tablespaces out, or the other programs"
        )


def _several_devices_can_be(system: System, devices: int) -> None:
    """Raise OutsideLaw for limits and credits that several devices would share."""
    shared = [
        name
        for name, given in (
            ("host.iops_limit", system.host.iops_limit),
            ("host.bandwidth_limit_bytes_per_s", system.host.bandwidth_limit_bytes_per_s),
            ("disk.burst_iops", system.disk.burst_iops),
        )
        if given is not None
    ]
    if devices > 1 and shared:
        raise OutsideLaw(
            f"workload.tablespaces lie on {devices} devices, and {shared[0]} is not modelled for several: leave one "
            "of the two out"
        )


def _a_log_holds_a_transaction(system: System, work: Transactions) -> None:
    """Raise OutsideLaw where the redo of one transaction fills more than a redo log."""
    log_bytes, most = system.instance.redo_log_bytes, max(kind.redo_bytes for kind in work.mix)
    if log_bytes is not None and most > log_bytes:
        raise OutsideLaw(
            f"instance.redo_log_bytes {log_bytes:,} is less than the redo of a transaction, {most:,} bytes "
            "(workload.mix): give larger logs, or transactions with less redo"
        )


def _popularity(
    system: System, work: Transactions, blocks: int, size: int
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Blocks of each class, and its share of the gets that are not of the hottest blocks."""
    wanted = stated_classes(work, blocks)
    if work.miss_curve:
        wanted = curve_classes(system, work)
        class_sum = sum(class_blocks for class_blocks, _ in wanted)
        if class_sum > blocks * (1 + ROUNDING):
            raise OutsideLaw(
                f"workload.miss_curve asks for {show_bytes(class_sum * size)} of data, as its largest cache still "
                f"misses; workload.data_bytes is {show_bytes(work.data_bytes)}: give as much"
            )
        wanted.append((max(0.0, blocks - class_sum), 0.0))
    if wanted:
        sums = accumulate(class_blocks for class_blocks, _ in wanted)
        ends = [min(blocks, max(rank + 1, round(end))) for rank, end in enumerate(sums)]
        ends[-1] = blocks
        classes = tuple(end - begin for begin, end in pairwise([0, *ends]))
        return classes, tuple(share for _, share in wanted)
    hot = blocks * work.hot_data_percent / 100
    hot = blocks if work.hot_data_percent == 100 else int(smaller(larger(1, hot), larger(1, blocks - 1)))
    share = work.hot_gets_percent / 100 if blocks - hot else 1.0
    return (hot, blocks - hot), (share, 1 - share)


def curve_classes(system: System, work: Transactions) -> popularity_classes.Classes:
    """Classes of the blocks that a miss curve tells of: all but the hottest ones, which take room and never miss."""
    hottest = work.hottest_blocks if work.hot_pool == "default" else 0
    size = int(system.tablespace.block_size_bytes)
    gets = sum(transaction.weight * max(transaction.gets, transaction.changed_blocks) for transaction in work.mix)
    drawn = sum(transaction.weight * _drawn_gets(transaction, work) for transaction in work.mix)
    points = [
        (point.cache_bytes / size - hottest, point.miss_percent / 100 * (gets / drawn if drawn else 1))
        for point in work.miss_curve
    ]
    points = [(room, missed) for room, missed in points if room > 0 and missed <= 1]
    if len(points) < LEAST_POINTS:
        raise OutsideLaw(
            f"workload.hottest_blocks {hottest:,} and hottest_gets_percent {work.hottest_gets_percent:g} leave "
            f"{len(points)} points of workload.miss_curve: give larger caches, or less to the hottest blocks"
        )
    rooms, misses = zip(*points, strict=True)
    return list(classes_of_curve(rooms, misses, touch_rules(system), room_of_cache(system) - hottest))


def stated_classes(work: PopularBlocks, blocks: int) -> popularity_classes.Classes:
    """Blocks of each class and its share of the gets, by classes or a Zipf exponent; none without them."""
    if work.popularity:
        return [
            (blocks * block_class.blocks_percent / 100, block_class.gets_percent / 100)
            for block_class in work.popularity
        ]
    return [] if work.zipf_exponent is None else popularity_classes.zipf_classes(blocks, work.zipf_exponent)


def _drawn_gets(transaction: Transaction, work: Transactions) -> Number:
    """Gets of a transaction that do not go to the hottest blocks."""
    hottest, changed_hottest = work.hottest_gets_percent / 100, work.hottest_changes_percent / 100
    return larger(transaction.gets * (1 - hottest), transaction.changed_blocks * (1 - changed_hottest))


@lru_cache(maxsize=256)
def classes_of_curve(
    rooms: tuple[float, ...], misses: tuple[float, ...], rules: TouchRules, room: float
) -> tuple[tuple[float, float], ...]:
    """Classes of blocks of which touch counts miss as measured at each size, and just so in a cache of *room*."""
    classes = list(_classes_of_sizes(rooms, misses, rules))
    return tuple(popularity_classes.classes_at(max(1.0, room), rooms, misses, classes, _residence_by(rules)))


@lru_cache(maxsize=64)
def _classes_of_sizes(
    rooms: tuple[float, ...], misses: tuple[float, ...], rules: TouchRules
) -> tuple[tuple[float, float], ...]:
    return tuple(popularity_classes.classes_by_policy(rooms, misses, _residence_by(rules)))


def _residence_by(rules: TouchRules) -> popularity_classes.ResidenceLaw:
    def residence(room: float, classes: popularity_classes.Classes, rates: Sequence[float]) -> list[float]:
        popular = [share / class_blocks for class_blocks, share in classes]
        blocks = [class_blocks for class_blocks, _ in classes]
        parts = touch_count.resident_fractions(room, [*popular, *rates], [*blocks, *[0.0] * len(rates)], rules)
        return [sum(regions) for regions in parts[len(classes) :]]

    return residence


def room_of_cache(system: System) -> int:
    """Buffers of the pool that blocks of the data's size go to where nothing else is said."""
    size, instance = system.tablespace.block_size_bytes, system.instance
    cache = instance.buffer_cache_bytes
    if size != instance.db_block_size_bytes and instance.db_nk_cache_bytes is not None:
        cache = instance.db_nk_cache_bytes
    return max(1, int(cache // size))


def pools_bytes(instance: Instance) -> Any:
    """Memory of all pools of the buffer cache, bytes."""
    return (
        instance.buffer_cache_bytes
        + instance.db_keep_cache_bytes
        + instance.db_recycle_cache_bytes
        + (instance.db_nk_cache_bytes or 0)
    )


def _pools(system: System, work: Transactions, size: int, classes: int) -> tuple[Pool, ...]:
    instance = system.instance
    default = instance.buffer_cache_bytes
    if size != instance.db_block_size_bytes:
        default = instance.db_nk_cache_bytes or default
        if work.hot_pool == "keep" or work.cold_pool == "recycle":
            raise OutsideLaw(
                f"blocks of {show_bytes(size)} are not of db_block_size_bytes "
                f"{show_bytes(instance.db_block_size_bytes)}; KEEP and RECYCLE pools hold those of that size only"
            )
    bytes_of = {"default": default, "keep": instance.db_keep_cache_bytes, "recycle": instance.db_recycle_cache_bytes}
    every = pools_bytes(instance)
    if every >= system.host.memory_bytes:
        raise OutsideLaw(
            f"instance.buffer_cache_bytes and the other pools take {show_bytes(every)}; allowed is less than the "
            f"host's memory, host.memory_bytes {show_bytes(system.host.memory_bytes)}"
        )
    used: dict[str, list[int]] = {}
    for group, name in enumerate((work.hot_pool, *[work.cold_pool] * (classes - 1))):
        used.setdefault(name, []).append(group)
    for pool in used:
        if not bytes_of[pool]:
            raise OutsideLaw(
                f"blocks go to the {pool.upper()} pool, but instance.db_{pool}_cache_bytes is 0; give it a size"
            )
    hottest = work.hottest_blocks
    return tuple(
        Pool(name, max(1, int(bytes_of[name] // size) - (hottest if name == work.hot_pool else 0)), tuple(groups))
        for name, groups in used.items()
    )


def touch_rules(system: System) -> TouchRules:
    """The instance's replacement parameters, as the laws take them."""
    given = system.instance.replacement
    return TouchRules(
        percent_hot=given.percent_hot,
        touch_time_s=given.touch_time_s,
        hot_criteria=given.hot_criteria,
        more_than=given.more_than,
        stay_count=given.stay_count,
        cool_count=given.cool_count,
    )
