"""Why statements that change rows take another time: rows that migrate, the search for space, commits, blocks."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.model.causes import (
    ARCHIVING_NEEDED,
    CHECKPOINT_INCOMPLETE,
    COMMITTING,
    DELETING,
    DIRECT_WRITE,
    FREE_BUFFERS,
    INSERTING,
    LOG_FILE_SYNC,
    LOG_FULL,
    LOG_SPACE,
    MIGRATING,
    SEARCHING,
    UPDATING,
)
from blocktime.model.laws import block
from blocktime.model.results import RowChanges, RunResult, SegmentSpace
from blocktime.model.units import show_alike, show_bytes, show_number, show_seconds
from blocktime.scenarios.why_words import ComponentChange, count, differs, effect, from_to, plural, takes

CHANGING_ROWS = "changing rows"
CHANGES = {f"CPU: {cause}": CHANGING_ROWS for cause in (UPDATING, INSERTING, DELETING)}
"""Component -> its mechanism between statements that change rows in different ways."""
COMPONENTS = (
    CHANGING_ROWS,
    SEARCHING,
    MIGRATING,
    UPDATING,
    INSERTING,
    DELETING,
    COMMITTING,
    LOG_FILE_SYNC,
    *LOG_FULL,
    DIRECT_WRITE,
    FREE_BUFFERS,
)
"""The mechanisms that are told here."""
BY_LOG = {
    LOG_SPACE: "redo goes to the disk no faster",
    CHECKPOINT_INCOMPLETE: "DBWR writes the blocks of a log no faster, and the next one waits for them",
    ARCHIVING_NEEDED: "the archiver copies a log no faster, and the next one waits for it",
}
BY_DBWR = "free buffers", "DBWR has to write meanwhile"

CHANGED = {UPDATING: "rows updated", INSERTING: "rows inserted", DELETING: "rows deleted"}
CHANGING = {UPDATING: "updating a row", INSERTING: "inserting a row", DELETING: "deleting a row"}
AGAIN_AND_AGAIN = 10
"""Probes per block with a full ITL list above which such blocks plainly stay on offer."""
MANUAL, ASSM = "manual", "assm"


def sentence(name: str, change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """What moved one of the mechanisms of this module, and why where the two results show it."""
    if name == SEARCHING:
        return _searching(change, base, other)
    if name == LOG_FILE_SYNC:
        commits = _commits(base), _commits(other)
        if commits[0] == commits[1]:
            return f"waiting for the log writer {takes(change)}, which {effect(change)}"
        return f"commits {from_to(*commits)}, which {effect(change, ' waiting for the log writer')}"
    if name == COMMITTING:
        return f"the CPU of commits {takes(change)}"
    if name in (*LOG_FULL, DIRECT_WRITE, FREE_BUFFERS):
        return _writing_behind(name, change, base, other)
    cpu = effect(change, " of CPU")
    if name == CHANGING_ROWS:
        parts = [f"{_change_of(result)} {plural(_rows(result), 'row')}" for result in (other, base)]
        took = show_alike(change.after_s, change.before_s)
        return f"{parts[0]} takes {took[0]} instead of {took[1]} for {parts[1]}, which {cpu}"
    return _rows_changed(name, change, base, other, cpu)


def _rows_changed(name: str, change: ComponentChange, base: RunResult, other: RunResult, cpu: str) -> str:
    """Rows that are changed in the same way, or migrate, by their number or by what one takes."""
    if name == MIGRATING:
        moved = _migrated(base), _migrated(other)
        if differs(*moved):
            return f"migrated rows {from_to(*moved)}{_room(base, other)}, which {cpu}"
        return f"migrating rows {takes(change)}{_shared(base, other)}, which {cpu}"
    rows = _rows(base), _rows(other)
    if differs(*rows):
        return f"{CHANGED[name]} {from_to(*rows)}, which {cpu}"
    return f"{CHANGING[name]}, {count(rows[1])} times, {takes(change)}{_shared(base, other)}, which {cpu}"


def _change_of(result: RunResult) -> str:
    """What is done to rows, as a verb; empty where none is changed."""
    by_time = {cause: result.time.cpu.get(cause, 0.0) for cause in (UPDATING, INSERTING, DELETING)}
    most = max(by_time, key=lambda cause: by_time[cause])
    return most.partition(" ")[0] if by_time[most] else ""


def other_changes(base: RunResult, other: RunResult) -> bool:
    """Whether both change rows, and not in the same way."""
    verbs = _change_of(base), _change_of(other)
    return all(verbs) and verbs[0] != verbs[1]


def counts_changed(name: str, base: RunResult, other: RunResult) -> bool:
    """Whether rows migrate in another number, even where that takes hardly any time."""
    return name == MIGRATING and differs(_migrated(base), _migrated(other))


def afterwards(base: RunResult, other: RunResult) -> Iterator[str]:
    """What is left behind: blocks that later scans read."""
    before, after = base.segment, other.segment
    if base.changes is None or other.changes is None or before is None or after is None:
        return
    blocks = before.blocks_after, after.blocks_after
    sizes = before.block_size_bytes, after.block_size_bytes
    if differs(*blocks):
        of = f" ({show_bytes(sizes[0])} and {show_bytes(sizes[1])} each)" if differs(*sizes) else ""
        yield f"blocks afterwards {from_to(*blocks)}{of}"


def _writing_behind(name: str, change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """Waits for what is written behind a load or by it, and how much that is."""
    if name in LOG_FULL:
        return f"waiting for the log {takes(change)}: {BY_LOG[name]}"
    writes = _written(base), _written(other)
    what, who = ("direct writes", "the load writes") if name == DIRECT_WRITE else BY_DBWR
    text = f"waiting for {what} {takes(change)}"
    if not change.after_s:
        return text
    if not change.before_s:
        return f"{text} for {plural(writes[1], 'block')} that {who}"
    if differs(*writes):
        return f"{text}: blocks that {who} {from_to(*writes)}"
    return f"{text} for {plural(writes[1], 'block')} that {who}"


def _written(result: RunResult) -> float:
    changed = result.changes
    sessions = changed.rows / result.calls["execute"].rows if changed else 1
    return result.physical_io.write_requests * sessions


def _searching(change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """The search for space: its time, its rejected probes, and what became of them."""
    was, now = (each.space_search.rejected if each.space_search else 0.0 for each in (base, other))
    time = from_to(change.before_s, change.after_s, show_seconds)
    if not differs(was, now):
        return f"the space search {time} at {plural(now, 'rejected probe')}"
    probes = f"rejected probes {from_to(was, now)}"
    if was > now:
        reason = _reason(base, other)
        because = f" because {reason}" if reason else _shared(base, other)
        return f"the space search {time}{because}: {probes}"
    if other.segment is None or not stay_on_offer(other):
        return f"the space search {time}{_shared(base, other)}: {probes}"
    more = _pieces(base, other)
    if stay_on_offer(base):
        return f"the space search {time}{f' because {more}' if more else ''}: {probes}"
    full = plural(other.segment.itl_full_blocks or 0.0, "block")
    because = f"{full} with a full ITL list remain candidates and are probed again and again (bug 6918210)"
    reason = _reason(other, base)
    before = f"; {_with_blocks(base, other)}{reason}" if reason else ""
    return f"the space search {time} because {because}: {probes}{before}"


def _with_blocks(base: RunResult, other: RunResult) -> str:
    """Whose reason follows: that of the first answer's blocks, where their size differs."""
    sizes = [result.segment.block_size_bytes if result.segment else 0 for result in (base, other)]
    return f"with blocks of {show_bytes(sizes[0])}, " if sizes[0] != sizes[1] else "before, "


