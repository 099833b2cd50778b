"""Limits of volumes and hosts against requests that are counted one by one."""

from __future__ import annotations

from math import ceil, inf
from types import SimpleNamespace

import pytest

from blocktime.model.laws.limits import (
    burst_requests,
    counted_requests,
    credits_last_s,
    let_through_s,
    mean_iops,
)
from blocktime.model.units import KIB

VOLUME = SimpleNamespace(iops_limit=300.0, burst_iops=3000.0, burst_credits=5.4e6, limit_io_bytes=256 * KIB)


@pytest.mark.parametrize("size_bytes", [1, 256 * KIB, 256 * KIB + 1, 600 * KIB, 1024 * KIB])
def test_a_request_counts_once_for_each_piece(size_bytes: int) -> None:
    assert counted_requests(VOLUME, size_bytes) == ceil(size_bytes / (256 * KIB))
    assert counted_requests(SimpleNamespace(limit_io_bytes=0), size_bytes) == 1


def test_credits_are_spent_while_others_come() -> None:
    """Literal: second by second, credits come at the volume's rate and go at the rate of the burst."""
    left, served, seconds = VOLUME.burst_credits, 0.0, 0
    while left > 0:
        left += VOLUME.iops_limit - VOLUME.burst_iops
        served += VOLUME.burst_iops
        seconds += 1
    assert burst_requests(VOLUME) == pytest.approx(served)
    assert credits_last_s(VOLUME, VOLUME.burst_iops) == pytest.approx(seconds)
    assert mean_iops(VOLUME, served) == pytest.approx(VOLUME.burst_iops)
    assert mean_iops(VOLUME, 2 * served) == pytest.approx(2 * served / (seconds + served / VOLUME.iops_limit))
    assert credits_last_s(VOLUME, VOLUME.iops_limit) == inf


@pytest.mark.parametrize(
    ("iops", "bytes_per_s", "took_s"),
    [(100, None, 0.16), (None, 2**20, 2.0), (100, 2**20, 2.0), (None, None, 0.0)],
)
def test_a_host_lets_requests_through_as_it_counts_them(
    iops: float | None, bytes_per_s: float | None, took_s: float
) -> None:
    """2 MiB in eight requests of 256 KiB, each of which counts twice where a limit counts 128 KiB."""
    host = SimpleNamespace(iops_limit=iops, bandwidth_limit_bytes_per_s=bytes_per_s)
    counted = SimpleNamespace(limit_io_bytes=128 * KIB)
    assert let_through_s(host, counted, 2**21, 256 * KIB) == pytest.approx(took_s)
    small = SimpleNamespace(limit_io_bytes=1024 * KIB)
    assert let_through_s(host, small, 2**21, 256 * KIB) == pytest.approx(
        took_s / 2 if took_s == 0.16 else took_s
    )
