"""Space that open transactions hold: a search passes it without looking at every block, and counts it all the same."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from blocktime.model.machine.segment.extent_map import high_water_steps
from blocktime.model.machine.segment.heap import Heap
from blocktime.model.machine.segment.heap_rules import HeapRules
from tests.oracles.heap_literal import LiteralHeap

BLOCKS, STAY = 150, 50


def segment(heap: type[Any], itl_limit: int, sessions: int, fit: int, length: int) -> Any:
    """A segment of blocks of 2K with *fit* rows in each."""
    rules = HeapRules(
        block=2048, data=1974, reserve=200, used_low=800, itl_entry=24, itl_initial=2, itl_limit=itl_limit, directory=2,
        header=3, rowid=6, assm=True, itl_full_demotes=False,
    )  # fmt: skip
    made = heap(rules, high_water_steps(2048, True, None), sessions)
    if heap is Heap:
        made.load(fit * BLOCKS, length, direct=False)
        assert made.rows_of(0) == fit
        made.reconnect()
    else:
        made.insert(0, fit * BLOCKS, length)
        made.commit(0)
        made._current = [None] * sessions
        made._hint = [None] * sessions
    return made


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What the blocks say that a search looks at."""
    found, probe = Counter[str](), Heap._probe

    def counted(heap: Heap, session: int, block: int, slot: int, migrated: bool) -> str:
        why = probe(heap, session, block, slot, migrated)
        found[why] += 1
        return why

    monkeypatch.setattr(Heap, "_probe", counted)
    return found


def test_a_search_looks_once_at_a_block_that_rejects_for_held_space(looked: Counter[str]) -> None:
    """Whoever holds something elsewhere, and whatever the length of the pieces: whole blocks, and tails."""
    fast, literal = (segment(one, 41, 2, 1, 1000) for one in (Heap, LiteralHeap))
    for heap in (fast, literal):
        for block in range(STAY, BLOCKS):
            heap.delete(0, block, 0, 1)
        for block in range(STAY):
            heap.update(1, block, 0, 1, 20_000)
    assert fast.counts == literal.counts
    assert list(fast.free()) == [block.free for block in literal.blocks]
    assert fast.counts.rejected_held > STAY * fast.counts.searches
    assert looked["held"] <= 2 * BLOCKS


def test_full_itl_lists_and_held_space_are_counted_side_by_side(looked: Counter[str]) -> None:
    fast, literal = (segment(one, 3, 3, 11, 150) for one in (Heap, LiteralHeap))
    for heap in (fast, literal):
        for block in range(STAY, BLOCKS):
            heap.delete(0, block, 0, 11)
        for block in range(STAY):
            heap.update(1 + block % 2, block, 0, 11, 100)
    assert fast.counts == literal.counts
    assert fast.counts.rejected_held > BLOCKS
    assert fast.counts.rejected_itl > 0
    assert looked["held"] + looked["itl"] < fast.counts.rejected / 5


def test_rows_that_do_not_grow_are_counted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    heap = segment(Heap, 41, 1, 11, 150)
    heap.delete(0, 0, 0, 3)
    monkeypatch.setattr(Heap, "update", None)  # nothing goes row by row
    homes, numbers = np.divmod(np.arange(11 * BLOCKS)[::-1], 11)
    heap.update_scattered(0, homes, numbers, 0)
    heap.update_scattered(0, np.zeros(0), np.zeros(0), 0)
    assert heap.counts.in_place == 11 * BLOCKS - 3
