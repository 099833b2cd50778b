"""import random"""

import random
from statistics import fmean

import numpy as np
import pytest

from blocktime.model.catalog import entries
from blocktime.model.laws import disk_means as means
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_strides import PLACES, _turned_s, _way_s, strided_hop_s
from blocktime.model.laws.rotating_disk import seek_s
from blocktime.model.laws.volume_limits import counted_requests
from blocktime.model.machine.device.drive import drive_of
from blocktime.model.spec import Disk
from blocktime.model.units import GIB, KIB, MIB

SHEET = Disk(
    overhead_s=20e-6,
    bandwidth_bytes_per_s=77.06e6,
    capacity_bytes=73_400_000_000,
    track_buffer_bytes=8 * MIB,
    full_seek_s=7e-3,
    track_seek_s=0.5e-3,
)
BARE = SHEET.model_copy(update={"track_buffer_bytes": 0})
SSD = Disk(overhead_s=90e-6, average_seek_s=0, rotation_s=0, bandwidth_bytes_per_s=500e6, parallel_requests=8)


def services(disk: Disk, places: list[int], *, write: bool, gap_s: float = 0.0, size: int = 8192) -> list[float]:
    drive, now, found = drive_of(disk), 0.0, []
    for place in places:
        done = drive.submit(now, write, place, size)
        found.append(done - now)
        now = done + gap_s
    return found


def mean_service(disk: Disk, count: int, stride: int, **asked: float) -> float:
    return float(np.mean(services(disk, [rank * stride for rank in range(count)], **asked)[1:]))  # type: ignore[arg-type]


