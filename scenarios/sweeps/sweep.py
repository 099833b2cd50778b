"""A sweep from the question to its table: planned, looked up, tried out, run, and read back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from blocktime.model.budget import USUAL
from blocktime.model.errors import SpecError
from blocktime.scenarios.load import Source
from blocktime.scenarios.sweeps.columns import joined, listed
from blocktime.scenarios.sweeps.executors import Executor, LocalProcesses, ThisProcess
from blocktime.scenarios.sweeps.ledger import Ledger, usual_folder
from blocktime.scenarios.sweeps.points import version_of_model
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep_plan import USUAL_LIMIT, Plan, RunOptions
from blocktime.scenarios.sweeps.sweep_run import Outcome, Running
from blocktime.scenarios.sweeps.sweep_source import axes_of_change, make_sweep, source_of_sweep
from blocktime.scenarios.sweeps.sweep_spec import Axis
from blocktime.scenarios.sweeps.table import check_place, open_table

WORTH_PROCESSES_S: Final = 3.0
"""Work in one process that is worth starting others for, which takes a second or two."""


class Listener:
    """Hears how a sweep comes along; this one does nothing about it."""

    def checked(self, done: int, declared: int) -> None:
        """So many of the declared points are resolved and checked."""

    def planned(self, running: Running, notes: Sequence[str]) -> None:
        """All points are scenarios, and it is known which of them the store has."""

    def expects(self, running: Running, seconds: float, workers: int) -> None:
        """A few points were tried: the rest will take about so long."""

    def report_progress(self, outcome: Outcome) -> None:
        """Some more answers are known."""


@dataclass(frozen=True, slots=True)
class SweepBackend:
    """Where a sweep's points are worked out and kept."""

    workers: int | None = None
    """Processes; as many as there are processors where nothing is said."""
    cluster: str | None = None
    """Address of a Dask scheduler."""
    store: Path | None = None
    """Folder of the store; the usual one where nothing is said."""
    keep: bool = True
    """Whether answers are kept beyond this sweep."""


@contextmanager
def sweeping(plan: Plan, at: SweepBackend = SweepBackend(), listener: Listener | None = None) -> Iterator[Rows]:
    """Answer all points of *plan*, and give the rows as long as the context lasts.

    Whatever ends it early, what was answered is in the store, and the same sweep goes on from there.
    """
    heard = listener or Listener()
    check_where(at)
    with store_at(at) as ledger:
        running = Running(plan, ledger)
        heard.planned(running, notes_of(ledger, at))
        expected_s = running.pilot()
        if running.unknown:
            with executor_at(at, expected_s) as executor:
                heard.expects(running, expected_s / executor.workers, executor.workers)
                running.run(executor, heard.report_progress)
        yield Rows(plan, ledger, running.close())


def plan_of(
    name_or_path: Source | str | Path,
    vary: Sequence[str | Axis] = (),
    *,
    settings: Sequence[str] = (),
    limit: int | None = USUAL_LIMIT,
    listener: Listener | None = None,
    side: Literal["change", "system", "both"] = "change",
    **how: Any,
) -> Plan:
    """The checked plan of a sweep by name or file; of a file with a change the points are of that *side*, or of both.

    *how* may hold seed, replications, zipped, budget, and design, samples, samples_seed and where of [sweep];
    None is as good as absent.
    """
    source = name_or_path
    if not isinstance(source, Source):
        source = source_of_sweep(source, settings, "change" if side == "change" else "system")
    vary = [*vary, *(axes_of_change(source) if side == "both" else ())]
    given = {name: value for name, value in how.items() if value not in (None, ())}
    seed, zipped = given.pop("seed", None), given.pop("zipped", False)
    budget = given.pop("budget", USUAL)
    if "samples_seed" in given:
        given["seed"] = given.pop("samples_seed")
    sweep = make_sweep(source, vary, given, zipped)
    first = source.scenario()
    replications = first.replications if sweep.replications is None else sweep.replications
    run_options = RunOptions(first.seed if seed is None else seed, replications, budget)
    return Plan(source, sweep, run_options, limit, listener.checked if listener else None)


def sweep(
    name_or_path: str | Path,
    vary: Sequence[str | Axis] = (),
    *,
    out: Path | str | None = None,
    force: bool = False,
    at: SweepBackend = SweepBackend(),
    **how: Any,
) -> dict[str, Any]:
    """Answer a sweep and return its table as columns by name, arrays of floats or lists; also into *out*.

    *how* is passed on to :func:`plan_of`. Raises :class:`SpecError` for what is wrong with it, before anything is run.
    """
    if out is not None:
        check_place(Path(out), force)
    with sweeping(plan_of(name_or_path, vary, **how), at) as rows:
        if out is not None:
            write(rows, Path(out), force)
        return whole_table(rows)


def write(rows: Rows, out: Path, force: bool = False) -> None:
    """All rows into a Parquet or CSV file, which is there whole or not at all."""
    with open_table(out, rows.columns, rows.about(), force) as table:
        for block in rows.blocks():
            table.write(block)


def whole_table(rows: Rows) -> dict[str, Any]:
    """All rows in memory, by column."""
    blocks = list(rows.blocks())
    table: dict[str, Any] = {}
    for column in rows.columns:
        values = joined([block[column.name] for block in blocks])
        table[column.name] = listed(values) if "." in column.name else values
    return table


def check_where(at: SweepBackend) -> None:
    """Complain before the work about a store without a name or use, and a cluster that is not there."""
    if at.store is not None and not at.keep:
        raise SpecError(f"--store: got {at.store} with --no-store, which keeps no answers; give one of them")
    if at.keep and at.store is not None and at.store == Path():
        raise SpecError("--store: got an empty name; it is a folder")
    if at.cluster is not None:
        from blocktime.scenarios.sweeps.cluster import check_cluster

        check_cluster(at.cluster, at.workers)


def notes_of(ledger: Ledger, at: SweepBackend) -> list[str]:
    """What to know of the store: of points that are not used only where somebody chose its folder."""
    return [*ledger.notes, *([ledger.unused] if at.store and ledger.unused else [])]


@contextmanager
def store_at(at: SweepBackend) -> Iterator[Ledger]:
    """The store that answers are kept in, or one for as long as the context lasts."""
    if at.keep:
        with Ledger(at.store or usual_folder(), version_of_model()) as ledger:
            yield ledger
        return
    with TemporaryDirectory(prefix="blocktime-") as folder, Ledger(Path(folder), version_of_model()) as ledger:
        yield ledger


@contextmanager
def executor_at(at: SweepBackend, expected_s: float) -> Iterator[Executor]:
    """The cluster, processes where there is enough to do, or else this process."""
    if at.cluster is not None:
        from blocktime.scenarios.sweeps.cluster import Cluster

        with Cluster(at.cluster, at.workers, version=version_of_model) as cluster:
            yield cluster
        return
    workers = at.workers or os.cpu_count() or 1
    if workers == 1 or (at.workers is None and expected_s < WORTH_PROCESSES_S):
        yield ThisProcess()
        return
    with LocalProcesses(workers) as processes:
        yield processes


def on_this_machine(expected_s: float) -> AbstractContextManager[Executor]:
    """Who does work of so many seconds of one processor, where nothing is kept."""
    return executor_at(SweepBackend(), expected_s)
