"""What a transaction asks for: gets, misses, CPU by cause, redo, and where in the data its gets go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.errors import OutsideLaw
from model.laws.buffer_cache import TouchRules
from model.laws.numeric import Number, larger, smaller
from model.machine.device.drive import capacity_of
from model.spec import System, Transactions
from model.units import MIB, show_bytes

GETS = "buffer gets"
ROWS = "walking rows"
CHANGES = "changing blocks"
CALLS = "calls"
SQL = "SQL and PL/SQL"
COMMITS = "commits"
READS = "read calls"
FILLS = "filling the buffer cache"
UNDO = "consistent reads of changed blocks"
SPINS = "spinning for latches"
DATA, REDO, DBWR = "data disk", "redo disk", "database writer"
FIRST_TRANSACTIONS = 4_000
ROUNDS_OF_USERS = 10
"""Transactions of each user that a first run has at least."""
EXTENT_BYTES = MIB  # hot blocks lie in whole extents, and those anywhere among the others


def run_transactions(work: Transactions) -> int:
    """Transactions that a run has at least: those that are asked for, else some of each user."""
    if work.transactions is not None:
        return int(work.transactions)
    users = 1 if work.rate_per_s is not None else work.users
    return int(max(FIRST_TRANSACTIONS, ROUNDS_OF_USERS * users))


@dataclass(frozen=True, slots=True)
class KindDemand:
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
    cpu: dict[str, Number]
    """CPU seconds by cause, but for what depends on misses and on others."""

    @property
    def cpu_s(self) -> Number:
        """Sum of the causes."""
        return sum(self.cpu.values())

    @property
    def apart_s(self) -> Number:
        """Time that it spends neither on a processor nor on what the model makes it wait for."""
        return self.trips_s + self.stated_wait_s


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of buffers, and the groups of blocks that use it."""

    name: str
    room_blocks: int
    groups: tuple[int, ...]
    """Which of the data's groups: 0 hot, 1 the others."""


@dataclass(frozen=True, slots=True)
class Data:
    """Blocks that the gets go to: a hot group and the others, the hottest left out."""

    block_size_bytes: int
    blocks: tuple[Number, Number]
    shares: tuple[Number, Number]
    """Of the gets that are not of the hottest blocks."""
    collision: Number
    """Chance that a get and a change, neither of the hottest blocks, are of the same block."""
    pools: tuple[Pool, ...]


def kinds_of(system: System, work: Transactions) -> list[KindDemand]:
    """The mix, kind by kind."""
    host, client = system.host, system.client
    total = sum(one.weight for one in work.mix)
    hottest, changed_hottest = work.hottest_gets_percent / 100, work.hottest_changes_percent / 100
    found = []
    for one in work.mix:
        cpu = {
            GETS: (one.gets + one.changed_blocks + one.scan_blocks) * host.logical_io_s,
            ROWS: one.rows * (host.row_step_s + host.line_miss_s),
            CHANGES: one.changed_blocks * host.change_block_s,
            CALLS: one.calls * host.call_s,
            COMMITS: host.commit_s if one.commits else 0.0,
        }
        if any(other.cpu_s for other in work.mix):
            cpu[SQL] = one.cpu_s
        found.append(
            KindDemand(
                name=one.name,
                share=one.weight / total,
                gets=one.gets,
                drawn_gets=larger(one.gets * (1 - hottest), one.changed_blocks * (1 - changed_hottest)),
                hottest_gets=one.gets * hottest,
                hottest_changes=one.changed_blocks * changed_hottest,
                changed_blocks=one.changed_blocks,
                drawn_changes=one.changed_blocks * (1 - changed_hottest),
                scan_blocks=one.scan_blocks,
                redo_bytes=one.redo_bytes,
                commits=one.commits,
                trips_s=one.calls * client.round_trip_s,
                trips=one.calls,
                stated_wait_s=one.stated_wait_s,
                cpu=cpu,
            )
        )
    return found


def data_of(system: System, work: Transactions) -> Data:
    """Groups of blocks and the pools that they share; OutsideLaw for more than memory or disk hold."""
    instance = system.instance
    size = int(system.tablespace.block_size_bytes)
    if work.data_bytes > capacity_of(system.disk):
        raise OutsideLaw(
            f"workload.data_bytes {show_bytes(work.data_bytes)} is more than the disk holds, "
            f"{show_bytes(capacity_of(system.disk))}: set disk.capacity_bytes, or disk.raid_level and disk.raid_disks"
        )
    if work.hottest_blocks * size > work.data_bytes:
        raise OutsideLaw(
            f"workload.hottest_blocks {work.hottest_blocks:,} of {show_bytes(size)} are more than workload.data_bytes "
            f"{show_bytes(work.data_bytes)} hold"
        )
    blocks = max(1, int(work.data_bytes) // size - work.hottest_blocks)
    hot = blocks * work.hot_data_percent / 100
    hot = blocks if work.hot_data_percent == 100 else int(smaller(larger(1, hot), larger(1, blocks - 1)))
    cold = blocks - hot
    share = work.hot_gets_percent / 100 if cold else 1.0
    collision = share**2 / hot + ((1 - share) ** 2 / cold if cold else 0.0)
    return Data(size, (hot, cold), (share, 1 - share), collision, _pools(system, work, size, instance))


def pools_bytes(instance: Any) -> Any:
    """Memory of all pools of the buffer cache, bytes."""
    return (
        instance.buffer_cache_bytes
        + instance.db_keep_cache_bytes
        + instance.db_recycle_cache_bytes
        + (instance.db_nk_cache_bytes or 0)
    )


def _pools(system: System, work: Transactions, size: int, instance: Any) -> tuple[Pool, ...]:
    default = instance.buffer_cache_bytes
    if size != instance.db_block_size_bytes:
        default = instance.db_nk_cache_bytes or default
        if work.hot_pool == "keep" or work.cold_pool == "recycle":
            raise OutsideLaw(
                f"blocks of {show_bytes(size)} are not of db_block_size_bytes "
                f"{show_bytes(instance.db_block_size_bytes)}; KEEP and RECYCLE pools hold those of that size only"
            )
    bytes_of = {
        "default": default,
        "keep": instance.db_keep_cache_bytes,
        "recycle": instance.db_recycle_cache_bytes,
    }
    every = pools_bytes(instance)
    if every >= system.host.memory_bytes:
        raise OutsideLaw(
            f"instance.buffer_cache_bytes and the other pools take {show_bytes(every)}; allowed is less than the "
            f"host's memory, host.memory_bytes {show_bytes(system.host.memory_bytes)}"
        )
    used: dict[str, list[int]] = {}
    for group, name in enumerate((work.hot_pool, work.cold_pool)):
        used.setdefault(name, []).append(group)
    for pool in used:
        if not bytes_of[pool]:
            raise OutsideLaw(
                f"blocks go to the {pool.upper()} pool, but instance.db_{pool}_cache_bytes is 0; give it a size"
            )
    hottest = work.hottest_blocks
    return tuple(
        Pool(
            name,
            max(1, int(bytes_of[name] // size) - (hottest if name == work.hot_pool else 0)),
            tuple(groups),
        )
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
