"""What a workload does to the rows and blocks of its table: played for one scenario, by law for arrays of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, cast

from blocktime.model.budget import is_too_long
from blocktime.model.demand.segment import FreshBlock, RowShape, Segment, fresh_block, growth_of, row_shape, segment_of
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import assm, block, growth
from blocktime.model.laws.numeric import Number, ceiling, floor_div, larger, smaller, some, where
from blocktime.model.machine.segment.heap_rules import UNIT, HeapOutcome
from blocktime.model.provenance import Frozen
from blocktime.model.spec import Dml, Insert, System, Table, release_tuple
from blocktime.model.units import show_number

MENDED_IN = (11, 2)
ROW_STEP_S: Final = 1.3e-6
"""Of a row that is played through its block, on a processor of the 2020s."""
ROW_BYTES: Final = 20
ORDERED_ROW_BYTES: Final = 85
"""Of a row that is changed in any order."""
MOST_STEPS: Final = 25_000_000
MOST_ROWS: Final = 50_000_000
FIRST_STEPS: Final = 100_000
"""Steps that are played of rows that are too many."""
LEAST_FIRST_ROWS: Final = 500
MOST_OFF: Final = 0.01
"""Share of a count by which the law may be off it."""
COUNTED: Final = {
    "migrated": "rows that migrate",
    "moved_again": "rows that move again",
    "chained": "chained rows",
    "searches": "searches for space",
    "rejected_itl": "probes rejected for a full ITL",
    "rejected_space": "probes rejected for space",
    "rejected_held": "probes of blocks that others hold",
}
"""Counts of the law that are held to what is played, and what they are."""


@dataclass(slots=True)
class Change:
    """Rows changed, rows moved, probes, and the segment's blocks; numbers or arrays."""

    rows: Number
    segment: Segment
    """The table before."""
    segment_after: Segment
    columns_after_bytes: Number
    """Bytes of the columns of a mean row afterwards, length bytes included."""
    in_place: Number = 0
    migrated: Number = 0
    moved_again: Number = 0
    chained: Number = 0
    chain_pieces: Number = 0
    searches: Number = 0
    placed: Number = 0
    """Row pieces that a probe found room for."""
    rejected_itl: Number = 0
    rejected_space: Number = 0
    rejected_held: Number = 0
    commits: Number = 0
    growth_bytes: Number = 0
    itl_full_blocks: Number = 0
    pctfree_needed: Number = 0
    outcome: HeapOutcome | None = None
    played_fraction: float | None = None
    """Share of rows that are too many which was played, to hold the law to."""

    @property
    def moves(self) -> Number:
        """Row pieces that went to another block."""
        return self.migrated + self.moved_again + self.chain_pieces

    @property
    def search_gets(self) -> Number:
        """Gets of all searches: the bitmap block, or the header with its free lists, and each rejected block.

        NOTE: the CPU of the former is part of what a migrated or inserted row costs, which was fitted with it.
        """
        return self.searches + self.rejected

    @property
    def rejected(self) -> Number:
        """Rejected probes of all causes."""
        return self.rejected_itl + self.rejected_space + self.rejected_held


def change_of(system: System, work: Dml) -> Change:
    """What *work* does to the table of *system*; raises :class:`OutsideLaw` where rows shrink or fit nowhere."""
    row = row_shape(system.table)
    grows, columns_after = growth_of(system.table, work, row)
    if some(grows < 0):
        raise OutsideLaw(
            f"workload.sets makes rows {show_number(-grows, 4)} bytes shorter; allowed are updates that keep or "
            "lengthen them"
        )
    segment = segment_of(system, row)
    inputs: tuple[object, ...] = (system.table, system.tablespace, work)
    is_single = all(isinstance(section, Frozen) for section in inputs)
    if is_single and are_rows_many(system, work):
        return _extended(system, work)
    if is_single:
        return _played(system, work)
    return _by_law(system, work, row, segment, (grows, columns_after))


def rows_cost(system: System, work: Dml) -> tuple[float, float, float]:
    """Seconds of a processor, bytes and steps that playing all rows takes, which is done first."""
    steps, _ = steps_and_turns(system, work)
    rows = system.table.rows + work.added_rows
    return ROW_STEP_S * steps, (ROW_BYTES + ORDERED_ROW_BYTES * work.at_random) * rows, steps


