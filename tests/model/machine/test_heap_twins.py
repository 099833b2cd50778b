"""The heap that works by batches does what the literal one does row by row, and both keep what a heap must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import cycle, islice
from random import Random
from typing import Any

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.assm import FREE_75_100, FULL, freeness
from blocktime.model.loops import arrays as typed
from blocktime.model.loops import fastest
from blocktime.model.machine.segment.extent_map import high_water_steps
from blocktime.model.machine.segment.heap import Heap
from blocktime.model.machine.segment.heap_rows import DELETED, HOME
from blocktime.model.machine.segment.heap_rules import HeapCounts, HeapRules
from tests.oracles.heap_literal import LiteralHeap
from tests.whole import quick

Layout = list[list[tuple[bool, int]]]
"""What each move of the high-water mark adds: groups of blocks, each under a new L1 block or under the last."""

Steps = Callable[[], Iterator[list[tuple[int, int]]]]

ENOUGH_BLOCKS = 250
ENOUGH_ROWS = 600


def segment_rules(random: Random, length: int) -> HeapRules:
    """Small blocks, most of them of even sizes; in some a few rows of a length are just PCTUSED."""
    even = random.random() < 0.7

    def some(usual: Sequence[Any], odd: Sequence[Any]) -> Any:
        return random.choice(usual if even else odd)

    block, itl_initial = some([200, 300, 600], [150, 200, 700]), some([1, 2], [1, 2, 3])
    reserve = int(block * some([0, 0.05, 0.1, 0.3], [0, 0.3, 0.6]))
    rules = HeapRules(
        block=block,
        data=block - some([10, 20], range(5, 31)),
        reserve=reserve,
        used_low=min(int(block * some([0.4], [0, 0.1, 0.9])), block - reserve),
        itl_entry=some([6], [1, 6, 12]),
        itl_initial=itl_initial,
        itl_limit=some([2, 3, 5, 10], [3, 8, 40]),
        directory=some([2], [1, 2, 3]),
        header=some([3], [1, 2, 4]),
        rowid=some([3], range(1, 8)),
        assm=random.random() < 0.7,
        itl_full_demotes=random.random() < 0.3,
    )
    taken = itl_initial * rules.itl_entry + random.randint(1, 6) * rules.slot(length)
    return rules._replace(used_low=min(taken, block - reserve)) if random.random() < 0.5 else rules


def high_water(layout: Layout, assm: bool) -> Iterator[list[tuple[int, int]]]:
    """Moves of the high-water mark: those of *layout*, again and again."""
    l1 = -1
    for step in cycle(layout):
        found: Counter[int] = Counter()
        for new, blocks in step:
            l1 = max(0, l1 + new) if assm else 0
            found[l1] += blocks
        yield list(found.items())


class Twins:
    """Both forms of one segment, driven together and compared after every step."""

    def __init__(self, rules: HeapRules, steps: Steps, sessions: int, compiled: bool) -> None:
        self.fast = (fastest(Heap) if compiled else Heap)(rules, steps(), sessions)
        self.literal = LiteralHeap(rules, steps(), sessions)
        self.rules = rules
        self.over = False
        """Whether the case has left what the fast form describes, or has become too large."""
        self._direct = self._loaded = self._fit = 0
        self._before = HeapCounts()

    def load(self, rows: int, length: int, direct: bool) -> None:
        """Fill the segment: at once, and row by row."""
        length = min(length, self.rules.largest_piece)
        self.fast.load(rows, length, direct)
        if direct:
            self.literal.load_direct(rows, length)
            self._direct += rows
        else:
            self.literal.insert(0, rows, length)
            self.literal.commit(0)
        self._loaded, self._fit = rows, self.fast.rows_of(0)
        self.check()

    def do(self, what: str, *arguments: int) -> None:
        """One operation on both."""
        if self.over:
            return
        try:
            getattr(self.fast, what)(*arguments)
        except OutsideLaw:
            event("outside the law")
            self.over = True
            return
        getattr(self.literal, what)(*arguments)
        self._done()

    def insert_alone(self, session: int, rows: int, length: int, each: int, every: int) -> None:
        """Inserts of one session that commits again and again."""
        if self.over:
            return
        try:
            self.fast.insert_alone(session, rows, length, each, every)
        except OutsideLaw:
            event("outside the law")
            self.over = True
            return
        for begun in range(0, rows, every):
            self.literal.insert(session, min(every, rows - begun), length, each)
            if rows - begun >= every:
                self.literal.commit(session)
        self._done()

    def append(self, rows: int, length: int) -> None:
        """Rows by direct path."""
        if self.over:
            return
        length = min(length, self.rules.largest_piece)
        self.fast.append(rows, length)
        self.literal.load_direct(rows, length)
        self._direct += rows
        self._done()

    def scatter(self, session: int, share: float, growth: int, seed: int) -> None:
        """Rows of the load grow in any order."""
        if self.over:
            return
        order = np.random.default_rng(seed).permutation(self._loaded)[: 1 + int(share * self._loaded)]
        homes, numbers = order // self._fit, order % self._fit
        try:
            self.fast.update_scattered(session, typed.row(homes), typed.row(numbers), growth)
        except OutsideLaw:
            event("outside the law")
            self.over = True
            return
        for home, number in zip(homes.tolist(), numbers.tolist(), strict=True):
            self.literal.update(session, home, number, 1, growth)
        self._done()

    def _done(self) -> None:
        self.check()
        self.over = self.fast.blocks > ENOUGH_BLOCKS or self.fast.rows > ENOUGH_ROWS

    def rows_of(self, at: float) -> tuple[int, int]:
        """The block at that share of the segment, and how many rows it was given; (0, 0) where there is none."""
        if self.over or not self.fast.rows:
            return 0, 0
        homes = [block for block in range(self.fast.blocks) if self.fast.rows_of(block)]
        block = homes[min(len(homes) - 1, int(at * len(homes)))]
        return block, self.fast.rows_of(block)

    def check(self) -> None:
        """The two are equal, and the heap is sound."""
        self._check_equal()
        self._check_blocks()
        self._check_counts()

    def _check_equal(self) -> None:
        fast, blocks = self.fast, self.literal.blocks
        lengths, places = fast.lengths(), fast.places()
        assert fast.counts == self.literal.counts
        assert list(fast.free()) == [block.free for block in blocks]
        assert list(fast.entries()) == [block.itl for block in blocks]
        for block in blocks:
            assert fast.contents(block.number) == (block.pieces, block.stubs, block.moved_in)
        if self.rules.assm:
            assert list(fast.space.classes()) == [block.seen for block in blocks]
        for block in blocks:
            rows = [row for first, many in fast.ranges(block.number) for row in range(first, first + many)]
            for number, row in zip(rows, block.rows, strict=True):
                assert (places[number] == DELETED) == row.deleted
                if not row.deleted:
                    assert places[number] == (row.block.number if row.moved else HOME)
                    assert lengths[number] == row.length

    def _check_blocks(self) -> None:
        """Bytes are conserved, each moved row has one stub, and the bitmap tells the truth or says full."""
        rules, blocks = self.rules, self.literal.blocks
        empty = freeness(rules.data - rules.itl_initial * rules.itl_entry, rules.reserve, rules.block)
        rows = [row for block in blocks for row in block.rows if not row.deleted]
        here = Counter(row.home.number for row in rows if not row.moved)
        stubs = Counter(row.home.number for row in rows if row.moved)
        tails = Counter(row.block.number for row in rows if row.moved)
        used = Counter[int]()
        for row in rows:
            assert row.moved or row.block is row.home
            used[row.block.number] += rules.slot(row.length)
        for block in blocks:
            number = block.number
            bodies = block.moved_in - tails[number]
            assert bodies >= 0
            assert block.stubs == stubs[number]
            assert block.pieces == here[number] + stubs[number] + block.moved_in
            assert rules.itl_initial <= block.itl <= rules.itl_limit
            assert sum(block.entries.values()) <= block.itl
            assert block.free >= 0
            taken = used[number] + stubs[number] * rules.slot(0) + bodies * rules.slot(rules.largest_piece)
            assert block.free + block.itl * rules.itl_entry + taken == rules.data
            if rules.assm:
                true = freeness(block.free, rules.reserve, rules.block)
                as_formatted = block.seen == FREE_75_100 and true == empty  # headers are more than a quarter
                assert block.seen in (FULL, true) or as_formatted

    def _check_counts(self) -> None:
        """Nothing is counted that did not happen, and no count falls."""
        counts = self.literal.counts
        rows = [row for block in self.literal.blocks for row in block.rows]
        assert counts.inserted == len(rows) == self.fast.rows
        assert counts.deleted == sum(row.deleted for row in rows)
        moved = sum(row.moved for row in rows)
        assert counts.migrated == moved
        assert sum(block.moved_in for block in self.literal.blocks) == counts.chain_pieces + sum(
            row.moved and not row.deleted for row in rows
        )
        placed = counts.inserted - self._direct + counts.migrated + counts.moved_again + counts.chain_pieces
        assert counts.accepted == placed
        assert counts.rejected == counts.rejected_itl + counts.rejected_space + counts.rejected_held
        if self.rules.itl_full_demotes or not self.rules.assm:
            assert counts.rejected_itl <= counts.accepted + len(self.literal.blocks)
        assert min(getattr(self.rules.since(counts, self._before), one.name) for one in fields(counts)) >= 0
        self._before = replace(counts)


@settings(max_examples=quick(400, 2000))
@given(seed=st.integers(0, 2**32 - 1))
def test_sessions_at_work_leave_what_they_leave_row_by_row(seed: int) -> None:
    """Sessions at work in one segment; a seed says all of a case, as there is too much to draw piece by piece."""
    random = Random(seed)
    length = random.choice([3, 6, 7, 10, 20, 40])
    rules = segment_rules(random, length)
    layout = [
        [(random.random() < 0.7, random.choice([1, 2, 3, 8])) for _ in range(random.choice([1, 1, 2]))]
        for _ in range(5)
    ]
    sessions = random.choice([1, 1, 2, 3])
    twins = Twins(rules, partial(high_water, layout, rules.assm), sessions, random.random() < 0.5)
    rows = random.randint(1, 150)
    twins.load(rows, length, random.random() < 0.5)
    for _ in range(random.randint(1, 20)):
        session = random.randrange(sessions)
        kinds = ["update", "update", "update", "scatter", "delete", "insert", "commit", "append", "alone"]
        what = random.choice(kinds)
        home, many = twins.rows_of(random.random())
        start = random.randrange(many) if many else 0
        part = random.randint(1, many - start) if many else 0
        growth = random.choice([0, 1, 4, 10, 100, 700, 3000] if random.random() < 0.3 else [2, 5, 9])
        if what == "scatter":
            twins.scatter(session, random.choice([0.1, 0.999]), growth, random.randrange(1000))
        elif what == "append":
            twins.append(random.randint(1, 20), length)
        elif what == "alone":
            many, each, every = (random.randint(1, 60), random.choice([1, 1, 4, 40]), random.choice([1, 3, 8, 20]))
            twins.insert_alone(session, many, random.choice([3, length, 30]), each, every)
        else:
            arguments: dict[str, tuple[int, ...]] = {
                "update": (session, home, start, part, growth),
                "delete": (session, home, start, part),
                "insert": (
                    session,
                    random.randint(1, 40),
                    random.choice([3, length, 30]),
                    random.choice([1, 1, 4, 40]),
                ),
                "commit": (session,),
            }
            twins.do(what, *arguments[what])


@settings(max_examples=quick(40, 150))
@given(
    size=st.sampled_from([2048, 4096, 8192]),
    assm=st.booleans(),
    mended=st.booleans(),
    pctfree=st.sampled_from([0, 5, 10, 20]),
    rows=st.integers(1, 900),
    length=st.integers(3, 40),
    growth=st.integers(1, 60),
    users=st.integers(1, 3),
    compiled=st.booleans(),
)
def test_blocks_and_extents_of_their_true_size_are_filled_alike(
    *,
    size: int,
    assm: bool,
    mended: bool,
    pctfree: int,
    rows: int,
    length: int,
    growth: int,
    users: int,
    compiled: bool,
) -> None:
    """Every row grows, in blocks as Oracle has them; an L1 block holds the blocks that the extent map gives it."""
    rules = HeapRules(
        block=size,
        data=size - 74,
        reserve=round(size * pctfree / 100),
        used_low=round(size * 0.4),
        itl_entry=24,
        itl_initial=2,
        itl_limit=min(255, (size // 2 - 40) // 24),
        directory=2,
        header=3,
        rowid=6,
        assm=assm,
        itl_full_demotes=mended,
    )
    twins = Twins(rules, partial(high_water_steps, size, assm, None), users, compiled)
    twins.load(rows, length, direct=False)
    homes = [block for block in range(twins.fast.blocks) if twins.fast.rows_of(block)]
    for rank, block in enumerate(homes):
        twins.over = False
        twins.do("update", rank % users, block, 0, twins.fast.rows_of(block), growth)


def test_the_layout_of_a_test_begins_with_the_first_l1_block() -> None:
    layout = [[(False, 2), (True, 1)], [(False, 3)]]
    assert list(islice(high_water(layout, assm=True), 3)) == [[(0, 2), (1, 1)], [(1, 3)], [(1, 2), (2, 1)]]
    assert list(islice(high_water(layout, assm=False), 2)) == [[(0, 3)], [(0, 3)]]
