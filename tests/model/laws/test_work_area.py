"""Work areas: their memory by release, and what sorts and hash joins write to temp, by hand."""

from itertools import pairwise

import pytest

from blocktime.model.laws.work_area import (
    AreaMemory,
    hash_spill,
    merge_width,
    sort_spill,
    times_written,
    work_area_bytes,
)

KB, MB, GB = 1024, 1024**2, 1024**3


@pytest.mark.parametrize(
    ("release", "target", "kilobytes"),
    [
        ((10, 2), 256 * MB, 52_428),  # debes-pga
        ((10, 2), 1024 * MB, 104_850),
        ((10, 2), 1500 * MB, 153_600),
        ((12, 1), 2048 * MB, 209_710),  # hatem-pga
        ((10, 2), 700 * MB, 102_400),  # decker-pga
        ((9, 2), 1024 * MB, 52_428),  # stoyanov-pga
        ((9, 2), 4096 * MB, 102_400),
    ],
)
def test_memory_of_a_work_area_is_as_published(release: tuple[int, ...], target: int, kilobytes: int) -> None:
    assert work_area_bytes(target, release, 1) / KB == pytest.approx(kilobytes, abs=8)


def test_areas_share_the_target() -> None:
    assert work_area_bytes(GB, (19,), 1) == work_area_bytes(GB, (19,), 9)
    assert work_area_bytes(GB, (19,), 100) == GB / 100
    assert work_area_bytes(100 * GB, (19,), 1) == GB


@pytest.mark.parametrize(
    ("memory", "runs", "width", "blocks"),
    [
        (8 * MB, 1, 1, 0),
        (MB, 8, 8, 1024),  # buffers of 14 blocks: 9 of them, one to write
        (256 * KB, 32, 15, 1632),  # 15 runs at once: 17 beyond 15, in two merges: 32 + 17 + 2 = 51 of 32
        (128 * KB, 64, 7, 2336),
        (64 * KB, 128, 3, 4664),
        (32 * KB, 256, 3, 5200),  # buffers of one block
    ],
)
def test_temp_blocks_of_a_sort_by_hand(memory: int, runs: int, width: int, blocks: int) -> None:
    spill = sort_spill(8 * MB, AreaMemory(memory, 8 * KB, 16 * KB))
    assert (spill.runs, spill.written_bytes / 8 / KB) == (runs, blocks)
    assert spill.read_bytes == spill.written_bytes
    assert min(spill.runs, spill.width) == width


def test_the_published_sort_is_reached_by_one_volume_and_width() -> None:
    volume = 7147 * 8 * KB
    one_pass = sort_spill(volume, AreaMemory(4 * MB, 8 * KB, 16 * KB))
    assert (one_pass.passes, one_pass.written_bytes / 8 / KB) == (1, 7147)
    multipass = sort_spill(volume, AreaMemory(25_050, 8 * KB, 16 * KB))
    assert (multipass.runs, multipass.width) == (2338, 2)
    assert multipass.written_bytes / 8 / KB == pytest.approx(80_389, abs=1)


def _merged(runs: int, width: int) -> float:
    """How often each run is written, merge by merge: the smallest first, so few at first that all others are full."""
    sizes = sorted([1] * runs + [0] * (-(runs - 1) % (width - 1)))
    written = 0
    while len(sizes) > 1:
        merged = sum(sizes[:width])
        sizes = sorted([*sizes[width:], merged])
        written += merged
    return written / runs


@pytest.mark.parametrize("width", [2, 3, 7])
@pytest.mark.parametrize("runs", [2, 3, 8, 9, 26, 50])
def test_merges_are_the_fewest_possible(runs: int, width: int) -> None:
    assert times_written(runs, width) == pytest.approx(_merged(runs, width))


def test_less_memory_never_writes_less() -> None:
    areas = [AreaMemory(size * MB / 8, 8 * KB) for size in range(2, 400)]
    written = [sort_spill(40 * MB, area).written_bytes for area in areas]
    assert all(more >= less for more, less in pairwise(written))
    assert merge_width(168 * KB, 56 * KB) == 2


@pytest.mark.parametrize(
    ("rows", "target", "resident", "partitions", "rounds"),
    [  # rows of 80 bytes; of the partitions those that stay in memory
        (10**6, 10 * MB, 0, 32, 2),  # 2 MB: buffers of 56K for 32 partitions of 2.5 MB
        (10**6, 100 * MB, 1, 8, 1),  # 20 MB: 8 partitions of 10 MB, 8 buffers of 248K leave 18.9 MB
        (10**6, GB, 8, 8, 0),
        (5 * 10**7, 10 * MB, 0, 32, 60),  # partitions of 125 MB, each in 60 parts
        (5 * 10**7, 100 * MB, 0, 256, 1),  # 21 MB: 256 partitions of 15.6 MB, 14.7 MB of buffers leave 6.3 MB
        (5 * 10**7, GB, 2, 128, 1),  # 107 MB: 128 partitions of 31.3 MB, 32.5 MB of buffers leave 74.9 MB
        (5 * 10**7, 4 * GB, 3, 32, 1),  # 429 MB: 32 partitions of 125 MB, 8 MB of buffers leave 421 MB
    ],
)
def test_hash_joins_by_target_by_hand(rows: int, target: int, resident: int, partitions: int, rounds: int) -> None:
    build, probe = 80 * rows, 160 * rows
    spill = hash_spill(build, probe, AreaMemory(work_area_bytes(target, (19,), 1), 8 * KB))
    assert spill.passes == rounds
    if rounds:
        assert spill.runs == partitions
    share = 1 - resident / partitions
    assert spill.written_bytes == pytest.approx(share * (build + probe))
    assert spill.read_bytes == pytest.approx(share * (build + rounds * probe))


@pytest.mark.parametrize(
    ("memory", "build", "spilled", "rounds"),
    [
        (64 * MB, 60 * MB, 0.0, 0),
        (32 * MB, 60 * MB, 0.5, 1),  # 8 partitions of 7.5 MB; 8 buffers of 248K leave 30 MB for 4
        (2 * MB, 60 * MB, 1.0, 1),  # 32 partitions of 1.9 MB, none has room beside the buffers
        (2 * MB, 320 * MB, 1.0, 5),  # 32 partitions of 10 MB, each in 5 parts
    ],
)
def test_spilled_volume_of_a_hash_join_by_hand(memory: int, build: int, spilled: float, rounds: int) -> None:
    probe = 3 * build
    spill = hash_spill(build, probe, AreaMemory(memory, 8 * KB))
    assert spill.written_bytes == pytest.approx(spilled * (build + probe))
    assert spill.read_bytes == pytest.approx(spilled * (build + rounds * probe))
    assert spill.passes == rounds
