"""Rows, segment, space search and blocks of an answer as plain text, in the words of DBA_TABLES and DBMS_SPACE."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import head, mean, megabytes, wrapped
from blocktime.app.text.block_drawing import drawing
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
    shown = f"{100 * fraction:.0f} %"
    if shown == "0 %":
        return "less than 1 %"
    return "more than 99 %" if shown == "100 %" and fraction < 1 else shown


def row_lines(result: RunResult) -> Iterator[str]:
    """What became of the rows, and what that wrote to undo and redo."""
    changed, segment = result.changes, result.segment
    if changed is None or segment is None:
        return
    yield head("Rows")
    done = next((word for cause, word in DONE.items() if cause in result.time.cpu), "changed")
    stay = f", {changed.in_place:,.0f} of them in place" if changed.in_place else ""
    yield f"{done:<10}{changed.rows:,.0f}{stay}"
    if changed.migrated:
        again = f", and again {changed.moved_again:,.0f} times" if changed.moved_again else ""
        yield f"migrated  {changed.migrated:,.0f} ({100 * changed.migrated / changed.table_rows:.1f} %){again}"
    if segment.chained_rows:
        yield f"chained   {segment.chained_rows:,.0f}"
    length = f"{segment.avg_row_len_before_bytes:,.0f} before, {segment.avg_row_len_after_bytes:,.0f} after"
    if changed.growth_bytes:
        yield f"growth    {mean(changed.growth_bytes)} bytes a row; AVG_ROW_LEN {length}"
    yield f"commits   {changed.commits:,.0f}{'' if changed.commits else ' before the end'}"
    yield f"written   {megabytes(changed.undo_bytes)} of undo, {megabytes(changed.redo_bytes)} of redo"
    if changed.dirty_blocks:
        of_indexes = sum(index.written_blocks for index in changed.indexes)
        among = f" and {of_indexes:,.0f} index blocks" if of_indexes else ""
        of_table = f"{changed.dirty_blocks - of_indexes:,.0f} table blocks"
        yield f"dirtied   {of_table}{among} (undo blocks not counted)"
    for rank, index in enumerate(changed.indexes, 1):
        grown = f"{index.leaf_blocks_before:,.0f} to {index.leaf_blocks_after:,.0f} leaf blocks"
        yield f"{f'index {rank}':<10}{index.keys:,.0f} keys, {grown}, BLEVEL {index.blevel:.0f}"
        changes = f"{index.leaf_changes:,.0f} leaf block changes"
        yield f"{'':<10}{changes}, {index.half_splits:,.0f} 50-50 splits, {index.last_splits:,.0f} 90-10 splits"
        gets = f"{index.current_gets:,.0f} current gets, {index.reads:,.0f} reads"
        yield f"{'':<10}{gets}, {megabytes(index.redo_bytes)} of redo"


def segment_lines(result: RunResult, width: int = HALF_PAGE) -> Iterator[str]:
    """The segment as DBA_SEGMENTS, DBA_TABLES and DBMS_SPACE.SPACE_USAGE show it."""
    segment = result.segment
    if segment is None:
        return
    changed = result.changes is not None
    was = f", {segment.blocks_before:,.0f} before" if changed else ""
    took = f", {megabytes(segment.bytes_before)} before" if changed else ""
    at_first = " at first" if changed else ""
    yield head("Segment")
    yield f"blocks    {segment.blocks_after:,.0f} below the high-water mark{was}"
    if segment.dba_tables_blocks > segment.blocks_after:
        yield f"          {segment.dba_tables_blocks:,.0f} with the bitmap blocks, as DBA_TABLES has it"
    yield f"space     {megabytes(segment.bytes_after)} in {segment.extents:,.0f} extents{took}"
    yield f"rows      {mean(segment.rows_per_block)} per block, {mean(segment.row_bytes)} bytes each{at_first}"
    if segment.migrated_rows and not changed:
        yield f"migrated  {segment.migrated_rows:,.0f} rows"
    if segment.pctfree_needed_percent:
        yield from wrapped(_needed(segment), width, first="PCTFREE   ")
    if segment.itl_full_blocks:
        yield f"ITL       full in {segment.itl_full_blocks:,.0f} blocks{_entries(segment)}"
    if segment.freeness_before is not None and segment.freeness_after is not None:
        yield from _space_usage(segment.freeness_before, segment.freeness_after, width)


def _needed(segment: SegmentSpace) -> str:
    needed = segment.pctfree_needed_percent or 0.0
    has = f"{show_number(_pctfree(segment), 4)}; " if segment.blocks else ""
    if needed >= NO_PCTFREE:
        return f"{has}no PCTFREE keeps all rows in their blocks"
    return (
        f"{has}with {needed:.0f} or higher, no row migrates in newly filled blocks (MOVE refills all blocks)"
    )


def _entries(segment: SegmentSpace) -> str:
    """How long the longest ITL list of the sampled blocks is."""
    most = max((block_contents.after.itl_entries for block_contents in segment.blocks or ()), default=0.0)
    return f", up to {most:,.0f} entries each" if most else ""


def _space_usage(before: dict[str, float], after: dict[str, float], width: int) -> Iterator[str]:
    """Blocks by how much of them is free, in the order of DBMS_SPACE.SPACE_USAGE."""
    named = {name: SPACE_USAGE.get(name, (name, "")) for name in (*SPACE_USAGE, *before, *after)}
    shown = {k: v for k, v in named.items() if k != "unformatted" or k in before or k in after}
    least = 10
    if 10 + sum(max(least, 1 + len(words[0])) for words in shown.values()) > width:
        least, shown = 8, {name: (word, free.replace(" ", "")) for name, (word, free) in shown.items()}
    lengths = {
        name: max(
            least,
            1 + len(words[0]),
            *(1 + len(f"{blocks_by_class.get(name, 0):,.0f}") for blocks_by_class in (before, after)),
        )
        for name, words in shown.items()
    }
    yield "free      " + "".join(f"{words[0]:>{lengths[name]}}" for name, words in shown.items())
    yield (" " * 10 + "".join(f"{words[1]:>{lengths[name]}}" for name, words in shown.items())).rstrip()
    for word, blocks_by_class in (("before", before), ("after", after)):
        yield f"  {word:<8}" + "".join(
            f"{blocks_by_class.get(name, 0):>{lengths[name]},.0f}" for name in shown
        )


def search_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """The search for space: what found a place, which probes were rejected and why, and the stack that shows it."""
    search, segment = result.space_search, result.segment
    if search is None or segment is None:
        return
    share = f"{100 * search.elapsed_fraction:.1f} % of elapsed"
    yield head("Space search")
    yield f"time      {show_seconds(search.time_s)}, {share}"
    yield f"placed    {search.placed:,.0f} row pieces in {search.searches:,.0f} searches"
    reasons = {
        "ITL list full": search.rejected_itl,
        "not enough space, then marked full": search.rejected_space,
        "space of rows deleted in an active transaction": search.rejected_held,
    }
    rejections = {reason: f"{times:,.0f}" for reason, times in reasons.items() if times}
    total = f"{search.rejected:,.0f}"
    if len(rejections) > 1:
        yield f"rejected  {total} probes, of them"
    for reason, times in rejections.items():
        probes = "probe" if times == "1" else "probes"
        yield f"{'rejected' if len(rejections) == 1 else '':<10}{times:>{len(total)}} {probes}: {reason}"
    if not rejections:
        yield "rejected  no probe"
    if stay_on_offer(result):
        yield from wrapped(
            f"{segment.itl_full_blocks:,.0f} blocks have room but no free ITL entry. They are probed again and "
            "again (bug 6918210, fixed in 11.2; enough PCTFREE, commits in between or free lists also avoid it)",
            width,
            first="          ",
        )
    if search.functions and search.elapsed_fraction >= WORTH_A_STACK:
        yield from wrapped(" > ".join(search.functions), width, first="stack     ")


def block_lines(result: RunResult, width: int = 80, plain: bool = False) -> Iterator[str]:
    """The sampled blocks, drawn, before and after."""
    segment = result.segment
    if result.changes is None or segment is None or not segment.blocks:
        return
    of = f"{len(segment.blocks):,} of {segment.blocks_after:,.0f} blocks of {show_bytes(segment.block_size_bytes)}"
    yield head(f"Inside {of}")
    yield from drawing(segment.blocks, segment.block_size_bytes, width, plain)
