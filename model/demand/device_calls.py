"""Calls as a device sees them: how they lie, how far apart they come, and who goes on where it was."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from blocktime.model.demand.calls import largest_bytes_of
from blocktime.model.demand.of_many import Overlay
from blocktime.model.laws import block_layer, disk_means
from blocktime.model.laws.numeric import Number, smaller
from blocktime.model.spec import Stream, System

Part = TypeVar("Part")


def changed(base: Part, **fields: Any) -> Part:
    """A part of the inputs as it is, but for some fields, which may be arrays."""
    return cast(Part, Overlay(base, fields))


def forwards(calls: Stream) -> Any:
    """Calls from the end of a file to its begin as a stride back, which nothing reads ahead [linux-readahead]."""
    if calls.pattern != "backward":
        return calls
    return changed(calls, pattern="strided", stride_bytes=-calls.block_size_bytes, fadvise="random")


def largest_bytes(system: System, calls: Stream) -> Number:
    """The largest request that the host's block layer makes of *calls*."""
    size = calls.block_size_bytes
    return largest_bytes_of(system.host, calls.opened_as(system), writes=calls.writes, call_bytes=size)


def merged_bytes(system: System, calls: Stream) -> Number:
    """Bytes to which write-back's pages merge: pages handed down one by one stay so with ``nomerges`` 2."""
    host = system.host
    release = block_layer.release_of(host.kernel)
    if host.nomerges == "2" and block_layer.page_by_page(release, host.filesystem):
        return block_layer.PAGE_BYTES
    return largest_bytes(system, calls)


def span_of(system: System, calls: Stream) -> Number:
    """Bytes among which places are as if by chance; of programs in order those of all their files."""
    if calls.pattern == "random":
        capacity = system.disk.capacity_bytes * disk_means.data_members(system.disk)
        return smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    step = calls.step_bytes
    return calls.users * (calls.span_bytes if calls.span_bytes is not None else calls.count * abs(step))
