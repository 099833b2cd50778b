from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.catalog import entries
from blocktime.model.errors import OutsideLaw
from blocktime.model.loops import as_written, fastest
from blocktime.model.machine.device.array import Striped
from blocktime.model.machine.device.drive import capacity_of, drive_of
from blocktime.model.machine.device.servers import DeviceQueue
from blocktime.model.spec import Disk
from blocktime.model.units import GIB, KIB, MIB

ROTATING = {
    "overhead_s": 20e-6,
    "bandwidth_bytes_per_s": 77.06e6,
    "capacity_bytes": 73_400_000_000,
    "track_buffer_bytes": 8 * MIB,
    "queue_depth": 32,
}
FLASH = {
    "overhead_s": 100e-6,
    "average_seek_s": 0.0,
    "rotation_s": 0.0,
    "bandwidth_bytes_per_s": 1e9,
    "parallel_requests": 4,
    "queue_depth": 64,
    "capacity_bytes": 100 * GIB,
}
KINDS = {
    "rotating": ROTATING,
    "zones": {**ROTATING, "zones": 16},
    "no buffer": {**ROTATING, "track_buffer_bytes": 0},
    "small buffer": {**ROTATING, "track_buffer_bytes": 64 * KIB},
    "cache": {**ROTATING, "write_cache_bytes": MIB},
    "flash": FLASH,
    "flash cache": {**FLASH, "write_cache_bytes": MIB},
    "raid 0": {**ROTATING, "raid_level": "0", "raid_disks": 3},
    "raid 10": {**ROTATING, "raid_level": "10", "raid_disks": 4, "write_cache_bytes": MIB},
    "raid 5": {**ROTATING, "raid_level": "5", "raid_disks": 4},
    "raid 5 cache": {**FLASH, "raid_level": "5", "raid_disks": 5, "write_cache_bytes": MIB, "read_hit_fraction": 0.5},
    "volume": {
        **FLASH,
        "iops_limit": 300,
        "burst_iops": 3000,
        "burst_credits": 20,
        "throughput_limit_bytes_per_s": 1e8,
    },
}


def synchronous(disk: Disk, count: int, *, write: bool, gap_s: float = 0.0, size: int = 8192) -> float:
    """Seconds a call of a stream in order takes, each after the one before."""
    drive, now = drive_of(disk), 0.0
    for rank in range(count):
        now = drive.submit(now, write, rank * size, size) + gap_s
    return now / count


def queued(disk: Disk, places: list[int], *, write: bool, depth: int = 32, size: int = 8192) -> float:
    """Requests a second with *depth* always outstanding."""
    drive, out = drive_of(disk), []
    for place in places:
        now = 0.0
        if len(out) == depth:
            out.sort()
            now = out.pop(0)
        out.append(drive.submit(now, write, place, size))
    return len(places) / max(out)


