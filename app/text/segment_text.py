"""Rows, segment, space search and blocks of an answer as plain text, in the words of DBA_TABLES and DBMS_SPACE."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import mean, megabytes
from blocktime.app.text.block_drawing import drawing
from blocktime.app.text.section import LABEL, NOTHING, CellTable, Fact, Row, Section
from blocktime.model.causes import DELETING, INSERTING, MIGRATING, SEARCHING, UPDATING
from blocktime.model.results import RunResult, SegmentSpace
from blocktime.model.units import show_bytes, show_number, show_seconds
from blocktime.scenarios.why_rows import stay_on_offer

ON_ROWS = (SEARCHING, MIGRATING, UPDATING, INSERTING, DELETING)
DONE = {UPDATING: "updated", INSERTING: "inserted", DELETING: "deleted"}
SPACE_USAGE = {
    "unformatted": ("Unformatted", ""),
    "0-25% free": ("FS1", "0-25 %"),
    "25-50% free": ("FS2", "25-50 %"),
    "50-75% free": ("FS3", "50-75 %"),
    "75-100% free": ("FS4", "75-100 %"),
    "full": ("Full", ""),
}
"""Class of the bitmap -> what DBMS_SPACE.SPACE_USAGE calls it, and the share of the block that is free."""
HALF_PAGE = 62
"""Columns of text that fit side by side with as many on a page of 1280 pixels."""
NO_PCTFREE = 100
WORTH_A_SENTENCE = 0.2
WORTH_A_STACK = 0.01
"""Share of the elapsed time below which no stack would show the search."""


def work_on_rows(result: RunResult) -> dict[str, float]:
    """CPU seconds of what statements do to rows, by what they do."""
    return {cause: result.time.cpu[cause] for cause in ON_ROWS if result.time.cpu.get(cause)}


def times_of_a_session(result: RunResult) -> dict[str, float]:
    """How often one session did what work on rows is made of, as its seconds are those of one session."""
    changed, search = result.changes, result.space_search
    if changed is None or not changed.rows:
        return {}
    share = result.calls["execute"].rows / changed.rows
    times_by_work = dict.fromkeys(DONE, changed.rows * share)
    times_by_work[MIGRATING] = (changed.migrated + changed.moved_again) * share
    if search is not None:
        times_by_work[SEARCHING] = search.rejected * share
    return times_by_work


def advice(result: RunResult) -> Iterator[str]:
    """Why a long search finds no space; what migration there is, and which PCTFREE avoids it."""
    yield from _search_cause(result)
    changed, segment = result.changes, result.segment
    if changed is None or segment is None or not changed.migrated:
        return
    needed = segment.pctfree_needed_percent
    share = _percent(changed.migrated / changed.table_rows)
    migrate = f"{share[0].upper()}{share[1:]} of the updated rows migrate"
    if needed is None or needed <= _pctfree(segment):
        yield f"{migrate}."
    elif needed < NO_PCTFREE:
        yield f"{migrate}. With PCTFREE {needed:.0f} or higher, no row migrates."
    elif segment.chained_rows:
        yield f"{migrate}. No PCTFREE prevents this: {segment.chained_rows:,.0f} rows no longer fit in a block."
    else:
        yield f"{migrate}. No PCTFREE prevents this."


def _search_cause(result: RunResult) -> Iterator[str]:
    search = result.space_search
    if search is None or search.elapsed_fraction < WORTH_A_SENTENCE:
        return
    if search.rejected_held > search.rejected_itl:
        yield "The free space belongs to another session: it deleted rows and has not committed."
    elif stay_on_offer(result):
        yield "The candidate blocks have a full ITL list (bug 6918210, fixed in 11.2)."


def _pctfree(segment: SegmentSpace) -> float:
    """PCTFREE, from the reserve of the sampled blocks; 0 where none was sampled."""
    return 100 * segment.blocks[0].reserve_bytes / segment.block_size_bytes if segment.blocks else 0.0


def _percent(fraction: float) -> str:
    text = f"{100 * fraction:.0f} %"
    if text == "0 %":
        return "less than 1 %"
    return "more than 99 %" if text == "100 %" and fraction < 1 else text


def row_section(result: RunResult) -> Section:
    """What became of the rows, and what that wrote to undo and redo."""
    changed, segment = result.changes, result.segment
    if changed is None or segment is None:
        return NOTHING
    done = next((word for cause, word in DONE.items() if cause in result.time.cpu), "changed")
    stay = f", {changed.in_place:,.0f} of them in place" if changed.in_place else ""
    facts = [Fact(done, f"{changed.rows:,.0f}{stay}")]
    if changed.migrated:
        again = f", and again {changed.moved_again:,.0f} times" if changed.moved_again else ""
        share = f"{100 * changed.migrated / changed.table_rows:.1f} %"
        facts.append(Fact("migrated", f"{changed.migrated:,.0f} ({share}){again}"))
    if segment.chained_rows:
        facts.append(Fact("chained", f"{segment.chained_rows:,.0f}"))
    length = f"{segment.avg_row_len_before_bytes:,.0f} before, {segment.avg_row_len_after_bytes:,.0f} after"
    if changed.growth_bytes:
        facts.append(Fact("growth", f"{mean(changed.growth_bytes)} bytes a row; AVG_ROW_LEN {length}"))
    facts.append(Fact("commits", f"{changed.commits:,.0f}{'' if changed.commits else ' before the end'}"))
    written = f"{megabytes(changed.undo_bytes)} of undo, {megabytes(changed.redo_bytes)} of redo"
    facts.append(Fact("written", written))
    if changed.dirty_blocks:
        of_indexes = sum(index.written_blocks for index in changed.indexes)
        among = f" and {of_indexes:,.0f} index blocks" if of_indexes else ""
        of_table = f"{changed.dirty_blocks - of_indexes:,.0f} table blocks"
        of_undo = f", {changed.undo_blocks:,.0f} undo blocks" if changed.undo_blocks else ""
        facts.append(Fact("dirtied", f"{of_table}{among}{of_undo}"))
    for rank, index in enumerate(changed.indexes, 1):
        grown = f"{index.leaf_blocks_before:,.0f} to {index.leaf_blocks_after:,.0f} leaf blocks"
        splits = f"{index.half_splits:,.0f} 50-50 splits, {index.last_splits:,.0f} 90-10 splits"
        gets = f"{index.current_gets:,.0f} current gets, {index.reads:,.0f} reads"
        facts += [
            Fact(f"index {rank}", f"{index.keys:,.0f} keys, {grown}, BLEVEL {index.blevel:.0f}"),
            Fact("", f"{index.leaf_changes:,.0f} leaf block changes, {splits}"),
            Fact("", f"{gets}, {megabytes(index.redo_bytes)} of redo"),
        ]
    return Section("Rows", facts)


def segment_section(result: RunResult) -> Section:
    """The segment as DBA_SEGMENTS, DBA_TABLES and DBMS_SPACE.SPACE_USAGE show it."""
    segment = result.segment
    if segment is None:
        return NOTHING
    changed = result.changes is not None
    was = f", {segment.blocks_before:,.0f} before" if changed else ""
    took = f", {megabytes(segment.bytes_before)} before" if changed else ""
    at_first = " at first" if changed else ""
    rows: list[Row] = [Fact("blocks", f"{segment.blocks_after:,.0f} below the high-water mark{was}")]
    if segment.dba_tables_blocks > segment.blocks_after:
        rows.append(Fact("", f"{segment.dba_tables_blocks:,.0f} with the bitmap blocks, as DBA_TABLES has it"))
    rows.append(Fact("space", f"{megabytes(segment.bytes_after)} in {segment.extents:,.0f} extents{took}"))
    each = f"{mean(segment.rows_per_block)} per block, {mean(segment.row_bytes)} bytes each{at_first}"
    rows.append(Fact("rows", each))
    if segment.migrated_rows and not changed:
        rows.append(Fact("migrated", f"{segment.migrated_rows:,.0f} rows"))
    if segment.pctfree_needed_percent:
        rows.append(Fact("PCTFREE", _needed(segment)))
    if segment.itl_full_blocks:
        rows.append(Fact("ITL", f"full in {segment.itl_full_blocks:,.0f} blocks{_entries(segment)}"))
    if segment.freeness_before is not None and segment.freeness_after is not None:
        rows.append(_space_usage(segment.freeness_before, segment.freeness_after))
    return Section("Segment", rows)


def _needed(segment: SegmentSpace) -> str:
    needed = segment.pctfree_needed_percent or 0.0
    has = f"{show_number(_pctfree(segment), 4)}; " if segment.blocks else ""
    if needed >= NO_PCTFREE:
        return f"{has}no PCTFREE keeps all rows in their blocks"
    return f"{has}with {needed:.0f} or higher, no row migrates in newly filled blocks (MOVE refills all blocks)"


def _entries(segment: SegmentSpace) -> str:
    """How long the longest ITL list of the sampled blocks is."""
    most = max((block_contents.after.itl_entries for block_contents in segment.blocks or ()), default=0.0)
    return f", up to {most:,.0f} entries each" if most else ""


def _space_usage(before: dict[str, float], after: dict[str, float]) -> CellTable:
    """Blocks by how much of them is free, in the order of DBMS_SPACE.SPACE_USAGE."""
    named = {name: SPACE_USAGE.get(name, (name, "")) for name in (*SPACE_USAGE, *before, *after)}
    columns = {k: v for k, v in named.items() if k != "unformatted" or k in before or k in after}
    words, free = zip(*columns.values(), strict=True)
    rows = [("free", *words), ("", *free)]
    for word, blocks in (("  before", before), ("  after", after)):
        rows.append((word, *(f"{blocks.get(name, 0):,.0f}" for name in columns)))
    return CellTable(rows, (LABEL, *[10] * len(columns)), (LABEL - 1, *[8] * len(columns)))


def search_section(result: RunResult) -> Section:
    """The search for space: what found a place, which probes were rejected and why, and the stack that shows it."""
    search, segment = result.space_search, result.segment
    if search is None or segment is None:
        return NOTHING
    facts = [
        Fact("time", f"{show_seconds(search.time_s)}, {100 * search.elapsed_fraction:.1f} % of elapsed"),
        Fact("placed", f"{search.placed:,.0f} row pieces in {search.searches:,.0f} searches"),
    ]
    reasons = {
        "ITL list full": search.rejected_itl,
        "not enough space, then marked full": search.rejected_space,
        "space of rows deleted in an active transaction": search.rejected_held,
    }
    rejections = {reason: f"{times:,.0f}" for reason, times in reasons.items() if times}
    total = f"{search.rejected:,.0f}"
    if len(rejections) != 1:
        facts.append(Fact("rejected", f"{total} probes, of them" if rejections else "no probe"))
    for reason, times in rejections.items():
        probes = "probe" if times == "1" else "probes"
        name = "rejected" if len(rejections) == 1 else ""
        facts.append(Fact(name, f"{times:>{len(total)}} {probes}: {reason}"))
    if stay_on_offer(result):
        facts.append(Fact(
            "", f"{segment.itl_full_blocks:,.0f} blocks have room but no free ITL entry. They are probed again and "
            "again (bug 6918210, fixed in 11.2; enough PCTFREE, commits in between or free lists also avoid it)",
        ))  # fmt: skip
    if search.functions and search.elapsed_fraction >= WORTH_A_STACK:
        facts.append(Fact("stack", " > ".join(search.functions)))
    return Section("Space search", facts)


def block_section(result: RunResult, width: int = 80, plain: bool = False) -> Section:
    """The sampled blocks, drawn, before and after."""
    segment = result.segment
    if result.changes is None or segment is None or not segment.blocks:
        return NOTHING
    of = f"{len(segment.blocks):,} of {segment.blocks_after:,.0f} blocks of {show_bytes(segment.block_size_bytes)}"
    return Section(f"Inside {of}", [*drawing(segment.blocks, segment.block_size_bytes, width, plain)])