def _reason(dear: RunResult, cheap: RunResult) -> str:
    """Why *cheap* rejects fewer probes than *dear*, as far as both results show it."""
    before, after = dear.space_search, cheap.space_search
    if before is None or dear.changes is None:
        return ""
    if cheap.changes is None:
        return "no row is changed"
    if before.rejected_held > before.rejected_itl + before.rejected_space:
        waiting = after.rejected_held if after else 0.0
        return "no free space waits for another session's commit" if not waiting else ""
    none = bool(_migrated(dear)) and not _migrated(cheap)
    if not stay_on_offer(dear):
        return "no row migrates" if none else ""
    return "no row migrates, so no block's ITL list fills up" if none else _less_probed(dear, cheap)


def _less_probed(dear: RunResult, cheap: RunResult) -> str:
    """Why blocks with a full ITL list are probed less in *cheap*, though rows migrate there too."""
    commits = _commits(dear), _commits(cheap)
    if commits[1] > commits[0]:
        return f"{plural(commits[1], 'commit')} instead of {count(commits[0])} free the ITL entries"
    before, after = dear.segment, cheap.segment
    if before is None or after is None:
        return ""
    if not after.itl_full_blocks:
        return _before_the_list_fills(after)
    if cheap.space_search is not None and not stay_on_offer(cheap):
        return _offered_no_more(before, after)
    return _pieces(dear, cheap)


