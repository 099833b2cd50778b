"""The parts of a result that are about rows and blocks: the segment, what changed in it, the search for space."""

from __future__ import annotations

from blocktime.model.causes import SEARCHING
from blocktime.model.demand import Change, Demand
from blocktime.model.laws.assm import SEARCH_FUNCTIONS
from blocktime.model.laws.numeric import Number, floor_div, larger, nearest
from blocktime.model.machine.segment.heap_rules import UNIT, BlockFill, HeapOutcome
from blocktime.model.results import BlockContents, BlockUse, RowChanges, SegmentSpace, SpaceSearch, part
from blocktime.model.spec import System, Workload


def segment_space(system: System, demand: Demand) -> SegmentSpace:
    """The segment as DBA_SEGMENTS and DBA_TABLES show it, before and after; numbers or arrays."""
    size = demand.block_size_bytes
    changed, before, row = demand.change, demand.segment, demand.row
    after = changed.segment_after if changed else before
    played = changed.outcome if changed else None
    known = part(
        SegmentSpace,
        blocks_before=before.blocks,
        blocks_after=after.blocks,
        dba_tables_blocks=after.blocks + after.shape.bitmap_blocks,
        bytes_before=larger(before.shape.size_bytes, before.blocks * size),
        bytes_after=larger(after.shape.size_bytes, after.blocks * size),
        rows_per_block=played.rows_per_block if played else before.rows_per_block,
        row_bytes=row.bytes,
        block_size_bytes=size,
        avg_row_len_before_bytes=_truncated(row.columns_bytes),
        avg_row_len_after_bytes=_truncated(changed.columns_after_bytes if changed else row.columns_bytes),
        extents=after.shape.extents,
        migrated_rows=changed.migrated if changed else nearest(system.table.rows * system.table.migrated_fraction),
        rejected_probes=changed.rejected if changed else None,
    )
    if changed is None or played is None:
        return known
    return known.model_copy(
        update={
            "chained_rows": float(changed.chained),
            "itl_full_blocks": float(played.itl_full_blocks),
            "pctfree_needed_percent": float(changed.pctfree_needed),
            **_freeness(system, played),
            "blocks": _blocks(system, played),
        }
    )


def _freeness(system: System, played: HeapOutcome) -> dict[str, object]:
    """The bitmap's classes; free lists have none."""
    if system.tablespace.space_management != "assm":
        return {}
    return {
        "freeness_before": {name: float(count) for name, count in played.before.classes.items()},
        "freeness_after": {name: float(count) for name, count in played.after.classes.items()},
        "map_before": played.before.cells,
        "map_after": played.after.cells,
    }


def _truncated(columns_bytes: Number) -> Number:
    """AVG_ROW_LEN of a mean: statistics cut it off, as [rahn-pctfree] shows (5.99 is 5, 11.98 is 11)."""
    return floor_div(columns_bytes + 1e-9, 1)


def row_changes(work: Workload, demand: Demand) -> RowChanges | None:
    """Rows changed, with their undo and redo; None for a query."""
    changed = demand.change
    if changed is None:
        return None
    return RowChanges(
        rows=changed.rows,
        table_rows=changed.rows / work.passes,
        in_place=changed.in_place,
        migrated=changed.migrated,
        moved_again=changed.moved_again,
        growth_bytes=float(changed.growth_bytes),
        executions=demand.executions * work.users,
        commits=changed.commits,
        undo_bytes=float(demand.undo_bytes),
        redo_bytes=float(demand.redo_bytes),
        dirty_blocks=demand.dirty_blocks,
        undo_blocks=demand.undo_blocks,
        indexes=demand.upkeep,
    )


def space_search(system: System, demand: Demand, cpu: dict[str, float], elapsed_s: float) -> SpaceSearch | None:
    """What looking for room took, of one session; None where nothing looked."""
    changed = demand.change
    if changed is None or not (changed.searches or changed.rejected):
        return None
    time_s = cpu[SEARCHING]
    return SpaceSearch(
        searches=changed.searches,
        placed=changed.placed,
        rejected_itl=changed.rejected_itl,
        rejected_space=changed.rejected_space,
        rejected_held=changed.rejected_held,
        time_s=time_s,
        elapsed_fraction=time_s / elapsed_s if elapsed_s else 0.0,
        functions=_functions(changed) if system.tablespace.space_management == "assm" else [],
    )


def _functions(changed: Change) -> list[str]:
    """The search's functions; those that count ITL entries only where a full list rejects."""
    return list(SEARCH_FUNCTIONS if changed.rejected_itl else SEARCH_FUNCTIONS[:-2])


def _blocks(system: System, played: HeapOutcome) -> list[BlockContents]:
    size = system.tablespace.block_size_bytes
    rules = played.rules
    reserve = rules.reserve / UNIT
    headers = size - rules.data / UNIT

    def use(fill: BlockFill) -> BlockUse:
        itl = fill.itl_entries * rules.itl_entry / UNIT
        stubs = fill.stubs * (rules.stub + rules.directory) / UNIT
        rows = size - headers - itl - stubs - fill.moved_bytes - fill.free_bytes
        return BlockUse(
            header_bytes=headers,
            itl_bytes=itl,
            row_bytes=max(0.0, rows),
            stub_bytes=stubs,
            moved_bytes=fill.moved_bytes,
            free_bytes=fill.free_bytes,
            rows=fill.rows,
            stubs=fill.stubs,
            moved_in=fill.moved_in,
            itl_entries=fill.itl_entries,
        )

    before = played.before.fills
    return [
        BlockContents(
            block=number,
            reserve_bytes=reserve,
            before=use(before[number]) if number in before else None,
            after=use(fill),
        )
        for number, fill in sorted(played.after.fills.items())
    ]
