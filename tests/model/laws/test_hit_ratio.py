"""Che's approximation: its own equation, exact LRU under independent references, and the grouping of millions."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import NamedTemporaryFile
from typing import Any

import libcachesim as lcs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.hit_ratio import characteristic_references, hot_share_groups, lru_hit_fraction


def zipf(blocks: int, exponent: float) -> Any:
    popularity = np.arange(1.0, blocks + 1) ** -exponent
    return popularity / popularity.sum()


def hits_after(before: int, stream: Any, room: int) -> float:
    """Share of hits under LRU once *before* references have filled the cache."""
    missed = lru_misses(stream, room) - lru_misses(stream[:before], room)
    return 1 - missed / (len(stream) - before)


def lru_misses(stream: Any, room: int) -> int:
    """Misses of a simulator of caches that is not ours."""
    record = np.zeros(stream.size, dtype=[("time_s", "<u4"), ("block", "<u8"), ("bytes", "<u4"), ("next", "<i8")])
    record["block"], record["bytes"], record["next"] = stream + 1, 1, -2
    with NamedTemporaryFile(suffix=".bin") as file:
        record.tofile(file.name)
        reader = lcs.TraceReader(
            file.name, lcs.TraceType.ORACLE_GENERAL_TRACE, lcs.ReaderInitParam(ignore_obj_size=True)
        )
        missed, _ = lcs.LRU(cache_size=room, hashpower=16).process_trace(reader)
    return round(missed * stream.size)


def exact(rooms: Sequence[int], popularity: Any) -> list[float]:
    """Exact LRU. The time to the next reference of a block is exponential; then fewer than its room others came."""
    node, weight = np.polynomial.legendre.leggauss(300)
    low, high = np.log(1e-10), np.log(60 / popularity.min())
    time = np.exp((high - low) / 2 * node + (high + low) / 2)
    came = -np.expm1(-np.outer(time, popularity))
    _, firsts, members = np.unique(popularity, return_index=True, return_counts=True)
    others = np.zeros((time.size, firsts.size, max(rooms)))  # how many of the others of a block like these came
    others[:, :, 0] = 1
    for other in range(popularity.size):
        chance = np.where(firsts == other, 0, came[:, other, None])
        more = others[:, :, :-1] * chance[:, :, None]
        others *= 1 - chance[:, :, None]
        others[:, :, 1:] += more
    one = popularity[firsts]
    density = (members * one**2 * np.exp(-np.outer(time, one)))[:, :, None] * others.cumsum(axis=2)
    found = weight * (high - low) / 2 * time @ density.sum(axis=1)
    return [float(found[room - 1]) for room in rooms]


def test_the_exact_one_is_right_where_that_is_known() -> None:
    popularity = zipf(12, 0.9)
    one = popularity @ popularity
    two = sum(p * q / (1 - q) * p for p in popularity for q in popularity if p != q)  # the one before was another q
    assert exact([1, 2, 12], popularity) == pytest.approx([one, one + two, 1], rel=1e-9)
    assert exact([3], np.full(12, 1 / 12)) == pytest.approx([3 / 12], rel=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("exponent", [0.0, 0.5, 0.8, 1.0, 1.2])
def test_few_blocks_are_as_close_to_exact_lru_as_stated(exponent: float) -> None:
    popularity = zipf(40, exponent)
    rooms, errors = (1, 2, 5, 10, 20, 35), np.array([0.01, 0.01, 0.01, 0.001, 0.001, 0.001])
    law = lru_hit_fraction(np.array(rooms), popularity)
    assert (np.abs(law - exact(rooms, popularity)) < errors).all()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("exponent", [0.5, 0.8, 1.0, 1.2])
@pytest.mark.parametrize(
    ("blocks", "rooms", "error"), [(1_000, (20, 100, 500, 900), 5e-4), (100_000, (1_000, 10_000), 2e-4)]
)
def test_many_blocks_are_as_close_to_exact_lru_as_stated(
    blocks: int, rooms: tuple[int, ...], error: float, exponent: float
) -> None:
    random, popularity, count = np.random.default_rng(blocks), zipf(blocks, exponent), 2_000_000
    stream = np.searchsorted(np.cumsum(popularity)[:-1], random.random(count))
    warm = np.concatenate((np.arange(blocks)[::-1], stream))  # begin with every block seen
    found = [hits_after(300_000, warm, room) for room in rooms]
    noise = 4 * np.sqrt(0.25 / count)  # no more than that of independent hits, four times over
    law = lru_hit_fraction(np.array(rooms), popularity)
    assert np.abs(found - law).max() < error + noise


@given(st.integers(1, 60), st.floats(0, 2), st.floats(0, 1))
def test_the_stay_solves_its_equation(blocks: int, exponent: float, part: float) -> None:
    popularity, room = zipf(blocks, exponent), part * blocks * 0.999999
    stay = characteristic_references(room, popularity)
    assert -np.expm1(-stay * popularity).sum() == pytest.approx(room, rel=1e-9, abs=1e-300)


def test_equal_blocks_are_found_as_often_as_they_have_room() -> None:
    rooms = np.array([0, 1, 500, 999, 1_000, 5_000])
    assert lru_hit_fraction(rooms, np.ones(1_000)) == pytest.approx(np.minimum(rooms, 1_000) / 1_000)
    assert lru_hit_fraction(rooms, 7.0, 1_000) == pytest.approx(np.minimum(rooms, 1_000) / 1_000)
    assert characteristic_references(1_000, np.ones(1_000)) == np.inf
    assert lru_hit_fraction(2, [0.5, 0.0, 0.5]) == 1  # nobody wants the third


def test_a_number_gives_a_number_and_an_array_the_same() -> None:
    rooms = np.linspace(0, 1_100, 12)
    popularity = zipf(1_000, 0.7)
    found = lru_hit_fraction(rooms, popularity)
    one_by_one = [lru_hit_fraction(float(room), popularity) for room in rooms]
    assert all(type(one) is float for one in one_by_one)
    assert found == pytest.approx(one_by_one, rel=1e-12)
    assert (np.diff(found) >= 0).all()


def each(blocks: int, data: float, gets: float) -> Any:
    """Popularity of each block, the hot ones first."""
    hot = round(blocks * data)
    return np.repeat([gets / hot, (1 - gets) / (blocks - hot)], [hot, blocks - hot])


@pytest.mark.parametrize(("data", "gets"), [(0.1, 0.9), (0.2, 0.8), (0.5, 0.5), (0.25, 0.1), (0.05, 0.99)])
def test_a_hot_share_is_as_close_to_exact_lru_as_stated(data: float, gets: float) -> None:
    few, rooms = each(40, data, gets), (1, 5, 10, 20, 35)
    law = lru_hit_fraction(np.array(rooms), *hot_share_groups(40, data, gets))
    assert (np.abs(law - exact(rooms, few)) < [0.01, 0.01, 0.005, 0.005, 0.005]).all()
    assert law == pytest.approx(lru_hit_fraction(np.array(rooms), few), rel=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("data", "gets"), [(0.1, 0.9), (0.2, 0.8), (0.02, 0.5), (0.01, 0.99)])
def test_a_hot_share_gives_what_lru_finds_in_a_drawn_stream(data: float, gets: float) -> None:
    random, blocks, count, before = np.random.default_rng(3), 10_000, 2_000_000, 300_000
    hot, is_hot = round(blocks * data), random.random(count) < gets
    stream = np.where(is_hot, random.integers(0, hot, count), random.integers(hot, blocks, count))
    warm = np.concatenate((np.arange(blocks)[::-1], stream))
    rooms = np.array([50, 200, 1_000, 2_500, 5_000, 9_000])
    found = [hits_after(before, warm, room) for room in rooms.tolist()]
    noise = 4 * np.sqrt(0.25 / count)  # no more than that of independent hits, four times over
    law = lru_hit_fraction(rooms, *hot_share_groups(blocks, data, gets))
    assert np.abs(found - law).max() < 5e-4 + noise


def test_groups_of_no_blocks_or_no_references_are_left_out() -> None:
    for data, gets in ((0, 0), (0, 0.5), (0, 1), (1, 0), (1, 0.5), (1, 1)):
        popularity, members = hot_share_groups(1_000, data, gets)
        assert (popularity.tolist(), members.tolist()) == ([1 / 1_000], [1_000])
    for gets, wanted in ((0, 750), (1, 250)):
        popularity, members = hot_share_groups(1_000, 0.25, gets)
        assert (popularity.tolist(), members.tolist()) == ([1 / wanted], [wanted])
    popularity, members = hot_share_groups(1.5e9 + 0.5, 0.2, 0.8)
    assert members.sum() == pytest.approx(1.5e9 + 0.5)
    assert popularity * members == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize(("data", "gets"), [(-0.1, 0.5), (1.1, 0.5), (0.5, -0.1), (0.5, 1.1), (np.nan, 0.5)])
def test_hot_shares_beyond_all_are_refused(data: float, gets: float) -> None:
    with pytest.raises(OutsideLaw, match="are no fractions"):
        hot_share_groups(100, data, gets)


@pytest.mark.parametrize(
    ("room", "popularity", "blocks"),
    [(-1, [1.0], 1), (1, [1.0, -1.0], 1), (1, [0.0], 1), (1, [np.nan], 1), (1, [np.inf], 1), (1, [1.0], 0)],
)
def test_what_is_no_popularity_is_refused(room: float, popularity: Any, blocks: int) -> None:
    with pytest.raises(OutsideLaw):
        lru_hit_fraction(room, popularity, blocks)