def _pieces(base: RunResult, other: RunResult) -> str:
    """More or fewer row pieces search for space; empty where they are as many."""
    if base.space_search is None or other.space_search is None:
        return ""
    placed = base.space_search.placed, other.space_search.placed
    if not differs(*placed):
        return ""
    fewer = "fewer" if placed[1] < placed[0] else "more"
    return f"{fewer} row pieces search for space, {count(placed[1])} instead of {count(placed[0])}"


def stay_on_offer(result: RunResult) -> bool:
    """Whether blocks with a full ITL list are probed again and again."""
    search, segment = result.space_search, result.segment
    if search is None or segment is None:
        return False
    full = segment.itl_full_blocks or 0.0
    return search.rejected_itl > AGAIN_AND_AGAIN * full > 0


def _before_the_list_fills(segment: SegmentSpace) -> str:
    """A block has no more space before it has no more ITL entries."""
    size = segment.block_size_bytes
    most = f"{int(block.itl_limit(size)):,} entries that a block of {show_bytes(size)} may have"
    used = max((block_contents.after.itl_entries for block_contents in segment.blocks or ()), default=0.0)
    sampled = f" (at most {used:,.0f} in the blocks sampled)" if used else ""
    return f"a block runs out of space before its ITL list has the {most}{sampled}"


def _offered_no_more(dear: SegmentSpace, cheap: SegmentSpace) -> str:
    """A block whose ITL list is full rejects once: freed from a free list, or marked full in the bitmap."""
    if _management(dear) == ASSM and _management(cheap) == MANUAL:
        return "space management is manual, where a block that rejects a row leaves its free list"
    full = [(segment_space.freeness_after or {}).get("full", 0.0) for segment_space in (dear, cheap)]
    if full[1] - full[0] >= (cheap.itl_full_blocks or 0.0) > 0:
        return f"a block with a full ITL list is marked full ({count(full[1])} full blocks instead of {count(full[0])})"
    return "a block with a full ITL list is not offered again after it has rejected a row"


def _management(segment: SegmentSpace) -> str:
    """Space management, which the header of the sampled blocks shows: ASSM's is longer."""
    for block_contents in segment.blocks or ():
        return MANUAL if block_contents.after.header_bytes < block.overhead_bytes(0, 1) else ASSM
    return ""


def _room(base: RunResult, other: RunResult) -> str:
    """The reserve of a block, where another one decides how many rows migrate."""
    shares = _reserve_percent(base.segment), _reserve_percent(other.segment)
    if shares[0] is None or shares[1] is None or not differs(shares[0], shares[1]):
        return ""
    before, after = show_number(shares[0], 3), show_number(shares[1], 3)
    return f" because PCTFREE keeps {after} % of a block free instead of {before} %"


def _reserve_percent(segment: SegmentSpace | None) -> float | None:
    if segment is None or not segment.blocks:
        return None
    return 100 * segment.blocks[0].reserve_bytes / segment.block_size_bytes


def _shared(base: RunResult, other: RunResult) -> str:
    """The sessions that share the rows, where they are more or fewer."""
    sessions = _sessions(base), _sessions(other)
    if sessions[0] == sessions[1]:
        return ""
    return f" because {plural(sessions[1], 'session')} instead of {count(sessions[0])} share the rows"


def _sessions(result: RunResult) -> int:
    """Sessions at work: all rows over those of one session's executions."""
    execute = result.calls.get("execute")
    if result.changes is None or execute is None or not execute.rows:
        return 1
    return round(result.changes.rows / execute.rows)


def _migrated(result: RunResult) -> float:
    return result.segment.migrated_rows if result.segment else 0.0


def _rows(result: RunResult) -> float:
    changed: RowChanges | None = result.changes
    return changed.rows if changed else 0.0


def _commits(result: RunResult) -> float:
    return result.changes.commits if result.changes else 0.0
