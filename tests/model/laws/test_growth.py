"""The laws of rows that grow: against rows that grow one by one in a literal block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.laws import block, growth
from blocktime.model.machine.segment.extent_map import high_water_steps
from blocktime.model.machine.segment.heap import Heap
from blocktime.model.machine.segment.heap_rules import HeapRules
from tests.oracles.heap_literal import LiteralHeap

SIZES = [2048, 4096, 8192, 16384, 32768]


def rules_of(size: int, pctfree: int, itl: int, assm: bool) -> HeapRules:
    return HeapRules(
        block=size,
        data=int(size - block.overhead_bytes(0, assm)),
        reserve=-(-size * pctfree // 100),  # a part of a byte keeps a whole one from rows
        used_low=0,
        itl_entry=24,
        itl_initial=itl,
        itl_limit=int(block.itl_limit(size)),
        directory=2,
        header=3,
        rowid=6,
        assm=assm,
        itl_full_demotes=False,
    )


def migrated_of_a_full_block(size: int, pctfree: int, itl: int, assm: bool, row: int, grows: int) -> int:
    """Load blocks at PCTFREE and let every row of the first, a full one, grow."""
    heap = Heap(rules_of(size, pctfree, itl, assm), high_water_steps(size, assm, None))
    fit = 1 + (size // 11)
    heap.load(fit, row, True)
    assert heap.rows_of(0) < fit  # a second block follows: the first is full
    heap.update(0, 0, 0, heap.rows_of(0), grows)
    return heap.counts.migrated


rows_and_growth = st.tuples(st.integers(3, 40) | st.integers(3, 900), st.integers(0, 60) | st.integers(0, 900))


@settings(max_examples=500)
@given(size=st.sampled_from(SIZES), both=rows_and_growth, itl=st.integers(2, 20), assm=st.booleans())
def test_the_pctfree_needed_is_the_smallest_that_keeps_every_row(
    size: int, both: tuple[int, int], itl: int, assm: bool
) -> None:
    row, grows = both
    data = size - block.overhead_bytes(itl, assm)
    needed = growth.pctfree_for(growth.padded_growth(row, grows), row, data, size)
    assert needed == int(needed)
    if needed < 100:
        assert migrated_of_a_full_block(size, int(needed), itl, assm, row, grows) == 0
    else:
        assert migrated_of_a_full_block(size, 99, itl, assm, row, grows) > 0
    if needed > 0:
        assert migrated_of_a_full_block(size, int(needed) - 1, itl, assm, row, grows) > 0


@settings(max_examples=200)
@given(
    size=st.sampled_from([2048, 4096, 8192]),
    pctfree=st.integers(0, 40),
    row=st.integers(3, 200),
    grows=st.integers(1, 60),
    part=st.floats(0, 1),
)
def test_rows_that_migrate_are_counted_to_one(size: int, pctfree: int, row: int, grows: int, part: float) -> None:
    """Where rows give back more than they want, or nothing; the order inside the block moves one row at most."""
    heap = LiteralHeap(rules_of(size, pctfree, 2, True), high_water_steps(size, True, None))
    heap.load_direct(1 + size // 11, row)
    rows = len(heap.blocks[0].rows)
    chosen = max(1, int(part * rows))
    free = heap.blocks[0].free
    heap.update(0, 0, 0, chosen, grows)
    freed = growth.piece_bytes(row) - growth.STUB_BYTES
    law = growth.rows_that_migrate(chosen, free, growth.padded_growth(row, grows), freed)
    assert abs(heap.counts.migrated - law) <= 1
    if not freed:
        assert heap.counts.migrated == law


@given(row=st.integers(4, 20_000), largest=st.integers(40, 2000), header=st.integers(1, 4), rowid=st.integers(1, 7))
def test_a_chain_holds_the_row_and_no_piece_is_too_long(row: int, largest: int, header: int, rowid: int) -> None:
    bodies, tail = growth.chain_of(row, largest, header, rowid)
    assert header < tail <= largest
    if row + rowid <= largest:
        assert (bodies, tail) == (0, row + rowid)
        return
    assert bodies >= 1
    carried = bodies * (largest - header - 2 * rowid) + tail - header - rowid
    assert carried == row - header


@given(st.integers(1, 300), st.integers(0, 300))
def test_a_row_never_takes_less_than_its_stub(row: int, grows: int) -> None:
    assert growth.piece_bytes(row) == max(9, row)
    assert growth.moved_bytes(row) == max(9, row + 6)
    assert 0 <= growth.padded_growth(row, grows) <= grows
    if row >= growth.STUB_BYTES:
        assert growth.padded_growth(row, grows) == grows


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(3, 500), st.integers(0, 300), st.integers(300, 9000)), min_size=1, max_size=6))
def test_growth_of_arrays_is_that_of_numbers(cases: list[tuple[int, int, int]]) -> None:
    rows, grows, data = (np.array(column, dtype=float) for column in zip(*cases, strict=True))
    assert growth.piece_bytes(rows).tolist() == [growth.piece_bytes(row) for row, _, _ in cases]
    assert growth.moved_bytes(rows).tolist() == [growth.moved_bytes(row) for row, _, _ in cases]
    padded = [growth.padded_growth(row, grow) for row, grow, _ in cases]
    assert growth.padded_growth(rows, grows).tolist() == padded
    leaving = [growth.rows_that_migrate(row, free, grow, 3) for row, grow, free in cases]
    assert growth.rows_that_migrate(rows, data, grows, 3).tolist() == leaving
    needed = [growth.pctfree_for(grow, row, free, 16_384) for row, grow, free in cases]
    assert growth.pctfree_for(grows, rows, data, 16_384).tolist() == needed


def test_the_tables_of_document_002_need_thirty_five_percent() -> None:
    """Rows of 8.9899 bytes that grow to 14.9798: 35 was enough at each block size of the document."""
    row, grows = 8.9899, 5.9899
    for size in (4096, 8192, 16384):
        data = size - block.overhead_bytes(2, True)
        needed = growth.pctfree_for(growth.padded_growth(row, grows), row, data, size)
        assert needed == pytest.approx(35, abs=1)
        assert needed <= 35
