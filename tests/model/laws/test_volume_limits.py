"""Limits of volumes and hosts against requests that are counted one by one."""

from math import ceil, inf
from types import SimpleNamespace

import pytest

from blocktime.model.laws.volume_limits import counted_requests, credits_last_s
from blocktime.model.units import KIB

VOLUME = SimpleNamespace(
    iops_limit=300.0, burst_iops=3000.0, burst_credits=5.4e6, limit_io_bytes=256 * KIB, raid_disks=1
)


@pytest.mark.parametrize("size_bytes", [1, 256 * KIB, 256 * KIB + 1, 600 * KIB, 1024 * KIB])
def test_a_request_counts_once_for_each_piece(size_bytes: int) -> None:
    assert counted_requests(VOLUME, size_bytes) == ceil(size_bytes / (256 * KIB))
    assert counted_requests(SimpleNamespace(limit_io_bytes=0), size_bytes) == 1


def test_credits_are_spent_while_others_come() -> None:
    """Literal: second by second, credits come at the volume's rate and go at the rate of the burst."""
    left, seconds = VOLUME.burst_credits, 0
    while left > 0:
        left += VOLUME.iops_limit - VOLUME.burst_iops
        seconds += 1
    assert credits_last_s(VOLUME, VOLUME.burst_iops) == pytest.approx(seconds)
    assert credits_last_s(VOLUME, VOLUME.iops_limit) == inf
