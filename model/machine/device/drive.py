"""The device behind a queue, built from its specification: one contract for a disk, flash, a set, and a volume."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_means import data_members, overhead_s
from blocktime.model.loops import fastest
from blocktime.model.loops.drives import rotating_of
from blocktime.model.loops.rotating import Rotating
from blocktime.model.machine.device.array import Parity, Striped
from blocktime.model.machine.device.array_cache import Bus, CommandDrive, ReadHits, WriteBack
from blocktime.model.machine.device.flash import Flash
from blocktime.model.machine.device.tagged import Tagged, tagged_drives
from blocktime.model.machine.device.variable_service import DrawnServers
from blocktime.model.machine.device.volume import Volume
from blocktime.model.spec import Disk


def drive_of(disk: Disk, factors: Iterator[float] | None = None) -> BoundedDrive:
    """The device that a specification describes; ``submit(now_s, write, start_byte, size_bytes)`` says when it is done.

    Where service times vary each is the mean times the next of *factors*; without these all take the mean.

    Raises :class:`OutsideLaw` for a command that reaches beyond the capacity.
    """
    device: CommandDrive
    if disk.service_cv:
        device = fastest(DrawnServers)(disk, repeat(1.0) if factors is None else factors)
    else:
        device = _set_of(disk) if disk.raid_level != "none" else _single(disk)
    cache = None
    if disk.write_cache_bytes:
        device = cache = fastest(WriteBack)(
            device,
            disk.write_cache_bytes,
            fastest(Bus)(overhead_s(disk, True), disk.bus_bytes_per_s),
            unit_bytes=_destage_bytes(disk),
            depth=disk.raid_disks * disk.parallel_requests,
        )
    if disk.read_hit_fraction:
        bus = fastest(Bus)(overhead_s(disk, False), disk.bus_bytes_per_s)
        device = fastest(ReadHits)(device, disk.read_hit_fraction, bus)
    if disk.iops_limit is not None or disk.throughput_limit_bytes_per_s is not None:
        device = Volume(device, disk)
    return fastest(BoundedDrive)(device, capacity_of(disk), cache)


def tagged_of(disk: Disk) -> Tagged | None:
    """The queues of the drives that a specification describes, where they choose among their commands."""
    if disk.reorder_age_s is None:
        return None
    return tagged_drives([rotating_of(disk) for _ in range(disk.raid_disks)], disk)


def capacity_of(disk: Disk) -> int:
    """Bytes that a device or a set holds: the members' sum less redundancy, in whole stripes."""
    unit = 1 if disk.raid_level == "none" else disk.stripe_unit_bytes
    return int(disk.capacity_bytes // unit * unit * data_members(disk))


class BoundedDrive:
    """A device that refuses what lies beyond its end."""

    _device: CommandDrive
    _disk: Rotating | None
    """The device, where it is one disk, or one of flash, which the compiled loops call sooner."""
    _flash: Flash | None
    _capacity_bytes: int
    _cache: WriteBack | None

    def __init__(self, device: CommandDrive, capacity_bytes: int, cache: WriteBack | None) -> None:
        self._device = device
        self._disk = device if isinstance(device, Rotating) else None
        self._flash = device if isinstance(device, Flash) else None
        self._capacity_bytes = capacity_bytes
        self._cache = cache

    def at_rest(self, overhead_s: float) -> bool:
        """Be as at first, with that overhead of a read; only one disk can, of other devices each is made anew."""
        if self._disk is not None:
            self._disk.at_rest(overhead_s)
        return self._disk is not None

    @property
    def free_s(self) -> float:
        """When the last command handed in is done."""
        return self._device.free_s

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a command handed in at *now_s* is done."""
        if start_byte < 0 or size_bytes <= 0 or start_byte + size_bytes > self._capacity_bytes:
            raise OutsideLaw(
                f"disk: {size_bytes:,} bytes from byte {start_byte:,} on are asked for; allowed are the bytes below "
                f"its capacity, {self._capacity_bytes:,}"
            )
        if self._disk is not None:
            return self._disk.submit(now_s, write, start_byte, size_bytes)
        if self._flash is not None:
            return self._flash.submit(now_s, write, start_byte, size_bytes)
        return self._device.submit(now_s, write, start_byte, size_bytes)

    def flush(self, now_s: float) -> float:
        """When all writes that are done are on the medium too."""
        return now_s if self._cache is None else self._cache.flush(now_s)

    def distance(self, start_byte: int) -> float:
        """How far the device is from a byte."""
        return self._device.distance(start_byte)


def _single(disk: Disk) -> CommandDrive:
    if not disk.rotation_s:
        return fastest(Flash)(disk)
    # NOTE: commands out of the drive's own cache have no overhead of their own; a controller's have
    has_drive_cache = disk.write_cache_bytes and disk.raid_level == "none"
    return rotating_of(disk, write_overhead_s=0.0 if has_drive_cache else None)


def _set_of(disk: Disk) -> CommandDrive:
    members = [_single(disk) for _ in range(disk.raid_disks)]
    if disk.raid_level == "5":
        return Parity(members, unit_bytes=disk.stripe_unit_bytes)
    copies = 1 if disk.raid_level == "0" else 2
    return fastest(Striped)(members, copies=copies, unit_bytes=disk.stripe_unit_bytes)


def _destage_bytes(disk: Disk) -> int:
    """Most bytes of one command out of a write cache: a row of the stripe, a track, or what a queue cuts."""
    if disk.raid_level != "none":
        return int(disk.stripe_unit_bytes * data_members(disk))
    return max(512, int(geometry_of(disk).track_bytes)) if disk.rotation_s else int(disk.stripe_unit_bytes)
