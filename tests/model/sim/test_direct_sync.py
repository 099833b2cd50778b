"""O_DIRECT with O_SYNC or O_DSYNC: the medium by a flush or by FUA, and commits where something is to commit."""

import pytest

from blocktime.model import simulate
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.block_layer import writes_by_fua
from blocktime.model.spec import Disk, Host, System, WriteStream
from blocktime.model.units import MIB

FLASH = Disk(
    rotation_s=0.0, average_seek_s=0.0, write_overhead_s=2e-5, bandwidth_bytes_per_s=5e8, parallel_requests=8,
    queue_depth=32,
)  # fmt: skip
VOLATILE = {"write_cache_bytes": 8 * MIB, "write_cache_flushed": True}
COUNT = 500


def test_a_lone_overwrite_is_the_write_alone_without_a_volatile_cache() -> None:
    plain, synced = (
        simulate(System(host=Host(io_path="direct"), disk=FLASH), WriteStream(count=COUNT, synced=how))
        for how in ("none", "dsync")
    )
    assert synced.time.elapsed_s == pytest.approx(plain.time.elapsed_s)


@pytest.mark.parametrize(
    ("fua", "kernel", "filesystem", "flushes"),
    [
        (False, "6.1", "ext4", COUNT), (True, "6.1", "ext4", 0), (True, "5.4", "ext4", COUNT), (True, "5.4", "xfs", 0),
        (True, "4.15", "xfs", COUNT),
    ],
)  # fmt: skip
def test_a_flush_follows_each_write_where_the_kernel_does_not_ask_for_fua(
    fua: bool, kernel: str, filesystem: str, flushes: int
) -> None:
    disk = Disk(**(FLASH.model_dump() | VOLATILE | {"fua": fua}))
    assert writes_by_fua(tuple(map(int, kernel.split("."))), "direct", filesystem) is (flushes == 0 or not fua)
    host = Host(io_path="direct", kernel=kernel, filesystem=filesystem)  # type: ignore[arg-type]
    found = simulate(System(host=host, disk=disk), WriteStream(count=COUNT, synced="dsync"))
    assert found.physical_io.write_requests == pytest.approx(COUNT + flushes)


def test_it_is_refused_through_the_page_cache() -> None:
    system = System(host=Host(io_path="buffered"), disk=FLASH)
    with pytest.raises(OutsideLaw, match="synced dsync goes with O_DIRECT; path is buffered"):
        simulate(system, WriteStream(synced="dsync"))