def meets_others(work: Dml) -> bool:
    """Whether several sessions change rows of one segment, where they meet; direct path loads do not."""
    return work.users > 1 and not work.by_direct_path


def are_rows_many(system: System, work: Dml) -> bool:
    """Whether playing all rows takes more than is allowed, and the law of alike rows goes on from the first ones."""
    if meets_others(work):
        return False
    seconds, size_bytes, steps = rows_cost(system, work)
    rows = system.table.rows + work.added_rows
    is_many = steps > MOST_STEPS or rows > MOST_ROWS or is_too_long(seconds, size_bytes)
    return is_many and rows * FIRST_STEPS / steps > LEAST_FIRST_ROWS


def _extended(system: System, work: Dml) -> Change:
    """The law's answer for rows that are too many to be played, held to what the first of them do.

    Raises :class:`OutsideLaw` where a count of the first rows is off by more than a hundredth and a block's rows.
    """
    table = system.table
    *_, steps = rows_cost(system, work)
    share = min(1.0, FIRST_STEPS / steps)
    first_table = {"rows": max(1, round(share * table.rows))}
    if table.blocks is not None:
        first_table["blocks"] = max(1, round(share * table.blocks))
    first = system.model_copy(update={"table": table.model_copy(update=first_table)})
    first_work = work.model_copy(update={"rows": max(1, round(share * work.added_rows))}) if work.inserts else work
    played, law = _played(first, first_work), _law_of(first, first_work)
    edge = float(segment_of(first, row_shape(table)).rows_per_block)
    for name, what in COUNTED.items():
        made, expected = float(getattr(played, name)), float(getattr(law, name))
        if abs(made - expected) > MOST_OFF * made + edge:
            raise OutsideLaw(
                f"{table.rows + work.added_rows:,} rows are too many to simulate, and no law tells how the {what} go "
                f"on: the first {played.rows:,.0f} have {made:,.0f}, by law {expected:,.0f}: take fewer rows"
            )
    return replace(_law_of(system, work), played_fraction=share)


def _law_of(system: System, work: Dml) -> Change:
    row = row_shape(system.table)
    return _by_law(system, work, row, segment_of(system, row), growth_of(system.table, work, row))


def steps_and_turns(system: System, work: Dml) -> tuple[float, float]:
    """Steps that :func:`change_of` takes, each as long as a row that grows, and turns in which sessions change rows."""
    from blocktime.model.demand.heap_run import heap_rules, steps, turns

    segment = heap_rules(system.tablespace, system.table, is_mended(system)), system.table, work
    lengths = lengths_of(system, work)
    return steps(*segment, lengths), turns(*segment, lengths)


def lengths_of(system: System, work: Dml) -> tuple[int, int, int | None]:
    """A row piece and its growth in thousandths of a byte, and the most rows that a block takes at the load."""
    row = row_shape(system.table)
    grows, _ = growth_of(system.table, work, row)
    fit = float(segment_of(system, row).rows_per_block)
    return round(float(row.piece_bytes) * UNIT), round(float(grows) * UNIT), _most_rows(system.table, fit)


