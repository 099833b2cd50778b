"""The compiled caches: equal to their plain twins and to the states; LRU for all sizes equal to LRU at each."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import libcachesim as lcs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blocktime.model.errors import SpecError
from blocktime.model.kernels import cache
from blocktime.model.kernels.cache import Stream, numbered, replay_clock, replay_lru, replay_touch_count
from blocktime.model.laws.buffer_cache import TouchRules
from tests.oracles.caches import Clock, Lru, TouchCount, all_rules
from tests.plain import plain_loops

Blocks = NDArray[np.int64]

EXTREMES = [-(2**63), -(2**62) - 1, -1, 0, 1, 2**31, 2**40, 2**62, 2**63 - 1]
near_blocks = st.lists(st.integers(0, 12), max_size=120)
streams = near_blocks | st.lists(st.sampled_from(EXTREMES) | st.integers(-5, 5), max_size=60)
sizes = st.integers(1, 14)


def zipf(count: int, blocks: int = 20_000, exponent: float = 0.9, seed: int = 1) -> Blocks:
    """Independent references, the popular blocks anywhere among all."""
    random = np.random.default_rng(seed)
    chances = np.cumsum(np.arange(1.0, blocks + 1) ** -exponent)
    rank = np.searchsorted(chances, random.random(count) * chances[-1])
    return random.permutation(blocks)[rank]


def scans(count: int, blocks: int = 3_000) -> Blocks:
    """One full scan after another."""
    return np.arange(count, dtype=np.int64) % blocks


def mixed(count: int) -> Blocks:
    """Look-ups with a scan of 500 blocks in every 2,000 references, and files far apart."""
    stream = zipf(count, 5_000)
    scanned = np.arange(count) % 2_000 < 500
    stream[scanned] = 10**12 + np.arange(count)[scanned] % 40_000
    return stream


KINDS = {"zipf": zipf, "scans": scans, "mixed": mixed}


# The same as the states, and compiled the same as plain


def ways() -> list[Any]:
    return [nullcontext(), plain_loops(cache)]


@given(streams, sizes)
def test_lru_is_the_state(stream: list[int], size: int) -> None:
    state = Lru(size)
    expected = [state.access(block) for block in stream]
    found = replay_lru(stream, size)
    assert (found.hit.tolist(), found.hits, found.misses) == (expected, sum(expected), expected.count(False))
    for way in ways():
        with way:
            assert replay_lru(stream, size).hit.tolist() == expected


@given(streams, sizes)
def test_clock_is_the_state(stream: list[int], size: int) -> None:
    state = Clock(size)
    expected = [state.access(block) for block in stream]
    assert replay_clock(stream, size).hit.tolist() == expected
    for way in ways():
        with way:
            assert replay_clock(stream, size).hit.tolist() == expected


@given(streams, sizes, all_rules, st.data())
def test_touch_count_is_the_state(stream: list[int], size: int, rules: TouchRules, data: Any) -> None:
    gaps = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 2.0, 4.0]), min_size=len(stream), max_size=len(stream))
    )
    aside = data.draw(st.lists(st.booleans(), min_size=len(stream), max_size=len(stream)))
    times = np.cumsum(gaps)
    state = TouchCount(size, rules)
    expected = [
        state.access(block, now, cold_end=flag)
        for block, now, flag in zip(stream, times.tolist(), aside, strict=True)
    ]
    assert replay_touch_count(stream, size, times, aside, rules).hit.tolist() == expected
    for way in ways():
        with way:
            assert replay_touch_count(stream, size, times, aside, rules).hit.tolist() == expected


@pytest.mark.parametrize("more_than", [False, True])
@pytest.mark.parametrize("percent", [0.0, 10.0, 50.0, 90.0, 100.0])
def test_touch_count_is_the_state_with_any_midpoint(percent: float, more_than: bool) -> None:
    """At 100 % every buffer is hot now and then, and the search goes round in the hot region."""
    stream = zipf(20_000, 30)
    rules = TouchRules(percent_hot=percent, more_than=more_than, first_count=2)
    for size in (1, 2, 8, 20):
        state = TouchCount(size, rules)
        expected = [state.access(block, 3.0 * k) for k, block in enumerate(stream.tolist())]
        times = np.arange(stream.size) * 3.0
        assert replay_touch_count(stream, size, times, rules=rules).hit.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_long_streams_are_the_states(kind: str) -> None:
    stream = KINDS[kind](60_000)
    times = np.linspace(0, 600, stream.size)
    aside = stream >= 10**12
    for size in (1, 300, 2_999, 3_000, 9_000):
        for replay, state in ((replay_lru, Lru(size)), (replay_clock, Clock(size))):
            assert replay(stream, size).hit.tolist() == [state.access(block) for block in stream.tolist()]
        touch = TouchCount(size)
        assert replay_touch_count(stream, size, times, aside).hit.tolist() == [
            touch.access(block, now, cold_end=flag)
            for block, now, flag in zip(stream.tolist(), times.tolist(), aside.tolist(), strict=True)
        ]


def test_without_times_every_touch_counts_and_without_flags_no_block_is_put_aside() -> None:
    stream = zipf(20_000, 500)
    every, never = np.arange(stream.size) * 3.0, np.zeros(stream.size, dtype=bool)
    assert replay_touch_count(stream, 100).hits == replay_touch_count(stream, 100, every, never).hits
    assert replay_touch_count(stream, 100).hits != replay_touch_count(stream, 100, every / 1e6).hits


def test_lru_never_loses_a_hit_by_growing() -> None:
    stream = mixed(100_000)
    hits = [replay_lru(stream, size).hit for size in (10, 100, 1_000, 10_000)]
    for small, large in pairwise(hits):
        assert (large >= small).all()


# Block numbers


@given(st.lists(st.sampled_from(EXTREMES) | st.integers(-(2**63), 2**63 - 1), max_size=60))
def test_any_numbers_are_numbered_alike(stream: list[int]) -> None:
    array = np.array(stream, dtype=np.int64)
    ids, kinds = numbered(array)
    assert ids.max(initial=0) < max(kinds, 1)
    names: dict[int, int] = {}
    for block, one in zip(stream, ids.tolist(), strict=True):
        assert names.setdefault(block, one) == one
    assert len(set(names.values())) == len(names)
    for way in ways():
        with way:
            (ids, kinds), _ = cache.looked_up(array)
        assert ids.tolist() == [list(dict.fromkeys(stream)).index(block) for block in stream]
        assert kinds == len(set(stream))


@pytest.mark.parametrize("step", [4_096, 2**31, 2**33 + 1, 10**12 + 7])
def test_a_growing_table_forgets_nothing(step: int) -> None:
    stream = np.concatenate((np.arange(30_000), zipf(30_000, 30_000))) * step
    (ids, kinds), _ = cache.looked_up(stream)
    assert (ids == stream // step).all()
    assert kinds == 30_000


def test_a_stream_is_numbered_once() -> None:
    stream = numbered([5, 10**15, 5])
    assert numbered(stream) is stream
    assert replay_lru(stream, 1).hit.tolist() == replay_lru([5, 10**15, 5], 1).hit.tolist() == [False] * 3
    assert isinstance(stream, Stream)


def test_no_references_find_nothing() -> None:
    for replay in (replay_lru, replay_clock, replay_touch_count):
        assert [len(replay([], 3).hit), replay([], 3).hits, replay([], 3).misses] == [0, 0, 0]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (partial(replay_lru, [[1]], 1), "blocks has 2 dimensions; 1 is needed"),
        (partial(replay_lru, [1.5], 1), "blocks: [1.5] is no array of whole numbers of 64 bits"),
        (partial(replay_lru, [True], 1), "blocks: [True] is no array of whole numbers of 64 bits"),
        (partial(replay_lru, [2**63], 1), "is no array of whole numbers of 64 bits"),
        (partial(replay_lru, ["a"], 1), "blocks: ['a'] is no array of whole numbers of 64 bits"),
        (partial(replay_lru, [1], 0), "size_blocks: 0 is no whole number of at least 1"),
        (partial(replay_clock, [1], 1.5), "size_blocks: 1.5 is no whole number of at least 1"),
        (partial(replay_touch_count, [1], 1, [1.0, 2.0]), "times_s has the shape (2,) for 1 references"),
        (partial(replay_touch_count, [1], 1, [np.nan]), "times_s has a time of nan s"),
        (partial(replay_touch_count, [1], 1, ["x"]), "times_s: ['x'] is no array of float64"),
        (partial(replay_touch_count, [1], 1, None, [True, True]), "cold_end has the shape (2,)"),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    with pytest.raises(SpecError) as error:
        call()
    assert says in str(error.value)


# An independent simulator


@pytest.mark.parametrize("kind", KINDS)
def test_misses_are_those_of_libcachesim(kind: str, tmp_path: Path) -> None:
    stream = KINDS[kind](200_000)
    record = np.zeros(
        stream.size, dtype=[("time_s", "<u4"), ("block", "<u8"), ("bytes", "<u4"), ("next", "<i8")]
    )
    record["block"], record["bytes"], record["next"] = stream, 1, -2
    record.tofile(tmp_path / "stream.bin")
    for size in (1, 10, 300, 2_999, 3_000, 9_000):
        for policy, replay in ((lcs.LRU, replay_lru), (lcs.Clock, replay_clock)):
            reader = lcs.TraceReader(
                str(tmp_path / "stream.bin"),
                lcs.TraceType.ORACLE_GENERAL_TRACE,
                lcs.ReaderInitParam(ignore_obj_size=True),
            )
            missed, _ = policy(cache_size=size, hashpower=16).process_trace(reader)
            assert round(missed * stream.size) == replay(stream, size).misses
            assert missed == pytest.approx(replay(stream, size).misses / stream.size, rel=1e-12)