@pytest.mark.parametrize("gap_ms", [0.041, 1.0, 3.9, 4.1, 10.0])
@pytest.mark.parametrize("size", [2048, 8192, 64 * KIB, MIB])
@pytest.mark.parametrize("write", [False, True])
def test_a_stream_in_order_loses_the_turns_that_the_drive_loses(gap_ms: float, size: int, write: bool) -> None:
    gap, count = gap_ms * 1e-3, max(300, 60_000_000 // size)
    asked = {"write": write, "gap_s": gap, "size": size}
    assert means.sequential_service_s(BARE, size, gap, write) + gap == pytest.approx(
        mean_service(BARE, count, size, **asked) + gap, rel=1e-3
    )


@pytest.mark.parametrize("gap_ms", [0.0, 0.041, 0.3, 4.1, 200.0])
@pytest.mark.parametrize("size", [8192, MIB, 16 * MIB])
def test_a_reader_in_order_meets_the_buffer(gap_ms: float, size: int) -> None:
    gap, count = gap_ms * 1e-3, 200 if size >= MIB else 6000
    measured = mean_service(SHEET, count, size, write=False, gap_s=gap, size=size)
    assert means.sequential_service_s(SHEET, size, gap, False) + gap == pytest.approx(measured + gap, rel=0.004)


@pytest.mark.parametrize("stride", [12 * KIB, 40 * KIB, 200 * KIB, 700 * KIB])
@pytest.mark.parametrize("gap_ms", [0.1, 2.0])
@pytest.mark.parametrize("disk", [SHEET, BARE])
def test_a_stride_is_waited_for_on_the_platter(stride: int, gap_ms: float, disk: Disk) -> None:
    gap = gap_ms * 1e-3
    for write in (False, True):
        measured = mean_service(disk, 3000, stride, write=write, gap_s=gap)
        assert means.strided_service_s(disk, 8192, stride, gap, write) == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize("zones", [1, 16])
@pytest.mark.parametrize("span", [GIB, 20 * GIB, 73_000_000_000])
def test_random_places_take_what_a_long_run_takes(zones: int, span: int) -> None:
    disk = SHEET.model_copy(update={"zones": zones, "track_buffer_bytes": 256 * KIB})
    draws = random.Random(3)
    run = services(disk, [draws.randrange(span // 8192) * 8192 for _ in range(12_000)], write=False)
    mean, spread = means.random_moments(disk, 8192, span, False)
    assert np.mean(run) == pytest.approx(mean, rel=0.02)
    assert np.var(run) / np.mean(run) ** 2 == pytest.approx(spread, rel=0.06)


def test_random_places_take_the_average_seek_and_half_a_turn() -> None:
    disk = Disk()
    known = disk.overhead_s + disk.average_seek_s + disk.rotation_s / 2 + 8192 / disk.bandwidth_bytes_per_s
    assert means.random_service_s(disk, 8192, disk.capacity_bytes, False) == pytest.approx(known, rel=0.02)


def test_sweeps_out_of_a_cache_beat_random_writes() -> None:
    disk = SHEET.model_copy(update={"write_cache_bytes": 2 * MIB})
    draws, span = random.Random(3), 70_000_000_000
    run = services(disk, [draws.randrange(span // 8192) * 8192 for _ in range(20_000)], write=True)
    swept = means.random_service_s(disk, 8192, span, True)
    assert swept == pytest.approx(np.mean(run[5000:]), rel=0.05)
    assert disk.rotation_s / 2 < swept < 0.6 * means.random_service_s(disk, 8192, span, False)


def test_numbers_and_arrays_agree() -> None:
    gaps, sizes = np.array([0.0, 1e-3, 5e-3]), np.array([8192, MIB, 64 * KIB])
    strides, spans = np.array([8192, 4 * MIB, 100 * KIB]), np.array([GIB, 10 * GIB, 70 * GIB])
    for disk in (SHEET, BARE, SSD, SHEET.model_copy(update={"zones": 8, "write_cache_bytes": MIB})):
        for write in (False, True):
            many = means.strided_service_s(disk, sizes, strides, gaps, write)
            moments = means.random_moments(disk, sizes, spans, write)
            services_s = means.random_service_s(disk, sizes, spans, write, gaps)
            for at in range(3):
                one = (int(sizes[at]), int(strides[at]), float(gaps[at]))
                assert many[at] == pytest.approx(means.strided_service_s(disk, *one, write))
                alone = means.random_moments(disk, one[0], int(spans[at]), write)
                assert moments[0][at] == pytest.approx(alone[0])
                assert np.broadcast_to(moments[1], 3)[at] == pytest.approx(alone[1])
                assert services_s[at] == pytest.approx(
                    means.random_service_s(disk, one[0], int(spans[at]), write, one[2])
                )


@pytest.mark.parametrize("distance", [1, 5, 1000, 10_000, 50_000])
def test_both_seek_curves_are_one(distance: int) -> None:
    g = geometry_of(SHEET)
    assert means.seek_at_s(g, distance) == pytest.approx(
        seek_s(distance, g.cylinders, g.track_seek_s, g.average_seek_s, g.full_seek_s)
    )


@pytest.mark.parametrize(("level", "data", "writes"), [("0", 8, 1), ("1", 4, 2), ("10", 4, 2), ("5", 7, 4)])
def test_most_of_a_set(level: str, data: int, writes: int) -> None:
    one = SSD.model_copy(update={"parallel_requests": 1})
    many = one.model_copy(update={"raid_level": level, "raid_disks": 8})
    alone = means.random_requests_per_s(one, 8192, GIB, False)
    assert means.servers_of(many) == 8
    assert means.random_requests_per_s(many, 8192, GIB, False) == pytest.approx(8 * alone)
    assert means.random_requests_per_s(many, 8192, GIB, True) == pytest.approx(8 / writes * alone)
    assert means.sequential_bytes_per_s(many, False) == pytest.approx(data * 500e6)


def test_most_of_a_volume() -> None:
    volume = SSD.model_copy(update={"iops_limit": 3000.0, "throughput_limit_bytes_per_s": 125.0 * MIB})
    assert means.random_requests_per_s(volume, 8192, GIB, False) == 3000
    assert means.random_requests_per_s(volume, 512 * KIB, GIB, False) == 250
    assert means.sequential_bytes_per_s(volume, False, 8192) == 3000 * 8192
    assert means.sequential_bytes_per_s(volume, False) == 125 * MIB
    assert counted_requests(volume, 256 * KIB + 1) == 2


@pytest.mark.parametrize(
    ("name", "read_s", "write_s", "reads_per_s", "read_mb_per_s", "write_mb_per_s"),
    [
        ("intel-p4500", 85e-6, 20e-6, 490_000, 3200, 1050),
        ("intel-s4500", 110e-6, 52e-6, 72_000, 500, 490),
        ("samsung-pm983", 85e-6, 50e-6, 540_000, 3200, 2000),
        ("samsung-970-evo", 1 / 15_000, 1 / 50_000, 370_000, 3400, 2300),
        ("samsung-860-evo", None, None, 98_000, 550, 520),
    ],
)
def test_flash_reads_and_writes_as_its_data_sheet_says(
    name: str, read_s: float | None, write_s: float | None, reads_per_s: float, read_mb_per_s: float,
    write_mb_per_s: float,
) -> None:  # fmt: skip
    """Latency at depth 1 and most reads a second, of 4K, and sequential rates; without garbage collection."""
    sheet = {**entries("disk")[name].values(), "spare_fraction": None}
    drive = Disk.model_validate(sheet)
    for write, latency_s, mb_per_s in ((False, read_s, read_mb_per_s), (True, write_s, write_mb_per_s)):
        if latency_s is not None:
            assert means.random_service_s(drive, 4096, GIB, write) == pytest.approx(latency_s, rel=0.02)
        assert means.sequential_bytes_per_s(drive, write) == pytest.approx(mb_per_s * 1e6, rel=0.02)
    assert means.random_requests_per_s(drive, 4096, GIB, False) == pytest.approx(reads_per_s, rel=0.05)


@pytest.mark.parametrize("stride_bytes", [8192, 100_000, 3_000_000])
@pytest.mark.parametrize("late_s", [0.0, 1e-3, 9e-3])
def test_a_strided_hop_is_the_mean_over_its_places(stride_bytes: int, late_s: float) -> None:
    drive = geometry_of(Disk(rotation_s=8e-3, average_seek_s=8e-3, heads=4))
    hops = [
        _turned_s(drive, _way_s(drive, place * stride_bytes + 8191, (place + 1) * stride_bytes), late_s)
        for place in range(PLACES)
    ]
    assert strided_hop_s(drive, 8192, stride_bytes, late_s) == pytest.approx(fmean(hops), rel=1e-12, abs=1e-15)
    assert all(late_s - 1e-6 <= hop <= late_s + 2 * 8e-3 + drive.full_seek_s for hop in hops)
