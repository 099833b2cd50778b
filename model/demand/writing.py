"""What DBWR and LGWR have to write behind sessions that change blocks: counts, which a simulation lets them write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocktime.model.demand.calls import written_as
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.requests import call_requests
from blocktime.model.laws import load
from blocktime.model.laws.numeric import Number, larger, some
from blocktime.model.spec import System, WriteStream


@dataclass(slots=True)
class WriteBehind:
    """Blocks that all sessions change, and their redo."""

    blocks: Number
    room_blocks: Number
    """Dirty blocks that the cache holds before DBWR has to write."""
    apart_fraction: Number
    """Of the blocks those that lie anywhere; the others lie in order."""
    redo_bytes: Number
    """Redo of all blocks."""

    @property
    def written_blocks(self) -> Number:
        """Blocks that DBWR has written when the last is filled; the rest stays dirty in the cache."""
        return larger(0, self.blocks - self.room_blocks)

    def meets_sessions(self, system: System) -> Any:
        """Whether something is written that may hold a session up; LGWR keeps up on a disk of its own."""
        beside = system.instance.redo_disk == "data" or system.host.limits_volumes
        return (self.written_blocks > 0) | (self.redo_bytes * beside > 0)

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
                    WriteStream(), block_size_bytes=size, path=path, count=written, pattern=pattern
                )
                requests = requests + share * call_requests(system, calls).requests
        return requests


def room_of(system: System) -> Number:
    """Dirty blocks of the tablespace that the cache holds before DBWR has to write."""
    instance, size = system.instance, system.tablespace.block_size_bytes
    other_size = size != instance.db_block_size_bytes and instance.db_nk_cache_bytes is not None
    cache = instance.db_nk_cache_bytes if other_size else instance.buffer_cache_bytes
    return load.room_blocks(cache, size)


def writing_of(
    system: System, blocks: Number, redo_bytes: Number = 0.0, *, apart_fraction: Number = 0.0
) -> WriteBehind:
    """The writes behind *blocks* dirty blocks, with their redo; *apart_fraction* of them lie anywhere."""
    return WriteBehind(blocks, room_of(system), apart_fraction, redo_bytes)
