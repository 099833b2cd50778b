"""The buffer cache that lives on: equal to TouchCount in all that shows, plain and compiled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.loops import as_written
from tests.counted_buffers import CountedBuffers
from tests.oracles.caches import TouchCount, all_rules

Reference = tuple[int, bool, bool]

EXTREMES = [-(2**63), -(2**62) - 1, -1, 2**31, 2**40, 2**62, 2**63 - 1]
block_numbers = st.integers(0, 14) | st.sampled_from(EXTREMES)
references = st.lists(st.tuples(block_numbers, st.booleans(), st.booleans()), max_size=25)
waits = st.sampled_from([0.0, 0.5, 2.0, 4.0])
picks = st.lists(st.integers(0, 30), max_size=8)
steps = st.lists(st.tuples(references, waits, picks), max_size=12)
fills = st.none() | st.tuples(
    st.lists(block_numbers, unique=True, max_size=14),
    st.sampled_from([-math.inf, -2.0, 0.0]),
    st.none() | st.integers(0, 4) | st.lists(st.integers(0, 4), min_size=14, max_size=14),
)


def plain(size: int, rules: TouchRules | None = None) -> CountedBuffers:
    with as_written():
        return CountedBuffers(size, rules)


def compiled(size: int, rules: TouchRules | None = None) -> CountedBuffers:
    return CountedBuffers(size, rules)


WAYS = [plain, compiled]


class Twin(TouchCount):
    """The literal cache, told the same at once."""

    def work(self, stream: list[Reference], now_s: float) -> tuple[Any, ...]:
        misses, to_write, newly_dirty = list[int](), list[int](), list[int]()
        for k, (block, change, aside) in enumerate(stream):
            if not self.touch(block, now_s):
                search = self.read(block, now_s, cold_end=aside)
                to_write += search.to_write
                if not search.found:
                    return misses, k, to_write, newly_dirty
                misses.append(k)
            if change and block not in self.dirty:
                newly_dirty.append(block)
                self.change(block)
        return misses, len(stream), to_write, newly_dirty

    def write(self, blocks: list[int]) -> None:
        for block in blocks:
            self.written(block)

    def fill(self, blocks: list[int], now_s: float, count: int | list[int] | None) -> None:
        for k, block in enumerate(blocks):
            self.read(block, now_s)
            if count is not None:
                self.count[block] = count if isinstance(count, int) else count[k]


def worked(cache: CountedBuffers, stream: list[Reference], now_s: float) -> tuple[Any, ...]:
    blocks, changes, cold_end = zip(*stream, strict=True) if stream else ((), (), ())
    given = np.array(blocks, dtype=np.int64)
    work = cache.counted(given, np.array(changes, dtype=bool), np.array(cold_end, dtype=bool), now_s)
    assert work.misses.dtype == work.to_write.dtype == work.newly_dirty.dtype == np.int64
    return work.misses.tolist(), work.done, work.to_write.tolist(), work.newly_dirty.tolist()


def same(cache: CountedBuffers, twin: Twin) -> None:
    """In all that shows from outside."""
    assert cache.regions() == (twin.cold, twin.hot)
    resident = cache.resident().tolist()
    assert len(cache) == len(resident)
    assert sorted(resident) == sorted(twin.order + twin.write_list) == sorted(twin.count)
    assert all(block in cache and cache.touches(block) == twin.count[block] for block in resident)
    assert cache.dirty == len(twin.dirty)


# Equal to the state


@pytest.mark.parametrize("way", WAYS)
@given(fill=fills, steps=steps, size=st.integers(1, 14), rules=all_rules)
@example(  # every buffer is dirty, and the work stops; a block of the write list is touched and changed there
    fill=None,
    steps=[
        ([(block, True, False) for block in (1, 2, 3, 4, 1)], 0.0, []),
        ([(2, True, False)], 4.0, [1]),
        ([(4, True, False), (2, False, False)], 4.0, []),
    ],
    size=3,
    rules=TouchRules(),
)
def test_work_is_that_of_the_state(
    way: Callable[..., CountedBuffers], fill: Any, steps: Any, size: int, rules: TouchRules
) -> None:
    cache, twin, now_s = way(size, rules), Twin(size, rules), 0.0
    if fill is not None:
        blocks, filled_s, count = fill
        count = count[: min(size, len(blocks))] if isinstance(count, list) else count
        cache.fill(np.array(blocks[:size], dtype=np.int64), filled_s, count)
        twin.fill(blocks[:size], filled_s, count)
        same(cache, twin)
    for stream, wait_s, picked in steps:
        now_s += wait_s
        assert worked(cache, stream, now_s) == twin.work(stream, now_s)
        same(cache, twin)
        assert all((block in cache) == (block in twin.count) for block in [*range(15), *EXTREMES])
        # DBWR writes of the write list, then of what is dirty, and now and then what is clean
        known = twin.write_list + sorted(twin.dirty) + sorted(cache.resident().tolist())
        blocks = [known[pick] for pick in picked if pick < len(known)]
        cache.written(np.array(blocks, dtype=np.int64))
        twin.write(blocks)
        same(cache, twin)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, 300, 5_000])
def test_long_work_is_that_of_the_state(way: Callable[..., CountedBuffers], size: int) -> None:
    """Look-ups among 20,000 blocks with changes and scans, a writer that comes late, and files far apart."""
    random, count = np.random.default_rng(size), 60_000
    cache, twin, writing = way(size), Twin(size), list[int]()
    rank = (20_000 * random.random(count) ** 3).astype(np.int64)
    blocks = rank % 7 * 2**32 + rank * 128
    aside = random.random(count) < 0.02
    blocks[aside] += 2**40
    changes = random.random(count) < 0.2
    at, turn = 0, 0
    while at < count:
        turn += 1
        part = slice(at, at + 110)
        stream = list(zip(blocks[part].tolist(), changes[part].tolist(), aside[part].tolist(), strict=True))
        found = worked(cache, stream, turn * 0.3)
        assert found == twin.work(stream, turn * 0.3)
        at += found[1]
        writing += found[2]
        if turn % 7 == 0 or found[1] < len(stream):
            cache.written(writing)
            twin.write(writing)
            writing = []
        if turn % 50 == 0:
            same(cache, twin)
    same(cache, twin)
    assert len(cache) == size


# One promise at a time


def used(cache: CountedBuffers, *blocks: int, now_s: float = 0.0, scan: bool = False, change: bool = False) -> None:
    """These blocks are used, one after the other at one moment."""
    many = len(blocks)
    cache.counted(blocks, [change] * many, [scan] * many, now_s)


def test_touches_within_three_seconds_count_once() -> None:
    cache, counts = compiled(4), []
    for now_s in (0.0, 0.5, 1.0, 2.9, 3.0, 3.1, 5.9, 6.0, 60.0):
        used(cache, 7, now_s=now_s)
        counts.append(cache.touches(7))
    assert counts == [1, 1, 1, 1, 2, 2, 2, 3, 4]


@pytest.mark.parametrize(("more_than", "touches"), [(False, 1), (True, 2)])
def test_a_block_is_hot_with_at_least_or_with_more_than_two_touches(more_than: bool, touches: int) -> None:
    """A block just read has a count of 1: at least 2 is one touch more, more than 2 is two."""
    for made in range(4):
        cache = compiled(2, TouchRules(more_than=more_than))
        for touch in range(made + 1):
            used(cache, 1, now_s=3.0 * touch)
        used(cache, 2, 3, 4, now_s=100.0)
        assert (1 in cache) == (made >= touches)


def test_a_hot_buffer_moves_on_and_the_one_over_the_midpoint_is_cooled() -> None:
    cache = compiled(4)
    for now_s in (0.0, 3.0, 6.0, 9.0):
        used(cache, 1, 2, 3, 4, now_s=now_s)
    assert (cache.regions(), cache.touches(1)) == (([1, 2, 3, 4], []), 4)
    used(cache, 5, now_s=9.0)  # 1 and 2 fill the hot region, 3 cools 1 and 4 cools 2; 1 is the coldest then
    assert cache.regions() == ([2, 5], [3, 4])
    assert [cache.touches(block) for block in (2, 5, 3, 4)] == [1, 1, 0, 0]


def test_a_hot_dirty_buffer_holds_and_not_written() -> None:
    cache = compiled(2)
    used(cache, 1)
    used(cache, 1, now_s=3.0, change=True)
    used(cache, 2, now_s=3.0)
    work = cache.counted([3], [False], None, 3.0)
    assert (work.to_write.tolist(), cache.regions()) == ([], ([3], [1]))


def test_what_is_hot_survives_a_large_scan_wherever_it_comes_in() -> None:
    cache, wanted = compiled(400), range(100)
    for second in range(0, 30, 5):
        used(cache, *wanted, now_s=float(second))
    for midpoint in (False, True):
        scan = range(1_000 + midpoint * 10_000, 6_000 + midpoint * 10_000)
        used(cache, *scan, now_s=31.0, scan=not midpoint)
        assert all(block in cache for block in wanted)


def test_a_scan_at_the_cold_end_takes_one_buffer() -> None:
    cache = compiled(50)
    used(cache, *range(50))
    used(cache, *range(100, 200), scan=True)
    assert set(cache.resident().tolist()) == {*range(1, 50), 199}


@pytest.mark.parametrize("percent", [0, 10, 50])
def test_the_hot_region_fills_and_keeps_its_share(percent: float) -> None:
    random, cache = np.random.default_rng(2), compiled(200, TouchRules(percent_hot=percent))
    popular, shares = random.permutation(2_000), []
    for at, rank in enumerate(random.zipf(1.3, 60_000).tolist()):
        used(cache, popular[rank % 2_000], now_s=0.01 * at)
        if at % 100 == 0:
            shares.append(len(cache.regions()[1]))
    assert max(shares) <= 2 * percent
    assert set(shares[400:]) == {2 * percent}


@pytest.mark.parametrize("counts", [{"stay_count": 2}, {"cool_count": 2}, {"cool_count": 5, "hot_criteria": 5}])
def test_rules_without_end_are_refused(counts: dict[str, Any]) -> None:
    with pytest.raises(OutsideLaw, match="never ends"):
        TouchRules(**counts)


@pytest.mark.parametrize("way", WAYS)
def test_without_flags_no_block_is_put_aside(way: Callable[..., CountedBuffers]) -> None:
    one, other = way(3), way(3)
    blocks, no = np.arange(40) % 5, np.zeros(40, dtype=bool)
    assert one.counted(blocks, no, None, 0.0).misses.tolist() == other.counted(blocks, no, no, 0.0).misses.tolist()
    assert one.regions() == other.regions()


@pytest.mark.parametrize("way", WAYS)
def test_work_stops_without_a_clean_buffer_and_goes_on_when_one_is_written(way: Callable[..., CountedBuffers]) -> None:
    cache, blocks = way(2), np.array([1, 2, 3])
    work = cache.counted(blocks, blocks > 0, None, 0.0)
    assert (work.misses.tolist(), work.done, work.to_write.tolist()) == ([0, 1], 2, [1, 2])
    assert (work.newly_dirty.tolist(), cache.dirty, 3 in cache) == ([1, 2], 2, False)
    cache.written(work.to_write[1:])
    rest = cache.counted(blocks[2:], blocks[2:] > 0, None, 0.0)
    assert (rest.misses.tolist(), rest.done, rest.to_write.tolist()) == ([0], 1, [])
    assert sorted(cache.resident().tolist()) == [1, 3]


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_outlives_the_next_call(way: Callable[..., CountedBuffers]) -> None:
    cache, blocks = way(4), np.arange(4)
    first = cache.counted(blocks, blocks >= 0, None, 0.0)
    cache.counted(blocks[:0], blocks[:0] > 0, None, 0.0)
    cache.counted(blocks[::-1] + 10, blocks < 0, None, 0.0)
    assert (first.misses.tolist(), first.newly_dirty.tolist()) == ([0, 1, 2, 3], [0, 1, 2, 3])


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_as_another_kind_is_taken(way: Callable[..., CountedBuffers]) -> None:
    cache = way(4)
    work = cache.counted(np.arange(4), np.ones(4, dtype=bool), None, 0.0)
    cache.written(work.to_write)
    cache.counted([1, 2], [0, 1], [True, False], 3)
    cache.counted(np.arange(8, dtype=np.int32)[::2], np.ones(8, dtype=bool)[::2], None, np.float64(4))
    cache.written([1])
    read_only = np.arange(2)
    read_only.flags.writeable = False
    assert cache.counted(read_only, read_only > 5, None, 5).done == 2


def test_a_million_buffers_are_filled_and_found() -> None:
    blocks: NDArray[np.int64] = np.random.default_rng(5).permutation(1_000_000) * 4_096
    cache = compiled(1_200_000)
    cache.fill(blocks)
    assert len(cache) == 1_000_000
    assert (cache.resident() == blocks).all()
    work = cache.counted(blocks[::-1], np.zeros(blocks.size, dtype=bool), None, 0.0)
    assert (work.misses.size, work.done) == (0, 1_000_000)
    work = cache.counted(blocks + 1, np.zeros(blocks.size, dtype=bool), None, 0.0)
    assert (work.misses.size, len(cache)) == (1_000_000, 1_200_000)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_in_memory_cannot_be_written(way: Callable[..., CountedBuffers]) -> None:
    cache = way(4)
    cache.counted([1, 2, 3], [True, True, True], None, 0.0)
    with pytest.raises(KeyError, match="9"):
        cache.written([1, 9, 2])
    assert cache.dirty == 2


@pytest.mark.parametrize("way", WAYS)
@given(before=references, after=references, size=st.integers(1, 14), rules=all_rules)
def test_a_cache_that_is_filled_as_another_one_stands_goes_on_like_it(
    way: Callable[..., CountedBuffers], before: Any, after: Any, size: int, rules: TouchRules
) -> None:
    rules = replace(rules, touch_time_s=0.0)
    cache, filled = way(size, rules), way(size, rules)
    worked(cache, [(block, False, aside) for block, _, aside in before], 1.0)
    cold, hot = cache.regions()
    filled.fill([*cold, *hot], 1.0, [cache.touches(block) for block in [*cold, *hot]], len(hot))
    for stream in (before, after):
        clean = [(block, False, aside) for block, _, aside in stream]
        assert worked(cache, clean, 2.0) == worked(filled, clean, 2.0)
        assert cache.regions() == filled.regions()


@pytest.mark.parametrize("way", WAYS)
def test_a_fill_that_is_refused_leaves_the_cache_empty(way: Callable[..., CountedBuffers]) -> None:
    cache = way(4)
    with pytest.raises(SpecError, match="blocks: 7 is given twice"):
        cache.fill([7, 8, 7])
    assert (len(cache), 8 in cache, cache.regions()) == (0, False, ([], []))
    cache.fill([8, 7])
    with pytest.raises(SpecError, match="1 blocks for 4 buffers, 2 of them in use"):
        cache.fill([1])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (partial(CountedBuffers, 0), "size_blocks: 0 is no whole number of at least 1"),
        (partial(CountedBuffers, 2**40), "are too many buffers"),
        (lambda: plain(2).fill([1, 2, 3]), "3 blocks for 2 buffers, 0 of them in use"),
        (lambda: plain(2).fill([1], count=[1, 2]), "count has 2 entries for 1 references"),
        (lambda: plain(2).fill([1], [1.0, 2.0]), "now_s has 2 entries for 1 references"),
        (lambda: plain(2).fill([1, 2], hot=2), "hot: 2 of 2 blocks; the hot region has 1 buffers"),
        (lambda: plain(2).counted([1], [True, False], None, 0.0), "changes has 2 entries for 1 references"),
        (lambda: plain(2).counted([1], [True], [True, False], 0.0), "cold_end has 2 entries for 1 references"),
        (lambda: plain(2).counted([[1]], [True], None, 0.0), "blocks has 2 dimensions; 1 is needed"),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    with pytest.raises(SpecError) as error:
        call()
    assert says in str(error.value)
