"""Writes of changed blocks and gets of undo, against blocks and transactions that are drawn one by one."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws.changed_blocks import (
    checkpoint_age_s,
    dirty_age_s,
    dirty_fraction,
    leaving_per_s,
    undo_gets,
    written_per_s,
)

RATES = st.floats(1e-6, 1e6)


@pytest.mark.parametrize("changes_per_age", [0.01, 0.3, 1.0, 10.0])
def test_a_block_is_written_once_for_all_changes_of_its_age(changes_per_age: float) -> None:
    """Literal: each block's changes by chance one by one; the first after a write begins its age."""
    blocks, age_s, end_s = 300, 2.0, 400.0
    changes_per_s = changes_per_age / age_s * blocks
    random = np.random.default_rng(1)
    written = []
    for _ in range(blocks):
        many = random.poisson(changes_per_s / blocks * end_s)
        count, clean_s = 0, 0.0
        for now_s in np.sort(random.uniform(0, end_s, many)).tolist():
            if now_s >= clean_s:
                clean_s = now_s + age_s
                count += clean_s <= end_s
        written.append(count / (end_s - age_s))  # the first writes come an age after the first changes
    error = 3.5 * np.std(written) * blocks**0.5
    # NOTE: counting from a clean begin is off by no more than half a write for each block
    assert abs(sum(written) - written_per_s(changes_per_s, blocks, age_s)) <= error + blocks * 0.5 / end_s


@given(RATES, st.floats(1, 1e6), st.floats(0, 1e5))
def test_no_more_is_written_than_changes_nor_than_one_write_an_age(
    changes_per_s: float, blocks: float, age_s: float
) -> None:
    written = written_per_s(changes_per_s, blocks, age_s)
    assert 0 < written <= changes_per_s * (1 + 1e-12)
    assert written * age_s <= blocks * (1 + 1e-12)
    assert written <= written_per_s(changes_per_s * 2, blocks, age_s) <= 2 * written * (1 + 1e-12)
    assert written_per_s(changes_per_s, blocks, age_s * 2) <= written * (1 + 1e-12)


def test_seldom_changes_are_written_each_and_frequent_ones_once_an_age() -> None:
    assert written_per_s(1e-6, 1000, 60) == pytest.approx(1e-6, rel=1e-6)
    assert written_per_s(1e9, 1000, 60) == pytest.approx(1000 / 60, rel=1e-4)
    assert written_per_s(5.0, 1000, 0) == 5


@given(st.floats(1, 1e5), st.floats(1, 1e9), RATES)
def test_a_dirty_block_waits_for_the_checkpoint_or_for_its_buffer(
    checkpoint_s: float, resident: float, reads_per_s: float
) -> None:
    age_s = dirty_age_s(checkpoint_s, resident, reads_per_s)
    assert age_s <= min(checkpoint_s, resident / reads_per_s) * (1 + 1e-9)
    by_chance_s = 1 / (1 / checkpoint_s + reads_per_s / resident)  # less than if the checkpoint were by chance too
    assert by_chance_s * (1 - 1e-9) <= age_s <= 1.3 * by_chance_s


@pytest.mark.parametrize("passing_s", [1.0, 30.0, 100.0])
def test_a_dirty_block_is_written_at_its_age_or_when_it_leaves_drawn_one_by_one(passing_s: float) -> None:
    drawn = np.minimum(np.random.default_rng(3).exponential(passing_s, 200_000), 60)
    assert dirty_age_s(60, 1000, 1000 / passing_s) == pytest.approx(drawn.mean(), rel=0.01)


def test_a_dirty_block_that_nobody_pushes_out_waits_for_the_checkpoint() -> None:
    assert dirty_age_s(60, 1000, 0) == 60
    assert dirty_age_s(60, 1000, 1e12) == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize(("stay_s", "changing"), [(2.0, 1.0), (10.0, 0.2), (30.0, 0.05), (0.5, 0.5)])