def anywhere(disk: Disk, count: int, *, span: int | None = None, size: int = 8192, first: int = 0) -> list[int]:
    draws = random.Random(7)
    return [first + draws.randrange((span or capacity_of(disk)) // size) * size for _ in range(count)]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(draws=st.integers(0, 2**32).map(random.Random))
def test_a_command_is_done_after_it_came(kind: str, draws: random.Random) -> None:
    disk = Disk(**KINDS[kind])
    drive, now, last = drive_of(disk), 0.0, 0
    for _ in range(60):
        size = draws.choice([512, 8192, 128 * KIB, 3 * MIB])
        start = draws.choice([last, 0, 50 * MIB, 9 * GIB, 60 * GIB + 512])
        done = drive.submit(now, draws.random() < 0.5, start, size)
        assert now < done < now + 60
        last = start + size
        now = draws.choice([now, done, done + 1e-4, done + 0.1])
        now = max(now, done) if disk.queue_depth == 1 else now


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("write", [False, True])
def test_a_larger_request_takes_longer(kind: str, write: bool) -> None:
    disk = Disk(**KINDS[kind])
    times = [drive_of(disk).submit(0.0, write, 5 * GIB, size) for size in (512, 8192, 64 * KIB)]
    assert times == sorted(times)


def test_a_synchronous_writer_loses_a_turn_each_time() -> None:
    """10,000 writes of 8K took 41.063 s [magni-blocksize-linux]."""
    total = 10_000 * synchronous(Disk(**ROTATING), 10_000, write=True, gap_s=41e-6)
    assert total == pytest.approx(41.063, abs=0.01)


def test_the_lost_turn_vanishes_with_a_write_cache() -> None:
    cached = Disk(**KINDS["cache"])
    pace = synchronous(cached, 5000, write=True, gap_s=41e-6)
    assert pace < 0.2e-3
    assert synchronous(cached, 20_000, write=True) == pytest.approx(8192 / 77.06e6, rel=0.02)


def test_a_command_in_time_for_its_sector_loses_no_turn() -> None:
    drive = drive_of(Disk(**ROTATING, write_overhead_s=0.0))
    done = drive.submit(0.0, True, 0, 8192)
    again = drive.submit(done, True, 8192, 8192)
    late = drive.submit(again + 1e-6, True, 16384, 8192)
    transfer = again - done
    assert transfer == pytest.approx(8192 / (77.06e6 * (1 + 0.4542e-3 / 4e-3)), rel=1e-3)
    assert late - again == pytest.approx(4e-3 + transfer)


@pytest.mark.parametrize("zones", [1, 8])
@pytest.mark.parametrize("write", [False, True])
def test_queued_requests_in_order_stream_at_the_stated_rate(write: bool, zones: int) -> None:
    disk = Disk(**ROTATING, zones=zones)
    places = [rank * 64 * KIB for rank in range(4000)]
    rate = queued(disk, places, write=write, depth=2, size=64 * KIB) * 64 * KIB
    assert rate == pytest.approx(77.06e6, rel=0.003)


def test_queued_writes_keep_to_their_own_rate() -> None:
    disk = Disk(**ROTATING, write_bandwidth_bytes_per_s=50e6)
    places = [rank * 64 * KIB for rank in range(2000)]
    assert queued(disk, places, write=True, depth=2, size=64 * KIB) * 64 * KIB == pytest.approx(50e6, rel=0.01)


def test_reading_on_hides_the_turn_and_a_hole() -> None:
    disk = Disk(**ROTATING)
    assert synchronous(disk, 5000, write=False, gap_s=20e-6) == pytest.approx(8192 / 77.06e6, rel=0.01)
    slow = synchronous(disk, 5000, write=False, gap_s=1e-3)
    assert slow == pytest.approx(1e-3 + 20e-6 + 8192 / disk.bus_bytes_per_s, rel=0.01)
    assert synchronous(Disk(**KINDS["no buffer"]), 500, write=False, gap_s=1e-3) > 4e-3


def test_the_outer_zone_is_faster() -> None:
    disk = Disk(**KINDS["zones"], inner_bandwidth_ratio=0.5)
    times = []
    for first in (0, capacity_of(disk) - 200 * MIB):
        drive = drive_of(disk)
        begin = done = drive.submit(0.0, False, first, MIB)
        for rank in range(1, 200):
            done = drive.submit(done - 1e-5, False, first + rank * MIB, MIB)
        times.append(done - begin)
    assert times[1] == pytest.approx(2 * times[0], rel=0.01)


def test_a_shorter_stroke_is_faster_and_a_cache_sorts() -> None:
    disk, cached = Disk(**ROTATING), Disk(**KINDS["cache"])
    whole = queued(disk, anywhere(disk, 4000), write=True, depth=1)
    short = queued(disk, anywhere(disk, 4000, span=GIB), write=True, depth=1)
    sweeps = queued(cached, anywhere(cached, 4000), write=True, depth=1)
    assert whole < 0.75 * short
    assert 1.3 * whole < sweeps < 1 / 2e-3


def test_a_read_waits_for_no_more_than_the_write_under_way() -> None:
    drive = drive_of(Disk(**KINDS["cache"]))
    places = anywhere(Disk(**ROTATING), 100)
    now = 0.0
    for place in places:
        now = drive.submit(now, True, place, 8192)
    assert drive.submit(now + 1e-4, False, 30 * GIB, 8192) - now < 2 * (7.4e-3 + 4e-3 + 1e-3)


def test_what_is_written_twice_is_destaged_once() -> None:
    """An idle second empties the cache; a read of what is dirty is a hit."""
    drive = drive_of(Disk(**KINDS["cache"]))
    done = 0.0
    for _ in range(1000):
        done = drive.submit(done, True, GIB, 64 * KIB)
    assert done < 1000 * 0.4e-3
    assert drive.submit(done, False, GIB + 8192, 8192) - done < 0.1e-3
    assert drive.submit(done + 1, False, 9 * GIB, 8192) - done - 1 < 12e-3


@given(
    parallel=st.integers(1, 8),
    arrivals=st.lists(st.tuples(st.floats(0, 1e-3), st.integers(0, 40), st.integers(1, 64)), min_size=1, max_size=40),
)
def test_flash_is_the_scans_device(parallel: int, arrivals: list[tuple[float, int, int]]) -> None:
    disk = Disk(**{**FLASH, "parallel_requests": parallel, "average_seek_s": 1e-3})
    drive, queue, now = drive_of(disk), DeviceQueue(parallel), 0.0
    for after, place, size in arrivals:
        now += after
        start, length = place * MIB, size * 8192
        latency = disk.overhead_s + (disk.average_seek_s if queue.positions(start) else 0.0)
        expected = queue.submit(
            now, latency, length / disk.bandwidth_bytes_per_s, end_byte=start + length, size_bytes=length
        )
        assert drive.submit(now, False, start, length) == expected


@pytest.mark.parametrize(("level", "disks", "reads", "writes"), [("0", 4, 4, 4), ("10", 4, 4, 2), ("5", 4, 4, 1)])
def test_a_set_scales_and_pays_for_redundancy(level: str, disks: int, reads: float, writes: float) -> None:
    """Random requests: RAID 5 pays four for one write, a mirror two [patterson-raid]."""
    one = Disk(**{**FLASH, "parallel_requests": 1})
    many = one.model_copy(update={"raid_level": level, "raid_disks": disks})
    places = anywhere(one, 4000, span=80 * GIB)
    for write, times in ((False, reads), (True, writes)):
        single = queued(one, places, write=write)
        assert queued(many, places, write=write, depth=128) == pytest.approx(times * single, rel=0.15)


def test_raid_0_streams_over_all_members() -> None:
    disk = Disk(**KINDS["raid 0"])
    places = [rank * MIB for rank in range(400)]
    assert queued(disk, places, write=False, depth=4, size=MIB) * MIB == pytest.approx(3 * 77.06e6, rel=0.05)


def test_a_full_stripe_needs_no_reading() -> None:
    disk = Disk(**{**FLASH, "raid_level": "5", "raid_disks": 5})
    full = drive_of(disk).submit(0.0, True, 0, 4 * 64 * KIB)
    part = drive_of(disk).submit(0.0, True, 0, 3 * 64 * KIB)
    assert full == pytest.approx(100e-6 + 64 * KIB / 1e9)
    assert part == pytest.approx(2 * full)


def test_capacity_less_redundancy_and_nothing_beyond_it() -> None:
    gib = {"capacity_bytes": GIB}
    assert capacity_of(Disk(**gib)) == GIB
    assert capacity_of(Disk(**gib, raid_level="0", raid_disks=4)) == 4 * GIB
    assert capacity_of(Disk(**gib, raid_level="10", raid_disks=4)) == 2 * GIB
    assert capacity_of(Disk(**gib, raid_level="5", raid_disks=4)) == 3 * GIB
    drive = drive_of(Disk(**gib))
    drive.submit(0.0, True, GIB - 512, 512)
    with pytest.raises(OutsideLaw, match=r"disk: 513 bytes from byte 1,073,741,312 .* 1,073,741,824"):
        drive.submit(1.0, True, GIB - 512, 513)
    with pytest.raises(OutsideLaw):
        drive.submit(1.0, True, 0, 0)


def test_every_nth_read_is_a_hit() -> None:
    drive, now, quick = drive_of(Disk(**ROTATING, read_hit_fraction=0.25)), 0.0, 0
    for place in anywhere(Disk(**ROTATING), 400):
        now = drive.submit(now, True, place, 8192)  # a write is no read to count
        done = drive.submit(now, False, place, 8192)
        quick += done - now < 0.1e-3
        now = done + 1e-3
    assert quick == 100


@pytest.mark.parametrize("kind", ["rotating", "zones", "small buffer"])
def test_a_disk_at_rest_is_as_new(kind: str) -> None:
    """Whatever it did before: commands here and there, and in order."""
    disk, chance = Disk(**KINDS[kind]), random.Random(kind)
    used, now = drive_of(disk), 0.0
    for run in range(8):
        for place in [8192 * (1000 * run + rank) for rank in range(6)]:
            now = used.submit(now, run % 3 == 0, place, 8192)
        assert used.at_rest(disk.overhead_s)
        first = 8192 * chance.choice([0, 1000 * run + 6, chance.randrange(10**6)])
        new = drive_of(disk)
        for place in (first, first + 8192, 8192 * chance.randrange(10**6)):
            write = chance.random() < 0.3
            assert used.submit(0.0, write, place, 8192) == new.submit(0.0, write, place, 8192)


def test_burst_credits_run_out_at_the_computed_time() -> None:
    """1,000 credits last 1,000 / (3,000 - 300) s at 3,000 a second, then 300 a second come."""
    disk = Disk(**FLASH, iops_limit=300, burst_iops=3000, burst_credits=1000)
    drive, ends, out = drive_of(disk), [], [0.0] * 16
    for rank in range(2000):
        out.sort()
        out[0] = drive.submit(out[0], False, rank * MIB, 8192)
        ends.append(out[0])
    last_fast = next(rank for rank in range(1, 2000) if ends[rank] - ends[rank - 1] > 2 / 3000)
    assert last_fast == pytest.approx(1000 * 3000 / 2700, abs=2)
    assert ends[last_fast] == pytest.approx(1000 / 2700, abs=0.005)
    assert ends[1999] - ends[1499] == pytest.approx(500 / 300, rel=1e-6)


def test_limits_of_a_volume() -> None:
    places = [rank * MIB for rank in range(1000)]
    volume = Disk(**FLASH, iops_limit=1000)
    assert queued(volume, places, write=False) == pytest.approx(1000, rel=0.01)
    assert queued(volume, places, write=False, size=MIB) == pytest.approx(250, rel=0.01)
    assert drive_of(volume).submit(5.0, False, 0, 8192) - 5 < 0.2e-3
    wide = Disk(**FLASH, throughput_limit_bytes_per_s=100e6)
    assert queued(wide, places, write=False, size=MIB) * MIB == pytest.approx(100e6, rel=0.01)


@pytest.mark.parametrize("name", sorted(entries("disk")))
def test_every_disk_of_the_catalog_runs(name: str) -> None:
    disk = Disk(**entries("disk")[name].values())
    drive, now = drive_of(disk), 0.0
    for place in anywhere(disk, 200):
        now = drive.submit(now, True, place, 8192)
    assert 0 < now < 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_compiled_drive_takes_as_long_as_one_as_written(kind: str) -> None:
    draws, disk = random.Random(kind), Disk(**KINDS[kind])  # type: ignore[arg-type]

    def commands() -> list[tuple[float, bool, int, int]]:
        now, made = 0.0, []
        for _ in range(600):
            now += draws.choice((0.0, 1e-4, 2e-3, 0.05))
            size = draws.choice((4, 8, 64, 200, 1024)) * KIB
            made.append((now, draws.random() < 0.6, draws.randrange(0, 2 * GIB, 4 * KIB), size))
        return made

    def ends(device: Any, asked: list[tuple[float, bool, int, int]]) -> list[float]:
        done = [device.submit(*command) for command in asked]
        return [*done, *(device.distance(start) for _, _, start, _ in asked), device.free_s, device.flush(done[-1])]

    asked = commands()
    with as_written():
        plain = ends(drive_of(disk), asked)
    assert ends(drive_of(disk), asked) == plain


def test_a_mirror_reads_from_the_copy_that_is_free_first_and_of_idle_ones_from_the_nearer() -> None:
    class Member:
        def __init__(self, free_s: float, apart: float) -> None:
            self.free_s, self.apart, self.asked = free_s, apart, 0

        def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
            self.asked += 1
            return now_s

        def distance(self, start_byte: int) -> float:
            return self.apart

    for free_and_apart, chosen in (
        ([(3.0, 1), (2.0, 9), (4.0, 0)], 1),
        ([(0.5, 7), (0.9, 5), (2.0, 1)], 1),
        ([(0.5, 5), (0.9, 5), (0.1, 5)], 0),
        ([(2.0, 1), (0.5, 7), (0.9, 6)], 2),
    ):
        members = [Member(*one) for one in free_and_apart]
        fastest(Striped)(members, copies=3, unit_bytes=64 * KIB).submit(1.0, False, 0, 8 * KIB)
        assert [member.asked for member in members] == [rank == chosen for rank in range(3)]
