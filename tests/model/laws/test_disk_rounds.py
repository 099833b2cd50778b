"""The way of the heads from one call of a strided program to the next."""

from __future__ import annotations

from statistics import fmean

import pytest

from model.laws.disk_geometry import geometry_of
from model.laws.disk_rounds import PLACES, hop_s, strided_hop_s
from model.spec import Disk


@pytest.mark.parametrize("stride_bytes", [8192, 100_000, 3_000_000])
@pytest.mark.parametrize("late_s", [0.0, 1e-3, 9e-3])
def test_a_strided_hop_is_the_mean_over_its_places(stride_bytes: int, late_s: float) -> None:
    drive = geometry_of(Disk(rotation_s=8e-3, average_seek_s=8e-3, heads=4))
    hops = [
        hop_s(drive, place * stride_bytes + 8191, (place + 1) * stride_bytes, late_s)
        for place in range(PLACES)
    ]
    assert strided_hop_s(drive, 8192, stride_bytes, late_s) == pytest.approx(
        fmean(hops), rel=1e-12, abs=1e-15
    )
    assert all(late_s - 1e-6 <= hop <= late_s + 2 * 8e-3 + drive.full_seek_s for hop in hops)