def _most_rows(table: Table, fit: float) -> int | None:
    """Rows a block takes where that is not decided by equal rows: the blocks are given, or the rows vary."""
    if table.blocks is not None:
        return -(-table.rows // table.blocks)
    return max(1, int(fit)) if table.row_bytes_sd > 0 else None


def is_mended(system: System) -> bool:
    """Whether the release has the mending of bug 6918210."""
    return release_tuple(system.instance.release) >= MENDED_IN


def _pctfree_needed(system: System, row: RowShape, grows: Number, share: Number) -> Number:
    fresh = fresh_block(system)
    wider = growth.padded_growth(row.piece_bytes, grows)
    return growth.pctfree_for(wider, row.piece_bytes, fresh.data, fresh.size, share)


def _played(system: System, work: Dml) -> Change:
    from blocktime.model.demand.heap_run import play

    lengths = lengths_of(system, work)
    return change_played(system, work, play(system.tablespace, system.table, is_mended(system), work, lengths))


def change_played(system: System, work: Dml, heap_outcome: HeapOutcome) -> Change:
    """What *work* has done to the table of *system*, whose rows were played."""
    row = row_shape(system.table)
    grows, columns_after = growth_of(system.table, work, row)
    repeats, counts = work.passes, heap_outcome.counts
    before = segment_of(system, row, blocks=heap_outcome.before.blocks)
    return Change(
        rows=heap_outcome.rows,
        in_place=counts.in_place,
        migrated=counts.migrated,
        moved_again=counts.moved_again,
        chained=counts.chained,
        chain_pieces=counts.chain_pieces,
        searches=counts.searches,
        placed=counts.accepted,
        rejected_itl=counts.rejected_itl,
        rejected_space=counts.rejected_space,
        rejected_held=counts.rejected_held,
        commits=heap_outcome.commits,
        growth_bytes=grows * repeats,
        columns_after_bytes=row.columns_bytes + (columns_after - row.columns_bytes) * repeats * work.rows_fraction,
        segment=before,
        segment_after=segment_of(system, row, blocks=heap_outcome.after.blocks),
        itl_full_blocks=heap_outcome.itl_full_blocks,
        pctfree_needed=_pctfree_needed(system, row, grows * repeats, work.rows_fraction),
        outcome=heap_outcome,
    )


def _by_law(system: System, work: Dml, row: RowShape, segment: Segment, grown: tuple[Number, Number]) -> Change:
    """In closed form: exact for one transaction over equal short rows, else good to some percent; 12 with few commits.

    Rows of the last block, and space that leaving rows give back, are taken as those of the mean block; repeated
    growth as one, and several sessions as one.
    """
    if work.inserts:
        return _insert_by_law(system, cast("Insert", work), row, segment)
    grows, columns_after = grown
    table, fresh = system.table, fresh_block(system)
    size, data, reserve, entries = fresh.size, fresh.data, fresh.reserve, fresh.entries
    repeats = work.passes
    fit, share = segment.rows_per_block, work.rows_fraction
    rows = table.rows * share * repeats
    migrated = _rows_migrated(system, row, fit, share, grows * repeats)
    moved = block.slot_bytes(growth.moved_bytes(row.piece_bytes + grows * repeats))
    commits = where(work.commit_every_rows > 0, rows // larger(1, work.commit_every_rows), 0)
    at_once = migrated / larger(1, commits)
    by_space, by_itl, bound, made, per_block = _capacity_of(fresh, moved, at_once, commits)
    long = moved > data - entries * block.ITL_ENTRY_BYTES  # chained: whole blocks, found without a search of others
    pieces = where(long, ceiling(moved / data), 1)
    targets = where(long, migrated * pieces, assm.targets_filled(migrated, per_block))
    rest = data - by_space * moved - larger(0, by_space - entries) * block.ITL_ENTRY_BYTES
    unseen = assm.freeness(rest, reserve, size) < assm.freeness(moved + reserve, reserve, size)
    new = at_once * where(commits > 0, made / per_block, 1)
    itl = where(
        bound & (fresh.assm > 0) & (not is_mended(system)),
        assm.itl_rejections(at_once, larger(1, by_itl))
        + larger(0, commits - 1) * assm.itl_rejections(new, larger(1, by_itl)),
        where(bound, assm.space_rejections(migrated, per_block), 0),
    )
    itl = where(long, 0, itl)
    full = floor_div(table.rows, fit)
    homes = full + (table.rows - full * fit > 0)
    ahead = where((targets > 0) | (table.created_by == "insert"), 1, 0)
    after = segment_of(system, row, blocks=homes + targets, ahead=ahead)
    return Change(
        rows=rows,
        in_place=0 * rows if work.deletes else rows - migrated,
        migrated=migrated,
        chained=where(long, migrated, 0),
        chain_pieces=migrated * (pieces - 1),
        searches=migrated * pieces,
        placed=migrated * pieces,
        rejected_itl=itl,
        rejected_space=where(bound | long | unseen, 0, assm.space_rejections(migrated, per_block)),
        commits=commits,
        growth_bytes=grows * repeats,
        columns_after_bytes=row.columns_bytes + (columns_after - row.columns_bytes) * repeats * share,
        segment=segment,
        segment_after=after,
        itl_full_blocks=where(bound & (commits == 0), migrated // per_block, 0),
        pctfree_needed=_pctfree_needed(system, row, grows * repeats, work.rows_fraction),
    )


def _rows_migrated(system: System, row: RowShape, fit: Number, share: Number, growth_bytes: Number) -> Number:
    """Rows that leave their block when a *share* of them grows, of *fit* a block; the last block is filled in part."""
    table, fresh = system.table, fresh_block(system)
    slot = block.slot_bytes(row.piece_bytes)
    wider = growth.padded_growth(row.piece_bytes, growth_bytes)
    freed = growth.piece_bytes(row.piece_bytes) - growth.STUB_BYTES
    full = floor_div(table.rows, fit)
    last = table.rows - full * fit
    migrated = full * growth.rows_that_migrate(fit * share, fresh.data - fit * slot, wider, freed)
    room = fresh.data - last * slot
    # pieces that moved before have filled the last block
    room = where(migrated > 0, smaller(room, fresh.reserve), room)
    migrated = migrated + growth.rows_that_migrate(last * share, room, wider, freed)
    return smaller(table.rows * share, migrated)


def _capacity_of(
    fresh: FreshBlock, moved: Number, at_once: Number, commits: Number
) -> tuple[Number, Number, Number, Number, Number]:
    """Pieces of *moved* bytes in a block: by space, by its ITL list, whether that binds, at once, and in all."""
    data, reserve, entries = fresh.data, fresh.reserve, fresh.entries
    by_space, by_itl = assm.pieces_admitted(
        moved,
        room=data,
        reserve=reserve,
        empty=1,
        free_entries=entries,
        most_new_entries=block.itl_limit(fresh.size) - entries,
        itl_entry=block.ITL_ENTRY_BYTES,
    )
    # the ITL list binds also where it and the space end together, as long as the block is still on offer afterwards
    left = data - by_itl * moved - (by_itl - entries) * block.ITL_ENTRY_BYTES
    bound = (by_itl < by_space) | ((by_itl == by_space) & (left > reserve))
    # entries a block gets in one transaction, free again for the pieces of the next
    made = smaller(by_itl, smaller(by_space, larger(1, at_once)))
    reused = floor_div(data - reserve - larger(0, made - entries) * block.ITL_ENTRY_BYTES, moved)
    per_block = larger(1, where(commits > 0, larger(made, reused), smaller(by_space, by_itl)))
    return by_space, by_itl, bound, made, per_block


def _insert_by_law(system: System, work: Insert, row: RowShape, segment: Segment) -> Change:
    fit = segment.rows_per_block
    filled = ceiling(work.rows / fit)
    searching = 0 if work.by_direct_path else 1
    on_offer = _blocks_on_offer(system, work, row, fit) * searching
    # every statement searches, and so does an array in each block that rejects one of its rows
    arrays = ceiling(work.rows / work.arraysize_rows)
    searches = work.rows if work.method == "row" else smaller(work.rows, arrays + filled)
    commits = where(work.commit_every_rows > 0, work.rows // larger(1, work.commit_every_rows), 0)
    return Change(
        rows=work.rows,
        searches=searches * searching,
        placed=work.rows * searching,
        rejected_space=filled * searching,
        rejected_held=searches * on_offer,
        commits=commits,
        columns_after_bytes=row.columns_bytes,
        segment=segment,
        segment_after=segment_of(
            system, row, blocks=ceiling(system.table.rows / fit) + filled, ahead=not work.by_direct_path
        ),
    )


def _blocks_on_offer(system: System, work: Dml, row: RowShape, fit: Number) -> Number:
    """Blocks that an uncommitted delete has put into a class that a search for one of the rows looks at."""
    fresh = fresh_block(system)
    size, reserve = fresh.size, fresh.reserve
    slot = block.slot_bytes(row.piece_bytes)
    share = work.uncommitted_delete_fraction
    loaded = fresh.data - fit * slot
    now = assm.freeness(loaded + fit * slot * share, reserve, size)
    seen = now > assm.freeness(loaded, reserve, size)  # the bitmap notes a block that rises into another class
    seen = seen & (now >= assm.freeness(slot + reserve, reserve, size))
    return where(seen & (share > 0), ceiling(system.table.rows / fit), 0) * fresh.assm
