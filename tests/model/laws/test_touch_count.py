"""The closed form of touch counts against the algorithm, reference by reference over drawn streams.

Largest errors of the hit fraction over hot shares of 20/80, 10/90 and 2/50 (percent of the data, of the gets) and room
for 0.02 to 0.9 of the blocks; the columns are ``_db_aging_touch_time`` in references over the room, 0, 0.1, 0.5, 1, 3:

======= ============ ========= ========= ========= ====== ====== ====== ====== ======
blocks  percent_hot  criteria  cool      0         0.1    0.5    1      3
======= ============ ========= ========= ========= ====== ====== ====== ====== ======
10,000  50           2         1         0.002     0.003  0.002  0.028  0.008
10,000  50           1         0         0.002     0.002  0.002  0.004  0.015
10,000  50           2         0         0.001     0.001  0.002  0.031  0.013
10,000  50           4         1         0.007     0.008  0.003  0.002  0.006
10,000  0            any       any       0.003     0.002  0.004  0.005  0.022
10,000  20           any       any       0.002     0.002  0.003  0.008  0.018
10,000  80           2         1         0.002     0.002  0.032  0.028  0.007
10,000  80           4         1         0.015     0.061  0.030  0.002  0.002
10,000  100          any       any       0.130     0.129  0.126  0.117  0.042
1,000   50           2         1         0.002     0.004  0.004  0.054  0.065
1,000   50           4         1         0.006     0.005  0.014  0.022  0.025
200     50           2         1         0.003     0.003  0.010  0.073  0.131
======= ============ ========= ========= ========= ====== ====== ====== ====== ======

The noise of the streams is some 0.002 of that. With all of the room hot the law has no cold region to speak of, but the
algorithm then searches the hot one, which the law does not know.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.laws.hit_ratio import lru_hit_fraction
from blocktime.model.laws.touch_count import at_least, hit_fraction, resident_fractions
from blocktime.model.loops.arrays import row

DEFAULT = TouchRules(touch_time_s=0)
AT_ONCE = 0.01
"""Of the touch time: the references of one call."""
SHARES = ((0.2, 0.8), (0.1, 0.9), (0.02, 0.5))


def groups(blocks: int, data: float, gets: float) -> tuple[list[float], list[float]]:
    """Popularity of a block of the hot group and of the others, and how many there are."""
    hot = max(1, round(blocks * data))
    return [gets / hot, (1 - gets) / (blocks - hot)], [hot, blocks - hot]


@cache
def drawn(blocks: int, data: float, gets: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """All blocks once and then references by chance."""
    random, hot = np.random.default_rng(blocks), max(1, round(blocks * data))
    count = max(100_000, 40 * blocks)
    is_hot = random.random(count) < gets
    stream = np.where(is_hot, random.integers(0, hot, count), random.integers(hot, blocks, count))
    return np.concatenate((random.permutation(blocks), stream))


def hits(buffers: Buffers, stream: np.ndarray[tuple[int], np.dtype[np.int64]], at_once: int) -> Any:
    """Which references find their block, a second for each; so many of them are worked at one moment."""
    hit, touched, wait_s = (np.ones(stream.size, dtype=bool), buffers.touched, float(buffers.rules.touch_time_s))
    blocks, none, missed_at = (row(stream), row(np.zeros(at_once, np.uint8)), row(np.zeros(2 * at_once, np.int64)))
    for start in range(0, stream.size, at_once):
        given = blocks[start : start + at_once]
        touched.worked(given, none[: len(given)], none[:0], float(start), wait_s, missed_at)
        for missed in missed_at[: touched.missed]:
            hit[start + missed] = False
    return hit


def worst_error(blocks: int, part: float, rules: TouchRules, late_part: float) -> float:
    """Largest error of the law over the shares, the touch time in references over the room."""
    room, errors = int(blocks * part), []
    late = late_part * room
    for data, gets in SHARES:
        stream = drawn(blocks, data, gets)
        played = TouchRules(
            rules.percent_hot, late, rules.hot_criteria, rules.more_than, rules.stay_count, rules.cool_count
        )
        hit = hits(Buffers(room, played), stream, max(1, int(late * AT_ONCE)) if late else stream.size)
        law = hit_fraction(room, *groups(blocks, data, gets), played, late)
        errors.append(abs(float(hit[stream.size // 3 :].mean()) - law))
    return max(errors)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", [0.02, 0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize(
    ("blocks", "late_part", "error"),
    [
        (10_000, 0, 0.003),
        (10_000, 0.1, 0.003),
        (10_000, 0.5, 0.003),
        (10_000, 1, 0.03),
        (10_000, 3, 0.01),
        (1_000, 0, 0.005),
        (1_000, 0.1, 0.005),
        (1_000, 3, 0.07),
    ],
)
def test_oracles_defaults_are_as_close_to_the_algorithm_as_stated(
    blocks: int, late_part: float, error: float, part: float
) -> None:
    assert worst_error(blocks, part, DEFAULT, late_part) < error


def rules(percent_hot: float, hot_criteria: int, cool_count: int) -> TouchRules:
    return TouchRules(percent_hot=percent_hot, hot_criteria=hot_criteria, cool_count=cool_count)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", [0.02, 0.3, 0.9])
@pytest.mark.parametrize(
    ("changed", "late_part", "error"),
    [
        (rules(50, 1, 0), 0, 0.004),  # a block just read is hot at once
        (rules(50, 1, 0), 3, 0.02),
        (rules(50, 2, 0), 0, 0.003),  # one that was hot needs a touch more than one just read
        (rules(50, 2, 0), 1, 0.035),
        (rules(50, 4, 1), 0.1, 0.01),  # three touches, each a touch time after the other
        (rules(50, 4, 1), 0.5, 0.02),
        (rules(0, 2, 1), 0.5, 0.004),
        (rules(0, 1, 0), 3, 0.025),
        (rules(20, 2, 1), 1, 0.01),
        (rules(80, 2, 1), 0, 0.004),
        (rules(80, 2, 1), 1, 0.035),
        (rules(80, 4, 1), 0.1, 0.07),
        (rules(100, 2, 1), 0.5, 0.05),
        (rules(100, 1, 0), 0, 0.14),
    ],
)
def test_other_rules_are_as_close_to_the_algorithm_as_stated(
    changed: TouchRules, late_part: float, error: float, part: float
) -> None:
    assert worst_error(10_000, part, changed, late_part) < error


def test_regions_hold_what_the_algorithm_holds() -> None:
    """Shares of each group in the cache, against the blocks that are inside at many moments."""
    blocks, room, data, gets = 4_000, 800, 0.1, 0.8
    buffers, random, hot = Buffers(room, DEFAULT), np.random.default_rng(5), 400
    held = []
    for round_number in range(120):
        is_hot = random.random(2500) < gets
        stream = np.where(is_hot, random.integers(0, hot, 2500), random.integers(hot, blocks, 2500))
        buffers.work(stream, np.zeros(2500, dtype=bool), None, 0.0)
        if round_number >= 40:
            cold, warm = (np.array(one) for one in buffers.regions())
            held.append([np.sum(cold < hot), np.sum(warm < hot), np.sum(cold >= hot), np.sum(warm >= hot)])
    law = resident_fractions(room, *groups(blocks, data, gets), DEFAULT)
    expected = [share * many for shares, many in zip(law, (hot, blocks - hot), strict=True) for share in shares]
    assert np.mean(held, axis=0) == pytest.approx(expected, abs=0.01 * room)


ANY_RULES = st.builds(
    TouchRules,
    percent_hot=st.floats(0, 100),
    hot_criteria=st.integers(2, 20),
    more_than=st.booleans(),
    stay_count=st.integers(0, 1),
    cool_count=st.integers(0, 1),
)


@given(
    st.lists(st.tuples(st.floats(1e-6, 1), st.integers(1, 10**7)), min_size=1, max_size=4),
    st.floats(1e-6, 0.999),
    ANY_RULES,
    st.one_of(st.just(0.0), st.floats(0, 1e9)),
)
@settings(max_examples=150)
def test_all_room_is_used_and_no_block_is_there_twice(
    given_groups: list[tuple[float, int]], part: float, changed: TouchRules, late: float
) -> None:
    popularity, blocks = [one for one, _ in given_groups], [float(many) for _, many in given_groups]
    room = part * sum(blocks)
    held = resident_fractions(room, popularity, blocks, changed, late)
    assert all(0 <= share <= 1 for shares in held for share in shares)
    assert all(sum(shares) <= 1 + 1e-9 for shares in held)
    inside = sum(many * sum(shares) for many, shares in zip(blocks, held, strict=True))
    assert inside == pytest.approx(room, rel=1e-3)
    found = hit_fraction(room, popularity, blocks, changed, late)
    assert 0 <= found <= 1
    # a popular block is there as surely as an unpopular one, or more so
    ranked = sorted(zip(popularity, (sum(shares) for shares in held), strict=True))
    assert all(one[1] <= more[1] + 1e-6 for one, more in pairwise(ranked))


@pytest.mark.parametrize("late", [0.0, 500.0])
@pytest.mark.parametrize(("data", "gets"), SHARES)
def test_hits_grow_with_the_room(data: float, gets: float, late: float) -> None:
    wanted = groups(10_000, data, gets)
    found = [hit_fraction(room, *wanted, DEFAULT, late) for room in np.geomspace(10, 10_001, 60).tolist()]
    assert all(less <= more + 1e-6 for less, more in pairwise(found))
    assert found[-1] == 1


def test_half_of_the_room_is_hot() -> None:
    wanted = groups(10_000, 0.2, 0.8)
    held = resident_fractions(2_000, *wanted, DEFAULT)
    cold = sum(many * shares[0] for many, shares in zip(wanted[1], held, strict=True))
    assert cold == pytest.approx(1_000, rel=1e-6)


def test_room_for_all_or_for_none() -> None:
    wanted = groups(1_000, 0.2, 0.8)
    assert hit_fraction(1_000, *wanted, DEFAULT) == hit_fraction(2_000, *wanted, DEFAULT) == 1
    assert hit_fraction(0, *wanted, DEFAULT) == 0
    assert resident_fractions(5, [1.0, 0.0], [10, 10], DEFAULT)[1] == (0, 0)  # nobody wants those


@pytest.mark.parametrize("room", [10, 500, 900])
def test_equal_blocks_are_found_as_often_as_they_have_room(room: int) -> None:
    assert hit_fraction(room, [1.0], [1_000], DEFAULT) == pytest.approx(room / 1_000, rel=1e-6)


def test_who_never_stays_long_enough_to_be_touched_again_is_in_a_plain_queue() -> None:
    """No touch counts in time: first in, first out, which holds a block for C of every C + 1/λ."""
    wanted = groups(1_000, 0.2, 0.8)
    found = hit_fraction(100, *wanted, DEFAULT, 1e9)
    popularity, blocks = (np.array(one) for one in wanted)
    low, high = 0.0, 1e9
    for _ in range(200):
        stay = (low + high) / 2
        if (blocks * stay / (stay + 1 / popularity)).sum() > 100:
            high = stay
        else:
            low = stay
    assert found == pytest.approx((blocks * popularity * stay / (stay + 1 / popularity)).sum(), rel=1e-6)
    assert found < lru_hit_fraction(100, *wanted) < hit_fraction(100, *wanted, DEFAULT)


@given(st.integers(0, 255), st.floats(0, 1e4))
def test_touches_are_counted_by_poissons_law(touches: int, mean: float) -> None:
    from scipy.stats import poisson

    assert at_least(touches, mean) == pytest.approx(float(poisson.sf(touches - 1, mean)), rel=1e-6, abs=1e-12)
