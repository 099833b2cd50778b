"""Undo and redo of changes; and what the closed form says of one transaction against the segment that is played."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.model.demand import Change, demand_of
from blocktime.model.laws import assm, block, change, growth
from blocktime.model.spec import Instance, System, Table, Tablespace, Update

SIZES = [2048, 4096, 8192, 16384, 32768]
ROW, STORED = 9, 11


def by_law(system: System, work: Update) -> Change:
    """The change in closed form, as for arrays of scenarios."""
    from blocktime.model.demand.of_many import Overlay

    one = {"pctfree_percent": np.array([system.table.pctfree_percent])}
    view = Overlay(system, {"table": Overlay(system.table, one)})
    found = demand_of(view, Overlay(work, {})).change
    assert found is not None
    return found


def played(system: System, work: Update) -> Change:
    found = demand_of(system, work).change
    assert found is not None
    return found


def number(value: object) -> float:
    return float(np.ravel(np.asarray(value))[0])


def a_full_table(size: int, pctfree: int, blocks: int, assm_: bool, release: str) -> System:
    """Rows of 9 bytes, whole blocks of them: what leaves frees nothing, and every block is full."""
    usable = block.usable_bytes(size, 2, assm_, pctfree)
    fit = max(1, int(usable // STORED))
    return System(
        tablespace=Tablespace(block_size_bytes=size, space_management="assm" if assm_ else "manual"),
        table=Table(rows=fit * blocks, row_bytes=ROW, column_count=2, pctfree_percent=pctfree, cached_fraction=1.0),
        instance=Instance(release=release),
    )


@settings(max_examples=120)
@given(
    size=st.sampled_from(SIZES),
    pctfree=st.sampled_from([0, 1, 2, 5, 10, 15, 20, 30]),
    blocks=st.integers(1, 30),
    grows=st.integers(1, 40),
    assm_=st.booleans(),
    release=st.sampled_from(["10.2.0.4", "11.2.0.1"]),
)
def test_the_closed_form_is_the_played_one_for_full_blocks(
    size: int, pctfree: int, blocks: int, grows: int, assm_: bool, release: str
) -> None:
    """Exact in rows; in blocks within one move of the mark and in rejections within one block's worth."""
    system = a_full_table(size, pctfree, blocks, assm_, release)
    work = Update(growth_bytes=grows)
    law, real = by_law(system, work), played(system, work)
    assert number(law.rows) == real.rows
    assert number(law.migrated) == real.migrated
    assert number(law.in_place) == real.in_place
    assert number(law.pctfree_needed) == real.pctfree_needed
    rejected = abs(number(law.rejected_itl) - real.rejected_itl)
    allowed = 2 * max(real.migrated, blocks) if real.rejected_itl else 0
    assert rejected <= allowed + 1
    step = 5 if not assm_ else max(1, 2**20 // size)
    assert abs(number(law.segment_after.blocks) - real.segment_after.blocks) <= step


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 500), st.floats(0, 500))
def test_more_changes_write_more(rows: int, migrated: int, old: float, new: float) -> None:
    changes = change.changes_of_rows(rows, migrated)
    assert changes == rows + 2 * migrated
    undo = change.undo_bytes(changes, old)
    redo = change.redo_bytes(changes, undo, new)
    assert 0 <= undo <= redo
    assert redo - undo == pytest.approx(changes * (change.REDO_CHANGE_BYTES + new))
    assert change.undo_bytes(changes + 1, old) > undo


def test_changes_of_arrays() -> None:
    rows, migrated = np.array([1.0, 5.0]), np.array([0.0, 2.0])
    changes = change.changes_of_rows(rows, migrated)
    assert changes.tolist() == [1, 9]
    undo = change.undo_bytes(changes, 3)
    assert undo.tolist() == [change.undo_bytes(1, 3), change.undo_bytes(9, 3)]
    assert change.redo_bytes(changes, undo, 4).tolist() == [
        change.redo_bytes(1, change.undo_bytes(1, 3), 4),
        change.redo_bytes(9, change.undo_bytes(9, 3), 4),
    ]


@pytest.mark.parametrize("size", SIZES)
def test_a_block_takes_as_many_moved_rows_of_002_as_space_and_itl_allow(size: int) -> None:
    """41 of its ITL at 2K; 76, 155 by space at 4K and 8K; 255 by its ITL from 16K up."""
    data = int(size - block.overhead_bytes(2, True))
    slot = block.slot_bytes(growth.moved_bytes(14.98))
    by_space, by_itl = assm.pieces_admitted(
        slot,
        room=data,
        reserve=block.reserve_bytes(size, 10),
        empty=1,
        free_entries=2,
        most_new_entries=block.itl_limit(size) - 2,
        itl_entry=24,
    )
    assert by_itl == {2048: 41, 4096: 83, 8192: 169, 16384: 255, 32768: 255}[size]
    assert (by_itl < by_space) == (size >= 16384)
