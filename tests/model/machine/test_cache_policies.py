"""Replacement policies keep their promises, each equal to a literal one that takes any time it needs."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from model.errors import OutsideLaw
from model.laws.buffer_cache import TouchRules
from tests.oracles.cache_policies import Clock, Lru
from tests.oracles.touch_count import TouchCount
from tests.oracles.touch_rules import rules_of

few = st.integers(0, 12)
streams = st.lists(few, max_size=120)
sizes = st.integers(1, 10)
all_rules = rules_of(first_count=1)


# Literal twins


class LiteralLru:
    def __init__(self, size: int) -> None:
        self.size, self.stack = size, list[int]()

    def access(self, block: int) -> bool:
        found = block in self.stack
        if found:
            self.stack.remove(block)
        self.stack.insert(0, block)
        del self.stack[self.size :]
        return found


class LiteralClock:
    """First in, first out; a block used in between goes to the back of the queue once more."""

    def __init__(self, size: int) -> None:
        self.size, self.queue, self.used = size, deque[int](), set[int]()

    def access(self, block: int) -> bool:
        if block in self.queue:
            self.used.add(block)
            return True
        if len(self.queue) == self.size:
            while self.queue[0] in self.used:
                self.used.remove(self.queue[0])
                self.queue.rotate(-1)
            self.queue.popleft()
        self.queue.append(block)
        return False


class LiteralTouchCount:
    """One list from the cold end to the hot end, the last *hot* of it the hot region."""

    def __init__(self, size: int, rules: TouchRules) -> None:
        self.size, self.rules, self.hot = size, rules, 0
        self.order: list[int] = []
        self.writing: list[int] = []
        self.count: dict[int, int] = {}
        self.touched: dict[int, float] = {}
        self.dirty: set[int] = set()
        self.pins: dict[int, int] = {}

    def touch(self, block: int, now: float) -> bool:
        if block not in self.count:
            return False
        if now - self.touched[block] >= self.rules.touch_time_s:
            self.count[block] += 1
            self.touched[block] = now
        return True

    def take_out(self, at: int) -> int:
        self.hot -= at >= len(self.order) - self.hot
        return self.order.pop(at)

    def read(self, block: int, now: float, cold_end: bool) -> tuple[bool, int | None, tuple[int, ...]]:
        evicted, to_write, at = None, [], 0
        if len(self.count) == self.size:
            while evicted is None:
                if at == len(self.order):
                    return False, None, tuple(to_write)
                one = self.order[at]
                if self.pins.get(one):
                    at += 1
                elif self.count[one] >= self.rules.hot_criteria + self.rules.more_than:
                    self.order.append(self.take_out(at))
                    self.count[one] = self.rules.stay_count
                    self.hot += 1
                    if self.hot > int(self.size * self.rules.percent_hot / 100):
                        self.count[self.order[len(self.order) - self.hot]] = self.rules.cool_count
                        self.hot -= 1
                elif one in self.dirty:
                    self.writing.append(self.take_out(at))
                    to_write.append(one)
                else:
                    evicted = self.take_out(at)
                    del self.count[evicted], self.touched[evicted]
        self.count[block] = 0 if cold_end else self.rules.first_count
        self.touched[block] = now
        self.order.insert(0 if cold_end else len(self.order) - self.hot, block)
        return True, evicted, tuple(to_write)

    def written(self, block: int) -> None:
        self.dirty.discard(block)
        if block in self.writing:
            self.writing.remove(block)
            self.order.insert(0, block)


@given(streams, sizes)
def test_lru_is_a_stack(stream: list[int], size: int) -> None:
    state, literal = Lru(size), LiteralLru(size)
    for block in stream:
        assert state.access(block) == literal.access(block)
        assert len(state) == len(literal.stack) <= size
        assert all(one in state for one in literal.stack)


@given(streams, sizes)
def test_clock_is_a_queue_with_second_chances(stream: list[int], size: int) -> None:
    state, literal = Clock(size), LiteralClock(size)
    for block in stream:
        assert state.access(block) == literal.access(block)
        assert len(state) == len(literal.queue) <= size
        assert all(one in state for one in literal.queue)


@given(streams, sizes)
def test_a_larger_lru_cache_holds_what_a_smaller_one_does(stream: list[int], size: int) -> None:
    small, large = Lru(size), Lru(size + 1)
    for block in stream:
        assert large.access(block) >= small.access(block)
        assert all(one in large for one in range(13) if one in small)


moves = st.sampled_from(["access"] * 6 + ["scan", "change", "written", "pin", "unpin"])


@given(st.lists(st.tuples(moves, few, st.sampled_from([0.0, 0.5, 2.0, 4.0])), max_size=150), sizes, all_rules)
@example(
    [("access", k % 3, 4.0) for k in range(9)] + [("access", k, 4.0) for k in range(3, 9)], 3, TouchRules()
)
def test_touch_count_is_the_literal_one(
    steps: list[tuple[str, int, float]], size: int, rules: TouchRules
) -> None:
    state, literal, now = TouchCount(size, rules), LiteralTouchCount(size, rules), 0.0
    for move, block, later in steps:
        now += later
        inside = block in state
        assert inside == (block in literal.count)
        if move in ("access", "scan"):
            assert state.touch(block, now) == literal.touch(block, now)
            if not inside:
                before = len(state.cold) + len(state.hot)
                search = state.read(block, now, cold_end=move == "scan")
                assert search[:3] == literal.read(block, now, move == "scan")
                assert search.inspected >= len(search.to_write) + (search.evicted is not None)
                assert search.found or search.inspected >= before
        elif inside and move == "change":
            state.change(block)
            literal.dirty.add(block)
        elif inside and move == "written":
            state.written(block)
            literal.written(block)
        elif inside and move == "pin":
            state.pin(block)
            literal.pins[block] = literal.pins.get(block, 0) + 1
        elif inside and literal.pins.get(block):
            state.unpin(block)
            literal.pins[block] -= 1
        assert state.cold + state.hot == literal.order
        assert len(state.hot) == literal.hot <= state.hot_blocks
        assert state.write_list == literal.writing
        assert len(state) == len(literal.count) == len(literal.order) + len(literal.writing) <= size
        assert all(state.count(one) == count for one, count in literal.count.items())


# Touch counts, one promise at a time


def test_touches_within_three_seconds_count_once() -> None:
    cache = TouchCount(4)
    cache.access(7, 0.0)
    counts = [(cache.access(7, now), cache.count(7)) for now in (0.5, 1.0, 2.9, 3.0, 3.1, 5.9, 6.0, 60.0)]
    assert counts == [(True, count) for count in (1, 1, 1, 2, 2, 2, 3, 4)]


@pytest.mark.parametrize(("more_than", "touches"), [(False, 1), (True, 2)])
def test_two_sources_two_criteria(more_than: bool, touches: int) -> None:
    """A block just read has a count of 1: at least 2 is one touch more, more than 2 is two."""
    for made in range(4):
        cache = TouchCount(2, TouchRules(more_than=more_than))
        for touch in range(made + 1):
            cache.access(1, 3.0 * touch)
        for block in (2, 3, 4):
            cache.access(block, 100.0)
        assert (1 in cache) == (made >= touches)


def test_a_hot_buffer_moves_on_and_the_one_over_the_midpoint_is_cooled() -> None:
    cache = TouchCount(4)
    for now in (0.0, 3.0, 6.0, 9.0):
        for block in (1, 2, 3, 4):
            cache.access(block, now)
    assert (cache.cold, cache.hot, cache.count(1)) == ([1, 2, 3, 4], [], 4)
    cache.access(5, 9.0)  # 1 and 2 fill the hot region, 3 cools 1 and 4 cools 2; 1 is the coldest then
    assert (cache.cold, cache.hot) == ([2, 5], [3, 4])
    assert [cache.count(block) for block in (2, 5, 3, 4)] == [1, 1, 0, 0]


def test_dirty_buffers_go_to_the_write_list_and_come_back_at_the_cold_end() -> None:
    cache = TouchCount(3)
    for block in (1, 2, 3):
        cache.access(block, 0.0)
        cache.change(block)
    search = cache.read(4, 0.0)
    assert search == (False, None, (1, 2, 3), 3)  # free buffer waits
    assert (4 in cache, cache.write_list, cache.touch(2, 1.0)) == (False, [1, 2, 3], True)
    cache.written(2)
    assert cache.read(4, 0.1) == (True, 2, (), 1)
    assert cache.write_list == [1, 3]


def test_a_hot_dirty_buffer_is_kept_and_not_written() -> None:
    cache = TouchCount(2)
    for now in (0.0, 3.0):
        cache.access(1, now)
    cache.change(1)
    cache.access(2, 3.0)
    assert cache.read(3, 3.0) == (True, 2, (), 2)
    assert cache.hot == [1]


def test_a_pinned_buffer_is_passed_by() -> None:
    cache = TouchCount(2)
    cache.access(1, 0.0)
    cache.access(2, 0.0)
    cache.pin(1)
    assert cache.read(3, 0.0) == (True, 2, (), 2)
    cache.pin(3)
    assert cache.read(4, 0.0) == (False, None, (), 2)
    cache.unpin(1)
    assert cache.read(4, 0.0).evicted == 1


def test_pinned_buffers_keep_their_places() -> None:
    cache = TouchCount(4)
    for block in (1, 2, 3, 4):
        cache.access(block, 0.0)
    for block in (1, 2):
        cache.pin(block)
    assert cache.read(5, 0.0) == (True, 3, (), 3)
    assert cache.cold == [1, 2, 4, 5]


def test_what_is_hot_survives_a_large_scan_that_lru_does_not() -> None:
    wanted, room = range(100), 400
    cache, plain = TouchCount(room), Lru(room)
    for second in range(0, 30, 5):
        for block in wanted:
            cache.access(block, float(second))
            plain.access(block)
    scan = range(1_000, 6_000)
    for midpoint in (False, True):  # even where the scan comes in as other blocks do
        for block in scan:
            assert not cache.access(block + midpoint * 10_000, 31.0, cold_end=not midpoint)
            plain.access(block)
        assert all(block in cache for block in wanted)
    assert not any(block in plain for block in wanted)


def test_a_scan_at_the_cold_end_takes_one_buffer() -> None:
    cache = TouchCount(50)
    for block in range(50):
        cache.access(block, 0.0)
    cache.access(100, 0.0, cold_end=True)
    inside = set(cache.cold)
    for block in range(101, 200):
        assert cache.read(block, 0.0, cold_end=True).evicted == block - 1
    assert set(cache.cold) == inside - {100} | {199}


@pytest.mark.parametrize("percent", [0, 10, 50, 80, 100])
def test_the_hot_region_fills_and_keeps_its_share(percent: float) -> None:
    random = np.random.default_rng(2)
    room, popular = 200, random.permutation(2_000)
    cache = TouchCount(room, TouchRules(percent_hot=percent))
    now = 0.0
    shares = []
    for rank in random.zipf(1.3, 60_000):
        now += 0.01
        cache.access(int(popular[rank % 2_000]), now)
        shares.append(len(cache.hot))
        assert len(cache) <= room
    assert max(shares) <= room * percent / 100
    if percent <= 50:  # beyond, the cold region is too short a time for a second touch
        assert set(shares[40_000:]) == {room * percent / 100}


@pytest.mark.parametrize(
    "counts", [{"stay_count": 2}, {"cool_count": 2}, {"cool_count": 5, "hot_criteria": 5}]
)
def test_rules_without_end_are_refused(counts: dict[str, Any]) -> None:
    with pytest.raises(OutsideLaw, match="never ends"):
        TouchRules(**counts)
