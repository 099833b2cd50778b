"""Volumes that are allowed so many requests and bytes a second: paced, in slices, or more while credits last.

A virtual machine limits what its volumes do together.
"""

from __future__ import annotations

from typing import Any

from blocktime.model.laws.volume_limits import counted_requests, requests_of_members, slice_begin_s
from blocktime.model.machine.device.array_cache import CommandDrive
from blocktime.model.spec import Disk, Host


class Credits:
    """What is saved up to a most while less is used than comes in, and spent above that [aws-ebs]."""

    __slots__ = ("_credits", "_most", "_refill_per_s", "_since_s")

    def __init__(self, most: float, refill_per_s: float) -> None:
        self._credits = self._most = most
        self._refill_per_s = refill_per_s
        self._since_s = 0.0

    def spent_at_s(self, begin_s: float, amount: float) -> float:
        """When the credits for *amount* are there, which are then spent."""
        earned = self._credits + (begin_s - self._since_s) * self._refill_per_s
        saved = min(max(self._most, amount), earned)
        if saved < amount:
            begin_s += (amount - saved) / self._refill_per_s
            saved = amount
        self._credits, self._since_s = saved - amount, begin_s
        return begin_s


class HostLimits:
    """Token buckets of requests and bytes that all volumes of a virtual machine share."""

    __slots__ = ("_buckets", "_disk", "_next_s")

    def __init__(self, host: Host, disk: Disk) -> None:
        self._disk = disk
        self._next_s = 0.0
        self._buckets = [
            (limit if burst is None else burst, Credits((burst - limit) * host.burst_s, limit) if burst else None)
            if limit is not None
            else None
            for limit, burst in (
                (host.iops_limit, host.burst_iops),
                (host.bandwidth_limit_bytes_per_s, host.burst_bandwidth_bytes_per_s),
            )
        ]

    def begin_s(self, now_s: float, size_bytes: int) -> float:
        """When a request goes on to its volume; those before it have gone."""
        begin_s, lasts_s = max(now_s, self._next_s), 0.0
        amounts = (counted_requests(self._disk, size_bytes), size_bytes)
        for bucket, amount in zip(self._buckets, amounts, strict=True):
            if bucket is not None:
                pace_per_s, saved = bucket
                lasts_s = max(lasts_s, amount / pace_per_s)
                if saved is not None:
                    begin_s = saved.spent_at_s(begin_s, amount)
        self._next_s = begin_s + lasts_s
        return begin_s


class BehindHost:
    """A device whose requests go through the limits of its host first."""

    __slots__ = ("_device", "_limits")

    def __init__(self, device: Any, limits: HostLimits) -> None:
        self._device = device
        self._limits = limits

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        begin_s = self._limits.begin_s(now_s, size_bytes)
        return float(self._device.submit(begin_s, write, start_byte, size_bytes))

    def flush(self, now_s: float) -> float:
        """When all writes that are done are on the medium too."""
        return float(self._device.flush(now_s))


class Volume:
    """Token buckets before a device; an idle volume serves at once, a busy one at its limits [aws-ebs].

    A throttle in slices gives out a slice's allowance as the slice begins; slices follow each other from the first
    request after an idle one, and what one leaves over is lost [linux-blk-throttle].
    """

    __slots__ = (
        "_begun_s", "_bytes_per_s", "_credits", "_device", "_disk", "_members", "_next_s", "_origin_s", "_pace_per_s",
        "_refill_per_s", "_slice_s", "free_s",
    )  # fmt: skip

    def __init__(self, device: CommandDrive, disk: Disk) -> None:
        self._device = device
        self._disk = disk
        members = disk.raid_disks  # NOTE: stripes are small beside the data, so members of a set are asked alike
        self._refill_per_s = disk.iops_limit
        self._pace_per_s = members * ((disk.iops_limit or 0.0) if disk.burst_iops is None else disk.burst_iops)
        self._bytes_per_s = disk.throughput_limit_bytes_per_s
        self._members = members
        self._credits = None
        if disk.iops_limit is not None and disk.burst_iops is not None and disk.burst_iops > disk.iops_limit:
            self._credits = Credits(members * disk.burst_credits, members * disk.iops_limit)
        self._next_s = 0.0
        self._slice_s: float = disk.limit_slice_s
        self._origin_s = 0.0
        self._begun_s: float = -self._slice_s
        self.free_s = 0.0
        """When the last command handed in is done."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        each = requests_of_members(self._disk, write)
        requests = each * counted_requests(self._disk, size_bytes)
        requests_s = requests / self._pace_per_s if self._refill_per_s is not None else 0.0
        bytes_s = each * size_bytes / self._bytes_per_s / self._members if self._bytes_per_s is not None else 0.0
        if self._slice_s:
            begin = self._in_slices(now_s, requests_s, bytes_s)
        else:
            begin = max(now_s, self._next_s)
            if self._credits is not None:
                begin = self._credits.spent_at_s(begin, requests)
            self._next_s = begin + max(requests_s, bytes_s)
        self.free_s = self._device.submit(begin, write, start_byte, size_bytes)
        return self.free_s

    def distance(self, start_byte: int) -> float:
        """How far the device behind is from a byte."""
        return self._device.distance(start_byte)

    def _in_slices(self, now_s: float, requests_s: float, bytes_s: float) -> float:
        """When a request goes whose limits give it out in so many seconds; those before it have gone."""
        now_s = max(now_s, self._begun_s)
        if now_s > self._begun_s + self._slice_s:
            self._origin_s = self._next_s = now_s
        here_s = slice_begin_s(now_s, self._origin_s, self._slice_s)
        if now_s >= here_s + self._slice_s:
            here_s += self._slice_s
        due_s = max(self._next_s, here_s) + max(requests_s, bytes_s)
        begin_s = slice_begin_s(due_s, self._origin_s, self._slice_s)
        if begin_s <= here_s:
            begin_s = now_s
        elif bytes_s > requests_s:  # the kernel waits for the bytes themselves, not for the next slice
            begin_s = due_s
        self._next_s, self._begun_s = due_s, max(now_s, begin_s)
        return self._begun_s
