"""A throttle in slices against the kernel's own rules, played jiffy by jiffy."""

import random
from math import ceil, floor

import pytest

from blocktime.model.engine import simulate
from blocktime.model.laws.volume_limits import counted_requests, credits_last_s, slice_begin_s
from blocktime.model.machine.device.drive import drive_of
from blocktime.model.spec import Disk, System, Workload
from blocktime.model.units import GIB, KIB, MIB
from blocktime.scenarios import load

HZ = 1000
SLICE = HZ // 10
SERVICE_S = 1e-9


def library_case(name: str, changes: list[str]) -> tuple[System, Workload]:
    scenario = load(name, changes)
    return scenario.system, scenario.workload


FLASH = {
    "overhead_s": SERVICE_S,
    "average_seek_s": 0.0,
    "rotation_s": 0.0,
    "bandwidth_bytes_per_s": 1e12,
    "parallel_requests": 64,
    "queue_depth": 64,
    "capacity_bytes": 100 * GIB,
}


def kernel_begins(arrivals: list[int], sizes: list[int], iops: float | None, bps: float | None) -> list[int]:
    """Jiffies at which blk-throttle lets bios through that come in this order: one group, one direction."""
    begins, start, end, requests, moved, now = [], 0, -1, 0, 0, 0
    for arrival, size in zip(arrivals, sizes, strict=True):
        now = max(now, arrival)
        if now > end:  # throtl_start_new_slice
            start, end, requests, moved = now, now + SLICE, 0, 0
        while True:
            rounded = (now - start) // SLICE * SLICE + SLICE
            waits = 0
            if iops is not None and requests + 1 > floor(iops * rounded / HZ):
                waits = rounded - (now - start)
            if bps is not None and moved + size > bps * rounded / HZ:
                extra = moved + size - bps * rounded / HZ
                waits = max(waits, ceil(extra * HZ / bps) + rounded - (now - start))
            if not waits:
                break
            now += waits
            end = max(end, now + SLICE)
        requests, moved, end = requests + 1, moved + size, max(end, now + SLICE)
        if whole := (now - start) // SLICE:  # throtl_trim_slice: what nobody used of whole slices is dropped
            requests = max(0, requests - floor((iops or 0) * whole * SLICE / HZ))
            moved = max(0.0, moved - (bps or 0) * whole * SLICE / HZ)
            start += whole * SLICE
        begins.append(now)
    return begins


@pytest.mark.parametrize("per_s", [200, 950, 1050, 5000])
@pytest.mark.parametrize(
    ("size", "limits"),
    [
        (8 * KIB, {"iops_limit": 1000.0}),
        (8 * KIB, {"throughput_limit_bytes_per_s": 8.0 * MIB}),
        (MIB, {"throughput_limit_bytes_per_s": 5.0 * MIB}),
    ],
)
def test_requests_go_when_the_kernel_lets_them_through(size: int, limits: dict[str, float], per_s: float) -> None:
    chance, now, arrivals = random.Random(7), 0.0, []
    for _ in range(1500):
        now += chance.expovariate(per_s) * HZ
        arrivals.append(round(now))
    sizes = [size] * len(arrivals)
    kernel = kernel_begins(arrivals, sizes, limits.get("iops_limit"), limits.get("throughput_limit_bytes_per_s"))
    drive = drive_of(Disk(**FLASH, **limits, limit_io_bytes=0, limit_slice_s=0.1))
    begins = [drive.submit(at / HZ, False, 0, size) * HZ for at in arrivals]
    apart = [abs(ours - theirs) for ours, theirs in zip(begins, kernel, strict=True)]
    mean_wait = sum(theirs - at for theirs, at in zip(kernel, arrivals, strict=True)) / len(arrivals)
    ours = sum(begin - at for begin, at in zip(begins, arrivals, strict=True)) / len(arrivals)
    assert ours == pytest.approx(mean_wait, rel=0.03, abs=0.5)
    assert sorted(apart)[int(0.9 * len(apart))] <= SLICE


def test_a_burst_and_then_the_next_slice() -> None:
    """1,000 requests/s in slices of 0.1 s: 100 at once, the next 100 after 0.1 s; idle time saves nothing."""
    drive = drive_of(Disk(**FLASH, iops_limit=1000, limit_slice_s=0.1))
    begins = [drive.submit(0.0, False, 0, 8192) - SERVICE_S for _ in range(250)]
    assert begins[:100] == pytest.approx([0.0] * 100, abs=1e-6)
    assert begins[100:200] == pytest.approx([0.1] * 100, abs=1e-6)
    assert begins[200:] == pytest.approx([0.2] * 50, abs=1e-6)
    later = [drive.submit(7.0, False, 0, 8192) - SERVICE_S for _ in range(101)]
    assert later == pytest.approx([7.0] * 100 + [7.1], abs=1e-6)


def test_a_slice_keeps_the_mean_and_moves_the_percentiles() -> None:
    sets = [
        "workload.kind=read_stream",
        "workload.pattern=random",
        "workload.block_size_bytes=8K",
        "workload.path=direct",
    ]
    sets += ["workload.in_flight=32", "workload.count=6000", "disk.use=nvme", "disk.iops_limit=1000"]
    paced, sliced = (
        simulate(*library_case("shallahamer-direct", [*sets, f"disk.limit_slice_s={slice_s}"]))
        for slice_s in ("0", "100ms")
    )
    assert sliced.time.elapsed_s == pytest.approx(paced.time.elapsed_s, rel=0.02)
    assert sliced.device["disk"].await_s == pytest.approx(paced.device["disk"].await_s, rel=0.1)
    assert sliced.streams[0].response_percentiles["p50"] < 0.1 * paced.streams[0].response_percentiles["p50"]
    assert sliced.streams[0].response_percentiles["p95"] == pytest.approx(0.1, rel=0.05)


def test_what_a_limit_counts() -> None:
    assert counted_requests(Disk(), 256 * KIB) == 1
    assert counted_requests(Disk(), 256 * KIB + 1) == 2
    assert counted_requests(Disk(limit_io_bytes=16 * KIB), MIB) == 64
    assert counted_requests(Disk(limit_io_bytes=0), MIB) == 1
    any_size = Disk(**FLASH, iops_limit=1000, limit_io_bytes=0)
    drive = drive_of(any_size)
    ends = [drive.submit(0.0, False, 0, MIB) for _ in range(1001)]
    assert ends[-1] == pytest.approx(1.0, rel=1e-3)


def test_slices_by_hand() -> None:
    assert slice_begin_s(0.05, 0.0, 0.1) == 0.0
    assert slice_begin_s(0.1, 0.0, 0.1) == 0.0
    assert slice_begin_s(0.101, 0.0, 0.1) == pytest.approx(0.1)
    assert slice_begin_s(5.25, 5.0, 0.1) == pytest.approx(5.2)


def test_credits_by_hand() -> None:
    """5,400,000 credits at 300 requests/s of its own and 3,000 at first: 2,000 s, 6,000,000 requests."""
    gp2 = Disk(iops_limit=300, burst_iops=3000, burst_credits=5_400_000)
    assert credits_last_s(gp2, 3000) == pytest.approx(2000)
    assert credits_last_s(gp2, 300) == float("inf")


def test_a_statement_that_outlasts_the_credits_is_told_and_timed() -> None:
    sets = ["disk.use=ebs-gp2", "disk.burst_credits=5000", "table.rows=5000000"]
    result = simulate(*library_case("index-range-scan-scattered", sets))
    assert any("spends its 5,000 burst credits" in warning for warning in result.warnings)
