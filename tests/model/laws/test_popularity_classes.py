"""Popularity of blocks by classes: Zipf's law, and the inverse of a miss curve."""

import numpy as np
import pytest
from scipy.optimize import nnls

from blocktime.model.laws.hit_ratio import lru_hit_fraction
from blocktime.model.laws.popularity_classes import Classes, classes_of_misses, least_squares_above_zero, zipf_classes


def hits(room: float, classes: Classes) -> float:
    blocks, gets = (np.array(column) for column in zip(*classes, strict=True))
    return float(lru_hit_fraction(room, gets / blocks, blocks))


@pytest.mark.parametrize("exponent", [0.5, 0.8, 1.0, 1.2])
@pytest.mark.parametrize("blocks", [1000, 100_000])
def test_classes_of_zipf_hit_as_all_blocks_one_by_one(blocks: int, exponent: float) -> None:
    popularity = np.arange(1, blocks + 1) ** -exponent
    classes = zipf_classes(blocks, exponent)
    assert sum(many for many, _ in classes) == blocks
    assert len(classes) < 40
    for share in (0.01, 0.05, 0.2, 0.5):
        alone = lru_hit_fraction(blocks * share, popularity / popularity.sum())
        assert hits(blocks * share, classes) == pytest.approx(alone, abs=0.001)


def test_zipf_by_hand() -> None:
    """Four blocks with exponent 1: 12/25, 6/25, 4/25, 3/25 of the gets; rank 4 stands alone, as 1 to 3 do."""
    classes = zipf_classes(4, 1.0)
    assert [many for many, _ in classes] == [1, 1, 1, 1]
    assert [share for _, share in classes] == pytest.approx([12 / 25, 6 / 25, 4 / 25, 3 / 25], abs=1e-3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("exponent", [0.6, 0.9, 1.1])
def test_the_inverse_of_a_curve_hits_between_its_points_as_the_blocks_do(exponent: float) -> None:
    popularity = np.arange(1, 200_001) ** -exponent
    popularity /= popularity.sum()
    rooms = [200_000 * share for share in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6)]
    misses = [1 - lru_hit_fraction(room, popularity) for room in rooms]
    classes = classes_of_misses(rooms[::2], misses[::2])
    assert 3 <= len(classes) <= 10
    for room, missed in zip(rooms[:-1], misses[:-1], strict=True):
        assert 1 - hits(room, classes) == pytest.approx(missed, rel=0.04)


def test_misses_that_no_cache_spares_are_those_of_many_more_blocks() -> None:
    rooms = [10_000.0, 20_000.0, 40_000.0]
    classes = classes_of_misses(rooms, [0.3, 0.3, 0.3])
    assert sum(many for many, _ in classes) > 10 * rooms[-1]
    assert [1 - hits(room, classes) for room in rooms] == pytest.approx([0.3] * 3, rel=0.03)


@pytest.mark.parametrize("seed", range(20))
def test_least_squares_above_zero_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rng.integers(5, 60), rng.integers(2, 40)))
    wanted = rng.normal(size=len(matrix))
    assert least_squares_above_zero(matrix, wanted) == pytest.approx(nnls(matrix, wanted)[0], abs=1e-9)
