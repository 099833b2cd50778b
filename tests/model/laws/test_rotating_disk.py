from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from blocktime.model.laws import rotating_disk
from blocktime.model.laws.disk_geometry import geometry_of, mean_switch_s
from blocktime.model.spec import Disk

CYLINDERS, TRACK, AVERAGE, FULL = 60_000, 0.4e-3, 3.7e-3, 7.4e-3
SEEKS = (CYLINDERS, TRACK, AVERAGE, FULL)


def test_the_seek_curve_passes_through_its_three_points() -> None:
    assert rotating_disk.seek_s(0, *SEEKS) == 0
    assert rotating_disk.seek_s(1, *SEEKS) == pytest.approx(TRACK)
    assert rotating_disk.seek_s(CYLINDERS / 3, *SEEKS) == pytest.approx(AVERAGE)
    assert rotating_disk.seek_s(CYLINDERS, *SEEKS) == pytest.approx(FULL)


@given(
    distance=st.integers(0, CYLINDERS),
    farther=st.integers(1, CYLINDERS),
    cylinders=st.integers(1, CYLINDERS),
    track=st.floats(0, 1),
    full=st.floats(1, 5),
)
def test_a_longer_seek_takes_no_less(distance: int, farther: int, cylinders: int, track: float, full: float) -> None:
    near = rotating_disk.seek_s(distance, cylinders, track * AVERAGE, AVERAGE, full * AVERAGE)
    far = rotating_disk.seek_s(distance + farther, cylinders, track * AVERAGE, AVERAGE, full * AVERAGE)
    assert 0 <= near <= far * (1 + 1e-12) + 1e-15
    assert far <= full * AVERAGE * (1 + 1e-12)


@given(zones=st.integers(1, 64), ratio=st.floats(0.1, 1))
def test_the_innermost_zone_has_the_ratio_of_its_drive(zones: int, ratio: float) -> None:
    assert rotating_disk.zone_ratio(zones - 1, zones, ratio) == pytest.approx(ratio if zones > 1 else 1)


@given(place=st.floats(0, 1e4), now=st.floats(0, 1e4), rotation=st.floats(1e-3, 2e-2))
def test_the_wait_is_less_than_a_turn_and_ends_at_the_place(place: float, now: float, rotation: float) -> None:
    wait = rotating_disk.rotational_wait_s(place, now, rotation)
    assert 0 <= wait < rotation
    turns = (now + wait - place) / rotation
    assert turns == pytest.approx(round(turns), abs=1e-5)


def test_a_place_that_is_just_there_is_not_waited_for() -> None:
    assert rotating_disk.rotational_wait_s(0.123, 0.123 + 1000 * 4e-3, 4e-3) < 1e-9
    assert rotating_disk.rotational_wait_s(0.123, 0.123 + 1e-4, 4e-3) == pytest.approx(3.9e-3)


def test_a_track_is_a_turn_and_its_end_a_switch() -> None:
    place = [rotating_disk.place_s(track * 1000.0, 1000.0, 0, 4, 4e-3, 0.4e-3, 0.6e-3) for track in range(9)]
    steps = [after - before for before, after in itertools.pairwise(place)]
    assert steps == pytest.approx([4.4e-3] * 3 + [4.6e-3] + [4.4e-3] * 3 + [4.6e-3])
    assert rotating_disk.place_s(500.0, 1000.0, 7, 4, 4e-3, 0.4e-3, 0.6e-3) == pytest.approx(
        7.5 * 4e-3 + 6 * 0.4e-3 + 0.6e-3
    )


def test_the_stated_rate_contains_the_switches() -> None:
    sheet = Disk(bandwidth_bytes_per_s=80e6, track_seek_s=0.6e-3)
    found = geometry_of(sheet)
    assert mean_switch_s(4, 0.4e-3, 0.6e-3) == pytest.approx(0.45e-3)
    assert found.track_bytes / (found.rotation_s + 0.45e-3) == pytest.approx(80e6)
    assert found.track_bytes / found.rotation_s == pytest.approx(80e6 * 1.1125)


@given(zones=st.integers(1, 40), heads=st.integers(1, 20), capacity=st.integers(2**20, 2**42))
def test_the_cylinders_hold_the_capacity_and_hardly_more(zones: int, heads: int, capacity: int) -> None:
    found = geometry_of(Disk(zones=zones, heads=heads, capacity_bytes=capacity))
    held = rotating_disk.zone_start_bytes(zones, found.outer_zone_bytes, zones, found.inner_ratio)
    assert capacity <= held * (1 + 1e-12)
    assert held < capacity + zones * heads * found.track_bytes * (1 + 1e-9)
    assume(capacity > 10 * zones * heads * found.track_bytes)
    assert found.zone_cylinders >= 10
