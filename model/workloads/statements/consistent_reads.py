"""Consistent reads: a statement sees its table as of its begin, and reads undo for what transactions have changed."""

from __future__ import annotations

from dataclasses import replace

from blocktime.model.causes import UNDO
from blocktime.model.demand import Demand
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws.block import itl_limit
from blocktime.model.laws.change import undo_of_redo_bytes
from blocktime.model.laws.changed_blocks import open_changes, records_since
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.spec import Statement, System
from blocktime.model.units import show_bytes, show_seconds


class ConsistentReads:
    """Those of one session; each block of the table is changed as often as any other."""

    def __init__(self, machine: Machine, system: System, work: Statement, demand: Demand) -> None:
        self._env, self._undo_room_bytes = machine.env, system.instance.undo_bytes
        self._what = work.kind.replace("_", " ")
        blocks, self._entries = float(demand.segment.blocks), float(itl_limit(system.tablespace.block_size_bytes))
        # NOTE: a block that the session comes to again has its copy in the cache
        self._each = min(1.0, blocks / float(demand.blocks_wanted))
        self._runs = [
            (run, run.expected.parts.mean("changed_blocks"), share / blocks)
            for run in machine.transactions
            if (share := max(changes_fraction(work), changes_fraction(run.work)))
        ]
        self._undo_bytes = [
            float(undo_of_redo_bytes(changes, run.expected.parts.redo_bytes)) for run, changes, _ in self._runs
        ]
        self._begin_s, self._ended_before = 0.0, [0] * len(self._runs)
        self._lost = 0.0
        """Records that it needs and that are overwritten."""

    def begin(self) -> None:
        """Its query begins: what is committed from now on is not for it to see."""
        self._begin_s, self._ended_before = self._env.now, [run.done for run, *_ in self._runs]

    def records(self, worked: float) -> float:
        """Undo records that it applies to so many blocks.

        Raises :class:`OutsideLaw` where it needs one that is overwritten.
        """
        met, written_bytes, committed = 0.0, 0.0, 0.0
        for (run, changes, chance), before, each_bytes in zip(
            self._runs, self._ended_before, self._undo_bytes, strict=True
        ):
            ended = run.done - before
            committed += float(records_since(ended, changes, chance))
            met += float(open_changes(run.state.under_way, changes, chance, self._entries))
            written_bytes += ended * each_bytes
        visited = worked * self._each
        if self._undo_room_bytes is not None and written_bytes > self._undo_room_bytes:
            self._lost += visited * committed * (1 - self._undo_room_bytes / written_bytes)
            if self._lost >= 1:
                raise OutsideLaw(
                    f"{self._what}: after {show_seconds(self._env.now - self._begin_s)} it needs undo that is "
                    f"overwritten (ORA-01555): transactions have written {show_bytes(written_bytes)} of undo since it "
                    f"began, and instance.undo_bytes keeps {show_bytes(self._undo_room_bytes)}: give a larger undo "
                    "tablespace, or let it run beside fewer changes"
                )
        return visited * (met + committed)


def changes_fraction(program: Statement) -> float:
    """Of the changes of transactions those that go to blocks of a statement's table, by what *program* says of it."""
    return float(getattr(program, "changes_fraction", 0.0))


def consistent_reads_of(machine: Machine, system: System, work: Statement, demand: Demand) -> ConsistentReads | None:
    """Those of a session that looks for rows in a table that transactions beside it change; else None."""
    if not machine.transactions or work.inserts or getattr(work, "index_only", False):
        return None
    return ConsistentReads(machine, system, work, demand)


def with_undo(demand: Demand, undo_gets: float, get_s: float) -> Demand:
    """*demand* of the mean session that has made so many gets of undo besides."""
    if not undo_gets:
        return demand
    sources = list(demand.sources)
    place = next((rank for rank, each in enumerate(sources) if each.gets), None)
    if place is not None:
        sources[place] = replace(sources[place], gets=sources[place].gets + undo_gets)
    cpu = demand.cpu | {UNDO: undo_gets * get_s}
    return replace(demand, gets=demand.gets + undo_gets, undo_gets=undo_gets, cpu=cpu, sources=sources)
