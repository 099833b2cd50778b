"""Run one scenario with the engine that fits the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from model.calc import calculate
from model.errors import OutsideLaw
from model.laws.block_layer import is_in_kernel, release_of
from model.results import Interval, RunResult
from model.spec import Dml, Import, Insert, Stream, Transactions, Update
from model.units import show_bytes
from scenarios.engine import chosen_engine
from scenarios.forecast import USUAL, Budget, expected_within
from scenarios.interval import CONFIDENCE, half_width
from scenarios.prices import notes_on_prices
from scenarios.spec import Scenario
from scenarios.why_words import listed


def run(
    scenario: Scenario,
    engine: str = "auto",
    seed: int | None = None,
    replications: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    budget: Budget = USUAL,
) -> RunResult:
    """Answer *scenario*; ``auto`` calculates where that is exact and simulates where somebody queues.

    With *replications* the simulation runs with seeds seed, seed + 1, … and the result nearest to the mean carries
    the interval of the mean elapsed time. *progress* is called with (done, all). Raises :class:`OverBudget` before
    it begins where the answer would take more than *budget* allows.
    """
    repeated = scenario.replications if replications is None else replications
    expected_within(budget, scenario.system, scenario.workload, engine, repeated)
    chosen = chosen_engine(engine, scenario.system, scenario.workload)
    notes = []
    if chosen == "calculate":
        if (replications or scenario.replications) > 1:
            notes.append("replications have no effect: the instant estimate involves no chance")
        return _noted(calculate(scenario.system, scenario.workload, name=scenario.name), scenario, notes)
    try:
        return _noted(_replicated(scenario, seed, replications, progress), scenario, [])
    except OutsideLaw as refusal:
        if engine == "simulate":
            raise
        found = calculate(scenario.system, scenario.workload, name=scenario.name)
        return _noted(found, scenario, [str(refusal)])


INERT = {
    "host": (
        "kernel", "scheduler", "nr_requests", "max_segments", "filesystem", "journal_commit_s", "journal_data",
        "journal_elsewhere", "journal_age_s", "memory_bytes", "dirty_background_ratio_percent",
        "dirty_ratio_percent", "dirty_writeback_s", "dirty_expire_s", "write_call_s", "page_write_s",
        "page_submit_s",
    ),
    "disk": (
        "track_seek_s", "full_seek_s", "head_switch_s", "heads", "zones", "inner_bandwidth_ratio",
        "capacity_bytes", "write_overhead_s", "write_bandwidth_bytes_per_s", "queue_depth", "service_cv",
        "track_buffer_bytes", "write_cache_bytes", "read_hit_fraction", "bus_bytes_per_s", "burst_credits",
    ),
    "iostat": ("interval_s", "first_s"),
}  # fmt: skip


def notes_on(scenario: Scenario, result: RunResult) -> list[str]:
    """What a reader should know of the question itself: costs that are defaults, and fields nothing depends on."""
    notes = []
    streams = isinstance(scenario.workload, Stream)
    parts = {"host": True, "client": not streams, "disk": bool(result.device)}
    usual = [
        section
        for section, plays in parts.items()
        if plays and not any(path.startswith(f"{section}.") for path in scenario.system.constants)
    ]
    if usual:
        uses = listed([f"{section}.use" for section in usual])
        notes.append(
            f"{listed(usual)} costs are typical values, not those of your system: choose {uses}, or set the fields"
        )
    notes += _notes_on_changes(scenario)
    if isinstance(scenario.workload, Import):
        notes.append(
            "import time leaves out indexes, constraints and triggers. Rows are inserted in arrays; tables with LONG, "
            "LOB, ROWID or TIMESTAMP columns are loaded row by row"
        )
    if streams:
        notes += _notes_on_the_kernel(scenario)
    if isinstance(scenario.workload, Transactions):
        return [
            *notes,
            *_notes_on_transactions(scenario, scenario.workload, result.engine),
            *notes_on_prices(scenario.system),
        ]
    # the writes behind an import go by the means of a stream's
    inert = [] if streams or isinstance(scenario.workload, Import) else list(_inert(scenario))
    if inert:
        verb = "has" if len(inert) == 1 else "have"
        notes.append(
            f"{' and '.join(inert)} {verb} no effect on a scan: the model serves the reads of a scan in order, "
            "in their mean time"
        )
    if scenario.system.instance.db_file_multiblock_read_count == 0:
        notes.append(
            "db_file_multiblock_read_count = 0 is bug 5768025, seen up to 11.1; later releases may have fixed it"
        )
    return [*notes, *notes_on_prices(scenario.system)]


def _inert(scenario: Scenario, fields_of: Mapping[str, Sequence[str]] = INERT) -> Iterator[str]:
    """Fields that the question sets and that decide nothing of it."""
    for section, fields in fields_of.items():
        changed = scenario.differences.get(section, {})
        yield from (f"{section}.{field}" for field in fields or changed if field in changed)


INERT_OF_TRANSACTIONS: Final[dict[str, tuple[str, ...]]] = {
    "table": (
        "rows", "row_bytes", "row_bytes_sd", "pctfree_percent", "initrans", "migrated_fraction", "cached_fraction",
    ),
    "index": (),
    "tablespace": ("space_management", "extent_management", "uniform_extent_bytes"),
    "instance": (
        "release", "sessions", "serial_direct_read", "disk_asynch_io", "direct_read_slots",
        "direct_read_slots_limit", "statistics",
    ),
    "host": (
        "io_path", "page_cache_hit_fraction", "read_ahead_bytes", "filesystem", "journal_commit_s", "journal_data",
        "journal_elsewhere", "journal_age_s", "dirty_background_ratio_percent", "dirty_ratio_percent",
        "dirty_writeback_s", "dirty_expire_s", "write_call_s", "page_write_s", "page_submit_s", "fetch_row_s",
        "fetch_column_s",
    ),
}  # fmt: skip
"""Fields that decide nothing of transactions; all of a section where none is named."""
SIMULATED_ALONE: Final[dict[str, tuple[str, ...]]] = {
    "host": ("kernel", "max_request_bytes", "max_segments"),
    "disk": ("track_buffer_bytes", "burst_iops", "burst_credits"),
    "iostat": ("interval_s", "first_s"),
    "workload": ("begins", "transactions", "precision_percent"),
}


def _notes_on_transactions(scenario: Scenario, work: Transactions, engine: str) -> Iterator[str]:
    """What decides nothing of transactions, or nothing in closed form; and users that never pause."""
    for fields_of, where in (
        (INERT_OF_TRANSACTIONS, "transactions: they are described by their gets and changes"),
        (
            SIMULATED_ALONE if engine == "calculate" else {},
            "the instant estimate: only the simulation uses it",
        ),
    ):
        inert = list(_inert(scenario, fields_of))
        if inert:
            verb = "has" if len(inert) == 1 else "have"
            yield f"{' and '.join(inert)} {verb} no effect on {where}"
    if work.rate_per_s is not None and "users" in work.model_fields_set:
        yield "workload.users has no effect beside workload.rate_per_s: transactions arrive whoever sends them"
    instance, asked = scenario.system.instance, scenario.differences
    if (
        "db_block_size_bytes" in asked.get("instance", {})
        and "block_size_bytes" not in asked.get("tablespace", {})
        and not instance.db_nk_cache_bytes
    ):
        size = show_bytes(scenario.system.tablespace.block_size_bytes)
        yield (
            "instance.db_block_size_bytes has no effect on its own: the blocks of transactions have "
            f"tablespace.block_size_bytes, {size}"
        )
    if work.rate_per_s is None and not work.think_s:
        yield "think time is 0: each user starts the next transaction at once, like a batch job"


def _notes_on_the_kernel(scenario: Scenario) -> Iterator[str]:
    """Settings of the host that no machine has together."""
    host = scenario.system.host
    if not is_in_kernel(host.scheduler, release_of(host.kernel)):
        yield (
            f"kernel {host.kernel} has no scheduler {host.scheduler}: noop, deadline and cfq were removed in 5.0; "
            "none, mq-deadline, bfq and kyber were added in 4.11 and 4.12"
        )
    if host.dirty_background_ratio_percent >= host.dirty_ratio_percent:
        yield "dirty_background_ratio_percent is not below dirty_ratio_percent: the kernel uses half of the latter"


def _notes_on_changes(scenario: Scenario) -> Iterator[str]:
    """What a statement that changes rows leaves out, and what of the question decides nothing."""
    work, table = scenario.workload, scenario.system.table
    if not isinstance(work, Dml):
        return
    yield (
        "the time does not include writing: the model assumes that DBWR, LGWR and archiving keep up, and that the last "
        "commit follows the statement"
    )
    if not any(path.startswith("host.") for path in scenario.system.constants):
        yield "the CPU cost of a changed row is a default, measured on a server of 2008 with rows of 9 bytes"
    if isinstance(work, Update) and not work.sets and not work.growth_bytes:
        yield "no row grows: set workload.growth_bytes, or workload.sets where the table's columns are described"
    if not isinstance(work, Insert) and work.commit_every_rows:
        yield (
            "commits in between make several statements of it: committed work stays when a later one fails, and a "
            "query that started earlier may fail with ORA-01555"
        )
    if table.row_bytes_sd:
        yield "the model gives all changed rows the same length; leave more PCTFREE if yours vary"
    if table.migrated_fraction:
        yield "table.migrated_fraction has no effect here: the model assumes a freshly loaded table"


def _noted(result: RunResult, scenario: Scenario, more: list[str]) -> RunResult:
    warnings = [*result.warnings, *more, *notes_on(scenario, result)]
    return result.model_copy(update={"warnings": warnings})


def _replicated(
    scenario: Scenario,
    seed: int | None,
    replications: int | None,
    progress: Callable[[int, int], None] | None,
) -> RunResult:
    from model.sim import simulate  # noqa: PLC0415  (the simulation engine is wanted only here)

    first_seed = scenario.seed if seed is None else seed
    many = scenario.replications if replications is None else replications
    results = []
    for index in range(many):
        results.append(
            simulate(scenario.system, scenario.workload, seed=first_seed + index, name=scenario.name)
        )
        if progress is not None:
            progress(index + 1, many)
    return results[0] if many == 1 else _with_interval(results)


def _with_interval(results: list[RunResult]) -> RunResult:
    """The result nearest to the mean, with the interval of the mean elapsed time over all."""
    times = [result.time.elapsed_s for result in results]
    half = float(half_width(times))
    mean = fmean(times)
    interval = Interval(low_s=mean - half, high_s=mean + half, confidence=CONFIDENCE)
    middle = min(results, key=lambda result: abs(result.time.elapsed_s - mean))
    update: dict[str, object] = {"time": middle.time.model_copy(update={"interval": interval})}
    if middle.transactions is not None:  # from one run to the next is surer than within one
        update["transactions"] = middle.transactions.model_copy(update={"response_interval": interval})
    return middle.model_copy(update=update)
