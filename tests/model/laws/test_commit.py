"""Commits against a log writer played out commit by commit, and the limits of seldom and of very many commits."""

from __future__ import annotations

from itertools import pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model.laws.commit import LOG_BLOCK_BYTES, log_write_bytes, log_writer_busy_fraction, log_writes_per_s
from tests.oracles.log_writer import log_file_sync_s

WRITE_S = 2e-3
COMMITS = 40_000


def played(commits_per_s: float, seed: int) -> tuple[float, float, float]:
    """Busy share of the log writer, mean wait of a commit and writes a second, from commits one by one."""
    arrivals = np.cumsum(np.random.default_rng(seed).exponential(1 / commits_per_s, COMMITS)).tolist()
    done_s, waited_s, writes, at = 0.0, 0.0, 0, 0
    while at < COMMITS:
        begin_s = max(done_s, arrivals[at])
        done_s = begin_s + WRITE_S
        writes += 1
        while at < COMMITS and arrivals[at] <= begin_s:
            waited_s += done_s - arrivals[at]
            at += 1
    return writes * WRITE_S / done_s, waited_s / COMMITS, writes / done_s


@pytest.mark.parametrize("load", [0.01, 0.1, 0.5, 1.0, 2.0, 5.0])
def test_the_log_writer_is_as_busy_as_one_that_takes_commit_after_commit(load: float) -> None:
    commits_per_s = load / WRITE_S
    runs = np.array([played(commits_per_s, seed) for seed in range(8)])
    law = np.array(
        [
            log_writer_busy_fraction(commits_per_s, WRITE_S),
            log_file_sync_s(commits_per_s, WRITE_S),
            log_writes_per_s(commits_per_s, WRITE_S),
        ]
    )
    error = 5 * runs.std(axis=0, ddof=1) / len(runs) ** 0.5
    assert (np.abs(runs.mean(axis=0) - law) <= error + 1e-4 * law).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cv", [0.9, 2.0])
@pytest.mark.parametrize("load", [0.1, 1.0, 20.0])
def test_a_log_writer_whose_writes_vary_is_as_busy_as_one_played(load: float, cv: float) -> None:
    """Commits wait for the rest of a write that they met, which is a long one more often than not."""
    draws = np.random.default_rng(7)
    syncs: list[float] = []
    busy_s, free_s, writes, now_s = 0.0, 0.0, 0, 0.0
    comes_s = np.cumsum(draws.exponential(WRITE_S / load, 200_000))
    lasts_s = iter(draws.gamma(1 / cv**2, WRITE_S * cv**2, len(comes_s)))
    first = 0
    while first < len(comes_s):
        now_s = max(free_s, comes_s[first])
        behind = max(first + 1, int(np.searchsorted(comes_s, now_s, "right")))
        lasts = next(lasts_s)
        free_s, writes, busy_s = now_s + lasts, writes + 1, busy_s + lasts
        syncs += (free_s - comes_s[first:behind]).tolist()
        first = behind
    rate_per_s = load / WRITE_S
    assert busy_s / free_s == pytest.approx(log_writer_busy_fraction(rate_per_s, WRITE_S, cv), rel=0.03)
    assert float(np.mean(syncs)) == pytest.approx(log_file_sync_s(rate_per_s, WRITE_S, cv), rel=0.04)
    assert writes / free_s == pytest.approx(log_writes_per_s(rate_per_s, WRITE_S, cv), rel=0.03)


def test_one_commit_in_a_while_waits_for_its_own_write_alone() -> None:
    assert log_writer_busy_fraction(0, WRITE_S) == 0
    assert log_file_sync_s(0, WRITE_S) == WRITE_S
    assert log_file_sync_s(1e-6, WRITE_S) == pytest.approx(WRITE_S, rel=1e-8)
    assert log_writes_per_s(1e-3, WRITE_S) == pytest.approx(1e-3, rel=1e-5)


def test_without_a_pause_a_commit_waits_for_a_write_and_a_half() -> None:
    for commits_per_s in (1e5, 1e9, 1e300):
        assert log_writer_busy_fraction(commits_per_s, WRITE_S) == 1
        assert log_file_sync_s(commits_per_s, WRITE_S) == pytest.approx(1.5 * WRITE_S, rel=1e-12)
        assert log_writes_per_s(commits_per_s, WRITE_S) == pytest.approx(1 / WRITE_S, rel=1e-12)


@given(st.floats(1e-6, 1e9), st.floats(1e-6, 10))
def test_writes_are_never_more_than_commits_or_than_fit(commits_per_s: float, write_s: float) -> None:
    busy = log_writer_busy_fraction(commits_per_s, write_s)
    assert 0 < busy <= 1
    assert busy <= commits_per_s * write_s * (1 + 1e-12)  # no more work than comes
    assert log_writes_per_s(commits_per_s, write_s) <= min(commits_per_s, 1 / write_s) * (1 + 1e-12)
    assert write_s <= log_file_sync_s(commits_per_s, write_s) <= 1.5 * write_s * (1 + 1e-12)


@given(st.floats(1e-3, 100))
def test_commits_for_each_write_are_one_and_those_that_came_during_the_last(load: float) -> None:
    each = load / WRITE_S / log_writes_per_s(load / WRITE_S, WRITE_S)
    assert each == pytest.approx(load + exp(-load), rel=1e-9)


def test_busier_with_every_commit_more() -> None:
    loads = [0.0, *np.logspace(-4, 2.5, 60).tolist()]
    for law in (log_writer_busy_fraction, log_file_sync_s, log_writes_per_s):
        found = [law(load / WRITE_S, WRITE_S) for load in loads]
        assert all(before <= after for before, after in pairwise(found))


def test_an_array_gives_what_its_numbers_give() -> None:
    rates = np.array([1e-3, 1.0, 500.0, 1e6])
    for law in (log_writer_busy_fraction, log_file_sync_s, log_writes_per_s):
        assert law(rates, WRITE_S) == pytest.approx([law(float(rate), WRITE_S) for rate in rates], rel=1e-14)


def test_redo_fills_whole_blocks_and_half_of_one_is_lost_on_average() -> None:
    sizes = np.arange(1, 20 * LOG_BLOCK_BYTES + 1)
    written = -(-sizes // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
    assert log_write_bytes(sizes).mean() == pytest.approx(written.mean(), abs=1)
