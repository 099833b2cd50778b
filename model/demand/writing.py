"""What DBWR and LGWR have to write behind sessions that fill blocks, and how long the device takes for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from blocktime.model.demand.calls import goes_on, writes_at_once, written_as
from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.host_limits import through_host
from blocktime.model.demand.stream_demand import CallDemand
from blocktime.model.demand.stream_work import call_demand
from blocktime.model.laws import disk_means, limits, load
from blocktime.model.laws.numeric import Number, larger, some
from blocktime.model.spec import System, WriteStream

LEAST_REQUESTS: Final = 1e-9


@dataclass(slots=True)
class WriteBehind:
    """Blocks filled by all sessions, and what becomes of them on the device."""

    blocks: Number
    room_blocks: Number
    """Dirty blocks that the cache holds before DBWR has to write."""
    write_s: Number
    """DBWR's time per block."""
    device_s: Number
    """The device's part of it."""
    there_s: Number
    """What the requests of a block are at the device for, together: longer where it serves several at once."""
    requests: Number
    """Requests at the device per block."""
    redo_s: Number
    """Time of a block's redo at what it shares with the blocks: their device, or the limits of a virtual machine."""
    redo_bytes: Number
    """Redo of all blocks on that device."""
    own_redo_bytes: Number
    """Redo of all blocks on a device of its own, which keeps up."""
    log_s: Number
    """Time of all redo at its device."""

    def stalls_s(self, own_s: Number, reading_s: Number) -> tuple[Number, Number]:
        """Waits for the log and for free buffers, of sessions that take *own_s* without them.

        Their reads keep the device for *reading_s* of that.
        """
        return load.stalls_s(own_s, self.blocks, self.room_blocks, self.write_s, self.redo_s, reading_s)

    @property
    def written_blocks(self) -> Number:
        """Blocks that DBWR has written when the last is filled; the rest stays dirty in the cache."""
        return larger(0, self.blocks - self.room_blocks)


def room_of(system: System) -> Number:
    """Dirty blocks of the tablespace that the cache holds before DBWR has to write."""
    instance, size = system.instance, system.tablespace.block_size_bytes
    other_size = size != instance.db_block_size_bytes and instance.db_nk_cache_bytes is not None
    cache = instance.db_nk_cache_bytes if other_size else instance.buffer_cache_bytes
    return load.room_blocks(cache, size)


def _credited(system: System, calls: WriteStream) -> CallDemand:
    """Demand of a write, where some meet a device as it is at first and the others as it is once that is spent."""
    demand, disk = call_demand(system, calls), system.disk
    each = larger(demand.requests, LEAST_REQUESTS)
    requests, idle_s = calls.count * demand.requests, demand.cpu_s
    spent = disk_means.at_first(disk, requests, demand.device_bytes / each, True, idle_s / each)
    if spent is None:
        return demand
    share, before, after = spent
    first = call_demand(changed(system, disk=changed(disk, **before)), calls) if before else demand
    if not some(share < 1):
        return first
    rest = call_demand(changed(system, disk=changed(disk, **after)), calls) if after else demand
    rest.held_s = share * first.held_s + (1 - share) * rest.held_s
    rest.device_s = share * first.device_s + (1 - share) * rest.device_s
    return rest


def writing_of(
    system: System, blocks: Number, redo_bytes: Number = 0.0, *, apart_fraction: Number = 0.0
) -> WriteBehind:
    """The writes behind *blocks* dirty blocks, with their redo in requests so large that only its bytes count.

    They lie in order but for *apart_fraction* of them, which lie anywhere.

    Oracle opens files of a file system with O_SYNC, so a buffered path counts as sync [oracle-reference]. Without
    asynchronous I/O DBWR writes one block after the other; with it the device decides. Where the host limits what its
    volumes do together, blocks and redo pass its limits one after the other, on whatever disks they lie.
    """
    system = through_host(system)
    instance, size = system.instance, system.tablespace.block_size_bytes
    path, room_blocks = written_as(system), room_of(system)
    written = larger(1, blocks - room_blocks)
    device_s = write_s = there_s = requests = 0.0 * written
    for pattern, share in (("sequential", 1 - apart_fraction), ("random", apart_fraction)):
        if not some(share > 0):
            continue
        asked = changed(WriteStream(), block_size_bytes=size, path=path, count=written, pattern=pattern)
        call = _credited(system, asked)
        alone_s = call.cpu_s + call.device_s
        held_s = larger(call.held_s, call.drained_s)  # in the long run a write cache is full
        write_s = write_s + share * larger(held_s, alone_s / writes_at_once(system))
        of_device = held_s if goes_on(system) else larger(call.device_s, call.drained_s)
        device_s, requests = device_s + share * of_device, requests + share * call.requests
        there_s = there_s + share * larger(of_device, call.device_s)
    shared = redo_bytes if instance.redo_disk == "data" else 0.0
    own_redo_bytes, host = redo_bytes - shared, system.host
    log_bytes_per_s = disk_means.sequential_bytes_per_s(system.disk, True)
    let_through_s = limits.let_through_s(host, system.disk, own_redo_bytes / blocks, host.max_request_bytes)
    if host.limits_volumes:
        of_blocks_s = limits.let_through_s(host, system.disk, size, size / requests)
        write_s = larger(write_s - let_through_s, of_blocks_s)
    return WriteBehind(
        blocks=blocks,
        room_blocks=room_blocks,
        write_s=write_s,
        device_s=device_s,
        there_s=there_s,
        requests=requests,
        redo_s=shared / blocks / log_bytes_per_s + let_through_s,
        redo_bytes=shared,
        own_redo_bytes=own_redo_bytes,
        log_s=redo_bytes / log_bytes_per_s,
    )
