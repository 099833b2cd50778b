"""A device's channel takes requests in the order in which they reach it, not in that in which they were handed in."""

from __future__ import annotations

import pytest

from model.machine.device.drive import drive_of
from scenarios import load

FLASH = (
    "disk.use=nvme", "disk.overhead_s=0.001", "disk.write_overhead_s=0.010", "disk.parallel_requests=8",
    "disk.queue_depth=8", "disk.bandwidth_bytes_per_s=1000000000",
    "disk.write_bandwidth_bytes_per_s=1000000000",
)  # fmt: skip

SLOW_WRITES = ("disk.write_bandwidth_bytes_per_s=8192000",)


def test_a_read_does_not_wait_for_a_slow_write_that_was_handed_in_before_it() -> None:
    device = drive_of(load("tpc-b", FLASH).system.disk)
    written_s = device.submit(0.0, True, 0, 8192)
    read_s = device.submit(0.0, False, 1 << 20, 8192)
    assert written_s == pytest.approx(0.010 + 8192e-9)
    assert read_s == pytest.approx(0.001 + 8192e-9)


def test_transfers_never_overlap() -> None:
    device = drive_of(load("tpc-b", (*FLASH, "disk.bandwidth_bytes_per_s=8192000", *SLOW_WRITES)).system.disk)
    ends = sorted(
        device.submit(0.0, write, place << 20, 8192) for place, write in enumerate([True, False] * 4)
    )
    # Each transfer takes 1 ms: four reads from 1 ms on, four writes from 10 ms on.
    assert ends == pytest.approx([0.002, 0.003, 0.004, 0.005, 0.011, 0.012, 0.013, 0.014])
