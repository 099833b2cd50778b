"""What the reads of one execution ask of the device and of the page cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.demand.work import Demand
from model.laws import device, disk_means, scan_reads
from model.laws.numeric import Number, ceil_div, larger, smaller, some, where


@dataclass(slots=True)
class DeviceDemand:
    """What the reads of one execution ask of the device and of the page cache."""

    requests: Number
    bytes: Number
    latency_s: Number
    transfer_s: Number
    copy_s: Number
    first_s: Number
    """Uncontended time of the scan's first read."""
    last_blocks: Number
    single_s: Number
    """Uncontended time of one single-block read."""
    single_device_s: Number
    """The device's part of it."""
    single_transfer_s: Number
    """Of that, the time on its channel."""
    continued_s: Number
    """Positioning that its reads would pay besides, if none of them went on where the one before has ended."""

    @property
    def service_s(self) -> Number:
        """Time of all the scan's reads one after another, nobody queueing."""
        return self.latency_s + self.transfer_s + self.copy_s


@dataclass(slots=True)
class ReadTime:
    """One read: what the device does for it, and the copy out of the page cache."""

    requests: Number
    device_bytes: Number
    latency_s: Number
    transfer_s: Number
    copy_s: Number


def read_time(system: Any, size_bytes: Number, through_page_cache: bool, positionings: Number) -> ReadTime:
    """Requests and uncontended times of one read of *size_bytes*; the page cache answers its share by a copy."""
    host, disk = system.host, system.disk
    hit = host.page_cache_hit_fraction if through_page_cache else 0
    limit = host.read_ahead_bytes if through_page_cache else host.max_request_bytes
    device_bytes = size_bytes * (1 - hit)
    requests = device.device_requests(device_bytes, limit)
    touched = where(device_bytes > 0, 1, 0)
    latency = device.latency_s(
        positionings * touched,
        requests,
        overhead_s=disk.overhead_s,
        positioning_each_s=device.positioning_s(disk.average_seek_s, disk.rotation_s),
        parallel_requests=parallel_of(disk),
    )
    transfer = device.transfer_s(device_bytes, disk.bandwidth_bytes_per_s)
    if disk.raid_level != "none":
        latency, transfer = _over_members(disk, device_bytes, latency, transfer)
    if disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None:
        latency, transfer = _held_back(disk, device_bytes, requests, latency, transfer)
    copied = size_bytes if through_page_cache else 0
    return ReadTime(
        requests,
        device_bytes,
        latency,
        transfer,
        device.copy_time_s(copied, host.copy_bytes_per_s),
    )


def parallel_of(disk: Any) -> Number:
    """Requests that the device, or all members of a set, serve at once."""
    return disk.raid_disks * disk.parallel_requests


def _plain(disk: Any) -> bool:
    """Whether the time of many bytes is that of their reads: neither a set nor limits."""
    return disk.raid_level == "none" and disk.iops_limit is None and disk.throughput_limit_bytes_per_s is None


def _over_members(disk: Any, size_bytes: Number, latency: Number, transfer: Number) -> tuple[Number, Number]:
    """Latency and channel time of a read from a set: one read spans few members, many reads all of them.

    A member's own transfer holds a slot; the channel is as wide as all members that hold data.
    """
    wide = disk_means.data_members(disk)
    spanned = larger(1, smaller(wide, ceil_div(size_bytes, disk.stripe_unit_bytes)))
    return latency + transfer / spanned - transfer / wide, transfer / wide


def _held_back(
    disk: Any, size_bytes: Number, requests: Number, latency: Number, transfer: Number
) -> tuple[Number, Number]:
    """Latency and channel time of a read from a volume with limits: together no less than what the limits allow.

    While it has credits a volume may burst; a scan is taken to be over before they are gone.
    """
    least: Number = 0.0
    if disk.iops_limit is not None:
        bursts = disk.burst_iops is not None and some(disk.burst_credits)
        counted = larger(requests, disk_means.counted_requests(size_bytes))
        least = counted / (disk.burst_iops if bursts else disk.iops_limit)
    if disk.throughput_limit_bytes_per_s is not None:
        least = larger(least, size_bytes / disk.throughput_limit_bytes_per_s)
    channel = larger(transfer, least)
    return larger(0.0, latency - (channel - transfer)), channel


def device_demand(system: Any, demand: Demand) -> DeviceDemand:
    """Sum the reads' demands on a device that nobody else moves."""
    bs = demand.block_size_bytes
    plan = demand.plan
    fraction = plan.positioned_fraction
    requests: Number = 0
    rounds: Number = 0
    channel: Number = 0
    for piece in plan.pieces:
        one = read_time(system, piece.blocks * bs, plan.through_page_cache, 0)
        requests = requests + piece.count * one.requests
        rounds = rounds + piece.count * one.latency_s
        channel = channel + piece.count * one.transfer_s
    total = read_time(system, demand.read_blocks * bs, plan.through_page_cache, 0)
    each = device.positioning_s(system.disk.average_seek_s, system.disk.rotation_s) * (total.device_bytes > 0)
    latency = rounds + demand.reads * fraction * each
    first_blocks = _first_present(plan.pieces)
    last_blocks = _first_present(plan.pieces[::-1])
    first = read_time(system, first_blocks * bs, plan.through_page_cache, 1)
    single = read_time(system, bs, plan.through_page_cache, 1)
    # of sessions that share few reads not all make a first one
    first_each = smaller(1, demand.reads) * (1 - fraction) * each
    latency = latency + first_each
    return DeviceDemand(
        requests + plan.single_reads * single.requests,
        total.device_bytes + plan.single_reads * single.device_bytes,
        latency,
        total.transfer_s if _plain(system.disk) else channel,
        total.copy_s,
        first.latency_s + first.transfer_s + first.copy_s,
        last_blocks,
        single.latency_s + single.transfer_s + single.copy_s,
        single.latency_s + single.transfer_s,
        single.transfer_s,
        larger(0.0, demand.reads * (1 - fraction) * each - first_each),
    )


def _first_present(pieces: list[scan_reads.Piece]) -> Number:
    """Blocks of the first read there is; 0 without any."""
    blocks: Number = 0
    for piece in pieces:
        missing = blocks == 0
        if not some(missing):
            break
        blocks = where(missing, (piece.count > 0) * piece.blocks, blocks)
    return blocks
