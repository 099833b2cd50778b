"""The laws of free space: against a literal count, a literal block, and arrays."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.laws import assm
from blocktime.model.laws.assm import FREE_75_100, FULL

BLOCKS = st.sampled_from([2048, 4096, 8192, 16384, 32768])


def counted_rejections(pieces: int, per_block: int) -> int:
    """Every piece probes every block that is full already."""
    rejected = 0
    blocks: list[int] = []
    for _ in range(pieces):
        for held in blocks:
            if held < per_block:
                break
            rejected += 1
        if not blocks or blocks[-1] == per_block:
            blocks.append(0)
        blocks[-1] += 1
    return rejected


@given(st.integers(0, 400), st.integers(1, 60))
def test_rejections_are_those_counted_one_by_one(pieces: int, per_block: int) -> None:
    assert assm.itl_rejections(pieces, per_block) == counted_rejections(pieces, per_block)


@given(st.integers(0, 10_000), st.integers(0, 300))
def test_each_block_filled_is_rejected_once_for_space(pieces: int, per_block: int) -> None:
    filled = assm.targets_filled(pieces, per_block)
    assert filled == len(range(0, pieces, max(1, per_block)))
    assert assm.space_rejections(pieces, per_block) == max(0, filled - 1)


def test_rejections_of_document_002() -> None:
    """The sum of the brief: about 49.5 million for 158,900 pieces at 255 a block."""
    assert assm.itl_rejections(158_900, 255) == pytest.approx(158_900**2 / 510, rel=2e-3)


@given(st.integers(0, 32_768), st.integers(0, 20_000), BLOCKS)
def test_classes_are_quarters_above_the_reserve(free: int, reserve: int, block: int) -> None:
    found = assm.freeness(free, reserve, block)
    assert (found == FULL) == (free <= reserve)
    if found != FULL:
        assert (found - 1) * block <= 4 * free
        assert 4 * free < found * block or found == FREE_75_100
        assert assm.freeness(free + 1, reserve, block) >= found


@given(
    data=st.integers(100, 9000),
    reserve=st.integers(0, 3000),
    slot=st.integers(3, 600),
    entry=st.integers(1, 40),
    free_entries=st.integers(0, 6),
    most_new=st.integers(0, 300),
    empty=st.booleans(),
)
def test_a_block_admits_as_many_pieces_as_go_in_one_by_one(
    *, data: int, reserve: int, slot: int, entry: int, free_entries: int, most_new: int, empty: bool
) -> None:
    free, unused, may_make = data, free_entries, most_new
    placed = 0
    why = ""
    while True:
        needed = 0 if unused else (entry if may_make else None)
        why = assm.verdict(slot, free=free, pending=0, reserve=reserve, empty=empty and not placed, entry=needed)
        if why != "accepted" or needed is None:
            break
        free -= slot + needed
        if unused:
            unused -= 1
        else:
            may_make -= 1
        placed += 1
    by_space, by_itl = assm.pieces_admitted(
        slot,
        room=data,
        reserve=reserve,
        empty=empty,
        free_entries=free_entries,
        most_new_entries=most_new,
        itl_entry=entry,
    )
    assert min(by_space, by_itl) == placed
    if why == "space" and by_itl > by_space:
        assert by_space == placed


@given(
    wanted=st.integers(1, 500),
    free=st.integers(0, 900),
    held=st.integers(0, 900),
    reserve=st.integers(0, 300),
    empty=st.booleans(),
    entry=st.none() | st.sampled_from([0, 24]),
)
def test_a_verdict_blames_what_would_help(
    wanted: int, free: int, held: int, reserve: int, empty: bool, entry: int | None
) -> None:
    def said(held: int, entry: int | None) -> str:
        return assm.verdict(wanted, free=free, pending=held, reserve=reserve, empty=empty, entry=entry)

    why = said(held, entry)
    if why == "itl":
        assert entry is None
    elif why == "held":
        assert said(0, entry) == "accepted"
    elif why == "space":
        assert said(0, entry) == "space"
    else:
        assert wanted <= free


def test_a_migrated_piece_always_needs_an_entry() -> None:
    needed = {(migrated, own): assm.needs_entry(migrated, own) for migrated, own in product([True, False], repeat=2)}
    assert needed == {(True, True): True, (True, False): True, (False, True): False, (False, False): True}


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 400)), min_size=1, max_size=6))
def test_arrays_say_what_numbers_say(cases: list[tuple[int, int]]) -> None:
    first = np.array([one for one, _ in cases], dtype=float)
    second = np.array([two for _, two in cases], dtype=float)
    for law in (assm.targets_filled, assm.itl_rejections, assm.space_rejections):
        assert law(first, second).tolist() == [law(one, two) for one, two in cases]
    assert assm.freeness(first, second, 8192).tolist() == [assm.freeness(a, b, 8192) for a, b in cases]
    settings_ = {"reserve": 100, "free_entries": 2, "most_new_entries": 20, "itl_entry": 24}
    for empty in (0, 1):
        space, itl = assm.pieces_admitted(second, room=first, empty=np.full(len(cases), empty), **settings_)
        alone = [assm.pieces_admitted(two, room=one, empty=empty, **settings_) for one, two in cases]
        assert (space + 0 * first).tolist() == [float(one) for one, _ in alone]
        assert (itl + 0 * first).tolist() == [two for _, two in alone]
