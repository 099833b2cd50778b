"""What is written behind sessions that change blocks, by DBWR and LGWR or by themselves: counts for a simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from blocktime.model.demand.calls import written_as
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import log_disk_of
from blocktime.model.demand.requests import call_requests
from blocktime.model.laws import disk_means, table_load
from blocktime.model.laws.changed_blocks import recovery_lag_bytes
from blocktime.model.laws.commit import LOG_LAG_FRACTION
from blocktime.model.laws.numeric import Number, ceiling, larger, smaller, some, where
from blocktime.model.laws.volume_limits import limited_per_s
from blocktime.model.spec import System, WriteStream


@dataclass(slots=True)
class WriteBehind:
    """Blocks that all sessions change, and their redo."""

    blocks: Number
    room_blocks: Number
    """Dirty blocks above which DBWR writes: those that the cache holds, or that the checkpoint lags behind."""
    most_blocks: Number
    """Dirty blocks above which sessions wait for DBWR."""
    by_log: Any
    """Whether they wait for the next redo log then, and not for buffers."""
    apart_fraction: Number
    """Of the blocks those that lie anywhere; the others lie in order."""
    undo_fraction: Number
    """Of the blocks those of undo, which lie in order behind the table's."""
    redo_bytes: Number
    """Redo of all blocks."""
    direct: bool = False
    """Whether the sessions write the blocks themselves, by direct path."""
    call_blocks: Number = 1
    """Blocks of a write."""
    to_temp: bool = False
    """Whether they go to the temporary tablespace."""
    log_lags: Any = False
    """Whether a disk of the log's own may lag behind the sessions."""

    def of_all(self, users: Number) -> WriteBehind:
        """That of so many users, each of whom writes as much."""
        return replace(self, blocks=self.blocks * users)

    @property
    def written_blocks(self) -> Number:
        """Blocks that DBWR has written when the last is filled; the rest stays dirty in the cache."""
        return larger(0, self.blocks - self.room_blocks)

    def meets_sessions(self, system: System) -> Any:
        """Whether something is written that may hold a session up."""
        return (self.written_blocks > 0) | self.redo_meets_sessions(system)

    def redo_meets_sessions(self, system: System) -> Any:
        """Whether LGWR may hold a session up: among the data, on a volume with a limit, or as it lags."""
        beside = self.log_lags | (system.instance.redo_disk == "data") | system.host.limits_volumes
        return self.redo_bytes * beside > 0

    def at_device(self, system: System) -> Number:
        """Whether anything is written to the disk of the data: more than 0."""
        return self.written_blocks + self.redo_bytes * (system.instance.redo_disk == "data")

    def requests(self, system: System) -> Number:
        """Requests of a block at the device."""
        size, requests = system.tablespace.block_size_bytes, 0.0 * self.blocks
        path, written = written_as(system), larger(1, self.blocks - self.room_blocks)
        for pattern, share in (("sequential", 1 - self.apart_fraction), ("random", self.apart_fraction)):
            if some(share > 0):
                calls = changed(
                    WriteStream(),
                    block_size_bytes=size * self.call_blocks,
                    path=path,
                    count=ceiling(written / self.call_blocks),
                    pattern=pattern,
                )
                requests = requests + share * call_requests(system, calls).requests / self.call_blocks
        return requests

    @property
    def calls(self) -> Number:
        """Writes of the blocks that have no room."""
        return self.written_blocks / self.call_blocks


def checkpoint_lag_bytes(system: System, redo_bytes: Number, blocks: Number, span_bytes: Number) -> Number:
    """Redo that the checkpoint lags behind at most: as stated, by the size of a log, or by the time of a recovery.

    *redo_bytes* change *blocks* distinct ones, which lie over *span_bytes*. Infinite where nothing limits it.
    """
    instance, lag = system.instance, inf
    if instance.checkpoint_redo_bytes is not None:
        lag = instance.checkpoint_redo_bytes
    if instance.redo_log_bytes is not None:
        lag = smaller(lag, LOG_LAG_FRACTION * instance.redo_log_bytes)
    target_s = instance.fast_start_mttr_target_s
    if some(target_s > 0):
        disk, size = system.disk, system.tablespace.block_size_bytes
        rate = disk_means.sequential_bytes_per_s(log_disk_of(system), write=False)
        reads_per_s = disk_means.random_requests_per_s(disk, size, span_bytes, write=False)
        of_target = recovery_lag_bytes(target_s, redo_bytes, blocks, rate, limited_per_s(disk, reads_per_s, size))
        lag = where(target_s > 0, smaller(lag, of_target), lag)
    return lag


def room_of(system: System) -> Number:
    """Dirty blocks of the tablespace that the cache holds before DBWR has to write."""
    instance, size = system.instance, system.tablespace.block_size_bytes
    other_size = size != instance.db_block_size_bytes and instance.db_nk_cache_bytes is not None
    cache = instance.db_nk_cache_bytes if other_size else instance.buffer_cache_bytes
    return table_load.room_blocks(cache, size)
