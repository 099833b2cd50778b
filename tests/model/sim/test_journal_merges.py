"""Blocks of the journal go down one by one and merge: five of a commit are two requests, and three merges."""

from __future__ import annotations

import pytest

from model import calculate, simulate
from model.spec import Disk, Host, System, WriteStream

FLASH = Disk(rotation_s=0.0, average_seek_s=0.0)


@pytest.mark.parametrize("disk", [FLASH, Disk()], ids=["flash", "platter"])
@pytest.mark.parametrize(("nomerges", "requests", "merges"), [("0", 3, 3), ("2", 6, 0)])
def test_a_growing_file_commits_each_time(disk: Disk, nomerges: str, requests: int, merges: int) -> None:
    host = Host(nomerges=nomerges)  # type: ignore[arg-type]
    work = WriteStream(path="dsync", extends=True, count=100, block_size_bytes=4096)
    found = [engine(System(host=host, disk=disk), work) for engine in (calculate, simulate)]
    for one in found:
        assert one.physical_io.write_requests == 100 * requests
        assert one.device["disk"].merged_writes == 100 * merges
    assert found[0].time.elapsed_s == pytest.approx(found[1].time.elapsed_s, rel=0.02)
