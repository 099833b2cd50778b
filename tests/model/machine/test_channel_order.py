"""A device's channel takes requests in the order in which they reach it, not in that in which they were handed in."""

import random

import pytest

from blocktime.model.loops import fastest
from blocktime.model.machine.device.drive import drive_of
from blocktime.model.machine.device.servers import Gaps
from blocktime.scenarios import load

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
    ends = sorted(device.submit(0.0, write, place << 20, 8192) for place, write in enumerate([True, False] * 4))
    # Each transfer takes 1 ms: four reads from 1 ms on, four writes from 10 ms on.
    assert ends == pytest.approx([0.002, 0.003, 0.004, 0.005, 0.011, 0.012, 0.013, 0.014])


def end_in_the_first_gap(taken: list[tuple[float, float]], ready_s: float, length_s: float) -> float:
    """As :meth:`Gaps.end_s`, over all that was ever taken."""
    at = 0
    while at < len(taken) and ready_s + length_s > taken[at][0]:
        ready_s = max(ready_s, taken[at][1])
        at += 1
    taken.insert(at, (ready_s, ready_s + length_s))
    return ready_s + length_s


@pytest.mark.parametrize("make", [Gaps, fastest(Gaps)], ids=("plain", "compiled"))
@pytest.mark.parametrize("seed", range(10))
def test_what_is_taken_holds_as_few_stretches_and_every_end_is_the_same(make: type[Gaps], seed: int) -> None:
    draws, gaps, taken, now_s = random.Random(seed), make(), [], 0.0
    for _ in range(400):
        now_s += draws.choice((0.0, draws.random()))
        ready_s, length_s = (now_s + draws.choice((0.0, 1.0, 9.0, 40 * draws.random())), draws.choice((0.5, 1.0)))
        assert gaps.end_s(now_s, ready_s, length_s) == end_in_the_first_gap(taken, ready_s, length_s)
