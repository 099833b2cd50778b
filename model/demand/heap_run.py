"""A workload that changes rows, played through a heap segment: what it counts, and what the blocks hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from model.demand.outcome import UNIT, BlockFill, HeapOutcome, Snapshot
from model.errors import OutsideLaw
from model.laws import block, growth
from model.laws.assm import CLASS_NAMES, freeness
from model.machine.segment.extent_map import high_water_steps
from model.machine.segment.heap import Heap
from model.machine.segment.heap_rules import HeapRules
from model.spec import Dml, Table, Tablespace

MOST_STEPS = 25_000_000
STEPS_PER_PASSING = 60
"""Of a turn that begins with a search among blocks whose space others hold."""
MOST_ROWS = 50_000_000
STEPS_PER_LOADED_ROW = 0.02
STEPS_PER_LOADED_BLOCK = 4
STEPS_PER_VISIT = 6
"""Of a block whose rows are changed together."""
STEPS_PER_TARGET = 24
"""Of a block that a search ends in, or whose rows grow."""
STEPS_PER_MOVE = 2
STEPS_PER_TURN = 8
"""Of what goes row by row, or array by array, because sessions take turns or commit."""
ASSUMED_PCTUSED = 40
SAMPLE = 7
MAP_CELLS = 480
ITL_FULL_CELL = 5
ORDER_SEED = 20_080_614


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


def most_rows_per_block(table: Table, fit: float) -> int | None:
    """Rows a block takes where that is not decided by equal rows: the blocks are given, or the rows vary."""
    if table.blocks is not None:
        return -(-table.rows // table.blocks)
    return max(1, int(fit)) if table.row_bytes_sd > 0 else None


@lru_cache(maxsize=64)
def play(
    space: Tablespace, table: Table, mended: bool, work: Dml, lengths: tuple[int, int, int | None]
) -> HeapOutcome:
    """Load the table, then let *work* change it.

    *lengths* are the row piece and its growth in thousandths of a byte, and the most rows a block takes at the load.
    Raises :class:`OutsideLaw` for a row that fits no block, or a segment too large to be played.
    """
    length, grows, most = lengths
    rules = heap_rules(space, table, mended)
    _refuse(rules, table, work, lengths)
    whole = rules.empty // rules.slot(length)
    if most is not None and most > whole:
        raise OutsideLaw(
            f"table.blocks {table.blocks} would hold {most:,} rows each; a block of {rules.block // UNIT} holds "
            f"{whole:,} at most"
        )
    uniform = space.uniform_extent_bytes if space.extent_management == "uniform" else None
    steps = high_water_steps(space.block_size_bytes, rules.assm, uniform)
    sessions = work.users + (work.uncommitted_delete_fraction > 0)
    heap = Heap(rules, steps, sessions)
    heap.load(table.rows, length, table.created_by == "ctas", most)
    heap.reconnect()
    loaded = heap.blocks
    free, rows = list(heap.free), [heap.rows_of(number) for number in range(loaded)]
    before = _snapshot(heap, [])
    if work.uncommitted_delete_fraction:
        for home, many in _share(heap, loaded, work.uncommitted_delete_fraction):
            heap.delete(sessions - 1, home, 0, many)
    before_counts = heap.counts.copy()
    commits = _work(heap, work, length, grows, loaded)
    sample = _sample(loaded, heap.blocks)
    homes = [b for b in sample if b < loaded]
    first = {b: BlockFill(rules.itl_initial, rows[b], 0, 0, free[b] / UNIT, 0.0) for b in homes}
    full = sum(1 for entries in heap.itl if entries == rules.itl_limit)
    return HeapOutcome(
        counts=heap.counts.since(before_counts),
        rows=work.changes_of_rows(table.rows),
        commits=commits,
        rows_per_block=rows[0],
        itl_full_blocks=full,
        before=Snapshot(before.blocks, first, before.classes, before.cells),
        after=_snapshot(heap, sample),
        rules=rules,
    )


def _refuse(rules: HeapRules, table: Table, work: Dml, lengths: tuple[int, int, int | None]) -> None:
    length = lengths[0]
    if length > rules.largest_piece:
        raise OutsideLaw(
            f"table: a row of {length / UNIT:,.10g} bytes fits no block of {rules.block // UNIT}; the longest is "
            f"{rules.largest_piece / UNIT:,.10g}"
        )
    room = rules.empty - rules.reserve
    if rules.slot(length) > room:
        raise OutsideLaw(
            f"table.pctfree_percent {table.pctfree_percent:g} leaves {max(0, room) / UNIT:,.10g} bytes of a block of "
            f"{rules.block // UNIT} for rows; a row takes {rules.slot(length) / UNIT:,.10g}"
        )
    whose = "workload.rows" if work.added_rows > table.rows else "table.rows"
    rows = table.rows + work.added_rows
    if rows > MOST_ROWS:
        raise OutsideLaw(
            f"{whose}: simulating {rows:,} rows takes too much memory, the limit is {MOST_ROWS:,}"
        )
    asked = steps(rules, table, work, lengths)
    if asked > MOST_STEPS:
        raise OutsideLaw(
            f"{whose}: simulating the rows one by one takes some {asked:,.0f} steps, the limit is {MOST_STEPS:,}: take "
            "fewer rows. All times and counts scale with them, except the search for space"
        )


def steps(rules: HeapRules, table: Table, work: Dml, lengths: tuple[int, int, int | None]) -> float:
    """How long playing takes, in rows that grow in their block one by one."""
    length, _, most = lengths
    per_block = rules.rows_per_block(length)
    fit = min(per_block, per_block if most is None else most)
    homes = table.rows / fit
    found = STEPS_PER_LOADED_ROW * table.rows + STEPS_PER_LOADED_BLOCK * homes
    changed = work.changes_of_rows(table.rows)
    if work.inserts:
        turns = changed / work.rows_a_call if work.users > 1 else 0
        found += STEPS_PER_TARGET * changed / per_block
        found += (STEPS_PER_PASSING if work.uncommitted_delete_fraction else STEPS_PER_TURN) * turns
    else:
        found += STEPS_PER_VISIT * work.passes * min(homes, changed / work.passes)
        found += _steps_of_growth(rules, work, homes * work.rows_fraction, fit, lengths)
    if work.commit_every_rows:
        found += STEPS_PER_TURN * changed / work.commit_every_rows
    return found


def _steps_of_growth(
    rules: HeapRules, work: Dml, homes: float, fit: int, lengths: tuple[int, int, int | None]
) -> float:
    length, grows, _ = lengths
    if not grows:
        return homes * fit * work.passes * (work.at_random and work.commit_every_rows > 0)
    wider = growth.padded_growth(length, grows * work.passes)
    leave = growth.rows_that_migrate(
        fit, rules.empty - fit * rules.slot(length), wider, rules.piece(length) - rules.stub
    )
    by_row = work.at_random and (work.users > 1 or work.commit_every_rows > 0)
    several = 2 if work.users > 1 else 1  # transactions are open: blocks reject for their ITL
    apart = several * by_row + (1 - 1 / work.passes) * (not by_row)  # rows that lie scattered go one by one
    bodies, _ = growth.chain_of(length + grows, rules.largest_piece, rules.header, rules.rowid)
    each = (
        STEPS_PER_TARGET + fit * STEPS_PER_TURN * apart + leave * (STEPS_PER_MOVE + STEPS_PER_TARGET * bodies)
    )
    return homes * work.passes * float(each)


def _share(heap: Heap, blocks: int, fraction: float) -> Iterator[tuple[int, int]]:
    """The first rows of each block, so many that all together are the wanted share."""
    sofar = chosen = 0
    for home in range(blocks):
        sofar += heap.rows_of(home)
        wanted = int(sofar * fraction + 1e-9) - chosen
        if wanted:
            yield home, wanted
            chosen += wanted


def _work(heap: Heap, work: Dml, length: int, grows: int, loaded: int) -> int:
    """Let the sessions take turns, a block or an array each; returns the commits."""
    pace = _Commits(heap, work.commit_every_rows)
    if work.inserts:
        _insert(heap, work, length, pace)
        return pace.commits
    turns = list(_share(heap, loaded, work.rows_fraction))
    for _ in range(work.passes):
        if work.at_random:
            _at_random(heap, work, turns, grows, pace)
        else:
            for session, home, many in _by_turns(turns, work.users):
                start = 0
                for part in pace.parts(session, many):
                    if work.deletes:
                        heap.delete(session, home, start, part)
                    else:
                        heap.update(session, home, start, part, grows)
                    start += part
                    pace.done(session, part)
    return pace.commits


def _by_turns(turns: list[tuple[int, int]], users: int) -> Iterator[tuple[int, int, int]]:
    """Each session has a part of the blocks; they go on side by side, block by block."""
    many = len(turns)
    bounds = [many * session // users for session in range(users + 1)]
    longest = max((high - low for low, high in pairwise(bounds)), default=0)
    for rank in range(longest):
        for session in range(users):
            if bounds[session] + rank < bounds[session + 1]:
                home, rows = turns[bounds[session] + rank]
                yield session, home, rows


def _at_random(heap: Heap, work: Dml, turns: list[tuple[int, int]], grows: int, pace: _Commits) -> None:
    """Rows one by one in an order that has nothing to do with their blocks."""
    homes = np.repeat([home for home, _ in turns], [many for _, many in turns])
    starts = np.concatenate([np.arange(many) for _, many in turns]) if turns else np.zeros(0, dtype=int)
    order = np.random.default_rng(ORDER_SEED).permutation(len(homes))
    if (work.users == 1 or not grows) and not work.commit_every_rows:
        heap.update_scattered(0, homes[order], starts[order], grows)
        return
    for rank, (home, row) in enumerate(zip(homes[order].tolist(), starts[order].tolist(), strict=True)):
        session = rank % work.users
        heap.update(session, home, row, 1, grows)
        pace.done(session, 1)


def _insert(heap: Heap, work: Dml, length: int, pace: _Commits) -> None:
    if work.by_direct_path:
        heap.append(work.added_rows, length)
        return
    rows = work.added_rows
    shares = [rows * (s + 1) // work.users - rows * s // work.users for s in range(work.users)]
    each = work.rows_a_call
    turn = rows if work.users == 1 else each  # where nobody comes between, statements need no turns
    while any(shares):
        for session, left in enumerate(shares):
            taken = min(turn, left)
            shares[session] -= taken
            for part in pace.parts(session, taken):
                heap.insert(session, part, length, each)
                pace.done(session, part)


class _Commits:
    """When each session commits."""

    def __init__(self, heap: Heap, every: int) -> None:
        self.heap = heap
        self.every = every
        self.commits = 0
        self._since = Counter[int]()

    def parts(self, session: int, rows: int) -> Iterator[int]:
        """Cut *rows* where the session commits."""
        while rows:
            part = min(rows, self.every - self._since[session]) if self.every else rows
            yield part
            rows -= part

    def done(self, session: int, rows: int) -> None:
        """Note that *rows* have been changed, and commit where it is time."""
        self._since[session] += rows
        if self.every and self._since[session] >= self.every:
            self.heap.commit(session)
            self.commits += 1
            self._since[session] = 0


def _sample(loaded: int, blocks: int) -> list[int]:
    """Some of the loaded blocks, and some of those that came after."""
    homes = np.unique(np.linspace(0, loaded - 1, min(loaded, SAMPLE)).astype(int)).tolist()
    new = blocks - loaded
    later = np.unique(np.linspace(loaded, blocks - 1, min(new, SAMPLE)).astype(int)).tolist() if new else []
    return [*homes, *later]


def _snapshot(heap: Heap, sample: list[int]) -> Snapshot:
    rules = heap.rules
    if rules.assm:
        classes = list(heap.space.classes())
    else:
        classes = [int(freeness(left, rules.reserve, rules.block)) for left in heap.free]
    counted = Counter(CLASS_NAMES[one] for one in classes)
    stride = max(1, -(-len(classes) // MAP_CELLS))
    cells = "".join(
        str(ITL_FULL_CELL if heap.itl[number] == rules.itl_limit else classes[number])
        for number in range(0, len(classes), stride)
    )
    return Snapshot(
        blocks=heap.blocks,
        fills={number: _fill(heap, number) for number in sample},
        classes={name: counted[name] for name in CLASS_NAMES if counted[name]},
        cells=cells,
    )


def _fill(heap: Heap, number: int) -> BlockFill:
    rules = heap.rules
    here = np.flatnonzero(heap.places[: heap.rows] == number)
    tails = sum(rules.slot(int(length)) for length in heap.lengths[here].tolist())
    whole = heap.moved_in[number] - len(here)  # pieces of chained rows that fill a block
    moved = tails + whole * rules.slot(rules.largest_piece)
    return BlockFill(
        itl_entries=heap.itl[number],
        rows=heap.pieces[number] - heap.stubs[number] - heap.moved_in[number],
        stubs=heap.stubs[number],
        moved_in=heap.moved_in[number],
        free_bytes=heap.free[number] / UNIT,
        moved_bytes=moved / UNIT,
    )


def law_inputs(table: Any, fit: float, piece: float, grows: float) -> tuple[int, int, int | None]:
    """The *lengths* of :func:`play` from means in bytes."""
    return round(piece * UNIT), round(grows * UNIT), most_rows_per_block(table, fit)
