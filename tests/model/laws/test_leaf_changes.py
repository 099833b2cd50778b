"""What the indexes of a table take from rows, against leaves that are split one by one."""

from __future__ import annotations

from bisect import bisect_right
from heapq import heapify, heappop, heappush
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws.block import branch_levels
from blocktime.model.laws.leaf_changes import half_splits, leaves_changed, meetings


def splits_played(leaves: int, per_leaf: int, entries: int, keys: int) -> int:
    """Splits of equal leaves when keys come at random: a full leaf leaves half of its entries and of its range."""
    chance = Random(5)
    begins, counts = [rank / leaves for rank in range(leaves)], [entries] * leaves
    for _ in range(keys):
        key = chance.random()
        at = bisect_right(begins, key) - 1
        if counts[at] >= per_leaf:
            end = begins[at + 1] if at + 1 < len(begins) else 1.0
            begins.insert(at + 1, (begins[at] + end) / 2)
            counts.insert(at + 1, counts[at] - counts[at] // 2)
            counts[at] //= 2
            at += key >= begins[at + 1]
        counts[at] += 1
    return len(begins) - leaves


@pytest.mark.parametrize("keys", [2_000, 8_000, 10_000, 15_000, 50_000, 100_000, 200_000])
def test_leaves_that_were_built_alike_split_at_the_same_time(keys: int) -> None:
    """200 leaves of 400 entries at PCTFREE 10: none splits for 20 keys each, all have after 60, all again after 440."""
    played = splits_played(200, 400, 360, keys)
    assert half_splits(keys, 200 * 360, 200, 400, 0) == pytest.approx(played, rel=0.1, abs=3)


def test_leaves_that_were_split_before_split_by_one_key_in_277() -> None:
    """A leaf of 400 entries, ln 2 full: 1,000 splits of 277,259 keys."""
    assert half_splits(277_259, 10**6, 3_607, 400, 1) == pytest.approx(277_259 / (400 * log(2))) == pytest.approx(1000)
    played = splits_played(3, 400, 200, 400_000)
    assert half_splits(400_000, 600, 3, 400, 1) == pytest.approx(played, rel=0.3)  # they split in waves


def test_changes_of_leaves_by_hand() -> None:
    assert leaves_changed(1000, 1000, 4000, 400, 0) == pytest.approx(1000)
    assert leaves_changed(1000, 10, 4000, 400, 1) == 10 + 1000 / 400  # an array each, and leaves that begin in one
    # 100 keys of an array into 50 leaves: 50·(1 - (49/50)^100) = 43.37 of them
    assert leaves_changed(1000, 10, 50, 400, 0) == pytest.approx(433.7, abs=0.1)
    assert leaves_changed(0, 0, 50, 400, 0) == 0


def test_levels_by_hand() -> None:
    """500 entries a block: one leaf is its own root; 500 leaves have one branch; 501 two and a root over them."""
    assert [branch_levels(leaves, 500) for leaves in (1, 2, 500, 501, 250_000, 250_001)] == [0, 1, 1, 2, 2, 3]


@given(
    st.floats(1, 1e7), st.floats(1, 1e5), st.floats(1, 1e5), st.floats(2, 1000), st.sampled_from([0, 1]),
    st.floats(0, 1),
)  # fmt: skip
def test_no_law_of_them_leaves_its_bounds(
    keys: float, arrays: float, leaves: float, per_leaf: float, ascending: int, fill: float
) -> None:
    arrays = min(arrays, keys)
    changed = leaves_changed(keys, arrays, leaves, per_leaf, ascending)
    assert 0 < changed <= keys
    entries = leaves * per_leaf * (0.5 + 0.5 * fill)
    for evenly in (0, 1):
        split = half_splits(keys, entries, leaves, per_leaf, evenly)
        assert 0 <= split <= keys
        assert split <= half_splits(2 * keys, entries, leaves, per_leaf, evenly) * (1 + 1e-9) + 1e-9


def played_meetings(sessions: int, between_s: float, held_s: tuple[float, ...]) -> float:
    """Mean wait of a round in which each session changes one leaf of each index, first come, first served."""
    chance, free_s, waited_s, rounds = Random(3), [0.0] * len(held_s), 0.0, 0
    comes = [(chance.expovariate(1 / between_s), session, 0) for session in range(sessions)]
    heapify(comes)
    while rounds < 2_000 * sessions:
        now_s, session, at = heappop(comes)
        begin_s = max(now_s, free_s[at])
        waited_s += begin_s - now_s
        free_s[at] = now_s = begin_s + held_s[at]
        if at + 1 == len(held_s):
            rounds, at, now_s = rounds + 1, -1, now_s + chance.expovariate(1 / between_s)
        heappush(comes, (now_s, session, at + 1))
    return waited_s / rounds


@pytest.mark.parametrize("held_s", [(14e-6,), (14e-6, 14e-6), (14e-6, 30e-6), (30e-6, 14e-6)])
@pytest.mark.parametrize("sessions", [1, 2, 4, 8, 16, 32])
def test_waits_at_the_last_leaf_are_those_of_sessions_that_meet_there(sessions: int, held_s: tuple[float, ...]) -> None:
    """At most a change each held time: 32 sessions at 14 µs each, 100 µs apart, wait 32 * 14 - 114 = 334 µs.

    Of several indexes the one whose leaf is held longest spaces the sessions: they do not meet at the others.
    """
    own_s = 100e-6 + sum(held_s)
    _, wait_s = meetings(sessions, own_s, 1, 1, max(held_s))
    assert wait_s == pytest.approx(played_meetings(sessions, 100e-6, held_s), rel=0.25, abs=0.3e-6)
    assert sessions / (own_s + wait_s) <= 1 / max(held_s) * (1 + 1e-9)


def test_keys_in_any_order_seldom_meet() -> None:
    last, of_many = (meetings(16, 200e-6, 1, leaves, 14e-6) for leaves in (1, 1000))
    assert last[0] > 0.5
    assert of_many[0] < 0.002
    assert of_many[1] < last[1] / 1000
