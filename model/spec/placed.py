"""Where the data of transactions lie: table spaces, each with its share of the blocks, on several devices."""

from typing import Annotated, NamedTuple

from pydantic import Field

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, Rate, Real, Seconds, setting
from blocktime.model.spec.machine import SHEETS

DISK = "disk"
"""What the device is called that all data lie on where no table spaces are named."""
TOLERATED_PERCENT = 0.1
DEVICE_FIELDS = ("overhead_s", "iops_limit", "throughput_limit_bytes_per_s")
"""Fields in which the device of a table space may differ from the disk."""


class PlacedTablespace(Frozen):
    """A table space of the data, and the device that it lies on."""

    name: str = setting("data", GENERAL, names=True, min_length=1, max_length=60)
    """Name of the table space."""
    blocks_percent: Real = setting(100.0, GENERAL, within=(0, 100))
    """Share of the blocks of the data, popular or not, and with them of gets, reads and changes."""
    device: str = setting(DISK, GENERAL, min_length=1, max_length=60)
    """Device that it lies on, with a queue of its own; as [disk] describes it but for what is set here."""
    overhead_s: Seconds | None = setting(None, SHEETS, within=(0, 10))
    """Command overhead of a request of its device; that of the disk if not set."""
    iops_limit: Annotated[Real, Field(ge=0.001, le=1e9)] | None = setting(None, GENERAL)
    """IOPS limit of its device; that of the disk if not set."""
    throughput_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(None, GENERAL)
    """Bandwidth limit of its device; that of the disk if not set."""

    @property
    def device_fields(self) -> dict[str, float]:
        """Fields in which its device differs from the disk."""
        return {name: stated for name in DEVICE_FIELDS if (stated := getattr(self, name)) is not None}


class DataDevice(NamedTuple):
    """A device of the data: its name, its share of the blocks, and the fields in which it differs from the disk."""

    name: str
    share: float
    device_fields: dict[str, float]


def check_placed(tablespaces: tuple[PlacedTablespace, ...]) -> None:
    """Raise ValueError for table spaces that do not hold all blocks once, or contradict each other."""
    if not tablespaces:
        return
    names = [space.name for space in tablespaces]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), ""):
        raise ValueError(f"tablespaces has two named {twice!r}; give each a name of its own")
    percent = sum(space.blocks_percent for space in tablespaces)
    if abs(percent - 100) > TOLERATED_PERCENT:
        raise ValueError(
            f"blocks_percent of the {len(names)} tablespaces sum to {percent:g}; they are shares of all blocks, so "
            "they sum to 100"
        )
    of_device: dict[str, PlacedTablespace] = {}
    for space in tablespaces:
        first = of_device.setdefault(space.device, space)
        if first.device_fields != space.device_fields:
            differs = next(name for name in DEVICE_FIELDS if getattr(first, name) != getattr(space, name))
            raise ValueError(
                f"tablespaces {first.name!r} and {space.name!r} lie on device {space.device!r}, which has one "
                f"{differs}: give both the same, or another device"
            )


def devices_of(tablespaces: tuple[PlacedTablespace, ...]) -> list[DataDevice]:
    """The devices of the data in the order in which they are named; a lone one is the disk, as where none is."""
    if not tablespaces:
        return [DataDevice(DISK, 1.0, {})]
    every = sum(space.blocks_percent for space in tablespaces)
    shares: dict[str, float] = {}
    for space in tablespaces:
        shares[space.device] = shares.get(space.device, 0.0) + space.blocks_percent
    fields_by_device = {space.device: space.device_fields for space in tablespaces}
    devices = [DataDevice(name, percent / every, fields_by_device[name]) for name, percent in shares.items()]
    return devices if len(devices) > 1 else [devices[0]._replace(name=DISK)]
