"""Calls from the end of a file to its begin: nothing is read ahead, and a platter loses almost a turn for each."""

import pytest

from blocktime.model import simulate
from blocktime.model.spec import Disk, Host, ReadStream, System, WriteStream
from blocktime.model.units import KIB, MIB
from blocktime.scenarios import load, run

FLASH = Disk(rotation_s=0.0, average_seek_s=0.0, bandwidth_bytes_per_s=5e8, parallel_requests=8, queue_depth=32)
SET = Disk(raid_level="0", raid_disks=4)


@pytest.mark.parametrize(("kib", "requests"), [(4, 1), (8, 1), (64, 1), (512, 1), (1024, 2)])
def test_each_call_reads_its_own_pages_and_no_more(kib: int, requests: int) -> None:
    """``ondemand_readahead``: not in order, no mark, no history before it: ``do_page_cache_ra`` of the call, no ahead.

    512 KiB are ``max_sectors_kb``, and read_ahead_kb of 128 does not cut a call, as io_pages is larger.
    """
    work = ReadStream(block_size_bytes=kib * KIB, count=50, path="buffered", pattern="backward")
    found = simulate(System(disk=FLASH), work)
    assert found.physical_io.read_requests == 50 * requests
    assert found.physical_io.read_bytes == 50 * kib * KIB


def test_a_platter_turns_almost_once_for_each_call() -> None:
    work = ReadStream(path="direct", count=300, pattern="backward")
    each_s = simulate(System(disk=Disk()), work).time.elapsed_s / 300
    assert 0.9 * Disk().rotation_s < each_s < Disk().rotation_s


def test_written_pages_go_back_in_order() -> None:
    work = WriteStream(path="buffered", count=512, fsync_every=512, pattern="backward", block_size_bytes=4 * KIB)
    found = simulate(System(host=Host(filesystem="none"), disk=FLASH), work)
    assert found.physical_io.write_requests == 4


@pytest.mark.parametrize("rate", ["60M", "100M"])
def test_the_angle_between_files_decides_how_many_programs_a_turn_serves(rate: str) -> None:
    """It hangs on the angle between their files: a disk of a higher rate is slower at some distances."""
    took = []
    for mib in range(1, 8):
        changes = ["workload.users=2", f"workload.span_bytes={mib * MIB}"]
        case = load("magni-dd-raw-100", [*changes, f"disk.bandwidth_bytes_per_s={rate}"])
        took.append(run(case).time.elapsed_s / (100 * case.system.disk.rotation_s))
    assert min(took) == pytest.approx(1, abs=0.05)
    assert max(took) == pytest.approx(2, abs=0.05)