def test_blocks_that_stay_so_long_are_dirty_as_those_drawn_one_by_one(stay_s: float, changing: float) -> None:
    """Literal: gets by chance, of which some change; a block leaves a while after its read, and DBWR writes by age."""
    age_s, got_per_s, end_s = 5.0, 0.3, 300_000.0
    random = np.random.default_rng(4)
    dirty_s = held_s = now_s = 0.0
    remaining = []
    while now_s < end_s:
        now_s += random.exponential(1 / got_per_s)
        leaves_s, clean_at_s = now_s + stay_s, now_s
        held_s += stay_s
        first = True
        while now_s < leaves_s:
            if random.random() < changing and now_s >= clean_at_s:
                clean_at_s = min(now_s + age_s, leaves_s)
                dirty_s += clean_at_s - now_s
                if not first:
                    remaining.append(clean_at_s - now_s)
            first = False
            now_s += random.exponential(1 / got_per_s)
        now_s = leaves_s
    held = held_s / now_s
    law = dirty_fraction(got_per_s * changing, held, min(age_s, stay_s), np.mean(remaining or [0.0]))
    assert law == pytest.approx(dirty_s / now_s, rel=0.05)


@given(RATES, st.floats(0, 1), st.floats(0, 1e5), st.floats(0, 1e5))
def test_no_more_is_dirty_than_is_held(changes: float, held: float, read_age_s: float, hit_age_s: float) -> None:
    assert 0 <= dirty_fraction(changes, held, read_age_s, hit_age_s) <= held
    all_held = dirty_fraction(changes, 1.0, read_age_s, hit_age_s)
    assert changes * (1 - all_held) == pytest.approx(written_per_s(changes, 1.0, hit_age_s), rel=1e-6, abs=1e-9)


@given(st.floats(1e-3, 300), st.floats(1e-3, 1e9))
def test_how_often_blocks_leave_follows_from_how_long_they_are_dirty(passing: float, age_s: float) -> None:
    mean_age_s = dirty_age_s(age_s, 1.0, passing / age_s)
    assert leaving_per_s(mean_age_s, age_s) == pytest.approx(passing / age_s, rel=1e-6)


def test_undo_is_read_for_changes_of_others_under_way_drawn_one_by_one() -> None:
    """Literal: the others have made any part of their changes, at blocks of which some are wanted more."""
    random, blocks, gets, others, changes, rounds = np.random.default_rng(2), 50, 7, 6, 8, 3000
    popularity = np.arange(1, blocks + 1) ** -0.7
    popularity /= popularity.sum()
    met = []
    for _ in range(rounds):
        changed = np.zeros(blocks)
        for _ in range(others):
            # so many of its changes are made: any number from 0 to all, as long as each takes the same time
            made = random.integers(0, changes + 1)
            np.add.at(changed, random.choice(blocks, made, p=popularity), 1)
        met.append(changed[random.choice(blocks, gets, p=popularity)].sum())
    law = undo_gets(gets, others, changes, float(popularity @ popularity), 169)
    assert abs(np.mean(met) - law) <= 3.5 * np.std(met) / rounds**0.5


def test_a_copy_serves_until_its_block_changes_again() -> None:
    assert undo_gets(800, 6, 8, 0.02, 169) == undo_gets(8, 6, 8, 0.02, 169)


def test_nobody_else_means_no_undo() -> None:
    assert undo_gets(100, 0, 5, 0.1, 169) == undo_gets(100, 3, 0, 0.1, 169) == undo_gets(0, 3, 5, 0.1, 169) == 0


@pytest.mark.parametrize(
    ("lag_bytes", "redo_bytes_per_s", "age_s"),
    [(100.0, 20.0, 5.0), (100.0, 1.0, 30.0), (inf, 20.0, 30.0), (100.0, 0.0, 30.0), (0.0, 20.0, 0.0)],
)
def test_a_block_is_written_at_its_age_or_before_the_checkpoint_lags_by_more_redo(
    lag_bytes: float, redo_bytes_per_s: float, age_s: float
) -> None:
    assert checkpoint_age_s(30.0, lag_bytes, redo_bytes_per_s) == age_s


def test_a_block_has_no_more_changes_under_way_than_its_itl_list_has_entries() -> None:
    """4,000 users who change 20 of their blocks, 40 % of them in four blocks: 8 changes, 2 in each."""
    assert undo_gets(1, 4000, 8, 1 / 4, 169) == 169 * 2
    assert undo_gets(1, 100, 8, 1 / 4, 169) == 100
    assert undo_gets(1, 10**6, 1, 1e-3, 169) == 169
