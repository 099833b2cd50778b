"""A file system without a journal: a commit is the inode's block alone, by both engines."""

from __future__ import annotations

from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.model.spec import Disk, Host, System, WriteStream

FLASH = Disk(
    overhead_s=100e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=1e9, parallel_requests=8,
    queue_depth=8, track_buffer_bytes=0,
)  # fmt: skip
ENGINES = (calculate, simulate)
COUNT = 200


def answer(engine: Any, *, journal: bool, filesystem: str = "ext4", disk: Disk = FLASH, **more: Any) -> Any:
    given: dict[str, Any] = {
        "block_size_bytes": 4096,
        "count": COUNT,
        "path": "buffered",
        "fsync_every": 1,
    } | more
    host = Host(scheduler="none", filesystem=filesystem, journal=journal)
    return engine(System(host=host, disk=disk), WriteStream(**given))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("filesystem", ["ext3", "ext4"])
def test_an_fsync_writes_data_and_inode_instead_of_data_and_two_requests_of_the_journal(
    engine: Any, filesystem: str
) -> None:
    device = [answer(engine, journal=journal, filesystem=filesystem).physical_io for journal in (True, False)]
    assert [io.write_requests for io in device] == pytest.approx([3 * COUNT, 2 * COUNT])
    if engine is simulate:
        assert [io.write_bytes for io in device] == [6 * 4096 * COUNT, 2 * 4096 * COUNT]


@pytest.mark.parametrize("engine", ENGINES)
def test_o_dsync_in_place_writes_data_alone(engine: Any) -> None:
    for extends, requests in ((False, COUNT), (True, 2 * COUNT)):
        result = answer(engine, journal=False, path="dsync", fsync_every=0, extends=extends)
        assert result.physical_io.write_requests == pytest.approx(requests)


def test_both_engines_give_one_time() -> None:
    times = [answer(engine, journal=False).time.elapsed_s for engine in ENGINES]
    assert times[0] == pytest.approx(times[1], rel=0.01)


def test_a_disk_that_rotates_is_answered_alike() -> None:
    disk = Disk(average_seek_s=4e-3, rotation_s=6e-3, capacity_bytes=40 * 1024**3)
    times = [answer(engine, journal=False, disk=disk).time.elapsed_s for engine in ENGINES]
    assert times[0] == pytest.approx(times[1], rel=0.1)


def test_other_file_systems_keep_theirs() -> None:
    with pytest.raises(ValueError, match="journal false is for filesystem ext3 and ext4; filesystem is xfs"):
        Host(filesystem="xfs", journal=False)
