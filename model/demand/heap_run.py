"""A workload that changes rows, played through a heap segment: what it counts, and what the blocks hold."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import zip_longest

import numpy as np

from blocktime.model.budget import watch_here
from blocktime.model.demand.row_changes import MOST_ROWS, MOST_STEPS
from blocktime.model.demand.row_turns import (
    ORDERED_BYTES,
    ORDERING_BYTES,
    Commits,
    Order,
    in_any_order,
    make,
    share_of_blocks,
    turns_of,
)
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, growth
from blocktime.model.laws.assm import CLASS_NAMES, CLASSES, freeness
from blocktime.model.loops import fastest
from blocktime.model.loops.arrays import row
from blocktime.model.machine.segment.extent_map import high_water_steps
from blocktime.model.machine.segment.heap import Heap
from blocktime.model.machine.segment.heap_rules import UNIT, BlockFill, HeapCounts, HeapOutcome, HeapRules, Snapshot
from blocktime.model.spec import Dml, Table, Tablespace
from blocktime.model.units import show_number

STEPS_PER_PASSING = 10
"""Of a turn that begins with a search among blocks whose space others hold."""
STEPS_PER_LOADED_ROW = 0.02
STEPS_PER_LOADED_BLOCK = 0.4
STEPS_PER_VISIT = 1
"""Of a block whose rows are changed together."""
STEPS_PER_TARGET = 1.5
"""Of a block that a search ends in, or whose rows grow."""
STEPS_PER_MOVE = 1
STEPS_PER_MOVE_TOGETHER = 0.1
STEPS_PER_SCATTERED_ROW = 0.7
STEPS_PER_TURN = 3
"""Of what goes row by row, or array by array, because sessions take turns or commit."""
ASSUMED_PCTUSED = 40
NO_ROWS = np.zeros(0, np.int64)
SAMPLE = 7
MAP_CELLS = 480
ITL_FULL_CELL = 5
LOADED_BYTES = 64
"""Of a block that is loaded: how many rows it has, and which of them are changed."""
SNAPSHOT_BYTES = 12
"""Of a block while the segment is shown."""


def heap_rules(space: Tablespace, table: Table, mended: bool) -> HeapRules:
    """Sizes and switches of the segment, in thousandths of a byte."""
    size = space.block_size_bytes
    assm = space.space_management == "assm"
    pctused = table.pctused_percent
    if pctused is None:
        pctused = min(ASSUMED_PCTUSED, 100 - table.pctfree_percent)
    return HeapRules(
        block=size * UNIT,
        data=int(size - block.overhead_bytes(0, assm)) * UNIT,
        reserve=round(block.reserve_bytes(size, table.pctfree_percent) * UNIT),
        used_low=round(size * pctused / 100 * UNIT),
        itl_entry=block.ITL_ENTRY_BYTES * UNIT,
        itl_initial=int(block.itl_entries(table.initrans, table.created_by == "ctas")),
        itl_limit=int(block.itl_limit(size)),
        directory=block.ROW_DIRECTORY_ENTRY_BYTES * UNIT,
        header=block.ROW_HEADER_BYTES * UNIT,
        rowid=growth.ROWID_BYTES * UNIT,
        assm=assm,
        itl_full_demotes=mended,
    )


def play(space: Tablespace, table: Table, mended: bool, work: Dml, lengths: tuple[int, int, int | None]) -> HeapOutcome:
    """Load the table, then let *work* change it.

    *lengths* are the row piece and its growth in thousandths of a byte, and the most rows a block takes at the load.
    Raises :class:`OutsideLaw` for a row that fits no block, or a segment too large to be played.
    """
    watch = watch_here()
    work_before = watch.work
    outcome, took, size_bytes = _played(space, table, mended, work, lengths)
    if watch.work == work_before:  # it was played before, and counts as much as then
        watch.hold(size_bytes)
        watch.hold(-size_bytes)
        watch.spend(took)
    return outcome


@lru_cache(maxsize=64)
def _played(
    space: Tablespace, table: Table, mended: bool, work: Dml, lengths: tuple[int, int, int | None]
) -> tuple[HeapOutcome, int, int]:
    """The outcome, the work that playing took, and the bytes that it held."""
    watch = watch_here()
    took, bytes_before = watch.work, watch.allocated_bytes
    _refuse(heap_rules(space, table, mended), table, work, lengths)
    loaded = LoadedHeap(space, table, mended, lengths, [work])
    heap = loaded.heap
    before = heap.counts
    commits = _work(loaded, work, lengths)
    counts = heap.rules.since(heap.counts, before)
    outcome = loaded.outcome(counts, work.changes_of_rows(table.rows), commits)
    size_bytes = watch.allocated_bytes - bytes_before
    watch.hold(-size_bytes)
    return outcome, watch.work - took, size_bytes


class LoadedHeap:
    """A loaded segment for the sessions of all *works*; of it, one more has deleted what they say, uncommitted.

    *lengths* as for :func:`play`. Raises :class:`OutsideLaw` for blocks that hold fewer rows than the table says.
    """

    def __init__(
        self, space: Tablespace, table: Table, mended: bool, lengths: tuple[int, int, int | None], works: list[Dml]
    ) -> None:
        sessions = sum(work.users for work in works)
        deleted_fraction = max(work.uncommitted_delete_fraction for work in works)
        length, _, most = lengths
        self.rules = rules = heap_rules(space, table, mended)
        whole = rules.empty // rules.slot(length)
        if most is not None and most > whole:
            raise OutsideLaw(
                f"table.blocks {table.blocks} would hold {most:,} rows each; a block of {rules.block // UNIT} holds "
                f"{whole:,} at most"
            )
        uniform = space.uniform_extent_bytes if space.extent_management == "uniform" else None
        steps = high_water_steps(space.block_size_bytes, rules.assm, uniform)
        watch = watch_here()
        self.heap = heap = fastest(Heap)(rules, steps, sessions + (deleted_fraction > 0), watch)
        added = sum(work.added_rows for work in works)
        heap.load(table.rows, length, table.created_by == "ctas", most, added)
        heap.reconnect()
        self.blocks = heap.blocks
        watch.hold(LOADED_BYTES * heap.blocks)
        self._rows = np.array(heap.loaded_rows())
        self._free = np.array(heap.free())
        self._orders: dict[tuple[float, bool], Order] = {}
        self._before = _snapshot(heap, [])
        self.deleted = share_of_blocks(self._rows, deleted_fraction)
        """Blocks, and how many rows of each are deleted and not committed."""
        heap.delete_first(sessions, *map(row, self.deleted))

    def order(self, work: Dml, *, at_random: bool) -> Order:
        """The blocks, or *at_random* the rows, that *work* changes in one pass, in order; none for inserts."""
        if work.inserts:
            return NO_ROWS, NO_ROWS
        wanted, watch = (work.rows_fraction, at_random), self.heap.watch
        if wanted not in self._orders:
            blocks = share_of_blocks(self._rows, work.rows_fraction)
            if at_random:
                rows = int(blocks[1].sum())
                watch.hold(ORDERING_BYTES * rows)
                blocks = in_any_order(blocks)
                watch.hold(-ORDERING_BYTES * rows)
            watch.hold(ORDERED_BYTES * len(blocks[0]))
            self._orders[wanted] = blocks
        return self._orders[wanted]

    def outcome(self, counts: HeapCounts, rows: int, commits: int) -> HeapOutcome:
        """What has become of the segment, with the counts of one workload."""
        heap, rules, loaded = self.heap, self.rules, self.blocks
        heap.watch.hold(SNAPSHOT_BYTES * heap.blocks)
        sample = _sample(loaded, heap.blocks)
        homes = [b for b in sample if b < loaded]
        first = {
            b: BlockFill(rules.itl_initial, int(self._rows[b]), 0, 0, float(self._free[b] / UNIT), 0.0) for b in homes
        }
        before = self._before
        return HeapOutcome(
            counts=counts,
            rows=rows,
            commits=commits,
            rows_per_block=int(self._rows[0]),
            itl_full_blocks=int(np.count_nonzero(np.asarray(heap.entries()) == rules.itl_limit)),
            before=Snapshot(before.blocks, first, before.classes, before.cells),
            after=_snapshot(heap, sample),
            rules=rules,
            without_entry=len(heap.without_entry),
        )


def _refuse(rules: HeapRules, table: Table, work: Dml, lengths: tuple[int, int, int | None]) -> None:
    length = lengths[0]
    if length > rules.largest_piece:
        raise OutsideLaw(
            f"table: a row of {show_number(length / UNIT, 10)} bytes fits no block of {rules.block // UNIT}; the "
            f"longest is {show_number(rules.largest_piece / UNIT, 10)}"
        )
    room = rules.empty - rules.reserve
    if rules.slot(length) > room:
        raise OutsideLaw(
            f"table.pctfree_percent {table.pctfree_percent:g} leaves {show_number(max(0, room) / UNIT, 10)} bytes of a "
            f"block of {rules.block // UNIT} for rows; a row takes {show_number(rules.slot(length) / UNIT, 10)}"
        )
    whose = "workload.rows" if work.added_rows > table.rows else "table.rows"
    rows = table.rows + work.added_rows
    if rows > MOST_ROWS:
        raise OutsideLaw(f"{whose}: simulating {rows:,} rows takes too much memory, the limit is {MOST_ROWS:,}")
    step_count = steps(rules, table, work, lengths)
    if step_count > MOST_STEPS:
        raise OutsideLaw(
            f"{whose}: simulating the rows one by one takes some {step_count:,.0f} steps, the limit is {MOST_STEPS:,}: "
            "take fewer rows. All times and counts scale with them, except the search for space"
        )


def steps(rules: HeapRules, table: Table, work: Dml, lengths: tuple[int, int, int | None]) -> float:
    """How long playing takes, in rows that grow in their block one by one."""
    length, _, most = lengths
    per_block = rules.rows_per_block(length)
    fit = min(per_block, per_block if most is None else most)
    homes = table.rows / fit
    steps = STEPS_PER_LOADED_ROW * table.rows + STEPS_PER_LOADED_BLOCK * homes
    changed = work.changes_of_rows(table.rows)
    taken = turns(rules, table, work, lengths) if work.users > 1 or work.commit_every_rows else 0.0
    if work.inserts:
        steps += STEPS_PER_LOADED_ROW * changed + STEPS_PER_TARGET * changed / per_block
        steps += (STEPS_PER_PASSING if work.uncommitted_delete_fraction else STEPS_PER_TURN) * taken
    else:
        steps += STEPS_PER_VISIT * work.passes * min(homes, changed / work.passes) + STEPS_PER_TURN * taken
        steps += _steps_of_growth(rules, work, homes * work.rows_fraction, fit, lengths)
    return steps


def turns(rules: HeapRules, table: Table, work: Dml, lengths: tuple[int, int, int | None]) -> float:
    """Turns of all sessions: arrays, single rows or blocks of rows, cut where they commit."""
    changed = work.changes_of_rows(table.rows)
    commits = changed / work.commit_every_rows if work.commit_every_rows else 0.0
    if work.inserts and work.users == 1:
        return 0.0
    each: float = work.rows_a_call if work.inserts else 1
    if not work.inserts and not work.at_random:
        fit = rules.rows_per_block(lengths[0])
        each = max(1, min(fit, fit if lengths[2] is None else lengths[2]) * work.rows_fraction)
    return changed / each + commits


def _steps_of_growth(
    rules: HeapRules, work: Dml, homes: float, fit: int, lengths: tuple[int, int, int | None]
) -> float:
    length, grows, _ = lengths
    by_row = work.at_random and (work.users > 1 or work.commit_every_rows > 0)
    if not grows:
        return 0.0
    wider = growth.padded_growth(length, grows * work.passes)
    leave = growth.rows_that_migrate(
        fit, rules.empty - fit * rules.slot(length), wider, rules.piece(length) - rules.stub
    )
    several = 2 if work.users > 1 else 1  # transactions are open: blocks reject for their ITL
    apart = several * by_row  # rows that lie scattered go one by one
    scattered = STEPS_PER_SCATTERED_ROW * (work.at_random or work.passes > 1)
    move = STEPS_PER_MOVE if by_row else STEPS_PER_MOVE_TOGETHER
    bodies, _ = growth.chain_of(length + grows, rules.largest_piece, rules.header, rules.rowid)
    each = STEPS_PER_TARGET + fit * (apart + scattered) + leave * (move + STEPS_PER_TARGET * bodies)
    return homes * work.passes * float(each)


def _work(loaded: LoadedHeap, work: Dml, lengths: tuple[int, int, int | None]) -> int:
    """Let the sessions take turns, a block or an array each; returns the commits."""
    heap, grows = loaded.heap, lengths[1]
    if work.by_direct_path:
        heap.append(work.added_rows, lengths[0])
        return 0
    if work.inserts and work.users == 1 and work.commit_every_rows:
        heap.insert_alone(0, work.added_rows, lengths[0], work.rows_a_call, work.commit_every_rows)
        return work.added_rows // work.commit_every_rows
    paces = [Commits(work.commit_every_rows) for _ in range(work.users)]
    for _ in range(work.passes):
        if work.at_random and work.users == 1 and not work.commit_every_rows:
            order = loaded.order(work, at_random=bool(grows))
            if grows:
                heap.update_scattered(0, row(order[0]), row(order[1]), grows)
            else:  # nothing moves, and the order decides nothing
                for home, rows in zip(*(column.tolist() for column in order), strict=True):
                    heap.update(0, home, 0, rows, 0)
            continue
        order = loaded.order(work, at_random=work.at_random)
        sessions = [turns_of(work, order, session, work.users == 1) for session in range(work.users)]
        for turns in zip_longest(*sessions):
            for session, turn in enumerate(turns):
                if turn is None:
                    continue
                for part in paces[session].parts(turn):
                    make(heap, session, work, part, lengths)
                    if paces[session].done(part):
                        heap.commit(session)
    return sum(pace.commits for pace in paces)


def _sample(loaded: int, blocks: int) -> list[int]:
    """Some of the loaded blocks, and some of those that came after."""
    homes = np.linspace(0, loaded - 1, min(loaded, SAMPLE)).astype(int).tolist()
    later = np.linspace(loaded, blocks - 1, min(blocks - loaded, SAMPLE)).astype(int).tolist()
    return sorted({*homes, *later})


def _snapshot(heap: Heap, sample: list[int]) -> Snapshot:
    rules = heap.rules
    if rules.assm:
        classes = np.asarray(heap.space.classes())
    else:
        classes = freeness(np.asarray(heap.free()), rules.reserve, rules.block).astype(int)
    counted = np.bincount(classes, minlength=CLASSES).tolist()
    stride = max(1, -(-len(classes) // MAP_CELLS))
    full = np.asarray(heap.entries())[::stride] == rules.itl_limit
    cells = "".join(map(str, np.where(full, ITL_FULL_CELL, classes[::stride])))
    return Snapshot(
        blocks=heap.blocks,
        fills={number: _fill(heap, number) for number in sample},
        classes={name: counted[number] for number, name in enumerate(CLASS_NAMES) if counted[number]},
        cells=cells,
    )


def _fill(heap: Heap, number: int) -> BlockFill:
    rules = heap.rules
    pieces, stubs, moved_in = heap.contents(number)
    moved = 0
    if moved_in:
        here = np.flatnonzero(np.asarray(heap.places()) == number)
        tails = Counter(np.asarray(heap.lengths())[here].tolist())
        whole = moved_in - len(here)  # pieces of chained rows that fill a block
        moved = sum(rules.slot(length) * rows for length, rows in tails.items())
        moved += whole * rules.slot(rules.largest_piece)
    return BlockFill(
        heap.entries()[number], pieces - stubs - moved_in, stubs, moved_in, heap.free()[number] / UNIT, moved / UNIT
    )
