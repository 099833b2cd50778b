"""A file system without a journal: a commit is the inode's block alone."""

from typing import Any

import pytest

from blocktime.model import simulate
from blocktime.model.spec import Disk, Host, System, WriteStream

FLASH = Disk(
    overhead_s=100e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=1e9, parallel_requests=8,
    queue_depth=8, track_buffer_bytes=0,
)  # fmt: skip
COUNT = 200


def answer(*, journal: bool, filesystem: str = "ext4", disk: Disk = FLASH, **more: Any) -> Any:
    given: dict[str, Any] = {"block_size_bytes": 4096, "count": COUNT, "path": "buffered", "fsync_every": 1} | more
    host = Host(scheduler="none", filesystem=filesystem, journal=journal)
    return simulate(System(host=host, disk=disk), WriteStream(**given))


@pytest.mark.parametrize("filesystem", ["ext3", "ext4"])
def test_an_fsync_writes_data_and_inode_instead_of_data_and_two_requests_of_the_journal(filesystem: str) -> None:
    device = [answer(journal=journal, filesystem=filesystem).physical_io for journal in (True, False)]
    assert [io.write_requests for io in device] == pytest.approx([3 * COUNT, 2 * COUNT])
    assert [io.write_bytes for io in device] == [6 * 4096 * COUNT, 2 * 4096 * COUNT]


def test_o_dsync_in_place_writes_data_alone() -> None:
    for extends, requests in ((False, COUNT), (True, 2 * COUNT)):
        result = answer(journal=False, path="dsync", fsync_every=0, extends=extends)
        assert result.physical_io.write_requests == pytest.approx(requests)


def test_other_file_systems_keep_theirs() -> None:
    with pytest.raises(ValueError, match="journal false is for filesystem ext3 and ext4; filesystem is xfs"):
        Host(filesystem="xfs", journal=False)
